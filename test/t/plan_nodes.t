# plan_nodes.t: the plans of PrefixScan and IndexSkip hold no node that only the planner may hold.
#
# A plan goes to parallel workers as text.  Some of the planner's nodes cannot be read there (a PlaceHolderVar before
# version 16), and some cannot be executed (a SubLink, an AlternativeSubPlan).  Core's setrefs.c replaces them in all
# fields of a plan that may hold expressions.  It does not visit CustomScan.custom_private, so no expression of the
# query may stand there: only numbers, the functions of a window with NULL constants in place of their expressions, and
# the clauses of keys (SortGroupClause), which hold OIDs and flags, and which a worker can read in all versions.
#
# The test plans the random queries of other tests, in one process and in several.  With debug_print_plan, the server
# prints each plan as the text that a worker would get.
#
#   SCAN_TEST_QUERIES=5000 SCAN_TEST_SEED=7 test/cluster.sh prove -v test/t/plan_nodes.t
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin, "$FindBin::Bin/../fuzz";
use Test::More;
use Server;
use FirstRows;
use Hazards;
use Joins;
use Queries;

my $count = $ENV{SCAN_TEST_QUERIES} // 200;
my $seed = $ENV{SCAN_TEST_SEED} // 20261127;

# What no plan may hold.  The kind of a parameter must be 0 (external) or 1 (internal).  From version 17 on, core leaves
# a WindowFuncRunCondition in the functions of its own WindowAgg; in a field of ours it is wrong by the rules below.
my $nodes = join '|', qw(PLACEHOLDERVAR PLACEHOLDERINFO SUBLINK ALTERNATIVESUBPLAN RESTRICTINFO PATHKEY EQUIVALENCE\w+
	MINMAXAGGINFO INDEXCLAUSE PATHTARGET \w*PATH);
my $planners = qr/\{(?:$nodes)\b|:paramkind [23]\b/;
# A list in parentheses.  Parentheses in a string are escaped.
my $list = qr/(?<list>\((?:[^()\\]++|\\.|(?&list))*+\)|<>)/;

# The statements that plan a query with settings, generic plans included.
sub script
{
	my ($query, @set) = @_;
	# PL/pgSQL plans nothing to print a constant
	my $name = $query->{sql} =~ s/'/''/gr =~ s/%/%%/gr;
	my @values = @{ $query->{parameters} // [] };
	my ($types, $values) = @values ? map { '(' . join(', ', @$_) . ')' } [ ('int') x @values ], \@values : ('', '');

	return join ";\n", 'RESET ALL', "LOAD 'scan'", 'SET jit = off', 'SET plan_cache_mode = force_generic_plan',
	  # a superuser may keep the plans out of the server's log
	  'SET log_min_messages = fatal', 'SET client_min_messages = log', 'SET debug_pretty_print = off',
	  'SET debug_print_plan = on',
	  (map { /(\S+) (\S+)/ ? "SET $1 = '$2'" : () } split(/, /, $query->{set}), @set),
	  "DO \$do\$ BEGIN RAISE LOG '=== $name'; END \$do\$", 'DEALLOCATE ALL', "PREPARE q$types AS $query->{sql}",
	  "EXPLAIN EXECUTE q$values;\n";
}

# The plans that the server prints, each as its query and its text.
sub plans
{
	my ($server, $script) = @_;
	my (undef, $err) = $server->run($script, go_on => 1);
	my ($sql, @plans);

	for my $message (split /^psql:\S+: /m, $err)
	{
		$sql = $1 if $message =~ /^LOG:  === (.*)/;
		# the server breaks long lines
		push @plans, [ $sql, $1 =~ s/\n/ /gr ] if $message =~ /^LOG:  plan:\nDETAIL:  (\{PLANNEDSTMT.*)/s;
	}
	return @plans;
}

# What is wrong with the text of a plan.  Counts in %$seen what it has.
sub wrong
{
	my ($text, $seen) = @_;
	my @wrong;

	$seen->{plans}++;
	$seen->{subplans}++ if $text =~ /\{SUBPLAN\b/;
	push @wrong, "the plan holds $&" if $text =~ $planners;
	my $lists = ":custom_exprs $list :custom_private (?<private>(?&list)) :custom_scan_tlist (?<tlist>(?&list))";
	while ($text =~ /$lists.*?:methods (?<name>\w+)/g)
	{
		my ($exprs, $private, $tlist, $name) = @+{qw(list private tlist name)};
		my %allowed = (PrefixScan => qr/^(?:WINDOWFUNC|CONST|SORTGROUPCLAUSE)$/, WindowReduce => qr/^SORTGROUPCLAUSE$/);
		my $allowed = $allowed{$name} // qr/^$/;
		$seen->{$name}++;
		push @wrong, "custom_private of $name holds $_" for grep { !/$allowed/ } $private =~ /\{(\w+)/g;
		push @wrong, "custom_private of $name holds a value" if $private =~ /:constisnull false/;
		# each column is one of the node's own row: -3 is INDEX_VAR
		push @wrong, "custom_exprs of $name hold a column of relation $_"
			for grep { $_ ne '-3' } $exprs =~ /\{VAR :varno (\S+)/g;
		push @wrong, "$name holds a window function outside of custom_private" if "$exprs$tlist" =~ /\{WINDOWFUNC\b/;
	}
	return @wrong;
}

sub check
{
	my ($name, $server, $least, $set, @queries) = @_;
	my %seen;
	my @wrong = map {
		my ($sql, $text) = @$_;
		map { "$_: $sql" } wrong($text, \%seen)
	} plans($server, join '', map { script($_, @$set) } @queries);

	is(scalar @wrong, 0, "$name: the plans hold nothing of the planner's (seed $seed)")
		or diag(join "\n", @wrong[ 0 .. ($#wrong < 4 ? $#wrong : 4) ]);
	cmp_ok($seen{$_} // 0, '>=', $least->{$_} * @queries, "$name: there are enough of these: $_") for sort keys %$least;
	diag("$name: " . join ', ', map { "$seen{$_} $_" } sort keys %seen);
}

my @force = ('scan.prefixscan force', 'scan.index_skip force');
my @parallel = ('parallel_setup_cost 0', 'parallel_tuple_cost 0', 'min_parallel_table_scan_size 0');
{
	my $server = Server->new('plan_nodes');
	my $role = "scan_plan_nodes_$$";
	$server->lines($_) for Queries::tables($role), Joins::tables($role);
	my $generator = Queries->new($seed);
	my @joined = map { Joins->next($_ % 2) } 1 .. $count;
	check('joins', $server, { plans => 0.9, PrefixScan => 1, subplans => 0.1 }, \@force, @joined);
	check('joins in several processes', $server, { plans => 0.9, PrefixScan => 1, subplans => 0.1 },
		[ @force, @parallel ], @joined);
	check('one relation', $server, { plans => 0.9, PrefixScan => 0.8 }, [ @force, @parallel ],
		map { $generator->next } 1 .. $count / 2);
	check('parameters everywhere', $server, { plans => 0.9, PrefixScan => 0.6 }, \@force,
		map { Hazards->next('offsets') } 1 .. $count / 2);
	$server->run("DROP OWNED BY $role; DROP ROLE $role", go_on => 1);
}
{
	my $server = Server->new('plan_nodes_skip');
	my $role = "scan_plan_nodes_skip_$$";
	$server->lines(FirstRows::tables($role, $seed));
	check('first rows', $server, { plans => 0.9, PrefixScan => 0.2, IndexSkip => 0.15 }, \@force,
		map { FirstRows->next } 1 .. $count / 2);
	$server->run("DROP OWNED BY $role; DROP ROLE $role", go_on => 1);
}

done_testing();

# skip_random.t: random queries for the first rows of each group (test/fuzz/FirstRows.pm), with the nodes and without.
#
# Each runs with scan.prefixscan off, and then by an index skip wherever one can be, some with the skip off, with
# little memory, or left to costs.  The rows, their order where it is fixed, and the errors have to be the same.  An
# error of a row may stay away where the nodes read an index and stop early, and core reads all rows to sort them: then
# core has to answer the same over an index, too.
#
#   SCAN_TEST_QUERIES=100000 SCAN_TEST_SEED=7 test/cluster.sh prove -v test/t/skip_random.t
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin, "$FindBin::Bin/../fuzz";
use Test::More;
use Server;
use Compare;
use Queries;
use FirstRows;

my $count = $ENV{SCAN_TEST_QUERIES} // ($ENV{SCAN_TEST_PART} ? 300 : 2000);
my $first = $ENV{SCAN_TEST_FIRST} // 0; # to come to a failure sooner
my $seed = $ENV{SCAN_TEST_SEED} // 20261126;
my $server = Server->new('skip_random');
my $role = "scan_skip_random_$$";

$server->lines("ALTER DATABASE $server->{database} SET jit = off");
$server->lines(FirstRows::tables($role, $seed));
$server->lines(Compare::functions());

# a tree without the skip has no such setting, and refuses any by that name
my $skips = $server->value("LOAD 'scan'; SELECT count(*) FROM pg_settings WHERE name = 'scan.index_skip'");
sub setting { return $skips ? "scan.index_skip $_[0]" : () }

my $generator = bless {}, 'FirstRows';
my @queries = (map({ { name => $_->[0], sql => $_->[1], set => '' } } FirstRows::cases()),
	map { $generator->next } 1 .. $first + $count);
my $cases = () = FirstRows::cases();
splice @queries, $cases, $first;
my $script = "LOAD 'scan'; SET ROLE $role;\n";
foreach my $query (@queries)
{
	my $all = $query->{name};
	my @ways = [ 'scan.prefixscan force', setting('force') ];
	push @ways, [ 'scan.prefixscan force', setting('off') ] if $all || Queries::chance(30);
	push @ways, [ 'scan.prefixscan force', setting('off'), 'scan.work_mem 64kB', 'work_mem 64kB' ]
		if Queries::chance(20);
	push @ways, [ 'scan.prefixscan auto', setting('auto') ] if $all || Queries::chance(20);
	push @ways, [ 'scan.prefixscan auto', setting('force') ] if $all || Queries::chance(20);
	my %job = (%$query, set => [ split /, /, $query->{set} ], ways => \@ways, explain => 1, skip => $skips);
	$script .= Compare::call(\%job) . ";\n";
}
my ($out, $err) = $server->run($script, go_on => 1);
my @verdicts = split /^(?=(?:skip|node|core|-|invalid) )/m, $out;
is(scalar @verdicts, $cases + $count, "$count queries (seed $seed) are answered")
	or diag(($err =~ /(.*)/)[0] // '', "\nat: ", $queries[ scalar @verdicts ]{sql} // '');

# The first of some queries, with what came of them.
sub shown
{
	my (@which) = @_;
	my @lines;
	foreach my $i (@which[ 0 .. ($#which < 9 ? $#which : 9) ])
	{
		my $query = $queries[$i];
		my $fetch = join ', ', grep { defined } $query->{scroll}, @{ $query->{fetch} // [] };
		push @lines,
			($i - $cases) . ": $query->{sql}\n   set: $query->{set}; parameters: @{ $query->{parameters} // [] }; "
			. "fetch: $fetch\n   $verdicts[$i]";
	}
	return join "\n", @lines;
}

# True if core, made to read an index, answers as the nodes do.
sub same_by_index
{
	my ($query, $verdict) = @_;
	return 0 if $verdict !~ /^\w+ error 22012 / || $verdict =~ /EARLY|INTERNAL|LIMIT|MEMORY/;
	my %job = (%$query, set => [ 'enable_seqscan off', 'enable_sort off', split /, /, $query->{set} ],
		ways => [ [ 'scan.prefixscan force', setting('force') ], [ 'scan.prefixscan force', setting('off') ],
			['scan.prefixscan auto'] ]);
	return ($server->run("LOAD 'scan'; SET ROLE $role; " . Compare::call(\%job)))[0] !~ /DIFFERENT|invalid/;
}

my @wrong = grep { $verdicts[$_] =~ /DIFFERENT|EARLY ERROR|INTERNAL|LIMIT|MEMORY/ } 0 .. $#verdicts;
my @unread = grep { same_by_index($queries[$_], $verdicts[$_]) } @wrong;
my %unread = map { $_ => 1 } @unread;
@wrong = grep { !$unread{$_} } @wrong;
is(join('|', map { "$queries[$_]{sql}: $verdicts[$_]" } grep { $verdicts[$_] =~ /^invalid/ } 0 .. $cases - 1), '',
	'and each of the cases with a name is a query');
my @other = grep { $verdicts[$_] =~ /OTHER ERROR/ } 0 .. $#verdicts;
is(scalar @wrong, 0, 'the nodes answer as core does') or diag(shown(@wrong));
diag(shown(@other)) if @other;
cmp_ok(scalar @other, '<=', 1 + 0.001 * $count, 'but for which of two errors is first, seldom');

# and the queries are worth their time
my ($skip, $node, $errors, $invalid) = map {
	my $what = $_;
	scalar grep { /^$what/ } @verdicts
} 'skip', 'skip|node', '\w+ error', 'invalid|\w+ error (?:42|22P02)';
diag("$skip of $count queries had an index skip, $node a node, $errors failed in core, " . @unread
	. ' had an error in a row that only a sort reads');
cmp_ok(scalar @unread, '<=', 1 + 0.002 * $count, 'errors that only a sort comes to are seldom');
cmp_ok($node, '>', 0.3 * $count, 'the nodes have their share');
cmp_ok($skip, '>', 0.1 * $count, 'so has the skip') if $skips;
my @invalid = grep { $verdicts[$_] =~ /^(?:invalid|\w+ error (?:42|22P02))/ } 0 .. $#verdicts;
cmp_ok(scalar @invalid, '<', 1 + 0.003 * $count, 'few are not SQL') or diag(shown(@invalid));
my @empty = grep { $verdicts[$_] =~ /rows 0 / } 0 .. $#verdicts;
cmp_ok(scalar @empty, '<', 0.4 * $count, 'most have rows');

$server->run("DROP OWNED BY $role; DROP ROLE $role", go_on => 1);
done_testing();

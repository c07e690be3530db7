# reduce_random.t: random queries that filter and aggregate the rows of windows (test/fuzz/Reduce.pm), with WindowReduce
# and in stock PostgreSQL: the rows and the errors have to be the same.
#
#   SCAN_TEST_QUERIES=100000 SCAN_TEST_SEED=7 test/cluster.sh prove -v test/t/reduce_random.t
#
# SCAN_TEST_FIRST=17 SCAN_TEST_QUERIES=1 runs query 17 alone.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin, "$FindBin::Bin/../fuzz";
use Test::More;
use Server;
use Compare;
use Reduce;

my $count = $ENV{SCAN_TEST_QUERIES} // ($ENV{SCAN_TEST_PART} ? 300 : 1500);
my $first = $ENV{SCAN_TEST_FIRST} // 0;
my $seed = $ENV{SCAN_TEST_SEED} // 20261128;
my $server = Server->new('reduce_random');
my $role = "scan_reduce_$$";

$server->lines(Queries::tables($role));
$server->lines("GRANT UPDATE ON t TO $role");
# compiling takes longer than the queries
$server->lines("ALTER DATABASE $server->{database} SET jit = off");
$server->lines(Compare::functions());

srand $seed;
my @queries = map { Reduce::next() } 1 .. $first + $count;
splice @queries, 0, $first;

# the types of results are guesses: a sum of floats depends on the order of the rows after all, unless it is exact
my @several = grep { $_->{several} && !$_->{parameters} } @queries;
my (undef, @columns) = split /^===\n/m,
	($server->run(join('', map { "\\echo ===\n$_->{sql} \\gdesc\n" } @several), go_on => 1))[0];
$several[$_]{divided} = $several[$_]{exact} || $columns[$_] !~ /\|(?:real|double precision)$/m for 0 .. $#several;

my $force = [ 'scan.prefixscan force', 'scan.reduce force' ];
my $parallel =
	'min_parallel_table_scan_size 0, parallel_setup_cost 0, parallel_tuple_cost 0, max_parallel_workers_per_gather 2';
my $script = "LOAD 'scan'; SET ROLE $role;\n";
for my $query (@queries)
{
	# with little work_mem of its own, core writes groups to disk, and adds rows up in another order
	my @small = ([ @$force, 'scan.work_mem 64kB' ]);
	my @ways = ($force, $query->{small} ? ([ 'scan.prefixscan auto' ], @small) : ());
	my %job = (%$query, set => [ split /, /, $query->{set} ], ways => \@ways, explain => 1, reduce => 1);
	# several processes, where no order of rows matters; the first way is the one whose plan is counted
	if ($query->{divided})
	{
		splice @ways, $query->{combined} ? 0 : 1, 0, [ @$force, split /, /, $parallel ];
		$job{parallel} = 1;
	}
	$script .= Compare::call(\%job) . ";\n";
}
my ($out, $err) = $server->run($script, go_on => 1);
my @verdicts = split /^(?=(?:reduce|node|core|-|invalid) )/m, $out;

is(scalar @verdicts, $count, "$count queries (seed $seed) are answered")
	or diag(($err =~ /(.*)/)[0] // '', "\nat: ", $queries[ scalar @verdicts ]{sql} // '');

# The first of some queries, with what came of them.
sub shown
{
	my (@which) = @_;
	return join "\n",
		map { $_ + $first . ": $queries[$_]{sql}\n   set: $queries[$_]{set}; parameters: "
			. "@{ $queries[$_]{parameters} // [] }\n   $verdicts[$_]" } @which[ 0 .. ($#which < 9 ? $#which : 9) ];
}

my @wrong = grep { $verdicts[$_] =~ /DIFFERENT|EARLY ERROR|INTERNAL|LIMIT|MEMORY|NO PLAN/ } 0 .. $#verdicts;
# of several processes any may fail first
my @other = grep { $verdicts[$_] =~ /OTHER ERROR/ && !$queries[$_]{divided} } 0 .. $#verdicts;
is(scalar @wrong, 0, 'the node answers as core does') or diag(shown(@wrong));
diag(shown(@other)) if @other;
cmp_ok(scalar @other, '<=', 1 + 0.001 * $count, 'but for which of two errors is first, seldom');

# and the queries are worth their time
my ($reduced, $several, $errors, $invalid) =
	map {
		my $what = $_;
		scalar grep { /^(?:$what)/ } @verdicts
	} 'reduce', 'reduce.* IN SEVERAL', '\w+ error', 'invalid|\w+ error (?:42|22P02)';
diag("$reduced of $count queries had a WindowReduce, $several in several processes; $errors failed in core");
if ($count >= 100)
{
	cmp_ok($reduced, '>', 0.4 * $count, 'the node has its share');
	cmp_ok($several, '>', 0.05 * $count, 'also in several processes');
	cmp_ok($errors, '>', 0.02 * $count, 'some fail');
	cmp_ok($invalid, '<=', 0.03 * $count, 'few are invalid')
		or diag(shown(grep { $verdicts[$_] =~ /^(?:invalid|\w+ error (?:42|22P02))/ } 0 .. $#verdicts));
}
$server->lines("DROP OWNED BY $role; DROP ROLE $role");
done_testing;

# smaller.t: what makes a small query of a random one that fails (test/fuzz/Smaller.pm).
#
# The failures are made up: the first run has another query (Compare.pm's `oracle`), so rows differ where they should.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin, "$FindBin::Bin/../fuzz";
use Test::More;
use Server;
use Compare;
use Queries;
use Smaller;

my $server = Server->new('smaller');
my $role = "scan_smaller_$$";
$server->lines(Queries::tables($role));
$server->lines("CREATE TABLE numbers AS SELECT i, i % 7 AS k FROM generate_series(1, 500) AS i; "
	. "GRANT SELECT ON numbers TO $role;");
$server->lines(Compare::functions());

# Cut into pieces and put together again, a query is the same for PostgreSQL.
my $generator = Queries->new(7);
my @queries = grep { !$_->{parameters} } map { $generator->next } 1 .. 100;
my @same = map {
	my $query = $_;
	map { "SELECT md5(string_agg(line, '')) FROM explained(\$\$EXPLAIN (COSTS OFF, VERBOSE) $_\$\$) AS line;" }
		$query->{sql}, Smaller::text(Smaller::tree($query->{sql}))
} @queries;
my @plans = split /\n/,
	($server->run("LOAD 'scan'; SET scan.prefixscan = off; SET ROLE $role; " . join("\n", @same), go_on => 1))[0];
cmp_ok(scalar @plans, '>', 1.6 * @queries, 'most of the queries have a plan');
is(scalar @plans % 2, 0, 'a query and its copy have plans, or neither');
is(scalar(grep { $plans[ 2 * $_ ] ne $plans[ 2 * $_ + 1 ] } 0 .. $#plans / 2), 0, 'the plans are the same');

# What is needed stays, and nothing else does.
my $long =
	"SELECT a.i AS x, sum(a.k) OVER (PARTITION BY a.k + 1, a.i ORDER BY a.i DESC NULLS LAST) AS y, lag(a.k, 2) OVER w "
	. "AS z, 'x, (y' AS c FROM (SELECT * FROM (SELECT i, k FROM numbers WHERE k > 2 AND i < 400) AS b WHERE true) AS a "
	. 'LEFT JOIN numbers AS n ON n.i = a.i WINDOW w AS (PARTITION BY a.i), u AS (ORDER BY a.k) ORDER BY x, y LIMIT 50';
my $needed = qr/lag ?\(.*LEFT JOIN/s;
my $small = Smaller::smaller_text($long, sub { $_[0] =~ $needed });
like($small, $needed, 'pieces that are needed');
cmp_ok(length $small, '<', 30, 'and little else') or diag($small);
is(Smaller::smaller_text($long, sub { 0 }), $long, 'what does not fail stays');
is_deeply(Smaller::smaller_list([ 1 .. 9 ], sub {
	my %in = map { $_ => 1 } @{ $_[0] };
	$in{3} && $in{8};
}), [ 3, 8 ], 'a list');

# A job whose oracle has another answer, so that the two runs differ.
my $query = 'SELECT i, sum(k) OVER (ORDER BY i) AS s, lag(i) OVER (PARTITION BY k ORDER BY i) AS l FROM numbers '
	. 'WHERE i >= 3 AND k < 99 ORDER BY i';
my %job = (sql => "SELECT max(a) FROM ($query) AS q (a, b, c)",
	oracle => "SELECT CASE WHEN EXISTS (SELECT FROM numbers WHERE i = 13) THEN 'another' END", ordered => 0,
	set => [ 'enable_seqscan off', 'work_mem 64kB' ],
	ways => [ [ 'scan.prefixscan force', 'scan.work_mem 64kB' ], ['scan.prefixscan auto'] ]);
my $told = Smaller::make_small(\%job, $role, sub { ($server->run("LOAD 'scan'; $_[0]", go_on => 1))[0] =~ /(.+)/g },
	\&Compare::call);
like($told, qr/^DIFFERENT, after \d+ attempts; of \d+ characters \d+ are left:\n/, 'a job');
cmp_ok(length $job{sql}, '<', 40, 'its query is small') or diag($told);
is_deeply([ $job{set}, scalar @{ $job{ways} } ], [ [], 1 ], 'one way without settings is left') or diag($told);

$server->run("DROP OWNED BY $role; DROP ROLE $role", go_on => 1);
done_testing();

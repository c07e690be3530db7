# time_average.t: time_average against Python's integers, in test/t/time_average.py: by groups, over
# moving frames, by WindowAgg and by PrefixScan, in parts that are joined; and its errors.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Server;

plan skip_all => 'no python3 on this machine'
	if system('python3 -c "import math; math.nextafter" >/dev/null 2>&1') != 0;

my $server = Server->new('time_average');
$ENV{PGDATABASE} = $server->{database};
my @lines = `python3 "$FindBin::Bin/time_average.py" "$Server::psql"`;
is($?, 0, 'the program of the oracle ran');
for (@lines)
{
	/^(\d+) answers of (.*), (\d+) wrong: ?(.*)$/ or next;
	is($3, 0, "$1 answers of $2") or diag($4);
}
cmp_ok(scalar(grep { /answers of/ } @lines), '==', 18, 'all kinds of data were compared');

$server->lines(<<'SQL');
CREATE TABLE reading AS SELECT i AS id, i % 5 AS device,
  timestamptz '2026-01-01' + i * interval '1 minute' + hashint4(i) % 30 * interval '1 second' AS at,
  CASE WHEN i % 9 > 0 THEN hashint4(i) / 7.0::float8 END AS x FROM generate_series(1, 5000) AS i;
ALTER TABLE reading SET (parallel_workers = 2);
ANALYZE reading;
CREATE AGGREGATE part(float8, timestamptz) (SFUNC = time_average_add_timestamptz, STYPE = exact_state);
CREATE AGGREGATE part(float8, timestamptz, text) (SFUNC = time_average_add_timestamptz, STYPE = exact_state);
CREATE AGGREGATE part(float8, float8) (SFUNC = time_average_add_float8, STYPE = exact_state);
CREATE AGGREGATE joined(exact_state)
  (SFUNC = time_average_combine, STYPE = exact_state, FINALFUNC = time_average_final);
CREATE AGGREGATE one_kind(exact_state) (SFUNC = exact_combine_pairs, STYPE = exact_state, FINALFUNC = exact_final_corr);
SQL

# ---- how it runs

my $force = "LOAD 'scan'; SET scan.prefixscan = force;";

sub plan_of
{
	return join "\n",
		$server->lines("$force EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) SELECT $_[0] FROM reading");
}
my $frame = 'OVER (PARTITION BY device ORDER BY at ROWS 9 PRECEDING)';
like(plan_of("time_average(x, at) $frame"), qr/Frame Methods: time_average \(exact area\)/, 'by area');
like(plan_of("time_average(x, at, 'previous') $frame"), qr/Frame Methods: time_average \(exact area\)/,
	'with a method');
like(plan_of("time_average(x, at, CASE WHEN device > 2 THEN 'previous' ELSE 'linear' END) $frame"),
	qr/Frame Methods: time_average \(its own functions, inverse\)/, 'a method by partition');
like(plan_of("time_average(x, at) OVER (PARTITION BY device ORDER BY at ROWS BETWEEN 9 PRECEDING "
		. "AND 9 FOLLOWING EXCLUDE CURRENT ROW)"), qr/Frame Methods: time_average \(its own functions/, 'EXCLUDE');
for my $call ("time_average(x, at, CASE WHEN device > 2 THEN 'previous' ELSE 'linear' END) $frame",
	'time_average(x, at) OVER (PARTITION BY device ORDER BY at)',
	'time_average(x, at) FILTER (WHERE id % 3 > 0) OVER (ORDER BY at ROWS 100 PRECEDING)',
	'time_average(x, at, \'previous\') OVER (PARTITION BY device '
		. 'ORDER BY at RANGE BETWEEN \'1 hour\' PRECEDING AND \'10 minutes\' FOLLOWING)',
	'time_average(x, at) OVER (ORDER BY at ROWS BETWEEN 3 PRECEDING AND UNBOUNDED FOLLOWING)')
{
	my $query = "SELECT md5(string_agg(encode(float8send(y), 'hex'), ' ' ORDER BY id)) "
		. "FROM (SELECT id, $call AS y FROM reading) AS t";
	my ($core) = $server->lines("LOAD 'scan'; SET scan.prefixscan = off; $query");
	is(($server->lines("$force $query"))[0], $core, $call);
	is(($server->lines("$force SET scan.work_mem = '64kB'; $query"))[0], $core, "$call, beyond memory");
	is(($server->lines("$force SET max_parallel_workers_per_gather = 2; SET parallel_setup_cost = 0; "
			. "SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; $query"))[0], $core,
		"$call, in several processes");
}

# ---- parts

my $wanted = $server->value('SELECT time_average(x, at ORDER BY at) FROM reading');
is($server->value('SELECT joined(s::text::exact_state ORDER BY hour) FROM (SELECT id / 60 AS hour, '
		. 'part(x, at ORDER BY at) AS s FROM reading GROUP BY id / 60) AS t'), $wanted, 'parts that follow each other');
is($server->value('SELECT joined(s::text::exact_state ORDER BY hour DESC) FROM (SELECT id / 60 AS hour, '
		. 'part(x, at ORDER BY at) AS s FROM reading GROUP BY id / 60) AS t'), $wanted, 'from the last to the first');
is($server->value("SELECT joined(s) IS NULL FROM (VALUES (NULL::exact_state), (NULL)) AS t (s)"), 't', 'no parts');
is($server->value("SELECT bool_and(s::text::exact_state::text = s::text) "
		. "FROM (SELECT part(x, at, 'previous' ORDER BY at) AS s FROM reading GROUP BY device "
		. "UNION ALL SELECT part(x * 1e290, id / 1e300 ORDER BY id) FROM reading) AS t"), 't', 'in and out again');
my $state = $server->value('SELECT part(x, id::float8 ORDER BY id) FROM reading');
sub refused { my ($sql, $error, $name) = @_; my (undef, $err) = $server->run($sql); like($err, $error, $name // $sql) }
refused("SELECT '$_'::exact_state", qr/ERROR:  invalid external exact_state value/)
	for substr($state, 0, -2), $state . '00', substr($state, 0, 18), substr($state, 0, 18 + 16) . '0000000000000004'
	. substr($state, 18 + 32), substr($state, 0, 18 + 7 * 16 + 16) . '7ff0000000000000' . substr($state, 18 + 9 * 16);
refused('SELECT one_kind(s) FROM (SELECT part(x, at ORDER BY at) AS s FROM reading) AS t',
	qr/ERROR:  invalid exact_state value\nDETAIL:  The state was made from values over time, not from pairs of values/,
	'another kind of state');
refused("SELECT joined(s) FROM (SELECT part(x, at ORDER BY at) AS s FROM reading "
	. "UNION ALL SELECT part(x, at, 'previous' ORDER BY at) FROM reading) AS t",
	qr/ERROR:  argument "method" must not change within a frame or a group/, 'parts of two methods');
my $overlap = 'DETAIL:  Two parts of a group, which were aggregated separately, overlap in time\.';
refused('SELECT joined(s) FROM (SELECT part(x, at ORDER BY at) AS s FROM reading GROUP BY device) AS t',
	qr/ERROR:  argument "at" must not run backwards\n$overlap\nHINT:  Without OVER, write ORDER BY/,
	'parts that overlap');

# ---- errors

my $earlier = 'DETAIL:  A row has 2026-01-01 .*, but an earlier row has 2026-01-01 .*';
refused('SELECT time_average(x, at ORDER BY at DESC) FROM reading WHERE id < 9',
	qr/ERROR:  argument "at" must not run backwards\n$earlier\nHINT:  Without OVER, write ORDER BY in the call/,
	'rows out of order');
for my $way ("LOAD 'scan'; SET scan.prefixscan = off;", $force)
{
	# the rows before are returned
	my ($out, $err) = $server->run(
		"$way \\set FETCH_COUNT 1\nSELECT id, time_average(x, at) OVER (ORDER BY id ROWS 2 PRECEDING) FROM (VALUES (1, "
		. "1.0::float8, date '2026-01-01'), (2, 2, '2026-01-02'), (3, 3, '2026-01-01')) AS t (id, x, at)");
	is($out, "1|1\n2|1.5", "$way the error belongs to its row");
	my $detail = 'DETAIL:  A row has 2026-01-01, but an earlier row has 2026-01-02\.';
	like($err, qr/ERROR:  argument "at" must not run backwards\n$detail/,
		"$way out of order");
	refused("$way SELECT time_average(x, $_) OVER (ORDER BY id ROWS 2 PRECEDING) FROM reading",
		qr/ERROR:  argument "at" must be finite\nHINT:  Write NULL instead: rows whose "at" is NULL are skipped\./,
		"$way $_") for "CASE WHEN id = 100 THEN 'infinity' ELSE at END",
		"CASE WHEN id = 100 THEN '-infinity' ELSE at::timestamp END",
		"CASE WHEN id = 100 THEN 'NaN' ELSE id::float8 END", "CASE WHEN id = 100 THEN 'infinity' ELSE at::date END";
	refused("$way SELECT time_average(x, at, $_) OVER (ORDER BY id ROWS 2 PRECEDING) FROM reading",
		qr/ERROR:  argument "method" must be 'linear' or 'previous': "Linear"\nHINT:  With 'linear', the value changes/,
		"$way $_") for "'Linear'", "CASE WHEN id = 100 THEN 'Linear' ELSE 'linear' END";
	refused("$way SELECT time_average(x, at, $_) OVER (ORDER BY id ROWS 2 PRECEDING) FROM reading",
		qr/ERROR:  argument "method" must not be NULL/, "$way $_") for 'NULL', "CASE WHEN id <> 100 THEN 'linear' END";
	refused("$way SELECT time_average(x, at, CASE WHEN id < 100 THEN 'linear' ELSE 'previous' END) "
		. "OVER (ORDER BY id ROWS 2 PRECEDING) FROM reading",
		qr/ERROR:  argument "method" must not change within a frame or a group/, "$way two methods");
}
done_testing();

# kept_states.t: the states of kept scans (src/kept/state.c): every kind of aggregate under random changes, with numbers
# at the limits of what lies in the state itself; the bytes that are stored; the memory of a statement that changes many
# partitions; and what a compaction in several transactions reads.
#
# The oracle is stock PostgreSQL, which adds up the rows of the table in the same statement.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Server;
use Kept;

srand 29;
my $server = Server->new('kept_states');
my $path = "LOAD 'scan'; SET scan.kept = off; SET scan.prefixscan = off; SET client_min_messages = warning;";
my @aggregates = ('count(*)', 'count(n)', 'sum(n)', 'avg(n)', 'sum(n) FILTER (WHERE b)', 'sum(v2)', 'sum(v4)',
	'sum(v8)', 'avg(v4)', 'avg(v8)', 'bit_xor(v2)', 'bit_xor(v4)', 'bit_xor(v8)', 'bool_and(b)', 'bool_or(b)',
	'every(v4 > 0)', 'min(v4)', 'max(v8)', 'bit_or(v2)', 'scan_total(v8)', 'exact_sum(f)', 'variance(n)',
	'stddev_pop(n) FILTER (WHERE b)', 'exact_var_pop(v8)', 'stddev(v4)', 'exact_stddev_samp(v2)');

# Numbers of one scale and of several, that fit in 128 bits and that do not, alone or after others;
# and such as are no numbers.
my %numbers = (
	few => [qw(1.00 -1.00 2.50 99.99 0.00)],
	scales => [qw(0 0.0 0.00 1 1.0 1.000 -1 -1.00 0.00001 123456789.123456789)],
	limits => [qw(170141183460469231731687303715884105727 -170141183460469231731687303715884105728 1e36 -1e36 1 -1 9e37
			0.0001)],
	beyond =>
		[qw(1e38 -1e38 1e40 -1e40 1e400 1e-20 1e-36 -1e-36 1e-37 1e-1000 1 1.5 99999999999999999999.9999999999999999)],
	special => ['NaN', 'Infinity', '-Infinity', qw(1.00 -1.00 2.5)],
	all => ['NaN', 'Infinity', '-Infinity',
		qw(0 1 -1.5 1e30 -1e38 1e400 1e-20 1e-1000 0.00 170141183460469231731687303715884105727)],
);

$server->lines("$path CREATE TABLE value (i serial, kind text, n numeric);" . join '', map {
	my $kind = $_;
	map { "INSERT INTO value (kind, n) VALUES ('$kind', '$_');" } @{ $numbers{$kind} }
} sort keys %numbers);
# The rows of a kind: NULLs, integers of both ends of their types, and a partition that is NULL.
$server->lines(<<'SQL');
CREATE FUNCTION rows_of(of text, rows int) RETURNS
  TABLE (p int, k int, n numeric, v2 smallint, v4 int, v8 bigint, b boolean, f float8) LANGUAGE sql VOLATILE AS $$
	SELECT nullif((random() * 3)::int, 3), (random() * 4000)::int,
	  CASE WHEN random() > 0.1 THEN (ARRAY(SELECT v.n FROM value AS v
	  WHERE v.kind = of))[1 + floor(random() * (SELECT count(*) FROM value AS v WHERE v.kind = of))::int] END,
		(ARRAY[-32768, 32767, 0, 7, -7, NULL])[ceil(random() * 6)],
		(ARRAY[-2147483648, 2147483647, 0, 5, -5, NULL])[ceil(random() * 6)],
		(ARRAY[-9223372036854775808, 9223372036854775807, 0, 3, -3, NULL])[ceil(random() * 6)],
		(ARRAY[true, false, NULL])[ceil(random() * 3)], (random() * 1000)::int / 7.0::float8
	FROM generate_series(1, rows)
$$;
SQL

my $list = join ', ', map { "$aggregates[$_] OVER w AS a" . ($_ + 1) } 0 .. $#aggregates;
my $plain = 'ROW(' . join(', ', @aggregates) . ')::text';

# Compares the kept scan with the rows before some keys of each partition; returns what differs.
sub compare_states
{
	my ($session) = @_;
	return asked($session, <<"SQL");
SELECT string_agg(format('%s before %s: plain %s, kept %s', p, k, plain, kept), E'\\n') FROM
	(SELECT p, k, (SELECT $plain FROM t WHERE t.p IS NOT DISTINCT FROM s.p AND t.k < s.k) AS plain,
	  (SELECT r::text FROM t_kept_before(s.p, s.k) AS r) AS kept
	 FROM (SELECT p, k FROM unnest(ARRAY[0, 1, 2, NULL]) AS p,
	   unnest(ARRAY[1, (random() * 4000)::int, 4001]) AS k) AS s) AS c
WHERE plain IS DISTINCT FROM kept
SQL
}

foreach my $kind (sort keys %numbers)
{
	my $session = session($server, 'public');

	asked($session, "SELECT setseed(0.25)", "CREATE TABLE t (id serial, p int, "
			. "k int NOT NULL, n numeric, v2 smallint, v4 int, v8 bigint, b boolean, f float8)",
		"INSERT INTO t (p, k) SELECT p, k FROM unnest(ARRAY[0, 1, 2, NULL]) AS p, unnest(ARRAY[0, 4000]) AS k",
		"INSERT INTO t (p, k, n, v2, v4, v8, b, f) SELECT * FROM rows_of('$kind', 1500)",
		'CREATE INDEX ON t (p, k, id)',
		"SELECT scan_keep('t_kept', 'SELECT $list FROM t WINDOW w AS (PARTITION BY p ORDER BY k, id)')");
	is(asked($session, 'SELECT usable FROM scan_kept'), 't', "$kind: the kept scan can be read");
	my @different = compare_states($session);
	foreach my $step (1 .. 24)
	{
		my $some = 'id > 8 AND random() < ' . (rand() < 0.5 ? 0.01 : 0.3);
		my $change = (
			"INSERT INTO t (p, k, n, v2, v4, v8, b, f) SELECT * FROM rows_of('$kind', " . int(1 + rand 200) . ')',
			"UPDATE t SET n = (SELECT n FROM rows_of('$kind', 1) WHERE t.id > 0), b = NOT b WHERE $some",
			"UPDATE t SET n = trim_scale(n), v2 = v4 % 100, v8 = -(v8 / 2) WHERE $some",
			"UPDATE t SET k = 4000 - k, p = nullif((coalesce(p, 3) + 1) % 4, 3) WHERE $some",
			"DELETE FROM t WHERE $some",
			'CALL scan_kept_compact(\'t_kept\')')[ $step == 12 || $step == 24 ? 5 : int rand 6 ];

		# a change that is rolled back leaves nothing
		asked($session, 'BEGIN', $change, 'ROLLBACK') if rand() < 0.1;
		my $error = asked($session, $change);
		push @different, "$change: $error" if $error ne '';
		push @different, compare_states($session);
	}
	is(join("\n", grep { $_ ne '' } @different), '', "$kind: the results are those of the rows");
	is(used($session, 't', tree => 't_kept', total => 't_kept_total'), 1, "$kind: they were read from the tree");
	is(asked($session, "SELECT scan_kept_check('t_kept')"), '0', "$kind: the tree agrees with the table");

	# a stored sum: the format, how many values have each display scale, or are NaN or infinite,
	# and the sum of the others
	is(asked($session, <<'SQL'), 't|', "$kind: the bytes are those of core's functions");
SELECT count(*) > 1,
  string_agg(format('%s: %s, not %s', t.p, a3, bytes), ' ') FILTER (WHERE a3 <> bytes) FROM t_kept AS t,
	LATERAL (SELECT coalesce(string_agg(int2send(scale::smallint) || int8send(values), ''
	  ORDER BY scale), '') AS scales,
		count(*) AS n, sum(total) FILTER (WHERE scale >= 0) AS total
	 FROM (SELECT coalesce(scale(n), CASE n WHEN 'NaN' THEN -3 WHEN 'Infinity' THEN -2 ELSE -1 END) AS scale,
			count(n) AS values, sum(n) AS total
		FROM t AS r WHERE r.p IS NOT DISTINCT FROM t.p AND n IS NOT NULL GROUP BY 1) AS s) AS s,
	LATERAL (SELECT '\x02'::bytea || int2send(s.n::smallint) || scales ||
	  numeric_send(trim_scale(coalesce(total, 0))) AS bytes) AS b
WHERE scan_level = (SELECT max(scan_level) FROM t_kept)
  AND (SELECT count(*) FROM t_kept AS u WHERE u.scan_level = t.scan_level AND u.p IS NOT DISTINCT FROM t.p) = 1
SQL
	asked($session, "SELECT scan_unkeep('t_kept')", 'DROP TABLE t');
}

# ---- the variances of ten thousand multisets, before values leave and after

$title = 'ten thousand variances';
{
	my $session = session($server, 'public');
	my @plain = ((map {
		my $of = $_;
		map { "$_($of)" } qw(var_pop var_samp stddev_pop stddev_samp)
	} qw(n v8 v4 v2)), 'stddev(n) FILTER (WHERE v2 > 0)');
	my $kept = join ', ', map { ($_ % 2 ? $plain[$_] =~ s/^(var|stddev)_/exact_$1_/r : $plain[$_]) . ' OVER w AS a'
		. ($_ + 1) } 0 .. $#plain;

	my $keep = "SELECT scan_keep('spread_kept', "
		. "'SELECT $kept FROM spread WINDOW w AS (PARTITION BY p ORDER BY id)')";
	asked($session, "SELECT setseed(0.5)",
		'CREATE TABLE spread (id serial, p int, n numeric, v2 smallint, v4 int, v8 bigint)',
		'CREATE INDEX ON spread (p, id)',
		<<'SQL', $keep);
CREATE FUNCTION drawn(kind int) RETURNS numeric LANGUAGE sql VOLATILE AS $$
	SELECT CASE kind % 10
		WHEN 0 THEN round((random() * 1000)::numeric, (random() * 6)::int)
		WHEN 1 THEN (random() * 1e6)::numeric(20, 6) - 500000
		WHEN 2 THEN 1e30 * (random() * 100)::int + (random() * 3)::int
		WHEN 3 THEN 1e-20 * (random() * 100 - 50)::int
		WHEN 4 THEN (ARRAY['NaN', 'Infinity', '-Infinity', 1, 2.50, -3, 7, 8, 9, 10]::numeric[])[ceil(random() * 10)]
		WHEN 5 THEN -17.5
		WHEN 6 THEN (ARRAY[1.0, 1.00, 1, 1.000])[ceil(random() * 4)]
		WHEN 7 THEN 1e20 * (random() * 10)::int + (random() * 10)::int * 1e-20
		WHEN 8 THEN ((random() - 0.5) * 4e10)::bigint
		ELSE (ARRAY[0, 0.0, 1e-1000, 1e400, 1, 1e-400])[ceil(random() * 6)] END
$$
SQL
	# most multisets are of one kind of numbers
	asked($session, <<'SQL');
INSERT INTO spread (p, n, v2, v4, v8) SELECT i % 10000, CASE WHEN random() > 0.05 THEN drawn(i + (random() < 0.02)::int)
  END, (ARRAY[-32768, 32767, 0, 7, -7, NULL])[ceil(random() * 6)],
	(ARRAY[-2147483648, 2147483647, 0, 5, -5, NULL])[ceil(random() * 6)],
	CASE WHEN random() < 0.5 THEN (ARRAY[-9223372036854775808, 9223372036854775807, 0, 3, -3, NULL])[ceil(random() * 6)]
	  ELSE ((random() - 0.5) * 4e10)::bigint END
FROM generate_series(0, 49999) AS i
SQL
	foreach my $change ('SELECT 1', "DELETE FROM spread WHERE random() < 0.2",
		"UPDATE spread SET n = n * 1.00, v8 = v8 / 2 WHERE random() < 0.2", "CALL scan_kept_compact('spread_kept')")
	{
		asked($session, $change);
		is(asked($session, <<"SQL"), 't|0|', "$title: after $change");
SELECT count(*) > 9900, count(*) FILTER (WHERE plain <> kept),
  min(format('%s: plain %s, kept %s', p, plain, kept)) FILTER (WHERE plain <> kept)
FROM (SELECT p, ROW(@{[ join ', ', @plain ]})::text AS plain, (SELECT k::text FROM spread_kept_total(s.p) AS k) AS kept
  FROM spread AS s GROUP BY p) AS c
SQL
	}
	is(used($session, 'spread', tree => 'spread_kept', total => 'spread_kept_total'), 1,
		"$title: they were read from the tree");
	is(asked($session, "SELECT scan_kept_check('spread_kept')"), '0', "$title: the tree agrees with the table");
}

# ---- many partitions in one statement

$title = 'many partitions';
my $session = session($server, 'public');
asked($session, 'SET scan.kept_compact = off', 'CREATE TABLE many (id serial, p int, k int NOT NULL, n numeric)',
	'CREATE INDEX ON many (p, k, id)', "SELECT scan_keep('many_kept', 'SELECT sum(n) OVER w AS total, "
		. "count(*) OVER w AS rows FROM many WINDOW w AS (PARTITION BY p ORDER BY k, id)')", "SET work_mem = '4MB'",
	'INSERT INTO many (p, k, n) VALUES (0, 0, 1.00)');
my $peak = q{SELECT (regexp_match(pg_read_file('/proc/self/status'), 'VmHWM:\s*(\d+)'))[1]};
SKIP: {
	skip 'no /proc', 1 if !-e '/proc/self/status';
	my $before = asked($session, $peak);
	asked($session, 'INSERT INTO many (p, k, n) SELECT i, i, i * 0.01 FROM generate_series(1, 100000) AS i');
	cmp_ok(asked($session, $peak) - $before, '<', 100000, "$title: a statement takes less than a kilobyte for each");
}
is(asked($session, 'SELECT count(*) FROM many_kept_log'), '100001', "$title: a delta for each");

# An older snapshot keeps what the transactions of a compaction delete;
# the index of the log would have it until the end.
my $old = session($server, 'public');
asked($old, 'BEGIN ISOLATION LEVEL REPEATABLE READ', 'SELECT 1');
my $read = "SELECT idx_tup_read FROM pg_stat_user_indexes WHERE relname = 'many_kept_log'";
asked($session, 'SELECT pg_stat_force_next_flush()',
	'INSERT INTO many (p, k, n) SELECT nullif(i, 0), 1, 1.00 FROM generate_series(-3, 0) AS i');
my $begin = asked($session, $read);
asked($session, 'SET scan.debug_kept_deltas = 2000', "CALL scan_kept_compact('many_kept')",
	'SELECT pg_stat_force_next_flush()');
cmp_ok(asked($session, $read) - $begin, '<', 500000,
	"$title: the transactions of a compaction do not read the same deltas again and again");
is(asked($session, 'SELECT count(*) FROM many_kept_log'), '0', "$title: they fold all");
is(asked($session, "SELECT count(*), sum(total), sum(rows) "
			. "FROM (SELECT DISTINCT p FROM many) AS a, LATERAL (SELECT * FROM many_kept_total(a.p)) AS t"),
	asked($session, 'SELECT count(DISTINCT p) + 1, sum(n), count(*) FROM many'), "$title: the totals are right");
is(asked($session, "SELECT scan_kept_check('many_kept')"), '0', "$title: the tree agrees with the table");
asked($old, 'COMMIT');

# ---- bytes that no state has: the log of an unlogged table is a table, into which its owner may insert

asked($session, 'CREATE UNLOGGED TABLE damaged (k int PRIMARY KEY, n numeric)', 'INSERT INTO damaged VALUES (1, 1.5)',
	"SELECT scan_keep('damaged_kept', 'SELECT sum(n) OVER (ORDER BY k) AS total FROM damaged')");
foreach my $bytes ('', '02', '010001', '010001fff00000000000000001' . '0000000000000000', '01000000010000c0000000',
	'010000', '010000000000000000000000')
{
	asked($session, "INSERT INTO damaged_kept_log VALUES (0, 0, false, 0, '\\x$bytes')");
	is(asked($session, 'SELECT total FROM damaged_kept_total()'), 'ERROR XX001', "bytes that no state has: \\x$bytes");
	asked($session, 'DELETE FROM damaged_kept_log');
}
is(asked($session, 'SELECT total FROM damaged_kept_total()'), '1.5', 'bytes that no state has: none are left');
asked($session, "SELECT scan_unkeep('damaged_kept')",
	"SELECT scan_keep('damaged_kept', 'SELECT var_pop(n) OVER (ORDER BY k) AS total FROM damaged')");
foreach my $bytes ('0100000000000000000000', '010000000000000000000002', '01000000000000000000000100000000000000',
	'0100000000000000000000' x 2 . '00')
{
	asked($session, "INSERT INTO damaged_kept_log VALUES (0, 0, false, 0, '\\x$bytes')");
	is(asked($session, 'SELECT total FROM damaged_kept_total()'), 'ERROR XX001',
		"bytes that no variance has: \\x$bytes");
	asked($session, 'DELETE FROM damaged_kept_log');
}
done_testing();

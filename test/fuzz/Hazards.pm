# Hazards.pm: random queries for what rows drawn at random never meet.
#
# Queries.pm draws expressions, windows and rows; a million of its queries missed defects that lie between them.  Each
# kind here draws around one such place: parameters that are offset, key and argument at once; plans that outlive what
# they were made of; users' aggregates, of core's functions and of ours; functions at the ends of their range, where
# several processes divide the rows; rows that fail behind the row where a query stops; arguments that fail, of
# aggregates over frames that move; the first statement of a session; the memory of each process; and joins below
# windows and between them (Joins.pm), in one process, and in several, made to by costs or chosen by the planner itself.
#
# test/t/node_random.t and the soak (Trial.pm) take one query in four from here, and the others from Queries.pm, whose
# tables these use, too.  A query is a job of Compare.pm, which explains its members.
package Hazards;

use strict;
use warnings;
use Joins;
use Queries;

BEGIN { *one_of = \&Queries::one_of; *chance = \&Queries::chance }

# Conditions under which core runs small queries in parallel, too.
my $parallel =
	'max_parallel_workers_per_gather 2, parallel_setup_cost 0, parallel_tuple_cost 0, min_parallel_table_scan_size 0';

# What the queries call.  The role that runs them owns what the kind `ddl` changes.
sub tables
{
	my ($role) = @_;
	return <<"SQL";
CREATE FUNCTION plus(bigint, integer) RETURNS bigint
  LANGUAGE sql IMMUTABLE PARALLEL SAFE AS 'SELECT coalesce(\$1, 0) + coalesce(\$2, 0)';
CREATE FUNCTION minus(bigint, integer) RETURNS bigint
  LANGUAGE sql IMMUTABLE PARALLEL SAFE AS 'SELECT coalesce(\$1, 0) - coalesce(\$2, 0)';
CREATE FUNCTION plus_strictly(bigint, integer) RETURNS bigint
  LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS 'SELECT \$1 + \$2';
CREATE FUNCTION minus_strictly(bigint, integer) RETURNS bigint
  LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS 'SELECT \$1 - \$2';
CREATE FUNCTION final(bigint) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS 'SELECT \$1 * 2 + 1';
CREATE FUNCTION joined(integer, integer) RETURNS integer
  LANGUAGE sql IMMUTABLE PARALLEL SAFE AS 'SELECT (\$1 * 3 + \$2) % 1000';
CREATE FUNCTION near(integer, integer) RETURNS boolean
  LANGUAGE sql IMMUTABLE PARALLEL SAFE AS 'SELECT abs(\$1 - \$2) < 40';
CREATE OPERATOR ~~~~ (LEFTARG = integer, RIGHTARG = integer, FUNCTION = near);
CREATE FUNCTION keeps(exact_state, float8) RETURNS exact_state LANGUAGE sql IMMUTABLE AS 'SELECT \$1';
CREATE AGGREGATE growing(integer) (SFUNC = plus, STYPE = bigint, INITCOND = '5');
CREATE AGGREGATE moving(integer) (SFUNC = plus, STYPE = bigint, INITCOND = '5', FINALFUNC = final, MSFUNC = plus,
	MINVFUNC = minus, MSTYPE = bigint, MINITCOND = '7', MFINALFUNC = final, PARALLEL = SAFE);
CREATE AGGREGATE strictly(integer) (SFUNC = plus_strictly, STYPE = bigint, INITCOND = '0', MSFUNC = plus_strictly,
	MINVFUNC = minus_strictly, MSTYPE = bigint, MINITCOND = '3', PARALLEL = SAFE);
CREATE AGGREGATE inexact(float8) (SFUNC = float8pl, STYPE = float8, MSFUNC = float8pl, MINVFUNC = float8mi,
	MSTYPE = float8, PARALLEL = SAFE);
CREATE AGGREGATE exactly(float8) (SFUNC = exact_add_float8, STYPE = exact_state, FINALFUNC = exact_final_avg,
	MSFUNC = exact_add_float8, MINVFUNC = exact_remove_float8, MSTYPE = exact_state,
	MFINALFUNC = exact_final_sum_float8,
	PARALLEL = SAFE);
CREATE AGGREGATE forgetful(float8) (SFUNC = exact_add_float8, STYPE = exact_state, FINALFUNC = exact_final_sum_float8,
	MSFUNC = exact_add_float8, MINVFUNC = keeps, MSTYPE = exact_state, MFINALFUNC = exact_final_sum_float8);
CREATE AGGREGATE state_of(float8) (SFUNC = exact_add_float8, STYPE = exact_state);
DO \$\$ BEGIN EXECUTE format('CREATE AGGREGATE begun(float8) (SFUNC = exact_add_float8, STYPE = exact_state,
	FINALFUNC = exact_final_sum_float8, MSFUNC = exact_add_float8, MINVFUNC = exact_remove_float8, MSTYPE = exact_state,
	MFINALFUNC = exact_final_sum_float8, MINITCOND = %L)', (SELECT state_of(1000))); END \$\$;
CREATE FUNCTION picky(integer, integer) RETURNS integer LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
	AS \$\$ BEGIN IF \$1 = \$2 THEN RAISE 'picky at %', \$1; END IF; RETURN \$1 % 97; END \$\$;
CREATE AGGREGATE concat_all(text) (SFUNC = textcat, STYPE = text, PARALLEL = SAFE);
CREATE AGGREGATE append_all(anycompatible) (SFUNC = array_append, STYPE = anycompatiblearray, PARALLEL = SAFE);

CREATE TABLE many AS SELECT i AS id, abs(hashint4(i)) % 40 AS p, hashint4(i * 7) % 1000 AS v,
	CASE hashint4(i) % 50 WHEN 0 THEN 1e17 ELSE hashint4(i) / 64.0 END::float8 AS x,
	CASE WHEN i % 9 > 0 THEN md5(i::text) END AS s, hashint4(i) % 999 / 8.0 AS n,
	-- some are so late that ten days more are out of range
	timestamp '294276-12-31' - (4000 - i) / 100 * interval '1 day' + i * interval '1 us' AS t
	FROM generate_series(1, 4000) AS i;
CREATE UNIQUE INDEX ON many (id);
-- stretches of ids one apart, and of ids so far apart that frames by RANGE are empty for more rows than a block has
CREATE TABLE gaps AS SELECT id + CASE WHEN id < 400 THEN 0 WHEN id < 3000 THEN id * 20 ELSE 100000 END AS id, p, v, x,
	CASE WHEN id NOT BETWEEN 900 AND 2900 THEN s END AS s,
	CASE WHEN id NOT BETWEEN 900 AND 2900 AND id % 4 = 0 THEN n END AS n, t FROM many;
ANALYZE many, gaps;

-- an op that no worker may call, and that says so
CREATE SEQUENCE calls;
CREATE FUNCTION unsafe(integer, integer) RETURNS integer LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
	AS \$\$ BEGIN PERFORM nextval('calls'); RETURN (\$1 + \$2) % 1000; END \$\$;
GRANT USAGE ON SEQUENCE calls TO $role;

-- more rows than the planner expects, fewer, and wide ones; and how much memory a process has
CREATE FUNCTION memory() RETURNS int LANGUAGE plpgsql VOLATILE PARALLEL SAFE SECURITY DEFINER
	AS \$\$ BEGIN RETURN (regexp_match(pg_read_file('/proc/self/status'), 'RssAnon:\\s*(\\d+)'))[1]; END \$\$;
CREATE TABLE more WITH (autovacuum_enabled = off) AS SELECT i AS id, hashint4(i) % 1000 AS p, hashint4(i * 7) AS v,
	repeat(md5(i::text), 4) AS s FROM generate_series(1, 150000) AS i;
CREATE TABLE fewer WITH (autovacuum_enabled = off) AS SELECT * FROM more;
CREATE TABLE wide WITH (autovacuum_enabled = off) AS SELECT i AS id, i % 7 AS p, i AS v, repeat(md5(i::text), 60) AS s
	FROM generate_series(1, 4000) AS i;
VACUUM ANALYZE more, fewer, wide;
UPDATE pg_class SET reltuples = reltuples / 15 WHERE relname = 'more';
UPDATE pg_class SET reltuples = reltuples * 100000 WHERE relname = 'fewer';

ALTER FUNCTION plus(bigint, integer) OWNER TO $role;
ALTER FUNCTION minus(bigint, integer) OWNER TO $role;
ALTER FUNCTION final(bigint) OWNER TO $role;
ALTER FUNCTION joined(integer, integer) OWNER TO $role;
ALTER FUNCTION near(integer, integer) OWNER TO $role;
ALTER AGGREGATE growing(integer) OWNER TO $role;
ALTER AGGREGATE moving(integer) OWNER TO $role;
ALTER TYPE mood OWNER TO $role;
ALTER DOMAIN small OWNER TO $role;
GRANT CREATE ON SCHEMA public TO $role;
GRANT SELECT ON many, gaps, more, fewer, wide TO $role;
SQL
}

# A frame whose offsets come from $offset.
sub frame
{
	my ($offset) = @_;
	my $unit = one_of('ROWS', 'ROWS', 'GROUPS', 'RANGE');
	return one_of(
		"$unit " . $offset->() . ' PRECEDING',
		"$unit BETWEEN " . $offset->() . ' PRECEDING AND ' . $offset->() . ' FOLLOWING',
		"$unit BETWEEN " . $offset->() . ' PRECEDING AND ' . $offset->() . ' PRECEDING',
		"$unit BETWEEN " . $offset->() . ' FOLLOWING AND ' . $offset->() . ' FOLLOWING',
		"$unit BETWEEN " . $offset->() . ' FOLLOWING AND UNBOUNDED FOLLOWING');
}

# ---- the kinds

# A parameter, or a column of the row outside, that is an offset, a key, an argument and in a FILTER.
sub offsets
{
	my $outer = chance(40);
	my $value = sub { return $outer ? 'g.n' : Queries::parameter() };
	my $same = $value->();
	my $one = sub { return chance(70) ? $same : one_of($value->(), "$same + 1", '2') };
	my $call = one_of('sum(i4)', 'count(*)', 'max(' . $one->() . ')', 'min(t)', 'sum(i2) FILTER (WHERE o > ' . $one->()
			. ')', 'avg(i8)', 'first_value(t)', q{string_agg(t, ',')}, 'lag(' . $one->() . ', 2)', 'exact_sum(f8)',
		'nth_value(id, 2)', one_of('lag', 'lead') . '(t, ' . $one->() . ')', 'lag(t, ' . $one->() . " - p, 'none')",
		'nth_value(id, ' . $one->() . ')', 'scan_sum(i4 + ' . $one->() . ')');
	my $partition = join ', ', map { one_of($one->(), $one->(), 'p', 'o') } 1 .. one_of(1, 1, 2);
	my $window = "PARTITION BY $partition ORDER BY id " . frame($one);
	my $query = { sql => "SELECT id, $call OVER w AS x, count(*) OVER w AS y FROM t WINDOW w AS ($window)" };

	if ($outer)
	{
		my $limit = one_of('', ' ORDER BY id LIMIT 9');
		$query->{sql} = "SELECT g.n, l.* FROM generate_series(0, 5) AS g (n), LATERAL ($query->{sql}$limit) AS l";
	}
	else
	{
		Queries::number_parameters($query);
	}
	return $query;
}

# A plan that is kept, and executed again after DDL on what it uses.
sub ddl
{
	my $call = one_of('growing(i4)', 'growing(i4)', 'moving(i4)', 'moving(i4)',
		q{scan_fold(i4, 'joined(integer,integer)')}, q{scan_fold(i4, op => 'joined(integer,integer)')},
		'count(*) FILTER (WHERE i4 ~~~~ o)', 'max(en)', 'min(dom)', 'sum(i4)', 'scan_max(en)',
		'string_agg(en::text, dom::text)');
	my $frame = $call =~ /scan/ ? '' : one_of('', '', 'ROWS 3 PRECEDING', 'ROWS BETWEEN 2 PRECEDING AND 1 FOLLOWING');
	my $order = one_of('id', 'id', 'en, id', 'dom DESC, id', 'i4 ~~~~ o, id');
	my @functions = ('plus(bigint, integer)', 'final(bigint)', 'minus(bigint, integer)', 'joined(integer, integer)',
		'near(integer, integer)');
	my @altered = map {
		my $f = $_;
		map { "ALTER FUNCTION $f $_" } 'VOLATILE', 'STABLE', 'STRICT', 'PARALLEL UNSAFE'
	} @functions;
	my @replaced = (
		q{FUNCTION plus(bigint, integer) RETURNS bigint LANGUAGE sql AS 'SELECT coalesce($1, 0) + 2 * coalesce($2, 0)'},
		q{FUNCTION final(bigint) RETURNS bigint LANGUAGE sql VOLATILE AS 'SELECT -$1'},
		q{FUNCTION joined(integer, integer) RETURNS integer LANGUAGE sql AS 'SELECT $2 - $1 % 7'},
		q{FUNCTION near(integer, integer) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT $1 > $2'},
		q{AGGREGATE growing(integer) (SFUNC = plus, STYPE = bigint, INITCOND = '50')},
		q{AGGREGATE moving(integer) }
			. q{(SFUNC = plus, STYPE = bigint, MSFUNC = plus, MINVFUNC = minus, MSTYPE = bigint, MINITCOND = '9')});
	my @types = (q{ALTER TYPE mood ADD VALUE 'odd' BEFORE 'so'}, q{ALTER TYPE mood RENAME VALUE 'so' TO 'zo'},
		'ALTER DOMAIN small ADD CHECK (VALUE < 1000)', 'ALTER DOMAIN small DROP CONSTRAINT small_check',
		'ALTER DOMAIN small SET DEFAULT 3');
	my @columns = ('ALTER TABLE t ALTER i4 TYPE bigint', 'ALTER TABLE t ALTER en TYPE text',
		'ALTER TABLE t ALTER dom TYPE int', 'ALTER TABLE t DROP COLUMN f8',
		'ALTER TABLE t ADD COLUMN extra int DEFAULT 3', 'CREATE INDEX ON t (p, id)', 'UPDATE t SET i4 = -i4');
	my @ddl = (@altered, (map { "CREATE OR REPLACE $_" } @replaced, @replaced), @types, @columns);
	# most often something that this query uses
	my %uses = (growing => 'plus|growing', moving => 'plus|minus|final|moving', joined => 'joined', '~~~~' => 'near',
		en => 'mood|en', dom => 'small|dom', i4 => 'i4');
	my $used = join '|', map { $uses{$_} } grep { "$call $order" =~ /(?<!\w)\Q$_\E(?!\w)/ } sort keys %uses;
	my @likely = $used && chance(75) ? grep { /\b(?:$used)\b/ } @ddl : ();
	my $query = {
		sql => "SELECT id, $call OVER (PARTITION BY p ORDER BY $order $frame) AS x, "
			. "rank() OVER (PARTITION BY p ORDER BY o) AS r FROM t WHERE id > " . Queries::parameter(),
		ddl => [ map { one_of(@likely ? @likely : @ddl) } 1 .. one_of(1, 1, 2) ] };

	Queries::number_parameters($query);
	return $query;
}

# Users' aggregates beside lag and lead, over moving frames; and sizes of values.
sub aggregates
{
	my @calls = map {
		one_of('inexact(x)', 'inexact(x)', 'exactly(x)', 'begun(x)', 'forgetful(x)', 'moving(v)', 'strictly(v)',
			'strictly(nullif(v, p))', 'growing(v)', 'sum(x)',
			'lag(x, ' . one_of(1, 15, 16, 17, 40, 300) . ')', 'lead(s, ' . one_of(1, 20) . ')',
			one_of('max(s)', 'min(n)', 'sum(n)', 'avg(v)', 'max(x)', 'stddev(x)', 'variance(n)', 'exact_sum(x)',
				'exact_avg(x)', 'moving_median(x)', 'first_value(n)', 'nth_value(s, 2)', 'last_value(s)',
				'bool_or(v > 0)', 'bit_and(v)', q{string_agg(s, ',')}, 'array_agg(n)', 'count(s)'),
			map { "pg_column_size($_ OVER w)" } 'min(n)', 'max(s)', 'min(s)', 'lag(n)', 'sum(n)', 'first_value(s)',
			'scan_max(n)', 'scan_locf(s)')
	} 1 .. 3;
	# an inverse that is not exact, while lag keeps rows of the block before
	@calls[ 0, 1 ] = ('inexact(x)', 'lag(x, ' . one_of(16, 17, 40, 300) . ')') if chance(10);
	my $shown = join ', ', map { my $c = $calls[$_]; ($c =~ /OVER/ ? $c : "$c OVER w") . " AS x$_" } 0 .. 2;
	my $partition = one_of('', 'PARTITION BY p % 3 ');
	my $rows = chance(25) ? 'gaps' : 'many WHERE id < ' . one_of(60, 60, 300, 2500);
	my $frame;

	# where core begins each frame anew, one that reaches to the end of many rows takes it minutes
	do { $frame = frame(sub { one_of(0, 1, 2, 3, 9) }) } while $rows =~ /gaps|2500/ && $frame =~ /UNBOUNDED/;
	return { sql => "SELECT id, $shown FROM $rows WINDOW w AS (${partition}ORDER BY id $frame)" };
}

# Our functions at the ends of their ranges, where their rows are divided among processes.
sub ends
{
	my $first = sub {
		my ($this, $other) = @_;
		return one_of("CASE WHEN id = 1 THEN $this ELSE $other END", "CASE id % 2 WHEN 0 THEN $this ELSE $other END",
			$other);
	};
	my $halved = 'CASE WHEN id = 1 THEN 0 WHEN id % 2 = 0 THEN 2 ELSE 0.5 END';
	my $call = one_of(
		"scan_recurrence(($halved)::float8, 0.0::float8, 1e308)",
		'scan_recurrence((' . one_of($halved, $first->('0.5', '2')) . ')::float8, 0.0::float8, '
			. one_of('1e308', '-1e308', '1e300') . ')',
		'scan_recurrence(ARRAY[' . one_of($halved, '1') . ', 0]::float8[], 0.0::float8, ARRAY[1e308, 1e308]::float8[])',
		'scan_clamped_sum((' . $first->('-9000000000000000000', '1') . ')::bigint, NULL, NULL, '
			. one_of('9223372036854775807', '9223372036854775000', '0') . ')',
		'scan_clamped_sum((' . $first->('-1e308', '1e302') . ')::float8, NULL, NULL, '
			. one_of('1.797693134862315e308', '-1.7e308') . ')',
		'scan_sum((' . $first->('-1e308', '1e290')
			. ')::float8, init => (SELECT scan_total(y) FROM (VALUES (1.7e308::float8), (1e308)) AS v(y)))',
		'scan_sum((' . $first->('-9e18', '9e18') . ')::bigint)',
		'scan_product((' . $first->('1e-300', '1e300') . ')::float8)', 'scan_product(1.0001::float8 + id % 2)',
		'scan_carry(v % 2 = 0, v % 3 = 0, true)', 'scan_state(abs(v % 2), ARRAY[[0, 1], [1, 0]], 1)',
		'scan_session(id * 2, 1)',
		'scan_change(v / 3)', 'scan_change(s)', 'scan_counter(v)', 'scan_counter(x)', 'scan_counter(v::numeric)',
		'scan_bin(abs(v % 100), 1000)', 'scan_bin(abs(x), 1000)', 'scan_bin(abs(v::numeric), 1000)',
		'scan_ema(x, 0.1)', 'scan_locf(nullif(v, 1), 5)', 'scan_sum(v)', 'scan_max(s)', 'scan_sum(x)',
		q{scan_fold(v, 'joined(integer,integer)')});
	# numbers of 131,072 digits: few rows, and what of them fits a page
	my $wide = one_of('scan_clamped_sum((' . $first->('-9e131071', '1') . ')::numeric, NULL, NULL, 9e131071::numeric)',
		'scan_recurrence((' . $first->('0', '1') . ')::numeric, 1::numeric, 9e131071::numeric)');
	my $partition = one_of('', '', '', 'PARTITION BY p ', 'PARTITION BY p % 2 ');

	return { sql => "SELECT id, length(($wide OVER (${partition}ORDER BY id))::text) AS x FROM many WHERE id <= 40",
		parallel => 1 } if chance(3);
	return { sql => "SELECT id, $call OVER (${partition}ORDER BY id) AS x FROM many", parallel => 1 };
}

# A window with a row that raises an error, below a node that stops early, before that row or behind it.
sub stops
{
	my $fails = one_of(3, 500, 2000, 3500, 3999);
	my $window = one_of(
		"SELECT id, p, sum(1 / (id - $fails)) OVER (ORDER BY id) AS x FROM many",
		"SELECT id, p, 1 / (id - $fails) AS y, count(*) OVER (ORDER BY id) AS x FROM many",
		"SELECT id, p, count(*) FILTER (WHERE 1 / (id - $fails) >= 0) OVER (ORDER BY id) AS x FROM many",
		"SELECT id, p, sum(1 / (id - $fails)) OVER (PARTITION BY p ORDER BY id) AS x FROM many",
		"SELECT id, p, lag(id, id % 5 - 2 + 1 / (id - $fails)) OVER (PARTITION BY p ORDER BY id) AS x FROM many",
		"SELECT id, p, lead(1 / (id - $fails), id % 5 - 2) OVER (ORDER BY id) AS x FROM many",
		"SELECT id, p, nth_value(id, CASE WHEN id = $fails THEN 0 ELSE 2 END) OVER (ORDER BY id) AS x FROM many",
		# core spools a partition to its end once it does not fit in work_mem
		"SELECT id, p, lag(id, CASE WHEN p < 0 THEN 1 ELSE 0 END) OVER () AS x FROM many "
			. "WHERE id < 400 AND 1 / (id - least($fails, 200)) IS NOT NULL",
		"SELECT id, p, lag(id, CASE WHEN p < 0 THEN 1 ELSE 0 END) OVER w + count(*) OVER w AS x FROM many "
			. "WHERE id < 400 AND 1 / (id - least($fails, 200)) IS NOT NULL WINDOW w AS (ROWS UNBOUNDED PRECEDING)",
		"SELECT id, p, scan_sum(9223372036854775807 - $fails + id) OVER (PARTITION BY id ORDER BY id) AS x FROM many",
		"SELECT id, p, sum(v) OVER (ORDER BY id RANGE 2 PRECEDING) AS x FROM many WHERE 1 / (id - $fails) IS NOT NULL",
		"SELECT id, p, max(v) OVER (PARTITION BY id ORDER BY t RANGE BETWEEN CURRENT ROW AND '10 days' FOLLOWING) AS x "
			. "FROM many WHERE id > $fails");
	# a LIMIT without an order leaves any rows: their number is compared
	my $sql = one_of(
		"SELECT count(x) FROM (SELECT s.x FROM ($window) AS s JOIN (VALUES (1), (2)) AS t(a) ON true "
			. "WHERE s.x IS NOT NULL LIMIT 3) AS z",
		"SELECT count(x) FROM (SELECT x FROM ($window) AS s LIMIT 2) AS z",
		"SELECT EXISTS (SELECT 1 FROM ($window) AS s WHERE x IS NOT NULL)",
		"SELECT count(*) FROM (VALUES (1), (2)) AS t(a) "
			. "WHERE EXISTS (SELECT FROM ($window) AS s WHERE s.x IS NOT NULL OFFSET 0)",
		"SELECT (SELECT x FROM ($window) AS s ORDER BY id LIMIT 1)",
		"WITH w AS MATERIALIZED ($window) SELECT count(*) FROM (SELECT * FROM w LIMIT 5) AS z",
		"SELECT count(*) FROM (SELECT x FROM ($window) AS s UNION ALL SELECT 1 LIMIT 4) AS z",
		"SELECT count(x) FROM ($window) AS s JOIN (VALUES (1), (2)) AS t(a) ON s.id = t.a",
		"SELECT p, x FROM ($window) AS s ORDER BY p, x LIMIT 5",
		"SELECT DISTINCT ON (p) p, x FROM ($window) AS s ORDER BY p, id LIMIT 1",
		"SELECT count(x) FROM (SELECT x, row_number() OVER () AS n FROM ($window) AS s) AS z WHERE n <= 2",
		"SELECT count(x) FROM ($window) AS s", "SELECT p, count(x) FROM ($window) AS s GROUP BY p");
	my $query = { sql => $sql, parallel => 1,
		set => one_of('', '', 'enable_hashjoin off, enable_nestloop off, ', 'enable_sort off, ') };

	if (chance(25))
	{
		$query = { %$query, sql => $window, scroll => one_of('', 'NO SCROLL'), ordered => 1,
			fetch => [ map { one_of('FETCH 1', 'FETCH 3', 'FETCH 70', 'FETCH 700') } 1 .. 3 ] };
		delete $query->{parallel};
	}
	return $query;
}

# Aggregates over frames that rows leave, of arguments and behind FILTERs that may fail, and some do.  They are read to
# the end or not, and beside them stands something else that may fail.  Of rows that tie, those of a subquery keep the
# subquery's order.
sub arguments
{
	my $at = sub { return one_of(1, 2, 3, 7, 16, 17, 33, 120, 130, 700, 9000, 9000, 9000, 9000) };
	my %fails = (
		int => sub {
			my $n = $at->();
			one_of("100 / (id - $n)", 'v + 1', 'abs(v)', "2147483647 - $n + id", "picky(id, $n)",
				"CASE WHEN id % 3 > 0 THEN 7 % (id - $n) END", 'length(s)');
		},
		real => sub {
			my $n = $at->();
			one_of("1 / (id - $n)::float8", 'x * 2', 'abs(x - id)', "sqrt(($n - id)::float8)",
				"1e308 * CASE WHEN id < $n THEN 1.1 ELSE 2 END::float8", '(v + 0.5)::float8');
		},
		number => sub {
			my $n = $at->();
			one_of("1.0 / (id - $n)", 'n * 2', 'round(n, 1)', "ln($n + 0.5 - id)", 'v + 0.25');
		},
		text => sub {
			my $n = $at->();
			one_of('lower(s)', "s || id", "substr(s, 1, $n - id)", "left(s, id % 7)",
				"(CASE WHEN id = $n THEN 'odd' ELSE '2024-01-01' END)::date::text");
		},
		time => sub { one_of("t + interval '10 days'", "date_trunc('day', t)", "t - interval '1 hour'") },
		bool => sub {
			my $n = $at->();
			one_of("10 / (id - $n) < 3", 'v + 1 > 0', 'p * 2 % 3 > 0', "picky(id, $n) > 20",
				"CASE WHEN p % 2 = 0 THEN 1 / (id - $n) = 0 END");
		});
	my %plain = (int => 'v', real => 'x', number => 'n', text => 's', time => 't', bool => 'p % 3 > 0');
	my $of = sub { my ($type) = @_; return chance(70) ? $fails{$type}->() : $plain{$type} };
	my @calls = map {
		my $type = one_of('int', 'int', 'real', 'real', 'number', 'text', 'text', 'time');
		my $e = $of->($type);
		my $call = one_of(
			"max($e)", "min($e)", "count($e)", "moving_mode($e)", "moving_count_distinct($e)", "moving_last($e, "
				. $of->('int') . ')', 'moving_arg_max(s, ' . $of->('real') . ')', 'count(*)', $type eq 'text'
				? ("string_agg($e, ',')", 'bool_or(' . $of->('bool') . ')', 'every(' . $of->('bool') . ')')
				: $type eq 'time' ? ("max($e)", "array_agg($e)") : ("sum($e)", "sum($e)", "avg($e)", "stddev($e)",
				"exact_sum($e)", "moving_median($e)", $type eq 'int' ? ("bit_or($e)", "moving($e)", "growing($e)",
					"strictly($e)") : $type eq 'real' ? ("inexact($e)", "covar_pop($e, " . $of->('real') . ')',
					"exact_corr($e, " . $of->('real') . ')', "moving_percentile_cont($e, 0.3)") : ("variance($e)")));
		$call . (chance(30) ? ' FILTER (WHERE ' . $of->('bool') . ')' : '')
	} 1 .. one_of(1, 1, 2, 3);
	my $ties = chance(30);
	my $frame = frame(sub { one_of(0, 1, 2, 3, 9, $ties ? () : (40, 300)) })
		. one_of(('') x 5, ' EXCLUDE CURRENT ROW', ' EXCLUDE GROUP', ' EXCLUDE TIES');
	$frame =~ s/ROWS/GROUPS/ if $ties;
	my $rows = one_of(3, 20, 60, 60, 120, 300, $frame =~ /UNBOUNDED/ ? () : (1200, 3000));
	my $source = 'SELECT *, id / 3 AS g FROM ' . one_of('many', 'many', 'gaps') . " WHERE id <= $rows ORDER BY "
		. one_of('id', 'id', 'p % 3, id');
	my $window = ($source =~ /p % 3/ ? 'PARTITION BY p % 3 ' : '') . 'ORDER BY ' . ($ties ? 'g ' : 'id ') . $frame;
	my $beside = one_of('', '', '', ', lag(' . $of->('int') . ') OVER w AS y', ', first_value(' . $of->('text')
			. ') OVER w AS y', ', 1 / (id - ' . $at->() . ') AS y', ', row_number() OVER w AS y');
	my $shown = join ', ', map { "$calls[$_] OVER w AS x$_" } 0 .. $#calls;
	my $sql = "SELECT id, $shown$beside FROM ($source) AS r WINDOW w AS ($window)";

	return { sql => $sql, scroll => one_of('', 'NO SCROLL'), ordered => 1,
		fetch => [ map { one_of('FETCH 1', 'FETCH 3', 'FETCH 70', 'FETCH 700') } 1 .. 3 ] } if chance(12);
	return { sql => "SELECT count(x0), max(id) FROM ($sql) AS s", parallel => 1 } if chance(8);
	return { sql => one_of(($sql) x 4, "$sql LIMIT " . one_of(1, 2, 5, 16, 17, 18, 100),
			"SELECT count(x0) FROM ($sql LIMIT " . one_of(1, 3, 16, 40) . ') AS s',
			"SELECT x0 FROM ($sql) AS s WHERE id % 7 = 0",
			"SELECT EXISTS (SELECT FROM ($sql) AS s WHERE x0 IS NOT NULL)") };
}

# A query of Queries.pm, where several processes may run it.
sub divided
{
	my $query;

	do { $query = Queries->next } while $query->{parameters} || $query->{fetch};
	return { sql => $query->{sql}, ordered => $query->{ordered}, parallel => 1,
		set => $query->{set} && "$query->{set}, " };
}

# Windows over joins and between them, in one process.
sub joined
{
	return Joins->next(0, one_of(0, 0, 3, 10));
}

# The same in several processes, which cost nothing.
sub joined_in_several
{
	my $query = Joins->next(0);

	delete @$query{qw(fetch scroll)};
	return { %$query, parallel => 1, set => $query->{set} && "$query->{set}, " };
}

# The same over tables that the planner takes for large, at default settings.
sub large
{
	my $query = Joins->next(1);

	delete @$query{qw(fetch scroll)};
	# settings that forbid a way to join make joins of these tables slow
	$query->{set} = '';
	return { %$query, parallel => 1, large => 1, $query->{ordered} ? () : (summed => 1) };
}

# A session's first statement: the library is loaded while the statement is planned.
# Several processes share its partitions; without any, one that sorts may cost less than a Gather below.
sub first
{
	my $op = one_of('unsafe', 'joined');
	my $call = one_of("scan_fold(v, '$op(integer,integer)')", "scan_fold(v, op => '$op(integer,integer)')",
		"scan_fold(reset => p = 3, op => '$op(integer,integer)', value => v)");
	my $partition = one_of('', 'PARTITION BY p ');

	return { sql => "SELECT id, $call OVER (${partition}ORDER BY id) AS x FROM many", first => 1, parallel => 1,
		must => $op eq 'joined' && $partition ne '' ? 'Gather' : '' };
}

# The memory that each process has of its own while it returns rows, against scan.work_mem.
sub memory
{
	my $window = one_of(
		map({
			my $t = $_;
			map { "SELECT id, count(s) OVER ($_) AS x FROM $t" } 'ORDER BY v, id', 'ORDER BY id',
				'PARTITION BY p ORDER BY id', 'PARTITION BY p % 200 ORDER BY v'
		} qw(more fewer)),
		'SELECT id, length(lag(s) OVER (ORDER BY id)) AS x FROM wide',
		'SELECT id, length(lag(s, 3) OVER (PARTITION BY p ORDER BY v)) AS x FROM wide',
		'SELECT id, length(concat_all(left(s, 32)) OVER (ORDER BY id)) AS x FROM wide',
		'SELECT id, cardinality(append_all(left(s, 32)) OVER (ORDER BY id)) AS x FROM wide',
		q{SELECT id, length(string_agg(left(s, 32), ',') OVER (ORDER BY id ROWS 50 PRECEDING)) AS x FROM wide});
	my $each = $window =~ /wide/ ? 10 : 100;
	# beyond what the leader had before, and what a worker has when it starts
	my $memory = q{memory() - CASE WHEN pg_backend_pid() = current_setting('fuzz.leader')::int }
		. q{THEN current_setting('fuzz.memory')::int ELSE 6000 END};

	return {
		sql => "SELECT count(*), sum(hashtext(x::text)::int8), "
			. "max(CASE WHEN id % $each = 0 THEN $memory END) FROM ($window) AS s",
		oracle => "SELECT count(*), sum(hashtext(x::text)::int8) FROM ($window) AS s",
		memory_limit => one_of(256, 1024, 2048), parallel => 1,
		set => 'enable_sort off, ' };
}

# ---- the next query

my %kinds = (offsets => \&offsets, ddl => \&ddl, aggregates => \&aggregates, ends => \&ends, stops => \&stops,
	arguments => \&arguments, divided => \&divided, joined => \&joined, joined_in_several => \&joined_in_several,
	large => \&large, first => \&first, memory => \&memory);
my @usual = (('offsets', 'ddl', 'aggregates', 'ends', 'stops', 'arguments', 'divided') x 10, ('first') x 4, 'memory');
my @joins = (('joined') x 6, ('large') x 3, 'joined_in_several');

# The next query, of one kind where $kind says so; `joins` is one of three kinds.
sub next
{
	my ($class, $kind) = @_;
	my $query = $kinds{ !$kind ? one_of(@usual) : $kind eq 'joins' ? one_of(@joins) : $kind }->();

	$query->{set} = ($query->{set} // '') . ($query->{parallel} && !$query->{large} ? $parallel : '')
		. ($query->{memory_limit} ? ", scan.work_mem $query->{memory_limit}kB" : '');
	# with little memory, core makes a thousand files for a hash table of a table that seems large
	$query->{small} = chance($query->{large} ? 3 : 20) && !$query->{memory_limit};
	return $query;
}

1;

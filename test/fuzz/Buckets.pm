# Buckets.pm: random queries that aggregate a table by steps of its time column, and writes of the table.
#
# test/t/kept_buckets.t runs each with kept scans and without.  The texts are those that dashboards and libraries send
# (Grafana, Metabase, Superset, Cube, Lightdash, groupdate, Django, Odoo, Umami, Laravel Trend), and texts put together
# of movers, steps and what may stand around them.
#
# A query is a hash: sql; set (settings); parameters (types of $1 ..., for a prepared statement); executions (for each
# the session's zone and values); write (a change in the same transaction before it); ordered (the order of its rows is
# fixed); miss (a kept scan need not answer it); by (the template).
package Buckets;

use strict;
use warnings;

sub one_of { return $_[ rand @_ ] }
sub chance { return rand(100) < $_[0] }

my @zones = qw(UTC Europe/Berlin America/St_Johns Asia/Kolkata Australia/Lord_Howe Africa/Casablanca Pacific/Apia
	America/Caracas America/Sao_Paulo Antarctica/Troll <+05>-5 MSK EST EST5EDT +05:30 europe/berlin);
my @session = (qw(UTC Europe/Berlin America/St_Johns Asia/Kolkata Australia/Lord_Howe Africa/Casablanca Pacific/Apia
		America/Caracas <+05>-5), 'EST5EDT,M3.2.0,M11.1.0');

# ---- the tables: one for each type of the key

our %type = (tz => 'timestamptz', ts => 'timestamp', d => 'date', big => 'bigint', num => 'int');

# Rows that are added: where the offsets of zones change, at midnights, at the epochs, far from all others, before now,
# and many on one key.  `moment` has a number for each row.
sub tables
{
	my $sql = <<'SQL';
CREATE TABLE moments AS SELECT at, i::int FROM unnest(ARRAY['2010-11-07 02:31Z', '2010-11-07 03:31Z',
  '2011-12-30 10:00Z', '2016-05-01 07:00Z', '2007-12-09 07:30Z', '2018-11-04 03:00Z', '2000-01-01 00:00Z',
  '1970-01-01 00:00Z', '1955-06-30 22:00Z', '2024-01-01 00:00Z', '2024-02-29 23:00Z', '2023-12-31 18:30Z',
  '1883-11-18 17:00Z', '0001-01-01 00:00Z', '0044-03-15 00:00Z BC', '2024-10-27 01:00Z', '2024-10-05 15:30Z',
  '2024-05-05 00:00Z', '2024-12-31 23:00Z', '2100-01-01 00:00Z', '290000-01-01 00:00Z']::timestamptz[])
  WITH ORDINALITY AS m(at, i);
CREATE FUNCTION moment(i int) RETURNS timestamptz LANGUAGE sql STABLE AS $$ SELECT CASE i % 25
  WHEN 0 THEN CASE WHEN i % 300 = 0 THEN '-infinity' ELSE (SELECT at FROM moments WHERE moments.i = $1 / 25 % 15 + 1)
    + (ARRAY['0', '-0.000001', '0.000001', '1', '-1', '-1800', '1800', '3600', '-3600', '-7200', '5400', '86400',
    '-86400'])[$1 / 25 % 13 + 1]::interval END
  WHEN 1 THEN CASE WHEN i % 250 = 1 THEN 'infinity'
    WHEN i % 100 < 50 THEN date_trunc('day', now()) - i * 7919 % 34560000 * interval '1 second'
    ELSE (SELECT at FROM moments WHERE moments.i = $1 / 25 % 6 + 16) + i % 3 * interval '00:59' END
  WHEN 2 THEN timestamptz '2024-04-06 15:00Z' WHEN 3 THEN timestamptz '2024-03-31 00:59:59.999999Z'
  WHEN 4 THEN timestamptz '2024-03-31 01:00Z' WHEN 5 THEN timestamptz '2024-04-14 02:00Z' - interval '00:00:01'
  WHEN 6 THEN timestamptz '2024-03-31 01:20Z' WHEN 7 THEN timestamptz '2024-04-06 14:40Z'
  WHEN 8 THEN date_trunc('day', timestamptz '2024-03-28 00:00Z' + i % 18 * interval '1 day', 'Asia/Kolkata')
  ELSE timestamptz '2024-03-28 00:00Z' + i::bigint * 7919 % 1555200 * interval '1 second' END $$;
CREATE DOMAIN money_amount AS bigint;
CREATE TABLE dim (id int PRIMARY KEY, kind text, boss int);
INSERT INTO dim VALUES (0, 'a', NULL), (1, 'a', 0), (2, 'b', 0), (4, 'c', 2), (9, 'd', 1);
CREATE TABLE twice (account int, name text);
INSERT INTO twice VALUES (0, 'x'), (0, 'y'), (1, 'x'), (NULL, 'z'), (7, 'y');
CREATE FUNCTION time_bucket(interval, timestamptz) RETURNS timestamptz LANGUAGE sql IMMUTABLE
  AS $$ SELECT date_bin($1, $2, '2000-01-03') $$;
SQL
	my %at = (tz => 'moment(i)', ts => "moment(i) AT TIME ZONE 'UTC'", d => "(moment(i) AT TIME ZONE 'UTC')::date",
		big => "CASE WHEN isfinite(moment(i)) THEN floor(extract(epoch FROM moment(i)))::bigint "
			. "WHEN i % 2 = 0 THEN 9223372036854775807 ELSE -9223372036854775808 END",
		num => "(i::bigint * 7919 % 20011 - 5000)::int / (CASE WHEN i % 3 = 0 THEN 50 ELSE 1 END)");
	foreach my $t (sort keys %type)
	{
		# equal rates look the same in two of the tables
		my $numeric = $t =~ /ts|num/ ? 'numeric(4,2)' : 'numeric';
		$sql .= <<"SQL";
CREATE TABLE p_$t (id serial PRIMARY KEY, account int, branch text, rate $numeric, at $type{$t} NOT NULL, v int,
  n int NOT NULL, amount bigint NOT NULL, f float8, b bool, posted bool NOT NULL);
CREATE FUNCTION fill_$t(a int, b int) RETURNS void LANGUAGE sql AS \$\$
INSERT INTO p_$t (account, branch, rate, at, v, n, amount, f, b, posted) SELECT (ARRAY[0, 0, 0, 1, 1, 2, NULL, 3])[
  i * 31 / 7 % 8 + 1], (ARRAY['x', 'y', NULL])[i / 5 % 3 + 1], (ARRAY[1.0, 1.00, 2, NULL])[i % 4 + 1], $at{$t},
  nullif(i * 7 % 83, 5), i % 11, i::bigint * 7919 % 2003 - 1000, CASE WHEN i % 41 = 0 THEN -0.0 ELSE i / 7.0 END,
  nullif(i % 9, 3) > 5, i % 6 <> 0 FROM generate_series(a, b) AS i \$\$;
SELECT fill_$t(1, 6000);
CREATE INDEX ON p_$t (account, at);
CREATE INDEX ON p_$t (at);
SELECT scan_keep('a_$t', 'SELECT sum(amount) OVER w AS s, count(*) OVER w AS k, count(v) OVER w AS nv, '
  'avg(v) OVER w AS av, min(v) OVER w AS lo, max(amount) OVER w AS hi, stddev(v) OVER w AS sd, '
  'var_pop(amount) OVER w AS va, exact_sum(f) OVER w AS ex, exact_avg(f) OVER w AS ea, bool_or(b) OVER w AS any, '
  'sum(v) FILTER (WHERE v > 20) OVER w AS fs, count(*) FILTER (WHERE posted) OVER w AS np, '
  'sum(v) OVER w AS sv, min(at) OVER w AS first, bit_xor(n) OVER w AS x '
  'FROM p_$t WINDOW w AS (PARTITION BY account ORDER BY at, id)');
SELECT scan_keep('b_$t', 'SELECT sum(amount) OVER w AS s, count(*) OVER w AS k, max(v) OVER w AS hi, '
  'sum(n) OVER w AS sn, min(f) OVER w AS tie FROM p_$t WINDOW w AS (ORDER BY at)');
SELECT scan_keep('c_$t', 'SELECT sum(v) OVER w AS s, count(*) OVER w AS k, avg(amount) OVER w AS a '
  'FROM p_$t WINDOW w AS (PARTITION BY account, branch ORDER BY at)');
SELECT scan_keep('d_$t', 'SELECT sum(amount) OVER w AS s, count(*) OVER w AS k, count(v) OVER w AS nv '
  'FROM p_$t WHERE posted WINDOW w AS (PARTITION BY rate ORDER BY at, id)');
SELECT fill_$t(6001, 6100);
CREATE VIEW v_$t AS SELECT account, branch, at, amount, v, n FROM p_$t;
SQL
	}
	# two of them have logs that nobody empties for a while
	$sql .= "CALL scan_kept_compact('$_'); " foreach map { ("a_$_", "b_$_", "c_$_", "d_$_") } 'tz', 'd', 'big';
	return "SET client_min_messages = warning; SET timezone = 'UTC'; $sql ANALYZE;";
}

# A change of a table, and the number of the next row.
my $next = 10000;

sub write
{
	my ($t) = @_;
	my $n = 1 + int rand 30;
	$next += $n;
	return one_of(("SELECT fill_$t($next, " . ($next + $n) . ')') x 3,
		"DELETE FROM p_$t WHERE id IN (SELECT id FROM p_$t WHERE account = "
			. int(rand 3) . " ORDER BY v, at LIMIT $n)",
		"DELETE FROM p_$t WHERE id % 211 = " . int rand 211,
		"DELETE FROM p_$t WHERE id IN (SELECT id FROM p_$t ORDER BY amount DESC LIMIT 3)",
		"UPDATE p_$t SET v = v + 1, amount = amount - 7 WHERE id % 97 = " . int rand 97,
		"UPDATE p_$t SET account = (account + 1) % 4 WHERE id % 89 = " . int rand 89,
		"UPDATE p_$t SET at = at + " . ($t =~ /^t/ ? "interval '1 day'" : 1) . " WHERE id % 101 = "
			. int(rand 101) . ($t eq 'big' ? ' AND at BETWEEN -1e15 AND 1e15' : ''),
		"UPDATE p_$t SET amount = amount - 1 WHERE "
			. ($t =~ /^t|d/ ? 'NOT isfinite(at)' : 'at = (SELECT max(at) FROM p_' . "$t)"),
		"DELETE FROM p_$t WHERE account = 3");
}

# ---- values: as they are, or as parameters of a prepared statement

our ($prepared, @parameters, $miss);

sub value
{
	my ($type, @values) = @_;
	return one_of(@values) if !$prepared || chance(40);
	push @parameters, [ $type, map { one_of(@values) } 1 .. 3 ];
	return '$' . @parameters;
}

sub zone { return value('text', map { "'$_'" } @zones) }
sub zone_constant { return "'" . one_of(@zones) . "'" }

sub amount_of_time
{
	return value('interval', map { "interval '$_'" } '1 day', '1 day', '3 hours', '02:30:15', '-1 day', '6 days',
		'14400 second', '-36:00', '1 day -00:00:01', '0', '10 days 5 min') if !chance(5);
	return "interval '" . one_of('1 month', '-1 year', '1 mon 3 days', '0.5 year') . "'";
}

# ---- times: movers of the key

# Returns a type, tz, ts or d, and an expression of the key.
sub moved
{
	my ($t, $x) = @_;
	for (1 .. one_of(0, 0, 1, 1, 1, 2, 3))
	{
		my ($zone, $by, $sign) = (zone(), amount_of_time(), one_of('+', '-'));
		($t, $x) = $t eq 'tz' ? @{ one_of([ 'ts', "($x AT TIME ZONE $zone)" ], [ 'ts', "timezone($zone, $x)" ],
				[ 'ts', "$x\::timestamp" ], [ 'tz', "($x $sign $by)" ],
				[ 'ts', "($x)::timestamptz AT TIME ZONE $zone" ]) }
			: $t eq 'ts' ? @{ one_of([ 'tz', "($x AT TIME ZONE $zone)" ], [ 'tz', "$x\::timestamptz" ],
				[ 'ts', "($x $sign $by)" ], [ 'ts', "timezone($zone, timezone('UTC', $x))" ]) }
			: @{ one_of([ 'ts', "$x\::timestamp" ], [ 'tz', "$x\::timestamptz" ], [ 'ts', "($x $sign $by)" ]) };
		$x = "($x)";
	}
	return ($t, $x);
}

my @units = qw(minute hour day week month quarter year decade century millennium DAY Week);
my @fields = qw(minute hour day dow isodow doy week isoyear month quarter year decade century millennium);
my @formats = ('YYYY-MM-DD', 'YYYY-MM', 'YYYY', 'HH24', 'YYYY-MM-DD HH24:MI', 'FMMonth', 'IYYY-IW', 'Dy', 'D', 'WW',
	'AM', 'DDD', '"Q"Q YYYY', 'J', 'mon', 'FMDay, DD TMMonth', 'BC', 'RM', 'hh12 a.m.', '', 'Y,YYY CC');
my @fine = ('second', 'milliseconds');

sub unit { return chance(97) ? value('text', map { "'$_'" } @units) : "'" . one_of(@fine) . "'" }
sub field { return "'" . one_of(@fields) . "'" }

# A step of a time, with its type.
sub step_of
{
	my ($t, $x) = @_;
	my $plain = $t eq 'd' ? "$x\::timestamp" : $x;
	my $zoned = $t eq 'tz' ? $x : $t eq 'ts' ? "$x\::timestamptz" : $x;
	my $origin = ($t eq 'tz' ? 'timestamptz' : 'timestamp') . " '"
		. one_of('2000-01-03', '2024-01-01 00:00:07.000001', '2030-06-01 11:00', '1970-01-01') . "'";
	my $stride = value('interval', map { "interval '$_'" } '15 minutes', '7 hours', '1 day', '10 days', '00:00:01.5',
		'1 week', '37 min');
	my $c = one_of(value('numeric', 3600, 300, 86400, 604800, '2592000.0', 60), 3600, 86400, '0.5', '2.592e+06',
		'900.25', '3.3333333333333333');
	my $epoch = "floor(extract(epoch FROM $x) / $c)";
	my $result = $t eq 'd' ? 'tz' : $t;
	return @{ one_of(([ $result, "date_trunc(" . unit() . ", $x)" ]) x 4,
		[ 'tz', "date_trunc(" . unit() . ", $zoned, " . zone() . ")" ], ([ 'd', "$x\::date" ]) x 2,
		[ 'd', $t eq 'd' ? "date($plain)" : "date($x)" ], ([ 'n', 'extract(' . one_of(@fields) . " FROM $x)" ]) x 2,
		[ 'n', "date_part(" . field() . ", $x)" ], [ $t eq 'd' ? 'ts' : $t, "date_bin($stride, $plain, $origin)" ],
		([ 'n', "($epoch * $c)" ]) x 2, [ 'n', $epoch ], [ 'tz', "to_timestamp($epoch * $c)" ],
		([ 'c', "to_char($x, '" . one_of(@formats) . "')" ]) x 2,
		[ 'd', "CAST(date_trunc('week', CAST(CAST($plain AS timestamp) + interval '1 day' AS timestamp)) AS date)" ]) };
}

# What stands around a step.
sub around
{
	my ($t, $x) = @_;
	return $x if chance(50);
	return one_of("$x\::text", "$x + 1", "$x\::timestamptz", "to_char($x, 'YYYY-MM-DD')",
		"CAST($x AS timestamptz)", "extract(dow FROM $x)") if $t eq 'd';
	return one_of("$x\::int", "$x + 1", "$x\::text", "concat($x, ':')", "CAST($x AS integer) + 1", "-$x", "$x % 7")
		if $t eq 'n' && chance(70);
	return $t =~ /^t/ ? one_of("$x\::date", "to_char($x, 'YYYY-MM-DD HH24:MI:SS')", "$x AT TIME ZONE " . zone(),
		"$x - interval '1 day'", "$x\::text", "extract(epoch FROM $x)", "($x)::date - date '2024-01-01'",
		"CASE WHEN $x > '2024-06-01' THEN 'late' ELSE 'early' END") : one_of("upper($x\::text)",
		"$x\::text || '!'");
}

# A step of the key of a table as somebody sends it, and by whom.
sub step_sent
{
	my ($t, $x) = @_;
	my ($zone, $zone2) = (zone(), zone_constant());
	my $cast = $t eq 'tz' ? $x : "($x)::timestamptz";
	my $local = "($cast AT TIME ZONE $zone)";
	my $unit = one_of(qw(minute hour day week month quarter year));
	my $c = one_of(60, 300, 3600, 86400, 604800, '2.592e+06', '0.5');
	my $dow = "EXTRACT(DOW FROM $local)";
	my $origin = "'2024-01-01T00:00:00.000'::timestamp";
	my %sent = (
		Grafana => "floor(extract(epoch from $x)/$c)*$c",
		Metabase => one_of("DATE_TRUNC('$unit', $x)", "CAST($x AS date)", "CAST(CAST($x AS date) AS timestamptz)",
			"CAST(DATE_TRUNC('month', $x) AS date)", "DATE_TRUNC('$unit', CAST($x AS timestamp))",
			"(CAST(DATE_TRUNC('week', CAST((CAST($x AS timestamp) + INTERVAL '1 day') AS timestamp)) AS timestamp) "
				. "+ INTERVAL '-1 day')", "CAST(extract(" . one_of('hour', 'dow', 'month', 'week')
				. " from $x) AS integer) + 1"),
		Superset => "DATE_TRUNC('$unit', $x)",
		Cube => one_of("date_trunc('$unit', (($x)::timestamptz AT TIME ZONE $zone))",
			"($origin + INTERVAL '15 minutes' * FLOOR(EXTRACT(EPOCH FROM ($local - $origin)) "
				. "/ EXTRACT(EPOCH FROM INTERVAL '15 minutes')))"),
		Lightdash => one_of("DATE_TRUNC('" . uc($unit) . "', $local)", "CAST($local AS DATE)",
			"(DATE_TRUNC('WEEK', ($local - interval '6 days')) + interval '6 days')", "DATE_PART('DOW', $x)",
			"TO_CHAR($x, 'FMMonth')"),
		groupdate => one_of("DATE_TRUNC('day', $local)::date", "DATE_TRUNC('hour', $local) AT TIME ZONE $zone",
			"(DATE_TRUNC('day', $local - INTERVAL '1 day' * ((13 - 0 + ($dow)::integer) % 7)))::date",
			"TO_TIMESTAMP(FLOOR(EXTRACT(EPOCH FROM $cast) / 300) * 300)", "EXTRACT(HOUR FROM $local)::integer",
			"DATE_TRUNC('day', $local - INTERVAL '14400 second') + INTERVAL '14400 second'"),
		Django => one_of("DATE_TRUNC('$unit', $local)", "$local\::date", "EXTRACT('dow' FROM $local) + 1"),
		Odoo => "date_trunc('$unit', timezone($zone2, " . ($t eq 'tz' ? $x : "timezone('UTC', $x)") . ")::timestamp)",
		Umami => one_of("to_char(date_trunc('$unit', $local), 'YYYY-MM-DD HH24:00:00')",
			"concat(extract(dow from $x), ':', to_char($x, 'HH24'))"),
		Trend => "to_char($x, '" . one_of('YYYY-MM-DD', 'YYYY-MM', 'YYYY-MM-DD HH24:MI:00', 'IYYY-IW') . "')",
		Sourcegraph => $t eq 'tz' ? "(DATE_TRUNC('week', TIMEZONE('UTC', $x) + '1 day'::interval) - '1 day'::interval)"
		: "(DATE_TRUNC('week', $x + '1 day'::interval) - '1 day'::interval)");
	my $who = one_of(sort keys %sent);
	return ($who, $sent{$who});
}

# A step of a whole number.
sub step_of_number
{
	my ($x) = @_;
	my $c = value(one_of('bigint', 'int'), 3600, 86400, 7, 1000, 60, -13, 1);
	return one_of("floor($x / $c) * 10", "$x / $c", "$x / $c * $c", "($x / $c)::text", "to_timestamp($x / $c * $c)",
		"'2000-01-01'::date + ($x / 86400 % 1000)::int") if chance(95);
	return one_of("$x % 7", "$x - 1", "abs($x) / 10");
}

# A step of the key of a table, and by whom it is.
sub step
{
	my ($t, $x) = @_;
	return ('a number', step_of_number($x)) if $t =~ /^(?:big|num)$/;
	return step_sent($t, $x) if chance(50);
	return ('hand', around(step_of(moved($t, $x))));
}

# ---- conditions

sub bound
{
	my ($t) = @_;
	return value('bigint', 0, 1704067200, -5, 1711846800, 1288000000, '9223372036854775807', 'NULL::bigint')
		if $t eq 'big';
	return value('int', 0, -5, 100, 9999, -3000, 2147483647, 'NULL::int') if $t eq 'num';
	my @times = ('2024-01-01', '2024-03-31 01:00', '2024-06-01', '2010-11-07 02:31:00.000001', '2024-04-01 00:00:00.5',
		'1970-01-01', '2011-12-30', '2024-10-27 01:20', 'infinity', '-infinity', '2100-01-01', '1900-01-01');
	return value($type{$t}, map { "$type{$t} '$_'" } @times) if chance(70);
	return $t eq 'd' ? one_of('current_date', 'current_date - 200', "timestamp '2024-03-31 12:00'",
		"timestamptz '2024-03-31 12:00'")
		: one_of(value('timestamptz', 'now()', "now() - interval '30 days'", "timestamptz '2024-05-05T00:00:00Z'"),
		"date_trunc('month', now() + interval '-12 month')", "TO_TIMESTAMP('2024-09-01 00:00:00.000000', "
			. "'YYYY-MM-DD HH24:MI:SS.US')", "date '2024-03-31'", 'current_date - 100');
}

sub bounds
{
	my ($t, $x) = @_;
	return one_of("$x >= " . bound($t), "$x < " . bound($t), "$x > " . bound($t) . " AND $x <= " . bound($t),
		"$x BETWEEN " . bound($t) . ' AND ' . bound($t), "$x >= " . bound($t) . " AND $x < " . bound($t),
		bound($t) . " <= $x", "$x = " . bound($t), "$x <> " . bound($t), "NOT ($x < " . bound($t) . ')');
}

# A condition that asks about a step.
sub step_condition
{
	my ($t, $x) = @_;
	return one_of("$x / 3600 = 473000", "$x / 1000 > 2", "$x / -7 IN (1, -100, 200)") if $t =~ /^(?:big|num)$/;
	my ($to, $moved) = moved($t, $x);
	return one_of("$x\::date = '2024-03-31'", "date_trunc('month', $x) = date_trunc('month', now())",
		"extract(year FROM $x) = " . value('int', 2024, 2010, 1970), "to_char($x, 'YYYY-MM') = '2024-03'",
		"extract(dow FROM $moved) < 3", "CAST($x AS date) BETWEEN '2024-01-01' AND '2024-05-05'",
		"extract(hour FROM $x) BETWEEN 2 AND 8", "$moved >= $type{$to} '2024-05-05 00:00:00'",
		"$moved < $type{$to} '2011-12-30'",
		($to eq 'ts' ? "$moved >= timestamptz '2024-03-31 01:20Z'" : ()),
		"date_trunc('year', $moved) <> $type{$to} '2024-01-01'",
		"isfinite(date_trunc('day', $x))");
}

sub account_condition
{
	my ($x, $others) = @_;
	my $list = join ', ', map { int rand 5 } 1 .. 1 + rand 3;
	return one_of("$x = " . value('int', 0, 1, 2, 7, 'NULL::int'), "$x = " . value('int', 0, 1), "$x IN ($list)",
		"$x = ANY (" . value('int[]', "'{0,2}'::int[]", "'{1,1,NULL,9}'::int[]", "'{}'::int[]", 'NULL::int[]') . ')',
		"$x > 0", "$x IS NULL", "$x IS NOT NULL", "$x <> 1", "coalesce($x, 5) < 2",
		"$x = (SELECT min(id) FROM dim WHERE kind = 'b')", "$x IN (SELECT id FROM dim WHERE kind = 'a')",
		"$x % 2 = 0", "$x = ANY (ARRAY[0, 3])", "$x\::text = '1'", "$x = 1 OR $x = 2", "$x IS DISTINCT FROM 0",
		"$x BETWEEN 1 AND 2");
}

# ---- aggregates of the definitions

my %aggregates = (
	a => [ 'sum(amount)', 'count(*)', 'count(v)', 'avg(v)', 'min(v)', 'max(amount)', 'stddev(v)', 'var_pop(amount)',
		'exact_sum(f)', 'exact_avg(f)', 'bool_or(b)', 'sum(v) FILTER (WHERE v > 20)',
		'count(*) FILTER (WHERE posted)', 'count(id)', 'count(n)', 'avg(amount)', 'variance(v)', 'stddev_pop(v)',
		'sum(v)', 'min(at)', 'bit_xor(n)' ],
	b => [ 'sum(amount)', 'count(*)', 'max(v)', 'sum(n)', 'avg(n)', 'count(amount)' ],
	c => [ 'sum(v)', 'count(*)', 'avg(amount)', 'sum(amount)', 'count(posted)' ],
	d => [ 'sum(amount)', 'count(*)', 'count(v)', 'avg(amount)', 'count(at)' ]);

my @missing = ('count(DISTINCT v)', 'sum(f)', 'string_agg(branch, NULL ORDER BY id)', 'max(f)', 'sum(n * 2)',
	'sum(CASE WHEN posted THEN amount ELSE 0 END)', 'array_agg(v ORDER BY v)', 'min(f)', 'count(branch)');

sub aggregate
{
	my ($of, $t, $x, $qualified) = @_;
	my $call = one_of(@{ $aggregates{$of} });
	if (chance(3) && !$qualified)
	{
		$miss = 'an aggregate';
		$call = one_of(@missing);
	}
	if (chance(12) && $call !~ /FILTER/)
	{
		# an aggregate of a CASE; `n` and `amount` are never NULL, `v` is
		my $condition = one_of(bounds($t, $x), step_condition($t, $x));
		my $case = "CASE WHEN $condition THEN";
		$call = $call =~ /^(\w+)\((\w+)\)$/ && chance(50) ? "$1($case ${qualified}$2 END)"
			: one_of("sum($case 1 ELSE 0 END)", "count($case 1 END)", "sum($case ${qualified}amount ELSE 0 END)",
			$of =~ /[ac]/ ? "sum($case ${qualified}v ELSE 0 END)" : (), "sum($case ${qualified}amount END)",
			$of =~ /[ac]/ ? "avg($case ${qualified}v ELSE 0 END)" : ());
		$miss = 'a CASE' if $call =~ /avg.*ELSE/ || $of eq 'c' && $call =~ /sum\(CASE.*amount/;
		return $call;
	}
	if (chance(20) && $call !~ /FILTER/)
	{
		my $alias = $x =~ s/at$//r;
		$call .= ' FILTER (WHERE '
			. one_of(bounds($t, $x), step_condition($t, $x),
			$of =~ /[ac]/ ? account_condition("${alias}account") : 'true')
			. ')';
	}
	$call =~ s/\b(amount|v|f|b|posted|id|n|at)\b(?=[ )])(?!\s*=)/$qualified$1/g
		if $qualified && $call !~ /FILTER|DISTINCT|CASE|string_agg/;
	return $call;
}

# ---- queries

# FROM with the table, what the columns of it are called, and what else may be grouped by.
sub source
{
	my ($t, $of) = @_;
	my $p = "p_$t";
	return ("$p", '', '') if chance(45) || $of !~ /[ac]/ && chance(60);
	my $extra = one_of('d.kind', 'd.kind', 'd.id', '');
	my @joins = ([ "$p p JOIN dim d ON d.id = p.account", 'p.', $extra ],
		[ "dim d JOIN $p p ON p.account = d.id AND d.kind <> 'c'", 'p.', $extra ],
		[ "$p p, dim d", 'p.', $extra, 'd.id = p.account' ],
		[ "$p p LEFT JOIN dim d ON d.id = p.account", 'p.', $extra ],
		[ "$p p LEFT JOIN dim d ON d.id = p.account AND " . step_condition($t, 'p.at'), 'p.', $extra ],
		[ "dim d RIGHT JOIN $p p ON d.id = p.account", 'p.', $extra ],
		[ "$p p LEFT JOIN twice w ON w.account = p.account", 'p.', one_of('w.name', 'w.account') ],
		[ "twice w JOIN $p p USING (account)", 'p.', 'w.name' ], [ "$p p NATURAL JOIN twice w", 'p.', 'w.name' ],
		[ "dim boss JOIN dim d ON d.boss = boss.id JOIN $p p ON p.account = d.id", 'p.', 'boss.kind' ],
		[ "$p p JOIN dim d ON d.id = p.account LEFT JOIN twice w ON w.account = d.id", 'p.', 'w.name' ],
		[ "$p p CROSS JOIN twice w", 'p.', 'w.name' ],
		[ "$p p JOIN (SELECT kind, min(id) AS id FROM dim GROUP BY 1) AS d ON d.id = p.account", 'p.', 'd.kind' ],
		[ "(VALUES (0, 'v'), (1, 'w'), (1, 'x')) AS d(id, kind) JOIN $p p ON d.id >= p.account", 'p.', 'd.kind' ]);
	# not answered
	my @misses = ([ "dim d LEFT JOIN $p p ON p.account = d.id", 'p.', 'd.kind' ],
		[ "$p p FULL JOIN dim d ON p.account = d.id", 'p.', 'd.kind' ],
		[ "$p p JOIN $p o ON o.account = p.account AND o.id = p.id", 'p.', 'o.account' ],
		[ "(SELECT * FROM $p) p", 'p.', 'p.account' ], [ "v_$t p", 'p.', 'p.account' ],
		[ "$p p TABLESAMPLE bernoulli (50) REPEATABLE (1)", 'p.', 'p.account' ],
		[ "dim d, LATERAL (SELECT * FROM $p q WHERE q.account = d.id) AS p", 'p.', 'd.kind' ]);
	return @{ one_of(@joins) } if chance(88);
	$miss = 'FROM';
	return @{ one_of(@misses) };
}

# One level.
sub level
{
	my ($t, %option) = @_;
	my $of = one_of('a', 'a', 'a', 'b', 'c', 'd');
	my ($from, $q, $extra, @where) = source($t, $of);
	my $at = "${q}at";
	my ($by, @groups) = ('none');
	if (!chance(12))
	{
		($by, my @steps) = step($t, $at);
		push @groups, @steps;
		push @groups, (step($t, $at))[1] if chance(12);
	}
	push @groups, "${q}account" if $of =~ /[ac]/ && chance(35);
	push @groups, "${q}branch" if $of eq 'c' && chance(35);
	push @groups, "${q}rate" if $of eq 'd' && $t =~ /ts|num/ && chance(35);
	push @groups, $extra if $extra && chance(60);
	push @groups, one_of("${q}account % 2", "coalesce(${q}account, -1)", "${q}account IS NULL")
		if $of =~ /[ac]/ && chance(8);
	if (chance(3))
	{
		$miss = 'a column of the rows';
		push @groups, one_of("${q}v", "${q}posted", "${q}rate", "${q}n % 2", $t =~ /^[td]/ ? () : "${q}at");
	}
	push @where, account_condition("${q}account") if $of =~ /[ac]/ && chance(45);
	push @where, one_of("${q}branch = 'x'", "${q}branch IN ('x', 'y')", "${q}branch IS NULL", "${q}branch > 'x'",
		"${q}branch = " . value('text', "'x'", "'y'", "'z'", 'NULL::text')) if $of eq 'c' && chance(40);
	push @where, "${q}posted" if $of eq 'd';
	push @where, one_of("${q}rate = 1", "${q}rate < 2", "${q}rate IS NULL", "${q}rate IN (1.0, 3)")
		if $of eq 'd' && chance(50);
	push @where, bounds($t, $at) if chance(50);
	push @where, step_condition($t, $at) if chance(20);
	if (chance(3))
	{
		$miss = 'a condition of the rows';
		push @where, one_of("${q}v < 50", "${q}id > 100", 'random() > 2', "1 / (${q}n + 1) >= 0");
	}
	my @aggregates = map { aggregate($of, $t, $at, $q) } 1 .. 1 + rand 4;
	my $having = chance(12) ? ' HAVING '
		. one_of('count(*) > 5', "$aggregates[0] IS NOT NULL", "count(*) FILTER (WHERE " . bounds($t, $at) . ') > 1',
		@groups ? "$groups[0] IS NOT NULL" : 'true') : '';
	return { by => $by, of => $of, from => $from, groups => \@groups, aggregates => \@aggregates, having => $having,
		where => @where ? ' WHERE ' . join(' AND ', map { "($_)" } @where) : '', at => $at, t => $t };
}

# GROUP BY of the first n columns.
sub grouped
{
	my ($n) = @_;
	return '' if $n == 0;
	my @columns = map { "$_" } 1 .. $n;
	return ' GROUP BY ' . join ', ', @columns;
}

sub sql_of
{
	my ($l) = @_;
	my ($groups, $aggregates) = @$l{ 'groups', 'aggregates' };
	my $sets = @$groups && chance(15) ? one_of('ROLLUP', 'CUBE', 'SETS') : '';
	my $by = !$sets ? grouped(scalar @$groups)
		: ' GROUP BY ' . ($sets eq 'SETS' ? 'GROUPING SETS ((' . join(', ', @$groups) . '), ('
			. ($groups->[1] // '') . '), ())' : "$sets (" . join(', ', @$groups[ 0 .. ($#$groups > 2 ? 2 : $#$groups) ])
			. ')' . join '', map { ", $_" } @$groups[ 3 .. $#$groups ]);
	my @columns = (@$groups, @$aggregates);
	push @columns, 'grouping(' . $groups->[0] . ')' if $sets && chance(30);
	push @columns, one_of('sum(count(*)) OVER ()', "lag($aggregates->[0]) OVER (ORDER BY " . join(', ', @$groups) . ')',
		"rank() OVER (ORDER BY count(*), $groups->[0])") if @$groups && !$sets && chance(10) && "@$groups" !~ /\$/;
	my @named = map { "$columns[$_] AS c$_" } 0 .. $#columns;
	# before 18, core's DISTINCT has the fault that ORDER BY has, see below
	my $distinct = chance(5) && !$sets ? 'DISTINCT ' : '';
	return "SELECT $distinct" . join(', ', @named) . " FROM $l->{from}$l->{where}$by$l->{having}";
}

# Queries of several levels.
sub zero_filled
{
	my ($t, $l) = @_;
	my $unit = one_of('day', 'month', 'hour');
	my ($from, $to) = $unit eq 'month' ? ('2009-01-01', '2012-06-01') : $unit eq 'day' ? ('2024-03-25', '2024-04-20')
		: ('2024-03-30 20:00', '2024-03-31 08:00');
	my $series = "generate_series($type{ts} '$from', '$to', '1 $unit')";
	my $of = $t eq 'd' ? 'at::timestamp' : $t eq 'tz' ? 'at AT TIME ZONE ' . zone() : 'at';
	my $range = "p.at >= d AND p.at < d + interval '1 $unit'";
	$range = "p.account = 0 AND $range" if chance(50);
	return one_of("SELECT d, coalesce(n, 0), s FROM $series AS d LEFT JOIN (SELECT date_trunc('$unit', $of) AS d, "
			. "count(*) AS n, sum(amount) AS s FROM p_$t GROUP BY 1) AS x USING (d) ORDER BY d",
		"SELECT d, x.* FROM $series AS d, LATERAL (SELECT sum(amount), count(*) FROM p_$t p WHERE $range) AS x",
		"SELECT d, (SELECT count(*) FROM p_$t p WHERE $range) FROM $series AS d",
		"SELECT d, count(*), sum(p.amount) FROM $series AS d JOIN p_$t p ON date_trunc('$unit', $of) = d GROUP BY d",
		"SELECT d, count(p.id) FROM $series AS d LEFT JOIN p_$t p ON $range GROUP BY d");
}

sub tiles
{
	my ($t) = @_;
	my @tiles = map { one_of(
		one_of('sum(amount)', 'count(*)', 'avg(v)', 'exact_sum(f)', 'min(v)')
			. ' FILTER (WHERE ' . bounds($t, 'at') . ')',
		'count(*) FILTER (WHERE ' . step_condition($t, 'at') . ')', 'count(v) FILTER (WHERE account = 0)') } 1 .. 3;
	return 'SELECT ' . join(', ', map { "$tiles[$_] AS c$_" } 0 .. 2) . " FROM p_$t";
}

# A level above that chooses groups.
sub above
{
	my ($l, $sql) = @_;
	my $groups = $l->{groups};
	my @conditions = map { $groups->[$_] =~ /account$/ ? (account_condition("x.c$_")) x 3
			: ("x.c$_ IS NOT NULL", "x.c$_\::text > '2024'", "x.c$_ = x.c0", "x.c$_ IS NULL") } 0 .. $#$groups;
	push @conditions, 'x.c' . @$groups . ' IS NOT NULL';
	my $where = join ' AND ', map { '(' . one_of(@conditions) . ')' } 1 .. 1 + rand 2;
	return one_of(("SELECT * FROM ($sql) AS x WHERE $where") x 3,
		"SELECT DISTINCT ON (c0) * FROM ($sql) AS x WHERE $where ORDER BY " . join(', ', map { "c$_" } 0 .. @$groups),
		"SELECT k, x.* FROM (VALUES (0), (1)) AS o(k) LEFT JOIN ($sql) AS x ON true WHERE $where",
		"SELECT k, x.* FROM (VALUES (0), (1)) AS o(k), LATERAL ($sql) AS x WHERE $where AND k < 1",
		"SELECT * FROM ($sql LIMIT 100000) AS x WHERE $where",
		"SELECT d.id, x.* FROM dim d, ($sql) AS x WHERE $where AND d.id::text = x.c0::text",
		"SELECT count(*) FROM ($sql) AS x WHERE $where");
}

sub wrapped
{
	my ($t, $sql, $l) = @_;
	return above($l, $sql) if @{ $l->{groups} } && chance(60);
	return one_of("WITH x AS ($sql) SELECT * FROM x", "SELECT * FROM ($sql) AS x WHERE c0 IS NOT NULL",
		"SELECT c0::text, count(*) FROM ($sql) AS x GROUP BY 1",
		"WITH x AS MATERIALIZED ($sql) SELECT count(*) FROM x, x y",
		"SELECT k, x.* FROM (VALUES (1), (2)) AS o(k), LATERAL ($sql) AS x",
		"$sql UNION ALL $sql",
		"SELECT * FROM ($sql ORDER BY 1 LIMIT 0) AS x", "SELECT (SELECT count(*) FROM ($sql) AS x), EXISTS ($sql)");
}

my @settings = ('enable_hashagg off', 'enable_sort off', 'enable_hashjoin off', 'enable_nestloop off',
	'scan.prefixscan force', 'work_mem 64kB', 'enable_mergejoin off', 'enable_indexscan off', 'enable_material off');

sub next
{
	my @types = (('tz') x 4, 'ts', 'ts', 'd', 'd', 'big', 'num');
	my $t = one_of(@types);
	local ($prepared, @parameters, $miss) = chance(20);
	my ($query, $l) = ({ t => $t });
	if ($t =~ /^[td]/ && chance(8))
	{
		@$query{ 'by', 'sql' } = ('zero filling', zero_filled($t));
		$miss = 'another level' if $query->{sql} =~ /LEFT JOIN p_/;
	}
	elsif (chance(8)) { @$query{ 'by', 'sql' } = ('tiles', tiles($t)) }
	else
	{
		$l = level($t);
		@$query{ 'by', 'sql' } = ($l->{by}, sql_of($l));
		my $columns = @{ $l->{groups} } + @{ $l->{aggregates} };
		if (chance(18)) { $query->{sql} = wrapped($t, $query->{sql}, $l) }
		elsif (chance(25))
		{
			$query->{sql} .= ' ORDER BY ' . join(', ', map { $_ . one_of('', ' DESC', ' NULLS FIRST') } 1 .. $columns);
			# all columns are shown; before 18, core takes a column that WHERE sets equal to a value for one that need
			# not be ordered by, although it is NULL in some grouping sets
			$query->{ordered} = 1 if $query->{sql} !~ /grouping\(|OVER|ROLLUP|CUBE|GROUPING SETS/;
			$query->{sql} .= ' LIMIT ' . one_of(1, 3, 30) if $query->{ordered} && chance(60);
		}
	}
	my @set = ('TimeZone ' . one_of(@session), chance(20) ? one_of(@settings) : ());
	push @set, 'IntervalStyle iso_8601' if chance(2);
	$query->{write} = Buckets::write($t) if chance(12);
	$query->{auto} = 1 if chance(20);
	# which alternatives were thrown away, only the text says
	$miss //= $query->{sql} =~ /('(?:milli)?seconds?'|interval '[^']*(?:mon|year))/ ? $1
		: $query->{sql} =~ /EXTRACT\(EPOCH FROM INTERVAL|abs\(|at % 7|at - 1\b/ ? 'no step' : '';
	$query->{miss} = $miss;
	if (@parameters)
	{
		push @set, 'plan_cache_mode ' . one_of('force_generic_plan', 'force_custom_plan', 'auto');
		$query->{parameters} = [ map { $_->[0] } @parameters ];
		$query->{executions} =
			[ map { my $i = $_; { zone => one_of(@session), values => join ', ', map { $_->[$i] } @parameters } }
				1 .. 3 ];
	}
	$query->{set} = \@set;
	return $query;
}

1;

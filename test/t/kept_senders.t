# kept_senders.t: the queries that dashboards and libraries send, in their own texts: each that can be read from a kept
# scan is, unchanged, and gives what the table gives.
#
# The texts are those of the public sources of each program, with the names of one table put in.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Cluster;
use Kept;

my $cluster = Cluster->new("shared_preload_libraries = 'scan'\n");
my $server = $cluster->use;
$server->lines(<<'SQL');
SET client_min_messages = warning; SET timezone = 'UTC';
CREATE TABLE payment (id bigint PRIMARY KEY, account int NOT NULL, t timestamptz NOT NULL, amount
  bigint NOT NULL, kind text);
CREATE TABLE sale (id bigint PRIMARY KEY, account int NOT NULL, t timestamp NOT NULL, amount numeric(12,2) NOT NULL);
CREATE TABLE event (id bigint PRIMARY KEY, account int NOT NULL, t bigint NOT NULL, amount int NOT NULL);
CREATE TABLE account (id int PRIMARY KEY, kind text);
INSERT INTO payment SELECT i, i % 7, now() - i * interval '24 minutes 13 seconds', i * 7919 % 1000, chr(97 + i % 3)
  FROM generate_series(1, 6000) AS i;
INSERT INTO sale SELECT i, i % 7, localtimestamp - i * interval '24 minutes 13 seconds', i * 7919 % 1000 / 100.0
  FROM generate_series(1, 6000) AS i;
INSERT INTO event SELECT i, i % 7, extract(epoch FROM now())::bigint - i * 1453, i * 7919 % 1000
  FROM generate_series(1, 6000) AS i;
INSERT INTO account SELECT i, chr(97 + i % 2) FROM generate_series(0, 9) AS i;
SELECT scan_keep('payment_kept', 'SELECT sum(amount) OVER w AS total, count(*) OVER w AS n FROM payment '
  'WINDOW w AS (PARTITION BY account, kind ORDER BY t)');
SELECT scan_keep('sale_kept',
  'SELECT sum(amount) OVER w AS total FROM sale WINDOW w AS (PARTITION BY account ORDER BY t)');
SELECT scan_keep('event_kept',
  'SELECT sum(amount) OVER w AS total FROM event WINDOW w AS (PARTITION BY account ORDER BY t)');
DELETE FROM payment WHERE id % 500 = 3;
UPDATE payment SET amount = amount + 5, t = t + interval '1 hour' WHERE id % 700 = 1;
CREATE VIEW every AS SELECT * FROM payment;
CREATE VIEW days AS SELECT date_trunc('day', t) AS d, account, amount FROM every WHERE kind <> 'b';
CREATE FUNCTION answer(query text, kept text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE y text;
BEGIN
  PERFORM set_config('scan.kept', kept, true);
  EXECUTE 'SELECT string_agg(r::text, '' '' ORDER BY r::text) FROM (' || query || ') AS r' INTO y;
  RETURN y;
END $$;
CREATE FUNCTION reads(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE line text; kept text := ''; why text := '';
BEGIN
  PERFORM set_config('scan.kept', 'force', true);
  FOR line IN EXECUTE 'EXPLAIN (VERBOSE) ' || query LOOP
    kept := kept || coalesce(substring(line FROM '^Starts From: (\w+)$'), '');
    why := why || coalesce(substring(line FROM '^Kept Scan Not Used: (.*)$'), '');
  END LOOP;
  RETURN CASE WHEN kept <> '' THEN 'kept' WHEN why = '' THEN 'without a reason' ELSE why END;
END $$;
SQL

# sender, query; and why no kept scan is read, if none is
my @texts = (
	[ 'Grafana, $__timeGroup and $__timeFilter', q{SELECT floor(extract(epoch from t)/3600)*3600 AS
		"time", sum(amount)
		FROM payment WHERE t BETWEEN '2020-09-01T00:00:00.123Z' AND '2040-10-01T00:00:00Z' GROUP BY 1 ORDER BY 1} ],
	[ 'Grafana, of a timestamp', q{SELECT floor(extract(epoch from t)/2.592e+06)*2.592e+06 AS "time", avg(amount)
		FROM sale WHERE t BETWEEN '2020-09-01T00:00:00Z' AND '2040-10-01T00:00:00Z' GROUP BY 1 ORDER BY 1} ],
	[ 'Grafana, $__unixEpochGroup', q{SELECT floor((t)/3600)*3600, sum(amount) FROM event
		WHERE t >= 1 AND t <= 17592768000 GROUP BY 1} ],
	[ 'Metabase, by month', q{SELECT DATE_TRUNC('month', "public"."payment"."t") AS "t",
		SUM("public"."payment"."amount")
		FROM "public"."payment" GROUP BY DATE_TRUNC('month', "public"."payment"."t")
		ORDER BY DATE_TRUNC('month', "public"."payment"."t") ASC} ],
	[ 'Metabase, by day', q{SELECT CAST(t AS date), count(*) FROM payment GROUP BY CAST(t AS date)} ],
	[ 'Metabase, by day as a time', q{SELECT CAST(CAST(t AS date) AS timestamptz), count(*) FROM
		payment GROUP BY 1} ],
	[ 'Metabase, by week from Sunday', q{SELECT (CAST(DATE_TRUNC('week', CAST((CAST(t AS timestamp) +
		INTERVAL '1 day')
		AS timestamp)) AS timestamp) + INTERVAL '-1 day'), count(*) FROM payment GROUP BY 1} ],
	[ 'Metabase, parts', q{SELECT CAST(extract(dow from t) AS integer) + 1, CAST(extract(hour from t) AS integer),
		extract(month from t), extract(week from t), count(*) FROM payment GROUP BY 1, 2, 3, 4} ],
	[ 'Metabase, filters', q{SELECT count(*), sum(amount) FROM payment WHERE t >= DATE_TRUNC('month', NOW()
		+ INTERVAL '-12 month') AND t < DATE_TRUNC('month', NOW()) AND CAST(t AS date) BETWEEN
		'2020-01-01' AND '2040-01-01'} ],
	[ 'Superset', q{SELECT DATE_TRUNC('day', t) AS __timestamp, kind AS kind, SUM(amount) AS
		"SUM(amount)" FROM payment
		WHERE t >= TO_TIMESTAMP('2020-09-01 00:00:00.000000', 'YYYY-MM-DD HH24:MI:SS.US')
		AND t < TO_TIMESTAMP('2040-10-01 00:00:00.000000', 'YYYY-MM-DD HH24:MI:SS.US')
		GROUP BY DATE_TRUNC('day', t), kind ORDER BY "SUM(amount)" DESC LIMIT 1000} ],
	[ 'Cube', q{SELECT date_trunc('day', (("orders".t)::timestamptz AT TIME ZONE 'Europe/Berlin'))
		"o__t_day", sum("orders".amount)
		FROM payment AS "orders" WHERE ("orders".t >= '2020-01-01'::timestamptz AND "orders".t <=
		'2040-01-01'::timestamptz)
		GROUP BY 1 ORDER BY 1 ASC LIMIT 10000} ],
	[ 'Lightdash', q{SELECT DATE_TRUNC('DAY', (t)::timestamptz AT TIME ZONE 'America/New_York') AS "d",
		(DATE_TRUNC('WEEK', (t AT TIME ZONE 'UTC' - interval '6 days')) + interval '6 days') AS "w",
		DATE_PART('DOW', t) AS "n",
		TO_CHAR(t, 'FMMonth') AS "m", SUM(amount) FROM "public"."payment" GROUP BY 1, 2, 3, 4} ],
	[ 'groupdate, by day', q{SELECT COUNT(*) AS "count_all", DATE_TRUNC('day', "sale"."t"::timestamptz
		AT TIME ZONE 'Etc/UTC')::date AS "d" FROM "sale" WHERE ("sale"."t" IS NOT NULL) GROUP BY 2} ],
	[ 'groupdate, by week', q{SELECT COUNT(*) AS "count_all", (DATE_TRUNC('day', "sale"."t"::timestamptz AT TIME ZONE
		'America/New_York' - INTERVAL '1 day' * ((13 - 0 + EXTRACT(DOW FROM "sale"."t"::timestamptz AT TIME ZONE
		'America/New_York')::integer) % 7)))::date FROM "sale" GROUP BY 2} ],
	[ 'groupdate, by hour', q{SELECT COUNT(*), DATE_TRUNC('hour', "sale"."t"::timestamptz AT TIME ZONE 'Asia/Kolkata')
		AT TIME ZONE 'Asia/Kolkata' FROM "sale" GROUP BY 2} ],
	[ 'groupdate, by five minutes', q{SELECT COUNT(*), TO_TIMESTAMP(FLOOR(EXTRACT(EPOCH FROM "sale"."t"::timestamptz)
		/ 300) * 300) FROM "sale" GROUP BY 2} ],
	[ 'groupdate, hour of day', q{SELECT SUM("sale"."amount"), EXTRACT(HOUR FROM "sale"."t"::timestamptz
		AT TIME ZONE 'Etc/UTC')::integer FROM "sale" GROUP BY 2} ],
	[ 'Django, TruncDay', q{SELECT DATE_TRUNC('day', "payment"."t" AT TIME ZONE 'Europe/Berlin') AS "day",
		SUM("payment"."amount") AS "s" FROM "payment" GROUP BY 1 ORDER BY 1 ASC} ],
	[ 'Django, TruncDate and Extract', q{SELECT ("payment"."t" AT TIME ZONE 'Europe/Berlin')::date, EXTRACT('dow' FROM
		"payment"."t" AT TIME ZONE 'UTC') + 1, COUNT("payment"."id") FROM "payment" GROUP BY 1, 2} ],
	[ 'Odoo', q{SELECT date_trunc('month', timezone('Europe/Brussels', timezone('UTC', "sale"."t"))::timestamp),
		date_part('month', timezone('Europe/Brussels', timezone('UTC', "sale"."t"))::timestamp),
		SUM("sale"."amount"), COUNT(*)
		FROM "sale" WHERE TRUE GROUP BY 1, 2} ],
	[ 'Odoo 19', q{SELECT date_trunc('month', timezone('Europe/Brussels', timezone('UTC',
		"sale"."t"))::timestamp), COUNT(*)
		FROM "sale" GROUP BY GROUPING SETS ((date_trunc('month', timezone('Europe/Brussels',
		timezone('UTC', "sale"."t"))::timestamp)), ())} ],
	[ 'Umami', q{select to_char(date_trunc('day', payment.t at time zone 'Asia/Tokyo'), 'YYYY-MM-DD') x, count(*) y
		from payment where account = 3 and t between '2020-01-01'::timestamptz and
		'2040-01-01'::timestamptz and kind = 'a'
		group by 1 order by 1} ],
	[ 'Umami, heat map', q{select concat(extract(dow from t), ':', to_char(t, 'HH24')) x, count(*) y
		from payment group by 1} ],
	[ 'Laravel Trend', q{select to_char(t, 'YYYY-MM') as date, sum(amount) as aggregate from "payment"
		where "t" between '2020-01-01 00:00:00' and '2040-12-31 23:59:59' group by "date" order by "date" asc} ],
	[ 'Sourcegraph', q{SELECT (DATE_TRUNC('week', TIMEZONE('UTC', t) + '1 day'::interval) -
		'1 day'::interval), COUNT(1)
		FROM payment GROUP BY 1} ],
	[ 'empty buckets', q{SELECT d, coalesce(n, 0) FROM generate_series(date_trunc('day', now() - interval '40 days'),
		now(), '1 day') d LEFT JOIN (SELECT date_trunc('day', t) AS d, count(*) AS n FROM payment GROUP
		BY 1) x USING (d)} ],
	[ 'tiles', q{SELECT sum(amount) FILTER (WHERE t >= now() - interval '7 days'), sum(amount) FILTER (WHERE
		t >= now() - interval '14 days' AND t < now() - interval '7 days') FROM payment} ],
	[ 'a filter by a day', q{SELECT sum(amount), count(*) FROM payment WHERE t::date = current_date - 3} ],
	[ 'filters by a month and a year', q{SELECT count(*) FROM payment WHERE date_trunc('month', t) =
		date_trunc('month', now())
		OR to_char(t, 'YYYY-MM') = '2026-09' OR extract(year from t) = 2026} ],
	[ 'seven days', q{SELECT date_trunc('day', t) AS d, sum(sum(amount)) OVER (ORDER BY date_trunc('day', t)
		ROWS 6 PRECEDING) FROM payment GROUP BY 1} ],
	[ 'a dimension', q{SELECT a.kind, date_trunc('month', t), sum(amount) FROM payment p JOIN account
		a ON a.id = p.account
		GROUP BY ROLLUP (1, 2) HAVING count(*) > 10} ],
	[ 'Metabase, a model', q{SELECT DATE_TRUNC('day', "source"."t") AS "t", SUM("source"."amount")
		FROM (SELECT "payment"."t",
		"payment"."amount" FROM "payment" WHERE "payment"."account" < 5) AS "source"
		GROUP BY DATE_TRUNC('day', "source"."t")} ],
	[ 'a view of a view', q{SELECT a.kind, d, sum(amount) FROM days JOIN account a ON a.id = days.account
		GROUP BY 1, 2} ],
	[ 'a view beside an outer join', q{SELECT d, count(*), count(s.id) FROM (SELECT * FROM sale WHERE id < 9) AS s
		RIGHT JOIN days ON s.account = days.account GROUP BY 1}, 'without a reason' ],
	[ 'its whole row', q{SELECT count(days) FROM days}, 'without a reason' ],
	[ 'a range join', q{SELECT d, count(p.id) FROM generate_series(now() - interval '9 days', now(), '1 day') d
		LEFT JOIN payment p ON p.account = 7 AND p.t >= d AND p.t < d + interval '1 day' GROUP BY d},
		'payment_kept: an outer join adds rows of NULLs to the table\'s' ],
	[ 'visitors', q{SELECT date_trunc('day', t), count(DISTINCT id) FROM payment GROUP BY 1},
		'payment_kept: the definition lacks count(DISTINCT id)' ],
	[ 'CASE in an aggregate', q{SELECT sum(CASE WHEN t >= now() - interval '7 days' THEN amount ELSE 0
		END), count(CASE WHEN t < now() - interval '7 days' THEN id END), sum(CASE WHEN kind = 'a' THEN 1 ELSE 0 END),
		sum(CASE WHEN kind = 'q' THEN amount ELSE 0 END), sum(CASE WHEN kind = 'a' THEN amount END) FROM payment
		WHERE account < 3} ],
	[ 'CASE of a numeric', q{SELECT account, sum(CASE WHEN t < '2000-01-01' THEN amount ELSE 0.0 END), sum(CASE WHEN
		extract(dow FROM t) = 3 THEN amount ELSE 0 END), count(*) FROM sale GROUP BY 1} ],
	[ 'CASE with more digits', q{SELECT sum(CASE WHEN t < '2000-01-01' THEN amount ELSE 0.000 END) FROM sale},
		qr/^sale_kept: the definition lacks sum\(/ ],
	[ 'CASE with another value', q{SELECT sum(CASE WHEN t < '2000-01-01' THEN amount ELSE 1 END) FROM sale},
		qr/^sale_kept: the definition lacks sum\(/ ] );

my $quoted = join ', ', map { "(\$q\$$_->[1]\$q\$)" } @texts;
foreach my $zone ('UTC', 'America/St_Johns')
{
	my @rows = $server->lines("SET timezone = '$zone'; BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT
		reads(q) || '|' || "
		. "(answer(q, 'check') IS NOT DISTINCT FROM answer(q, 'off')) FROM (VALUES $quoted) AS v(q)");
	foreach my $i (0 .. $#texts)
	{
		my ($name, undef, $why) = @{ $texts[$i] };
		my ($read, $same) = $rows[$i] =~ /(.*)\|(.*)/;

		$why //= 'kept';
		like($read, ref $why ? $why : qr/^\Q$why\E$/, "$name, $zone");
		is($same, 'true', "... and the same rows");
	}
}
# ---- a user who may call none of the extension's functions reads the table

my $role = 'scan_sender_' . $$;
$server->lines("CREATE ROLE $role; GRANT SELECT ON payment TO $role; "
	. 'REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA public FROM PUBLIC');
is($server->value("SET scan.kept = force; SET ROLE $role; SELECT count(*) > 0, "
	. 'sum(amount) FILTER (WHERE account = 3) > 0 FROM payment WHERE t < now()'), 't|t',
	'no right to call the functions');
is($server->value("SET scan.kept = force; SET ROLE $role; SELECT count(*) > 0 FROM payment WHERE account = 3 "
	. "AND kind = 'a'"), 't', '... of one partition');
$server->lines('GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA public TO PUBLIC; '
	. "REVOKE ALL ON payment FROM $role; DROP ROLE $role");

# ---- scan.kept = check finds a tree that is wrong, and an expression that a cell has two values of

my $days = q{SELECT date_trunc('day', t), count(*) FROM payment GROUP BY 1};
like(join("\n", $server->lines("SET scan.kept = force; EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) $days")),
	qr/^Starts From: payment_kept \(\d+ cells, \d+ nodes, \d+ deltas, \d+ rows\)$/m, 'EXPLAIN counts the cells');
damage_function($server);
$server->lines("CALL scan_kept_compact('payment_kept'); SELECT damage('payment_kept', 'n', 1)");
foreach my $query ('SELECT account, count(*) FROM payment GROUP BY 1', q{SELECT count(*) FROM
  payment WHERE account = 3 AND kind = 'a'},
	q{SELECT * FROM payment_kept_total(3, 'a')})
{
	like(($server->run("SET scan.kept = 'check'; $query", go_on => 1))[1],
		qr/kept scan "payment_kept" does not agree with its table/, "check: $query");
}
like(($server->run('SELECT scan_kept_same(1, 2)', go_on => 1))[1], qr/has two values of an expression/, 'two values');
is($server->value('SELECT scan_kept_same(1, 1), scan_kept_same(NULL::int, NULL)'), 't|t', 'one value');
is($server->value("SELECT scan_kept_check('payment_kept') > 0"), 't', 'scan_kept_check() mends it');
is($server->value("SET scan.kept = 'check'; SELECT count(*) FROM ($days) AS s") > 50, 1, '... and nothing differs');

# ---- where no kept scan is there, scan_explain() names the call that would serve, and that serves

$server->lines("SELECT scan_unkeep(name::text) FROM scan_kept; ANALYZE");
$server->lines(<<'SQL');
CREATE FUNCTION follow_advice(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE call text; name text; result text; plain text;
BEGIN
  PERFORM set_config('scan.kept', 'force', true);
  SELECT hint INTO call FROM scan_explain(query) WHERE runs_in = 'table';
  IF call IS NULL THEN
    RETURN 'no advice';
  END IF;
  EXECUTE call;
  result := reads(query) || ' ' || (answer(query, 'check') IS NOT DISTINCT FROM answer(query, 'off'))::text;
  PERFORM scan_unkeep(k.name::text) FROM scan_kept AS k;
  RETURN result || ' ' || call;
END $$;
SQL
foreach (@texts)
{
	my ($name, $query, $why) = @$_;
	my $said = $server->value("SET client_min_messages = error; SELECT follow_advice(\$q\$$query\$q\$)");

	# a definition may have what no other one gives
	like($said, qr/^(?:@{[ defined $why ? 'no advice|' : '' ]}kept true SELECT scan_keep\()/, "advice: $name");
}
my $asks = "SELECT hint FROM scan_explain('SELECT t::date, avg(amount), count(*), count(id) FILTER (WHERE kind > "
	. "''a''), max(amount) FROM payment WHERE kind <> ''x'' AND account = 3 GROUP BY 1')";
is($server->value("SET scan.kept = force; $asks"), "SELECT scan_keep('payment_kept', 'SELECT avg(amount) OVER w AS "
		. "avg_1, count(id) FILTER (WHERE (kind > ''a''::text)) OVER w AS count_3, max(amount) OVER w AS max_4 FROM "
		. "payment WHERE (kind <> ''x''::text) WINDOW w AS (PARTITION BY account ORDER BY t)');", 'a definition');
is($server->value("SET scan.kept = auto; SELECT count(*) FROM ($asks) AS s"), 0, 'no advice where it would not pay');
is($server->value("SET scan.kept = off; SELECT count(*) FROM ($asks) AS s"), 0, 'no advice where kept scans are off');
$server->lines(<<'SQL');
CREATE TABLE many (account int NOT NULL, t timestamptz NOT NULL, amount int NOT NULL);
INSERT INTO many SELECT i % 1500, timestamptz '2024-01-01' + i * interval '2 min', i
  FROM generate_series(1, 200000) AS i;
ANALYZE many;
SQL
like($server->value("SET scan.kept = auto; SELECT hint FROM scan_explain('SELECT account, date_trunc(''month'', t), "
		. "sum(amount) FROM many GROUP BY 1, 2')"), qr/PARTITION BY account ORDER BY t\)', '1 day'\);$/,
	'a grain, where partitions have few rows in a bucket');
unlike(join("\n", $server->lines("SET scan.kept = force; $asks; EXPLAIN (VERBOSE, FORMAT JSON) $days")), qr/Advice/,
	'EXPLAIN itself gives none');
# aggregates and conditions of other tables, and of the level above
foreach my $query ('SELECT sum(s.amount) FROM payment AS p, sale AS s WHERE p.t < now()',
	'SELECT sum(s.amount + p.amount) FROM sale AS s JOIN payment AS p USING (account) WHERE p.t < now()',
	'SELECT (SELECT sum(s.amount + p.amount) FROM payment AS p WHERE p.t < now()) FROM sale AS s',
	'SELECT sum(p.amount * (SELECT max(s.account) FROM sale AS s WHERE s.account = p.account)) FROM payment AS p '
		. 'WHERE p.t < now()')
{
	is($server->value("SET scan.kept = force; SELECT count(hint) FROM scan_explain('$query')"), 0, "no advice: $query");
}
is($server->value('SET scan.kept = force; SELECT hint FROM scan_explain(\'SELECT (SELECT count(*) FROM payment AS p '
			. 'WHERE p.t < now() AND p.account > s.account) FROM sale AS s\')'),
	"SELECT scan_keep('payment_kept', 'SELECT count(*) OVER w AS count_1 FROM payment WINDOW w AS (PARTITION BY "
		. "account ORDER BY t)');", 'advice for a correlated level');
$server->lines('CREATE FUNCTION folded() RETURNS int IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN RETURN (SELECT count(*) '
	. 'FROM scan_explain(\'SELECT 1\')); END $$');
is($server->value("SET scan.kept = force; SELECT count(hint) FROM scan_explain('SELECT count(*) FROM payment WHERE "
			. "t < now() AND account > folded()')"), 1, 'advice while scan_explain() calls itself');
done_testing;

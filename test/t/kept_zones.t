# kept_zones.t: each step of a time has one value in a cell of a kept scan, in every zone (src/kept/calendar.c).
#
# Rows whose keys lie around the transitions of a zone from 1900 to 2037, and anywhere between, are counted and added up
# by a step: from cells, and from the table, and both have to be the same.  A cell has one key for all of its rows, so
# a step that had two values in a cell would count rows under the wrong one.
#
#   SCAN_TEST_ALL=1 test/cluster.sh prove -v test/t/kept_zones.t    all zones, transitions and steps: half an hour
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Server;

my $all = $ENV{SCAN_TEST_ALL};
my $seed = $ENV{SCAN_TEST_SEED} // 20261130;
my $server = Server->new('kept_zones');
srand $seed;

sub any { return $_[ rand @_ ] }
sub some_of { my $n = shift; return $all ? @_ : map { splice @_, rand @_, 1 } 1 .. ($n < @_ ? $n : @_) }
sub quoted { return "'" . ($_[0] =~ s/'/''/gr) . "'" }

# ---- the steps; %z stands for the zone, which the session has, too

my @units = qw(minute hour day week month quarter year decade century millennium);
my @fields = qw(minute hour day dow isodow doy week isoyear month quarter year decade century millennium);
my @formats = ('YYYY-MM-DD', 'YYYY-MM', 'HH24', 'IYYY-IW', 'Dy', 'AM', 'DDD', 'Q', 'J', 'WW', 'hh:mi', 'ID IDDD', 'CC');
my @numbers = (1, 0.5, 60, 900.25, 3600, 86400, 604800, 2.592e6, 1e9);
my $local = '(at AT TIME ZONE %z)';
my @movers = ("at + interval '1 day'", "at - interval '1 day 2 hours'", "at + interval '-36:00'",
	"$local + interval '6 days'", "$local - interval '14400 second'", "$local AT TIME ZONE 'UTC'",
	"$local AT TIME ZONE %z",
	"at AT TIME ZONE 'UTC' AT TIME ZONE %z", "$local\::timestamptz", "at::timestamp::timestamptz + interval '1 day'",
	"(at - interval '1 day 00:30') + interval '1 day'");

# The steps of a time, that of a key in a zone among them; date_bin() has an origin of each type by itself.
sub steps_of
{
	my ($x) = @_;
	return ((map { "date_trunc('$_', $x)" } @units), (map { "extract($_ FROM $x)" } @fields), "$x\::date",
		(map { "to_char($x, '$_')" } @formats), (map { "floor(extract(epoch FROM $x) / $_)" } @numbers),
		(map { "date_bin('$_', $x, '2000-01-03 00:00:07.000001')" } '15 minutes', '7 hours', '1 day',
			'10 days 00:00:01'));
}

# at the ends of daylight saving time, and far from all
my @instants = ('2010-11-07 02:31Z', '2024-10-27 01:00Z', '2024-03-31 01:00Z', '2024-04-06 15:00Z', '2011-12-30 10:00Z',
	'1945-05-24 00:00Z', '1970-01-01 00:00Z', '1883-11-18 17:00Z', '2100-01-01 00:00Z', '-infinity');

# weeks that begin on Thursday
sub week_of
{
	my ($x) = @_;
	return "date_trunc('day', $x - interval '1 day' * ((13 - 4 + extract(dow FROM $x)::int) % 7))";
}

my %steps = (
	timestamptz => [ steps_of('at'), steps_of($local), week_of($local), week_of("($local - interval '3 hours')"),
		(map { "date_trunc('$_', at, %z)" } @units),
		map { ("date_trunc('day', $_)", "date_trunc('hour', $_)", "extract(dow FROM $_)", "($_)::date") } @movers ],
	timestamp => [ steps_of($local), week_of('at'), (map { "date_trunc('$_', at::timestamptz)" } @units),
		map { ("date_trunc('day', $_)", "date_trunc('hour', $_)", "extract(hour FROM $_)") } "timezone(%z, $local)",
		"at + interval '1 day'", "timezone(%z, timezone('UTC', at))", "at::timestamptz - interval '1 day 1 hour'",
		"$local + interval '1 day'" ],
	# a timestamp and an instant are compared in the session's zone
	instant => [ map { my $time = $_; map { "$_ timestamptz '$time'" } 'at <', 'at >=', 'at =',
			"at + interval '1 day 02:00' >", "timezone('UTC', at)::timestamp <=" } @instants ],
	date => [ (map { "date_trunc('$_', at)" } @units), map { ("date_trunc('day', $_)", "date_trunc('month', $_)",
				"extract(hour FROM $_)", "to_char($_, 'YYYY-MM-DD HH24')") } "at::timestamptz AT TIME ZONE 'UTC'",
		"at::timestamptz AT TIME ZONE 'UTC' AT TIME ZONE %z", "at + interval '11:30'",
		"at::timestamptz + interval '1 day'" ]);

# ---- the rows

$server->lines("ALTER DATABASE $server->{database} SET jit = off; "
	. "ALTER DATABASE $server->{database} SET max_parallel_workers_per_gather = 0");
$server->lines(<<'SQL');
-- the seconds at which the offset of a zone changes
CREATE FUNCTION transitions(zone text) RETURNS SETOF timestamptz LANGUAGE plpgsql AS $$
DECLARE low bigint; high bigint; was interval;
BEGIN
  FOR low, high, was IN SELECT extract(epoch FROM last)::bigint, extract(epoch FROM at)::bigint, before FROM (SELECT at,
    lag(at) OVER w AS last, here, lag(here) OVER w AS before FROM (SELECT at, (at AT TIME ZONE zone) -
    (at AT TIME ZONE 'UTC') AS here FROM generate_series(timestamptz '1900-01-01 00:00Z', '2037-12-31 00:00Z', '7 days')
    AS at) AS a WINDOW w AS (ORDER BY at)) AS b WHERE here <> before LOOP
    WHILE high - low > 1 LOOP
      IF (to_timestamp((low + high) / 2) AT TIME ZONE zone) - (to_timestamp((low + high) / 2) AT TIME ZONE 'UTC') = was
      THEN low := (low + high) / 2; ELSE high := (low + high) / 2; END IF;
    END LOOP;
    RETURN NEXT to_timestamp(high);
  END LOOP;
END $$;
-- what differs between cells and table, and whether cells were read
CREATE FUNCTION law(t text, zone text, step text, condition text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE cells text; rows text; q text; line text; plan text := '';
BEGIN
  PERFORM set_config('TimeZone', zone, false);
  q := format('SELECT array_agg(r ORDER BY r::text) FROM (SELECT %s, count(*), sum(x) FROM %s WHERE %s GROUP BY 1) r',
    replace(step, '%z', quote_literal(zone)), t, condition);
  PERFORM set_config('scan.kept', 'off', false);
  EXECUTE q INTO rows;
  PERFORM set_config('scan.kept', 'force', false);
  EXECUTE q INTO cells;
  IF cells IS DISTINCT FROM rows THEN
    RETURN 'DIFFERENT';
  END IF;
  FOR line IN EXECUTE 'EXPLAIN ' || q LOOP
    plan := plan || line;
  END LOOP;
  RETURN CASE WHEN plan LIKE '%scan_kept_cells%' THEN 'kept' ELSE 'table' END;
EXCEPTION WHEN OTHERS THEN
  RETURN 'ERROR ' || SQLERRM;
END $$;
SET timezone = 'UTC';
CREATE TABLE of_timestamptz (zone text NOT NULL, at timestamptz NOT NULL, x int NOT NULL);
CREATE TABLE of_timestamp (zone text NOT NULL, at timestamp NOT NULL, x int NOT NULL);
CREATE TABLE of_date (zone text NOT NULL, at date NOT NULL, x int NOT NULL);
SQL

# Zones with something odd, and others; POSIX's and abbreviations are no names, but zones.
my @odd = qw(UTC Europe/Berlin Europe/Dublin Europe/Amsterdam America/New_York America/St_Johns America/Caracas
	America/Sao_Paulo America/Nuuk Asia/Kolkata Asia/Kathmandu Asia/Pyongyang Asia/Gaza Asia/Tehran Asia/Manila
	Africa/Casablanca Africa/Monrovia Africa/Cairo Australia/Lord_Howe Australia/Eucla Pacific/Apia Pacific/Kwajalein
	Pacific/Chatham Pacific/Kiritimati Antarctica/Troll Antarctica/Casey Europe/Moscow EST5EDT);
my %odd = map { $_ => 1 } @odd;
my @zones = (@odd, some_of(26, grep { !$odd{$_} && !m{^posix/|^right/|^posixrules|^Factory|^localtime} }
		$server->lines('SELECT name FROM pg_timezone_names ORDER BY 1')), '<+05>-5', 'EST5EDT,M3.2.0,M11.1.0/1',
	'<-0330>3:30', 'AAA-100BBB+100,M3.2.0,M11.1.0');
my ($transitions, $elsewhere) = $all ? (100000, 3000) : (10, 60);
splice @zones, 10, -8 if $ENV{SCAN_TEST_PART};

foreach my $zone (@zones)
{
	my $z = quoted($zone);
	$server->{script} .= <<"SQL";
INSERT INTO of_timestamptz WITH t AS MATERIALIZED (SELECT t FROM transitions($z) AS t ORDER BY hashtext(t::text)
    LIMIT $transitions), d AS (SELECT unnest(ARRAY['0', '-0.000001', '0.000001', '1', '-1', '-30 min', '30 min',
    '1 hour', '-1 hour', '-1 hour -0.000001', '2 hours', '-2 hours', '3 hours', '-1 day', '1 day']::interval[]) AS d),
  keys AS (SELECT t + d AS at FROM t, d
  UNION ALL SELECT (date_trunc(u, t AT TIME ZONE $z) + k * ('1 ' || u)::interval) AT TIME ZONE $z + d FROM t,
    unnest(ARRAY['hour', 'day', 'month']) AS u, generate_series(0, 1) AS k,
    unnest(ARRAY['0', '-0.000001']::interval[]) AS d
  UNION ALL SELECT timestamptz '1900-01-01 00:00Z' + i::bigint * 7919777 % 4354819200 * interval '1 second'
    FROM generate_series(1, $elsewhere) AS i)
SELECT $z, at, row_number() OVER () FROM keys;
SQL
}
# times of the zone, as they are shown there
$server->lines("SET timezone = 'UTC'; $server->{script}" . <<'SQL');
INSERT INTO of_timestamp SELECT zone, at AT TIME ZONE zone, x FROM of_timestamptz;
INSERT INTO of_date SELECT zone, (at AT TIME ZONE zone)::date + x % 2, x FROM of_timestamptz;
CREATE INDEX ON of_timestamptz (zone, at);
CREATE INDEX ON of_timestamp (zone, at);
CREATE INDEX ON of_date (zone, at);
SELECT scan_keep('kept_' || t, format('SELECT sum(x) OVER w AS s, count(*) OVER w AS n FROM of_%s
  WINDOW w AS (PARTITION BY zone ORDER BY at)', t)) FROM unnest(ARRAY['timestamptz', 'timestamp', 'date']) AS t;
SQL

# ---- the law

sub obeyed
{
	my ($what, @laws) = @_;
	my ($out) = $server->run("LOAD 'scan'; SET jit = off;\n"
		. join('', map { my ($t, $zone, $step, $condition) = map { quoted($_) } @$_; "SELECT law($t, $zone, $step, "
				. "$condition);\n" } @laws), go_on => 1);
	my @verdicts = split /\n/, $out;
	is(scalar @verdicts, scalar @laws, "$what: " . @laws . ' sums by a step');
	my @wrong = grep { $verdicts[$_] !~ /^kept$/ } 0 .. $#verdicts;
	is(scalar @wrong, 0, "$what: from cells as from the table")
		or diag(map { "$laws[$_][0], $laws[$_][1]: $laws[$_][2]: $verdicts[$_]\n" }
			@wrong[ 0 .. ($#wrong < 9 ? $#wrong : 9) ]);
	return;
}

foreach my $type (sort keys %steps)
{
	my %some = (date => 6, instant => 8, timestamp => 8, timestamptz => 20);
	my $t = $type =~ s/instant/timestamp/r;
	obeyed("zones, $type", map { my $zone = $_; map { [ "of_$t", $zone, $_, "zone = " . quoted($zone) ] }
			some_of($some{$type}, @{ $steps{$type} }) } @zones);
}

# an abbreviation that stands for several offsets is another one to AT TIME ZONE than to date_trunc()
obeyed('MSK', map { [ 'of_timestamptz', 'Europe/Moscow', s/%z/'MSK'/gr, "zone = 'Europe/Moscow'" ] }
		grep { /%z/ } @{ $steps{timestamptz} });

# ---- nodes: rows so dense that nodes lie between the cuts

my @dense = ([ 'Europe/Berlin', '2024-10-27 01:00Z' ], [ 'America/St_Johns', '2010-11-07 02:31Z' ],
	[ 'Australia/Lord_Howe', '2024-10-05 15:30Z' ], [ 'Pacific/Apia', '2011-12-30 10:00Z' ],
	[ 'Africa/Casablanca', '2024-03-10 02:00Z' ], [ 'America/Caracas', '2016-05-01 07:00Z' ],
	[ 'Antarctica/Troll', '2024-03-31 01:00Z' ], [ 'America/Sao_Paulo', '2018-11-04 03:00Z' ],
	[ 'Asia/Pyongyang', '2018-05-04 15:00Z' ], [ 'Europe/Amsterdam', '1937-06-30 23:40:28Z' ]);
foreach my $i (0 .. $#dense)
{
	my ($zone, $at) = @{ $dense[$i] };
	# every 3 seconds for three hours around the transition, in hundreds of seconds several rows on each key
	$server->lines(<<"SQL");
SET timezone = 'UTC';
CREATE TABLE dense_$i AS SELECT '$at'::timestamptz + (i - 3600) * interval '3 seconds' AS at, i AS x
  FROM generate_series(0, 7199) AS i, generate_series(0, i / 100 % 2);
ALTER TABLE dense_$i ALTER at SET NOT NULL;
CREATE INDEX ON dense_$i (at);
SELECT scan_keep('kept_dense_$i', 'SELECT sum(x) OVER w AS s, count(*) OVER w AS n FROM dense_$i '
  'WINDOW w AS (ORDER BY at)');
SQL
	obeyed("nodes, $zone", map { [ "dense_$i", $zone, $_, 'true' ] } some_of(30, @{ $steps{timestamptz} }));
	my ($plan) = $server->run("LOAD 'scan'; SET scan.kept = force; EXPLAIN (ANALYZE, COSTS OFF) "
		. "SELECT date_trunc('hour', at AT TIME ZONE '$zone'), sum(x) FROM dense_$i GROUP BY 1");
	my ($nodes) = $plan =~ /Starts From: kept_dense_$i \((?:\d+ cells, )?(\d+) nodes/;
	cmp_ok($nodes // 0, '>=', 6, "nodes, $zone: " . ($nodes // 'none'));
}

# ---- keys that are far from all others: no search for the end of an interval may leave the numbers that there are

$server->lines(<<'SQL');
SET timezone = 'UTC';
CREATE TABLE far AS SELECT (ARRAY['infinity', '-infinity', '294276-12-31 23:59:59.999999', '4713-01-01 BC',
  '290000-01-01', '150000-01-01', '140000-01-01', '2024-01-01']::timestamptz[])[i % 8 + 1]
  + i / 2000 * interval '1 minute' AS at, i AS x FROM generate_series(1, 4000) AS i WHERE i % 8 <> 2 OR i < 2000;
ALTER TABLE far ALTER at SET NOT NULL;
SELECT scan_keep('kept_far', 'SELECT sum(x) OVER w AS s, count(*) OVER w AS n FROM far WINDOW w AS (ORDER BY at)');
SQL
# movers of the last microseconds that there are raise an error
$server->lines("ALTER DATABASE $server->{database} SET statement_timeout = '20s'");
obeyed('far', map { [ 'far', 'UTC', $_, 'true' ] }
		grep { /epoch FROM at\)|^date_trunc\('[mhqyw]\w+', at\)/ && !/millennium/ } @{ $steps{timestamptz} });
obeyed('less far', map { [ 'far', 'Asia/Kolkata', $_, "at BETWEEN '4712-01-01 BC' AND '290001-01-01'" ] }
		some_of(30, @{ $steps{timestamptz} }));

# what no call has room for, and values that no interval follows, are answered as by stock PostgreSQL
$server->lines(<<'SQL');
CREATE TABLE most (at bigint NOT NULL, x int);
INSERT INTO most SELECT i * 7 - 3000, i FROM generate_series(1, 3000) AS i;
INSERT INTO most SELECT -9223372036854775807 - i % 2, i FROM generate_series(1, 3) AS i;
CREATE TABLE times AS SELECT timestamptz '2024-01-01' + at % 1000 * interval '1 hour' AS at, x FROM most;
ALTER TABLE times ALTER at SET NOT NULL;
SELECT scan_keep('kept_' || t, format('SELECT sum(x) OVER w AS s, count(*) OVER w AS n FROM %I '
  'WINDOW w AS (ORDER BY at)', t)) FROM unnest('{most,times}'::text[]) AS t;
SQL
foreach my $query (
	'SELECT ' . join(', ', map { "count(*) FILTER (WHERE at >= $_)" } 1 .. 120) . ' FROM most',
	'SELECT ' . join(', ', map { "count(*) FILTER (WHERE at >= $_)" } 1 .. 94) . ' FROM most',
	'SELECT at / (-9223372036854775808)::bigint, sum(x) FROM most GROUP BY 1 ORDER BY 1',
	'SELECT floor(extract(epoch FROM at) / 1e400), sum(x) FROM times GROUP BY 1 ORDER BY 1')
{
	my ($kept, $core) = map { join "\n", $server->lines("LOAD 'scan'; SET scan.kept = $_; $query") } qw(force off);
	is($kept, $core, substr $query, 0, 70);
}

done_testing;

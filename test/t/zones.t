# zones.t: a gap between moments adds by the calendar of the time zone, as PostgreSQL's `previous + gap` does.
#
# scan_session, scan_locf and scan_nocb with an age and scan_interpolate with a limit share one comparison of moments
# (src/functions/window/at.c).  They are tried about every transition of every zone that the server knows: the files of
# the zones say when the offset from UTC changes.  From each moment the later one is the end of the gap, or a
# microsecond after it, so an answer is wrong if the comparison is.  Zones have skipped a day (Apia 2011, Kwajalein
# 1993, Manila 1844), had one twice (Kwajalein 1969), and moved by hours (Casey).
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Server;

my $server = Server->new('zones');

# ---- the transitions

my $share = `@{[ $ENV{PG_CONFIG} // 'pg_config' ]} --sharedir`;
chomp $share;
my ($folder) = grep { -e "$_/Pacific/Apia" } "$share/timezone", '/usr/share/zoneinfo';
plan skip_all => 'the files of the time zones are not on this machine' unless defined $folder;

# Returns the transitions in a file, in seconds since 1970: [time, offset before, offset after].
sub transitions
{
	my ($content) = @_;
	# the header: magic, version, 15 bytes, six counts.
	# A second one with times of 64 bits follows the block of the first.
	my ($utc, $standard, $leaps, $times, $types, $letters) = unpack 'x20 N6', $content;
	my $second = substr $content, 44 + 5 * $times + 6 * $types + $letters + 8 * $leaps + $standard + $utc;
	return () if $content !~ /^TZif[23456789]/ || $second !~ /^TZif/;
	($utc, $standard, $leaps, $times, $types, $letters) = unpack 'x20 N6', $second;
	my @at = unpack "x44 q>$times", $second;
	my @kind = unpack "x@{[ 44 + 8 * $times ]} C$times", $second;
	my @offset = map { unpack 'x' . (44 + 9 * $times + 6 * $_) . ' l>', $second } 0 .. $types - 1;
	return grep { $_->[1] != $_->[2] }
		map { [ $at[$_], $offset[ $_ == 0 ? 0 : $kind[ $_ - 1 ] ], $offset[ $kind[$_] ] ] } 0 .. $#at;
}

# Zones of one content have one test.
my (%zone, @rows, $lost);
for my $name ($server->lines('SELECT name FROM pg_timezone_names ORDER BY name'))
{
	my $content;
	$lost++, next unless open my $in, '<:raw', "$folder/$name";
	{ local $/; $content = <$in> }
	next if $zone{$content}++;
	# what lies before the range of timestamptz is no transition, but a mark that some files begin with
	push @rows,
		map { "$name\t$_->[0]\t" . ($_->[2] - $_->[1]) } grep { $_->[0] > -100_000_000_000 } transitions($content);
}
cmp_ok($lost // 0, '==', 0, 'every zone has its file');
cmp_ok(scalar keys %zone, '>', 200, scalar(keys %zone) . ' zones');
cmp_ok(scalar @rows, '>', 10000, scalar(@rows) . ' transitions');
cmp_ok(scalar(grep { abs((split /\t/)[2]) > 4 * 3600 } @rows), '>=', 8, '... some by more than four hours');

# ---- the cases

# Each is three rows, a segment of its own: twice the first moment, then the later one.  A transition by more than
# three hours is tried from every start and with every gap, another one with some of them in turn.  A gap of mixed signs
# may lead backwards across a transition.  It then separates different moments, and not a moment from itself.
my $rows = join '', map { "$_\n" } @rows;
$server->lines(<<"SQL");
CREATE TABLE transition (zone text, at float8, jump int);
COPY transition FROM STDIN;
$rows\\.
CREATE TABLE span AS SELECT row_number() OVER () AS g, span FROM unnest('{1 day,2 days,3 days,7 days 01:00,1 month,1 '
  'month 1 day,1 month -27 days,-1 day 30:00,2 days -24:00,40 days -1 month}'::interval[]) AS span;
CREATE TABLE delta AS SELECT row_number() OVER () AS d, delta
  FROM unnest('{-25:00,-12:00,-01:00,-00:00:00.000001,00:00,00:30,11:59:59,23:00,49:00}'::interval[]) AS delta;
CREATE TABLE tried (zone text, cases bigint, apart bigint, session bigint, locf bigint, nocb bigint,
  interpolate bigint);
CREATE FUNCTION try(the_zone text) RETURNS void LANGUAGE plpgsql AS \$\$
BEGIN
  PERFORM set_config('TimeZone', the_zone, true);
  INSERT INTO tried
  WITH started AS (
    SELECT g, span, d, to_timestamp(at) - extract(epoch FROM span) * interval '1 second' + delta AS start
    FROM (SELECT *, row_number() OVER (ORDER BY at) AS i FROM transition WHERE zone = the_zone) AS t, span, delta
    WHERE abs(jump) > 10800 OR (i + 3 * g + d) % 30 = 0
  ), ended AS (
    SELECT *, start + span AS stop FROM started
  ), cases AS (
    SELECT row_number() OVER () AS n, *, greatest(start, stop + more * interval '1 microsecond') AS later
    FROM ended, generate_series(0, 1) AS more
  ), answered AS (
    SELECT k, later > greatest(start, start + span) AS apart,
           scan_session(at, span, k = 1) OVER w AS session,
           scan_locf(CASE k WHEN 1 THEN 1 END, at, span, k = 1) OVER w AS locf,
           scan_nocb(CASE k WHEN 3 THEN 1 END, at, span, k = 1) OVER w AS nocb,
           scan_interpolate(CASE WHEN k <> 2 THEN 1 END, at, span, k = 1) OVER w AS interpolate
    FROM (SELECT *, CASE WHEN k < 3 THEN start ELSE later END AS at FROM cases, generate_series(1, 3) AS k) AS r
    WINDOW w AS (PARTITION BY g ORDER BY n, k)
  )
  SELECT the_zone, count(*) FILTER (WHERE k = 1), count(*) FILTER (WHERE k = 1 AND apart),
         count(*) FILTER (WHERE k = 3 AND (session = 2) IS DISTINCT FROM apart),
         count(*) FILTER (WHERE k = 3 AND (locf IS NULL) <> apart),
         count(*) FILTER (WHERE k < 3 AND (nocb IS NULL) <> apart),
         count(*) FILTER (WHERE k = 2 AND (interpolate IS NULL) <> apart)
  FROM answered;
END \$\$;
SQL
$server->lines("ANALYZE; SET jit = off; SELECT count(try(zone)) FROM (SELECT DISTINCT zone FROM transition) AS z");
my ($zones, $cases, $apart) = split /\|/, $server->value('SELECT count(*), sum(cases), sum(apart) FROM tried');
cmp_ok($zones, '>', 200, "$zones zones have transitions");
cmp_ok($cases, '>', 100_000, "$cases cases");
cmp_ok($apart / $cases, '>', 0.3, '... of which many are apart');
cmp_ok($apart / $cases, '<', 0.7, '... and many are not');
for my $function (qw(session locf nocb interpolate))
{
	is(join(', ', $server->lines("SELECT zone || ' ' || $function FROM tried WHERE $function > 0 ORDER BY zone")), '',
		"scan_$function: cases of a zone that differ from PostgreSQL's");
}

# ---- those that everybody knows

my @known = (
	[ 'Pacific/Apia', '2011-12-29 12:00', '2011-12-31 12:00', '2 days' ],
	[ 'Pacific/Kwajalein', '1993-08-20 12:00', '1993-08-22 12:00', '2 days' ],
	[ 'Antarctica/Casey', '1969-01-01 00:30', '1969-01-01 18:00', '1 day' ],
	[ 'Asia/Manila', '1844-12-30 12:00', '1845-01-01 12:00', '2 days' ]);
for (@known)
{
	my ($zone, $from, $to, $gap) = @$_;
	is($server->value("SET timezone = '$zone'; SELECT string_agg((s = 1 + (at > timestamptz '$from' + interval "
			. "'$gap')::int)::text, ' ' ORDER BY at) FROM (SELECT at, scan_session(at, '$gap') OVER (ORDER BY at) AS s "
			. "FROM unnest(ARRAY['$from', '$to']::timestamptz[]) AS at) AS t"), 'true true',
		"$zone: from $from to $to, gap $gap");
}
done_testing();

# kept_equal.t: values of PARTITION BY that are equal and not the same: a kept scan answers what does not tell them
# apart (kept_question_tells_apart() in src/kept/question_column.c), and nothing else.
#
# Each query runs with scan.kept = off, auto and force; the results have to be the same, and EXPLAIN under force tells
# whether a kept scan was read.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Server;

my $server = Server->new('kept_equal');
my $citext = $server->value("SELECT count(*) FROM pg_available_extensions WHERE name = 'citext'");
my $icu = $server->value("SELECT count(*) FROM pg_collation WHERE collprovider = 'i'");
my $name = $citext ? 'citext' : 'text';
$server->lines(<<"SQL");
SET client_min_messages = warning;
@{[ $citext ? 'CREATE EXTENSION citext;' : '' ]}
CREATE DOMAIN price AS numeric;
CREATE DOMAIN code AS char(3);
CREATE TABLE item (id int NOT NULL, g int, p numeric, f float8, i interval, b bpchar, c char(3), a numeric[], d price,
  e code, n $name, x text, t int NOT NULL, v int);
-- each third row looks different
INSERT INTO item SELECT i, i % 2, CASE WHEN i % 3 = 0 THEN 1.0 ELSE 1.00 END,
  CASE WHEN i % 3 = 0 THEN '-0' ELSE '0' END::float8, CASE WHEN i % 3 = 0 THEN '1 day' ELSE '24 hours' END::interval,
  CASE WHEN i % 3 = 0 THEN 'a' ELSE 'a  ' END, CASE WHEN i % 4 = 0 THEN 'b' ELSE 'ab' END,
  CASE WHEN i % 3 = 0 THEN '{1.0}' ELSE '{1.00}' END::numeric[], CASE WHEN i % 3 = 0 THEN 1.0 ELSE 1.00 END,
  CASE WHEN i % 4 = 0 THEN 'b' ELSE 'ab' END,
  CASE WHEN i % 3 = 0 THEN 'Abc' ELSE 'aBC' END, CASE WHEN i % 3 = 0 THEN 'Abc' ELSE 'aBC' END, i, 1
  FROM generate_series(1, 6000) AS i;
INSERT INTO item SELECT 10000 + i, 0, 2, 2, '2 days', 'b', 'c', '{2}', 2, 'c', 'b', 'b', i, 1
  FROM generate_series(1, 300) AS i;
CREATE UNIQUE INDEX ON item (id);
@{[ map {; "CREATE INDEX ON item ($_, t);" } qw(p f i b c a d e n x), 'g, p' ]}
ANALYZE item;
@{[ map { my ($c) = @$_;
  "SELECT scan_keep('by_$c', 'SELECT sum(v) OVER w AS total, count(*) OVER w AS entries FROM item "
    . "WINDOW w AS (PARTITION BY $_->[1] ORDER BY t)');"
  } (map { [ $_, $_ ] } qw(p f i b c a d e n x)), [ 'gp', 'g, p' ], [ 'idp', 'id, p' ] ]}
CREATE FUNCTION answer(query text) RETURNS text LANGUAGE plpgsql AS \$\$
DECLARE y text;
BEGIN
  EXECUTE 'SELECT string_agg(r::text, '' '' ORDER BY r::text) FROM (' || query || ') AS r' INTO y;
  RETURN coalesce(y, 'no row');
EXCEPTION WHEN OTHERS THEN
  RETURN SQLERRM;
END \$\$;
CREATE FUNCTION compared(query text) RETURNS text LANGUAGE plpgsql AS \$\$
DECLARE plain text; kept text; line text; plan text := '';
BEGIN
  PERFORM set_config('scan.kept', 'off', false);
  plain := answer(query);
  FOREACH line IN ARRAY '{auto,force}'::text[] LOOP
    PERFORM set_config('scan.kept', line, false);
    kept := answer(query);
    IF kept IS DISTINCT FROM plain THEN
      RETURN format('%s: %s, not %s', line, left(kept, 200), left(plain, 200));
    END IF;
  END LOOP;
  FOR line IN EXECUTE 'EXPLAIN (VERBOSE) ' || query LOOP
    plan := plan || line;
  END LOOP;
  RETURN coalesce((SELECT string_agg(DISTINCT m[1], ' ')
    FROM regexp_matches(plan, 'scan_kept_(part|cells|running)', 'g') AS m), 'plain');
END \$\$;
SQL

sub compared
{
	my ($expected, @queries) = @_;
	is($server->value("LOAD 'scan'; SELECT compared(\$q\$$_\$q\$)"), $expected, $_) foreach @queries;
}

# the conditions of one partition: how it is named, and what tells its values apart
my %partition = (
	p => { is => [ 'p = 1', '1.000 = p', 'p = ANY (ARRAY[1, 1.0])' ],
		kept => [ 'p < 2', 'p <> 2', 'p IS NOT NULL', 'p IS DISTINCT FROM 2', 'p IS NOT DISTINCT FROM 1.00',
			'NOT (p = 2 OR p IS NULL)', 'CASE WHEN p = 1 THEN true END' ],
		apart => [ 'scale(p) = 1', "p::text = '1.0'", 'scale(p) > 1', "p::text || '' < '1.00'",
			'CASE p WHEN 1 THEN scale(p) = 1 END', 'ROW(p)::text = \'(1.0)\'', 'coalesce(p, 5)::text = \'1.0\'',
			'nullif(p, 2)::text = \'1.0\'', 'p::float8::text || p::text = \'11.0\'' ] },
	f => { is => ["f = '0'"], kept => [ 'f >= 0', "f <> 'NaN'", 'f < 2::float4' ],
		apart => [ "f::text = '-0'", 'atan2(f, -1) < 0' ] },
	i => { is => ["i = '1 day'"], kept => ["i < '25 hours'"],
		apart => [ "i::text = '1 day'", "justify_hours(i)::text = i::text", "extract(day FROM i) = 1" ] },
	b => { is => ["b = 'a '"], kept => ["b < 'b'"], apart => [ "octet_length(b) = 1", "b LIKE 'a'" ] },
	a => { is => ["a = '{1}'"], kept => [ "a < '{2}'", "a <> '{2}'" ],
		apart => [ "a::text = '{1.0}'", "a[1]::text = '1.0'", 'scale(a[1]) = 1' ] },
	d => { is => [ "d = 1", 'd = ANY (ARRAY[1, 1.0])' ], kept => [ 'd < 2', 'd <> 2.0' ],
		apart => [ 'scale(d) = 1', "d::text = '1.0'" ] },
	e => { is => ["e = 'ab'"], kept => ["e < 'b'"], apart => ["e LIKE 'ab'"] },
	c => { is => [ "c = 'ab'", "c = 'ab    '" ], kept => [ "c < 'b'", "c IN ('ab', 'abcdef')" ],
		apart => [ "octet_length(c) = 3", "c LIKE 'ab '" ] },
	$citext ? (n => { is => ["n = 'ABC'"], kept => [ "n <> 'b'", "n < 'b'" ],
			apart => [ "n::text = 'Abc'", "n::text COLLATE \"C\" < 'a'", "n::text IN ('Abc', 'b')" ] }) : (),
	x => { is => [ "x = 'Abc'", "x = ANY ('{Abc,b}')" ], kept => [ "length(x) = 3", "x COLLATE \"C\" = 'Abc'" ],
		apart => [ $icu ? ("x = 'ABC' COLLATE ci", "x = ANY ('{ABC}' COLLATE ci)") : () ] });
$server->lines("CREATE COLLATION ci (provider = icu, locale = 'und-u-ks-level2', deterministic = false)") if $icu;

foreach my $c (sort keys %partition)
{
	my %of = %{ $partition{$c} };
	my $window = "SELECT id, t, sum(v) OVER (PARTITION BY $c ORDER BY t) AS s FROM item";
	compared('part', map {; "SELECT sum(v), count(*) FROM item WHERE $_ AND t < 4000" } grep { !/ANY/ } @{ $of{is} });
	compared('plain', map {; "SELECT sum(v), count(*) FROM item WHERE $of{is}[0] AND $_" } @{ $of{apart} })
		if $c ne 'x';
	compared('running', map {; "SELECT id, s FROM ($window WHERE $_) AS w WHERE t >= 5997" } @{ $of{is} },
		@{ $of{kept} });
	compared('plain', map {; "SELECT id, s FROM ($window WHERE $_) AS w WHERE t >= 5997" } @{ $of{apart} })
		if $c ne 'x';
	# core evaluates a condition of the level above below the window, if it is one of PARTITION BY
	my $shown = $window =~ s/id,/id, $c,/r;
	compared('running', map {; "SELECT id, s FROM ($shown) AS w WHERE $_ AND t >= 5997",
			"SELECT id, s FROM ($shown) AS w WHERE $_ ORDER BY t DESC LIMIT 3" } @{ $of{is} }, @{ $of{kept} });
	compared('plain', map {; "SELECT id, s FROM ($shown) AS w WHERE $_ AND t >= 5997",
			"SELECT id, s FROM ($shown) AS w WHERE $_ ORDER BY t DESC LIMIT 3" } @{ $of{apart} }) if $c ne 'x';
	my $exact = $c eq 'x';
	compared($exact ? 'cells' : 'plain', "SELECT $c, $c\::text AS y, sum(v), count(*) FROM item GROUP BY $c", map {;
			"SELECT $c, $c\::text AS y, octet_length($c\::text) AS l, sum(v), count(*) FROM item WHERE $_ GROUP BY $c" }
		@{ $of{is} }, @{ $of{kept} });
	compared('plain', map {; "SELECT $c, sum(v), count(*) FROM item WHERE $_ GROUP BY $c" } @{ $of{apart} })
		if $c ne 'x';
	compared('cells', map {
		my $w = $_;
		map {; "SELECT x, sum(v), count(*) FROM item WHERE $w GROUP BY x" } 1
	} @{ $of{apart} }) if $c eq 'x';
}

# a column that GROUP BY leaves out, since it has one value
compared('cells', "SELECT g, sum(v), count(*) FROM item WHERE p = 1 GROUP BY g",
	"SELECT g, sum(v), count(*) FROM item WHERE p = 1 AND p IS NOT NULL GROUP BY g",
	"SELECT g, sum(v) FROM item WHERE p = 1.0 AND g <> 1 GROUP BY g HAVING count(*) > 10");
compared('plain', "SELECT g, sum(v), count(*) FROM item WHERE p = 1 AND scale(p) = 1 GROUP BY g",
	"SELECT g, sum(v), count(*) FROM item WHERE p = 1 AND scale(p) = 2 GROUP BY g",
	"SELECT g, sum(v) FROM item WHERE p = 1 AND g + scale(p) = 2 GROUP BY g",
	"SELECT g, p, sum(v) FROM item WHERE p = 1 GROUP BY g, p");
compared('plain', "SELECT DISTINCT p, sum(v) OVER (PARTITION BY p) FROM item",
	"SELECT DISTINCT g, p, count(*) FROM item GROUP BY g, p");
$server->lines('ALTER TABLE item ADD PRIMARY KEY (id)');
compared('plain', "SELECT id, p, sum(v) FROM item WHERE p = 1 AND id < 10 GROUP BY id",
	"SELECT id, sum(v) FROM item WHERE p = 1 AND id < 10 GROUP BY id HAVING scale(p) = 1");

# levels above a window whose conditions core moves below it, in every way that it has
my $window = "(SELECT id, p, t, sum(v) OVER (PARTITION BY p ORDER BY t) AS s FROM item) AS w";
compared('running', "SELECT * FROM $window WHERE p = 1 AND t >= 5997",
	"SELECT * FROM $window JOIN (VALUES (1.000)) AS j(q) ON j.q = w.p WHERE t >= 5997",
	"SELECT * FROM (SELECT id, s, t FROM $window) AS y WHERE t >= 5997",
	"SELECT scale(p), s FROM $window WHERE t >= 5997",
	"SELECT * FROM (SELECT * FROM $window WHERE p = 1 ORDER BY t DESC LIMIT 3) AS y",
	"SELECT * FROM (SELECT DISTINCT p > 1 AS q, s FROM $window WHERE t >= 5997) AS y WHERE q",
	"SELECT * FROM $window WHERE p = (SELECT 1) AND t >= 5997");
compared('plain', "SELECT * FROM $window JOIN (VALUES (1)) AS j(q) ON j.q = scale(w.p) WHERE t >= 5997",
	"SELECT * FROM $window, LATERAL (SELECT scale(w.p) AS y) AS l WHERE l.y = 1 AND t >= 5997",
	"SELECT * FROM $window, LATERAL (SELECT 1 FROM (VALUES (1)) AS o WHERE scale(w.p) = 1) AS l WHERE t >= 5997",
	"SELECT * FROM ($window JOIN (VALUES (1)) AS o(k) ON true) AS j WHERE scale(j.p) = 1 AND t >= 5997",
	"SELECT * FROM (SELECT scale(p) AS y, s, t FROM $window) AS z WHERE y = 1 AND t >= 5997",
	"SELECT * FROM (SELECT p FROM $window WHERE t >= 5997) AS z WHERE z::text = '(1.0)'",
	"SELECT * FROM (SELECT DISTINCT p, t, s FROM $window WHERE t >= 5997) AS y WHERE scale(p) = 1",
	"SELECT * FROM (SELECT p, t, s FROM $window WHERE t >= 5997 UNION ALL SELECT 1.0, 1, 1) AS y WHERE scale(p) = 1",
	"SELECT 1 WHERE 1 IN (SELECT scale(p) FROM $window WHERE t >= 5997 AND s < 2001)",
	"SELECT * FROM $window WHERE EXISTS (SELECT 1 FROM (VALUES (1)) AS o(k) WHERE o.k = scale(w.p)) AND t >= 5997",
	"SELECT y.* FROM (VALUES (1)) AS o(k) LEFT JOIN $window ON scale(w.p) = 1, "
		. "LATERAL (SELECT w.s) AS y WHERE t >= 5997",
	"SELECT s FROM (VALUES (1)) AS o(k) LEFT JOIN $window ON scale(w.p) = 1 WHERE t >= 5997");
compared('running', "WITH w AS (SELECT id, p, t, sum(v) OVER (PARTITION BY p ORDER BY t) AS s FROM item) SELECT s "
		. "FROM w WHERE p = 1 AND t >= 5997");
compared('plain', "WITH w AS (SELECT id, p, t, sum(v) OVER (PARTITION BY p ORDER BY t) AS s FROM item) SELECT s FROM w "
		. "WHERE scale(p) = 1 AND t >= 5997");

if ($icu)
{
	$server->lines(q{CREATE TABLE ask (id int, names text[] COLLATE ci, name text COLLATE ci); }
		. q{INSERT INTO ask VALUES (1, '{ABC}', 'ABC')});
	compared('cells', "SELECT a.id, s.* FROM ask AS a, "
			. "LATERAL (SELECT x, sum(v), count(*) FROM item WHERE item.x = ANY (a.names) GROUP BY x) AS s");
	compared('cells',
		"SELECT a.id, s.* FROM ask AS a, LATERAL (SELECT sum(v), count(*) FROM item WHERE item.x = a.name) AS s");
}

if ($citext)
{
	# an index by another equality than that of the type does not tell that rows are unique
	$server->lines(q{CREATE TABLE post (n citext NOT NULL, t int NOT NULL, v int, id int PRIMARY KEY);
		INSERT INTO post SELECT CASE WHEN i % 2 = 0 THEN 'abc' ELSE 'ABC' END, i / 2, 1, i
			FROM generate_series(1, 3000) AS i;
		CREATE UNIQUE INDEX ON post (n text_ops, t); ANALYZE post;
		SELECT scan_keep('posted', 'SELECT sum(v) OVER w AS total, count(*) OVER w AS entries FROM post '
			'WINDOW w AS (PARTITION BY n ORDER BY t)')});
	compared('running', "SELECT * FROM (SELECT id, "
			. "sum(v) OVER (PARTITION BY n ORDER BY t ROWS UNBOUNDED PRECEDING) AS s FROM post) AS w WHERE id = 2001");
}
done_testing();

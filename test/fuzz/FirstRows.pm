# FirstRows.pm: random queries for the first rows of each group, the same ones for the same seed.
#
# test/t/skip_random.t runs each with the nodes and without and compares.  Three kinds: rows kept by row_number(),
# rank() or dense_rank() up to k, SELECT DISTINCT ON, and plain SELECT DISTINCT.  An index skip needs an index whose
# columns fit the query, so each table has random indexes, and four queries of five are derived from one of them:
# leading columns that WHERE fixes, then columns to group by, then columns to order by, forward or backward.
#
# Which row wins a tie is open, in core as well, and which of equal values is shown (0 and -0, 1.0 and 1.00, 'a' and
# 'A' of a nondeterministic collation).  So there are two sorts of queries:
#
#   fixed   the order ends with `id`, which is unique, or rank() and dense_rank() keep all peers: every column of a
#           row may be shown, as it is stored
#   open    ties at the k-th row: only columns that all candidates agree in are shown, group and order columns in a
#           form that equal values share (`shown`), and functions that give peers the same
#
# A query is a job of Compare.pm, which explains its members.
package FirstRows;

use strict;
use warnings;
use Queries;

BEGIN { *one_of = \&Queries::one_of; *chance = \&Queries::chance; *parameter = \&Queries::parameter }

# ---- columns; ~ stands for the prefix of the source

my @groups = qw(~g ~g ~g ~gn ~gn ~gn ~many ~t ~c ~f ~num ~d ~b ~u ~none ~tenant ~vc ~bp ~nm ~en ~dom ~arr ~iv ~comp
	~i8);
my @group_expressions = ('abs(~o)', '~gn % 3', 'coalesce(~g, -1)', 'lower(~c)', '~t COLLATE "C"', 'NULLIF(~gn, 3)');
my @orders = qw(~o ~o ~ts ~ts ~ts ~v ~f ~num ~d ~c ~t ~vc ~iv ~en ~i8);
my @order_expressions = ('-~o', 'NULLIF(~v % 3, 0)', '~ts::date');

# What equal values of a column share.
sub shown
{
	my ($column) = @_;
	return "$column + 0::float8" if $column eq '~f';
	return "trim_scale($column)" if $column eq '~num' || $column eq '~n2';
	return "lower($column)" if $column eq '~t';
	return "extract(epoch FROM $column)" if $column eq '~iv';
	return $column;
}

sub prefixed
{
	my ($text, $prefix) = @_;
	return $text =~ s/~/$prefix/gr;
}

# ---- tables

my $columns =
	'id, tenant, g, gn, many, t, c, f, num, d, b, u, none, o, ts, v, w, vc, bp, nm, en, dom, arr, iv, comp, i8, n2';
# the tables that rows are read from, often the plain ones: those that have indexes of their own
my @indexed = qw(plain strict sorted churned vacuumed nobody someone ranged listed hashed deep parent secured mat grown
	aged large);
my %partitioned = map { $_ => 1 } qw(ranged listed hashed deep aged);
my %base = (seen => 'plain', fenced => 'plain');
my %indexes;

sub rows
{
	my ($count) = @_;
	return <<"SQL";
SELECT i AS id, h(i, 1) % 4 AS tenant, NULLIF(h(i, 2) % 9, 4) AS g, h(i, 3) % 7 AS gn, NULLIF(h(i, 4) % 150, 9) AS many,
  (ARRAY['a', 'A', 'b', 'B', 'ba', 'BA', '', NULL])[1 + h(i, 5) % 8] COLLATE nocase AS t,
  (CASE WHEN h(i, 6) % 9 > 0 THEN chr(65 + h(i, 7) % 3) || chr(97 + h(i, 8) % 3) END) COLLATE "C" AS c,
  (ARRAY['NaN', '-0', '0', 'Infinity', '-Infinity', NULL, '1.5', '-1.5'])[1 + h(i, 9) % 8]::float8 AS f,
  (ARRAY['1.0', '1.00', '1', '-0.0', '0', 'NaN', NULL, '1e30', '-7.50'])[1 + h(i, 10) % 9]::numeric AS num,
  CASE h(i, 11) % 12 WHEN 0 THEN 'infinity' WHEN 1 THEN '-infinity' WHEN 2 THEN NULL
    ELSE date '2024-01-01' + h(i, 12) % 4 END AS d,
  CASE WHEN h(i, 13) % 10 > 1 THEN h(i, 14) % 2 = 0 END AS b, md5((h(i, 15) % 6)::text)::uuid AS u, NULL::int AS none,
  NULLIF(h(i, 16) % 14, 6) AS o, timestamp '2024-01-01' + h(i, 17) % 60 * interval '1 hour' AS ts, h(i, 18) % 100 AS v,
  repeat(md5(i::text), 1 + h(i, 19) % 3) AS w,
  (ARRAY['Aa', 'ab', 'Bb', 'B', NULL, ''])[1 + h(i, 20) % 6]::varchar(10) AS vc, (ARRAY['a', 'a ', 'b', 'abcd', NULL])[1
    + h(i, 21) % 5]::char(4) AS bp, (ARRAY['Aa', 'Bb', 'Cc', 'n', 'm'])[1 + h(i, 22) % 5]::name COLLATE "C" AS nm,
  (enum_range(NULL::mood))[1 + h(i, 23) % 5] AS en, NULLIF(h(i, 24) % 6, 0)::small AS dom,
  (ARRAY['{}', '{1}', '{1,NULL}', '{2,1}', NULL])[1 + h(i, 25) % 5]::int[] AS arr,
  (ARRAY['1 mon', '30 days', '720:00', '1 day', '-1 day', NULL])[1 + h(i, 26) % 6]::interval AS iv,
  CASE WHEN h(i, 27) % 6 > 0 THEN (h(i, 28) % 3, NULLIF(chr(97 + h(i, 29) % 3), 'c'))::pair END AS comp,
  (NULLIF(h(i, 31) % 7, 2) * 3000000000)::int8 / CASE WHEN h(i, 32) % 3 = 0 THEN 3000000000 ELSE 1 END AS i8,
  (ARRAY['1', '1.000', '0', 'NaN', NULL, '-7.5'])[1 + h(i, 33) % 6]::numeric AS n2
FROM generate_series(1, $count) AS i
SQL
}

sub tables
{
	my ($role, $seed) = @_;
	my ($rows, $more) = (rows(600), rows(4000));
	my $but_id = $columns =~ s/^id, //r;
	my $sql = <<"SQL";
SET client_min_messages = error;
DO \$\$ BEGIN
  CREATE COLLATION nocase (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
EXCEPTION WHEN OTHERS THEN -- a server without ICU
  CREATE COLLATION nocase FROM "C";
END \$\$;
CREATE FUNCTION h(i int, salt int) RETURNS int
  LANGUAGE sql IMMUTABLE AS 'SELECT abs(hashint4(i * 37 + salt) % 1000000007)';
CREATE FUNCTION same(int) RETURNS int LANGUAGE plpgsql VOLATILE AS 'BEGIN RETURN \$1; END';
CREATE DOMAIN small AS int CHECK (VALUE < 60);
CREATE TYPE mood AS ENUM ('sad', 'so', 'fine', 'well');
ALTER TYPE mood ADD VALUE 'none' BEFORE 'so';
CREATE TYPE pair AS (x int, y text);
CREATE TABLE plain AS $rows ORDER BY h(i, 30);
ALTER TABLE plain ALTER id SET NOT NULL, ALTER tenant SET NOT NULL, ALTER gn SET NOT NULL, ALTER ts SET NOT NULL;
CREATE TABLE pairs AS SELECT i % 3 AS k, v FROM generate_series(1, 12) AS i, unnest(ARRAY[10, 20, 20]) AS v;
CREATE INDEX ON pairs (k, v);
CREATE TABLE halves (g int, o int NOT NULL) PARTITION BY RANGE (g);
CREATE TABLE low PARTITION OF halves FOR VALUES FROM (0) TO (5);
CREATE TABLE high PARTITION OF halves FOR VALUES FROM (5) TO (10);
INSERT INTO halves SELECT i % 10, i FROM generate_series(1, 200) AS i;
CREATE INDEX ON low (g, o);
CREATE TABLE checked (g int NOT NULL, o int NOT NULL) PARTITION BY RANGE (g);
CREATE TABLE checked_low PARTITION OF checked FOR VALUES FROM (0) TO (5);
CREATE TABLE checked_high PARTITION OF checked (CHECK (o < 100)) FOR VALUES FROM (5) TO (10);
INSERT INTO checked SELECT i % 10, CASE WHEN i % 10 < 5 THEN i ELSE i / 3 END FROM generate_series(1, 200) AS i;
CREATE INDEX ON checked (g, o);
CREATE TABLE apart AS SELECT i % 3 AS a, i % 2 AS fixed, i % 5 AS b, i AS id FROM generate_series(1, 90) AS i;
ALTER TABLE apart ALTER a SET NOT NULL, ALTER fixed SET NOT NULL, ALTER b SET NOT NULL;
CREATE INDEX ON apart (a, fixed, b, id);
CREATE TABLE few AS SELECT i AS k, 'name ' || i AS name FROM generate_series(0, 5) AS i;

-- no NULL anywhere but in `none`, and core knows it
CREATE TABLE strict AS SELECT id, tenant, coalesce(g, 20) AS g, gn, coalesce(many, 9) AS many, coalesce(t, 'c') AS t,
  coalesce(c, 'Zz') AS c, coalesce(f, 2) AS f, coalesce(num, 2) AS num,
  coalesce(d, '2024-03-09') AS d, coalesce(b, false) AS b, u, none, coalesce(o, 20) AS o, ts, v, w,
  coalesce(vc, 'x') AS vc, coalesce(bp, 'x') AS bp, nm, coalesce(en, 'so') AS en, coalesce(dom, 7)::small AS dom,
  coalesce(arr, '{}') AS arr, coalesce(iv, '2 days') AS iv, coalesce(comp, (1, 'z')::pair) AS comp,
  coalesce(i8, 6) AS i8, coalesce(n2, 5) AS n2 FROM plain;
DO \$\$ DECLARE a name; BEGIN
  FOR a IN SELECT attname FROM pg_attribute
    WHERE attrelid = 'strict'::regclass AND attnum > 0 AND attname <> 'none' LOOP
    EXECUTE format('ALTER TABLE strict ALTER %I SET NOT NULL', a);
  END LOOP;
END \$\$;
CREATE TABLE sorted AS SELECT * FROM plain ORDER BY g, ts, id;
CREATE TABLE nobody AS SELECT * FROM plain WHERE false;
CREATE TABLE someone AS SELECT * FROM plain WHERE id = 7;
CREATE TABLE large AS $more;
ALTER TABLE large ALTER gn SET NOT NULL, ALTER id SET NOT NULL;
CREATE MATERIALIZED VIEW mat AS SELECT * FROM plain WHERE v < 80;
CREATE VIEW seen AS SELECT * FROM plain WHERE v < 70;
CREATE VIEW fenced WITH (security_barrier) AS SELECT * FROM plain WHERE gn > 1;
CREATE TABLE secured AS SELECT * FROM plain;
ALTER TABLE secured ENABLE ROW LEVEL SECURITY;
CREATE POLICY visible ON secured USING (b IS NOT FALSE AND tenant < 3);

-- many dead rows, and HOT chains; the statistics are of other rows
CREATE TABLE churned (LIKE plain INCLUDING ALL) WITH (autovacuum_enabled = off, fillfactor = 60);
CREATE TABLE vacuumed (gone text, LIKE plain INCLUDING ALL, away int) WITH (autovacuum_enabled = off);
CREATE TABLE grown (LIKE plain INCLUDING ALL) WITH (autovacuum_enabled = off);

CREATE TABLE parent AS SELECT * FROM plain WHERE id % 3 = 0;
ALTER TABLE parent ALTER gn SET NOT NULL, ALTER ts SET NOT NULL;
CREATE TABLE child () INHERITS (parent);
INSERT INTO child SELECT * FROM plain WHERE id % 3 = 1;
CREATE TABLE other (extra text, LIKE plain);
ALTER TABLE other INHERIT parent;
INSERT INTO other ($columns) SELECT * FROM plain WHERE id % 7 = 2 AND id % 3 = 2;

CREATE TABLE ranged (LIKE plain) PARTITION BY RANGE (ts);
CREATE TABLE ranged_1 PARTITION OF ranged FOR VALUES FROM (MINVALUE) TO ('2024-01-01 20:00');
CREATE TABLE ranged_2 (n2 numeric, comp pair, arr int[], w text, i8 int8, iv interval, dom small, en mood,
  nm name, bp char(4), vc varchar(10), gone int, v int, ts timestamp NOT NULL, o int, none int, u uuid, b bool,
  d date, num numeric, f float8, c text COLLATE "C", t text COLLATE nocase, many int, gn int NOT NULL, g int,
  tenant int NOT NULL, id int NOT NULL);
ALTER TABLE ranged_2 DROP gone;
ALTER TABLE ranged ATTACH PARTITION ranged_2 FOR VALUES FROM ('2024-01-01 20:00') TO ('2024-01-02 10:00');
CREATE TABLE ranged_3 PARTITION OF ranged DEFAULT;
CREATE TABLE listed (LIKE plain) PARTITION BY LIST (gn);
CREATE TABLE listed_1 PARTITION OF listed FOR VALUES IN (1, 4);
CREATE TABLE listed_2 PARTITION OF listed FOR VALUES IN (0);
CREATE TABLE listed_3 PARTITION OF listed DEFAULT;
CREATE TABLE hashed (LIKE plain) PARTITION BY HASH (id);
CREATE TABLE hashed_0 PARTITION OF hashed FOR VALUES WITH (MODULUS 3, REMAINDER 0);
CREATE TABLE hashed_1 PARTITION OF hashed FOR VALUES WITH (MODULUS 3, REMAINDER 1);
CREATE TABLE hashed_2 PARTITION OF hashed FOR VALUES WITH (MODULUS 3, REMAINDER 2);
CREATE TABLE deep (LIKE plain) PARTITION BY LIST (tenant);
CREATE TABLE deep_0 PARTITION OF deep FOR VALUES IN (0);
CREATE TABLE deep_2 PARTITION OF deep FOR VALUES IN (2) PARTITION BY RANGE (ts);
CREATE TABLE deep_2_1 PARTITION OF deep_2 FOR VALUES FROM (MINVALUE) TO ('2024-01-02');
CREATE TABLE deep_2_2 PARTITION OF deep_2 FOR VALUES FROM ('2024-01-02') TO (MAXVALUE);
CREATE TABLE deep_x PARTITION OF deep DEFAULT;
-- autovacuum analyses partitions, not their parent; and these have grown since
CREATE TABLE aged (LIKE plain) PARTITION BY HASH (id);
CREATE TABLE aged_0 PARTITION OF aged FOR VALUES WITH (MODULUS 2, REMAINDER 0) WITH (autovacuum_enabled = off);
CREATE TABLE aged_1 PARTITION OF aged FOR VALUES WITH (MODULUS 2, REMAINDER 1) WITH (autovacuum_enabled = off);
INSERT INTO ranged SELECT * FROM plain;
INSERT INTO listed SELECT * FROM plain;
INSERT INTO hashed SELECT * FROM plain WHERE id <= 400;
INSERT INTO deep SELECT * FROM plain;
SQL
	srand $seed;
	%indexes = ();
	foreach my $table (@indexed)
	{
		foreach my $number (1 .. ($table =~ /^(?:nobody|someone)$/ ? 2 : $partitioned{$table} ? 4 : 7))
		{
			my $index = index_of($table);
			push @{ $indexes{$table} }, $index;
			$sql .= "$index->{sql};\n";
			$sql .= $index->{sql} =~ s/ON parent/ON child/r . ";\n" . $index->{sql} =~ s/ON parent/ON other/r . ";\n"
				if $table eq 'parent' && chance(80);
		}
	}
	return $sql . <<"SQL";
INSERT INTO churned SELECT * FROM plain;
INSERT INTO churned ($columns) SELECT id + 1000, $but_id FROM plain WHERE id < 300;
ANALYZE churned;
UPDATE churned SET w = w || '!' WHERE id % 3 = 0;
UPDATE churned SET w = w || '?', v = v + 1 WHERE id % 5 = 0;
DELETE FROM churned WHERE id > 1000 OR gn = 3 OR (g = 1 AND o < 9);
UPDATE churned SET g = 8 - g WHERE id % 11 = 0;
INSERT INTO vacuumed ($columns) SELECT * FROM plain;
ALTER TABLE vacuumed DROP gone, DROP away;
UPDATE vacuumed SET w = w || '!', o = o + 1 WHERE id % 3 = 0;
DELETE FROM vacuumed WHERE gn = 3;
INSERT INTO grown SELECT * FROM plain WHERE g = 2;
ANALYZE grown;
INSERT INTO grown SELECT * FROM plain WHERE g IS DISTINCT FROM 2;
INSERT INTO aged SELECT * FROM plain WHERE gn = 2;
ANALYZE aged_0, aged_1;
INSERT INTO aged SELECT * FROM plain WHERE gn <> 2;
CREATE ROLE $role;
GRANT SELECT ON ALL TABLES IN SCHEMA public TO $role;
VACUUM ANALYZE plain, strict, sorted, vacuumed, mat, parent, child, other, ranged, listed, hashed, deep, few, large,
  nobody, someone, secured;
-- pages that are all visible no more
UPDATE sorted SET w = w || '!' WHERE id % 40 = 0;
SQL
}

# ---- indexes

# A random index of a table: sql; the columns as [expression, descending, NULLs first]; how many of them may be fixed,
# and how many are to group by; the predicate.
sub index_of
{
	my ($table) = @_;
	my $lead = chance(25) ? 1 : 0;
	my @lead = $lead ? one_of(qw(~tenant ~tenant ~gn ~g)) : ();
	my @by = some_distinct(one_of(1, 1, 1, 2, 2, 3, 3, 4), @lead);
	my @then = map { chance(12) ? one_of(@order_expressions) : one_of(@orders) } 1 .. one_of(0, 1, 1, 1, 2);
	my ($way, %seen) = int rand 6;
	my @columns = grep { !$seen{ $_->[0] }++ }
		(map({ [ $_, 'group' ] } @lead, @by), map({ [ $_, 'order' ] } @then, chance(65) ? '~id' : ()));
	foreach my $column (@columns)
	{
		my $down = $way < 2 ? 0 : $way == 2 ? 1 : $way == 3 ? $column->[1] eq 'order' : chance(50);
		@$column[1, 2] = ($down ? 1 : 0, chance($way == 5 ? 50 : 15) ? !$down || 0 : $down ? 1 : 0);
	}
	my $where = chance(15) ? one_of('~b', '~v < 50', '~g IS NOT NULL', '~tenant = 2', '~o > 3') : undef;
	my $unique = !$partitioned{$table} && !defined $where && $seen{'~id'} && chance(50) ? 'UNIQUE ' : '';
	my $list = join ', ', map {
		my $e = prefixed($_->[0], '') . ($_->[0] eq '~c' && chance(6) ? ' text_pattern_ops' : '');
		($_->[0] =~ /^~\w+( COLLATE "C")?$/ ? $e : "($e)") . direction($_)
	} @columns;
	my $include = chance(25) ? ' INCLUDE (' . one_of('w', 'w, none') . ')' : '';
	$include = ' INCLUDE (w)' if $include && $seen{'~none'};
	return { sql => "CREATE ${unique}INDEX ON $table ($list)$include" . (defined $where ? ' WHERE '
			. prefixed($where, '') : ''), columns => \@columns, lead => $lead, by => scalar @by, where => $where };
}

sub direction { return ($_[0][1] ? ' DESC' : ' ASC') . ($_[0][2] ? ' NULLS FIRST' : ' NULLS LAST') }

sub some_distinct
{
	my ($count, @without) = @_;
	my %seen = map { $_ => 1 } @without;
	return grep { !$seen{$_}++ } map { chance(12) ? one_of(@group_expressions) : one_of(@groups) } 1 .. $count;
}

sub shuffled { return map { $_->[0] } sort { $a->[1] <=> $b->[1] } map { [ $_, rand ] } @_ }

# ---- conditions

# columns of the same values, some of another type
my %partner = ('~g' => [qw(~i8 ~gn ~dom)], '~gn' => [qw(~g ~i8)], '~i8' => [qw(~g ~gn)], '~c' => [qw(~nm ~vc)],
	'~nm' => ['~c'], '~vc' => ['~c'], '~num' => ['~n2'], '~dom' => ['~gn'], '~d' => ['~ts']);
my %constants = ('~tenant' => [ 0, 1, 2, 2, 9 ], '~gn' => [ 0, 3, 6, 99 ], '~g' => [ 1, 4, 8 ], '~many' => [ 17, 9 ],
	'~o' => [ 3, 6 ],
	'~t' => [ "'a'", "'B'" ], '~c' => ["'Aa'"], '~f' => [ "'NaN'", 0, 1.5 ], '~num' => [ 1, "'NaN'" ],
	'~d' => ["'2024-01-02'"]);

# A column that has one value.
sub fixed
{
	my ($column, $q) = @_;
	my $value = one_of(@{ $constants{$column} // [7] });
	return "$column IS NULL" if chance(6);
	return $column if $column eq '~b';
	return "$column IS NOT NULL" if !$constants{$column};
	return "$column = " . parameter() if $q->{parameters} && $column =~ /^~(?:tenant|gn?|many|o)$/ && chance(60);
	return "$column = $q->{outer}" if $q->{outer} && $column =~ /^~(?:tenant|gn?|many|o)$/ && chance(60);
	return "$column IN ($value)" if chance(6);
	return "$column = $value";
}

# One on any column: few pass, many, none.
sub condition
{
	my ($q) = @_;
	return '10 / (~v - ' . int(rand 110) . ') > -100' if chance($q->{odd});
	return one_of('~gn > ', '~g < ', '~o <> ', '~id > ') . parameter() if $q->{parameters} && chance(50);
	# only some rows reach the division, which fails for one value of the outer row
	return one_of('(~v > 95 OR 10 / (?) > -100)', 'CASE WHEN ~v < 20 THEN ~b ELSE 10 / (?) > -100 END',
		'coalesce(~b, 10 / (?) > -100)') =~ s/\?/$q->{outer} - 2/r if $q->{outer} && chance($q->{odd});
	return one_of('~o > ', '~gn <> ', '~g <= ', '~tenant = ', '~id % 3 = ') . $q->{outer} if $q->{outer} && chance(50);
	# these cannot fail, which a skip asks for
	return one_of('~v < 50', '~v > 95', '~b', '~o BETWEEN 3 AND 8', '~g IN (1, 2, 5)', '~g IS NULL', '~g IS NOT NULL',
		"~ts > '2024-01-02'", '~gn BETWEEN 2 AND 4', '~g > 2', '~many < 40', '~gn IN (0, 6)', '~tenant = 2',
		'~g = ~gn', 'CASE WHEN ~v < 50 THEN ~b ELSE ~g > 2 END', 'CASE ~g WHEN 1 THEN ~v < 50 WHEN 2 THEN ~b END',
		'coalesce(~b, ~g > 2)') if chance(50);
	return one_of('~v < 50', '~v = 7', '~v = -1', '~v > 95', '~b', '~b IS NOT TRUE', '~o BETWEEN 3 AND 8',
		'~g IN (1, 2, 5)', '~g IS NULL', '~g IS NOT NULL', '~none IS NULL', '~none IS NOT NULL',
		"~c = 'Ba'", '~id % 3 = 0', "~ts > '2024-01-02'", "~ts <= '2024-01-01 05:00'", '~num = 1', '~f > 0', "~t = 'a'",
		'~d < date \'2024-01-02\'', '~gn BETWEEN 2 AND 4', '~g > 2', '~g < 2',
		'(~gn, ~g) > (2, 3)', '(~g, ~o) < (5, 5)', '~many < 40', '~many = ANY (ARRAY[3, NULL, 17, 18])',
		'~gn IN (0, 6)', '~tenant IN (0, 2)', '~tenant = 2', '~o < (SELECT avg(o) FROM plain)',
		'EXISTS (SELECT FROM few WHERE few.k = ~gn)', '~id IN (SELECT k * 50 FROM few)', '~v >= same(20)',
		'(~g = 1 OR ~gn = 2)', '~g = ~gn', '~num = ~n2', '~i8 = ~g', '~vc = ~c', '~n2 = ~num', '~gn = ~dom',
		'~g = 3::int8', '~vc = \'ab\'', '~en > \'so\'', '~iv = interval \'30 days\'', '~n2 IS NOT NULL',
		'~t IS NOT NULL', '~iv IS NOT NULL', '~b IS NULL', '~b = true', '~arr = \'{1}\'', '~g = 3 AND ~g > 5',
		'~t IS NULL', '~u > \'8\'::text::uuid')
		=~ s/'8'::text::uuid/'80000000-0000-0000-0000-000000000000'/r;
}

# ---- queries

# A select of the first rows of groups: sql; fixed: its rows are; id: it shows `id`; ordered: so is their order; r: it
# has a column r, by which it is still to be filtered.
sub first_rows
{
	my ($q) = @_;
	my $table = one_of(@indexed, qw(plain plain plain strict strict strict strict ranged deep seen fenced));
	my $index = one_of(@{ $indexes{ $base{$table} // $table } });
	my (@where, @groups, @orders);
	my $kind = one_of(qw(row_number row_number rank dense_rank on on distinct));

	if (chance(80))
	{
		my @left = @{ $index->{columns} };
		my $by = $index->{by};
		my $flip = chance(40) ? 1 : 0;

		if (@left > 1 && chance($index->{lead} ? 75 : 8))
		{
			push @where, fixed((shift @left)->[0], $q);
			$by-- if !$index->{lead} && $by > 1;
		}
		elsif ($index->{lead})
		{
			$by++;
		}
		$by = one_of(1 .. @left) if chance(10);
		$by = 1 if $by < 1;
		$by = @left if $by > @left;
		$by = 3 if $kind eq 'distinct' && $by > 3;
		@groups = splice @left, 0, $by;
		splice @left, int rand(@left + 1) if chance(15);
		@orders = @left;
		@$_ = ($_->[0], $flip ? !$_->[1] || 0 : $_->[1], $flip ? !$_->[2] || 0 : $_->[2])
			for (@groups = map { [@$_] } @groups), (@orders = map { [@$_] } @orders);
		foreach my $group (grep { $partner{ $_->[0] } && chance(10) } @groups)
		{
			my $other = one_of(@{ $partner{ $group->[0] } });
			next if grep { $_->[0] eq $other } @groups, @orders;
			push @where, one_of("$other = $group->[0]", "$group->[0] = $other");
			$group->[0] = $other;
		}
		push @where, $index->{where} if defined $index->{where} && chance(85);
	}
	else
	{
		@groups = map { [ $_, chance(30) ? 1 : 0, chance(50) ? 1 : 0 ] } some_distinct(one_of(1, 1, 2, 3));
		@orders = map { [ $_, chance(50) ? 1 : 0, chance(50) ? 1 : 0 ] } map { one_of(@orders, @order_expressions) }
			1 .. one_of(0, 1, 1, 2);
	}
	push @orders, [ '~id', 0, 0 ] if !grep({ $_->[0] eq '~id' } @orders) && chance(25);
	push @where, map { condition($q) } 1 .. one_of(0, 0, 0, 1, 1, 2);
	# all columns of a row may be shown
	my $fixed = grep({ $_->[0] eq '~id' } @orders) || $kind =~ /rank/ || grep({ $_->[0] eq '~id' } @groups);
	$q->{prefix} = 'r.';
	my $from = $table . ' AS r'
		. (chance(8) ? one_of(' JOIN few ON few.k = r.gn', ' LEFT JOIN few ON few.k = r.g') : '');
	my $rows = { q => $q, table => $table, kind => $kind, groups => \@groups, orders => \@orders,
		fixed => $fixed ? 1 : 0,
		from => "FROM $from" . (@where ? ' WHERE ' . join(' AND ', map { /\bOR\b/ ? "($_)" : $_ } @where) : '') };
	my $query = $kind eq 'distinct' ? distinct($rows) : $kind eq 'on' ? distinct_on($rows) : ranked($rows);
	$query->{sql} = prefixed($query->{sql}, 'r.');
	return $query;
}

# What a select shows: its columns, and whether `id` is among them.
sub columns_of
{
	my ($rows) = @_;
	my ($q, $fixed) = @$rows{qw(q fixed)};
	my @groups = map { $_->[0] } @{ $rows->{groups} };
	my @orders = map { $_->[0] } @{ $rows->{orders} };
	my @shown = map { "$groups[$_] AS g$_" } 0 .. $#groups;
	my $id = 0;

	return ((join ', ', map({ shown($groups[$_]) . " AS g$_" } 0 .. $#groups),
		map { shown($orders[$_]) . " AS o$_" } 0 .. $#orders), 0) if !$fixed;
	if (chance(70))
	{
		$id = 1;
		push @shown, '~id AS id',
			grep { chance(30) } ('~v AS v', '~w AS w', '~o AS o', '~num AS n', '~v + length(~w) AS x', '~t AS t');
		push @shown, '100 / (~v - ' . int(rand 110) . ') AS e' if chance($q->{odd});
		push @shown, 'same(~v) AS y' if chance(5);
		push @shown, '~tableoid::regclass AS at' if !$base{ $rows->{table} } && chance(10);
		push @shown, 'r AS whole' if chance(5);
	}
	elsif ($rows->{kind} ne 'on' || chance(50))
	{
		push @shown, map { "$orders[$_] AS o$_" } 0 .. $#orders;
	}
	return (join(', ', @shown), $id);
}

sub ranked
{
	my ($rows) = @_;
	my @groups = shuffled(map { $_->[0] } @{ $rows->{groups} });
	my @orders = map { $_->[0] . direction($_) } @{ $rows->{orders} };
	my $total = grep { $_->[0] eq '~id' } @{ $rows->{orders} }, @{ $rows->{groups} };
	my ($shown, $id) = columns_of($rows);
	my $partition = chance(95) ? 'PARTITION BY ' . join ', ', @groups : '';
	# without PARTITION BY rows of other groups tie
	my $window = join ' ', $partition, @orders ? 'ORDER BY ' . join ', ', @orders : ();
	my $function = $rows->{kind} . '()';
	my @steady = ('rank() OVER w', 'dense_rank() OVER w', 'count(*) OVER w', 'sum(~v) OVER w',
		'min(~o) OVER w', "count(*) OVER ($partition)", "max(~v) OVER ($partition)", 'count(*) OVER ()',
		'cume_dist() OVER w', 'percent_rank() OVER w', 'sum(~v) FILTER (WHERE ~b) OVER w',
		"count(*) OVER ($window RANGE BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)",
		$rows->{fixed} ? 'row_number() OVER (PARTITION BY ~tenant ORDER BY ~id)' : 'rank() OVER w');
	my @in_order = ('row_number() OVER w', 'lag(~v) OVER w', 'lead(~v) OVER w', 'first_value(~w) OVER w',
		'last_value(~id) OVER w', "ntile(3) OVER w", "sum(~v) OVER ($window ROWS 2 PRECEDING)",
		"nth_value(~v, 2) OVER ($window ROWS BETWEEN CURRENT ROW AND 2 FOLLOWING)", 'scan_sum(~v) OVER w',
		'scan_locf(~o) OVER w', 'sum(100 / (~v - 101)) OVER w');
	my @extra = map { one_of($total ? (@steady, @in_order) : @steady) . " AS x$_" } 1 .. one_of(0, 0, 0, 1, 1, 2);
	if ($partition eq '' && !$rows->{fixed})
	{
		$shown = join ', ', map { shown($rows->{orders}[$_][0]) . " AS o$_" } 0 .. $#{ $rows->{orders} };
		$shown ||= '1 AS one';
		@extra = ();
	}
	my $over = @extra || chance(50) ? 'w' : "($window)";
	return { sql => "SELECT $shown, $function OVER $over AS r" . join('', map { ", $_" } @extra) . " $rows->{from}"
			. (@extra || $over eq 'w' ? " WINDOW w AS ($window)" : ''), id => $id, fixed => $rows->{fixed}, r => 1,
		groups => $partition eq '' ? 0 : scalar @groups };
}

sub distinct_on
{
	my ($rows) = @_;
	my @groups = @{ $rows->{groups} };
	my @on = shuffled(map { $_->[0] } @groups);
	@groups = shuffled(@groups) if chance(25);
	$_->[1] = !$_->[1] || 0 for grep { chance(8) } @groups;
	# without all keys in ORDER BY any row of the group may come
	my $keep = chance(75) ? @{ $rows->{orders} } : int rand(1 + @{ $rows->{orders} });
	my @orders = @{ $rows->{orders} }[ 0 .. $keep - 1 ];
	my $by = @orders || chance(70);
	my $total = grep { $_->[0] eq '~id' } @orders, @groups;
	my ($shown, $id) = columns_of({ %$rows, orders => \@orders, fixed => $total });
	return { sql => 'SELECT DISTINCT ON (' . join(', ', @on) . ") $shown $rows->{from}"
			. ($by ? ' ORDER BY ' . join(', ', map { $_->[0] . direction($_) } @groups, @orders) : ''), id => $id,
		fixed => $total, ordered => $by, groups => scalar @groups };
}

sub distinct
{
	my ($rows) = @_;
	my @groups = @{ $rows->{groups} };
	splice @groups, 3;
	my $by = chance(40);
	my $n = $#groups;
	my @raw = shuffled(map { [ $groups[$_][0], "g$_" ] } 0 .. $n);
	my $sql = 'SELECT DISTINCT ' . join(', ', map { "$_->[0] AS $_->[1]" } @raw) . " $rows->{from}"
		. ($by ? ' ORDER BY ' . join ', ', map { $_->[0] . direction($_) } @groups : '')
		. (!$by || chance(70) ? '' : ' LIMIT ' . one_of(1, 2, 7) . one_of('', ' OFFSET 1'));
	# equal values: which one is shown is open
	my $shown = join ', ', map {
		my $column = $groups[$_][0];
		my $s = shown($column);
		($s eq $column ? "g$_" : $s =~ s/~\w+/g$_/r) . " AS g$_"
	} 0 .. $n;
	return { sql => "SELECT $shown FROM ($sql) AS d", fixed => 1, id => 0, ordered => $by, groups => $n + 1 };
}

# The condition that lets only the first rows pass, or something near it.
sub filtered
{
	my ($q, $inner) = @_;
	return $inner if !$inner->{r};
	my $k = one_of(1, 1, 1, 2, 3, 3, 5, 10, 40, 1000000, 0, -1);
	my $condition = one_of("r <= $k", "r <= $k", "r <= $k", 'r = 1', 'r = 1', "r < $k + 1", "$k >= r",
		'r BETWEEN 1 AND 3', "r <= $k AND r > 1", 'r = 2', 'r IN (1, 2)', "r <= $k AND r <= 3", "r <= $k OR r = 5",
		$q->{parameters} ? ('r <= ' . parameter(), 'r < ' . parameter()) : (), $q->{outer} ? ("r <= $q->{outer}") : (),
		'r <= (SELECT max(k) - 3 FROM few)');
	$condition .= ' AND ' . one_of($inner->{groups} ? ('g0 IS NULL', 'g0 IS NOT NULL') : (),
		$inner->{id} ? ('id % 2 = 0', 'id < 300') : ()) if ($inner->{groups} || $inner->{id}) && chance(20);
	return { %$inner, sql => "SELECT * FROM ($inner->{sql}) AS s WHERE $condition" };
}

# What stands above.
sub above
{
	my ($q, $inner) = @_;
	my ($sql, $id) = @$inner{qw(sql id)};
	my $key = 's::text COLLATE "C"';

	return { %$inner } if chance(30);
	if ($inner->{ordered} && chance(40))
	{
		return $inner->{sql} =~ /LIMIT/
			? $inner : { %$inner, sql => $sql . one_of(' LIMIT 1', ' LIMIT 4', ' LIMIT 3 OFFSET 2',
				' FETCH FIRST 5 ROWS ONLY', ' OFFSET 4', $q->{parameters} ? ' LIMIT ' . parameter() : ' LIMIT 0') };
	}
	return one_of(
		{ sql => "SELECT * FROM ($sql) AS s ORDER BY $key" . one_of('', ' LIMIT 3', ' LIMIT 5 OFFSET 2', ' OFFSET 3'),
			ordered => 1 },
		{ sql => "SELECT * FROM ($sql) AS s ORDER BY $key" . one_of('', ' DESC'), ordered => 1 },
		{ sql => "SELECT s.*, few.name FROM ($sql) AS s " . one_of('', 'LEFT ')
				. 'JOIN few ON few.k = length(s::text) % 7' },
		{ sql => "SELECT few.k, s.* FROM few LEFT JOIN ($sql) AS s ON few.k = "
				. ($id ? 's.id % 6' : 'hashtext(s::text) % 6') },
		$id ? ({ sql => "SELECT p.w, s.* FROM plain AS p JOIN ($sql) AS s USING (id) WHERE p.v < 60" },
			{ sql => "SELECT id, g FROM plain WHERE id " . one_of('', 'NOT ') . "IN (SELECT id FROM ($sql) AS s)" },
			{ sql => "SELECT p.id FROM plain AS p WHERE EXISTS (SELECT FROM ($sql) AS s WHERE s.id = p.id)" }) : (),
		{ sql => "WITH s AS " . one_of('', 'MATERIALIZED ', 'NOT MATERIALIZED ')
				. "($sql) SELECT s, (SELECT count(*) FROM s) FROM s" },
		{ sql => "SELECT count(*), min(s::text COLLATE \"C\") FROM ($sql) AS s" },
		{ sql => "SELECT s.*, count(*) OVER () AS n FROM ($sql) AS s" },
		{ sql =>
				"SELECT x FROM (SELECT s::text AS x FROM ($sql) AS s UNION ALL SELECT s::text FROM ($sql) AS s) AS u" },
		{ sql => "SELECT s::text FROM ($sql) AS s EXCEPT SELECT s::text FROM ($sql) AS s" },
		{ sql => "SELECT DISTINCT g0::text COLLATE \"C\" FROM ($sql) AS s" x !!$inner->{groups}
			|| "SELECT * FROM ($sql) AS s" },
		{ sql => "SELECT k, (SELECT string_agg(s::text, ',' ORDER BY $key) FROM ($sql) AS s) FROM few" });
}

# The next query.
sub next
{
	my $q = { odd => chance(10) ? 50 : 0, parameters => chance(15), outer => chance(12) ? 'n.n' : undef };
	my $query;

	$q->{parameters} = 0 if $q->{outer};
	if (chance(5))
	{
		my @two = map { filtered($q, first_rows($q)) } 1 .. 2;
		$query = { sql => 'SELECT s::text FROM (' . $two[0]{sql} . ') AS s UNION ALL SELECT s::text FROM ('
				. $two[1]{sql} . ') AS s' };
	}
	else
	{
		$query = filtered($q, first_rows($q));
	}
	if (!$q->{parameters} && !$q->{outer} && chance(6))
	{
		# rescans, with nothing of the row outside
		return { sql => "SELECT few.k, s.* FROM few LEFT JOIN ($query->{sql}) AS s ON few.k <> length(s::text) % 6",
			ordered => 0, set => 'enable_material off, enable_hashjoin off, enable_mergejoin off' };
	}
	if ($q->{outer})
	{
		# rescans, with something of the row outside
		my $sql = $query->{sql};
		$sql .= one_of('', ' LIMIT 2') if $query->{ordered} && $sql !~ /LIMIT/;
		my $from = '(SELECT * FROM generate_series(0, 4) UNION ALL VALUES (2), (NULL)) AS n (n)';
		$query = one_of({ sql => "SELECT n.n, s.* FROM $from, LATERAL ($sql) AS s" },
			{ sql => "SELECT n.n, s.* FROM $from LEFT JOIN LATERAL ($sql) AS s ON true" },
			{ sql => "SELECT n.n FROM $from WHERE EXISTS ($sql)" },
			{ sql => "SELECT n.n, (SELECT count(*) FROM ($sql) AS s) FROM $from" });
	}
	elsif (!$query->{ordered} || chance(60))
	{
		$query = above($q, $query);
	}
	Queries::number_parameters($query) if $q->{parameters};
	if (!$q->{parameters} && $query->{ordered} && chance(50))
	{
		$query->{fetch} = [ map { one_of('FETCH 1', 'FETCH 1', 'FETCH 3', 'FETCH 70', 'FETCH BACKWARD 2', 'FETCH PRIOR',
					'FETCH ABSOLUTE 5', 'FETCH RELATIVE -1', 'FETCH LAST', 'FETCH FIRST', 'MOVE 4', 'FETCH ALL',
					'FETCH BACKWARD ALL') } 1 .. 6 ];
		$query->{scroll} = one_of('SCROLL', 'SCROLL', '', 'NO SCROLL');
	}
	my @set = one_of('', '', '', '', '', 'enable_seqscan off', 'enable_seqscan off', 'enable_indexscan off',
		'enable_indexonlyscan off', 'enable_indexonlyscan off', 'enable_sort off', 'enable_hashagg off',
		'enable_bitmapscan off', 'enable_incremental_sort off', 'enable_material off', 'enable_memoize off',
		'enable_partition_pruning off', 'enable_seqscan off, enable_sort off, enable_hashagg off',
		'enable_partitionwise_aggregate on', 'enable_nestloop off', 'work_mem 64kB');
	# processes read ahead, in core as well, and come to errors that one of them would not
	if (!$q->{parameters} && !$q->{odd} && !$query->{fetch} && chance(8))
	{
		$query->{parallel} = 1;
		push @set,
			'max_parallel_workers_per_gather 2, parallel_setup_cost 0, parallel_tuple_cost 0, '
			. 'min_parallel_table_scan_size 0, min_parallel_index_scan_size 0';
	}
	return { sql => $query->{sql}, ordered => $query->{ordered} ? 1 : 0, set => join(', ', grep { $_ ne '' } @set),
		map({ defined $query->{$_} ? ($_ => $query->{$_}) : () } qw(parameters fetch scroll parallel)) };
}

# Queries that other systems' shortcuts for the first rows of a group have answered wrongly, each with the issue of
# DuckDB that reported it.  The tables are those above, and `pairs`.
sub cases
{
	return (
		[ 'no rows at all (23675)',
			'SELECT g FROM (SELECT g, row_number() OVER (ORDER BY o) AS r FROM nobody) AS s WHERE r <= 1' ],
		[ 'no rows at all, groups (23675)', 'SELECT g FROM (SELECT g, '
				. 'row_number() OVER (PARTITION BY g ORDER BY o) AS r FROM nobody) AS s WHERE r <= 1' ],
		[ 'no rows at all, DISTINCT ON (23675)', 'SELECT DISTINCT ON (g) g, id FROM nobody ORDER BY g, o, id' ],
		[ 'a million rows of each group (24708)',
			'SELECT id FROM (SELECT id, row_number() OVER (ORDER BY id) AS r FROM plain) AS s WHERE r <= 1000000' ],
		[ 'more than are there (24708)',
			'SELECT id FROM (SELECT id, row_number() OVER (PARTITION BY g ORDER BY id) AS r FROM plain) AS s '
				. 'WHERE r <= 9223372036854775807' ],
		[ 'ORDER BY NULL (24363)', 'SELECT g, r FROM (SELECT g, '
				. 'row_number() OVER (PARTITION BY g ORDER BY NULL::int) AS r FROM plain) AS s WHERE r <= 7' ],
		[ 'a column of NULLs (24363)', 'SELECT gn, r FROM (SELECT gn, '
				. 'row_number() OVER (PARTITION BY gn ORDER BY none) AS r FROM plain) AS s WHERE r <= 7' ],
		[ 'a group of NULLs only (24363)', 'SELECT none, id FROM (SELECT none, id, '
				. 'row_number() OVER (PARTITION BY none ORDER BY id) AS r FROM plain) AS s WHERE r <= 3' ],
		[ 'an expression that is NULL of a column that is not (23677)',
			'SELECT id, r FROM (SELECT id, row_number() OVER (PARTITION BY tenant '
				. 'ORDER BY NULLIF(id % 3, 0) DESC NULLS LAST, id) AS r FROM plain WHERE id < 20) AS s WHERE r <= 4' ],
		[ 'and a group that is (23677)', 'SELECT id, r FROM (SELECT id, '
				. 'row_number() OVER (PARTITION BY NULLIF(gn, 3) ORDER BY id) AS r FROM plain) AS s WHERE r <= 2' ],
		[ 'rows that are the same but for the order (23588)',
			'SELECT k, name FROM (SELECT few.k, few.name, row_number() OVER (ORDER BY p.v DESC NULLS LAST) AS r '
				. 'FROM few JOIN pairs AS p ON p.k = few.k WHERE few.k = 1) AS s WHERE r <= 2' ],
		[ 'the same by groups (23588)',
			'SELECT k, name FROM (SELECT few.k, few.name, row_number() OVER (PARTITION BY few.k '
				. 'ORDER BY p.v DESC) AS r FROM few JOIN pairs AS p ON p.k = few.k) AS s WHERE r <= 2' ],
		[ 'duplicates of whole rows (23588)', 'SELECT k, v FROM (SELECT k, v, '
				. 'row_number() OVER (PARTITION BY k ORDER BY v) AS r FROM pairs) AS s WHERE r <= 3' ],
		[ 'computed from what is shown (22849)',
			"SELECT * FROM (SELECT *, upper(c) AS up, v / 7 * 7.0 AS x FROM plain) AS s JOIN (SELECT id, "
				. "row_number() OVER (PARTITION BY gn ORDER BY ts, id) AS r FROM plain) AS f USING (id) WHERE r = 1" ],
		[ 'an expression of the row below the window (22849)',
			"SELECT up, x FROM (SELECT upper(c) AS up, (v / 2.5)::int::float8 AS x, "
				. "row_number() OVER (PARTITION BY gn ORDER BY ts, id) AS r FROM plain) AS s WHERE r = 1" ],
		[ 'two windows that could each be cut (24710)',
			'SELECT id, a, b FROM (SELECT id, g, gn, a, row_number() OVER (PARTITION BY gn ORDER BY id DESC) AS b '
				. 'FROM (SELECT id, g, gn, row_number() OVER (PARTITION BY g ORDER BY id) AS a FROM plain) AS s '
				. 'WHERE a <= 4) AS t WHERE b <= 2' ],
		[ 'both in one select (24710)',
			'SELECT id, a, b FROM (SELECT id, row_number() OVER (PARTITION BY g ORDER BY id) AS a, row_number() '
				. 'OVER (PARTITION BY gn ORDER BY id DESC) AS b FROM plain) AS t WHERE a <= 40 AND b <= 40' ],
		[ 'a join by an inequality below (24711)',
			'SELECT id, k FROM (SELECT p.id, few.k, row_number() OVER (PARTITION BY few.k ORDER BY p.ts, p.id) AS r '
				. 'FROM plain AS p JOIN few ON few.k < p.gn) AS s WHERE r <= 2' ],
		[ 'a cast that changes values (24609)', 'SELECT x, g FROM (SELECT (o / 4.0)::int::float8 AS x, g, '
				. 'row_number() OVER (PARTITION BY g ORDER BY ts, id) AS r FROM plain) AS s WHERE r <= 2' ],
		# and what only looks like the first rows of groups
		[ 'an order by another operator class', 'SELECT DISTINCT ON (c) c, id FROM plain ORDER BY c USING ~<~, id' ],
		[ 'the same, downward', 'SELECT DISTINCT ON (c) c, id FROM plain ORDER BY c USING ~>~, id DESC' ],
		[ 'DISTINCT over groups',
			'SELECT DISTINCT ON (g) g, gn, count(*), max(id) FROM plain GROUP BY g, gn ORDER BY g, count(*) DESC, gn' ],
		[ 'DISTINCT over grouping sets', 'SELECT DISTINCT g, grouping(g) FROM plain GROUP BY ROLLUP (g)' ],
		[ 'DISTINCT of a type without an order', 'SELECT DISTINCT cmin FROM plain' ],
		[ 'DISTINCT over a window', 'SELECT DISTINCT g, count(*) OVER (PARTITION BY g) FROM plain' ],
		[ 'DISTINCT ON over a window', 'SELECT DISTINCT ON (gn) gn, id, '
				. 'row_number() OVER (PARTITION BY gn ORDER BY ts, id) AS r FROM plain ORDER BY gn, r DESC' ],
		[ 'a set of rows in the target',
			'SELECT DISTINCT ON (gn) gn, generate_series(1, gn) AS s FROM plain ORDER BY gn, s DESC' ],
		[ 'DISTINCT of a set of rows', 'SELECT DISTINCT gn, generate_series(1, 2) AS s FROM plain' ],
		[ 'a sample', 'SELECT DISTINCT ON (gn) gn, id FROM plain TABLESAMPLE SYSTEM (100) ORDER BY gn, id' ],
		[ 'ONLY', 'SELECT DISTINCT ON (gn) gn, id FROM ONLY parent ORDER BY gn, id' ],
		[ 'no partition left',
			"SELECT DISTINCT ON (g) g, id FROM ranged WHERE ts < '2024-01-01' AND ts > '2024-01-02' ORDER BY g, id" ],
		[ 'a partition without the index', 'SELECT DISTINCT ON (g) g, o FROM halves ORDER BY g, o' ],
		[ 'NULLS FIRST where there are none', 'SELECT DISTINCT ON (g) g, o FROM low ORDER BY g, o NULLS FIRST' ],
		[ 'a list of values of the second column',
			'SELECT DISTINCT ON (g) g, o FROM low WHERE o IN (60, 5, 3) ORDER BY g, o' ],
		[ 'no partition at all', 'SELECT g, o FROM (SELECT g, o, row_number() OVER (PARTITION BY g ORDER BY o) AS r '
				. 'FROM halves WHERE g > 100) AS s WHERE r <= 2' ],
		[ 'a partition that a constraint rules out',
			'SELECT DISTINCT ON (g) g, o FROM checked WHERE o > 120 ORDER BY g, o' ],
		[ 'one partition left',
			"SELECT DISTINCT ON (g) g, id FROM ranged WHERE ts < '2024-01-01 05:00' ORDER BY g, id" ],
		[ 'a partition that is chosen as it runs',
			'SELECT x.tenant, s.* FROM (VALUES (0), (2), (3), (NULL)) AS x (tenant), LATERAL (SELECT DISTINCT ON (gn) '
				. 'gn, id FROM deep WHERE deep.tenant = x.tenant ORDER BY gn, id) AS s' ],
		[ 'the whole row', 'SELECT DISTINCT ON (p.gn) p FROM plain AS p ORDER BY p.gn, p.id' ],
		[ 'whole rows', 'SELECT DISTINCT p FROM pairs AS p' ],
		[ 'system columns', 'SELECT DISTINCT ON (gn) gn, id, ctid, tableoid::regclass FROM plain ORDER BY gn, id' ],
		[ 'DISTINCT of a system column', 'SELECT DISTINCT tableoid::regclass::text FROM ranged' ],
		[ 'constants', 'SELECT DISTINCT 1 FROM plain' ],
		[ 'constants ON', 'SELECT DISTINCT ON (gn) 1 FROM plain' ],
		[ 'ON a constant', 'SELECT DISTINCT ON (1 + 1) id FROM plain ORDER BY 1 + 1, id' ],
		[ 'ON what has one value', 'SELECT DISTINCT ON (gn) id FROM plain WHERE gn = 3 ORDER BY gn, id' ],
		[ 'ON columns that are not side by side in the index',
			'SELECT DISTINCT ON (a, b) a, b, id FROM apart WHERE fixed = 1 ORDER BY a, b, id' ],
		[ 'ON a column twice', 'SELECT DISTINCT ON (gn, gn) gn, id FROM plain ORDER BY gn, id' ],
		[ 'a group column that is not shown', 'SELECT DISTINCT ON (gn) id FROM plain ORDER BY gn, id DESC' ],
		[ 'FETCH FIRST WITH TIES', 'SELECT DISTINCT ON (gn, tenant) gn, tenant, id FROM plain '
				. 'ORDER BY gn, tenant, id FETCH FIRST 5 ROWS WITH TIES' ],
		[ 'an aggregate above', 'SELECT gn, count(*), sum(id) '
				. 'FROM (SELECT DISTINCT ON (gn, g) gn, g, id FROM plain ORDER BY gn, g, id) AS s GROUP BY gn' ],
		[ 'count(DISTINCT)', 'SELECT count(DISTINCT g), count(DISTINCT (g, gn)) FROM plain' ],
		[ 'INTERSECT and EXCEPT', 'SELECT g FROM plain INTERSECT SELECT gn FROM plain EXCEPT SELECT 2' ],
		[ 'a merge join above',
			'SELECT a.gn, a.id, b.id FROM (SELECT DISTINCT ON (gn) gn, id FROM plain ORDER BY gn, id) AS a FULL JOIN '
				. '(SELECT DISTINCT ON (gn) gn, id FROM strict ORDER BY gn, id DESC) AS b USING (gn)' ],
		[ 'recursion',
			'WITH RECURSIVE r AS (SELECT 0 AS n, 0 AS id UNION ALL SELECT n + 1, s.id FROM r, LATERAL (SELECT DISTINCT '
				. 'ON (gn) gn, id FROM plain WHERE gn = r.n ORDER BY gn, id) AS s WHERE n < 7) SELECT * FROM r' ],
		[ 'a CASE in a condition',
			'SELECT DISTINCT ON (gn) gn, id FROM plain WHERE CASE WHEN v < 50 THEN b ELSE g > 2 END ORDER BY gn, id' ],
		[ 'a CASE of a value in a condition',
			'SELECT DISTINCT gn FROM plain WHERE CASE g WHEN 1 THEN v < 50 WHEN 2 THEN b END' ],
		[ 'a CASE in a column',
			"SELECT DISTINCT ON (gn) gn, CASE WHEN v < 50 THEN 'few' ELSE w END FROM plain ORDER BY gn, id" ],
		[ 'a CASE that reads no column', "SELECT DISTINCT ON (gn) gn, id, "
				. "CASE WHEN now() > '2000-01-01' THEN 1 ELSE 2 END AS x FROM plain ORDER BY gn, id" ],
		[ 'a division that only some rows reach, by OR',
			'SELECT n, s.* FROM generate_series(0, 2) AS n, LATERAL (SELECT DISTINCT ON (k) k, v FROM pairs '
				. 'WHERE v < 20 OR 1 / (n - 2) < 9 ORDER BY k, v) AS s' ],
		[ 'a division that only some rows reach, by CASE',
			'SELECT n, s.* FROM generate_series(0, 2) AS n, LATERAL (SELECT DISTINCT ON (k) k, v FROM pairs '
				. 'WHERE CASE WHEN v < 20 THEN true ELSE 1 / (n - 2) < 9 END ORDER BY k, v) AS s' ],
		[ 'an element that cannot be converted', "SELECT DISTINCT ON (gn) gn, id FROM plain "
				. "WHERE (ARRAY[CASE WHEN v < 95 THEN '1' ELSE w END])::int[] IS NOT NULL ORDER BY gn, id" ],
		[ 'a condition on NULL and LIMIT (21160)', 'SELECT id FROM plain WHERE g IS NULL ORDER BY ts, id LIMIT 10' ],
		[ 'a condition on NULL and DISTINCT ON (21160)',
			'SELECT DISTINCT ON (gn) gn, id FROM plain WHERE g IS NULL ORDER BY gn, ts, id LIMIT 10' ],
		[ 'a cast in a join below (21604)', 'SELECT id, k FROM (SELECT p.id, q.k, row_number() OVER (PARTITION BY p.gn '
				. 'ORDER BY p.id) AS r FROM plain AS p JOIN pairs AS q ON q.k::int8 = p.gn::int8) AS s WHERE r <= 2' ],
	);
}

1;

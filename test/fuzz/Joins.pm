# Joins.pm: random queries with windows above joins, and between joins.
#
# Queries.pm draws windows over one relation.  A million of its queries missed a defect of joins: if a column of the
# nullable side of an outer join is an expression, the planner wraps it in a PlaceHolderVar, and our plan kept the
# PlaceHolderVar.  So the relations here are subqueries, views, set operations, groups, WITH queries, functions and
# windows.  Their columns are expressions and constants of every type, and every kind of join joins them, LATERAL too.
#
# Each relation has all columns of the tables of Queries.pm, so each expression fits each relation.  `id` is unique in a
# relation that does not name another key.  If several processes may run a query, expressions that raise errors stand
# above the joins only.  Which rows of a relation are read, and so which errors are raised, depends on the plan of the
# joins, and core plans them differently for one process and for several.
#
# The tables `vast...` have 600 rows, but statistics that say a million.  So the planner chooses several processes by
# itself, with its default settings, and yet a query takes milliseconds.  The pages of these tables hold few rows, so
# that each process reads some.
package Joins;

use strict;
use warnings;
use Queries;

BEGIN { *one_of = \&Queries::one_of; *chance = \&Queries::chance }

# ---- the tables

sub tables
{
	my ($role) = @_;
	my @many = qw(vast vast_low vast_middle vast_high vast_parent vast_child);
	my $many = join ', ', map { "'$_'" } @many;
	my $with = 'WITH (fillfactor = 10, parallel_workers = 2, autovacuum_enabled = off)';
	my ($rows) = Queries::tables($role) =~ /^CREATE TABLE t AS (.*?)^ FROM generate_series/ms;
	my $touched = touched('');

	return <<"SQL";
CREATE TABLE vast $with AS $rows FROM generate_series(1, 600) AS i ORDER BY hashint4(i);
CREATE INDEX ON vast (id);
CREATE INDEX ON vast (p, id);
CREATE TABLE vast_parts (LIKE t) PARTITION BY RANGE (id);
CREATE TABLE vast_low PARTITION OF vast_parts FOR VALUES FROM (MINVALUE) TO (150) $with;
CREATE TABLE vast_middle PARTITION OF vast_parts FOR VALUES FROM (150) TO (500) $with;
CREATE TABLE vast_high PARTITION OF vast_parts FOR VALUES FROM (500) TO (MAXVALUE) $with;
CREATE INDEX ON vast_parts (id);
INSERT INTO vast_parts SELECT * FROM vast WHERE id % 4 <> 0;
CREATE TABLE vast_parent $with AS SELECT * FROM vast WHERE id <= 300;
CREATE TABLE vast_child () INHERITS (vast_parent) $with;
INSERT INTO vast_child SELECT * FROM vast WHERE id > 400;
CREATE VIEW touched AS SELECT $touched FROM t;
CREATE VIEW vast_touched AS SELECT $touched FROM vast;
CREATE VIEW vast_joined AS SELECT a.id, coalesce(q.p, 3) AS p, q.o, a.i2, q.i4, a.i8, q.f4, a.f8, q.num, q.d, a.ts,
  a.tz, a.tm, q.iv, coalesce(q.t, 'none') AS t, q IS NULL AS b, q.dom, q.en, q.comp, a.u, a.bits, q.arr
  FROM vast AS a LEFT JOIN vast_touched AS q ON q.id = a.id AND q.p < 6;
ALTER FUNCTION ranked(int) PARALLEL SAFE;
ANALYZE vast, vast_parts, vast_parent, vast_child;
UPDATE pg_class SET reltuples = reltuples * 2000
  WHERE relname IN ($many) OR oid IN (SELECT indexrelid FROM pg_index WHERE indrelid::regclass::text IN ($many));
GRANT SELECT ON ALL TABLES IN SCHEMA public TO $role;
SQL
}

sub table
{
	my ($q) = @_;
	return one_of(qw(vast vast vast vast_parts vast_parent vast_touched vast_joined)) if $q->{large} && chance(85);
	return one_of(qw(t t parts parent secured fenced seen touched));
}

# ---- columns

my @columns = qw(id p o i2 i4 i8 f4 f8 num d ts tz tm iv t b dom en comp u bits arr);

# A constant of each type, and an expression over a number (#) that has many values.
my %constant = (
	int2 => '3::int2', int4 => '7', int8 => '5::int8', float4 => "'1.5'::float4", float8 => "'-0'::float8",
	numeric => '1.50',
	date => "date '2024-02-03'", timestamp => "timestamp '2024-02-03 04:05'",
	timestamptz => "timestamptz '2024-01-02 00:00+00'",
	time => "time '10:00'", interval => "interval '30 days'", text => "'c'::text", bool => 'true', small => '5::small',
	mood => "'so'::mood", pair => "ROW(1, 'a')::pair", uuid => "'00000000-0000-0000-0000-000000000001'::uuid",
	bit => "B'0101'::bit(4)", 'int4[]' => "'{1,2}'::int4[]");
my %of_number = (
	int2 => '(# % 7)::int2', int4 => '# * 3 % 50', int8 => '#::int8 * 1000000007', float4 => '(# / 4.0)::float4',
	float8 => '# / 7.0::float8', numeric => '# / 8.0',
	date => "date '2024-01-01' + # % 50", timestamp => "timestamp '2024-01-01' + # * interval '1 hour'",
	timestamptz => "timestamptz '2024-01-01 00:00+00' + # * interval '1 hour'",
	time => "time '00:00' + # * interval '1 minute'", interval => "# * interval '1 hour'", text => "'x' || # % 20",
	bool => '# % 3 = 0', small => '(# % 50)::small',
	mood => '(enum_range(NULL::mood))[1 + # % 4]', pair => "ROW(# % 4, 'a')::pair", uuid => 'md5(#::text)::uuid',
	bit => '(# % 16)::bit(4)', 'int4[]' => 'ARRAY[#, NULL]');

# More expressions; ~ is the prefix of the columns, and ~* the whole row.
my %more = (
	int4 => [ '(~comp).x', '~p + ~o', 'length(~t)', '(SELECT max(z.o) FROM parts AS z WHERE z.id = ~p)' ],
	text => [ '~en::text', '~t || ~p', '(~comp).y', '(~*)::text' ],
	bool => [ '~* IS NULL', 'EXISTS (SELECT FROM parts AS z WHERE z.id = ~p)',
		'~p IN (SELECT z.o FROM t AS z WHERE z.id < 9)' ],
	pair => [ 'ROW(~p, ~t)::pair' ], 'int4[]' => [ 'ARRAY[~p, ~o]', '~arr || ~p' ], numeric => ['~num * 1.0'],
	int8 => ['~i4::int8']);

sub typed_null { my ($type) = @_; return 'NULL::' . ($type eq 'bit' ? 'bit(4)' : $type) }

# An expression of a column's type, which takes the column's place.
sub expression
{
	my ($q, $c, $name) = @_;
	my $type = $Queries::type{$name};
	my $constant = $constant{$type};

	return $q->{outer} if $type eq 'int4' && $q->{outer} && chance(30);
	return Queries::parameter() if $type eq 'int4' && $q->{parameters} && chance(50);
	my $odd = chance($q->{odd_below}) && Queries::odd($type, $c);
	return $odd if $odd;
	return one_of(@{ $more{$type} }) =~ s/~\*/$c =~ s{\.$}{}r/ger =~ s/~/$c/gr
		if $more{$type} && chance($q->{large} ? 10 : 30);
	return one_of("coalesce($c$name, $constant)", "CASE WHEN ${c}b THEN $c$name ELSE $constant END",
		"CASE WHEN ${c}p > 3 THEN $c$name END", "NULLIF($c$name, $constant)", $constant, $constant, typed_null($type));
}

# A select list with all columns; some are expressions.  `but` names other expressions for columns.
sub list
{
	my ($q, $c, %but) = @_;
	my $share = one_of(0, 15, 30, 60);
	return "$c*" if !$share && !%but;
	return join ', ', map {
		my $x = $but{$_} // ($_ ne 'id' && chance($share) ? expression($q, $c, $_) : "$c$_");
		"$x AS $_"
	} @columns;
}

# The same, of numbers.
sub list_of_numbers
{
	my ($q, $number, %but) = @_;
	return join ', ', map {
		my $type = $Queries::type{$_};
		($but{$_} ? $but{$_} : $_ eq 'id' ? $number : chance(20)
				? $constant{$type} : $of_number{$type} =~ s/#/$number/gr) . " AS $_"
	} @columns;
}

# The select list of the views; it is the same for every seed.
sub touched
{
	my ($c) = @_;
	my @of_view = ("coalesce(${c}p, 3)", "CASE WHEN ${c}b THEN ${c}o ELSE 5 END", '3::int2',
		"CASE WHEN ${c}p > 3 THEN ${c}i4 END", "coalesce(${c}i8, 0)", "NULL::float4",
		"CASE WHEN ${c}p > 3 THEN ${c}f8 END");
	return join ', ', "${c}id", (map { "$of_view[$_] AS $columns[$_ + 1]" } 0 .. $#of_view),
		map { $_ eq 't' ? "CASE WHEN ${c}b THEN ${c}t ELSE 'c' END AS t" : "$c$_" } @columns[ 8 .. $#columns ];
}

# ---- relations, each as [text for FROM, columns of its key ...]

my @kinds = ((\&plain) x 4, (\&subquery) x 5, \&fenced, (\&union) x 2, (\&groups) x 2, \&distinct, \&values,
	(\&series) x 2, (\&with) x 3, (\&windows) x 2, (\&nested) x 3, (\&halved) x 2);

# The relations that several processes can read.  Large tables have few expressions that may raise an error: over such
# rows, PrefixScan must not start cheaper than core's plan (src/node/plan/path.c), and the planner takes it seldom.
my @partial = ((\&plain) x 4, (\&subquery) x 5, \&union, (\&nested) x 3, \&halved);

sub relation
{
	my ($q, $depth) = @_;
	return $depth > 2 || chance(($q->{large} ? 35 : 25) * $depth)
		? plain($q) : one_of($q->{large} && chance(85) ? @partial : @kinds)->($q, $depth + 1);
}

# A relation whose key is `id`, as its text.
sub by_id
{
	my ($q, $depth) = @_;
	while (1)
	{
		my ($text, @key) = @{ relation($q, $depth) };
		return $text if @key == 1 && $key[0] eq 'id';
	}
}

sub where
{
	my ($q, $c) = @_;
	return '' if chance(50);
	# for few rows, one process is cheaper
	return ' WHERE ' . one_of("${c}o < 9", "${c}id > 30", "${c}b", "${c}t IS NOT NULL") if $q->{large} && chance(80);
	return ' WHERE ' . one_of("${c}o < 9", "${c}id % 3 = 0", "${c}b", "${c}id < 40", "${c}p = 3", 'false',
		"${c}id = 17", "${c}t LIKE 'x%'");
}

sub plain { return [ table($_[0]), 'id' ] }

sub subquery
{
	my ($q, $depth) = @_;
	return [ '(SELECT ' . list($q, 'c.') . ' FROM ' . by_id($q, $depth) . ' AS c' . where($q, 'c.') . ')', 'id' ];
}

sub fenced
{
	my ($q, $depth) = @_;
	my $limit = one_of('OFFSET 0', 'ORDER BY c.id LIMIT 50', 'ORDER BY c.p, c.id DESC');
	return [ '(SELECT ' . list($q, 'c.') . ' FROM ' . by_id($q, $depth) . ' AS c' . where($q, 'c.') . " $limit)",
		'id' ];
}

# A union; columns of its branches may differ in type.
sub union
{
	my ($q, $depth) = @_;
	my %narrow = (i4 => 'i2', i8 => 'i4', num => 'i8', f8 => 'f4', ts => 'd');
	my @branches = map {
		my $of = $_;
		my %but = map { chance(40) ? ($_ => "c.$narrow{$_}") : () } sort keys %narrow;
		'SELECT ' . list($q, 'c.', $of > 1 ? %but : ()) . ", $of AS branch FROM " . by_id($q, $depth) . ' AS c'
			. where($q, 'c.')
	} 1 .. one_of(2, 2, 3);
	return [ '(' . join(one_of((' UNION ALL ') x 5, ' UNION '), @branches) . ')', 'id', 'branch' ];
}

# Groups, grouping sets too.  No aggregate's result may depend on the order of rows, as 0 or -0 as the maximum does.
sub groups
{
	my ($q, $depth) = @_;
	my %aggregate = (
		(map { $_ => "max(c.$_)" } qw(id i2 i4 d ts tz tm t en)), dom => 'max(c.dom)::small',
		i8 => one_of('sum(c.i4)', 'count(*)', 'max(c.i8)'), num => one_of('sum(c.i8)', 'avg(c.i4)'),
		f4 => '(count(c.f4))::float4', f8 => '(sum(c.i4))::float8', iv => 'count(*) * ' . $constant{interval},
		b => 'bool_or(c.b)', map { $_ => $constant{ $Queries::type{$_} } } qw(comp u bits arr));
	my %change = map { chance(20) ? ($_ => one_of('coalesce(#, %)', 'CASE WHEN count(*) > 2 THEN # ELSE % END',
				'%') =~ s/#/$aggregate{$_}/r =~ s/%/$constant{ $Queries::type{$_} }/r) : () } grep { $_ ne 'id' }
		sort keys %aggregate;
	my $list = list($q, 'c.', p => 'c.p', o => 'c.o', %aggregate, %change);
	my $by = one_of('c.p, c.o', 'c.p, c.o', 'ROLLUP (c.p, c.o)', 'GROUPING SETS ((c.p, c.o), (c.o), ())');
	my $having = one_of('', '', ' HAVING count(*) > 2', ' HAVING max(c.i4) > 0 OR bool_or(c.b)');

	return [ "(SELECT $list, grouping(c.p, c.o) AS branch FROM " . by_id($q, $depth) . ' AS c' . where($q, 'c.')
		. " GROUP BY $by$having)", 'p', 'o', 'branch' ];
}

sub distinct
{
	my ($q, $depth) = @_;
	my $list = list($q, 'c.');
	return [ "(SELECT DISTINCT $list FROM " . by_id($q, $depth) . ' AS c' . where($q, 'c.') . ')', 'id' ] if chance(40);
	my $on = one_of('c.p', 'c.p, c.o', 'c.d', 'c.t');
	return [ "(SELECT DISTINCT ON ($on) $list FROM " . by_id($q, $depth) . ' AS c' . where($q, 'c.')
		. " ORDER BY $on, c.id)", 'id' ];
}

sub values
{
	my ($q) = @_;
	my %seen;
	my @rows = map { "($_, " . one_of(1, 2, 3, 'NULL::int') . ')' } grep { !$seen{$_}++ } map { int rand 60 }
		1 .. one_of(1, 4, 12);
	return [ '(SELECT ' . list($q, 'c.') . ' FROM (SELECT ' . list_of_numbers($q, 'g') . ' FROM (VALUES '
		. join(', ', @rows) . ') AS v (g, x)) AS c)', 'id' ] if chance(50);
	return [ '(SELECT ' . list_of_numbers($q, 'g', p => 'x') . ' FROM (VALUES ' . join(', ', @rows) . ') AS v (g, x))',
		'id' ];
}

# Rows of set-returning functions, and of a recursive query.
sub series
{
	my ($q) = @_;
	my $n = one_of(5, 40, $q->{parameters} ? Queries::parameter() : 12, $q->{outer} ? "$q->{outer} * 5" : 70);
	return [ '(SELECT c.* FROM t AS c JOIN ranked(' . int(rand 12) . ') AS f ON f.id = c.id)', 'id' ] if chance(15);
	my $from = one_of(
		"generate_series(1, $n) AS c (g)", "(SELECT generate_series(1, $n) AS g) AS c",
			"unnest(ARRAY['a', 'b', NULL, 'd']) WITH ORDINALITY AS c (x, h), int4(h) AS f (g)",
			"ROWS FROM (generate_series(1, $n), generate_series(1, 1)) AS c (g, x)",
			"(SELECT g, sum(g) OVER (ORDER BY g) AS x FROM generate_series(1, $n) AS g) AS c");
	return [ "(WITH RECURSIVE c (g) AS (SELECT 1 UNION ALL SELECT g + 1 FROM c WHERE g < 30) SELECT "
		. list_of_numbers($q, 'g') . ' FROM c)', 'id' ] if chance(25);
	return [ '(SELECT ' . list_of_numbers($q, 'g') . " FROM $from)", 'id' ];
}

# A WITH query that is read once or twice.
sub with
{
	my ($q, $depth) = @_;
	my $as = one_of('', 'MATERIALIZED ', 'NOT MATERIALIZED ');
	my $begin = "(WITH c AS $as(SELECT " . list($q, 'z.') . ' FROM ' . by_id($q, $depth) . ' AS z' . where($q, 'z.')
		. ') SELECT ';
	return [ $begin . list($q, 'c.') . ' FROM c)', 'id' ] if chance(50);
	return [ $begin . list($q, 'a.', two($q)) . ' FROM c AS a ' . one_of('LEFT JOIN', 'JOIN') . ' c AS q ON q.id = '
		. one_of('a.id', 'a.p', 'a.o + 1') . ')', 'id' ];
}

# Some columns that come from a second relation, q.
sub two
{
	my ($q) = @_;
	return map { chance(40) ? ($_ => chance(30) ? expression($q, 'q.', $_) : one_of("q.$_", "coalesce(q.$_, a.$_)"))
			: () } grep { $_ ne 'id' } @columns;
}

# A subquery with windows.
sub windows
{
	my ($q, $depth) = @_;
	my $over = ' OVER (' . one_of('', 'PARTITION BY c.p ', 'PARTITION BY c.o, c.b ') . 'ORDER BY '
		. one_of('c.id', 'c.p, c.id', 'c.id DESC') . ')';
	my %of = (p => 'lag(c.p)', o => 'coalesce(lead(c.o)%, 2)', i4 => one_of('max(c.i4)', 'scan_locf(c.i4)'), i8 =>
			one_of('sum(c.i4)', 'count(*)', 'row_number()', 'scan_sum(c.i4)'), num => one_of('sum(c.i8)', 'avg(c.i4)'),
		t => one_of('max(c.t)', 'scan_locf(c.t)', 'first_value(c.t)'), b => 'bool_or(c.b)', d => 'min(c.d)',
		comp => 'lag(c.comp)', arr => 'last_value(c.arr)');
	my %but = map { chance(50) ? ($_ => $of{$_} =~ /%/ ? $of{$_} =~ s/%/$over/r : $of{$_} . $over) : () } sort keys %of;
	my $select = 'SELECT ' . list($q, 'c.', %but) . ", rank()$over AS r FROM " . by_id($q, $depth) . ' AS c'
		. where($q, 'c.');
	my $kept = one_of('', '', ' WHERE w.r <= 3', ' WHERE w.r % 2 = 0', ' WHERE w.i8 > 2');

	return [ '(SELECT ' . list($q, 'w.') . " FROM ($select) AS w$kept)", 'id' ];
}

# A join, with columns of both sides.
sub nested
{
	my ($q, $depth) = @_;
	my $list = list($q, 'a.', two($q));
	return [ "(SELECT $list FROM " . by_id($q, $depth) . ' AS a ' . one_of('LEFT JOIN', 'LEFT JOIN', 'JOIN') . ' '
		. by_id($q, $depth) . ' AS q ON q.id = ' . one_of('a.id', 'a.p', 'a.o + 1', 'a.id AND q.b', 'a.id AND a.p > 2')
		. where($q, 'a.') . ')', 'id' ];
}

# A condition that becomes a semi join, an anti join or a subplan.
sub half
{
	my ($q, $c, $depth) = @_;
	my $other = by_id($q, $depth);
	my $not = one_of('', '', 'NOT ');
	return one_of(
		"${not}EXISTS (SELECT FROM $other AS e WHERE e.id = ${c}p)",
			"${not}EXISTS (SELECT FROM $other AS e WHERE e.id = ${c}id AND e.p > 2)",
			"${not}EXISTS (SELECT FROM $other AS e WHERE e.p = ${c}o AND e.id < ${c}id)",
			"${c}p ${not}IN (SELECT e.o FROM $other AS e WHERE e.o IS NOT NULL)",
			"${c}id ${not}IN (SELECT e.id FROM $other AS e)",
			"${c}p = ANY (SELECT e.p FROM $other AS e WHERE e.id < 20)",
			"(EXISTS (SELECT FROM $other AS e WHERE e.id = ${c}p) OR ${c}p = 3)",
			"(SELECT count(*) FROM $other AS e WHERE e.id < 30) > ${c}p");
}

sub halved
{
	my ($q, $depth) = @_;
	return [ '(SELECT ' . list($q, 'a.') . ' FROM ' . by_id($q, $depth) . ' AS a WHERE ' . half($q, 'a.', $depth) . ')',
		'id' ];
}

# ---- what the windows stand over

# A condition of a join of two prefixes.  A FULL JOIN needs one that can be merged or hashed.
sub condition
{
	my ($q, $l, $r, $full) = @_;
	my @equal = ("${r}id = ${l}id", "${r}id = ${l}id", "${r}id = ${l}p", "${l}id = ${r}o",
		"${r}id = ${l}id AND ${r}p = ${l}p");
	return one_of(@equal) if $full || ($q->{large} && chance(70));
	return one_of(@equal, @equal, "${r}id = ${l}id AND ${r}b", "${r}id = ${l}id + 1 AND ${l}p > 2",
		"${r}id = ${l}id AND ${r}id < 40", "${r}p = ${l}p AND ${r}id < 12", "${r}id = ${l}id AND ${r}t IS NOT NULL",
		'false');
}

# A subquery that reads a column of the row to its left.
sub lateral
{
	my ($q, $l) = @_;
	my %of_left = (%$q, outer => $l . one_of(qw(p o id)));
	my $condition = one_of("c.id = ${l}p", "c.id = ${l}id", "c.p = ${l}p AND c.id < 12");
	my $from = table($q) . " AS c WHERE $condition";
	return one_of(
		'(SELECT ' . list(\%of_left, 'c.') . " FROM $from)", '(SELECT ' . list(\%of_left, 'c.') . " FROM $from)",
		'(SELECT ' . list(\%of_left, 'c.') . " FROM $from ORDER BY c.id DESC LIMIT 2)",
		'(SELECT ' . list(\%of_left, 'c.', i8 => 'count(*) OVER (ORDER BY c.id)', p => "${l}p") . " FROM $from)",
		'(SELECT ' . list_of_numbers($q, 'g') . " FROM generate_series(1, ${l}p % 4) AS g)");
}

# A FROM clause of one relation, as a hash: from; prefixes, the prefix of each relation; unique, the columns of a key.
sub one
{
	my ($q, $alias) = @_;
	my ($text, @key) = @{ relation($q, 1) };
	return { from => "$text AS $alias", prefixes => ["$alias."], unique => [ map { "$alias.$_" } @key ] };
}

# Joins another relation to such a FROM clause.
sub add
{
	my ($q, $so_far, $alias) = @_;
	# before version 16 one process runs a RIGHT JOIN and a FULL JOIN
	my $kind = $q->{large} && chance(50) ? 'LEFT JOIN'
		: one_of(('LEFT JOIN') x 5, 'RIGHT JOIN', 'FULL JOIN', 'JOIN', 'LEFT JOIN LATERAL', 'CROSS JOIN LATERAL');
	my $l = one_of(@{ $so_far->{prefixes} });
	my ($text, @key) = $kind =~ /LATERAL/ ? (lateral($q, $l), 'id') : @{ relation($q, $q->{large}) };
	my $on = $kind =~ /CROSS/ ? '' : ' ON '
		. ($kind =~ /LATERAL/ ? one_of('true', "$alias.p > 2") : condition($q, $l, "$alias.", $kind =~ /FULL/));

	$so_far->{from} .= " $kind $text AS $alias$on";
	push @{ $so_far->{prefixes} }, "$alias.";
	push @{ $so_far->{unique} }, map { "$alias.$_" } @key;
}

# The FROM clause below the windows, as one() returns it, with a condition (where) and WITH queries (with).
sub source
{
	my ($q) = @_;
	my ($text, @key) = @{ relation($q, $q->{large}) };
	my %source = (with => '', where => '', prefixes => ['r.'], unique => [ map { "r.$_" } @key ]);
	my $joins = one_of(0, 1, 1, 1, 1, 2, 2);

	if ($text !~ /^\w+$/ && chance(20))
	{
		# a WITH query of the whole query
		$source{with} = 'WITH shared AS ' . one_of('', 'MATERIALIZED ', 'NOT MATERIALIZED ') . "$text ";
		$text = 'shared';
	}
	$source{from} = "$text AS r";
	if ($joins == 2 && chance(40))
	{
		my $right = one($q, 's');
		add($q, $right, 'y');
		$source{from} .= " LEFT JOIN ($right->{from}) ON " . condition($q, 'r.', 's.', 0);
		push @{ $source{$_} }, @{ $right->{$_} } for qw(prefixes unique);
	}
	else
	{
		add($q, \%source, $_) for ('s', 'y')[ 0 .. $joins - 1 ];
	}
	if ($text eq 'shared' && chance(60))
	{
		$source{from} .= ' LEFT JOIN shared AS x ON ' . condition($q, 'r.', 'x.', 0);
		push @{ $source{prefixes} }, 'x.';
		push @{ $source{unique} }, map { "x.$_" } @key;
	}
	my $c = one_of(@{ $source{prefixes} });
	$source{where} = one_of("${c}p > 2", "${c}id IS NULL", "${c}b IS NOT TRUE", "${c}o < 7",
		half($q, $c, 2), $q->{parameters} ? "${c}p > " . Queries::parameter() : "${c}id > 30",
		$q->{outer} ? "${c}id > $q->{outer}" : 'true') if chance(40);
	return \%source;
}

# ---- between windows

# A query that joins the rows of an inner query with windows to a table, with a window above the join.
sub between
{
	my ($q, $inner) = @_;
	my $key = join ', ', map { "s.$_" } @{ $inner->{key} };
	my $table = table($q);
	my $wrapped = "(SELECT s.*, coalesce(w0::text, 'none') AS x0, 1 AS one, s AS whole FROM ($inner->{sql}) AS s)";
	my $order = 'ORDER BY ' . one_of("a.id, $key", "s.one, a.id, $key", "a.p DESC, a.id, $key");
	my $window = one_of('', 'PARTITION BY a.p ', 'PARTITION BY s.x0 ', 'PARTITION BY s.one ') . $order;
	my $call = one_of('count(s.w0)', 'sum(s.one)', 'max(s.x0)', 'lag(s.x0)', 'lag(s.one, 2, a.p)', 'scan_sum(s.one)',
		'scan_locf(s.x0)', 'count(*) FILTER (WHERE s.one = 1)', 'first_value(s.whole)', 'row_number()');
	my $join = one_of('LEFT JOIN', 'LEFT JOIN', 'RIGHT JOIN', 'FULL JOIN', 'JOIN');

	return "SELECT a.id, $key, $call OVER ($window) AS z FROM $table AS a $join $wrapped AS s ON s.k0 = a.id";
}

# ---- the next query

# The next query.  $large: over tables that the planner takes for large.  $odd_below: the percentage of expressions
# below the joins that may fail.
sub next
{
	my ($class, $large, $odd_below) = @_;
	my $q = { odd_below => $odd_below // 0, odd => $large ? 0 : one_of(0, 0, 0, 0, 4, 12), large => $large,
		whole_rows => 1, few_expressions => $large, parameters => chance(12) };
	my $outer = chance($large ? 4 : 10);
	my $rows = one_of('generate_series(1, 4) AS g (n)', '(SELECT id AS n FROM t WHERE id < 5 OFFSET 0) AS g',
		'(SELECT o AS n FROM t WHERE id BETWEEN 10 AND 14) AS g', '(VALUES (3), (NULL), (9)) AS g (n)');

	$q->{between} = sub { return between($q, @_) };
	$q->{outer} = 'g.n' if $outer;
	my $source = source($q);
	@$q{qw(prefixes unique with)} = @$source{qw(prefixes unique with)};
	my $inner = chance($large ? 5 : 10)
		? Queries::grouped($q, @$source{qw(from where)}) : Queries::windowed($q, @$source{qw(from where)});
	return Queries::finished($q, $large && chance(50) ? { sql => $inner->{sql} } : Queries::above($q, $inner))
		if !$outer;
	my $key = join ', ', @{ $inner->{key} };
	return Queries::finished($q, one_of(
		{ sql => "SELECT g.n, l.* FROM $rows, LATERAL ($inner->{sql} ORDER BY $key"
				. one_of('', ' LIMIT g.n', ' LIMIT 3') . ') AS l' },
		{ sql => "SELECT g.n, (SELECT count(w0) FROM ($inner->{sql}) AS l) AS c FROM $rows" },
		{ sql => "SELECT g.n, l.w0 FROM $rows LEFT JOIN LATERAL ($inner->{sql}) AS l ON l.k0 > g.n" },
		{ sql => "SELECT g.n FROM $rows WHERE g.n IN (SELECT k0 FROM ($inner->{sql}) AS l)" }));
}

1;

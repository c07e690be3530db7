# Queries.pm: random window queries, the same ones for the same seed.
#
# test/t/node_random.t runs each with PrefixScan and without and compares.  So an
# answer must hang on the query alone: what depends on the order of rows gets a window
# that orders by a key, LIMIT stands over a total order, and everything volatile
# returns what it is given.  Everything else is allowed, errors too.
#
# A query is a hash: sql; ordered (the order of its rows is fixed); parameters (values of
# $1 ..., for a prepared statement); fetch (commands for a cursor); set (settings).
package Queries;

use strict;
use warnings;
use Calls;

sub new
{
	my ($class, $seed) = @_;
	srand $seed;
	return bless {}, $class;
}

# ---- the tables

# Columns of every source below: name => type.  `id` is unique in each.
our %type = %Calls::type;

sub tables
{
	my ($role) = @_;
	my $rows = Calls::rows(9);
	return Calls::types() . <<"SQL";
CREATE TABLE t AS $rows FROM generate_series(1, 180) AS i ORDER BY hashint4(i);
CREATE INDEX ON t (id);
CREATE INDEX ON t (p, id);
CREATE INDEX ON t (o DESC, id);
CREATE TABLE parts (LIKE t) PARTITION BY RANGE (id);
CREATE TABLE parts_low PARTITION OF parts FOR VALUES FROM (MINVALUE) TO (60);
-- the same columns in the opposite order, after a dropped one
CREATE FUNCTION turned_round(name text) RETURNS void LANGUAGE plpgsql AS \$\$
BEGIN
  EXECUTE 'CREATE TABLE ' || name || ' AS SELECT 1 AS gone, ' || (SELECT string_agg(attname, ', ' ORDER BY attnum DESC)
    FROM pg_attribute WHERE attrelid = 't'::regclass AND attnum > 0) || ' FROM t WHERE id > 150';
  EXECUTE 'ALTER TABLE ' || name || ' DROP gone';
END \$\$;
SELECT turned_round('parts_middle'), turned_round('child');
TRUNCATE parts_middle;
ALTER TABLE parts ATTACH PARTITION parts_middle FOR VALUES FROM (60) TO (150);
CREATE TABLE parts_high PARTITION OF parts FOR VALUES FROM (150) TO (MAXVALUE);
CREATE INDEX ON parts (id);
INSERT INTO parts SELECT * FROM t WHERE id % 4 <> 0;
CREATE TABLE parent AS SELECT * FROM t WHERE id <= 90;
ALTER TABLE child INHERIT parent;
CREATE TABLE secured AS SELECT * FROM t;
ALTER TABLE secured ENABLE ROW LEVEL SECURITY;
CREATE POLICY visible ON secured USING (b IS NOT FALSE);
CREATE VIEW seen AS SELECT id, p, o, i2, (row_number() OVER (PARTITION BY p ORDER BY id))::int AS i4, i8, f4, f8,
  sum(num) OVER (ORDER BY id) AS num, d, ts, tz, tm, iv, t, b, dom, en, comp, u, bits, arr FROM t;
CREATE VIEW fenced WITH (security_barrier) AS SELECT * FROM t WHERE p > 2;
CREATE FUNCTION same(int) RETURNS int LANGUAGE plpgsql VOLATILE AS 'BEGIN RETURN \$1; END';
CREATE FUNCTION ranked(int) RETURNS TABLE (id int, n bigint)
  LANGUAGE sql STABLE AS 'SELECT id, rank() OVER (PARTITION BY p ORDER BY o) FROM t WHERE o < \$1';
CREATE ROLE $role;
GRANT SELECT ON ALL TABLES IN SCHEMA public TO $role;
ANALYZE;
SQL
}

# ---- dice

sub one_of { return $_[ rand @_ ] }
sub chance { return rand(100) < $_[0] }
sub some_of { my $n = shift; return map { one_of(@_) } 1 .. $n }

# ---- expressions over the columns of a source

my @keys = qw(p o i2 i4 i8 f4 f8 num d ts tz tm iv t b dom en comp u bits arr);

# What stands before the columns of a relation; of a random one of those that a query joins.
sub prefix
{
	my ($q) = @_;
	my @prefixes = @{ $q->{prefixes} };
	# no die for one prefix: the query of a seed stays the same
	return @prefixes > 1 ? one_of(@prefixes) : $prefixes[0];
}

# A key to order or partition by.
sub key
{
	my ($q) = @_;
	my $c = prefix($q);
	return one_of("${c}i4 % 5", "hashint4(${c}o)", "${c}t || 'a'", "-${c}i2", "coalesce(${c}p, 3)", "${c}d + 1",
		"lower(${c}t) COLLATE \"C\"") if chance($q->{few_expressions} ? 3 : 12);
	# a whole row
	return '(' . $c =~ s/\.$/)/r if $q->{whole_rows} && chance(3);
	return $c . one_of(@keys);
}

# Expressions of a type beside its columns; %s stands for the source.
my %plain = (
	int2 => ['(%si2 %% 7::int2)::int2'],
	int4 => [ '%si4 + 1', 'CASE WHEN %sb THEN %1$sp ELSE %1$so END', '%sp * %1$so', 'length(%st)', '%sdom + 0', '7',
		'(%scomp).x' ],
	int8 => [ '%si4::int8', '%sp * 1000000000000' ],
	float4 => ['%si4::float4'],
	float8 => [ '%si4 / 7.0::float8', '%sf4::float8' ],
	numeric => [ '%si4 / 8.0', '%snum * 2', 'NULL::numeric' ],
	date => ['%sd - %1$sp'],
	timestamp => [q(%sts + interval '1 day')],
	interval => [ '%siv * 2', q(%sts - timestamp '2024-01-01') ],
	text => [ '%st || %1$sp', 'repeat(%st, 3)', '%sen::text', q('c'::text), '(%scomp).y' ],
	bool => [ '%sp > 3', '%st IS NULL', '%si4 > 0 AND %1$sb' ]);
# those that may fail, at one row or at many, are volatile, or have a subquery; # is a number
my %odd = (
	int4 => [ '100 / (%sid - #)', '100 / (%sid - #)', 'same(%sp)', '(SELECT max(p) FROM t)',
		'(SELECT count(*)::int FROM parts AS z WHERE z.id = %sp)' ],
	int8 => ['9223372036854775807 - # + %sid'],
	numeric => ['%snum / (%1$sid - #)'],
	float8 => [ 'exp(%sid * 3)', 'sqrt(# - %sid)', '1e308::float8 * %sp' ],
	interval => [ q(interval '170000000 years' * %sp) ],
	text => [ 'substr(%st, 1, # - %1$sid)', 'repeat(%st, 150)' ],
	bool => ['10 / (%sp - #) < 0']);

# An expression with the columns of one relation; # becomes a number.
sub filled
{
	my ($text, $c) = @_;
	no warnings 'redundant';
	$text = sprintf $text, $c;
	$text =~ s/#/int rand 200/e;
	return $text;
}

# An expression of a type that may fail; undef if there is none.
sub odd
{
	my ($type, $c) = @_;
	return $odd{$type} && filled(one_of(@{ $odd{$type} }), $c);
}

# A value of a type.
sub value
{
	my ($q, $type) = @_;
	my $c = prefix($q);
	my @columns = map { $c . $_ } grep { $type{$_} eq $type } sort keys %type;
	my $text;

	return parameter() if $type eq 'int4' && $q->{parameters} && chance(15);
	return $q->{outer} if $type eq 'int4' && $q->{outer} && chance(10);
	return ($c =~ s/\.$//r) . ($type eq 'text' ? '::text' : ' IS NULL')
		if $q->{whole_rows} && $type =~ /^(?:text|bool)$/ && chance(10);
	$text = one_of(@{ $odd{$type} }) if $odd{$type} && chance($q->{odd});
	$text //= one_of(@{ $plain{$type} }) if $plain{$type} && (!@columns || chance($q->{few_expressions} ? 8 : 30));
	return defined $text ? filled($text, $c) : one_of(@columns);
}

# A parameter of a prepared statement: its value, which gets a number when the query is there.
sub parameter { return '<<' . int(rand 12) . '>>' }

sub number_parameters
{
	my ($query) = @_;
	$query->{parameters} = [];
	$query->{sql} =~ s/<<(\d+)>>/push @{ $query->{parameters} }, $1; '($' . @{ $query->{parameters} } . '::int)'/ge;
}

# ---- functions

# A call by one of the templates of Calls.pm: [call, is an aggregate, type].
sub templated
{
	my ($q, $aggregates, @functions) = @_;
	my $n = int rand @$aggregates + @functions;
	my $template = $n < @$aggregates ? $aggregates->[$n] : $functions[ $n - @$aggregates ];
	my ($call, $type) = Calls::call($template, prefix($q), choose => \&one_of, value => sub { value($q, $_[0]) });

	return [ $call, $n < @$aggregates, $type ];
}

# SCAN_TEST_CALLS: a regular expression; most calls are of templates that it matches.
my $only = $ENV{SCAN_TEST_CALLS};
my @only = map { [ defined $only ? grep { $_->[0] =~ $only } @$_ : () ] } [@Calls::aggregates],
	[ @Calls::functions, map { @$_ } values %Calls::scan ];

# A function that gives the same for rows that tie, whatever their order.
sub steady { return templated($_[0], \@Calls::steady_aggregates, @Calls::steady_functions) }

# One that hangs on the order of rows: half of them are of this extension, each of its functions as often as the others.
sub in_order
{
	my ($q) = @_;

	return templated($q, $only[0], @{ $only[1] }) if defined $only && chance(90);
	return templated($q, \@Calls::aggregates, @Calls::functions) if chance(50);
	return templated($q, [], @{ $Calls::scan{ one_of(sort keys %Calls::scan) } });
}

# ---- windows

sub order_key { return key($_[0]) . one_of('', '', ' ASC', ' DESC') . one_of('', '', ' NULLS FIRST', ' NULLS LAST') }

# A window: [PARTITION BY and ORDER BY, the rows have one order only].
sub window
{
	my ($q) = @_;
	my $total = chance(65);
	my @partition = map { key($q) } 1 .. one_of(0, 0, 1, 1, 1, 2);
	my @order = map { order_key($q) } 1 .. one_of(0, 1, 1, 2);
	push @order, map { $_ . one_of('', '', ' DESC') } @{ $q->{unique} } if $total;
	return [ join(' ', @partition ? 'PARTITION BY ' . join(', ', @partition) : (),
			@order ? 'ORDER BY ' . join(', ', @order) : ()), $total, scalar @order ];
}

sub frame
{
	my ($window) = @_;
	my ($text, $total, $order) = @$window;
	my $unit = one_of('RANGE', $total ? 'ROWS' : (), $order ? 'GROUPS' : ());
	my $exclude = chance(6) ? one_of(' EXCLUDE CURRENT ROW', ' EXCLUDE TIES', ' EXCLUDE GROUP') : '';
	return '' if chance(35);
	return "$unit UNBOUNDED PRECEDING$exclude" if chance(45);
	return "$unit BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW$exclude" if chance(30);
	return "$unit BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING$exclude" if chance(50);
	return "$unit BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING$exclude" if chance(30);
	$unit = $total ? 'ROWS' : $order ? 'GROUPS' : return '';
	return "$unit BETWEEN " . int(rand 4) . ' PRECEDING AND '
		. one_of('CURRENT ROW', '1 PRECEDING', '2 FOLLOWING', 'UNBOUNDED FOLLOWING') . $exclude;
}

# A call over a window: [expression, its type].
sub call
{
	my ($q, $windows) = @_;
	my $w = int rand @$windows;
	my $window = $windows->[$w];
	my $ordered = $window->[1] || $window->[0] eq '';
	my ($call, $aggregate, $type) = @{ $window->[1] && chance(defined $only ? 95 : 60) ? in_order($q) : steady($q) };
	my $filter = $aggregate && chance(20) ? ' FILTER (WHERE ' . value($q, 'bool') . ')' : '';
	my $over = chance(50) ? "w$w" : "($window->[0] $window->[3])";
	return [ "$call$filter OVER $over", $type ];
}

# ---- queries

# Where rows come from: FROM clause, prefix of the columns, a key.
sub source
{
	my ($depth) = @_;
	my $where = 'WHERE '
		. one_of('true', 'o < 9', 'id % 3 = 0', 'b', 'id < 40', 'p = 3', 'false', 'id = 17', "t LIKE 'x%'");
	return one_of(
		map({ [ "$_ AS r", 'r.', ['r.id'] ] } qw(t t t parts parent secured seen fenced)),
		[ "(SELECT * FROM t $where) AS r", 'r.', ['r.id'] ],
		[ "(SELECT * FROM t $where OFFSET 0) AS r", 'r.', ['r.id'] ],
		[ '(SELECT * FROM t UNION ALL SELECT * FROM parts) AS r JOIN (VALUES (1), (2)) AS s (k) ON true', 'r.', undef ],
		[ 't AS r JOIN (SELECT id AS other, p AS q FROM t WHERE id < 12) AS s ON s.q = r.p', 'r.',
			[ 'r.id', 's.other' ] ],
		[ '(SELECT generate_series(1, 50) AS g) AS s LEFT JOIN t AS r ON r.id = s.g * 7', 'r.', ['s.g'] ],
		[ 't AS r JOIN ranked(' . int(rand 12) . ') AS s ON s.id = r.id', 'r.', ['r.id'] ],
		[ "(SELECT DISTINCT ON (p) * FROM t ORDER BY p, id) AS r", 'r.', ['r.id'] ],
		[ "(SELECT id, p, o, i2, (lag(i4) OVER (PARTITION BY p ORDER BY id)) AS i4, i8, f4, f8, num, d, ts, tz, "
			. "tm, iv, scan_locf(t) OVER (ORDER BY id) AS t, b, dom, en, comp, u, bits, arr FROM parts) AS r", 'r.',
			['r.id'] ]);
}

# A select with windows over a source: its text, the names of its answers by type, and of its key.
sub windowed
{
	my ($q, $from, $where) = @_;
	my @windows = map { my $w = window($q); [ @$w, frame($w) ] } 1 .. one_of(1, 1, 1, 2, 2, 3);
	my @calls = map { call($q, \@windows) } 1 .. one_of(1, 1, 2, 2, 3, 5);
	my @key = @{ $q->{unique} };
	my @out = ((map { "$key[$_] AS k$_" } 0 .. $#key), map { "$calls[$_][0] AS w$_" } 0 .. $#calls);
	push @out, value($q, one_of(@{ $Calls::class{any} })) . ' AS v' if chance(40);
	push @out, prefix($q) . "t || ($calls[0][0])::text AS x" if chance(15);
	my $named = join ', ', map { "w$_ AS ($windows[$_][0] $windows[$_][3])" } 0 .. $#windows;
	return {
		sql => ($q->{with} // '') . 'SELECT ' . join(', ', @out) . " FROM $from" . ($where ? " WHERE $where" : '')
			. " WINDOW $named",
		key => [ map { "k$_" } 0 .. $#key ],
		answers => { map { ("w$_" => $calls[$_][1]) } 0 .. $#calls } };
}

# The same over groups; of rows that are joined, too.
# Which of 0 and -0 an aggregate returns depends on the order of rows.
sub grouped
{
	my ($q, $from, $where) = @_;
	my $c = $from ? prefix($q) : '';
	my $by = $c . one_of(qw(p o dom));
	my $window = one_of("ORDER BY $by", "ORDER BY $by DESC NULLS LAST", "ORDER BY count(*) DESC, $by",
		"PARTITION BY $by IS NULL ORDER BY sum(${c}i4), $by");
	my @calls = map { one_of('sum(count(*))', "sum(sum(${c}i4))", "lag(max(${c}t))", 'rank()',
			'row_number()', $from ? "max(min(${c}d))" : 'max(min(num))', "scan_sum(sum(${c}i2))",
			$from ? "sum(max(${c}i8))" : 'avg(max(f8))', "first_value($by)") . " OVER ($window)" } 1 .. 3;
	my $rows = $from // one_of(qw(t parts parent secured));
	return {
		sql => ($q->{with} // '')
			. "SELECT $by AS k0, $calls[0] AS w0, ($calls[1])::text || count(*) AS w1 FROM $rows WHERE $by IS NOT NULL"
			. ($where ? " AND $where" : '') . ' GROUP BY ' . one_of($by, "ROLLUP ($by)") . ' HAVING '
			. one_of('true', 'count(*) > 3'),
		key => ['k0'], answers => { w0 => 'other' } };
}

# What stands above.
sub above
{
	my ($q, $inner) = @_;
	my ($sql, $answers) = @$inner{qw(sql answers)};
	my @numbers = grep { $answers->{$_} =~ /^(?:int\d|numeric)$/ } sort keys %$answers;
	my $key = join ', ', @{ $inner->{key} };
	# values that are equal and still not the same (0 and -0, 1.5 and 1.50): which one DISTINCT shows is not fixed
	my $distinct = join ', ', map { $answers->{$_} =~ /^(?:int\d|int4\[\]|bool|text|date|time.*|small|mood|pair|uuid)$/
			? $_ : "$_\::text" } sort keys %$answers;

	return { sql => "$sql ORDER BY $key" . one_of('', ' LIMIT ' . int(rand 30), ' LIMIT 7 OFFSET ' . int(rand 20),
			' FETCH FIRST 3 ROWS ONLY'), ordered => 1 } if chance(25);
	if (@numbers && chance(40))
	{
		my $conditions = join ' AND ', map { one_of(@numbers) . ' ' . one_of('<', '<=', '=', '>', '>=', '<', '<=') . ' '
			. one_of(1, 3, 5, 5, 40, 1000, ($q->{parameters} ? parameter() : 2)) } 1 .. one_of(1, 1, 2);
		return { sql => "SELECT * FROM ($sql) AS s WHERE $conditions" . one_of('', " ORDER BY $key LIMIT 4") };
	}
	return { sql => $q->{between}->($inner) } if $q->{between} && chance(25);
	return one_of(
		{ sql => $sql }, { sql => $sql }, { sql => $sql },
		{ sql => "SELECT DISTINCT $distinct FROM ($sql) AS s" },
		{ sql => "SELECT s FROM ($sql) AS s" },
		{ sql => "SELECT $distinct, count(*) FROM ($sql) AS s GROUP BY $distinct" },
		{ sql => "SELECT s.*, dense_rank() OVER (ORDER BY $key) AS z, lag(w0) OVER (ORDER BY $key) AS l, "
				. "count(*) OVER (PARTITION BY w0) AS c FROM ($sql) AS s" },
		{ sql => "WITH c AS " . one_of('', 'MATERIALIZED ')
				. "($sql) SELECT a.*, b.w0 AS other FROM c AS a LEFT JOIN c AS b USING ($key)" },
		{ sql => "SELECT w0 FROM ($sql) AS s UNION ALL SELECT w0 FROM ($sql) AS s" },
		{ sql => "SELECT id, p FROM t WHERE EXISTS (SELECT FROM ($sql) AS s WHERE k0 " . one_of('=', '<') . ' t.id)' },
		{ sql => "SELECT (SELECT count(w0) FROM ($sql) AS s) AS c, id FROM t WHERE id < 5" });
}

# The next query.
sub next
{
	my $q = { odd => one_of(0, 0, 0, 4, 12, 30) };
	my ($from, $prefix, $unique) = @{ source() };
	my ($query, $where);

	# a union's rows come twice: what they tie in is all they have
	($from, $unique) = ('(SELECT * FROM t UNION ALL SELECT * FROM parts) AS r', undef) if !$unique;
	if (!$unique)
	{
		$from = '(SELECT *, 1 AS branch FROM t UNION ALL SELECT *, 2 FROM parts) AS r';
		$unique = [ 'r.id', 'r.branch' ];
	}
	@$q{qw(prefixes unique)} = ([$prefix], $unique);
	$q->{parameters} = chance(12);
	if (chance(10))
	{
		$query = above($q, grouped($q));
	}
	elsif (chance(10))
	{
		# rescans, with something of the row outside
		@$q{qw(outer prefixes unique)} = ('g.n', ['r.'], ['r.id']);
		my $inner = windowed($q, 't AS r', one_of('r.o < g.n', 'r.p = g.n', 'r.id < 20'));
		$query = { sql => 'SELECT g.n, l.* FROM generate_series(1, 4) AS g (n), LATERAL (' . $inner->{sql}
				. one_of('', " ORDER BY k0 LIMIT g.n", " ORDER BY k0 LIMIT 3") . ') AS l' };
	}
	else
	{
		my $condition = chance(20) ? one_of("${prefix}o < 7", "${prefix}b", "${prefix}id > 30",
			($q->{parameters} ? "${prefix}p > " . parameter() : 'true')) : '';
		$query = above($q, windowed($q, $from, $condition));
	}
	return finished($q, $query);
}

# A query with numbers for its parameters, and with commands for a cursor and settings drawn for it.
sub finished
{
	my ($q, $query) = @_;

	number_parameters($query) if $q->{parameters};
	if (!$q->{parameters} && $query->{ordered} && chance(50))
	{
		$query->{fetch} = [ map { one_of('FETCH 1', 'FETCH 3', 'FETCH 70', 'FETCH BACKWARD 2', 'FETCH PRIOR',
					'FETCH ABSOLUTE 5', 'FETCH RELATIVE -1', 'FETCH LAST', 'FETCH FIRST', 'MOVE 4', 'FETCH ALL',
					'FETCH BACKWARD ALL') } 1 .. 6 ];
		$query->{scroll} = one_of('SCROLL', 'SCROLL', '', 'NO SCROLL');
	}
	$query->{set} = one_of('', '', '', '', '', 'enable_indexscan off, enable_bitmapscan off', 'enable_sort off',
		'enable_hashagg off', 'enable_material off, enable_memoize off', 'enable_seqscan off',
		'enable_incremental_sort off');
	$query->{small} = chance(25);
	return $query;
}

1;

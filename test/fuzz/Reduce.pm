# Reduce.pm: random queries that throw the rows of a window away: they filter them, count them, or aggregate them.
#
# test/t/reduce_random.t runs each with WindowReduce and in stock PostgreSQL, and compares.  The windows, their
# functions and the tables are those of Queries.pm.  Every window orders by a key, so that the rows have one order, and
# the sums of floats above it have one value.
package Reduce;

use strict;
use warnings;
use Queries;

BEGIN { *one_of = \&Queries::one_of; *chance = \&Queries::chance; }

# ---- the rows of a window

# The columns that pass through: name in the subquery => [column, type].
my %passed = map { ("c_$_" => [ $_, $Queries::type{$_} ]) } qw(p o i2 i4 i8 f4 f8 num d ts tz iv t b dom);

my $number = qr/^(?:int\d|float\d|numeric)$/;

# Constants of numbers, by type.
my %plain = (
	int2 => [ '2::smallint', '-7::smallint' ], int4 => [ 0, 1, 2, 10, -3, 2147483647, 'NULL::int' ],
	int8 => [ '5::bigint', '9223372036854775807' ],
	float4 => ['1.5::float4'], float8 => [ '0::float8', '2.5::float8', '1e300::float8', "'NaN'::float8",
		"'Infinity'::float8", '1e-200::float8' ], numeric => [ '0.0', '2.50', "'NaN'::numeric" ]);

# The type of an arithmetic result, as the parser finds it.
sub wider
{
	my ($left, $right) = @_;
	my %rank = (int2 => 0, int4 => 1, int8 => 2, numeric => 3, float4 => 4, float8 => 5);
	return 'float8' if ($left eq 'float4') != ($right eq 'float4') && $left ne $right;
	return $rank{$left} > $rank{$right} ? $left : $right;
}

# Results of windows and columns of such a type, as [text, type]; more of the results.
sub sources
{
	my ($calls, $type) = @_;
	my @passed = map { [ "r.$passed{$_}[0]", $passed{$_}[1] ] } sort keys %passed;
	return ((grep { $_->[1] =~ $type } @$calls) x 3, grep { $_->[1] =~ $type } @passed);
}

# A number: a result of a window, a column, a constant, or an expression of them.
sub operand
{
	my ($calls, $depth) = @_;
	my $of = one_of(sort keys %plain);

	return arithmetic($calls, $depth - 1) if $depth > 0 && chance(35);
	return one_of(sources($calls, $number)) if chance(80);
	return [ one_of(@{ $plain{$of} }), $of ];
}

# A condition in an expression.
sub truth
{
	my ($calls, $left, $right) = @_;
	my ($from, $to) = map { one_of(sources($calls, qr/^timestamp$/)) } 1 .. 2;
	my $compared = one_of("$left->[0] " . one_of(qw(< <= = >= > <>)) . " $right->[0]",
		"$left->[0] IS " . one_of('', 'NOT ') . 'NULL', "$to->[0] - $from->[0] " . one_of(qw(< <= = >= > <>)) . ' '
			. one_of("interval '20 days'", "interval '1 month'", "interval '-5 hours'", "interval '0'", 'NULL'));

	return $compared if chance(75);
	return one_of("NOT ($compared)", map({ "($compared $_ $left->[0] < 3)" } qw(AND OR)),
		"($left->[0] <> 0 AND 100 / $left->[0] > 3)");
}

sub arithmetic
{
	my ($calls, $depth) = @_;
	my ($left, $right) = map { operand($calls, $depth) } 1 .. 2;
	my $n = int rand 200;
	my $op = one_of('+', '-', '-', '-', '*');

	return one_of(
		map({ sub { [ "($left->[0] $op $right->[0])", wider($left->[1], $right->[1]) ] } } 1 .. 4),
		sub { [ "coalesce($left->[0], $right->[0])", $left->[1] eq 'float4' || $right->[1] eq 'float4' ? ($left->[1]
					eq 'float8' || $right->[1] eq 'float8' ? 'float8' : 'float4') : wider($left->[1], $right->[1]) ] },
		sub { [ "($left->[0] / nullif($right->[0], 0))", wider($left->[1], $right->[1]) ] },
		sub { [ "nullif($left->[0], $right->[0])",
			"$left->[1]$right->[1]" =~ /^int\dint\d$/ ? $left->[1] : wider($left->[1], $right->[1]) ] },
		sub { [ one_of('abs', '-') . "($left->[0])", $left->[1] ] },
		sub { my $to = one_of(qw(int4 int8 float8 float8 numeric)); [ "($left->[0])::$to", $to ] },
		sub { [ 'CASE WHEN ' . truth($calls, $left, $right) . " THEN $left->[0] "
			. (chance(30) ? 'WHEN ' . truth($calls, $right, $left) . " THEN $left->[0] + 1 " : '') . 'ELSE '
			. one_of('NULL', $left->[0], "$left->[0] * 2") . ' END', $left->[1] ] },
		sub { [ 'CASE WHEN ' . truth($calls, $left, $right) . ' THEN ' . one_of(1, 0, 'NULL', 'r.i4',
				"1000 / (r.id - $n)") . ' ELSE ' . one_of(1, 0, 'NULL', 'r.i4', 'r.o') . ' END', 'int4' ] },
		sub { [ "(CASE WHEN $right->[0] <> 0 THEN $left->[0] / $right->[0] END)", wider($left->[1], $right->[1]) ] },
		sub { chance(30) ? [ "($left->[0] / $right->[0])", wider($left->[1], $right->[1]) ]
				: [ "(1000 / (r.id - $n))", 'int4' ] })->();
}

# A column that the subquery computes: [text, type].
sub expression
{
	my ($q, $calls) = @_;
	my $n = int rand 200;
	my $time = one_of(qw(date timestamp timestamptz));
	my ($from, $to) = map { one_of(sources($calls, qr/^$time$/),
			[ "$time '" . one_of('2024-02-03', '2024-05-06', '-infinity') . "'", $time ]) } 1 .. 2;

	return arithmetic($calls, 2) if chance(70);
	return one_of(
		map({ sub { [ "$to->[0] - $from->[0]", $time eq 'date' ? 'int4' : 'interval' ] } } 1 .. 4),
		sub { [ "coalesce($to->[0] - $from->[0], $from->[0] - $to->[0])", $time eq 'date' ? 'int4' : 'interval' ] },
		sub { [ truth($calls, map { operand($calls, 0) } 1 .. 2), 'bool' ] },
		sub { [ "r.t || 'x'", 'text' ] },
		sub { [ 'upper(r.t)', 'text' ] },
		sub { [ "($calls->[0][0])::text", 'text' ] },
		sub { [ "r.b AND $calls->[0][0] IS NOT NULL", 'bool' ] },
		sub { [ "(r.id, $calls->[0][0]) IS NULL", 'bool' ] },
		sub { [ "r.d + 3", 'date' ] },
		sub { [ "r.ts + interval '1 day'", 'timestamp' ] },
		sub { [ 'same(r.id)', 'int4' ] },
		sub { [ "r.id + (SELECT count(*) FROM parts WHERE o < $n % 12)", 'int8' ] },
		sub { [ "CASE r.p WHEN 3 THEN 1 / (r.id - $n) ELSE 5 END", 'int4' ] },
		sub { [ $q->{parameters} ? '(r.i4 + ' . Queries::parameter() . ')' : "'x'::text",
			$q->{parameters} ? 'int8' : 'text' ] })->();
}

# A subquery with windows: its text, the types of its columns, the columns of PARTITION BY.
sub windowed
{
	my ($q) = @_;
	my @partition = map { "c_$_" } grep { chance(60) } (qw(p o b t num dom))[ rand 6, rand 6 ];
	@partition = do { my %seen; grep { !$seen{$_}++ } @partition };
	my $by = join ', ', map { "r.$passed{$_}[0]" } @partition;
	my $key = chance(60) ? Queries::order_key($q) : undef;
	my $order = join ', ', $key // (), 'r.id' . one_of('', ' DESC');
	my $text = ($by ? "PARTITION BY $by " : '') . "ORDER BY $order";
	my @windows = ([ $text, 1, 1, Queries::frame([ $text, 1, 1 ]) ]);
	push @windows, [ $text, 1, 1, Queries::frame([ $text, 1, 1 ]) ] if chance(20);
	# another window may be the last one, and then the rows come in its order
	my $other = chance(15);
	push @windows, map { [ @$_, Queries::frame($_) ] } [ 'ORDER BY r.p, r.id', 1, 2 ] if $other;
	my @calls = map { Queries::call($q, \@windows) } 1 .. one_of(1, 1, 2, 3);
	my @calls_typed = map { $calls[$_] } 0 .. $#calls;
	my %type = (k0 => 'int4', map({ ("w$_" => $calls_typed[$_][1]) } 0 .. $#calls),
		map({ ($_ => $passed{$_}[1]) } keys %passed));
	my @typed = map { [ $_->[0], $_->[1] // '' ] } @calls;
	my @expressions = chance(55) ? map { expression($q, \@typed) } 1 .. one_of(1, 1, 1, 2, 3) : ();
	$type{"x$_"} = $expressions[$_][1] for 0 .. $#expressions;
	my $where = chance(15) ? ' WHERE ' . one_of('r.o < 7', 'r.b', 'r.id > 30', 'false', 'r.p = 3', 'r.id = 17') : '';
	my $named = join ', ', map { "w$_ AS ($windows[$_][0] $windows[$_][3])" } 0 .. $#windows;
	my $computed = chance(8) ? ', r.id + 1 AS more' : '';
	return {
		sql => 'SELECT r.id AS k0, ' . join(', ', map({ "r.$passed{$_}[0] AS $_" } sort keys %passed),
			map({ "$calls[$_][0] AS w$_" } 0 .. $#calls), map { "$expressions[$_][0] AS x$_" } 0 .. $#expressions) .
			"$computed FROM " . one_of('t', 't', 't', 'parts', 'secured', 'parent', 'fenced')
				. " AS r$where WINDOW $named" . one_of('', '', ' OFFSET 0'),
		type => \%type, partition => \@partition, total => !defined $key && !$other,
		results => [ map({ "w$_" } 0 .. $#calls), map({ ("x$_") x 2 } 0 .. $#expressions) ] };
}

# ---- conditions and arguments

sub column
{
	my ($inner, $type) = @_;
	my @results = grep { $inner->{type}{$_} =~ $type } @{ $inner->{results} };
	my @all = grep { $inner->{type}{$_} =~ $type } sort keys %{ $inner->{type} };

	return one_of(@results) if @results && chance(60);
	return @all ? one_of(@all) : 'k0';
}

my %constant = (
	int => [ 0, 1, 3, 5, 40, 100, 5000, -3, 1000000, '9223372036854775807', '3::smallint', '5::bigint', 'NULL::int' ],
	float => [ "0::float8", "'-0'::float8", "'NaN'::float8", "'Infinity'::float8", '12.5::float8', '1000::float4',
		"'NaN'::float4", 'NULL::float8' ],
	numeric => [ '0.0', '1.50', '1000.1', "'NaN'::numeric", '-3.25', '1e25::numeric' ],
	date => [ "date '2024-02-11'", "date 'infinity'" ], timestamp => ["timestamp '2024-05-05 12:00'"],
	timestamptz => ["timestamptz '2024-01-02 03:00+00'"],
	text => [ "'x1'", "'xx'", "''" ], interval => ["interval '20 days'"]);

sub class_of
{
	my ($type) = @_;
	return $type =~ /^int\d$/ ? 'int' : $type =~ /^float/ ? 'float' : $constant{$type} ? $type : undef;
}

sub compared
{
	my ($q, $inner) = @_;
	my $column = column($inner, qr/^(?:int\d|float\d|numeric|date|timestamp|timestamptz|text|interval)$/);
	my $class = class_of($inner->{type}{$column});
	my $op = one_of(qw(< <= = >= > <>));
	my @same = grep { (class_of($inner->{type}{$_}) // '') eq $class } sort keys %{ $inner->{type} };

	return $column . " $op " . one_of(@same) if chance(25);
	return "$column $op " . Queries::parameter() if $class eq 'int' && $q->{parameters} && chance(40);
	# no condition on a result: PostgreSQL 15 forgets to begin the groups above again if it stops a window by one
	return "k0 $op $q->{outer}" if $q->{outer} && chance(60);
	my $value = one_of(@{ $constant{$class} });
	return chance(20) ? "$value $op $column" : "$column $op $value";
}

sub condition
{
	my ($q, $inner) = @_;
	my $n = int rand 200;

	return compared($q, $inner) if chance(60);
	return one_of(
		sub { column($inner, qr/./) . ' IS ' . one_of('', 'NOT ') . 'NULL' },
		sub { 'c_b' . one_of('', ' IS TRUE', ' IS NOT TRUE', ' IS FALSE', ' = true') },
		sub { 'NOT (' . compared($q, $inner) . ')' },
		sub { '(' . compared($q, $inner) . ' OR ' . compared($q, $inner) . ')' },
		sub { column($inner, $number) . ' BETWEEN 2 AND 3000' },
		sub { column($inner, qr/^int\d/) . ' IN (1, 2, 3, 5)' },
		sub { column($inner, qr/^int\d/) . ' % 3 = 1' },
		sub { "c_t LIKE 'x%'" },
		sub { "k0 < (SELECT count(*) FROM parts WHERE o < $n % 12)" },
		sub { "k0 <> (SELECT $n / (count(*) - 36) FROM parts)" },
		sub { "100 / (k0 - $n) < " . one_of(1, 50) },
		sub { column($inner, qr/^int\d/) . " * 3 > $n" },
		sub { 'same(k0) > 5' },
		sub { one_of('true', 'false', 'NULL') })->();
}

sub conditions
{
	my ($q, $inner, $words) = @_;
	my @all = map { condition($q, $inner) } 1 .. one_of(0, 1, 1, 1, 2, 2, 3);
	return @all ? " $words " . join ' AND ', @all : '';
}

# A value to aggregate; some raise errors.
sub argument
{
	my ($q, $inner, $type) = @_;
	my $n = int rand 200;
	my $column = column($inner, $type);

	return $column if !chance(12) || $inner->{type}{$column} !~ $number;
	return one_of("$column + 1", "$column * $column", "1000 / ($column - $n)", "coalesce($column, 0)",
		"CASE WHEN c_b THEN $column END", '7', "$column * 1e300::float8");
}

# True if an aggregate's result depends on the order of its rows: it rounds, lists them, or returns one of several equal
# values that differ.
sub depends_on_order
{
	my ($inner, $call) = @_;
	return 0 if $call =~ /^exact_/;
	my $types = join ' ', map { $inner->{type}{$_} } grep { $call =~ /\b$_\b/ } keys %{ $inner->{type} };

	return 1 if $call =~ /^(?:string_agg|array_agg)/;
	return $call !~ /^(?:count|bool)/
		&& "$types $call" =~ ($call =~ /^m(?:in|ax)\b/ ? qr/float|numeric|interval/ : qr/float/);
}

# An exact aggregate: no order of rows changes it.  exact_sum of numerics and integers is core's, under another name.
sub exact
{
	my ($q, $inner) = @_;
	# core takes one transition value for all aggregates of the same arguments
	delete $q->{pair} if chance(40);
	$q->{pair} //= [ map { argument($q, $inner, qr/^(?:int\d|float\d)$/) } 1 .. 2 ];
	my ($one, $two) = @{ $q->{pair} };

	return one_of(
		'exact_' . one_of(qw(sum avg)) . '(' . argument($q, $inner, $number) . ')',
		'exact_' . one_of(qw(sum avg var_samp stddev_pop skewness kurtosis_pop)) . "($one)",
		'exact_' . one_of(qw(covar_pop corr regr_slope weighted_avg)) . "($one, $two)");
}

# An aggregate.  $q->{in_order}: several processes may not divide the rows of this query.
sub aggregate
{
	my ($q, $inner) = @_;
	my $call = one_of(
		sub { 'count(*)' },
		sub { 'count(*)' },
		sub { 'count(' . one_of(argument($q, $inner, qr/./), '1', 'NULL', "'a'") . ')' },
		sub { one_of(qw(sum avg)) . '(' . argument($q, $inner, $number) . ')' },
		sub { one_of(qw(sum avg)) . '(' . argument($q, $inner, $number) . ')' },
		sub { one_of(qw(min max)) . '('
			. argument($q, $inner, qr/^(?:int\d|float\d|numeric|date|timestamp|timestamptz|interval)$/) . ')' },
		sub { one_of(qw(min max)) . '('
			. argument($q, $inner, qr/^(?:int\d|float\d|numeric|date|timestamp|timestamptz|interval)$/) . ')' },
		sub { one_of(qw(var_pop var_samp variance stddev_pop stddev_samp stddev)) . '('
			. argument($q, $inner, qr/^(?:float\d|numeric)$/) . ')' },
		sub { one_of(qw(bool_and bool_or every)) . '(' . one_of('c_b', compared($q, $inner)) . ')' },
		sub { one_of(qw(bit_and bit_or)) . '(' . argument($q, $inner, qr/^int\d/) . ')' },
		sub { 'sum(c_iv)' },
		sub { exact($q, $inner) },
		sub { one_of('max(c_t)', "string_agg(c_t, ',')", 'array_agg(k0)', 'count(DISTINCT c_p)', 'sum(k0 ORDER BY k0)',
				'exact_weighted_avg(k0)') })->();
	$q->{in_order} ||= depends_on_order($inner, $call);
	return $call . (chance(20) ? ' FILTER (WHERE ' . condition($q, $inner) . ')' : '');
}

# ---- what stands above

# Aggregates without groups, or by columns.
sub aggregated
{
	my ($q, $inner) = @_;
	my @by = !chance(60) ? () : chance(75) ? @{ $inner->{partition} }
		: one_of([qw(c_p c_o)], ['c_t'], ['k0'], ['c_p'], ['c_num'], [ $inner->{results}[0] ])->@*;
	@by = reverse @by if chance(20);
	@by = ($by[0]) if @by && chance(20);
	# no column of a type whose equal values differ may be shown
	my @shown = map { (class_of($inner->{type}{$_}) // 'other') =~ /float|numeric|interval/ ? "$_ IS NULL" : $_ } @by;
	# in groups that are no partitions, rows have no order: PostgreSQL sorts them, or hashes them
	my %of = map { $_ => 1 } @{ $inner->{partition} };
	# nor have they where the window may order by a column of its partitions, downward: PostgreSQL then sorts, too
	my $ordered = $inner->{total} || !@by ? !grep { !$of{$_} } @by : 0;
	my @aggregates = map { $ordered ? aggregate($q, $inner) : one_of('count(*)', 'sum(k0)', 'avg(c_i4)', 'max(c_ts)',
			'bool_or(c_b)', 'min(k0) FILTER (WHERE ' . condition($q, $inner) . ')') } 1 .. one_of(1, 1, 2, 3, 5);
	push @aggregates, "$aggregates[0] IS NULL" if chance(5);
	push @shown, "c_num" if "@by" =~ /c_num/ && "@{$inner->{partition}}" eq "@by";
	my $sql = 'SELECT ' . join(', ', @shown, @aggregates) . " FROM ($inner->{sql}) AS s"
		. conditions($q, $inner, 'WHERE');
	$sql .= ' GROUP BY ' . join ', ', @by if @by;
	$sql .= ' HAVING ' . one_of('count(*) > 3', 'max(k0) > 100', "$aggregates[0] IS NOT NULL", 'sum(k0) % 2 = 0',
		'1000 / (count(*) - 4) > 1') if chance(20);
	# of equal numerics and intervals, any may stand for its group
	return { sql => $sql, several => !$q->{in_order} && !grep { !/^(?:c_[pobt]|k0)$|IS NULL/ } @shown };
}

# Sums and averages without groups that are exact, so that core may combine those of several processes.
sub totals
{
	my ($q, $inner) = @_;
	my $draw = sub {
		return exact($q, $inner) if chance(30);
		return one_of(qw(sum avg)) . '(' . argument($q, $inner, qr/^(?:int\d|numeric)$/) . ')';
	};
	my @exact = grep { !depends_on_order($inner, $_) } map { $draw->() } 1 .. 6;
	my @shown = map { $_ . (chance(20) ? ' FILTER (WHERE ' . condition($q, $inner) . ')' : '') }
		@exact[ 0 .. rand @exact ];
	my $result = $inner->{results}[0];
	# no processes divide the rows of a subquery with OFFSET
	my $rows = $inner->{sql} =~ s/ OFFSET 0$//r;
	my $sql = 'SELECT ' . join(', ', @shown, "count($result)") . " FROM ($rows) AS s" . conditions($q, $inner, 'WHERE');
	$sql .= ' HAVING ' . one_of("avg(k0) > 20", "$shown[0] IS NOT NULL") if chance(20);
	return { sql => $sql, several => 1, combined => 1, exact => 1 };
}

sub filtered
{
	my ($q, $inner) = @_;
	my $rows = "SELECT * FROM ($inner->{sql}) AS s"
		. (conditions($q, $inner, 'WHERE') || ' WHERE ' . compared($q, $inner));
	my $result = $inner->{results}[0];
	return one_of(
		{ sql => $rows }, { sql => $rows }, { sql => $rows =~ s/\*/s, $result/r },
		{ sql => "$rows ORDER BY k0 LIMIT " . int(rand 20), ordered => 1 },
		{ sql => "SELECT k0, $result, sum(k0) OVER (ORDER BY k0) FROM ($rows) AS f" },
		{ sql => "SELECT f.k0, $result, z.p FROM ($rows) AS f JOIN parts AS z ON z.id = f.k0" },
		{ sql => "SELECT f.k0, z.id FROM t AS z LEFT JOIN ($rows) AS f ON z.id = f.k0 WHERE z.p > 2" },
		{ sql => "SELECT z.id FROM t AS z WHERE EXISTS (SELECT FROM ($rows) AS f WHERE f.k0 = z.o)" },
		{ sql => "SELECT k0 FROM ($rows) AS f UNION ALL SELECT id FROM parts" },
		{ sql => "SELECT count(*), max(k0) FROM ($rows) AS f" },
		{ sql => "WITH f AS MATERIALIZED ($rows) SELECT a.k0, count(*) "
				. "FROM f AS a JOIN f AS b ON a.c_p = b.c_p GROUP BY a.k0" },
		{ sql => "SELECT z.id, f.k0 FROM t AS z JOIN ($rows) AS f ON z.id = f.k0 ORDER BY z.id FOR UPDATE OF z" });
}

# The next query.
sub next
{
	my $q = { odd => one_of(0, 0, 0, 0, 4, 12), prefixes => ['r.'], unique => ['r.id'], few_expressions => 1 };
	my $query;

	$q->{parameters} = chance(20);
	if (chance(10))
	{
		my $inner = do { local $q->{outer}; windowed($q) };
		$q->{outer} = 'g.n';
		my $above = aggregated($q, $inner);
		$query = { sql => "SELECT g.n, l.* FROM generate_series(1, 5) AS g (n), LATERAL ($above->{sql}) AS l" };
		$query = { sql => 'SELECT g.n, (SELECT count(*) FROM (' . $inner->{sql} . ') AS s'
				. conditions($q, $inner, 'WHERE') . ') FROM generate_series(1, 5) AS g (n)' } if chance(40);
	}
	else
	{
		my $inner = windowed($q);
		$query = chance(15) ? totals($q, $inner) : chance(65) ? aggregated($q, $inner) : filtered($q, $inner);
	}
	$query = Queries::finished($q, $query);
	delete $query->{fetch} if $query->{sql} =~ /FOR UPDATE/;
	return $query;
}

1;

# Calls.pm: the calls that node.t and the random queries of Queries.pm compare, and the rows that both read.
#
# A call is a template, which both fill in: node.t makes each choice of a template at least once,
# Queries.pm a random one.
#
#   {int2} {text}   a value of this type
#   {number}        a value of a type of the class (%class)
#   {reset}         a text of %text
#   {a|b|}          one of these texts
#   ~               the prefix of a column: `~id`
#
# These stand within each other.  Other braces are SQL.
#
# src/op/list.h says which functions the extension has.  A function of (value, reset, exclusive), with both flags, one
# or none, needs no template.  Every other function has templates in %ours: without one, Calls.pm fails.
package Calls;

use strict;
use warnings;
use File::Basename;

# ---- the rows

# The columns: name => type.  `id` is unique.
our %type = (
	id => 'int4', p => 'int4', o => 'int4', i2 => 'int2', i4 => 'int4', i8 => 'int8', f4 => 'float4', f8 => 'float8',
	num => 'numeric',
	d => 'date', ts => 'timestamp', tz => 'timestamptz', tm => 'time', iv => 'interval', t => 'text', b => 'bool',
	dom => 'small', en => 'mood', comp => 'pair', u => 'uuid', bits => 'bit', arr => 'int4[]');

# The types of some columns, as SQL.
sub types
{
	return <<'SQL';
CREATE DOMAIN small AS int CHECK (VALUE < 60);
CREATE TYPE mood AS ENUM ('sad', 'so', 'fine', 'well');
CREATE TYPE pair AS (x int, y text);
SQL
}

# The rows for a number i, as SQL without FROM: NULLs, ties, infinities, and so many values of p besides NULL.
sub rows
{
	my ($partitions) = @_;
	return <<"SQL";
SELECT i AS id,
       CASE WHEN hashint4(i) % 13 <> 0 THEN abs(hashint4(i + 1)) % $partitions END AS p,
       CASE WHEN hashint4(i) % 11 <> 0 THEN abs(hashint4(i + 2)) % 12 END AS o,
       (CASE WHEN hashint4(i) % 5 <> 0 THEN hashint4(i + 3) % 30000 END)::int2 AS i2,
       CASE WHEN hashint4(i) % 7 <> 0 THEN hashint4(i + 4) % 100000 END AS i4,
       CASE hashint4(i) % 23 WHEN 0 THEN NULL WHEN 1 THEN 9223372036854775807 WHEN 2 THEN -9223372036854775808
         ELSE hashint4(i + 5)::int8 * 1234567 END AS i8,
       (CASE hashint4(i) % 17 WHEN 0 THEN 'NaN' WHEN 1 THEN '-0' WHEN 2 THEN '0' WHEN 3 THEN NULL
         ELSE (hashint4(i + 6) / 1e4)::text END)::float4 AS f4,
       (CASE hashint4(i) % 19 WHEN 0 THEN 'NaN' WHEN 1 THEN '-0' WHEN 2 THEN '0' WHEN 3 THEN 'Infinity' WHEN 4 THEN NULL
         ELSE (hashint4(i + 7) / 1e3)::text END)::float8 AS f8,
       (CASE hashint4(i) % 21 WHEN 0 THEN 'NaN' WHEN 1 THEN '1e30' WHEN 2 THEN '1.500' WHEN 3 THEN '1.5'
         WHEN 4 THEN NULL ELSE (hashint4(i + 8) / 1e2)::text END)::numeric AS num,
       CASE hashint4(i) % 29 WHEN 0 THEN 'infinity' WHEN 1 THEN NULL
         ELSE date '2024-01-01' + abs(hashint4(i + 9)) % 100 END AS d,
       CASE WHEN hashint4(i) % 9 <> 0
         THEN timestamp '2024-01-01' + abs(hashint4(i + 10)) % 500000 * interval '1 minute' END AS ts,
       timestamptz '2024-01-01 00:00+00' + abs(hashint4(i + 11)) % 100 * interval '1 hour' AS tz,
       time '00:00' + abs(hashint4(i + 12)) % 1440 * interval '1 minute' AS tm,
       CASE WHEN hashint4(i) % 6 <> 0
         THEN abs(hashint4(i + 13)) % 1000 * interval '1 hour' + abs(hashint4(i)) % 3 * interval '1 month' END AS iv,
       CASE WHEN hashint4(i) % 8 <> 0 THEN repeat('x', abs(hashint4(i + 14)) % 5) || hashint4(i + 15) % 20 END AS t,
       CASE WHEN hashint4(i) % 10 <> 0 THEN hashint4(i + 16) % 3 = 0 END AS b,
       (CASE WHEN hashint4(i) % 12 <> 0 THEN abs(hashint4(i + 17)) % 50 END)::small AS dom,
       (enum_range(NULL::mood))[1 + abs(hashint4(i + 18)) % 4] AS en,
       CASE WHEN hashint4(i) % 5 <> 0
         THEN (abs(hashint4(i + 19)) % 4, chr(97 + abs(hashint4(i + 20)) % 4))::pair END AS comp,
       md5((hashint4(i + 21) % 30)::text)::uuid AS u,
       (hashint4(i + 22) % 16)::bit(4) AS bits,
       ARRAY[hashint4(i + 23) % 3, NULL, i % 5] AS arr
SQL
}

# ---- the templates

# Types that a value may have, by the name of the class.
our %class = (
	integer => [qw(int2 int4 int8)],
	exact => [qw(int2 int4 int8 numeric)],
	fuzzy => [qw(float4 float8 numeric)],
	number => [qw(int2 int4 int8 float4 float8 numeric)],
	summable => [qw(int2 int4 int8 float4 float8 numeric interval)],
	still => [qw(int2 int4 int8 date timestamp timestamptz time text)],
	sortable => [qw(int2 int4 int8 float4 float8 numeric date timestamp timestamptz time interval text)]);
$class{any} = [ @{ $class{sortable} }, qw(bool small mood pair uuid int4[]) ];

# A template, and the type of the answer: '=' is that of the first value,
# a table tells it by the type of the first value.

# Aggregates whose answer does not depend on the order of rows that tie, and window functions of this kind.
our @steady_aggregates = (
	[ 'count(*)', 'int8' ], [ 'count({any})', 'int8' ],
	[ 'sum({integer})', { int2 => 'int8', int4 => 'int8', int8 => 'numeric' } ], [ 'avg({integer})', 'numeric' ],
	[ '{sum|avg}({{numeric}|{interval}})', 'other' ],
	[ '{min|max|bit_and|bit_or|bit_xor}({integer})', '=' ], [ 'min({still})', '=' ], [ 'max({still})', '=' ],
	[ '{bool_and|bool_or|every}({bool})', 'bool' ], [ 'stddev({int4})', 'numeric' ],
	[ 'var_pop({{int4}|{numeric}})', 'numeric' ]);
our @steady_functions = ([ '{rank|dense_rank}()', 'int8' ], [ '{percent_rank|cume_dist}()', 'float8' ]);

# Those whose answer depends on it.
our @aggregates = (
	[ 'sum({summable})', 'other' ], [ 'avg({summable})', 'other' ], [ '{min|max}({fuzzy})', '=' ],
	[ q{string_agg({text}, ',')}, 'text' ], [ 'array_agg({any})', 'other' ], [ 'stddev({float8})', 'float8' ],
	[ 'corr({float8}, {int4})', 'float8' ], [ 'regr_count({float8}, {int4})', 'int8' ],
	[ 'moving_median({{float8}|{interval}})', '=' ], [ 'moving_median({exact})', 'numeric' ],
	[ 'moving_percentile_cont({exact}, {0.4|0|1})', 'numeric' ],
	[ 'moving_{mode({any})|percentile_disc({any}, 0.5)}', '=' ], [ 'moving_count_distinct({any})', 'int8' ],
	[ 'moving_rank({any})', 'int8' ], [ 'moving_percent_rank({any})', 'float8' ],
	[ 'moving_{arg_min|arg_max|first|last}({any}, {sortable})', '=' ],
	[ 'exact_{sum|avg|var_pop|var_samp|stddev_pop|stddev_samp}({exact})', 'numeric' ],
	[ 'exact_{sum|avg|var_samp}({float8})', 'float8' ],
	[ 'exact_{skewness|kurtosis}{|_pop}({number})', 'float8' ],
	[ 'exact_{corr|covar_pop|covar_samp|regr_slope|regr_intercept|regr_r2}({{float8}|{int8}}, '
		. '{{float8}|{int4}|{int8}})', 'float8' ],
	[ 'exact_weighted_avg({{float8}|{int8}|{int4}}{|, {{float8}|{int4}|{int8}}})', 'float8' ],
	[ 'exact_product({float8} / 1e5)', 'float8' ], [ 'exact_product({{int4}|{int2}|{int8}} % 7 * 2 + 1)', 'numeric' ],
	[ 'time_average({float8}, ~id{|::numeric})', 'float8' ],
	[ 'time_in_state({bool}, ~id{|::int8|::float8|::numeric})', 'float8' ],
	[ q{time_in_state({int4} > 0, timestamp '2024-01-01' + ~id * interval '1 hour')}, 'interval' ],
	[ q{scan_funnel(~id{|::float8}, {0|3|100}{|, 'strict_order'|, 'strict_increase, strict_order'}, {bool}, }
		. q{{int4} > 0{|, NOT {bool}|, 100 / (~id % 50) > 9})}, 'int4' ],
	[ "scan_funnel({~id::numeric, 40|date '2024-01-01' + ~id, interval '1 month'|timestamptz '2024-01-01' + "
			. "~id * interval '1 hour', interval '2 days'}, {bool}, {bool}, ~o = 3)", 'int4' ]);
our @functions = (
	[ 'row_number()', 'int8' ], [ 'ntile({1|3|4|1000|{row_nth}})', 'int4' ],
	[ 'lag({any}{||, {offset}})', '=' ], [ 'lead({any}{||, {offset}})', '=' ],
	[ '{lag|lead}({text}, {offset}, {text})', 'text' ],
	[ '{lag|lead}({any}, {row_offset})', '=' ], [ '{lag|lead}({text}, {row_offset}, {text})', 'text' ],
	[ 'nth_value({any}, {row_nth})', '=' ],
	[ 'first_value({any})', '=' ], [ 'last_value({any})', '=' ], [ 'nth_value({any}, {1|2|3|5|300|900|{int4}})', '=' ]);

# Texts for a name in a template.  Few windows are in the order of an instant, but for one that stands still.
my %text = (
	reset => '{||, reset => {bool}}',
	exclusive => '{||, exclusive => true}',
	offset => '{1|1|2|3|0|7|400}',
	# those of each row, or of a plan that starts
	row_offset => '{~p|~dom|~o - 3|~i2::int % 5|{int4} % 9|-1|-3|NULL|-2147483648|2147483647|(SELECT 2)|CASE WHEN ~b '
		. 'THEN 2 WHEN NOT ~b THEN -1 END|{int4}|100 / (~id - 90)}',
	row_nth => '{~p + 1|~o + 1|NULLIF(~p, 0)|CASE WHEN ~id < 170 THEN 2 ELSE 0 END|(SELECT 3)|abs(~i2::int) % 7 + '
		. '1|NULL|{int4}|2147483647|CASE WHEN ~b THEN 1 WHEN NOT ~b THEN 4 END|0|100 / (~id - 90) + 20}',
	instant => "{~id|~id|~o|~num|~tz|~ts|1|2.5|~id::numeric|date '2024-01-01'|date '2024-01-01' + ~id|"
		. "timestamptz '2024-01-01' + ~id * interval '1 day'|timestamp '2024-01-01' + ~id * interval '1 hour'}",
	# an instant, and how far it reaches
	reach => "{~id, 3|~o, 3|~num, 3|~id::numeric, 7|~p, 0::int8|1, 3|2.5, 3|{days}|~tz, interval '9 hours'|"
		. "date '2024-01-01', interval '9 hours'|"
		. "timestamptz '2024-01-01' + ~id * interval '1 day', interval '2 days'}",
	days => q{date '2024-01-01'{| + ~id}, {0|1|2|7}},
	moment => q{{~tz|~ts|date '2024-01-01' + ~id|timestamp '2024-01-01' + ~id * interval '1 hour'}});

# Those of this extension, by the function.
my %ours = (
	bin => [ [ 'scan_bin(abs({fuzzy}), {0|7|1000.5|1e10}{|, overfill => true}{reset})', 'int8' ],
		[ 'scan_bin(abs(~i2::{int2|int4|int8}), {0|7|1000}{|, true}{reset})', 'int8' ],
		[ 'scan_bin({int4}, 100)', 'int8' ] ],
	carry => [ [ 'scan_carry(~b, NOT ~b{reset})', 'bool' ] ],
	change => [ [ 'scan_change({any}{reset})', 'int8' ], [ 'scan_change(ROW(~b, {sortable}))', 'int8' ] ],
	clamped_sum => [ [ 'scan_clamped_sum({number}, {0|NULL}, 1000{reset})', 'numeric' ] ],
	compact => [ [ 'scan_compact({any}, {bool})', '=' ] ],
	counter => [ [ 'scan_counter({integer}{reset})', 'int8' ], [ 'scan_counter({float8}{{reset}|, NULL})', 'float8' ],
		[ 'scan_counter({numeric}{reset})', 'numeric' ],
		[ 'scan_counter(abs(~{i4|id|i2}), {100000|2147483648}{reset})', 'int8' ],
		[ 'scan_counter(abs(~i4)::int8, 100000::int8{reset})', 'int8' ],
		[ 'scan_counter(abs(~i4) / 7.0::float8, 1e5{reset})', 'float8' ],
		[ 'scan_counter(abs(~i4) / 8.0, 1e5{reset})', 'numeric' ] ],
	cost => [ [ q{scan_cost(CASE WHEN ~id % 3 = 0 THEN -1 ELSE 5 END, {numeric}, '{fifo|lifo|average}')}, 'numeric' ],
		[ q{scan_cost(CASE WHEN ~id % 500 = 0 THEN -0.5 WHEN NOT ~b THEN ~i2::int * ~i2 ELSE 1 END, }
			. q{{numeric}, 'lifo'{reset})}, 'numeric' ] ],
	ema => [ [ 'scan_ema({number}, 0.1{|, adjust => true}{reset})', 'float8' ],
		[ q{scan_ema({float8}, {moment}, interval '{9 hours|3 days}'{|, adjust => true}{reset})}, 'float8' ],
		[ 'scan_ema({float8}, {~id|~id::int8|~id::numeric|~o|~num}, 2.5{|, adjust => true}{reset})', 'float8' ] ],
	ema_var => [ [ 'scan_ema_var({number}, {0.1|1|1e-9}{|, adjust => true}{|, bias => true}{reset})', 'float8' ] ],
	ema_stddev => [ [ 'scan_ema_stddev({number}, {0.1|0.75}{|, true}{|, bias => true}{reset})', 'float8' ] ],
	ema_covar => [
		[ 'scan_ema_covar({{float8}|{int8}}, {{int4}|{float4}}, {0.1|0.5}{|, adjust => true}{|, bias => true}{reset})',
		'float8' ] ],
	ema_corr => [ [ 'scan_ema_corr({{float8}|{int8}}, {{int4}|{float4}}, {0.1|0.5}{|, adjust => true}{reset})',
		'float8' ] ],
	filter => [ [ q{scan_filter({float8}, '{1,1}', '{2,-1}'{reset})}, 'float8' ] ],
	fold => [ [ q{scan_fold({text}, 'textcat(text,text)'{reset})}, 'text' ],
		[ q{scan_fold({int4}, 'int84mi(int8,int4)', init => 100::int8{reset}{exclusive})}, 'int8' ],
		[ q{scan_fold({numeric}, 'numeric_larger(numeric,numeric)', init => 0.5{exclusive})}, 'numeric' ] ],
	integral => [ [ q{scan_integral({float8}, {instant}{|, 'previous'}{reset})}, 'float8' ] ],
	interpolate => [ [ 'scan_interpolate({float8}, {~id|{reach}}{reset})', 'float8' ] ],
	lag => [ [ 'scan_lag({any}{||, {0|2|7|300}}{reset})', '=' ] ],
	lead => [ [ 'scan_lead({any}{||, {0|2|7|300}}{reset})', '=' ] ],
	locf => [ [ q{scan_locf({any}{|, 3|, '2'|, {reach}}{reset})}, '=' ] ],
	match => [ map { [ "scan_match('$_', {bool}, {bool}, ~id % 3 = 0)", 'int8' ] } '(a | b)* c', 'a b+ c?', '^ a | b $',
		'a (b*? c)?', 'c a+?' ],
	match_variable => [ map { [ "scan_match_variable('$_', {bool}, ~b)", 'text' ] } 'a+ b', '(b | a)*', '(a b??)+' ],
	matrix_product => [ [ q{scan_matrix_product(CASE WHEN ~id % 50 = 0 THEN '{{1,1},{1,0}}'::float8[] END{reset})},
		'other' ] ],
	nocb => [ [ q{scan_nocb({any}{|, 3|, NULL|, '2'|, {reach}}{reset})}, '=' ] ],
	# the product of all rows would have as many digits as they have together
	product => [ [ 'scan_product({integer}, reset => ~b{exclusive})', 'numeric' ],
		[ 'scan_product({{int4}|{int8}} % 7 * 2 + 1{reset}{exclusive})', 'numeric' ],
		[ 'scan_product({float8}{| / 1e5}{reset}{exclusive})', 'float8' ],
		[ 'scan_product({numeric}{reset})', 'numeric' ] ],
	recurrence => [ [ 'scan_recurrence(0.5::float8, {float8}{reset})', 'float8' ],
		[ 'scan_recurrence(0.5, {numeric})', 'numeric' ],
		[ q{scan_recurrence({'{0.5,-0.25}'::float8[]|ARRAY[{float8}, 0.5]}, {float8}, '{{0,1}|{1,0}}'{reset})},
			'float8' ] ],
	session => [ [ q{scan_session({~id, 2|~id, 1|{days}|~tz, interval '1 day'|~ts, interval '1 day'}{reset})},
		'int8' ] ],
	split_index => [ [ 'scan_split_index(~b IS TRUE)', 'int8' ] ],
	# a summary of one row, as a text
	time_average => [ [ q{scan_time_average(('\x' || 'fffffffffffffffe0000000000000001000000000000000{0|1}' || }
		. q{repeat('0', 48) || repeat('40' || lpad(to_hex(abs(hashint4(~id))), 14, '0') || lpad(to_hex(~id), 16, '0'), }
		. q{2) || '0000')::exact_state, ~id::int8, ~id::int8 + 1)}, 'float8' ] ],
	state => [ [ q{scan_state(abs(~i2) % 2, '{{0,1},{1,0}}'{reset})}, 'int4' ] ]);

# The templates of each function of the extension, by its name without scan_: %ours, and for the other functions what
# the lines of list.h say.
our %scan = %ours;
{
	open my $list, '<', dirname(__FILE__) . '/../../src/op/list.h' or die "list.h: $!";
	my (%derived, %all);
	while (<$list>)
	{
		my ($function, $arguments, $result) = /^SCAN_(?:ROW|CALL)\((\w+), *\w+, *\(([^)]*)\), *(\w+)/ or next;
		my $type = $arguments =~ /^(\w+)(?:,bool){0,2}$/ && $1;

		$all{$function} = 1;
		next if $ours{$function} || !$type;
		my $value = $type eq 'anyelement' ? 'sortable' : $type;
		my @flags = (('', '{reset}', '{reset}{exclusive}')[ $arguments =~ tr/,// ]);
		push @{ $derived{$function} }, [ "scan_$function({$value}@flags)", $type eq 'anyelement' ? '=' : $result ];
	}
	%scan = (%ours, %derived);
	die "Calls.pm: no call of scan_$_" for grep { !$scan{$_} } sort keys %all;
	die "Calls.pm: list.h has no line for scan_$_" for grep { !$all{$_} } sort keys %ours;
}

# ---- filling in

my $braces = qr/(\{(?:[^{}]++|(?1))*+\})/;

# The texts between the bars of a text.
sub alternatives
{
	my ($text) = @_;
	my @texts = ('');

	while ($text =~ /\G(?:$braces|([^{}|]+)|\|)/g)
	{
		my $part = $1 // $2;
		defined $part ? ($texts[-1] .= $part) : push @texts, '';
	}
	return @texts;
}

# How many turns it takes until each choice of a text has been made, if each turn takes the next alternative.
sub turns
{
	my ($text) = @_;
	my $most = 1;

	for my $part ($text =~ /$braces/g)
	{
		my $inner = substr $part, 1, -1;
		my $turns = $class{$inner} ? @{ $class{$inner} } : 0;
		my %drawn;

		$turns += turns($_) for $turns ? () : grep { !$drawn{$_}++ } alternatives($text{$inner} // $inner);
		$most = $turns if $turns > $most;
	}
	return $most;
}

# Fills in what is in braces.  `how` has `choose`, which returns one of the texts or types that it gets; `value`, which
# returns a value of a type; and `types`, to which the types of the values are added.  With `by_turns`, `choose` gets a
# text once for each turn that the choices in it take, and a text that stands there twice as if it stood there once.
sub filled
{
	my ($text, $how) = @_;

	return $text =~ s{$braces}{
		my $inner = substr $1, 1, -1;
		my $type = $class{$inner} ? $how->{choose}->(@{ $class{$inner} }) : $inner;
		my @texts = alternatives($text{$inner} // $inner);
		my %drawn;

		if (@texts > 1 || $text{$inner})
		{
			@texts = map { ($_) x turns($_) } grep { !$drawn{$_}++ } @texts if $how->{by_turns};
			filled($how->{choose}->(@texts), $how);
		}
		elsif ($type =~ /^[a-z]/)
		{
			push @{ $how->{types} }, $type;
			$how->{value}->($type);
		}
		else
		{
			'{' . filled($inner, $how) . '}';
		}
	}ger;
}

# A call by a template, with the prefix of its columns, and the type of its answer.
sub call
{
	my ($template, $prefix, %how) = @_;
	my ($text, $result) = @$template;
	my $call = filled($text, { %how, types => \my @types }) =~ s/~/$prefix/gr;

	return ($call, ref $result ? $result->{ $types[0] } : $result eq '=' ? $types[0] : $result);
}

# Calls that make each choice of a template at least once.
sub each_choice
{
	my ($template, $prefix, $value) = @_;
	my ($calls, @calls) = (1);
	# choices shift against each other, or a type would always meet the same flag
	my @shift = map { int rand 1000 } 1 .. 40;

	for (my $turn = 0; $turn < $calls; $turn++)
	{
		my $place = 0;
		my $choose = sub { $calls = @_ if @_ > $calls; return $_[ ($turn + $shift[ $place++ ]) % @_ ] };
		push @calls, (call($template, $prefix, choose => $choose, value => $value, by_turns => 1))[0];
	}
	return @calls;
}

1;

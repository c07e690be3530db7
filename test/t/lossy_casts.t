# lossy_casts.t: no function or aggregate takes an argument by an implicit cast that loses something.
#
# Where a function is called with a type that it has no form for, PostgreSQL looks for an implicit cast.  It finds one
# from every number to double precision: of a bigint beyond 2^53, or of 0.1, digits are lost without a word.  And it
# finds one from date and timestamp to timestamptz, by the session's time zone.  So each form of each function is called
# with all pairs of types in all pairs of places where numbers or times go, and EXPLAIN shows what each is cast to.  An
# error is no loss.
#
# A function over arrays must take what the window function of its name takes, or raise an error.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Forms qw(prepare_forms forms_of shown);
use Server;

# ---- the parameters that may lose digits, and why

# FUNCTION.PARAMETER, always.
my %may = (
	'scan_ema.span' => 'of a form that only raises an error',
	'scan_ema.alpha' => 'a ratio, by which doubles are weighed',
	'scan_ema.half_life' => 'a ratio to the time elapsed, by which doubles are weighed',
	'scan_ema.value' => "the average of pandas' ewm and Polars' ewm_mean_by: of weights that are powers of a double",
	(map { ($_ => "the statistics of pandas' ewm: of weights that are powers of a double") }
	   map {
		my $prefix = $_;
		((map { ("${prefix}ema_$_.alpha") } qw(var stddev covar corr)),
			(map { ("${prefix}ema_$_.y", "${prefix}ema_$_.x") } qw(covar corr)),
			map { "${prefix}ema_$_." . ($prefix eq 'scan_' ? 'value' : 'values') } qw(var stddev))
	} qw(scan_ array_scan_)),
	'moving_percentile_cont.fraction' =>
		'a ratio: it says which of the values, and is taken as the decimal that it is printed as',
	'moving_percentile_disc.fraction' => 'the same',
	(map { ("scan_filter.$_" => "SciPy's lfilter, which computes doubles") } qw(value numerator denominator)),
	(map { ($_ => 'a value on a line or below it: the answer is a quotient, and a double; '
				. 'the page says what becomes of other numbers') } qw(scan_interpolate.value
			array_scan_interpolate.values scan_integral.value time_average.value time_summary.value)),
	(map { ($_ => 'a date beside a timestamptz, which PostgreSQL casts where it compares the two as well') }
		qw(scan_gapfill.at scan_gapfill.from scan_gapfill.to scan_time_average.lower scan_time_average.upper)),
	'scan_matrix_product.m' => 'matrices of doubles',
	(map {
		my $name = $_;
		map { ("$name.$_" =>
				'a factor or a term of a recurrence of doubles: integers seldom are, and numerics have a form') }
			qw(a b init)
	} qw(scan_recurrence array_scan_recurrence)),
	(map { ("csr_multiply.$_" => "a sparse matrix, as SciPy's and cuSPARSE's") } qw(values x)),
	(map { ("tridiagonal_solve.$_" => 'a linear system, solved in doubles') } qw(lower diagonal upper rhs)),
	(map { ("affine.$_" => 'a map of doubles') } qw(a b)));

# FUNCTION.PARAMETER, beside another argument that is a float: PostgreSQL takes bigint + double precision as doubles,
# too, and at > previous + gap.
my %beside_a_float = map { $_ => 1 } (
	qw(scan_funnel.at scan_funnel.within),
	(map { ("$_.at", "$_.gap") } qw(scan_session array_scan_session)),
	(map { ("$_.at", "$_.max_age") } qw(scan_locf scan_nocb array_scan_locf array_scan_nocb)),
	(map { ("$_.at", "$_.max_gap") } qw(scan_interpolate array_scan_interpolate)),
	(map { ("$_.lower", "$_.upper", "$_.init") } qw(scan_clamped_sum array_scan_clamped_sum)), 'scan_clamped_sum.value',
	'array_scan_clamped_sum.values',
	qw(scan_bin.value scan_bin.capacity scan_counter.value scan_counter.wraps_at));

# ---- the functions

my $server = Server->new('lossy_casts');
my @numbers = qw(int2 int4 int8 float4 float8 numeric);
my @times = qw(date timestamp timestamptz);
# bits of an integer, or digits
my %rank = (int2 => 11, int4 => 31, int8 => 63, float4 => 24, float8 => 53, numeric => 1e6);
my %type = (smallint => 'int2', integer => 'int4', bigint => 'int8', real => 'float4', 'double precision' => 'float8',
	numeric => 'numeric',
	date => 'date', 'timestamp without time zone' => 'timestamp', 'timestamp with time zone' => 'timestamptz');
prepare_forms($server, @numbers, @times);

# Every form of a function that users call.
my @forms = map { [ split /\|/, $_, -1 ] } $server->lines(<<'SQL');
SELECT p.oid::regprocedure, p.proname, p.prokind, array_to_string(p.proargnames[:p.pronargs], ';'),
       (SELECT string_agg(format_type(CASE WHEN a.i = p.pronargs AND p.provariadic <> 0 THEN p.provariadic
         ELSE a.type END, NULL), ';' ORDER BY a.i) FROM unnest(p.proargtypes) WITH ORDINALITY AS a (type, i))
FROM pg_proc AS p JOIN pg_depend AS d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
  JOIN pg_extension AS x ON x.oid = d.refobjid AND x.extname = 'scan'
WHERE p.pronargs > 0 AND obj_description(p.oid, 'pg_proc') NOT LIKE 'internal:%'
ORDER BY 1
SQL
cmp_ok(scalar @forms, '>', 150, scalar(@forms) . ' forms');

# What is tried in each place of a function: all numbers if one of its forms takes a number there, and all times if one
# takes a time.
my %tried_in;
for (@forms)
{
	my (undef, $name, undef, undef, $types) = @$_;
	my @declared = split /;/, $types;
	for my $place (0 .. $#declared)
	{
		my ($base, $array) = $declared[$place] =~ /^(.*?)((?:\[\])?)$/;
		my $type = $type{$base} or next;
		my $prefix = $array ? 'a_' : 'c_';
		$tried_in{$name}{$place}{"$prefix$_"} = 1 for $rank{$type} ? @numbers : @times;
	}
}

# ---- the calls: [call, name, its parameters]

my (@calls, @about, %seen);
for (@forms)
{
	my ($form, $name, $kind, $names, $types) = @$_;
	my @declared = split /;/, $types;
	my @named = split /;/, $names;
	my @places = grep { $declared[$_] =~ /^(.*?)(?:\[\])?$/ && $type{$1} } 0 .. $#declared;
	my %tries = map {
		my $prefix = $declared[$_] =~ /\[/ ? 'a_' : 'c_';
		$_ => [ grep { /^$prefix/ } sort keys %{ $tried_in{$name}{$_} } ]
	} @places;
	# a constant NULL would be folded with a strict function
	my @given = map { $_ =~ /^any(.*)$/ ? ($1 =~ /array/ ? 'a_int4' : 'c_int4') : "(SELECT NULL::$_)" } @declared;

	for my $one (@places)
	{
		for my $other (@places)
		{
			next if $other < $one || ($other == $one && @places > 1);
			for my $type (@{ $tries{$one} })
			{
				for my $beside ($other == $one ? $type : @{ $tries{$other} })
				{
					my @list = @given;
					@list[ $one, $other ] = ($type, $beside);
					my $call = "$name(" . join(', ', @list) . ')' . ($kind eq 'w' ? ' OVER ()' : '');
					next if $seen{$call}++;
					push @calls, $call;
					push @about, [ $name, \@named, \@list ];
				}
			}
		}
	}
}
my @shown = forms_of($server, @calls);
is(scalar @shown, scalar @calls, scalar(@calls) . ' calls');

# ---- what is lost

# Returns what an argument loses, as "TYPE as TYPE", or '' for nothing.
sub loss
{
	my ($shown) = @_;
	my ($given, $into) = $shown =~ /^\((?:g\.)?[ac]_(\w+)\)::(.*?)(?:\[\])?$/ or return '';
	$into = $type{$into} // $into;
	my $is_lost = $rank{$given} ? $rank{$into} && $rank{$given} > $rank{$into} : $into eq 'timestamptz'
		&& $given ne 'timestamptz';
	return $is_lost ? "$given as $into" : '';
}

my (%lost, %needed, %resolved);
for my $i (0 .. $#calls)
{
	my ($name, $named, $list) = @{ $about[$i] };
	my @taken = shown($shown[$i]);
	$resolved{$name}++ if @taken;
	my @floats = grep { $list->[$_] =~ /^[ac]_float|NULL::(?:real|double|scan_axis)/ } 0 .. $#$list;
	for my $place (grep { loss($taken[$_]) ne '' } 0 .. $#taken)
	{
		my $parameter = "$name." . ($named->[$place] // $place + 1);
		$needed{$parameter} = 1, next if $may{$parameter};
		$needed{$parameter} = 1, next if $beside_a_float{$parameter} && grep { $_ != $place } @floats;
		push @{ $lost{$parameter} }, "$calls[$i] takes " . loss($taken[$place]);
	}
}
is(join("\n", map { "$_: $lost{$_}[0]" } sort keys %lost), '', 'no argument loses anything on its way in');
is(join(' ', grep { !$needed{$_} } sort keys %may, keys %beside_a_float), '', 'every exception is needed');
is(join(' ', grep { /^exact_|^(?:array_)?scan_(?:sum|total)/ } keys %may, keys %beside_a_float), '',
	'nothing that promises to be exact is among them');
is(join(' ', grep { !$resolved{$_} } sort keys %tried_in), '', 'all functions are resolved with some types');

# ---- functions over arrays lose nothing that the window functions keep, and take all that they take

my @array_calls = grep { $calls[$_] =~ /^array_(scan_\w+)\((?!.*NULL::scan_)/ && $tried_in{$1} } 0 .. $#calls;
my @window_calls = map {
	my ($name, undef, $list) = @{ $about[$_] };
	$name =~ s/^array_//r . '(' . join(', ', map { s/^a_/c_/r =~ s/\[\]\)$/)/r } @$list) . ') OVER ()';
} @array_calls;
my @as_window = forms_of($server, @window_calls);
my (@other, $same);
for my $i (0 .. $#array_calls)
{
	my ($call, $array) = ($calls[ $array_calls[$i] ], $shown[ $array_calls[$i] ]);
	my ($of_array, $of_window) = map { [ map { loss($_) } shown($_) ] } $array, $as_window[$i];
	# a cast to one of these types raises an error
	next if !@$of_array && (!@$of_window || $as_window[$i] =~ /::scan_(?:rows|amount)\b/);
	$same++, next if "@$of_array" eq "@$of_window";
	push @other, "$call is $array, but $as_window[$i]";
}
cmp_ok($same, '>', 1500, "$same calls over arrays take what the window function takes");
is(join("\n", @other), '', 'no other ones');

# that the test can fail
my ($bad) = $server->lines("CREATE FUNCTION exact_twice(x float8) RETURNS float8 LANGUAGE c STRICT AS '\$libdir/scan', "
	. "'scan_total_hash'; SELECT form('exact_twice(c_numeric)')");
is($bad, 'exact_twice((c_numeric)::double precision)', 'a numeric would be taken as a double');

done_testing();

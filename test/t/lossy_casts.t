# lossy_casts.t: no function or aggregate takes a number by an implicit cast that loses digits.
#
# Where a function is called with a type that it has no overload for, PostgreSQL looks for an implicit cast, and finds
# one from every number to double precision: of a bigint beyond 2^53, or of 0.1, digits are lost without a word.  So each
# parameter of the extension's functions that is a float, or an array of floats, is tried with every number type, and
# the overload that PostgreSQL resolves to is asked for, as pg_depend has it of a view of the call.  The other
# parameters that take values are given the same type, and those of the list below, or of other types, once what they
# are declared as and once numeric, as a literal like 0.5 is.  An error is no loss.
#
# A call that mixes types is the user's: bigint + double precision is a double in PostgreSQL, too.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Server;

# Parameters that may, and why.  A name alone stands for all parameters of the functions.
my %ratio = (
	'scan_ema.alpha' => 'a ratio between 0 and 1, by which doubles are weighed',
	(map { ("$_.fraction" => 'a ratio between 0 and 1: it says which of the values, and is taken as the decimal that it is printed as') } 'moving_percentile_cont', 'moving_percentile_disc'),
	(map { ("$_.numerator" => 'factors of a filter', "$_.denominator" => 'factors of a filter') } 'scan_filter'));
# These compute doubles by definition, are called exact by nobody, and have no meaning over other numbers; a number that
# is no double is rounded to the nearest one first, as by corr(), regr_slope() and ln(double precision) of PostgreSQL's.
my %doubles = (
	'scan_ema' => "the average of pandas' ewm and Polars' ewm_mean_by: of weights that are powers of a double",
	'scan_filter' => "SciPy's lfilter",
	(map { ($_ => 'a point on a line, an area and its average are quotients, and the answer is a double; the page says what it makes of other numbers') } 'scan_interpolate', 'array_scan_interpolate', 'scan_integral', 'time_average'),
	'scan_matrix_product' => 'matrices of doubles',
	'scan_recurrence(double precision[],double precision,double precision[],boolean)' => 'factors of order k; the first order is there for numeric, too',
	(map { ("$_ int8" => 'a recurrence has factors, which integers seldom are: of bigints it is one of doubles, of numerics of numerics') } 'scan_recurrence', 'array_scan_recurrence'),
	'csr_multiply' => "a sparse matrix, as SciPy's and cuSPARSE's",
	'tridiagonal_solve' => 'a linear system, solved in doubles',
	'affine' => 'factors of maps of doubles', 'affine_apply' => 'what such a map makes of a double');

my $server = Server->new('lossy_casts');
my @numbers = qw(int2 int4 int8 float4 float8 numeric);
my %rank = (int2 => 11, int4 => 31, int8 => 63, float4 => 24, float8 => 53, numeric => 1e6);    # bits of an integer, or digits

# Every function that SQL may call: no functions of types, aggregates, operators and casts, which have the types they need.
my @functions = map { [ split /\|/, $_, -1 ] } $server->lines(<<'SQL');
SELECT p.oid, p.oid::regprocedure, p.proname, p.prokind, array_to_string(p.proargtypes::oid[]::regtype[]::text[], ';'), array_to_string(p.proargnames[:p.pronargs], ';'),
       (SELECT string_agg(coalesce(e.typname, t.typname) || CASE WHEN e.oid IS NULL THEN '' ELSE '[]' END, ';' ORDER BY a.i)
        FROM unnest(p.proargtypes) WITH ORDINALITY AS a (type, i) JOIN pg_type AS t ON t.oid = a.type LEFT JOIN pg_type AS e ON e.oid = t.typelem AND t.typcategory = 'A')
FROM pg_proc AS p JOIN pg_depend AS d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e' JOIN pg_extension AS x ON x.oid = d.refobjid AND x.extname = 'scan'
WHERE p.pronargs > 0 AND NOT ('internal'::regtype = ANY (p.proargtypes::oid[])) AND NOT ('cstring'::regtype = ANY (p.proargtypes::oid[]))
  AND NOT EXISTS (SELECT FROM pg_aggregate AS g WHERE p.oid IN (g.aggtransfn, g.aggfinalfn, g.aggcombinefn, g.aggmtransfn, g.aggminvtransfn, g.aggmfinalfn))
  AND NOT EXISTS (SELECT FROM pg_cast AS c WHERE c.castfunc = p.oid)
ORDER BY 2
SQL
cmp_ok(scalar @functions, '>', 150, scalar(@functions) . ' functions');

# What a call resolves to: the types of its parameters, or nothing.
$server->lines(<<'SQL');
CREATE FUNCTION resolved(call text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  found text;
BEGIN
  EXECUTE 'CREATE VIEW tried AS SELECT ' || call;
  SELECT string_agg(p.oid::regprocedure || '|' || (SELECT string_agg(coalesce(e.typname, t.typname) || CASE WHEN e.oid IS NULL THEN '' ELSE '[]' END, ';' ORDER BY a.i)
           FROM unnest(p.proargtypes) WITH ORDINALITY AS a (type, i) JOIN pg_type AS t ON t.oid = a.type LEFT JOIN pg_type AS e ON e.oid = t.typelem AND t.typcategory = 'A'), '&') INTO found
    FROM pg_depend AS d JOIN pg_proc AS p ON d.refclassid = 'pg_proc'::regclass AND d.refobjid = p.oid
    WHERE d.classid = 'pg_rewrite'::regclass AND d.objid = (SELECT oid FROM pg_rewrite WHERE ev_class = 'tried'::regclass);
  DROP VIEW tried;
  RETURN found;
EXCEPTION WHEN OTHERS THEN
  RETURN '';
END $$;
SQL

# [function, parameter, type, resolved to] of what loses digits, and what was tried.
my (@lost, %tried, %needed);
my (@calls, @about);

sub argument
{
	my ($declared, $number) = @_;
	my $type = $declared =~ /^any(.*)$/ ? ($1 =~ /array/ ? "$number\[]" : $1 =~ /range/ ? 'int4range' : $number) : $declared;
	return "NULL::$type";
}

for my $function (@functions)
{
	my ($oid, $signature, $name, $kind, undef, $names, $types) = @$function;
	my @declared = split /;/, $types;
	my @named = split /;/, $names;
	my @float = grep { $declared[$_] =~ /^float[48](\[\])?$/ } 0 .. $#declared;
	my @values = grep { !$ratio{ "$name." . ($named[$_] // '') } } @float;

	for my $number (@values ? @numbers : ())
	{
		for my $other ('declared', 'numeric')
		{
			my @types = @declared;
			$types[$_] = $other eq 'numeric' && $declared[$_] !~ /\[/ ? 'numeric' : $declared[$_] for @float;
			$types[$_] = $number . ($declared[$_] =~ /(\[\])/ ? $1 : '') for @values;
			push @calls, "$name(" . join(', ', map { argument($_, $number) } @types) . ')' . ($kind eq 'w' ? ' OVER ()' : '') . ' AS x';
			push @about, [ $name, $signature, [ map { [ $_, $types[$_], $named[$_] // $_ + 1 ] } @values ] ];
		}
	}
}
my @resolved = $server->lines(join "\n", map { "SELECT resolved(\$q\$$_\$q\$);" } @calls);
is(scalar @resolved, scalar @calls, scalar(@calls) . ' calls');
my $none = 0;
for my $i (0 .. $#calls)
{
	my ($name, $signature, $values) = @{ $about[$i] };
	# a view may need functions of casts, too
	my ($to) = grep { /^(?:\w+\.)?\Q$name\E\(/ } split /&/, $resolved[$i];

	$none++, next if !defined $to;
	my ($found, $types) = split /\|/, $to;
	my @taken = split /;/, $types;
	$tried{$signature} = 1;
	for my $value (@$values)
	{
		my ($place, $given, $parameter) = @$value;
		my ($from, $into) = map { s/\[\]//r } $given, $taken[$place];

		next if !$rank{$into} || $rank{$from} <= $rank{$into};
		if (my ($exception) = grep { $doubles{$_} } $name, "$name $from", $found)
		{
			$needed{$exception} = 1;
			next;
		}
		push @lost, "$name($parameter $given) is taken as $into by $found";
	}
}
is(join("\n", sort keys %{ { map { $_ => 1 } @lost } }), '', 'no number loses digits on its way in');
cmp_ok(scalar keys %tried, '>=', 20, scalar(keys %tried) . ' functions with floats are resolved');
cmp_ok($none, '<', 0.2 * @calls, "$none calls are an error");
is(join(' ', sort grep { !$needed{$_} } keys %doubles), '', 'every exception is needed');

# that the test can fail
my $bad = $server->value("CREATE FUNCTION exact_twice(x float8) RETURNS float8 LANGUAGE sql AS 'SELECT 2 * x'; SELECT resolved('exact_twice(NULL::numeric) AS x')");
is($bad, 'exact_twice(double precision)|float8', 'a numeric would be taken as a double');

done_testing();

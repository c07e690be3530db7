# Arrays.pm: random queries of the functions over arrays and of the aggregates.
#
# Core has neither.  So a query comes with an `oracle` wherever there is another way to the
# same answer: the window function row by row, ORDER BY, integers for bit_add.  A query
# without one is held against itself: on the CPU, one row after another, and then by all
# the algorithms and by the device.
package Arrays;

use strict;
use warnings;

sub one_of { return $_[ rand @_ ] }
sub chance { return rand(100) < $_[0] }

my %columns = (
	int2 => ['i2'], int4 => [ 'i4', 'p', 'o', 'id', 'i4 * 20000' ], int8 => [ 'i8', 'i8 / 4096', 'i4::int8' ],
	float4 => ['f4'],
	float8 => [ 'f8', 'sin(i4) * exp(id % 60)', 'i4 / 8.0::float8', '1e300::float8 * i4' ],
	numeric => [ 'num', 'i4 / 8.0', 'num + id' ],
	interval => ['iv'], text => [ 't', q(t || 'y') ], date => ['d'], bool => [ 'b', 'p > 3', 'i4 > 0' ],
	bit => ['bits'], uuid => ['u']);

sub column { return one_of(@{ $columns{ $_[0] } }) }

# Rows, with a key to order them by.
sub rows
{
	my $rows = "SELECT * FROM t WHERE "
		. one_of('true', 'true', 'p = 3', 'o < 9', 'b', 'f8 IS NOT NULL AND f4 IS NOT NULL AND num IS NOT NULL');
	$rows .= ' ORDER BY id LIMIT ' . one_of(0, 1, 2, 7, 8, 9, 63, 64, 65, 200) if chance(50);
	return "($rows) AS r";
}

# An array of an expression over rows.
sub array { my ($value) = @_; return "array_agg($value ORDER BY id)" }

sub reset_of { return chance(35) ? one_of('b', 'id % 50 = 0', 'p = 0', 'NULL::bool', 'true') : undef }

# An `at` in the order of the rows.
sub at { return one_of('id', 'id::int8 * 3', 'id / 7.0', 'id / 7.0::float8', q(date '2024-01-01' + id)) }

# A function over arrays beside the window function that has its answers.
sub scanned
{
	my ($function, $value, @rest) = @_;
	my $reset = reset_of();
	my $exclusive = chance(25)
		&& $function !~ /clamped|recurrence|ema|locf|nocb|interpolate|session/ ? ', exclusive => true' : '';
	my $rows = rows();
	my $array = join ', ', map({ array($_) } ref $value ? @$value : $value), @rest;
	my $window = join ', ', ref $value ? @$value : $value, @rest;
	my ($whole, $each) = ($exclusive) x 2;

	if (defined $reset)
	{
		$whole = ', reset => ' . array($reset) . $whole;
		$each = ", reset => $reset$each";
	}
	return {
		sql => "SELECT array_scan_$function($array$whole) FROM $rows",
		oracle => "SELECT array_agg(y ORDER BY id) "
			. "FROM (SELECT id, scan_$function($window$each) OVER (ORDER BY id) AS y FROM $rows) AS s" };
}

sub scan
{
	my $type = one_of(qw(int2 int4 int8 float4 float8 numeric interval));
	my $small = one_of(qw(int2 int4 int8 numeric));
	my $any = one_of(qw(int2 int4 int8 float4 float8 numeric interval text date uuid));
	my ($low, $high) = (one_of(-1000, 0, 5, 'NULL'), one_of(3, 100, 100000, 'NULL'));
	return one_of(
		sub { scanned('sum', column($type)) },
		sub { scanned('sum', column(one_of(qw(float4 float8)))) },
		sub { scanned('product', one_of('f8', 'i4 / 8.0::float8', 'i2', 'p', 'i8 / 4096', 'p / 2.0')) },
		sub { scanned('count', column('bool')) },
		sub { scanned(one_of(qw(min max)), column($any)) },
		sub { scanned(one_of(qw(bool_and bool_or)), column('bool')) },
		sub { scanned(one_of(qw(bit_and bit_or bit_xor)), column(one_of(qw(int2 int4 int8 bit)))) },
		sub { scanned('clamped_sum', column($small), $low, $high) },
		sub { scanned('clamped_sum', column('float8'), $low, $high, 'init => ' . one_of(0, 1.5, "'NaN'")) },
		sub { scanned('recurrence', [ one_of('0.5::float8', 'i4 / 100000.0::float8', '-0.99::float8', 'f8'),
					column('float8') ], one_of(0, 1, 0.1)) },
		sub { scanned('recurrence', [ one_of('0.5', 'p / 8.0'), column('numeric') ], one_of(0, 1.5)) },
		sub { scanned(one_of(qw(ema_var ema_stddev)), column('float8'), one_of(0.1, 1), one_of('true', 'false'),
				one_of('true', 'false')) },
		sub { scanned('ema_corr', [ column('float8'), column(one_of(qw(int4 float8))) ], one_of(0.1, 0.75),
				one_of('true', 'false')) },
		sub { scanned('ema_covar', [ column('float8'), column('float8') ], 0.5, one_of('true', 'false'),
				one_of('true', 'false')) },
		sub { scanned(one_of(qw(locf nocb)), column($any), one_of(0, 1, 5)) },
		sub { scanned(one_of(qw(locf nocb)), [ column($any), at() ], one_of(0, 3)) },
		sub { scanned('interpolate', [ column('float8'), at() ], one_of(2, 9)) },
		sub { scanned('session', at(), one_of(0, 1)) })->();
}

sub pack
{
	my $value = column(one_of(qw(int4 float8 numeric text date interval uuid)));
	my $bit = one_of('b', 'i4 > 0', 'p IS NULL', 'true', 'false');
	my $number = column(one_of(qw(int2 int4 int8)));
	my $rows = rows();
	my $split = "coalesce($bit, false)";
	return one_of(
		{ sql => 'SELECT array_compact(' . array($value) . ', ' . array($bit) . ") FROM $rows",
			oracle => "SELECT CASE WHEN count(*) > 0 THEN coalesce(array_agg($value ORDER BY id) FILTER (WHERE $bit), "
				. "'{}') END FROM $rows" },
		{ sql => 'SELECT array_split(' . array($value) . ', ' . array($split) . ") FROM $rows",
			oracle => "SELECT array_agg($value ORDER BY $split, id) FROM $rows" },
		{ sql => 'SELECT array_split(' . array($value) . ', ' . array($bit) . ") FROM $rows" },
		{ sql => 'SELECT array_radix_sort(' . array($number) . ") FROM $rows",
			oracle => "SELECT array_agg($number ORDER BY $number) FROM $rows" });
}

# Sparse matrices, tridiagonal systems, binary numbers.
sub applied
{
	my $n = one_of(1, 2, 5, 64, 180);
	my ($wide, $b) = (64 - int rand 50, int rand 50);
	my $rows = "(SELECT * FROM t WHERE f8 NOT IN ('NaN', 'Infinity') ORDER BY id LIMIT $n) AS r";
	my $numbers = one_of('f8', 'i4', 'sin(id)', 'coalesce(f8, 0)');
	return one_of(
		{ sql => "SELECT bit_add((id::int8 * 123456)::bit($wide)::varbit, "
				. "abs(hashint4(id))::int8::bit(40)::varbit) FROM t" },
		{ sql => 'SELECT bit_add(id::bit(20)::varbit, p::bit(9)::varbit) FROM t',
			oracle => 'SELECT right((id::int8 + p)::bit(64)::text, 21)::varbit FROM t' },
		{ sql => "SELECT tridiagonal_solve(array_agg($numbers), array_agg(1000.0 + id), array_agg($numbers / 2), "
				. "array_agg(coalesce(i4, 1))) FROM $rows" },
		{ sql => "SELECT tridiagonal_solve(array_agg(id), array_agg($numbers), array_agg(id), "
				. "array_agg(id)) FROM $rows" },
		{ sql => "SELECT csr_multiply(array_agg((id - 1) * $b / 10 ORDER BY id), "
				. "ARRAY(SELECT abs(hashint4(g)) % 20 FROM generate_series(1, 179 * $b / 10) AS g), "
				. "ARRAY(SELECT sin(g) FROM generate_series(1, 179 * $b / 10) AS g), "
			  . "ARRAY(SELECT cos(g) FROM generate_series(1, " . one_of(20, 20, 20, 15)
			  	. ') AS g)) FROM (SELECT id FROM t WHERE id <= 180) AS s' });
}

# exact_*, scan_total and affine, by group and over frames; over other windows they are Queries.pm's.
sub aggregate
{
	my $by = one_of(qw(p o dom));
	my $value = one_of('f8', 'f4', 'sin(i4) * exp(id % 60)', 'i4 / 8.0::float8', '1e308::float8 * p');
	my $last = "SELECT DISTINCT ON ($by) $by, scan_sum($value) OVER (PARTITION BY $by ORDER BY id) FROM t "
		. "ORDER BY $by, id DESC";
	my $wide = $value eq 'f4' ? 'f4::float8' : $value;
	my $where = one_of('true', "f8 NOT IN ('NaN', 'Infinity')");
	my $exact = one_of(qw(exact_sum exact_avg exact_var_pop exact_var_samp exact_stddev_pop exact_stddev_samp));
	my ($before, $after) = (int rand 30, int rand 5);
	return one_of(
		{ sql => "SELECT id, $exact($value) OVER (ORDER BY id RANGE BETWEEN $before PRECEDING "
				. "AND $after FOLLOWING) FROM t",
			oracle => "SELECT id, (SELECT $exact($value ORDER BY id DESC) FROM t "
				. "WHERE id BETWEEN u.id - $before AND u.id + $after) FROM t AS u" },
		{ sql => "SELECT $by, exact_sum($value) FROM t GROUP BY $by", oracle => $last },
		{ sql => "SELECT $by, (scan_total(total))::float8 "
				. "FROM (SELECT $by, scan_total($wide) AS total FROM t GROUP BY $by, id % 7) AS s GROUP BY $by",
			oracle => "SELECT $by, exact_sum($wide) FROM t GROUP BY $by" },
		{ sql => "SELECT scan_total($wide)::numeric FROM t WHERE $where AND abs($wide) < 1e30",
			oracle => "SELECT scan_total(total)::numeric FROM (SELECT scan_total($wide ORDER BY i4) AS total FROM t "
				. "WHERE $where AND abs($wide) < 1e30 GROUP BY id % 5) AS s" },
		{ sql => "SELECT r.id, scan_sum($wide, init => s.total) OVER (ORDER BY r.id) "
				. "FROM t AS r, (SELECT scan_total($wide) AS total FROM t WHERE id <= 60) AS s WHERE r.id > 60",
			oracle =>
				"SELECT id, y FROM (SELECT id, scan_sum($wide) OVER (ORDER BY id) AS y FROM t) AS s WHERE id > 60" },
		{ sql => "SELECT id, exact_sum($value) OVER (ORDER BY id) FROM t",
			oracle => "SELECT id, scan_sum($value) OVER (ORDER BY id) FROM t" },
		{ sql => "SELECT $by, affine(i4 / 1e5, $value ORDER BY id), "
				. "affine(i4 / 1e5, $value ORDER BY id) * 1.5::float8 FROM t GROUP BY $by" },
		{ sql => "SELECT id, affine(0.5::float8, $wide) OVER (PARTITION BY $by ORDER BY id) FROM t" });
}

# The next query.
sub next
{
	my $query = one_of(\&scan, \&scan, \&scan, \&pack, \&applied, \&aggregate, \&aggregate)->();
	return { %$query, ordered => 0 };
}

1;

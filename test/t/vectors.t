# vectors: exact float sums over thousands of random and of nasty numbers, whose
# right answers are known by a hash (computed elsewhere, with big integers), or
# by what they are made of.  Each goes through scan_sum() row by row and through
# array_scan_sum() with every algorithm, whole and cut to many lengths.

use strict;
use warnings;
no warnings 'portable';    # 64-bit constants
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Server;

my @algorithms = qw(auto sequential hillis_steele blelloch blocked);
my @cuts = (1, 2, 7, 8, 9, 255, 1023, 1024, 1025, 2047, 2048, 2049, 4095, 4096, 4097);
my $server = Server->new('vectors');

# ---- the random numbers and the hash of the vectors' definition

# A generator of random 64-bit integers (splitmix64).
sub splitmix64
{
	use integer;    # wraps; its >> drags the sign along, hence the masks
	my ($state) = @_;
	return sub {
		$state += 0x9E3779B97F4A7C15;
		my $z = $state;
		$z = ($z ^ (($z >> 30) & 0x3FFFFFFFF)) * 0xBF58476D1CE4E5B9;
		$z = ($z ^ (($z >> 27) & 0x1FFFFFFFFF)) * 0x94D049BB133111EB;
		return $z ^ (($z >> 31) & 0x1FFFFFFFF);
	};
}

sub uniform    # [-0.5, 0.5)
{
	my ($z) = @_;
	return (($z >> 11) & 0x1FFFFFFFFFFFFF) * 2**-53 - 0.5;
}

sub double_of_bits
{
	return unpack 'd', pack 'Q', $_[0];
}

sub wild       # any exponent that leaves room for sums
{
	my ($z) = @_;
	$z &= ~(1 << 62) if (($z >> 52) & 0x7ff) >= 2000;
	return double_of_bits($z);
}

sub take
{
	my ($seed, $n, $make) = @_;
	my $next = splitmix64($seed);
	return map { $make->($next->()) } 1 .. $n;
}

# FNV-1a of the doubles' bytes, the lowest first; the doubles come as float8send
# gives them, in hex, highest first.
sub fnv1a
{
	use integer;
	my $hash = 0xcbf29ce484222325;
	for my $hex (@_)
	{
		for my $byte (reverse unpack 'C*', pack 'H*', $hex)
		{
			$hash = ($hash ^ $byte) * 0x100000001b3;
		}
	}
	return sprintf '%016x', $hash;
}

sub bits { return unpack 'H16', pack 'd>', $_[0] }

is(bits(1), '3ff0000000000000', 'this Perl has IEEE doubles and 64-bit integers');
is(sprintf('%016x', splitmix64(0)->()), 'e220a8397b1dcdaf', 'splitmix64 is the published one');
is(fnv1a(unpack 'H*', reverse 'foobar'), '85944171f73967e8', 'FNV-1a is the published one, lowest byte first');

# ---- the two entry points

sub load
{
	my ($values, $type) = @_;
	my $i = 0;
	return
	    "SET jit = off;\nCREATE TEMP TABLE v (i int, x $type);\nCOPY v FROM STDIN;\n"
	  . join('', map { $i++; sprintf "%d\t%s\n", $i, defined $_ ? pg_number($_) : '\N' } @$values)
	  . "\\.\n";
}

sub pg_number
{
	my ($x) = @_;
	return $x != $x ? 'NaN' : $x == 9**9**9 ? 'Infinity' : $x == -9**9**9 ? '-Infinity' : sprintf '%.17g', $x;
}

my %send = (float8 => 'float8send', float4 => 'float4send');

# The answers as hex, one line a row, by scan_sum().
sub by_row
{
	my ($values, $type) = @_;
	$type //= 'float8';
	return $server->lines(load($values, $type) . "SELECT coalesce(encode($send{$type}(y), 'hex'), 'NULL') "
			. "FROM (SELECT i, scan_sum(x) OVER (ORDER BY i) AS y FROM v) AS t ORDER BY i;");
}

# The same by array_scan_sum() with every algorithm; under each also, for every
# cut, whether the sums of the first `cut` values are the first `cut` sums.
sub by_batch
{
	my ($values, $type) = @_;
	$type //= 'float8';
	my $cuts = join ',', grep { $_ <= @$values } @cuts;
	my @lines = $server->lines(load($values, $type)
		  . "CREATE TEMP TABLE a AS SELECT array_agg(x ORDER BY i) AS a FROM v;\nCREATE TEMP TABLE s (s $type\[]);\n"
		  . join '', map {
			"SET scan.algorithm = $_;\nTRUNCATE s;\nINSERT INTO s SELECT array_scan_sum(a) FROM a;\n"
			  . "SELECT '$_', (SELECT string_agg(coalesce(encode($send{$type}(y), 'hex'), 'NULL'), ' ' ORDER BY i) "
			  	. "FROM unnest(s) WITH ORDINALITY AS t(y, i)),\n"
			  . "  (SELECT coalesce(bool_and(array_send(array_scan_sum(a[1:cut])) = array_send(s[1:cut])), true) "
			  	. "FROM unnest('{$cuts}'::int[]) AS cut) FROM a, s;\n"
		  } @algorithms);
	return map { my ($algorithm, $sums, $same) = split /\|/; [ $algorithm, [ split / /, $sums ], $same ] } @lines;
}

sub hashes_to
{
	my ($name, $values, $hash) = @_;
	is(fnv1a(by_row($values)), $hash, "$name: scan_sum");
	for (by_batch($values))
	{
		my ($algorithm, $sums, $same) = @$_;
		is(fnv1a(@$sums), $hash, "$name: array_scan_sum, $algorithm");
		is($same, 't', "$name: array_scan_sum, $algorithm, cut short");
	}
}

sub gives
{
	my ($name, $values, $wanted, $type) = @_;
	is_deeply([ by_row($values, $type) ], $wanted, "$name: scan_sum");
	for (by_batch($values, $type))
	{
		my ($algorithm, $sums, $same) = @$_;
		is_deeply($sums, $wanted, "$name: array_scan_sum, $algorithm");
		is($same, 't', "$name: array_scan_sum, $algorithm, cut short");
	}
}

# ---- the hashed vectors

my @u = take(42, 20000, \&uniform);
my @b = take(43, 20000, \&wild);
my @c = @b;
$c[$#c - $_] = -$c[$_] for 0 .. @c / 2 - 1;

hashes_to('U, uniform', \@u, 'f52e0342ffed5e1c');
hashes_to('B, all exponents', \@b, 'e18665482dc946f3');
hashes_to('C, all exponents and back', \@c, 'cfba97d6acc77bda');
is((by_row(\@c))[-1], bits(0), 'C ends in +0');

# ---- streams that are easy to say and hard to add

# Every block, lane and tile of this overflows; no prefix does.
gives('near overflow', [ map { $_ % 2 ? -1.7e308 : 1.7e308 } 0 .. 4095 ],
	[ map { bits($_ % 2 ? 0 : 1.7e308) } 0 .. 4095 ]);
# 1 + 2^-53 lies in the middle between two doubles, and 2^-300 decides which.
gives(
	'ties',
	[ 1, 2**-53, map { $_ % 2 ? -2**-300 : 2**-300 } 0 .. 4095 ],
	[ bits(1), bits(1), map { bits($_ % 2 ? 1 : 1 + 2**-52) } 0 .. 4095 ]);
# Each 2^-108 is lost beside 1 + 2^-53 - 2^-103 in twice a double's digits; 32 of them
# reach the middle, 33 pass it.
gives(
	'drift',
	[ 1, 2**-53 - 2**-103, (2**-108) x 2000, (-2**-108) x 2000 ],
	[ bits(1), bits(1), map { bits($_ <= 32 || $_ >= 3968 ? 1 : 1 + 2**-52) } 1 .. 4000 ]);
# Subnormals only: integers times 2^-1074.
gives('subnormals', [ map { ($_ % 3 - 1) * 2**-1074 * $_ } 1 .. 3000 ], do {
	my $s = 0;
	[ map { $s += ($_ % 3 - 1) * $_; bits($s * 2**-1074) } 1 .. 3000 ]
});
# Integers below 2^53 have one sum in any arithmetic.
gives('integers', [ map { $_ * ($_ % 7 - 3) } 1 .. 5000 ], do {
	my $s = 0;
	[ map { $s += $_ * ($_ % 7 - 3); bits($s) } 1 .. 5000 ]
});
gives('real: integers', [ map { $_ * ($_ % 7 - 3) } 1 .. 2000 ], do {
	my $s = 0;
	[ map { $s += $_ * ($_ % 7 - 3); unpack 'H8', pack 'f>', $s } 1 .. 2000 ]
}, 'float4');
# real, 1 + 2^-24 and 2^-100: rounded once.
gives(
	'real: ties',
	[ 1, 2**-24, map { $_ % 2 ? -2**-100 : 2**-100 } 0 .. 2047 ],
	[ (unpack 'H8', pack 'f>', 1) x 2, map { unpack 'H8', pack 'f>', $_ % 2 ? 1 : 1 + 2**-23 } 0 .. 2047 ],
	'float4');
# Leading zeros keep their sign up to the first that is not -0.
gives('-0 for long', [ (-0.0) x 1500, 0, (-0.0) x 10 ], [ (bits(-0.0)) x 1500, (bits(0)) x 11 ]);

# ---- -0, NaN, infinities, NULLs around the edge of a tile

my ($inf, $nan) = (9**9**9, -sin 9**9**9);
for my $place (1023 .. 1026)
{
	for my $odd ([ '-0', -0.0 ], [ 'NaN', $nan ], [ 'Infinity', $inf ], [ '-Infinity', -$inf ], [ 'NULL', undef ])
	{
		my ($name, $x) = @$odd;
		my @values = (0.5) x 1030;
		$values[$place - 1] = $x;
		my ($s, @wanted) = (0);
		for (@values) { $s += $_ if defined; push @wanted, $s == $s ? bits($s) : '7ff8000000000000' }
		gives("$name at $place", \@values, \@wanted);

		# alone among -0: the one thing that is not -0
		next unless defined $x;
		@values = (-0.0) x 1030;
		$values[$place - 1] = $x;
		@wanted = map { $_ < $place || $name eq '-0' ? bits(-0.0) : $x == $x ? bits($x) : '7ff8000000000000' }
			1 .. 1030;
		gives("$name at $place after -0", \@values, \@wanted);
	}
}

# ---- the order of the rows does not matter to their last sum

for ([ U => \@u ], [ B => \@b ], [ C => \@c ])
{
	my ($name, $values) = @$_;
	my @last = $server->lines(load($values, 'float8') . join '', map {
		"SELECT encode(float8send(y), 'hex') FROM (SELECT row_number() OVER w AS n, scan_sum(x) OVER w AS y FROM v "
			. "WINDOW w AS (ORDER BY $_)) AS t ORDER BY n DESC LIMIT 1;\n"
		  . "SELECT encode(float8send((array_scan_sum(array_agg(x ORDER BY $_)))[count(*)]), 'hex') FROM v;\n"
	} 'i', 'i DESC', 'x', 'abs(x)', 'hashint8(i), i', 'hashint8extended(i, 1), i');
	is(scalar @last, 12, "$name permuted: twelve last sums");
	is_deeply([ grep { $_ ne $last[0] } @last ], [], "$name permuted: all are $last[0]");
}

# ---- R: the recurrence y = a y' + b, a and b in turn from one stream

{
	my $next = splitmix64(44);
	my $copy = '';
	for my $i (1 .. 70000)
	{
		my $a = 0.5 + (($next->() >> 11) & 0x1FFFFFFFFFFFFF) * 2**-54;
		my $b = uniform($next->());
		$copy .= sprintf "%d\t%.17g\t%.17g\n", $i, $a, $b;
	}
	my @y = $server->lines("SET jit = off;\nCREATE TEMP TABLE v (i int, a float8, b float8);\n"
		. "COPY v FROM STDIN;\n$copy\\.\n" . "SELECT encode(float8send(y), 'hex') "
			. "FROM (SELECT i, scan_recurrence(a, b) OVER (ORDER BY i) AS y FROM v) AS t ORDER BY i;");
	is(fnv1a(@y), '155dbc12b04f2e92', 'R: scan_recurrence');
	is_deeply([ @y[ 4095 .. 4097 ] ],
		[ map { bits($_) } -0x18fd6acb4b1d73 * 2**-56, -0x14ca2e1c3c8303 * 2**-54, -0x1181598ed6910f * 2**-54 ],
		'R: around the end of the first chunk');
}

done_testing();

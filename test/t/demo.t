# demo.t: what the demo says of real data is true, but for its times.
#
# test/demo/demo.sql is run, and its proofs must be there; then what its sections 8, 9 and 10
# leave in their tables is computed from the files anew, without PostgreSQL: in integers,
# where that can be exact, else in a loop of doubles.

use strict;
use warnings;
use Test::More;
use File::Basename;
use Math::BigInt;

use lib dirname(__FILE__);
use Server;

chdir dirname(__FILE__) . '/../..' or die $!;

my $PI = 4 * atan2(1, 1);

# A column of a demo's file, in hundredths.
sub hundredths
{
	my ($name, $column) = @_;
	my @values;

	open my $in, '<', "test/demo/$name" or die "$name: $!";
	<$in>;
	while (<$in>)
	{
		my $field = (split /[,\r\n]/)[$column];
		my ($whole, $cents) = $field =~ /\A(\d+)\.?(\d{0,2})0*\z/ or die "$name, line $.: $field";
		push @values, $whole . substr("${cents}00", 0, 2);
	}
	return @values;
}

# Whether a number in decimal notation is p / q but for one part in 10^n.
sub is_near
{
	my ($shown, $p, $q, $n, $name) = @_;
	my ($whole, $digits) = $shown =~ /\A(\d+)\.?(\d*)\z/ or return fail("$name: $shown");
	my $scale = Math::BigInt->new(10)->bpow(length $digits);
	my $off = Math::BigInt->new("$whole$digits")->bmul($q)->bsub($p * $scale)->babs;

	ok($off * Math::BigInt->new(10)->bpow($n) <= $p * $scale, $name) or diag("$shown, not near " . $p / $q);
}

my $server = Server->new('demo');
my ($out, $err, $status) = $server->run(<<'SQL');
\pset tuples_only off
\pset format aligned
\i test/demo/demo.sql
\pset tuples_only on
\pset format unaligned
\echo == ema
SELECT ema FROM smooth ORDER BY day DESC LIMIT 1;
\echo == low_pass
SELECT low_pass FROM smooth ORDER BY day;
\echo == bands
SET extra_float_digits = 1;
SELECT middle, width, median FROM bands ORDER BY day;
\echo == balance
SELECT balance FROM account ORDER BY day DESC LIMIT 1;
\echo == in_float8
SELECT in_float8 FROM account ORDER BY day DESC LIMIT 1;
\echo == paid_in
SELECT paid_in FROM account ORDER BY day DESC LIMIT 1;
SQL
is($status, 0, 'the demo runs') or die $err;
is($err, '', 'without a warning');

my ($shown, %left) = split /^== (\w+)\n/m, $out;

# ---- the page

is_deeply([ $shown =~ /^(\d+)\. /mg ], [ 1 .. 11 ], 'its sections');
ok($shown =~ /^ +(\d+) of \1 rows rebuilt exactly$/m, 'the proof of the totals');
ok($shown =~ /^ +The averages agree within 1e-12, the balances to the last digit\.$/m, 'the proof of the recurrences');
my @forms = $shown =~ m{^ (average|balance) \| (scan_\w+|PL/pgSQL loop|recursive CTE) +\| +\d+ \| +\d+\.\d\d \| +\d+\.\d \|}mg;
is(scalar @forms, 2 * 6, 'a time for each form');

# ---- the moving average: e = (9 e' + x) / 10, in units of 10^-40

my @close = hundredths('vix-daily.csv', 4);
my $tiny = Math::BigInt->new(10)->bpow(38);
my $ema = $tiny * $close[0];
$ema = ($ema * 9 + $tiny * $close[$_])->bdiv(10) for 1 .. $#close;
is_near($left{ema} =~ /(\S+)/, $ema, $tiny * 100, 14, 'the last moving average');

# ---- the low-pass, by the textbook's coefficients, in doubles

my $k = sin($PI / 60) / cos($PI / 60);
my $one = 1 / (1 + sqrt(2) * $k + $k * $k);
my ($b0, $a1, $a2) = ($k * $k * $one, 2 * ($k * $k - 1) * $one, (1 - sqrt(2) * $k + $k * $k) * $one);
my @low_pass = split /\n/, $left{low_pass};
my ($x1, $x2, $y1, $y2, $worst) = (0) x 5;
is(scalar @low_pass, scalar @close, 'a low-pass for every day');
for my $i (0 .. $#close)
{
	my $x = ($close[$i] - $close[0]) / 100;
	my $y = $b0 * ($x + 2 * $x1 + $x2) - $a1 * $y1 - $a2 * $y2;
	my $off = abs($low_pass[$i] - $close[0] / 100 - $y);

	$worst = $off if $off > $worst;
	($x1, $x2, $y1, $y2) = ($x, $x1, $y, $y1);
}
cmp_ok($worst, '<', 1e-11, 'the low-pass of every day');

# ---- the bands, from sums of hundredths, which are exact

my @bands = map { [ split /\|/ ] } split /\n/, $left{bands};
my $far = 0;
is(scalar @bands, scalar @close, 'a band for every day');
for my $i (0 .. $#close)
{
	my @window = sort { $a <=> $b } @close[ ($i < 19 ? 0 : $i - 19) .. $i ];
	my ($n, $sum, $squares) = (scalar @window, 0, 0);

	for my $x (@window) { $sum += $x; $squares += $x * $x }
	my @expected = ($sum / 100 / $n, 2 * sqrt($n * $squares - $sum * $sum) / 100 / $n, ($window[ ($n - 1) / 2 ] + $window[ $n / 2 ]) / 200);
	for my $k (0 .. 2)
	{
		my $off = abs($bands[$i][$k] - $expected[$k]);

		$far = $off if $off > $far;
	}
}
cmp_ok($far, '<', 1e-12, 'average, width and median of every day');

# ---- the balance, exact: in month n it is a whole number of 120000^-n

my @yield = hundredths('us-10y-yield-monthly.csv', 1);
my ($balance, $unit) = (Math::BigInt->new(1000), Math::BigInt->new(1));
for my $rate (@yield)
{
	$unit *= 120000;
	$balance = $balance * (120000 + $rate) + 100 * $unit;
}
is_near($left{balance} =~ /(\S+)/, $balance, $unit, 17, 'the last balance in numeric');
is_near($left{in_float8} =~ /(\S+)/, $balance, $unit, 13, 'the last balance in float8');
is($left{paid_in} + 0, 1000 + 100 * @yield, 'what was paid in');

done_testing();

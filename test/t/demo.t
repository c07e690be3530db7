# demo.t: what the demo says of real data is true, but for its times; its pictures are XML; and it fails where an answer
# is wrong.
#
# test/demo/demo.sql is run with fewer rows than `make demo` takes.  What it leaves in its table of moving windows is
# computed from the file anew, without PostgreSQL: from sums of whole hundredths.  The same for two functions on the
# same files: a low-pass, in a loop of doubles, and compound interest, in integers.

use strict;
use warnings;
use Test::More;
use Encode qw(decode);
use File::Basename;
use File::Temp qw(tempdir);
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
my $out_folder = tempdir(CLEANUP => 1);
my $small = "\\set rows 20000\n\\set moving_rows 2000\n\\set entries 20000\n\\set out $out_folder\n";
my ($out, $err, $status) = $server->run(<<"SQL" . <<'SQL');
\\pset tuples_only off
\\pset format aligned
$small
\\i test/demo/demo.sql
\\pset tuples_only on
\\pset format unaligned
SQL
\echo == bands
SET extra_float_digits = 1;
SELECT middle, width, median FROM bands ORDER BY day;
\echo == ema
SELECT scan_ema(close, alpha => 0.1) OVER (ORDER BY day) FROM vix ORDER BY day DESC LIMIT 1;
-- A Butterworth filter of order 2, H(s) = 1 / (s^2 + sqrt(2) s + 1), by the bilinear
-- transform s = (1 - 1/z) / (k (1 + 1/z)).  k = tan(pi / 60) puts the cut-off, where half
-- the power passes, at a period of 60 rows.  The numerator and the denominator both add up
-- to 4 k^2: what stands still comes out as it is.
SELECT ARRAY[k * k, 2 * k * k, k * k] AS numerator,
       ARRAY[1 + sqrt(2) * k + k * k, 2 * k * k - 2, 1 - sqrt(2) * k + k * k] AS denominator
FROM (SELECT tan(pi() / 60) AS k) AS cut_off \gset
\echo == low_pass
SELECT start + scan_filter(close - start, :'numerator', :'denominator') OVER (ORDER BY day)
FROM (SELECT day, close, first_value(close) OVER (ORDER BY day) AS start FROM vix) AS v ORDER BY day;
CREATE TEMP TABLE account AS
SELECT day, scan_recurrence(1 + yield / 1200, 100, init => 1000) OVER w AS balance,
       scan_recurrence(1 + yield::float8 / 1200, 100, init => 1000) OVER w AS in_float8,
       1000 + scan_sum(100) OVER w AS paid_in
FROM bond WINDOW w AS (ORDER BY day);
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

is_deeply([ $shown =~ /^(\d+)\. /mg ], [ 1 .. 9 ], 'its sections');
my @stock =
	$shown =~ /^ (moving average|latest row|running total) .*\| +\d+ \| +\d+ \| +[\d.]+ \| +[\d.]+ \| +[\d.]+ *$/mg;
is(scalar @stock, 3, 'the times of each stock query');
is(scalar(() = $shown =~ /^ *\S.*\|.*Custom Scan \(PrefixScan\)/mg), 3, 'a plan with PrefixScan beside one without');
ok($shown =~ /^ +(\d+) of \1 rows rebuilt exactly$/m, 'the proof of the totals');
my @forms = $shown =~ m{^ (scan_clamped_sum|PL/pgSQL loop|recursive CTE) +\| +[\d.]+ \| +[\d.]+ *$}mg;
is(scalar @forms, 3, 'a time for each form of a floor');
my @wide = grep { length > 120 } split /\n/, decode('UTF-8', $shown);
is_deeply(\@wide, [], 'no line is too wide');

# ---- the pictures: elements that nest, attributes in quotes, no bare ampersand

sub is_xml
{
	my ($text) = @_;
	my @open;

	$text =~ s/\A<\?xml version="1\.0" encoding="UTF-8"\?>\n// or return 'no declaration';
	while ($text =~ /\G([^<]*)(?:<(\/?)([a-z]+)((?: [a-zA-Z0-9-]+="[^"<]*")*)(\/?)>|\z)/gc)
	{
		my ($content, $closes, $name, $attributes, $empty) = ($1, $2, $3, $4, $5);
		return "a bare & or > in: $content" if $content =~ /&(?!(?:amp|lt|gt|quot);)|>/;
		if (!defined $name) { return @open ? "no end of @open" : pos($text) == length $text ? '' : 'text left' }
		if ($closes) { my $last = pop @open // ''; return "</$name> ends <$last>" if $last ne $name }
		elsif (!$empty) { push @open, $name }
		return "two roots" if !@open && $text =~ /\G\s*</;
	}
	return 'no tag at ' . substr $text, pos($text) // 0, 40;
}

is(is_xml("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n$_->[0]") eq '' ? 1 : 0, $_->[1], "the check tells XML: $_->[0]")
	for (
	[ '<a b="1"><c/>x &lt; y</a>', 1 ], [ '<a><c></a></c>', 0 ], [ '<a>x & y</a>', 0 ], [ '<a b=1/>', 0 ], [ '<a>', 0 ],
	[ '<a/><b/>', 0 ]);
for my $name ('speed', 'vix', 'cusum')
{
	my $file = "$out_folder/$name.svg";
	my $picture = -s $file ? do { open my $in, '<:encoding(UTF-8)', $file or die $!; local $/; <$in> } : '';

	is(is_xml($picture), '', "$name.svg is well-formed");
	like($picture, qr/<title>[^<]+<\/title>/, '... has a title');
	unlike($picture, qr/"[^"]*(?:NaN|Infinity)[^"]*"|=""/, '... and a place for everything');
	like($shown, qr/^ +\Q$file\E /m, '... and the demo names it');
	SKIP:
	{
		skip 'no xmllint', 1 if system('xmllint --version >/dev/null 2>&1') != 0;
		is(system('xmllint', '--noout', $file), 0, '... xmllint reads it');
	}
}

# ---- it fails where an answer is wrong: a copy of the demo in which one is

my ($demo, $ledger) = map { open my $in, '<', "test/demo/$_.sql" or die $!; local $/; <$in> } qw(demo ledger);
is($demo =~ s/^\\ir ledger\.sql$/$ledger/mg, 1, 'the demo has a ledger');
for my $wrong (
	[ 'a row of PrefixScan', qr/the moving average of 1,000 rows has 1 rows that differ/,
		qr/(?=^    -- both answers are there$)/m,
		"UPDATE answer_on SET y = y * (1 + 1e-15) WHERE id = (SELECT max(id) FROM answer_on);\n" ],
	[ 'a missing row', qr/the moving average of 1,000 rows has 1 rows that differ/,
		qr/(?=^    -- both answers are there$)/m,
		"DELETE FROM answer_on WHERE id = (SELECT max(id) FROM answer_on);\n" ],
	[ 'an exact total', qr/exact_sum does not give the true total/,
		qr/SELECT exact_sum\(value\) FROM reading(?=')/, 'SELECT exact_sum(value) + 1e-7 FROM reading' ],
	[ 'a total that restarts', qr/the running totals do not give back the file/,
		qr/(?=^SELECT country,\n +count)/m,
		"UPDATE rebuilt SET by_reset = by_reset + 1 WHERE country = 'Iran' AND day = '2020-05-01';\n" ],
	[ 'a total with a floor', qr/only \d+ rows of the PL\/pgSQL loop equal/,
		qr/greatest\(y \+ r\.x, 0\)/, 'greatest(y + r.x, 1)' ],
	[ 'a kept total', qr/a query differs with the kept scan/,
		qr/(?=^-- An entry of 2024)/m,
		"ALTER TABLE entry SET UNLOGGED;\nSELECT scan_kept_check('balance') AS made \\gset\n"
			. "UPDATE balance SET total = (SELECT total FROM balance WHERE account = 0 LIMIT 1) WHERE account = 0;\n" ])
{
	my ($what, $message, $place, $change) = @$wrong;
	my $copy = $demo;

	is($copy =~ s/$place/$change/g, 1, "$what: there is a place for it");
	my ($out, $err, $status) = $server->run($small . $copy);
	is($status, 3, '... and the demo fails');
	like($err, $message, '... saying why');
}

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
	my @expected = ($sum / 100 / $n, 2 * sqrt($n * $squares - $sum * $sum) / 100 / $n,
		($window[ ($n - 1) / 2 ] + $window[ $n / 2 ]) / 200);
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

# total.t: scan_total in binary, as programs send it: what COPY writes it reads, and
# bytes that no scan_total has are refused, so that equal totals have equal bytes.

use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use File::Temp;
use Test::More;
use Server;

my $server = Server->new('total');
my $folder = File::Temp->newdir;

# ---- there and back

my $values = <<'SQL';
SELECT i, t FROM (
  SELECT i, scan_total((CASE WHEN j % 2 = 0 THEN 1 ELSE -1 END) * power(2::float8, (hashint8extended(i, j) % 1000)::int)
    * (1 + hashint4(i) * power(2::float8, -40)))
  FROM generate_series(1, 500) AS i, generate_series(0, i % 9) AS j GROUP BY i) AS random (i, t)
UNION ALL SELECT -i, t
  FROM unnest('{0,-0,NaN,Infinity,-Infinity,1,-1,NULL}'::scan_total[]) WITH ORDINALITY AS special (t, i)
UNION ALL SELECT -100, (-power(2::numeric, 1099))::text::scan_total
UNION ALL SELECT -101, 5e-324::float8::scan_total
SQL
my ($compared, $different) = split /\|/, $server->value(
	"CREATE TABLE sent (i int, t scan_total);\nCREATE TABLE received (LIKE sent);\nINSERT INTO sent $values;\n"
	. "\\copy sent TO '$folder/totals' (FORMAT binary)\n\\copy received FROM '$folder/totals' (FORMAT binary)\n"
	. 'SELECT count(*), count(*) FILTER (WHERE scan_total_send(s.t) IS DISTINCT FROM scan_total_send(r.t) '
		. 'OR s.t::text IS DISTINCT FROM r.t::text) FROM sent s JOIN received r USING (i);');
is($compared, 510, 'COPY BINARY took all totals');
is($different, 0, 'and they came back as they were');
$server->lines(<<'SQL');
CREATE AGGREGATE sums(float8) (SFUNC = exact_add_float8, STYPE = exact_state);
CREATE AGGREGATE totals(float8) (SFUNC = total_add_float8, STYPE = total_state);
SQL
is($server->value("CREATE TABLE states AS SELECT g, sums(x) AS s, totals(x) AS t FROM (SELECT i % 7 AS g, "
		. "i * 1e-300 AS x FROM generate_series(1, 50) AS i) AS v GROUP BY g;\nCREATE TABLE back (LIKE states);\n"
		. "\\copy states TO '$folder/states' (FORMAT binary)\n\\copy back FROM '$folder/states' (FORMAT binary)\n"
		. 'SELECT count(*) FILTER (WHERE s.s::text = b.s::text AND s.t::text = b.t::text) '
			. 'FROM states AS s JOIN back AS b USING (g);'), 7, 'states of aggregates, too');

# ---- bytes of somebody else's making

# What the server makes of these bytes, in hex: the total, or the error.
sub received
{
	my ($hex) = @_;
	my $bytes = pack 'H*', $hex;
	my $name = "$folder/bytes";

	open my $file, '>:raw', $name or die "$name: $!";
	print $file "PGCOPY\n\xff\r\n\0", pack('N N', 0, 0), pack('n N', 1, length $bytes), $bytes, pack('n', 0xffff);
	close $file or die "$name: $!";
	my ($out, $err) =
		$server->run("CREATE TEMP TABLE t (t scan_total);\n\\copy t FROM '$name' (FORMAT binary)\nSELECT t FROM t;");
	return $err =~ /ERROR:  (.*)/ ? $1 : $out =~ s/\n//r;
}

# kind, place of the lowest limb, number of limbs, limbs from the lowest on
my $limb = '0102030405060708';
my $zeros = '00' x 8;
my $ones = 'ff' x 8;
my %total = (
	'000000' => '0',
	'010000' => '-0',
	'020000' => 'Infinity',
	'030000' => '-Infinity',
	'040000' => 'NaN',
	'0010010004000000000000' => '1',
	'001001fffc000000000000' => '-1',
	'00100200040000000000000000000000000004' => '65537',
);
for my $hex (sort keys %total)
{
	is(received($hex), $total{$hex}, "$hex is $total{$hex}");
}

my %wrong = (
	'050000' => 'a kind that there is not',
	'ff0000' => 'another',
	'001000' => 'no limbs at a place',
	"010001$limb" => 'a limb of -0',
	"020001$limb" => 'a limb of Infinity',
	"000001$zeros" => 'zero by a limb',
	"001002$zeros$limb" => 'a lowest limb that is zero',
	"001002$limb$zeros" => 'a highest limb that repeats a sign',
	"001002$ones$ones" => 'a highest limb that repeats a minus',
	"002201$limb" => 'a limb above the highest',
	"002102$limb$limb" => 'two, one of them above the highest',
	"00ff01$limb" => 'a limb far above the highest',
	'0021014000000000000000' => '2^1100',
	'002101bfffffffffffffff' => 'less than -2^1100',
	'000023' . $limb x 35 => 'more limbs than there are',
	'0000ff' . $limb x 255 => 'many more',
);
for my $hex (sort keys %wrong)
{
	is(received($hex), 'invalid external scan_total value', "refused: $wrong{$hex}");
}
# too short: the reader looks at the length before it reads, because core's
# error, "insufficient data left in message", would name no type
for my $hex ('', '00', '0010', '00100101020304050607')
{
	is(received($hex), 'invalid external scan_total value', "refused as too short: '$hex'");
}
# too long: who reads a message looks at what is left of it, and that is COPY
like(received("001001${limb}00"), qr/^incorrect binary data format/, 'refused as too long');
done_testing();

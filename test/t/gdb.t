# gdb.t: test/gdb/scan.py shows rows, columns, numbers and slots as they are.
#
# The values are those of test/gdb/values.c, which is compiled with the headers of src/, so that a field that is renamed
# there is found here.  gdb reads them from the program's file and runs nothing.
use strict;
use warnings;
use FindBin;
use Test::More;
use File::Temp qw(tempdir);

chdir "$FindBin::Bin/../.." or die $!;

plan skip_all => 'there is no gdb' if `gdb --version 2>/dev/null` eq '';
plan skip_all => 'this gdb has no Python' if `gdb -batch -ex 'python print(40 + 2)' 2>/dev/null` ne "42\n";

my $folder = tempdir(CLEANUP => 1);
my $cc = $ENV{CC} // 'cc';
my $pg_config = $ENV{PG_CONFIG} // 'pg_config';
chomp(my $include = `$pg_config --includedir-server`);
my $flags = "-g -O0 -I'$include' -Isrc -no-pie -Wl,--unresolved-symbols=ignore-all";
my $said = `$cc $flags -o $folder/values test/gdb/values.c 2>&1`;
is($?, 0, 'the values are compiled') or BAIL_OUT($said);

# What gdb prints for each of the commands.
sub shown
{
	my @commands = map { ('-ex', $_, '-ex', 'echo --\n') } @_;
	open my $out, '-|', 'gdb', '-nx', '-batch', '-ex', 'set width 0', '-x', 'test/gdb/scan.py', @commands,
		"$folder/values" or die $!;
	my $text = do { local $/; <$out> } // '';
	close $out;
	return map { s/^\$\d+ = //r =~ s/\n+\z//r } split /^--\n/m, $text;
}

my @cases = (
	[ 'print rows', '4 rows (room for 64) of 4 columns, ROWS_BY_COLUMN = {' . join(', ',
		"[0] = (1, 'abc', 4602678819172646912, 42)", "[1] = (-2, 'xy', -4615063718147915776, 42)",
		'[2] = (3, NULL, 9094988921128908188, 42)', '[3] = (4, \x01ff, 0, 42)') . "}\n" ],
	[ 'print *&block', 'block of rows 1 to 2; row 0 is at position 100 of the input = {' . join(', ',
		"[0] = + (1, 'abc', 4602678819172646912, 42)", "[1] = | (-2, 'xy', -4615063718147915776, 42)",
		'[2] = : (3, NULL, 9094988921128908188, 42)', '[3] = + (4, \x01ff, 0, 42)') . "}\n" ],
	[ 'scan-column rows.column[2].data 0 3 f8', "[0] 0.5\n[1] -1.25\n[2] 1e+300" ],
	[ 'scan-column &rows.column[0].data 1 1', '[1] -2' ],
	[ 'scan-rows block.rows 3 10', '[3] (4, \\x01ff, 0, 42)' ],
	[ 'scan-column small_numerics 0 2', "[0] -1234.56\n[1] 0.00000005" ],
	[ 'print number_state', 'count 3, total as integer 0, wide -1267650600228229401496703205376, real 0, narrow 0' ],
	[ 'print whole', '-12' ],
	[ 'print cents', '12345.65' ],
	[ 'print small', '-0.00000005' ],
	[ 'print padded', '7.000' ],
	[ 'print minus_zero', 'EXACT_NEG_ZERO: -0' ],
	[ 'print pair', 'EXACT_PAIR: 1e+16 + 0.5' ],
	[ 'print special', 'EXACT_SPECIAL: NaN + -Infinity' ],
	[ 'print limbs', 'EXACT_LIMBS: -1.0, s + c = -1.0 + 0.0, off by at most 0.25' ],
	[ 'scan-word slot.word', 'RUNNING, pid 1234, taken 7 times' ],
	(map { [ "scan-word words[$_]",
			(qw(FREE FILLING QUEUED RUNNING DONE FAILED ABANDONED))[$_] . ', pid 0, taken 0 times' ] } 0 .. 6),
	[ 'scan-word 9', 'no state (9), pid 0, taken 0 times' ],
	[ 'print rows.column[1].data', qr/^COLUMN_REFERENCE of typlen -1, stride 8, has NULLs, at 0x[0-9a-f]+$/ ],
	[ 'print slot', qr/^RUNNING, pid 1234, taken 7 times = \{job = / ]);
my @shown = shown(map { $_->[0] } @cases);
for my $i (0 .. $#cases)
{
	my ($command, $expected) = @{ $cases[$i] };
	like($shown[$i] // '', ref $expected ? $expected : qr/^\Q${\ ($expected =~ s{\n\z}{}r)}\E\z/, $command);
}

done_testing();

# Ptx.pm: has nvcc build what the tests ptx_*.t need, and reads the PTX that nvcc makes of kernels: their parameters,
# their arrays in shared memory, and what is known of the addresses that they read and write.
#
# An address is known as far as it is a symbol plus a number, or a register that comes of such by the few
# instructions of follow().  A register that several instructions write is unknown here; the interpreter
# (test/gpu/ptx) looks at every address while it runs.
package Ptx;
use strict;
use warnings;
use Exporter 'import';
use File::Basename;
use Test::More;

our @EXPORT = qw(ptx_build ptx_spills ptx_frames ptx_machine_code ptx_kernels ptx_accesses ptx_constant_stores);

# Builds a target of test/gpu/Makefile that needs nvcc, and returns the folder of what is built; skips the test where
# there is no nvcc, and ends it where the build fails.
sub ptx_build
{
	my ($target, $what) = @_;
	my ($nvcc) = grep { defined && -x } $ENV{NVCC}, map { "$_/nvcc" } split(/:/, $ENV{PATH}), '/usr/local/cuda/bin';
	my $build = 'test/gpu/build';

	chdir dirname(__FILE__) . '/../..' or die $!;
	plan(skip_all => 'no nvcc, in the PATH or in /usr/local/cuda/bin') if !$nvcc;
	plan(skip_all => 'no C++ compiler') if system('c++ --version >/dev/null 2>&1') != 0;
	# one at a time: device.t and ptx_*.t make some of the same files
	my $made = `mkdir -p $build && flock $build/lock make -s -j2 -f test/gpu/Makefile NVCC=$nvcc $target 2>&1`;
	is($?, 0, $what) or diag($made), done_testing(), exit;
	return $build;
}

# What ptxas says of each kernel by name: the sum of the numbers in the first line that matches.
sub ptxas_says
{
	my ($path, $pattern) = @_;
	my (%says, $name);

	open my $file, '<', $path or die "$path: $!";
	while (my $line = <$file>)
	{
		$name = $1 if $line =~ /Compiling entry function '(\w+)'/;
		next if !defined $name || exists $says{$name};
		my @numbers = $line =~ $pattern or next;
		$says{$name} = 0;
		$says{$name} += $_ for @numbers;
	}
	return \%says;
}

# What each kernel spills, and the local memory of each of its threads, in bytes.
sub ptx_spills { return ptxas_says($_[0], qr/(\d+) bytes spill stores, (\d+) bytes spill loads/) }
sub ptx_frames { return ptxas_says($_[0], qr/(\d+) bytes stack frame/) }

# Of the machine code of each kernel in a file of ptxas's: {instructions, loads, stores}, the latter two of local
# memory. The file is an ELF file with a section for each kernel.  An instruction has 16 bytes; the lowest 9 bits say
# what it does, on every device that nvcc 13 knows.
my %LOCAL = (0x183 => 'loads', 0x187 => 'stores');

sub ptx_machine_code
{
	my ($path) = @_;
	my %kernels;

	open my $file, '<:raw', $path or die "$path: $!";
	my $elf = do { local $/; <$file> };
	die "$path is not an ELF file of 64 bits\n" if substr($elf, 0, 6) ne "\x7fELF\x02\x01";
	my ($table) = unpack('Q<', substr($elf, 0x28));
	my ($size, $count, $names) = unpack('v3', substr($elf, 0x3a));
	my @sections = map { [ (unpack('V2 Q<4', substr($elf, $table + $_ * $size)))[ 0, 4, 5 ] ] } 0 .. $count - 1;
	my $strings = substr($elf, $sections[$names][1], $sections[$names][2]);

	for (@sections)
	{
		my ($name, $at, $bytes) = @$_;
		my ($kernel) = unpack('Z*', substr($strings, $name)) =~ /^\.text\.(\w+)$/ or next;
		my %count = (instructions => $bytes / 16, loads => 0, stores => 0);

		for (my $i = 0; $i < $bytes; $i += 16)
		{
			my $what = $LOCAL{ unpack('v', substr($elf, $at + $i, 2)) & 0x1ff };

			$count{$what}++ if $what;
		}
		$kernels{$kernel} = \%count;
	}
	return \%kernels;
}

my $LARGEST = 2**62;

# The kernels of a file by name, each with its parameters ({name, size, align}), the arrays of its shared memory by
# name ({size, align}), its instructions, and how many threads a block of it has at most.
sub ptx_kernels
{
	my ($path) = @_;
	my (%kernels, $kernel);

	open my $file, '<', $path or die "$path: $!";
	while (my $line = <$file>)
	{
		if ($line =~ /\.entry\s+(\w+)/)
		{
			$kernel = $kernels{$1} = { name => $1, params => [], shared => {}, code => [], threads => 1024 };
		}
		next unless $kernel;
		if ($line =~ /^\s*\.param\s+(?:\.align\s+(\d+)\s+)?\.[busf](\d+)\s+(\w+)(?:\[(\d+)\])?/)
		{
			push @{ $kernel->{params} }, { name => $3, size => $2 / 8 * ($4 // 1), align => $1 // $2 / 8 };
		}
		elsif ($line =~ /^\s*\.shared\s+\.align\s+(\d+)\s+\.b8\s+(\w+)\[(\d+)\]/)
		{
			$kernel->{shared}{$2} = { align => $1, size => $3 };
		}
		elsif ($line =~ /^\.maxntid\s+(\d+)/)
		{
			$kernel->{threads} = $1;
		}
		elsif ($line =~ /^\s+((?:@!?%\w+\s+)?[a-z].*);/)
		{
			push @{ $kernel->{code} }, $1;
		}
	}
	return \%kernels;
}

# ---- what is known of a register: {symbol, least, most, step}: symbol + least .. most, by steps of a power of two ----

sub known_number
{
	my ($number) = @_;
	return { symbol => '', least => $number, most => $number, step => $LARGEST };
}

# The largest power of two that divides a number; any for 0.
sub power_in
{
	my ($number) = @_;
	my $power = 1;

	return $LARGEST if $number == 0;
	$power *= 2 while $number % ($power * 2) == 0;
	return $power;
}

# By how much all values of it can be divided, seen from the symbol.
sub alignment_of
{
	my ($value) = @_;
	my $of_least = power_in($value->{least});
	return $of_least < $value->{step} ? $of_least : $value->{step};
}

sub sum_of
{
	my ($a, $b) = @_;
	return if $a->{symbol} ne '' && $b->{symbol} ne '';
	return {
		symbol => $a->{symbol} . $b->{symbol},
		least => $a->{least} + $b->{least},
		most => $a->{most} + $b->{most},
		step => $a->{step} < $b->{step} ? $a->{step} : $b->{step},
	};
}

sub product_of
{
	my ($a, $b) = @_;
	my $factor = $b->{least};

	return if $a->{symbol} ne '' || $b->{symbol} ne '' || $b->{least} != $b->{most} || $factor < 0;
	return {
		symbol => '', least => $a->{least} * $factor, most => $a->{most} * $factor,
		step => $a->{step} >= $LARGEST ? $LARGEST : $a->{step} * power_in($factor),
	};
}

# Non-negative numbers only: all others are unknown.
sub masked
{
	my ($a, $mask) = @_;
	return if $mask->{symbol} ne '' || $mask->{least} != $mask->{most} || $mask->{least} < 0;
	return { symbol => '', least => 0, most => $mask->{least}, step => power_in($mask->{least}) };
}

sub shifted_right
{
	my ($a, $by) = @_;
	return if !$a || $a->{symbol} ne '' || $a->{least} < 0 || $by->{least} != $by->{most};
	return {
		symbol => '', least => $a->{least} >> $by->{least}, most => $a->{most} >> $by->{least}, step => 1,
	};
}

sub operand
{
	my ($text, $values, $kernel) = @_;
	return known_number($text) if $text =~ /^-?\d+$/;
	return { symbol => '', least => 0, most => $kernel->{threads} - 1, step => 1 } if $text eq '%tid.x';
	return { symbol => $text, least => 0, most => 0, step => $LARGEST } if $text =~ /^_/;
	return $values->{$text};
}

# What an instruction leaves in its first operand; undef: unknown.
sub follow
{
	my ($opcode, $in) = @_;
	my ($a, $b, $c) = @$in;

	return $opcode =~ /^and\./ && ($a || $b) ? masked($a, $b // $a) : undef if !$a || (@$in > 1 && !$b);
	return $a if $opcode =~ /^(?:mov\.[bu]\d+|cvta\.(?:to\.)?\w+\.u64|cvt\.[us]64\.[us]32|cvt\.u32\.u64)$/;
	return sum_of($a, $b) if $opcode =~ /^add\.[su](?:32|64)$/;
	return product_of($a, $b) if $opcode =~ /^mul\.(?:lo|wide)\.[su]32$/;
	return product_of($a, known_number(2**$b->{least})) if $opcode =~ /^shl\.b(?:32|64)$/ && $b->{least} == $b->{most};
	return shifted_right($a, $b) if $opcode =~ /^shr\.[us](?:32|64)$/;
	return masked($a, $b) if $opcode =~ /^and\.b(?:32|64)$/;
	return unless $opcode =~ /^mad\.lo\.[su]32$/ && $c;
	my $product = product_of($a, $b);
	return $product && sum_of($product, $c);
}

# The instructions of a kernel, each as [opcode, operand, ...]; what is in braces or brackets is one operand.
sub instructions
{
	my ($kernel) = @_;
	return map {
		my ($opcode, $rest) = /^(?:@!?%\w+\s+)?(\S+)\s*(.*)$/;
		[ $opcode, $rest =~ /(\{[^}]*\}|\[[^\]]*\]|[^,\s]+)/g ]
	} @{ $kernel->{code} };
}

# How often each register is written.
sub writers
{
	my %writers;
	for my $instruction (@_)
	{
		next if $instruction->[0] =~ /^(?:st|bra|bar|membar)\b/;
		$writers{$_}++ for ($instruction->[1] // '') =~ /(%\w+)/g;
	}
	return \%writers;
}

# Every read and write of an array in shared memory or of a parameter whose address is known:
# {space, width, elements, symbol, least, most, align, text}; `align` counts from the symbol.
sub ptx_accesses
{
	my ($kernel) = @_;
	my @code = instructions($kernel);
	my $writers = writers(@code);
	my (%values, @accesses);

	for my $instruction (@code)
	{
		my ($opcode, @operands) = @$instruction;

		if ($opcode =~ /^(?:ld|st|atom)\.(?:volatile\.)?(shared|param)\.(?:.*\.)?(?:v(\d)\.)?[busf](\d+)$/)
		{
			my ($space, $elements, $width) = ($1, $2 // 1, $3 / 8);
			my ($place) = grep { /^\[/ } @operands;
			my ($base, $plus) = $place =~ /^\[([%\w]+)\+?(-?\d+)?\]$/ or next;
			my $at = operand($base, \%values, $kernel) or next;

			next if $at->{symbol} eq '';
			$at = sum_of($at, known_number($plus // 0));
			push @accesses, { space => $space, width => $width, elements => $elements, align => alignment_of($at),
				text => "$opcode $place", map { ($_ => $at->{$_}) } qw(symbol least most) };
		}
		my ($to, @in) = @operands;
		next unless defined $to && ($writers->{$to} // 0) == 1 && $opcode !~ /^(?:st|ld|atom)\b/;
		$values{$to} = follow($opcode, [ map { operand($_, \%values, $kernel) } @in ]);
	}
	return @accesses;
}

# The numbers that a kernel without branches stores, in the order of their places.
sub ptx_constant_stores
{
	my ($kernel) = @_;
	my (%values, @stored);

	for my $instruction (instructions($kernel))
	{
		my ($opcode, $to, $from) = @$instruction;

		$values{$to} = $from if $opcode =~ /^mov\.[bu]64$/;
		next unless $opcode =~ /^st\./;
		my ($place) = $to =~ /^\[%\w+\+?(\d+)?\]$/ or die "$kernel->{name}: $opcode $to";
		$stored[ ($place // 0) / 8 ] = $from =~ /^\d+$/ ? $from : $values{$from};
	}
	return map { $_ // 'nothing' } @stored;
}

1;

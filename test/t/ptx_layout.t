# ptx_layout.t: nvcc's code generator lays memory out as the host does.
#
# No GPU is needed, but nvcc is.  What it makes of a kernel is read, since nothing else shows it: its front
# end answers sizeof and offsetof by itself, and the two have disagreed (src/op/fn.h, SCAN_ALIGNED_8).  Of
# every kernel: parameters have the size that the host gives them and are read where one is, no array in
# shared memory is left, and no access is wider than its address is aligned, and no kernel spills registers or uses
# local memory; on newer devices, for which some are compiled in another way, none spills registers either.  Of every
# struct that host and kernels share, every field.
use strict;
use warnings;
use Test::More;
use File::Basename;
use List::Util 'min';
use lib dirname(__FILE__);
use Ptx;

my $build = ptx_build('layout registers', 'nvcc makes PTX of the kernels, and machine code');

# ---- what the host says: sizes of the parameters of a kernel, offsets in a struct and its size ----

my (%sizes, %offsets);
for (`$build/layout`)
{
	my ($what, $name, @numbers) = split;
	($what eq 'kernel' ? \%sizes : \%offsets)->{$name} = \@numbers;
}
cmp_ok(scalar(keys %sizes), '>', 100, 'the host knows kernels');

# ---- the reader of machine code ----

my $local = ptx_machine_code("$build/local.cubin")->{_Z11local_probeiiiPd};
is("$local->{loads} $local->{stores}", '1 2', 'accesses of local memory are found in machine code');
cmp_ok(ptx_frames("$build/local.ptxas")->{_Z11local_probeiiiPd}, '>=', 32, 'and local memory is, in what ptxas says');

# ---- the structs ----

my $probes = ptx_kernels("$build/layout.ptx");
my @wrong;
for my $name (sort keys %offsets)
{
	my @there = $probes->{$name} ? ptx_constant_stores($probes->{$name}) : ();
	push @wrong, "$name: host @{ $offsets{$name} }; kernel @there" if "@there" ne "@{ $offsets{$name} }";
}
is(join("\n", @wrong), '', scalar(keys %offsets) . ' structs have their fields where the host has them');

# ---- the kernels ----

# What is wrong with an access, or nothing.
sub access_wrong
{
	my ($kernel, $access) = @_;
	my ($of) = grep { defined }
		($kernel->{shared}{ $access->{symbol} }, grep { $_->{name} eq $access->{symbol} } @{ $kernel->{params} });
	my $bytes = $access->{width} * $access->{elements};

	return 'is of nothing that is declared' unless $of;
	return 'begins before it' if $access->{most} < 0;
	return sprintf('ends %d bytes behind its %d', $access->{least} + $bytes - $of->{size}, $of->{size})
	  if $access->{least} + $bytes > $of->{size};
	return 'is aligned by ' . min($of->{align}, $access->{align}) if min($of->{align}, $access->{align}) < $bytes;
	return;
}

my %seen;
for my $file (map { basename($_, '.cu') } glob 'gpu/*.cu')
{
	my $kernels = ptx_kernels("$build/$file.ptx");
	my (@parameters, @accesses);
	my $known = 0;

	for my $name (sort keys %$kernels)
	{
		my $kernel = $kernels->{$name};
		my $sizes = join ' ', map { $_->{size} } @{ $kernel->{params} };

		$seen{$name} = 1;
		push @parameters, "$name: host @{ $sizes{$name} // ['nothing'] }; kernel $sizes"
		  if $name !~ /^_ZN3cub/ && $sizes ne join(' ', @{ $sizes{$name} // ['nothing'] });
		for my $access (ptx_accesses($kernel))
		{
			my $wrong = access_wrong($kernel, $access);

			$known++;
			push @accesses, "$name: $access->{text} $wrong" if $wrong;
		}
	}
	next unless %$kernels;
	is(join("\n", @parameters), '', "$file: parameters of " . keys(%$kernels) . ' kernels are as large as the host\'s');
	is(join("\n", @accesses), '', "$file: $known accesses lie inside what they are of, and are aligned");

	my $spills = ptx_spills("$build/$file.ptxas");
	my $frames = ptx_frames("$build/$file.ptxas");
	my $machine = ptx_machine_code("$build/$file.cubin");
	is(join("\n", map { exists $spills->{$_} ? () : "$_ is not compiled" } sort keys %$kernels), '',
		"$file: all are compiled");
	is(join("\n", map { $spills->{$_} ? "$_ spills $spills->{$_} bytes" : () } sort keys %$spills), '',
		"$file: and none spills registers");
	for my $arch (90, 100)
	{
		my $spills_there = ptx_spills("$build/$file.sm_$arch.ptxas");
		# CUB has its own kernels for each device; one that sorts pairs spills 20 bytes for 100
		my @ours = grep { !/^_ZN3cub/ } sort keys %$kernels;
		is(join("\n", map { exists $spills_there->{$_} ? () : "$_ is not compiled" } @ours), '',
			"$file: ours are compiled for sm_$arch");
		is(join("\n", map { $spills_there->{$_} ? "$_ spills $spills_there->{$_} bytes" : () } @ours), '',
			"$file: and none of them spills registers there");
	}
	is(join("\n", map { ($frames->{$_} // 1) > 0 ? "$_ has " . ($frames->{$_} // 'unknown') . ' bytes' : () }
			sort keys %$spills), '', "$file: none has local memory");
	is(join("\n", map {
		my $of = $machine->{$_};
		$of && $of->{loads} + $of->{stores} == 0 ? () : "$_ "
			. ($of ? "has $of->{loads} loads, $of->{stores} stores" : 'is not there')
	}
			sort keys %$kernels), '', "$file: nor reads or writes any");
}
is(join("\n", grep { !$seen{$_} } sort keys %sizes), '', 'there is PTX of all that the host knows');

done_testing();

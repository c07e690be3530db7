# arrows.t: the includes run one way.
#
# The house has an order: everybody may use op/, and nobody may use call/ and
# node/ (init.c starts the latter).  This test reads every #include of src/ and gpu/ and
# holds it against the list below; a folder that is new has to be given its place here
# first.  Names are as they are written: below src/, or beside the file for gpu/.
use strict;
use warnings;
use Test::More;
use File::Find;
use File::Basename;

chdir dirname(__FILE__) . '/../..' or die $!;

# folder (or file of src/ itself) => the folders and files it may include
my %may = (
	'op' => ['op'],
	'column' => [ 'op', 'column', 'compat.h' ],
	'cpu' => [ 'op', 'cpu' ],
	'sort' => [ 'op', 'column', 'sort', 'compat.h' ],
	'call' => [ 'op', 'column', 'cpu', 'sort', 'call', 'run.h', 'error.h', 'compat.h' ],
	'node' => [ 'op', 'column', 'cpu', 'sort', 'node', 'run.h', 'guc.h', 'error.h', 'compat.h' ],
	# the ring, and what backend, broker and program know of each other: only jobs come from outside
	'worker' => [ 'op', 'cpu', 'worker', 'guc.h', 'compat.h' ],
	'run.c' => [ 'op', 'cpu', 'sort/radix.h', 'guc.h', 'run.h', 'worker/client.h' ],
	'run.h' => ['cpu'],
	'error.c' => [ 'op', 'error.h' ],
	'error.h' => ['op'],
	'guc.c' => [ 'cpu', 'guc.h', 'worker/device.h' ],
	'guc.h' => [],
	'compat.h' => [],
	'init.c' => [ 'guc.h', 'node', 'worker/shared.h' ],

	# what crosses to other programs
	'worker/device.h' => ['op'],
	'worker/wire.h' => [ 'op', 'worker/device.h' ],
	'gpu/gpu.h' => [ 'op', 'worker/device.h' ],
	'gpu/job.h' => [ 'gpu.h', 'worker/wire.h' ],
	'gpu/job.c' => [ 'job.h', 'op' ],
	'gpu/scan_gpu.c' => ['job.h'],
	'gpu/mock.c' => [ 'gpu.h', 'cpu', 'fault.h' ],
	'gpu/fault.c' => [ 'cpu', 'fault.h' ],
	# any other file of a device library: the algebra, and its own
	'gpu' => [ 'op', 'gpu.h', 'gpu', 'device.h', 'lines.h', 'measure.h', 'recurrence.h', 'sort.h', 'chunk.cuh',
		'clamp.cuh', 'door.cuh', 'items.cuh', 'pair.cuh', 'port.cuh', 'recurrence.cuh', 'rows.cuh', 'scan.cuh',
		'split.cuh', 'vector.cuh', 'walk.cuh', 'classic' ],
	# without a device: test/gpu
	'gpu/port.cuh' => ['emulate.h'],
);

# plain C: these may include the C library's headers and the compiler's only
my %plain = map { $_ => 1 } qw(op cpu worker/device.h worker/wire.h gpu/gpu.h gpu/job.h gpu/job.c);
my $c_library = qr/^(?:float|immintrin|limits|math|stdbool|stddef|stdint|string)\.h$/;

my @files;
find(sub { push @files, $File::Find::name if /\.(?:[ch]|cuh?)$/ }, 'src', 'gpu');
cmp_ok(scalar @files, '>', 20, 'the sources are found');

for my $file (sort @files)
{
	my $path = $file =~ s{^src/}{}r;
	my $place = $may{$path} ? $path : $path =~ m{^(\w+)/} ? $1 : $path;
	my $is_gpu = $path =~ m{^gpu/};
	my @wrong;

	my ($varlena, $compat) = (0, 0);

	open my $in, '<', $file or die "$file: $!";
	while (<$in>)
	{
		$varlena = 1 if /\b(?:SET_)?VAR(?:SIZE|DATA|ATT)\w*\s*\(/;
		$compat = 1 if /^#include "compat\.h"/;
		if (/^\s*#\s*include\s+"([^"]+)"/)
		{
			my $name = $1;
			my $where = $name =~ m{^(\w+)/} ? $1 : $name;

			my $is_ours = -e "src/$name" || ($is_gpu && -e "gpu/$name");

			# ours lie below src/, or in gpu/; what does not is PostgreSQL's
			if ($is_ours || $plain{$place} || $is_gpu)
			{
				push @wrong, $name unless grep { $_ eq $where || $_ eq $name } @{ $may{$place} // [] };
			}
		}
		elsif (/^\s*#\s*include\s+<([^>]+)>/)
		{
			my $name = $1;
			push @wrong, $name if $plain{$place} && $name !~ $c_library;
			push @wrong, $name if $name =~ /cuda|cub\// && $path !~ /\.cuh?$/;
		}
	}
	ok(exists $may{$place}, "$file has a place in the house");
	is("@wrong", '', "$file includes nothing that it must not");
	# from PostgreSQL 16 on the macros of varlena are not in postgres.h
	ok(!$varlena || $compat, "$file has the macros of varlena from compat.h");
}

done_testing();

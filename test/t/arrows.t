# arrows.t: includes and calls run one way.
#
# An arrow leads from a file to whatever it knows of others: a header that it includes, and a function or variable that
# its object refers to, be it called or its address taken.  The layers, from below:
#
#   op        the algebra; everybody may use it
#   library   which build this is, and who may call a function
#   column, then number and exchange, then sort and call; cpu
#   guc       the settings
#   device    jobs on a device, behind the door offload.h: the choice, the ring, and what backend, broker and program
#             know of each other
#   run       runs a job here or there
#   aggregate, which evaluates aggregates over frames, for both of the next two
#   functions, node and kept, which know nothing of each other
#   init.c, which registers what there is, and starts everything
#
# A call may run against the arrows through a pointer: a file above stores the address of a function in a struct of a
# file below, which calls it.  That is no circle if the struct, and the type of the pointer, are declared below, in a
# header that knows nothing of the file above.  So these are found:
#
#   - an include or a symbol that the list below does not allow;
#   - a function or variable that a .c file declares itself, by hand or by the macros of list.h, instead of including a
#     header.  No include shows such an arrow, and a pointer that is filled with it looks like one of the file's own;
#   - a circle of headers, of symbols between .c files, and, by includes and symbols together, of folders and of
#     modules.  A module is a .c file with the header of its name.  Two modules whose files call each other, one of them
#     through a pointer, are a circle if the pointer's type is in the header of either.
#
# So where a file has a table of functions of other files, their declarations and the types of the pointers are in a
# header of their own: node/evaluate/internal.h for dispatch.c, aggregate/internal.h for aggregate.c,
# node/input/blocks.h for block_reader.c.  So are the structs that all files of a folder work on, and whose main
# file calls the others: node/exec/state.h, node/plan/planning.h.  Where node/ has to know the addresses of C functions
# in functions/, it finds them in
# call/entry_points.h; functions/register.c stores them there when the library is loaded.
#
# Who names a device is on a second list, with the reason: ten files at most outside of device/.
#
# A new folder, or a new file of src/ itself, has to be given its place in the list first.  Names are as they are
# written: below src/, or beside the file for gpu/.
use strict;
use warnings;
use Test::More;
use File::Find;
use File::Basename;

chdir dirname(__FILE__) . '/../..' or die $!;

# folder (or file of src/ itself) => the folders and files it may include
my %may = (
	'op' => ['op'],
	# which build this is, whether others have it too, who may call a function
	'library' => [ 'library', 'compat.h' ],
	'column' => [ 'op', 'library', 'column', 'compat.h' ],
	# decimals, exact sums and other numbers of more than a machine word
	'number' => [ 'op', 'column', 'number', 'compat.h' ],
	# how a function of ours is called, and found
	'call' => [ 'op', 'column', 'number', 'call' ],
	'cpu' => [ 'op', 'cpu' ],
	'exchange' => [ 'library', 'column', 'exchange' ],
	'sort' => [ 'op', 'library', 'column', 'number', 'sort', 'compat.h' ],
	'aggregate' => [ 'op', 'library', 'column', 'number', 'call', 'cpu', 'sort', 'aggregate', 'run', 'guc.h', 'error.h',
		'compat.h' ],
	'functions/window' => [ 'op', 'library', 'column', 'number', 'call', 'cpu', 'sort', 'functions/window', 'run',
		'error.h', 'compat.h' ],
	# patterns over rows
	'functions/match' => [ 'column', 'functions/window', 'functions/match', 'compat.h' ],
	'functions/aggregate' => [ 'op', 'library', 'column', 'number', 'call', 'cpu', 'sort', 'functions/aggregate',
		'functions/window', 'run', 'error.h', 'compat.h' ],
	'functions/array' => [
		'op', 'library', 'column', 'number', 'call', 'cpu', 'sort', 'aggregate', 'functions/array', 'functions/window',
			'functions/aggregate', 'run', 'error.h',
		'compat.h' ],
	'functions/application' => [ 'op', 'library', 'column', 'cpu', 'sort', 'functions/application', 'run', 'error.h',
		'compat.h' ],
	'functions/inspect' => [ 'op', 'library', 'column', 'cpu', 'sort', 'functions/inspect', 'run', 'error.h',
		'compat.h' ],
	# kept scans know nothing of the nodes and of jobs
	'kept' => [ 'library/explain_more.h', 'library/explain_more.c', 'number', 'call/entry_points.h', 'kept', 'guc.h',
		'error.h', 'compat.h' ],
	'functions/register.c' => [ 'op', 'call/entry_points.h', 'functions/register.h', 'functions/window',
		'functions/match', 'functions/aggregate' ],
	'functions/register.h' => [],
	'functions/set_schema.c' => ['compat.h'],
	# the floor of node/ is what its rooms share: plan/ and exec/ know nothing else of each other
	'node' => [ 'op', 'library', 'column', 'call', 'aggregate/moving_kind.h', 'node', 'compat.h' ],
	# when an error comes up: README.md there
	'node/error_timing' => [ 'library', 'column', 'node', 'node/error_timing', 'compat.h' ],
	# the second plan node; below plan/, which asks for its paths
	'node/skip' => [ 'library', 'node', 'node/error_timing', 'node/skip', 'guc.h', 'compat.h' ],
	'node/plan' => [ 'library', 'column/type.h', 'node', 'node/error_timing', 'node/skip/skip.h',
		'node/skip/index_skip.c', 'node/plan', 'guc.h', 'compat.h' ],
	'node/input' => [ 'library', 'column', 'sort', 'exchange', 'node', 'node/error_timing', 'node/input', 'run/run.h',
		'device/offload.h', 'guc.h', 'compat.h' ],
	'node/evaluate' => [
		'op', 'library', 'column', 'number', 'call', 'cpu', 'sort', 'aggregate', 'node', 'node/error_timing',
			'node/evaluate', 'run', 'error.h', 'compat.h' ],
	'node/exec' => [
		'library', 'column', 'exchange', 'node', 'node/error_timing', 'node/input', 'node/evaluate', 'node/exec',
			'run/run.h', 'device/offload.h', 'guc.h',
		'compat.h' ],
	# the third plan node: above the others, since it reads PrefixScan's blocks
	'node/reduce' => [
		'op', 'library', 'column', 'number/decimal.h', 'number/decimal.c', 'aggregate', 'node', 'node/error_timing',
			'node/input/pull.h', 'node/input/pull.c', 'node/plan/planning.h', 'node/plan/create_plan.c',
		'node/plan/inputs.c', 'node/plan/parallel_paths.c', 'node/exec/state.h', 'node/exec/exec.c', 'node/reduce',
		'guc.h', 'error.h', 'compat.h' ],
	# who runs a job: run.c asks at the door of device/, and nobody else of the folder knows of it
	'run' => [ 'op', 'library', 'column', 'cpu', 'run' ],
	'run/run.c' => [ 'cpu', 'sort/radix.h', 'guc.h', 'run/run.h', 'device/offload.h', 'device/word_sorter.c' ],
	# only jobs come from outside: columns, and words
	'device' => [ 'op', 'library', 'cpu', 'sort/radix.h', 'device', 'guc.h', 'compat.h' ],
	'device/gather.c' => [ 'cpu', 'device/gather.h' ],
	'device/gather.h' => ['cpu'],
	'error.c' => [ 'op', 'error.h' ],
	'error.h' => ['op'],
	'guc.c' => [ 'cpu', 'guc.h' ],
	'guc.h' => [],
	'compat.h' => [],
	# linked into scan_gpu, too
	'library/build.c' => ['library/build.h'],
	'library/build.h' => [],
	# above everything: loads what there is
	'init.c' => [
		'guc.h', 'library/library.h', 'functions/register.h', 'device/offload.h', 'kept/hooks.h', 'kept/log.c',
			'kept/rewrite.c', 'node', 'node/error_timing', 'node/plan', 'node/skip/skip.h',
		'node/skip/exec.c', 'node/exec', 'node/reduce' ],

	# what crosses to other programs
	'device/device.h' => ['op'],
	'device/encoding.h' => ['op'],
	'device/wire.h' => [ 'op', 'device/device.h' ],
	'gpu/gpu.h' => [ 'op', 'device/device.h', 'device/encoding.h' ],
	'gpu/job.h' => [ 'gpu.h', 'device/wire.h' ],
	'gpu/job.c' => [ 'job.h', 'op' ],
	'gpu/measured.h' => [ 'gpu.h', 'op' ],
	'gpu/scan_gpu.c' => [ 'job.h', 'library/build.h', 'measured.h' ],
	'gpu/mock.c' => [ 'gpu.h', 'op', 'cpu', 'fault.h', 'measured.h', 'mock_scan.h', 'moving_tile.h' ],
	'gpu/mock_scan.c' => [ 'mock_scan.h', 'cpu', 'op' ],
	'gpu/mock_scan.h' => [ 'gpu.h', 'cpu' ],
	'gpu/fault.c' => [ 'cpu', 'fault.h' ],
	# any other file of a device library: the algebra, and its own
	'gpu' => [ 'op', 'gpu.h', 'gpu', 'device.h', 'driver.h', 'guard.h', 'lines.h', 'frame.h', 'frame.cuh', 'measure.h',
		'measured.h', 'moving_tile.h', 'plan.h', 'recurrence.h', 'sort.h', 'binding.cuh',
		'carry_chain.cuh', 'chunk.cuh', 'clamp.cuh', 'counter.cuh', 'items.cuh', 'look_back.cuh', 'pair.cuh',
		'port.cuh', 'recurrence.cuh',
		'rows.cuh', 'scan.cuh', 'split.cuh', 'tile.h', 'vector.cuh', 'classic' ],
	# without a device: test/gpu
	'gpu/port.cuh' => ['emulate.h'],
);

# plain C: these may include the C library's headers and the compiler's only
my %plain = map { $_ => 1 } qw(op cpu device/device.h device/encoding.h device/gather.h device/gather.c device/wire.h
	gpu/gpu.h gpu/job.h gpu/job.c);
my $c_library = qr/^(?:float|immintrin|limits|math|stdbool|stddef|stdint|string)\.h$/;

# The folder of a file, or the file itself where it stands alone.
sub place_of
{
	my ($path) = @_;
	my $folder = $path =~ m{^(.*)/[^/]+$} ? $1 : $path;

	$folder =~ s{/[^/]+$}{} while $folder =~ m{/} && !$may{$folder};
	return $may{$path} ? $path : $folder;
}

# Whether a file may use another, which lies in a folder or stands alone.
sub may_use
{
	my ($from, $name) = @_;
	my $folder = $name =~ m{^(.*)/[^/]+$} ? $1 : $name;

	$folder =~ s{/[^/]+$}{} while $folder =~ m{/} && !$may{$folder};
	return grep { $_ eq $name || $_ eq $folder } @{ $may{ place_of($from) } // [] };
}

# The files of a graph that lie in a circle.
sub circles
{
	my (%to) = @_;

	# what nobody points to, or points to nobody, is in none
	while (1)
	{
		my %pointed = map { $_ => 1 } map { @$_ } values %to;
		my @out = grep { !$pointed{$_} || !@{ $to{$_} } } keys %to;
		delete @to{@out};
		$_ = [ grep { $to{$_} } @$_ ] for values %to;
		return sort keys %to if !@out;
	}
}

my @files;
find(sub { push @files, $File::Find::name if /\.(?:[ch]|cuh?)$/ }, 'src', 'gpu');
cmp_ok(scalar @files, '>', 20, 'the sources are found');

my %includes;
for my $file (sort @files)
{
	my $path = $file =~ s{^src/}{}r;
	my $place = place_of($path);
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
			my $is_ours = -e "src/$name" || ($is_gpu && -e "gpu/$name");
			push @{ $includes{$path} }, $name if -e "src/$name";

			# ours lie below src/, or in gpu/; what does not is PostgreSQL's
			if ($is_ours || $plain{$place} || $is_gpu)
			{
				push @wrong, $name unless may_use($path, $name);
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

my @headers = grep { /\.h$/ } keys %includes;
is(join(' ', circles(map { $_ => $includes{$_} } @headers)), '', 'no circle of headers');

# ---- who names a device

# Outside of src/device/ and gpu/; tests and pages are not counted.
my %names_device = (
	'init.c' => 'has the worker started',
	'guc.h' => 'scan.debug_require',
	'guc.c' => 'the same',
	'run/run.c' => 'asks for the device',
	'node/input/instrument.h' => 'counts the jobs of a node',
	'node/exec/explain.c' => 'prints them',
	'functions/inspect/scan_explain.c' => 'has a column for them',
	'op/fn.h' => 'the algebra is compiled for the device, too',
	'cpu/cpu.h' => 'the loops are linked into the mock device, too',
);
my %named;
for my $file (grep { m{^src/} && !m{^src/device/} } @files)
{
	open my $in, '<', $file or die "$file: $!";
	while (<$in>)
	{
		$named{ $file =~ s{^src/}{}r } //= "$file:$.: $_" if /device|gpu/i;
	}
}
is(join('', map { $named{$_} } grep { !$names_device{$_} } sort keys %named), '', 'no other file names a device');
is(join(' ', grep { !$named{$_} } sort keys %names_device), '', 'all of these do');
cmp_ok(scalar(keys %names_device), '<=', 10, 'at most ten files do');

# ---- calls

my (%defines, %uses, %calls);
for my $object (map { s/\.[ch]$/.o/r } grep { m{^src/.*\.c$} } @files)
{
	my $path = $object =~ s{^src/}{}r =~ s/o$/c/r;
	open my $nm, '-|', 'nm', '-P', $object or die "nm: $!";
	while (<$nm>)
	{
		my ($symbol, $kind) = split;
		$defines{$symbol} = $path if $kind =~ /[TDBRV]/;
		push @{ $uses{$path} }, $symbol if $kind eq 'U';
	}
	close $nm or die "$object is not built";
}
for my $path (sort keys %uses)
{
	$uses{$path} = [ grep { $defines{$_} } @{ $uses{$path} } ];
	my %seen = map { $_ => 1 } map { $defines{$_} } @{ $uses{$path} };
	$calls{$path} = [ sort keys %seen ];
	# a call is by a header of the same name, or by one of the callee's folder
	my @wrong = grep { !may_use($path, $_) && !may_use($path, s/c$/h/r) } @{ $calls{$path} };
	is("@wrong", '', "$path calls nothing that it must not");
}
cmp_ok(scalar(keys %calls), '>', 60, 'the objects are found');
is(join(' ', circles(%calls)), '', 'no circle of calls');

# ---- declarations

my $pg_config = $ENV{PG_CONFIG} // 'pg_config';
my ($flags, $headers) = map { chomp; $_ } `$pg_config --cppflags`, `$pg_config --includedir-server`;
my $preprocess = ($ENV{CC} // 'cc') . " -E -Isrc -I$headers $flags";

# Those of the symbols that a file declares itself.  The preprocessor's output tells where a name is written first;
# what list.h declares is declared by the file that includes list.h.
sub declared_here
{
	my ($path, @symbols) = @_;
	my $any = join '|', @symbols;
	my ($file, %first);

	open my $in, '-|', "$preprocess src/$path" or die "$preprocess: $!";
	while (<$in>)
	{
		if (/^# \d+ "([^"]+)"/)
		{
			$file = $1 if $1 ne 'src/op/list.h';
		}
		elsif ($file !~ m{^/})
		{
			$first{$1} //= $file while /\b($any)\b/g;
		}
	}
	close $in or die "src/$path is not preprocessed";
	return grep { ($first{$_} // '') eq "src/$path" } sort @symbols;
}

for my $path (sort keys %uses)
{
	my @own = @{ $uses{$path} } ? declared_here($path, @{ $uses{$path} }) : ();
	is("@own", '', "$path declares no function or variable of another file");
}

# ---- circles of folders and of modules

# The arrows between groups of files, by includes and by symbols.
sub arrows_between
{
	my ($group) = @_;
	my %to;

	for my $arrows (\%includes, \%calls)
	{
		for my $path (keys %$arrows)
		{
			my $from = $group->($path);
			$to{$from}{$_} = 1 for grep { $_ ne $from } map { $group->($_) } @{ $arrows->{$path} };
		}
	}
	return map { $_ => [ sort keys %{ $to{$_} } ] } keys %to;
}

# a file of src/ itself and its header are a folder of their own
is(join(' ', circles(arrows_between(sub { $_[0] =~ s{/[^/]+$|\.[ch]$}{}r }))), '', 'no circle of folders');

# a header without a .c file of its name is a module of its own
is(join(' ', circles(arrows_between(sub { $_[0] =~ s/\.[^.]+$//r }))), '', 'no circle of modules');

done_testing();

# arrows.t: the includes run one way.
#
# The house has an order: everybody may use op/, and nobody may use call/ and
# node/ (init.c starts the latter).  This test reads every #include of src/ and holds
# it against the list below; a folder that is new has to be given its place here first.
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
	'run.c' => [ 'op', 'cpu', 'guc.h', 'run.h' ],
	'run.h' => ['cpu'],
	'error.c' => [ 'op', 'error.h' ],
	'error.h' => ['op'],
	'guc.c' => [ 'cpu', 'guc.h' ],
	'guc.h' => [],
	'compat.h' => [],
	'init.c' => [ 'guc.h', 'node' ],
);

# plain C: these may include the C library's headers and the compiler's only
my %plain = map { $_ => 1 } qw(op cpu);
my $c_library = qr/^(?:float|immintrin|limits|math|stdbool|stddef|stdint|string)\.h$/;

my @files;
find(sub { push @files, $File::Find::name if /\.[ch]$/ }, 'src');
cmp_ok(scalar @files, '>', 20, 'the sources are found');

for my $file (sort @files)
{
	my ($path) = $file =~ m{^src/(.*)};
	my $place = $path =~ m{^(\w+)/} ? $1 : $path;
	my @wrong;

	open my $in, '<', $file or die "$file: $!";
	while (<$in>)
	{
		if (/^\s*#\s*include\s+"([^"]+)"/)
		{
			my $name = $1;
			my $where = $name =~ m{^(\w+)/} ? $1 : $name;

			# ours lie below src/; what does not is PostgreSQL's
			if (-e "src/$name")
			{
				push @wrong, $name unless grep { $_ eq $where } @{ $may{$place} // [] };
			}
			elsif ($plain{$place})
			{
				push @wrong, $name;
			}
		}
		elsif (/^\s*#\s*include\s+<([^>]+)>/)
		{
			my $name = $1;
			push @wrong, $name if $plain{$place} && $name !~ $c_library;
			push @wrong, $name if $name =~ /cuda|cub\//;
		}
	}
	ok(exists $may{$place}, "src/$path has a place in the house");
	is("@wrong", '', "src/$path includes nothing that it must not");
}

done_testing();

# Objects.pm: object files in a copy of a built tree, for guide.t and library.t,
# which change the copy and build it again.
#
# The Makefile makes each object depend on every header, so that a changed header compiles everything.  Here an object
# is kept if its source includes no changed file, neither itself nor by its headers, which saves a minute of compiling.
package Objects;

use strict;
use warnings;
use Exporter 'import';
use File::Basename;
use File::Find;

our @EXPORT_OK = qw(keep_objects);

# Which files a source or header includes, as they are named there.
sub included
{
	my ($file) = @_;
	open my $in, '<', $file or die "$file: $!";
	my $content = do { local $/; <$in> };
	return [ $content =~ /^\s*#\s*include\s+"([^"]+)"/mg ];
}

# Removes the objects in a folder that depend on one of the changed files, and what is linked of objects.  The others
# become newer than all sources.  src/library/build.c, which names the build, counts as changed.
sub keep_objects
{
	my ($folder, @changed) = @_;
	my %includes;
	find({ no_chdir => 1, wanted => sub { /\.[ch]$/ and $includes{ s{^\Q$folder\E/}{}r } = included($_) } },
		"$folder/src", "$folder/gpu");

	my %stale = map { $_ => 1 } @changed, 'src/library/build.c';
	for (my $count = 0; $count != keys %stale;)
	{
		$count = keys %stale;
		for my $file (keys %includes)
		{
			$stale{$file} = 1 if grep { $stale{"src/$_"} || $stale{"gpu/$_"} || $stale{ dirname($file) . "/$_" } }
				@{ $includes{$file} };
		}
	}
	for my $source (grep { /\.c$/ } keys %includes)
	{
		my $object = "$folder/" . $source =~ s/\.c$/.o/r;
		if ($stale{$source})
		{
			unlink $object;
		}
		elsif (-e $object)
		{
			utime undef, undef, $object;
		}
	}
	unlink map { "$folder/$_" } qw(scan.so gpu/scan_gpu gpu/scan_mock.so);
	return;
}

1;

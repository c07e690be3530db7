# guide.t: the chapters "How to add a function" and "How to add an exact aggregate" of test/guide/README.md work as they
# are written.
#
# Each chapter adds an example that is not part of the extension, by a diff in test/guide.  This test applies the diffs
# to a copy of the sources and runs the chapters' commands there: the build, the laws, the oracle, the regression tests,
# catalog.t, upgrade.t and readme.t.  It also compares the parts of the diffs and the output that the chapters show.
#
# The test fails if a diff no longer applies.  test/guide/refresh.sh then writes the diffs anew.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use File::Basename;
use File::Temp qw(tempdir);
use Objects qw(keep_objects);

chdir dirname(__FILE__) . '/../..' or die $!;

plan skip_all => 'the extension cannot be built with SCAN_CLUSTER_ROOT' if $ENV{SCAN_CLUSTER_ROOT};

# The chapters, with their diffs, the files that a diff changes at most, and the commands that the test runs.  The
# others take minutes.
my @build = 'make WERROR=1';
my @example = (
	{ title => 'How to add a function', diff => 'test/guide/add_scan_gcd.diff', files => 7,
		regress => "test/cluster.sh make -s installcheck REGRESS='setup matrix'",
		check => [
			'make -f test/law/Makefile test/law/build/laws && test/law/build/laws cc gcd',
			'make -f test/law/Makefile test/law/build/oracle && test/law/build/oracle cc all gcd',
			'test/cluster.sh prove test/t/catalog.t test/t/upgrade.t',
			'test/cluster.sh prove test/t/readme.t' ] },
	{ title => 'How to add an exact aggregate', diff => 'test/guide/add_exact_profit_factor.diff', files => 8,
		regress => "test/cluster.sh make -s installcheck REGRESS='setup abilities profit_factor'",
		check => [] });

sub content
{
	my ($file) = @_;
	open my $in, '<', $file or die "$file: $!";
	local $/;
	return <$in>;
}

sub lines
{
	my ($file) = @_;
	return split /\n/, content($file), -1;
}

# ---- the page shows what is in the diff

my @blocks;
for my $example (@example)
{
	my $diff = $example->{text} = content($example->{diff});
	my ($chapter) = content('test/guide/README.md') =~ /^## \Q$example->{title}\E\n(.*?)^## /ms or die 'no chapter';
	my @changed = @{ $example->{changed} = [ $diff =~ /^\+\+\+ b\/(.*)$/mg ] };
	my @own;
	while ($chapter =~ /^( *)```(\w+)\n(.*?)^\1```$/gms)
	{
		my ($indent, $language, $text) = ($1, $2, $3);
		push @own, { language => $language, text => $text =~ s/^$indent//gmr };
	}
	push @blocks, @own;
	my @hunks = map { $_->{text} } grep { $_->{language} eq 'diff' } @own;
	cmp_ok(scalar @hunks, '>', 2, "$example->{title}: the page shows parts of the diff");
	is(join("\n", grep { index($diff, $_) < 0 } @hunks), '', '... each of them is in the diff');
	is_deeply([ grep { index($chapter, "`$_`") < 0 } @changed ], [], '... the page names every file of the diff');
	cmp_ok(scalar @changed, '<=', $example->{files}, "... it takes no more than $example->{files} files");
}

# Returns the text block after a command of the page: what the command prints.  Undefined if the page lacks the command.
sub printed
{
	my ($command) = @_;
	for my $i (0 .. $#blocks)
	{
		next unless $blocks[$i]{language} eq 'sh' && grep { $_ eq $command } split /\n/, $blocks[$i]{text};
		return $i < $#blocks && $blocks[ $i + 1 ]{language} eq 'text' ? $blocks[ $i + 1 ]{text} : '';
	}
	return undef;
}
is_deeply([ grep { !defined printed($_) } @build, map { (@{ $_->{check} }, $_->{regress}) } @example ], [],
	'the page has the commands that are run here');

# ---- the chapters on aggregates and types show lines of the sources

my ($others) = content('test/guide/README.md') =~ /^(## How to add an aggregate\n.*)/ms or die 'no chapters';
my $sources = join '', map { content($_) } qw(src/op/list.h src/aggregate/number_ops.c src/column/type.c);
my @shown = map { split /\n/ } $others =~ /^ *```c\n(.*?)^ *```$/gms;
cmp_ok(scalar @shown, '>', 2, 'they show some');
is_deeply([ grep { index($sources, s/^ +//r) < 0 } @shown ], [], 'each of them is in the sources');

# ---- a copy of the sources, with what is built

my $folder = tempdir('scan-guide-XXXXXX', DIR => '/tmp', CLEANUP => 1);
my @parts = qw(CHANGELOG.md LICENSE META.json Makefile README.md expected gpu scan.control sql src test);
my $tar = "tar -cf - --exclude=build --exclude=__pycache__ --exclude=scan_cuda.so @parts | tar -xf - -C $folder";
is(system($tar), 0, 'the sources are copied');

# Returns the index of the line where a hunk's old lines begin: of several places, the one nearest to `expected`.
sub place_of
{
	my ($lines, $old, $expected) = @_;
	for my $distance (0 .. @$lines)
	{
		for my $at ($expected - $distance, $expected + $distance)
		{
			next if $at < 0 || $at + @$old > @$lines;
			return $at unless grep { $lines->[ $at + $_ ] ne $old->[$_] } 0 .. $#$old;
		}
	}
	return undef;
}

# Applies the diff's part for one file.  As with `git apply`, a hunk may have moved, but its lines must be the same.  It
# is done here because an unpacked archive has no git, and a bare Debian has no `patch`.
# Returns the headers of the hunks that do not apply.
sub apply
{
	my ($file, $part) = @_;
	my @lines = -e "$folder/$file" ? lines("$folder/$file") : ('');
	my ($moved, @lost) = (0);

	while ($part =~ /^(@@ -(\d+)(?:,\d+)? \+\d+(?:,\d+)? @@)[^\n]*\n((?:[ +-][^\n]*\n)+)/mg)
	{
		my ($header, $start, @body) = ($1, $2, split /\n/, $3);
		my @old = map { substr $_, 1 } grep { !/^\+/ } @body;
		my @new = map { substr $_, 1 } grep { !/^-/ } @body;
		my $at = place_of(\@lines, \@old, $start - 1 + $moved);

		push(@lost, "$file $header"), next unless defined $at;
		splice @lines, $at, @old, @new;
		$moved = $at - ($start - 1) + @new - @old;
	}
	open my $out, '>', "$folder/$file" or die "$file: $!";
	print $out join "\n", @lines;
	close $out or die "$file: $!";
	return @lost;
}

for my $example (@example)
{
	my %part = $example->{text} =~ /^diff --git [^\n]*\n(?:[^\n]*\n)*?\+\+\+ b\/([^\n]*)\n((?:[@ +-][^\n]*\n)+)/mg;
	is_deeply([ sort keys %part ], [ sort @{ $example->{changed} } ], 'the diff is read');
	my @lost = map { apply($_, $part{$_}) } sort keys %part;
	next if is_deeply(\@lost, [], "$example->{diff} applies");
	diag("The lines around these hunks have changed.  Run test/guide/refresh.sh.\n",
		"It applies the diff to a copy of HEAD, merges what it can, and writes $example->{diff} anew,\n",
		'or says where the conflicts are.');
	done_testing();
	exit;
}

# ---- objects whose sources do not include a changed file are kept, which saves time

keep_objects($folder, map { @{ $_->{changed} } } @example);

# ---- the commands

chomp($ENV{PG_CONFIG} = `test/find_pg_config.sh`);
delete @ENV{ qw(MFLAGS MAKELEVEL NVCC), grep { /^SCAN_CLUSTER_|^SCAN_TEST_/ } keys %ENV };
$ENV{MAKEFLAGS} = '-j2';
# compilers report variables as uninitialized by mistake at this level
$ENV{SCAN_OPTIMIZE} = '-O1 -g0 -Wno-error=maybe-uninitialized';

# Starts a command of the page in the copy.  Returns its process, which `check` waits for.
sub start
{
	my ($command, $log) = @_;
	my $pid = fork // die "fork: $!";
	if ($pid == 0)
	{
		chdir $folder or die $!;
		open STDOUT, '>', $log or die "$log: $!";
		open STDERR, '>&', \*STDOUT or die $!;
		exec 'sh', '-c', $command or die $!;
	}
	return $pid;
}

sub check
{
	my ($command, $pid, $log) = @_;
	waitpid $pid, 0;
	my $said = content($log);
	my $good = is($?, 0, $command);

	$good = is($said, printed($command), '... and the page shows what it prints') && $good
		if printed($command) =~ /^ok /;
	unless ($good)
	{
		my @said = split /\n/, $said;
		diag(join "\n", @said > 60 ? @said[ -60 .. -1 ] : @said);
	}
	return $good;
}

sub run
{
	my ($command) = @_;
	return check($command, start($command, "$folder/log"), "$folder/log");
}

if (run(@build))
{
	# the regression tests take one core, so the other commands run at the same time
	for my $example (@example)
	{
		my $regress = start($example->{regress}, "$folder/regress.log");
		run($_) for @{ $example->{check} };
		check($example->{regress}, $regress, "$folder/regress.log") or diag(content("$folder/regression.diffs"));
	}
}

done_testing();

# names.t: the files, functions and other identifiers that comments and pages name exist (Comments.pm says which names
# count), and the links of pages lead somewhere.
#
# A name may be this project's, one of PostgreSQL's installed headers, of its catalog, or one of those that %elsewhere
# explains.  A comment may also say that a file has a name; then the file must have it.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Cwd qw(abs_path);
use File::Basename;
use File::Find;
use File::Spec;
use Comments qw(divide names_in);

chdir "$FindBin::Bin/../.." or die $!;

# Names that neither this tree nor the installed files of PostgreSQL have.
my %elsewhere = (
	# PostgreSQL's sources, which are not installed
	(map { $_ => 'source of PostgreSQL' } qw(execParallel.c nodeWindowAgg.c numeric.c orderedsetaggs.c ruleutils.c
			setrefs.c test_setup.sql create_index.sql aset.c)),
	(map { $_ => 'static in a source of PostgreSQL' }
		qw(initialize_peragg select_div_scale get_rule_windowspec DEFAULT_PAGE_CPU_MULTIPLIER
		ALLOC_CHUNK_LIMIT)),
	# other projects
	CloudNativePG => 'an operator of Kubernetes',
	(map { $_ => 'Citus' } qw(multi_explain.c ExtractAnalyzeStats)),
	(map { $_ => 'an extension of PostgreSQL' } qw(pg_show_plans pg_stat_plans)),
	DevicePartition => 'CUB',
	AddressSanitizer => 'a part of the compiler',
	(map { $_ => 'the kernel or the C library' }
		qw(swapcontext bindtextdomain MADV_FREE MADV_HUGEPAGE PTRACE_O_TRACEEXIT)),
	(map { $_ => 'a person' } qw(DeWitt McKellar)),
	# made by others
	'postgresql.conf' => 'made by initdb',
	(map { $_ => 'an example of test/guide/README.md' }
		qw(scan_gcd src/op/gains.h test/sql/profit_factor.sql add_EXAMPLE.diff)),
	(map { $_ => 'an instruction of PTX' } qw(add.cc addc.cc sub.cc subc.cc)),
	'd.h' => 'an expression: the member h of d',
	'live.t' => 'a table: t of the schema live',
	# stand for other names
	(map { $_ => 'an argument of a command' } qw(DATA_FOLDER KEY_PATTERN)),
	(map { $_ => 'SCAN_SOURCE_ and a version' } qw(SCAN_SOURCE_MAJOR SCAN_SOURCE_15 SCAN_SOURCE_16 SCAN_SOURCE_17)),
	FUNCTION_TYPE => 'the names that macros make of a function and a type',
	sum_int4_lift => 'sum_int4 and _lift, which macros put together',
	# the examples of Comments.pm
	(map { $_ => 'an example' } qw(window.c two_words TwoWords)),
);

sub content
{
	my ($path) = @_;
	open my $in, '<', $path or die "$path: $!";
	local $/;
	return scalar <$in>;
}

# All files of the project, but what was built.
my @files;
find({ no_chdir => 1, wanted => sub {
	$File::Find::prune = 1, return if -d && m{/(?:build|out|results|__pycache__|\.git)$};
	push @files, s{^\./}{}r if -f && !/\.(?:o|d|so)$/;
} }, '.');

my (%path, %text);
for my $file (@files)
{
	# each file has the name of each of the ends of its path
	my @parts = split m{/}, $file;
	push @{ $path{ join '/', @parts[$_ .. $#parts] } }, $file for 0 .. $#parts;
	$text{$file} = content($file) if $file =~ m{^(?:src|gpu|test|sql|\.github)/|^[^/]+\.md$}
		&& $file =~ /\.(?:[ch]|cc|cuh?|t|pl|pm|py|sh|sql|md)$|Makefile$/;
}

my (%word, %called, %comments);
# the cases at the end of this file name what does not exist
for my $file (grep { $_ ne 'test/t/names.t' } keys %text)
{
	my ($code, @comments) = divide($file, $text{$file});
	@word{ $code =~ /\b([A-Za-z_]\w*)/g } = ();
	@called{ $code =~ /\b([A-Za-z_]\w*)\)?\s*\(/g, $code =~ /\bsub\s+(\w+)/g } = ();
	# RESULTS.md tells of earlier runs; the examples of sql/ are SQL
	next if $file =~ m{\.sql$|(?:RESULTS|CHANGELOG)\.md$|^test/regress/};
	$comments{$file} = [ map { [ $_->[0], names_in($_->[1]) ] } @comments ];
}

# Core's names are looked up once for all that the project does not have.
my (%core, %core_path);
my $pg_config = $ENV{PG_CONFIG} // 'pg_config';
my ($headers, $shared) = map { chomp; $_ } `$pg_config --includedir-server`, `$pg_config --sharedir`;
find({ no_chdir => 1, wanted => sub {
	return unless /\.h$/;
	my @parts = split m{/}, $_;
	$core_path{ join '/', @parts[$_ .. $#parts] } = 1 for grep { $_ > 0 } $#parts - 2 .. $#parts;
} }, $headers);

sub learn_core
{
	my @wanted = @_;
	my $any = join '|', @wanted or return;
	my $text = '';

	find({ no_chdir => 1, wanted => sub { $text .= content($_) if /\.h$/ } }, $headers);
	# functions of SQL have their names in the catalog's first rows
	$text .= content("$shared/postgres.bki");
	$core{$1} = 1 while $text =~ /\b($any)\b/g;
	return;
}

my %unknown;
for my $names (map { my (undef, @names) = @$_; @names } map { @$_ } values %comments)
{
	my ($kind, $name) = @$names;
	$unknown{$name} = 1 if $kind eq 'function' ? !exists $called{$name} : $kind eq 'identifier' && !exists $word{$name};
}
learn_core(sort keys %unknown);

# True if a file of this name exists, here or in PostgreSQL.  A copy of the project has its files below another folder.
sub file_exists
{
	my ($name) = @_;

	return 1 if $path{$name} || $core_path{$name};
	while ($name =~ s{^[^/]+/}{})
	{
		return 1 if $path{$name} && $path{$name}[0] eq $name && $name =~ m{/};
	}
	return 0;
}

# What is not so of a name that names_in() has found in a comment, or nothing.
sub wrong
{
	my ($kind, $name, undef, $in) = @_;

	return if $elsewhere{$name};
	return file_exists($name) ? () : "no file $name" if $kind eq 'file';
	return exists $called{$name} || $core{$name} ? () : "no function $name()" if $kind eq 'function';
	return exists $word{$name} || $core{$name} || exists $word{ $name =~ s/s$//r } ? () : "no $name"
		if $kind eq 'identifier';

	my @places = grep { defined $text{$_} } @{ $path{$in} // [] };
	return if !@places || grep { $text{$_} =~ /(?:\b|-D)\Q$name\E\b/ } @places;
	return "no $name in $in";
}

my (@wrong, %count);
for my $file (sort keys %comments)
{
	for (@{ $comments{$file} })
	{
		my ($line, @names) = @$_;
		for my $name (@names)
		{
			# a page names columns of its examples
			next if $file =~ /\.md$/ && $name->[0] eq 'identifier';
			$count{ $name->[0] }++;
			push @wrong, map { "$file:" . ($line + $name->[2]) . ": $_" } wrong(@$name);
		}
	}
}
is(join("\n", @wrong), '', 'comments and pages name what exists');
cmp_ok($count{$_} // 0, '>', 10, "names are found: $_") for qw(file function identifier member);

# ---- links between pages

# A page's titles as a forge names them in links.
sub anchors
{
	my ($page) = @_;
	return map { my $link = lc; $link =~ s/[^\w -]//g; $link =~ tr/ /-/; $link => 1 } $text{$page} =~ /^#+ (.*)/mg;
}

my @lost;
for my $page (grep { /\.md$/ } sort keys %text)
{
	for my $link ($text{$page} =~ /\]\((?!https?:)([^)\s]+)\)/g)
	{
		my ($name, $anchor) = $link =~ /^([^#]*)#?(.*)$/;
		my $target = $name eq '' ? $page : File::Spec->abs2rel(abs_path(dirname($page) . "/$name") // "/$name");
		push @lost, "$page: $link"
			if !-e $target || ($anchor ne '' && defined $text{$target} && !{ anchors($target) }->{$anchor});
	}
}
is(join("\n", @lost), '', 'every link of a page leads somewhere');

# ---- what the test finds, and what it lets pass

for my $case (
	[ '/* guc.c sets CreateCustomScanState. */', 'no CreateCustomScanState in guc.c' ],
	[ '/* init.c sets CreateCustomScanState. */', '' ],
	[ '/* Zero bytes but for `found`, which behind_start() sets. */', 'no function behind_start()' ],
	[ '/* as palloc() and ExecProcNode() have it */', '' ],
	[ "/*\n * the rows of no_such_file.c\n */", 'no file no_such_file.c' ],
	[ '/* column/init.c */', 'no file column/init.c' ],
	[ '/* see nodes/primnodes.h */', '' ],
	[ '/* an AheadRowState */', 'no AheadRowState' ],
	[ '/* _PG_init() of guc.c */', 'no _PG_init in guc.c' ],
	[ '/* D_join, x_i, scan_FUNCTION and NAME.t stand for others */', '' ],
	[ 'const char *text = "/* behind_start() */";', '' ])
{
	my ($code, $expected) = @$case;
	my (undef, @comments) = divide('case.c', $code);
	my @found = map { wrong(@$_) } map { names_in($_->[1]) } @comments;
	is(join(', ', @found), $expected, $code =~ s/\n/ /gr);
}
my (undef, @comments) = divide('case.sh', "ls '#' # no_such_file.c\n# one\n# and behind_start()\n");
is(join(' ', map { $_->[0] } @comments), '1', 'consecutive lines of a script are one comment')
	or diag(explain(\@comments));

done_testing();

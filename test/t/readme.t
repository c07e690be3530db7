# readme.t: the pages for people are true.  Every SQL block in them is run, and must give the
# text block below it; what README.md shows of the demo is what the demo prints; the functions
# they speak of are those of the extension, and sql/README.md has a chapter for each.
#
# Blanks at the ends of lines do not count: psql pads its headings with them.

use strict;
use warnings;
use Test::More;
use File::Basename;
use File::Temp qw(tempdir);

use lib dirname(__FILE__);
use Server;

chdir dirname(__FILE__) . '/../..' or die $!;

my $aligned = "\\pset format aligned\n\\pset tuples_only off\n";

# The fenced blocks, in order: the line it begins at, its language, its text.
sub blocks
{
	my ($page) = @_;
	my @blocks;

	while ($page =~ /^```(\w*)\n(.*?)^```$/gms)
	{
		my ($language, $text, $start) = ($1, $2, $-[0]);
		push @blocks, { language => $language, text => $text, line => 1 + (substr($page, 0, $start) =~ tr/\n//),
			start => $start, end => $+[0] };
	}
	return @blocks;
}

sub trimmed
{
	my ($text) = @_;
	$text =~ s/[ \t]+$//mg;
	$text =~ s/\n+\z//;
	return $text;
}

# What psql shows of a script to somebody who types it.
sub shown
{
	my ($server, $sql) = @_;
	my ($out, $err) = $server->run($aligned . $sql, go_on => 1);

	$err =~ s/^psql:\S+?:\d+: //mg;
	return trimmed($err . $out);
}

my %page;
for my $name ('README.md', (map { "sql/$_.md" } qw(README prefixscan administration cluster kept troubleshooting)),
	'gpu/README.md', 'test/README.md', 'test/guide/README.md', 'test/demo/README.md')
{
	open my $in, '<', $name or die "$name: $!";
	$page{$name} = do { local $/; <$in> };
}

# ---- the examples, of each page in a database of its own

sub examples
{
	my ($where, $server) = @_;
	my $page = $page{$where};
	my @blocks = blocks($page);

	is(scalar(() = $page =~ /^```/mg), 2 * @blocks, "$where: every block ends");
	for my $i (grep { $blocks[$_]{language} eq 'sql' } 0 .. $#blocks)
	{
		my ($example, $result) = @blocks[ $i, $i + 1 ];
		my ($first) = $example->{text} =~ /\A(.{0,60})/;
		my $name = "$where, line $example->{line}: $first";

		unless ($result && $result->{language} eq 'text'
			&& substr($page, $example->{end}, $result->{start} - $example->{end}) =~ /\A\s*\z/)
		{
			fail("$name: its result follows");
			next;
		}
		SKIP:
		{
			# PostgreSQL 18 has more to say of a WindowAgg
			skip 'a plan of PostgreSQL 15', 1
				if $result->{text} =~ /^ *WindowAgg$/m && $server->value('SHOW server_version_num') >= 180000;
			is(shown($server, $example->{text}), trimmed($result->{text}), $name);
		}
	}
	return scalar grep { $_->{language} eq 'sql' } @blocks;
}

my $server = Server->new('readme');
my $examples = 0;
$examples += examples($_, $_ eq 'README.md' ? $server : Server->new('readme_' . tr/a-z//cdr)) for sort keys %page;
cmp_ok($examples, '>', 90, 'there are examples');

# ---- the demo

my ($excerpt) = map { $_->{text} } grep { $_->{language} eq 'text' && $_->{text} =~ /rebuilt exactly/ }
	blocks($page{'test/demo/README.md'});
my $pictures = tempdir(CLEANUP => 1);
my ($out, $err, $status) = $server->run("$aligned\\set rows 20000\n\\set out $pictures\n\\i test/demo/demo.sql\n");
is($status, 0, 'the demo runs') or diag($err);
isnt(index(trimmed($out), trimmed($excerpt // 'an excerpt')), -1, 'it prints what the page shows of it');

# ---- the functions

# those that users call: what is behind types, operators and aggregates is named as its symbol, and scan_kept_merge() is
# called by queries that read cells of a kept scan
my %exists = map { $_ => 1 } $server->lines(<<'SQL');
SELECT DISTINCT p.proname
FROM pg_proc p
     JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
     JOIN pg_extension e ON e.oid = d.refobjid AND e.extname = 'scan'
WHERE p.proname <> p.prosrc AND p.proname <> 'scan_kept_merge'
SQL
# what a diff adds is not there yet
my $spoken = join('', values %page) =~ s/^( *)```diff\n.*?^\1```$//gmsr;
my $ours = join '|', '(?:array_)?scan_\w+', 'moving_\w+', 'array_(?:compact|split|radix_sort)', 'exact_\w+', 'affine',
	'csr_multiply', 'tridiagonal_solve', 'bit_add';
my %called = map { $_ => 1 } $spoken =~ /\b($ours)\(/g;
my ($chapters) = $page{'sql/README.md'} =~ /^## Functions\n(.*?)^## /ms;
my %titled = map { $_ => 1 } map { /\w+/g } $chapters =~ /^### (.*)/mg;
is_deeply([ grep { !$exists{$_} } sort keys %called ], [], 'no function is spoken of that does not exist');
is_deeply([ sort keys %titled ], [ sort keys %exists ], 'every function has its chapter');

# ---- the words by which users look for a task

my ($tasks) = $page{'README.md'} =~ /^## Tasks\n(.*?)^### /ms;
my @words = ('cumsum', 'cumprod', 'cummax', 'running total', 'rolling', 'moving', 'gapfill', 'ffill', 'bfill', 'LOCF',
	'interpolate', 'IGNORE NULLS', 'sessionize', 'gaps and islands', 'streak', 'consecutive', 'merge', 'overlap',
	'concurrent', 'peak', 'throttle', 'dedupe', 'debounce', 'days since', 'last login', 'asof', 'rate', 'std',
	'z-score', 'Bollinger', 'median', 'percentile', 'correlation', 'regression', 'weighted by time', 'integral',
	'EMA', 'ewm', 'loan', 'decay', 'Holt', 'forecast', 'VWAP', 'MACD', 'RSI', 'ATR', 'percent change', 'pct_change',
	'drawdown', 'compound', 'greatest n per group', 'FIFO', 'cost basis', 'allocate', 'invoice', 'distinct',
	'state machine', 'funnel', 'time in a state', 'uptime', 'MATCH_RECOGNIZE', 'skew', 'kurtosis', 'rank within', 'WMA',
	'argmax', 'OHLC', 'wraps', 'time buckets', 'ewm var', 'reduce', 'floor', 'clamped', 'batch', 'shards');
is(join(', ', grep { $tasks !~ /\b\Q$_\E/i } @words), '', 'the task table has the words of users');

# ---- the settings

my %default = map { split /\|/ } $server->lines(q{LOAD 'scan'; SELECT name || '|' || }
	. q{coalesce(nullif(boot_val, ''), 'empty') FROM pg_settings WHERE name LIKE 'scan.%'});
my ($table) = $page{'sql/administration.md'} =~ /^## All settings\n(.*?)^## /ms;
my %told = $table =~ /^\| `(scan\.\w+)` \| ([^|]*?) \|/mg;
is_deeply([ sort keys %told ], [ sort keys %default ], 'sql/administration.md lists all settings');

sub plain
{
	my ($value) = @_;
	$value =~ tr/`//d;
	my %unit = (MB => 1024, s => 1000, min => 60000);
	return $value =~ /^(\d+)(MB|s|min)$/ ? $1 * $unit{$2} : $value;
}

is(join(' ', grep { plain($told{$_} // '') ne $default{$_} } sort keys %default), '', '... with their defaults');

# ---- the links between and within the pages

my %anchors = map {
	my $name = $_;
	$name => { map { my $link = lc; $link =~ s/[^\w -]//g; $link =~ tr/ /-/; $link => 1 } $page{$name} =~ /^#+ (.*)/mg }
} keys %page;
for my $name (sort keys %page)
{
	my @lost;
	for my $link ($page{$name} =~ /\]\(([^)\s]+)\)/g)
	{
		my ($file, $anchor) = $link =~ /^([^#]*)#?(.*)$/;
		next if $link =~ /^https?:/;
		my $target = $file eq '' ? $name : dirname($name) eq '.' ? $file : dirname($name) . "/$file";
		$target =~ s{(?:^|(?<=/))[^/.]+/\.\./}{} while $target =~ m{[^/.]+/\.\./};
		push @lost, $link if !-e $target || ($anchor ne '' && $anchors{$target} && !$anchors{$target}{$anchor});
	}
	is_deeply(\@lost, [], "$name: every link leads somewhere");
}

done_testing();

# quotes.t: a figure that a page quotes is the figure of the page that has measured it.
#
# Each entry of @quotes has a sentence of a page, and the rows or the sentence of test/bench/RESULTS.md (or of another
# page of results) from which its figures come.  # stands for a figure, and ~ for text that does not matter; blanks and
# the ends of lines are alike.  A page may round: its figure may differ by half a unit of its last digit, where the
# zeros at the end of a whole number are no digits.  So the test fails if results are measured anew
# and a page still quotes the old ones.
#
# A duration or a factor on the pages for users that no entry has is an error, too, so that no page says what no page of
# results says.  @other has those that are not measurements.
use strict;
use warnings;
use FindBin;
use Test::More;
use List::Util qw(max min sum);

chdir "$FindBin::Bin/../.." or die $!;

my $results = 'test/bench/RESULTS.md';
my $figure = qr/\d+(?:,\d{3})*(?:\.\d+)?/;

sub least_and_most { return (min(@_), max(@_)) }

# The quotients of figures that come in pairs.
sub quotients { my @pairs = @_; return map { $pairs[ 2 * $_ ] / $pairs[ 2 * $_ + 1 ] } 0 .. $#pairs / 2 }

# The least figure of each odd place and the most of each: of rows with two figures,
# the least and the most of both columns.
sub of_columns
{
	my @cells = @_;
	return map { my $c = $_; least_and_most(@cells[ grep { $_ % 2 == $c } 0 .. $#cells ]) } 0, 1;
}

# PrefixScan and DuckDB with one thread in the table of whole queries: how many times as fast one is,
# in general and at least.
sub beside_duckdb
{
	my @times = sort { $a <=> $b } map { 1 / $_ } quotients(@_);
	return (exp(sum(map { log } @times) / @times), @times[ 0, 1 ]);
}

my $cell = '~ |';
my @floats_of_100 = map {
	my $frame = $_;
	map { "| `$frame` | `$_` |" } qw(sum(f8) avg(f8) max(f8) stddev_samp(f8) max(t))
} 'ROWS 99 PRECEDING', "RANGE '1 hour' PRECEDING";

# page, what it says, the section of the results, what it says there (or several such),
# and how the figures follow from those
my @quotes = (
	[ 'README.md', '| moving average of 1,000 rows, over 100,000 rows | # s | # s | # | # s | # s | # |',
		'Three queries on a new server',
		'| moving average of 1,000 rows, over 100,000 rows | # (~) | # (~) | # | # (~) | # (~) | # |' ],
	[ 'README.md',
		'| latest row of each of 1,024 accounts, of 10 million rows without an index | # s | # s | # | # s | # s | # |',
		'Three queries on a new server', '| latest row of each of 1,024 accounts, '
			. 'of 10 million rows without an index | # (~) | # (~) | # | # (~) | # (~) | # |' ],
	[ 'README.md', '| running total of each of 1,024 accounts, over 10 million rows | # s | # s | # | # s | # s | # |',
		'Three queries on a new server',
		'| running total of each of 1,024 accounts, over 10 million rows | # (~) | # (~) | # | # (~) | # (~) | # |' ],
	[ 'README.md', 'entries of an account with their balance, with a [kept scan](sql/kept.md) | # s | # s | # |',
		'Kept scans', "| last 20 entries with balance | large | # | $cell $cell # (~) |",
		sub { ($_[0] / 1000, $_[1] / 1000, $_[0] / $_[1]) } ],
	[ 'README.md', 'time-buckets) | # s | # s | # |',
		'Totals by time', '10,000,000 rows, account 0 with 2,000,000, each other account with 7,820. | query | stock '
			. '| PrefixScan | kept scan | its processor time | rollup | demand | Starts From | '
			. '|---|---|---|---|---|---|---|---| '
			. '| large account, days of a year, UTC | # (~) | ~ | # (~) |',
		sub { ($_[0] / 1000, $_[1] / 1000, $_[0] / $_[1]) } ],
	[ 'README.md', 'planning a window of 200 functions takes # times as long as without PrefixScan',
		'Versions of PostgreSQL', 'planning a window of 200 functions takes # times as long as without the node', undef,
		'test/package/RESULTS.md' ],

	[ 'sql/kept.md', 'The `INSERT` of a single row took # to # times the processor time', 'Kept scans',
		'| single row, processor time to that without a trigger | | #; # in a longer run' ],
	[ 'sql/kept.md', 'wrote # bytes more of write-ahead log beside #.', 'Kept scans',
		"| write-ahead log of a single row, beside # bytes without a trigger | $cell # bytes |", sub { reverse @_ } ],
	[ 'sql/kept.md', 'The `INSERT` of many rows took # times the processor time, `COPY` # times,', 'Kept scans',
		"| many rows; COPY | $cell #; # |" ],
	[ 'sql/kept.md', 'a row into each of 1,000,000 accounts # times.', 'Kept scans',
		"| a row into each of 1,000,000 accounts, processor time to that without a trigger | $cell # |" ],
	[ 'sql/kept.md', 'reached # times the transactions of a table without a trigger.', 'Kept scans',
		"| eight clients, transactions to those without a trigger | $cell # |" ],
	[ 'sql/kept.md', 'A table of balances that a trigger updates reached # times.', 'Kept scans',
		'| no trigger | kept scan | balance row | balance column | |---|---|---|---| | ~ | ~ | ~ (#) |' ],
	[ 'sql/kept.md', 'building the tree of 100,000 rows took # ms.', 'Kept scans', "| 100,000 | ~ ms | # ms |" ],
	[ 'sql/kept.md', 'The tree of a count and a sum takes about # percent of the size of the table', 'Kept scans',
		"| 10,000,000 | ~ ms | ~ ms | $cell $cell # % |" ],

	[ 'gpu/README.md', 'the CPU computes them: it takes # to # ns for a row', 'Comparisons between versions',
		[ map { "| `$_` | $cell # |" } 'count(*)', 'sum(integer)', 'max(integer)', 'sum(double precision)' ],
		\&least_and_most ],
	[ 'gpu/README.md', 'to the GPU and its result back takes #.', 'What a device job takes beside the device',
		'| scan_sum(bigint) alone, rows in order | ~ | ~ | ~ | #, # (~) |', \&sum ],

	# the pages of results quote themselves
	[ $results, 'The smallest gain is # times', 'Whole queries', [ '| # | ~ | ~ | ~ |' ], sub { min(gains()) } ],
	[ $results, 'PrefixScan is at least # times as fast there.', 'Main results', 'The smallest gain is # times' ],
	[ $results, 'PrefixScan at default settings is # times as fast as DuckDB with one thread (geometric mean). '
			. 'The least is # times, for the latest row of each of a million keys; the next is # times.',
		'Whole queries', [ '| # | ~ | ~ | ~ |' ], sub { beside_duckdb(duckdb_pairs()) } ],
	[ $results, 'two processes are # to # times as fast as one', 'Several processes', [ '| # (~) | # (~) | # | ~ (~)' ],
		sub { least_and_most(@_[ grep { $_ % 3 == 2 } 0 .. $#_ ]) } ],
	[ $results, 'PrefixScan takes # to # ns per row. Stock', 'More rows than memory',
		[ '| PrefixScan, default settings | # |' ], \&least_and_most ],
	[ $results, 'maxima of texts, were # to # times as fast as in stock PostgreSQL.', 'Frames that move',
		[ map { "$_ ~ | ~ | # | ~ | ~ |" } @floats_of_100 ], \&least_and_most ],
	[ $results, 'are # to # times as fast as in stock PostgreSQL and # to # times as fast as in DuckDB.',
		'Frames that move', [ map { "$_ ~ | ~ | # | ~ | # |" } @floats_of_100 ], \&of_columns ],
	[ $results, 'DuckDB computes sums, averages and deviations of floats # to # times as fast as PrefixScan',
		'Frames that move', [ map { "| `ROWS 9999 PRECEDING` | `$_(f8)` | ~ | # (~) | ~ | # (~) |" }
			qw(sum avg stddev_samp) ], sub { least_and_most(quotients(@_)) } ],
	[ $results, '`scan_ema` is # to # times as fast as', 'Exponential moving averages, and other ways to write them',
		[ '| ~ | ~ | # |' ], \&least_and_most ],
	[ $results, "`ASOF JOIN` is # times as fast as [`scan_locf`]", 'Single tasks',
		'DuckDB, ASOF JOIN, 1 thread (# times as fast)' ],
	[ $results, "the planner's plan takes # times as long as the best plan ([", 'Planning time',
		'its plan took # times as long as the best plan' ],
	[ $results, 'lists others, up to # times.', 'Whole queries', [ 'the best plan ~: # times)' ], \&max ],
	[ $results, 'a query with a window takes # to # times as long', 'Planning time',
		[ map { "| $_ | ~ | ~ | # |" } 'a window over a small table', 'a window over a table with eleven indexes',
			'latest row', 'six functions', 'two windows' ], \&least_and_most ],
	[ $results, 'which is up to [# µs more]', 'Short statements',
		'| planning the query over 100 rows, without running it | # | # |', sub { $_[1] - $_[0] } ],
	[ $results, 'can take # to # µs per row, because', 'Values that are hard to round',
		[ 'e^(-i/50): # ns.', 'took # µs per row.' ], sub { ($_[0] / 1000, $_[1]) } ],
	[ $results, '`shared_buffers` together by up to # MB.', 'More rows than memory',
		'At 256MB the peak is up to # MB above' ],
);

# Durations and factors on the pages for users that are no measurements.
my @other = (qr/64 times the default of/, qr/100 times the (?:average rise|product)/);

sub content
{
	my ($path) = @_;
	open my $in, '<', $path or die "$path: $!";
	local $/;
	return scalar <$in>;
}

# A section: its heading, and all up to the next one of the same or a higher level.
sub section
{
	my ($page, $title) = @_;
	$page =~ /^(#+) \Q$title\E\n(.*?)(?=^#{1,2} |\z)/ms or return;
	my ($level, $text) = (length $1, $2);
	$text = $1 if $level > 2 && $text =~ /\A(.*?)^### /ms;
	return $text;
}

sub pattern
{
	my ($template) = @_;
	my $pattern = join '\s+', map { quotemeta } split ' ', $template;
	$pattern =~ s/\\#/($figure)/g;
	$pattern =~ s/\\~/[^|\\n]*?/g;
	return qr/$pattern/;
}

sub number { my ($shown) = @_; return $shown =~ tr/,//dr }

# Half a unit of the last digit.
sub half_unit
{
	my ($shown) = @_;
	return 0.5 * 10**-length($1) if $shown =~ /\.(\d+)/;
	return 0.5 * 10**length($1) if number($shown) =~ /[1-9](0+)$/;
	return 0.5;
}

# The cells of the table of whole queries that have a stock and a PrefixScan time: gains, and pairs with DuckDB.
sub whole_queries
{
	my ($table) = section(content($results),
		'Whole queries') =~ /^\| query \| stock \| fastest with.*?\n\| ---.*?\n(.*?)\n\n/ms;
	return map { [ map { s/\*\*| \(.*//gr } split / \| /, s/^\| | \|$//gr ] } split /\n/, $table;
}
sub gains { return map { $_->[6] } whole_queries() }
sub duckdb_pairs { return map { ($_->[4], $_->[7]) } grep { $_->[7] =~ /^$figure$/ } whole_queries() }

# ---- each quotation

my %quoted;
for my $quote (@quotes)
{
	my ($page, $says, $title, $source, $by, $from) = @$quote;
	my $name = "$page: $says";
	my @here = content($page) =~ pattern($says);
	my $there = section(content($from // $results), $title);
	my @there;

	push @{ $quoted{$page} }, pattern($says);
	for my $template (ref $source ? @$source : $source)
	{
		my @found = ($there // '') =~ /@{[ pattern($template) ]}/g or @here = ();
		push @there, map { number($_) } @found;
	}
	unless (@here && @there)
	{
		fail($name);
		diag(@here || !@there ? "'$title' does not say that" : 'it is not on the page');
		next;
	}
	my @is = $by ? $by->(@there) : @there;
	my @wrong = grep { !defined $is[$_] || abs(number($here[$_]) - $is[$_]) > half_unit($here[$_]) * 1.0001 }
		0 .. $#here;
	ok(!@wrong && @is == @here, $name) or diag("@here on the page, @is in the results");
}

# ---- no other figures

for my $page ('README.md', sort glob 'sql/*.md')
{
	my $text = content($page);
	my @left;

	$text =~ s/^ *```.*?^ *```$//gms;
	$text =~ s/$_//g for @{ $quoted{$page} // [] }, @other;
	$text =~ s/`[^`\n]*`//g;
	push @left, "$1..." while $text
		=~ /(\b$figure (?:ms|µs|ns|seconds?)\b|\b$figure s\b|\b$figure times (?:as|the|faster)\b|\b$figure percent\b)/g;
	is_deeply(\@left, [], "$page: each time and factor is quoted from results");
}

# ---- the same words for a factor: "three times faster" may be three times as fast, or four

for my $file (sort grep { !m{^test/package/build/} }
	glob '*.md sql/*.md gpu/*.md src/*.md test/*.md test/*/*.md test/demo/*.sql test/bench/*.sql')
{
	unlike(content($file), qr/\btimes (?:faster|slower)\b/, "$file: times as fast, not times faster");
}
done_testing();

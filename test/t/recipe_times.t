# recipe_times.t: no recipe of the pages takes quadratic time.
#
# Each recipe runs over a million rows, with a limit of 60 seconds for each statement.  A recipe that compares each row
# with each other one needs hours.  The name of a test has the seconds that the recipe took, with making its rows.
#
# %rows says for each recipe (Recipes.pm) what the rows of its sources are: a list of expressions of i, the number of
# the row, or a whole query with :rows in it, or undef for a source that stays as it is.
# A new recipe needs a line here.
#
#   SCAN_TEST_ROWS=10000 test/cluster.sh prove -v test/t/recipe_times.t
#   SCAN_TEST_RECIPE='RSI|Throttle' test/cluster.sh prove -v test/t/recipe_times.t
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Time::HiRes qw(time);
use Recipes;
use Server;

my $number = $ENV{SCAN_TEST_ROWS} // 1_000_000;
my $only = $ENV{SCAN_TEST_RECIPE} // '';
my $limit = 60;

# Numbers from 0 to n - 1 in no order, and prices around 100.
sub mixed { my ($n) = @_; return "(i::bigint * 7919 % 1000003 % $n)::int" }
my $price = mixed(2000) . '::numeric / 100 + 90';
my $date = "date '2000-01-01' + i";
my $minute = "timestamp '2000-01-01' + i * interval '1 minute'";
my $covid = "$date, " . join(', ', map { "i::bigint * $_" } 1 .. 8);
my $share = "i, $price";

my %rows = (

	# README.md
	'A running total that starts again' =>
		{ ledger => "i % 100, i, CASE WHEN i % 50 = 0 THEN 'opening' ELSE 'payment' END, " . mixed(900) },
	'A running total that starts again, 2' => { log => 'i, i / 7 % 5, ' . mixed(9) },
	'A running total that starts again, 3' => { season => 'i, ' . mixed(9) . ' > 3' },
	'A running total with a floor or a cap' => { warehouse => 'i, ' . mixed(19) . ' - 9' },
	'Fill gaps' => { sensor => "$minute, CASE WHEN " . mixed(9) . ' = 0 THEN i::float8 END' },
	'Sessions' => { click => "i % 1000, timestamp '2000-01-01' + i * interval '1 second' + " . mixed(3000)
			. " * interval '1 second'" },
	'Float totals that do not depend on the order of the rows' => { t => 'i, 0.1::float8 * ' . mixed(900) },
	'Moving windows' => { vix => "$date, " . join(', ', ("$price") x 4) },

	# sql/README.md
	'The total before each row' => { ledger => 'i, ' . mixed(900) },
	'A moving average, a balance with interest' => { share => $share },
	'A moving average, a balance with interest, 2' => { loan => 'i, (i % 3 - 1)::numeric, 0' },
	'MACD' => { share => $share },
	'RSI' => { share => $share },
	'ATR' => { share => "i, $price + 1, $price - 1, $price" },
	'VWAP' => { trade => "$minute, $price, " . mixed(900) },
	'Percent change' => { share => $share },
	q(Holt's double exponential smoothing) => { shop => 'i, ' . mixed(900) },
	'A decayed sum' => { vote => "$minute, " . mixed(9) },
	'A state machine' => { room => 'i, ' . mixed(30) },
	'A scan across partitions, files or shards' => { t => 'i / 1000, i, 0.1::float8 * i' },
	'An as-of join: the last quote before each trade' => {
		quote => "'acme', time '00:00' + i * (interval '80000 seconds' / :rows), $price, $price",
		trade => "'acme', time '00:00:01' + i * (interval '80000 seconds' / :rows), " . mixed(90) },
	'The rate and the increase of a counter over five minutes' =>
		{ router => "timestamp '2000-01-01' + i * interval '1 second', " . mixed(90_000) . '::bigint' },
	'An average of seven days, with days missing' => { shop => "date '2000-01-01' + i / 1000, " . mixed(30) },
	'Gapfill: a row for each hour' =>
		{ hour => "SELECT timestamp '2000-01-01' + i * interval '1 hour' FROM generate_series(0, :rows / 60) AS i",
		sensor => "$minute, " . mixed(30) },
	'Days since the last event' => { gauge => "$date, CASE WHEN " . mixed(1000) . ' = 0 THEN 1 ELSE 0 END' },
	'A balance with an overdraft fee' => { booking => "i, (" . mixed(2001) . ' - 1000)::numeric / 100' },
	'Payments to invoices, oldest first' => { invoice => '1, i, ' . mixed(9000) . '::numeric / 100',
		payment => '1, i, ' . mixed(8000) . '::numeric / 100' },
	'Different customers so far' => { visit => 'i, ' . mixed(90_000) },
	'The sum of different values so far' => { visit => 'i, ' . mixed(90_000) . ', 5' },
	'The latest row of each device' => { i => 'i::bigint' },
	'A back-test in one query' => { share => $share },
	'Kept rows packed together' => { t => 'i, ' . mixed(30) },
	'The distance from the best so far' => { share => $share },
	'A low-pass' => { sensor => mixed(30) . ', i' },
	'A recurrence in pieces' => { t => 'i / 1000, i, 0.5::float8, i::float8' },
	'A moving median' => { covid => $covid },
	'Different visitors of the last seven days' => { covid => $covid, c => undef },
	'A moving window over an array' => { t => 'SELECT array_agg(' . mixed(900)
			. '::float8) FROM generate_series(1, :rows) AS i' },
	'Gaps and islands' => { day => "$date + i / 9" },
	'Merged ranges: bookings that overlap' => { booking => "'blue', i * 10, i * 10 + " . mixed(90) },
	'Concurrent sessions' => { visit => 'i, i, i + ' . mixed(5000), event => undef },
	'Throttle: at most one event in ten minutes' =>
		{ alarm => "'door', timestamp '2000-01-01' + i * interval '7 seconds'" },
	'A line of sight' => { ground => 'i, ' . mixed(900) },
	q(Horner's rule) => { polynomial => mixed(9) . '::numeric, i' },
	'A lexer' => { text => q{(ARRAY['x', '1', ' ', '=', 'y', '2', '3', ' '])[1 + } . mixed(8) . '], i' },
	'A step of quicksort' => { t => 'SELECT i % 1000, array_agg(' . mixed(900)
			. ') FROM generate_series(1, :rows) AS i GROUP BY i % 1000', u => undef },
	'Returns and drawdowns' => { fund => 'i, (i % 2 * 2 - 1) * 0.5' },
	'A sparse matrix in a table' => { entry => 'i - 1, i % 3, i::float8', row => 'i - 1' });

# What else changes: a number whose powers have as many digits as the column has rows.
my %edit = (q(Horner's rule) => sub { s/scan_recurrence\(3,/scan_recurrence(0.5,/ });

my $server = Server->new('recipe_times');
my @recipes = Recipes::of("$FindBin::Bin/../..");
is(join(', ', grep {
	my $title = $_;
	!grep { $_->{title} eq $title } @recipes
} sort keys %rows), '', 'all rows are for recipes that there are');

for my $recipe (@recipes)
{
	my $title = $recipe->{title};
	next unless $title =~ /$only/;
	my %from = map {
		my $list = $rows{$title}{$_};
		$list = "SELECT $list FROM generate_series(1, :rows) AS i" if defined $list && $list !~ /^SELECT/;
		($_ => $list =~ s/:rows/$number/gr)
	} grep { defined $rows{$title}{$_} } keys %{ $rows{$title} };
	$from{$_} //= undef for keys %{ $rows{$title} };
	my $sql = eval { Recipes::over($recipe->{sql}, %from) };
	unless (defined $sql)
	{
		fail("$recipe->{page}: $title: $@");
		next;
	}
	if ($edit{$title}) { $edit{$title}->() for $sql }
	my ($before, $query) = Recipes::last_statement($sql);
	my $start = time;
	my (undef, $err) = $server->run(
		"LOAD 'scan'; SET statement_timeout = '${limit}s';\n$before\\o /dev/null\nCOPY (\n$query\n) TO STDOUT;\n");
	is($err, '', sprintf '%s: %s: %.1f s', $recipe->{page}, $title, time - $start);
}

done_testing();

# recipes.t: recipes of the pages over random rows, in WindowAgg and in PrefixScan, against plain loops.
#
# The text of a recipe is the page's; only the rows in it are replaced by those of a table (Recipes.pm).
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use List::Util qw(max min sum0);
use Recipes;
use Server;

my $server = Server->new('recipes');
my %sql = map { $_->{title} => $_->{sql} } Recipes::of("$FindBin::Bin/../..");
my @ways = ('off', 'force');

srand($ENV{SCAN_TEST_SEED} // 50);

# Makes a table of rows; undef is NULL.
sub table
{
	my ($name, $columns, @rows) = @_;
	my $script = "DROP TABLE IF EXISTS $name;\nCREATE TABLE $name ($columns);\nCOPY $name FROM STDIN;\n";

	$script .= join("\t", map { $_ // '\N' } @$_) . "\n" for @rows;
	$server->lines("$script\\.\n");
	return;
}

# The rows of a recipe as lists of texts, NULL as '-', where `rows` has a query for each source.
sub answer
{
	my ($way, $title, %rows) = @_;
	die "no recipe $title" unless defined $sql{$title};
	return map { [ split /\|/, $_, -1 ] } $server->lines("LOAD 'scan'; SET scan.prefixscan = $way;\n\\pset null -\n"
		. Recipes::over($sql{$title}, %rows));
}

# Compares the recipe with the rows of a loop, as texts, or as numbers that differ by no more than half of `unit`.
sub compare
{
	my ($name, $title, $rows, $wanted, $unit) = @_;
	for my $way (@ways)
	{
		my @got = answer($way, $title, %$rows);
		my @wrong = grep { !same($got[$_], $wanted->[$_], $unit) } 0 .. max($#got, $#$wanted);
		is(scalar @wrong, 0, "$title: $name, " . @$wanted . " rows, $way")
			or diag("row $wrong[0]: " . join('|', @{ $got[ $wrong[0] ] // ['none'] }) . ' instead of '
			. join('|', map { $_ // '-' } @{ $wanted->[ $wrong[0] ] // ['none'] }));
	}
	return;
}

sub same
{
	my ($got, $wanted, $unit) = @_;
	return 0 if !$got || !$wanted || @$got != @$wanted;
	for my $i (0 .. $#$got)
	{
		my ($a, $b) = ($got->[$i], $wanted->[$i] // '-');
		next if $a eq $b;
		return 0 unless $unit && "$a $b" =~ /^-?[\d.]+(?:e[-+]\d+)? -?[\d.]+(?:e[-+]\d+)?$/
			&& abs($a - $b) <= $unit * 0.5 + abs($b) * 1e-12 + 1e-12;
	}
	return 1;
}

# Cents as a text with two digits after the point.
sub money
{
	my ($cents) = @_;
	return sprintf '%d.%02d', $cents / 100, $cents % 100;
}

# ---- payments to invoices: what is due, and for each payment the invoices from the oldest on

sub allocated
{
	my ($invoices, $payments) = @_;
	my (%due, %paid, @rows);

	push @{ $due{ $_->[0] } }, [ @$_[ 1, 2 ] ] for @$invoices;
	push @{ $paid{ $_->[0] } }, [ @$_[ 1, 2 ] ] for @$payments;
	for my $customer (sort keys %{ { %due, %paid } })
	{
		my @due = grep { $_->[1] > 0 } sort { $a->[0] <=> $b->[0] } @{ $due{$customer} // [] };
		for my $payment (sort { $a->[0] <=> $b->[0] } @{ $paid{$customer} // [] })
		{
			my ($id, $left) = @$payment;
			while ($left > 0)
			{
				my $amount = @due ? min($left, $due[0][1]) : $left;
				push @rows, [ $customer, @due ? $due[0][0] : undef, $id, money($amount) ];
				$left -= $amount;
				next unless @due;
				$due[0][1] -= $amount;
				shift @due if $due[0][1] == 0;
			}
		}
		push @rows, map { [ $customer, $_->[0], undef, money($_->[1]) ] } @due;
	}
	return @rows;
}

for (
	# rows of each side, customers, the largest amount in cents
	[ 'neither side', 0, 0, 1, 1 ], [ 'no payments', 50, 0, 3, 1000 ], [ 'no invoices', 0, 50, 3, 1000 ],
	[ 'amounts that tie', 3000, 3000, 7, 4 ], [ 'one customer', 2000, 3000, 1, 500 ],
	[ 'many customers', 3000, 3000, 900, 100 ], [ 'large amounts', 5000, 5000, 5, 1e13 ],
	[ 'many rows', 20_000, 20_000, 20, 20_000 ])
{
	my ($name, $invoices, $payments, $customers, $largest) = @$_;
	my @sides = map { [ map { [ 'c' . int(rand $customers), $_, rand() < 0.1 ? 0 : int(rand($largest + 1)) ] }
		1 .. $_ ] } $invoices, $payments;
	table('due', 'customer text COLLATE "C", id int, amount numeric',
		map { [ @$_[ 0, 1 ], money($_->[2]) ] } @{ $sides[0] });
	table('paid', 'customer text COLLATE "C", id int, amount numeric',
		map { [ @$_[ 0, 1 ], money($_->[2]) ] } @{ $sides[1] });
	compare($name, 'Payments to invoices, oldest first', { invoice => 'TABLE due', payment => 'TABLE paid' },
		[ allocated(@sides) ]);
}

# ---- indicators of charts: loops of floats

# What Wilder calls an average of n: the mean of the first n, then a part of each.
sub wilder
{
	my ($n, @x) = @_;
	my ($sum, @averages) = (0);

	for my $i (0 .. $#x)
	{
		$sum += $x[$i] if $i < $n;
		push @averages, $i < $n - 1 ? undef : $i == $n - 1 ? $sum / $n : $averages[-1] * ($n - 1) / $n + $x[$i] / $n;
	}
	return @averages;
}

# An exponential moving average that begins with the first value.
sub smoothed
{
	my ($alpha, @x) = @_;
	my @y = $x[0];
	push @y, $y[-1] + $alpha * ($x[$_] - $y[-1]) for 1 .. $#x;
	return @y;
}

for ([ 'one row', 1, 9 ], [ 'few rows', 4, 9 ], [ 'prices that stay', 300, 1 ], [ 'many rows', 6000, 400 ])
{
	my ($name, $rows, $step) = @$_;
	my @price = (10_000);
	push @price, max(100, $price[-1] + int(rand 2 * $step + 1) - $step) for 2 .. $rows;
	my @range = map { [ $_ + int(rand 50), $_ - int(rand 50) ] } @price;

	my @change = map { $price[$_] - $price[ $_ - 1 ] } 1 .. $#price;
	my @rise = (undef, wilder(3, map { max($_, 0) } @change));
	my @either = (undef, wilder(3, map { abs } @change));
	my @span = map { $_ ? max($range[$_][0], $price[ $_ - 1 ]) - min($range[$_][1], $price[ $_ - 1 ])
			: $range[0][0] - $range[0][1] } 0 .. $#price;
	my @atr = wilder(3, @span);
	my @long = smoothed(2 / 27, @price);
	my @macd = map { $_ - shift @long } smoothed(2 / 13, @price);
	my @signal = smoothed(0.2, @macd);
	my ($level, $trend, @holt) = ($price[0], 0, [ 1, $price[0], $price[0], 0, $price[0] ]);
	for my $i (1 .. $#price)
	{
		my $error = $price[$i] - ($level + $trend);
		$level += $trend + 0.5 * $error;
		$trend += 0.5 * 0.3 * $error;
		push @holt, [ $i + 1, $price[$i], $level, $trend, $level + $trend ];
	}

	table('priced', 'day int, price int, high int, low int',
		map { [ $_ + 1, $price[$_], @{ $range[$_] } ] } 0 .. $#price);
	my %share = (share => 'SELECT day, price FROM priced');
	compare($name, 'MACD', \%share, [ map { [ $_ + 1, $price[$_], $macd[$_], $signal[$_] ] } 0 .. $#price ], 0.001);
	compare($name, 'RSI', { share => 'SELECT day, price / 100.0 FROM priced' },
		[ map { [ $_ + 1, money($price[$_]), $either[$_] ? 100 * $rise[$_] / $either[$_] : undef ] } 0 .. $#price ],
		0.01);
	compare($name, 'ATR', { share => 'SELECT day, high, low, price FROM priced' },
		[ map { [ $_ + 1, $span[$_], $atr[$_] ] } 0 .. $#price ], 0.01);
	compare($name, "Holt's double exponential smoothing", { shop => 'SELECT day, price FROM priced' }, \@holt, 0.01);
	compare($name, 'Percent change', \%share, [ map {
		my $i = $_;
		[ $i + 1, $price[$i], map { $i < $_ ? undef : 100 * ($price[$i] / $price[ $i - $_ ] - 1) } 1, 3 ]
	} 0 .. $#price ], 0.01) if $step == 400;
}

# ---- sums

for ([ 'few rows', 3, 9 ], [ 'many rows', 20_000, 500 ])
{
	my ($name, $rows, $largest) = @$_;
	my ($second, $day, $money, $shares, $score, @traded, @vwap, @votes, @scores) = (0, -1, 0, 0, 0);

	for my $i (1 .. $rows)
	{
		my ($pause, $price, $size) = (1 + int(rand 3000), 1 + int(rand $largest), int(rand $largest));
		$second += $pause;
		($day, $money, $shares) = (int($second / 86400), 0, 0) if int($second / 86400) != $day;
		$money += $price * $size;
		$shares += $size;
		push @traded, [ $second, money($price), $size ];
		push @vwap, [ $second, money($price), $size, $shares ? $money / 100 / $shares : undef ];
		$score = $score * 0.5**(($i > 1 ? $pause : 0) / 3600) + $size;
		push @scores, [ $second, $size, $score ];
	}
	table('traded', 'second int, price numeric, shares int', @traded);
	my $time = "timestamp '2024-01-01' + second * interval '1 second'";
	my %trade = (trade => "SELECT $time, price, shares FROM traded");
	for my $case ([ 'VWAP', { trade => "SELECT $time, price, shares FROM traded" }, \@vwap, 0.0001 ],
		[ 'A decayed sum', { vote => "SELECT $time, shares FROM traded" }, \@scores, 0.001 ])
	{
		my ($title, $from, $wanted, $unit) = @$case;
		my @by_time = map { my ($at, @rest) = @$_; [ stamp($at), @rest ] } @$wanted;
		compare($name, $title, $from, \@by_time, $unit);
	}
}

# The text of the timestamp that is some seconds after the beginning of 2024.
sub stamp
{
	my ($second) = @_;
	my @t = gmtime(1_704_067_200 + $second);
	return sprintf '%04d-%02d-%02d %02d:%02d:%02d', $t[5] + 1900, $t[4] + 1, @t[ 3, 2, 1, 0 ];
}

for ([ 'few customers', 2000, 9 ], [ 'many customers', 20_000, 9000 ], [ 'one row', 1, 1 ])
{
	my ($name, $rows, $customers) = @$_;
	my (%known, @wanted, $sum);
	my @budget = map { int rand 1000 } 1 .. $customers;
	my @visits = map { [ $_, int rand $customers ] } 1 .. $rows;
	for (@visits)
	{
		my ($at, $customer) = @$_;
		$sum += $budget[$customer] unless $known{$customer}++;
		push @wanted, [ $at, $customer, $budget[$customer], $sum ];
	}
	table('visited', 'at int, customer int, budget int', map { [ @$_, $budget[ $_->[1] ] ] } @visits);
	compare($name, 'The sum of different values so far', { visit => 'TABLE visited' }, \@wanted);
	my %seen;
	compare($name, 'Different customers so far', { visit => 'SELECT at, customer FROM visited' }, [ map {
		$seen{ $_->[1] } = 1;
		[ @$_, scalar keys %seen ]
	} @visits ]);
}

# ---- days

for ([ 'dry', 500, 0.01 ], [ 'wet', 500, 0.6 ], [ 'none', 0, 0 ])
{
	my ($name, $rows, $wet) = @$_;
	my ($day, $before, $rained, @wanted) = (0);
	for (1 .. $rows)
	{
		my $rain = rand() < $wet ? 1 + int rand 9 : rand() < 0.1 ? undef : 0;
		$day += 1 + int rand 3;
		$rained = $day if $rain;
		push @wanted, [ substr(stamp(86400 * $day), 0, 10), $rain, defined $rained ? $day - $rained : undef,
			defined $before ? $day - $before : undef ];
		$before = $day;
	}
	table('measured', 'day date, rain int', map { [ @$_[ 0, 1 ] ] } @wanted);
	compare($name, 'Days since the last event', { gauge => 'TABLE measured' }, \@wanted);
}

# ---- ranges: loops over their ends

for (
	# ranges, rooms, the longest, when the last begins
	[ 'no range', 0, 1, 1, 1 ], [ 'one range', 1, 1, 5, 5 ], [ 'ranges that tie', 400, 5, 3, 60 ],
	[ 'short ranges', 3000, 3, 9, 9000 ], [ 'long ranges', 3000, 2, 4000, 30_000 ])
{
	my ($name, $rows, $rooms, $longest, $last) = @$_;
	my @ranges = map {
		my $begins = int rand $last;
		[ 'r' . int(rand $rooms), $begins, $begins + int(rand($longest + 1)) ]
	} 1 .. $rows;
	my (%merged, @merged);
	for (sort { $a->[0] cmp $b->[0] || $a->[1] <=> $b->[1] } @ranges)
	{
		my ($room, $begins, $ends) = @$_;
		push @merged, $merged{$room} = [ $room, $begins, $ends ] if !$merged{$room} || $begins > $merged{$room}[2];
		$merged{$room}[2] = max($merged{$room}[2], $ends);
	}
	table('booked', 'room text COLLATE "C", begins int, ends int', @ranges);
	compare($name, 'Merged ranges: bookings that overlap', { booking => 'TABLE booked' }, \@merged);

	my ($visitors, @visitors) = (0);
	for (sort { $a->[0] <=> $b->[0] || $a->[1] <=> $b->[1] }
		map { ([ $_->[1], 1 ], rand() < 0.1 ? ($_->[2] = undef) x 0 : [ $_->[2], -1 ]) } @ranges)
	{
		$visitors += $_->[1];
		push @visitors, [ $_->[0], $visitors ];
	}
	table('visiting', 'visitor text, begins int, ends int', @ranges);
	compare($name, 'Concurrent sessions', { visit => 'TABLE visiting', event => undef }, \@visitors);
}

# ---- events: those that ring, and how many an hour has

for ([ 'no event', 0, 1, 1 ], [ 'one event', 1, 1, 1 ], [ 'events that tie', 1000, 3, 2 ],
	[ 'rare events', 1000, 3, 3000 ], [ 'many events', 20_000, 9, 150 ])
{
	my ($name, $rows, $sensors, $pause) = @$_;
	my ($second, %rang, %rings, @events, %readings, %highest) = (0);
	for (1 .. $rows)
	{
		$second += int rand $pause + 1;
		my $sensor = 's' . int rand $sensors;
		push @events, [ $sensor, stamp($second), my $degrees = int rand 40 ];
		$readings{ int $second / 3600 }++;
		$highest{ int $second / 3600 } = max($degrees, $highest{ int $second / 3600 } // 0);
		next if defined $rang{$sensor} && $second < $rang{$sensor} + 600;
		$rang{$sensor} = $second;
		push @{ $rings{$sensor} }, [ $sensor, 1 + @{ $rings{$sensor} // [] }, stamp($second) ];
	}
	table('happened', 'sensor text COLLATE "C", at timestamp, degrees int', @events);
	compare($name, 'Throttle: at most one event in ten minutes', { alarm => 'SELECT sensor, at FROM happened' },
		[ map { @{ $rings{$_} } } sort keys %rings ]);
	my ($degrees, $hours) = (undef, int($second / 3600) + 1);
	compare($name, 'Gapfill: a row for each hour',
		{ sensor => 'SELECT at, degrees FROM happened', hour =>
				"SELECT timestamp '2024-01-01' + hour * interval '1 hour' FROM generate_series(0, $hours) AS hour" },
		[ map { [ stamp(3600 * $_), $readings{$_} // 0, $degrees = $highest{$_} // $degrees ] } 0 .. $hours ]);
}

done_testing();

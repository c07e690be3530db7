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
	return map { [ split /\|/, $_, -1 ] } $server->lines("LOAD 'scan'; SET scan.prefixscan = $way;\n\\pset null -\n" . Recipes::over($sql{$title}, %rows));
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
			or diag("row $wrong[0]: " . join('|', @{ $got[ $wrong[0] ] // ['none'] }) . ' instead of ' . join('|', map { $_ // '-' } @{ $wanted->[ $wrong[0] ] // ['none'] }));
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
		return 0 unless $unit && "$a $b" =~ /^-?[\d.]+(?:e[-+]\d+)? -?[\d.]+(?:e[-+]\d+)?$/ && abs($a - $b) <= $unit * 0.5 + abs($b) * 1e-12 + 1e-12;
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
	[ 'neither side', 0, 0, 1, 1 ], [ 'no payments', 50, 0, 3, 1000 ], [ 'no invoices', 0, 50, 3, 1000 ], [ 'amounts that tie', 3000, 3000, 7, 4 ], [ 'one customer', 2000, 3000, 1, 500 ],
	[ 'many customers', 3000, 3000, 900, 100 ], [ 'large amounts', 5000, 5000, 5, 1e13 ], [ 'many rows', 50_000, 50_000, 20, 20_000 ])
{
	my ($name, $invoices, $payments, $customers, $largest) = @$_;
	my @sides = map { [ map { [ 'c' . int(rand $customers), $_, rand() < 0.1 ? 0 : int(rand($largest + 1)) ] } 1 .. $_ ] } $invoices, $payments;
	table('due', 'customer text COLLATE "C", id int, amount numeric', map { [ @$_[ 0, 1 ], money($_->[2]) ] } @{ $sides[0] });
	table('paid', 'customer text COLLATE "C", id int, amount numeric', map { [ @$_[ 0, 1 ], money($_->[2]) ] } @{ $sides[1] });
	compare($name, 'Payments to invoices, oldest first', { invoice => 'TABLE due', payment => 'TABLE paid' }, [ allocated(@sides) ]);
}

done_testing();

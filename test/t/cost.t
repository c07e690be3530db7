# cost.t: scan_cost against a queue, a stack and an average in Python's Decimal,
# in test/t/cost.py, and books that balance.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Server;

plan skip_all => 'no python3 on this machine' if system('python3 -c "import decimal" >/dev/null 2>&1') != 0;

my $server = Server->new('cost');
$ENV{PGDATABASE} = $server->{database};
my @lines = `python3 "$FindBin::Bin/cost.py" "$Server::psql"`;
is($?, 0, 'the program of the oracle ran');
for (@lines)
{
	/^(\d+) rows of (.*), (\d+) wrong: ?(.*)$/ or next;
	is($3, 0, "$1 rows of $2") or diag($4);
}
is(scalar(grep { /rows of/ } @lines), 96, 'all kinds of movements were compared');

# A warehouse of 1,000 products: what comes in, less later, and at last all that is left.  What went out has cost what
# came in, to the last digit; and before the last row, with what is left at its value.
my $movements = $ENV{SCAN_TEST_ROWS} // 1_000_000;
my $of = int($movements / 1000);
$server->lines(<<"SQL");
SELECT setseed(0.5);
CREATE TABLE book AS
SELECT product, i, CASE WHEN i % 2 = 1 THEN q
  ELSE -round(lag(q) OVER (PARTITION BY product ORDER BY i) * share, 2) END AS quantity, price
FROM (SELECT product, i, (1 + random() * 500)::numeric(8, 2) AS q, (random() * 90 + 0.01)::numeric(9, 4) AS price,
  random()::numeric AS share
      FROM generate_series(1, 1000) AS product, generate_series(1, $of) AS i) AS s;
INSERT INTO book SELECT product, 1000000, -sum(quantity), NULL FROM book GROUP BY product HAVING sum(quantity) > 0;
VACUUM ANALYZE book;
SQL
for my $method ('fifo', 'lifo', 'average')
{
	for my $way ('SET scan.prefixscan = off', 'SET scan.prefixscan = force; SET scan.debug_require = node',
		"SET scan.prefixscan = force; SET scan.work_mem = '1MB'")
	{
		my $answer = $server->value(<<"SQL");
LOAD 'scan'; SET jit = off; $way;
SELECT bool_and(went_out = came_in AND out_before + all_that_is_left = came_in) || ' ' || count(*) || ' ' ||
  md5(string_agg(went_out::text || out_before, ' ' ORDER BY product))
FROM (SELECT product, sum(cost) AS went_out, sum(quantity * price) FILTER (WHERE quantity > 0) AS came_in,
             sum(cost) FILTER (WHERE i < 1000000) AS out_before,
             sum(cost) FILTER (WHERE i = 1000000) AS all_that_is_left
      FROM (SELECT product, i, quantity, price, scan_cost(quantity, price, '$method')
        OVER (PARTITION BY product ORDER BY i) AS cost FROM book) AS s GROUP BY product) AS t
SQL
		like($answer, qr/^true 1000 /, "$movements movements, $method, $way: cost out + value left = cost in");
	}
}

# ---- errors

sub error
{
	my ($out, $err) = $server->run("\\set VERBOSITY verbose\nLOAD 'scan'; $_[0]");
	$err =~ s/^psql:[^ ]* //mg;
	$err =~ s/\nLOCATION.*//s;
	return $err;
}

for my $node ('off', 'force')
{
	my $set = "SET scan.prefixscan = $node;";
	my $from = 'FROM (VALUES (1, 5, 2.5), (2, -3, NULL), (3, 1.5, 4), (4, -5, NULL)) AS t (i, q, p)';
	my $missing = "ERROR:  22023: argument \"quantity\" takes out more than the stock has: 1.5 is missing\n"
		. "DETAIL:  The row takes out 5, and the stock has 3.5.\nHINT:";
	like(error("$set SELECT scan_cost(q, p, '$_') OVER (ORDER BY i) $from"), qr/^\Q$missing\E/,
		"$_, $node: more than there is") for 'fifo', 'lifo', 'average';
	is($server->value("LOAD 'scan'; $set SELECT string_agg(coalesce(c::text, '-'), ' ') FROM (SELECT scan_cost(q, p) "
			. "OVER (ORDER BY i) AS c $from LIMIT 3) AS s"), '- 7.5 -', "$node: not before its row");
	like(error("$set SELECT scan_cost(-1, 1) OVER ()"),
		qr/22023: .*: 1 is missing\nDETAIL:  The row takes out 1, and the stock has 0\./, "$node: nothing there");
	like(error("$set SELECT scan_cost(q, p, reset => i = 2) OVER (ORDER BY i) $from"), qr/: 3 is missing/,
		"$node: forgotten by a reset");
	like(error("$set SELECT scan_cost(1, 1, 'FIFO') OVER ()"),
		qr/22023: argument "method" must be 'fifo', 'lifo' or 'average': "FIFO"/, "$node: method");
	like(error("$set SELECT scan_cost(1, 1, NULL) OVER ()"), qr/22004: .*"method"/, "$node: method NULL");
	like(error("$set SELECT scan_cost(1, 1, CASE WHEN i = 1 THEN 'fifo' ELSE 'lifo' END) OVER (ORDER BY i) $from"),
		qr/argument "method" must not change within a partition/, "$node: method changes");
	like(error("$set SELECT scan_cost($_, 1) OVER ()"), qr/22023: argument "quantity" must be finite/,
		"$node: quantity $_") for "'NaN'", "'Infinity'", "'-Infinity'";
	like(error("$set SELECT scan_cost(1, $_) OVER ()"), qr/22023: argument "price" must be finite/, "$node: price $_")
		for "'NaN'", "'-Infinity'";
	is($server->value("LOAD 'scan'; $set SELECT string_agg(coalesce(c::text, '-'), ' ') "
			. "FROM (SELECT scan_cost(q, p) OVER (ORDER BY i) AS c FROM (VALUES (1, 2, 5.00), (2, -1, 'NaN'), "
			. "(3, 0, 'Infinity'), (4, NULL, 'NaN'), (5, 9, NULL), (6, -1, 0)) AS t (i, q, p)) AS s"),
		'- 5.00 - - - 5.00', "$node: a price is looked at where something comes in");
}
done_testing();

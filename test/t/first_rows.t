# first_rows.t: the first row of each partition, over random tables.
#
# The node reads the keys of a page's rows first, and the other columns of those rows that are kept.  So the tables
# differ in where the keys stand, in what stands before them, and in what is on their pages: NULLs, rows that were
# deleted or updated, rows from before a column was added, values that are stored out of line.  The oracle is WindowAgg
# with ctid as the last key: of rows that tie the first one of the input is kept.
#
#   SCAN_TEST_QUERIES=100000 SCAN_TEST_SEED=7 test/cluster.sh prove -v test/t/first_rows.t
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Server;

my $count = $ENV{SCAN_TEST_QUERIES} // 240;
my $seed = $ENV{SCAN_TEST_SEED} // 20261128;
my $each = 12; # queries of a table
my $server = Server->new('first_rows');

srand $seed;
sub one { return $_[ int rand @_ ] }
sub chance { return rand(100) < $_[0] }

# Expressions of a random value r, which is at least 0 and below a limit.
my %key = (int2 => '(%s %% 30000 - 9000)::int2', int4 => '(%s * 97 - 4000)::int4', int8 => '%s * 6000000007 - 900',
	date => q{date '2000-01-01' + (%s)::int},
	bool => '%s %% 2 = 0', '"char"' => '(%s %% 90)::int::"char"', oid => '(%s)::int::oid',
	timestamptz => q{timestamptz '2024-01-01' + %s * interval '1 ms'},
	float8 => '(%s / 3)::float8', text => q{'k' || %s}, numeric => '(%s %% 50)::numeric / 2');
my %order = (%key, float4 => '(%s %% 7 - 3)::float4', time => q{time '0:00' + %s * interval '1 ms'}, int4 => '%s::int4',
	int8 => q{CASE %s %% 5 WHEN 0 THEN 9223372036854775807 WHEN 1 THEN -9223372036854775808 ELSE 5 END},
	timestamp => q{CASE %s %% 4 WHEN 0 THEN timestamp 'infinity' ELSE timestamp '-infinity' END});
my %payload = (text => q{repeat(md5(i::text), (random() * 4)::int)},
	wide => q{(SELECT string_agg(md5((i * 90 + x)::text), '') FROM generate_series(1, 90) AS x)}, int8 => 'i::int8',
	numeric => 'i * 1.25', int2 => '(i % 999)::int2', bool => 'i % 3 = 0', float8 => 'i / 7.0::float8',
	name => q{('n' || i)::name});

# A column: its values, some of them NULL, perhaps only those that come late.
sub column
{
	my ($name, $type, $value, $rows) = @_;
	my $nulls = one(0, 0, 0, 1, 30);
	my $from = chance(50) ? 0 : int rand $rows;

	return ($type eq 'wide' ? 'text' : $type,
		$nulls ? "CASE WHEN i < $from OR random() * 100 >= $nulls THEN $value END AS $name" : "$value AS $name");
}

# A table t with p, p2, o, o2 and payload columns in any order, and dead rows among the others.
sub table
{
	my $rows = one(0, 1, 3, 200, 1000, 3000, 9000);
	my $most = one(2, 20, 300, $rows + 1, $rows / 3 + 1, $rows / 3 + 1);
	my $partitions = 1 + int(chance(50) ? $most : rand $most);
	my $moments = one(1, 5, 1000, 1000000);
	my $moment = one("random() * $moments", "random() * $moments", "i %% $moments", "($rows - i) %% $moments");
	my %column;
	for my $name ('p', 'p2')
	{
		my $type = one(sort keys %key);
		$column{$name} =
			[ column($name, $type, "($key{$type})" =~ s/%s/floor(random() * $partitions)::int8/r =~ s/%%/%/gr, $rows) ];
	}
	for my $name ('o', 'o2')
	{
		my $type = one(sort keys %order);
		$column{$name} = [ column($name, $type, "($order{$type})" =~ s/%s/floor($moment)::int8/r =~ s/%%/%/gr, $rows) ];
	}
	for my $c (1 .. int rand 5)
	{
		my $type = one(sort keys %payload);
		$column{"x$c"} = [ column("x$c", $type, $payload{$type}, $rows) ];
	}
	my @names = sort { rand() <=> 0.5 } sort keys %column;
	my $temporary = chance(15) ? 'TEMPORARY ' : '';
	my $sql = "DROP TABLE IF EXISTS t; SELECT setseed(@{[rand]}); "
		. "CREATE ${temporary}TABLE t WITH (autovacuum_enabled = off) AS SELECT "
		. join(', ', map { $column{$_}[1] } @names) . " FROM generate_series(1, $rows) AS i;\n";
	if (chance(30))
	{
		my $share = one(3, 20, 90);
		$sql .= "DELETE FROM t WHERE random() * 100 < $share;\n";
	}
	$sql .= "UPDATE t SET o2 = o2 WHERE random() < 0.2;\n" if chance(25);
	if (chance(20))
	{
		$sql .= "ALTER TABLE t ADD COLUMN late int@{[one('', ' DEFAULT 7')]}, ADD COLUMN later text;\n"
			. "INSERT INTO t SELECT * FROM t LIMIT 100; UPDATE t SET late = random() * 9 WHERE random() < 0.1;\n";
		push @names, 'late', 'later';
	}
	$sql .= 'ALTER TABLE t DROP COLUMN ' . (splice @names, (grep { $names[$_] =~ /^x/ } 0 .. $#names)[0], 1) . ";\n"
		if chance(15) && grep { /^x/ } @names;
	$sql .= one('ANALYZE t', 'VACUUM (ANALYZE) t', 'VACUUM t', 'SELECT 1') . ";\n";
	return ($sql, @names);
}

# A query and its oracle.
sub query
{
	my (@names) = @_;
	my @keys = chance(75) ? ('p') : chance(50) ? ('p', 'p2') : ('p2');
	my @order = map { $_ . one('', ' DESC') . one('', '', ' NULLS FIRST', ' NULLS LAST') } chance(70)
		? ('o') : chance(70) ? ('o', 'o2') : chance(50) ? ('o2') : ();
	if (chance(50) && grep { $_ eq 'late' } @names) { $_ = s/^(?:p|o)\b/late/r for one(\@keys, \@order)->@*; }
	my $list = chance(40) ? '*' : join ', ', @keys, grep { chance(40) } grep { /^[^pl]/ } @names;
	# what the scan adds to the table's row, and what it computes
	$list .= one(', 7 AS seven', q{, 'seven'::text AS seven}, ', NULL::int AS none', ', o IS NULL AS computed')
		if chance(25);
	my $where = chance(20) ? ' WHERE '
		. one('o2 IS NOT NULL', 'p IS NOT NULL', 'p2 IS NULL', 'o IS NOT NULL OR p2 IS NOT NULL') : '';
	my $most = chance(85) ? 1 : 1 + int rand 10;
	my $keys = join ', ', @keys;
	my $hash = 'SELECT count(*), sum(hashtextextended(s::text, 1)::numeric) FROM';
	my $distinct = chance(30);
	my $build = sub {
		my @by = (@order, @_);
		return "$hash (SELECT DISTINCT ON ($keys) $list FROM t$where ORDER BY " . join(', ', @keys, @by) . ') AS s'
			if $distinct;
		my $by = @by ? ' ORDER BY ' . join ', ', @by : '';
		return "$hash (SELECT * FROM (SELECT $list, row_number() OVER (PARTITION BY $keys$by) AS r FROM t$where) AS a "
			. "WHERE r <= $most) AS s";
	};
	my ($ours, $theirs) = ($build->(), $build->('ctid'));

	# the table is read again for each row of another
	if (chance(10)) { $_ = "SELECT array_agg(a::text ORDER BY v) FROM (VALUES (1), (2), (3)) AS c (v), LATERAL ("
		. s/AS s$/AS s WHERE length(s::text) > v/r . ') AS a' for $ours, $theirs; }
	return ($ours, $theirs);
}

my ($differ, $answered, $by_keys, @shown) = (0, 0, 0);
for my $trial (1 .. $count / $each)
{
	my ($table, @names) = table();
	my @queries = map { [ query(@names) ] } 1 .. $each;
	my $script = "LOAD 'scan'; SET client_min_messages = error; SET jit = off; SET max_parallel_workers_per_gather = "
		. "0; SET synchronize_seqscans = off; SET enable_indexscan = off;\n$table";
	for my $query (@queries)
	{
		my $memory = one('', "SET scan.work_mem = '64kB';", "SET scan.work_mem = '1MB';");
		$script .= "SET scan.prefixscan = off; SELECT 'wanted', (SELECT w::text FROM ($query->[1]) AS w);\n";
		$script .= "SET scan.prefixscan = force; $memory EXPLAIN (COSTS OFF) $query->[0]; "
			. "SELECT 'got', (SELECT w::text FROM ($query->[0]) AS w); RESET scan.work_mem;\n";
	}
	my ($out, $err) = $server->run($script, go_on => 1);
	my @wanted = $out =~ /^wanted\|(.*)$/mg;
	my @got = $out =~ /^got\|(.*)$/mg;
	$answered += @wanted;
	$by_keys += () = $out =~ /^ *Keeps: rows up to row number 1 of each partition$/mg;
	for my $q (0 .. $#queries)
	{
		next if defined $got[$q] && defined $wanted[$q] && $got[$q] eq $wanted[$q];
		$differ++;
		push @shown, "$table$queries[$q][0];\n-- got " . ($got[$q] // 'nothing') . ', wanted '
			. ($wanted[$q] // 'nothing') . "\n" . ($err =~ s/\n.*//sr) if @shown < 3;
	}
}
# Memory is full, and the rows are divided, when the keys of the next ones have been read.
my $full = 'SELECT count(*), sum(hashtextextended(s::text, 1)::numeric) '
	. 'FROM (SELECT DISTINCT ON (p) * FROM full_of_rows ORDER BY p, o) AS s';
my ($wanted, $got) = $server->lines(<<"SQL");
LOAD 'scan'; SET client_min_messages = error; SET jit = off; SET max_parallel_workers_per_gather = 0;
SET scan.work_mem = '1MB';
CREATE TABLE full_of_rows AS SELECT i % 3000 AS p, i AS o, repeat(md5(i::text), 16) AS x
  FROM generate_series(1, 8000) AS i;
ANALYZE full_of_rows;
SET scan.prefixscan = off;
$full;
SET scan.prefixscan = force;
$full;
SQL
is($got, $wanted, 'memory is full');
# Rows of which the scan adds a part, and rows that do not come from a scan alone, whose keys are not read first.
for my $from ('SELECT p, o, x FROM full_of_rows UNION ALL SELECT p + 1500, -o, x FROM full_of_rows',
	'SELECT p, o, x FROM full_of_rows UNION ALL SELECT 7, -o, NULL FROM full_of_rows',
	q{SELECT p, o, x, 7 AS seven, 'seven'::text AS word, NULL::int AS none FROM full_of_rows OFFSET 0},
	'SELECT p, o, x FROM full_of_rows WHERE o BETWEEN 100 AND 6000',
	'SELECT p % 7 AS p, -o AS o, x, 5 AS c FROM full_of_rows')
{
	my $query = "SELECT count(*), sum(hashtextextended(s::text, 1)::numeric) "
		. "FROM (SELECT DISTINCT ON (p) * FROM ($from) AS f ORDER BY p, o) AS s";
	my ($core, $node) = $server->lines(<<"SQL");
LOAD 'scan'; SET client_min_messages = error; SET jit = off; SET max_parallel_workers_per_gather = 0;
SET enable_seqscan = @{[$from =~ /BETWEEN/ ? 'off' : 'on']};
CREATE INDEX IF NOT EXISTS full_of_rows_o ON full_of_rows (o);
SET scan.prefixscan = off;
$query;
SET scan.prefixscan = force;
$query;
SQL
	is($node, $core, "rows of $from");
}
is($answered, $each * int($count / $each), "all queries are answered (seed $seed)");
cmp_ok($by_keys, '>', $count / 2, 'most of them keep first rows');
is($differ, 0, 'no answer differs') or diag(join "\n", @shown);
done_testing();

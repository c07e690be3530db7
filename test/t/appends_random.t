# appends_random.t: random tables and indexes below random Appends, Results and Subquery Scans,
# with PrefixScan and without.
#
# A table has the columns in a random order, some dropped, some added later with a default, and rows with NULLs, dead
# ones and none.  Such tables are partitions, children, or arms of UNION ALL with constants, expressions and subqueries.
# The windows read plain columns, so that the node reads pages wherever it can.
#
#   SCAN_TEST_QUERIES=20000 SCAN_TEST_SEED=7 test/cluster.sh prove -v test/t/appends_random.t
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Server;

my $count = $ENV{SCAN_TEST_QUERIES} // 400;
my $seed = $ENV{SCAN_TEST_SEED} // 52;
my $server = Server->new('appends_random');
srand $seed;

sub one_of { return $_[ rand @_ ] }
sub chance { return rand(100) < $_[0] }

sub shuffled
{
	my @list = @_;
	for my $i (reverse 1 .. $#list)
	{
		my $j = int rand($i + 1);
		@list[ $i, $j ] = @list[ $j, $i ];
	}
	return @list;
}

# ---- tables

my %type = (id => 'int', k => 'int2', b => 'bool', v => 'int8', f => 'float8', n => 'numeric', t => 'text',
	d => 'timestamptz', u => 'uuid');
my %value = (
	id => '%s', k => '%s %% 7', b => '%s %% 3 = 0', v => '%s * 5', f => '%s / 4.0', n => '%s / 3.0',
	t => "repeat('x', (%s %% 9)::int) || %s",
	d => "'2024-01-01'::timestamptz + %s * interval '1 min'", u => "md5(%s::text)::uuid");

my @names = sort keys %type;

# Rows with these numbers for a table; `columns`: those that it has.
sub rows
{
	my ($table, $from, $to, @columns) = @_;
	my $nulls = one_of(0, 0, 0, 4, 17);
	my @out = map {
		my $value = $value{$_} =~ s/%s/i/gr =~ s/%%/%/gr;
		$_ ne 'id' && $nulls
			&& chance(60) ? "CASE WHEN (i + " . int(rand 9) . ") % $nulls > 0 THEN $value END" : $value;
	} @columns;
	return "INSERT INTO $table (" . join(', ', @columns) . ') SELECT ' . join(', ', @out)
		. " FROM generate_series($from, $to - 1) AS i;\n";
}

# A table with all columns; `late` ones are added after some rows.
sub table
{
	my ($name, $from, $to) = @_;
	my @columns = shuffled(@names);
	my @late = chance(40) ? grep({ $_ ne 'id' } splice(@columns, -2)) : ();
	@columns = ('id', grep { $_ ne 'id' } @columns) if !grep { $_ eq 'id' } @columns;
	my $middle = $from + int rand($to - $from);
	my @all = map { "$_ $type{$_}" } @columns;
	splice @all, rand @all, 0, 'gone ' . one_of('int', 'text', 'int8') if chance(50);
	my $sql = "CREATE TABLE $name (" . join(', ', @all) . ") WITH (autovacuum_enabled = off);\n"
		. rows($name, $from, $middle, @columns);
	# updates before the index leave HOT chains without the root's key, and those after it chains that it leads to
	$sql .= "CREATE INDEX ON $name ($_);\n" for grep {
		my $key = $_;
		chance(40) && !grep { $key =~ /\b$_\b/ } @late
	} 'id', 'k, id', 'v', 't DESC';
	$sql .= "ALTER TABLE $name DROP gone;\n" if grep { /^gone/ } @all;
	for my $column (@late)
	{
		$sql .= "ALTER TABLE $name ADD $column $type{$column}"
			. (chance(50) ? ' DEFAULT ' . ($value{$column} =~ s/%s/77/gr =~ s/%%/%/gr) : '') . ";\n";
		push @columns, $column;
	}
	my %has = map { $_ => 1 } @columns;
	$sql .= "ALTER TABLE $name ADD $_ $type{$_};\n" for grep { !$has{$_} } @names;
	$sql .= rows($name, $middle, $to, @names) if chance(80);
	$sql .= "DELETE FROM $name WHERE id % " . one_of(2, 3, 50) . " = 1;\n" if chance(30);
	$sql .= "UPDATE $name SET v = -v WHERE id % 5 = 2;\n" if chance(30);
	$sql .= "DELETE FROM $name;\n" if chance(5);
	$sql .= "VACUUM $name;\n" if chance(30);
	return $sql;
}

my $columns = join ', ', map { "$_ $type{$_}" } 'id', shuffled(grep { $_ ne 'id' } @names);
my $tables = "CREATE TABLE parted ($columns) PARTITION BY RANGE (id);\n";
for my $i (0 .. 4)
{
	my ($from, $to) = map { $_ * 400 } $i, $i + 1;
	$tables .= table("part_$i", $from, $to)
		. "ALTER TABLE parted ATTACH PARTITION part_$i FOR VALUES FROM ($from) TO ($to);\n";
	$tables .= table("alone_$i", 0, one_of(3, 60, 500, 1500));
}
$tables .= "CREATE TABLE parent ($columns);\n" . rows('parent', 5000, 5300, @names);
$tables .= table("child_$_", 5300 + $_ * 300, 5600 + $_ * 300) . "ALTER TABLE child_$_ INHERIT parent;\n" for 0 .. 2;
$tables .= "CREATE TABLE params AS SELECT i AS lo, i * 300 AS hi FROM generate_series(0, 7) AS i;\nANALYZE;\n";
$server->lines($tables);

# ---- queries

sub name { return one_of('parted', 'parent', map { ("alone_$_", "part_$_") } 0 .. 4) }

# A condition on a row, of few columns; `outer`: with a column of a row outside.
sub condition
{
	my ($outer) = @_;
	my @inside = ('id % 3 = 1', 'v > 900', 'NOT b', 't < \'xxx\'', 'id BETWEEN 300 AND 900', 'id = 7', 'n IS NULL',
		'f < 250', 'k IN (1, 2)', 'false', '(SELECT true)');
	return one_of($outer ? ('k = lo', 'id BETWEEN lo * 200 AND hi', 'id < hi') : @inside);
}

# An expression of a type, constants and NULL included.
sub expression
{
	my ($column) = @_;
	my $other = one_of('id', 'k', 'v');
	my $constant = $value{$column} =~ s/%s/int(rand 99)/gre =~ s/%%/%/gr;
	return one_of(($column) x 5, "NULL::$type{$column}", "($constant)::$type{$column}",
		"($value{$column})::$type{$column}" =~ s/%s/$other/gr =~ s/%%/%/gr);
}

# A SELECT of some columns: text.
sub arm
{
	my ($depth, $outer, @wanted) = @_;
	my $from = name();
	my $where = chance(35) ? ' WHERE ' . condition($outer && chance(60)) : '';
	my $inner = $depth > 0 && chance(30);

	$from = '(' . one_of('SELECT *', 'SELECT ' . join ', ', shuffled(@names)) . " FROM $from$where"
		. one_of('', ' OFFSET 0', ' OFFSET 0', ' LIMIT 300') . ') AS inner_' if $inner;
	return 'SELECT ' . join(', ', map { chance(70) ? $_ : expression($_) . " AS $_" } @wanted) . " FROM $from"
		. ($inner && chance(70) ? '' : $where);
}

sub source
{
	my ($outer, @wanted) = @_;
	my $arms = one_of(1, 1, 2, 2, 3, 5);

	return name() if chance(25);
	return '(' . join(' UNION ALL ', map {
		my $sql = arm(1, $outer, @wanted);
		$sql =~ /LIMIT/ && $sql !~ /\) AS inner_/ ? "($sql)" : $sql
	} 1 .. $arms) . one_of('', '', ' OFFSET 0') . ') AS s';
}

sub query
{
	my $outer = chance(20);
	my @wanted = (shuffled(@names))[ 0 .. int rand 5 ];
	unshift @wanted, 'id' if !grep { $_ eq 'id' } @wanted;
	my $over = one_of('ROWS UNBOUNDED PRECEDING', 'PARTITION BY ' . one_of(@wanted), 'ORDER BY ' . join(', ', @wanted),
		'PARTITION BY ' . one_of(@wanted) . ' ORDER BY ' . join(', ', shuffled(@wanted)),
		'ORDER BY ' . one_of(@wanted) . ' DESC');
	my $function = one_of('count(*)', map { ("count($_)", "max(${_}::text)", "lag($_)", "first_value($_)") } @wanted);
	$function = 'count(*)' if $function =~ /lag|first/ && $over !~ /ORDER BY.*,|ROWS/;
	my $sql = 'SELECT ' . join(', ', shuffled(@wanted)) . ", $function OVER ($over) AS y FROM "
		. source($outer, @wanted) . (chance(30) ? ' WHERE ' . one_of(map { "$_ IS NOT NULL" } @wanted) : '');

	$sql .= ' LIMIT ' . int rand 900 if $over =~ /^ROWS/ && chance(40);
	return $outer ? "SELECT lo, l.* FROM params, LATERAL ($sql) AS l" : $sql;
}

my @queries = map { query() } 1 .. $count;
# rows that tie come in any order: rows are compared in an order of their own
my $script = <<'SQL';
LOAD 'scan';
SET jit = off;
SET max_parallel_workers_per_gather = 0;
CREATE FUNCTION answer(q text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE y text;
BEGIN
  EXECUTE 'SELECT count(*) || '' '' || coalesce(md5(string_agg(r, ''|'' ORDER BY r COLLATE "C")), ''-'') '
    'FROM (SELECT r::text AS r FROM (' || q || ') AS r OFFSET 0) AS r' INTO y;
  RETURN y;
EXCEPTION WHEN OTHERS THEN
  RETURN 'error ' || SQLERRM;
END $$;
CREATE FUNCTION way(q text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE line text; plan text := '';
BEGIN
  FOR line IN EXECUTE 'EXPLAIN (VERBOSE, COSTS OFF) ' || q LOOP
    plan := plan || line;
  END LOOP;
  RETURN substring(plan FROM 'Input: ((?:pages|rows|blocks| and )+)') ||
    CASE WHEN plan ~ 'Index Scan' THEN ' of an index scan' ELSE '' END;
EXCEPTION WHEN OTHERS THEN
  RETURN 'error';
END $$;
SQL
my @methods = ('seqscan', 'sort', 'bitmapscan', 'hashagg');
for my $sql (@queries)
{
	my $by_index = chance(40) ? 'off' : 'on';
	$script .= join '', map { "SET enable_$_ = $by_index; " } @methods;
	$script .= "SET scan.prefixscan = off; SELECT answer(\$q\$$sql\$q\$); SET scan.prefixscan = force; "
		. "SELECT answer(\$q\$$sql\$q\$), way(\$q\$$sql\$q\$);\n";
}
my @lines = $server->lines($script);
my (@wrong, %ways);
my $errors = 0;
for my $i (0 .. $#queries)
{
	my ($off, $force) = @lines[ 2 * $i, 2 * $i + 1 ];
	my ($answer, $way) = $force =~ /^(.*)\|(.*)$/ ? ($1, $2) : ($force, '');

	$ways{$way}++;
	$errors++ if $off =~ /^error/;
	note("$off\n   $queries[$i]") if $off =~ /^error/;
	push @wrong, "$queries[$i]\n  off: $off\n  force: $force" if $answer ne $off;
}
is(scalar @lines, 2 * @queries, 'all are answered');
is(scalar @wrong, 0, "$count queries (seed $seed) are the same")
	or diag(join "\n", @wrong[ 0 .. ($#wrong < 5 ? $#wrong : 5) ]);
diag(join ', ', "$errors errors", map { "$ways{$_} by $_" } sort { $ways{$b} <=> $ways{$a} } keys %ways);
cmp_ok($ways{pages} // 0, '>', 0.3 * $count, 'many read pages');
cmp_ok($ways{'pages and rows'} // 0, '>', 0.01 * $count, 'some read pages and rows');
cmp_ok($ways{'pages of an index scan'} // 0, '>', 0.05 * $count, 'some read pages by an index');
cmp_ok($errors, '<', 0.02 * $count, 'few fail');
done_testing();

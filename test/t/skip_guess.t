# skip_guess.t: an index skip whose number of groups was a guess, or was estimated from statistics of other rows.
#
# Without statistics the planner does not choose the skip by itself.  Autovacuum analyses the partitions of a table but
# not the table, so what is known of the partitions counts.  Where statistics are old, the node reads on through the
# index if groups have few rows, and starts anew by core's plan once its descents have taken the time of that plan.
# Rows are compared with those of core.  How long queries take is measured by test/bench/latest.py.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Server;

my $server = Server->new('skip_guess');
my $rows = 60000;

# A table whose groups `few` expresses when it is analysed, and `many` at the end; `parts`: partitions, 0 for none.
sub table
{
	my ($name, $parts, $few, $many, $analyze, $null) = @_;
	my $off = 'WITH (autovacuum_enabled = off)';
	my $sql = "CREATE TABLE $name (g int" . ($null ? '' : ' NOT NULL') . ', t int NOT NULL, v int)'
		. ($parts ? ' PARTITION BY HASH (t)' : " $off") . ";\n";
	$sql .= "CREATE TABLE ${name}_$_ PARTITION OF $name FOR VALUES WITH (MODULUS $parts, REMAINDER $_) $off;\n"
		for 0 .. $parts - 1;
	$sql .= "CREATE INDEX ON $name (g, t);\n";
	$sql .= "INSERT INTO $name SELECT $few, i, i % 7 FROM generate_series(1, " . ($many ? 1000 : $rows) . ") AS i;\n"
		if $few;
	$sql .= "ANALYZE $_;\n" for $analyze ? ($parts ? map { "${name}_$_" } 0 .. $parts - 1 : $name) : ();
	$sql .= "INSERT INTO $name SELECT $many, i, i % 7 FROM generate_series(1001, $rows) AS i;\n" if $many;
	return $sql;
}

# few groups, if nothing else is said; those of 24 rows are longer than what is read in the time of a descent, but by an
# index alone
my $hash = '(hashint4(i) & 1048575)';
$server->lines(join '', table('unknown', 0, undef, "$hash % 20", 0), table('unknown_parts', 4, undef, "$hash % 20", 0),
	table('parts', 4, "$hash % 3", undef, 1), table('parts_many', 4, 'i', undef, 1), table('old', 0, 'i % 10',
		"$hash % 2500", 1), table('old_null', 0, 'NULLIF(i % 10, 3)', "NULLIF($hash % 2500, 3)", 1, 1),
	table('old_parts', 4, 'i % 10', "$hash % 600", 1), table('pairs', 0, undef, 'i / 2', 0),
	table('mixed', 0, undef, 'CASE WHEN i < 30000 THEN i / 2 ELSE i / 1000 * 1000 END', 0),
	'ANALYZE pairs, mixed; CREATE TABLE outside AS SELECT i AS n, i * 170 AS least '
		. 'FROM generate_series(0, 15) AS i; ANALYZE outside');

my @kinds = (
	[ 'DISTINCT ON', 'SELECT DISTINCT ON (g) g, t, v FROM ~ ORDER BY g, t' ], [ 'DISTINCT ON, the last',
		'SELECT DISTINCT ON (g) g, t, v FROM ~ ORDER BY g, t DESC' ], [ 'DISTINCT', 'SELECT DISTINCT g FROM ~' ],
	[ 'DISTINCT, downward', 'SELECT DISTINCT g FROM ~ ORDER BY g DESC NULLS FIRST' ], [ 'latest row',
		'SELECT g, t, v FROM (SELECT *, row_number() OVER (PARTITION BY g ORDER BY t DESC) AS r '
			. 'FROM ~) AS s WHERE r = 1' ],
	[ 'three rows', 'SELECT g, t, v, r FROM (SELECT *, row_number() OVER (PARTITION BY g ORDER BY t) AS r '
			. 'FROM ~) AS s WHERE r <= 3' ],
	[ 'rank', 'SELECT g, t, r FROM (SELECT *, rank() OVER (PARTITION BY g ORDER BY t) AS r FROM ~) AS s WHERE r <= 2' ],
	[ 'dense_rank', 'SELECT g, t, r FROM (SELECT *, dense_rank() OVER (PARTITION BY g ORDER BY t) AS r '
			. 'FROM ~) AS s WHERE r <= 2' ]);

sub sql { my ($kind, $table) = @_; return $kind->[1] =~ s/~/$table/r }

sub explained
{
	my ($query, $settings, $options) = @_;
	return join "\n",
		$server->lines("LOAD 'scan'; SET max_parallel_workers_per_gather = 0; $settings EXPLAIN ($options) $query");
}

sub skips { my ($query, $settings) = @_; return explained($query, $settings // '', 'COSTS off') =~ /IndexSkip/ ? 1 : 0 }

sub answer
{
	my ($query, $settings) = @_;
	return $server->value("LOAD 'scan'; $settings SELECT count(*) || ' ' || "
		. "md5(string_agg(s::text, ';' ORDER BY s::text)) FROM ($query) AS s");
}

# ---- a guess

foreach my $kind (@kinds)
{
	is(skips(sql($kind, $_)), 0, "$kind->[0]: not by a guess, $_") for 'unknown', 'unknown_parts';
	is(skips(sql($kind, $_), 'SET scan.index_skip = force;'), 1, "$kind->[0]: ... but forced, $_")
		for 'unknown', 'unknown_parts';
}
is(skips('SELECT DISTINCT ON (g) g, t, v FROM parts ORDER BY g, t DESC'), 1,
	'the partitions tell that there are few groups');
is(skips('SELECT DISTINCT ON (g) g, t, v FROM parts_many ORDER BY g, t DESC'), 0, 'or that there are many');
unlike(explained("SELECT DISTINCT ON (g + 0) t FROM unknown ORDER BY g + 0 LIMIT 1000", '', 'COSTS off'),
	qr/Custom Scan/, 'nor is a sort chosen by a guess where the query stops early');

# ---- old statistics: the node starts anew, and drops the groups that it has returned

my $started = 0;
my $numbers = qr/Descents: (\d+).*?(?:Rows Not Kept: (\d+).*?)?Started Anew: (\d+)/s;
foreach my $table (qw(old old_null old_parts))
{
	foreach my $kind (@kinds)
	{
		my $query = sql($kind, $table);
		my $plan = explained($query, 'SET scan.index_skip = force;',
			'ANALYZE, VERBOSE, COSTS off, TIMING off, SUMMARY off');
		my ($most) = $plan =~ /Most Descents: (\d+)/;
		my ($descents, $left, $anew) = $plan =~ $numbers;

		# core's plan of a window reads the index, too, unless the rows lie in several partitions
		is($anew // 'never', defined $most ? 1 : 'never', "$table, $kind->[0]: starts anew") or diag($plan);
		cmp_ok($descents, '<=', $most, '... after no more descents than the plan says') if defined $most;
		$started++ if $anew;
		is(answer($query, 'SET scan.index_skip = force;'), answer($query, 'SET scan.prefixscan = off;'),
			'... and the rows are those of core');
	}
}
cmp_ok($started, '>=', 14, 'most of them do');
is(skips(sql($kinds[0], 'old')), 1, 'what is old looks like few groups');

# scans again: some start anew, others do not; the rows of one are not dropped in the next.  Where random pages are
# dear, core sorts.
foreach my $join ('SET random_page_cost = 30;', 'SET random_page_cost = 30; SET enable_memoize = off;')
{
	foreach my $inner ('SELECT DISTINCT ON (g) g, t, v FROM old WHERE g >= least ORDER BY g, t',
		'SELECT DISTINCT g FROM old WHERE g >= least',
		'SELECT DISTINCT ON (g) g, t, v FROM old WHERE g < least ORDER BY g DESC, t DESC')
	{
		my $query = "SELECT n, count(*), sum(g), min(g) FROM outside, LATERAL ($inner OFFSET 0) AS l GROUP BY n";
		my $plan = explained($query, "SET scan.index_skip = force; $join",
			'ANALYZE, COSTS off, TIMING off, SUMMARY off');
		my (undef, undef, $anew) = $plan =~ $numbers;

		cmp_ok($anew // 0, '>', 3, 'scans again and again: ' . ($anew // 0) . ' of 16 start anew') or diag($plan);
		cmp_ok($anew // 0, '<', 16, '... and some do not');
		is(answer($query, "SET scan.index_skip = force; $join"), answer($query, 'SET scan.prefixscan = off;'),
			'... and the rows are those of core');
	}
}

# a cursor that stops before and behind that place
my $fetched = sub {
	my ($settings) = @_;
	return join ' ',
		$server->lines("LOAD 'scan'; $settings BEGIN; DECLARE c CURSOR FOR SELECT DISTINCT ON (g) g, t FROM old ORDER "
		. "BY g, t; FETCH 3 FROM c; MOVE 9000 FROM c; FETCH 3 FROM c; MOVE ALL FROM c; FETCH 1 FROM c; CLOSE c; END;");
};
is($fetched->('SET scan.index_skip = force;'), $fetched->('SET scan.prefixscan = off;'), 'a cursor');

# ---- groups of few rows: the node reads on

sub descents
{
	my ($table, $order) = @_;
	my ($descents) = explained("SELECT DISTINCT ON (g) g, t FROM $table ORDER BY g, t", "SET scan.index_skip = force;",
		'ANALYZE, COSTS off, TIMING off, SUMMARY off') =~ /Descents: (\d+)/;
	return $descents;
}

is(descents('pairs'), 0, 'it reads on through pairs');
cmp_ok(descents('mixed'), '>=', 25, 'and goes down where groups are long');
cmp_ok(descents('mixed'), '<=', 40, '... and only there');
is(answer(sql($_, 'mixed'), 'SET scan.index_skip = force;'), answer(sql($_, 'mixed'), 'SET scan.prefixscan = off;'),
	"short and long groups: $_->[0]") for @kinds;

done_testing();

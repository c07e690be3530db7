# estimates.t: the rows that the planner expects of our nodes, and of what stands above them, are about those that come.
#
# A grid of queries that keep the first rows of each group, or aggregate the groups; of tables with few and with many
# groups; of nodes, with an index and without; and of what reads the rows: a hash join, a merge join, a nested loop, a
# LIMIT, a query of its own, several processes.  Each plan has the node.  Each of our nodes, each Subquery Scan and each
# join in it is estimated within a factor of 2.  Statistics are fresh.

use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use JSON::PP;
use Test::More;
use Server;

my $server = Server->new('estimates');
my %tables = (few => [ 20, 20000 ], several => [ 250, 50000 ], many => [ 4000, 20000 ], single => [ 1, 5000 ]);

for (sort keys %tables)
{
	my ($groups, $rows) = @{ $tables{$_} };

	$server->lines("CREATE TABLE $_ AS SELECT i % $groups AS g, i AS t, i % 7 AS v FROM generate_series(1, "
		. "$rows) AS i; CREATE TABLE ${_}_groups AS SELECT g, 0 AS w FROM generate_series(0, $groups - 1) AS g;"
		. "CREATE TABLE ${_}_index AS TABLE $_; CREATE INDEX ON ${_}_index (g, t); CREATE INDEX ON ${_}_index (g, v); "
			. "CREATE INDEX ON ${_}_groups (g); VACUUM ANALYZE $_, ${_}_index, ${_}_groups");
}

# ---- queries

sub ranked { return "SELECT * FROM (SELECT g, t, v, $_[0] AS n FROM ~) AS s WHERE $_[1]" }

my $number = 'row_number() OVER (PARTITION BY g ORDER BY t DESC)';
my %queries = (
	'the last row' => ranked($number, 'n = 1'),
	'the last row, written the other way round' => ranked($number, '1 = n'),
	'the third row' => ranked($number, 'n = 3'),
	'two rows' => ranked($number, 'n <= 2'),
	'fewer than three rows' => ranked($number, 'n < 3'),
	'the first peers' => ranked('rank() OVER (PARTITION BY g ORDER BY v)', 'n = 1'),
	'two groups of peers' => ranked('dense_rank() OVER (PARTITION BY g ORDER BY v)', 'n <= 2'),
	'the last row, and the next one' => ranked("lead(t) OVER (PARTITION BY g ORDER BY t DESC) AS next, $number",
		'n = 1'),
	'the last row of each arm' => 'SELECT * FROM (' . join(' UNION ALL ', ("SELECT g, t, v, $number AS n FROM ~") x 2)
		. ') AS s WHERE n = 1',
	'the last row of one group' => ranked($number, 'n = 1 AND g = 0'),
	'DISTINCT ON' => 'SELECT DISTINCT ON (g) g, t, v FROM ~ ORDER BY g, t DESC',
	'DISTINCT' => 'SELECT DISTINCT g FROM ~',
	'aggregates' =>
		'SELECT g, max(d) FROM (SELECT g, t - lag(t) OVER (PARTITION BY g ORDER BY t) AS d FROM ~) AS s GROUP BY g');
my %nodes = (
	PrefixScan => [ '', "SET scan.prefixscan = force; SET scan.index_skip = off",
		sub { $_[0] !~ /^(DISTINCT|aggregates)$/ } ],
	IndexSkip => [ '_index', "SET scan.prefixscan = force; SET scan.index_skip = force",
		sub { $_[0] !~ /next one|one group|aggregates/ } ],
	WindowReduce => [ '', "SET scan.prefixscan = force; SET scan.reduce = force", sub { $_[0] eq 'aggregates' } ]);
my $others_off =
	sub { join ' ', map { "SET enable_$_ = off;" } grep { $_ ne $_[0] } 'hashjoin', 'mergejoin', 'nestloop' };
my %above = (
	'hash join' => [ 'Hash Join', $others_off->('hashjoin'), 'SELECT * FROM (#) AS a JOIN ~_groups USING (g)' ],
	'merge join' => [ 'Merge Join', $others_off->('mergejoin'), 'SELECT * FROM (#) AS a JOIN ~_groups USING (g)' ],
	'nested loop' => [ 'Nested Loop', $others_off->('nestloop'), 'SELECT * FROM (#) AS a JOIN ~_groups USING (g)' ],
	limit => [ 'Limit', '', 'SELECT * FROM (#) AS a LIMIT 100000' ],
	nothing => [ undef, '', '#' ],
	processes => [ 'Gather', 'SET max_parallel_workers_per_gather = 2; SET min_parallel_table_scan_size = 0; '
			. 'SET min_parallel_index_scan_size = 0; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0;', '#' ]);

# ---- plans

# Notes the node types of a plan, and the estimates that are wrong.  What is below a Gather is for each process, of
# which nobody knows how many come.
sub look
{
	my ($node, $seen, $wrong) = @_;
	my $type = $node->{'Custom Plan Provider'} // $node->{'Node Type'};
	my ($expected, $came) = @{$node}{ 'Plan Rows', 'Actual Rows' };

	$seen->{ $type eq 'Gather Merge' ? 'Gather' : $type }++;
	push @$wrong, "$type: $expected expected, $came came"
		if $type =~ /^(PrefixScan|IndexSkip|WindowReduce|Subquery Scan|Gather|Hash Join|Merge Join|Nested Loop)/
		&& $node->{'Actual Loops'} && ($expected > 2 * ($came || 1) || $came > 2 * $expected);
	look($_, $seen, $type =~ /^Gather/ ? [] : $wrong) for @{ $node->{Plans} // [] };
}

sub explained
{
	my ($settings, $query) = @_;
	return decode_json(join "\n", $server->lines("LOAD 'scan'; SET jit = off; SET max_parallel_workers_per_gather = 0; "
			. "$settings; EXPLAIN (ANALYZE, TIMING off, FORMAT JSON) $query"))->[0]{Plan};
}

for my $table (sort keys %tables)
{
	for my $node (sort keys %nodes)
	{
		my ($kind, $settings, $fits) = @{ $nodes{$node} };

		for my $what (sort grep { $fits->($_) } keys %queries)
		{
			for my $reader (sort keys %above)
			{
				# several processes aggregate in another plan where each has no whole groups
				next if $reader eq 'processes' && $node eq 'WindowReduce';
				# core joins by no key where all rows have one
				next if $what =~ /one group/ && $reader =~ /hash|merge/;
				my ($type, $forced, $around) = @{ $above{$reader} };
				my $query = $around =~ s/~/$table/gr =~ s/#/$queries{$what} =~ s{~}{$table$kind}gr/er;
				my (%seen, @wrong);

				look(explained("$forced $settings", $query), \%seen, \@wrong);
				is(join('; ', @wrong), '', "$table: $node, $what, below $reader");
				ok($seen{$node}, '... with the node') || diag("$query: " . join ', ', sort keys %seen);
				ok($seen{$type}, "... and the $type") if defined $type;
			}
		}
	}
}
done_testing();

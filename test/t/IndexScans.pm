# IndexScans.pm: scans of an index that the node reads many tuples at a time, beside core that reads them one by one.
#
# index_pages.t and index_tuples.t make tables, say how core is brought to scan an index, and ask for these comparisons.
# Each runs the same statements with scan.prefixscan off and forced.
package IndexScans;

use strict;
use warnings;
use Test::More;

# server: a Server; plans: settings by which all is read by an index; scan: the name of the scan in EXPLAIN
sub new
{
	my ($class, %of) = @_;
	return bless {%of}, $class;
}

# Returns the output of statements, and the errors.
sub answer
{
	my ($self, $mode, $query, $before) = @_;
	my ($out, $err) = $self->{server}->run("LOAD 'scan'; SET scan.prefixscan = $mode; $self->{plans}; "
		. ($before // '') . ";\n$query");

	return $out . join '', $err =~ /(ERROR: .*)/g;
}

# Compares the output of statements, and returns it.
sub same
{
	my ($self, $name, $script) = @_;
	my @answers = map { $self->answer($_, $script) } 'off', 'force';

	is($answers[1], $answers[0], $name);
	return $answers[0];
}

# Each case is the way to the rows, as EXPLAIN has it, and a query.
sub queries
{
	my ($self, @cases) = @_;

	for my $case (@cases)
	{
		my ($way, $query) = @$case;
		my ($plan) = $self->{server}->run(
			"LOAD 'scan'; SET scan.prefixscan = force; $self->{plans}; EXPLAIN (VERBOSE, COSTS OFF) $query");

		$self->same($query, $query);
		is(($plan =~ /Input: (.*)/)[0], $way, "by $way");
		like($plan, qr/$self->{scan}/, "... of an $self->{scan}");
	}
}

# Rows of tables with the columns id and v change under a scan: those of the snapshot are returned.
sub changes_under_cursor
{
	my ($self, @tables) = @_;

	$self->same("$_ changes under a cursor", <<"SQL") for @tables;
BEGIN;
DECLARE c CURSOR FOR SELECT id, v, sum(v) OVER (ORDER BY id) FROM $_;
FETCH 500 FROM c;
DELETE FROM $_ WHERE id % 2 = 0;
UPDATE $_ SET v = 0;
INSERT INTO $_ (id, v) SELECT i, i FROM generate_series(1, 2000) AS i;
FETCH 800 FROM c;
FETCH ALL FROM c;
SELECT id, v, sum(v) OVER (ORDER BY id, v) FROM $_ WHERE id > 900;
ROLLBACK;
SQL
}

# Another session changes a table with an index on some columns and vacuums it, while a cursor is open and after it.
sub changes_by_another_session
{
	my ($self, $columns) = @_;
	my $server = $self->{server};
	my @seen = map {
		$server->lines("CREATE TABLE busy WITH (autovacuum_enabled = off) AS SELECT i AS id, i AS v "
			. "FROM generate_series(1, 3000) AS i; CREATE INDEX ON busy ($columns)");
		$server->lines('VACUUM ANALYZE busy');
		my $changes = join ' ', map { qq{-c "$_"} } 'DELETE FROM busy WHERE id % 3 = 0',
			'UPDATE busy SET v = -1 WHERE id % 3 = 1', 'VACUUM busy',
			'INSERT INTO busy SELECT i, 7 FROM generate_series(1, 3000) AS i', 'VACUUM busy';
		my ($out) = $server->run(<<"SQL");
LOAD 'scan'; SET scan.prefixscan = $_; $self->{plans};
BEGIN ISOLATION LEVEL REPEATABLE READ;
DECLARE c CURSOR FOR SELECT id, v, sum(v) OVER (ORDER BY id) FROM busy;
FETCH 40 FROM c;
\\! $Server::psql -XAtq -d $server->{database} $changes
FETCH ALL FROM c;
COMMIT;
SELECT id, v, sum(v) OVER (ORDER BY id, v) FROM busy WHERE id < 100;
\\! $Server::psql -XAtq -d $server->{database} -c "VACUUM busy"
SELECT id, v, sum(v) OVER (ORDER BY id) FROM busy;
DROP TABLE busy;
SQL
		$out;
	} 'off', 'force';

	is($seen[1], $seen[0], 'a table is changed and vacuumed under a cursor');
	cmp_ok(length $seen[0], '>', 50_000, 'and there are rows');
}

# What core counts and locks.
sub locks_and_statistics
{
	my ($self, @tables) = @_;

	for my $table (@tables)
	{
		my $counted = "BEGIN ISOLATION LEVEL SERIALIZABLE; "
			. "SELECT count(y) FROM (SELECT sum(v) OVER (ORDER BY id) AS y FROM $table WHERE id < 1900 OFFSET 0) AS s";
		for my $what (
			[ 'predicate locks', "SELECT relation::regclass, locktype, page, tuple FROM pg_locks "
					. "WHERE mode = 'SIReadLock' AND pid = pg_backend_pid() ORDER BY 1, 2, 3, 4" ],
			[ 'tuples', "SELECT relname, idx_scan, idx_tup_fetch, seq_tup_read FROM pg_stat_xact_user_tables "
					. "WHERE relname = '$table'" ])
		{
			my ($name, $look) = @$what;
			like($self->same("$name of $table are the same", "$counted; $look; COMMIT"), qr/\n$table/,
				"and there are $name");
		}
	}
}

# What EXPLAIN ANALYZE prints of the scan in each query; returns it.  The first scan marks what is dead in the index.
sub explained
{
	my ($self, @queries) = @_;
	my @printed;

	for my $query (@queries)
	{
		my (undef, @counted) = map {
			my ($out) = $self->{server}->run("LOAD 'scan'; SET scan.prefixscan = $_; $self->{plans}; "
				. "EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF, BUFFERS OFF) $query");
			($out =~ /($self->{scan} using (?:log|moved).*)/s)[0] =~ s/^ +//gmr;
		} 'off', 'off', 'force';

		is($counted[1], $counted[0], "EXPLAIN ANALYZE: $query");
		push @printed, $counted[0];
	}
	return @printed;
}

# Tuples that are dead for all are marked in an index on some columns: the next scans skip them.  While another process
# has an older snapshot of this database, as autovacuum may, they are not dead for all; then the scans are run again.
sub marks_dead_tuples
{
	my ($self, $columns) = @_;
	my @visited;

	$self->{server}->lines("CREATE TABLE dead WITH (autovacuum_enabled = off) AS
		SELECT i AS id, i AS v FROM generate_series(1, 20000) AS i; CREATE INDEX ON dead ($columns);
		ANALYZE dead; DELETE FROM dead WHERE id % 10 > 0");
	for my $try (1 .. 10)
	{
		my ($visited) = $self->{server}->run("LOAD 'scan'; SET scan.prefixscan = force; $self->{plans};" . (
				"SELECT count(y) FROM (SELECT sum(v) OVER (ORDER BY id) AS y FROM dead OFFSET 0) AS s;
				SELECT pg_stat_force_next_flush();
				SELECT idx_tup_read FROM pg_stat_user_indexes WHERE relname = 'dead'; " x 3));

		@visited = $visited =~ /^2000\n+(\d+)$/mg;
		cmp_ok($visited[0], '>=', 20000, 'the first scan finds all tuples, also dead ones') if $try == 1;
		last if $visited[2] - $visited[1] < 4000;
		diag("try $try: the scans have visited @visited");
		sleep 2;
	}
	cmp_ok($visited[2] - $visited[1], '<', 4000, 'the third finds few dead ones');
}

1;

# skip_concurrent.t: the first rows of each group while other sessions write, and while tables and indexes change.
#
# What a snapshot sees, what serializable has to find, and what a plan that is kept has to forget.  Each scene is played
# with scan.prefixscan off and by an index skip, and what is seen has to be the same; what serializable must find is
# said outright.  Sessions are psqls that stay (Session.pm), in one process: nothing here waits for a moment, but for
# the writers of the last scene, which write as fast as they can.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin, "$FindBin::Bin/../fuzz";
use File::Temp;
use Test::More;
use Time::HiRes qw(sleep time);
use Server;
use Session;

my $server = Server->new('skip_concurrent');
my $scratch = File::Temp->newdir;
my $role = "scan_skip_reader_$$";
$server->lines("CREATE ROLE $role");
my $skips = $server->value("LOAD 'scan'; SELECT count(*) FROM pg_settings WHERE name = 'scan.index_skip'");
my $force = 'SET scan.prefixscan = force;' . ($skips ? ' SET scan.index_skip = force;' : '');
my %way = (core => 'SET scan.prefixscan = off;', skip => $force);
my $calm = "LOAD 'scan'; SET jit = off; SET max_parallel_workers_per_gather = 0; SET enable_seqscan = off;";

sub session
{
	my ($settings) = @_;
	my $session = Session->new(database => $server->{database}, user => $ENV{PGUSER} // 'postgres',
		name => 'skip_concurrent', error => "$scratch/" . time);
	$session->ask("$calm $settings");
	return $session;
}

# What a session prints of a script; of a statement that fails, its SQLSTATE.
sub asked
{
	my ($session, $script) = @_;
	$script .= ';' if $script !~ /;\s*$/;
	return join ' ', $session->ask("$script\n\\if :ERROR\n\\echo ERROR :SQLSTATE\n\\endif");
}

# The queries of all scenes: the latest row of each group, in three forms.
my %latest = (
	'DISTINCT ON' => 'SELECT DISTINCT ON (g) g, ts, v FROM latest ORDER BY g, ts DESC',
	'row_number' => 'SELECT g, ts, v FROM (SELECT *, row_number() OVER (PARTITION BY g ORDER BY ts DESC) AS r '
		. 'FROM latest) AS s WHERE r = 1 ORDER BY g',
	'rank' => 'SELECT g, ts, v FROM (SELECT *, rank() OVER (PARTITION BY g ORDER BY ts DESC) AS r FROM latest) AS s '
		. 'WHERE r <= 1 ORDER BY g, v');
sub hashed { return "SELECT count(*) || ' ' || md5(string_agg(s::text, ';' ORDER BY s::text)) FROM ($_[0]) AS s;" }
sub distinct { return $latest{$_[0]} =~ /ON/ }

# A table of 300 groups, some NULL, on a few dozen pages of its index.
sub made
{
	my (%option) = @_;
	my $groups = $option{groups} // 300;
	my $null = $option{not_null} ? 'i % 300' : 'NULLIF(i % 300, 7)';
	$server->lines("SET client_min_messages = error; DROP TABLE IF EXISTS latest, summary; CREATE TABLE latest (g int"
		. ($option{not_null} ? ' NOT NULL' : '')
		. ", ts int, v int, pad text) WITH (autovacuum_enabled = off, fillfactor = 70);"
		. "INSERT INTO latest SELECT $null, 1000 - i / 300, i, repeat('x', 40) FROM generate_series(1, 300 * 20) AS i; "
			. "CREATE INDEX latest_g_ts ON latest (g, ts DESC); CREATE TABLE summary (n int); VACUUM ANALYZE latest;");
	return;
}

# ---- what a snapshot sees

# A script as lines of "session: statement", played by both ways; answers what was printed for each.
sub played
{
	my ($way, @lines) = @_;
	my (%session, @out);
	foreach my $line (@lines)
	{
		my ($who, $statement) = $line =~ /^(\w+): (.*)/s;
		$session{$who} //= session($who eq 'reader' ? $way{$way} : $way{core});
		my $out = asked($session{$who}, $statement);
		push @out, "$who: $out" if $out ne '';
	}
	return join "\n", @out;
}

sub same
{
	my ($what, $made, @lines) = @_;
	my %out;
	foreach my $way (qw(core skip))
	{
		made(%$made);
		$out{$way} = played($way, @lines);
	}
	is($out{skip}, $out{core}, $what);
	isnt($out{core}, '', "$what: there is an answer");
	return $out{core};
}

foreach my $form (sort keys %latest)
{
	my $query = $latest{$form};
	my $answer = hashed($query);

	foreach my $nulls (0, 1)
	{
		same("$form, a cursor does not see what is written after it", { not_null => !$nulls },
			'reader: BEGIN', "reader: DECLARE c CURSOR FOR $query", 'reader: FETCH 3 FROM c',
			'writer: UPDATE latest SET v = -v WHERE g > 2', 'writer: DELETE FROM latest WHERE g BETWEEN 10 AND 20',
			'writer: INSERT INTO latest SELECT g, 2000, 0 FROM generate_series(-5, 400) AS g',
			'reader: FETCH 20 FROM c', 'writer: UPDATE latest SET g = g + 1000 WHERE g > 50', 'reader: FETCH 60 FROM c',
			'reader: FETCH ALL FROM c', 'reader: COMMIT', "reader: $answer");
		same("$form, repeatable read", { not_null => !$nulls }, 'reader: BEGIN ISOLATION LEVEL REPEATABLE READ',
			"reader: $answer", 'writer: INSERT INTO latest SELECT g, 2000, 0 FROM generate_series(-5, 400) AS g',
			'writer: DELETE FROM latest WHERE g % 3 = 0', "reader: $answer", 'reader: COMMIT', "reader: $answer");
		same("$form, read committed", { not_null => !$nulls }, 'reader: BEGIN', "reader: $answer",
			'writer: INSERT INTO latest SELECT g, 2000, 0 FROM generate_series(-5, 400) AS g', "reader: $answer",
			'writer: DELETE FROM latest WHERE g % 3 = 0', "reader: $answer", 'reader: COMMIT');
		same("$form, its own writes", { not_null => !$nulls }, 'reader: BEGIN',
			'reader: INSERT INTO latest SELECT g, 2000, 0 FROM generate_series(-5, 400) AS g', "reader: $answer",
			'reader: SAVEPOINT a', 'reader: DELETE FROM latest WHERE g % 5 < 3', "reader: $answer",
			'reader: UPDATE latest SET ts = -ts WHERE g % 7 = 1', "reader: $answer", 'reader: ROLLBACK TO a',
			"reader: $answer", 'reader: ROLLBACK', "reader: $answer");
	}
	same("$form, a cursor that stays while its rows are deleted and vacuumed", {},
		'reader: BEGIN', "reader: DECLARE c NO SCROLL CURSOR FOR $query", 'reader: FETCH 3 FROM c',
		'writer: DELETE FROM latest WHERE g > 4', 'writer: VACUUM latest', 'reader: FETCH 10 FROM c',
		'writer: INSERT INTO latest SELECT i, 5000, 1 FROM generate_series(1, 300) AS i', 'writer: VACUUM latest',
		'reader: FETCH ALL FROM c', 'reader: COMMIT', "reader: $answer");
	same("$form, a cursor with hold, and backward", {}, 'reader: BEGIN',
		"reader: DECLARE c SCROLL CURSOR WITH HOLD FOR $query", 'reader: FETCH 5 FROM c', 'reader: COMMIT',
		'writer: DELETE FROM latest', 'reader: FETCH BACKWARD 3 FROM c', 'reader: FETCH LAST FROM c',
		'reader: FETCH ABSOLUTE 7 FROM c', 'reader: CLOSE c');
	same("$form, HOT chains", {}, 'reader: BEGIN ISOLATION LEVEL REPEATABLE READ',
		"reader: $answer", map({ ("writer: UPDATE latest SET v = v + 1 WHERE g % 4 = $_",
			"writer: UPDATE latest SET v = v * 2 WHERE ts > 995", "reader: $answer") } 0 .. 3), 'reader: COMMIT',
		"reader: $answer", 'writer: VACUUM latest', "reader: $answer");
	same("$form, an index only scan with pages that are visible, and not", {}, "reader: SELECT count(*), sum(ts) FROM ("
			. ($query =~ s/g, ts, v/g, ts/r =~ s/ORDER BY g, v/ORDER BY g/r) . ") AS s;",
		'writer: DELETE FROM latest WHERE ts = 1000', 'writer: UPDATE latest SET v = 0 WHERE g % 9 = 0',
		"reader: SELECT count(*), sum(ts) FROM (" . ($query =~ s/g, ts, v/g, ts/r =~ s/ORDER BY g, v/ORDER BY g/r)
			. ") AS s;");
	same("$form, rows locked by others", {}, 'writer: BEGIN',
		'writer: SELECT count(*) FROM (SELECT FROM latest FOR UPDATE) AS s',
		'writer: UPDATE latest SET ts = ts + 5 WHERE g % 2 = 0', "reader: $answer", 'writer: ROLLBACK',
		"reader: $answer");
	same("$form, an aborted writer", {}, 'writer: BEGIN',
		'writer: INSERT INTO latest SELECT g, 2000, 0 FROM generate_series(-5, 400) AS g',
		'writer: DELETE FROM latest WHERE g < 100', "reader: $answer", 'writer: ROLLBACK', "reader: $answer");

	# ---- tables and indexes change under a plan that is kept

	my $kept = "reader: SET plan_cache_mode = force_generic_plan; PREPARE q AS $answer";
	my $run = 'reader: EXECUTE q';
	foreach my $case (
		[ 'an index dropped', {}, 'DROP INDEX latest_g_ts', 'INSERT INTO latest VALUES (1, 9999, 1), (NULL, 9999, 2)',
			'CREATE INDEX latest_g_ts ON latest (g DESC, ts)',
			'INSERT INTO latest VALUES (2, 9999, 1), (NULL, 10000, 2)' ],
		[ 'a column that may be NULL again', { not_null => 1 }, 'ALTER TABLE latest ALTER g DROP NOT NULL',
			'INSERT INTO latest VALUES (NULL, 1, 1)', 'DELETE FROM latest WHERE g IS NULL',
			'ALTER TABLE latest ALTER g SET NOT NULL', 'ALTER TABLE latest ALTER g DROP NOT NULL',
			'INSERT INTO latest VALUES (NULL, NULL, 1)' ],
		[ 'a column of another type', {}, 'ALTER TABLE latest ALTER g TYPE bigint',
			'INSERT INTO latest VALUES (1, 9999, 1), (5000000000, 9, 9)', 'ALTER TABLE latest ALTER g TYPE numeric',
			'INSERT INTO latest VALUES (1.0, 19999, 1), (1.00, 20000, 9)', 'ALTER TABLE latest ALTER g TYPE text' ],
		[ 'an order of another type', {}, 'ALTER TABLE latest ALTER ts TYPE float8',
			"INSERT INTO latest VALUES (1, 'NaN', 1), (2, '-0', 9)", 'ALTER TABLE latest ALTER ts TYPE text' ],
		[ 'a table that is rewritten', {}, 'CLUSTER latest USING latest_g_ts',
			'INSERT INTO latest VALUES (1, 9999, 1)', 'VACUUM FULL latest', 'REINDEX TABLE latest', 'TRUNCATE latest',
			'INSERT INTO latest VALUES (1, 1, 1), (NULL, 1, 1)' ],
		[ 'a column that is added', {}, 'ALTER TABLE latest ADD w int DEFAULT 5',
			'INSERT INTO latest VALUES (1, 9999, 1)', 'ALTER TABLE latest DROP pad',
			'INSERT INTO latest VALUES (1, 10000, 1)' ],
		[ 'a renamed index, and another predicate', {}, 'ALTER INDEX latest_g_ts RENAME TO old',
			'CREATE INDEX latest_g_ts ON latest (g, ts DESC) WHERE g > 100', 'DROP INDEX old',
			'INSERT INTO latest VALUES (1, 9999, 1)' ],
		[ 'row security', {}, "GRANT SELECT ON latest TO $role", 'ALTER TABLE latest ENABLE ROW LEVEL SECURITY',
			'CREATE POLICY p ON latest USING (v % 2 = 0)', 'INSERT INTO latest VALUES (1, 9999, 1)' ],
		[ 'a child', {}, 'CREATE TABLE child () INHERITS (latest)',
			'INSERT INTO child VALUES (1, 9999, 1), (NULL, 9999, 1), (77777, 1, 1)', 'DROP TABLE child' ])
	{
		my ($what, $made, @changes) = @$case;
		same("$form, a plan that is kept: $what", $made, $kept,
			$what eq 'row security' ? ("reader: SET ROLE $role", $run) : $run, map { ("writer: $_", $run) } @changes);
	}
}
# the forms are skips, whether a group may be NULL or not
if ($skips)
{
	foreach my $nulls (0, 1)
	{
		made(not_null => !$nulls);
		like(join(' ', session($way{skip})->ask("EXPLAIN $latest{$_};")), qr/IndexSkip/, "$_ is a skip")
			for sort keys %latest;
	}
}

# A NULL comes to a partition, a child or a domain whose parent says otherwise.
foreach my $form (sort keys %latest)
{
	same("$form, a child whose column may be NULL", { not_null => 1 },
		'writer: CREATE TABLE child (g int, ts int, v int, pad text)', 'writer: CREATE INDEX ON child (g, ts DESC)',
		'writer: INSERT INTO child SELECT i % 50, i, 0 FROM generate_series(1, 500) AS i',
		"writer: UPDATE child SET ts = NULL WHERE g % 5 = 0", 'writer: ALTER TABLE child ALTER g SET NOT NULL',
		'writer: ALTER TABLE child INHERIT latest', 'reader: ' . hashed($latest{$form}), 'writer: DROP TABLE child');
	same("$form, a temporary table", {}, 'reader: CREATE TEMP TABLE latest AS SELECT * FROM public.latest',
		'reader: CREATE INDEX ON pg_temp.latest (g, ts DESC)', 'reader: ANALYZE pg_temp.latest',
		'reader: ' . hashed($latest{$form}), 'reader: DELETE FROM latest WHERE g IS NULL OR ts > 997',
		'reader: ' . hashed($latest{$form}), 'reader: DISCARD TEMP', 'reader: ' . hashed($latest{$form}));
	same("$form, an index that is not valid", {}, 'writer: DROP INDEX latest_g_ts',
		'writer: INSERT INTO latest SELECT g, ts, v FROM latest WHERE g = 5',
		'writer: CREATE UNIQUE INDEX CONCURRENTLY broken ON latest (g, ts DESC)',
		"writer: SELECT indisvalid FROM pg_index WHERE indexrelid = 'broken'::regclass",
		'writer: INSERT INTO latest VALUES (5, 20000, 1)', 'reader: ' . hashed($latest{$form}));
	foreach my $off ('enable_indexscan', 'enable_indexonlyscan', 'enable_indexscan = off; SET enable_indexonlyscan')
	{
		same("$form, $off = off", {}, "reader: SET $off = off; SET enable_seqscan = on",
			'reader: ' . hashed($latest{$form}));
	}
}

# Under read committed a row that has changed meanwhile is looked at again.
foreach my $form (sort keys %latest)
{
	my %out;
	foreach my $way (qw(core skip))
	{
		made();
		my ($reader, $writer) = (session($way{$way}), session($way{core}));
		asked($writer, 'BEGIN; UPDATE latest SET v = v + 1000000 WHERE g < 30');
		isnt(asked($writer, 'SELECT txid_current_if_assigned()'), '', "$form, $way: the other one is under way");
		my $update = "UPDATE latest AS l SET pad = 'first' FROM ($latest{$form}) AS s "
			. "WHERE l.g = s.g AND l.ts = s.ts AND l.v % 2 = 0;";
		# it waits for the writer, who is sent on by another process
		my $child = fork // die;
		if (!$child)
		{
			$server->{created} = 0;
			for (1 .. 200) { sleep 0.05; last if $server->value('SELECT count(*) FROM pg_locks WHERE NOT granted') > 0 }
			Session::_write($writer->{in}, "COMMIT;\n");
			exec 'true';
		}
		asked($reader, $update);
		waitpid $child, 0;
		$out{$way} = asked($reader,
			"SELECT count(*) || ' ' || md5(string_agg(l::text, ';' ORDER BY g, ts, v)) FROM latest AS l;");
	}
	is($out{skip}, $out{core}, "$form, an update that waits for another one");
}

# ---- what serializable has to find

# The reader sums the latest rows up; the writer reads the sums and adds a later row.  Either is before the other, so
# not both may commit, in whatever order they come.
my $seen = 0;
foreach my $form (sort keys %latest)
{
	foreach my $way (qw(core skip))
	{
		foreach my $case (
			[ 'a later row', 'INSERT INTO latest VALUES (%d, 5000, 0)' ],
			[ 'a later row of NULL', 'INSERT INTO latest VALUES (NULL, 5000, 0)' ],
			[ 'a group that is new', 'INSERT INTO latest VALUES (%d + 100000, 5000, 0)' ],
			[ 'a group before all others', 'INSERT INTO latest VALUES (-%d - 1, 5000, 0)' ],
			[ 'the latest row deleted', 'DELETE FROM latest WHERE g = %d AND ts >= 999' ],
			[ 'the latest row changed', 'UPDATE latest SET v = -1 WHERE g = %d AND ts >= 999' ],
			[ 'an earlier row that becomes the latest', 'UPDATE latest SET ts = 5000 WHERE g = %d AND ts = 990' ],
			[ 'a row of another group', 'UPDATE latest SET g = %d, ts = 6000 WHERE g = %1$d + 7 AND ts = 990' ],
			[ 'a group that goes', 'DELETE FROM latest WHERE g = %d' ])
		{
			my ($what, $write) = @$case;
			my (@missed, @odd);
			foreach my $order (0, 1)
			{
				made(not_null => $what !~ /NULL/ && $order);
				my ($reader, $writer) = (session("$way{$way} SET default_transaction_isolation = serializable;"),
					session("$way{core} SET default_transaction_isolation = serializable;"));
				foreach my $group (1, 6, 42, 150, 292)
				{
					my $change = $write =~ /%/ ? sprintf($write, $group) : $write;
					my @steps = ([ $reader, 'BEGIN' ], [ $writer, 'BEGIN' ],
						[ $writer, 'SELECT count(*) FROM summary' ], [ $reader, hashed($latest{$form}) ],
						[ $reader, 'INSERT INTO summary VALUES (1)' ]);
					splice @steps, $order ? 3 : 5, 0, [ $writer, $change ];
					my @out = map { asked(@$_) } @steps,
						map { [ $_, 'COMMIT' ] } $order ? ($reader, $writer) : ($writer, $reader);
					push @missed, $group if !grep { /ERROR 40001/ } @out;
					push @odd, "@out" if grep { /ERROR (?!40001|25P02)/ } @out;
					asked($_, 'ROLLBACK') for $reader, $writer;
					$seen++;
				}
			}
			is("@missed", '', "serializable, $form, $way: $what");
			is("@odd", '', '... and no other error');
		}
	}
}
diag("$seen pairs of transactions");

# Where the writer's rows are no group's first, nothing is demanded; and a reader that is alone commits.
made();
{
	my $reader = session("$way{skip} SET default_transaction_isolation = serializable;");
	unlike(asked($reader, 'BEGIN;' . join('', map { hashed($_) } values %latest)
				. 'INSERT INTO summary VALUES (1); COMMIT;'), qr/ERROR/, 'one that is alone commits');
	like(asked($reader, 'BEGIN READ ONLY DEFERRABLE;' . hashed($latest{rank}) . 'COMMIT;'), qr/^\d+ [0-9a-f]+$/,
		'and one that may wait');
}

# ---- statements that are stopped

made();
foreach my $form (sort keys %latest)
{
	my $session = session($way{skip});
	my $core = session($way{core});
	my $long = "SELECT count(*) FROM generate_series(1, 1000000) AS n LEFT JOIN ($latest{$form}) AS s ON s.v <> n";
	asked($session, 'SET enable_material = off');
	my $since = time;
	like(join(' ', $session->ask("EXPLAIN $long;")), qr/IndexSkip/, "$form: a skip that is run again and again")
		if $skips;
	is(asked($session, "SET statement_timeout = '100ms'; $long"), 'ERROR 57014', "$form: cancelled by a timeout");
	cmp_ok(time - $since, '<', 5, '... soon');
	asked($session, 'RESET statement_timeout');
	my $child = fork // die;
	if (!$child)
	{
		$server->{created} = 0;
		sleep 0.2;
		$server->run("SELECT pg_cancel_backend($session->{backend})");
		exec 'true';
	}
	is(asked($session, $long), 'ERROR 57014', "$form: cancelled by another session");
	waitpid $child, 0;
	is(asked($session, hashed($latest{$form})), asked($core, hashed($latest{$form})), '... and the session goes on');
	my $cursor = "BEGIN; DECLARE c CURSOR FOR $latest{$form}; FETCH 2 FROM c; SAVEPOINT a; FETCH 1 FROM c; "
		. "ROLLBACK TO a; CLOSE c; COMMIT; SELECT count(*) FROM latest";
	is(asked($session, $cursor), asked($core, $cursor), '... with a cursor that is closed before its end');
}
is($server->value("SELECT count(*) FROM pg_locks WHERE relation = 'latest'::regclass"), '0', 'no lock is left');

# ---- writers as fast as they can, and a reader that asks each way with one snapshot

made();
$server->lines("CREATE INDEX ON latest (ts); ALTER TABLE latest ADD h int; UPDATE latest SET h = g % 10; "
	. "CREATE INDEX ON latest (h, g, ts); CREATE INDEX ON latest (ts DESC, g DESC);");
my $seconds = $ENV{SCAN_TEST_SECONDS} // 8;
my @children;
foreach my $number (1 .. 3)
{
	my $child = fork // die;
	if ($child)
	{
		push @children, $child;
		next;
	}
	$server->{created} = 0;
	my $session = session('SET synchronous_commit = off;');
	my $until = time + $seconds;
	my $n = $number * 100000;
	srand $n;
	while (time < $until)
	{
		my ($g, $ts) = (int rand 320, int rand 1100);
		my @write = ("INSERT INTO latest VALUES (NULLIF($g, 7), $ts, $n, 'new', $g % 10)",
			"DELETE FROM latest WHERE g = $g AND ts > 990", "UPDATE latest SET v = v + 1 WHERE g = $g",
			"UPDATE latest SET ts = $ts WHERE g = $g AND ts % 7 = 1",
			"UPDATE latest SET g = $g WHERE g IS NULL AND ts % 50 = 3",
			"UPDATE latest SET g = NULL WHERE g = $g AND ts = 985", "DELETE FROM latest WHERE ts = $ts",
			"INSERT INTO latest SELECT $g, $ts + i, $n, 'many', $g % 10 FROM generate_series(1, 10) AS i");
		my $statement = $number == 3 && rand() < 0.2 ? 'VACUUM latest' : $write[ rand @write ];
		$statement = "BEGIN; $statement; " . $write[ rand @write ] . '; ' . (rand() < 0.3 ? 'ROLLBACK' : 'COMMIT')
			if $statement !~ /VACUUM/ && rand() < 0.3;
		asked($session, "$statement;");
		$n++;
	}
	$session->end;
	exec 'true';
}
my $reader = session('');
my ($until, $rounds, @different) = (time + $seconds, 0);
my @queries = ((map { $_ =~ s/g, ts, v/g, ts/r =~ s/ORDER BY g, v/ORDER BY g/r } values %latest),
	'SELECT DISTINCT g FROM latest', 'SELECT DISTINCT h, g FROM latest WHERE h = 3',
	'SELECT DISTINCT ON (h, g) h, g, ts FROM latest ORDER BY h DESC, g DESC, ts DESC',
	'SELECT DISTINCT ON (ts) ts, g FROM latest ORDER BY ts DESC, g DESC', 'SELECT h, g, ts, v FROM (SELECT *, '
		. 'rank() OVER (PARTITION BY g, h ORDER BY ts) AS r FROM latest) AS s WHERE r <= 2',
	'SELECT g, ts FROM (SELECT g, ts, row_number() OVER (PARTITION BY g ORDER BY ts DESC) AS r FROM latest '
		. 'WHERE v % 3 = 0) AS s WHERE r <= 3');
while (time < $until)
{
	my $level = $rounds % 2 ? 'SERIALIZABLE' : 'REPEATABLE READ';
	my @out = $reader->ask("BEGIN ISOLATION LEVEL $level READ ONLY;"
		. join('', map { "\n$way{core} " . hashed($_) . "\n$way{skip} " . hashed($_) } @queries) . "\nCOMMIT;");
	foreach my $i (0 .. $#queries)
	{
		push @different, "$queries[$i]: " . ($out[ 2 * $i ] // 'nothing') . ' and ' . ($out[ 2 * $i + 1 ] // 'nothing')
			if @out == 2 * @queries && $out[ 2 * $i ] ne $out[ 2 * $i + 1 ];
	}
	push @different, "printed: @out" if @out != 2 * @queries && $reader->complaints !~ /40001/;
	$rounds++;
}
waitpid $_, 0 for @children;
is(scalar @different, 0, 'the same of every snapshot')
	or diag(join "\n", @different[ 0 .. ($#different < 5 ? $#different : 5) ]);
cmp_ok($rounds, '>', 0, "$rounds snapshots");
is($server->value('SELECT count(*) > 100 FROM latest'), 't', 'and there are rows left');

$reader->end;
$server->run("DROP OWNED BY $role; DROP ROLE $role", go_on => 1);
done_testing();

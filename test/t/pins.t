# pins.t: a query that has returned its last row pins no page, and in the middle no more than core's plan does.
#
# VACUUM waits for a page that somebody pins, and a hot standby ends the session of whoever pins it for too long.  So an
# idle cursor must not hold on to what it has read.  For each node and each way to the rows a cursor is opened; another
# session looks into pg_buffercache after some rows and after the last one, and runs VACUUM FREEZE where core's plan for
# the same cursor pins nothing: it needs each page of the table and each leaf of the indexes for itself.
#
# In 19 core itself pins four pages after four index scans of a UNION ALL have ended, and none up to 18.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin, "$FindBin::Bin/../fuzz";
use File::Temp;
use Test::More;
use Server;
use Session;

my $server = Server->new('pins');
plan skip_all => "from 19 on, core's own index scans keep the page of their last row pinned when they have ended"
	if $server->value("SELECT current_setting('server_version_num')::int >= 190000") eq 't';
my $scratch = File::Temp->newdir;
my @tables = qw(rows pair wide parted payment);

$server->lines(<<'SQL');
CREATE EXTENSION pg_buffercache;
-- each update changes the indexes: then VACUUM goes through all of them
CREATE TABLE rows (id int NOT NULL, g int, h int, v int, u int, late int, pad text) WITH (autovacuum_enabled = off);
INSERT INTO rows SELECT i, nullif(i / 50 % 60, 7), nullif(i / 10 % 5, 3), i * 37 % 1009, 0, i, repeat('x', 100)
  FROM generate_series(1, 3000) AS i;
CREATE INDEX ON rows (id, v, u);
CREATE INDEX ON rows (g, h, id DESC, u);
CREATE INDEX ON rows (u);
CREATE TABLE pair (g int NOT NULL, h int NOT NULL, id int, u int, pad text) WITH (autovacuum_enabled = off);
INSERT INTO pair SELECT i / 500, i / 50 % 10, i, 0, repeat('x', 100) FROM generate_series(0, 2999) AS i;
CREATE INDEX ON pair (g, h, id, u);
CREATE INDEX ON pair (u);
CREATE TABLE parted (id int, g int, v int, u int, pad text) PARTITION BY RANGE (id);
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES FROM (0) TO (1000) WITH (autovacuum_enabled = off);
CREATE TABLE parted_2 PARTITION OF parted FOR VALUES FROM (1000) TO (2000) WITH (autovacuum_enabled = off);
CREATE TABLE parted_3 PARTITION OF parted FOR VALUES FROM (2000) TO (3000) WITH (autovacuum_enabled = off);
INSERT INTO parted SELECT i, i % 40, i, 0, repeat('x', 100) FROM generate_series(1, 2999) AS i;
CREATE INDEX ON parted (id, u);
CREATE INDEX ON parted (g, id, u);
CREATE INDEX ON parted (u);
CREATE TABLE wide (g int NOT NULL, v int NOT NULL, u int, pad text, late int) WITH (autovacuum_enabled = off);
INSERT INTO wide SELECT i % 10, i, 0, repeat('x', 50 + i % 7), i FROM generate_series(1, 3000) AS i;
CREATE INDEX ON wide (u);
CREATE TABLE few AS SELECT i * 300 AS lo FROM generate_series(0, 9) AS i;
CREATE TABLE payment (id bigint NOT NULL, account int NOT NULL, at int NOT NULL, amount numeric, u int, pad text,
  PRIMARY KEY (id)) WITH (autovacuum_enabled = off);
INSERT INTO payment SELECT i, i % 4, i * 7919 % 3001, i / 7.0, 0, repeat('x', 100) FROM generate_series(1, 3000) AS i;
CREATE INDEX ON payment (account, at, id, u);
SELECT scan_keep('ledger', 'SELECT sum(amount) OVER w AS a, count(*) OVER w AS b FROM payment '
  'WINDOW w AS (PARTITION BY account ORDER BY at, id)');
VACUUM ANALYZE;
SQL

my ($reader, $other) = map { Session->new(database => $server->{database}, user => $ENV{PGUSER} // 'postgres',
		name => "pins $_", error => "$scratch/$_") } 'reader', 'other';
my $stock = 'SET scan.prefixscan = off; SET scan.kept = off;';
my $ours = 'SET scan.prefixscan = force; SET scan.kept = force;';
my $calm = 'SET jit = off; SET max_parallel_workers_per_gather = 0;';
my $by_page = 'SET enable_indexscan = off; SET enable_indexonlyscan = off;';
my $by_index = 'SET enable_seqscan = off; SET enable_sort = off; SET enable_incremental_sort = off; '
	. 'SET enable_bitmapscan = off; SET enable_hashagg = off;';
my $by_index_pages = "$by_index SET enable_indexonlyscan = off;";
my $skip = "$by_index SET scan.index_skip = force;";
my $reduce = 'SET scan.reduce = force;';
my $small = "SET work_mem = '64kB'; SET scan.work_mem = '64kB';";
$reader->ask("LOAD 'scan';");
$other->ask("SET statement_timeout = '3s';");

# Pages of each relation that some process pins: "relation:pages".
sub pinned
{
	return $other->ask(q{SELECT c.relname || ':' || count(*) FROM pg_buffercache AS b
		JOIN pg_class AS c ON b.relfilenode = pg_relation_filenode(c.oid)
		WHERE b.pinning_backends > 0 AND c.relnamespace = 'public'::regnamespace
			AND b.reldatabase = (SELECT oid FROM pg_database WHERE datname = current_database())
		GROUP BY c.relname ORDER BY c.relname COLLATE "C";});
}

# How many pages they are; those of core's plan are a limit.
sub pages { my $n = 0; $n += (split /:/)[-1] foreach @_; return $n }

# The SQLSTATE of VACUUM; it has frozen tuples and dead ones on each page, and in each index.
sub vacuum
{
	return join ' ', $other->ask(join "\n", map {
			"VACUUM (FREEZE, INDEX_CLEANUP ON, TRUNCATE OFF) $_;\n\\if :ERROR\n\\echo $_ :SQLSTATE\n\\endif" } @tables);
}

# What a cursor sees at each moment: pages that are pinned, and what VACUUM says there if it has to be done.
sub played
{
	my ($settings, $query, $moments, $vacuums) = @_;
	my @seen;

	$other->ask("UPDATE $_ SET u = u + 1;") foreach @tables;
	$reader->ask("RESET ALL; $calm $settings BEGIN; DECLARE c NO SCROLL CURSOR FOR $query;");
	foreach my $moment (@$moments)
	{
		my $rows = () = $reader->ask("FETCH $moment FROM c;");
		my @pinned = pinned();
		push @seen, { rows => $rows, pinned => "@pinned", pages => pages(@pinned) };
		$seen[-1]{vacuum} = vacuum() if $vacuums->[$#seen];
	}
	$reader->ask('ROLLBACK;');
	return @seen;
}

# A query's plan must match; core's plan says how many pages may be pinned,
# and VACUUM has to come through where it pins none.
my ($checked, $in_the_middle) = (0, 0);
sub is_let_go
{
	my ($name, $settings, $query, @plan) = @_;
	my @moments = (1, 4, 25, 'ALL');
	my $plan = join "\n", $reader->ask("RESET ALL; $calm $settings $ours EXPLAIN (VERBOSE, COSTS OFF) $query;");
	my @core = played("$settings $stock", $query, \@moments, [ 0, 0, 0, 0 ]);
	my @free = map { !$_->{pages} || 0 } @core;
	my @seen = played("$settings $ours", $query, \@moments, \@free);
	my (@more, @waits);

	like($plan, $_, "$name: $_") foreach @plan;
	is(join(' ', map { $_->{rows} } @seen), join(' ', map { $_->{rows} } @core), "$name: as many rows");
	foreach my $i (0 .. $#moments)
	{
		push @more, "after $moments[$i]: $seen[$i]{pinned} not $core[$i]{pinned}"
			if $seen[$i]{pages} > $core[$i]{pages};
		push @waits, "after $moments[$i]: $seen[$i]{vacuum}" if $seen[$i]{vacuum};
		$checked++ if $free[$i];
		$in_the_middle++ if $core[$i]{pages} > 0;
	}
	is(join('; ', @more), '', "$name: no more pages are pinned than by core");
	is(join('; ', @waits), '', "$name: VACUUM FREEZE does not wait");
	return;
}

my $prefix = qr/PrefixScan/;

# PrefixScan, by each way to the rows
is_let_go('pages', '', 'SELECT id, sum(v) OVER (ROWS UNBOUNDED PRECEDING) FROM rows', $prefix,
	qr/Input: pages.*Seq Scan/s);
is_let_go('pages with a condition', '', 'SELECT id, sum(v) OVER (ROWS UNBOUNDED PRECEDING) FROM rows WHERE v > 5',
	$prefix, qr/Input: pages.*Filter/s);
is_let_go('pages of wide rows', '', 'SELECT pad, late, sum(v) OVER (ROWS UNBOUNDED PRECEDING) FROM rows', $prefix,
	qr/Input: pages/);
is_let_go('sorted pages', $by_page, 'SELECT id, sum(v) OVER (PARTITION BY g ORDER BY v) FROM rows', $prefix,
	qr/Input: pages.*Seq Scan/s);
is_let_go('sorted pages beyond memory', "$by_page $small",
	'SELECT pad, sum(v) OVER (PARTITION BY g ORDER BY v) FROM rows', $prefix, qr/Input: pages.*Seq Scan/s);
is_let_go('sorted runs', "$by_page $small", 'SELECT pad, sum(v) OVER (ORDER BY v) FROM rows', $prefix,
	qr/Input: pages.*Seq Scan/s);
is_let_go('keys first', "$by_page SET scan.index_skip = off;",
	'SELECT id, g, pad, late FROM (SELECT *, row_number() OVER (PARTITION BY g ORDER BY v) AS r '
		. 'FROM rows) AS s WHERE r = 1', $prefix, qr/Input: pages.*Seq Scan/s);
is_let_go('keys first of rows in slots', "$by_page SET scan.index_skip = off;",
	'SELECT g, v, pad, late FROM (SELECT *, row_number() OVER (PARTITION BY g ORDER BY v DESC) AS r '
		. 'FROM wide) AS s WHERE r = 1', $prefix, qr/Input: pages.*Seq Scan/s);
is_let_go('first rows', "$by_page SET scan.index_skip = off;",
	'SELECT id, g, pad FROM (SELECT *, rank() OVER (PARTITION BY g ORDER BY v) AS r FROM rows) AS s WHERE r <= 3',
	$prefix, qr/Input: pages.*Seq Scan/s);
is_let_go('a rank without partitions', $by_index_pages,
	'SELECT id, pad FROM (SELECT *, row_number() OVER (ORDER BY id) AS r FROM rows) AS s WHERE r <= 100', $prefix);
is_let_go('DISTINCT ON', "$by_page SET scan.index_skip = off;",
	'SELECT DISTINCT ON (g) g, id, pad FROM rows ORDER BY g, v', $prefix, qr/Input: pages.*Seq Scan/s);
is_let_go('index pages', $by_index_pages, 'SELECT id, pad, sum(v) OVER (ORDER BY id) FROM rows', $prefix,
	qr/Input: pages.*Index Scan/s);
is_let_go('index pages backward', $by_index_pages,
	'SELECT id, pad, sum(v) OVER (ORDER BY id DESC) FROM rows WHERE pad > \'a\'', $prefix,
	qr/Input: pages.*Index Scan Backward/s);
is_let_go('index pages by a condition', $by_index_pages,
	'SELECT id, pad, sum(v) OVER (ORDER BY id) FROM rows WHERE id BETWEEN 5 AND 900', $prefix,
	qr/Input: pages.*Index Cond/s);
is_let_go('no row', $by_index_pages, 'SELECT id, pad, sum(v) OVER (ORDER BY id) FROM rows WHERE id < 0', $prefix,
	qr/Input: pages.*Index Scan/s);
is_let_go('index tuples', $by_index, 'SELECT id, sum(v) OVER (ORDER BY id) FROM rows', $prefix,
	qr/Input: pages.*Index Only Scan/s);
is_let_go('index tuples with a condition', $by_index,
	'SELECT id, sum(v) OVER (ORDER BY id DESC) FROM rows WHERE v % 3 > 0', $prefix, qr/Input: pages.*Index Only Scan/s);
is_let_go('in order by the first key', $by_index_pages =~ s/(enable_\w*sort) = off/$1 = on/gr,
	'SELECT id, pad, sum(v) OVER (PARTITION BY g ORDER BY v) FROM rows', $prefix,
	qr/Order By .sorted here.*Index Scan/s);
is_let_go('one partition', $by_index_pages, 'SELECT id, pad, sum(v) OVER () FROM rows WHERE id > 0', $prefix,
	qr/Input: pages.*Index Scan/s);
is_let_go('a rank that ends early', $by_index_pages,
	'SELECT id, pad FROM (SELECT *, rank() OVER (ORDER BY id) AS r FROM rows) AS s WHERE r <= 50', qr/Index Scan/s);
is_let_go('partitions', 'SET enable_sort = off;', 'SELECT id, pad, sum(v) OVER (ROWS UNBOUNDED PRECEDING) FROM parted',
	$prefix, qr/Input: pages.*Append/s);
is_let_go('partitions by index', $by_index_pages, 'SELECT id, pad, sum(v) OVER (ORDER BY id) FROM parted', $prefix,
	qr/Input: pages.*Append.*Index Scan/s);
is_let_go('partitions by index tuples', $by_index, 'SELECT id, count(*) OVER (ORDER BY id) FROM parted', $prefix,
	qr/Input: pages.*Append.*Index Only Scan/s);
is_let_go('partitions merged', $by_index_pages, 'SELECT g, pad, sum(v) OVER (PARTITION BY g ORDER BY id) FROM parted',
	$prefix, qr/Input: rows.*Merge Append/s);
is_let_go('UNION ALL', $by_index_pages,
	'SELECT id, sum(v) OVER (ROWS UNBOUNDED PRECEDING) FROM (SELECT id, v, pad FROM rows WHERE id < 700 UNION ALL '
		. 'SELECT id, v, pad FROM parted WHERE id < 1500) AS s WHERE pad > \'a\'', $prefix, qr/Input: pages.*Append/s);
is_let_go('slots of a bitmap scan',
	'SET enable_seqscan = off; SET enable_indexscan = off; SET enable_indexonlyscan = off;',
	'SELECT id, sum(v) OVER (ROWS UNBOUNDED PRECEDING) FROM rows WHERE id < 2000', $prefix,
	qr/Input: rows.*Bitmap Heap Scan/s);
is_let_go('slots of a join',
	"$by_index_pages SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_material = off;",
	'SELECT lo, id, sum(v) OVER (ROWS UNBOUNDED PRECEDING) FROM few JOIN rows ON id BETWEEN lo AND lo + 20', $prefix,
	qr/Input: rows.*Nested Loop/s);
is_let_go('computed arguments', $by_index_pages,
	'SELECT id, sum(v * 2) OVER (ORDER BY id), late / nullif(v, 0) FROM rows', $prefix, qr/Index Scan/);
is_let_go('blocks', $by_index_pages,
	'SELECT id, pad, sum(v) OVER (ORDER BY id), count(*) OVER (ORDER BY id ROWS 3 PRECEDING) FROM rows', $prefix,
	qr/Input: blocks.*Index Scan/s);
is_let_go('an inner query for each row', "$by_index_pages SET enable_material = off;",
	'SELECT lo, id, y FROM few, LATERAL (SELECT id, sum(v) OVER (ORDER BY id) AS y FROM rows '
		. 'WHERE id > lo AND pad > \'a\' LIMIT 40) AS s', $prefix, qr/Input: pages.*Index Scan/s);

# WindowReduce
is_let_go('reduced rows', "$by_index_pages $reduce",
	'SELECT id, pad, s FROM (SELECT id, pad, sum(v) OVER (ORDER BY id) AS s FROM rows) AS q '
		. 'WHERE s > 3000 AND s % 2 = 1', qr/WindowReduce.*Index Scan/s);
is_let_go('reduced groups', "$by_index_pages $reduce",
	'SELECT g, max(s), count(*) FROM (SELECT g, v, sum(v) OVER (PARTITION BY g, h ORDER BY id DESC) AS s, pad '
		. 'FROM rows) AS q GROUP BY g', qr/WindowReduce.*Index Scan/s);
is_let_go('reduced at all', "$by_index_pages $reduce",
	'SELECT max(s), count(*) FROM (SELECT sum(v) OVER (ORDER BY id) AS s FROM rows WHERE pad > \'a\') AS q',
	qr/WindowReduce.*Index Scan/s);
is_let_go('reduced sorted rows', $reduce,
	'SELECT max(s), count(*) FROM (SELECT sum(v) OVER (ORDER BY v) AS s FROM rows) AS q', qr/WindowReduce.*Seq Scan/s);

# IndexSkip
my $skips = qr/IndexSkip/;
is_let_go('skip', "$skip SET enable_indexonlyscan = off;",
	'SELECT DISTINCT ON (g) g, h, id, pad FROM rows ORDER BY g, h', $skips, qr/Index Scan/);
is_let_go('skip by two columns', "$skip SET enable_indexonlyscan = off;",
	'SELECT DISTINCT ON (g, h) g, h, id, pad FROM rows ORDER BY g, h, id DESC', $skips, qr/Index Scan/);
is_let_go('skip by index tuples', $skip, 'SELECT DISTINCT ON (g, h) g, h, id FROM rows ORDER BY g, h, id DESC', $skips,
	qr/Index Only Scan/);
is_let_go('skip by a row comparison', "$skip SET enable_indexonlyscan = off;",
	'SELECT DISTINCT ON (g, h) g, h, id, pad FROM pair ORDER BY g, h, id', $skips, qr/Index Scan/);
is_let_go('skip by index tuples of one column', $skip, 'SELECT DISTINCT ON (g) g, h, id FROM pair ORDER BY g, h, id',
	$skips, qr/Index Only Scan/);
is_let_go('skip below ranks', "$skip SET enable_indexonlyscan = off;",
	'SELECT g, h, id, pad FROM (SELECT *, row_number() OVER (PARTITION BY g, h ORDER BY id DESC) AS r '
		. 'FROM rows) AS s WHERE r <= 2', $skips, qr/Index Scan/);
is_let_go('skip below peers', $skip, 'SELECT g, h, id FROM (SELECT g, h, id, rank() OVER (PARTITION BY g, h '
		. 'ORDER BY id DESC) AS r FROM rows) AS s WHERE r <= 2', $skips, qr/Index Only Scan/);
is_let_go('skip for each row', "$skip SET enable_indexonlyscan = off; SET enable_material = off;",
	'SELECT lo, s.* FROM few, LATERAL (SELECT DISTINCT ON (g) g, h, id, pad FROM pair WHERE id > lo '
		. 'ORDER BY g, h LIMIT 4) AS s', $skips, qr/Index Scan/);
is_let_go('skip in partitions', "$skip SET enable_indexonlyscan = off;",
	'SELECT DISTINCT ON (g) g, id, pad FROM parted ORDER BY g, id', $skips, qr/Merge Append/);

# kept scans
my $at = "SELECT id, at, sum(amount) OVER (PARTITION BY account ORDER BY at, id) FROM payment WHERE account = 1";
is_let_go('a kept total', $by_index_pages, 'SELECT sum(amount), count(*) FROM payment WHERE account = 1 AND at < 1500',
	qr/scan_kept/);
is_let_go('kept totals of groups', '', 'SELECT account, sum(amount) FROM payment GROUP BY account', qr/scan_kept/);
is_let_go('rows from a kept scan', $by_index_pages,
	"SELECT * FROM (SELECT id, account, at, sum(amount) OVER (PARTITION BY account ORDER BY at, id) AS s "
		. "FROM payment) AS s WHERE account = 1 AND at > 1000 ORDER BY at, id", qr/Starts From|scan_kept/);

# Several processes: a cursor has none.  So the query itself looks, when it has the last row of the windows.
$server->lines(<<"SQL");
CREATE FUNCTION pinned(n bigint) RETURNS text VOLATILE PARALLEL RESTRICTED LANGUAGE sql AS \$\$
SELECT n || ' ' || coalesce(string_agg(relname, ' ' ORDER BY relname), '-')
  FROM pg_buffercache AS b JOIN pg_class AS c ON b.relfilenode = pg_relation_filenode(c.oid)
WHERE b.pinning_backends > 0 AND relnamespace = 'public'::regnamespace
  AND reldatabase = (SELECT oid FROM pg_database WHERE datname = current_database()) AND relname <> 'few' \$\$
SQL
my $several = 'SET max_parallel_workers_per_gather = 2; SET min_parallel_table_scan_size = 0; '
	. 'SET min_parallel_index_scan_size = 0; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0;';
sub is_let_go_by_all
{
	my ($name, $settings, $query, @plan) = @_;
	my $look = "SELECT pinned(n) FROM (SELECT count(x) AS n FROM ($query OFFSET 0) AS x OFFSET 0) AS s";
	my $set = "RESET ALL; $calm $several $settings";
	my $plan = join "\n", $reader->ask("$set $ours EXPLAIN (VERBOSE, COSTS OFF) $look;");

	like($plan, $_, "$name: $_") foreach qr/Gather/, @plan;
	is(join(' ', $reader->ask("$set $ours $look;")), join(' ', $reader->ask("$set $stock $look;")),
		"$name: no process pins more than core");
	return;
}
is_let_go_by_all('whole partitions', '', 'SELECT id, pad, sum(v) OVER (PARTITION BY g ORDER BY v) FROM rows', $prefix,
	qr/Parallel Seq Scan/);
is_let_go_by_all('ranges', '', 'SELECT id, pad, sum(v) OVER (ORDER BY v) FROM rows', $prefix, qr/Parallel Seq Scan/);
is_let_go_by_all('first rows of several processes', "$by_page SET scan.index_skip = off;",
	'SELECT id, g, pad, late FROM (SELECT *, row_number() OVER (PARTITION BY g ORDER BY v) AS r '
		. 'FROM rows) AS s WHERE r = 1', $prefix, qr/Parallel Seq Scan/);
is_let_go_by_all('whole partitions by an index', $by_index_pages =~ s/enable_sort = off/enable_sort = on/r,
	'SELECT id, pad, sum(v) OVER (PARTITION BY g ORDER BY id DESC) FROM rows WHERE g > 0', $prefix,
	qr/Parallel Index Scan/);
is_let_go_by_all('ranges by an index', $by_index_pages =~ s/enable_sort = off/enable_sort = on/r,
	'SELECT id, pad, sum(v) OVER (ORDER BY id) FROM rows WHERE id > 0', $prefix, qr/Parallel Index Scan/);
is_let_go_by_all('skip of several processes',
	"$skip SET enable_indexonlyscan = off; SET parallel_leader_participation = on;",
	'SELECT DISTINCT ON (g) g, h, id, pad FROM pair ORDER BY g, h', $skips);

# An IndexSkip whose groups are more than expected starts anew by core's plan.
$server->lines("CREATE TABLE grown (g int NOT NULL, id int NOT NULL, u int, pad text) WITH (autovacuum_enabled = off);
	CREATE INDEX ON grown (g, id); CREATE INDEX ON grown (u);
	INSERT INTO grown SELECT i % 3, i FROM generate_series(1, 30000) AS i; ANALYZE grown;
	UPDATE grown SET g = id / 30; VACUUM grown");
push @tables, 'grown';
my $grown = 'SELECT DISTINCT ON (g) g, id, pad FROM grown ORDER BY g, id';
is_let_go('skip that starts anew', 'SET scan.index_skip = auto; SET enable_indexonlyscan = off;', $grown, $skips);
like(join("\n", $reader->ask("RESET ALL; $calm SET scan.prefixscan = auto; EXPLAIN (ANALYZE, COSTS OFF) $grown;")),
	qr/Started Anew/, 'it does');

cmp_ok($checked, '>=', 40, 'VACUUM has been tried');
cmp_ok($in_the_middle, '>=', 20, 'where core pins pages in the middle');
is(join('', map { $_->complaints } $reader, $other) =~ s/.*(canceling statement|while scanning|vacuuming).*\n//gr
		=~ s/^LOCATION.*\n//gmr, '', 'no other complaint');

done_testing();

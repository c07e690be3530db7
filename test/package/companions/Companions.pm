# Companions.pm: the extensions that companions.t runs beside scan, each with its most intrusive settings.
#
#   packages    what Debian calls it; `source` is the name of a folder with its source instead
#   preload     its libraries, for shared_preload_libraries
#   loads       a library of these that a session can LOAD, too
#   conf        lines of postgresql.conf; %database%, %socket% and %port% are those of the test
#   create      SQL that creates it, `begin` what each session begins with
#   extensions  whose versions the table shows; without them it is the server's
#   tables, queries     of its own, as in queries.sql
#   hint        a comment in front of each query
#   works       SQL that is true, or `logs` a pattern of the server's log, if the companion was at work
#   ledger      SQL for what the companion has noted of the queries, which has to be the same without scan
#   of          the names of others whose lines are all taken together
package Companions;

use strict;
use warnings;

my $keys = sub {
	my ($table, @columns) = @_;
	return join '', map { <<"QUERIES" } @columns;
--- $table: partitions of $_
SELECT id, row_number() OVER (PARTITION BY $_ ORDER BY id),
  sum(id) OVER (PARTITION BY $_ ORDER BY id ROWS {3} PRECEDING) FROM $table ORDER BY id
--- $table: order of $_
SELECT id, rank() OVER (ORDER BY $_), lag(${_}::text) OVER (ORDER BY $_ DESC NULLS LAST, id),
  count(*) OVER (ORDER BY $_) FROM $table ORDER BY id
--- $table: values of $_
SELECT id, first_value($_) OVER w, lag($_, 2) OVER w, scan_locf($_) OVER w FROM $table
  WINDOW w AS (ORDER BY id) ORDER BY id
QUERIES
};
# scan_locf is of scan
my $own = sub { return $_[0] =~ s/^(--- .*: values of .*)$/$1, own/mgr };

our @all = (
	{
		name => 'pg_stat_statements', packages => ['postgresql-15'], preload => ['pg_stat_statements'],
		extensions => ['pg_stat_statements'],
		conf => "pg_stat_statements.track = all\npg_stat_statements.track_planning = on\n"
			. "pg_stat_statements.save = off\ncompute_query_id = on\n",
		works => 'SELECT count(*) > 40 FROM pg_stat_statements',
		ledger => q{SELECT queryid, calls, rows, left(query, 60) FROM pg_stat_statements }
			. q{WHERE query ~ '^(SELECT|WITH)' AND query !~ 'pg_stat_statements' ORDER BY queryid, calls, rows},
	}, {
		name => 'auto_explain', packages => ['postgresql-15'], preload => ['auto_explain'], loads => 'auto_explain',
		conf => join('', map { "auto_explain.$_\n" } 'log_min_duration = 0', 'log_nested_statements = on',
			'log_analyze = on', 'log_verbose = on', 'log_buffers = on', 'log_timing = on', 'log_wal = on',
			'log_triggers = on', 'log_settings = on', 'log_format = json'),
		logs => qr/"Custom Plan Provider": "PrefixScan"/,
	}, {
		name => 'explain_at_start', preload => ['%folder%/explain_at_start'], loads => '%folder%/explain_at_start',
		works => q{SET scan.prefixscan = force; SELECT sum(x) OVER (ORDER BY id) FROM data \g /dev/null
SELECT current_setting('explain_at_start.plans')::int > 0},
	}, {
		name => 'pgaudit', packages => ['postgresql-15-pgaudit'], preload => ['pgaudit'], extensions => ['pgaudit'],
		conf => "pgaudit.log = 'all'\npgaudit.log_relation = on\npgaudit.log_parameter = on\npgaudit.log_rows = on\n"
			. "pgaudit.log_catalog = on\n",
		logs => qr/AUDIT: SESSION,.*sum\(/,
	}, {
		name => 'pg_qualstats', packages => ['postgresql-15-pg-qualstats'], preload => ['pg_qualstats'],
		extensions => ['pg_qualstats'],
		conf => "pg_qualstats.sample_rate = 1\npg_qualstats.resolve_oids = on\npg_qualstats.track_pg_catalog = on\n",
		works => 'SELECT count(*) > 0 FROM pg_qualstats()',
	}, {
		name => 'pg_stat_kcache', packages => ['postgresql-15-pg-stat-kcache'],
		preload => [ 'pg_stat_statements', 'pg_stat_kcache' ], extensions => [ 'pg_stat_statements', 'pg_stat_kcache' ],
		conf => "pg_stat_statements.track = all\npg_stat_kcache.track = all\npg_stat_kcache.track_planning = on\n"
			. "compute_query_id = on\n",
		works => 'SELECT count(*) > 0 FROM pg_stat_kcache_detail',
	}, {
		name => 'pg_wait_sampling', packages => ['postgresql-15-pg-wait-sampling'], preload => ['pg_wait_sampling'],
		extensions => ['pg_wait_sampling'],
		conf => "pg_wait_sampling.history_period = 1\npg_wait_sampling.profile_period = 1\ncompute_query_id = on\n",
		works => 'SELECT count(*) > 0 FROM pg_wait_sampling_profile',
	}, {
		name => 'pglogical', packages => ['postgresql-15-pglogical'], preload => ['pglogical'],
		extensions => ['pglogical'],
		conf => "wal_level = logical\nmax_replication_slots = 10\nmax_worker_processes = 20\n"
			. "track_commit_timestamp = on\noutput_plugin_libraries = 'pglogical_output'\n",
		# a subscriber in the same server, whose table is made of windows by a trigger's insert
		tables => <<'SQL',
CREATE DATABASE replica TEMPLATE template0;
CREATE TABLE sent (id int PRIMARY KEY, s bigint);
SELECT pglogical.create_node('provider', 'host=%socket% port=%port% user=postgres dbname=%database%');
SELECT pglogical.replication_set_add_table('default', 'sent');
\connect replica
CREATE EXTENSION pglogical; CREATE EXTENSION scan;
CREATE TABLE sent (id int PRIMARY KEY, s bigint);
SELECT pglogical.create_node('subscriber', 'host=%socket% port=%port% user=postgres dbname=replica');
SELECT pglogical.create_subscription('sub', 'host=%socket% port=%port% user=postgres dbname=%database%');
SELECT pglogical.wait_for_subscription_sync_complete('sub');
\connect %database%
SQL
		works => <<'SQL',
TRUNCATE sent; INSERT INTO sent SELECT id, sum(x) OVER (ORDER BY id) FROM data;
SELECT pglogical.wait_slot_confirm_lsn(NULL, NULL) \g /dev/null
\connect replica
SELECT count(*) = 200 FROM sent;
SQL
	}, {
		name => 'pg_cron', packages => ['postgresql-15-cron'], preload => ['pg_cron'], extensions => ['pg_cron'],
		conf => "cron.database_name = '%database%'\ncron.use_background_workers = on\nmax_worker_processes = 20\n",
		tables => <<'SQL',
CREATE TABLE done (id int, s bigint);
SELECT cron.schedule('windows', '* * * * *', 'INSERT INTO done SELECT id, sum(x) OVER (ORDER BY id) FROM data');
SQL
		works => <<'SQL',
DO $$ BEGIN FOR i IN 1 .. 70 LOOP EXIT WHEN EXISTS (SELECT FROM done); PERFORM pg_sleep(1); COMMIT; END LOOP; END $$;
SELECT count(*) > 0 AND bool_and(status = 'succeeded') FROM cron.job_run_details WHERE status <> 'running';
SQL
	}, {
		name => 'set_user', packages => ['postgresql-15-set-user'], preload => ['set_user'], extensions => ['set_user'],
		begin => q{SELECT set_user('someone'); SELECT reset_user();},
		works => q{SELECT set_user('someone') \g /dev/null
SELECT current_user = 'someone'; SELECT reset_user() \g /dev/null
},
	}, {
		name => 'hypopg', packages => ['postgresql-15-hypopg'], preload => ['hypopg'], loads => 'hypopg',
		extensions => ['hypopg'],
		begin => q{SELECT count(*) FROM hypopg_create_index('CREATE INDEX ON data (o, id)');},
		works => 'SELECT count(*) = 1 FROM hypopg()',
	}, {
		name => 'plugin_debugger', packages => ['postgresql-15-pldebugger'], preload => ['plugin_debugger'],
		extensions => ['pldbgapi'],
		works => 'SELECT count(*) = 1 FROM pldbg_get_proxy_info()',
	}, {
		name => 'plpgsql_check', packages => ['postgresql-15-plpgsql-check'], preload => [ 'plpgsql', 'plpgsql_check' ],
		extensions => ['plpgsql_check'],
		conf => "plpgsql_check.mode = 'every_start'\nplpgsql_check.profiler = on\n",
		works => q{SELECT count(*) >= 0 FROM plpgsql_check_function('same(int)')},
	}, {
		name => 'plprofiler', packages => ['postgresql-15-plprofiler'], preload => ['plprofiler'],
		extensions => ['plprofiler'],
		begin => 'SELECT pl_profiler_set_enabled_local(true);',
		works => 'SELECT same(1) \g /dev/null
SELECT count(*) > 0 FROM pl_profiler_linestats_local()',
	}, {
		name => 'pg_partman', packages => ['postgresql-15-partman'], preload => ['pg_partman_bgw'],
		extensions => ['pg_partman'],
		create => 'CREATE SCHEMA partman; CREATE EXTENSION pg_partman SCHEMA partman;',
		conf => "pg_partman_bgw.dbname = '%database%'\npg_partman_bgw.interval = 1\npg_partman_bgw.role = 'postgres'\n",
		tables => <<'SQL',
CREATE TABLE managed (id int NOT NULL, at timestamptz NOT NULL, x int) PARTITION BY RANGE (at);
SELECT partman.create_parent('public.managed', 'at', 'native', 'monthly', p_start_partition => '2024-01-01');
INSERT INTO managed SELECT id, ts, x FROM data;
SQL
		queries => <<'SQL',
--- partitions of pg_partman
SELECT id, sum(x) OVER (ORDER BY at, id), lag(x) OVER (ORDER BY at DESC, id) FROM managed WHERE id > {9} ORDER BY at, id
SQL
		works => q{SELECT count(*) > 3 FROM partman.show_partitions('public.managed')},
	}, {
		name => 'powa', packages => ['postgresql-15-powa'], preload => [ 'pg_stat_statements', 'powa' ],
		extensions => [ 'btree_gist', 'pg_stat_statements', 'powa' ],
		conf => "powa.database = '%database%'\npowa.frequency = '5s'\nmax_worker_processes = 20\n",
		works => 'SELECT powa_take_snapshot() \g /dev/null
SELECT count(*) > 0 FROM powa_statements',
	}, {
		name => 'pgextwlist', packages => ['postgresql-15-pgextwlist'], preload => ['pgextwlist'],
		loads => 'pgextwlist',
		conf => "extwlist.extensions = 'scan'\n",
		works => q{SELECT current_setting('extwlist.extensions') = 'scan'},
	}, {
		name => 'orafce', packages => ['postgresql-15-orafce'], preload => ['orafce'], extensions => ['orafce'],
		tables => 'CREATE TABLE oracle_data AS SELECT id, t::oracle.varchar2(20) AS v, d::oracle.date AS od, x '
			. 'FROM data; ANALYZE oracle_data;',
		queries => $own->($keys->('oracle_data', 'v', 'od')) . <<'SQL',
--- its functions
SELECT id, oracle.nvl(lag(x) OVER (ORDER BY id), 0::int),
  sum(oracle.mod(x, {7})) OVER (PARTITION BY oracle.substr(v::text, 1, 1) ORDER BY id) FROM oracle_data ORDER BY id
--- its aggregates as windows, core
SELECT id, oracle.median(x::float8) OVER (ORDER BY id ROWS 4 PRECEDING),
  oracle.listagg(v::text, ',') OVER (ORDER BY id ROWS 2 PRECEDING) FROM oracle_data ORDER BY id
SQL
	}, {
		name => 'types of contrib', packages => ['postgresql-15'],
		extensions => [qw(citext ltree hstore cube isn seg intarray)],
		tables => <<'SQL',
CREATE TABLE contrib_data AS SELECT id, upper(t)::citext AS c, text2ltree('a.' || abs(o) || '.' || coalesce(t, 'x'))
  AS l, hstore('k', t) AS h, cube(o, p) AS q, ((o / 4) || '..' || (o / 4 + 1))::seg AS g FROM data;
UPDATE contrib_data SET c = lower(c) WHERE id % 4 = 1;
CREATE INDEX ON contrib_data (c); ANALYZE contrib_data;
SQL
		queries => $own->($keys->('contrib_data', qw(c l h q g)))
			. "--- intarray\nSELECT id, array_agg(o) OVER (ORDER BY id ROWS 3 PRECEDING) + {1} FROM data ORDER BY id\n",
	}, {
		name => 'types of other packages', packages => [ map { "postgresql-15-$_" }
			qw(ip4r semver prefix unit rational pgmp) ], extensions => [qw(ip4r semver prefix unit pg_rational pgmp)],
		tables => <<'SQL',
CREATE TABLE typed_data AS SELECT id, ('10.0.' || o || '.' || id % 7)::ip4 AS i4, ('10.0.' || o || '.0/24')::ip4r AS ir,
  ('1.' || o || '.' || id % 3)::semver AS sv, (o || ' m')::unit AS un, ('0' || abs(x) % 1000)::prefix_range AS pr,
  (o || '/7')::rational AS ra, n::text::mpz AS mz, (n::text || '/3')::mpq AS mq FROM data;
CREATE INDEX ON typed_data (i4); ANALYZE typed_data;
SQL
		queries => $own->($keys->('typed_data', qw(i4 ir sv pr un ra mz mq))) . <<'SQL',
--- sums of units, rationals and long integers
SELECT id, sum(un) OVER w, sum(ra) OVER w, sum(mz) OVER w, max(mq) OVER w FROM typed_data
  WINDOW w AS (ORDER BY id ROWS {5} PRECEDING) ORDER BY id
SQL
	}, {
		name => 'aggregates and indexes',
		packages => [ map { "postgresql-15-$_" } qw(hll tdigest first-last-agg extra-window-functions rum) ],
		extensions => [qw(hll tdigest first_last_agg extra_window_functions rum)],
		tables => q{CREATE TABLE documents AS SELECT id, ts, to_tsvector('simple', 'word' || o || ' ' || coalesce(t, }
			. q{'')) AS v FROM data; CREATE INDEX ON documents USING rum (v rum_tsvector_ops); ANALYZE documents;},
		queries => <<'SQL',
--- hll, core
SELECT id, round(hll_cardinality(hll_add_agg(hll_hash_integer(o)) OVER (ORDER BY id))) FROM data ORDER BY id
--- tdigest
SELECT id, tdigest_percentile(f, 100, 0.5) OVER (ORDER BY id ROWS {9} PRECEDING) FROM data ORDER BY id
--- first and last
SELECT id, first(x) OVER w, last(t) OVER w FROM data WINDOW w AS (PARTITION BY p ORDER BY id) ORDER BY id
--- other window functions, core
SELECT id, lag_ignore_nulls(x) OVER w, flip_flop(b, NOT b) OVER w, sum(x) OVER w FROM data
  WINDOW w AS (PARTITION BY p ORDER BY id) ORDER BY id
--- rows of a rum index
SELECT id, count(*) OVER (ORDER BY id), lag(v) OVER (ORDER BY id) FROM documents
  WHERE v @@ 'word7 | word{8}' ORDER BY id
SQL
	}, {
		name => 'postgis', packages => ['postgresql-15-postgis-3'], extensions => ['postgis'],
		tables => 'CREATE TABLE places AS SELECT id, p, st_point(o, p) AS g, '
			. 'st_buffer(st_point(o, 1), 1, 2) AS area, st_point(o, coalesce(p, 0))::geography AS geo FROM data; '
			. 'CREATE INDEX ON places USING gist (g); ANALYZE places;',
		queries => $own->($keys->('places', qw(g area geo))) . <<'SQL',
--- distances along a way, core
SELECT id, st_distance(g, lag(g) OVER w), sum(st_x(g)) OVER w, st_astext(st_makeline(g) OVER (w ROWS {3} PRECEDING))
  FROM places WINDOW w AS (PARTITION BY p ORDER BY id) ORDER BY id
--- clusters, core
SELECT id, st_clusterdbscan(g, 1, 3) OVER (ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING),
  count(*) OVER (PARTITION BY p) FROM places ORDER BY id
SQL
	}, {
		name => 'postgres_fdw', packages => ['postgresql-15'], extensions => ['postgres_fdw'],
		tables => <<'SQL',
CREATE SERVER loopback FOREIGN DATA WRAPPER postgres_fdw OPTIONS
  (host '%socket%', port '%port%', dbname '%database%', async_capable 'true', fetch_size '50');
CREATE USER MAPPING FOR CURRENT_USER SERVER loopback OPTIONS (user 'postgres');
CREATE TABLE far (LIKE data) PARTITION BY RANGE (id);
CREATE FOREIGN TABLE far_low PARTITION OF far FOR
  VALUES FROM (MINVALUE) TO (150) SERVER loopback OPTIONS (table_name 'parts_low');
CREATE FOREIGN TABLE far_middle PARTITION OF far FOR
  VALUES FROM (150) TO (300) SERVER loopback OPTIONS (table_name 'parts_middle');
CREATE FOREIGN TABLE far_high PARTITION OF far FOR
  VALUES FROM (300) TO (MAXVALUE) SERVER loopback OPTIONS (table_name 'parts_high');
ANALYZE far;
-- an order by it cannot be the other server's, so the rows come from an Append, asynchronously
CREATE FUNCTION kept(int) RETURNS int LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN $1; END';
SQL
		queries => <<'SQL',
--- running total of foreign partitions
SELECT id, sum(x) OVER (PARTITION BY p ORDER BY id), lag(t) OVER (PARTITION BY p ORDER BY id) FROM far ORDER BY id
--- foreign partitions in order
SELECT id, sum(n) OVER (ORDER BY id) FROM far WHERE id > {20} ORDER BY id
--- first rows of foreign partitions
SELECT p, id FROM (SELECT p, id, row_number() OVER (PARTITION BY p ORDER BY id DESC) AS k FROM far) AS s
  WHERE k <= {2} ORDER BY p, id
--- a frame over foreign partitions
SELECT id, avg(num) OVER (ORDER BY o, id ROWS {4} PRECEDING), max(f) OVER (PARTITION BY b ORDER BY id)
  FROM far ORDER BY id
--- foreign partitions at the same time
SELECT id, sum(x) OVER (ORDER BY kept(id)), lag(t) OVER (ORDER BY kept(id)) FROM far WHERE id > {5} ORDER BY kept(id)
--- foreign partitions at the same time, a frame
SELECT id, max(t) OVER (PARTITION BY kept(p) ORDER BY id ROWS 3 PRECEDING) FROM far ORDER BY id
--- a foreign row that fails at the same time, fails 22012
SELECT id, sum(100 / (id - {201})) OVER (ORDER BY kept(id)) FROM far ORDER BY kept(id)
--- a foreign row that fails, fails 22012
SELECT id, sum(100 / (id - {201})) OVER (ORDER BY id) FROM far ORDER BY id
--- foreign windows and windows of here
SELECT f.id, f.s, h.s FROM (SELECT id, sum(x) OVER (ORDER BY id) AS s FROM far) AS f
  JOIN (SELECT id, sum(x) OVER (ORDER BY id) AS s FROM data) AS h USING (id) ORDER BY id
SQL
		works => q{CREATE TEMP TABLE plan (line text); DO $$ DECLARE r text; BEGIN FOR r IN EXECUTE }
			. q{'EXPLAIN SELECT id, sum(x) OVER (ORDER BY kept(id)) FROM far' LOOP INSERT INTO plan VALUES (r); }
			. q{END LOOP; END $$; SELECT count(*) >= 3 FROM plan WHERE line ~ 'Async Foreign Scan'},
	}, {
		name => 'standby', standby => 1, packages => ['postgresql-15'],
	}, {
		name => 'pg_hint_plan', source => 'pg_hint_plan', preload => ['pg_hint_plan'], loads => 'pg_hint_plan',
		extensions => ['pg_hint_plan'],
		conf => "pg_hint_plan.enable_hint_table = on\npg_hint_plan.debug_print = on\npg_hint_plan.message_level = log\n"
			. "pg_hint_plan.parse_messages = log\n",
		hint => '/*+ SeqScan(data) NoSeqScan(reading) NoIndexScan(parts) Set(enable_sort off) Set(work_mem "64kB") '
			. 'Parallel(data 2 soft) */ ',
		logs => qr/SeqScan\(data\)/,
	}, {
		name => 'pg_ivm', source => 'pg_ivm', preload => ['pg_ivm'], loads => 'pg_ivm', extensions => ['pg_ivm'],
		tables => q{CREATE TABLE base AS SELECT id, p, x FROM data; ALTER TABLE base ADD PRIMARY KEY (id); }
			. q{SELECT pgivm.create_immv('kept', 'SELECT p, sum(x) AS s, count(*) AS c FROM base GROUP BY p'); }
			. q{SELECT pgivm.create_immv('kept_rows', 'SELECT id, x FROM base WHERE x > 0');},
		queries => <<'SQL',
--- a window over a view that is kept
SELECT p, s, sum(s) OVER (ORDER BY p), rank() OVER (ORDER BY c) FROM kept ORDER BY p
--- a window over rows that are kept
SELECT id, sum(x) OVER (ORDER BY id ROWS {3} PRECEDING) FROM kept_rows ORDER BY id
SQL
		# an update of the base by windows keeps the views
		works => 'UPDATE base SET x = s FROM (SELECT id, count(*) OVER (ORDER BY id) AS s FROM data) AS d '
			. 'WHERE d.id = base.id; SELECT (SELECT sum(s) FROM kept) = (SELECT sum(x) FROM base); '
			. 'UPDATE base SET x = data.x FROM data WHERE data.id = base.id;',
	}, {
		name => 'pgvector', source => 'pgvector', extensions => ['vector'],
		tables => q{CREATE TABLE vectors AS SELECT id, p, ('[' || o || ',' || id % 7 || ',1]')::vector(3) AS v, }
			. q{('[' || o || ',1]')::halfvec AS hv, ('{1:' || o + 1 || '}/5')::sparsevec AS sv FROM data; }
			. q{CREATE INDEX ON vectors USING hnsw (v vector_l2_ops); ANALYZE vectors;},
		queries => $own->($keys->('vectors', qw(v hv sv))) . <<'SQL',
--- distances to the row before, core
SELECT id, v <-> lag(v) OVER w, avg(v) OVER w, sum(v) OVER (w ROWS {4} PRECEDING) FROM vectors
  WINDOW w AS (PARTITION BY p ORDER BY id) ORDER BY id
--- ranks of the nearest
SELECT id, rank() OVER (ORDER BY d, id)
  FROM (SELECT id, v <-> '[1,2,3]' AS d FROM vectors ORDER BY d, id LIMIT {20}) AS s ORDER BY d, id
SQL
	}, {
		name => 'timescaledb', source => 'timescaledb', preload => ['timescaledb'], extensions => ['timescaledb'],
		conf => "timescaledb.telemetry_level = off\nmax_worker_processes = 30\n",
		tables => <<'SQL',
CREATE TABLE metrics (at timestamptz NOT NULL, device int, value float8, id int);
SELECT create_hypertable('metrics', 'at', chunk_time_interval => interval '7 days');
INSERT INTO metrics SELECT ts, p, f, id FROM data;
CREATE INDEX ON metrics (device, at DESC);
ANALYZE metrics;
SQL
		queries => <<'SQL',
--- a hypertable
SELECT at, id, sum(value) OVER (PARTITION BY device ORDER BY at, id) FROM metrics ORDER BY at, id
--- chunks in order
SELECT at, count(*) OVER (ORDER BY at), lag(at) OVER (ORDER BY at, id) FROM metrics
  WHERE at > timestamptz '2024-01-05 00:00+00' ORDER BY at, id
--- chunks that the executor leaves out
SELECT at, id, sum(id) OVER (ORDER BY at, id) FROM metrics
  WHERE at > (timestamptz '2024-01-02 00:00+00' + {20} * interval '1 day')::timestamptz AND at < now() ORDER BY at, id
--- buckets
SELECT bucket, c, sum(c) OVER (ORDER BY bucket), lag(c) OVER (ORDER BY bucket)
  FROM (SELECT time_bucket('5 days', at) AS bucket, count(*) AS c FROM metrics GROUP BY 1) AS s ORDER BY bucket
--- partitions by bucket
SELECT at, id, rank() OVER (PARTITION BY time_bucket('3 days', at) ORDER BY id) FROM metrics ORDER BY at, id
--- latest row of each device
SELECT device, id FROM (SELECT device, id, row_number() OVER (PARTITION BY device ORDER BY at DESC, id) AS k
  FROM metrics) AS s WHERE k = 1 ORDER BY device
--- DISTINCT ON of a hypertable
SELECT DISTINCT ON (device) device, at FROM metrics ORDER BY device, at DESC
--- first and last of TimescaleDB
SELECT device, first(id, at), last(id, at), sum(count(*)) OVER (ORDER BY device) FROM metrics
  GROUP BY device ORDER BY device
--- a row of a chunk that fails, fails 22012
SELECT at, sum(100 / (id - {201})) OVER (ORDER BY at, id) FROM metrics ORDER BY at, id
SQL
		works =>
			q{CREATE TEMP TABLE plan (line text); DO $$ DECLARE r text; BEGIN FOR r IN EXECUTE $e$EXPLAIN SELECT at, }
			. q{sum(id) OVER (ORDER BY at) FROM metrics WHERE at > now() - interval '30 years'$e$ LOOP INSERT INTO }
			. q{plan VALUES (r); END LOOP; END $$; SELECT count(*) = 1 FROM plan WHERE line ~ 'ChunkAppend'},
	},
	# those that observe, all at once
	{ name => 'all that observe',
		of => [qw(pg_stat_statements auto_explain explain_at_start pgaudit pg_qualstats pg_stat_kcache pg_wait_sampling
				pglogical pg_cron set_user plugin_debugger pg_partman powa pgextwlist)] },
	# workers for each query would take long
	{ name => 'all from source', hint => '/*+ SeqScan(data) NoSeqScan(reading) Set(enable_sort off) */ ',
		of => [qw(pg_stat_statements auto_explain pg_hint_plan pg_ivm pgvector timescaledb)], source => 'timescaledb' },
	# those that do not go together, with scan or without
	{ name => 'plpgsql_check+orafce', of => [qw(plpgsql_check orafce)] },
	{ name => 'pg_stat_statements+plprofiler', of => [qw(pg_stat_statements plprofiler)] },
	{ name => 'hypopg+pg_qualstats+pg_stat_statements', of => [qw(hypopg pg_qualstats pg_stat_statements)] },
);

# A companion by its name, with every field that companions.t looks at.
sub named
{
	my ($name) = @_;
	my ($companion) = grep { $_->{name} eq $name } @all;
	die "no companion '$name'\n" if !$companion;
	$companion = { together($companion), %$companion } if $companion->{of};
	my %full = (packages => [], preload => [], extensions => [], conf => '', begin => '', tables => '', queries => '',
		hint => '', %$companion);
	$full{members} //= [ \%full ];
	$full{create} //= join '', map { "CREATE EXTENSION $_;" } @{ $full{extensions} };
	return \%full;
}

# The fields of several companions at once; each library and extension is taken once.
sub together
{
	my ($companion) = @_;
	my @members = map { named($_) } @{ $companion->{of} };
	my %fields = (members => \@members);
	for my $field (qw(preload extensions packages))
	{
		my %seen;
		$fields{$field} = [ grep { !$seen{$_}++ } map { @{ $_->{$field} } } @members ];
	}
	for my $field (qw(conf begin tables queries hint))
	{
		$fields{$field} = join '', map { $_->{$field} } @members;
	}
	$fields{create} = join '',
		map { $_ eq 'pg_partman' ? 'CREATE SCHEMA partman; CREATE EXTENSION pg_partman SCHEMA partman;'
			: "CREATE EXTENSION $_;" } @{ $fields{extensions} };
	return %fields;
}

# Debian's packages of some companions.
sub packages
{
	my %seen;
	return grep { !$seen{$_}++ } map { @{ named($_)->{packages} } } @_;
}

# The folders of source that a companion needs, those of its members too.
sub sources
{
	my ($companion) = map { named($_) } @_;
	my %seen;
	return grep { defined && !$seen{$_}++ } $companion->{source},
		map { named($_)->{source} } @{ $companion->{of} // [] };
}

1;

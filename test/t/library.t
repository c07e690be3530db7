# library.t: the library beside others, and one that is replaced while sessions have it.
#
# What it shows to the libraries that core loads beside it is what SQL calls, and nothing else.  Another library that
# has a plan node of the same name is no reason for a server not to start.  And an upgrade puts another build in the
# place of the file under sessions that go on: a second build is made here,
# in which what the processes share lies otherwise.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use File::Copy;
use File::Temp qw(tempdir);
use IPC::Open2;
use Cluster;
use Objects qw(keep_objects);
use Server;

my $project = "$FindBin::Bin/../..";
my $pg_config = $ENV{PG_CONFIG} // 'pg_config';
chomp(my $pkglibdir = qx{$pg_config --pkglibdir});
chomp(my $includedir = qx{$pg_config --includedir-server});

# ---- what it shows

# but for what the counters of make coverage bring
sub shown
{
	my ($file) = @_;
	return sort grep { !/^(?:__gcov_\w+|mangle_path)$/ } map { /\s(\S+)$/ ? $1 : () } qx{nm -D --defined-only "$file"};
}

my $server = Server->new('library');
my %called = map { $_ => 1 } $server->lines("SELECT DISTINCT prosrc FROM pg_proc WHERE probin LIKE '%scan%'");
my @symbols = grep { !/^pg_finfo_/ } shown("$project/scan.so");
is(join(' ', grep { !$called{$_} && !/^(?:_PG_init|Pg_magic_func|scan_broker_main|scan_kept_worker_main)$/ } @symbols),
	'', 'what SQL calls, the entry points of a library, and nothing else');
cmp_ok(scalar @symbols, '>', 100, 'which are there');
is(join(' ', shown($_)), 'scan_gpu_library', "a device library shows one symbol: $_")
	for grep { -f $_ } map { "$project/gpu/scan_$_.so" } 'mock', 'cuda';

# ---- a name that is taken

my $folder = tempdir('scanXXXXXX', DIR => '/tmp', CLEANUP => 1);
chmod 0755, $folder;
open my $other, '>', "$folder/other.c" or die $!;
print $other <<'C';
#include "postgres.h"
#include "fmgr.h"
#include "nodes/extensible.h"
PG_MODULE_MAGIC;
void _PG_init(void);
static CustomScanMethods methods = {"PrefixScan", NULL};
void _PG_init(void) { RegisterCustomScanMethods(&methods); }
C
close $other;
is(system("gcc -shared -fPIC -I'$includedir' -I/usr/include/postgresql/internal -o "
		. "'$folder/other.so' '$folder/other.c'"), 0, 'another library');
my $taken = Cluster->new("shared_preload_libraries = '$folder/other,scan'\n");
is($taken->{server}->value('SELECT sum(x) FROM (SELECT scan_sum(g) OVER (ORDER BY g) AS x '
		. 'FROM generate_series(1, 3) AS g) AS s'), '10', 'a server starts with it, and functions work');
unlike(join("\n", $taken->{server}->lines('SET scan.prefixscan = force; EXPLAIN SELECT scan_sum(g) OVER (ORDER BY g) '
			. 'FROM generate_series(1, 3) AS g')), qr/PrefixScan/, 'without the plan node');
my $lacking = 'plan nodes "PrefixScan", "IndexSkip" and "WindowReduce" are not available';
like($taken->log,
	qr/WARNING:  $lacking\n.*Another library has registered a custom scan with one of these names/,
	'which the log says');
undef $taken;

# ---- hooks that were set before

# the hooks that scan sets have others behind them, which write that they were called
open my $hooks, '>', "$folder/hooks.c" or die $!;
print $hooks <<'C';
#include "postgres.h"
#include "commands/explain.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "optimizer/planner.h"
#include "storage/ipc.h"
#include "compat.h"
PG_MODULE_MAGIC;
void _PG_init(void);
static void request(void) { elog(LOG, "hook: memory is asked for"); }
static void startup(void) { elog(LOG, "hook: memory is there"); }
static void explain(Query *query, int options, IntoClause *into, ExplainState *es, const char *text,
	ParamListInfo parameters, QueryEnvironment *environment)
{
	elog(NOTICE, "hook: explain");
	compat_explain_query(query, options, into, es, text, parameters, environment);
}
static PlannedStmt *plan(COMPAT_PLANNER_PARAMETERS)
{
	elog(NOTICE, "hook: plan");
	return standard_planner(COMPAT_PLANNER_ARGUMENTS(options));
}
static void paths(PlannerInfo *root, UpperRelationKind stage, RelOptInfo *input, RelOptInfo *output, void *extra)
{
	if (stage == UPPERREL_WINDOW)
		elog(NOTICE, "hook: paths");
}
void _PG_init(void)
{
	shmem_request_hook = request;
	shmem_startup_hook = startup;
	ExplainOneQuery_hook = explain;
	planner_hook = plan;
	create_upper_paths_hook = paths;
}
C
close $hooks;
is(system("gcc -shared -fPIC -I'$includedir' -I/usr/include/postgresql/internal -I'$project/src' -o "
		. "'$folder/hooks.so' '$folder/hooks.c'"), 0, 'a library with hooks');
my $hooked = Cluster->new("shared_preload_libraries = '$folder/hooks,scan'\nscan.gpu_library = 'scan_mock'\n");
my ($plan, $called) = $hooked->{server}->run('SET scan.prefixscan = force; '
	. 'EXPLAIN (VERBOSE, COSTS OFF) SELECT scan_sum(g) OVER (ORDER BY g) FROM generate_series(1, 3) AS g');
like($plan, qr/PrefixScan/, 'the plan node is offered');
is(join(' ', $called =~ /hook: (\w+)/g), 'explain plan paths', '... and each hook of the other library is called');
like($hooked->log, qr/hook: memory is asked for.*hook: memory is there/s, '... those for shared memory, too');
undef $hooked;

# ---- a library that is replaced

# where the shared memory and the plan lie otherwise
mkdir "$folder/second" or die $!;
my @changed = qw(src/exchange/internal.h src/node/planned_window.h src/node/plan/create_plan.c);
is(system("cd '$project' && cp -R Makefile scan.control META.json sql src gpu test '$folder/second/' 2>/dev/null "
		. "&& cd '$folder/second' && rm -f gpu/*.so" . " && sed -i 's/^\\(\\tBarrier\\s*barrier;\\)/\\tchar "
			. "more[4096];\\n\\1/' $changed[0] && sed -i 's/^\\tPRIVATE_KEYS,/\\tPRIVATE_MORE,\\n&/' $changed[1]"
		. " && sed -i 's/list_make2(columns, keys)/list_make3(columns, list_make1_int(7), keys)/' $changed[2]"), 0,
	'another source');
keep_objects("$folder/second", @changed);
is(system("cd '$folder/second' && make -s -j2 scan.so SCAN_OPTIMIZE='-O1 -g0' PG_CONFIG='$pg_config' >make.log 2>&1"),
	0, 'a second build') or diag(qx{tail -5 '$folder/second/make.log'});
isnt(system('cmp', '-s', "$project/$_", "$folder/second/$_"), 0, "... which has another $_") for @changed;

my $cluster = Cluster->new("session_preload_libraries = 'scan'\nparallel_setup_cost = 0\nparallel_tuple_cost = 0\n"
	. "min_parallel_table_scan_size = 0\nmax_parallel_workers_per_gather = 2\nscan.node = force\n"
	. "scan.reduce = off\njit = off\n");
$server = $cluster->{server};
$server->lines('CREATE EXTENSION IF NOT EXISTS scan; CREATE TABLE big AS SELECT i AS id, hashint4(i) % 1000 AS p, '
	. 'hashint4(i * 7) % 1000 AS v FROM generate_series(1, 100000) AS i; VACUUM ANALYZE big;');
my $installed = "$cluster->{folder}/root$pkglibdir/scan.so";
copy($installed, "$folder/first.so") or die $!;
copy("$folder/second/scan.so", "$folder/second.so") or die $!;

sub install
{
	my ($from) = @_;
	copy($from, "$installed.new") or die $!;
	chmod 0755, "$installed.new";
	rename "$installed.new", $installed or die $!;
}

# A session that goes on: what it answers to each script.
sub session
{
	my $pid = open2(my $out, my $in, "$cluster->{PG_BINDIR}/psql", '-XqAt', '-v', 'VERBOSITY=terse', '-h',
		$cluster->{PGHOST}, '-p', $cluster->{PGPORT}, '-U', $cluster->{PGUSER}, '-d', $server->{database});
	return sub {
		my ($script, $later) = @_;
		print $in "\\o /dev/stdout\n\\set ON_ERROR_STOP 0\n$script\n\\echo end\n";
		$in->flush;
		$later->() if $later;
		my $answer = '';
		while (defined(my $line = readline $out)) { last if $line eq "end\n"; $answer .= $line }
		return $answer;
	};
}

my %query = (ranges => 'SELECT sum(x), count(*) FROM (SELECT sum(v) OVER (ORDER BY id) AS x FROM big) AS s;',
	piles => 'SELECT sum(x), count(*) FROM (SELECT sum(v) OVER (PARTITION BY p ORDER BY id) AS x FROM big) AS s;');
foreach my $way ([ 'first', 'second' ], [ 'second', 'first' ])
{
	my ($old, $new) = @$way;
	install("$folder/$old.so");
	my $session = session();
	my %wanted = map { $_ => $session->(
			"SET max_parallel_workers_per_gather = 0; $query{$_} RESET max_parallel_workers_per_gather;") } keys %query;
	like($session->("EXPLAIN (COSTS off) $query{$_}"), qr/Parallel Custom Scan/, "$old: $_ in several processes")
		for sort keys %query;
	is($session->($query{$_}), $wanted{$_}, "$old: $_") for sort keys %query;
	$session->("SET plan_cache_mode = force_generic_plan; PREPARE kept_$_ AS $query{$_} EXECUTE kept_$_;")
		for sort keys %query;
	install("$folder/$new.so");
	is($session->("EXECUTE kept_$_;"), $wanted{$_}, "$new in its place: a plan that is kept, $_") for sort keys %query;
	is($session->($query{$_}), $wanted{$_}, "... a new one, $_") for sort keys %query;
	like($session->("EXPLAIN (VERBOSE, COSTS off) $query{ranges}"),
		qr/In One Process: the library was replaced after the session began/,
		'... which says why it runs in one process');
	is(session()->($query{$_}), $wanted{$_}, "... a new session, $_") for sort keys %query;
	like(session()->("EXPLAIN (COSTS off) $query{$_}"), qr/Parallel Custom Scan/, "... in several processes, $_")
		for sort keys %query;
}

# replaced while a statement is under way: its later workers say so, and the server stands
foreach my $way ([ 'ranges', 'first', 'second' ], [ 'piles', 'second', 'first' ])
{
	my ($kind, $old, $new) = @$way;
	install("$folder/$old.so");
	my $window = $kind eq 'ranges' ? 'ORDER BY id' : 'PARTITION BY p ORDER BY id';
	my $settings = 'SET enable_material = off; SET enable_hashjoin = off; SET enable_mergejoin = off;';
	my $again = "SELECT count(*) FROM generate_series(1, 60) AS g CROSS JOIN "
		. "LATERAL (SELECT pg_sleep(0.05 + 0 * count(x)) FROM (SELECT x FROM (SELECT sum(v) OVER ($window) AS x "
		. "FROM big WHERE id < 20000 OFFSET 0) AS s WHERE x > g LIMIT 20000) AS t OFFSET 0) AS s;";
	my $session = session();
	like($session->("$settings EXPLAIN (COSTS off) $again"),
		qr/Nested Loop.*Function Scan.*Gather.*Parallel Custom Scan/s, "a Gather that is run again and again: $kind");
	my $child = fork // die;
	if (!$child) { select undef, undef, undef, 1.0; install("$folder/$new.so"); $server->{created} = 0; exec 'true' }
	my ($out, $err) = $server->run("$settings $again", go_on => 1);
	waitpid $child, 0;
	like($err, qr/ERROR:  the library of extension "scan" was replaced while this session uses the old one/,
		"... an error says what to do: $kind");
	like($err, qr/HINT:  Connect again/, '... by a hint');
}
is($server->value('SELECT 1'), '1', 'the server stands');

# loaded by the postmaster: sessions and workers share what it has, whatever lies in its place
my $shared = Cluster->new("shared_preload_libraries = 'scan'\nparallel_setup_cost = 0\nparallel_tuple_cost = 0\n"
	. "min_parallel_table_scan_size = 0\nmax_parallel_workers_per_gather = 2\nscan.node = force\n"
	. "scan.reduce = off\njit = off\n");
$shared->{server}->lines('CREATE TABLE big AS SELECT i AS id, hashint4(i) % 1000 AS p, hashint4(i * 7) % 1000 AS v '
	. 'FROM generate_series(1, 100000) AS i; VACUUM ANALYZE big;');
my %before = map { $_ => $shared->{server}->value($query{$_}) } keys %query;
$installed = "$shared->{folder}/root$pkglibdir/scan.so";
install("$folder/second.so");
for my $kind (sort keys %query)
{
	like(join("\n", $shared->{server}->lines("EXPLAIN (COSTS off) $query{$kind}")), qr/Parallel Custom Scan/,
		"a file that is replaced under a postmaster which has it: $kind in several processes");
	is($shared->{server}->value($query{$kind}), $before{$kind}, '... and the same rows');
}
unlike($shared->log, qr/terminated by signal/, '... and no process crashed');
unlike($cluster->log, qr/terminated by signal|SharedFileSet/, '... and no process crashed');

done_testing();

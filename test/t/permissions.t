# permissions.t: who may call the functions of a window, and who is told that they will be called.
#
# When WindowAgg starts, core asks whether the user may EXECUTE each window function and the functions by which the keys
# are equal, and whether the owner of an aggregate may EXECUTE the functions that the aggregate consists of.  It tells
# the object_access_hook of each.  The oracle is core with the node switched off.  Compared are the rows or the error,
# under each permission that is revoked, alone and in pairs (the first error counts), and the calls of the hook, which a
# library counts that is compiled from execute_hook.c.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use File::Temp qw(tempdir);
use Cluster;

my $pg_config = $ENV{PG_CONFIG} // 'pg_config';
chomp(my $includedir = qx{$pg_config --includedir-server});
my $folder = tempdir('scanXXXXXX', DIR => '/tmp', CLEANUP => 1);
chmod 0755, $folder;
my $cc = $ENV{CC} // 'gcc';
is(system("$cc -shared -fPIC -Wall -I'$includedir' -I/usr/include/postgresql/internal -o '$folder/execute_hook.so' "
		. "'$FindBin::Bin/execute_hook.c'"), 0, 'a library with the hook');

my $cluster = Cluster->new("session_preload_libraries = '$folder/execute_hook,scan'\njit = off\n"
	. "client_min_messages = warning\nmax_parallel_workers_per_gather = 0\n");
my $server = $cluster->{server};

$server->lines(<<"SQL");
CREATE ROLE owner; CREATE ROLE other;
CREATE FUNCTION hook_reset() RETURNS void LANGUAGE C AS '$folder/execute_hook', 'hook_reset';
CREATE FUNCTION hook_calls() RETURNS oid[] LANGUAGE C AS '$folder/execute_hook', 'hook_calls';
SQL
$server->lines(<<'SQL');
CREATE TABLE data AS SELECT i AS id, i % 7 AS x, i % 3 AS p, (i % 5)::numeric AS n, 'k' || i % 4 AS t,
  i / 8.0::float8 AS f FROM generate_series(1, 60) AS i; ANALYZE data;
CREATE SCHEMA own; GRANT USAGE, CREATE ON SCHEMA own TO PUBLIC; GRANT SELECT ON data TO PUBLIC;
-- what the aggregates consist of belongs to the superuser, and the aggregates to another role
CREATE FUNCTION own.plus(bigint, int) RETURNS bigint LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'int84pl';
CREATE FUNCTION own.final(bigint) RETURNS bigint LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'int8up';
CREATE FUNCTION own.moving_plus(bigint, int) RETURNS bigint
  LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'int84pl';
CREATE FUNCTION own.moving_minus(bigint, int) RETURNS bigint
  LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'int84mi';
CREATE FUNCTION own.moving_final(bigint) RETURNS bigint LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'int8up';
CREATE FUNCTION own.combine(bigint, bigint) RETURNS bigint LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'int8pl';
CREATE AGGREGATE own.total(int)
  (SFUNC = own.plus, STYPE = bigint, INITCOND = '0', FINALFUNC = own.final, COMBINEFUNC = own.combine,
	MSFUNC = own.moving_plus, MINVFUNC = own.moving_minus, MSTYPE = bigint, MINITCOND = '0',
	MFINALFUNC = own.moving_final, PARALLEL = safe);
CREATE AGGREGATE own.plain(int) (SFUNC = own.plus, STYPE = bigint, INITCOND = '0', PARALLEL = safe);
-- of the functions of stock aggregates, which PrefixScan does not call: under the same name, or another one
CREATE AGGREGATE own.stock_sum(int)
  (SFUNC = int4_sum, STYPE = int8, MSFUNC = int4_avg_accum, MINVFUNC = int4_avg_accum_inv, MFINALFUNC = int2int4_sum,
  MSTYPE = int8[], MINITCOND = '{0,0}', COMBINEFUNC = int8pl, PARALLEL = safe);
CREATE AGGREGATE own.spread(numeric) (SFUNC = numeric_accum, STYPE = internal, SSPACE = 128,
  FINALFUNC = numeric_var_pop, COMBINEFUNC = numeric_combine, SERIALFUNC = numeric_serialize,
	DESERIALFUNC = numeric_deserialize, MSFUNC = numeric_accum, MINVFUNC = numeric_accum_inv, MSTYPE = internal,
	MSSPACE = 128, MFINALFUNC = numeric_var_pop, PARALLEL = safe);
ALTER AGGREGATE own.total(int) OWNER TO owner; ALTER AGGREGATE own.plain(int) OWNER TO owner;
ALTER AGGREGATE own.stock_sum(int) OWNER TO owner; ALTER AGGREGATE own.spread(numeric) OWNER TO owner;
CREATE FUNCTION own.number() RETURNS bigint LANGUAGE internal WINDOW IMMUTABLE PARALLEL SAFE AS 'window_row_number';
CREATE FUNCTION own.argument(int) RETURNS int LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'int4up';
CREATE FUNCTION own.offset(bigint) RETURNS bigint LANGUAGE internal STABLE STRICT PARALLEL SAFE AS 'int8up';
CREATE FUNCTION own.below(int) RETURNS bool LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'int4_bool';
-- keys by operators of their own: partition keys, order keys
CREATE FUNCTION own.less(int, int) RETURNS bool LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'int4lt';
CREATE FUNCTION own.greater(int, int) RETURNS bool LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'int4gt';
CREATE FUNCTION own.equal(int, int) RETURNS bool LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'int4eq';
CREATE FUNCTION own.compare(int, int) RETURNS int LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'btint4cmp';
CREATE FUNCTION own.hash(int) RETURNS int LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'hashint4';
CREATE OPERATOR <<# (LEFTARG = int, RIGHTARG = int, FUNCTION = own.less, COMMUTATOR = >>#);
CREATE OPERATOR >># (LEFTARG = int, RIGHTARG = int, FUNCTION = own.greater, COMMUTATOR = <<#);
CREATE OPERATOR =# (LEFTARG = int, RIGHTARG = int, FUNCTION = own.equal, MERGES, HASHES, COMMUTATOR = =#);
CREATE OPERATOR CLASS own.class FOR TYPE int USING btree AS OPERATOR 1 <<#, OPERATOR 3 =#, OPERATOR 5 >>#,
  FUNCTION 1 own.compare(int, int);
CREATE TABLE many AS SELECT i AS id, i % 10 AS k, (i % 1000)::numeric AS n FROM generate_series(1, 50000) AS i;
CREATE INDEX ON many (k own.class, id); CREATE INDEX ON many (k, id); VACUUM ANALYZE many;
GRANT SELECT ON many TO PUBLIC;
CREATE VIEW calls AS SELECT c::regprocedure::text AS function FROM unnest(hook_calls()) AS c
  WHERE c::regprocedure::text !~ '^(hook_|answer\(|plan\()';
-- the rows or the error of a query, with some permissions revoked, which are there again afterwards
CREATE FUNCTION answer(query text, ddl text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  y text; state text; message text; role text = current_setting('role');
BEGIN
  SET LOCAL ROLE NONE;
  EXECUTE ddl;
  EXECUTE 'SET LOCAL ROLE ' || role;
  EXECUTE 'SELECT count(*) || '' '' || coalesce(md5(string_agg(r::text, ''|'' ORDER BY r.id, r::text)), ''-'') FROM ('
    || query || ') AS r' INTO y;
  RAISE EXCEPTION USING ERRCODE = 'P0999', MESSAGE = y;
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT;
  RETURN CASE WHEN state = 'P0999' THEN message ELSE state || ' ' || message END;
END $$;
SQL

my %mode = (on => 'SET scan.prefixscan = force; SET scan.index_skip = force;',
	off => 'SET scan.prefixscan = off; SET scan.index_skip = off;');
# REVOKE calls an aggregate a function, and writes its * as nothing.
sub revoke
{
	return join '; ', map {
		my $function = $_;
		$function =~ s/^AGGREGATE //;
		$function =~ s/\(\*\)/()/;
		"REVOKE EXECUTE ON FUNCTION $function FROM PUBLIC"
	} @_;
}

# Compares what queries answer under statements that come before, for a superuser and for another role.
# $cases: [ what, query, statement ].  Returns how many were refused by core.
sub compare
{
	my ($what, $settings, @cases) = @_;
	my $refused = 0;
	for my $role (qw(NONE other))
	{
		my %got;
		for my $mode (qw(off on))
		{
			my ($out, $err) = $server->run("$mode{$mode} $settings; SET ROLE $role;\n" . join '',
				map { "SELECT answer(\$q\$$_->[1]\$q\$, \$q\$$_->[2]\$q\$);\n" } @cases);
			is($err, '', "$what: no script fails, $mode") or return 0;
			$got{$mode} = [ split /\n/, $out ];
		}
		is(scalar @{ $got{on} }, scalar @cases, '... each case has its answer');
		my @differ = grep { $got{on}[$_] ne $got{off}[$_] } 0 .. $#cases;
		is(join("\n", grep { /^42(?:601|883)/ } @{ $got{off} }), '', '... each statement before it is one');
		is(join("\n", map { "$cases[$_][0]: core '$got{off}[$_]', scan '$got{on}[$_]'" } @differ), '',
			"... the same answer as core's, as " . ($role eq 'NONE' ? 'a superuser' : 'another role'));
		$refused += grep { /^42501 permission denied/ } @{ $got{off} };
	}
	return $refused;
}

# ---- one permission, or two

my @functions = ('AGGREGATE own.total(int)', 'own.plus(bigint, int)', 'own.final(bigint)',
	'own.moving_plus(bigint, int)', 'own.moving_minus(bigint, int)', 'own.moving_final(bigint)',
	'own.combine(bigint, bigint)', 'AGGREGATE own.plain(int)', 'own.number()', 'own.argument(int)',
	'own.offset(bigint)', 'own.less(int, int)', 'own.equal(int, int)', 'own.compare(int, int)',
	'AGGREGATE own.stock_sum(int)', 'int4_sum(bigint, int)', 'int4_avg_accum(bigint[], int)',
	'int4_avg_accum_inv(bigint[], int)', 'int2int4_sum(bigint[])', 'int4eq(int, int)');
my @revoked = ([], map {
	my $first = $_;
	map { [ @functions[ $first .. ($_ == $first ? $first - 1 : $first) ], $functions[$_] ] } $first .. $#functions
} 0 .. $#functions);
$_ = [ do { my %seen; grep { !$seen{$_}++ } @$_ } ] for @revoked;
my %frame = (running => '', sliding => 'ROWS 2 PRECEDING', 'with an offset' => 'ROWS own.offset(2) PRECEDING',
	following => 'ROWS BETWEEN UNBOUNDED PRECEDING AND 1 FOLLOWING',
	excluding => 'ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW EXCLUDE CURRENT ROW');
# older minor versions take the moving form for all frames
delete @frame{qw(running following excluding)} unless $server->spares_the_inverse;
for my $frame (sort keys %frame)
{
	my $query = "SELECT id, own.stock_sum(x) OVER w, own.total(own.argument(x)) OVER w, own.number() OVER w, "
		. "own.plain(x) OVER w FROM data WINDOW w AS (PARTITION BY p ORDER BY x USING <<#, id $frame{$frame})";
	like($server->value("$mode{on} EXPLAIN (COSTS OFF) $query"), qr/PrefixScan/,
		"a frame that is $frame: in PrefixScan");
	# pairs under the frames for which core takes one form and the other
	my @cases = $frame =~ /^(?:running|sliding)$/ ? @revoked : grep { @$_ < 2 } @revoked;
	my $refused = compare("revoked, $frame", '',
		map { [ join(' and ', @$_) || 'none', $query, revoke(@$_) || 'SELECT' ] } @cases);
	cmp_ok($refused, '>', @cases / 3, '... many are refused');
}

# ---- aggregates alone, the choice of the form

my @aggregates = map {
	my $call = $_;
	map { [ $call, $_ ] } grep { defined } @frame{qw(running sliding excluding)}
} ('own.total(x)', 'own.stock_sum(x)', 'own.spread(n)', 'own.plain(x)', 'own.total(x) FILTER (WHERE x > 1)', 'sum(x)',
	'avg(n)', 'exact_sum(f)', 'moving_median(x)', 'rank()');
push @aggregates, [ 'scan_sum(x)', '' ];
my @parts = ('own.plus(bigint, int)', 'own.moving_plus(bigint, int)', 'own.moving_minus(bigint, int)',
	'own.moving_final(bigint)', 'own.final(bigint)', 'int4_sum(bigint, int)', 'int4_avg_accum(bigint[], int)',
	'int4_avg_accum_inv(bigint[], int)', 'int2int4_sum(bigint[])', 'numeric_accum(internal, numeric)',
	'numeric_accum_inv(internal, numeric)', 'numeric_var_pop(internal)', 'numeric_serialize(internal)',
	'numeric_combine(internal, internal)', 'numeric_avg(internal)', 'AGGREGATE sum(int)', 'rank()',
	'AGGREGATE exact_sum(float8)', 'scan_sum(int, bool, bool)');
my $refused = compare('an aggregate alone', '', map {
	my ($call, $frame) = @$_;
	map { [ "$call, $frame: $_", "SELECT id, $call OVER (ORDER BY id $frame) FROM data", revoke($_) ] } @parts
} @aggregates);
cmp_ok($refused, '>', 50, '... some are refused');

# a stock aggregate whose owner has changed
compare('stock', '', map { [ $_, 'SELECT id, sum(x) OVER (ORDER BY id), max(x) OVER (ORDER BY id ROWS 2 PRECEDING), '
			. 'sum(f) OVER (ORDER BY id ROWS 2 PRECEDING) FROM data', "ALTER AGGREGATE sum(int) OWNER TO owner; "
			. "ALTER AGGREGATE max(int) OWNER TO owner; ALTER AGGREGATE sum(float8) OWNER TO owner; " . revoke($_) ] }
	'int4_sum(bigint, int)', 'int4larger(int, int)', 'float8pl(float8, float8)');

# ---- aggregates whose parts have changed

my $catalog = 'SET LOCAL allow_system_table_mods = on; ';
my @changed = ('ALTER FUNCTION own.plus(bigint, int) CALLED ON NULL INPUT',
	'ALTER FUNCTION own.moving_minus(bigint, int) CALLED ON NULL INPUT',
	'ALTER FUNCTION own.final(bigint) CALLED ON NULL INPUT',
	"${catalog}UPDATE pg_aggregate SET agginitval = NULL WHERE aggfnoid::text LIKE 'own.%'",
	"${catalog}UPDATE pg_aggregate SET aggminitval = NULL WHERE aggfnoid::text LIKE 'own.%'",
	"${catalog}UPDATE pg_aggregate SET agginitval = 'zero' WHERE aggfnoid::text LIKE 'own.%'",
	"${catalog}UPDATE pg_aggregate SET aggminitval = 'zero' WHERE aggfnoid::text LIKE 'own.%'",
	'ALTER FUNCTION numeric_accum(internal, numeric) STRICT; '
		. 'ALTER FUNCTION numeric_accum_inv(internal, numeric) STRICT',
	'ALTER FUNCTION int4_avg_accum_inv(bigint[], int) CALLED ON NULL INPUT');
my @failing = map {
	my $frame = $_;
	map {
		my $ddl = $_;
		map { [ "$_, $frame: $ddl",
			"SELECT id, $_ OVER w, own.plain(x) OVER w FROM data WINDOW w AS (ORDER BY id $frame)", $ddl ] }
			'own.total(x)', 'own.stock_sum(x)', 'own.spread(n)'
	} @changed, map { "$_; " . revoke('AGGREGATE own.plain(int)') } @changed
} values %frame;
compare('changed', '', @failing);

# ---- keys, DISTINCT ON and IndexSkip

for ([ 'DISTINCT ON', 'SELECT DISTINCT ON (k) id, k FROM many ORDER BY k USING <<#, id' ],
	[ 'DISTINCT ON, of an index scan', 'SELECT DISTINCT ON (k) id, k, n FROM many ORDER BY k USING <<#, id' ],
	[ 'the first rows of partitions', 'SELECT * FROM (SELECT id, k, row_number() OVER (PARTITION BY k '
			. 'ORDER BY id) AS n FROM (SELECT id, k FROM many ORDER BY k USING <<#) AS s) AS s WHERE n < 3' ],
	[ 'a rank', 'SELECT * FROM (SELECT id, rank() OVER (ORDER BY k USING >>#) AS n FROM many '
			. 'WHERE id < 1000) AS s WHERE n < 3' ])
{
	my ($what, $query) = @$_;
	my $plan = join "\n", $server->lines("$mode{on} EXPLAIN (COSTS OFF) $query");
	like($plan, $what =~ /^DISTINCT ON/ ? qr/IndexSkip/ : qr/PrefixScan/, "$what: the plan");
	compare($what, '', map { [ join(' and ', @$_), $query, revoke(@$_) ] } map { [$_] } 'own.less(int, int)',
		'own.greater(int, int)', 'own.equal(int, int)', 'own.compare(int, int)', 'int4eq(int, int)', 'int4gt(int, int)',
		'int8lt(bigint, bigint)', 'int84lt(bigint, int)', 'row_number()', 'rank()');
}
like(join("\n", $server->lines(
			"$mode{on} EXPLAIN (COSTS OFF) SELECT DISTINCT ON (k) id, k$_ FROM many ORDER BY k USING <<#, id")),
	$_ eq '' ? qr/Index Only Scan.*Index Cond: \(k >># /s : qr/Index Scan.*Index Cond: \(k >># /s,
	"the conditions that IndexSkip adds are printed$_") for '', ', n';
compare('DISTINCT, sorted', 'SET scan.index_skip = off',
	map { [ $_, 'SELECT DISTINCT ON (p) p AS id, x FROM data ORDER BY p, x USING <<#', revoke($_) ] }
	'int4eq(int, int)', 'own.equal(int, int)', 'own.compare(int, int)');

# ---- WindowReduce: conditions, aggregates and groups

my $inner = '(SELECT id, p, t, x, sum(x) OVER (PARTITION BY t ORDER BY id) AS s FROM data) AS q';
my @reducing = ("SELECT id, s FROM $inner WHERE s > 3 AND p = x", "SELECT id, s FROM $inner WHERE own.below(x)",
	"SELECT 1 AS id, sum(x), avg(s), max(own.argument(x)) FILTER (WHERE s < 100::bigint) FROM $inner",
	"SELECT 1 AS id, t, count(*), sum(s) FROM $inner WHERE s <> 3 GROUP BY t HAVING sum(s) > 5");
my @called = ('int84gt(bigint, int)', 'int84ne(bigint, int)', 'int8lt(bigint, bigint)', 'int4eq(int, int)',
	'texteq(text, text)', 'own.below(int)', 'own.argument(int)', 'AGGREGATE sum(int)', 'AGGREGATE avg(bigint)',
	'AGGREGATE count(*)', 'AGGREGATE max(int)', 'int8inc(bigint)', 'int4_sum(bigint, int)',
	'int8_avg_accum(internal, bigint)', 'numeric_poly_avg(internal)', 'int4larger(int, int)',
	'numeric_gt(numeric, numeric)');
for my $query (@reducing)
{
	like($server->value("$mode{on} SET scan.reduce = force; EXPLAIN (COSTS OFF) $query"), qr/WindowReduce/,
		"WindowReduce runs $query");
	cmp_ok(compare('rows that are filtered and aggregated', 'SET scan.reduce = force; SET enable_hashagg = off;',
			map { [ $_, $query, revoke($_) ] } @called), '>', 1, '... some are refused');
}

# ---- scan_fold

my @op = map {
	my $frame = $_;
	map { [ "$_, $frame", "SELECT id, scan_fold(x, '$_') OVER (ORDER BY id) FROM data",
		revoke('own.combine(bigint, bigint)', 'own.greater(int, int)', 'int4larger(int, int)') ] }
		'int4larger(int, int)', 'int4pl(int, int)'
} values %frame;
is(compare('the op of scan_fold', '', @op), 5, '... is asked for');

# ---- the calls of the hook

# The functions that are called, with their number; what the query's caller adds is the same on and off.
sub calls
{
	my ($settings, @queries) = @_;
	my $script = "$settings\n";
	$script .= "SELECT hook_reset() IS NULL; EXPLAIN $_;\nSELECT 'calls ' || coalesce(string_agg(function || ' ' || n, "
		. "', ' ORDER BY function), '') FROM (SELECT function, count(*) AS n FROM calls GROUP BY function) AS c;\n"
		for @queries;
	return map { /^calls (.*)/ ? $1 : () } $server->lines($script);
}

my @windows = map {
	my $frame = $_;
	map { "($_ $frame)" } 'ORDER BY id', 'PARTITION BY p, t ORDER BY x USING <<#, id', 'PARTITION BY t ORDER BY f DESC'
} sort values %frame;
my @lists = ('own.total(x) OVER W', 'own.stock_sum(x) OVER W',
	'own.spread(n) OVER W', 'sum(x) OVER W, sum(x) OVER W + 1, avg(n) OVER W',
	'own.total(own.argument(x)) FILTER (WHERE own.below(x)) OVER W, own.number() OVER W',
	'min(t) OVER W, count(*) OVER W, sum(f) OVER W',
	'exact_sum(f) OVER W, moving_median(x) OVER W, time_average(f, id) OVER W',
	'lag(x) OVER W, first_value(t) OVER W, ntile(3) OVER W, percent_rank() OVER W',
	'scan_sum(x) OVER W, scan_max(t) OVER W, scan_fold(x, \'int4larger(int,int)\') OVER W',
	'own.total(x) OVER W, own.total(x) OVER (ORDER BY f)',
	'array_agg(x) OVER W, string_agg(t, \',\') OVER W, bool_or(x > 1) OVER W');
my @queries = map {
	my $list = $_;
	map { my $window = $_; (my $q = "SELECT id, $list FROM data") =~ s/\bW\b/$window/g; $q } @windows
} @lists;
push @queries, 'SELECT DISTINCT ON (p, t) id FROM data ORDER BY p, t, id',
	'SELECT * FROM (SELECT id, rank() OVER (PARTITION BY p ORDER BY x) AS n FROM data) AS s WHERE n < 3';
my @core = calls($mode{off}, @queries);
my @ours = calls("SET scan.prefixscan = force; SET scan.index_skip = off;", @queries);
is(scalar @core, scalar @queries, 'the calls of each query were counted');
my @differ = grep { $core[$_] ne ($ours[$_] // '') } 0 .. $#queries;
is(join("\n", map { "$queries[$_]:\n core $core[$_]\n scan $ours[$_]" } @differ), '', '... and are those of core');
like(join("\n", @core), qr/own\.total\(integer\) 1/, '... which tells of an aggregate');
like(join("\n", @core), qr/own\.moving_minus\(bigint,integer\) 1/, '... and of an inverse');
my $in_node = grep { /PrefixScan/ } map { join '', $server->lines("$mode{on} EXPLAIN $_") }
	@queries[ map { $_ * 5 } 0 .. $#queries / 5 ];
cmp_ok($in_node, '>', $#queries / 5 - 3, '... PrefixScan runs them');

# WindowReduce; core compares what it adds to a plan by hand, too
@core = calls("$mode{off} SET enable_hashagg = off; SET enable_sort = on;", @reducing);
@ours = calls("$mode{on} SET scan.reduce = force;", @reducing);
is($ours[$_], $core[$_], "... WindowReduce: $reducing[$_]") for 0 .. $#reducing;

# IndexSkip alone, and below a PrefixScan, which asks for the functions of the keys
@queries = ('SELECT DISTINCT ON (k) id, k FROM many ORDER BY k USING <<#, id', 'SELECT DISTINCT k FROM many',
	'SELECT id, n FROM (SELECT id, row_number() OVER (PARTITION BY k ORDER BY id) AS n FROM many) AS s WHERE n < 3');
@core = calls("$mode{off} SET enable_hashagg = off;", @queries);
@ours = calls($mode{on}, @queries);
is($ours[$_], $core[$_], "... IndexSkip: $queries[$_]") for 0 .. $#queries;
like(join('', $server->lines("$mode{on} EXPLAIN $_")), qr/IndexSkip/, '... which runs it') for @queries;

# in the order in which they are told of: that of core
for my $query ('SELECT own.stock_sum(x) OVER w, rank() OVER w, own.total(own.argument(x)) OVER w, lag(x) OVER w '
	. 'FROM data WINDOW w AS (PARTITION BY p, t ORDER BY x USING <<#, id ROWS own.offset(2) PRECEDING)',
	'SELECT lag(x) OVER w, own.total(x) OVER w, own.total(x) OVER w FROM data WINDOW w AS (PARTITION BY p ORDER BY id)')
{
	my ($core, $ours) = map { join ', ', grep { !/^t$/ }
		$server->lines("$_ CREATE TEMP TABLE q AS SELECT 1; SELECT hook_reset() IS NULL; DO \$d\$ BEGIN PERFORM 1; "
			. "END \$d\$; EXPLAIN (COSTS OFF) $query; SELECT function FROM calls") } @mode{qw(off on)};
	s/^.*?(?=own\.argument|\w+eq\()//s for $core, $ours;
	is($ours, $core, "the order of the calls: $query");
}

# ---- several processes

my $parallel = 'SET max_parallel_workers_per_gather = 2; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; '
	. 'SET min_parallel_table_scan_size = 0; SET enable_sort = off;';
# of sums and averages that WindowReduce hands to core: what core's own partial aggregation asks for
my $totals = 'SELECT avg(k), sum(id::bigint), avg(n), max(k) FROM';
my $divided =
	"$totals (SELECT k, id, n, row_number() OVER (PARTITION BY k ORDER BY id) AS r FROM many) AS s WHERE r IS NOT NULL";
like(join("\n", $server->lines("$mode{on} $parallel SET scan.reduce = force; EXPLAIN (COSTS OFF) $divided")),
	qr/Finalize.*WindowReduce\)\n\s+Aggregates: PARTIAL avg/s, 'sums in several processes');
my ($partial) = calls("$mode{off} $parallel SET enable_indexonlyscan = off;", "$totals many");
my ($reduced) = calls("$mode{on} $parallel SET scan.reduce = force;", $divided);
like($partial, qr/int8_avg_serialize\(internal\) 1/, '... core asks for the functions that serialize');
is(join(', ', grep { /^(?!row_number|int4eq|btint4|int4lt|int4gt)/ } split /, (?=\w)/, $reduced), $partial,
	'... WindowReduce for those that core asks for');

my %process = (
	'whole partitions' => 'SELECT own.total(k) OVER (PARTITION BY id ORDER BY k) AS s FROM many',
	'ranges of the order' => 'SELECT own.spread(n) OVER (ORDER BY id) AS s FROM many');
for my $what (sort keys %process)
{
	my $query = "SELECT max(s), count(*) FROM ($process{$what}) AS q";
	my $plan = join "\n", $server->lines("$mode{on} $parallel EXPLAIN (VERBOSE, COSTS OFF) $query");
	like($plan, qr/Gather.*Parallel Custom Scan \(PrefixScan\)/s, "$what: in several processes") or next;
	my $before = length $cluster->log;
	my ($answer) = $server->lines("$mode{on} $parallel $query");
	is($answer, $server->value("$mode{off} $query"), '... the rows');
	my %worker;
	my $log = substr $cluster->log, $before;
	my @told = $log =~ /hook: process (\d+) function (\d+)/g;
	while (my ($process, $function) = splice @told, 0, 2)
	{
		$worker{$process}{ $server->value("SELECT $function\::regprocedure::text") }++;
	}
	cmp_ok(scalar keys %worker, '>', 0, '... workers were started');
	my @of_aggregate = split / /,
		$what eq 'whole partitions' ? 'own.total(integer) own.plus(bigint,integer) own.final(bigint)'
		: 'own.spread(numeric) numeric_accum(internal,numeric) numeric_var_pop(internal) numeric_serialize(internal) '
		. 'numeric_deserialize(bytea,internal) numeric_combine(internal,internal)';
	is(join(' ', map {
		my $worker = $_;
		map { $_ . ' ' . ($worker->{$_} // 0) } @of_aggregate
	} values %worker), join(' ', map { "$_ 1" } (@of_aggregate) x keys %worker),
	'... each asked once for each function');
	for my $function (split / /, $what eq 'whole partitions'
			? 'own.plus(bigint,int) own.final(bigint) own.combine(bigint,bigint)' : 'numeric_accum(internal,numeric) '
			. 'numeric_var_pop(internal) numeric_serialize(internal) numeric_combine(internal,internal)')
	{
		my ($core, $ours) = map { join '', $server->run("$_; BEGIN; " . revoke($function) . "; $query; ROLLBACK",
				go_on => 1) } "$mode{off} SET max_parallel_workers_per_gather = 0", "$mode{on} $parallel";
		s/^psql:\S+ //m for $core, $ours;
		is($ours, $core, "... as core, without $function");
	}
}

done_testing();

# dropped.t: EXPLAIN ANALYZE and auto_explain of a query whose functions, operators, types or collations are dropped or
# renamed while it runs.
#
# A running query locks its tables and nothing else that its plan names.  Here a function that the query calls drops one
# thing after the other: when the window has returned its first row, or its last one.  Then EXPLAIN prints the plan, in
# each format, VERBOSE or not.  The oracle is core with the node switched off: where core prints the plan, so does scan.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use POSIX ();
use Test::More;
use Time::HiRes qw(sleep);
use Server;

my $server = Server->new('dropped');

$server->lines(<<'SQL');
CREATE TABLE data AS SELECT i AS id, i % 7 AS x, i % 3 AS p, 'k' || i % 5 AS t FROM generate_series(1, 60) AS i;
CREATE SCHEMA own; CREATE SCHEMA another; CREATE SCHEMA keys;
CREATE FUNCTION own.plus(bigint, int) RETURNS bigint LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'int84pl';
CREATE FUNCTION own.minus(bigint, int) RETURNS bigint LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'int84mi';
CREATE FUNCTION own.same(bigint) RETURNS bigint LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'int8up';
CREATE FUNCTION own.volatile_plus(bigint, int) RETURNS bigint LANGUAGE internal VOLATILE STRICT AS 'int84pl';
CREATE AGGREGATE own.total(int) (SFUNC = own.plus, STYPE = bigint, INITCOND = '0', FINALFUNC = own.same,
	MSFUNC = own.plus, MINVFUNC = own.minus, MSTYPE = bigint, MINITCOND = '0', MFINALFUNC = own.same, PARALLEL = safe);
CREATE AGGREGATE own.volatile_total(int) (SFUNC = own.volatile_plus, STYPE = bigint, INITCOND = '0');
CREATE FUNCTION own.number() RETURNS bigint LANGUAGE internal WINDOW IMMUTABLE AS 'window_row_number';
CREATE FUNCTION own.rows(bigint) RETURNS bigint LANGUAGE internal STABLE STRICT AS 'int8up';
CREATE FUNCTION keys.value(int) RETURNS int LANGUAGE internal IMMUTABLE STRICT AS 'int4up';
CREATE FUNCTION own.third(int) RETURNS int LANGUAGE internal IMMUTABLE STRICT AS 'int4up';
CREATE FUNCTION own.add(int, int) RETURNS int LANGUAGE internal IMMUTABLE STRICT AS 'int4pl';
CREATE OPERATOR own.+# (LEFTARG = int, RIGHTARG = int, FUNCTION = own.add);
CREATE FUNCTION own.below(int, int) RETURNS bool LANGUAGE internal IMMUTABLE STRICT AS 'int4lt';
CREATE FUNCTION own.compares(int, int) RETURNS int LANGUAGE internal IMMUTABLE STRICT AS 'btint4cmp';
CREATE OPERATOR own.<# (LEFTARG = int, RIGHTARG = int, FUNCTION = own.below);
CREATE OPERATOR own.==# (LEFTARG = int, RIGHTARG = int, FUNCTION = int4eq, MERGES, COMMUTATOR = OPERATOR(own.==#));
CREATE OPERATOR CLASS own.comparing FOR TYPE int USING btree AS OPERATOR 1 own.<#, OPERATOR 3 own.==#,
  FUNCTION 1 own.compares(int, int);
CREATE COLLATION own.collation (provider = libc, locale = 'C');
CREATE TYPE own.mood AS ENUM ('0', '1', '2', '3', '4', '5', '6');
CREATE DOMAIN own.few AS int CHECK (VALUE < 100);
CREATE TABLE many AS SELECT i AS id, i * 7919 % 20000 AS x FROM generate_series(1, 50000) AS i; ANALYZE many;
CREATE INDEX key_values ON data (keys.value(x), id); VACUUM ANALYZE data;
-- takes a lock when it wakes up, and so hears what other sessions have done
CREATE FUNCTION nap() RETURNS int
  LANGUAGE plpgsql VOLATILE PARALLEL SAFE AS 'BEGIN PERFORM pg_sleep(2); PERFORM id FROM data LIMIT 1; RETURN 1; END';
CREATE FUNCTION undo(ddl text) RETURNS bigint LANGUAGE plpgsql VOLATILE AS 'BEGIN EXECUTE ddl; RETURN 1; END';
-- the plan, or the error; what the query did to the catalog is taken back
CREATE FUNCTION plan(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  line text; printed text = ''; state text; message text;
BEGIN
  FOR line IN EXECUTE query LOOP
    printed := printed || line || E'\n';
  END LOOP;
  RAISE EXCEPTION USING ERRCODE = 'P0999', MESSAGE = printed;
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT;
  RETURN CASE WHEN state = 'P0999' THEN message ELSE 'error ' || state || ' ' || message END;
END $$;
SQL

# what may happen to an object: it goes, it is renamed, it moves
sub dropped { my ($kind, $name) = @_; return "DROP $kind $name CASCADE" }

sub renamed
{
	my ($kind, $name, $moves) = @_;
	return ("ALTER $kind $name RENAME TO renamed", "ALTER $kind $name SET SCHEMA another");
}

sub changes { my ($kind, $name) = @_; return (dropped(@_), renamed(@_)) }
my @schema = ('DROP SCHEMA own CASCADE', 'ALTER SCHEMA own RENAME TO renamed');
my @aggregate = (changes('AGGREGATE', 'own.total(int)'), map { changes('FUNCTION', $_) } 'own.plus(bigint, int)',
	'own.minus(bigint, int)', 'own.same(bigint)');

# queries that return an id and a number; the node that runs the window; what is done to what they name
my @cases = (
	[ 'running', 'SELECT id, own.total(x) OVER (ORDER BY id) FROM data', 'PrefixScan', @aggregate, @schema ],
	[ 'sliding', 'SELECT id, own.total(x) OVER (ORDER BY id ROWS 2 PRECEDING) FROM data', 'PrefixScan', @aggregate,
		@schema ],
	[ 'a window function', 'SELECT id, own.number() OVER (ORDER BY id) FROM data', 'PrefixScan',
		changes('FUNCTION', 'own.number()'), @schema ],
	[ 'functions of scan', 'SELECT id, scan_sum(x) OVER w FROM data WINDOW w AS (ORDER BY id)', 'PrefixScan',
		'DROP EXTENSION scan' ],
	[ 'aggregates of scan',
		'SELECT id, exact_sum(x) OVER w::bigint FROM data WINDOW w AS (ORDER BY id ROWS 2 PRECEDING)', 'PrefixScan',
		'DROP EXTENSION scan' ],
	[ 'the offset of a frame', 'SELECT id, sum(x) OVER (ORDER BY id ROWS own.rows(2) PRECEDING) FROM data',
		'PrefixScan', changes('FUNCTION', 'own.rows(bigint)'), @schema ],
	[ 'the offset of a frame by an operator', 'SELECT id, sum(x) OVER (ORDER BY id '
			. 'ROWS (pg_backend_pid() * 0 OPERATOR(own.+#) 1)::own.few PRECEDING) FROM data', 'PrefixScan',
		dropped('OPERATOR', 'own.+# (int, int)'), changes('DOMAIN', 'own.few'),
		changes('FUNCTION', 'own.add(int, int)'), @schema ],
	[ 'a key that is computed',
		'SELECT id, sum(x) OVER (PARTITION BY p OPERATOR(own.+#) 1 ORDER BY own.third(id), id) FROM data', 'PrefixScan',
		dropped('OPERATOR', 'own.+# (int, int)'), changes('FUNCTION', 'own.add(int, int)'),
		changes('FUNCTION', 'own.third(int)'), @schema ],
	[ 'a key that compares',
		'SELECT id, (SELECT max(s) FROM (SELECT sum(x) OVER (PARTITION BY ROW(o.p, o.x) OPERATOR(own.<#) ROW(1, 2), '
			. 'o.x OPERATOR(own.==#) ANY (ARRAY[1, 2]) ORDER BY d.id) AS s FROM data AS d) AS t) '
			. 'FROM data AS o WHERE id < 4', 'PrefixScan',
		dropped('OPERATOR', 'own.<# (int, int)'), dropped('OPERATOR', 'own.==# (int, int)'), @schema ],
	[ 'a key of a type', 'SELECT id, sum(x) OVER (ORDER BY x::text::own.mood, id) FROM data', 'PrefixScan',
		changes('TYPE', 'own.mood'), @schema ],
	[ 'a key of a collation', 'SELECT id, sum(x) OVER (ORDER BY t COLLATE own.collation, id) FROM data', 'PrefixScan',
		changes('COLLATION', 'own.collation'), @schema ],
	[ 'a key that is the same at each row',
		'SELECT id, (SELECT max(s) FROM (SELECT sum(x) OVER (PARTITION BY own.add(o.id, 1) ORDER BY d.id) AS s '
			. 'FROM data AS d) AS t) FROM data AS o WHERE id < 4', 'PrefixScan',
		changes('FUNCTION', 'own.add(int, int)'), @schema ],
	[ 'a window that is left to core',
		'SELECT id, own.volatile_total(x) OVER (ORDER BY id ROWS own.rows(2) PRECEDING) FROM data', 'WindowAgg',
		changes('AGGREGATE', 'own.volatile_total(int)'), changes('FUNCTION', 'own.volatile_plus(bigint, int)'),
		changes('FUNCTION', 'own.rows(bigint)'), @schema ],
	[ 'IndexSkip, DISTINCT ON',
		'SELECT DISTINCT ON (keys.value(x)) id, keys.value(x)::bigint FROM data ORDER BY keys.value(x), id',
		'IndexSkip', renamed('FUNCTION', 'keys.value(int)'), 'ALTER SCHEMA keys RENAME TO renamed' ],
	[ 'IndexSkip below a window', 'SELECT id, n FROM (SELECT id, own.number() OVER (PARTITION BY keys.value(x) '
			. 'ORDER BY id) AS n FROM data) AS s WHERE n < 2', 'PrefixScan',
		renamed('FUNCTION', 'keys.value(int)'), changes('FUNCTION', 'own.number()'), @schema,
		'ALTER SCHEMA keys RENAME TO renamed' ],
);

# a query and what happens: when its last row is there, or its first one
my %when = (
	last => sub {
		my ($query, $ddl) = @_;
		return "SELECT * FROM ($query OFFSET 0) AS s UNION ALL SELECT 0, undo(\$ddl\$$ddl\$ddl\$)";
	},
	first => sub {
		my ($query, $ddl) = @_;
		return "SELECT * FROM ($query OFFSET 0) AS s "
			. "WHERE CASE WHEN id = 1 THEN undo(\$ddl\$$ddl\$ddl\$) > 0 ELSE true END";
	},
);
my @formats = qw(text json xml yaml);
my $on = "SET client_min_messages = warning; SET jit = off; LOAD 'scan'; SET scan.prefixscan = force; "
	. "SET scan.index_skip = force";
my $off = "SET client_min_messages = warning; SET jit = off; LOAD 'scan'; SET scan.prefixscan = off; "
	. "SET scan.index_skip = off";

# What each of some statements gives: the plan, or "error ..."; in one session.
sub plans
{
	my ($settings, @statements) = @_;
	my $script = "$settings;\n" . join '', map { "SELECT plan(\$q\$$_\$q\$), '-- end';\n" } @statements;
	my ($out, $err, $status) = $server->run("\\pset fieldsep ''\n$script");
	is($err, '', 'no connection is lost') or return ();
	return split /-- end\n/, $out;
}

for my $case (@cases)
{
	my ($what, $query, $node, @ddl) = @$case;
	my ($plan) = plans($on, "EXPLAIN (COSTS OFF) $query");
	like($plan // '', qr/\Q$node\E/, "$what: $node");

	my @explained;
	for my $when (sort keys %when)
	{
		for my $ddl (@ddl)
		{
			push @explained, map { [ "$when row, $_: $ddl",
				"EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF, FORMAT $_) " . $when{$when}->($query, $ddl) ] }
				@formats;
			push @explained, [ "$when row, VERBOSE: $ddl",
				"EXPLAIN (ANALYZE, VERBOSE, COSTS OFF, TIMING OFF, SUMMARY OFF) " . $when{$when}->($query, $ddl) ];
		}
	}
	my @core = plans($off, map { $_->[1] } @explained);
	my @ours = plans($on, map { $_->[1] } @explained);
	is(scalar @core, scalar @explained, '... each is explained without the node');
	is(scalar @ours, scalar @explained, '... and with it');
	my @fails = grep { ($core[$_] // 'error') !~ /^error/ && ($ours[$_] // 'error: crash') =~ /^error/ }
		0 .. $#explained;
	is(join("\n", map { "$explained[$_]->[0]: " . ($ours[$_] // 'crash') } @fails), '',
		"... what core prints, scan prints: $what");
	# PostgreSQL 18 prints the frame, and so has an error where older versions have none
	cmp_ok(scalar(grep { ($_ // 'error') !~ /^error/ } @core), '>', 0, '... which is something');
	cmp_ok(scalar(grep { ($_ // '') =~ /\Q$node\E/ } @ours), '>=', @explained / 2, "... in $node");
}

# ---- what is printed instead of a name

my ($text, $json) = plans($on, map { "EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF, FORMAT $_) "
		. $when{last}->('SELECT id, own.total(x) OVER (ORDER BY id ROWS own.rows(2) PRECEDING) FROM data',
			'DROP SCHEMA own CASCADE') } qw(text json));
my $frame = 'Frame: ROWS BETWEEN \?\?\? PRECEDING AND CURRENT ROW';
like($text, qr/Functions: \?\?\?\n.*$frame\n.*Frame Methods: \?\?\? \(its own functions, inverse\)/s,
	'names that are gone');
like($json, qr/"Functions": \["\?\?\?"\]/, '... in JSON');
($text) = plans($on, 'EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) ' . $when{last}->(
		'SELECT id, own.total(x) OVER (ORDER BY id) FROM data', 'ALTER AGGREGATE own.total(int) RENAME TO renamed'));
like($text, qr/Functions: renamed\n/, 'a name that has changed');

# ---- auto_explain

for my $case (@cases)
{
	my ($what, $query, $node, @ddl) = @$case;
	for my $format (@formats)
	{
		my $script = join '', map { "SELECT plan(\$q\$" . $when{last}->($query, $_) . "\$q\$);\n" } @ddl;
		my %got;
		for my $mode (qw(off on))
		{
			my ($out, $err, $status) = $server->run(($mode eq 'on' ? $on : $off)
				. "; LOAD 'auto_explain'; SET auto_explain.log_nested_statements = on; SET auto_explain.log_analyze "
					. "= on; SET auto_explain.log_timing = off; SET auto_explain.log_format = $format; "
					. "SET auto_explain.log_min_duration = 0; SET client_min_messages = log;\n$script");
			# the query's own rows do not matter here; the log has the plans
			$got{$mode} = [ map { /^error/ ? $_ : 'printed' } grep { /^(?:error|0\|1$|0)/ } split /\n/, $out ];
			$got{"$mode nodes"} = () = $err =~ /\Q$node\E/g;
			is($status, 0, "auto_explain, $format, $mode: $what") or diag(substr $err, -300);
		}
		my @fails = grep { $got{off}[$_] ne ($got{on}[$_] // 'crash') && $got{off}[$_] eq 'printed' }
			0 .. $#{ $got{off} };
		is(join("\n", map { "$ddl[$_]: " . ($got{on}[$_] // 'crash') } @fails), '',
			'... what core prints, scan prints');
		cmp_ok($got{'on nodes'}, '>=', @ddl / 2, "... in $node");
	}
}

# ---- another session, and several processes

my $force_parallel = 'SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; '
	. 'SET max_parallel_workers_per_gather = 2';
my $pid = open(my $background, '-|') // die "fork: $!";
if ($pid == 0)
{
	# nap() comes when the window is done
	my ($out, $err) = $server->run("$on; $force_parallel;\nSET application_name = 'dropped';\n"
		. "EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) SELECT max(s), nap() "
		. "FROM (SELECT own.total(x) OVER (PARTITION BY x ORDER BY id) AS s FROM many) AS q", go_on => 1);
	syswrite STDOUT, $out . $err;
	POSIX::_exit(0);
}
for (1 .. 200)
{
	last if $server->value(
		"SELECT count(*) FROM pg_stat_activity WHERE application_name = 'dropped' AND wait_event = 'PgSleep'") > 0;
	sleep 0.1;
}
$server->lines('SET client_min_messages = warning; DROP AGGREGATE own.total(int)');
my $plan = do { local $/; <$background> };
waitpid $pid, 0;
like($plan, qr/Gather.*PrefixScan\).*Functions: \?\?\?\n/s,
	'an aggregate that another session drops while several processes run the window');

done_testing();

# catalog.t: the SQL catalog has what the library has, as src/op/list.h describes it.
#
# The library exports a C function for each function of the catalog that is written in C, and no other.  A line of the
# list is a function of the extension with that name, those arguments, that result and that C symbol; and every window
# function of the extension, and every function over arrays that the list is made for, is a line.  Each object has a
# comment, which begins with "internal: " for exactly the functions that users never call.
use strict;
use warnings;
use Test::More;
use File::Basename;
use File::Temp;

use lib dirname(__FILE__);
use Server;

chdir dirname(__FILE__) . '/../..' or die $!;

# list.h by the preprocessor, the same reader that the compiler has; the exact aggregates are lines of other headers
my $source = File::Temp->new(SUFFIX => '.c');
print $source <<'C';
#undef bool
#define LINE(prefix, function, type, arguments, result) \
	@ prefix function | arguments | result | prefix function _ type
#define SCAN_ROW(function, type, arguments, result, flags, call) LINE(scan_, function, type, arguments, result)
#define SCAN_CALL(function, type, arguments, result, rows) LINE(scan_, function, type, arguments, result)
#define SCAN_ARRAY(function, type, arguments, result, call, line) LINE(array_scan_, function, type, arguments, result)
#define SCAN_ARRAY_MOVING(function, type, arguments, result, aggregate, kind) \
	LINE(array_moving_, function, type, arguments, result)
#define SCAN_MOVING(transition, inverse, final, kind) @ moving transition | inverse | final
#include "op/list.h"
C
$source->flush;
my $cc = $ENV{CC} // 'cc';
my $text = `$cc -E -P -Isrc -imacros op/exact_statistics.h $source`;
is($?, 0, 'list.h can be read');

my (@list, @moving);
for my $line (split /@/, $text)
{
	push(@moving, $line =~ s/\s+//gr), next if $line =~ s/^\s*moving //;
	$line =~ s/\s+//g;
	push @list, $line if length $line;
}
cmp_ok(scalar @list, '>', 40, 'the list has its lines');

my $server = Server->new('catalog');

# The functions of the extension are a table in all that follows.
sub extension
{
	return $server->lines(<<'SQL' . $_[0]);
CREATE TEMP VIEW function AS
SELECT p.*, p.oid::regprocedure::text AS signature, l.lanname AS language
FROM pg_proc AS p
     JOIN pg_language AS l ON l.oid = p.prolang
     JOIN pg_depend AS d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
     JOIN pg_extension AS e ON e.oid = d.refobjid AND e.extname = 'scan';
SQL
}

# ---- the library

# PG_FUNCTION_INFO_V1 makes a symbol pg_finfo_... for each function that SQL can call.
my $library = $server->value("SELECT setting FROM pg_config WHERE name = 'PKGLIBDIR'");
my @exported = map { /\spg_finfo_(\w+)$/ ? $1 : () } qx{nm -D --defined-only "$library/scan.so"};
my %called = map { $_ => 1 } extension("SELECT prosrc FROM function WHERE language = 'c'");
my %exported = map { $_ => 1 } @exported;
cmp_ok(scalar @exported, '>', 300, 'the library has its functions');
is(join(' ', grep { !$called{$_} } @exported), '', 'the catalog has each function that the library exports');
is(join(' ', grep { !$exported{$_} } sort keys %called), '', 'the library exports each function of the catalog');

# ---- the list

my %catalog = map { $_ => 1 } extension(<<'SQL');
SELECT proname || '|(' || coalesce((SELECT string_agg(t.typname, ',' ORDER BY a.i)
                                    FROM unnest(proargtypes) WITH ORDINALITY a(type, i)
                                         JOIN pg_type t ON t.oid = a.type), '')
       || ')|' || r.typname || '|' || prosrc
FROM function JOIN pg_type r ON r.oid = prorettype
WHERE language = 'c'
SQL
is(join("\n", grep { !$catalog{$_} } @list), '', 'each line of the list is a function of the catalog');
my %symbol = map { ((split /\|/)[3] => 1) } @list;
my @generated = extension("SELECT DISTINCT prosrc FROM function "
	. "WHERE (prokind = 'w' AND prosrc <> 'scan_kept_running') OR prosrc ~ '^array_(scan|moving)_'");
is(join("\n", grep { !$symbol{$_} } @generated), '',
	'each window function, and each scan over arrays, is a line of the list');

my %triple = map { $_ => 1 } extension(<<'SQL');
SELECT DISTINCT (SELECT proname FROM pg_proc WHERE oid = aggmtransfn) || '|' || (SELECT proname FROM pg_proc
  WHERE oid = aggminvtransfn) || '|' || (SELECT proname FROM pg_proc WHERE oid = aggmfinalfn)
FROM function JOIN pg_aggregate ON aggfnoid = oid
WHERE aggmtransfn <> 0 AND aggmfinalfn <> 0
SQL
cmp_ok(scalar @moving, '>', 20, 'the list has aggregates');
is(join("\n", grep { !$triple{$_} } @moving), '', 'each line of an aggregate has the functions of one of the catalog');

# ---- what the catalog says of its objects

is_deeply([ $server->lines(<<'SQL') ], [], 'every object has a comment');
SELECT pg_describe_object(d.classid, d.objid, 0)
FROM pg_depend AS d JOIN pg_extension AS e ON e.oid = d.refobjid AND e.extname = 'scan'
  AND d.refclassid = 'pg_extension'::regclass
WHERE d.deptype = 'e' AND d.classid <> 'pg_opfamily'::regclass
  AND obj_description(d.objid, d.classid::regclass::name) IS NULL
  -- in later versions the types of arrays, and of the rows of tables and views, are members, too
  AND NOT (d.classid = 'pg_type'::regclass AND (EXISTS (SELECT FROM pg_type WHERE typarray = d.objid)
                                                OR EXISTS (SELECT FROM pg_class
                                                  WHERE reltype = d.objid AND relkind <> 'c')))
SQL

# PostgreSQL never looks at strictness of a window function; scan_support loads the library while a query is planned.
is_deeply([ extension("SELECT signature FROM function WHERE prokind = 'w' AND prosrc <> 'scan_kept_running' "
		. "AND (proisstrict OR prosupport::regproc::text <> 'scan_support')") ], [],
	'no window function is STRICT, and each loads the library');
is(join("\n", sort(extension(<<'SQL'))) . "\n", <<'LIST', 'functions are IMMUTABLE and PARALLEL SAFE but for these');
SELECT concat_ws(' ', signature, CASE provolatile WHEN 's' THEN 'STABLE' WHEN 'v' THEN 'VOLATILE' END,
  CASE proparallel WHEN 'r' THEN 'RESTRICTED' WHEN 'u' THEN 'UNSAFE' END)
FROM function WHERE provolatile <> 'i' OR proparallel <> 's'
SQL
affine(affine_map) UNSAFE
affine(double precision,double precision) UNSAFE
array_scan_interpolate(double precision[],timestamp with time zone[],interval,boolean[]) STABLE
array_scan_locf(anyarray,timestamp with time zone[],interval,boolean[]) STABLE
array_scan_nocb(anyarray,timestamp with time zone[],interval,boolean[]) STABLE
array_scan_session(timestamp with time zone[],interval,boolean[]) STABLE
scan_explain(text) VOLATILE RESTRICTED
scan_fold(anycompatible,regprocedure,anyelement,boolean,boolean) VOLATILE RESTRICTED
scan_fold(anyelement,regprocedure,boolean,boolean) VOLATILE RESTRICTED
scan_funnel_add_timestamptz(bytea,timestamp with time zone,interval,"any") STABLE
scan_funnel_add_timestamptz(bytea,timestamp with time zone,interval,text,"any") STABLE
scan_gapfill(timestamp with time zone[],interval,timestamp with time zone,timestamp with time zone) STABLE
scan_interpolate(double precision,timestamp with time zone,interval,boolean) STABLE
scan_keep(text,text,interval) VOLATILE UNSAFE
scan_kept_bound("any",integer,anyelement) STABLE
scan_kept_cells(regclass,text,"any") STABLE RESTRICTED
scan_kept_check(text) VOLATILE UNSAFE
scan_kept_compact(text) VOLATILE UNSAFE
scan_kept_last(regclass,smallint[],"any") STABLE RESTRICTED
scan_kept_log() VOLATILE UNSAFE
scan_kept_merge(regclass,integer,oid,"any",anyelement) RESTRICTED
scan_kept_merge_add(internal,regclass,integer,oid,"any",anyelement) STABLE RESTRICTED
scan_kept_merge_result(internal,regclass,integer,oid,"any",anyelement) STABLE RESTRICTED
scan_kept_no_rows(regclass,name) STABLE RESTRICTED
scan_kept_part(regclass,text) STABLE RESTRICTED
scan_kept_part(regclass,text,"any") STABLE RESTRICTED
scan_kept_running(regclass,bigint,boolean,"any") STABLE RESTRICTED
scan_kept_status(oid,oid,oid,oid,boolean) VOLATILE UNSAFE
scan_locf(anyelement,timestamp with time zone,interval,boolean) STABLE
scan_nocb(anyelement,timestamp with time zone,interval,boolean) STABLE
scan_rates() VOLATILE
scan_refusals() VOLATILE
scan_session(timestamp with time zone,interval,boolean) STABLE
scan_set_schema(name) VOLATILE UNSAFE
scan_shards(regclass,regclass,text,text,boolean) VOLATILE UNSAFE
scan_status() VOLATILE
scan_unkeep(text) VOLATILE UNSAFE
LIST
is_deeply([ extension('SELECT signature FROM function WHERE language = \'c\' AND (proleakproof OR prosecdef)') ], [],
	'none is LEAKPROOF or SECURITY DEFINER');
is(join(' ', sort(extension('SELECT DISTINCT proname FROM function WHERE language = \'c\' AND procost <> 1'))),
	'scan_kept_part scan_kept_running', 'only what reads a kept scan in a plain query has a cost');

# Users never call a function that takes or returns `internal`, nor one that the catalog itself names: as a part of an
# aggregate, a type, an operator, an operator class or a cast, or as the support function of others.
my ($marked, $inner) = map { [ extension(<<"SQL") ] } q{obj_description(p.oid, 'pg_proc') LIKE 'internal: %'}, <<'SQL';
SELECT signature FROM function AS p WHERE $_ ORDER BY signature COLLATE "C"
SQL
'internal'::regtype = ANY (p.proargtypes::oid[] || p.prorettype) OR p.oid IN (
  SELECT unnest(ARRAY[aggtransfn, aggfinalfn, aggcombinefn, aggserialfn, aggdeserialfn, aggmtransfn, aggminvtransfn,
    aggmfinalfn]) FROM pg_aggregate
  UNION SELECT unnest(ARRAY[typinput, typoutput, typreceive, typsend, typmodin, typmodout, typanalyze]) FROM pg_type
  UNION SELECT unnest(ARRAY[oprcode, oprrest, oprjoin]) FROM pg_operator
  UNION SELECT amproc FROM pg_amproc
  UNION SELECT castfunc FROM pg_cast
  UNION SELECT prosupport FROM pg_proc)
SQL
cmp_ok(scalar @$inner, '>', 40, 'some functions are never called by users');
is_deeply($marked, $inner, 'exactly these are marked as internal');

# ---- the scripts

# A script has the functions of the list in the order of the list.  The scripts together have each function in C once.
my @scripts = glob 'sql/scan--*.sql';
my ($data) = qx{cat Makefile} =~ /^DATA = (.*)$/m;
is_deeply([ sort split / /, $data ], [ sort @scripts ], 'all are installed');
my @ordered = map { (split /\|/)[3] } @list;
my @made;
for my $name (split / /, $data)
{
	open my $script, '<', $name or die "$name: $!";
	my @symbols = map { /'MODULE_PATHNAME', '(\w+)'/ ? $1 : () } <$script>;
	my ($next, $out_of_order) = (0, '');
	for my $symbol (grep { $symbol{$_} } @symbols)
	{
		$next++ while $next < @ordered && $ordered[$next] ne $symbol;
		$out_of_order ||= $symbol if $next == @ordered;
		$next++;
	}
	is($out_of_order, '', "$name has the order of the list");
	push @made, @symbols;
}
is_deeply([ sort @made ], [ sort(extension("SELECT prosrc FROM function WHERE language = 'c'")) ],
	'the scripts have each function once');

# ---- PrefixScan

# the node has the functions of the list, and no other function of the library
sub plan_of
{
	my ($call) = @_;
	return join "\n",
		$server->lines("LOAD 'scan'; SET scan.prefixscan = force; "
		. "EXPLAIN (COSTS OFF) SELECT $call OVER (ORDER BY i) FROM (VALUES (1::int8)) AS t (i)");
}
$server->lines(
	"CREATE FUNCTION nobody_said(int8) RETURNS int8 WINDOW LANGUAGE c AS '\$libdir/scan', 'scan_total_hash'");
# values would be moved to a result of another width, or an argument be read that is not there
$server->lines(
	"CREATE FUNCTION narrower(int8, bool) RETURNS int4 WINDOW LANGUAGE c AS '\$libdir/scan', 'scan_compact_any'");
$server->lines(
	"CREATE FUNCTION without_value(bool) RETURNS bool WINDOW LANGUAGE c AS '\$libdir/scan', 'scan_compact_any'");
$server->lines(
	"CREATE FUNCTION compact_too(int8, bool) RETURNS int8 WINDOW LANGUAGE c AS '\$libdir/scan', 'scan_compact_any'");
$server->lines("CREATE FUNCTION under_another_name(int8, bool, bool) RETURNS int8 "
	. "WINDOW LANGUAGE c AS '\$libdir/scan', 'scan_sum_int8'");
unlike(plan_of($_), qr/PrefixScan/, "$_ is WindowAgg's")
	for 'nobody_said(i)', 'narrower(i, true)', 'without_value(true)';
like(plan_of($_), qr/PrefixScan/, "$_ is the node's") for 'scan_sum(i)', 'scan_locf(i)', 'scan_compact(i, i > 0)',
	'scan_split_index(i > 0)', 'compact_too(i, true)', 'under_another_name(i, false, false)';

done_testing();

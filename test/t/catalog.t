# catalog.t: src/op/list.h and the SQL catalog say the same.
#
# Every line of the list that SQL can call is a function of the extension with
# that name, those arguments, that result and that C symbol; and the extension
# has no other function that is not SQL itself.  Each also has a comment, for \df+,
# which begins with "internal: " for exactly the functions that users never call.
use strict;
use warnings;
use Test::More;
use File::Basename;
use File::Temp;

use lib dirname(__FILE__);
use Server;

chdir dirname(__FILE__) . '/../..' or die $!;

# list.h by the preprocessor, the same reader that the compiler has
my $source = File::Temp->new(SUFFIX => '.c');
print $source <<'C';
#define LINE(prefix, function, type, arguments, result) \
	@ prefix function | arguments | result | prefix function _ type
#define SCAN_ROW(function, type, arguments, result, flags, call) LINE(scan_, function, type, arguments, result)
#define SCAN_CALL(function, type, arguments, result, rows) LINE(scan_, function, type, arguments, result)
#define SCAN_SUPPORT(name, arguments, result) @ name | arguments | result | name
#define SCAN_AGGREGATE(name, arguments, result) @ name | arguments | result | aggregate_dummy
#define SCAN_ARRAY(function, type, arguments, result, call, line) LINE(array_scan_, function, type, arguments, result)
#define SCAN_ARRAY_MOVING(function, type, arguments, result, aggregate, kind) \
	LINE(array_moving_, function, type, arguments, result)
#define SCAN_PLAIN(function, type, arguments, result) LINE(, function, type, arguments, result)
#include "op/list.h"
C
$source->flush;
my $cc = $ENV{CC} // 'cc';
my $text = `$cc -E -P -Isrc $source`;
is($?, 0, 'list.h can be read');

my @list;
for my $line (split /@/, $text)
{
	$line =~ s/\s+//g;
	push @list, $line if length $line;
}
cmp_ok(scalar @list, '>', 40, 'the list has its lines');

my $server = Server->new('catalog');

my @catalog = $server->lines(<<'SQL');
SELECT p.proname || '|(' || coalesce((SELECT string_agg(t.typname, ',' ORDER BY a.i)
                                      FROM unnest(p.proargtypes) WITH ORDINALITY a(type, i)
                                           JOIN pg_type t ON t.oid = a.type), '')
       || ')|' || r.typname || '|' || p.prosrc
FROM pg_proc p
     JOIN pg_type r ON r.oid = p.prorettype
     JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
     JOIN pg_extension e ON e.oid = d.refobjid AND e.extname = 'scan'
WHERE p.prolang <> (SELECT oid FROM pg_language WHERE lanname = 'plpgsql')
SQL
is_deeply([ sort @catalog ], [ sort @list ], 'the list and the catalog have the same functions');

is_deeply(
	[
		$server->lines(<<'SQL')
SELECT p.oid::regprocedure
FROM pg_proc p
     JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
     JOIN pg_extension e ON e.oid = d.refobjid AND e.extname = 'scan'
WHERE obj_description(p.oid, 'pg_proc') IS NULL
SQL
	],
	[],
	'every function has a comment');

# Users never call a function that takes or returns `internal`, nor one that the catalog itself names: as a part of an
# aggregate, a type, an operator, an operator class or a cast, or as the support function of others.
my ($marked, $called) = map { [ $server->lines(<<"SQL") ] } q{obj_description(p.oid, 'pg_proc') LIKE 'internal: %'}, <<'SQL';
WITH extension AS (SELECT p.* FROM pg_proc p
                        JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
                        JOIN pg_extension e ON e.oid = d.refobjid AND e.extname = 'scan')
SELECT p.oid::regprocedure FROM extension AS p WHERE $_ ORDER BY p.oid::regprocedure::text COLLATE "C"
SQL
'internal'::regtype = ANY (p.proargtypes::oid[] || p.prorettype) OR p.oid IN (
  SELECT unnest(ARRAY[aggtransfn, aggfinalfn, aggcombinefn, aggserialfn, aggdeserialfn, aggmtransfn, aggminvtransfn, aggmfinalfn]) FROM pg_aggregate
  UNION SELECT unnest(ARRAY[typinput, typoutput, typreceive, typsend, typmodin, typmodout, typanalyze]) FROM pg_type
  UNION SELECT unnest(ARRAY[oprcode, oprrest, oprjoin]) FROM pg_operator
  UNION SELECT amproc FROM pg_amproc
  UNION SELECT castfunc FROM pg_cast
  UNION SELECT prosupport FROM pg_proc)
SQL
cmp_ok(scalar @$called, '>', 40, 'some functions are never called by users');
is_deeply($marked, $called, 'exactly these are marked as internal');

# The scripts of CREATE EXTENSION keep the order of the list: together they have its functions, and each is the list
# without some of its lines.
my @ordered = grep { $_ ne 'aggregate_dummy' } map { (split /\|/)[3] } @list;
my @made;
for my $name (qw(sql/scan--1.2.sql sql/scan--1.2--1.3.sql))
{
	open my $script, '<', $name or die "$name: $!";
	my @symbols = map { /'MODULE_PATHNAME', '(\w+)'/ ? $1 : () } <$script>;
	my ($next, $out_of_order) = (0, '');
	for my $symbol (@symbols)
	{
		$next++ while $next < @ordered && $ordered[$next] ne $symbol;
		$out_of_order ||= $symbol if $next == @ordered;
		$next++;
	}
	is($out_of_order, '', "$name has the order of the list");
	push @made, @symbols;
}
is_deeply([ sort @made ], [ sort @ordered ], 'the scripts have the functions of the list, each once');

# the node has the functions of the list, and no other function of the library
sub plan_of
{
	my ($call) = @_;
	return join "\n", $server->lines("LOAD 'scan'; SET scan.prefixscan = force; EXPLAIN (COSTS OFF) SELECT $call OVER (ORDER BY i) FROM (VALUES (1::int8)) AS t (i)");
}
$server->lines("CREATE FUNCTION nobody_said(int8) RETURNS int8 WINDOW LANGUAGE c AS '\$libdir/scan', 'scan_total_hash'");
# values would be moved to a result of another width, or an argument be read that is not there
$server->lines("CREATE FUNCTION narrower(int8, bool) RETURNS int4 WINDOW LANGUAGE c AS '\$libdir/scan', 'scan_compact_any'");
$server->lines("CREATE FUNCTION without_value(bool) RETURNS bool WINDOW LANGUAGE c AS '\$libdir/scan', 'scan_compact_any'");
$server->lines("CREATE FUNCTION compact_too(int8, bool) RETURNS int8 WINDOW LANGUAGE c AS '\$libdir/scan', 'scan_compact_any'");
$server->lines("CREATE FUNCTION under_another_name(int8, bool, bool) RETURNS int8 WINDOW LANGUAGE c AS '\$libdir/scan', 'scan_sum_int8'");
unlike(plan_of($_), qr/PrefixScan/, "$_ is WindowAgg's") for 'nobody_said(i)', 'narrower(i, true)', 'without_value(true)';
like(plan_of($_), qr/PrefixScan/, "$_ is the node's") for 'scan_sum(i)', 'scan_locf(i)', 'scan_compact(i, i > 0)', 'scan_split_index(i > 0)', 'compact_too(i, true)', 'under_another_name(i, false, false)';

done_testing();

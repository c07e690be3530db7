# operator_classes.t: rows that are sorted, and groups that are skipped, by operator classes of a user's: one that is
# dropped while the query runs, and one that lacks an operator.
#
# The oracle is core with the nodes switched off.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Server;

my $server = Server->new('operator_classes');
my $settings = "SET client_min_messages = warning; SET jit = off; LOAD 'scan'";
my $on = "$settings; SET scan.prefixscan = force; SET scan.index_skip = force";
my $off = "$settings; SET scan.prefixscan = off; SET scan.index_skip = off";

# ---- sorts of a query that goes on

# the node sorts partition after partition, or range after range: the operator class is gone before the second one
$server->lines(<<'SQL');
CREATE SCHEMA own;
CREATE FUNCTION own.compare(int, int) RETURNS int LANGUAGE internal IMMUTABLE STRICT AS 'btint4cmp';
CREATE OPERATOR own.<<# (LEFTARG = int, RIGHTARG = int, FUNCTION = int4lt, COMMUTATOR = OPERATOR(own.>>#));
CREATE OPERATOR own.>># (LEFTARG = int, RIGHTARG = int, FUNCTION = int4gt, COMMUTATOR = OPERATOR(own.<<#));
CREATE OPERATOR own.=# (LEFTARG = int, RIGHTARG = int, FUNCTION = int4eq, MERGES, COMMUTATOR = OPERATOR(own.=#));
CREATE OPERATOR CLASS own.class FOR TYPE int USING btree AS OPERATOR 1 own.<<#, OPERATOR 3 own.=#, OPERATOR 5 own.>>#,
  FUNCTION 1 own.compare(int, int);
CREATE TABLE many AS SELECT i AS id, i * 7919 % 20000 AS x FROM generate_series(1, 50000) AS i; ANALYZE many;
CREATE FUNCTION undo(ddl text) RETURNS bigint LANGUAGE plpgsql VOLATILE AS 'BEGIN EXECUTE ddl; RETURN 1; END';
SQL
for my $partition ('', 'PARTITION BY id % 3', 'PARTITION BY id / 10')
{
	my $window = "($partition ORDER BY x USING OPERATOR(own.<<#))";
	my $query = "SELECT count(*) || ' ' || sum(s) FROM (SELECT sum(id) OVER w AS s, "
		. "CASE WHEN row_number() OVER w = 1 THEN undo('DROP SCHEMA IF EXISTS own CASCADE') > 0 ELSE true END AS b"
		. " FROM many WINDOW w AS $window OFFSET 0) AS s WHERE b";
	my %rows;
	like(join('', $server->lines("$on; EXPLAIN $query")), qr/PrefixScan.*Order By \(sorted here\)/, 'PrefixScan sorts');
	for my $memory (qw(off 64kB 1MB 1500kB 2MB 3MB 64MB))
	{
		my ($out, $err) = $server->run(($memory eq 'off' ? $off : "$on; SET scan.work_mem = '$memory'")
			. ";\nBEGIN;\n$query;\nSELECT 'gone' WHERE to_regnamespace('own') IS NULL;\nROLLBACK;\n");
		$rows{$memory} = $out . $err;
	}
	like($rows{off}, qr/^50000 \d+\ngone\n$/, "rows of a window $window whose operator class is dropped");
	is($rows{$_}, $rows{off}, "... with scan.work_mem = $_") for qw(64kB 1MB 1500kB 2MB 3MB 64MB);
}

# ---- an operator class that lacks an operator

$server->lines(<<'SQL');
CREATE TYPE own.composite AS (value int);
CREATE FUNCTION own.less(own.composite, own.composite) RETURNS bool LANGUAGE internal IMMUTABLE STRICT AS 'record_lt';
CREATE FUNCTION own.equal(own.composite, own.composite) RETURNS bool LANGUAGE internal IMMUTABLE STRICT AS 'record_eq';
CREATE FUNCTION own.compare(own.composite, own.composite) RETURNS int
  LANGUAGE internal IMMUTABLE STRICT AS 'btrecordcmp';
CREATE OPERATOR own.<# (LEFTARG = own.composite, RIGHTARG = own.composite, FUNCTION = own.less);
CREATE OPERATOR own.==#
  (LEFTARG = own.composite, RIGHTARG = own.composite, FUNCTION = own.equal, MERGES, COMMUTATOR = OPERATOR(own.==#));
CREATE OPERATOR CLASS own.less_only DEFAULT FOR TYPE own.composite USING btree AS OPERATOR 1 own.<#, OPERATOR 3 own.==#,
  FUNCTION 1 own.compare(own.composite, own.composite);
CREATE TABLE composites AS SELECT ROW(i % 5)::own.composite AS k, i AS id FROM generate_series(1, 1000) AS i;
CREATE INDEX ON composites (k, id); VACUUM ANALYZE composites;
SQL
for my $query ('SELECT DISTINCT ON (k) k, id FROM composites ORDER BY k, id',
	'SELECT DISTINCT k FROM composites ORDER BY k',
	'SELECT * FROM (SELECT k, id, row_number() OVER (PARTITION BY k ORDER BY id) AS n '
		. 'FROM composites) AS s WHERE n < 3')
{
	my ($core, $ours) = map { join '', $server->run("$_; $query", go_on => 1) } $off, $on;
	like($core, qr/^\(0\)/, 'rows by an operator class without >');
	is($ours, $core, "... which IndexSkip leaves to core: $query");
}

done_testing();

# operator_classes.t: groups that are skipped by an operator class of a user's that lacks an operator.
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

# ---- an operator class that lacks an operator

$server->lines(<<'SQL');
CREATE SCHEMA own;
CREATE TYPE own.composite AS (value int);
CREATE FUNCTION own.less(own.composite, own.composite) RETURNS bool LANGUAGE internal IMMUTABLE STRICT AS 'record_lt';
CREATE FUNCTION own.equal(own.composite, own.composite) RETURNS bool LANGUAGE internal IMMUTABLE STRICT AS 'record_eq';
CREATE FUNCTION own.compare(own.composite, own.composite) RETURNS int LANGUAGE internal IMMUTABLE STRICT AS 'btrecordcmp';
CREATE OPERATOR own.<# (LEFTARG = own.composite, RIGHTARG = own.composite, FUNCTION = own.less);
CREATE OPERATOR own.==# (LEFTARG = own.composite, RIGHTARG = own.composite, FUNCTION = own.equal, MERGES, COMMUTATOR = OPERATOR(own.==#));
CREATE OPERATOR CLASS own.less_only DEFAULT FOR TYPE own.composite USING btree AS OPERATOR 1 own.<#, OPERATOR 3 own.==#, FUNCTION 1 own.compare(own.composite, own.composite);
CREATE TABLE composites AS SELECT ROW(i % 5)::own.composite AS k, i AS id FROM generate_series(1, 1000) AS i;
CREATE INDEX ON composites (k, id); VACUUM ANALYZE composites;
SQL
for my $query ('SELECT DISTINCT ON (k) k, id FROM composites ORDER BY k, id', 'SELECT DISTINCT k FROM composites ORDER BY k',
	'SELECT * FROM (SELECT k, id, row_number() OVER (PARTITION BY k ORDER BY id) AS n FROM composites) AS s WHERE n < 3')
{
	my ($core, $ours) = map { join '', $server->run("$_; $query", go_on => 1) } $off, $on;
	like($core, qr/^\(0\)/, 'rows by an operator class without >');
	is($ours, $core, "... which IndexSkip leaves to core: $query");
}

done_testing();

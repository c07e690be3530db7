# citus_step.t: windows of a step of a distributed query are left to WindowAgg where a Citus is loaded that takes our
# node for one of its own (node/plan/known_fields.c).  No Citus is needed: it is known by its setting, and a step by
# being planned while something else is, as a function that is evaluated by the planner.
# test/package/citus.t has the real one.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Server;

my $server = Server->new('citus_step');
$server->lines(<<'SQL');
CREATE FUNCTION step() RETURNS bigint LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN (SELECT max(s) FROM (SELECT sum(i) OVER (ORDER BY i) AS s FROM generate_series(1, 10) AS i) AS t);
END $$
SQL
my $query = "LOAD 'scan'; SET scan.prefixscan = force; SET scan.debug_require = node;";

for (['13.1.1', 0], ['12.9', 0], ['13.2.0', 1], ['13.2devel', 1], ['13.10.1', 1], ['14.0.1', 1], ['15', 1], ['new', 1])
{
	my ($version, $left) = @$_;
	my ($out, $err) = $server->run("SET citus.version = '$version'; $query SELECT step();");

	$left ? like($err, qr/the window of sum is left to WindowAgg: Citus plans the window as a step of its own/,
		"$version: a step") : is("$out$err", "55\n", "$version: a step");
	($out, $err) = $server->run("SET citus.version = '$version'; "
		. "$query SELECT max(s) FROM (SELECT sum(i) OVER (ORDER BY i) AS s FROM generate_series(1, 10) AS i) AS t;");
	is("$out$err", "55\n", "$version: a query of its own");
}
is(join('', $server->run("$query SELECT step();")), "55\n0", 'no Citus');

my ($out, $err) = $server->run("SELECT scan_shards('pg_class', 'pg_class', 'reltuples', 'oid');");
like($err, qr/ERROR:  scan_shards requires tables that Citus has distributed\nHINT:  Without Citus, write scan_sum/,
	'scan_shards without Citus');
done_testing();

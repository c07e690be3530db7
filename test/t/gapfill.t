# gapfill.t: scan_gapfill against its definition, in test/t/gapfill.py; that it streams, and may be cancelled.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Server;

plan skip_all => 'no python3 on this machine' if system('python3 -c "import random" >/dev/null 2>&1') != 0;

my $server = Server->new('gapfill');
$ENV{PGDATABASE} = $server->{database};
my @lines = `python3 "$FindBin::Bin/gapfill.py" "$Server::psql"`;
is($?, 0, 'the program of the oracle ran');
for (@lines)
{
	/^(\d+) buckets of (.*), (\d+) wrong: ?(.*)$/ or next;
	is($3, 0, "$1 buckets of $2") or diag($4);
}
cmp_ok(scalar(grep { /^(\d+) buckets of/ && $1 >= 40000 } @lines), '==', 8, 'all types were compared');

is($server->value("SELECT scan_gapfill(ARRAY[5::int8], 1::int8, 0::int8, 9223372036854775807) OFFSET 7 LIMIT 1"), '8',
	'starts are returned one by one');
my (undef, $err) = $server->run("SET statement_timeout = 300; "
	. "SELECT count(*) FROM (SELECT scan_gapfill('{}', 1::int8, 0::int8, 9223372036854775807)) AS t");
like($err, qr/ERROR:  canceling statement due to statement timeout/, 'many buckets can be cancelled');
is($server->value("SELECT count(*) FROM (SELECT scan_gapfill(ARRAY(SELECT hashint4(i)::int8 "
		. "FROM generate_series(1, 300000) AS i), 1000::int8)) AS t") > 0, 1, 'many times in any order');
is($server->value("SELECT count(*) FROM (SELECT scan_gapfill(ARRAY[0, 3e6]::numeric[], 1)) AS t"), '2999999',
	'many numerics');
done_testing();

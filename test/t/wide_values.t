# wide_values.t: values of 1 to 100 kB and 1 to 100 functions: memory is limited by bytes, not by rows.
#
# Each query reads several times as many bytes as scan.work_mem allows, or returns as many, with the node forced and
# with every kind of function that returns values from other rows.  The backend's peak over that of the same query over
# three rows must be within twice the setting.  A row's own arguments and results,
# which are in memory at once in any executor, come on top.

use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Server;

my $setting = 16 * 1024;    # scan.work_mem, in kB
my $server = Server->new('wide_values');

plan skip_all => 'the peak of a backend is read from /proc on the server'
  if $server->value(q{SELECT count(*) FROM pg_ls_dir('/proc/self', true, false) AS f WHERE f = 'status'}) == 0;

$server->lines('CREATE TABLE d AS SELECT i AS id, i % 7 AS p FROM generate_series(1, 20000) AS i; '
	. 'ALTER TABLE d ADD PRIMARY KEY (id); VACUUM ANALYZE d;');

# What is called, and the window: `#` is the number of the function, so that no two are the same.
my @kinds = (
	[ 'lag(v, #)', 'ORDER BY id' ],
	[ 'lead(v, #)', 'ORDER BY id' ],
	[ 'lag(v, #, v)', 'PARTITION BY p ORDER BY id' ],
	[ 'first_value(v || #)', 'ORDER BY id ROWS 30 PRECEDING' ],
	[ 'last_value(v || #)', 'ORDER BY id ROWS BETWEEN 3 PRECEDING AND 1 PRECEDING' ],
	[ 'nth_value(v, #)', 'ORDER BY id' ],
	[ 'max(v || #)', 'ORDER BY id' ],
	[ 'max(v || #)', 'ORDER BY id ROWS 20 PRECEDING' ],
	[ 'min(v || #)', 'ORDER BY p ROWS BETWEEN CURRENT ROW AND 3 FOLLOWING' ],
	[ 'max(v || #)', 'PARTITION BY p' ],
	[ 'scan_locf(v, #)', 'ORDER BY id' ],
	[ 'scan_nocb(v || #)', 'ORDER BY id' ],
	[ 'scan_max(v || #)', 'ORDER BY id' ],
	[ 'scan_compact(v, id % (# + 1) = 0)', 'ORDER BY id' ],
	[ q{scan_fold(v || #, 'text_larger(text,text)')}, 'ORDER BY id' ],
	[ 'moving_mode(v || #)', 'ORDER BY id ROWS 5 PRECEDING' ]);

# The kB of a value, functions, and rows.
my @sizes = ([ 1, 40, 1000 ], [ 12, 40, 200 ], [ 100, 1, 600 ], [ 100, 10, 60 ], [ 10, 100, 40 ], [ 100, 100, 6 ]);

sub numbered
{
	my ($call, $number) = @_;
	return $call =~ s/#/$number/gr;
}

# The peak in kB of a backend that runs a query over so many rows.
sub peak
{
	my ($kind, $kb, $functions, $rows) = @_;
	my ($call, $over) = @$kind;
	my $list = join ', ', map { numbered("$call OVER ($over)", $_) . " AS x$_" } 1 .. $functions;
	my $read = join ' AND ', map { "x$_ IS DISTINCT FROM 'a'" } 1 .. $functions;
	my $input = "SELECT id, p, repeat(md5(id::text), $kb * 32) AS v FROM d WHERE id <= $rows OFFSET 0";
	my $start = "LOAD 'scan'; SET jit = off; SET max_parallel_workers_per_gather = 0; SET scan.prefixscan = force; "
		. "SET scan.debug_require = node; SET scan.work_mem = '${setting}kB'; SET work_mem = '4MB';";
	my ($count, $peak) = $server->lines("$start SELECT count(*) FROM (SELECT $list FROM ($input) AS s OFFSET 0) AS t "
		. "WHERE $read; SELECT (regexp_match(pg_read_file('/proc/self/status'), 'VmHWM:\\s*(\\d+)'))[1];");
	die "$call: $count rows" if $count != $rows;
	return $peak;
}

for my $size (@sizes)
{
	my ($kb, $functions, $rows) = @$size;
	for my $kind (@kinds)
	{
		my $grown = peak($kind, $kb, $functions, $rows) - peak($kind, $kb, $functions, 3);
		my $what = numbered("$kind->[0] OVER ($kind->[1])", 1);

		cmp_ok($grown, '<', 2 * $setting + 2 * $kb * $functions,
			"$functions x $what, $rows values of $kb kB: $grown kB");
	}
}

# Columns that the subquery computes of the results: WindowReduce uses the rows computed so far before it computes more.
my $wide = 'repeat(md5(id::text), 3200)';
for my $case (
	[ 'a count', "SELECT count(*), max(md5(t)) "
			. "FROM (SELECT $wide || lag(id) OVER (ORDER BY id) AS t FROM d WHERE id <= #) AS s WHERE t > '5'" ],
	[ 'a count alone', "SELECT count(*) FROM (SELECT $wide || lag(id) OVER (ORDER BY id) AS t FROM d "
			. "WHERE id <= #) AS s WHERE t > '5'" ],
	[ 'groups', "SELECT p, count(*), max(t) = max(u) FROM (SELECT p, $wide || lag(id) OVER w AS t, lag(id) OVER w || "
			. "'u' AS u FROM d WHERE id <= # WINDOW w AS (PARTITION BY p ORDER BY id)) AS s WHERE t > '5' GROUP BY p" ],
	[ 'rows',
		"SELECT md5(t), i FROM (SELECT $wide || lag(id) OVER (ORDER BY id) AS t, at - lag(at) OVER (ORDER BY id) AS i "
			. "FROM (SELECT id, '2026-01-01'::timestamp + id * id * '1 second'::interval AS at FROM d "
			. "WHERE id <= # OFFSET 0) AS r) AS s WHERE t > '5'" ],
	[ 'rows that may fail', "SELECT md5(t), x FROM (SELECT $wide || lag(id) OVER (ORDER BY id) AS t, "
			. "7000 / (lag(id) OVER (ORDER BY id) + 1) AS x FROM d WHERE id <= #) AS s WHERE t > '5'" ],
	[ 'a filter that may fail', "SELECT count(*), count(*) FILTER (WHERE 7000 / length(t) >= 0), max(i), min(i) "
			. "FROM (SELECT $wide || lag(id) OVER (ORDER BY id) AS t, "
			. "(10000 - lag(id) OVER (ORDER BY id)) * interval '1 second' AS i FROM d WHERE id <= #) AS s" ])
{
	my ($what, $query) = @$case;
	my %of;

	for my $reduce ('off', 'force')
	{
		for my $rows (3, 1500)
		{
			my $asked = $query =~ s/#/$rows/gr;
			my @lines = $server->lines("LOAD 'scan'; SET jit = off; SET max_parallel_workers_per_gather = 0; "
				. "SET scan.prefixscan = force; SET scan.reduce = $reduce; EXPLAIN (COSTS OFF) $asked; $asked; "
				. "SELECT (regexp_match(pg_read_file('/proc/self/status'), 'VmHWM:\\s*(\\d+)'))[1];");

			$of{$reduce}{$rows} = { peak => pop @lines, lines => [ grep { !/^ |^[A-Z]/ } @lines ],
				plan => join("\n", @lines) };
		}
	}
	my $grown = $of{force}{1500}{peak} - $of{force}{3}{peak};

	like($of{force}{1500}{plan}, qr/WindowReduce/, "$what: in WindowReduce");
	is_deeply($of{force}{1500}{lines}, $of{off}{1500}{lines}, '... the same');
	cmp_ok(scalar @{ $of{off}{1500}{lines} }, '>', 0, '... and there are rows');
	cmp_ok($grown, '<', $setting, "... $grown kB");
}
done_testing();

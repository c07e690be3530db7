# fenv: no answer depends on the rounding mode, or on the flushing of subnormals,
# that another library has left behind in the backend.
#
# The other library is made here, by the compiler that the server was made by: two
# functions that change the mode, and one that tells it.  Each scan runs in a good
# mode, then in bad ones, over a table that was filled before; the answers are
# compared by their bytes.

use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use File::Temp qw(tempdir);
use Server;

my $pg_config = $ENV{PG_CONFIG} // 'pg_config';
my $folder = tempdir('/tmp/scan-fenv.XXXXXX', CLEANUP => 1);

chomp(my $include = `$pg_config --includedir-server`);
chomp(my $cc = $ENV{CC} // `$pg_config --cc`);

open my $code, '>', "$folder/mode.c" or die $!;
print $code <<'CODE';
#include "postgres.h"

#include <fenv.h>
#ifdef __SSE2__
#include <xmmintrin.h>
#endif

#include "fmgr.h"

PG_MODULE_MAGIC;

/* what the numbers of the modes are hangs on the machine: 0 nearest, 1 up, 2 down, 3 toward zero */
static const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};

PG_FUNCTION_INFO_V1(set_rounding);
Datum
set_rounding(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(fesetround(modes[PG_GETARG_INT32(0) & 3]) == 0);
}

#define FLUSH 0x8040 /* FTZ and DAZ */

/* false where there is nothing to flush by */
PG_FUNCTION_INFO_V1(set_flush);
Datum
set_flush(PG_FUNCTION_ARGS)
{
#ifdef __SSE2__
	_mm_setcsr((_mm_getcsr() & ~FLUSH) | (PG_GETARG_BOOL(0) ? FLUSH : 0));
	PG_RETURN_BOOL(true);
#else
	PG_RETURN_BOOL(false);
#endif
}

/* the rounding mode, and 4 if subnormals are flushed */
PG_FUNCTION_INFO_V1(get_mode);
Datum
get_mode(PG_FUNCTION_ARGS)
{
	int mode = 0;

	while (modes[mode] != fegetround())
		mode++;
#ifdef __SSE2__
	if ((_mm_getcsr() & FLUSH) != 0)
		mode += 4;
#endif
	PG_RETURN_INT32(mode);
}
CODE
close $code;
my $said = `$cc -O2 -shared -fPIC -I$include -o $folder/mode.so $folder/mode.c -lm 2>&1`;
die "no library from $cc: $said" if $? != 0;
chmod 0755, $folder, "$folder/mode.so" or die $!;    # the server may be another user

my $server = Server->new('fenv');
$server->lines(<<"SQL");
CREATE FUNCTION set_rounding(int) RETURNS bool LANGUAGE c AS '$folder/mode';
CREATE FUNCTION set_flush(bool) RETURNS bool LANGUAGE c AS '$folder/mode';
CREATE FUNCTION get_mode() RETURNS int LANGUAGE c AS '$folder/mode';
-- two partitions; x is no dyadic number, c shrinks to nothing within some hundred rows
CREATE TABLE data AS
	SELECT i % 2 AS p, i, i * 0.1::float8 AS x, ('{1e-44,3e-44,-1e-40}'::float4[])[1 + i % 3] AS tiny4,
	(i % 7 - 3)::float4 / 10 AS x4, 0.1 + i % 10 * 0.01::float8 AS c,
		1 + (i % 13 - 6) * 1e-4::float8 AS f, '2000-01-01'::timestamptz + i * interval '1.1 s' AS at,
		i * 5e-324::float8 AS moment
	FROM generate_series(1, 1500) AS i;
CREATE TABLE whole AS
	SELECT p, array_agg(x ORDER BY i) AS x, array_agg(x4 ORDER BY i) AS x4, array_agg(c * 1e-308 ORDER BY i) AS tiny
	FROM data GROUP BY p;
SQL

# The arithmetic of the query itself must be the same in every mode: none.
my %window = (
	'scan_sum' => 'scan_sum(x) OVER w',
	'scan_sum(real)' => 'scan_sum(x4) OVER w',
	'scan_sum, exclusive' => 'scan_sum(x, exclusive => true) OVER w',
	'scan_recurrence' => 'scan_recurrence(c, x) OVER w',
	'scan_recurrence, into the subnormals' => 'scan_recurrence(c, 0::float8, 1::float8) OVER w',
	'scan_recurrence, order 2' => q[scan_recurrence(ARRAY[c, c], 0::float8, '{1,1}') OVER w],
	'scan_filter' => q[scan_filter(x, '{0.25,0.5}', '{1,-0.125}') OVER w],
	'scan_ema' => 'scan_ema(x, 0.125::float8) OVER w',
	'scan_ema, adjusted' => 'scan_ema(x, 0.125::float8, true) OVER w',
	'scan_ema, at times' => q[scan_ema(x, at, interval '3 s') OVER w],
	'scan_matrix_product' => '(scan_matrix_product(ARRAY[[c, f], [f, c]]) OVER w)[1][1]',
	'scan_product' => 'scan_product(f) OVER w',
	'exact_sum' => 'exact_sum(x) OVER w',
	'exact_sum(real)' => 'exact_sum(x4) OVER (PARTITION BY p ORDER BY i ROWS 20 PRECEDING)',
	'exact_sum(real) of subnormals' => 'exact_sum(tiny4) OVER (PARTITION BY p ORDER BY i ROWS 20 PRECEDING)',
	'exact_avg' => 'exact_avg(x) OVER (PARTITION BY p ORDER BY i ROWS 20 PRECEDING)',
	'exact_stddev_pop' => 'exact_stddev_pop(x) OVER (PARTITION BY p ORDER BY i ROWS 20 PRECEDING)',
	'exact_corr' => 'exact_corr(x, i) OVER (PARTITION BY p ORDER BY i ROWS 20 PRECEDING)',
	'time_average' => 'time_average(x, i) OVER (PARTITION BY p ORDER BY i ROWS 20 PRECEDING)',
	'time_average at subnormal times' => 'time_average(x, moment) OVER (PARTITION BY p ORDER BY i ROWS 20 PRECEDING)',
	'affine' => '(affine(c, x) OVER w).b',
	'scan_product, into the subnormals' => 'scan_product(c) OVER w',
);
my %array = (
	'array_scan_sum' => 'array_scan_sum(x)',
	'array_scan_sum(real)' => 'array_scan_sum(x4)',
	'array_scan_sum of subnormals' => 'array_scan_sum(tiny)',
	'array_scan_recurrence' => 'array_scan_recurrence(tiny, x)',
);

# mode => how it is set, and what get_mode() says then
my @modes = (
	[ 'rounding up', 'SELECT set_rounding(1);', 1 ],
	[ 'rounding down', 'SELECT set_rounding(2);', 2 ],
	[ 'rounding toward zero', 'SELECT set_rounding(3);', 3 ],
	[ 'subnormals flushed', 'SELECT set_flush(true);', 4 ],
	[ 'rounding up, subnormals flushed', 'SELECT set_rounding(1); SELECT set_flush(true);', 5 ],
);
my $reset = 'SELECT set_rounding(0); SELECT set_flush(false);';
my $can_flush = $server->value('SELECT set_flush(false)') eq 't';

# Each query in each mode and, before, in the good one; all in one session.  Gives
# the answers' bytes, the first for the good mode, and the modes after them.
sub in_all_modes
{
	my ($query) = @_;
	my (@bytes, @after);
	my $good = [ 'good', '', 0 ];
	my $script = 'SET jit = off; SET max_parallel_workers_per_gather = 0;';

	for ($good, @modes)
	{
		$script .= "$reset $_->[1] SELECT 'mode ' || get_mode(); $query SELECT 'then ' || get_mode();";
	}
	my $mode;
	for ($server->lines($script))
	{
		if (/^mode (\d)/) { push @bytes, ''; $mode = $1; }
		elsif (/^then (\d)/) { push @after, [ $mode, $1 ]; $mode = undef; }
		elsif (defined $mode) { $bytes[-1] .= $_; }
	}
	return (\@bytes, \@after);
}

sub is_the_same
{
	my ($name, $bytes, $after) = @_;
	cmp_ok(length $bytes->[0], '>', 1000, "$name: there are answers");
	for my $m (0 .. $#modes)
	{
		my ($mode, undef, $number) = @{ $modes[$m] };
	  SKIP:
		{
			skip 'no subnormals to flush by', 1 if $number >= 4 && !$can_flush;
			is($after->[ $m + 1 ][0], $number, "$mode: the mode was set");
			ok($bytes->[ $m + 1 ] eq $bytes->[0], "$name, $mode: the same bits");
		}
	}
}

for my $name (sort keys %window)
{
	my ($bytes, $after) = in_all_modes(<<"SQL");
SELECT encode(float8send(y), 'hex')
FROM (SELECT p, i, $window{$name} AS y FROM data WINDOW w AS (PARTITION BY p ORDER BY i)) AS t ORDER BY p, i;
SQL
	is_the_same($name, $bytes, $after);
}

for my $name (sort keys %array)
{
	my ($bytes, $after) = in_all_modes(<<"SQL");
SELECT encode(array_send($array{$name}), 'hex') FROM whole ORDER BY p;
SQL
	is_the_same($name, $bytes, $after);
	for my $m (grep { $can_flush || $modes[$_][2] < 4 } 0 .. $#modes)
	{
		is($after->[ $m + 1 ][1], $modes[$m][2], "$name, $modes[$m][0]: the mode is left as it was");
	}
}

# A function beside the scan that changes the mode at every row.
for my $name (grep { !/affine/ } sort keys %window)
{
	for my $node (qw(off force))
	{
		my ($good, $bad) = map {
			join ' ', $server->lines(<<"SQL")
SET jit = off; SET scan.prefixscan = $node;
SELECT encode(float8send(y), 'hex'), changed
FROM (SELECT p, i, $window{$name} AS y, $_ AS changed FROM data WINDOW w AS (PARTITION BY p ORDER BY i) OFFSET 0) AS t;
SQL
		} 'set_rounding(0)', 'set_rounding(1 + i % 3)';
		ok($good eq $bad, "$name, scan.prefixscan = $node: a mode that changes between rows");
	}
}

done_testing();

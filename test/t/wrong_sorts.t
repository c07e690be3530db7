# wrong_sorts.t: a device that returns a wrong sort, each time another one (gpu/fault.c): a bit of a word, a word, or
# two words that are the same.  Many of these words still rise.  No query may have another answer than the CPU's,
# whether the sort is proved by a hash or by scan.gpu_check, in one slot or in parts,
# of words with a row's number and without.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Time::HiRes qw(sleep);
use Cluster;

my $rounds = $ENV{SCAN_SORT_ROUNDS} // 20;
my $cluster = Cluster->new("shared_preload_libraries = 'scan'\nscan.gpu_library = 'scan_mock'\n"
	. "scan.gpu_timeout = '60s'\nscan.gpu_slot_size = '256kB'\n");
my $server = $cluster->{server};
for (1 .. 200) { last if $server->value('SELECT state FROM scan_status') eq 'ready'; sleep 0.1 }

# multiples of 1,000: between two values there is room for a wrong one that rises
$server->lines(<<'SQL');
CREATE TABLE few AS SELECT i, hashint4(i) / 1000 * 1000 AS x FROM generate_series(1, 3000) AS i;
CREATE TABLE many AS SELECT i, hashint4(i) / 1000 * 1000 AS x FROM generate_series(1, 70000) AS i;
SQL

my @queries = map {
	my $table = $_;
	("SELECT md5(array_radix_sort(array_agg(x ORDER BY i))::text) FROM $table",
		"SELECT md5(array_radix_sort(array_agg(x::int8 << 30 ORDER BY i))::text) FROM $table",
		"SELECT md5(string_agg(n::text, ' ' ORDER BY i)) "
			. "FROM (SELECT i, row_number() OVER (ORDER BY x) AS n FROM $table) AS s",
		"SELECT md5(string_agg(n::text, ' ' ORDER BY i)) "
			. "FROM (SELECT i, rank() OVER (PARTITION BY i % 7 ORDER BY x) AS n FROM $table) AS s")
} qw(few many);

sub answers
{
	return $server->lines("LOAD 'scan'; SET scan.prefixscan = force; $_[0]\n" . join(';', map { $_ } @queries) . ';');
}

my @right = answers('SET scan.device = cpu;');
is(scalar @right, @queries, 'the CPU answers');
is(join(' ', answers('SET scan.device = gpu; SET scan.debug_require = gpu;')), "@right",
	'so does a device without faults');
is(join(' ', answers('SET scan.device = gpu; SET scan.debug_require = gpu; SET scan.gpu_check = on;')), "@right",
	'and with the certain proof');
for my $fault (qw(value garbage oom))
{
	for my $check (qw(off on))
	{
		my ($before, $wrong, $tried) = ($server->value('SELECT fallbacks FROM scan_status'), 0,
			$fault eq 'oom' ? 1 : $rounds);
		for (1 .. $tried)
		{
			$wrong += join(' ', answers("SET scan.device = gpu; SET scan.mock_fault = $fault; "
					. "SET scan.mock_fault_line = 'sort'; SET scan.gpu_check = $check;")) ne "@right";
		}
		is($wrong, 0, "$fault, scan.gpu_check $check: no wrong answer");
		cmp_ok($server->value('SELECT fallbacks FROM scan_status') - $before, '>=', $tried * @queries / 2,
			'and the faults were found');
	}
}
is($server->value('SELECT free_slots = slots FROM scan_status'), 't', 'no slot is left behind');
done_testing();

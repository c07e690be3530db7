# unknown_fields.t: WindowAgg runs a window if core's nodes have a value in a field that the library does not know.
#
# The nodes of PostgreSQL 15 to 19 have no such field.  So this test builds a copy of the library that does not know
# some of them: it removes lines from the lists of src/node/plan/known_fields.c.  Then a window that uses one of these
# fields is what a field of a later version would be.
use strict;
use warnings;
use Test::More;
use File::Basename;
use File::Temp qw(tempdir);

chdir dirname(__FILE__) . '/../..' or die $!;

plan skip_all => 'the extension cannot be built with SCAN_CLUSTER_ROOT' if $ENV{SCAN_CLUSTER_ROOT};

my $known = 'src/node/plan/known_fields.c';
# a field of each node, and a bit of the frame's options
my @forgotten = ('FIELD(startOffset)', 'FIELD(aggfilter)', 'FIELD(nulls_first)', 'FRAMEOPTION_GROUPS | ');

# ---- the copy

my $folder = tempdir('scan-unknown-XXXXXX', DIR => '/tmp', CLEANUP => 1);
is(system("tar -cf - LICENSE Makefile gpu scan.control sql src test/*.sh | tar -xf - -C $folder"), 0,
	'the sources are copied, with what is built');
open my $in, '<', "$folder/$known" or die "$known: $!";
my $text = join '', <$in>;
for my $line (@forgotten)
{
	is($text =~ s/\Q$line\E//g, 1, "removed from the lists: $line");
}
open my $out, '>', "$folder/$known" or die "$known: $!";
print $out $text;
close $out or die "$known: $!";

# ---- the queries: what each uses that the copy does not know, and the function that has it

my @queries = (
	[ 'nothing', '', 'SELECT sum(x) OVER (PARTITION BY k ORDER BY i) FROM t' ],
	[ 'nothing', '',
		'SELECT * FROM (SELECT k, i, row_number() OVER (PARTITION BY k ORDER BY i) AS n FROM t) AS s WHERE n <= 1' ],
	[ 'an offset', '', 'SELECT sum(x) OVER (ORDER BY i ROWS 3 PRECEDING) FROM t' ],
	[ 'a bit of the frame', '', 'SELECT sum(x) OVER (ORDER BY i GROUPS UNBOUNDED PRECEDING) FROM t' ],
	[ 'a field of the function', 'sum: ',
		'SELECT count(*) OVER w, sum(x) FILTER (WHERE x > 5) OVER w FROM t WINDOW w AS (ORDER BY i)' ],
	[ 'a field of the order', '', 'SELECT sum(x) OVER (PARTITION BY k ORDER BY i NULLS FIRST) FROM t' ],
	[ 'a field of one of two windows', '',
		'SELECT sum(x) OVER w, rank() OVER v FROM t WINDOW w AS (ORDER BY i), v AS (PARTITION BY k ORDER BY i DESC)' ],
	[ 'a field of the order, and an index has it', '', 'SELECT * FROM (SELECT k, i, '
			. 'row_number() OVER (PARTITION BY k ORDER BY i NULLS FIRST) AS n FROM t) AS s WHERE n <= 1' ]);
my $script = <<'SQL';
CREATE EXTENSION scan;
CREATE TABLE t AS SELECT i, i % 3 AS k, i AS x FROM generate_series(1, 10000) AS i;
CREATE INDEX ON t (k, i);
CREATE INDEX ON t (k, i NULLS FIRST);
VACUUM ANALYZE t;
LOAD 'scan';
SET scan.prefixscan = force; SET scan.index_skip = force;
SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
SQL
$script .= "\\echo query $_\nSELECT 'runs in ' || runs_in || ' ' || coalesce(reason, '') "
	. "FROM scan_explain(\$q\$$queries[$_][2]\$q\$);\nEXPLAIN (COSTS OFF) $queries[$_][2];\n" for 0 .. $#queries;
open my $file, '>', "$folder/queries.sql" or die $!;
print $file $script;
close $file or die $!;
my @shown = split /^query \d+\n/m,
	qx{cd $folder && SCAN_CLUSTER_QUIET=1 test/cluster.sh psql -XAtq -v ON_ERROR_STOP=1 -f queries.sql 2>&1};
is(scalar @shown, @queries + 1, 'the copy runs') or diag(join '', @shown);

my $reason = 'the window uses something of PostgreSQL that scan does not know';
for my $i (0 .. $#queries)
{
	my ($uses, $about, $query) = @{ $queries[$i] };
	my $plan = $shown[ $i + 1 ] // '';

	if ($uses eq 'nothing')
	{
		like($plan, qr/^runs in PrefixScan/m, "PrefixScan runs what it knows: $query");
		unlike($plan, qr/WindowAgg/, '... and all of it');
		like($plan, qr/\(IndexSkip\)/, '... over IndexSkip') if $query =~ /n <= 1/;
	}
	else
	{
		like($plan, qr/^runs in WindowAgg \Q$about$reason\E$/m, "$uses: $query");
		unlike($plan, qr/\(IndexSkip\)/, '... without IndexSkip');
		is(scalar(() = $plan =~ /\(PrefixScan\)/g), $uses =~ /two windows/ ? 1 : 0, '... without PrefixScan');
	}
}
done_testing();

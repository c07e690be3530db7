# bench.t: `make bench` measures what it says.  test/bench/queries.py is run on a few rows,
# without DuckDB: every query has all its arms, timed and planned as named, all with the
# same answers; the page and the picture come out of the JSON; and answers that differ, or
# an arm that fails, are said to.
use strict;
use warnings;
use File::Temp;
use FindBin;
use JSON::PP;
use Test::More;

plan skip_all => 'no python3 on this machine' if system('python3 -c "import json" >/dev/null 2>&1') != 0;

my $bench = "$FindBin::Bin/../bench";
my $out = File::Temp->newdir;

# What python3 prints, and its exit status.
sub python
{
	my $said = qx(python3 @_ 2>&1);
	return ($said, $? >> 8);
}

sub content
{
	my ($file) = @_;
	open my $in, '<', "$out/$file" or return '';
	local $/;
	return <$in>;
}

sub matplotlib { return grep { system("$_ -c 'import matplotlib' >/dev/null 2>&1") == 0 } qw(python3 /usr/bin/python3) }

my ($said, $status) = python("'$bench/queries.py' --rows 2000 --rounds 1 --chunks 1 --no-duckdb --out '$out'");
is($status, 0, 'the queries are measured') or diag($said);
my $found = decode_json(content('results/queries.json') || '{}');
my @queries = @{ $found->{queries} // [] };

is($found->{rows}, 2000, 'on the rows asked for');
is($found->{bytes_per_row}, 76, 'of 76 bytes');
is_deeply($found->{disagree}, [], 'every arm of a query gives the same answers');
cmp_ok(scalar @queries, '>=', 14, 'there are queries');

for my $query (@queries)
{
	my @arms = @{ $query->{arms} };
	my %side;
	push @{ $side{ $_->{side} } }, $_ for @arms;
	my @access = sort keys %{ { map { $_->{access} => 1 } @{ $side{stock} } } };

	is(join(' ', sort keys %side), $query->{ours} ? 'default scan stock' : 'default parallel scan stock',
		"$query->{name}: its sides");
	is(scalar @{ $side{stock} }, 3 * @access, "$query->{name}: stock at three sizes of work_mem") or diag("@access");
	is_deeply([ map { $_->{access} } @{ $side{scan} } ], [ @access == 2 ? qw(heap index) : @access ],
		"$query->{name}: the node with each access");
	is_deeply([ grep { $_->{error} || @{ $_->{ms} } != 1 || $_->{ms}[0] <= 0 } @arms ], [],
		"$query->{name}: every arm is timed");
	is_deeply([ grep { !grep { $_ eq 'PrefixScan' } @{ $_->{plan} } } @{ $side{scan} } ], [],
		"$query->{name}: in the node");
	is_deeply([ grep { grep { $_ eq 'PrefixScan' } @{ $_->{plan} } } map { @{ $side{$_} // [] } } qw(stock parallel) ],
		[], "$query->{name}: not in the node");
	for my $arm (grep { $_->{side} =~ /stock|scan/ } @arms)
	{
		my $wanted = $arm->{access} eq 'heap' ? qr/^Seq Scan$/ : qr/^Index (Only )?Scan$/;
		like($arm->{plan}[-1], $wanted, "$query->{name}, $arm->{side} $arm->{access} $arm->{memory}: reads as named");
	}
}
for my $entry (@{ $found->{brief} })
{
	is_deeply([ map { scalar @{ $entry->{us}{$_} } } qw(stock scan) ], [ 1, 1 ], "$entry->{name}: both sides");
}

my $page = content('RESULTS.md');
my ($section) = $page =~ /^<!-- queries: by report.py -->\n(.*)^<!-- end of queries -->$/ms;
ok($section, 'the page has its section');
for my $name ((map { $_->{title} } @queries), map { $_->{name} } @{ $found->{brief} })
{
	like($section // '', qr/^\| \Q$name\E(?: \([^|\n]+\))? \|(?: [^|\n]+\|)+/m, "$name: on the page");
}
like($section // '', qr/^### Where others are faster\n/m, 'and where others are faster');
my $faster = 'PrefixScan is faster than stock PostgreSQL in \d+ of \d+ queries';
like($page, qr/^<!-- summary: by report.py -->\n.*$faster.*^<!-- end of summary -->$/ms,
	'the summary is there');
like($page, qr/^## Loops$/m, 'the rest of the page is left');

SKIP:
{
	skip 'no matplotlib', 2 unless matplotlib();
	my $picture = content('queries.svg');
	# the window of a title has a line of its own
	my @words = map { split /, (?=PARTITION BY|ORDER BY)/ } map { $_->{title} } @queries;
	is_deeply([ grep { index($picture, ">$_<") < 0 } @words ], [], 'the picture has every query');
	my ($python) = matplotlib();
	system($python, "$bench/chart.py", "$out/results/queries.json", "$out/again.svg");
	is(content('again.svg'), $picture, 'the same figures give the same picture');
}

# Nothing that speaks against us is left out.
$found->{disagree} = ['this one'];
$queries[0]{arms}[0]{error} = 'broke down';
$_->{ms} = [1e6] for grep { $_->{side} =~ /scan|default/ } @{ $queries[2]{arms} };
open my $edited, '>', "$out/edited.json" or die $!;
print $edited encode_json($found);
close $edited;
python("'$bench/report.py' $out/edited.json $out/RESULTS.md");
$page = content('RESULTS.md') =~ s/\s+/ /gr;    # lists are wrapped
like($page, qr/Answers that differ from stock's\*\*: this one/, 'answers that differ are named');
like($page, qr/Failed: \Q$queries[0]{title}\E, stock index 4MB: broke down/, 'so is an arm that failed');
my $slower = "Queries in which PrefixScan at default settings is slower than stock's best";
ok($page =~ /- $slower: (?:(?! - ).)*\Q$queries[2]{title}\E \(\d/,
	'so is a query that is slower');
my $others = 'Where others are faster.*\| query \| PrefixScan, default settings \| stock PostgreSQL \|';
like($page,
	qr/### $others.*\| \Q$queries[2]{title}\E \|[^|]*\| [\d.]+ \([\d.]+ times as fast\) \|.*### With and/,
	'and is in the table of queries where others are faster');
unlike($page, qr/In a check on 2,000 rows all arms gave the same answers/, 'nothing is claimed then');

# The default memory beside 2GB.
($said, $status) = python("'$bench/memory.py' --rows 2000 --rounds 1 sum 'two windows'");
is($status, 0, 'the default memory is measured') or diag($said);
like($said, qr/^\| two sums: 1,000 and 1,000,000 keys \| \d+ \| \d+ \| [\d.]+ \| 0 \| \d+ and \d+ \|$/m,
	'with what two PrefixScans take');

# The latest rows of each group: every arm of every question, with an index and without.
($said, $status) = python("'$bench/latest.py' --rows 2000 --rounds 1 --no-duckdb --out '$out'");
is($status, 0, 'the latest rows are measured') or diag($said);
my $latest = decode_json(content('results/latest.json') || '{}');
my @asked = @{ $latest->{queries} // [] };
is(scalar @asked, 12, 'three questions, few groups and many, an index and none');
is_deeply($latest->{disagree}, [], 'with the same answers');
for my $query (@asked)
{
	my $name = "$query->{name} of $query->{groups}, " . ($query->{index} ? 'an index' : 'none');
	my %side = map { $_->{side} => 1 } @{ $query->{arms} };

	is(join(' ', sort keys %side),
		$query->{index} ? 'default parallel recursive skip stock' : 'default parallel scan stock', "$name: its sides");
	is_deeply([ grep { $_->{error} || @{ $_->{ms} } != 1 } @{ $query->{arms} } ], [], "$name: every arm is timed");
	like(join(' ', map { $_->{side} eq 'skip' ? "@{ $_->{plan} }" : () } @{ $query->{arms} }), qr/IndexSkip/,
		"$name: forced by an index skip") if $query->{index};
}
like(content('RESULTS.md'),
	qr/^## The latest rows of each group\n.*^\| latest row \| 1,000 \|.*^<!-- end of latest -->$/ms, 'on the page');

# The harness sees a wrong answer, and goes on after an arm that fails.
my $broken = <<'PYTHON';
import sys
sys.argv[1:] = ['--rows', '2000', '--rounds', '1', '--chunks', '1', '--no-duckdb', '--out', OUT]
sys.path.insert(0, BENCH)
import queries, table
right = queries.arms
def wrong(query, duckdb):
    found = right(query, duckdb)
    found[-1].settings += "SET search_path = wrong, public;"
    found[0].settings += "SET no_such_setting = 1;"
    return found
queries.arms = wrong
all_queries = table.queries
table.queries = lambda rows: all_queries(rows)[2:4]
fill = queries.Bench.fill
def and_wrong(self, rows):
    fill(self, rows)
    self.postgres.run("CREATE SCHEMA IF NOT EXISTS wrong; CREATE OR REPLACE VIEW wrong.bench AS "
                      "SELECT id, ts, p1k, v8 + 1 AS v8 FROM public.bench;")
queries.Bench.fill = and_wrong
drop = table.create
table.create = lambda rows: "DROP SCHEMA IF EXISTS wrong CASCADE;" + drop(rows)
queries.main()
PYTHON
$broken =~ s/OUT\b/'$out\/broken'/;
$broken =~ s/BENCH\b/'$bench'/;
open my $script, '>', "$out/broken.py" or die $!;
print $script $broken;
close $script;
($said, $status) = python("$out/broken.py");
isnt($status, 0, 'answers that differ end in an error');
my $differ = 'sum\(int8\) ORDER BY ts, default heap; sum\(int8\) by p1k, ts, default heap';
like($said, qr/ANOTHER ANSWER.*not the same answers: $differ/s,
	'which names them') or diag($said);
like($said, qr/ORDER BY ts, stock index 4MB: FAILED: .*no_such_setting/, 'an arm that fails is said to');
my $after = decode_json(content('broken/results/queries.json') || '{}');
is_deeply([ map { scalar grep { $_->{error} } @{ $_->{arms} } } @{ $after->{queries} } ], [ 1, 1 ],
	'and the rest is measured');

done_testing();

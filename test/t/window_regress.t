# window_regress.t: PostgreSQL's own regression script of window functions, run with
# the node off, forced, and left to costs.
#
# With the node off the output has to be PostgreSQL's expected output, byte for byte,
# or the tables were not set up as they should be; in PostgreSQL 15, that is, from
# where the script comes: the plans of others differ.  With the node each statement
# has to print the same, but for EXPLAIN.
#
# Rows that tie in the order of a window come as the sort has them: core's is not stable,
# the node's is.  A statement that differs for that is run once more, over the rows of its
# table in the order of its window: core's sort leaves rows as they are that are sorted
# already, and so does the node's.  Then the output has to be the same.  Where two windows
# have opposite orders, no order of the rows is that of both, and whole rows break the ties.
#
# How many of the queries ran in the node is counted by auto_explain, in functions too.
# (test/regress/README.md says where the files come from.)
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Server;

my $regress = "$FindBin::Bin/../regress";
my $server = Server->new('window_regress');

# What the script uses of test_setup.sql and create_index.sql.  In tenk1 unique2
# counts the rows and the other numbers are remainders of unique1; the script does not look at the strings.
$server->lines(<<"SQL");
CREATE TEMP TABLE numbered (unique2 serial, unique1 int);
\\copy numbered (unique1) from '$regress/tenk1.data'
CREATE TABLE tenk1 (unique1 int4, unique2 int4, two int4, four int4, ten int4, twenty int4, hundred int4, thousand int4,
  twothousand int4, fivethous int4,
	tenthous int4, odd int4, even int4, stringu1 name, stringu2 name, string4 name);
INSERT INTO tenk1
SELECT u, unique2 - 1, u % 2, u % 4, u % 10, u % 20, u % 100, u % 1000, u % 2000, u % 5000, u, u % 100 * 2,
  u % 100 * 2 + 1, '', '', ''
FROM (SELECT unique2, unique1 AS u FROM numbered) AS n ORDER BY unique2;
CREATE INDEX tenk1_unique1 ON tenk1 (unique1);
CREATE INDEX tenk1_unique2 ON tenk1 (unique2);
CREATE INDEX tenk1_hundred ON tenk1 (hundred);
CREATE INDEX tenk1_thous_tenthous ON tenk1 (thousand, tenthous);
CREATE TABLE tenk2 AS SELECT * FROM tenk1;
CREATE TABLE int4_tbl AS SELECT unnest('{0,123456,-123456,2147483647,-2147483647}'::int4[]) AS f1;
VACUUM ANALYZE tenk1, tenk2, int4_tbl;
SQL

# What a script prints, called as pg_regress calls psql, with the node set so.
sub run_script
{
	my ($script, $setting, @more) = @_;
	my $options = join ' ', map { "-c $_" } 'search_path=run,public', 'session_preload_libraries=scan,auto_explain',
		'intervalstyle=postgres_verbose', "scan.prefixscan=$setting", @more;

	# the script leaves functions behind
	$server->run('DROP SCHEMA IF EXISTS run CASCADE; CREATE SCHEMA run');
	local $ENV{PGTZ} = 'PST8PDT';
	local $ENV{PGDATESTYLE} = 'Postgres, MDY';
	local $ENV{PGOPTIONS} = $options;
	my $file = File::Temp->new;
	print $file $script;
	$file->flush;
	my $command =
		"'$Server::psql' -X -a -q -d $server->{database} -v HIDE_TABLEAM=on -v HIDE_TOAST_COMPRESSION=on <'$file' 2>&1";
	my $output = `$command`;
	return $output;
}

sub content
{
	my ($file) = @_;
	local $/;
	open my $in, '<', $file or die "$file: $!";
	return scalar <$in>;
}

# The output of a script as [statement, what it printed]: psql -a repeats the lines of the script.
sub statements
{
	my ($script, $output) = @_;
	my @script = grep { $_ ne '' } split /\n/, $script; # psql leaves out empty lines
	my (@statements, $next);
	my ($text, $printed) = ('', '');

	$next = 0;
	for my $line (split /\n/, $output)
	{
		if ($next < @script && $line eq $script[$next])
		{
			if ($printed ne '')
			{
				push @statements, [ $text, $printed ];
				($text, $printed) = ('', '');
			}
			$text .= "$line\n" unless $line =~ /^(?:--.*)?$/ && $text eq '';
			$next++;
		}
		else
		{
			$printed .= "$line\n";
		}
	}
	push @statements, [ $text, $printed ];
	return @statements;
}

# The query that is the last statement of a text, and what stands before it.
sub last_query
{
	my ($text) = @_;
	return $text =~ /\A(.*?)^((?:select|with)\b(?:(?!;\n).)*;.*)\z/ims ? ($2, $1) : ($text, '');
}

# A text whose last query is over its rows in the order of its windows, those that are computed first
# before the others: they come from a WITH that takes the name of the table, or of the subquery.
sub over_sorted_rows
{
	my ($text, $plan) = @_;
	my ($query, $before) = last_query($text);
	my @keys = grep { !/ OVER / } reverse $plan =~ /Sort Key: (.*)/g;
	my ($name) = $plan =~ /(?:Seq|Index|Heap) Scan (?:using \w+ )?on (\w+)/;
	my $rows = $name;

	if ($plan =~ /->  Append/ && $query =~ s/from\s+(\(.*\)) (\w+)/from $2/s)
	{
		($rows, $name) = ("$1 AS $2", $2);
		s/\w+\.// for @keys;
	}
	my %key = map { $_ => 1 } map { split /, / } @keys;
	$query =~ s/(OVER \([^()]*ORDER BY [^()]*)/$1, $name/gi if grep { $key{"$_ DESC"} } keys %key;
	return "${before}WITH $name AS MATERIALIZED (SELECT * FROM $rows ORDER BY " . join(', ', @keys) . ") $query";
}

my $script = content("$regress/window.sql");
my $overflows = !$server->takes_largest_offsets;
is($script =~ s/^-- test overflow frame specifications\n.*?(?=^-- RANGE offset)//ms, 1,
	'the frames that core gets wrong are left out') if $overflows;
my $expected = run_script($script, 'off');
SKIP:
{
	skip 'the expected output is that of PostgreSQL 15', 1
		if $overflows || $server->value('SHOW server_version_num') >= 160000;
	is($expected, content("$regress/window.out"), 'scan.prefixscan = off: the expected output');
}

my @explain = ('auto_explain.log_min_duration=0', 'auto_explain.log_nested_statements=on',
	'auto_explain.log_level=notice');
my @core = statements($script, $expected);
my %sorted; # the script with such statements over sorted rows, by setting
my %plan = map { (last_query($_->[0]))[0] => $_->[1] } statements($script, run_script($script, 'off', @explain));
for my $setting (qw(force auto))
{
	my @ours = statements($script, run_script($script, $setting));
	my (@sorted, @differ);

	is(scalar @ours, scalar @core, "scan.prefixscan = $setting: all statements come to an end");
	for my $i (0 .. $#core)
	{
		my ($text, $printed) = @{ $core[$i] };
		my $theirs = $ours[$i][1] // 'nothing';

		push @sorted, $text;
		next if $printed eq $theirs && $text eq $ours[$i][0];
		next if $text =~ /^explain/mi && $theirs =~ /PrefixScan/;
		$sorted[$i] = over_sorted_rows($text, $plan{ (last_query($text))[0] });
		push @differ, $i;
	}
	my $again = $sorted{$setting} = join '', @sorted;
	my @wanted = statements($again, run_script($again, 'off'));
	my @got = statements($again, run_script($again, $setting));
	unlike(join('', map { $_->[1] } @wanted[@differ]), qr/^ERROR/m,
		"scan.prefixscan = $setting: there are sorted rows");
	is($got[$_][1], $wanted[$_][1], "scan.prefixscan = $setting: over sorted rows: $wanted[$_][0]") for @differ;
}

# Each plan that was run, by what is in it.
for my $setting (qw(force auto))
{
	for my $rows ('as they are', 'sorted')
	{
		# what is printed after a plan may be one that the script asked for, without costs
		my $log = run_script($rows eq 'sorted' ? $sorted{$setting} : $script, $setting, @explain);
		my @plans = grep { /WindowAgg  \(|PrefixScan\)  \(/ } split /^(?=NOTICE:  duration: )/m, $log;
		my ($node, $windows, $in_node) = (0, 0, 0);

		for my $plan (@plans)
		{
			my $prefix = () = $plan =~ /Custom Scan \(PrefixScan\)  \(/g;
			my $core = () = $plan =~ /WindowAgg  \(/g;
			$windows += $prefix + $core;
			$in_node += $prefix;
			$node++ if $prefix > 0 && $core == 0;
		}
		diag(sprintf "scan.prefixscan = %s, rows %s: "
				. "%d of %d window queries (%.0f %%) and %d of %d windows (%.0f %%) ran in PrefixScan", $setting, $rows,
			$node, scalar @plans, 100 * $node / @plans, $in_node, $windows, 100 * $in_node / $windows);
		cmp_ok($node, '>=', 0.95 * @plans, "scan.prefixscan = $setting: enough ran in the node") if $setting eq 'force';
	}
}

# With kept scans of its largest table: the same, but for the order of rows that no ORDER BY names.
$server->lines(<<'SQL');
ALTER TABLE tenk1 ALTER unique1 SET NOT NULL, ALTER unique2 SET NOT NULL, ALTER ten SET NOT NULL,
  ALTER four SET NOT NULL;
SELECT scan_keep('kept_' || n, format('SELECT count(*) OVER w AS a, sum(unique1) OVER w AS b, sum(four) OVER w AS c, '
  'sum(ten) OVER w AS d, sum(hundred) OVER w AS e, max(unique1) OVER w AS f FROM tenk1 WINDOW w AS (%s)', w))
FROM unnest('{ORDER BY unique1,ORDER BY ten,ORDER BY four,PARTITION BY ten ORDER BY four,PARTITION BY four '
  'ORDER BY ten,PARTITION BY ten ORDER BY unique2}'::text[]) WITH ORDINALITY AS k(w, n);
SQL
my @kept = statements($script, run_script($script, 'off', 'scan.kept=force'));
sub lines_of { return join "\n", sort split /\n/, $_[0] }
is(scalar @kept, scalar @core, 'scan.kept = force: all statements come to an end');
my @other = grep { lines_of($kept[$_][1] // 'nothing') ne lines_of($core[$_][1]) && $core[$_][0] !~ /^explain/mi }
	0 .. $#core;
is(join("\n", map { "$core[$_][0]: $kept[$_][1] not $core[$_][1]" } @other), '',
	'scan.kept = force: the rows are the same');
my $reads = () = run_script($script, 'off', 'scan.kept=force', @explain) =~ /scan_kept_(?:part|groups|running)/g;
diag("scan.kept = force: $reads calls that read a kept scan");

done_testing();

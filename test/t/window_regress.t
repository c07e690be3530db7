# window_regress.t: PostgreSQL's own regression script of window functions, run with
# the node off, forced, and left to costs.
#
# With the node off the output has to be PostgreSQL's expected output, byte for byte,
# or the tables were not set up as they should be; in PostgreSQL 15, that is, from
# where the script comes: the plans of others differ.  With the node each statement
# has to print the same, but for EXPLAIN and for the exceptions below: they hang on the
# order of rows that tie, which PostgreSQL leaves to its sort.  How many of the
# queries ran in the node is counted by auto_explain, in functions too.
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
CREATE TABLE tenk1 (unique1 int4, unique2 int4, two int4, four int4, ten int4, twenty int4, hundred int4, thousand int4, twothousand int4, fivethous int4,
	tenthous int4, odd int4, even int4, stringu1 name, stringu2 name, string4 name);
INSERT INTO tenk1
SELECT u, unique2 - 1, u % 2, u % 4, u % 10, u % 20, u % 100, u % 1000, u % 2000, u % 5000, u, u % 100 * 2, u % 100 * 2 + 1, '', '', ''
FROM (SELECT unique2, unique1 AS u FROM numbered) AS n ORDER BY unique2;
CREATE INDEX tenk1_unique1 ON tenk1 (unique1);
CREATE INDEX tenk1_unique2 ON tenk1 (unique2);
CREATE INDEX tenk1_hundred ON tenk1 (hundred);
CREATE INDEX tenk1_thous_tenthous ON tenk1 (thousand, tenthous);
CREATE TABLE tenk2 AS SELECT * FROM tenk1;
CREATE TABLE int4_tbl AS SELECT unnest('{0,123456,-123456,2147483647,-2147483647}'::int4[]) AS f1;
VACUUM ANALYZE tenk1, tenk2, int4_tbl;
SQL

# What may print other rows, or rows in another order, and why.
my $order = 'rows that tie under the ORDER BY of the query come in another order';
my $rows = 'the window has no ORDER BY, or ties under it: which row is which is open';
my @exceptions = (
	[ 'sum(salary) OVER (PARTITION BY depname) FROM empsalary ORDER BY depname, salary', $order ],
	[ 'rank() OVER (PARTITION BY depname ORDER BY salary) FROM empsalary;', $order ],
	[ 'sum(salary) OVER w FROM empsalary WINDOW w AS (PARTITION BY depname)', $order ],
	[ 'rank() OVER w FROM empsalary WINDOW w AS (PARTITION BY depname ORDER BY salary) ORDER BY rank() OVER w', $order ],
	[ 'SELECT last_value(four) OVER (ORDER BY ten), ten, four', $rows ],
	[ 'groups between unbounded preceding and current row)', $order ],
	[ 'groups between unbounded preceding and unbounded following)', $order ],
	[ ') e WHERE rn <= 1 AND c1 <= 3', $rows ],
);

# How pg_regress calls psql, with the node set so.
sub run_script
{
	my ($setting, @more) = @_;
	my $options = join ' ', map { "-c $_" } 'search_path=run,public', 'session_preload_libraries=scan,auto_explain', 'intervalstyle=postgres_verbose', "scan.node=$setting", @more;

	# the script leaves functions behind
	$server->run('DROP SCHEMA IF EXISTS run CASCADE; CREATE SCHEMA run');
	local $ENV{PGTZ} = 'PST8PDT';
	local $ENV{PGDATESTYLE} = 'Postgres, MDY';
	local $ENV{PGOPTIONS} = $options;
	my $command = "'$Server::psql' -X -a -q -d $server->{database} -v HIDE_TABLEAM=on -v HIDE_TOAST_COMPRESSION=on <'$regress/window.sql' 2>&1";
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

# The output as [statement, what it printed]: psql -a repeats the lines of the script.
sub statements
{
	my ($output) = @_;
	my @script = grep { $_ ne '' } split /\n/, content("$regress/window.sql"); # psql leaves out empty lines
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

my $expected = run_script('off');
SKIP:
{
	skip 'the expected output is that of PostgreSQL 15', 1 if $server->value('SHOW server_version_num') >= 160000;
	is($expected, content("$regress/window.out"), 'scan.node = off: the expected output');
}

my @core = statements($expected);
for my $setting (qw(force auto))
{
	my @ours = statements(run_script($setting));
	my %met;

	is(scalar @ours, scalar @core, "scan.node = $setting: all statements come to an end");
	for my $i (0 .. $#core)
	{
		my ($text, $printed) = @{ $core[$i] };
		my $theirs = $ours[$i][1] // 'nothing';

		next if $printed eq $theirs && $text eq $ours[$i][0];
		next if $text =~ /^explain/mi && $theirs =~ /PrefixScan/;
		my ($exception) = grep { index($text, $_->[0]) >= 0 } @exceptions;
		if (!defined $exception)
		{
			fail("scan.node = $setting: a statement");
			diag("$text\nexpected:\n$printed\ngot:\n$theirs");
			next;
		}
		$met{ $exception->[0] } = 1;
		# the rows are the same, or at least as many
		my ($wanted, $got) = map { $exception->[1] eq $order ? join("\n", sort split /\n/, $_) : scalar(() = /\n/g) } $printed, $theirs;
		is($got, $wanted, "scan.node = $setting: $exception->[1]: $exception->[0]");
	}
	is(join('|', grep { !$met{$_} } map { $_->[0] } @exceptions), '', "scan.node = $setting: no exception is out of date");
}

# Each plan that was run, by what is in it.
for my $setting (qw(force auto))
{
	my $log = run_script($setting, 'auto_explain.log_min_duration=0', 'auto_explain.log_nested_statements=on', 'auto_explain.log_level=notice');
	my @plans = grep { /WindowAgg|PrefixScan/ } split /^(?=NOTICE:  duration: )/m, $log;
	my ($node, $windows, $in_node) = (0, 0, 0);

	for my $plan (@plans)
	{
		my $prefix = () = $plan =~ /Custom Scan \(PrefixScan\)  \(/g;
		my $core = () = $plan =~ /WindowAgg  \(/g;
		$windows += $prefix + $core;
		$in_node += $prefix;
		$node++ if $prefix > 0 && $core == 0;
	}
	diag(sprintf "scan.node = %s: %d of %d window queries (%.0f %%) and %d of %d windows (%.0f %%) ran in PrefixScan",
		$setting, $node, scalar @plans, 100 * $node / @plans, $in_node, $windows, 100 * $in_node / $windows);
	cmp_ok($node, '>', 0.2 * @plans, "scan.node = $setting: enough ran in the node");
}

done_testing();

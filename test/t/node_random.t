# node_random.t: random queries (test/fuzz/Queries.pm and Hazards.pm), with PrefixScan and without.
#
# Each query runs with scan.prefixscan off and forced, some with little memory and with the
# node left to costs, as itself, as a prepared statement with a generic plan, or
# through a cursor: the rows, their order where it is fixed, and the errors have to
# be the same.
#
# On the mock device, where the server has one: the node's runs have settings of SCAN_TEST_SET as well.
#
#   SCAN_CLUSTER_CONF="shared_preload_libraries = 'scan'
#   scan.gpu_library = 'scan_mock'" SCAN_TEST_SET='scan.device gpu; scan.gpu_min_rows 0' \
#       test/cluster.sh prove -v test/t/node_random.t
#   SCAN_TEST_KIND=stops SCAN_TEST_SEED=7 test/cluster.sh prove -v test/t/node_random.t
#   SCAN_TEST_QUERIES=100000 SCAN_TEST_SEED=7 test/cluster.sh prove -v test/t/node_random.t
#
# SCAN_TEST_SMALLER=1 makes a small query of the first one that fails (test/fuzz/Smaller.pm).
#
# SCAN_TEST_CALLS='scan_match|scan_lag' has most windows call functions that it matches.
# SCAN_TEST_KEPT=1 keeps scans of the tables, which the node's runs read wherever they can.
#
# SCAN_TEST_EMULATED=1 says that the server's processor is emulated (test/package/machines.sh).
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin, "$FindBin::Bin/../fuzz";
use Test::More;
use Server;
use Compare;
use Queries;
use Hazards;
use Smaller;

my $count = $ENV{SCAN_TEST_QUERIES} // ($ENV{SCAN_TEST_PART} ? 300 : 1000);
my $first = $ENV{SCAN_TEST_FIRST} // 0; # to come to a failure sooner
my $seed = $ENV{SCAN_TEST_SEED} // 20261121;
my @set = split /; */, $ENV{SCAN_TEST_SET} // '';
my $server = Server->new('node_random');
my $role = "scan_random_$$";

$server->lines(Queries::tables($role));
$server->lines(Hazards::tables($role));
$server->lines(Joins::tables($role));
if ($ENV{SCAN_TEST_KEPT})
{
	# by each column that may be a key, in all rows and by each column that has few values
	$server->lines("ALTER DATABASE $server->{database} SET scan.kept = off");
	my @kept = $server->lines(<<'SQL');
CREATE FUNCTION keep_scans() RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE k record; p text; kept int;
BEGIN
  FOR k IN SELECT c.oid::regclass AS t, quote_ident(a.attname) AS key, c.relname || '_' || a.attname AS name
           FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT attisdropped
           WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND atttypid
           IN ('int'::regtype, 'bigint'::regtype, 'date'::regtype, 'timestamptz'::regtype) ORDER BY 1, 2 LOOP
    FOREACH p IN ARRAY ARRAY['', 'PARTITION BY p'] LOOP
      BEGIN
        EXECUTE format('ALTER TABLE %s ALTER %s SET NOT NULL', k.t, k.key);
        EXECUTE format('SELECT scan_keep(%L, %L)', k.name || length(p),
          format('SELECT count(*) OVER w AS a, %s FROM %s WINDOW w AS (%s ORDER BY %s)',
          (SELECT string_agg(format('sum(%I) OVER w AS %I, max(%I) OVER w AS %I', attname, 's' || attname, attname,
            'm' || attname), ', ') FROM pg_attribute WHERE attrelid = k.t AND attnum > 0 AND NOT attisdropped
            AND atttypid IN ('int'::regtype, 'bigint'::regtype, 'smallint'::regtype)), k.t, p, k.key));
        RETURN NEXT k.name || length(p);
      EXCEPTION WHEN OTHERS THEN NULL;
      END;
    END LOOP;
  END LOOP;
END $$;
SELECT keep_scans();
SQL
	diag(scalar @kept, ' scans are kept');
	push @set, 'scan.kept force';
}
# compiling takes longer than the queries
$server->lines("ALTER DATABASE $server->{database} SET jit = off");
$server->lines(Compare::functions());

my $generator = Queries->new($seed);
my $kind = $ENV{SCAN_TEST_KIND} || undef; # one of Hazards.pm's, and nothing else
# Of so many queries one is Hazards.pm's, and takes seven times as long, and one has windows over joins.
my $share = $ENV{SCAN_TEST_SHARE} // 5;
my @queries = map { $kind || $_ % $share == 0 ? Hazards->next($kind) : $_ % $share == 1
		? Hazards->next('joins') : $generator->next } 1 .. $first + $count;
splice @queries, 0, $first;
my $large = 0;
$_->{processes} = $large++ % 2 == 0 for grep { $_->{large} } @queries;
# The memory of an emulator's process includes the code that the emulator has translated, so only rows are compared.
$_->{memory_limit} = 10_000_000 for $ENV{SCAN_TEST_EMULATED} ? grep { exists $_->{memory_limit} } @queries : ();

sub job
{
	my ($query) = @_;
	my $small = [ 'scan.prefixscan force', 'scan.work_mem 64kB', 'work_mem 64kB' ];
	my $ways = [ [ 'scan.prefixscan force', @set ],
		$query->{small} ? ( [ 'scan.prefixscan auto', @set ], [ @$small, @set ] ) : () ];
	return { %$query, set => [ split /, /, $query->{set} ], ways => $ways, explain => 1 };
}

my $script = "LOAD 'scan'; SET ROLE $role;\n";
for my $query (@queries)
{
	$script .= "\\connect\nSET ROLE $role;\n" if $query->{first};
	$script .= Compare::call(job($query)) . ";\n";
}
my ($out, $err) = $server->run($script, go_on => 1);
my @verdicts = split /^(?=(?:node|core|-|invalid) )/m, $out;

is(scalar @verdicts, $count, "$count queries (seed $seed) are answered")
	or diag(($err =~ /(.*)/)[0] // '', "\nat: ", $queries[ scalar @verdicts ]{sql} // '');

# The first of some queries, with what came of them.
sub shown
{
	my (@which) = @_;
	my @lines;
	for my $i (@which[ 0 .. ($#which < 9 ? $#which : 9) ])
	{
		my $query = $queries[$i];
		my $fetch = join ', ', grep { defined } $query->{scroll}, @{ $query->{fetch} // [] };
		push @lines,
			"$i: $query->{sql}\n   set: $query->{set}; parameters: @{ $query->{parameters} // [] }; "
			. "fetch: $fetch\n   $verdicts[$i]";
	}
	return join "\n", @lines;
}

my @wrong = grep { $verdicts[$_] =~ /DIFFERENT|EARLY ERROR|INTERNAL|LIMIT|MEMORY|NO PLAN/ } 0 .. $#verdicts;
my @other = grep { $verdicts[$_] =~ /OTHER ERROR/ } 0 .. $#verdicts;
is(scalar @wrong, 0, 'the node answers as core does') or diag(shown(@wrong));
if (@wrong && $ENV{SCAN_TEST_SMALLER})
{
	diag(Smaller::make_small(job($queries[ $wrong[0] ]), $role,
			sub { ($server->run("LOAD 'scan'; $_[0]", go_on => 1))[0] =~ /(.+)/g }, \&Compare::call));
}
diag(shown(@other)) if @other;
cmp_ok(scalar @other, '<=', 1 + 0.001 * $count, 'but for which of two errors is first, seldom');

# and the queries are worth their time, those of all kinds together
my ($node, $errors, $invalid) = map {
	my $what = $_;
	scalar grep { /^$what/ } @verdicts
} 'node', '\w+ error', 'invalid|\w+ error (?:42|22P02)';
diag("$node of $count queries had a window in PrefixScan, $errors failed in core");
if (!$kind)
{
	cmp_ok($node, '>', 0.4 * $count, 'the node has its share');
	cmp_ok($errors, '>', 0.02 * $count, 'some fail');
}
if (!@set && $large > 20)
{
	my ($several, $asked, $ran) = map {
		my $what = $_;
		scalar grep { $queries[$_]{large} && $verdicts[$_] =~ /$what/ } 0 .. $#verdicts
	} ' IN SEVERAL', ' BY ', ' BY [1-9]';
	diag("$several of $large queries over large tables had PrefixScan in several processes; "
		. "workers ran in $ran of $asked");
	cmp_ok($several, '>', 0.08 * $large, 'the planner chose several processes by itself');
	# other tests may have taken all workers
	cmp_ok($ran, '>', 0.3 * $asked, 'and workers ran');
}
my @invalid = grep { $verdicts[$_] =~ /^(?:invalid|\w+ error (?:42|22P02))/ } 0 .. $#verdicts;
cmp_ok(scalar @invalid, '<', 0.01 * $count, 'few are not SQL') or diag(shown(@invalid));

$server->run("DROP OWNED BY $role; DROP ROLE $role", go_on => 1);
done_testing();

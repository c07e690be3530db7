# node_random.t: random queries (test/fuzz/Queries.pm), with PrefixScan and without.
#
# Each query runs with scan.node off and forced, some with little memory and with the
# node left to costs, as itself, as a prepared statement with a generic plan, or
# through a cursor: the rows, their order where it is fixed, and the errors have to
# be the same.
#
#   SCAN_TEST_QUERIES=100000 SCAN_TEST_SEED=7 test/cluster.sh prove -v test/t/node_random.t
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin, "$FindBin::Bin/../fuzz";
use Test::More;
use Server;
use Queries;

my $count = $ENV{SCAN_TEST_QUERIES} // 4000;
my $first = $ENV{SCAN_TEST_FIRST} // 0; # to come to a failure sooner
my $seed = $ENV{SCAN_TEST_SEED} // 20261121;
my $server = Server->new('node_random');
my $role = "scan_random_$$";

$server->lines(Queries::tables($role));
# compiling takes longer than the queries
$server->lines("ALTER DATABASE $server->{database} SET jit = off");
$server->lines(<<'SQL');
-- the rows of a query, or what it fails with
CREATE FUNCTION answer(q text, ordered bool, parameters int[], scroll_how text, fetches text[]) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  r record; answers text[] := '{}'; state text; message text; command text;
BEGIN
  IF parameters IS NOT NULL THEN
    DEALLOCATE ALL;
    PERFORM set_config('plan_cache_mode', 'force_generic_plan', false);
    EXECUTE 'PREPARE fuzz AS ' || q;
    FOR turn IN 1 .. 2 LOOP
      FOR r IN EXECUTE 'EXECUTE fuzz' || coalesce((SELECT '(' || string_agg((p % (13 - turn))::text, ',') || ')' FROM unnest(parameters) AS p), '') LOOP
        answers := answers || (turn || ' ' || r::text);
      END LOOP;
    END LOOP;
  ELSIF fetches IS NOT NULL THEN
    EXECUTE 'DECLARE fuzz ' || scroll_how || ' CURSOR FOR ' || q;
    FOREACH command IN ARRAY fetches LOOP
      answers := answers || command;
      IF command LIKE 'MOVE%' THEN
        EXECUTE command || ' FROM fuzz';
        CONTINUE;
      END IF;
      FOR r IN EXECUTE command || ' FROM fuzz' LOOP
        answers := answers || r::text;
      END LOOP;
    END LOOP;
    EXECUTE 'CLOSE fuzz';
  ELSE
    FOR r IN EXECUTE q LOOP
      answers := answers || r::text;
    END LOOP;
  END IF;
  IF NOT ordered AND fetches IS NULL THEN
    answers := ARRAY(SELECT a FROM unnest(answers) AS a ORDER BY a COLLATE "C");
  END IF;
  RETURN cardinality(answers) || ' ' || md5(answers::text);
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT;
  RETURN state || ' ' || message;
END $$;
-- a query with the node and without: what happened, and the differences
CREATE FUNCTION differ(q text, ordered bool, parameters int[], scroll_how text, fetches text[], settings text[], small bool) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  setting text; core text; ours text; line text; verdict text := ''; node text := 'core'; fine CONSTANT text := '^\d+ [0-9a-f]{32}$';
BEGIN
  FOREACH setting IN ARRAY settings LOOP
    PERFORM set_config(split_part(setting, ' ', 1), split_part(setting, ' ', 2), false);
  END LOOP;
  PERFORM set_config('scan.node', 'off', false);
  core := answer(q, ordered, parameters, scroll_how, fetches);
  FOREACH setting IN ARRAY CASE WHEN small THEN '{force,auto,small}'::text[] ELSE '{force}' END LOOP
    PERFORM set_config('scan.node', CASE setting WHEN 'auto' THEN 'auto' ELSE 'force' END, false);
    IF setting = 'small' THEN
      PERFORM set_config('scan.work_mem', '64kB', false), set_config('work_mem', '64kB', false);
    END IF;
    ours := answer(q, ordered, parameters, scroll_how, fetches);
    IF ours <> core AND ours !~ fine AND core !~ fine THEN
      verdict := verdict || format(' OTHER ERROR %s: core %s, ours %s', setting, core, ours);
    ELSIF ours <> core THEN
      verdict := verdict || format(' DIFFERENT %s: core %s, ours %s', setting, core, ours);
    END IF;
  END LOOP;
  IF parameters IS NULL THEN
    PERFORM set_config('scan.node', 'force', false);
    FOR line IN EXECUTE 'EXPLAIN ' || q LOOP
      IF line LIKE '%(PrefixScan)%' THEN
        node := 'node';
      END IF;
    END LOOP;
  END IF;
  RESET ALL;
  RETURN node || CASE WHEN core ~ fine THEN ' rows ' ELSE ' error ' END || core || verdict;
EXCEPTION WHEN OTHERS THEN
  RETURN 'invalid ' || SQLERRM;
END $$;
SQL

sub quoted { my ($text) = @_; return defined $text ? "\$q\$$text\$q\$" : 'NULL' }

sub array
{
	my ($list, $type) = @_;
	return 'NULL' if !defined $list;
	return 'ARRAY[' . join(', ', map { quoted($_) } @$list) . "]::${type}[]";
}

my $generator = Queries->new($seed);
my @queries = map { $generator->next } 1 .. $first + $count;
splice @queries, 0, $first;
my $script = "LOAD 'scan'; SET ROLE $role;\n";
for my $query (@queries)
{
	my @set = split /, /, $query->{set};
	$script .= 'SELECT differ(' . join(', ', quoted($query->{sql}), $query->{ordered} ? 'true' : 'false', array($query->{parameters}, 'int'),
		quoted($query->{scroll}), array($query->{fetch}, 'text'), array(\@set, 'text'), $query->{small} ? 'true' : 'false') . ");\n";
}
my ($out, $err) = $server->run($script, go_on => 1);
my @verdicts = split /^(?=(?:node|core|invalid) )/m, $out;

is(scalar @verdicts, $count, "$count queries (seed $seed) are answered") or diag(($err =~ /(.*)/)[0] // '', "\nat: ", $queries[ scalar @verdicts ]{sql} // '');

# The first of some queries, with what came of them.
sub shown
{
	my (@which) = @_;
	my @lines;
	for my $i (@which[ 0 .. ($#which < 9 ? $#which : 9) ])
	{
		my $query = $queries[$i];
		my $fetch = join ', ', grep { defined } $query->{scroll}, @{ $query->{fetch} // [] };
		push @lines, "$i: $query->{sql}\n   set: $query->{set}; parameters: @{ $query->{parameters} // [] }; fetch: $fetch\n   $verdicts[$i]";
	}
	return join "\n", @lines;
}

my @wrong = grep { $verdicts[$_] =~ /DIFFERENT/ } 0 .. $#verdicts;
my @other = grep { $verdicts[$_] =~ /OTHER ERROR/ } 0 .. $#verdicts;
is(scalar @wrong, 0, 'the node answers as core does') or diag(shown(@wrong));
diag(shown(@other)) if @other;
cmp_ok(scalar @other, '<=', 1 + 0.001 * $count, 'but for which of two errors is first, seldom');

# and the queries are worth their time
my ($node, $errors, $invalid) = map { my $what = $_; scalar grep { /^$what/ } @verdicts } 'node', '\w+ error', 'invalid|\w+ error (?:42|22P02)';
diag("$node of $count queries had a window in PrefixScan, $errors failed in core");
cmp_ok($node, '>', 0.4 * $count, 'the node has its share');
cmp_ok($errors, '>', 0.02 * $count, 'some fail');
my @invalid = grep { $verdicts[$_] =~ /^(?:invalid|\w+ error (?:42|22P02))/ } 0 .. $#verdicts;
cmp_ok(scalar @invalid, '<', 0.01 * $count, 'few are not SQL') or diag(shown(@invalid));

$server->run("DROP OWNED BY $role; DROP ROLE $role", go_on => 1);
done_testing();

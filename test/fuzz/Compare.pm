# Compare.pm: the functions in the server that run a query without the node and with it,
# and say what was different.
#
# test/t/node_random.t and the soak (soak.pl) both call differ() with one job, a JSON object:
#
#   sql         the query
#   oracle      another query with the same answer, for the first run; sql without one
#   ordered     the order of its rows is fixed
#   parameters  values of $1 ...: it is prepared, and executed twice
#   ddl         statements between the two, undone at the end; the table t is a copy then
#   scroll, fetch   it is read by a cursor with these commands
#   beside      another query, which is read by a cursor of its own in turn with the first
#   parallel    it runs as one statement, so that core may use parallel workers; without the node, in one process
#   summed      as a sum over its rows, in whatever order, so that no process has to return them all
#   first       the first way runs before core does: it is the first statement of its session
#   must        what EXPLAIN has to show in the first way
#   memory_limit    kB that its column max may not exceed by more than what a process needs beside its budget; the
#               oracle has no such column
#   set         settings of all runs, as "name value"
#   ways        the runs that are compared with the first: lists of settings
#   number      what application_name, and so the server's log, calls it
#   alone       no transaction is open around it, which is checked
#   explain     whether PrefixScan takes a window of it is asked too, in the first way
#   skip        and whether it has an index skip
#   reduce      and whether a WindowReduce reads the window's rows
#   processes   it is executed once more, to see which processes run the node
#
# A verdict is one line: "skip|reduce|node|core|- rows|error WHAT", then, if several processes divide the groups of an
# index skip, "DIVIDED"; then, if its plan has a PrefixScan whose rows several
# processes share, "IN SEVERAL", and "BY n" if n workers ran below a Gather with such a node; then one of these words
# for each way that was not the same, with the settings of that way and both answers:
#
#   DIFFERENT     other rows, or rows where the first run fails
#   MEMORY        a process had more memory than `memory_limit` allows
#   NO PLAN       EXPLAIN does not show `must`
#   EARLY ERROR   an ordinary error where the first run has rows; with `parallel`, core has rows in several processes,
#                 too; the plan follows
#   OTHER ERROR   two errors; which one is raised first may differ
#   INTERNAL      an error of class XX
#   BACKWARD      a cursor without SCROLL can move backward with one of the two plans only
#   LIMIT         one of the two ran out of memory, disk, or temp_file_limit
#   VALUE         anything of these under the fault "value", which is meant to be wrong
#   MET FAULT     (also where the answer was the same) jobs were run while FAULT was in force
package Compare;

use strict;
use warnings;
use JSON::PP;

my $json = JSON::PP->new->ascii;

# The statement that compares one job.
sub call
{
	my ($job) = @_;
	$job = { parameters => undef, fetch => undef, set => [], %$job };
	$job->{$_} = $job->{$_} ? JSON::PP::true : JSON::PP::false for qw(ordered explain skip reduce processes);
	return 'SELECT differ($job$' . $json->encode($job) . '$job$)';
}

sub functions
{
	return <<'SQL';
-- the statement that runs a query, which is a part of one where several processes may run it
CREATE FUNCTION statement(job jsonb, q text) RETURNS text LANGUAGE sql AS $$
  SELECT CASE
    WHEN NOT job ? 'parallel' OR job->'parameters' <> 'null' OR job->'fetch' <> 'null' OR job ? 'memory_limit' THEN q
    WHEN job ? 'summed' THEN
    'SELECT ARRAY[count(*)::text, sum(hashtextextended(x::text, 0))::text] FROM (' || q || ') AS x'
    ELSE 'SELECT array_agg(x::text) FROM (' || q || ') AS x'
  END
$$;

-- the rows of a query, or what it fails with
CREATE FUNCTION answer(job jsonb, q text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  r record; answers text[] := '{}'; state text; message text; command text; arguments text; used jsonb; count int;
BEGIN
  BEGIN
    IF job->'parameters' <> 'null' THEN
      DEALLOCATE ALL;
      PERFORM set_config('plan_cache_mode', 'force_generic_plan', false);
      IF job ? 'ddl' THEN
        EXECUTE 'CREATE TEMP TABLE t AS SELECT * FROM t';
      END IF;
      EXECUTE 'PREPARE fuzz AS ' || q;
      FOR turn IN 1 .. 2 LOOP
        SELECT string_agg((p::int % (13 - turn))::text, ',') INTO arguments
          FROM jsonb_array_elements_text(job->'parameters') AS p;
        FOR r IN EXECUTE 'EXECUTE fuzz' || coalesce('(' || arguments || ')', '') LOOP
          answers := answers || (turn || ' ' || r::text);
        END LOOP;
        IF job ? 'ddl' AND turn = 1 THEN
          FOR command IN SELECT jsonb_array_elements_text(job->'ddl') LOOP
            EXECUTE command;
          END LOOP;
        END IF;
      END LOOP;
      IF job ? 'ddl' THEN
        RAISE SQLSTATE 'UNDO0';
      END IF;
    ELSIF job->'fetch' <> 'null' THEN
      EXECUTE 'DECLARE fuzz ' || (job->>'scroll') || ' CURSOR FOR ' || q;
      IF job ? 'beside' THEN
        EXECUTE 'DECLARE beside NO SCROLL CURSOR FOR ' || (job->>'beside');
      END IF;
      FOR command IN SELECT jsonb_array_elements_text(job->'fetch') LOOP
        answers := answers || command;
        IF command LIKE 'MOVE%' THEN
          EXECUTE command || ' FROM fuzz';
          CONTINUE;
        END IF;
        FOR r IN EXECUTE command || ' FROM fuzz' LOOP
          answers := answers || r::text;
        END LOOP;
        IF job ? 'beside' THEN
          FOR r IN EXECUTE 'FETCH 3 FROM beside' LOOP
            answers := answers || ('beside ' || r::text);
          END LOOP;
        END IF;
      END LOOP;
      EXECUTE 'CLOSE fuzz';
      IF job ? 'beside' THEN
        EXECUTE 'CLOSE beside';
      END IF;
    ELSIF job ? 'memory_limit' THEN
      EXECUTE 'SELECT to_jsonb(x) FROM (' || q || ') AS x' INTO used;
      answers := ARRAY[(used - 'max')::text];
      -- what a process needs beside its budget: a hash table of batches, buffers of files
      IF (used->>'max')::int > (job->>'memory_limit')::int + 12000 THEN
        RAISE SQLSTATE 'MEM00' USING MESSAGE = format('%s kB of %s', used->>'max', job->>'memory_limit');
      END IF;
    ELSIF job ? 'parallel' THEN
      EXECUTE statement(job, q) INTO answers;
      answers := coalesce(answers, '{}');
      IF job ? 'summed' THEN
        count := answers[1];
      END IF;
    ELSE
      FOR r IN EXECUTE q LOOP
        answers := answers || r::text;
      END LOOP;
    END IF;
  EXCEPTION WHEN SQLSTATE 'UNDO0' THEN
    NULL;
  END;
  IF NOT (job->'ordered')::bool AND job->'fetch' = 'null' THEN
    answers := ARRAY(SELECT a FROM unnest(answers) AS a ORDER BY a COLLATE "C");
  END IF;
  RETURN coalesce(count, cardinality(answers)) || ' ' || md5(answers::text);
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT;
  RETURN state || ' ' || message;
END $$;

-- puts settings, each "name value", back to their defaults but for these
CREATE FUNCTION settle(settings jsonb) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  setting text;
BEGIN
  RESET ALL;
  FOR setting IN SELECT jsonb_array_elements_text(settings) LOOP
    PERFORM set_config(split_part(setting, ' ', 1), split_part(setting, ' ', 2), false);
  END LOOP;
  RETURN coalesce(current_setting('scan.mock_fault', true), 'none');
END $$;

-- what a way's answer is beside the first run's; '' for the same
CREATE FUNCTION judged(core text, ours text, oracle bool, fault text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE
    WHEN ours = core OR oracle AND core !~ fine AND left(ours, 5) = left(core, 5) THEN ''
    WHEN ours ~ '^MEM00' THEN 'MEMORY'
    WHEN ours !~ fine AND ours ~ '^XX' AND left(ours, 5) <> left(core, 5) THEN 'INTERNAL'
    WHEN fault = 'value' THEN 'VALUE'
    WHEN '55000 cursor can only scan forward' IN (core, ours) AND core || ours ~ '[0-9a-f]{32}' THEN 'BACKWARD'
    WHEN core !~ fine AND core ~ limits OR ours !~ fine AND ours ~ limits THEN 'LIMIT'
    WHEN core ~ fine AND ours ~ fine OR ours ~ fine THEN 'DIFFERENT'
    WHEN core ~ fine THEN 'EARLY ERROR'
    ELSE 'OTHER ERROR'
  END FROM (SELECT '^\d+ [0-9a-f]{32}$', '^(53100|53200|53400) |: out of memory$') AS _ (fine, limits)
$$;

-- what EXPLAIN prints
CREATE FUNCTION explained(command text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  line text; plan text := '';
BEGIN
  FOR line IN EXECUTE command LOOP
    plan := plan || line;
  END LOOP;
  RETURN plan;
END $$;

CREATE FUNCTION jobs_run() RETURNS bigint LANGUAGE sql AS 'SELECT jobs + fallbacks FROM scan_status';

-- a query without the node and with it: what happened, and the differences
CREATE FUNCTION differ(job jsonb) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  core text; ours text; begun text; plan text; line text; way jsonb; fault text; word text; verdict text := '';
  node text := '-'; jobs bigint;
  named text := 'fuzz ' || coalesce(job->>'number', ''); oracle CONSTANT bool := job ? 'oracle';
  since timestamptz; took interval;
BEGIN
  IF job ? 'alone' AND now() <> statement_timestamp() THEN
    RAISE EXCEPTION 'the statement before has left a transaction open';
  END IF;
  IF job ? 'first' THEN
    PERFORM settle(job->'set' || (job->'ways'->0));
    begun := answer(job, job->>'sql');
  END IF;
  PERFORM settle(job->'set' || CASE WHEN job ? 'parallel'
    THEN '["scan.prefixscan off", "max_parallel_workers_per_gather 0"]' ELSE '["scan.prefixscan off"]' END::jsonb);
  PERFORM set_config('application_name', named || ' core', false);
  since := clock_timestamp();
  core := answer(job, coalesce(job->>'oracle', job->>'sql'));
  took := clock_timestamp() - since;
  word := CASE WHEN job ? 'first' THEN judged(core, begun, oracle, 'none') ELSE '' END;
  IF word <> '' THEN
    verdict := format(' %s [first statement]: core %s, ours %s', word, left(core, 300), left(begun, 300));
  END IF;
  FOR way IN SELECT jsonb_array_elements(job->'ways') LOOP
    fault := settle(job->'set' || way);
    PERFORM set_config('application_name', named || ' ' || fault, false);
    IF job ? 'memory_limit' THEN
      PERFORM set_config('fuzz.leader', pg_backend_pid()::text, false);
      PERFORM set_config('fuzz.memory', memory()::text, false);
    END IF;
    IF fault <> 'none' THEN
      jobs := jobs_run();
      since := clock_timestamp();
    END IF;
    ours := answer(job, job->>'sql');
    word := judged(core, ours, oracle, fault);
    IF word = 'EARLY ERROR' AND job ? 'parallel' AND NOT oracle THEN
      -- core's plan for several processes may sort, and so read every row, where its plan for one stops early
      PERFORM settle(job->'set' || way || '["scan.prefixscan off"]');
      word := judged(answer(job, job->>'sql'), ours, oracle, fault);
      PERFORM settle(job->'set' || way);
    END IF;
    IF word <> '' THEN
      verdict := verdict || format(' %s [%s]: core %s, ours %s', word,
        (SELECT string_agg(s, ', ') FROM jsonb_array_elements_text(way) AS s), left(core, 300), left(ours, 300));
    END IF;
    IF word = 'EARLY ERROR' AND job->'parameters' = 'null' AND job->'fetch' = 'null' THEN
      verdict := verdict || ' ' || explained('EXPLAIN ' || statement(job, job->>'sql'));
    END IF;
    IF fault <> 'none' AND jobs_run() > jobs THEN
      verdict := verdict || ' MET ' || fault ||
        CASE WHEN fault = 'slow' AND clock_timestamp() - since > took + interval '50 ms' THEN ' and was' ELSE '' END;
    END IF;
  END LOOP;
  IF (job->'explain')::bool AND job->'parameters' = 'null' THEN
    PERFORM settle(job->'set' || (job->'ways'->0));
    BEGIN
      plan := explained('EXPLAIN ' || statement(job, job->>'sql'));
    EXCEPTION WHEN OTHERS THEN
      -- a constant that overflows fails while it is planned, by core, too
      IF SQLSTATE <> left(core, 5) THEN
        RAISE;
      END IF;
      plan := '';
    END;
    node := CASE WHEN (job->'skip')::bool AND plan LIKE '%(IndexSkip)%' THEN 'skip'
      WHEN (job->'reduce')::bool AND plan LIKE '%(WindowReduce)%' THEN 'reduce'
      WHEN plan LIKE '%(PrefixScan)%' THEN 'node' ELSE 'core' END;
    IF strpos(plan, coalesce(job->>'must', '')) = 0 AND job->>'must' <> '' THEN
      verdict := verdict || ' NO PLAN [force]: ' || plan;
    END IF;
    IF plan LIKE '%Parallel Custom Scan (IndexSkip)%' THEN
      verdict := ' DIVIDED' || verdict;
    END IF;
    IF plan LIKE '%Parallel Custom Scan (PrefixScan)%' THEN
      IF (job->'processes')::bool AND core ~ '^\d+ [0-9a-f]{32}$' THEN
        plan := explained('EXPLAIN (ANALYZE, COSTS off, TIMING off, SUMMARY off) ' || statement(job, job->>'sql'));
        verdict := format(' BY %s', coalesce(substring(plan FROM
          'Workers Launched: (\d+)(?:(?!Workers Launched).)*Parallel Custom Scan \(PrefixScan\)'), 'none')) || verdict;
      END IF;
      verdict := ' IN SEVERAL' || verdict;
    END IF;
  END IF;
  RESET ALL;
  RETURN node || CASE WHEN core ~ '^\d+ [0-9a-f]{32}$' THEN ' rows ' ELSE ' error ' END || left(core, 300) || verdict;
EXCEPTION WHEN OTHERS THEN
  RETURN 'invalid ' || SQLSTATE || ' ' || SQLERRM;
END $$;
SQL
}

1;

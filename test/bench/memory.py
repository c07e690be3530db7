"""memory.py [--rows N] [--rounds N] [WORD ...]: PrefixScan at its default memory, beside 2GB, by processor time.

    SCAN_CLUSTER_CONF="$(cat test/bench/queries.conf)" test/cluster.sh python3 test/bench/memory.py

Reads the queries of table.py whose names have one of the words (all queries if there are no words), from the table
without an index and in one process.  Both settings take turns, each in a fresh backend, whose processor time is read
from /proc on the server: it hardly depends on other work of the machine, where the time on the clock does.  The least of
the rounds counts.  The last two columns are what each PrefixScan wrote to disk at the default setting, and its memory,
by EXPLAIN (ANALYZE).
"""

import argparse
import os
import re

import table
from measure import Failure, Postgres

CALM = ("SET client_min_messages = warning; SET jit = off; SET max_parallel_workers_per_gather = 0; "
        "SET enable_indexscan = off; SET enable_indexonlyscan = off; SET enable_bitmapscan = off; "
        "LOAD 'scan'; SET scan.prefixscan = force; SET scan.work_mem = '%s';")
SETTINGS = ("256MB", "2GB")
SPENT = "SELECT (string_to_array(pg_read_file('/proc/self/stat'), ' '))[14:15]::int8[];"
TICK = 1e9 / os.sysconf("SC_CLK_TCK")  # ns


def spent(postgres, memory, statement):
    """(ns of the processor, the answer)"""
    out = postgres.run("\n".join([CALM % memory, "EXPLAIN %s;" % statement, "\\echo ----", SPENT, statement + ";", SPENT]))
    before, answer, after = out.split("----\n")[1].splitlines()
    ticks = [sum(int(part) for part in times.strip("{}").split(",")) for times in (before, after)]
    return (ticks[1] - ticks[0]) * TICK, answer


def of_plan(postgres, memory, statement, what):
    """The kB that each PrefixScan shows, from the top."""
    out = postgres.run("%s EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) %s;" % (CALM % memory, statement))
    return [int(kilobytes) for kilobytes in re.findall(what + r": (\d+) ?kB", out)]


def measure(postgres, query, options):
    statement, best, answers = query.statement(), {}, set()
    for _ in range(options.rounds):
        for memory in SETTINGS:
            ns, answer = spent(postgres, memory, statement)
            best[memory] = min(ns, best.get(memory, ns))
            answers.add(answer)
    if len(answers) > 1:
        raise Failure("%s has two answers" % query.name)
    default, large = (best[memory] / options.rows for memory in SETTINGS)
    shown = [" and ".join(str(kilobytes // 1024) for kilobytes in of_plan(postgres, SETTINGS[0], statement, what)) or "0"
             for what in ("Disk", "Memory")]
    print("| %s | %.0f | %.0f | %.2f | %s | %s |" % (query.title, default, large, default / max(large, 1e-9), *shown), flush=True)


def main():
    parser = argparse.ArgumentParser(description="PrefixScan at its default memory, beside 2GB")
    parser.add_argument("--rows", type=int, default=10**7)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("words", nargs="*")
    options = parser.parse_args()
    with Postgres() as postgres:
        postgres.run("CREATE EXTENSION scan; CREATE EXTENSION pg_prewarm;" + table.create(options.rows))
        postgres.run("SELECT pg_prewarm('bench');")
        print("| query | default, ns of processor per row | 2GB | ratio | disk, MB | memory, MB |\n| --- | --- | --- | --- | --- | --- |")
        for query in table.queries(options.rows):
            if "heap" in query.access and (not options.words or any(word in query.name for word in options.words)):
                measure(postgres, query, options)


if __name__ == "__main__":
    main()

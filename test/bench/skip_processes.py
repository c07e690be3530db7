"""skip_processes.py [--rounds N]: an IndexSkip in one process and in several.

    make bench-skip     four million to ten million rows each time, two minutes

The latest row of each of 10,000 to 300,000 groups, by DISTINCT ON, which the index (g, ts) answers alone, and by
row_number(), with a column of the table's rows.  Arms: no setting touched; the node forced, in several processes and in
one; no IndexSkip.  All have two parallel workers, but for the third.  Times are milliseconds, the least of the rounds.
"""

import argparse

from measure import Postgres

SHAPES = ((10_000, 400), (30_000, 200), (100_000, 40), (100_000, 100), (300_000, 20))
ARMS = {"as the planner chooses": "", "several processes": "SET scan.index_skip = force;",
        "one process": "SET scan.index_skip = force; SET scan.parallel = off;", "no IndexSkip": "SET scan.index_skip = off;"}
SETTINGS = "LOAD '$libdir/plugins/scan'; SET jit = off; SET work_mem = '64MB';"
QUERIES = {"DISTINCT ON, of the index": "SELECT DISTINCT ON (g) g AS y, ts FROM t ORDER BY g, ts DESC",
           "row_number(), of the rows": "SELECT y FROM (SELECT v AS y, row_number() OVER (PARTITION BY g ORDER BY ts DESC) AS n FROM t) AS r WHERE n = 1"}
CREATE = """
DROP TABLE IF EXISTS t;
CREATE TABLE t AS SELECT (i %% %d)::int AS g, i::int8 AS ts, i %% 1000 AS v, repeat('x', 20) AS pad FROM generate_series(1, %d) AS i;
CREATE INDEX ON t (g, ts);
VACUUM (ANALYZE) t;
"""


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--rounds", type=int, default=5)
    options = options.parse_args()
    print("| groups | rows of each | query | %s |\n|---|---|---|%s" % (" | ".join(ARMS), "---|" * len(ARMS)))
    with Postgres() as postgres:
        postgres.run("CREATE EXTENSION scan;")
        for groups, rows in SHAPES:
            postgres.run(CREATE % (groups, groups * rows))
            for name, query in QUERIES.items():
                took = {arm: [] for arm in ARMS}
                plans = {}
                answers = set()
                for _ in range(options.rounds):
                    for arm, settings in ARMS.items():
                        ms, answer, plan, _ = postgres.measure(SETTINGS + settings, "SELECT count(y), sum(y) FROM (%s OFFSET 0) AS s" % query, 600)
                        took[arm].append(ms)
                        answers.add(answer)
                        plans[arm] = "IndexSkip" in plan
                if len(answers) > 1:
                    raise SystemExit("the answers differ: %s" % answers)
                print("| %d | %d | %s | %s |" % (groups, rows, name, " | ".join("%.0f%s" % (min(took[arm]), "" if plans[arm] else " (PrefixScan)") for arm in ARMS)), flush=True)


if __name__ == "__main__":
    main()

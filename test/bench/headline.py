"""headline.py [--rounds N]: the queries of README.md's first screen, in seconds.

    make bench-headline

Each statement is stock SQL.  Both arms have the default settings of PostgreSQL (JIT and parallel workers as a new
server has them) and of this extension: no memory is raised and nothing is forced.  `stock` is a session that has not
loaded the library.  The arms take turns, each in a new session.  The rows are counted above the window, so that no row
is sent.  Both answers have to be the same: rows, and a checksum of their values.
"""

import argparse
import statistics
import sys

from measure import Failure, Postgres

ARMS = {"stock": "", "scan": "LOAD '$libdir/plugins/scan';"}
CREATE = """
CREATE EXTENSION scan;
CREATE TABLE reading AS
SELECT i AS id, (hashint8extended(i, 1) & 1099511627775) * 1e-6::float8 AS value FROM generate_series(1::int8, 100000) AS i;
CREATE TABLE trade AS
SELECT i AS id, (hashint8extended(i, 2) & 1023)::int AS account,
       timestamptz '2026-01-01 00:00+00' + (hashint8extended(i, 3) & 33554431) * interval '1 second' AS at,
       (hashint8extended(i, 4) & 65535) - 32768 AS amount
FROM generate_series(1::int8, 10000000) AS i;
VACUUM (ANALYZE) reading, trade;
"""
QUERIES = {
    "moving average of 1,000 rows, over 100,000 rows": "SELECT avg(value) OVER (ORDER BY id ROWS 999 PRECEDING) AS y FROM reading",
    "running total of each of 1,024 accounts, over 10 million rows": "SELECT sum(amount) OVER (PARTITION BY account ORDER BY at, id) AS y FROM trade",
    "latest row of each of 1,024 accounts, of 10 million rows without an index":
        "SELECT amount AS y FROM (SELECT amount, row_number() OVER (PARTITION BY account ORDER BY at DESC, id DESC) AS n FROM trade) AS ranked WHERE n = 1",
}


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--rounds", type=int, default=3)
    options = options.parse_args()
    took = {(name, arm): [] for name in QUERIES for arm in ARMS}
    with Postgres() as postgres:
        postgres.run(CREATE)
        for number in range(options.rounds):
            for name, query in QUERIES.items():
                answers = set()
                for arm, settings in ARMS.items():
                    statement = "SELECT count(y), sum(hashfloat8extended(y::float8, 0)::numeric) FROM (%s OFFSET 0) AS s" % query
                    ms, answer, plan, _ = postgres.measure(settings, "SELECT count(y) FROM (%s OFFSET 0) AS s" % query, 600)
                    if ("PrefixScan" in plan) != (arm == "scan"):
                        raise Failure("%s: the plan is %s" % (name, plan))
                    if number == 0:
                        answers.add(postgres.run(settings + statement))
                    took[name, arm].append(ms / 1e3)
                    print("%d: %s, %s: %.3f s" % (number, name, arm, ms / 1e3), file=sys.stderr, flush=True)
                if len(answers) > 1:
                    raise Failure("%s: the answers differ: %s" % (name, answers))
    print("| query | stock | with `scan` | times as fast |\n|---|---|---|---|")
    for name in QUERIES:
        stock, scan = (statistics.median(took[name, arm]) for arm in ARMS)
        print("| %s | %.2f (%.2f) | %.2f (%.2f) | %.1f |" % (name, stock, min(took[name, "stock"]), scan, min(took[name, "scan"]), stock / scan))


if __name__ == "__main__":
    main()

"""expressions.py [--rows N] [--rounds N]: aggregates of an expression over frames that move, beside those of a column.

    make bench-expressions

Needs a server (test/cluster.sh) and psql.  Each expression may raise an error, and is also the table's last column.  The
rows are in the window's order.  The two arms take turns; the table on the standard output has the least ns per row, of
the column and of the expression, and what a row takes that computes the expression without a window, less one that
reads the column.  Stock is asked once, where its frames have no more than MOST rows together.
"""

import argparse
import sys

from measure import Postgres

BASE = "SET client_min_messages = warning; SET jit = off; SET max_parallel_workers_per_gather = 0; SET work_mem = '1GB'; LOAD 'scan'; "
STOCK = BASE + "SET scan.prefixscan = off;"
SCAN = BASE + "SET scan.prefixscan = force; SET scan.debug_require = node; SET scan.work_mem = '1GB';"
SECONDS = 60
MOST = 2e6

CREATE = """
CREATE TABLE base AS
SELECT i AS id, (hashint8extended(i, 1) & 1048575) / 8.0::float8 AS high, (hashint8extended(i, 2) & 1023) / 8.0::float8 AS low,
       (hashint8extended(i, 3) & 65535)::int4 AS k, (hashint8extended(i, 4) & 1048575) / 100.0 AS n,
       'Name ' || (hashint8extended(i, 5) & 65535) AS t, timestamptz '2024-01-01' + i * interval '36 seconds' AS at
FROM generate_series(1::int8, %d) AS i;
"""
MOVES = "DROP TABLE IF EXISTS moves; CREATE TABLE moves AS SELECT *, %s AS e FROM base; VACUUM (ANALYZE) moves;"

NUMBERS = ["max", "min", "count", "sum", "avg", "stddev"]
OTHERS = ["max", "min", "count", "moving_mode", "moving_count_distinct", "moving_last"]
EXPRESSIONS = [("high - low", NUMBERS), ("high * 2", NUMBERS), ("high / 3", NUMBERS), ("abs(low - high)", NUMBERS), ("sqrt(high)", NUMBERS),
               ("ln(high + 1)", NUMBERS), ("k + 1", NUMBERS), ("k * 2", NUMBERS), ("k % 100", NUMBERS), ("abs(k - 30000)", NUMBERS),
               ("length(t)", NUMBERS), ("k::int8 * 1000", NUMBERS), ("n * 2", NUMBERS), ("n + 1", NUMBERS), ("round(n, 1)", NUMBERS),
               ("lower(t)", OTHERS), ("substr(t, 3, 5)", OTHERS), ("reverse(t)", OTHERS), ("at::date", OTHERS),
               ("date_trunc('hour', at)", OTHERS)]
FRAMES = [10, 1000, 10000]


def statement(aggregate, argument, frame):
    second = ", id" if aggregate == "moving_last" else ""
    return "SELECT count(x) FROM (SELECT %s(%s%s) OVER (ORDER BY id ROWS %d PRECEDING) AS x FROM moves OFFSET 0) AS s" % (
        aggregate, argument, second, frame - 1)


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--rows", type=int, default=10**5)
    options.add_argument("--rounds", type=int, default=3)
    options = options.parse_args()
    ratios = []
    with Postgres() as postgres:
        postgres.run("CREATE EXTENSION scan;" + CREATE % options.rows)

        def ns(settings, query):
            return postgres.measure(settings, query, SECONDS)[0] * 1e6 / options.rows

        print("| expression | alone | aggregate | frame | column | expression | times | stock |\n|---|---|---|---|---|---|---|---|")
        for expression, aggregates in EXPRESSIONS:
            postgres.run(MOVES % expression)
            alone = min(ns(STOCK, "SELECT count(x) FROM (SELECT %s AS x FROM moves OFFSET 0) AS s" % expression) for _ in range(options.rounds)) - min(
                ns(STOCK, "SELECT count(x) FROM (SELECT e AS x FROM moves OFFSET 0) AS s") for _ in range(options.rounds))
            for aggregate in aggregates:
                for frame in FRAMES:
                    column, computed = [], []
                    for _ in range(options.rounds):
                        column.append(ns(SCAN, statement(aggregate, "e", frame)))
                        computed.append(ns(SCAN, statement(aggregate, expression, frame)))
                    stock = "%.0f" % ns(STOCK, statement(aggregate, expression, frame)) if frame * options.rows <= MOST else "–"
                    ratios.append((min(computed) / min(column), expression, aggregate, frame))
                    print("| `%s` | %.0f | `%s` | %d | %.0f | %.0f | %.2f | %s |" % (
                        expression, alone, aggregate, frame, min(column), min(computed), ratios[-1][0], stock), flush=True)
    ratios.sort()
    print("median %.2f, largest %s, above 3: %d of %d" % (ratios[len(ratios) // 2][0], ratios[-1], sum(r[0] > 3 for r in ratios), len(ratios)), file=sys.stderr)


if __name__ == "__main__":
    main()

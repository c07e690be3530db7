"""frames.py [--rows N] [--rounds N]: functions over frames that move, beside stock PostgreSQL and DuckDB.

    make bench-frames

Needs a server (test/cluster.sh) and psql; DuckDB comes from npm if npm is there.  The rows are
in the window's order, so the frame is what is measured.  The arms take turns.  The table on
the standard output has ns per row, the median of the rounds (the least).

Stock's time grows with the frame.  Where it would take long, stock is measured on the first rows
only, some of which have shorter frames.  For functions of this extension stock is WindowAgg, which
calls their inverse transition functions.
"""

import argparse
import dataclasses
import os
import statistics
import sys
import tempfile

from measure import DuckDB, Failure, Postgres

BASE = "SET client_min_messages = warning; SET jit = off; SET max_parallel_workers_per_gather = 0; SET work_mem = '1GB'; LOAD 'scan'; "
STOCK = BASE + "SET scan.prefixscan = off;"
SCAN = BASE + "SET scan.prefixscan = force; SET scan.debug_require = node; SET scan.work_mem = '1GB';"
MOST = 1e8  # rows times the frame that stock is asked for
SECONDS = 600

TYPES = {"id": "BIGINT", "tm": "TIMESTAMP", "f8": "DOUBLE", "v4": "INTEGER", "t": "VARCHAR"}
CREATE = """
CREATE TABLE moves AS
SELECT i AS id, timestamp '2024-01-01' + i * interval '36 seconds' AS tm,
       (hashint8extended(i, 1) & 1099511627775) * 1e-6::float8 AS f8, (hashint8extended(i, 2) & 1023)::int4 AS v4,
       ('name ' || (hashint8extended(i, 3) & 65535)) COLLATE "C" AS t
FROM generate_series(1::int8, %d) AS i;
VACUUM (ANALYZE) moves;
"""

# how PostgreSQL calls it, how DuckDB does, whether it is of this extension, and whether stock's rows leave a frame
# without it being added up again
CALLS = [("sum(f8)", "sum(f8)", False), ("avg(f8)", "avg(f8)", False), ("max(f8)", "max(f8)", False),
         ("stddev_samp(f8)", "stddev_samp(f8)", False), ("max(t)", "max(t)", False),
         ("sum(v4)", "sum(v4)", True), ("exact_sum(f8)", "fsum(f8)", True), ("exact_stddev_samp(f8)", "stddev_samp(f8)", True),
         ("moving_median(f8)", "median(f8)", True), ("moving_percentile_disc(v4, 0.9)", "quantile_disc(v4, 0.9)", True),
         ("moving_mode(v4)", "mode(v4)", True), ("moving_count_distinct(v4)", "count(DISTINCT v4)", True)]
FRAMES = [("ROWS 9 PRECEDING", "ORDER BY id ROWS 9 PRECEDING", 10), ("ROWS 99 PRECEDING", "ORDER BY id ROWS 99 PRECEDING", 100),
          ("RANGE '1 hour' PRECEDING", "ORDER BY tm RANGE BETWEEN INTERVAL '1 hour' PRECEDING AND CURRENT ROW", 100),
          ("ROWS 9999 PRECEDING", "ORDER BY id ROWS 9999 PRECEDING", 10000)]


@dataclasses.dataclass
class Arm:
    side: str
    rows: int
    ns: list = dataclasses.field(default_factory=list)
    error: str = ""

    def __str__(self):
        if self.error:
            return "failed: " + self.error
        return "%.0f (%.0f)" % (statistics.median(self.ns), min(self.ns)) if self.ns else "–"


def statement(call, frame, rows, table_rows):
    source = "moves" if rows == table_rows else "(SELECT * FROM moves WHERE id <= %d) AS m" % rows
    return "SELECT count(x) FROM (SELECT %s OVER (%s) AS x FROM %s OFFSET 0) AS s" % (call, frame, source)


def measure(arm, postgres, duckdb, calls, frame, table_rows):
    if arm.side == "duckdb":
        ms = duckdb.measure(statement(calls[1], frame, arm.rows, table_rows), 1, SECONDS)[0]
    else:
        ms = postgres.measure(STOCK if arm.side == "stock" else SCAN, statement(calls[0], frame, arm.rows, table_rows), SECONDS)[0]
    arm.ns.append(ms * 1e6 / arm.rows)


def load(duckdb, postgres, scratch):
    csv = os.path.join(scratch, "moves.csv")
    with open(csv, "w") as out:
        postgres.run("COPY (SELECT %s FROM moves) TO STDOUT (FORMAT csv);" % ", ".join(TYPES), to=out)
    columns = ", ".join("'%s': '%s'" % pair for pair in TYPES.items())
    duckdb.ask("CREATE TABLE moves AS SELECT * FROM read_csv('%s', header = false, columns = {%s})" % (csv, columns))
    os.remove(csv)


def times(of, by):
    return "%.1f" % (statistics.median(of.ns) / statistics.median(by.ns)) if of.ns and by.ns else "–"


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--rows", type=int, default=10**6)
    options.add_argument("--rounds", type=int, default=3)
    options = options.parse_args()
    why = DuckDB.install()
    with tempfile.TemporaryDirectory() as scratch, Postgres() as postgres:
        duckdb = None if why else DuckDB(os.path.join(scratch, "moves.duckdb"))
        postgres.run("CREATE EXTENSION scan;" + CREATE % options.rows)
        if duckdb:
            load(duckdb, postgres, scratch)
        plan = []
        for _, frame, length in FRAMES:
            for calls in CALLS:
                rows = options.rows if calls[2] else min(options.rows, max(5 * length, int(MOST / length)))
                arms = [Arm("stock", rows), Arm("scan", options.rows)] + ([Arm("duckdb", options.rows)] if duckdb else [])
                plan.append((calls, frame, arms))
        for number in range(options.rounds):
            for calls, frame, arms in plan:
                for arm in arms:
                    if arm.error:
                        continue
                    try:
                        measure(arm, postgres, duckdb, calls, frame, options.rows)
                    except Failure as failure:
                        arm.error = str(failure)
                print("%d: %s %s: %s" % (number, calls[0], frame, ", ".join("%s %s" % (arm.side, arm) for arm in arms)),
                      file=sys.stderr, flush=True)
        names = {frame: name for name, frame, _ in FRAMES}
        print("| frame | function | stock | PrefixScan | times as fast as stock | DuckDB, 1 thread | times as fast as DuckDB |\n|---|---|---|---|---|---|---|")
        for calls, frame, arms in plan:
            stock, scan = arms[:2]
            duck = arms[2] if duckdb else Arm("duckdb", 0)
            print("| `%s` | `%s` | %s | %s | %s | %s | %s |" % (names[frame], calls[0], stock, scan, times(stock, scan), duck, times(duck, scan)))
        if duckdb:
            duckdb.close()


if __name__ == "__main__":
    main()

"""latest.py [--rows N] [--rounds N] ...: the latest rows of each group, with an index and without.

    make bench-latest     ten million rows, ten minutes

The latest row and the latest three rows of 1,000 and of 1,000,000 groups, by row_number() and by DISTINCT ON.  Arms:
stock at its best settings, alone and with two workers; a recursive query with LATERAL, which is what people write by
hand where there is an index; ours with no setting touched, and with the nodes forced; DuckDB, which has no index that
could help here.  First no table has an index; then it gets (p1k, ts) and (p1m, ts), not covering: v8 comes from the
heap.  The table, the rounds and the servers are those of queries.py, whose header says how the arms take turns.

What was measured goes to results/latest.json as it is; from there report.py writes the section of RESULTS.md.
"""

import argparse
import dataclasses
import datetime
import os
import pathlib
import sys
import tempfile
import time

import queries
import table
from measure import HERE, DuckDB, Failure, Postgres
from queries import BASE, SCAN, Arm, Bench, node, say

INDEXES = ("(p1k, ts)", "(p1m, ts)")
GROUPS = {"p1k": 1000, "p1m": 10**6}
MEMORIES = ("4MB", "64MB", "2GB")
PARALLEL = "SET max_parallel_workers_per_gather = 2; SET work_mem = '2GB';"
SEQUENTIAL_OFF = "SET enable_seqscan = off; SET enable_bitmapscan = off; "

# What is asked: a name, and what its inner select is, of the group's column.
BY_NUMBER = ("SELECT {g}, ts, v8 FROM (SELECT {g}, ts, v8, row_number() OVER (PARTITION BY {g} ORDER BY ts DESC) AS r "
             "FROM bench) AS s WHERE r <= {k}")
BY_DISTINCT = "SELECT DISTINCT ON ({g}) {g}, ts, v8 FROM bench ORDER BY {g}, ts DESC"
BY_HAND = ("WITH RECURSIVE g AS ((SELECT {g} FROM bench ORDER BY {g} LIMIT 1) UNION ALL SELECT (SELECT {g} FROM bench "
           "WHERE {g} > g.{g} ORDER BY {g} LIMIT 1) FROM g WHERE g.{g} IS NOT NULL) SELECT l.* FROM g, "
           "LATERAL (SELECT {g}, ts, v8 FROM bench AS b WHERE b.{g} = g.{g} ORDER BY ts DESC LIMIT {k}) AS l")
ASKED = (("latest row", BY_NUMBER, 1), ("latest 3 rows", BY_NUMBER, 3), ("DISTINCT ON", BY_DISTINCT, 1))


@dataclasses.dataclass
class Query:
    """One question about one column, with an index or without."""
    name: str
    group: str
    inner: str
    rows: int      # of each group
    index: bool
    where: str = ""

    def statement(self, side="stock"):
        inner = BY_HAND if side == "recursive" else self.inner
        return "SELECT count(*), sum(v8) FROM (%s) AS s" % inner.format(g=self.group, k=self.rows)


def asked(index):
    return [Query(name, group, inner, k, index) for name, inner, k in ASKED for group in GROUPS]


def arms(query, duckdb):
    found = [Arm("stock", "planner", memory, BASE + "SET work_mem = '%s';" % memory) for memory in MEMORIES]
    found.append(Arm("parallel", "planner", "2GB", BASE + PARALLEL))
    found.append(Arm("default", "planner", "", SCAN))
    if query.index:
        found += [Arm("stock", "index", memory, BASE + SEQUENTIAL_OFF + "SET work_mem = '%s';" % memory)
                  for memory in MEMORIES]
        found.append(Arm("recursive", "index", "", BASE))
        found.append(Arm("skip", "index", "2GB", node("force", "2GB") + "SET scan.index_skip = force;"))
    else:
        found.append(Arm("scan", "heap", "2GB", node("force", "2GB") + "SET scan.index_skip = off;"))
    if duckdb and not query.index:
        found += [Arm("duckdb%d" % threads, "", "", "") for threads in (1, 2)]
    return found


class Latest(Bench):
    """The arms in turn, without indexes and then with them."""

    def fill(self, rows):
        say("making a table of %d rows" % rows)
        self.postgres.run(table.create(rows))
        if self.duckdb:
            say("the same for DuckDB")
            try:
                self.duckdb.load(self.postgres, os.path.join(self.scratch, "bench.csv"))
            except (Failure, OSError) as failure:
                self.without_duckdb(failure)

    def index(self):
        say("indexes")
        for columns in INDEXES:
            self.postgres.run("CREATE INDEX ON bench %s;" % columns)
        self.warm()

    def warm(self):
        self.postgres.run("VACUUM (ANALYZE) bench; CREATE EXTENSION IF NOT EXISTS pg_prewarm; SELECT count(pg_prewarm(oid)) "
                          "FROM pg_class WHERE relname ~ '^bench' AND relkind IN ('r', 'i');")

    def measure(self, query, arm, outer="", more="", seconds=queries.SECONDS):
        """(ms, answer, plan, kB)"""
        if arm.side.startswith("duckdb"):
            return self.duckdb.measure(query.statement(), int(arm.side[-1]), queries.SECONDS, True) + (0,)
        got = self.postgres.measure(arm.settings, query.statement(arm.side), seconds)
        ours = any(name in got[2] for name in ("IndexSkip", "PrefixScan"))
        if arm.side != "default" and ours != (arm.side in ("skip", "scan")):
            raise Failure("planned as " + ", ".join(got[2]))
        return got

    def check(self, plan):
        for query, ways in plan:
            wanted = None
            for arm in ways:
                try:
                    got = self.measure(query, arm)[1]
                except Failure as failure:
                    arm.error = str(failure)
                    say("  %s, %s: FAILED: %s" % (query.name, arm, failure))
                    continue
                wanted = wanted or got
                if got != wanted:
                    self.differs(query.name, arm)

    def both(self, act):
        """Without indexes, then with them; the plans of both."""
        without = [(query, arms(query, self.duckdb)) for query in asked(False)]
        act(without)
        self.index()
        indexed = [(query, arms(query, self.duckdb)) for query in asked(True)]
        act(indexed)
        return without + indexed

    def run(self):
        options, postgres = self.options, self.postgres
        postgres.run("CREATE EXTENSION scan;")
        small = min(queries.CHECKED, options.rows)
        self.fill(small)
        say("every arm on %d rows" % small)
        self.both(self.check)
        self.fill(options.rows)
        self.warm()
        bytes_per_row, mb = postgres.value(
            "SELECT round(avg(pg_column_size(b.*)), 1) || '|' || pg_relation_size('bench') / 1048576 "
            "FROM (SELECT * FROM bench LIMIT 100000) AS b;").split("|")
        started = time.monotonic()
        plan = self.both(lambda some: self.rounds(some, started + 60 * options.minutes))
        return {
            "note": options.note, "measured": datetime.date.today().isoformat(), "machine": queries.machine(),
            "postgres": postgres.value("SHOW server_version;").split()[0],
            "shared_buffers": postgres.value("SHOW shared_buffers;"),
            "duckdb": self.duckdb.version if self.duckdb else None, "no_duckdb": options.no_duckdb_because,
            "rows": options.rows, "rows_checked": small,
            "rounds": max((len(arm.ms) for _, ways in plan for arm in ways), default=0),
            "bytes_per_row": float(bytes_per_row), "table_mb": int(mb), "disagree": self.disagree,
            "queries": [{"name": query.name, "group": query.group, "groups": min(GROUPS[query.group], options.rows),
                         "kept": query.rows, "index": query.index, "statement": query.statement(),
                         "arms": [arm.record(False) for arm in ways]} for query, ways in plan],
            "brief": [],
        }


def arguments():
    parser = argparse.ArgumentParser(description="the latest rows of each group: ours, PostgreSQL's, by hand, DuckDB's")
    parser.add_argument("--rows", type=int, default=10**7)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--note", default="", help="a sentence for the page: what was special about this run")
    parser.add_argument("--minutes", type=float, default=28, help="no further round is begun that would end later")
    parser.add_argument("--no-duckdb", action="store_true")
    parser.add_argument("--out", type=pathlib.Path, default=HERE)
    options = parser.parse_args()
    options.large = False
    options.no_duckdb_because = "left out" if options.no_duckdb else DuckDB.install()
    return options


def main():
    options = arguments()
    with tempfile.TemporaryDirectory(prefix="scan-bench-") as scratch, Postgres() as postgres:
        bench, duckdb = Latest(options, postgres, scratch), None
        try:
            if options.no_duckdb_because:
                raise Failure(options.no_duckdb_because)
            bench.duckdb = duckdb = DuckDB(os.path.join(scratch, "bench.duckdb"))
        except Failure as failure:
            bench.without_duckdb(failure)
        found = bench.run()
        if duckdb:
            duckdb.close()
    queries.write(found, options.out, "latest")
    if found["disagree"]:
        sys.exit("not the same answers: " + "; ".join(found["disagree"]))


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        sys.exit("latest: %s" % failure)

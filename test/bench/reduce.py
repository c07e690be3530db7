"""reduce.py [--rows N] [--rounds N] ...: what stands above a window, in WindowReduce and without it.

    make bench-reduce    ten million rows, ten minutes

Needs a server (test/cluster.sh), psql, and node with npm for DuckDB.  Conditions on the results of a window, and
aggregates of them, without GROUP BY and by the partitions: in stock PostgreSQL (the faster of work_mem 64MB and 2GB),
in PrefixScan with scan.reduce off and on, and in DuckDB with one thread.  All run in one process over the same table
without an index, and have to give the same answers.  The arms take turns, round by round; the least counts.

What was measured goes to results/reduce.json, and from there to its section of RESULTS.md.
"""

import argparse
import datetime
import json
import os
import pathlib
import sys
import tempfile

import table
from measure import HERE, DuckDB, Failure
from queries import BASE, SCAN, machine, say
from report import paragraph, put_between
from tasks import Arm, Server, line

BEGIN, END = "<!-- reduce: by reduce.py -->", "<!-- end of reduce -->"
BY_KEY = "PARTITION BY p1k ORDER BY ts"

# name, statement
ASKED = (
    ("count of all rows, ORDER BY id", "SELECT count(s) FROM (SELECT sum(v8) OVER (ORDER BY id) AS s FROM bench) AS q"),
    ("count where a bigint is large", "SELECT count(*) FROM (SELECT sum(v4) OVER (%s) AS s FROM bench) AS q WHERE s > 1000000" % BY_KEY),
    ("count where a numeric is large", "SELECT count(*) FROM (SELECT sum(v8) OVER (%s) AS s FROM bench) AS q WHERE s > 1000000" % BY_KEY),
    ("few rows", "SELECT count(*), min(id) FROM (SELECT id, s FROM (SELECT id, sum(v4) OVER (%s) AS s FROM bench) AS q "
                 "WHERE s < 1000 OFFSET 0) AS r" % BY_KEY),
    ("three aggregates in 1,000 groups", "SELECT sum(m), sum(n), max(a) FROM (SELECT p1k, max(s) AS m, count(*) AS n, min(s) AS a FROM "
                                         "(SELECT p1k, sum(v4) OVER (%s) AS s FROM bench) AS q GROUP BY p1k) AS g" % BY_KEY),
    ("three aggregates in 1,000,000 groups", "SELECT sum(m), sum(n), max(a) FROM (SELECT p1m, max(s) AS m, count(*) AS n, min(s) AS a FROM "
                                             "(SELECT p1m, sum(v4) OVER (PARTITION BY p1m ORDER BY ts) AS s FROM bench) AS q GROUP BY p1m) AS g"),
    ("longest gap in each of 1,000 groups", "SELECT sum(m) FROM (SELECT p1k, max(n) AS m FROM (SELECT p1k, lag(v8) OVER (%s) AS n FROM bench) "
                                            "AS q WHERE n IS NOT NULL GROUP BY p1k) AS g" % BY_KEY),
    ("count of gaps, v8 - lag(v8)", "SELECT count(*) FROM (SELECT v8 - lag(v8) OVER (%s) AS gap FROM bench) AS q WHERE gap > 100" % BY_KEY),
    ("sum of changes, CASE and lag", "SELECT sum(x) FROM (SELECT CASE WHEN v4 > lag(v4) OVER (%s) THEN 1 ELSE 0 END AS x FROM bench) AS q" % BY_KEY),
    ("greatest share of the row before", "SELECT max(x) FROM (SELECT v4::float8 / nullif(lag(v4) OVER (%s), 0) AS x FROM bench) AS q" % BY_KEY),
    ("longest silence in each of 1,000 groups", "SELECT sum(extract(epoch FROM m))::bigint FROM (SELECT p1k, max(gap) AS m FROM (SELECT p1k, ts - lag(ts) OVER (%s) AS gap "
                                                "FROM bench) AS q GROUP BY p1k) AS g" % BY_KEY),
    ("count where an expression holds", "SELECT count(*) FROM (SELECT sum(v4) OVER (%s) AS s FROM bench) AS q WHERE s %% 1000 < 500" % BY_KEY))
# DuckDB has no aggregates that round once
EXACT = (
    ("exact average and correlation in 1,000 groups", "SELECT sum(a), sum(c) FROM (SELECT p1k, exact_avg(f8) AS a, exact_corr(f8, v8) AS c FROM "
                                                      "(SELECT *, sum(v4) OVER (%s) AS s FROM bench) AS q WHERE s > 1000 GROUP BY p1k) AS g" % BY_KEY),
    ("count where a running exact sum is large", "SELECT count(*) FROM (SELECT exact_sum(f8) OVER (%s) AS s FROM bench) AS q WHERE s > 1000" % BY_KEY))
OURS = SCAN + "SET scan.prefixscan = force; "


def ways(statement, duckdb):
    arms = [Arm("stock, work_mem %s" % memory, BASE + "SET work_mem = '%s';" % memory, statement) for memory in ("64MB", "2GB")]
    arms.append(Arm("scan.reduce off", OURS + "SET scan.reduce = off;", statement))
    arms.append(Arm("scan.reduce auto", OURS, statement))
    if duckdb:
        arms.append(Arm("DuckDB, 1 thread", None, statement))
    return arms


def measured(server, options, scratch):
    say("a table of %d rows" % options.rows)
    server.run("CREATE EXTENSION IF NOT EXISTS scan;" + table.create(options.rows) +
               "VACUUM (ANALYZE) bench; CREATE EXTENSION IF NOT EXISTS pg_prewarm; SELECT pg_prewarm('bench');")
    if server.duckdb:
        say("the same for DuckDB")
        server.duckdb.load(server, os.path.join(scratch, "bench.csv"))
    found = []
    for name, statement in ASKED + EXACT:
        say(name)
        arms = ways(statement, server.duckdb and (name, statement) in ASKED)
        server.rounds(arms, options.rounds)
        if len({arm.answer for arm in arms if not arm.error}) > 1:
            raise Failure("%s: the answers differ: %s" % (name, ", ".join("%s %s" % (arm.name, arm.answer) for arm in arms)))
        found.append({"name": name, "statement": statement, "arms": [arm.record() for arm in arms]})
    return found


def ns(arm, rows):
    return "–" if arm is None else arm["error"] or "%.0f" % (arm["least"] * 1e6 / rows)


def section(found):
    on, rows = found["machine"], found["rows"]
    lines = ["## Filters and aggregates above a window", ""] + paragraph(
        "`make bench-reduce` measured queries over %d million rows without an index on %s, with PostgreSQL %s, %s cores (%s) and %s GB of "
        "memory. They run in one process. Times are ns per row of the table, %s. **stock** is the faster of `work_mem` "
        "64MB and 2GB. The next two columns are PrefixScan with default memory, without WindowReduce and with it. DuckDB has one thread." % (
            rows // 10**6, found["measured"], found["postgres"], on["cores"], on["processor"], on["memory_gb"],
            "of one round" if found["rounds"] == 1 else "the least of %d rounds" % found["rounds"]))
    lines += [line(("query", "stock", "`scan.reduce = off`", "default", "times as fast as `off`", "DuckDB, 1 thread")), "|" + "---|" * 6]
    losing, slower = [], []
    for query in found["queries"]:
        of = {arm["name"]: arm for arm in query["arms"]}
        stock = min((of["stock, work_mem 64MB"], of["stock, work_mem 2GB"]), key=lambda arm: arm["least"] or 1e18)
        off, auto, duckdb = of["scan.reduce off"], of["scan.reduce auto"], of.get("DuckDB, 1 thread")
        times = "%.2f" % (off["least"] / auto["least"]) if off["least"] and auto["least"] else ""
        lines.append(line((query["name"], ns(stock, rows), ns(off, rows), ns(auto, rows), times, ns(duckdb, rows))))
        if times and auto["least"] > off["least"]:
            slower.append("%s (%s times as fast)" % (query["name"], times))
        if duckdb and duckdb["least"] and auto["least"] and duckdb["least"] < auto["least"]:
            losing.append("%s (%.2f times as fast)" % (query["name"], auto["least"] / duckdb["least"]))
    lines.append("")
    said = "DuckDB is faster in: %s." % ", ".join(losing) if losing else "DuckDB is faster in none of them."
    return lines + paragraph(said + (" Slower by default than with `scan.reduce = off`: %s." % ", ".join(slower) if slower else ""))


def main():
    parser = argparse.ArgumentParser(description="what stands above a window")
    parser.add_argument("--rows", type=int, default=10**7)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--no-duckdb", action="store_true")
    parser.add_argument("--out", type=pathlib.Path, default=HERE)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="scan-bench-") as scratch, Server() as server:
        why = "left out" if options.no_duckdb else DuckDB.install()
        if why is None:
            server.duckdb = DuckDB(os.path.join(scratch, "reduce.duckdb"))
        queries = measured(server, options, scratch)
        found = {"measured": datetime.date.today().isoformat(), "machine": machine(), "rows": options.rows, "rounds": options.rounds,
                 "postgres": server.value("SHOW server_version;").split()[0],
                 "duckdb": server.duckdb.version if server.duckdb else why, "queries": queries}
        if server.duckdb:
            server.duckdb.close()
    (options.out / "results").mkdir(parents=True, exist_ok=True)
    (options.out / "results" / "reduce.json").write_text(json.dumps(found, indent=1) + "\n")
    put_between(options.out / "RESULTS.md", BEGIN, END, section(found))


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        sys.exit("reduce: %s" % failure)

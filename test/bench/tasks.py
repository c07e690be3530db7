"""tasks.py [--rows N] [--rounds N] [--only REGEX] ...: what the functions of single tasks take.

    make bench-tasks     ten million rows, ten minutes

Needs a server (test/cluster.sh), psql, and node with npm for DuckDB.  Four things are measured:

functions    run numbers, counters, bins, filled gaps, patterns, integrals and moving correlations, in PrefixScan, over
             1,000 partitions: each beside a plain sum of the same type over the same window.
by_hand      the matches of a pattern and the steps of a funnel, over the same rows, beside what SQL without them needs.
as of        the last quote before each trade, of as many quotes as trades and 1,000 keys: by UNION ALL and scan_locf,
             by LATERAL over an index on (key, time), and by DuckDB's ASOF JOIN with one thread.
cost         a million movements of an inventory by first in, first out.

The arms of a task take turns, round by round; the median counts, and the least is told beside it.  What was measured
goes to results/tasks.json, and from there to its section of RESULTS.md.
"""

import argparse
import dataclasses
import datetime
import json
import os
import pathlib
import re
import statistics
import sys
import tempfile

import table
from measure import HERE, DuckDB, Failure, Postgres
from queries import BASE, machine, node, say
from report import listed, paragraph, put_between

BEGIN, END = "<!-- tasks: by tasks.py -->", "<!-- end of tasks -->"
SECONDS = 600
OURS = node("force", "2GB")

SO_FAR = "PARTITION BY p1k ORDER BY ts"
TEN, MANY = SO_FAR + " ROWS 9 PRECEDING", SO_FAR + " ROWS 9999 PRECEDING"

# name, call, window, the call it is compared with
FUNCTIONS = (
    ("run number, integer", "scan_change(v4)", SO_FAR, "scan_sum(v4)"),
    ("counter, bigint", "scan_counter(v8)", SO_FAR, "scan_sum(v8)"),
    ("counter, double precision", "scan_counter(f8)", SO_FAR, "scan_sum(f8)"),
    ("bins, bigint", "scan_bin(v8, 10000000)", SO_FAR, "scan_sum(v8)"),
    ("last value within an hour", "scan_locf(h8, ts, interval '1 hour')", SO_FAR, "scan_sum(h8)"),
    ("next value", "scan_nocb(h8)", SO_FAR, "scan_sum(h8)"),
    ("interpolated", "scan_interpolate(hf, ts)", SO_FAR, "scan_sum(hf)"),
    ("integral", "scan_integral(f8, ts)", SO_FAR, "scan_sum(f8)"),
    ("pattern, one way at each row", "scan_match('a b+ c', v4 < 300, v4 BETWEEN 300 AND 799, v4 > 799)", SO_FAR, "scan_sum(v4)"),
    ("pattern, many ways", "scan_match('a (b | c)*? c (a | b){2,5}', v4 < 700, v4 > 300, v4 > 900)", SO_FAR, "scan_sum(v4)"),
    ("steps of a funnel", "scan_funnel(ts, interval '1 hour', v4 < 300, v4 BETWEEN 300 AND 599, v4 > 599)", SO_FAR + " ROWS UNBOUNDED PRECEDING",
     "scan_sum(v4)"),
    ("correlation of 10 rows", "exact_corr(f8, hf)", TEN, "exact_avg(f8)"),
    ("correlation of 10,000 rows", "exact_corr(f8, hf)", MANY, "exact_avg(f8)"))

FUNNEL_BY_HAND = """
SELECT sum(steps) FROM (
  SELECT max(CASE WHEN v4 > 599 AND ts <= t2 + interval '1 hour' THEN 3 WHEN s2 IS NOT NULL THEN 2 WHEN v4 < 300 THEN 1 ELSE 0 END) AS steps FROM (
    SELECT *, max(s2) OVER (PARTITION BY p1k, k ORDER BY ts) AS t2 FROM (
      SELECT *, CASE WHEN v4 BETWEEN 300 AND 599 AND ts <= t1 + interval '1 hour' THEN t1 END AS s2 FROM (
        SELECT p1k, v8 % 8 AS k, ts, v4, max(CASE WHEN v4 < 300 THEN ts END) OVER (PARTITION BY p1k, v8 % 8 ORDER BY ts) AS t1 FROM task
      ) AS a) AS b) AS c GROUP BY p1k, k
) AS s"""

# task, with scan, by hand; both count the same
BY_HAND = (
    ("matches of a pattern", """
SELECT sum(matches) FROM (SELECT p1k, max(m) AS matches FROM (
  SELECT p1k, scan_match('a b+ c', v4 < 300, v4 BETWEEN 300 AND 799, v4 > 799) OVER (PARTITION BY p1k ORDER BY ts) AS m FROM task
) AS s GROUP BY p1k) AS s""", """
SELECT sum((SELECT count(*) FROM regexp_matches(line, 'ab+c', 'g'))) FROM (
  SELECT string_agg(CASE WHEN v4 < 300 THEN 'a' WHEN v4 < 800 THEN 'b' ELSE 'c' END, '' ORDER BY ts) AS line FROM task GROUP BY p1k
) AS s"""),
    ("steps of a funnel, in groups", """
SELECT sum(steps) FROM (
  SELECT scan_funnel(ts, interval '1 hour', v4 < 300, v4 BETWEEN 300 AND 599, v4 > 599 ORDER BY ts) AS steps FROM task GROUP BY p1k, v8 % 8
) AS s""", FUNNEL_BY_HAND),
    ("steps of a funnel, over a window", """
SELECT sum(steps) FROM (
  SELECT max(steps) AS steps FROM (
    SELECT p1k, v8 % 8 AS k, scan_funnel(ts, interval '1 hour', v4 < 300, v4 BETWEEN 300 AND 599, v4 > 599)
           OVER (PARTITION BY p1k, v8 % 8 ORDER BY ts ROWS UNBOUNDED PRECEDING) AS steps FROM task
  ) AS s GROUP BY p1k, k
) AS s""", FUNNEL_BY_HAND))

# way, settings, statement
AS_OF = (
    ("UNION ALL and scan_locf", OURS, """
SELECT count(price), sum(price) FROM (
  SELECT is_trade, scan_locf(price) OVER (PARTITION BY key ORDER BY at, is_trade) AS price
  FROM (SELECT key, at, price, false AS is_trade FROM quote UNION ALL SELECT key, at, NULL, true FROM trade) AS both_
) AS s WHERE is_trade"""),
    ("LATERAL ... LIMIT 1 on an index", BASE, """
SELECT count(price), sum(price) FROM trade AS t
  LEFT JOIN LATERAL (SELECT price FROM quote AS q WHERE q.key = t.key AND q.at <= t.at ORDER BY q.at DESC LIMIT 1) AS q ON true"""))
AS_OF_DUCKDB = "SELECT count(price), sum(price) FROM trade AS t ASOF LEFT JOIN quote AS q ON t.key = q.key AND t.at >= q.at"

COST = ("SELECT count(cost), sum(cost) FROM (SELECT scan_cost(quantity, price) OVER (PARTITION BY item ORDER BY id) AS cost "
        "FROM movement) AS s")


@dataclasses.dataclass
class Arm:
    """One way to do a task."""
    name: str
    settings: str        # None: DuckDB runs the statement
    statement: str
    ms: list = dataclasses.field(default_factory=list)
    answer: str = ""
    error: str = ""

    def record(self):
        return {"name": self.name, "ms": self.ms, "error": self.error,
                "median": statistics.median(self.ms) if self.ms else None, "least": min(self.ms, default=None)}


class Server(Postgres):
    duckdb = None

    def run_arm(self, arm):
        if arm.error:
            return
        try:
            if arm.settings is None:
                got = self.duckdb.ask(arm.statement, 1, SECONDS)
                ms, answer = got["ms"], "|".join(str(value) for value in got["rows"][0])
            else:
                ms, answer, _, _ = self.measure(arm.settings, arm.statement, SECONDS)
            if arm.answer not in ("", answer):
                raise Failure("another answer: %s, then %s" % (arm.answer, answer))
            arm.answer = answer
            arm.ms.append(ms)
        except Failure as failure:
            arm.error = str(failure)
            say("  %s: FAILED: %s" % (arm.name, failure))
            return
        say("  %-42s %8.0f ms" % (arm.name, ms))

    def rounds(self, arms, rounds):
        for _ in range(rounds):
            for arm in arms:
                self.run_arm(arm)


def functions(server, options):
    say("a table of %d rows" % options.rows)
    server.run("CREATE EXTENSION IF NOT EXISTS scan;" + table.create(options.rows) + """
CREATE TABLE task AS SELECT p1k, ts, v8, f8, v4, CASE WHEN id % 3 = 0 THEN v8 END AS h8, CASE WHEN id % 3 = 0 THEN -f8 * f4 END AS hf
FROM (SELECT *, (v4 % 7 + 1)::float8 AS f4 FROM bench) AS b;
DROP TABLE bench; VACUUM (ANALYZE) task;
CREATE EXTENSION IF NOT EXISTS pg_prewarm; SELECT pg_prewarm('task');""")
    found = []
    for name, call, window, against in FUNCTIONS:
        if options.only and not re.search(options.only, name):
            continue
        arms = [Arm(one, OURS, "SELECT count(y) FROM (SELECT %s OVER (%s) AS y FROM task OFFSET 0) AS s" % (one, window))
                for one in (call, against)]
        server.rounds(arms, options.rounds)
        found.append({"name": name, "window": "10,000 rows" if window == MANY else "10 rows" if window == TEN else "all rows so far",
                      "arms": [arm.record() for arm in arms]})
    return found


def by_hand(server, options):
    """Needs the table of functions()."""
    found = []
    for name, ours, hand in BY_HAND:
        arms = [Arm(name, OURS, ours), Arm("by hand", BASE, hand)]
        server.rounds(arms, options.rounds)
        if len({arm.answer for arm in arms if not arm.error}) > 1:
            raise Failure("%s: the answers differ: %s" % (name, ", ".join(arm.answer for arm in arms)))
        found.append({"name": name, "arms": [arm.record() for arm in arms]})
    server.run("DROP TABLE task;")
    return found


TRADES = """
DROP TABLE IF EXISTS quote, trade;
CREATE TABLE quote AS SELECT ((hashint8extended(i, 1) & 9223372036854775807) %% 1000)::int4 AS key,
  (hashint8extended(i, 2) & 9223372036854775807) %% 1000000000000 AS at, (hashint8extended(i, 3) & 1048575) AS price
FROM generate_series(1::int8, %(rows)d) AS i;
CREATE TABLE trade AS SELECT ((hashint8extended(i, 4) & 9223372036854775807) %% 1000)::int4 AS key,
  (hashint8extended(i, 5) & 9223372036854775807) %% 1000000000000 AS at, i AS id
FROM generate_series(1::int8, %(rows)d) AS i;
CREATE INDEX ON quote (key, at) INCLUDE (price);
VACUUM (ANALYZE) quote, trade;
CREATE EXTENSION IF NOT EXISTS pg_prewarm; SELECT count(pg_prewarm(oid)) FROM pg_class WHERE relname ~ '^(quote|trade)' AND relkind IN ('r', 'i');
"""


def as_of(server, options, scratch):
    say("quotes and trades")
    server.run(TRADES % {"rows": options.rows})
    arms = [Arm(*way) for way in AS_OF]
    if server.duckdb:
        say("the same for DuckDB")
        for name, columns in (("quote", "key, at, price"), ("trade", "key, at, id")):
            file = os.path.join(scratch, name + ".csv")
            with open(file, "w") as out:
                server.run("COPY (SELECT %s FROM %s) TO STDOUT (FORMAT csv);" % (columns, name), to=out)
            server.duckdb.ask("CREATE OR REPLACE TABLE %s AS SELECT * FROM read_csv('%s', header = false, columns = {%s})" % (
                name, file, ", ".join("'%s': '%s'" % (column, "INTEGER" if column == "key" else "BIGINT")
                                      for column in columns.split(", "))))
            os.remove(file)
        server.duckdb.ask("CHECKPOINT")
        arms.append(Arm("DuckDB, ASOF JOIN, 1 thread", None, AS_OF_DUCKDB))
    server.rounds(arms, options.rounds)
    answers = {arm.answer for arm in arms if not arm.error}
    if len(answers) > 1:
        raise Failure("the arms of the as-of join differ: " + ", ".join(sorted(answers)))
    server.run("DROP TABLE quote, trade;")
    return [arm.record() for arm in arms]


def cost(server, options):
    # each item comes in twice and goes out once, a little less than came in, so that there is always enough
    server.run("""
DROP TABLE IF EXISTS movement;
CREATE TABLE movement AS SELECT i AS id, i / 3 %% 1000 AS item,
  CASE WHEN i %% 3 < 2 THEN 10 + i %% 7 ELSE -(15 + i %% 5) END::numeric AS quantity, 100 + i %% 9000 * 0.01 AS price
FROM generate_series(0, %d) AS i;
VACUUM (ANALYZE) movement;""" % (min(options.rows, 10**6) - 1))
    arm = Arm("scan_cost, a million movements", OURS, COST)
    server.rounds([arm], options.rounds)
    return arm.record()


def line(cells):
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def section(found):
    on, rows = found["machine"], found["rows"]
    lines = ["## Single tasks", ""] + paragraph(
        "`make bench-tasks` measured queries over %d million rows in 1,000 partitions on %s, with PostgreSQL %s, %s cores (%s) and %s GB of "
        "memory. The queries run in one process, with PrefixScan forced and `scan.work_mem` 2GB. An outer `count()` consumes the rows. "
        "Times are the median of %d rounds, with the least in brackets." % (
            rows // 10**6, found["measured"], found["postgres"], on["cores"], on["processor"], on["memory_gb"], found["rounds"]))
    lines += paragraph("“times” is the time of the function divided by the time of `scan_sum` of the same type over the same window. The "
                       "correlations are compared with `exact_avg` instead. The columns are v4 (`integer`), v8 (`bigint`), f8 (`double "
                       "precision`), ts (the time), and h8 (`bigint`) and hf (`double precision`), which are NULL in two of three rows.")
    lines += [line(("task", "call", "frame", "ns per row", "compared with, ns per row", "times")), "|" + "---|" * 6]
    for one in found["functions"]:
        ours, base = one["arms"]
        if ours["error"] or base["error"]:
            lines.append(line((one["name"], "`%s`" % ours["name"], one["window"], ours["error"] or base["error"], "", "")))
            continue
        ns = [arm["median"] * 1e6 / rows for arm in (ours, base)]
        least = [arm["least"] * 1e6 / rows for arm in (ours, base)]
        lines.append(line((one["name"], "`%s`" % ours["name"], one["window"], "%.0f (%.0f)" % (ns[0], least[0]),
                           "`%s` %.0f (%.0f)" % (base["name"], ns[1], least[1]), "%.2f" % (ns[0] / ns[1]))))
    lines += [""] + paragraph("Tasks beside SQL without functions of `scan`, over the same rows: the number of matches of `a b+ c` in each of the 1,000 "
                              "partitions, by hand as a string and a regular expression for each partition; and the steps that a funnel of three steps "
                              "within an hour reaches in each of 8,000 groups, by hand with three levels of windows. Times are in seconds.")
    lines += [line(("task", "with scan", "by hand", "times as fast")), "|---|---|---|---|"]
    for one in found["by_hand"]:
        ours, hand = one["arms"]
        seconds = [arm["error"] or "%.2f (%.2f)" % (arm["median"] / 1000, arm["least"] / 1000) for arm in (ours, hand)]
        times = "" if ours["error"] or hand["error"] else "%.1f" % (hand["median"] / ours["median"])
        lines.append(line((one["name"], *seconds, times)))
    lines += [""] + paragraph("The next query finds the last quote before each trade, for %d million quotes and as many trades with 1,000 "
                              "keys. Times are in seconds." % (rows // 10**6))
    lines += [line(("way", "median", "least")), "|---|---|---|"]
    for arm in found["as_of"]:
        lines.append(line((arm["name"], arm["error"] or "%.2f" % (arm["median"] / 1000), "" if arm["error"] else "%.2f" % (arm["least"] / 1000))))
    medians = {arm["name"]: arm["median"] for arm in found["as_of"] if not arm["error"]}
    ours = medians.get(AS_OF[0][0])
    lines += [""] + (listed("Faster than `scan_locf`", ["%s (%.2f times as fast)" % (name, ours / ms) for name, ms in medians.items() if ms < ours])
                     + [""] if ours else [])
    if found["cost"]:
        lines += paragraph("Over %s movements, `scan_cost` by first in, first out %s." % (
            format(min(rows, 10**6), ","), "failed: " + found["cost"]["error"] if found["cost"]["error"] else
            "takes %.2f s; the least is %.2f s" % (found["cost"]["median"] / 1000, found["cost"]["least"] / 1000)))
    return lines


def arguments():
    parser = argparse.ArgumentParser(description="what the functions of single tasks take")
    parser.add_argument("--rows", type=int, default=10**7)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", help="a regular expression: these functions")
    parser.add_argument("--skip", default="", help="of functions (by_hand needs them), by_hand, as_of, cost, with commas")
    parser.add_argument("--no-duckdb", action="store_true")
    parser.add_argument("--out", type=pathlib.Path, default=HERE)
    return parser.parse_args()


def main():
    options = arguments()
    with tempfile.TemporaryDirectory(prefix="scan-bench-") as scratch, Server() as server:
        why = "left out" if options.no_duckdb else DuckDB.install()
        if why is None:
            server.duckdb = DuckDB(os.path.join(scratch, "tasks.duckdb"))
        server.run("CREATE EXTENSION IF NOT EXISTS scan;")
        found = {"measured": datetime.date.today().isoformat(), "machine": machine(), "rows": options.rows,
                 "rounds": options.rounds, "postgres": server.value("SHOW server_version;").split()[0],
                 "duckdb": server.duckdb.version if server.duckdb else why, "functions": [], "by_hand": [], "as_of": [], "cost": None}
        for name, measured in (("functions", lambda: functions(server, options)), ("by_hand", lambda: by_hand(server, options)),
                               ("as_of", lambda: as_of(server, options, scratch)), ("cost", lambda: cost(server, options))):
            if name not in options.skip:
                found[name] = measured()
        if server.duckdb:
            server.duckdb.close()
    if options.skip or options.only:
        print(json.dumps(found, indent=1))
        return
    (options.out / "results").mkdir(parents=True, exist_ok=True)
    (options.out / "results" / "tasks.json").write_text(json.dumps(found, indent=1) + "\n")
    put_between(options.out / "RESULTS.md", BEGIN, END, section(found))


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        sys.exit("tasks: %s" % failure)

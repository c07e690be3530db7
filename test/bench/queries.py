"""queries.py [--rows N] [--rounds N] [--large | --processes] ...: whole queries in PrefixScan, beside stock
PostgreSQL and DuckDB.

    make bench            ten million rows, less than half an hour
    make bench-large      fifty million rows in 64MB, with the memory taken
    make bench-processes  one process and several, beside DuckDB with as many threads, ten minutes

Needs a server (test/cluster.sh) and psql.  DuckDB comes from npm if npm is there.  First,
all arms of a query have to give the same answers on a small table.  Then the arms take
turns: each round runs every arm of every query once, so that a busy moment of the machine
affects all of them.  Only the best memory size counts: an arm that takes far longer than the
best one is cut off and not run again.  An arm that fails is reported, and the others go on.

The measured times go to results/queries.json (large.json, processes.json).  From there
report.py writes the section of RESULTS.md, and chart.py draws the picture.  --out DIR takes the
place of this folder.
"""

import argparse
import dataclasses
import datetime
import json
import math
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import report
import table
from measure import HERE, DuckDB, Failure, Postgres

CHECKED = 20000  # rows of the small table
HOPELESS = 1.1  # times the best of its kind: not asked again
CUT_OFF = 1.5   # times it: not waited for
AT_LEAST = 5    # seconds before a statement is cut off
SECONDS = 400   # for any statement
NO_OFFSET = "without OFFSET 0"  # which slows some plans of DuckDB: both are measured

BASE = "SET client_min_messages = warning; SET jit = off; SET max_parallel_workers_per_gather = 0; "
SCAN = BASE + "LOAD 'scan'; "
ACCESS = {"heap": "SET enable_indexscan = off; SET enable_indexonlyscan = off; SET enable_bitmapscan = off; ",
          "index": "SET enable_seqscan = off; SET enable_bitmapscan = off; ", "planner": ""}


def say(text):
    print("%s %s" % (time.strftime("%H:%M:%S"), text), flush=True)


@dataclasses.dataclass(eq=False)
class Arm:
    """One way to answer a query.  The best of a side counts."""
    side: str      # stock, parallel, scan, default, duckdb1, duckdb2; memory, process2, ...
    access: str    # heap, index, or planner: as it likes
    memory: str
    settings: str
    ms: list = dataclasses.field(default_factory=list)
    peak_kb: list = dataclasses.field(default_factory=list)  # what the backend's peak has grown
    plan: list = dataclasses.field(default_factory=list)
    answer: str = ""
    error: str = ""
    cut_off: bool = False

    @property
    def median(self):
        return statistics.median(self.ms)

    def __str__(self):
        return " ".join(word for word in (self.side, self.access, self.memory) if word)

    def record(self, with_peak):
        hidden = ("settings", "answer") if with_peak else ("settings", "answer", "peak_kb")
        return {key: value for key, value in dataclasses.asdict(self).items() if key not in hidden}


def node(choice, memory):
    return SCAN + "SET scan.prefixscan = %s; SET scan.work_mem = '%s'; SET work_mem = '%s'; " % (choice, memory, memory)


def arms(query, duckdb):
    stock = node("off", "64MB") if query.ours else BASE
    either = "planner" if len(query.access) > 1 else query.access[0]
    found = [Arm("stock", access, memory, stock + ACCESS[access] + "SET work_mem = '%s';" % memory)
             for access in reversed(query.access) for memory in ("4MB", "64MB", "2GB")]
    if not query.ours:
        parallel = "SET max_parallel_workers_per_gather = 2; SET work_mem = '2GB';"
        found.append(Arm("parallel", either, "2GB", stock + ACCESS[either] + parallel))
    found += [Arm("scan", access, "2GB", node("force", "2GB") + ACCESS[access]) for access in query.access]
    found += [Arm("default", access, "", SCAN + ACCESS[access]) for access in dict.fromkeys((either, query.access[0]))]
    if duckdb and query.duckdb is not None:
        tails = ("", NO_OFFSET) if query.tail else ("",)
        found += [Arm("duckdb%d" % threads, "", tail, "") for threads in (1, 2) for tail in tails]
    return found


ALL_ROWS = "8GB"  # holds the rows of a large table


def large_arms(_query, _duckdb):
    return [Arm("stock", "heap", "64MB", BASE + "SET work_mem = '64MB';"), Arm("stock", "heap", "4MB", BASE),
            Arm("scan", "heap", "64MB", node("force", "64MB")), Arm("default", "heap", "", SCAN),
            Arm("memory", "heap", ALL_ROWS, node("force", ALL_ROWS))]


PROCESSES = "SET max_parallel_workers_per_gather = %d; "


def process_arms(query, duckdb):
    """One process and several; DuckDB with as many threads."""
    found = [Arm("scan", "heap", "2GB", node("force", "2GB") + ACCESS["heap"])]
    found += [Arm("process%d" % n, "heap", "2GB", node("force", "2GB") + ACCESS["heap"] + PROCESSES % (n - 1))
              for n in processes()]
    if duckdb and query.duckdb is not None:
        found += [Arm("duckdb%d" % n, "", "", "") for n in [1] + processes()]
    return found


def processes():
    """Two, four, ... as many as there are cores."""
    return [n for n in (2, 4, 8, 16) if n <= os.cpu_count()]


def process_queries(rows):
    """Without OFFSET 0, at which PostgreSQL has one process, and with a frame that moves."""
    asked = [dataclasses.replace(query, tail="") for query in table.queries(rows) if "heap" in query.access]
    return asked + [table.Query("avg(float8) by p1k, ts, 100 rows",
                                ("avg(f8) OVER (PARTITION BY p1k ORDER BY ts ROWS 99 PRECEDING)",), tail="",
                                title="avg(double precision) of the last 100 rows, " + table.THOUSAND)]


def large_queries(rows):
    return [query for query in table.queries(rows)
            if query.name in ("sum(int8) ORDER BY id, in heap order", "sum(int8) ORDER BY ts", "sum(int8) by p1k, ts",
                              "sum(int8) by p1m, ts")]


class Bench:
    def __init__(self, options, postgres, scratch):
        self.options, self.postgres, self.scratch = options, postgres, scratch
        self.duckdb, self.disagree = None, []

    def fill(self, rows):
        say("making a table of %d rows" % rows)
        self.postgres.run(table.create(rows))
        if not self.options.large:
            for columns in table.INDEXES:
                self.postgres.run("CREATE INDEX ON bench %s;" % columns)
            self.postgres.run("CREATE EXTENSION IF NOT EXISTS pg_prewarm; SELECT count(pg_prewarm(oid)) FROM pg_class "
                              "WHERE relname ~ '^bench' AND relkind IN ('r', 'i');")
        if self.duckdb:
            say("the same for DuckDB")
            try:
                self.duckdb.load(self.postgres, os.path.join(self.scratch, "bench.csv"))
            except (Failure, OSError) as failure:
                self.without_duckdb(failure)

    def without_duckdb(self, why):
        self.duckdb, self.options.no_duckdb_because = None, str(why)
        say("without DuckDB: %s" % why)

    def measure(self, query, arm, outer="count(y{0})", more="", seconds=SECONDS):
        """(ms, answer, plan, kB)"""
        if arm.side.startswith("duckdb"):
            asked = dataclasses.replace(query, tail="") if arm.memory == NO_OFFSET else query
            statement = asked.statement(outer, more, query.duckdb)
            return self.duckdb.measure(statement, int(arm.side[-1]), SECONDS, bool(query.where)) + (0,)
        got = self.postgres.measure(arm.settings, query.statement(outer, more), seconds)
        ours = arm.side in ("scan", "memory") or arm.side.startswith("process")
        if arm.side != "default" and ("PrefixScan" in got[2]) != ours:
            raise Failure("planned as " + ", ".join(got[2]))
        return got

    # ---- the same answers

    def check(self, plan):
        """Every arm on the small table: hashes of the rows; DuckDB's sums may round elsewhere."""
        hashes = (("count(y{0}), sum(hashtext(y{0}::text))", ""), ("sum(hashtext(concat(id, ' ', y{0})))", "id, "))
        for query, ways in plan:
            wanted, sums = None, None
            for arm in ways:
                try:
                    if arm.side.startswith("duckdb"):
                        sums = sums or self.measure(query, ways[0], "count(y{0}), sum(y{0}::float8)")[1]
                        got = self.measure(query, arm, "count(y{0}), sum(y{0}::float8)")[1]
                        same = all(math.isclose(float(a), float(b), rel_tol=1e-9)
                                   for a, b in zip(got.split("|"), sums.split("|")))
                    else:
                        got = [self.measure(query, arm, outer, more)[1] for outer, more in hashes]
                        wanted = wanted or got
                        same = got == wanted
                except Failure as failure:
                    arm.error = str(failure)
                    say("  %s, %s: FAILED: %s" % (query.name, arm, failure))
                    continue
                if not same:
                    self.differs(query.name, arm)

    def differs(self, name, arm):
        self.disagree.append("%s, %s" % (name, arm))
        say("  %s, %s: ANOTHER ANSWER" % (name, arm))

    # ---- whole queries

    def patience(self, arm, ways):
        """Seconds to wait for it, 0 if it need not be asked."""
        # parallel workers are of interest where they help
        rivals = [other.median for other in ways if other.ms and (other.side == "stock" if arm.side == "parallel"
                  else (other.side, other.access) == (arm.side, arm.access))]
        if arm.error or arm.cut_off:
            return 0
        if self.options.large or not rivals:
            return SECONDS
        if arm.ms:
            return SECONDS if arm.median <= HOPELESS * min(rivals) else 0
        return min(SECONDS, max(AT_LEAST, math.ceil(CUT_OFF * min(rivals) / 1000)))

    def turn(self, plan):
        """Every arm of every query once; how long it took."""
        started = time.monotonic()
        for query, ways in plan:
            for arm in ways:
                seconds = self.patience(arm, ways)
                if seconds == 0:
                    continue
                try:
                    ms, arm.answer, arm.plan, peak = self.measure(query, arm, seconds=seconds)
                except Failure as failure:
                    arm.cut_off = seconds < SECONDS and "statement timeout" in str(failure)
                    arm.error = "" if arm.cut_off else str(failure)
                    say("  %s, %s: %s" % (query.name, arm, "cut off" if arm.cut_off else "FAILED: %s" % failure))
                    continue
                arm.ms.append(round(ms, 3))
                arm.peak_kb.append(peak)
                ns = ms * 1e6 / self.options.rows
                say("  %-42s %-20s %6.0f ns a row  %s" % (query.name, arm, ns, ", ".join(arm.plan)))
            for arm in ways:
                first = next((other for other in ways if other.ms), arm)
                if arm.ms and arm.answer != first.answer and "%s, %s" % (query.name, arm) not in self.disagree:
                    self.differs(query.name, arm)
        return time.monotonic() - started

    def rounds(self, plan, until):
        took = 0
        for number in range(1, self.options.rounds + 1):
            # the rounds after the first leave out the hopeless
            if number > 1 and time.monotonic() + took * (0.7 if number == 2 else 1) > until:
                say("no time for round %d" % number)
                break
            say("round %d" % number)
            took = self.turn(plan)

    # ---- brief ones

    def brief(self):
        """Chunks of executions in turn; the medians of the chunks, in microseconds."""
        self.postgres.run(table.TIMER)
        sides, found = {"stock": BASE, "scan": SCAN}, []
        for brief in table.BRIEF:
            entry = {"name": brief.name, "statement": brief.statement,
                     "us": {side: [] for side in sides}}
            call = "SELECT bench_us('%s', %d);" % (brief.statement.replace("'", "''"), brief.times)
            try:
                for turn in range(self.options.chunks):
                    for side in sorted(sides, reverse=turn % 2 == 1):  # nobody is always the first
                        entry["us"][side].append(round(float(self.postgres.value(sides[side] + call)), 2))
            except Failure as failure:
                entry["error"] = str(failure)
            found.append(entry)
            say("  %-42s %s" % (brief.name, entry.get("error") or ", ".join(
                "%s %.1f us" % (side, statistics.median(us)) for side, us in entry["us"].items())))
        return found

    # ---- all of it

    def run(self):
        options, postgres = self.options, self.postgres
        postgres.run("CREATE EXTENSION scan;")
        asked = large_queries if options.large else process_queries if options.processes else table.queries
        ways = large_arms if options.large else process_arms if options.processes else arms

        small = min(CHECKED, options.rows)
        self.fill(small)
        if postgres.value("SELECT count(*) - count(DISTINCT ts) FROM bench;") != "0":
            raise Failure("moments tie")
        say("every arm on %d rows" % small)
        checked = [(query, ways(query, self.duckdb)) for query in asked(small)]
        self.check(checked)

        if options.sides:
            wanted, every = options.sides.split(","), ways
            ways = lambda query, duckdb: [arm for arm in every(query, duckdb) if arm.side in wanted]
        started = time.monotonic()
        self.fill(options.rows)
        bytes_per_row, mb = postgres.value(
            "SELECT round(avg(pg_column_size(b.*)), 1) || '|' || pg_relation_size('bench') / 1048576 "
            "FROM (SELECT * FROM bench LIMIT 100000) AS b;").split("|")
        plan = [(query, ways(query, self.duckdb)) for query in asked(options.rows)]
        for (_, before), (_, after) in zip(checked, plan):  # what has failed once need not be asked of all rows
            failed = {str(arm): arm.error for arm in before}
            for arm in after:
                arm.error = failed[str(arm)]
        self.rounds(plan, started + 60 * options.minutes)
        brief = [] if options.large or options.processes else self.brief()
        return {
            "note": options.note, "measured": datetime.date.today().isoformat(), "machine": machine(),
            "postgres": postgres.value("SHOW server_version;").split()[0],
            "shared_buffers": postgres.value("SHOW shared_buffers;"),
            "duckdb": self.duckdb.version if self.duckdb else None, "no_duckdb": options.no_duckdb_because,
            "rows": options.rows, "rows_checked": small,
            "rounds": max((len(arm.ms) for _, w in plan for arm in w), default=0),
            "bytes_per_row": float(bytes_per_row), "table_mb": int(mb), "disagree": self.disagree,
            "queries": [{"name": query.name, "title": query.title, "group": query.group, "note": query.note, "ours": query.ours,
                         "statement": query.statement(),
                         "duckdb": None if query.duckdb is None else query.statement(columns=query.duckdb),
                         "arms": [arm.record(options.large) for arm in w]} for query, w in plan],
            "brief": brief,
        }


def machine():
    def first(file, word):
        try:
            lines = pathlib.Path(file).read_text().splitlines()
        except OSError:
            lines = []
        return next((line.split(":", 1)[1].strip() for line in lines if line.startswith(word)), "?")

    memory = first("/proc/meminfo", "MemTotal").split()[0]
    return {"processor": first("/proc/cpuinfo", "model name"), "cores": os.cpu_count(),
            "memory_gb": round(int(memory) / 1048576) if memory.isdigit() else None}


def room(postgres, rows):
    """Sorts of fifty million rows spill: the table and as much again three times over."""
    try:
        free = shutil.disk_usage(postgres.value("SHOW data_directory;")).free
    except OSError:
        return  # the server is elsewhere
    if free < 4 * 84 * rows:
        raise Failure("%d GB free where the data is, %d wanted" % (free >> 30, 4 * 84 * rows >> 30))


def write(found, out, name):
    """The JSON, a line for each arm, and what is made of it."""
    file = out / "results" / (name + ".json")
    file.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(found, indent=1)
    for arm in sorted({json.dumps(arm, indent=1) for query in found["queries"] for arm in query["arms"]}, key=len):
        deep = arm.replace("\n", "\n    ")
        text = text.replace(deep, json.dumps(json.loads(arm)))
    for entry in found["brief"]:
        text = text.replace(json.dumps(entry["us"], indent=1).replace("\n", "\n   "), json.dumps(entry["us"]))
    file.write_text(text + "\n")

    page = out / "RESULTS.md"
    if not page.exists():
        shutil.copy(HERE / "RESULTS.md", page)
    report.write(found, page, name)
    if name == "queries":
        picture(file, out / "queries.svg")


def picture(file, svg):
    """By any Python that has matplotlib; Debian's may not be the first in the PATH."""
    for python in dict.fromkeys((sys.executable, "python3", "/usr/bin/python3")):
        if subprocess.run([python, "-c", "import matplotlib"], stderr=subprocess.DEVNULL).returncode == 0:
            subprocess.run([python, HERE / "chart.py", file, svg], check=True)
            return
    say("no chart: python3-matplotlib is not there")


def arguments():
    parser = argparse.ArgumentParser(description="whole queries: PrefixScan, stock PostgreSQL, DuckDB")
    parser.add_argument("--rows", type=int)
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--chunks", type=int, default=40, help="of each brief statement")
    parser.add_argument("--note", default="", help="a sentence for the page: what was special about this run")
    parser.add_argument("--minutes", type=float, default=28, help="no further round is begun that would end later")
    parser.add_argument("--large", action="store_true", help="more rows than memory, without indexes and DuckDB")
    parser.add_argument("--processes", action="store_true", help="one process and several, DuckDB with as many threads")
    parser.add_argument("--no-duckdb", action="store_true")
    parser.add_argument("--sides", help="only these, with commas: of stock, parallel, scan, default, memory, duckdb1, duckdb2")
    parser.add_argument("--out", type=pathlib.Path, default=HERE)
    options = parser.parse_args()
    options.rows = options.rows or (50 if options.large else 10) * 10**6
    options.rounds = options.rounds or (1 if options.large else 3)
    options.no_duckdb_because = "left out" if options.no_duckdb or options.large else DuckDB.install()
    return options


def main():
    options = arguments()
    with tempfile.TemporaryDirectory(prefix="scan-bench-") as scratch, Postgres() as postgres:
        bench, duckdb = Bench(options, postgres, scratch), None
        if options.large:
            room(postgres, options.rows)
        try:
            if options.no_duckdb_because:
                raise Failure(options.no_duckdb_because)
            bench.duckdb = duckdb = DuckDB(os.path.join(scratch, "bench.duckdb"))
        except Failure as failure:
            bench.without_duckdb(failure)
        found = bench.run()
        if duckdb:
            duckdb.close()
    write(found, options.out, "large" if options.large else "processes" if options.processes else "queries")
    if found["disagree"]:
        sys.exit("not the same answers: " + "; ".join(found["disagree"]))


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        sys.exit("bench: %s" % failure)

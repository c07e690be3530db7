"""cost.py [--rows N] [--rounds N] [--only REGEX] [--skip calibration,choice,planning] [--cpu]: what PrefixScan costs,
beside what the planner thinks it costs.

    make bench-cost     a million rows, a quarter of an hour

Needs a server (test/cluster.sh) and psql.  Three things are measured:

calibration   60 shapes (ten orders, six lists of functions), each over the heap, an index and an index alone, with
              its rows in memory and spilled, in one process and in two: the time for a unit of the plan's cost.  If
              costs were perfect, it would be one figure for all.  An arm whose plan is that of another arm (an index
              is in order, so that nothing is sorted or spilled) is not run again.
choice        the same shapes and some more, with nothing touched: the plan that the planner chooses, beside every
              other plan that a setting can force.
planning      the time of planning with the library and without it.

A statement is run in a backend of its own, the arms of a shape in turns, and the least of the rounds counts: what is
compared is plans, and a busy moment of the machine slows one, but speeds none up.  A plan that takes twice the time of
the best is cut off.  What was measured goes to results/cost.json, and from there cost_report.py writes the section of
RESULTS.md; --out DIR takes the place of this folder.

On a busy machine --cpu helps: plans of one process only, by the time that they had a processor.
"""

import argparse
import dataclasses
import datetime
import itertools
import json
import math
import pathlib
import re
import statistics
import sys
import time

import cost_report
import table
from cost_report import CLOSE_ENOUGH
from measure import HERE, Failure, Postgres
from queries import machine
from report import put_between

BASE = "SET client_min_messages = warning; SET jit = off; "
LOAD = BASE + "LOAD 'scan'; "

COVERED = "INCLUDE (v8, f8, v4)"
ORDERS = (("p1k, ts", "PARTITION BY p1k ORDER BY ts"), ("p1m, ts", "PARTITION BY p1m ORDER BY ts"),
          ("ts", "ORDER BY ts"), ("id", "ORDER BY id"), ("p1k", "PARTITION BY p1k"),
          ("p1k, v4", "PARTITION BY p1k ORDER BY v4"), ("odd, ts", "PARTITION BY odd ORDER BY ts"),
          ("num, id", "ORDER BY num, id"), ("f8", "ORDER BY f8"), ("p1k, p1m, ts", "PARTITION BY p1k, p1m ORDER BY ts"))
FUNCTIONS = (("row_number()", ("row_number()",)), ("sum(int8)", ("sum(v8)",)), ("lag(int8)", ("lag(v8)",)),
             ("avg(float8)", ("avg(f8)",)),
             ("six functions", ("sum(v8)", "count(*)", "row_number()", "min(v4)", "max(v4)", "rank()")),
             ("sum(int8) of 100 rows", ("sum(v8) ROWS 99 PRECEDING",)))

ACCESS = {"heap": "SET enable_indexscan = off; SET enable_indexonlyscan = off; SET enable_bitmapscan = off; ",
          "index": "SET enable_seqscan = off; SET enable_indexonlyscan = off; SET enable_bitmapscan = off; ",
          "index only": "SET enable_seqscan = off; SET enable_bitmapscan = off; "}

# every combination of these is a plan that somebody could have forced
GRID = (("", *ACCESS.values()),
        ("", "SET scan.prefixscan = off; ", "SET scan.prefixscan = force; "),
        ("", "SET scan.parallel = off; ", "SET max_parallel_workers_per_gather = 0; ",
         "SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; "),
        ("", "SET enable_sort = off; "), ("", "SET enable_incremental_sort = off; "))


def say(text):
    print("%s %s" % (time.strftime("%H:%M:%S"), text), flush=True)


@dataclasses.dataclass
class Shape:
    name: str
    columns: tuple  # of the subquery
    where: str = ""
    source: str = "bench"
    calibrated: bool = True

    def statement(self):
        names = ["y%d" % i for i in range(len(self.columns))]
        return "SELECT %s FROM (SELECT %s FROM %s) AS s%s" % (
            ", ".join("count(%s)" % name for name in names),
            ", ".join("%s AS %s" % pair for pair in zip(self.columns, names)), self.source,
            self.where and " WHERE " + self.where)


def over(call, order):
    call, _, frame = call.partition(" ROWS ")
    if frame and "ORDER BY" not in order:
        order += " ORDER BY v4"  # rows of a frame need an order
    return "%s OVER (%s%s)" % (call, order, frame and " ROWS " + frame)


def shapes(rows):
    found = [Shape("%s by %s" % (functions, keys), tuple(over(call, order) for call in calls))
             for keys, order in ORDERS for functions, calls in FUNCTIONS]
    p1k, p1m = ORDERS[0][1], ORDERS[1][1]
    others = [("latest row of each of 1,000 keys", (over("row_number()", p1k + " DESC"), "v8"), "y0 <= 1"),
              ("latest row of each of 1,000 keys, key columns only", (over("row_number()", p1k + " DESC"), "ts"), "y0 = 1"),
              ("latest row of each of 1,000,000 keys", (over("row_number()", p1m + " DESC"), "v8"), "y0 <= 1"),
              ("latest 3 rows of each of 1,000,000 keys", (over("row_number()", p1m + " DESC"), "v8"), "y0 <= 3"),
              ("sum(bigint) of one of 1,000 keys, ORDER BY time", (over("sum(v8)", p1k), "p1k"), "y1 = 7"),
              ("two sums: 1,000 and 1,000,000 keys, ORDER BY time", (over("sum(v8)", p1k), over("sum(v8)", p1m)), ""),
              ("two sums: 1,000 keys, ORDER BY time and ORDER BY time DESC", (over("sum(v8)", p1k), over("sum(v8)", p1k + " DESC")), "")]
    found += [Shape(*other, calibrated=False) for other in others]
    found.append(Shape("session numbers (lag, flag, sum), PARTITION BY 1,000 keys ORDER BY time", (over("sum(begins)", p1k),), source=table.sessions(rows), calibrated=False))
    return found


def stripped(node):
    """A plan without its figures: two of them that are equal are one plan."""
    kept = {key: value for key, value in node.items()
            if not re.search(r"Cost|Rows|Width|Workers Planned|Plans|Parallel Aware|Keeps", key)}
    return kept, [stripped(child) for child in node.get("Plans", [])]


def window_cost(node):
    """The cost of the topmost PrefixScan: above it core charges for a subquery's rows, and runs none."""
    if node.get("Custom Plan Provider") == "PrefixScan":
        return node["Total Cost"]
    return next((cost for cost in map(window_cost, node.get("Plans", [])) if cost is not None), None)


def names(node):
    """The nodes of a plan from the top down, without what counts the rows."""
    said = node.get("Custom Plan Provider", node["Node Type"])
    if node.get("Sorted Here"):
        said += " (sorts)"
    below = [name for child in node.get("Plans", []) for name in names(child)]
    return ([] if said in ("Aggregate", "Subquery Scan") else [said]) + below


class Server(Postgres):
    cpu = False

    def plan(self, settings, statement):
        return json.loads(self.run(settings + "EXPLAIN (FORMAT JSON) %s;" % statement))[0]["Plan"]

    def plans(self, all_settings, statement):
        """The plans under several settings, asked for in one session."""
        script = "".join("RESET ALL; %s EXPLAIN (FORMAT JSON) %s;\n\\echo ----\n" % (LOAD + settings, statement)
                         for settings in all_settings)
        return [json.loads(part)[0]["Plan"] for part in self.run(script).split("----\n") if part.strip()]

    def ms(self, settings, statement, seconds):
        """Milliseconds; infinity if it was cut off."""
        ran = "SELECT split_part(pg_read_file('/proc/self/schedstat'), ' ', 1);\n" if self.cpu else ""
        script = "%s EXPLAIN (COSTS OFF) %s; SET statement_timeout = %d;\n\\echo ----\n%s\\timing on\n%s;\n%s" % (
            settings, statement, max(100, math.ceil(seconds * 1000)), ran, statement, ran)
        try:
            said = self.run(script).split("----\n")[1].splitlines()
            if self.cpu:
                return (int(said[-2]) - int(said[0])) / 1e6
            return float(re.fullmatch(r"Time: ([\d.]+) ms.*", said[-1]).group(1))
        except Failure as failure:
            if "statement timeout" in str(failure):
                return math.inf
            raise


def fill(server, rows):
    say("making a table of %d rows" % rows)
    server.run("CREATE EXTENSION IF NOT EXISTS scan; CREATE EXTENSION IF NOT EXISTS pg_prewarm;" + table.create(rows))
    for keys, _ in ORDERS:
        server.run("CREATE INDEX ON bench (%s) %s;" % (keys, COVERED.replace("f8, ", "") if keys == "f8" else COVERED))
    server.run("CREATE INDEX ON bench (p1k, ts); VACUUM ANALYZE bench; SELECT count(pg_prewarm(oid)) FROM pg_class "
               "WHERE relname ~ '^bench' AND relkind IN ('r', 'i');")


# ---- measured against predicted ----

@dataclasses.dataclass
class Arm:
    """A shape's plan under some settings."""
    access: str
    spilled: bool
    processes: int
    settings: str
    cost: float = 0
    plan: list = None
    ms: float = math.inf

    def __str__(self):
        return "%s, %s, %d" % (self.access, "spilled" if self.spilled else "in memory", self.processes)


def arms(rows, most):
    spilled = max(64, rows * 40 // 1024 // 10)  # kB: a tenth of what the rows take
    for access, settings in ACCESS.items():
        for memory in (0, spilled):
            for processes in range(1, most + 1):
                yield Arm(access, memory > 0, processes, LOAD + settings + "SET scan.prefixscan = force; " +
                          "SET scan.work_mem = '%s'; " % ("%dkB" % memory if memory else "2GB") +
                          "SET max_parallel_workers_per_gather = %d; " % (processes - 1) +
                          "SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; "
                          "SET min_parallel_index_scan_size = 0; " * (processes > 1))


def calibrate(server, shape, rows, rounds):
    found, seen = [], {}
    for arm in arms(rows, 1 if server.cpu else 2):
        plan = server.plan(arm.settings, shape.statement())
        arm.cost, arm.plan = window_cost(plan), names(plan)
        if (arm.processes > 1) != any("Gather" in name for name in arm.plan) or "PrefixScan" not in "".join(arm.plan):
            continue  # not to be had
        key = json.dumps(stripped(plan)), round(arm.cost)
        if key not in seen:
            found.append(seen.setdefault(key, arm))
    for _ in range(rounds):
        for arm in found:
            arm.ms = min(arm.ms, server.ms(arm.settings, shape.statement(), 120))
    return found


def predictions(calibrated):
    """Sets `ratio` of each arm, measured to predicted time; returns the nanoseconds of a unit of cost."""
    unit = statistics.median(arm["ms"] * 1e6 / arm["cost"] for arm in calibrated)
    for arm in calibrated:
        arm["ratio"] = arm["ms"] * 1e6 / (arm["cost"] * unit)
    return unit


# ---- what is chosen ----

def choice(server, shape, rounds):
    """The planner's plan and all others, each with the settings that force it and its least time."""
    statement = shape.statement()
    alone = "SET max_parallel_workers_per_gather = 0; " * server.cpu
    forced = ["".join(settings) + alone for settings in itertools.product(*GRID)]
    plans = {}
    for settings, plan in zip(forced, server.plans(forced, statement)):
        key = json.dumps(stripped(plan))
        if key not in plans:
            plans[key] = {"settings": settings, "plan": names(plan), "cost": plan["Total Cost"], "ms": math.inf}
    found = list(plans.values())  # the first is the planner's
    # those that may be fast come first, and cut the others off
    order = found[:1] + sorted(found[1:], key=lambda one: "PrefixScan" not in "".join(one["plan"]))
    best = math.inf
    for one in order:
        one["ms"] = server.ms(LOAD + one["settings"], statement, min(120, best * 2 / 1000 if best < math.inf else 120))
        best = min(best, one["ms"])
    for _ in range(rounds):
        for one in order:
            if one is found[0] or one["ms"] < best * 1.3:
                one["ms"] = min(one["ms"], server.ms(LOAD + one["settings"], statement, 120))
                best = min(best, one["ms"])
    winner = min(found, key=lambda one: one["ms"])
    return {"shape": shape.name, "plans": len(found), "chosen": found[0], "best": winner,
            "times": found[0]["ms"] / winner["ms"]}


# ---- planning ----

PLANNING = """
CREATE OR REPLACE FUNCTION planning_us(statement text, times int) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE said json; found float8[] := '{}';
BEGIN
  FOR i IN 1 .. times LOOP
    EXECUTE 'EXPLAIN (SUMMARY, FORMAT JSON) ' || statement INTO said;
    found := found || (said->0->>'Planning Time')::float8;
  END LOOP;
  -- PostgreSQL prints whole microseconds, so the mean of the faster half tells more than the least
  RETURN (SELECT avg(f) * 1000 FROM (SELECT f FROM unnest(found) AS f ORDER BY f LIMIT times / 2) AS faster);
END $$;
"""
PLANNED = (
    ("a row by its key", "SELECT v8 FROM bench WHERE id = 7", False),
    ("GROUP BY", "SELECT p1k, sum(v8) FROM bench WHERE ts > now() GROUP BY p1k ORDER BY 2 DESC LIMIT 10", False),
    ("a join of four tables", table.BRIEF[-1].statement.replace("EXPLAIN ", ""), False),
    ("a window over a small table", table.SMALL, True),
    ("a window over a table with eleven indexes", "SELECT sum(v8) OVER (PARTITION BY p1k ORDER BY ts) FROM bench", True),
    ("latest row", "SELECT * FROM (SELECT row_number() OVER (PARTITION BY p1k ORDER BY ts DESC) AS n, v8 FROM bench) "
     "AS s WHERE n = 1", True),
    ("six functions", "SELECT " + ", ".join(over(call, ORDERS[0][1]) for call in FUNCTIONS[4][1]) + " FROM bench", True),
    ("two windows", "SELECT sum(v8) OVER (PARTITION BY p1k ORDER BY ts), sum(v8) OVER (PARTITION BY p1m ORDER BY ts) "
     "FROM bench", True))


def planning(server, rounds):
    server.run(PLANNING)
    found = []
    for name, statement, has_window in PLANNED:
        us = {"stock": math.inf, "scan": math.inf}
        for _ in range(rounds):
            for arm, settings in (("stock", BASE), ("scan", LOAD)):
                us[arm] = min(us[arm], float(server.value("%s SELECT planning_us($q$%s$q$, 300);" % (settings, statement))))
        found.append({"name": name, "window": has_window, "times": us["scan"] / us["stock"], **us})
    return found


# ---- all of it ----

def summary(found):
    calibrated, chosen, planned = found["calibration"], found["choice"], found["planning"]
    if calibrated:
        say("%d arms of %d shapes: %.0f ns for a unit of cost" % (
            len(calibrated), len({arm["shape"] for arm in calibrated}), found["unit_ns"]))
        for key in ("access", "spilled", "processes", "order", "functions"):
            for value in dict.fromkeys(arm[key] for arm in calibrated):
                ratios = [arm["ratio"] for arm in calibrated if arm[key] == value]
                say("  %-10s %-22s %4d arms, measured / predicted %.2f (%.2f to %.2f)" % (
                    key, value, len(ratios), statistics.median(ratios), min(ratios), max(ratios)))
        within = [sum(1 / by <= arm["ratio"] <= by for arm in calibrated) / len(calibrated) for by in (1.25, 1.5, 2)]
        say("  within 1.25, 1.5 and 2 times: %.0f %%, %.0f %%, %.0f %%" % tuple(100 * part for part in within))
    if chosen:
        wrong = [one for one in chosen if one["times"] > CLOSE_ENOUGH]
        say("%d of %d choices within %.0f %% of the best plan" % (
            len(chosen) - len(wrong), len(chosen), 100 * CLOSE_ENOUGH - 100))
        for one in sorted(wrong, key=lambda one: -one["times"]):
            say("  %.2f  %s: %.0f ms, %s; best %.0f ms, %s, by %s" % (
                one["times"], one["shape"], one["chosen"]["ms"], " < ".join(one["chosen"]["plan"]), one["best"]["ms"],
                " < ".join(one["best"]["plan"]), one["best"]["settings"]))
    for one in planned:
        say("planning %s: %.0f us, stock %.0f: %.2f" % (one["name"], one["scan"], one["stock"], one["times"]))


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=10**6)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--only", default="", help="shapes whose name has this regular expression")
    parser.add_argument("--skip", default="", help="of calibration, choice, planning, with commas")
    parser.add_argument("--cpu", action="store_true", help="plans of one process, and their time on a processor")
    parser.add_argument("--out", type=pathlib.Path, default=HERE)
    return parser.parse_args()


def measured(server, options):
    found = {"rows": options.rows, "rounds": options.rounds, "cpu": options.cpu, "machine": machine(),
             "measured": datetime.date.today().isoformat(),
             "postgres": server.value("SHOW server_version;").split()[0], "calibration": [], "choice": [], "planning": []}
    chosen = [shape for shape in shapes(options.rows) if re.search(options.only, shape.name)]
    for shape in chosen if "calibration" not in options.skip else ():
        if not shape.calibrated:
            continue
        functions, order = shape.name.split(" by ")
        for arm in calibrate(server, shape, options.rows, options.rounds):
            found["calibration"].append({"shape": shape.name, "order": order, "functions": functions, "access": arm.access,
                                         "spilled": arm.spilled, "processes": arm.processes, "cost": arm.cost,
                                         "ms": arm.ms, "plan": arm.plan})
    if found["calibration"]:
        found["unit_ns"] = predictions(found["calibration"])
        say("calibrated")
    for shape in chosen if "choice" not in options.skip else ():
        found["choice"].append(choice(server, shape, options.rounds))
    if "planning" not in options.skip:
        found["planning"] = planning(server, options.rounds * 3)
    return found


def main():
    options = arguments()
    with Server() as server:
        server.cpu = options.cpu
        fill(server, options.rows)
        say("measuring")
        found = measured(server, options)
    (options.out / "results").mkdir(parents=True, exist_ok=True)
    (options.out / "results" / "cost.json").write_text(json.dumps(found, indent=1) + "\n")
    put_between(options.out / "RESULTS.md", cost_report.BEGIN, cost_report.END, cost_report.section(found))
    summary(found)


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        sys.exit("cost: %s" % failure)

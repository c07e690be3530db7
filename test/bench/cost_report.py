"""cost_report.py JSON [RESULTS.md]: writes what cost.py measured into the page, as Markdown, between two markers.

Bad choices of the planner, and statements that take longer to plan with the library, are named below the tables.
"""

import json
import pathlib
import re
import statistics
import sys

from report import listed, paragraph, put_between, table

BEGIN, END = "<!-- cost: by cost_report.py -->", "<!-- end of cost -->"
CLOSE_ENOUGH = 1.1  # times the best plan's time: still a good choice

# the windows of cost.py, in words that need no look at the table's columns
WINDOWS = {"p1k, ts": "PARTITION BY 1,000 keys ORDER BY time", "p1m, ts": "PARTITION BY 1,000,000 keys ORDER BY time",
           "ts": "ORDER BY time", "id": "ORDER BY id", "p1k": "PARTITION BY 1,000 keys",
           "p1k, v4": "PARTITION BY 1,000 keys ORDER BY integer", "odd, ts": "PARTITION BY boolean ORDER BY time",
           "num, id": "ORDER BY numeric, id", "f8": "ORDER BY double precision",
           "p1k, p1m, ts": "PARTITION BY 1,000 keys, 1,000,000 keys ORDER BY time"}
READS = {"heap": "seq. scan", "index": "index scan", "index only": "index-only scan"}


def functions_in_words(name):
    return name.replace("int8", "bigint").replace("float8", "double precision").replace(" of 100 rows", " of the last 100 rows")


def in_words(shape):
    """A shape's name for a reader: "sum(int8) by p1k, ts" is sum(bigint), PARTITION BY 1,000 keys ORDER BY time."""
    functions, _, window = shape.partition(" by ")
    return "%s, %s" % (functions_in_words(functions), WINDOWS[window]) if window in WINDOWS else shape


def cell(arm, rows):
    return "%.0f (%.2f)" % (arm["ms"] * 1e6 / rows, arm["ratio"]) if arm else "–"


def calibration(found):
    arms = found["calibration"]
    if not arms:
        return []
    within = [100 * sum(1 / by <= arm["ratio"] <= by for arm in arms) / len(arms) for by in (1.25, 1.5, 2)]
    lines = ["### Measured and predicted time", ""] + paragraph(
        "One unit of the planner's cost corresponds to %s ns, the median of %d plans. A cell shows the measured ns per row, and in "
        "brackets the measured time divided by the predicted time. 1 is a perfect prediction; above 1 the plan is slower than "
        "predicted. %.0f %% of the plans are within a factor of 1.25, %.0f %% within 1.5 and %.0f %% within 2. “On disk” means that the sort "
        "has a tenth of the memory that the rows take. “–” means that the window has no such plan, or that the plan is the same as in "
        "another column: rows from an index in the window's order need no sort, so nothing goes to disk. If a column does not say "
        "“2 processes”, the plan runs in one process." % ((format(round(found["unit_ns"]), ","), len(arms)) + tuple(within)))
    kinds = list(dict.fromkeys((arm["access"], arm["spilled"], arm["processes"]) for arm in arms))
    kinds.sort(key=lambda kind: (kind[2], list(READS).index(kind[0]), kind[1]))
    heads = ["%s%s%s" % (READS[access], ", on disk" if spilled else "", ", 2 processes" if processes > 1 else "")
             for access, spilled, processes in kinds]
    shapes = {arm["shape"]: (WINDOWS[arm["order"]], functions_in_words(arm["functions"])) for arm in arms}
    of = {(arm["shape"], arm["access"], arm["spilled"], arm["processes"]): arm for arm in arms}
    ratios = [[arm["ratio"] for arm in arms if (arm["access"], arm["spilled"], arm["processes"]) == kind]
              for kind in kinds]
    return lines + table(["window", "function"] + heads, [
        [*words] + [cell(of.get((shape,) + kind), found["rows"]) for kind in kinds] for shape, words in shapes.items()] + [
        ["**median of the ratios**", ""] + ["%.2f" % statistics.median(ratio) for ratio in ratios]]) + [""]


def plan_in_words(one):
    return "%s: %.0f ms" % (" over ".join(re.sub(r"\(sorts\)", "with a sort", node) for node in one["plan"]), one["ms"])


def choices(found):
    chosen = found["choice"]
    if not chosen:
        return []
    wrong = sorted((one for one in chosen if one["times"] > CLOSE_ENOUGH), key=lambda one: -one["times"])
    lines = ["### The planner's choice", ""] + paragraph(
        "At default settings the planner chose a plan for each of %d queries. Settings can force %d to %d plans for a query; all of them "
        "were measured. In %d queries the planner's plan takes at most %.0f %% longer than the best plan. The table shows the other queries."
        % (len(chosen), min(one["plans"] for one in chosen), max(one["plans"] for one in chosen),
           len(chosen) - len(wrong), 100 * CLOSE_ENOUGH - 100))
    return lines + table(["query", "the planner's plan", "the best plan", "times"], [
        [in_words(one["shape"]), plan_in_words(one["chosen"]), plan_in_words(one["best"]), "%.2f" % one["times"]]
        for one in wrong]) + [""]


def planning(found):
    if not found["planning"]:
        return []
    lines = ["### Planning time", ""] + paragraph(
        "Times are the microseconds that it takes to plan a statement without running it, the least of many. “times” is the time with the "
        "library divided by the time of stock.")
    lines += table(["statement", "stock", "with the library loaded", "times"], [
        [one["name"], "%.0f" % one["stock"], "%.0f" % one["scan"], "%.2f" % one["times"]] for one in found["planning"]])
    return lines + ["", "Against us:", ""] + listed("Statements that take more than a tenth longer to plan with the library", [
        "%s (%.2f times)" % (one["name"], one["times"]) for one in found["planning"] if one["times"] > 1.1])


def section(found):
    machine = found["machine"]
    return ["## Costs", ""] + paragraph(
        "This section compares the planner's cost of PrefixScan with the time that PrefixScan takes. `make bench-cost` "
        "(`test/bench/cost.py`) measured queries over %s rows on %s, with PostgreSQL %s and %d cores (%s). %s are the least of %d rounds."
        % (format(found["rows"], ","), found["measured"], found["postgres"], machine["cores"], machine["processor"],
           "CPU times" if found["cpu"] else "Times", found["rounds"])) + calibration(found) + choices(found) + planning(found)


if __name__ == "__main__":
    measured = pathlib.Path(sys.argv[1])
    page = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else pathlib.Path(__file__).resolve().parent / "RESULTS.md"
    put_between(page, BEGIN, END, section(json.loads(measured.read_text())))

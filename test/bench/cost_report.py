"""cost_report.py JSON [RESULTS.md]: what cost.py has measured, in Markdown, between its two markers in the page.

Choices that are not good enough, and planning that takes too long, are named below the tables.
"""

import json
import pathlib
import statistics
import sys

from report import listed, paragraph, put_between, table

BEGIN, END = "<!-- cost: by cost_report.py -->", "<!-- end of cost -->"
CLOSE_ENOUGH = 1.1  # times the best plan's time: still a good choice
WINDOW_PLANNING, OTHER_PLANNING = 1.25, 1.02


def cell(arm, rows):
    return "%.0f (%.2f)" % (arm["ms"] * 1e6 / rows, arm["ratio"]) if arm else "–"


def calibration(found):
    arms = found["calibration"]
    if not arms:
        return []
    within = [100 * sum(1 / by <= arm["ratio"] <= by for arm in arms) / len(arms) for by in (1.25, 1.5, 2)]
    lines = paragraph(
        "A unit of cost takes %.0f ns, the median of %d arms. ns a row, and in brackets measured time over predicted: "
        "%.0f %% of the arms are within 1.25 times, %.0f %% within 1.5 and %.0f %% within 2. `spilled` sorts in a "
        "tenth of the memory that the rows take; an index that is in order spills nothing."
        % ((found["unit_ns"], len(arms)) + tuple(within)))
    kinds = list(dict.fromkeys((arm["access"], arm["spilled"], arm["processes"]) for arm in arms))
    kinds.sort(key=lambda kind: (kind[2], ("heap", "index", "index only").index(kind[0]), kind[1]))
    heads = ["%s%s%s" % (access, ", spilled" if spilled else "", ", 2 processes" if processes > 1 else "")
             for access, spilled, processes in kinds]
    shapes = list(dict.fromkeys(arm["shape"] for arm in arms))
    of = {(arm["shape"], arm["access"], arm["spilled"], arm["processes"]): arm for arm in arms}
    ratios = [[arm["ratio"] for arm in arms if (arm["access"], arm["spilled"], arm["processes"]) == kind]
              for kind in kinds]
    return lines + table(["shape"] + heads, [
        [shape] + [cell(of.get((shape,) + kind), found["rows"]) for kind in kinds] for shape in shapes] + [
        ["**median of the ratios**"] + ["%.2f" % statistics.median(ratio) for ratio in ratios]]) + [""]


def choices(found):
    chosen = found["choice"]
    if not chosen:
        return []
    wrong = sorted((one for one in chosen if one["times"] > CLOSE_ENOUGH), key=lambda one: -one["times"])
    lines = paragraph(
        "With nothing touched the planner's plan of %d queries, beside all others that settings can force (%d to %d "
        "each): %d are within %.0f %% of the best."
        % (len(chosen), min(one["plans"] for one in chosen), max(one["plans"] for one in chosen),
           len(chosen) - len(wrong), 100 * CLOSE_ENOUGH - 100))
    return lines + listed("not the best", [
        "%s: %.2f times, %.0f ms by %s instead of %.0f ms by %s" % (
            one["shape"], one["times"], one["chosen"]["ms"], " over ".join(one["chosen"]["plan"]), one["best"]["ms"],
            " over ".join(one["best"]["plan"])) for one in wrong]) + [""]


def planning(found):
    if not found["planning"]:
        return []
    lines = table(["planned", "stock, µs", "with the library", "times", "at most"], [
        [one["name"], "%.0f" % one["stock"], "%.0f" % one["scan"], "%.2f" % one["times"],
         "%.2f%s" % ((WINDOW_PLANNING if one["window"] else OTHER_PLANNING),
                     ", **missed**" if one["times"] > (WINDOW_PLANNING if one["window"] else OTHER_PLANNING) else "")]
        for one in found["planning"]])
    return paragraph("Planning, the least of many:") + lines


def section(found):
    machine = found["machine"]
    return ["## Costs", ""] + paragraph(
        "`make bench-cost`, `test/bench/cost.py`: %d rows, PostgreSQL %s, %d cores (%s), on %s, least of %d rounds%s."
        % (found["rows"], found["postgres"], machine["cores"], machine["processor"], found["measured"], found["rounds"],
           ", time on a processor" if found["cpu"] else "")) + calibration(found) + choices(found) + planning(found)


if __name__ == "__main__":
    measured = pathlib.Path(sys.argv[1])
    page = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else pathlib.Path(__file__).resolve().parent / "RESULTS.md"
    put_between(page, BEGIN, END, section(json.loads(measured.read_text())))

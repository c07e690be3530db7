"""buckets_report.py: what buckets.py measured, as lines of RESULTS.md.

Each demand stands beside its figure, with "yes" if the median reaches it, "by the least" if only the least time does, "by processor
time" if only that does, and "no" else.  A query for which the kept scan was not read says why.
"""

import statistics


def number(value):
    return "%s" % format(round(value), ",") if value >= 100 else "%.1f" % value if value >= 10 else "%.2f" % value


def cell(t):
    return "" if t is None else "%s (%s)" % (number(t["median"]), number(t["least"]))


REACHED = {"median": "yes", "least": "by the least", "cpu": "by processor time"}


def verdicts(found):
    """Each demand of a query, and whether the figures reach it."""
    ms, said = found["ms"], []
    for unit, times in found["demand"].items():
        if not times or unit == "flat":
            continue
        reached = [said_so for how, said_so in REACHED.items()
                   if ms["kept scan"][how] <= times * (1 if unit == "ms" else ms[unit][how])]
        said.append("%g %s: %s" % (times, unit if unit == "ms" else "times " + unit, (reached + ["**no**"])[0]))
    return "; ".join(said)


HEADS = ["| query | stock | PrefixScan | kept scan | its processor time | rollup | demand | Starts From |",
         "|---|---|---|---|---|---|---|---|"]


def case_table(cases):
    return HEADS + ["| %s | %s | %s | %s | %s | %s | %s | %s |" % (
        case["case"], cell(case["ms"]["stock"]), cell(case["ms"].get("PrefixScan")), cell(case["ms"]["kept scan"]),
        number(case["ms"]["kept scan"]["cpu"]), cell(case["ms"].get("rollup")), verdicts(case), case["from"]) for case in cases]


def flatness(found):
    tables = [table["rows"] for table in found["tables"]]
    lines = ["", "The kept scan against the number of rows, and the most rows to the fewest (demand: at most 1.5 times as long):", "",
             "| query | %s | ratio of the least | of processor times |" % " | ".join(format(rows, ",") for rows in tables),
             "|---|%s---|---|" % ("---|" * len(tables))]
    for name in dict.fromkeys(case["case"] for case in found["cases"] if case["demand"]["flat"]):
        ms = [case["ms"]["kept scan"] for case in found["cases"] if case["case"] == name and not case["setting"]]
        ratios = [ms[-1][how] / ms[0][how] for how in ("least", "cpu")]
        verdict = ": **no**" if min(ratios) > 1.5 else ": **fewer rows take longer**" if max(ratios) < 1 / 1.5 else ""
        lines.append("| %s | %s | %.2f%s | %.2f |" % (name, " | ".join(map(cell, ms)), ratios[0], verdict, ratios[1]))
    return lines


def sizes(found):
    lines = ["", "Sizes in MB, with indexes, and seconds of `scan_keep`:", "",
             "| rows | table | by account | whole table | by account, grain of a day | rollup by account | rollup, whole table |",
             "|---|---|---|---|---|---|---|"]
    for table in found["tables"]:
        size, ms = table["bytes"], table["keep_ms"]
        lines.append("| %s | %s |" % (format(table["rows"], ","), " | ".join(
            "%.1f" % (size[name] / 1e6) + (" (%.1f s)" % (ms[name] / 1e3) if name in ms else "") if name in size else ""
            for name in ("payment", "by_account", "whole", "daily", "payment_days", "payment_all_days"))))
    return lines


def reads(found):
    last = found["tables"][-1]
    cases = {setting: [case for case in found["cases"] if case["rows"] == last["rows"] and case["setting"] == setting]
             for setting in ("", "grain", "deltas")}
    lines = ["%s rows, account 0 with %s, each other account with %s." % tuple(
        format(n, ",") for n in (last["rows"], last["rows"] // 5, last["rows"] * 4 // 5 // 1023)), ""] + case_table(cases[""])
    lines += ["", "With a third kept scan, by account with `grain => '1 day'`:", ""] + case_table(cases["grain"])
    lines += ["", "With %s deltas waiting in each log, all of account 0:" % format(last["waiting"]["by_account"], ","), ""]
    return lines + case_table(cases["deltas"]) + flatness(found) + sizes(found)


def planning(found):
    ways = list(next(iter(found["queries"].values())))
    lines = ["", "Planning, microseconds of processor time, the median (the least), and ratios of the medians:", "",
             "| | %s | auto to not loaded | auto to off |" % " | ".join(ways), "|---|%s---|---|" % ("---|" * len(ways))]
    for name, us in found["queries"].items():
        median = [us[way]["median"] for way in ways]
        cells = ["%.1f (%.1f)" % (us[way]["median"], us[way]["least"]) for way in ways]
        lines.append("| %s | %s | %.2f | %.2f |" % (name, " | ".join(cells), median[2] / median[0], median[2] / median[1]))
    return lines


def writes(found):
    lines = ["", "Four clients that insert: transactions a second, the median of the rounds, the ratio to no trigger, and the "
             "deadlocks of all rounds, if there were any:", "", "| | %s |" % " | ".join(found["row"]),
             "|---|%s" % ("---|" * len(found["row"]))]
    for line, arms in found["clients"].items():
        median = {arm: statistics.median(tps) for arm, tps in arms.items()}
        lines.append("| %s | %s |" % (line, " | ".join("%s (%.2f)%s" % (
            number(median[arm]), median[arm] / median["no trigger"], deadlocks(found["deadlocks"][line][arm])) for arm in arms)))
    plain = min(found["row"]["no trigger"])
    lines.append("| processor time of a single row, microseconds, the least | %s |" % " | ".join(
        "%.1f (%.2f)" % (min(us), min(us) / plain) for us in found["row"].values()))
    return lines + ["", "After the writers the kept scans agreed with their tables."]


def deadlocks(count):
    return ", %d deadlock%s" % (count, "s" * (count > 1)) if count else ""


def page(found):
    parts = {"reads": reads, "planning": planning, "writes": writes}
    loads = ", ".join("%s for %s" % (found[part]["load"], part) for part in parts if part in found)
    lines = ["%s, %s, %d cores, PostgreSQL %s. By `make bench-buckets`. Other work ran on the machine: its load was %s. "
             "Milliseconds, the median (the least)." %
             (found["date"], found["machine"]["processor"], found["machine"]["cores"], found["postgres"], loads), ""]
    for part, make in parts.items():
        lines += make(found[part]) if part in found else []
    return lines

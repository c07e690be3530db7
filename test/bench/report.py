"""report.py JSON [RESULTS.md]: writes what queries.py or latest.py measured into the page, as Markdown.

Each section replaces the text between its two markers.  Cases that speak against the
extension are never left out: the report names the queries where stock PostgreSQL or DuckDB
is faster, plans that the planner chose badly, arms that failed and answers that differ.
"""

import json
import pathlib
import statistics
import sys
import textwrap

ACCESS = {"heap": "table", "index": "index"}
FORCED = {"heap": "no index: index scans off", "index": "sequential scans off"}
RIVALS = {"stock": "stock PostgreSQL", "parallel": "stock PostgreSQL, 2 workers", "duckdb1": "DuckDB, 1 thread",
          "duckdb2": "DuckDB, 2 threads"}
SPILLING = 1.4  # times as long as in memory: rows that go to disk should not cost more


class Best:
    """The best arm of a side: by its median, among the arms that were measured in every round."""

    def __init__(self, query, side, rows, access=None):
        measured = [arm for arm in query["arms"] if arm["side"] == side and arm["ms"] and not arm["error"]
                    and access in (None, arm["access"])]
        self.rounds = max((len(arm["ms"]) for arm in measured), default=0)
        measured = [arm for arm in measured if len(arm["ms"]) == self.rounds]
        self.arm = min(measured, key=lambda arm: statistics.median(arm["ms"]), default=None)
        if self.arm:
            self.ms = statistics.median(self.arm["ms"])
            self.ns, self.least = self.ms * 1e6 / rows, min(self.arm["ms"]) * 1e6 / rows
            self.at = ", ".join(filter(None, (ACCESS.get(self.arm["access"]), self.arm["memory"])))

    def __bool__(self):
        return self.arm is not None

    def __str__(self):
        if not self:
            return "–"
        return "%.0f (%.0f)" % (self.ns, self.least) if self.rounds > 1 else "%.0f" % self.ns

    @property
    def reads(self):
        """What the plan reads."""
        plan = self.arm["plan"]
        return "index skip" if "IndexSkip" in plan else "table" if plan[-1] == "Seq Scan" else "index"


def summary(found):
    """[(query, {side, or (side, access): Best})]; "default" is the arm that leaves the access path to the planner."""
    sides = ("stock", "parallel", "scan", "memory", "duckdb1", "duckdb2")
    bests = []
    for query in found["queries"]:
        best = {side: Best(query, side, found["rows"]) for side in sides}
        best["default"] = Best(query, "default", found["rows"], "planner") or Best(query, "default", found["rows"])
        best.update({(side, access): Best(query, side, found["rows"], access)
                     for side in ("stock", "scan", "default") for access in ("heap", "index")})
        bests.append((query, best))
    return bests


def views(found):
    """[(query, what was forced, {side: Best})]: each query at default settings as the planner chooses, and, where it
    chooses an index, once more as it would run without that index."""
    for query, best in summary(found):
        if best["default"]:
            yield query, FORCED.get(best["default"].arm["access"], ""), best
        if best["default", "heap"] and best["default"] and best["default"].reads != "table":
            alone = dict(best, parallel=Best({"arms": []}, "parallel", found["rows"]))
            alone.update({side: best[side, "heap"] for side in ("stock", "scan", "default")})
            yield query, FORCED["heap"], alone


def losses(best):
    """The rivals that are faster than PrefixScan at default settings."""
    return [side for side in RIVALS if best[side] and best[side].ns < best["default"].ns]


def titled(query, forced=""):
    return query["title"] + (" (%s)" % forced if forced else "")


def number(ns):
    return "%.1f" % ns if ns < 9.95 else "%.0f" % ns


def times(of, by, how=None):
    if not of or not by:
        return "–"
    return (how or ("%.1f" if of.ns < 99.95 * by.ns else "%.0f")) % (of.ns / by.ns)


def ratio(entry):
    us = {side: statistics.median(us) for side, us in entry["us"].items() if us}
    return us["scan"] / us["stock"] if len(us) == 2 else None


def table(heads, rows):
    lines = [heads, ["---"] * len(heads)] + rows
    return ["| " + " | ".join(line) + " |" for line in lines]


def wrapped(text, width=118, **more):
    return textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False, **more)


def listed(title, names):
    """An item of a list, whose lines are not too long."""
    return wrapped("- %s: %s." % (title, "; ".join(names) if names else "none"), subsequent_indent="  ")


def item(text):
    return wrapped("- " + text, subsequent_indent="  ")


def paragraph(text):
    return wrapped(text) + [""]


def slower(bests, side, other, times=1.0):
    """Queries in which one side takes more than so many times as long as another."""
    return ["%s (%.2f times as long)" % (query["title"], best[side].ns / best[other].ns)
            for query, best in bests if best.get(side) and best.get(other) and best[side].ns > times * best[other].ns]


def not_best(bests):
    """Queries whose plan at default settings takes more than a tenth longer than the best plan at 2GB."""
    return ["%s (%.0f ns from the %s, the best plan %.0f ns from the %s: %.2f times)" % (
                query["title"], best["default"].ns, best["default"].reads, best["scan"].ns, best["scan"].reads,
                best["default"].ns / best["scan"].ns)
            for query, best in bests if best["default"] and best["scan"] and best["default"].ns > 1.1 * best["scan"].ns]


def slower_at_default(bests):
    """Queries that take more than a tenth longer at the default scan.work_mem than at 2GB, with the same access."""
    found = []
    for query, best in bests:
        for access in ("heap", "index"):
            default, large = best["default", access], best["scan", access]
            if default and large and default.ns > 1.1 * large.ns:
                found.append("%s, read from the %s (%.2f times)" % (query["title"], ACCESS[access], default.ns / large.ns))
    return found


def troubles(found):
    failed = ["%s, %s: %s" % (query["title"], " ".join(filter(None, (arm["side"], arm["access"], arm["memory"]))),
                              arm["error"])
              for query in found["queries"] for arm in query["arms"] if arm["error"]]
    failed += ["%s: %s" % (entry["name"], entry["error"]) for entry in found["brief"] if "error" in entry]
    lines = listed("Failed", failed) if failed else []
    if found["disagree"]:
        lines += listed("**Answers that differ from stock's**", found["disagree"])
    return lines


def opening(command, found, figures="Times are nanoseconds per row, %s."):
    machine = found["machine"]
    agree = "" if found["disagree"] else " In a check on %s rows all arms gave the same answers." % format(found["rows_checked"], ",")
    many = ("%g million" % (found["rows"] / 1e6)) if found["rows"] >= 10**6 else str(found["rows"])
    return ("%s measured queries over %s rows of %.0f bytes (%s MB) on %s, with PostgreSQL %s, `shared_buffers` %s, %d cores (%s) "
            "and %s GB of memory. An outer `count()` consumes the rows, so that none is sent to a client. JIT is off. Parallel workers are "
            "off unless a column names them. %s%s%s"
            % (command, many, found["bytes_per_row"], format(round(found["table_mb"]), ","), found["measured"], found["postgres"],
               found["shared_buffers"], machine["cores"], machine["processor"], machine["memory_gb"],
               figures % ("from one round" if found["rounds"] == 1
                          else "the median of %d rounds, with the least in brackets" % found["rounds"]), agree,
               " **%s**" % found["note"] if found["note"] else ""))


def main_results(found):
    """The first lines of the page."""
    bests = [(query, best) for query, best in summary(found) if best["default"] and best["stock"]]
    ranked = sorted(bests, key=lambda one: one[1]["stock"].ns / one[1]["default"].ns)
    gains = [best["stock"].ns / best["default"].ns for _, best in ranked]
    lines = paragraph(
        "Whole queries over %g million rows were measured on %s, with PrefixScan at default settings in one process ([table and "
        "chart](#whole-queries)):" % (found["rows"] / 1e6, found["measured"]))
    if ranked:
        lines += item("PrefixScan is faster than stock PostgreSQL in %d of %d queries, although stock PostgreSQL runs each query with "
                      "the `work_mem` and the access path that are fastest for it. The median gain is %.1f times. The smallest gain "
                      "is %.1f times (%s). The two largest gains are %.0f times (%s) and %.1f times (%s)."
                      % (sum(gain > 1 for gain in gains), len(gains), statistics.median(gains), gains[0], ranked[0][0]["title"],
                         gains[-1], ranked[-1][0]["title"], gains[-2], ranked[-2][0]["title"]))
    for side, rival in (("duckdb1", "DuckDB with one thread"), ("duckdb2", "DuckDB with two threads")):
        both = [(query, best) for query, best in bests if best[side]]
        ahead = sum(best["default"].ns < best[side].ns for _, best in both)
        if both:
            lines += item("PrefixScan is faster than %s in %d of %d queries%s." % (
                rival, ahead, len(both), ", although DuckDB uses two cores and PrefixScan one" if side == "duckdb2" else ""))
    return lines + item("[Where others are faster](#where-others-are-faster) lists all queries in which DuckDB is faster, with and "
                        "without an index.")


def faster_elsewhere(found):
    """The table of all queries where somebody else is faster than PrefixScan at default settings."""
    seen = list(views(found))
    rows, winners = [], [side for side in RIVALS if any(side in losses(best) for _, _, best in seen)]
    for query, forced, best in seen:
        if losses(best):
            rows.append([titled(query, forced), "%s (reads the %s)" % (number(best["default"].ns), best["default"].reads)] + [
                "%s (%.2f times as fast)" % (number(best[side].ns), best["default"].ns / best[side].ns)
                if side in losses(best) else "–" for side in winners])
    lines = ["### Where others are faster", ""] + paragraph(
        "The table lists the queries in which DuckDB or stock PostgreSQL is faster than PrefixScan at default settings. Times are ns "
        "per row. PrefixScan runs in one process. If the planner chose an index for a query, the query was measured once more with "
        "index scans off, as it would run without that index. “–” means that PrefixScan is at least as fast. "
        "[Several processes](#several-processes) compares PrefixScan in two processes with DuckDB in two threads.")
    lines += table(["query", "PrefixScan, default settings"] + [RIVALS[side] for side in winners], rows) if rows else ["None."]
    never = [RIVALS[side] for side in RIVALS if side not in winners and any(best[side] for _, _, best in seen)]
    return lines + ([""] + paragraph("Never faster than PrefixScan here: %s." % "; ".join(never)) if never else [""])


def queries(found):
    bests = summary(found)
    lines = ["## Whole queries", ""] + paragraph(opening("`make bench` (`test/bench/queries.py`)", found))
    lines += item("**stock** is PostgreSQL without PrefixScan: the fastest of `work_mem` 4MB, 64MB and 2GB, each with a sequential "
                  "scan and with a covering index. The next column says which was fastest. For functions of this extension, "
                  "stock is WindowAgg with the same function.")
    lines += item("**PrefixScan** is at default settings: `scan.work_mem` and `work_mem` are not set, and the planner chooses between "
                  "the table and the same indexes. A remark in brackets after a query's name says that one of the two was "
                  "switched off for that query.")
    if found["duckdb"]:
        lines += item(
            "**DuckDB** %s has the same rows in a file of its own. Its `sum(double precision)` may round differently from "
            "PostgreSQL's. For `scan_sum` it runs `fsum`, which compensates rounding errors but is not exact. It has no function "
            "like `scan_ema`. It answers the queries for latest rows without a window. The subqueries end in `OFFSET 0`, which makes "
            "some plans of DuckDB slower. DuckDB therefore ran each statement with and without `OFFSET 0`, and the table shows the "
            "shorter time.%s" % (
                found["duckdb"], " The times without `OFFSET 0` are from the run of [Several processes](#several-processes)."
                if any("from" in arm for query in found["queries"] for arm in query["arms"]) else ""))
    else:
        lines += item("DuckDB was not measured: %s." % found["no_duckdb"])
    if found["rounds"] > 1:
        lines += item("Settings of stock that are clearly not the fastest are measured in the first round only.")
    lines += [""] + table(
        ["query", "stock", "fastest with", "stock, 2 workers", "PrefixScan", "reads", "times as fast as stock", "DuckDB, 1 thread",
         "DuckDB, 2 threads"],
        [[titled(query, best["default"] and FORCED.get(best["default"].arm["access"], "")), str(best["stock"]),
          best["stock"].at if best["stock"] else "–", str(best["parallel"]), str(best["default"]),
          best["default"].reads if best["default"] else "–", times(best["stock"], best["default"])]
         + ["**%s**" % best[side] if best["default"] and side in losses(best) else str(best[side]) for side in ("duckdb1", "duckdb2")]
         for query, best in bests])
    lines += ["", "Bold: faster than PrefixScan.", ""]
    lines += ["![Nanoseconds per row of whole queries: stock PostgreSQL, PrefixScan at default settings, and DuckDB](queries.svg)", ""]
    lines += faster_elsewhere(found)
    lines += ["### With and without an index", ""] + paragraph(
        "An index in the window's order saves the sort. “No index” is measured with index scans switched off, “index” with "
        "sequential scans switched off. “2GB” means that PrefixScan is forced, with `scan.work_mem` 2GB. “times” compares PrefixScan "
        "with stock: without an index at default settings, with an index at 2GB.")
    lines += table(["query", "no index: stock", "PrefixScan, default", "PrefixScan, 2GB", "times", "index: stock", "PrefixScan, 2GB",
                    "times"],
                   [[query["title"], str(best["stock", "heap"]), str(best["default", "heap"]), str(best["scan", "heap"]),
                     times(best["stock", "heap"], best["default", "heap"]), str(best["stock", "index"]), str(best["scan", "index"]),
                     times(best["stock", "index"], best["scan", "index"])] for query, best in bests])
    lines += ["", "### Short statements", ""] + paragraph(
        "Each statement is planned and executed repeatedly in one session at default settings. Times are microseconds per execution, "
        "the median over groups of executions. “ratio” is the time with the library divided by the time of stock: below 1 the "
        "library makes the statement faster.")
    lines += table(["statement", "stock", "with the library loaded", "ratio"],
                   [[entry["name"]] + ["%.1f" % statistics.median(us) if us else "–" for us in entry["us"].values()]
                    + ["%.2f" % ratio(entry) if ratio(entry) else "–"] for entry in found["brief"]])
    lines += ["", "Against us:", ""]
    lines += listed("Queries in which PrefixScan at default settings is slower than stock's best", slower(bests, "default", "stock"))
    lines += listed("Queries in which PrefixScan at default settings is slower than stock with two workers",
                    slower(bests, "default", "parallel"))
    lines += listed("Queries whose plan at default settings takes more than a tenth longer than the best plan at 2GB", not_best(bests))
    lines += listed("Queries that take more than a tenth longer at the default `scan.work_mem` than at 2GB, by the same access path",
                    slower_at_default(bests))
    return lines + troubles(found)


def megabytes(setting):
    return int(setting[:-2]) * {"MB": 1, "GB": 1024}[setting[-2:]]


def large(found):
    rows, bests = [], summary(found)
    names = {"stock": "stock, `work_mem` %s", "scan": "PrefixScan forced, `scan.work_mem` %s",
             "default": "PrefixScan, default settings%s", "memory": "PrefixScan forced, `scan.work_mem` %s"}
    for query in found["queries"]:
        for arm in query["arms"]:
            if arm["ms"]:
                rows.append([query["title"], names[arm["side"]] % arm["memory"],
                             "%.0f" % (statistics.median(arm["ms"]) * 1e6 / found["rows"]),
                             "%.0f" % (max(arm["peak_kb"]) / 1024), ", ".join(arm["plan"])])
    lines = ["## More rows than memory", ""] + paragraph(opening("`make bench-large`", found))
    lines += paragraph("“peak” says by how many MB the backend's peak memory (VmHWM) grew. It includes the shared buffers that the backend "
                       "touched, so `shared_buffers` is small here. The default of `scan.work_mem` is 256MB.")
    lines += table(["query", "settings", "ns per row", "peak, MB", "plan"], rows) + ["", "Against us:", ""]
    if any(best["stock"] for _, best in bests):
        lines += listed("Queries in which PrefixScan at 64MB is slower than stock's best", slower(bests, "scan", "stock"))
        lines += listed("Queries in which PrefixScan at default settings is slower than stock's best", slower(bests, "default", "stock"))
    for side, what in (("scan", "at 64MB"), ("default", "at default settings")):
        lines += listed("Queries in which PrefixScan %s takes more than %.1f times as long as in memory" % (what, SPILLING),
                        slower(bests, side, "memory", SPILLING))
    lines += listed("Queries in which PrefixScan's peak is larger than `scan.work_mem` and `shared_buffers` together", [
        "%s (%.0f MB, `scan.work_mem` %s)" % (query["title"], max(arm["peak_kb"]) / 1024, arm["memory"] or "256MB")
        for query in found["queries"] for arm in query["arms"] if arm["ms"] and arm["side"] != "stock"
        and max(arm["peak_kb"]) / 1024 > megabytes(arm["memory"] or "256MB") + megabytes(found["shared_buffers"])])
    return lines + troubles(found)


def processes(found):
    """One process, several, and DuckDB."""
    sides = list(dict.fromkeys(arm["side"] for query in found["queries"] for arm in query["arms"]))
    many = [side for side in sides if side.startswith("process")]
    bests = [(query, {side: Best(query, side, found["rows"]) for side in sides}) for query in found["queries"]]
    lines = ["## Several processes", ""] + paragraph(opening("`make bench-processes`", found))
    lines += paragraph("PrefixScan is forced, with `scan.work_mem` 2GB, and reads the table (index scans are off). “2 processes” are the "
                       "leader and one worker process; PostgreSQL plans the worker by its own costs. “times” says how many times as "
                       "fast several processes are as one. DuckDB has as many threads as PostgreSQL has processes; its time is bold "
                       "where it is faster.")
    heads = ["query", "one process"]
    for side in many:
        heads += ["%s processes" % side[7:], "times", "DuckDB, %s threads" % side[7:]]

    def rival(best, side):
        duckdb = best.get("duckdb" + side[7:])
        return "–" if not duckdb else "**%s**" % duckdb if best[side] and duckdb.ns < best[side].ns else str(duckdb)

    lines += table(heads, [[query["title"], str(best["scan"])] + [
        word for side in many for word in (str(best[side]), times(best["scan"], best[side], "%.2f"), rival(best, side))]
        for query, best in bests])
    lines += ["", "Against us:", ""]
    for side in many:
        lines += listed("Queries in which %s processes are slower than one" % side[7:], slower(bests, side, "scan"))
        if found["duckdb"]:
            lines += listed("Queries in which %s processes are slower than DuckDB with as many threads" % side[7:],
                            slower(bests, side, "duckdb" + side[7:]))
    serial = [query["title"] for query, best in bests for side in many
              if best[side] and not any("Gather" in node for node in best[side].arm["plan"])]
    lines += listed("Queries that the planner runs in one process", serial)
    return lines + troubles(found)


TIMESCALE = ("https://www.timescale.com/blog/how-we-made-distinct-queries-up-to-8000x-faster-on-postgresql/",
             "https://timescaledb.com/blog/skip-scan-under-load")


def latest(found):
    """The latest rows of each group: ms of the whole statement, and ns of each row of the table."""
    def both(best):
        return "%s (%s)" % (number(best.ms), number(best.ns)) if best else "–"

    sides = ("stock", "parallel", "recursive", "default", "scan", "skip", "duckdb1", "duckdb2")
    bests = [(dict(query, title="%s of %s groups, %s" % (query["name"], format(query["groups"], ","),
                                                         "index" if query["index"] else "no index")),
              {side: Best(query, side, found["rows"]) for side in sides}) for query in found["queries"]]
    for query, best in bests:  # DuckDB has one table for both
        if query["index"]:
            twin = next(other for one, other in bests if (one["group"], one["kept"], one["statement"]) ==
                        (query["group"], query["kept"], query["statement"]) and not one["index"])
            best["duckdb1"], best["duckdb2"] = twin["duckdb1"], twin["duckdb2"]
        best["forced"] = best["skip"] if query["index"] else best["scan"]
    lines = ["## The latest rows of each group", ""] + paragraph(opening(
        "`make bench-latest`", found, "Times are ms of the whole statement, and in brackets ns per row of the table, %s.").replace(
            ", with the least in brackets", ""))
    lines += paragraph(
        "Stock is the fastest of `work_mem` 4MB, 64MB and 2GB, and with an index also of `enable_seqscan = off`. “By hand” is a "
        "recursive query that finds each group by the index, with LATERAL for its rows. “default settings” is this extension with "
        "no setting changed, and “times” compares it with stock. “forced” is PrefixScan forced at 2GB, or the index skip forced where "
        "there is an index. The indexes are (key, time) for both keys; they do not contain the value that the query returns. "
        "DuckDB has no index; both tables show the same DuckDB times.")
    for index in (False, True):
        heads = ["with an index" if index else "without an index", "groups", "stock", "stock, 2 workers"]
        heads += (["by hand"] if index else []) + ["default settings", "plan", "times", "forced", "DuckDB, 1 thread",
                                                   "DuckDB, 2 threads"]
        rows = []
        for asked, (query, best) in zip(found["queries"], bests):
            if query["index"] != index:
                continue
            ours = [node for node in best["default"].arm["plan"] if node in ("IndexSkip", "PrefixScan")] \
                if best["default"] else []
            rows.append([asked["name"], "{:,}".format(query["groups"]), both(best["stock"]), both(best["parallel"])]
                        + ([both(best["recursive"])] if index else [])
                        + [both(best["default"]), ", ".join(dict.fromkeys(ours)) or "PostgreSQL's",
                           times(best["stock"], best["default"]), both(best["forced"]), both(best["duckdb1"]),
                           both(best["duckdb2"])])
        lines += table(heads, rows) + [""]
    lines += paragraph(
        "TimescaleDB's SkipScan, for DISTINCT and DISTINCT ON, is [published](%s) as 26 to 8,000 times as fast as "
        "PostgreSQL, and [later](%s) as 10,548 times at the median, on "
        "other tables and machines. It was not run here." % TIMESCALE)
    lines += ["Against us:", ""]
    lines += listed("Slower than stock's best", slower(bests, "default", "stock"))
    lines += listed("Slower than stock with two workers", slower(bests, "default", "parallel"))
    lines += listed("Slower than the query by hand", slower(bests, "default", "recursive"))
    lines += listed("More than a tenth slower than forced", [
        "%s (%.2f times)" % (query["title"], best["default"].ns / best["forced"].ns) for query, best in bests
        if best["default"] and best["forced"] and best["default"].ns > 1.1 * best["forced"].ns])
    if found["duckdb"]:
        lines += listed("Slower than DuckDB with one thread", slower(bests, "default", "duckdb1"))
        lines += listed("Slower than DuckDB with two threads", slower(bests, "default", "duckdb2"))
    else:
        lines += paragraph("DuckDB was not measured: %s." % found["no_duckdb"])
    for query in found["queries"]:
        query["title"] = query["name"]
    return lines + troubles(found)


def put_between(page, begin, end, section):
    """Puts lines between two markers; a page without them gets them."""
    text = page.read_text() if page.exists() else ""
    if begin not in text or end not in text:
        text += "\n%s\n%s\n" % (begin, end)
    before, rest = text.split(begin, 1)
    after = rest.split(end, 1)[1]
    page.write_text("%s%s\n\n%s\n\n%s%s" % (before, begin, "\n".join(section).strip("\n"), end, after))


def write(found, page, name):
    sections = {"large": {"large": large}, "processes": {"processes": processes}, "latest": {"latest": latest},
                "queries": {"summary": main_results, "queries": queries}}
    for section, make in sections[name].items():
        put_between(page, "<!-- %s: by report.py -->" % section, "<!-- end of %s -->" % section, make(found))


if __name__ == "__main__":
    measured = pathlib.Path(sys.argv[1])
    target = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else pathlib.Path(__file__).resolve().parent / "RESULTS.md"
    write(json.loads(measured.read_text()), target,
          measured.stem if measured.stem in ("large", "processes", "latest") else "queries")

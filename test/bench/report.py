"""report.py JSON [RESULTS.md]: what queries.py has measured, in Markdown.

Puts a section between its two markers in the page, in place of what was there.  Nothing is
left out that speaks against us: missed targets, queries that are slower than somebody
else's, arms that failed and answers that differ are named below the tables.
"""

import json
import pathlib
import statistics
import sys
import textwrap


class Best:
    """The best arm of a side: by its median, among those that were asked in every round."""

    def __init__(self, query, side, rows, access=None):
        measured = [arm for arm in query["arms"] if arm["side"] == side and arm["ms"] and not arm["error"]
                    and access in (None, arm["access"])]
        rounds = max((len(arm["ms"]) for arm in measured), default=0)
        measured = [arm for arm in measured if len(arm["ms"]) == rounds]
        self.arm = min(measured, key=lambda arm: statistics.median(arm["ms"]), default=None)
        if self.arm:
            self.ms = statistics.median(self.arm["ms"])
            self.ns, self.least = self.ms * 1e6 / rows, min(self.arm["ms"]) * 1e6 / rows
            self.at = " ".join(word for word in (self.arm["access"], self.arm["memory"]) if word)

    def __bool__(self):
        return self.arm is not None

    def __str__(self):
        return "%.0f (%.0f)" % (self.ns, self.least) if self else "–"


def summary(found):
    """[(query, {side, or (side, access): Best})]"""
    sides = ("stock", "parallel", "scan", "default", "duckdb1", "duckdb2")
    bests = []
    for query in found["queries"]:
        best = {side: Best(query, side, found["rows"]) for side in sides}
        best.update({(side, access): Best(query, side, found["rows"], access)
                     for side in ("stock", "scan", "default") for access in ("heap", "index")})
        bests.append((query, best))
    return bests


def times(of, by, how="%.1f"):
    return how % (of.ns / by.ns) if of and by else "–"


def missed(query, best):
    if not query["target"] or not best["stock"] or not best["scan"]:
        return False
    return best["stock"].ns / best["scan"].ns < query["target"]


def ratio(entry):
    us = {side: statistics.median(us) for side, us in entry["us"].items() if us}
    return us["scan"] / us["stock"] if len(us) == 2 else None


def table(heads, rows):
    lines = [heads, ["---"] * len(heads)] + rows
    return ["| " + " | ".join(line) + " |" for line in lines]


def listed(title, names):
    """An item of a list, whose lines are not too long."""
    text = "- %s: %s." % (title, "; ".join(names) if names else "none")
    return textwrap.wrap(text, 118, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)


def paragraph(text):
    return textwrap.wrap(text, 118, break_long_words=False, break_on_hyphens=False) + [""]


def slower(bests, side, other):
    return ["%s (%.2f times)" % (query["name"], best[side].ns / best[other].ns)
            for query, best in bests if best[side] and best.get(other) and best[side].ns > best[other].ns]


def slower_by_default(bests):
    """Where no setting is touched, beside 2GB: by as many ways in as both have."""
    found = []
    for query, best in bests:
        for access in ("heap", "index"):
            default, large = best["default", access], best["scan", access]
            if default and large and default.ns > 1.1 * large.ns:
                found.append("%s, %s (%.2f times)" % (query["name"], access, default.ns / large.ns))
    return found


def troubles(found):
    failed = ["%s, %s: %s" % (query["name"], " ".join(filter(None, (arm["side"], arm["access"], arm["memory"]))),
                              arm["error"])
              for query in found["queries"] for arm in query["arms"] if arm["error"]]
    failed += ["%s: %s" % (entry["name"], entry["error"]) for entry in found["brief"] if "error" in entry]
    lines = listed("failed", failed) if failed else []
    if found["disagree"]:
        lines += listed("**other answers than stock's**", found["disagree"])
    return lines


def opening(found, figures="ns a row, %s."):
    machine = found["machine"]
    agree = "" if found["disagree"] else " On %d rows every arm gave the same answers." % found["rows_checked"]
    many = ("%g million" % (found["rows"] / 1e6)) if found["rows"] >= 10**6 else str(found["rows"])
    return ("%s rows of %.0f bytes (%d MB), PostgreSQL %s with `shared_buffers` %s, %d cores (%s) with %s GB, on %s. "
            "The rows are counted above the windows, none is sent; no JIT, no parallel workers but where named. "
            "%s%s%s"
            % (many, found["bytes_per_row"], found["table_mb"], found["postgres"], found["shared_buffers"],
               machine["cores"], machine["processor"], machine["memory_gb"], found["measured"],
               figures % ("one round" if found["rounds"] == 1 else "median of %d rounds (least)" % found["rounds"]), agree,
               " **%s**" % found["note"] if found["note"] else ""))


def without_index(best):
    if not best["stock", "index"] or not best["stock", "heap"]:
        return ""
    return "; %s without an index" % times(best["stock", "heap"], best["scan", "heap"])


def too_slow(entry):
    return bool(entry["most"]) and (ratio(entry) or 0) > entry["most"]


def goal(number, is_missed):
    return "" if not number else "%g, **missed**" % number if is_missed else "%g" % number


def queries(found):
    bests = summary(found)
    lines = ["## Whole queries", ""] + paragraph("`make bench`, `test/bench/queries.py`: " + opening(found))
    lines += paragraph(
        "`by p1k, ts` is `PARTITION BY p1k ORDER BY ts`: a thousand partitions, p1m a million, ts in random order. "
        "Stock is its best of {heap, covering index} at `work_mem` {4MB, 64MB, 2GB}; for functions of this extension, "
        "WindowAgg with them. `scan` is the better of heap and index with PrefixScan forced at `scan.work_mem` 2GB; "
        "`default` is with no setting touched, the planner choosing. Sizes of `work_mem` that are not the best are "
        "asked in the first round only.")
    lines += table(["query", "stock", "at", "`scan`", "at", "times", "target", "`default`", "times"],
                   [[query["name"], str(best["stock"]), best["stock"].at if best["stock"] else "–", str(best["scan"]),
                     best["scan"].arm["access"] if best["scan"] else "–", times(best["stock"], best["scan"]),
                     goal(query["target"], missed(query, best)),
                     str(best["default"]), times(best["stock"], best["default"])] for query, best in bests])
    lines += ["", "![Whole queries](queries.svg)", ""]
    lines += paragraph("With an index there is nothing to sort. Without one, and with one, each at its best:")
    ways = [(side, access) for access in ("heap", "index") for side in ("stock", "scan")]
    lines += table(["query", "stock, heap", "`scan`, heap", "times", "stock, index", "`scan`, index", "times"],
                   [[query["name"], str(best[ways[0]]), str(best[ways[1]]), times(best[ways[0]], best[ways[1]]),
                     str(best[ways[2]]), str(best[ways[3]]), times(best[ways[2]], best[ways[3]])]
                    for query, best in bests])
    lines += [""]
    if found["duckdb"]:
        lines += paragraph(
            "DuckDB %s has the same rows in a file of its own. Its `sum(float8)` may round elsewhere than stock's; for "
            "`scan_sum` it has `fsum`, compensated, not exact; for `scan_ema` nothing." % found["duckdb"])
    else:
        lines += paragraph("DuckDB was not there: %s." % found["no_duckdb"])
    sides = ("stock", "parallel", "scan", "duckdb1", "duckdb2")
    lines += table(["query", "stock", "stock, 2 workers", "`scan`", "DuckDB, 1 thread", "DuckDB, 2 threads"],
                   [[query["name"]] + [str(best[side]) for side in sides] for query, best in bests])
    lines += [""] + paragraph("The same statement planned and executed again and again in one session at default "
                              "settings; medians of chunks, in us.")
    lines += table(["statement", "stock", "with the library", "ratio", "at most"],
                   [[entry["name"]] + ["%.1f" % statistics.median(us) if us else "–" for us in entry["us"].values()]
                    + ["%.2f" % ratio(entry) if ratio(entry) else "–",
                       goal(entry["most"], too_slow(entry))]
                    for entry in found["brief"]])
    lines += ["", "Against us:", ""]
    misses = ["%s (%.2f instead of %g%s)" % (
        query["name"], best["stock"].ns / best["scan"].ns, query["target"], without_index(best))
        for query, best in bests if missed(query, best)]
    misses += ["%s (%.2f instead of %g)" % (entry["name"], ratio(entry), entry["most"])
               for entry in found["brief"] if too_slow(entry)]
    lines += listed("missed targets", misses)
    lines += listed("slower than stock's best", slower(bests, "scan", "stock"))
    lines += listed("slower than it at default settings", slower(bests, "default", "stock"))
    lines += listed("at default settings more than a tenth slower than at 2GB", slower_by_default(bests))
    lines += listed("slower than stock with two workers", slower(bests, "scan", "parallel"))
    if found["duckdb"]:
        lines += listed("slower than DuckDB with one thread", slower(bests, "scan", "duckdb1"))
        lines += listed("slower than DuckDB with two threads", slower(bests, "scan", "duckdb2"))
    return lines + troubles(found)


def megabytes(setting):
    return int(setting[:-2]) * {"MB": 1, "GB": 1024}[setting[-2:]]


def large(found):
    rows, bests = [], summary(found)
    names = {"stock": "stock, `work_mem` %s", "scan": "`scan`, forced, `scan.work_mem` %s",
             "default": "`scan`, default settings%s"}
    for query in found["queries"]:
        for arm in query["arms"]:
            if arm["ms"]:
                rows.append([query["name"], names[arm["side"]] % arm["memory"],
                             "%.0f" % (statistics.median(arm["ms"]) * 1e6 / found["rows"]),
                             "%.0f" % (max(arm["peak_kb"]) / 1024), ", ".join(arm["plan"])])
    lines = ["## More rows than memory", ""] + paragraph("`make bench-large`: " + opening(found))
    lines += paragraph("The peak is what VmHWM of the backend has grown, in MB; `shared_buffers` are few since they "
                       "count in it. The default of `scan.work_mem` is 256MB.")
    lines += table(["query", "arm", "ns a row", "peak", "plan"], rows) + ["", "Against us:", ""]
    lines += listed("slower than stock's best", slower(bests, "scan", "stock"))
    lines += listed("slower than it at default settings", slower(bests, "default", "stock"))
    lines += listed("more than its memory and `shared_buffers`", [
        "%s, %s" % (query["name"], names[arm["side"]] % arm["memory"])
        for query in found["queries"] for arm in query["arms"] if arm["ms"] and arm["side"] != "stock"
        and max(arm["peak_kb"]) / 1024 > megabytes(arm["memory"] or "256MB") + megabytes(found["shared_buffers"])])
    return lines + troubles(found)


def processes(found):
    """One process, several, and DuckDB."""
    sides = list(dict.fromkeys(arm["side"] for query in found["queries"] for arm in query["arms"]))
    many = [side for side in sides if side.startswith("process")]
    bests = [(query, {side: Best(query, side, found["rows"]) for side in sides}) for query in found["queries"]]
    lines = ["## Several processes", ""] + paragraph("`make bench-processes`: " + opening(found))
    lines += paragraph("PrefixScan forced, `scan.work_mem` 2GB, heap; one process, and the leader with workers where "
                       "PostgreSQL plans them by its own costs. `times` is how many times as fast as one. DuckDB has "
                       "as many threads.")
    heads = ["query", "one process"]
    for side in many:
        heads += ["%s processes" % side[7:], "times", "DuckDB, %s threads" % side[7:]]
    lines += table(heads, [[query["name"], str(best["scan"])] + [
        word for side in many for word in (str(best[side]), times(best["scan"], best[side], "%.2f"),
                                           str(best.get("duckdb" + side[7:]) or "–"))] for query, best in bests])
    lines += ["", "Against us:", ""]
    for side in many:
        lines += listed("%s processes slower than one" % side[7:], slower(bests, side, "scan"))
        if found["duckdb"]:
            lines += listed("slower than DuckDB with %s threads" % side[7:], slower(bests, side, "duckdb" + side[7:]))
    serial = [query["name"] for query, best in bests for side in many
              if best[side] and not any("Gather" in node for node in best[side].arm["plan"])]
    lines += listed("planned in one process", serial)
    return lines + troubles(found)


TIMESCALE = ("https://www.timescale.com/blog/how-we-made-distinct-queries-up-to-8000x-faster-on-postgresql/",
             "https://timescaledb.com/blog/skip-scan-under-load")


def latest(found):
    """The latest rows of each group: ms of the whole statement, and ns of each row of the table."""
    def both(best):
        return "%s (%s)" % (brief(best.ms), brief(best.ns)) if best else "–"

    def brief(number):
        return "%.2g" % number if number < 10 else "%.0f" % number

    sides = ("stock", "parallel", "recursive", "default", "scan", "skip", "duckdb1", "duckdb2")
    bests = [(dict(query, name="%s of %d groups, %s" % (query["name"], query["groups"],
                                                        "index" if query["index"] else "no index")),
              {side: Best(query, side, found["rows"]) for side in sides}) for query in found["queries"]]
    for query, best in bests:  # DuckDB has one table for both
        if query["index"]:
            twin = next(other for one, other in bests if (one["group"], one["kept"], one["statement"]) ==
                        (query["group"], query["kept"], query["statement"]) and not one["index"])
            best["duckdb1"], best["duckdb2"] = twin["duckdb1"], twin["duckdb2"]
        best["forced"] = best["skip"] if query["index"] else best["scan"]
    lines = ["## The latest rows of each group", ""] + paragraph("`make bench-latest`: " + opening(
        found, "ms of the whole statement, in brackets ns a row of the table: %s.").replace(" (least)", ""))
    lines += paragraph(
        "Stock is its best at "
        "`work_mem` {4MB, 64MB, 2GB}, with an index also with `enable_seqscan = off`. By hand is a recursive query "
        "that finds each group by the index, with LATERAL for its rows. `default` is with no setting touched, `times` how "
        "many times as fast as stock; `forced` has PrefixScan forced at 2GB, with an index the index skip. The indexes "
        "are (p1k, ts) and (p1m, ts), not covering. DuckDB has none, and one figure for both.")
    for index in (False, True):
        heads = ["with an index" if index else "without an index", "groups", "stock", "stock, 2 workers"]
        heads += (["by hand"] if index else []) + ["`default`", "plan", "times", "`forced`", "DuckDB, 1 thread",
                                                   "DuckDB, 2 threads"]
        rows = []
        for asked, (query, best) in zip(found["queries"], bests):
            if query["index"] != index:
                continue
            ours = [node for node in best["default"].arm["plan"] if node in ("IndexSkip", "PrefixScan")] \
                if best["default"] else []
            rows.append([asked["name"], "{:,}".format(query["groups"]), both(best["stock"]), both(best["parallel"])]
                        + ([both(best["recursive"])] if index else [])
                        + [both(best["default"]), ", ".join(dict.fromkeys(ours)) or "core's",
                           times(best["stock"], best["default"]), both(best["forced"]), both(best["duckdb1"]),
                           both(best["duckdb2"])])
        lines += table(heads, rows) + [""]
    lines += paragraph(
        "TimescaleDB's SkipScan, for DISTINCT and DISTINCT ON, is [published](%s) as 26 to 8,000 times as fast as "
        "PostgreSQL, and [later](%s) as 10,548 times at the median, on "
        "other tables and machines. It was not run here." % TIMESCALE)
    lines += ["Against us:", ""]
    goals = ["%s (%s ms instead of 10)" % (query["name"], brief(best["default"].ms)) for query, best in bests
             if query["index"] and query["groups"] <= 1000 and best["default"] and best["default"].ms > 10]
    goals += ["%s (%.0f ns a row instead of 35)" % (query["name"], best["default"].ns) for query, best in bests
              if not query["index"] and best["default"] and best["default"].ns > 35]
    lines += listed("missed targets", goals)
    lines += listed("slower than stock's best", slower(bests, "default", "stock"))
    lines += listed("slower than stock with two workers", slower(bests, "default", "parallel"))
    lines += listed("slower than by hand", slower(bests, "default", "recursive"))
    lines += listed("more than a tenth slower than forced", [
        "%s (%.2f times)" % (query["name"], best["default"].ns / best["forced"].ns) for query, best in bests
        if best["default"] and best["forced"] and best["default"].ns > 1.1 * best["forced"].ns])
    if found["duckdb"]:
        lines += listed("slower than DuckDB with one thread", slower(bests, "default", "duckdb1"))
        lines += listed("slower than DuckDB with two threads", slower(bests, "default", "duckdb2"))
    else:
        lines += paragraph("DuckDB was not there: %s." % found["no_duckdb"])
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
    section = {"large": large, "processes": processes, "queries": queries, "latest": latest}[name](found)
    put_between(page, "<!-- %s: by report.py -->" % name, "<!-- end of %s -->" % name, section)


if __name__ == "__main__":
    measured = pathlib.Path(sys.argv[1])
    target = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else pathlib.Path(__file__).resolve().parent / "RESULTS.md"
    write(json.loads(measured.read_text()), target,
          measured.stem if measured.stem in ("large", "processes", "latest") else "queries")

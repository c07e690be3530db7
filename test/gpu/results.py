#!/usr/bin/env python3
"""results.py OUT... [--page RESULTS.md]: makes the section of RESULTS.md from what run.sh has returned.

OUT is a folder with the table.csv and summary.txt of one call of run.sh; of two folders that have the same figure, the
later one counts.  The section stands between two markers; a page without them gets it before the section on costs.
Every figure of the table goes into the page, and the queries that a device loses are named.  A table without a card is
an emulator's or the mock device's: nothing is written then.

Without --page the section is printed.
"""

import argparse
import csv
import pathlib
import re
import sys

BEGIN, END = "<!-- device: by test/gpu/results.py -->", "<!-- end of device -->"
BEFORE = "<!-- cost: by cost_report.py -->"
TITLE = "Measured on a device"
ANCHOR = "measured-on-a-device"
WAYS = ("cpu", "gpu_16MB", "gpu_512MB", "cpu_7_workers")
HEADS = {"cpu": "CPU", "gpu_16MB": "device, 16 MB slots", "gpu_512MB": "device, 512 MB slots",
         "cpu_7_workers": "CPU, 7 workers"}
JOBS = ("in ms", "wait ms", "gpu ms", "out ms")

# parts without a form of their own: what the table is called, and what stands above it
OTHERS = {
    "variants": ("Kernels compiled in another way", "The time of each, as a part of the time of the kernels as they are."),
    "profile": ("Counters of kernels", "From Nsight Compute: one launch of each kernel. “wait” is the number of warps that "
                "wait, per instruction that is issued: for memory, and at a barrier."),
    "bus": ("The bus", "Copies between memory like that of the slots and the card. The rows are of 8 bytes."),
    "jobs": ("Jobs without a server", "One slot holds all rows, and nothing proves the order: in a server a row takes 10 to "
             "25 ns more. The whole queries above say what a device is worth."),
    "broker": ("Sessions at once", "Each session runs its query three times."),
    "soak": ("The same bits every time", "How long a job takes, and how many jobs could not prove their answers."),
    "parallel": ("The CPU in several processes", "No device takes part."),
}


def read(folders):
    """({(part, what, rows, measure): value}, [(folder, line of the summary)])"""
    figures, ends = {}, []
    for folder in folders:
        with open(folder / "table.csv", newline="") as file:
            for part, what, rows, measure, value in list(csv.reader(file))[1:]:
                figures[part, what, int(float(rows)), measure] = value
        for line in (folder / "summary.txt").read_text().splitlines():
            if re.match(r"[a-z0-9.]+ +(ok|not run|FAILED|KILLED|NOT RUN)", line):
                ends.append((folder.name, line))
    return figures, ends


def number(value):
    try:
        x = float(value)
    except ValueError:
        return value.replace("|", "/")
    if x == int(x) and abs(x) < 1000:
        return "%d" % x
    return "{:,.0f}".format(x) if abs(x) >= 100 else "%.1f" % x if abs(x) >= 10 else "%.2f" % x if abs(x) >= 1 else "%.3g" % x


def table(heads, rows):
    return ["| %s |" % " | ".join(heads), "|%s" % ("---|" * len(heads))] + ["| %s |" % " | ".join(row) for row in rows] + [""]


def pivot(figures, part, keep=lambda rows, measure: True, name=""):
    """A table of one part: a line for each thing and number of rows, a column for each measure."""
    measures, lines = [], {}
    for (of, what, rows, measure), value in figures.items():
        if of == part and keep(rows, measure):
            if measure not in measures:
                measures.append(measure)
            lines.setdefault((what, rows), {})[measure] = number(value)
    return table([name or part, "rows"] + measures,
                 [[what, "{:,}".format(rows)] + [line.get(measure, "") for measure in measures]
                  for (what, rows), line in lines.items()]) if lines else []


def machine(figures):
    facts = {what: value for (part, what, _, _), value in figures.items() if part == "machine"}
    lines = ["These figures, and no others on this page, are those of a GPU. They were measured on %s, by commit %s:"
             % (facts.get("date", "?"), facts.get("bundle", "?").split(" ")[1] if " " in facts.get("bundle", "") else "?"), ""]
    named = [("card", "Product Name"), ("driver", "Driver Version"), ("CUDA of the driver", "CUDA Version"),
             ("PCIe generation", "PCIe Generation/Current"), ("PCIe width", "Link Width/Current"),
             ("clock of the multiprocessors, most", "Max Clocks/SM"), ("processor", "processor"), ("processors", "processors"),
             ("memory", "memory")]
    lines += ["- %s: %s" % (name, facts[field]) for name, field in named if field in facts]
    return lines + [""]


def queries(figures):
    """{(query, rows): {way: ms}}"""
    found = {}
    for (part, what, rows, measure), value in figures.items():
        name, _, way = what.rpartition(", ")
        if part == "e2e" and measure == "ms" and way in WAYS:
            found.setdefault((name, rows), {})[way] = float(value)
    return found


def slower(found, rival):
    """The queries in which the better of the two ways by the device is slower than a rival."""
    for (name, rows), ms in found.items():
        device = min(ms.get("gpu_16MB", float("inf")), ms.get("gpu_512MB", float("inf")))
        if rival in ms and device > ms[rival] and device < float("inf"):
            yield "%s (%.2f times)" % (name, ms[rival] / device)


def whole_queries(figures):
    found = queries(figures)
    if not found:
        return []
    lines = ["### Whole queries, by the CPU and by the device", "",
             "ns per row, medians; in brackets how many times as fast as the CPU in one process. The answers of all four ways",
             "have the same bits, or the run of this part failed.", ""]
    rows = []
    for (name, n), ms in found.items():
        cells = []
        for way in WAYS:
            cell = "%.1f" % (ms[way] * 1e6 / n) if way in ms else "–"
            if way != "cpu" and way in ms and "cpu" in ms:
                cell += " (%.2f)" % (ms["cpu"] / ms[way])
            cells.append(cell)
        rows.append([name, "{:,}".format(n)] + cells)
    lines += table(["query", "rows"] + [HEADS[way] for way in WAYS], rows)
    for rival, words in (("cpu", "the CPU in one process"), ("cpu_7_workers", "the CPU with 7 workers")):
        against = list(slower(found, rival))
        lines += ["- The device is slower than %s in %d of %d queries%s" % (
            words, len(against), len(found), ": %s." % "; ".join(against) if against else ".")]
    first = {(name, n): [figures.get(("e2e", "%s, %s" % (name, way), n, "first ms")) for way in WAYS] for name, n in found}
    if any(any(ms) for ms in first.values()):
        lines += ["", "These are the second queries of their sessions. The first one also maps the slots, and has them pinned:", ""]
        lines += table(["first query of a session", "rows"] + [HEADS[way] for way in WAYS],
                       [[name, "{:,}".format(n)] + ["%.1f" % (float(ms) * 1e6 / n) if ms else "–" for ms in first[name, n]]
                        for name, n in found])
    lines += ["", "What the device's jobs of these queries took, ns per row, from `EXPLAIN (ANALYZE)`:", ""]
    rows = []
    for name, n in found:
        for way in WAYS[1:3]:
            of = lambda measure: figures.get(("e2e", "%s, %s" % (name, way), n, measure))
            if of("jobs on the device") is not None:
                rows.append([name, HEADS[way].split(", ")[1], number(of("jobs on the device"))]
                            + ["%.1f" % (float(of(measure)) * 1e6 / n) for measure in JOBS]
                            + [number(of("why the CPU") or "")])
    return lines + table(["query", "slots", "jobs on the device", "in", "wait", "device", "out", "why the CPU"], rows)


def kernels(figures):
    lines = ["### Kernels, beside a copy and CUB", ""]
    sizes = sorted({rows for (part, _, rows, measure) in figures if part == "bench" and measure == "GB/s"}, reverse=True)
    for size in sizes:
        lines += pivot(figures, "bench", lambda rows, measure: rows == size and measure != "s", "kernel")
    rest = pivot(figures, "bench", lambda rows, measure: rows not in sizes, "sort")
    return lines + rest if sizes or rest else []


def no_slower(figures):
    """From how many rows on a job of jobs.c was no slower than the CPU."""
    return ["%s: %s" % (what, "from {:,} rows on".format(rows) if float(value) else "never")
            for (part, what, rows, measure), value in figures.items() if part == "jobs" and measure == "no slower from"]


def section(figures, ends):
    lines = ["## " + TITLE, ""] + machine(figures)
    lines += whole_queries(figures) + kernels(figures)
    for part, (title, above) in OTHERS.items():
        body = pivot(figures, part, lambda rows, measure: measure != "no slower from")
        if part == "jobs" and no_slower(figures):
            body += ["No slower than the CPU on one core: %s." % "; ".join(no_slower(figures)), ""]
        if body:
            lines += ["### " + title, "", above, ""] + body
    lines += ["### How the parts of the run ended", ""]
    lines += table(["call", "part", "how it ended"],
                   [[call] + [word.replace("|", "/") for word in re.split(r" +", line, maxsplit=1)] for call, line in ends])
    diagnosis = [[what, number(value)] for (part, what, _, _), value in figures.items() if part == "diagnose"]
    if diagnosis:
        lines += ["The diagnosis of the part that failed:", ""] + table(["step", "what it found"], diagnosis)
    return lines


def put(page, lines):
    text = page.read_text()
    body = "%s\n\n%s\n\n%s" % (BEGIN, "\n".join(lines).strip("\n"), END)
    if BEGIN in text and END in text:
        text = text.split(BEGIN, 1)[0] + body + text.split(END, 1)[1]
    elif BEFORE in text:
        text = text.replace(BEFORE, "%s\n\n%s" % (body, BEFORE), 1)
    else:
        text += "\n%s\n" % body
    text = re.sub(r"No figure on this page was measured on a\s+GPU;", "Only the figures of [%s](#%s) come from a GPU;"
                  % (TITLE, ANCHOR), text)
    above = "- [What a device job takes beside the device](#what-a-device-job-takes-beside-the-device)\n"
    entry = "- [%s](#%s)\n" % (TITLE, ANCHOR)
    if entry not in text:
        text = text.replace(above, above + entry, 1)
    page.write_text(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("folders", nargs="+", type=pathlib.Path, metavar="OUT")
    parser.add_argument("--page", type=pathlib.Path)
    options = parser.parse_args()
    figures, ends = read(options.folders)
    if ("machine", "Product Name", 0, "text") not in figures:
        sys.exit("results: no card is named in these tables: they are not a device's")
    lines = section(figures, ends)
    if options.page:
        put(options.page, lines)
    else:
        print("\n".join(lines))


if __name__ == "__main__":
    main()

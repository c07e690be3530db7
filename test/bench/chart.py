"""chart.py JSON SVG: draws what queries.py measured, in nanoseconds per row, PrefixScan at default settings.

This file is separate from report.py because it needs matplotlib (Debian: python3-matplotlib).
The same JSON gives the same SVG, byte for byte: text stays text, ids come from a fixed salt,
and the file contains no date.
"""

import json
import pathlib
import re
import sys

import matplotlib

import report

matplotlib.use("svg")
matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "scan", "font.size": 9})
from matplotlib import pyplot  # noqa: E402  (after the choice of a backend)

SIDES = (("stock", "#9aa5b1", "stock PostgreSQL: best of work_mem 4MB, 64MB, 2GB, with heap or covering index"),
         ("default", "#d9480f", "PostgreSQL with PrefixScan, default settings (×: times as fast as stock)"),
         ("duckdb1", "#f2c744", "DuckDB, 1 thread"), ("duckdb2", "#c79a10", "DuckDB, 2 threads"))
# inches
WIDTH, LABELS, RIGHT, BAR, GAP, HEADING, HEAD, FOOT = 9.0, 2.75, 0.08, 0.108, 0.09, 0.27, 0.72, 0.8
CUT = 700  # ns; longer bars are cut


def shown(found):
    """Each query as the planner runs it; without its index, too, where only that is slower than somebody."""
    kept = {}
    for query, forced, best in report.views(found):
        if query["name"] not in kept or report.losses(best) and not report.losses(kept[query["name"]][0][2]):
            kept.setdefault(query["name"], []).append((query, forced, best))
    return [view for some in kept.values() for view in some]


def draw(found, svg):
    views = shown(found)
    sides = [side for side in SIDES if any(best[side[0]] for _, _, best in views)]
    thick = BAR * len(sides)
    groups = len(dict.fromkeys(query["group"] for query, _, _ in views))
    inner = groups * HEADING + len(views) * (thick + GAP)
    height = HEAD + inner + FOOT
    figure = pyplot.figure(figsize=(WIDTH, height))
    axes = figure.add_axes([LABELS / WIDTH, FOOT / height, 1 - (LABELS + RIGHT) / WIDTH, inner / height])
    longest = max(best[side].ns for _, _, best in views for side, _, _ in sides if best[side])
    end = min(CUT, longest)
    axes.set_xlim(0, end * 1.13)
    axes.set_ylim(inner, 0)
    left = axes.get_yaxis_transform()
    edge = -(LABELS - 0.09) / (WIDTH - LABELS - RIGHT)
    top, group = 0.0, None
    for query, forced, best in views:
        if query["group"] != group:
            group = query["group"]
            axes.text(edge, top + HEADING * 0.6, group, transform=left, va="center", weight="bold", fontsize=9)
            if top:
                axes.plot([edge, 1], [top, top], transform=left, color="#c8c8c8", linewidth=0.8, clip_on=False)
            top += HEADING
        label(axes, left, top + thick / 2, query["title"], ", ".join(filter(None, (query["note"], forced))))
        for place, (side, colour, _) in enumerate(sides):
            if best[side]:
                bar(axes, top + (place + 0.5) * BAR, side, colour, best, end)
        top += thick + GAP
    axes.set_yticks([])
    axes.set_xlabel("ns per row; shorter is better")
    axes.grid(axis="x", color="#e6e6e6", linewidth=0.6)
    axes.set_axisbelow(True)
    for spine in ("top", "right", "left"):
        axes.spines[spine].set_visible(False)
    heads(figure, found, sides, height)
    figure.savefig(svg, metadata={"Date": None, "Creator": None})
    # spaces at the ends of lines would only be noise in git
    text = svg.read_text()
    svg.write_text("\n".join(line.rstrip() for line in text.splitlines()) + "\n")


def label(axes, left, middle, title, note):
    """The title, its window on a line of its own, and what else there is to know."""
    function, window = re.fullmatch(r"(.*?)(?:, ((?:PARTITION|ORDER) BY .*))?", title).groups()
    lines = [(text, *style) for text, style in ((function, (8.5, "#000000", 0.135)), (window, (7.5, "#333333", 0.12)),
                                                (note, (7, "#777777", 0.115))) if text]
    at = middle - sum(height for _, _, _, height in lines) / 2
    for text, size, colour, height in lines:
        axes.text(-0.012, at + height / 2, text, transform=left, ha="right", va="center", fontsize=size, color=colour)
        at += height


def bar(axes, middle, side, colour, best, end):
    ns, faster = best[side].ns, side in report.losses(best)
    axes.barh([middle], [min(ns, end)], height=BAR * 0.9, color=colour)
    if ns > end:  # cut
        for at in (0.955, 0.97):
            axes.plot([end * at - 3, end * at + 3], [middle + BAR / 2, middle - BAR / 2], color="white", linewidth=1.5)
    words = report.number(ns)
    if side == "default" and best["stock"]:
        words += " (%s×)" % report.number(best["stock"].ns / ns)
    elif faster:
        words += ", faster than PrefixScan (%.3g×)" % (best["default"].ns / ns)
    axes.text(min(ns, end) + 4, middle + 0.005, words, va="center", fontsize=7, color="#111111" if faster or side == "default" else "#444444",
              weight="bold" if faster else "normal")


def heads(figure, found, sides, height):
    """Title, legend and caption."""
    figure.text(0.01, 1 - 0.17 / height, "Whole queries over %s rows: nanoseconds per row" % format(found["rows"], ","), fontsize=11,
                weight="bold", va="center")
    handles = [matplotlib.patches.Patch(color=colour) for _, colour, _ in sides]
    figure.legend(handles, [words for _, _, words in sides], loc="upper left", bbox_to_anchor=(0.005, 1 - 0.28 / height),
                  ncol=1 if len(sides) < 4 else 2, frameon=False, fontsize=8, handlelength=1.2, columnspacing=2)
    for line, words in enumerate((
            "PostgreSQL %s runs in one process with JIT off%s. %d cores, %s." % (
                found["postgres"], "; DuckDB is %s" % found["duckdb"] if found["duckdb"] else "", found["machine"]["cores"],
                found["measured"]),
            "Covering indexes exist, and the planner chooses, unless a label says otherwise. Bars over %d ns are cut; the number is "
            "the value." % CUT)):
        figure.text(0.01, (0.27 - 0.16 * line) / height, words, fontsize=7.5, color="#444444", va="center")


if __name__ == "__main__":
    draw(json.loads(pathlib.Path(sys.argv[1]).read_text()), pathlib.Path(sys.argv[2]))

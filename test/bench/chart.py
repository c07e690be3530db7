"""chart.py JSON SVG: the picture of what queries.py has measured, ns a row.

In a file of its own because it needs matplotlib (Debian: python3-matplotlib), which the
measuring does not.  The same JSON gives the same file, byte by byte: text stays text, ids
come from a fixed salt, there is no date in it.
"""

import json
import pathlib
import sys

import matplotlib

import report

matplotlib.use("svg")
matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "scan", "font.size": 9})
from matplotlib import pyplot  # noqa: E402  (after the choice of a backend)

SIDES = (("stock", "stock PostgreSQL, its best", "#9aa5b1"), ("scan", "PrefixScan", "#d9480f"),
         ("duckdb1", "DuckDB, 1 thread", "#f2c744"), ("duckdb2", "DuckDB, 2 threads", "#c79a10"))
THICK = 0.2


def draw(found, svg):
    bests = report.summary(found)
    sides = [side for side in SIDES if any(best[side[0]] for _, best in bests)]
    figure, axes = pyplot.subplots(figsize=(8, 0.62 * len(bests) + 1))
    widest = max(best[side].ns for _, best in bests for side, _, _ in sides if best[side])
    for place, (side, label, colour) in enumerate(sides):
        above = (place - (len(sides) - 1) / 2) * THICK
        at = [(row + above, best[side].ns) for row, (_, best) in enumerate(bests) if best[side]]
        axes.barh([y for y, _ in at], [ns for _, ns in at], height=THICK * 0.9, color=colour, label=label)
        for y, ns in at:
            axes.text(ns + widest * 0.006, y, "%.0f" % ns, va="center", fontsize=6, color="#444444")
    axes.set_yticks(range(len(bests)), [query["name"] for query, _ in bests])
    axes.invert_yaxis()
    axes.set_ylim(len(bests) - 0.5, -0.5)
    axes.set_xlim(0, widest * 1.06)
    axes.set_xlabel("ns a row, %s rows; less is better" % format(found["rows"], ",").replace(",", " "))
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="x", color="#e6e6e6", linewidth=0.6)
    axes.set_axisbelow(True)
    for spine in ("top", "right", "left"):
        axes.spines[spine].set_visible(False)
    axes.legend(loc="lower right", frameon=True, edgecolor="none")
    figure.savefig(svg, bbox_inches="tight", metadata={"Date": None, "Creator": None})
    # what is left at the ends of lines would only be noise in git
    text = svg.read_text()
    svg.write_text("\n".join(line.rstrip() for line in text.splitlines()) + "\n")


if __name__ == "__main__":
    draw(json.loads(pathlib.Path(sys.argv[1]).read_text()), pathlib.Path(sys.argv[2]))

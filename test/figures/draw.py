"""draw.py: the pictures of this folder, from the CSV files beside them.

The files are what psql prints of the .sql scripts; run.sh has them printed first.  A picture
names the digest of its file in a comment, and test/t/figures.t compares both.  matplotlib is
Debian's python3-matplotlib.  The same file gives the same picture, byte by byte: text stays
text, ids come from a fixed salt, there is no date.

The ground is white, so that a page may be dark.  The colours are those of Okabe and Ito
(jfly.uni-koeln.de/color), which people who do not see all colours can tell apart, and
nothing is said by colour alone.
"""

import csv
import hashlib
import pathlib

import matplotlib

matplotlib.use("svg")
matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "scan", "font.size": 9, "axes.titlesize": 10})
from matplotlib import lines, patches, pyplot  # noqa: E402  (after the choice of a backend)

HERE = pathlib.Path(__file__).resolve().parent

INK, GREY, FAINT = "#333333", "#767676", "#c8c8c8"
BLUE, PALE_BLUE = "#0072b2", "#d6e8f3"
RED, PALE_RED = "#d55e00", "#fbe3d3"


def rows(name):
    with open(HERE / (name + ".csv"), newline="") as file:
        return list(csv.DictReader(file))


def save(figure, name):
    svg = HERE / (name + ".svg")
    figure.savefig(svg, bbox_inches="tight", pad_inches=0.1, metadata={"Date": None, "Creator": None})
    text = svg.read_text()
    digest = hashlib.sha256((HERE / (name + ".csv")).read_bytes()).hexdigest()
    text = text.replace("<svg ", "<!-- of %s.csv, sha256 %s -->\n<svg " % (name, digest), 1)
    # what is left at the ends of lines would only be noise in git
    svg.write_text("\n".join(line.rstrip() for line in text.splitlines()) + "\n")


# ---- scan_network


def network(axes, operators, places):
    depth = int(operators[0]["depth"])
    done = {0: 0}  # from which level on a place has its prefix
    for op in operators:
        level, source, target = int(op["level"]), int(op["source"]), int(op["target"])
        wide = op["fan_out"] == op["most_fan_out"] != "1"
        axes.plot([source, target], [level, level + 1], color=RED if wide else INK, linewidth=1.6 if wide else 0.8, zorder=2)
        axes.plot(target, level + 1, "o", markersize=3.6, color=INK, zorder=3)
        if op["final"] == "t":
            done[target] = level + 1
    assert sorted(done) == list(range(places))
    for place, level in done.items():
        axes.plot([place, place], [0, level], color=FAINT, linewidth=0.8, zorder=1)
        axes.plot([place, place], [level, depth + 0.45], color=BLUE, linewidth=2, zorder=1, solid_capstyle="butt")
    axes.set_title(operators[0]["name"], pad=20)
    axes.text((places - 1) / 2, -0.7, "depth %s, size %s, fan-out %s" % tuple(operators[0][key] for key in ("depth", "size", "most_fan_out")),
              ha="center", va="bottom", fontsize=8, color=INK)
    for place in (0, places - 1):
        axes.text(place, -0.12, str(place), ha="center", va="bottom", fontsize=7, color=GREY)


def networks():
    found = {}
    for op in rows("networks"):
        found.setdefault(op["name"], []).append(op)
    places = 1 + max(int(op["target"]) for operators in found.values() for op in operators)
    deepest = max(int(operators[0]["depth"]) for operators in found.values())
    figure, panels = pyplot.subplots(1, len(found), figsize=(11.5, 4), sharey=True, gridspec_kw={"wspace": 0.12})
    for axes, operators in zip(panels, found.values()):
        network(axes, operators, places)
        axes.set_xlim(-0.8, places - 0.2)
        axes.set_ylim(deepest + 0.6, -0.8)
        axes.axis("off")
    for level in range(deepest):
        panels[0].text(-1.6, level + 1, str(level), ha="right", va="center", fontsize=7, color=GREY)
    panels[0].text(-1.6, 0.35, "level", ha="right", va="center", fontsize=7, color=GREY)
    figure.legend(loc="lower center", ncol=3, frameon=False, bbox_to_anchor=(0.5, -0.03), fontsize=8.5, handles=[
        lines.Line2D([], [], color=INK, linewidth=0.8, marker="o", markersize=3.6, label="an operator: joins what the line brings to what is there"),
        lines.Line2D([], [], color=BLUE, linewidth=2, label="the place has its prefix"),
        lines.Line2D([], [], color=RED, linewidth=1.6, label="the widest fan-out")])
    save(figure, "networks")


# ---- scan_trace


def adders(step, phase, n, ups):
    """(sources, target, what the target is made of) of a step, as the algorithms say."""
    if phase == "step":
        distance = 2 ** (step - 1)
        return [((i - distance, i), i) for i in range(distance, n)]
    if phase == "up-sweep":
        distance = 2 ** (step - 1)
        return [((i - distance, i), i) for i in range(2 * distance - 1, n, 2 * distance)]
    if phase == "down-sweep":
        distance = 2 ** (2 * ups + 1 - step)
        return [pair for i in range(2 * distance - 1, n, 2 * distance) for pair in (((i,), i - distance), ((i - distance, i), i))]
    return []


HEIGHT, WIDTH = 0.46, 0.8  # of a cell


def cell(axes, place, row, value, edge, face, colour):
    axes.add_patch(patches.Rectangle((place - WIDTH / 2, row - HEIGHT / 2), WIDTH, HEIGHT, facecolor=face, edgecolor=edge, linewidth=0.9, zorder=3))
    axes.text(place, row, str(value), ha="center", va="center", color=colour, zorder=4)


def trace(axes, steps, title):
    states = [[int(x) for x in step["state"].strip("{}").split(",")] for step in steps]
    n = len(states[0])
    ups = sum(step["phase"] == "up-sweep" for step in steps)
    number = {}
    for row, step in enumerate(steps):
        before, state, phase = states[max(row - 1, 0)], states[row], step["phase"]
        made = adders(int(step["step"]), phase, n, ups)
        for sources, target in made:
            # what is drawn is what was computed
            assert state[target] == sum(before[source] for source in sources)
            for source in sources:
                moved = len(sources) == 1
                axes.plot([source, target], [row - 1 + HEIGHT / 2, row - HEIGHT / 2], zorder=2, linewidth=1.3 if source != target else 0.9,
                          color=RED if moved else BLUE, linestyle=(0, (3, 2)) if moved else "-")
        changed = {target: len(sources) for sources, target in made}
        for place, value in enumerate(state):
            moved = changed.get(place) == 1 or (phase == "clear" and value != before[place])
            last = row == len(steps) - 1
            edge, face = (RED, PALE_RED) if moved else (BLUE, PALE_BLUE) if place in changed else (FAINT, "white")
            cell(axes, place, row, value, edge, face, INK if place in changed or moved or row == 0 or last else GREY)
        number[phase] = number.get(phase, 0) + 1
        label = phase if phase in ("input", "clear") else "%s %d" % (phase, number[phase])
        axes.text(-0.75, row, label, ha="right", va="center", color=INK)
        axes.text(n - 0.25, row, "%s / %s" % (step["work"], step["span"]), ha="left", va="center", color=INK)
    axes.text(n - 0.25, -0.62, "work / span", ha="left", va="center", color=GREY, fontsize=8)
    axes.set_title(title, pad=12)
    axes.set_xlim(-2.4, n + 1)


def traces():
    found = {}
    for step in rows("traces"):
        found.setdefault(step["algorithm"], []).append(step)
    longest = max(map(len, found.values()))
    titles = {"hillis_steele": "Hillis and Steele: the sums so far", "blelloch": "Blelloch: the sums before each"}
    figure, panels = pyplot.subplots(1, 2, figsize=(11, 5.4), sharey=True, gridspec_kw={"wspace": 0.06})
    for axes, (algorithm, steps) in zip(panels, found.items()):
        trace(axes, steps, titles[algorithm])
        axes.set_ylim(longest - 0.5, -0.8)
        axes.axis("off")
    panels[0].legend(loc="lower left", frameon=False, fontsize=8.5, bbox_to_anchor=(0.12, 0.08), handles=[
        patches.Patch(facecolor=PALE_BLUE, edgecolor=BLUE, label="the sum of the two that its lines come from"),
        patches.Patch(facecolor=PALE_RED, edgecolor=RED, label="copied along the dashed line, or cleared")])
    save(figure, "traces")


# ---- scan_ema and scan_filter


def vix():
    days = rows("vix")
    # a place for each row, as the scans see them: weekends would be kinks
    months = [i for i, day in enumerate(days) if i == 0 or day["day"][:7] != days[i - 1]["day"][:7]]
    figure, axes = pyplot.subplots(figsize=(9, 3.8))
    for key, label, style in (
            ("close", "VIX at the close", {"color": GREY, "linewidth": 0.8}),
            ("ema", "scan_ema, alpha 0.1", {"color": BLUE, "linewidth": 1.6, "linestyle": (0, (5, 1.5))}),
            ("low_pass", "scan_filter, low-pass at 60 days", {"color": RED, "linewidth": 2})):
        axes.plot([float(day[key]) for day in days], label=label, **style)
    axes.set_xticks(months[::2], [days[i]["day"][:7] for i in months[::2]])
    axes.set_xlim(0, len(days) - 1)
    axes.set_ylim(0, None)
    axes.grid(color="#e6e6e6", linewidth=0.6)
    axes.set_axisbelow(True)
    for spine in ("top", "right"):
        axes.spines[spine].set_visible(False)
    axes.legend(loc="upper right", frameon=True, edgecolor="none")
    save(figure, "vix")


if __name__ == "__main__":
    networks()
    traces()
    vix()

"""exact_weighted.py PSQL: exact_weighted_avg(x), whose weights are positions, against Python's integers.

Called by exact_weighted.t with the server in the environment.  Frames that move, by WindowAgg and by PrefixScan, and
groups.  Prints "N answers of KIND, M wrong".
"""

import sys

from exact import FRAMES, INF, KINDS, NAN, UNIT, Session, draw, nearest, nulls, preceding
from exact_pairs import whole_number


def weighted(values):
    values = [x for x in values if x is not None]
    wholes = [whole_number(x) for x in values]
    if not values:
        return None
    if None in wholes:
        return NAN
    return nearest(sum((i + 1) * x for i, x in enumerate(wholes)), len(values) * (len(values) + 1) // 2 * 2**UNIT)


def integers(n):
    return [draw.choice([-(2**63), 2**63 - 1, 0, draw.randint(-9, 9), 2**53 + draw.randint(-9, 9), draw.randint(-(2**63), 2**63 - 1)]) for _ in range(n)]


def windows(psql, kind, values, frames, type="float8", step=1):
    session = Session(psql)
    values = nulls(values)
    n = len(values)
    session.load("i int, o int, x " + type, [(i, i // 3, x) for i, x in enumerate(values)])
    session.run("LOAD 'scan'; SET jit = off; SET work_mem = '64MB';")
    for clause, bounds in frames:
        for hole in ["", " EXCLUDE CURRENT ROW"] if clause.startswith("ROWS") and step == 1 else [""]:
            answers = []
            for i in range(0, n, step):
                start, end = bounds(i, n)
                answers.append(weighted([values[j] for j in range(max(start, 0), max(min(end, n), 0)) if not (hole and j == i)]))
            order = "i" if clause.startswith("ROWS") else "o, i" if clause.startswith("GROUPS") else "o"
            for node in ("off", "force"):
                session.run("SET scan.prefixscan = %s;" % node)
                session.expect("SELECT %%s FROM (SELECT i, %%s OVER (ORDER BY %s %s%s) AS y FROM v) AS t WHERE mod(i, %d) = 0 ORDER BY i" % (order, clause, hole, step), "exact_weighted_avg(x)", answers)
    session.report(kind)


def groups(psql, kind, groups, type="float8"):
    session = Session(psql)
    session.load("g int, i int, x " + type, [(g, i, x) for g, values in enumerate(groups) for i, x in enumerate(values)])
    for text, reverse in (("ORDER BY i", 1), ("ORDER BY i DESC", -1)):
        session.expect("SELECT %s FROM (SELECT g, %s AS y FROM v GROUP BY g) AS t ORDER BY g", "exact_weighted_avg(x %s)" % text, [weighted(values[::reverse]) for values in groups])
    session.report(kind)


def main(psql):
    some = [FRAMES[0], FRAMES[2], FRAMES[3], FRAMES[4], FRAMES[5], FRAMES[7]]
    for kind, values in KINDS.items():
        windows(psql, "frames of " + kind, values[:250], some)
    windows(psql, "frames of integers", integers(1000), some, "bigint")
    windows(psql, "many normals", [draw.gauss(0, 1) for _ in range(100100)], [preceding(20)], step=7)
    windows(psql, "many integers", integers(100100), [preceding(20)], "bigint", 7)
    windows(psql, "many with infinities", [draw.choice([INF, NAN] + [draw.gauss(0, 1)] * 60) for _ in range(100100)], [preceding(5)], step=7)
    groups(psql, "groups", [nulls(values[:100]) for values in KINDS.values() if max(map(abs, values)) < 1e300])
    groups(psql, "groups of integers", [nulls(integers(100)) for _ in range(50)], "bigint")


if __name__ == "__main__":
    main(sys.argv[1])

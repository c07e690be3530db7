"""bucket_average.py PSQL: scan_time_average against Python's fractions.

Called by bucket_average.t with the server in the environment.  Makes series of random times and values, lets the server
sum them up by buckets, of which some have no rows, and computes each average from its definition: the value at each
moment is that of the line, or of the row before, as far as it is known.  Prints "N rows of KIND, M wrong".
"""

import random
import struct
import sys
from fractions import Fraction

from funnel import WAYS, answers

draw = random.Random(20261130)
WIDTH = 10
KINDS = {
    # kind: at for a number k, a bound for a number b
    "timestamptz": ("timestamptz '2024-03-30 00:00Z' + k * interval '1 second 1 microsecond'", "timestamptz '2024-03-30 00:00Z' + b * interval '1 second 1 microsecond'"),
    "timestamp": ("timestamp '2024-03-30 00:00' + k * interval '1 hour'", "timestamp '2024-03-30 00:00' + b * interval '1 hour'"),
    "date": ("date '2024-03-30' + k::int", "date '2024-03-30' + b::int"),
    "int8": ("k - 4000000000000000000", "b - 4000000000000000000"),
    "float8": ("k * 0.1::float8", "b * 0.1::float8"),
}
VALUES = [lambda: draw.gauss(0, 1), lambda: float(draw.randint(-9, 9)), lambda: draw.choice([1e300, -1e300, 5e-324, 1.5])]


def series():
    value = draw.choice(VALUES)
    k, rows = draw.randint(0, 15), []
    for _ in range(draw.choice([1, 2, 4, 12])):
        k += draw.choice([0, 1, 1, 2, 3, 5, 23])
        rows.append((k, value()))
    return rows


def average(rows, lower, upper, method, time):
    """The average over [lower, upper) as far as it is known; rows before and after count as well."""
    low, high = time(lower), time(upper)
    inside = [(time(k), Fraction(x)) for k, x in rows if lower <= k < upper]
    before = [(time(k), Fraction(x)) for k, x in rows if k < lower][-1:]
    after = [(time(k), Fraction(x)) for k, x in rows if k >= upper][:1]
    if method == "previous":
        points = [(low, x) for _, x in before] + inside
        if not points:
            return None
        points.append((high, points[-1][1]))
        steps = [(b[0] - a[0], a[1]) for a, b in zip(points, points[1:])]
    else:
        points = before + inside + after
        if not inside and len(points) < 2:
            return None
        steps = []
        for a, b in zip(points, points[1:]):
            p, q = max(a[0], low), min(b[0], high)
            if q > p:
                slope = (b[1] - a[1]) / (b[0] - a[0])
                steps.append((q - p, a[1] + slope * ((p + q) / Fraction(2) - a[0])))
    whole = sum(s[0] for s in steps)
    if whole == 0:
        return inside[-1][1]
    return sum(s[0] * s[1] for s in steps) / whole


def hex_of(x):
    return "-" if x is None else struct.pack(">d", x.numerator / x.denominator + 0.0 if isinstance(x, Fraction) else x).hex()


def main(psql):
    groups = [series() for _ in range(14000)]
    lines = ["%d\t%d\t%d\t%.17g" % (g, i, k, x) for g, rows in enumerate(groups) for i, (k, x) in enumerate(rows)]
    answers(psql, "CREATE TABLE points (g int, i int, k int8, x float8);\n\\copy points FROM pstdin\n" + "\n".join(lines) + "\n\\.\nCREATE TABLE bounds AS SELECT g, b FROM (SELECT g, min(k) / 10 * 10 - 10 AS first, max(k) / 10 * 10 + 10 AS last FROM points GROUP BY g) AS t, generate_series(first, last, 10) AS b")
    for kind, (at, bound) in KINDS.items():
        time = (lambda k: Fraction(k * 0.1)) if kind == "float8" else (lambda k: Fraction(k))
        for method in ["linear", "previous"]:
            wanted = []
            for rows in groups:
                first, last = rows[0][0] // WIDTH * WIDTH - WIDTH, rows[-1][0] // WIDTH * WIDTH + WIDTH
                wanted.append(",".join(hex_of(average(rows, b, b + WIDTH, method, time)) for b in range(first, last + 1, WIDTH)))
            total = sum(len(w.split(",")) for w in wanted)
            for way, setting in WAYS.items():
                got = answers(psql, setting + """SELECT string_agg(coalesce(encode(float8send(y), 'hex'), '-'), ',' ORDER BY b) FROM
                    (SELECT g, b, scan_time_average(s, %s, %s) OVER (PARTITION BY g ORDER BY b) AS y FROM bounds LEFT JOIN
                     (SELECT g, k / 10 * 10 AS b, time_summary(x, %s, '%s' ORDER BY i) AS s FROM points GROUP BY g, k / 10 * 10) AS t USING (g, b)) AS t GROUP BY g ORDER BY g""" % (bound, bound.replace("b ", "(b + 10) ", 1).replace("b:", "(b + 10):"), at, method))  # fmt: skip
                wrong = [g for g, row in enumerate(got) if row[0] != wanted[g]]
                print("%d rows of %s, %s, %s, %d wrong: %s" % (total if len(got) == len(groups) else 0, kind, method, way, len(wrong), [(groups[g], got[g], wanted[g]) for g in wrong[:1]]))


if __name__ == "__main__":
    main(sys.argv[1])

"""exact_pairs.py PSQL PROGRAM: exact_covar_*, exact_corr, exact_regr_* and exact_weighted_avg(y, x) against Python's integers.

Called by exact_pairs.t with the server in the environment.  Makes series of pairs of many kinds, lets the server
aggregate them whole, by groups, in parallel and over frames that move, by WindowAgg and by PrefixScan, and computes
each answer from its definition, with the sums and roots of exact.py.  Prints "N answers of KIND, M wrong".
PROGRAM is exact_pairs.c, which adds up more rows than a table can have.
"""

import math
import subprocess
import sys

from exact import FRAMES, INF, KINDS, NAN, TINY, UNIT, Session, draw, hexed, nearest, nearest_root, preceding, scaled, series

# ---- the oracle


class Frame:
    """The pairs of a frame, and what each function makes of them."""

    def __init__(self):
        self.n = self.x = self.y = self.xx = self.yy = self.xy = self.odd_x = self.odd_y = 0

    def take(self, pair, times=1):
        y, x = pair
        if x is None or y is None:
            return
        self.n += times
        a, b = whole_number(x), whole_number(y)
        if a is None:
            self.odd_x += times
        else:
            self.x, self.xx = self.x + times * a, self.xx + times * a * a
        if b is None:
            self.odd_y += times
        else:
            self.y, self.yy = self.y + times * b, self.yy + times * b * b
        if a is not None and b is not None:
            self.xy += times * a * b

    def spreads(self):
        """n^2 times the variances and the covariance, in units of 2^-2148."""
        return self.n * self.xx - self.x**2, self.n * self.yy - self.y**2, self.n * self.xy - self.x * self.y

    def odd(self):
        return self.odd_x or self.odd_y

    def covariance(self, sample):
        if self.n <= sample:
            return None
        return NAN if self.odd() else nearest(self.spreads()[2], self.n * (self.n - sample) * 2 ** (2 * UNIT))

    def line(self, answer):
        """NULL for no pair and for a vertical line, NaN for what is not finite."""
        if self.n == 0 or (not self.odd_x and self.spreads()[0] == 0):
            return None
        return NAN if self.odd() else answer(*self.spreads())

    def slope(self):
        return self.line(lambda xx, yy, xy: nearest(xy, xx))

    def intercept(self):
        return self.line(lambda xx, yy, xy: nearest(self.y * self.xx - self.x * self.xy, xx * 2**UNIT))

    def horizontal(self):
        return self.n > 0 and not self.odd_y and self.spreads()[1] == 0

    def squared(self):
        if self.horizontal() and self.line(lambda *_: 0) is not None:
            return 1.0
        return self.line(lambda xx, yy, xy: nearest(xy * xy, xx * yy))

    def weighted(self):
        if self.n == 0:
            return None
        if self.odd():
            return NAN
        return None if self.x == 0 else nearest(self.xy, self.x * 2**UNIT)

    def correlation(self):
        if self.horizontal():
            return None
        return self.line(lambda xx, yy, xy: (-1 if xy < 0 else 1) * nearest_root(xy * xy, xx * yy) + 0.0)


def whole_number(x):
    if isinstance(x, int):
        return x * 2**UNIT
    if not math.isfinite(x):
        return None
    numerator, denominator = x.as_integer_ratio()
    return numerator * (2**UNIT // denominator)


FUNCTIONS = {
    "exact_covar_pop(y, x)": lambda f: f.covariance(0),
    "exact_covar_samp(y, x)": lambda f: f.covariance(1),
    "exact_corr(y, x)": Frame.correlation,
    "exact_regr_slope(y, x)": Frame.slope,
    "exact_regr_intercept(y, x)": Frame.intercept,
    "exact_regr_r2(y, x)": Frame.squared,
    "exact_weighted_avg(y, x)": Frame.weighted,
}


def frame_of(pairs):
    frame = Frame()
    for pair in pairs:
        frame.take(pair)
    return frame


def moved(pairs, bounds):
    """The frames of rows, one after the other: bounds of both sides never run backwards."""
    frame, low, high, n = Frame(), 0, 0, len(pairs)
    for start, end in bounds:
        start, end = min(max(start, 0), n), min(max(start, end, 0), n)
        for i in range(high, end):
            frame.take(pairs[i])
        for i in range(low, start):
            frame.take(pairs[i], -1)
        low, high = max(low, start), max(high, end)
        yield frame


# ---- the series


def line(slope, offset, noise, xs):
    return [(slope * x + offset + noise * draw.gauss(0, 1), x) for x in xs]


def walk(n):
    x, walked = 100.0, []
    for _ in range(n):
        x *= 1 + draw.gauss(0, 0.01)
        walked.append(round(x, 2))
    return walked


def drawn(values, n=500):
    return [draw.choice(values) for _ in range(n)]


NORMALS = series(lambda: draw.gauss(0, 1))
PAIRS = {
    "normals": list(zip(series(lambda: draw.gauss(0, 1)), NORMALS)),
    "a line with noise": line(2.5, -7, 1e-3, NORMALS),
    "a line of dyadic numbers": [(0.75 * x - 3, x) for x in series(lambda: draw.randint(-999, 999) / 8)],
    "a falling line, rounded": line(-1 / 3, 0.1, 0, series(draw.random)),
    "two share prices": list(zip(walk(500), walk(500))),
    "large and close": [(1e9 + draw.gauss(0, 1) * 1e-6, 1e15 + draw.randint(0, 3) / 4) for _ in range(500)],
    "ties and vertical lines": list(zip(drawn([1.0, 2.0, 2.0]), drawn([0.1, 0.1, 0.1, 0.3]))),
    "horizontal lines": list(zip(drawn([0.1] * 12 + [0.2]), NORMALS)),
    "small integers": list(zip(series(lambda: float(draw.randint(-3, 3))), series(lambda: float(draw.randint(-3, 3))))),
    "exponents from -500 to 500": list(zip(KINDS["exponents from -500 to 500"], series(lambda: scaled(-500, 500)))),
    "all exponents": list(zip(series(lambda: scaled(-1074, 1023)), KINDS["all exponents"])),
    "subnormals": list(zip(KINDS["subnormals"], series(lambda: draw.randint(-99, 99) * TINY))),
    "large and subnormal": list(zip(KINDS["overflow at last"], KINDS["the least numbers"])),
    "near overflow": list(zip(KINDS["near overflow, alternating"], series(lambda: scaled(1022, 1023)))),
    "infinities and NaN": list(zip(KINDS["infinities and NaN"], series(lambda: draw.choice([INF, -INF, NAN] + [draw.gauss(0, 1)] * 97)))),
    "NaN on lines": list(zip(drawn([1.0] * 9 + [NAN]), drawn([2.0] * 9 + [INF]))),
    "zeros and -0": list(zip(KINDS["zeros and -0"], series(lambda: draw.choice([-0.0, 0.0, 0.0, 1.0])))),
    "1e300 passes through": list(zip(KINDS["1e300 passes through"], KINDS["-1e-300 passes through"])),
    "one pair": [(0.1, 0.7)] * 500,
    "whole numbers": series(lambda: (draw.randint(-99, 99), draw.randint(2**53, 2**53 + 9))),
    "the ends of bigint": series(lambda: (draw.choice([-(2**63), 2**63 - 1, 0, draw.randint(-(2**63), 2**63 - 1)]), draw.choice([-(2**63), 2**63 - 1, draw.randint(-9, 9)]))),
    "whole numbers and floats": list(zip(series(lambda: draw.randint(2**53, 2**53 + 9)), KINDS["cents"])),
    "all floats and the ends of bigint": list(zip(series(lambda: draw.choice([scaled(-1074, 1023), INF, NAN] + [draw.gauss(0, 1)] * 97)), series(lambda: draw.choice([-(2**63), 2**63 - 1, 0, 1, draw.randint(-(2**63), 2**63 - 1)])))),
    "the ends of bigint and subnormals": list(zip(series(lambda: draw.choice([-(2**63), 2**63 - 1, 0, draw.randint(-9, 9)])), series(lambda: draw.choice([draw.randint(-99, 99) * TINY, -0.0])))),
}  # fmt: skip
PAIRS = {kind: pairs[:300] for kind, pairs in PAIRS.items()}  # exact fractions take their time
VECTORS = [
    [], [(None, 1.0)], [(1.0, None), (None, None)], [(1.0, 2.0)], [(INF, 2.0)], [(1.0, NAN)], [(INF, INF)] * 2, [(1.0, 2.0)] * 3, [(1.0, 2.0), (None, 5.0), (2.0, 2.0)],
    [(1.0, 2.0), (1.0, 3.0)], [(1.0, 2.0), (1.0, INF)], [(1.0, 2.0), (INF, 2.0)], [(NAN, 2.0), (1.0, 3.0)], [(1.7e308, 1.7e308), (-1.7e308, -1.7e308)],
    [(1.7e308, TINY), (-1.7e308, -TINY)], [(TINY, 1.7e308), (-TINY, -1.7e308)], [(-0.0, -0.0), (0.0, 1.0)], [(1.0, 1.0), (2.0, 3.0), (3.0, 2.0)], [(5.0, 1e-300), (5.0, 2e-300), (7.0, 3e-300)],
    [(sys.float_info.max, 1.0), (-sys.float_info.max, 2.0)], [(1e308, 1.0), (-1e308, 1 + 2.0**-52)],
]  # fmt: skip


def is_of_floats(pairs):
    return isinstance(pairs[0][0], float) and isinstance(pairs[0][1], float)


def nulls(pairs):
    return [(None if draw.random() < 0.03 else y, None if draw.random() < 0.03 else x) for y, x in pairs]


# ---- the comparison

WAYS = ["LOAD 'scan'; SET scan.prefixscan = off;", "SET scan.prefixscan = force;", "SET scan.work_mem = '64kB';"]
HOLES = ["", " EXCLUDE CURRENT ROW"]


def holed(pairs, bounds):
    """The same without the row itself."""
    for i, frame in enumerate(moved(pairs, bounds)):
        inside = bounds[i][0] <= i < bounds[i][1]
        if inside:
            frame.take(pairs[i], -1)
        yield frame
        if inside:
            frame.take(pairs[i])


def windows(psql, kind, pairs, frames, functions, step=1):
    session = Session(psql)
    pairs = nulls(pairs)
    y_type, x_type = ("int8" if any(isinstance(pair[k], int) for pair in pairs) else "float8" for k in (0, 1))
    session.load("i int, o int, y %s, x %s" % (y_type, x_type), [(i, i // 3, y, x) for i, (y, x) in enumerate(pairs)])
    session.run("SET jit = off; SET work_mem = '64MB';")
    wanted = []
    for clause, bounds in frames:
        for hole in HOLES if clause.startswith("ROWS") and step == 1 else HOLES[:1]:
            answers = {call: [] for call in functions}
            ends = [bounds(i, len(pairs)) for i in range(len(pairs))]
            for i, frame in enumerate((holed if hole else moved)(pairs, ends)):
                for call, answer in functions.items():
                    if i % step == 0:
                        answers[call].append(answer(frame))
            wanted.append((clause + hole, answers))
    for way in WAYS:
        session.run(way)
        for clause, answers in wanted:
            order = "i" if clause.startswith("ROWS") else "o"
            for call, values in answers.items():
                session.expect("SELECT %%s FROM (SELECT i, %%s OVER (ORDER BY %s %s) AS y FROM v) AS t WHERE mod(i, %d) = 0 ORDER BY i" % (order, clause, step), call, values)
    session.report(kind)


def whole(psql, kind, groups, settings="", types="y float8, x float8"):
    """Whole groups: plain, by GROUP BY and with FILTER."""
    session = Session(psql)
    session.load("g int, i int, " + types, [(g, i, y, x) for g, pairs in enumerate(groups) for i, (y, x) in enumerate(pairs)])
    session.run("ANALYZE v; SET jit = off; " + settings)
    for call, answer in FUNCTIONS.items():
        session.expect("SELECT %s FROM (SELECT %s AS y FROM v) AS t", call, [answer(frame_of(pair for pairs in groups for pair in pairs))])
        for g, pairs in enumerate(groups):
            session.expect("SELECT %%s FROM (SELECT %%s AS y FROM v WHERE g = %d) AS t" % g, call, [answer(frame_of(pairs))])
        tame = [pairs for pairs in groups if pairs and "out of range" not in (answer(frame_of(pairs)), answer(frame_of(pairs[::2])))]
        some = ",".join(str(g) for g, pairs in enumerate(groups) if pairs in tame)
        session.expect("SELECT %%s FROM (SELECT g, %%s AS y FROM v WHERE g IN (%s) GROUP BY g) AS t ORDER BY g" % some, call, [answer(frame_of(pairs)) for pairs in tame])
        session.expect("SELECT %%s FROM (SELECT g, %%s FILTER (WHERE mod(i, 2) = 0) AS y FROM v WHERE g IN (%s) GROUP BY g) AS t ORDER BY g" % some, call,
                       [answer(frame_of(pairs[::2])) for pairs in tame])  # fmt: skip
    session.report(kind)


def doubled(program):
    """More pairs than a table can have, by adding a sum to itself, counts up to 2^62; and ties of the quotients."""
    cases = [([(2 + 2.0**-51, 1.0), (2.0**-k, 2.0)], 1) for k in range(40, 1074, 9)]
    cases += [([(0.0, 0.0), (a, b), (c, d)], 1) for a, b, c, d in ([float(draw.randint(-9, 9)) for _ in range(4)] for _ in range(300))]
    for pairs in [pairs for pairs in PAIRS.values() if is_of_floats(pairs)] + VECTORS[3:]:
        for _ in range(40):
            few = [draw.choice(pairs) for _ in range(draw.choice([1, 2, 3, 5, 9]))]
            if all(None not in pair for pair in few):
                cases.append((few, 2 ** draw.choice([0, 1, 31, 32, 33, 40, 58])))
    lines = [" ".join([str(times.bit_length() - 1)] + [float(z).hex() for pair in few for z in pair]) for few, times in cases]
    got = subprocess.run([program], input="\n".join(lines) + "\n", stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()
    wrong = []
    for (few, times), text in zip(cases, got):
        frame = Frame()
        for pair in few:
            frame.take(pair, times)
        want = [hexed(answer(frame)) for answer in FUNCTIONS.values()]
        if text.split(",") != want:
            wrong.append((few, times, text, want))
    print("%d answers of ties and of more pairs than there are, %d wrong: %s" % (len(FUNCTIONS) * len(got), len(wrong) + len(cases) - len(got), wrong[:2]), flush=True)


def quotients(program):
    """Quotients in the middle of two doubles, beside it by ever less, and of numbers whose limbs are all ones or zeros."""
    cases = []
    for _ in range(20000):
        a = limbs(draw.randint(1, 4))
        m = draw.getrandbits(54) | 1 | 1 << draw.choice([53, 53, 9])
        near = draw.choice([0, 0, 1, -1, a >> draw.randint(1, 80), -(a >> draw.randint(1, 80))])
        x = draw.choice([max(a * m + near, 1), max((a << draw.choice([0, 11, 64])) + near, 1), limbs(draw.randint(1, 5))])
        cases.append((x, a, draw.choice([a, a, limbs(draw.randint(1, 4))])))
    lines = ["/ %x %x %x" % case for case in cases]
    got = subprocess.run([program], input="\n".join(lines) + "\n", stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()
    wrong = []
    for (x, a, b), text in zip(cases, got):
        want = [hexed(y) for y in (nearest(x, a), nearest_root(x * x, a * b), nearest(x * x, a * b))]
        if text.split(",") != want:
            wrong.append((hex(x), hex(a), hex(b), text, want))
    print("%d answers of quotients, %d wrong: %s" % (3 * len(got), len(wrong) + len(cases) - len(got), wrong[:2]), flush=True)


def limbs(n):
    """A whole number above 0, of n limbs of all kinds."""
    number = 0
    for _ in range(n):
        number = number << 64 | draw.choice([0, 2**64 - 1, 1 << draw.randrange(64), draw.getrandbits(64), draw.getrandbits(64)])
    return max(number >> draw.randrange(64), 1)


def main(psql, program):
    doubled(program)
    quotients(program)
    for kind, pairs in PAIRS.items():
        windows(psql, "frames of " + kind, pairs, FRAMES, FUNCTIONS)
    many = list(zip(walk(40100), walk(40100)))
    windows(psql, "large frames of share prices", many, [preceding(10), preceding(10000)], FUNCTIONS, 37)
    many = [(1e16 if i % 4096 == 17 else draw.gauss(0, 1), scaled(-60, 60)) for i in range(40100)]
    windows(psql, "large frames of -60..60, 1e16 passing", many, [preceding(4096)], {call: FUNCTIONS[call] for call in ("exact_corr(y, x)", "exact_regr_intercept(y, x)")}, 37)
    groups = [nulls(pairs) for pairs in PAIRS.values() if is_of_floats(pairs)]
    mixed = [nulls([(y, x) for y, x in pairs if x is None or abs(x) < 1e300]) for pairs in PAIRS.values() if isinstance(pairs[0][0], int) and isinstance(pairs[0][1], float)]
    parallel = "SET max_parallel_workers_per_gather = 2; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; ALTER TABLE v SET (parallel_workers = 2);"
    whole(psql, "vectors", VECTORS)
    whole(psql, "groups", groups)
    whole(psql, "vectors in parallel", VECTORS, parallel)
    whole(psql, "groups in parallel", groups, parallel)
    whole(psql, "groups of bigints and floats", mixed, types="y int8, x float8")
    whole(psql, "groups of floats and bigints in parallel", [[(x, y) for y, x in pairs] for pairs in mixed], parallel, "y float8, x int8")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])

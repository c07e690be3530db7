"""exact.py PSQL PROGRAM: exact_sum, exact_avg, exact_var_* and exact_stddev_* against Python's integers.

Called by exact.t with the server in the environment.  Makes series of many kinds, lets the server aggregate them
whole, by groups, in parallel and over frames that move, and computes each answer from its definition: the sums
as integers, and one division of integers, which Python rounds correctly.  Prints "N answers of KIND, M wrong".
PROGRAM is moments.c, which adds up more rows than a table can have.
"""

import math
import random
import struct
import subprocess
import sys
from fractions import Fraction

UNIT = 1074  # a double is a whole number of 2^-1074, its square of 2^-2148
INF, NAN, TINY = float("inf"), float("nan"), 5e-324
draw = random.Random(20261122)


# ---- the oracle


class Frame:
    """The values of a frame, and what each function makes of them."""

    def __init__(self):
        self.n = self.sum = self.squares = self.nans = self.plus = self.minus = self.negative_zeros = 0

    def take(self, x, times=1):
        if x is None:
            return
        self.n += times
        if math.isfinite(x):
            numerator, denominator = x.as_integer_ratio()
            whole = numerator * (2**UNIT // denominator)
            self.sum += times * whole
            self.squares += times * whole * whole
            self.negative_zeros += times * (x == 0 and math.copysign(1, x) < 0)
        else:
            self.nans += times * (x != x)
            self.plus += times * (x == INF)
            self.minus += times * (x == -INF)

    def special(self):
        if self.nans or (self.plus and self.minus):
            return NAN
        return INF if self.plus else -INF if self.minus else None

    def whole_sum(self, divide):
        if self.n == 0:
            return None
        if self.special() is not None:
            return self.special()
        return -0.0 if self.negative_zeros == self.n else divide(self.sum, 2**UNIT)

    def average(self):
        if self.n == 0:
            return None
        return self.special() if self.special() is not None else nearest(self.sum, self.n * 2**UNIT)

    def variance(self, sample, rounded):
        if self.n <= sample:
            return None
        if self.special() is not None:
            return NAN
        return rounded(self.n * self.squares - self.sum**2, self.n * (self.n - sample) * 2 ** (2 * UNIT))


def nearest(a, b):
    """The double nearest to a / b, +0 for zero; "out of range" beyond the doubles."""
    try:
        return a / b + 0.0
    except OverflowError:
        return "out of range"


def nearest4(a, b):
    """The same of reals, by definition: a multiple of the last place, the even one of two that are as near."""
    x = abs(Fraction(a, b))
    place = max(-149, (x.numerator.bit_length() - x.denominator.bit_length()) - 24)
    if x >= Fraction(2) ** (place + 24):
        place += 1
    y = round(x / Fraction(2) ** place) * Fraction(2) ** place
    return "out of range" if y >= 2**128 else float(y) * (1 if a > 0 else -1) + 0.0


def nearest_root(a, b):
    """The double nearest to the square root of a / b: from an odd number beside the root at a depth that no double has."""
    depth = 1200
    root = math.isqrt((a << 2 * depth) // b)
    y = nearest(2 * root + (root * root * b != a << 2 * depth), 2 << depth)
    if draw.random() < 0.02 and y != "out of range":  # by definition, too
        middles = [(Fraction(y) + Fraction(z)) / 2 for z in (math.nextafter(y, INF), math.nextafter(y, -INF)) if z != INF]
        assert all((Fraction(a, b) - max(m, 0) ** 2) * (m - Fraction(y)) <= 0 for m in middles), (a, b, y)
    return y


FUNCTIONS = {
    "exact_sum(x)": lambda f: f.whole_sum(nearest),
    "exact_avg(x)": Frame.average,
    "exact_var_pop(x)": lambda f: f.variance(0, nearest),
    "exact_var_samp(x)": lambda f: f.variance(1, nearest),
    "exact_stddev_pop(x)": lambda f: f.variance(0, nearest_root),
    "exact_stddev_samp(x)": lambda f: f.variance(1, nearest_root),
}
REALS = {
    "exact_sum(x::real)": lambda f: f.whole_sum(nearest4),
    "exact_avg(x::real)": Frame.average,
    "exact_stddev_samp(x::real)": lambda f: f.variance(1, nearest_root),
}


def frame_of(values):
    frame = Frame()
    for x in values:
        frame.take(x)
    return frame


def moved(values, bounds):
    """The frames of rows, one after the other: bounds of both sides never run backwards."""
    frame, low, high = Frame(), 0, 0
    for start, end in bounds:
        start, end = max(start, 0), max(start, end, 0)
        for i in range(high, min(end, len(values))):
            frame.take(values[i])
        for i in range(low, min(start, len(values))):
            frame.take(values[i], -1)
        low, high = max(low, min(start, len(values))), max(high, min(end, len(values)))
        yield frame


# ---- the series


def scaled(low, high):
    return math.ldexp(draw.choice([1, -1]) * (1 + draw.random()), draw.randint(low, high))


def undone(values):
    return values + [-x for x in reversed(values)]


def passing(n, huge):
    """Small numbers, and now and then a huge one that passes through."""
    return [huge if i % 150 == 70 else draw.gauss(0, 1) for i in range(n)]


def series(make, n=500):
    return [make() for _ in range(n)]


HALF = 2.0**-53
KINDS = {
    "normals": series(lambda: draw.gauss(0, 1)),
    "uniforms": series(draw.random),
    "cents": series(lambda: draw.randrange(10**6) / 100),
    "pairs of 1e16 that cancel": [x for _ in range(170) for y in [1e16 * draw.gauss(0, 1)] for x in (y, draw.gauss(0, 1), -y)],
    "exponents from -500 to 500": series(lambda: scaled(-500, 500)),
    "all exponents": series(lambda: scaled(-1074, 1022)),
    "normals times 2^-60..60": series(lambda: math.ldexp(draw.gauss(0, 1), draw.randint(-60, 60))),
    "above, then undone": undone(series(lambda: scaled(-1074, 1022), 250)),
    "near overflow, alternating": [(-1) ** i * 1.7e308 * (1 - draw.random() * 2.0**-20) for i in range(500)],
    "overflow at last": [1.7e308 * (1 - draw.random() / 256) for i in range(500)],
    "ties with a deep bit": [1.0, HALF] + [(-1) ** i * 2.0**-300 for i in range(500)],
    "ties at random": series(lambda: draw.choice([1, -1]) * (draw.choice([0.0, 1.0, 3.0]) + draw.choice([0.0, HALF, 2.0**-300]))),
    "ties of whole numbers": [2.0**53] + series(lambda: float(draw.randint(-3, 3))),
    "subnormals": series(lambda: draw.randint(-(2**24), 2**24) * TINY),
    "the least numbers": series(lambda: draw.choice([0.0, TINY, -TINY, 3 * TINY])),
    "infinities and NaN": series(lambda: draw.choice([INF, -INF, NAN]) if draw.random() < 0.02 else draw.gauss(0, 1)),
    "zeros and -0": series(lambda: draw.choice([-0.0] * 9 + [0.0, 1.0, -1.0])),
    "1e16 passes through": passing(500, 1e16),
    "1e300 passes through": passing(500, 1e300),
    "-1e-300 passes through": passing(500, -1e-300),
    "1e9 and small noise": series(lambda: 1e9 + draw.gauss(0, 1) * 1e-6),
    "one value": [0.1] * 500,
}
# sums that rounding or an overflow on the way would spoil, and the smallest and largest values
VECTORS = [
    [1, HALF, 2.0**-106], [1 + 2.0**-52, HALF, -(2.0**-300)], [1e16, 1, -1e16], [1e308, 1e308], [sys.float_info.max, 2.0**969, 2.0**969],
    [sys.float_info.max, 2.0**970], [1e308, -1e308, 1e-308, TINY, -1e-308], [0.1] * 10, [INF, 1e308, 1e308], [INF, -INF, 1],
    [-0.0, -0.0, 0.0, -0.0], [1, -1, -0.0], [2.0**-1022, -(2.0**-1074)], [], [None], [None, None, 5.0], [7.0], [-0.0], [NAN], [INF], [-INF],
    [1.7e308, -1.7e308], [1e200, -1e200], [0.0, TINY], [0.0, 3 * TINY], [1e154, -1e154, 1e154], [-INF, NAN], [2.0**-537] * 2 + [0.0],
]  # fmt: skip
# averages, variances and deviations in the middle of two doubles, and beside it by less and less
EDGE = 1.5 * 2.0**26 + 1  # its square has 54 bits, the last of them set
TIES = [[2.0, 2 + 2.0**-51, 2.0**-k, 0.0] for k in range(54, 1074, 3)] + [[EDGE, -EDGE, s, -s] for s in (2.0**-k for k in range(400))]
TIES += [[2.0, -(2.0**-52 + d), 2.0, -(2.0**-52 + e)] for k in range(53, 105) for d in (2.0**-k, -(2.0**-k), 0.0) for e in (d, -d)]
TIES += [[2.0, -(2.0**-52)] * 31 + [2.0, -(2.0**-52 + d)] for d in (2.0**-104, -(2.0**-105))]
LARGE = {
    "many normals": series(lambda: draw.gauss(0, 1), 100100),
    "many of -60..60, 1e16 passing": [1e16 if i % 4096 == 17 else math.ldexp(draw.gauss(0, 1), draw.randint(-60, 60)) for i in range(100100)],
}


def nulls(values):
    return [None if draw.random() < 0.04 else x for x in values]


# ---- frames: their clause, and the rows [start, end) of row i of n; o is i / 3


def preceding(w):
    return "ROWS %d PRECEDING" % (w - 1), lambda i, n: (i - w + 1, i + 1)


FRAMES = [preceding(w) for w in (1, 2, 7, 100)] + [
    ("ROWS BETWEEN 3 PRECEDING AND 5 FOLLOWING", lambda i, n: (i - 3, i + 6)),
    ("ROWS BETWEEN 8 FOLLOWING AND 12 FOLLOWING", lambda i, n: (i + 8, i + 13)),
    ("ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING", lambda i, n: (i, n)),
    ("ROWS UNBOUNDED PRECEDING", lambda i, n: (0, i + 1)),
    ("RANGE BETWEEN 2 PRECEDING AND 1 FOLLOWING", lambda i, n: ((i // 3 - 2) * 3, (i // 3 + 2) * 3)),
    ("GROUPS 4 PRECEDING", lambda i, n: ((i // 3 - 4) * 3, (i // 3 + 1) * 3)),
]


# ---- the comparison


def hexed(y, real=False):
    if y is None:
        return "-"
    if y == "out of range":
        return y
    return struct.pack(">f" if real else ">d", y).hex()


class Session:
    """Queries of one column each, and the lines they should give."""

    def __init__(self, psql):
        self.psql, self.script, self.wanted = psql, ["SET client_min_messages = warning;"], []

    def run(self, sql):
        self.script.append(sql)

    def load(self, columns, rows):
        self.run("DROP TABLE IF EXISTS v; CREATE TABLE v (%s); COPY v FROM STDIN;" % columns)
        self.script += ["\t".join("\\N" if x is None else repr(x) for x in row) for row in rows] + ["\\."]

    def expect(self, select, call, answers):
        """`select` with %s where the bytes of the call go; an error is that of the whole query."""
        real = call.startswith("exact_sum") and "real" in call
        answers = [hexed(y, real) for y in answers]
        sent = "coalesce(encode(%s, 'hex'), '-')" % ("float4send(%s)" if real else "float8send(%s)")
        self.run("\\echo query %d\n%s;" % (len(self.wanted), select % (sent % "y", call)))
        self.wanted.append((["out of range"] if "out of range" in answers else answers, "%s: %s" % (call, select)))

    def report(self, kind):
        done = subprocess.run([self.psql, "-X", "-A", "-t", "-q"], input="\n".join(self.script) + "\n", stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, check=True)  # fmt: skip
        got, lines = {}, []
        for line in done.stdout.splitlines():
            if line.startswith("query "):
                got[int(line[6:])] = lines = []
            elif "value out of range" in line:
                lines[:] = ["out of range"]
            else:
                lines.append(line)
        wrong = []
        for i, (wanted, name) in enumerate(self.wanted):
            if got.get(i) != wanted:
                pairs = list(zip(got.get(i, []), wanted))
                wrong.append((name, len(got.get(i, [])), len(wanted), [(j,) + p for j, p in enumerate(pairs) if p[0] != p[1]][:2]))
        print("%d answers of %s, %d wrong: %s" % (sum(len(w) for w, _ in self.wanted), kind, len(wrong), wrong[:3]), flush=True)


def windows(psql, kind, values, frames, functions, step=1):
    """Frames of all rows; `step` apart are those that are compared."""
    session = Session(psql)
    values = nulls(values)
    session.load("i int, o int, x float8", [(i, i // 3, x) for i, x in enumerate(values)])
    session.run("SET jit = off; SET work_mem = '64MB';")  # core takes minutes where a large frame is on disk
    for clause, bounds in frames:
        wanted = {call: [] for call in functions}
        for i, frame in enumerate(moved(values, (bounds(i, len(values)) for i in range(len(values))))):
            for call, answer in functions.items():
                if i % step == 0:
                    wanted[call].append(answer(frame))
        order = "i" if clause.startswith("ROWS") else "o"
        for call, answers in wanted.items():
            session.expect("SELECT %%s FROM (SELECT i, %%s OVER (ORDER BY %s %s) AS y FROM v) AS t WHERE mod(i, %d) = 0 ORDER BY i" % (order, clause, step), call, answers)
    session.report(kind)


def whole(psql, kind, groups, functions, settings=""):
    """Whole groups: plain, by GROUP BY and with FILTER."""
    session = Session(psql)
    session.load("g int, i int, x float8", [(g, i, x) for g, values in enumerate(groups) for i, x in enumerate(values)])
    session.run("ANALYZE v; SET jit = off; " + settings)
    everything = [x for values in groups for x in values]
    for call, answer in functions.items():
        session.expect("SELECT %s FROM (SELECT %s AS y FROM v) AS t", call, [answer(frame_of(everything))])
        by_group = [answer(frame_of(values)) for values in groups if values]
        if "out of range" in by_group:
            for g, values in enumerate(groups):
                session.expect("SELECT %%s FROM (SELECT %%s AS y FROM v WHERE g = %d) AS t" % g, call, [answer(frame_of(values))])
        else:
            session.expect("SELECT %s FROM (SELECT g, %s AS y FROM v GROUP BY g) AS t ORDER BY g", call, by_group)
        some = [answer(frame_of(values[::2])) for values in groups if values]
        session.expect("SELECT %s FROM (SELECT g, %s FILTER (WHERE mod(i, 2) = 0) AS y FROM v GROUP BY g) AS t ORDER BY g", call, some)
    session.report(kind)


def doubled(program):
    """Ties, and more rows than a table can have, by adding a sum to itself: counts up to 2^62."""
    cases = [(few, 1) for few in TIES]
    for values in list(KINDS.values()) + VECTORS[:13]:
        for _ in range(20):
            few = [draw.choice(values) for _ in range(draw.choice([1, 2, 3, 5, 9]))]
            cases.append((few, 2 ** draw.choice([0, 1, 31, 32, 33, 40, 58])))
    lines = [" ".join([str(times.bit_length() - 1)] + [float(x).hex() for x in few]) for few, times in cases]
    got = subprocess.run([program], input="\n".join(lines) + "\n", stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()
    wrong = []
    for (few, times), line in zip(cases, got):
        frame = Frame()
        for x in few:
            frame.take(x, times)
        want = [hexed(answer(frame)) for answer in FUNCTIONS.values()]
        if line.split(",") != want:
            wrong.append((few, times, line, want))
    print("%d answers of ties and of more rows than there are, %d wrong: %s" % (6 * len(got), len(wrong) + len(cases) - len(got), wrong[:2]), flush=True)


def main(psql, program):
    for kind, values in KINDS.items():
        windows(psql, "frames of " + kind, values, FRAMES, FUNCTIONS)
    reals = [[None if x is None else struct.unpack("f", struct.pack("f", x))[0] for x in nulls(values)]
             for values in (series(lambda: draw.gauss(0, 1)), series(lambda: scaled(-148, 120)), passing(500, 1e16),
                            series(lambda: draw.randint(-99, 99) * 2.0**-149), series(lambda: draw.choice([-0.0] * 9 + [1.0, INF, -INF, NAN])), series(lambda: draw.choice([1.0, -1.0, 2.0**-24, 2.0**-80, -(2.0**-80)])))]  # fmt: skip
    for i, values in enumerate(reals):
        windows(psql, "frames of reals, series %d" % i, values, FRAMES, REALS)
    for kind, values in LARGE.items():
        windows(psql, "large frames of " + kind, values, [preceding(4096), preceding(100000)],
                {call: FUNCTIONS[call] for call in ("exact_sum(x)", "exact_avg(x)", "exact_stddev_samp(x)")}, 37)  # fmt: skip
    groups = [nulls(values) for values in KINDS.values()]
    whole(psql, "vectors", VECTORS, FUNCTIONS)
    whole(psql, "groups", groups, FUNCTIONS)
    whole(psql, "groups of reals", reals, REALS)
    parallel = "SET max_parallel_workers_per_gather = 2; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; ALTER TABLE v SET (parallel_workers = 2);"
    whole(psql, "groups in parallel", groups, FUNCTIONS, parallel)
    tame = [values for kind, values in KINDS.items() if max(map(abs, values)) < 1e150]
    whole(psql, "tame groups in parallel", tame, FUNCTIONS, parallel)
    whole(psql, "vectors in parallel", VECTORS, FUNCTIONS, parallel)
    doubled(program)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])

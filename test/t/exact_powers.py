"""exact_powers.py PSQL: exact_skewness* and exact_kurtosis* against Python's integers.

Called by exact_powers.t with the server in the environment.  Makes series of doubles, integers and numerics of many
kinds, lets the server aggregate them whole, by groups, in parallel and over frames that move, by WindowAgg and by
PrefixScan, and computes each answer from its definition, with the roots of exact.py.  Prints "N answers of KIND, M
wrong".
"""

import math
import sys
from fractions import Fraction

from exact import FRAMES, INF, KINDS, NAN, TINY, UNIT, Session, draw, nearest, nearest_root, nulls, preceding, scaled

# ---- the oracle

PLACES = 320  # a numeric here is a whole number of 10^-320


class Number(str):
    """A numeric as text; its repr is what COPY reads."""

    __repr__ = str.__str__


class Frame:
    """The values of a frame, and what each function makes of them.  No result depends on the unit."""

    def __init__(self):
        self.n = self.odd = 0
        self.sum = [0] * 5

    def take(self, x, times=1):
        if x is None:
            return
        self.n += times
        whole = whole_number(x)
        if whole is None:
            self.odd += times
            return
        for power in range(1, 5):
            self.sum[power] += times * whole**power

    def moments(self):
        """n^2, n^3 and n^4 times the second, third and fourth central moment."""
        n, (_, a, b, c, d) = self.n, self.sum
        return n * b - a * a, n * n * c - 3 * n * a * b + 2 * a**3, n**3 * d - 4 * n * n * a * c + 6 * n * a * a * b - 3 * a**4

    def answer(self, least, result):
        if self.n < least:
            return None
        if self.odd:
            return NAN
        m2, m3, m4 = self.moments()
        return None if m2 == 0 else result(self.n, m2, m3, m4)

    def skewness(self):
        return self.answer(3, lambda n, m2, m3, m4: root(m3, m3 * m3 * n * (n - 1), m2**3 * (n - 2) ** 2))

    def skewness_pop(self):
        return self.answer(1, lambda n, m2, m3, m4: root(m3, m3 * m3, m2**3))

    def kurtosis(self):
        # (n - 1) / ((n - 2) (n - 3)) ((n + 1) g2 + 6)
        return self.answer(4, lambda n, m2, m3, m4: nearest((n - 1) * ((n + 1) * (m4 - 3 * m2**2) + 6 * m2**2), (n - 2) * (n - 3) * m2**2))

    def kurtosis_pop(self):
        return self.answer(1, lambda n, m2, m3, m4: nearest(m4 - 3 * m2**2, m2**2))


def root(sign, a, b):
    if math.gcd(a, b) > 1:
        a, b = a // math.gcd(a, b), b // math.gcd(a, b)
    return (-1 if sign < 0 else 1) * nearest_root(a, b) + 0.0


def whole_number(x):
    if isinstance(x, int):
        return x
    if isinstance(x, Number):
        if "n" in x.lower():
            return None
        number = Fraction(x) * 10**PLACES
        assert number.denominator == 1
        return number.numerator
    if not math.isfinite(x):
        return None
    numerator, denominator = x.as_integer_ratio()
    return numerator * (2**UNIT // denominator)


FUNCTIONS = {
    "exact_skewness(x)": Frame.skewness,
    "exact_skewness_pop(x)": Frame.skewness_pop,
    "exact_kurtosis(x)": Frame.kurtosis,
    "exact_kurtosis_pop(x)": Frame.kurtosis_pop,
}
REALS = {"exact_skewness(x::real)": Frame.skewness, "exact_kurtosis_pop(x::real)": Frame.kurtosis_pop}


def frame_of(values):
    frame = Frame()
    for x in values:
        frame.take(x)
    return frame


def moved(values, bounds):
    """The frames of rows, one after the other: bounds of both sides never run backwards."""
    frame, low, high, n = Frame(), 0, 0, len(values)
    for start, end in bounds:
        start, end = min(max(start, 0), n), min(max(start, end, 0), n)
        for i in range(high, end):
            frame.take(values[i])
        for i in range(low, start):
            frame.take(values[i], -1)
        low, high = max(low, start), max(high, end)
        yield frame


# ---- the series


def integers(n):
    """Integers of all sizes, some equal, the smallest and the largest."""
    return [draw.choice([-(2**63), 2**63 - 1, 0, 1, draw.randint(-9, 9), draw.randint(-(10**9), 10**9), 2**53 + draw.randint(-3, 3), draw.randint(-(2**63), 2**63 - 1)]) for _ in range(n)]


def numerics(n):
    """Numerics of few and of many digits, with few and many places, and now and then one that is no number."""
    def one():
        kind = draw.random()
        if kind < 0.01:
            return draw.choice(["NaN", "Infinity", "-Infinity"])
        if kind < 0.02:
            return "%d.%0300d" % (draw.randint(-(10**300), 10**300), draw.randint(0, 10**300 - 1))
        if kind < 0.04:
            return "1e%d" % draw.randint(-312, 311)
        if kind < 0.3:
            return "%de-%d" % (draw.randint(-(10**18), 10**18), draw.randint(0, 20))
        return "%d.%02d" % (draw.randint(-10000, 10000), draw.randint(0, 99))

    return [Number(one()) for _ in range(n)]


VECTORS = [
    [], [None], [1.0], [None, None, 5.0], [1.0, 1.0, 1.0, 1.0], [-0.0, 0.0, 0.0, -0.0], [1.0, 2.0], [1.0, 2.0, 3.0], [1.0, 2.0, 4.0], [1.0, 2.0, 4.0, 8.0],
    [NAN], [NAN, 1.0, 2.0], [NAN, 1.0, 2.0, 3.0], [INF, 1.0, 2.0, 3.0], [INF, -INF, 1.0, 1.0], [0.0, 0.0, 0.0, TINY], [TINY, -TINY, 3 * TINY, 0.0],
    [1.7e308, -1.7e308, 1.7e308, 1.0], [1.7e308] * 3 + [-1.7e308], [1e16, 1e16 + 2, 1e16 + 4, 1e16 + 10], [1.0, -1.0, 5e-324, 0.0], [1.0, -1.0, 2.0**-500, 0.0, 2.0**-300],
    [1.7e308, TINY, -1.7e308, TINY, -TINY],
]  # fmt: skip
SOME = [preceding(4), preceding(100), FRAMES[8]]


# ---- the comparison


def windows(psql, kind, values, frames, functions, step=1, type="float8"):
    """Frames of all rows, by both nodes; `step` apart are those that are compared."""
    session = Session(psql)
    values = nulls(values)
    session.load("i int, o int, x " + type, [(i, i // 3, x) for i, x in enumerate(values)])
    session.run("LOAD 'scan'; SET jit = off; SET work_mem = '64MB';")
    for clause, bounds in frames:
        wanted = {call: [] for call in functions}
        for i, frame in enumerate(moved(values, (bounds(i, len(values)) for i in range(len(values))))):
            for call, answer in functions.items():
                if i % step == 0:
                    wanted[call].append(answer(frame))
        order = "i" if clause.startswith("ROWS") else "o"
        for node in ("off", "force"):
            session.run("SET scan.prefixscan = %s;" % node)
            for call, answers in wanted.items():
                session.expect("SELECT %%s FROM (SELECT i, %%s OVER (ORDER BY %s %s) AS y FROM v) AS t WHERE mod(i, %d) = 0 ORDER BY i" % (order, clause, step), call, answers)
    session.report(kind)


def whole(psql, kind, groups, functions, settings="", type="float8"):
    """Whole groups: all rows, by GROUP BY and with FILTER."""
    session = Session(psql)
    session.load("g int, i int, x " + type, [(g, i, x) for g, values in enumerate(groups) for i, x in enumerate(values)])
    session.run("ANALYZE v; SET jit = off; " + settings)
    for call, answer in functions.items():
        session.expect("SELECT %s FROM (SELECT %s AS y FROM v) AS t", call, [answer(frame_of([x for values in groups for x in values]))])
        session.expect("SELECT %s FROM (SELECT g, %s AS y FROM v GROUP BY g) AS t ORDER BY g", call, [answer(frame_of(values)) for values in groups if values])
        some = [answer(frame_of(values[::2])) for values in groups if values]
        session.expect("SELECT %s FROM (SELECT g, %s FILTER (WHERE mod(i, 2) = 0) AS y FROM v GROUP BY g) AS t ORDER BY g", call, some)
    session.report(kind)


def main(psql):
    for kind, values in KINDS.items():
        windows(psql, "frames of " + kind, values[:250], SOME, FUNCTIONS)
    windows(psql, "frames of reals", [float(draw.randint(-(2**20), 2**20)) / 1024 for _ in range(500)], SOME, REALS)
    windows(psql, "many normals", [draw.gauss(0, 1) for _ in range(100100)], [preceding(20), preceding(5000)], FUNCTIONS, 37)
    windows(psql, "many exponents", [scaled(-60, 60) for _ in range(100100)], [preceding(5)], FUNCTIONS, 37)
    windows(psql, "many integers", integers(100100), [preceding(4), preceding(1000)], FUNCTIONS, 37, "bigint")
    windows(psql, "many numerics", numerics(100100), [preceding(6)], FUNCTIONS, 37, "numeric")
    windows(psql, "frames of numerics", numerics(2000), SOME, FUNCTIONS, 1, "numeric")
    windows(psql, "frames of integers", integers(2000), SOME, FUNCTIONS, 1, "bigint")
    parallel = "SET max_parallel_workers_per_gather = 2; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; ALTER TABLE v SET (parallel_workers = 2);"
    groups = [nulls(values[:200]) for values in KINDS.values()]
    for name, settings in (("", ""), (" in parallel", parallel)):
        whole(psql, "vectors" + name, VECTORS, FUNCTIONS, settings)
        whole(psql, "groups" + name, groups, FUNCTIONS, settings)
        whole(psql, "groups of integers" + name, [nulls(integers(200)) for _ in range(100)], FUNCTIONS, settings, "bigint")
        whole(psql, "groups of numerics" + name, [nulls(numerics(100)) for _ in range(100)], FUNCTIONS, settings, "numeric")


if __name__ == "__main__":
    main(sys.argv[1])

"""rationals.py PSQL: recurrences, filters, averages, products and clamped sums of float8
against fractions.Fraction.

Called by rationals.t with the server in the environment.  Makes series of many kinds,
lets the server scan them, computes each answer exactly, rounds it once (int / int is
correctly rounded in Python) and prints "N rows of KIND, M wrong".
"""

import ctypes
import math
import random
import struct
import subprocess
import sys
from fractions import Fraction

CHUNK = 4096
draw = random.Random(20261121)


def nearest(x):
    """The double nearest to a Fraction, +0 for zero; None beyond the doubles."""
    try:
        y = x.numerator / x.denominator + 0.0
    except OverflowError:
        return None
    return None if math.isinf(y) else y


def recurrence(init, rows):
    """The answers by definition, as far as none overflows."""
    shown, exact, count, answers = list(init), [Fraction(y) for y in init], 0, []
    for row in rows:
        if count == CHUNK:
            exact, count = [Fraction(y) for y in shown], 0
        value = Fraction(row[-1]) + sum(Fraction(a) * y for a, y in zip(row, exact))
        y = nearest(value)
        if y is None:
            break
        exact, shown, count = [value] + exact[:-1], [y] + shown[:-1], count + 1
        answers.append(y)
    return answers


def product(rows):
    """The same of products; at most one chunk."""
    value, answers = Fraction(1), []
    for (x,) in rows:
        value *= Fraction(x)
        y = nearest(value)
        if y is None:
            break
        answers.append(y)
    return answers


FEED, BACK = [0.25, -0.7, 0.1], [0.5, -0.9, 0.41]


def filtered(rows):
    """scan_filter(b, FEED, BACK): SciPy's lfilter, with one rounding for the dot product."""
    feed, back = [c / BACK[0] for c in FEED], [-(c / BACK[0]) for c in BACK[1:]]
    xs, fed = [Fraction(0)] * len(feed), []
    for (x,) in rows:
        xs = [Fraction(x)] + xs[:-1]
        fed.append(tuple(back) + (nearest(sum(Fraction(c) * x for c, x in zip(feed, xs))),))
    return recurrence([0.0] * len(back), fed)


ALPHA = 0.03


def average(rows):
    """scan_ema(b, ALPHA): the coefficients are rounded first, and the first row is its value."""
    return recurrence([0.0], [(0.0, x) if i == 0 else (1 - ALPHA, ALPHA * x) for i, (x,) in enumerate(rows)])


def adjusted(rows):
    """The same with adjust => true: the quotient of two recurrences."""
    keep = [0.0] + [1 - ALPHA] * (len(rows) - 1)
    above = recurrence([0.0], [(k, x) for k, (x,) in zip(keep, rows)])
    below = recurrence([0.0], [(k, 1.0) for k in keep])
    return [x / w for x, w in zip(above, below)]


EXP2 = ctypes.CDLL(None).exp2 if hasattr(ctypes.CDLL(None), "exp2") else ctypes.CDLL("libm.so.6").exp2
EXP2.restype, EXP2.argtypes = ctypes.c_double, [ctypes.c_double]


def by_time(type, adjust):
    """scan_ema(b, at, 2.5, adjust): a row keeps 2^(-elapsed / 2.5) of what is before; `at` is a[1], in some type."""
    unit = {"int8": "a[1]::int8", "float8": "a[1] / 10", "numeric": "1e20 + a[1]::numeric / 10", "timestamp": "timestamp '2024-01-01' + a[1] * interval '1 s'"}[type]
    half_life = "2.5" if type != "timestamp" else "interval '2.5 s'"

    def oracle(rows):
        ats = [(at / 10 if type == "float8" else at * 1000000 if type == "timestamp" else Fraction(int(at), 10) if type == "numeric" else at) for at, _ in rows]
        keep = [0.0] + [EXP2(-(float(b - a) / (2.5e6 if type == "timestamp" else 2.5))) for a, b in zip(ats, ats[1:])]
        if not adjust:
            return recurrence([0.0], [(k, (1 - k) * x) for k, (_, x) in zip(keep, rows)])
        above = recurrence([0.0], [(k, x) for k, (_, x) in zip(keep, rows)])
        below = recurrence([0.0], [(k, 1.0) for k in keep])
        return [x / w for x, w in zip(above, below)]

    return (oracle, "scan_ema(b, %s, %s%s)" % (unit, half_life, ", adjust => true" if adjust else ""))


def timed():
    """Rows in order of time: the time and a value."""
    now[0] += draw.choice([0, 0, 1, 1, 2, 5, 40])
    return (float(now[0]), draw.gauss(0, 1))


now = [0]


LOWER, UPPER, START = -0.1, 0.7e16, 0.3


def clamped(rows):
    """scan_clamped_sum(b, LOWER, UPPER, START)."""
    value, answers = Fraction(START), []
    for (x,) in rows:
        value = min(Fraction(UPPER), max(Fraction(LOWER), value + Fraction(x)))
        answers.append(nearest(value))
    return answers


def scaled(low, high):
    return math.ldexp(draw.uniform(-1, 1), draw.randint(low, high))


TINY = 5e-324
# kind: (initial values, or an oracle and its call, or None for products; one row's coefficients and term; rows; series)
KINDS = {
    "EMA": ([0.0], lambda: (0.98, 0.02 * draw.gauss(0, 1)), 300, 60),
    "compounding": ([1000.0], lambda: (1 + draw.random() * 0.001, draw.uniform(-1, 1)), 300, 60),
    "a near 1": ([0.0], lambda: (1 + draw.uniform(-1, 1) * 1e-5, draw.gauss(0, 1)), 300, 60),
    "random signs": ([0.5], lambda: (draw.uniform(-1.2, 1.2), draw.gauss(0, 1)), 300, 60),
    "a of 0, 1, -1 and 1/2": ([1.0], lambda: (draw.choice([0.0, -0.0, 1.0, -1.0, 0.5]), draw.choice([0.0, -0.0, draw.gauss(0, 1)])), 300, 60),
    "decays into subnormals": ([1.0], lambda: (draw.uniform(0.02, 0.3), 0.0), 450, 30),
    "decays from below": ([-1.0], lambda: (draw.uniform(0.05, 0.2), draw.choice([0.0, -TINY, -3e-310])), 450, 30),
    "the largest subnormals": ([-3e-308], lambda: (draw.choice([0.6, 0.8, 0.9, 1.5, -0.9]), draw.choice([0.0, 0.0, 1e-308, -1e-308, TINY])), 60, 300),
    "ties of small integers": ([3.0], lambda: (0.5, float(draw.randint(-4, 4))), 300, 60),
    "ties at the last bit": ([3.0], lambda: (draw.choice([1.0, -1.0]), draw.choice([1.0, 2.0**-53, 2.0**-52, 3 * 2.0**-54, -(2.0**-53)])), 300, 60),
    "huge exponents": ([0.0], lambda: (scaled(-300, 250), scaled(-1000, 900)), 40, 400),
    "tiny terms": ([0.0], lambda: (0.5, draw.choice([TINY, 2 * TINY, 0.0, -TINY, 2.0**-1022])), 300, 40),
    "two chunks of powers of two": ([1.0], lambda: (draw.choice([1.0, -1.0]), draw.choice([0.5, -0.25, 2.0**-40])), 4300, 2),
    "order 2, a biquad": ([0.0, 0.0], lambda: (1.9911142922, -0.9911535959, draw.gauss(0, 1)), 300, 40),
    "order 2, Fibonacci": ([1.0, 0.0], lambda: (1.0, 1.0, 0.0), 1400, 2),
    "order 3, mild": ([0.0, 0.1, 0.2], lambda: (0.5, -0.3, 0.1, draw.gauss(0, 1)), 300, 40),
    "order 3, small integers": ([1.0, 2.0, 3.0], lambda: (0.5, -0.25, 0.25, float(draw.randint(-3, 3))), 300, 40),
    "order 3, decays": ([-1.0, 1.0, -1.0], lambda: (draw.uniform(0, 0.3), 0.1, -0.05, 0.0), 500, 16),
    "order 8": ([0.0] * 8, lambda: tuple(draw.uniform(-0.3, 0.3) for _ in range(8)) + (draw.gauss(0, 1),), 200, 30),
    "products near 1": (None, lambda: (1 + draw.uniform(-1, 1) * 1e-3,), 300, 40),
    "products that leave the doubles": (None, lambda: (draw.choice([1, -1]) * scaled(-40, 39),), 200, 60),
    "filters": ((filtered, "scan_filter(b, '{%s}', '{%s}')" % (",".join(map(str, FEED)), ",".join(map(str, BACK)))), lambda: (draw.gauss(0, 1),), 300, 30),
    "filters of wild values": ((filtered, "scan_filter(b, '{%s}', '{%s}')" % (",".join(map(str, FEED)), ",".join(map(str, BACK)))), lambda: (scaled(-1000, 900),), 40, 100),
    "averages": ((average, "scan_ema(b, %r)" % ALPHA), lambda: (draw.gauss(0, 1),), 300, 30),
    "adjusted averages": ((adjusted, "scan_ema(b, %r, true)" % ALPHA), lambda: (draw.gauss(0, 1),), 300, 30),
    **{
        "%s by time, %s" % ("adjusted averages" if adjust else "averages", type): (by_time(type, adjust), timed, 25, 2100)
        for type in ["int8", "float8", "numeric", "timestamp"]
        for adjust in [False, True]
    },
    "clamped sums": ((clamped, "scan_clamped_sum(b, %r, %r, %r)" % (LOWER, UPPER, START)), lambda: (scaled(-80, 2),), 300, 30),
    "clamped sums of wild values": ((clamped, "scan_clamped_sum(b, %r, %r, %r)" % (LOWER, UPPER, START)), lambda: (scaled(-300, 70),), 300, 30),
    "products of subnormals": (None, lambda: (draw.choice([TINY * draw.randint(1, 9), 3.0, 1.5, 2.0**100, 2.0**90 * 1.1]),), 60, 200),
}


def server_answers(psql, init, series):
    order = len(init) if isinstance(init, list) else 0
    script = ["SET jit = off; CREATE TEMP TABLE v (s int, i int, a float8[], b float8);", "COPY v FROM STDIN;"]
    for s, rows in enumerate(series):
        for i, row in enumerate(rows):
            script.append("%d\t%d\t{%s}\t%.17g" % (s, i, ",".join("%.17g" % a for a in row[:-1]), row[-1]))
    script.append("\\.")
    if order == 0:
        call = "scan_product(b)" if init is None else init[1]
    elif order == 1:
        call = "scan_recurrence(a[1], b, %.17g)" % init[0]
    else:
        call = "scan_recurrence(a, b, '{%s}')" % ",".join("%.17g" % y for y in init)
    script.append("SELECT encode(float8send(y), 'hex') FROM (SELECT s, i, %s OVER (PARTITION BY s ORDER BY i) AS y FROM v) t ORDER BY s, i;" % call)
    run = subprocess.run([psql, "-X", "-A", "-t", "-q", "-v", "ON_ERROR_STOP=1"], input="\n".join(script) + "\n",
                         capture_output=True, text=True, check=True)
    return run.stdout.split()


def main(psql):
    for kind, (init, make, rows, count) in KINDS.items():
        series, wanted = [], []
        for _ in range(count):
            one = [make() for _ in range(rows)]
            if isinstance(init, list):
                answers = recurrence(init, one)
            else:
                answers = product(one) if init is None else init[0](one)
            series.append(one[: len(answers)])
            wanted += answers
        got = server_answers(psql, init, series)
        want = [struct.pack(">d", y).hex() for y in wanted]
        wrong = [(i, g, w) for i, (g, w) in enumerate(zip(got, want)) if g != w]
        print("%d rows of %s, %d wrong: %s" % (len(want), kind, len(wrong) + abs(len(got) - len(want)), wrong[:3]), flush=True)


main(sys.argv[1])

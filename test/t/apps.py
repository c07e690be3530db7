"""apps.py PSQL: csr_multiply, tridiagonal_solve and bit_add against Python's integers and
fractions.

Called by apps.t with the server in the environment.  Prints "N of KIND, M wrong".
"""

import math
import random
import struct
import subprocess
import sys
from fractions import Fraction

draw = random.Random(20261121)


def ask(psql, queries):
    """The one value of each query, as text; and whether there was a warning."""
    run = subprocess.run([psql, "-X", "-A", "-t", "-q", "-v", "ON_ERROR_STOP=1"], input=";\n".join(queries) + ";\n",
                         capture_output=True, text=True, check=True)
    return run.stdout.split("\n")[:-1], "WARNING" in run.stderr


def doubles(xs):
    return "'{%s}'::float8[]" % ",".join("%.17g" % x for x in xs)


def integers(xs, kind="int"):
    return "'{%s}'::%s[]" % (",".join(map(str, xs)), kind)


def numbers(text):
    return [float(x) for x in text.strip("{}").split(",")] if text != "{}" else []


def report(kind, count, wrong):
    print("%d of %s, %d wrong: %s" % (count, kind, len(wrong), wrong[:2]), flush=True)


# ---- csr_multiply: int / int is correctly rounded in Python


def nearest(x):
    return x.numerator / x.denominator + 0.0


def scaled(low, high):
    return math.ldexp(draw.uniform(-1, 1), draw.randint(low, high))


VALUES = {
    "mild values": lambda: draw.gauss(0, 1),
    "small integers": lambda: float(draw.randint(-3, 3)),
    "values far apart": lambda: scaled(-200, 200),
    "values of all sizes": lambda: scaled(-1060, 480),
    "subnormals": lambda: draw.choice([1, -1]) * 5e-324 * draw.randint(0, 9),
    "ties": lambda: draw.choice([1.0, 2.0**-53, -(2.0**-53), 2.0**-54, 2.0**-106, 3.0]),
}


def matrix(make, rows, columns):
    row_ptr, col_idx, values = [0], [], []
    for _ in range(rows):
        n = draw.choice([0, 1, 2, 3, 5, 20, 40])
        col_idx += [draw.randrange(columns) for _ in range(n)]
        some = [make() for _ in range(n)]
        values += some if draw.random() < 0.5 or n < 2 else some[: n // 2] + [-v for v in some[: n - n // 2]]
        row_ptr.append(len(values))
    return row_ptr, col_idx, values


def csr(psql):
    for kind, make in VALUES.items():
        queries, wanted = [], []
        for m in range(30):
            columns = draw.choice([1, 7, 50])
            row_ptr, col_idx, values = matrix(make, 20, columns)
            x = [make() for _ in range(columns)]
            queries.append("SELECT csr_multiply(%s, %s, %s, %s)" % (integers(row_ptr, draw.choice(["int", "bigint"])), integers(col_idx), doubles(values), doubles(x)))
            wanted.append([nearest(sum((Fraction(values[i]) * Fraction(x[col_idx[i]]) for i in range(a, b)), Fraction(0)))
                           for a, b in zip(row_ptr, row_ptr[1:])])
        got = [y for line in ask(psql, queries)[0] for y in numbers(line)]
        want = [y for ys in wanted for y in ys]
        pairs = [(g, w) for g, w in zip(got, want) if struct.pack(">d", g) != struct.pack(">d", w)]
        report("rows of matrices with " + kind, len(want), pairs + [None] * abs(len(got) - len(want)))


# ---- bit_add: Python's integers


def bits(psql):
    queries, wanted = [], []
    for _ in range(3000):
        a, b = (draw.choice([0, 1, 5, 63, 64, 65, 128, draw.randint(0, 400)]) for _ in range(2))
        x, y = ("".join(draw.choice(digits) for _ in range(n)) for n, digits in ((a, draw.choice(["01", "1", "1110"])), (b, draw.choice(["01", "1", "0", "0001"]))))
        queries.append("SELECT bit_add(B'%s', B'%s')" % (x, y))
        wanted.append(format(int(x or "0", 2) + int(y or "0", 2), "b").zfill(max(a, b) + 1))
    wrong = [(q, g, w) for q, g, w in zip(queries, ask(psql, queries)[0], wanted) if g != w]
    report("sums of bits", len(wanted), wrong)

    queries, wanted = [], []
    for n in (100000, 1000000, 4000003):
        x, y = draw.getrandbits(n), draw.getrandbits(n - 77)
        queries.append("SELECT md5(bit_add(('x' || '%x')::varbit, ('x' || '%x')::varbit)::text)" % (x, y))
        width = 4 * len("%x" % x) + 1
        wanted.append("SELECT md5('%s')" % format(x + y, "b").zfill(width))
    report("sums of up to four million bits", len(wanted), [i for i, (g, w) in enumerate(zip(ask(psql, queries)[0], ask(psql, wanted)[0])) if g != w])


# ---- tridiagonal_solve: the exact solution


def solve(lower, diagonal, upper, rhs):
    """By elimination in fractions; None for a zero pivot."""
    pivot, y = [], []
    for i, d in enumerate(diagonal):
        factor = lower[i] / pivot[-1] if i else Fraction(0)
        pivot.append(d - factor * (upper[i - 1] if i else 0))
        if pivot[-1] == 0:
            return None
        y.append(rhs[i] - factor * (y[-1] if i else 0))
    x = [y[-1] / pivot[-1]]
    for i in range(len(y) - 2, -1, -1):
        x.insert(0, (y[i] - upper[i] * x[0]) / pivot[i])
    return x


def dominant(n):
    lower, upper = ([draw.gauss(0, 1) for _ in range(n)] for _ in range(2))
    return lower, [(abs(l) + abs(u) + draw.expovariate(1)) * draw.choice([1, -1]) for l, u in zip(lower, upper)], upper


def barely(n):
    return [-1.0] * n, [2.0 + draw.choice([0, 0, 2.0**-30]) for _ in range(n)], [-1.0] * n


def spline(n):
    h = [draw.uniform(0.01, 10) for _ in range(n + 1)]
    return h[:-1], [2 * (a + b) for a, b in zip(h, h[1:])], h[1:]


def any_at_all(n):
    return tuple([draw.gauss(0, 1) for _ in range(n)] for _ in range(3))


def tiny_pivots(n):
    lower, diagonal, upper = any_at_all(n)
    return lower, [d * draw.choice([1, 1e-4, 1e-12]) for d in diagonal], upper


def lost_pivots(n):
    lower, diagonal, upper = any_at_all(n)
    return lower, [d * draw.choice([1, 1e-18, 1e-24]) for d in diagonal], upper


def far_apart(n):
    lower, diagonal, upper = dominant(n)
    scale = [2.0 ** draw.randint(-300, 300) for _ in range(n)]
    return [l * s for l, s in zip(lower, scale)], [d * s for d, s in zip(diagonal, scale)], [u * s for u, s in zip(upper, scale)]


# how far off at most, of the largest element: an ulp of it or less where the diagonal dominates
SYSTEMS = {"dominant": (dominant, 2.0**-52), "barely dominant": (barely, 2.0**-52), "of splines": (spline, 2.0**-52),
           "dominant, with rows far apart": (far_apart, 2.0**-52), "not dominant": (any_at_all, 2.0**-50),
           "with tiny pivots": (tiny_pivots, 2.0**-47)}
WARNED = 2.0**-42  # nothing is further off than that without a warning


def off(text, exact):
    ys = numbers(text)
    assert len(ys) == len(exact)
    return float(max(abs(Fraction(y) - x) for y, x in zip(ys, exact)) / max(map(abs, exact)))


def systems(make, count):
    """Queries, and the solutions."""
    while count > 0:
        n = draw.choice([1, 2, 3, 5, 20, 70])
        columns = make(n) + ([draw.gauss(0, 1) for _ in range(n)],)
        exact = solve(*([Fraction(v) for v in column] for column in columns))
        if exact is not None:
            count -= 1
            yield "SELECT tridiagonal_solve(%s, %s, %s, %s)" % tuple(map(doubles, columns)), exact


def tridiagonal(psql):
    for kind, (make, near) in SYSTEMS.items():
        queries, exact = zip(*systems(make, 60))
        got, warned = ask(psql, queries)
        far = [d for d in map(off, got, exact) if d > near]
        report("tridiagonal systems " + kind, len(got), far + ["a warning"] * warned)

    wrong, warnings = [], 0
    for query, exact in systems(lost_pivots, 60):
        got, warned = ask(psql, [query])
        warnings += warned
        if off(got[0], exact) > WARNED and not warned:
            wrong.append(off(got[0], exact))
    report("tridiagonal systems with lost pivots", 60, wrong + ["no warnings"] * (warnings == 0))

    queries, wanted = [], []
    for _ in range(200):
        n = draw.randint(1, 6)
        columns = [[draw.randint(-9, 9) for _ in range(n)] for _ in range(3)]
        x = [draw.randint(-99, 99) for _ in range(n)]
        rhs = [sum(columns[1 + j][i] * x[i + j] for j in (-1, 0, 1) if 0 <= i + j < n) for i in range(n)]
        if solve(*([Fraction(v) for v in column] for column in columns + [rhs])) is not None:
            queries.append("SELECT tridiagonal_solve(%s, %s, %s, %s)" % tuple(map(doubles, columns + [rhs])))
            wanted.append([float(v) for v in x])
    got = [numbers(line) for line in ask(psql, queries)[0]]
    report("small integer systems, solved exactly", len(wanted), [(q, g) for q, g, w in zip(queries, got, wanted) if g != w])


csr(sys.argv[1])
bits(sys.argv[1])
tridiagonal(sys.argv[1])

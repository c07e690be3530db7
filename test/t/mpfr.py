"""mpfr.py PSQL: exact aggregates, running sums and products, and exponentially weighted statistics against MPFR.

Called by mpfr.t with the server in the environment.  The other oracles of these functions (exact.py, exact_pairs.py,
exact_powers.py, exact_weighted.py, products.py, rationals.py and ema_moments.py) are integers and fractions of Python,
which functions of those files round.  None of them finds an error that the oracle has made as well.  This one differs:

- The numbers are those of MPFR, by gmpy2, and MPFR rounds them to a double or to a real.
- Moments are sums of powers of deviations from the mean, the definition.  The other oracles subtract products of sums
  of powers, as the extension does.
- Each frame is computed anew from its rows.
- An exponentially weighted statistic must be the nearest double unless its error may cross the middle of two doubles.
  ema_moments.py allows up to a whole unit in the last place, and any number below 2^-1001.

No operation rounds but the last one: where another one does, MPFR raises an error, and more bits are taken.

Prints "N answers of FUNCTION, M wrong: the first".  SCAN_TEST_SERIES says how many series there are, SCAN_TEST_SEED
which ones.
"""

import math
import operator
import os
import random
import struct
import subprocess
import sys

import gmpy2

ROWS = 40
SERIES = int(os.environ.get("SCAN_TEST_SERIES", 48))
draw = random.Random(int(os.environ.get("SCAN_TEST_SEED", 20261130)))
INF, NAN, TINY, HALF = math.inf, math.nan, 5e-324, 2.0**-53

# ---- numbers

DOUBLE, REAL = gmpy2.ieee(64), gmpy2.ieee(32)
UP, DOWN = (gmpy2.context(precision=400, round=way) for way in (gmpy2.RoundUp, gmpy2.RoundDown))
OVERFLOW, UNDERFLOW = ("ERROR value out of range: " + way for way in ("overflow", "underflow"))


def in_context(context, function, *arguments):
    """Not by the context's own method: div of gmpy2 2.1 takes the precision of another context."""
    with gmpy2.local_context(context):
        return function(*arguments)


def exactly(function, *arguments):
    """What a function makes of numbers by operations that do not round."""
    bits = 512
    while True:
        try:
            return in_context(gmpy2.context(precision=bits, trap_inexact=True), function, *arguments)
        except gmpy2.InexactResultError:
            bits *= 4


def double(number):
    return OVERFLOW if gmpy2.is_infinite(number) else float(number) + 0.0


def quotient(a, b):
    return double(in_context(DOUBLE, gmpy2.div, a, b))


def between(a, b):
    """a / b, or a number beside it on the same side of all numbers of up to 400 bits."""
    low, high = (in_context(way, gmpy2.div, a, b) for way in (DOWN, UP))
    return in_context(gmpy2.context(precision=402, trap_inexact=True), lambda: (low + high) / 2)


def root(a, b):
    """The root of a / b: it is above the middle of two doubles if a / b is above its square, which has 108 bits."""
    return double(in_context(DOUBLE, gmpy2.sqrt, between(a, b)))


def signed_root(sign, a, b):
    y = root(a, b)
    return -y + 0.0 if sign < 0 else y


def are_finite(values):
    return all(map(math.isfinite, values))


# ---- exact aggregates


def powers(values, n):
    """The sums of squares, cubes and fourth powers of n times the deviations from the mean."""
    total = gmpy2.fsum(values)
    deviations = [n * gmpy2.mpfr(x) - total for x in values]
    return [gmpy2.fsum([d**k for d in deviations]) for k in (2, 3, 4)]


def of_values(values):
    """The answers for the values of a frame."""
    n = len(values)
    answers = dict.fromkeys(VALUE_CALLS)
    if n == 0:
        return answers
    total = in_context(DOUBLE, gmpy2.fsum, values)
    answers["exact_sum(x)"] = OVERFLOW if are_finite(values) and gmpy2.is_infinite(total) else float(total)
    if are_finite(values):
        weighted = exactly(lambda: gmpy2.fsum([(i + 1) * gmpy2.mpfr(x) for i, x in enumerate(values)]))
        answers["exact_avg(x)"] = quotient(exactly(gmpy2.fsum, values), n)
        answers["exact_weighted_avg(x)"] = quotient(weighted, n * (n + 1) // 2)
        m2, m3, m4 = exactly(powers, values, n)
    else:
        answers["exact_avg(x)"] = float(total)
        answers["exact_weighted_avg(x)"] = NAN
        m2 = m3 = m4 = gmpy2.mpfr(NAN)

    def give(call, least, function):
        if n >= least:
            answers[call] = NAN if gmpy2.is_nan(m2) else exactly(function)

    for name, less in (("pop", 0), ("samp", 1)):
        give("exact_var_%s(x)" % name, 1 + less, lambda: quotient(m2, n * n * (n - less)))
        give("exact_stddev_%s(x)" % name, 1 + less, lambda: root(m2, n * n * (n - less)))
    if m2 != 0:
        give("exact_skewness_pop(x)", 1, lambda: signed_root(m3, n * m3**2, m2**3))
        give("exact_skewness(x)", 3, lambda: signed_root(m3, n * n * (n - 1) * m3**2, (n - 2) ** 2 * m2**3))
        give("exact_kurtosis_pop(x)", 1, lambda: quotient(n * m4 - 3 * m2**2, m2**2))
        above = lambda: (n - 1) * ((n + 1) * (n * m4 - 3 * m2**2) + 6 * m2**2)
        give("exact_kurtosis(x)", 4, lambda: quotient(above(), (n - 2) * (n - 3) * m2**2))
    return answers


VALUE_CALLS = ["exact_sum(x)", "exact_avg(x)", "exact_weighted_avg(x)", "exact_var_pop(x)", "exact_var_samp(x)",
               "exact_stddev_pop(x)", "exact_stddev_samp(x)", "exact_skewness(x)", "exact_skewness_pop(x)",
               "exact_kurtosis(x)", "exact_kurtosis_pop(x)"]  # fmt: skip


def products(pairs, n):
    """The sums of squares of n times the deviations of y and x, that of their products, and the sums of y and x."""
    y, x = (gmpy2.fsum(column) for column in zip(*pairs))
    deviations = [(n * gmpy2.mpfr(a) - y, n * gmpy2.mpfr(b) - x) for a, b in pairs]
    yy, xx = (gmpy2.fsum([d[i] ** 2 for d in deviations]) for i in (0, 1))
    return yy, xx, gmpy2.fsum([a * b for a, b in deviations]), y, x


def of_pairs(pairs):
    n = len(pairs)
    answers = dict.fromkeys(PAIR_CALLS)
    if n == 0:
        return answers
    ys, xs = zip(*pairs)
    # all y are equal, all x are equal
    level, upright = (are_finite(column) and min(column) == max(column) for column in (ys, xs))
    if are_finite(ys + xs):
        yy, xx, xy, y, x = exactly(products, pairs, n)
    else:
        yy = xx = xy = y = x = gmpy2.mpfr(NAN)

    def give(call, function):
        answers[call] = NAN if gmpy2.is_nan(xx) else exactly(function)

    give("exact_covar_pop(y, x)", lambda: quotient(xy, n**3))
    if n > 1:
        give("exact_covar_samp(y, x)", lambda: quotient(xy, n * n * (n - 1)))
    if not upright:
        give("exact_regr_slope(y, x)", lambda: quotient(xy, xx))
        give("exact_regr_intercept(y, x)", lambda: quotient(y * xx - xy * x, n * xx))
        give("exact_regr_r2(y, x)", lambda: quotient(xy**2, xx * yy))
        if level:
            answers["exact_regr_r2(y, x)"] = 1.0
        else:
            give("exact_corr(y, x)", lambda: signed_root(xy, xy**2, xx * yy))
    weights = gmpy2.mpfr(NAN) if gmpy2.is_nan(xx) else exactly(gmpy2.fsum, xs)
    if weights != 0:
        give("exact_weighted_avg(y, x)", lambda: quotient(gmpy2.fsum([gmpy2.mpfr(a) * b for a, b in pairs]), weights))
    return answers


PAIR_CALLS = ["exact_covar_pop(y, x)", "exact_covar_samp(y, x)", "exact_corr(y, x)", "exact_regr_slope(y, x)",
              "exact_regr_intercept(y, x)", "exact_regr_r2(y, x)", "exact_weighted_avg(y, x)"]  # fmt: skip


def of_factors(factors):
    """MPFR's rules for infinities, zeros and NaN are those of IEEE."""
    if not factors:
        return {"exact_product(p)": None}
    y = in_context(DOUBLE, operator.pos, exactly(math.prod, [gmpy2.mpfr(x) for x in factors]))
    finite = are_finite(factors)
    if finite and y == 0 and 0 not in factors:
        return {"exact_product(p)": UNDERFLOW}
    return {"exact_product(p)": double(y) if finite else float(y)}


def of_reals(reals):
    """Bytes of a real."""
    if not reals:
        return {"exact_sum(r)": None}
    y = in_context(REAL, gmpy2.fsum, reals)
    return {"exact_sum(r)": OVERFLOW if are_finite(reals) and gmpy2.is_infinite(y) else float(y)}


AGGREGATES = [(of_values, "x", VALUE_CALLS), (of_pairs, "yx", PAIR_CALLS), (of_factors, "p", ["exact_product(p)"]),
              (of_reals, "r", ["exact_sum(r)"])]  # fmt: skip

# frames, and whether row j is in that of row i
FRAMES = {
    "ROWS 6 PRECEDING": lambda i, j: i - 6 <= j <= i,
    "ROWS BETWEEN 2 PRECEDING AND 3 FOLLOWING EXCLUDE CURRENT ROW": lambda i, j: i - 2 <= j <= i + 3 and j != i,
    "RANGE BETWEEN 11 PRECEDING AND 3 PRECEDING": lambda i, j: i - 11 <= j <= i - 3,
}
GROUP = 8

# ---- scans


def rounded(number):
    return double(in_context(DOUBLE, operator.pos, number))


def recurrence(rows):
    """y := a y + b from 0 on, and once a number is not finite by floats; a row that is None has the answer before."""
    exact, shown, answers = gmpy2.mpfr(0), None, []
    for row in rows:
        if row is not None:
            a, b = row
            if exact is not None and are_finite(row):
                exact = exactly(lambda: gmpy2.mpfr(a) * exact + gmpy2.mpfr(b))
                shown = rounded(exact)
            else:
                exact, shown = None, a * (shown or 0.0) + b
        answers.append(shown)
        if shown == OVERFLOW:
            break
    return answers


def average(xs, alpha, adjust):
    """scan_ema: its coefficients are rounded, and the first row has its value."""
    rows, weights, first = [], [], True
    for x in xs:
        keep = 0.0 if first else 1 - alpha
        rows.append(None if x is None else (keep, x if first or adjust else alpha * x))
        weights.append(None if x is None else (keep, 1.0))
        first = first and x is None
    if not adjust:
        return recurrence(rows)
    return [y if y is None or y == OVERFLOW else y / w + 0.0 for y, w in zip(recurrence(rows), recurrence(weights))]


def running_product(factors):
    answers, exact, shown = [], gmpy2.mpfr(1), None
    for x in factors:
        if x is not None:
            if exact is not None and math.isfinite(x):
                exact = exactly(lambda: exact * gmpy2.mpfr(x))
                shown = rounded(exact)
            else:
                exact, shown = None, (1.0 if shown is None else shown) * x
        answers.append(shown)
        if shown == OVERFLOW:
            break
    return answers


def running_sum(values):
    return [of_values([x for x in values[: i + 1] if x is not None])["exact_sum(x)"] for i in range(len(values))]


# ---- exponentially weighted statistics


def weighted(pairs, alpha, adjust):
    """The sum of the weights, that of their squares, and the weighted sums of products of deviations times W^2."""
    beta, weights = 1 - gmpy2.mpfr(alpha), []
    for i in range(len(pairs)):
        weights = [beta * w for w in weights] + [gmpy2.mpfr(1 if i == 0 or adjust else alpha)]
    total = gmpy2.fsum(weights)
    ys, xs = ([gmpy2.mpfr(v) for v in column] for column in zip(*pairs))
    y, x = (gmpy2.fsum([w * v for w, v in zip(weights, column)]) for column in (ys, xs))
    dy, dx = ([total * v - mean for v in column] for column, mean in ((ys, y), (xs, x)))
    sums = [gmpy2.fsum([w * a * b for w, a, b in zip(weights, *both)]) for both in ((dy, dy), (dx, dx), (dy, dx))]
    return [total, gmpy2.fsum([w * w for w in weights]), y, x] + sums


def reach(value, error):
    """Between which doubles a value with an error may be rounded."""
    low, high = (in_context(DOUBLE, operator.pos, value + sign * error) for sign in (-1, 1))
    return OVERFLOW if low == high and gmpy2.is_infinite(low) else (float(low), float(high))


def statistic(call, sums, bias):
    """Between which doubles a statistic lies, by 400 bits.

    Its terms have 2^-90 of their size as an error, as op/ema_moments.h has 2^-102 a row; a mean has 2^-150.
    """
    total, squares, y, x, yy, xx, xy = sums
    below = exactly(lambda: total**3 if bias or call == "corr" else total * (total**2 - squares))
    if below == 0 or call == "corr" and (yy == 0 or xx == 0):
        return None
    with gmpy2.local_context(gmpy2.context(precision=400)):
        deviation_y, deviation_x = gmpy2.sqrt(yy * total), gmpy2.sqrt(xx * total)
        error = deviation_y * deviation_x / 2**90 + (abs(y) * deviation_x + abs(x) * deviation_y) * total / 2**150
        if call == "corr":
            value, below = gmpy2.div(xy * total, deviation_y * deviation_x), deviation_y * deviation_x
            low, high = reach(value, error / below)
            return max(low, -1.0), min(high, 1.0)
        value, error = xy / below, error / below / total
        if call == "stddev":
            value, error = gmpy2.sqrt(value), gmpy2.sqrt(value + error) - gmpy2.sqrt(value)
        # below the least normal double a number is rounded twice
        return reach(value, error + (abs(value) / 2**53 if abs(value) < 2.0**-1021 else 0))


def statistics(call, pairs, alpha, adjust, bias):
    answers, known, answer = [], [], None
    for pair in pairs:
        if None not in pair:
            known.append(pair)
            if not are_finite([v for pair in known for v in pair]):
                answer = NAN if len(known) > 1 or bias and call != "corr" else None
            else:
                answer = statistic(call, exactly(weighted, known, alpha, adjust), bias)
        answers.append(answer)
    return answers


# ---- rows


def scaled(low, high):
    return math.ldexp(draw.choice([1, -1]) * (1 + draw.random()), draw.randint(low, high))


def drawn(*values):
    return lambda: draw.choice(values)


class Cancelling:
    """Values, each of which leaves again by its negative one."""

    def __init__(self):
        self.open = []

    def __call__(self):
        if self.open and draw.random() < 0.5:
            return -self.open.pop(draw.randrange(len(self.open)))
        self.open.append(scaled(-500, 500))
        return self.open[-1]


class Middles:
    """Groups of eight factors: the middle of two doubles, times a bit more or less than a power of two."""

    ABOVE = [6342316091062381.0, 4612826542306505.0, 2859406173022213.0, 4802288912473.0]  # 2^198 + 1

    def __init__(self):
        self.factors = []

    def __call__(self):
        if not self.factors:
            k, divisor, m = draw.randint(46, 52), draw.choice([3, 5, 7, 11, 101]), 0
            while m.bit_length() != 54:
                m = (draw.getrandbits(53) | 1) * divisor
            beside = draw.choice([self.ABOVE, [2.0**k + 1, 2.0**k - 1, 1.0, 0.5]])
            self.factors = beside + [float(divisor), -float(m // divisor), 1.0, 2.0]
        return self.factors.pop()


class Stuck:
    """A value that changes no more after some rows: what it was before fades to less than a double holds."""

    def __init__(self):
        self.row = 0

    def __call__(self):
        self.row += 1
        return draw.gauss(0, 1) if self.row < 6 else 5.0


class Staying:
    """A value that seldom changes, so that what was before fades away."""

    def __init__(self):
        self.value = 5.0

    def __call__(self):
        if draw.random() < 0.06:
            self.value = draw.choice([5.0, 7.0, 0.1, 1e-200, draw.gauss(0, 1)])
        return self.value


# makers of functions that make one value
VALUES = {
    "normals": lambda: lambda: draw.gauss(0, 1),
    "large and close": lambda: lambda: 1e9 + draw.gauss(0, 1e-3),
    "larger and closer": lambda: lambda: 1e15 + draw.randint(0, 9) / 8,
    "roots beside middles": lambda: drawn(2.0**53, -1.0, -1.0 + 2.0**-40, -1.0 - 2.0**-50, 2.0**53),
    "small integers": lambda: lambda: float(draw.randint(-3, 3)),
    "ties": lambda: drawn(1.0, 3.0, HALF, -HALF, 2.0**-106, -(2.0**-106), 2.0**-300, 1 + 2 * HALF, 1 - HALF),
    "ties of whole numbers": lambda: drawn(2.0**53, 2.0**53, 1.0, -1.0, 3.0),
    "1e-300 to 1e300": lambda: lambda: draw.choice([1, -1]) * 10 ** draw.uniform(-300, 300),
    "all exponents": lambda: lambda: scaled(-1074, 1022),
    "subnormals": lambda: lambda: draw.randint(-99, 99) * TINY,
    "the least normals": lambda: lambda: scaled(-1024, -1019),
    "squares beside the least normal": lambda: lambda: scaled(-514, -508),
    "near overflow": lambda: lambda: draw.choice([1.7e308, -1.7e308, 1e308, -1e308, 2.0**970, -(2.0**969)]),
    "cancellation": Cancelling,
    "zeros": lambda: drawn(-0.0, -0.0, -0.0, 0.0, 1.0, -1.0),
    "zeros and tiny": lambda: drawn(0.0, 0.0, 1e-300, 3e-300, 1e-310),
    "minus zeros": lambda: drawn(-0.0),
    "infinities and NaN": lambda: lambda: draw.choice([INF, -INF, NAN] + [draw.gauss(0, 1)] * 47),
    "an infinity": lambda: lambda: draw.choice([INF] + [draw.gauss(0, 1)] * 27),
    "staying": Staying,
    "stuck": Stuck,
    "neighbours": lambda: drawn(1.0, 1 + 2 * HALF, 1 - HALF),
    "quotients beside middles": lambda: drawn(1.0, 1.0, 2.0**-80, -(2.0**-80), *[None] * 6),
    "an outlier": lambda: lambda: 1e30 if draw.random() < 0.05 else draw.gauss(10, 1),
}
PARTNERS = {"quotients beside middles": "ties of whole numbers", "stuck": "stuck"}  # other columns have one at random
FACTORS = {
    "growth": lambda: lambda: 1 + draw.gauss(0, 0.01),
    "few bits": lambda: drawn(1.0, -1.0, 3.0, 5.0, 0.5, 7 / 8, 1 + 2.0**-26, 1 + 2 * HALF, 1 - HALF, 2.0**27 + 1),
    "beside middles": Middles,
    "large and small": lambda: lambda: scaled(-400, 400) if draw.random() < 0.2 else draw.gauss(0, 1),
    "subnormals and large": lambda: lambda: draw.choice([TINY * draw.randint(1, 9), scaled(1000, 1022), 1.5]),
    "special": lambda: lambda: draw.choice([NAN, INF, -INF, 0.0, -0.0] + [draw.gauss(0, 3)] * 45),
}
REALS = {
    "normals": lambda: lambda: draw.gauss(0, 1),
    "ties": lambda: drawn(1.0, 2.0**-24, 2.0**-80, -(2.0**-80), 2.0**-60, 1 + 2.0**-23),
    "all exponents": lambda: lambda: scaled(-149, 126),
    "near overflow": lambda: drawn(3.4e38, -3.4e38, 2.0**103, -(2.0**102), 1e38),
    "zeros and infinities": lambda: drawn(*[-0.0] * 30, 1.0, INF, -INF, NAN),
}
ALPHAS = [0.5, 0.1, 0.75, 1.0, 1e-9, 0.999, 2.0 / 31, 2.0**-70, 1 - HALF]


def column(make):
    value = make()
    return [None if draw.random() < 0.05 else value() for _ in range(ROWS)]


def tables():
    """Of each series the columns, by their names, and alpha.  The first series has no value, the second one value."""
    for s in range(SERIES):
        x, p, r = (list(kinds)[s % len(kinds)] for kinds in (VALUES, FACTORS, REALS))
        y = PARTNERS.get(x) or draw.choice([x, draw.choice(list(VALUES)), draw.choice(list(VALUES))])
        table = {"x": column(VALUES[x]), "y": column(VALUES[y]), "p": column(FACTORS[p]), "r": column(REALS[r])}
        if s < 2:
            table = {name: [v if i == 9 * s - 1 else None for i, v in enumerate(table[name])] for name in table}
        table["r"] = [x if x is None else struct.unpack("f", struct.pack("f", x))[0] for x in table["r"]]
        yield table, 1 - HALF if x == "stuck" else ALPHAS[s % len(ALPHAS)]


# ---- the server


def hexed(y, size):
    """As PostgreSQL sends it: it has one NaN."""
    if y is None or isinstance(y, str):
        return y or "-"
    return struct.pack(">f" if size == 4 else ">d", NAN if y != y else y).hex()


def is_right(got, wanted, size):
    if not isinstance(wanted, tuple):
        return got == hexed(wanted, size)
    if got == "-" or got.startswith("ERROR"):
        return got == OVERFLOW and not are_finite(wanted)
    return wanted[0] <= struct.unpack(">d", bytes.fromhex(got))[0] <= wanted[1]


class Questions:
    """Queries of one column each, and what they should answer; an error ends a query at its row."""

    def __init__(self):
        self.script, self.asked = [], []

    def ask(self, name, call, rest, answers):
        size = 4 if name == "exact_sum(r)" else 8
        errors = [i for i, y in enumerate(answers) if isinstance(y, str)]
        query = "SELECT coalesce(encode(float%dsend(%s), 'hex'), '-') %s" % (size, call, rest)
        self.script.append("\\echo query %d\nSELECT * FROM answers($$%s$$);" % (len(self.asked), query))
        self.asked.append((name, query, size, answers[: errors[0] + 1] if errors else answers))

    def report(self, psql, before):
        got, tally = {}, {}
        script = "\n".join(before + self.script) + "\n"
        command = [psql, "-X", "-A", "-t", "-q", "-v", "ON_ERROR_STOP=1"]
        done = subprocess.run(command, input=script, stdout=subprocess.PIPE, text=True, check=True)
        for line in done.stdout.splitlines():
            if line.startswith("query "):
                lines = got[int(line[6:])] = []
            else:
                lines.append(line)
        for i, (name, query, size, answers) in enumerate(self.asked):
            count, wrong = tally.get(name, (0, []))
            lines = got.get(i, [])
            if lines[-1:] == [OVERFLOW]:
                answers = answers[: len(lines)]
            if len(lines) != len(answers):
                wrong.append((query, "%d rows, not %d" % (len(lines), len(answers)), lines[-1:]))
            pairs = enumerate(zip(lines, answers))
            wrong += [(query, row, line, y) for row, (line, y) in pairs if not is_right(line, y, size)]
            tally[name] = count + len(answers), wrong
        for name, (count, wrong) in tally.items():
            print("%d answers of %s, %d wrong: %s" % (count, name, len(wrong), wrong[:2]))


BEFORE = """LOAD 'scan'; SET jit = off; SET max_parallel_workers_per_gather = 0; SET enable_hashagg = off;
SET scan.prefixscan = force; SET scan.debug_require = node;
CREATE FUNCTION answers(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE c refcursor; y text;
BEGIN
  OPEN c FOR EXECUTE query;
  LOOP
    FETCH c INTO y;
    EXIT WHEN NOT FOUND;
    RETURN NEXT y;
  END LOOP;
EXCEPTION WHEN numeric_value_out_of_range THEN
  RETURN NEXT 'ERROR ' || SQLERRM;
END $$;
CREATE TABLE v (s int, i int, x float8, y float8, p float8, r real, PRIMARY KEY (s, i));
COPY v FROM STDIN;"""


def aggregates(questions, table, of_series):
    for answer, columns, calls in AGGREGATES:
        rows = list(zip(*(table[name] for name in columns)))
        frames = {}
        for text, within in FRAMES.items():
            frames[text] = [[row for j, row in enumerate(rows) if within(i, j)] for i in range(ROWS)]
        frames[""] = [rows[i : i + GROUP] for i in range(0, ROWS, GROUP)]
        for text, each in frames.items():
            known = ([row for row in frame if None not in row] for frame in each)
            answers = [answer(values if len(columns) > 1 else [x for (x,) in values]) for values in known]
            for call in calls:
                results = [a[call] for a in answers]
                if text:
                    questions.ask(call, "%s OVER (ORDER BY i %s)" % (call, text), of_series + " ORDER BY i", results)
                else:
                    # only weights by position depend on an order
                    one = call.replace("weighted_avg(x)", "weighted_avg(x ORDER BY i)")
                    questions.ask(call, one, "%s GROUP BY i / %d ORDER BY i / %d" % (of_series, GROUP, GROUP), results)


def scans(questions, table, of_series, alpha):
    adjust, bias = draw.random() < 0.5, draw.random() < 0.5
    x, pairs = table["x"], list(zip(table["y"], table["x"]))
    constants = ", %r, %s" % (alpha, adjust)

    def ask(function, columns, constants, answers):
        call = "%s(%s%s)" % (function, columns, constants)
        questions.ask("%s(%s)" % (function, columns), call + " OVER (ORDER BY i)", of_series + " ORDER BY i", answers)

    ask("scan_sum", "x", "", running_sum(x))
    ask("scan_product", "p", "", running_product(table["p"]))
    ask("scan_ema", "x", constants, average(x, alpha, adjust))
    for kind in ("var", "stddev", "covar", "corr"):
        columns, values = ("x", list(zip(x, x))) if kind in ("var", "stddev") else ("y, x", pairs)
        more = "" if kind == "corr" else ", %s" % bias
        ask("scan_ema_" + kind, columns, constants + more, statistics(kind, values, alpha, adjust, bias))


def main(psql):
    questions, rows = Questions(), []
    for s, (table, alpha) in enumerate(tables()):
        lines = zip(*([s] * ROWS, range(ROWS), *(table[name] for name in "xypr")))
        rows += ["\t".join("\\N" if v is None else repr(v) for v in line) for line in lines]
        of_series = "FROM v WHERE s = %d" % s
        aggregates(questions, table, of_series)
        scans(questions, table, of_series, alpha)
    questions.report(psql, [BEFORE] + rows + ["\\."])


main(sys.argv[1])

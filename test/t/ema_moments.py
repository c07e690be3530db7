"""ema_moments.py PSQL: exponentially weighted statistics against exact fractions of their definition.

Called by ema_moments.t with the server in the environment.  Makes 100,000 rows of many kinds in partitions with an
alpha of their own.  The weighted sums of the definition are integers, in units of powers of two.  A variance must be
the nearest double, but for a rounding that is nearly a tie.  A covariance may cancel, so it may be wrong by 2^-90 of
the product of both deviations, too, and of what it becomes if a mean changes by 2^-150 of its size.  All other ways to the answer must have the same bits as WindowAgg.  Prints
"N rows of KIND, M wrong: the first".
"""

import math
import random
import subprocess
import sys

ROWS, PARTITIONS, LONG = 100000, 6000, 40
draw = random.Random(20261128)
ALPHAS = [0.5, 0.1, 0.75, 1.0, 1e-9, 0.999, 2.0 / 31, 2.0**-70, 1 - 2.0**-53]
SHORT = [0.5, 0.0625, 0.75, 2.0**-8]  # of few bits, for long partitions


# ---- rows


def value(kind, before):
    """The next value of a series of one of many kinds."""
    if kind == 0:  # a small spread around a large number
        return 1e9 + draw.gauss(0, 1e-3)
    if kind == 1:  # whole numbers with ties
        return float(draw.randint(-3, 3))
    if kind == 2:
        return draw.gauss(0, 1)
    if kind == 3:  # all exponents whose squares are doubles
        return draw.choice([1, -1]) * math.ldexp(draw.random(), draw.randint(-480, 480))
    if kind == 4:  # long stretches without a change
        return before if draw.random() < 0.9 else draw.choice([5.0, 7.0, -0.0, 0.1])
    if kind == 5:  # a random walk
        return before + draw.gauss(0, 0.01)
    if kind == 6:  # an outlier now and then
        return 1e30 if draw.random() < 0.02 else draw.gauss(10, 1)
    return draw.choice([1.0, 1 + 2.0**-52, 1 - 2.0**-53])  # neighbours


def wide(kind):
    """Any size, for the statistics that are no squares."""
    if kind % 2:
        return draw.choice([1, -1]) * math.ldexp(draw.random(), draw.randint(-1070, 1024))
    return math.ldexp(draw.gauss(0, 1), draw.choice([-900, 900])) if kind % 4 else draw.gauss(1, 1) * 1e-200


def rows():
    """(id, p, reset, y, x, w, g, alpha, adjust, bias): NULL is None; g has infinities and NaN."""
    made, before = [], [0.0] * PARTITIONS
    for i in range(1, ROWS + 1):
        p = draw.randrange(LONG) if draw.random() < 0.1 else draw.randrange(LONG, PARTITIONS)
        y, x, w = value(p % 8, before[p]), value(p // 8 % 8, before[p - 1]), wide(p)
        before[p] = y
        g = draw.choice([math.inf, -math.inf, math.nan]) if draw.random() < 0.01 else y
        if draw.random() < 0.1:
            x = y * -2.0 if draw.random() < 0.5 else x + y
        values = [None if draw.random() < 0.05 else v for v in (y, x, w, g)]
        if p == PARTITIONS - 1:
            values = [None] * 4
        made.append((i, p, None if draw.random() < 0.01 else draw.random() < 0.01, *values, SHORT[p % 4] if p < LONG else ALPHAS[p % 9], p % 5 < 2, p % 7 < 3))
    return made


# ---- the definition


class Sums:
    """The weighted sums of a segment, as integers in units of powers of two."""

    def __init__(self, alpha, adjust, unit):
        self.top, bottom = alpha.as_integer_ratio()
        self.q = bottom.bit_length() - 1
        self.beta, self.adjust, self.unit, self.n = bottom - self.top, adjust, unit, 0
        self.w = self.ww = self.y = self.x = self.xx = self.yy = self.xy = 0

    def take(self, y, x):
        a, b = (top * (self.unit // bottom) for top, bottom in (y.as_integer_ratio(), x.as_integer_ratio()))
        # a weight is in units of 2^-qn, its square in units of 2^-2qn
        k = 1 if self.n == 0 else (1 << self.q * self.n) if self.adjust else self.top << self.q * (self.n - 1)
        beta = self.beta
        self.n += 1
        self.w = beta * self.w + k
        self.ww = beta * beta * self.ww + k * k
        self.y, self.x = beta * self.y + k * a, beta * self.x + k * b
        self.yy, self.xx, self.xy = beta * self.yy + k * a * a, beta * self.xx + k * b * b, beta * self.xy + k * a * b

    def spreads(self):
        """W^2 times the variances of y and x and the covariance, in units of 2^-2qn and of the values."""
        return self.w * self.yy - self.y**2, self.w * self.xx - self.x**2, self.w * self.xy - self.x * self.y

    def below(self, bias):
        """What to divide these by; 0: there is no answer."""
        return (self.w**2 if bias else self.w**2 - self.ww) * self.unit**2


def is_near(got, top, bottom, slack=0):
    """True if the double `got` is top / bottom, but for half a unit in the last place and slack / bottom."""
    a, b = got.as_integer_ratio()
    error = abs(a * bottom - top * b)
    return (error << 73) <= abs(top) * b * ((1 << 20) + 1) + ((slack * b) << 73) + ((bottom * b) >> 1001)


def is_variance(sums, bias, got):
    below = sums.below(bias)
    if below == 0:
        return got is None
    return got is not None and is_near(got, sums.spreads()[0], below)


def is_stddev(sums, bias, got):
    below = sums.below(bias)
    if below == 0 or got is None:
        return below == 0 and got is None
    spread, (a, b) = sums.spreads()[0], got.as_integer_ratio()
    return abs(a * a * below - spread * b * b) << 72 <= spread * b * b * ((1 << 20) + 4) + ((below * b * b) >> 2000)


def is_covariance(sums, bias, got):
    below = sums.below(bias)
    if below == 0 or got is None:
        return below == 0 and got is None
    yy, xx, xy = sums.spreads()
    mean = abs(sums.y) * math.isqrt(xx) + abs(sums.x) * math.isqrt(yy)
    return is_near(got, xy, below, (math.isqrt(yy * xx) >> 90) + (mean >> 150))


def is_correlation(sums, _, got):
    yy, xx, xy = sums.spreads()
    if yy == 0 or xx == 0 or got is None:
        return (yy == 0 or xx == 0) and got is None
    root = math.isqrt((xy * xy << 240) // (yy * xx)) * (1 if xy >= 0 else -1)
    mean = abs(sums.y) // (math.isqrt(yy) or 1) + abs(sums.x) // (math.isqrt(xx) or 1)
    return is_near(got, root, 1 << 120, (1 << 30) + (mean >> 30))


def judged(table, columns, judge, answers):
    """Numbers of the rows whose answer is wrong."""
    wrong, parts = [], {}
    for row in table:
        parts.setdefault(row[1], []).append(row)
    for part in parts.values():
        alpha, adjust, bias = part[0][7:]
        pairs = [(row[columns[0]], row[columns[1]]) for row in part]
        known = [v for pair in pairs if None not in pair for v in pair if math.isfinite(v)]
        unit = max((v.as_integer_ratio()[1] for v in known), default=1)
        sums, special = None, False
        for row, (y, x) in zip(part, pairs):
            if row[2]:
                sums = None
            if y is not None and x is not None:
                if sums is None:
                    sums, special = Sums(alpha, adjust, unit), False
                special = special or not (math.isfinite(x) and math.isfinite(y))
                if special:
                    sums.n += 1
                else:
                    sums.take(y, x)
            got = answers[row[0]]
            if sums is None:
                right = got is None
            elif special:
                right = got is None if sums.n == 1 and (not bias or judge is is_correlation) else got is not None and math.isnan(got)
            else:
                right = judge(sums, bias, got)
            if not right:
                wrong.append((row[0], row[1], got))
    return wrong


def pandas_variance(values, alpha, adjust, bias):
    """The recurrence of pandas' ewmcov, for values without NULL."""
    mean, cov, sum_wt, sum_wt2, old_wt, new_wt = values[0], 0.0, 1.0, 1.0, 1.0, 1.0 if adjust else alpha
    answers = [0.0 if bias else None]
    for x in values[1:]:
        sum_wt, sum_wt2, old_wt = sum_wt * (1 - alpha), sum_wt2 * (1 - alpha) ** 2, old_wt * (1 - alpha)
        old = mean
        mean = (old_wt * old + new_wt * x) / (old_wt + new_wt)
        cov = (old_wt * (cov + (old - mean) ** 2) + new_wt * (x - mean) ** 2) / (old_wt + new_wt)
        sum_wt, sum_wt2, old_wt = sum_wt + new_wt, sum_wt2 + new_wt**2, old_wt + new_wt
        if not adjust:
            sum_wt, sum_wt2, old_wt = sum_wt / old_wt, sum_wt2 / old_wt**2, 1.0
        factor = sum_wt**2 - sum_wt2
        answers.append(cov if bias else sum_wt**2 / factor * cov if factor > 0 else None)
    return answers


# ---- the server


def run(psql, script):
    return subprocess.run([psql, "-X", "-A", "-t", "-q", "-v", "ON_ERROR_STOP=1"], input=script, capture_output=True, text=True, check=True).stdout.split("\n")


PREFIX = "LOAD 'scan'; SET jit = off; SET max_parallel_workers_per_gather = 0; SET scan.device = cpu; "
FORCE = PREFIX + "SET scan.prefixscan = force; "
WAYS = {
    "WindowAgg": PREFIX + "SET scan.prefixscan = off",
    "PrefixScan": FORCE + "SET scan.debug_require = node",
    "beyond memory": FORCE + "SET scan.work_mem = '64kB'; SET scan.debug_require = node",
    "several processes": FORCE + "SET scan.parallel = on; SET max_parallel_workers_per_gather = 2; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0",
}
QUESTIONS = [
    ("scan_ema_var(y, alpha, adjust, bias, reset)", (3, 3), is_variance), ("scan_ema_var(g, alpha, adjust, bias, reset)", (6, 6), is_variance),
    ("scan_ema_stddev(w, alpha, adjust, bias, reset)", (5, 5), is_stddev), ("scan_ema_covar(y, x, alpha, adjust, bias, reset)", (3, 4), is_covariance),
    ("scan_ema_corr(y, x, alpha, adjust, reset)", (3, 4), is_correlation), ("scan_ema_corr(w, x, alpha, adjust, reset)", (5, 4), is_correlation)]
WHOLE = ["scan_ema_var(y, 0.1, true)", "scan_ema_var(y, 0.001, reset => reset)", "scan_ema_stddev(w, 0.5, bias => true)", "scan_ema_covar(y, x, 0.01)", "scan_ema_corr(y, x, 0.3, true)"]


def main():
    psql = sys.argv[1]
    table = rows()
    order = list(table)
    draw.shuffle(order)
    script = ["CREATE TABLE d (id int, p int, reset boolean, y float8, x float8, w float8, g float8, alpha float8, adjust boolean, bias boolean);", "COPY d FROM STDIN;"]
    script += ["\t".join("\\N" if v is None else repr(v) for v in row) for row in order]
    run(psql, "\n".join(script + ["\\.", "VACUUM ANALYZE d;"]))
    calls = [(q[0], "PARTITION BY p ORDER BY id") for q in QUESTIONS] + [(q, "ORDER BY id") for q in WHOLE]
    first = None
    for way, settings in WAYS.items():
        hashes = run(psql, settings + ";\n" + "".join("SELECT md5(string_agg(coalesce(encode(float8send(z), 'hex'), '-'), ',' ORDER BY id)) FROM (SELECT id, %s OVER (%s) AS z FROM d) AS s;\n" % c for c in calls))
        first = first or hashes
        for call, one, other in zip(calls, first, hashes):
            print("%d rows of %s, %s over (%s), %d wrong: " % (ROWS, call[0], way, call[1], one != other))
    for call, columns, judge in QUESTIONS:
        lines = run(psql, WAYS["WindowAgg"] + ";\nSELECT id, %s OVER (PARTITION BY p ORDER BY id) FROM d ORDER BY id;\n" % call)
        answers = {int(i): None if z == "" else float(z) for i, z in (line.split("|") for line in lines if line)}
        wrong = judged(table, columns, judge, answers)
        print("%d rows of %s, by its definition, %d wrong: %s" % (ROWS, call, len(wrong), wrong[:3]))
        if judge is is_variance and columns == (3, 3):
            beside_pandas(table, answers)
    for call, columns, _ in QUESTIONS:
        name, arguments = call[:-1].split("(")
        arguments = [("array_agg(%s ORDER BY id)" if a in "yxwg" or a == "reset" else "min(%s::text)::" + ("float8" if a == "alpha" else "boolean")) % a for a in arguments.split(", ")]
        query = """SELECT count(*) FILTER (WHERE a::text IS DISTINCT FROM z::text) FROM
          (SELECT array_%s(%s) AS a, array_agg(z ORDER BY id) AS z FROM (SELECT *, %s OVER (PARTITION BY p ORDER BY id) AS z FROM d) AS s GROUP BY p) AS t;""" % (name, ", ".join(arguments), call)
        print("%d rows of array_%s, %s wrong: " % (ROWS, call, run(psql, PREFIX + query)[0]))


def beside_pandas(table, answers):
    """Partitions of the kinds that doubles are good for, up to their first NULL or reset."""
    compared, wrong, parts = 0, [], {}
    for row in table:
        parts.setdefault(row[1], []).append(row)
    for p, part in parts.items():
        alpha, adjust, bias = part[0][7:]
        if p % 8 not in (1, 2) or not 0.01 < alpha < 0.9999:
            continue
        part = part[:next((i for i, row in enumerate(part) if i and row[2] or row[3] is None), len(part))]
        if not part:
            continue
        for row, y in zip(part, pandas_variance([row[3] for row in part], alpha, adjust, bias)):
            got = answers[row[0]]
            compared += 1
            if (got is None) != (y is None) or (got is not None and abs(got - y) > 1e-9 * max(abs(y), 1e-3)):
                wrong.append((row[0], p, got, y))
    print("%d rows of scan_ema_var, by the recurrence of pandas, %d wrong: %s" % (compared, len(wrong) + (compared < 1000), wrong[:3]))


main()

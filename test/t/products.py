"""products.py PSQL PROGRAM: exact_product against Python's integers.

Called by products.t with the server in the environment.  Frames that move, by WindowAgg and by PrefixScan, and groups.
Prints "N answers of KIND, M wrong".  PROGRAM is products.c, which multiplies what a table would take long to hold.
"""

import math
import subprocess
import sys
from fractions import Fraction

from exact import FRAMES, INF, KINDS, NAN, TINY, Session, draw, hexed, nearest, preceding, scaled

# ---- the oracle


class Out(Exception):
    pass


def product(values):
    """The product rounded once; None for no values, an exception where it is out of range."""
    values = [x for x in values if x is not None]
    if not values:
        return None
    if any(x != x for x in values) or (any(x == 0 for x in values) and any(math.isinf(x) for x in values)):
        return NAN
    if any(x == 0 for x in values):
        return 0.0
    sign = -1 if sum(x < 0 for x in values) % 2 else 1
    if any(math.isinf(x) for x in values):
        return sign * INF
    a, b = 1, 0
    for x in values:
        mantissa, power = math.frexp(abs(x))
        a, b = a * int(mantissa * 2**53), b + power - 53
        while a & 1 == 0:
            a, b = a >> 1, b + 1
    y = nearest(a << max(b, 0), 1 << max(-b, 0))
    if y == 0 or y == "out of range":
        raise Out()
    return sign * y


def or_error(values):
    try:
        return product(values)
    except Out:
        return "out of range"


# ---- the series


def growth(n):
    return [1 + draw.gauss(0, 0.01) for _ in range(n)]


def returns(n, low, high):
    """Values of all sizes whose products come back: each large one is followed by a small one."""
    values = []
    while len(values) < n:
        x = scaled(low, high)
        values += [x, draw.choice([1, -1]) / x * (1 + draw.random())]
    return values[:n]


def odd(n):
    """Factors of few bits, whose products are often the middle of two doubles."""
    return [draw.choice([1.0, -1.0, 3.0, 5.0, 0.5, 2.0, 1 + 2.0**-26, 1 - 2.0**-26, 1 + 2.0**-52, 1 - 2.0**-53, 7.0 / 8, 2.0**27 + 1]) for _ in range(n)]


def special(n):
    return [draw.choice([NAN, INF, -INF, 0.0, -0.0] + [draw.gauss(0, 3)] * 45) for _ in range(n)]


SERIES = {
    "growth": growth(3000),
    "large and small": returns(3000, -60, 60),
    "few bits": odd(3000),
    "NaN, infinities and zeros": special(3000),
    "subnormals and large": [TINY * draw.randint(1, 9) if i % 2 else scaled(530, 537) * 2.0**500 for i in range(3000)],
    "normals": [draw.gauss(0, 1) for _ in range(3000)],
}
FRAMES_SOME = [preceding(2), preceding(7), FRAMES[4], FRAMES[5], FRAMES[8]]


def windows(psql, kind, values, frames, step=1):
    values = [None if draw.random() < 0.04 else x for x in values]
    session, n = Session(psql), len(values)
    session.load("i int, o int, x float8", [(i, i // 3, x) for i, x in enumerate(values)])
    session.run("LOAD 'scan'; SET jit = off; SET work_mem = '64MB';")
    for clause, bounds in frames:
        answers = []
        for i in range(0, n, step):
            start, end = bounds(i, n)
            answers.append(or_error(values[max(start, 0) : max(min(end, n), 0)]))
        order = "i" if clause.startswith("ROWS") else "o"
        for node in ("off", "force"):
            session.run("SET scan.prefixscan = %s;" % node)
            session.expect("SELECT %%s FROM (SELECT i, %%s OVER (ORDER BY %s %s) AS y FROM v) AS t WHERE mod(i, %d) = 0 ORDER BY i" % (order, clause, step), "exact_product(x)", answers)
    session.report(kind)


def groups(psql, kind, many):
    session = Session(psql)
    session.load("g int, i int, x float8", [(g, i, x) for g, values in enumerate(many) for i, x in enumerate(values)])
    for g, values in enumerate(many):
        session.expect("SELECT %%s FROM (SELECT %%s AS y FROM v WHERE g = %d) AS t" % g, "exact_product(x)", [or_error(values)])
    session.report(kind)


# ---- numerics


def numerics(psql):
    """Integers and numerics: the digits of the product, and its scale."""
    rows = [(i, draw.choice([None, 0, -(2**15), 2**15 - 1] + [draw.randint(-99, 99)] * 9), draw.randint(-(2**63), 2**63 - 1), draw.choice(["0", "0.00", "-1.50", "1e20", "%d.%03d" % (draw.randint(-999, 999), draw.randint(0, 999)), "NaN"] + ["2.5"] * 20)) for i in range(20000)]
    script = ["CREATE TABLE n (i int, a smallint, b bigint, c numeric); COPY n FROM STDIN;"]
    script += ["\t".join("\\N" if x is None else str(x) for x in row) for row in rows] + ["\\."]
    script.append("LOAD 'scan'; SET jit = off;")
    wanted = []
    for node in ("off", "force"):
        script.append("SET scan.prefixscan = %s;" % node)
        script.append("SELECT coalesce(exact_product(a) OVER w::text, '-'), exact_product(a::int) OVER w IS NOT DISTINCT FROM exact_product(a) OVER w, exact_product(b) OVER w, coalesce(exact_product(c) OVER w::text, '-') FROM n WINDOW w AS (ORDER BY i ROWS 4 PRECEDING) ORDER BY i;")
        for i in range(len(rows)):
            frame = rows[max(i - 4, 0) : i + 1]
            a = [row[1] for row in frame if row[1] is not None]
            wanted.append("|".join([str(math.prod(a)) if a else "-", "t", str(math.prod(row[2] for row in frame)), decimal([row[3] for row in frame])]))
    done = subprocess.run([psql, "-X", "-A", "-t", "-q"], input="\n".join(script) + "\n", stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=True)
    got = done.stdout.splitlines()
    wrong = [(i, g, w) for i, (g, w) in enumerate(zip(got, wanted)) if g != w]
    print("%d answers of integers and numerics, %d wrong: %s" % (len(wanted), len(wrong) + abs(len(got) - len(wanted)), wrong[:2] or got[:1]), flush=True)


def decimal(texts):
    if "NaN" in texts:
        return "NaN"
    scale = sum(len(t.split(".")[1]) if "." in t else 0 for t in texts)
    whole = Fraction(1)
    for t in texts:
        whole *= Fraction(t)
    whole *= 10**scale
    digits = str(abs(whole.numerator)).rjust(scale + 1, "0")
    return ("-" if whole < 0 else "") + (digits if scale == 0 else digits[:-scale] + "." + digits[-scale:])


# ---- products near the middle of two doubles


def near_middles(program):
    """Products near a middle, which 128 bits do not prove, and all others."""
    cases = []
    for _ in range(500):
        cases.append(near_middle())
    for _ in range(20000):
        cases.append([draw.choice(SERIES[draw.choice(list(SERIES))]) for _ in range(draw.randint(1, 12))])
    lines = [" ".join(float(x).hex() for x in case) for case in cases]
    got = subprocess.run([program], input="\n".join(lines) + "\n", stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()
    hard = sum(line.endswith("+") for line in got)
    wrong = [(case, line) for case, line in zip(cases, got) if line.rstrip("+") != magnitude(case)]
    print("%d answers of products near middles, %d wrong: %s" % (len(cases), len(wrong) + abs(len(got) - len(cases)), wrong[:2] or ""), flush=True)
    print("%d products took more limbs" % hard, flush=True)


def magnitude(case):
    case = [abs(x) for x in case if math.isfinite(x) and x != 0]
    y = or_error(case) if case else 1.0
    return "out of range" if y == "out of range" else hexed(y)


def primes_of(number, known):
    """The prime factors of a number that has only known ones."""
    found = []
    for prime in known:
        while number % prime == 0:
            found.append(prime)
            number //= prime
    assert number == 1
    return found


OF_180 = [3, 5, 7, 11, 13, 19, 31, 37, 41, 61, 73, 109, 151, 181, 331, 631, 1321, 23311, 54001, 18837001, 29247661]
OF_240 = [3, 5, 7, 11, 13, 17, 31, 41, 61, 97, 151, 241, 257, 331, 673, 1321, 61681, 394783681, 4278255361, 4562284561, 46908728641]
OF_198 = [5, 13, 37, 109, 397, 2113, 42373, 235621, 312709, 4327489, 8463901912489, 15975607282273]
BESIDE = [primes_of(2**n + sign, known) for n, sign, known in ((180, -1, OF_180), (90, 1, OF_180), (240, -1, OF_240), (120, 1, OF_240), (198, 1, OF_198))]


def near_middle():
    """Doubles whose product is m 2^n, with an odd m of 54 bits, and one m more or less."""
    while True:
        divisor = draw.choice([3, 5, 7, 11, 101])
        m = (draw.getrandbits(53) | 1) * divisor
        if m.bit_length() == 54:
            break
    k = draw.randint(46, 52)
    factors = draw.choice([[2**k + 1, 2**k - 1]] + BESIDE) + [divisor, m // divisor]
    draw.shuffle(factors)
    return [math.ldexp(f, draw.randint(-9, 9)) for f in factors]


def main(psql, program):
    for kind, values in SERIES.items():
        windows(psql, "frames of " + kind, values, FRAMES_SOME)
    for kind, clause in (("exponents from -500 to 500", 2), ("subnormals", 1), ("zeros and -0", 4), ("infinities and NaN", 9)):
        windows(psql, "frames of " + kind, KINDS[kind], [preceding(clause)])
    windows(psql, "many of growth", growth(100100), [preceding(30)], 7)
    windows(psql, "many of few bits", odd(100100), [preceding(9)], 7)
    groups(psql, "groups", [[], [None], [5.0], [-0.0], [1e308, 10.0], [1e-320, 1e-10], [TINY, 2.0**1000, 2.0**74], [1e300, 1e300, 1e-300, 1e-300], [INF, -2.0], [INF, 0.0], [NAN, 1.0], [-1.0] * 7] + [draw.sample(SERIES["growth"], 400) for _ in range(9)] + [returns(40, -300, 300) for _ in range(60)] + [near_middle() for _ in range(60)])
    numerics(psql)
    near_middles(program)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])

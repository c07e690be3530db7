"""real_data.py PSQL: the functions of single tasks, on data that somebody really has.

Called by real_data.t with the server in the environment, in the project's folder.  The VIX, the volatility index of the US
stock market, gives correlations, drawdowns and averages over time; a counter is made that restarts as Prometheus'
tests have it; an inventory of a million movements has to balance.  Each answer is computed here by definition, in
integers and fractions, and "N rows of KIND, M wrong" is printed.
"""

import csv
import datetime
import math
import random
import subprocess
import sys
from collections import deque
from fractions import Fraction

draw = random.Random(20261126)


def psql(script):
    done = subprocess.run([sys.argv[1], "-XAtq", "-F", "|", "-v", "ON_ERROR_STOP=1"], input=script, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return [line.split("|") for line in done.stdout.splitlines()]


def told(kind, got, wanted):
    wrong = [(i, g, w) for i, (g, w) in enumerate(zip(got, wanted)) if g != w]
    if len(got) != len(wanted):
        wrong.append((len(got), "rows", len(wanted)))
    print("%d rows of %s, %d wrong: %s" % (len(wanted), kind, len(wrong), wrong[:3]))


def number(text):
    return None if text == "" else float(text)


def rounded(x):
    """The double nearest to a Fraction: int / int is correctly rounded in Python."""
    return x.numerator / x.denominator


def root_of_ratio(sign, x):
    """sign * sqrt(x), rounded once: x is scaled so that the integer root has 20 bits to spare, and a sticky bit."""
    if x == 0:
        return 0.0
    shift = 160 - x.numerator.bit_length() + x.denominator.bit_length()
    shift += shift % 2
    scaled = x * Fraction(2) ** shift
    whole = scaled.numerator // scaled.denominator
    root = math.isqrt(whole)
    exact = root * root == whole and scaled.denominator == 1
    return sign * rounded(Fraction(2 * root + (0 if exact else 1), 2) / Fraction(2) ** (shift // 2))


def correlations(pairs, frame):
    """Of each row and the frame - 1 rows before, by sums that values go into and out of exactly."""
    n = sx = sy = sxx = syy = sxy = 0
    answers = []
    for i, (y, x) in enumerate(pairs):
        n, sx, sy, sxx, syy, sxy = n + 1, sx + x, sy + y, sxx + x * x, syy + y * y, sxy + x * y
        if n > frame:
            y, x = pairs[i - frame]
            n, sx, sy, sxx, syy, sxy = n - 1, sx - x, sy - y, sxx - x * x, syy - y * y, sxy - x * y
        xx, yy, xy = n * sxx - sx * sx, n * syy - sy * sy, n * sxy - sx * sy
        answers.append(None if xx == 0 or yy == 0 else root_of_ratio(1 if xy >= 0 else -1, xy * xy / (xx * yy)))
    return answers


def vix():
    with open("test/demo/vix-daily.csv") as file:
        rows = [(datetime.date.fromisoformat(r["DATE"]), float(r["OPEN"]), float(r["HIGH"]), float(r["CLOSE"]))
                for r in csv.DictReader(file)]
    psql("CREATE TABLE vix (day date, open float8, high float8, low float8, close float8);"
         "\\copy vix FROM 'test/demo/vix-daily.csv' (FORMAT csv, HEADER)\n")
    exact = [(Fraction(close), Fraction(start)) for _, start, _, close in rows]
    for mode in ("off", "force"):
        node = "LOAD 'scan'; SET scan.prefixscan = %s; SET extra_float_digits = 1;" % mode
        for frame in (20, 250):
            got = psql(node + "SELECT exact_corr(close, open) OVER (ORDER BY day ROWS %d PRECEDING) FROM vix ORDER BY day;" % (frame - 1))
            told("correlations of %d closes, scan.prefixscan = %s" % (frame, mode), [number(x) for x, in got], correlations(exact, frame))

        got = psql(node + "SELECT close / scan_max(close) OVER (ORDER BY day) - 1 FROM vix ORDER BY day;")
        best, wanted = 0.0, []
        for *_, close in rows:
            best = max(best, close)
            wanted.append(close / best - 1)
        told("drawdowns, scan.prefixscan = %s" % mode, [number(x) for x, in got], wanted)

        for method in ("linear", "previous"):
            got = psql(node + "SELECT time_average(close, day, '%s') OVER (ORDER BY day) FROM vix ORDER BY day;" % method)
            area, wanted = Fraction(0), [rows[0][3]]
            for (before, *_, was), (day, *_, close) in zip(rows, rows[1:]):
                area += (day - before).days * (Fraction(was) if method == "previous" else (Fraction(was) + Fraction(close)) / 2)
                wanted.append(rounded(area / (day - rows[0][0]).days))
            told("averages over time, %s, scan.prefixscan = %s" % (method, mode), [number(x) for x, in got], wanted)


def counter(rows=100000):
    """Prometheus: a value below the one before is a restart, after which the counter began again at 0."""
    values, value = [], 0
    for _ in range(rows):
        value = 0 if draw.random() < 0.01 else value + draw.choice((0, 0, 1, 7, draw.randrange(10**6)))
        values.append(value)
    psql("CREATE TABLE sample (id int, value bigint);\n\\copy sample FROM STDIN\n%s\n\\.\n" % "\n".join(
        "%d\t%d" % pair for pair in enumerate(values)))
    gained, total = [0], 0
    for before, now in zip(values, values[1:]):
        total += now - before if now >= before else now
        gained.append(total)
    for mode in ("off", "force"):
        node = "LOAD 'scan'; SET scan.prefixscan = %s; SET extra_float_digits = 1;" % mode
        for kind in ("bigint", "float8", "numeric"):
            got = psql(node + "SELECT scan_counter(value::%s) OVER (ORDER BY id) FROM sample ORDER BY id;" % kind)
            told("a counter of %s, scan.prefixscan = %s" % (kind, mode), [int(float(x)) for x, in got], gained)
        got = psql(node + "SELECT gained - first_value(gained) OVER (ORDER BY id ROWS 20 PRECEDING) FROM "
                   "(SELECT id, scan_counter(value) OVER (ORDER BY id) AS gained FROM sample) AS s ORDER BY id;")
        told("increases of 20 samples, scan.prefixscan = %s" % mode, [int(x) for x, in got],
             [g - gained[max(0, i - 20)] for i, g in enumerate(gained)])


def inventory(rows=1000000, items=500):
    """Cents and thousandths of a unit, as integers; what goes out is never more than there is."""
    books, lines, wanted = [deque() for _ in range(items)], [], {}
    left = [0] * items
    came = went = 0
    for i in range(rows):
        item = draw.randrange(items)
        if left[item] == 0 or draw.random() < 0.5:
            units, price = draw.randrange(1, 10**5), draw.randrange(1, 10**6)
            books[item].append([units, price])
            left[item] += units
            came += units * price
            lines.append("%d\t%d\t%d.%03d\t%d.%02d" % (i, item, units // 1000, units % 1000, price // 100, price % 100))
            continue
        units = draw.randrange(1, left[item] + 1)
        lines.append("%d\t%d\t-%d.%03d\t0" % (i, item, units // 1000, units % 1000))
        left[item] -= units
        cost = 0
        while units > 0:
            lot = books[item][0]
            taken = min(units, lot[0])
            cost += taken * lot[1]
            lot[0] -= taken
            units -= taken
            if lot[0] == 0:
                books[item].popleft()
        went += cost
        wanted[i] = cost
    psql("CREATE TABLE movement (id int, item int, quantity numeric, price numeric);\n\\copy movement FROM STDIN\n%s\n\\.\n" % "\n".join(lines))
    value_left = sum(units * price for book in books for units, price in book)
    for mode in ("off", "force"):
        got = psql("LOAD 'scan'; SET scan.prefixscan = %s; SELECT id, cost * 100000 FROM (SELECT id, scan_cost(quantity, price) OVER "
                   "(PARTITION BY item ORDER BY id) AS cost FROM movement) AS s WHERE cost IS NOT NULL ORDER BY id;" % mode)
        costs = {int(i): Fraction(cost) for i, cost in got}
        told("costs, first in first out, scan.prefixscan = %s" % mode, [costs.get(i) for i in sorted(wanted)], [wanted[i] for i in sorted(wanted)])
        told("balances: cost out and value left make cost in, scan.prefixscan = %s" % mode, [sum(costs.values()) + value_left], [came])
    assert went + value_left == came


vix()
counter()
inventory()

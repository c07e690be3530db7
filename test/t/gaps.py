"""gaps.py PSQL: holes that are filled, sessions and areas, against fractions.Fraction.

Called by gaps.t with the server in the environment.  Makes series of irregular rows for each type of `at`, with
NULLs, ties, resets and odd floats, computes scan_session, scan_locf and scan_nocb by age, scan_nocb, scan_interpolate
and scan_integral by their definitions, and has the server compare the bits of its answers, by each way that it has to them.  Prints
"N rows of KIND, M wrong".
"""

import datetime
import math
import os
import random
import re
import subprocess
import sys
from fractions import Fraction

draw = random.Random(20261126)
# SCAN_TEST_LARGE=1 makes three times as many
ROWS, SERIES = 200, 510 if os.environ.get("SCAN_TEST_LARGE") else 170
INF, NAN, LARGEST, TINY = math.inf, math.nan, 1.7976931348623157e308, 5e-324
EPOCH = datetime.datetime(1, 1, 1)


def nearest(x):
    """The double nearest to a Fraction, +0 for zero; None beyond the doubles."""
    try:
        y = x.numerator / x.denominator + 0.0
    except OverflowError:
        return None
    return None if math.isinf(y) else y


def scaled(low, high):
    return math.ldexp(draw.uniform(-1, 1), draw.randint(low, high))


# ---- the definitions; a row is (value, at, reset) ----


def locf_by_age(rows, age):
    answers, last, now = [], None, None
    for x, at, reset in rows:
        if reset:
            last = now = None
        if at is not None:
            now = at
            if x is not None:
                last = (x, at)
        answers.append(last[0] if last is not None and (age is None or now - last[1] <= age) else None)
    return answers


def segments(rows):
    """Lists of positions."""
    found = []
    for i, (_, _, reset) in enumerate(rows):
        if i == 0 or reset:
            found.append([])
        found[-1].append(i)
    return found


def nocb_by_age(rows, age):
    answers, known = [x for x, _, _ in rows], None
    for i in reversed(range(len(rows))):
        x, at, reset = rows[i]
        if x is None and at is not None and known is not None and (age is None or known[1] - at <= age):
            answers[i] = known[0]
        if x is not None and at is not None:
            known = (x, at)
        if reset:
            known = None
    return answers


def sessions(rows, gap):
    answers, last, number = [], None, None
    for _, at, reset in rows:
        if reset:
            last = None
        if at is not None:
            number = 1 if last is None else number + (at - last > gap)
            last = at
        answers.append(None if last is None else number)
    return answers


def nocb(rows, gap):
    answers = [None] * len(rows)
    for segment in segments(rows):
        for i in segment:
            later = [j for j in segment if j >= i and rows[j][0] is not None]
            if later and (gap is None or later[0] - i <= gap):
                answers[i] = rows[later[0]][0]
    return answers


def point(v, t0, w, t1, t):
    if t == t0:
        return v
    if t == t1:
        return w
    if not math.isfinite(v) or not math.isfinite(w):
        return v + w
    return nearest(Fraction(v) + (Fraction(w) - Fraction(v)) * Fraction(t - t0) / Fraction(t1 - t0))


def interpolated(rows, gap):
    answers = [x for x, _, _ in rows]
    for segment in segments(rows):
        known = [i for i in segment if rows[i][0] is not None and rows[i][1] is not None]
        for left, right in zip(known, known[1:]):
            (v, t0, _), (w, t1, _) = rows[left], rows[right]
            if gap is not None and t1 - t0 > gap:
                continue
            for i in range(left + 1, right):
                if rows[i][0] is None and rows[i][1] is not None:
                    answers[i] = point(v, t0, w, t1, rows[i][1])
    return answers


def integral(rows, linear, unit):
    """None: an answer is beyond the doubles."""
    answers, last = [], None
    for x, at, reset in rows:
        if reset:
            last = None
        if x is not None and at is not None:
            if last is None:
                area, special = Fraction(0), 0.0
            elif at > last[1]:
                for value in (last[0], x) if linear else (last[0],):
                    if math.isfinite(value):
                        area += Fraction(value) * Fraction(at - last[1]) / unit / (2 if linear else 1)
                    else:
                        special += value
            last = (x, at)
        answers.append(None if last is None else special if not math.isfinite(special) else nearest(area))
        if last is not None and answers[-1] is None:
            return None
    return answers


# ---- series ----


def steps(kind):
    """The steps of integer times."""
    if kind % 3 == 0:
        return lambda: draw.choice([0, 1, 1, 2, draw.randint(0, 5)])
    if kind % 3 == 1:
        return lambda: draw.choice([0, draw.randint(1, 10**6), 10**6, 60 * 10**6])
    return lambda: draw.choice([0, 1, 10**6, draw.randint(1, 10 ** draw.randint(1, 15))])


def times(kind):
    at, step, found = draw.randint(0, 300 * 10**15), steps(kind), []
    for _ in range(ROWS):
        at += min(step(), 10**13)
        found.append(at)
    return found


def integers(kind):
    if kind % 4 == 3:
        return sorted(draw.randint(-(2**63), 2**63 - 1) for _ in range(ROWS - 2)) + [2**63 - 1] * 2
    at, step, found = draw.randint(-(10**15), 10**15), steps(kind), []
    for _ in range(ROWS):
        at += step()
        found.append(at)
    return found


def floats(kind):
    if kind % 4 == 0:
        return sorted(scaled(-1074, 1023) for _ in range(ROWS))
    if kind % 4 == 1:
        return sorted(draw.uniform(0, 100) for _ in range(ROWS))
    if kind % 4 == 2:
        return sorted(float(draw.randint(-1000, 1000)) / 8 for _ in range(ROWS))
    return sorted(draw.choice([-LARGEST, LARGEST, -TINY, TINY, 0.0, 1.0, 1 + 2.0**-52, scaled(-1074, -1000), scaled(1000, 1023)]) for _ in range(ROWS))


def decimals(kind):
    digits = draw.randint(0, 25)
    large = 10**30 if kind % 5 == 0 else 1
    at, found = Fraction(draw.randint(-(10**9), 10**9)), []
    for _ in range(ROWS):
        at += draw.choice([Fraction(0), Fraction(draw.randint(0, 10**digits), 10**digits), Fraction(large, 10)])
        found.append(at)
    return found


def days(kind):
    at, found = draw.randint(0, 10**6), []
    for _ in range(ROWS):
        at += draw.choice([0, 1, 1, 7, draw.randint(0, 400)])
        found.append(at * 86400 * 10**6)
    return found


VALUES = [
    lambda: draw.gauss(0, 1),
    lambda: float(draw.randint(-9, 9)),
    lambda: draw.randint(-9, 9) * 0.5 + 2.0**52,
    lambda: scaled(-1074, 1023),
    lambda: draw.choice([LARGEST, -LARGEST, 1e308, -1e308]),
    lambda: draw.choice([TINY, -TINY, 0.0, -0.0, 3e-310]),
    lambda: draw.choice([1.0, 1 + 2.0**-52, 1 - 2.0**-53]),
    lambda: draw.choice([1.0, -0.0, 2.5, 1e300, INF] + [-INF, NAN] * draw.randint(0, 1)),
    lambda: round(draw.uniform(0, 100), 2),
]


def stamp(at):
    return (EPOCH + datetime.timedelta(microseconds=at)).isoformat(sep=" ")


def decimal(at):
    """A fraction of tens, all its digits."""
    scale = 0
    while (at * 10**scale).denominator != 1:
        scale += 1
    digits = str(abs(at * 10**scale)).rjust(scale + 1, "0")
    return ("-" if at < 0 else "") + digits[: len(digits) - scale] + "." + digits[len(digits) - scale :] + "0"


def span(gap):
    return "interval '%d microseconds'" % gap


# kind: (`at` of a series, as text, limits, as SQL, units in what is integrated by)
TYPES = {
    "timestamptz": (times, lambda at: stamp(at) + "+00", [0, 10**6, 90 * 10**6], span, 10**6),
    "timestamp": (times, stamp, [1, 10**12], span, 10**6),
    "date": (days, lambda at: stamp(at)[:10], [0, 86400 * 10**6, 10 * 86400 * 10**6 + 1], span, 10**6),
    "date by days": (days, lambda at: stamp(at)[:10], [0, 86400 * 10**6, 7 * 86400 * 10**6], lambda gap: "%d" % (gap // (86400 * 10**6)), 10**6),
    "int8": (integers, str, [0, 3, 2**63 - 1], lambda gap: "%d::int8" % gap, 1),
    "float8": (floats, repr, [0.0, 0.125, 3.7, 1e308], lambda gap: "%r::float8" % gap, 1),
    "numeric": (decimals, decimal, [Fraction(0), Fraction(1, 10), Fraction(10**30, 10)], lambda gap: decimal(gap) + "::numeric", 1),
}


def series(kind, make, unit):
    value = VALUES[kind % len(VALUES)]
    share = draw.choice([0.1, 0.5, 0.9])
    rows = []
    for at in make(kind // len(VALUES)):
        at = at if not isinstance(at, float) else Fraction(at)
        rows.append((None if draw.random() < share else value(), None if draw.random() < 0.05 else at, draw.random() < 0.02))
    if kind % 17 == 0:
        rows = [(None, at, reset) for _, at, reset in rows]
    # an area beyond the doubles would be an error
    while integral(rows, True, unit) is None or integral(rows, False, unit) is None:
        rows = [(x if x is None or not math.isfinite(x) else math.ldexp(x, -100), at, reset) for x, at, reset in rows]
    return rows


def known(x):
    return "\\N" if x is None else repr(x)


PARALLEL = "SET max_parallel_workers_per_gather = 2; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;"
NODE = "SET scan.prefixscan = force; SET scan.debug_require = node;"
PATHS = {
    "WindowAgg": "SET scan.prefixscan = off; SET max_parallel_workers_per_gather = 0;",
    "WindowAgg beyond memory": "SET scan.prefixscan = off; SET work_mem = '64kB'; SET max_parallel_workers_per_gather = 0;",
    "PrefixScan": NODE + "SET max_parallel_workers_per_gather = 0;",
    "PrefixScan beyond memory": NODE + "SET scan.work_mem = '64kB'; SET max_parallel_workers_per_gather = 0;",
    "several processes": NODE + PARALLEL,
    "several processes beyond memory": NODE + "SET scan.work_mem = '64kB';" + PARALLEL,
}
WINDOWS = {"small partitions": ("reset", "PARTITION BY s ORDER BY i"), "one partition": ("reset OR i = 0", "ORDER BY s, i")}


def arrays(calls):
    """The same calls over arrays, as one statement: each call that has such a form with the column of its answers."""
    compared = []
    for c, (call, _) in enumerate(calls):
        if "::text" in call or "NULL" in call or not call.startswith(("scan_locf", "scan_nocb", "scan_interpolate", "scan_session")):
            continue
        over = re.sub(r"\b(x|at|RESET)\b", lambda name: "array_agg(%s ORDER BY i)" % name[0].lower(), call.replace(")::float8", ")"))
        compared.append((c, "array_%s::float8[]" % over))
    parts = ["SELECT %d AS c, unnest(%s) AS y, unnest(array_agg(w%d ORDER BY i)) AS w FROM v GROUP BY s" % (c, over, c) for c, over in compared]
    return [calls[c][0] for c, _ in compared], "SELECT c, count(*), count(*) FILTER (WHERE float8send(y) IS DISTINCT FROM float8send(w)) FROM (%s) AS t GROUP BY c ORDER BY c;" % " UNION ALL ".join(parts)


def compare(psql, type_name):
    make, text, limits, sql, unit = TYPES[type_name]
    stay, ahead = [], []
    for limit in [None] + limits:
        given = "NULL" if limit is None else sql(limit)
        exact = Fraction(limit) if isinstance(limit, float) else limit
        stay.append(("scan_locf(x, at, %s, RESET)" % given, lambda rows, e=exact: locf_by_age(rows, e)))
        ahead.append(("scan_interpolate(x, at, %s, RESET)" % given, lambda rows, e=exact: interpolated(rows, e)))
        if limit is not None:
            stay.append(("scan_session(at, %s, RESET)::float8" % given, lambda rows, e=exact: sessions(rows, e)))
        ahead.append(("scan_nocb(x, at, %s, RESET)" % given, lambda rows, e=exact: nocb_by_age(rows, e)))
    stay.append(("scan_locf(x::text, at, %s, RESET)::float8" % given, lambda rows, e=exact: locf_by_age(rows, e)))
    stay.append(("scan_integral(x, at, reset => RESET)", lambda rows: integral(rows, True, unit)))
    stay.append(("scan_integral(x, at, 'previous', RESET)", lambda rows: integral(rows, False, unit)))
    for gap in (None, 0, 1, 7) if type_name == "int8" else (2,):
        ahead.append(("scan_nocb(x, %s, RESET)" % ("NULL" if gap is None else gap), lambda rows, g=gap: nocb(rows, g)))
        ahead.append(("scan_nocb(x::text, %s, RESET)::float8" % ("NULL" if gap is None else gap), lambda rows, g=gap: nocb(rows, g)))

    calls = stay + ahead
    script = ["SET jit = off; SET client_min_messages = warning; SET timezone = 'UTC'; DROP TABLE IF EXISTS v;"]
    script.append("CREATE TABLE v (s int, i int, x float8, at %s, reset bool, %s);" % (type_name.split()[0], ", ".join("w%d float8" % c for c in range(len(calls)))))
    script.append("COPY v FROM STDIN;")
    for s in range(SERIES):
        rows = series(s, make, unit)
        answers = [answer(rows) for _, answer in calls]
        for i, (x, at, reset) in enumerate(rows):
            given = "\\N" if at is None else text(float(at) if type_name == "float8" else at)
            script.append("\t".join([str(s), str(i), known(x), given, "t" if reset else "f"] + [known(wanted[i]) for wanted in answers]))
    script.append("\\.")
    script.append("ANALYZE v; LOAD 'scan';")
    for path, settings in PATHS.items():
        for window, (reset, over) in WINDOWS.items():
            for group in (stay, ahead):
                wrong = ["count(*) FILTER (WHERE float8send(y%d) IS DISTINCT FROM float8send(w%d))" % (c, c) for c, call in enumerate(calls) if call in group]
                script.append("BEGIN; %s" % settings.replace("SET ", "SET LOCAL "))
                script.append("SELECT 'by %s, %s%s', count(*), %s FROM (SELECT v.*, %s FROM v WINDOW w AS (%s)) AS t;" % (
                    path, window, ", looking ahead" if group is ahead else "", ", ".join(wrong),
                    ", ".join("%s AS y%d" % ((call[0].replace(")::float8", ") OVER w::float8") if call[0].endswith("::float8") else call[0] + " OVER w").replace("RESET", reset), c)
                              for c, call in enumerate(calls) if call in group), over))  # fmt: skip
                script.append("COMMIT;")
    names, statement = arrays(calls)
    script.append("\\echo arrays\n" + statement)
    done = subprocess.run([psql, "-X", "-A", "-t", "-q", "-v", "ON_ERROR_STOP=1"], input="\n".join(script) + "\n", stdout=subprocess.PIPE, text=True, check=True)
    found, of_arrays = done.stdout.split("arrays\n")
    for line in found.splitlines():
        path, n, *wrong = line.split("|")
        group = [call for call, _ in (ahead if path.endswith("ahead") else stay)]
        print("%s rows of %s, %s, %d wrong: %s" % (n, type_name, path, sum(map(int, wrong)) + (int(n) != ROWS * SERIES), [(c, w) for c, w in zip(group, wrong) if w != "0"]), flush=True)
    rows = [line.split("|") for line in of_arrays.splitlines()]
    wrong = sum(int(w) + (int(n) != ROWS * SERIES) for _, n, w in rows) + (len(rows) != len(names))
    print("%d rows of %s, by arrays, %d wrong: %s" % (ROWS * SERIES * len(rows), type_name, wrong, [(name, row[2]) for name, row in zip(names, rows) if row[2] != "0"]), flush=True)


for name in sys.argv[2:] or TYPES:
    compare(sys.argv[1], name)

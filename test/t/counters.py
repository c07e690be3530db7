"""counters.py PSQL: scan_change, scan_counter and scan_bin, and arrays, against exact numbers.

Called by counters.t with the server in the environment.  Makes 40,000 rows of numbers of many kinds,
computes each answer by a loop over integers (a double is one, in units of 2^-1074) and Decimals, and
compares with what the server answers on each way that windows and arrays are computed.  Prints
"N rows of CALL, WAY, M wrong: the first".
"""

import decimal
import hashlib
import math
import random
import struct
import subprocess
import sys

ROWS = 40000
PARTITIONS = 60
draw = random.Random(20261126)
decimal.getcontext().prec = 400
ONE = 1 << 1074  # 1 in units of 2^-1074
NAN = float("nan")


# ---- rows


def reading(kind, before):
    """The next value of a counter, which falls now and then, of one of many kinds."""
    chance = draw.random()
    if kind == 0:  # whole numbers
        return float(draw.randint(0, 9)) if chance < 0.02 else before + draw.randint(0, 5)
    if kind == 1:  # tenths
        return draw.randint(0, 9) / 10 if chance < 0.02 else before + draw.randint(0, 20) / 10
    if kind == 2:  # any order
        return draw.gauss(0, 1)
    if kind == 3:  # all exponents
        return draw.choice([1, -1]) * math.ldexp(draw.random(), draw.randint(-1080, 900))
    if kind == 4:  # ties at the last bit
        return draw.choice([2.0**53, 2.0**53 + 2, 1.0, 3.0, 2.0**-1074, 0.0, -0.0])
    return draw.choice([0.1, 0.2, 0.30000000000000004, 0.3, 1e16, 1e16 + 2])


def rows():
    """(id, p, reset, i4, i8, f, g, n, t): NULL is None; g has infinities and NaN, n is the text of a numeric."""
    made, f = [], [0.0] * PARTITIONS
    for i in range(1, ROWS + 1):
        p = 0 if i % 4 == 0 else draw.randrange(PARTITIONS)
        reset = None if draw.random() < 0.01 else draw.random() < 0.01
        f[p] = reading(p % 6, f[p])
        g = draw.choice([math.inf, -math.inf, NAN]) if draw.random() < 0.01 else f[p]
        scale = draw.randint(0, 4)
        n = decimal.Decimal(draw.randint(-99 if p % 3 else 0, 10**6)).scaleb(-scale)
        if p % 7 == 5:
            n = decimal.Decimal(draw.randint(0, 10**9)).scaleb(draw.randint(-40, 40))
        values = [draw.randint(-100, 2**draw.randint(1, 30)), draw.randint(-5, 2**draw.randint(1, 45)), f[p], g, n, draw.choice(["a", "b", "A", "a ", ""])]
        if draw.random() < 0.05 and draw.random() < 0.9:
            values[draw.randrange(6)] = None
        if p == PARTITIONS - 1:
            values = [None] * 6
        made.append((i, p, reset, *values))
    return made


# ---- the answers, a loop for each function


def units(x):
    """A finite double in units of 2^-1074."""
    top, bottom = x.as_integer_ratio()
    return top * (ONE // bottom)


def shown_float(total):
    return struct.pack(">d", total / ONE + 0.0).hex()


def key(x):
    """PostgreSQL's order of doubles."""
    return (1, 0.0) if math.isnan(x) else (0, x)


def changes(values, resets):
    number, before, same = 0, None, {}
    for x, reset in zip(values, resets):
        x = "nan" if isinstance(x, float) and math.isnan(x) else x
        number = 1 if reset or number == 0 else number + (x != before)
        before = x
        yield str(number)


def counter_int(values, resets):
    before = gain = None
    for x, reset in zip(values, resets):
        if reset:
            before = gain = None
        if x is not None:
            gain = 0 if before is None else gain + (x - before if x >= before else x)
            before = x
        yield "-" if gain is None else str(gain)


def counter_float(values, resets):
    before = gain = None
    special = set()
    for x, reset in zip(values, resets):
        if reset:
            before, gain, special = None, None, set()
        if x is not None:
            if before is None:
                gain = 0
            else:
                for term in [x] if key(x) < key(before) else [x, -before]:
                    if math.isfinite(term):
                        gain += units(term)
                    else:
                        special.add("nan" if math.isnan(term) else term)
            before = x
        if gain is None:
            yield "-"
        elif special:
            yield "nan" if len(special) > 1 or "nan" in special else struct.pack(">d", special.copy().pop()).hex()
        else:
            yield shown_float(gain)


def plain(x, scale):
    """A Decimal with so many digits after the point, as numeric prints it."""
    return format(x.quantize(decimal.Decimal(1).scaleb(-scale)) + 0, "f")


def counter_numeric(values, resets):
    before, scale = None, 0
    for x, reset in zip(values, resets):
        if reset:
            before, scale = None, 0
        if x is not None:
            gain = decimal.Decimal(0) if before is None else gain + (x - before if x >= before else x)
            before, scale = x, max(scale, -x.as_tuple().exponent)
        yield "-" if before is None else plain(gain, scale)


def wrapping(values, resets, wraps_at, number, shown):
    """scan_counter(abs(value), wraps_at): `number` makes an exact number of a value, `shown` the text of a gain."""
    before, scale = None, 0
    for x, reset in zip(values, resets):
        if reset:
            before, scale = None, 0
        if x is not None:
            scale = max(scale, -x.as_tuple().exponent) if isinstance(x, decimal.Decimal) else 0
            x = number(abs(x))
            gain = number(0) if before is None else gain + x - before + (number(wraps_at) if x < before else 0)
            before = x
        yield "-" if before is None else shown(gain, scale)


def bins(values, resets, capacity, overfill, number):
    """`number` makes an exact number of a value; math.inf for what is above everything."""
    total = count = None
    capacity = number(capacity)
    for x, reset in zip(values, resets):
        if reset:
            count = None
        if x is not None:
            x = number(x)
            if count is None:
                count, total = 1, x
            elif total >= capacity if overfill else total + x > capacity:
                count, total = count + 1, x
            else:
                total += x
        yield "-" if count is None else str(count)


def size(x):
    """|x| exactly, in units of 2^-1074; more than all others for an infinity or NaN."""
    return units(abs(x)) if math.isfinite(x) else ONE << 4000


def calls():
    """(the call, its column, the loop, whether a device runs it)"""
    found = [("scan_change(%s" % c, c, changes, c not in ("n", "t")) for c in ("i4", "i8", "f", "g", "n", "t")]
    found += [("scan_counter(%s" % c, c, counter_int, True) for c in ("i4", "i8")]
    found += [("scan_counter(f", "f", counter_float, None), ("scan_counter(g", "g", counter_float, None), ("scan_counter(n", "n", counter_numeric, False)]
    found += [("scan_counter(abs(%s), %d" % (c, w), c, lambda v, r, w=w: wrapping(v, r, w, int, lambda g, _: str(g)), False) for c, w in (("i4", 2**30 + 1), ("i8", 2**45 + 1), ("i8", 2**46))]
    found += [("scan_counter(abs(f), %r::float8" % w, "f", lambda v, r, w=w: wrapping(v, r, w, units, lambda g, _: shown_float(g)), False) for w in (1e300, 2.0**901)]
    found.append(("scan_counter(abs(n), '1e60'::numeric", "n", lambda v, r: wrapping(v, r, decimal.Decimal("1e60"), decimal.Decimal, plain), False))
    for column, capacities, number in (("i4", (0, 10**6, 2**30), abs), ("i8", (2**44, 2**62), abs), ("f", (0.0, 1.0, 1e16, 1e300), size), ("g", (7.0, 1e300), size),
                                       ("n", ("10000.5", "1e30"), lambda x: abs(decimal.Decimal(x)))):
        for capacity in capacities:
            for overfill in (False, True):
                text = "'%s'" % capacity if isinstance(capacity, str) else "%r::%s" % (capacity, "bigint" if isinstance(capacity, int) else "float8")
                found.append(("scan_bin(abs(%s), %s, %s" % (column, text, overfill), column,
                              lambda v, r, c=capacity, o=overfill, n=number: bins(v, r, c, o, n), False))
    return found


COLUMNS = {"i4": 3, "i8": 4, "f": 5, "g": 6, "n": 7, "t": 8}


def wanted(table, column, loop, partitioned, with_reset):
    """The answers in the order of id."""
    parts = {}
    for row in table:
        parts.setdefault(row[1] if partitioned else 0, []).append(row)
    answer = {}
    for part in parts.values():
        resets = [with_reset and row[2] for row in part]
        for row, y in zip(part, loop([row[COLUMNS[column]] for row in part], resets)):
            answer[row[0]] = y
    return [answer[i] for i in range(1, ROWS + 1)]


# ---- the server


def run(psql, script):
    return subprocess.run([psql, "-X", "-A", "-t", "-q", "-v", "ON_ERROR_STOP=1"], input=script, capture_output=True, text=True, check=True).stdout.split("\n")


def copied(x):
    if x is None:
        return "\\N"
    if isinstance(x, float):
        return repr(x)
    return format(x, "f") if isinstance(x, decimal.Decimal) else str(x)


SHOWN = "CASE WHEN %(y)s IS NULL THEN '-' WHEN pg_typeof(%(y)s) <> 'float8'::regtype THEN %(y)s::text WHEN %(y)s::text = 'NaN' THEN 'nan' ELSE encode(float8send(%(y)s::text::float8), 'hex') END"

PREFIX = "LOAD 'scan'; SET jit = off; SET max_parallel_workers_per_gather = 0; SET scan.device = cpu; "
FORCE = PREFIX + "SET scan.prefixscan = force; "
WAYS = {
    "WindowAgg": PREFIX + "SET scan.prefixscan = off",
    "PrefixScan": FORCE + "SET scan.debug_require = node",
    "beyond memory": FORCE + "SET scan.work_mem = '64kB'; SET scan.debug_require = node",
    "several processes": FORCE + "SET scan.parallel = on; SET max_parallel_workers_per_gather = 2; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0",
    "a device": FORCE + "SET scan.device = gpu; SET scan.debug_require = gpu",
    "by Blelloch": FORCE + "SET scan.algorithm = blelloch",
}


def main():
    psql = sys.argv[1]
    table = rows()
    script = ["CREATE TABLE d (id int, p int, reset boolean, i4 int, i8 bigint, f float8, g float8, n numeric, t text COLLATE \"C\");", "COPY d FROM STDIN;"]
    order = list(table)
    draw.shuffle(order)
    script += ["\t".join(copied(x) for x in row) for row in order]
    run(psql, "\n".join(script + ["\\.", "VACUUM ANALYZE d;"]))
    questions = []
    for call, column, loop, device in calls():
        for partitioned, with_reset in ((True, True), (False, False)) if column != "g" else ((True, True),):
            window = "PARTITION BY p ORDER BY id" if partitioned else "ORDER BY id"
            text = call + (", reset => reset)" if with_reset else ")")
            questions.append((text, window, device, wanted(table, column, loop, partitioned, with_reset)))
    for way, settings in WAYS.items():
        asked = [q for q in questions if way != "a device" or q[2] is not False]
        lines = run(psql, settings + ";\n" + "".join(
            # a device leaves totals to the CPU that a pair cannot hold
            ("SET scan.debug_require = %s;\n" % ("gpu" if q[2] else "node") if way == "a device" else "") +
            "SELECT md5(string_agg(%s, ',' ORDER BY id)) FROM (SELECT id, %s OVER (%s) AS y FROM d) AS s;\n" % (SHOWN % {"y": "y"}, q[0], q[1]) for q in asked))
        for question, line in zip(asked, lines):
            report(psql, settings, way, question, line)
    arrays(psql, table)


def report(psql, settings, way, question, line):
    text, window, _, answers = question
    wrong = []
    if line != hashlib.md5(",".join(answers).encode()).hexdigest():
        got = run(psql, "%s;\nSELECT %s FROM (SELECT id, %s OVER (%s) AS y FROM d) AS s ORDER BY id;\n" % (settings.replace("debug_require = gpu", "debug_require = allow"), SHOWN % {"y": "y"}, text, window))
        wrong = ["row %d: %s, not %s" % (i + 1, y, w) for i, (y, w) in enumerate(zip(got, answers)) if y != w] or ["another hash"]
    print("%d rows of %s, %s over (%s), %d wrong: %s" % (len(answers), text, way, window, len(wrong), wrong[0] if wrong else ""))


def arrays(psql, table):
    """The functions over arrays answer as those over rows."""
    for function in ("change", "counter"):
        for column in ("i4", "i8", "f", "n") + (("t",) if function == "change" else ()):
            query = """SELECT count(*) FILTER (WHERE a::text IS DISTINCT FROM w::text) FROM
              (SELECT array_scan_%(f)s(array_agg(%(c)s ORDER BY id), array_agg(reset ORDER BY id)) AS a, array_agg(y ORDER BY id) AS w
               FROM (SELECT *, scan_%(f)s(%(c)s, reset) OVER (PARTITION BY p ORDER BY id) AS y FROM d) AS s GROUP BY p) AS t;""" % {"f": function, "c": column}
            print("%d rows of array_scan_%s(%s), %s wrong: " % (len(table), function, column, run(psql, PREFIX + query)[0]))


main()

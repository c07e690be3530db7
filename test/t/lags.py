"""lags.py PSQL: scan_lag and scan_lead against a plain loop.

Called by lags.t with the server in the environment.  Makes 100,000 rows of values of several types, many of them
NULL, computes each answer by a loop over the segment, and compares with what the server answers on each way that
windows are computed.  Prints "N rows of CALL, WAY, M wrong: the first".
"""

import hashlib
import random
import subprocess
import sys

ROWS = 100000
PARTITIONS = 60
draw = random.Random(20261128)
TYPES = {"i4": "int", "i8": "bigint", "f": "float8", "n": "numeric", "t": "text", "a": "int[]"}
FLOATS = ["NaN", "Infinity", "-Infinity", "-0", "0", "5e-324", "1.7976931348623157e+308", "0.1"]


def rows():
    """(id, p, reset, the values as text): NULL is None.  Some partitions have few values, and one has none."""
    made = []
    for i in range(1, ROWS + 1):
        p = 0 if i % 4 == 0 else draw.randrange(PARTITIONS)
        reset = None if draw.random() < 0.01 else draw.random() < 0.005
        number = draw.randint(-(2**31), 2**31 - 1)
        values = [str(number), str(number << 31), draw.choice(FLOATS), "%d.%03d" % (number, i % 1000), "x" * draw.choice([0, 1, 3, 40, 200]) + str(i), "{%d,NULL}" % i]
        holes = (0.1, 0.5, 0.9, 1.0)[p % 4] if p else 0.3
        made.append((i, p, reset, *(None if draw.random() < holes else x for x in values)))
    return made


def lags(values, resets, offset):
    known = []
    for x, reset in zip(values, resets):
        if reset:
            known = []
        if offset == 0:
            yield x
        else:
            yield known[-offset] if len(known) >= offset else None
        if x is not None:
            known.append(x)


def leads(values, resets, offset):
    """The same from the end of each segment."""
    answers, known = [], []
    for x, reset in reversed(list(zip(values, resets))):
        if offset == 0:
            answers.append(x)
        else:
            answers.append(known[-offset] if len(known) >= offset else None)
        if x is not None:
            known.append(x)
        if reset:
            known = []
    return reversed(answers)


def wanted(table, place, loop, offset, partitioned, with_reset):
    parts = {}
    for row in table:
        parts.setdefault(row[1] if partitioned else 0, []).append(row)
    answer = {}
    for part in parts.values():
        for row, y in zip(part, loop([row[place] for row in part], [with_reset and row[2] for row in part], offset)):
            answer[row[0]] = y
    return [answer[i] for i in range(1, ROWS + 1)]


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


def main():
    psql = sys.argv[1]
    table = rows()
    order = list(table)
    draw.shuffle(order)
    script = ["CREATE TABLE d (id int, p int, reset boolean, %s);" % ", ".join("%s %s" % c for c in TYPES.items()), "COPY d FROM STDIN;"]
    script += ["\t".join("\\N" if x is None else str(x) for x in row) for row in order]
    run(psql, "\n".join(script + ["\\.", "VACUUM ANALYZE d;"]))
    questions = []
    for place, column in enumerate(TYPES, 3):
        for function, loop in (("scan_lag", lags), ("scan_lead", leads)):
            for offset, partitioned, with_reset in ((draw.choice([0, 1]), True, False), (draw.choice([1, 2, 7]), False, True), (draw.choice([30, 256, 257, 3000]), draw.random() < 0.5, False)):
                window = "PARTITION BY p ORDER BY id" if partitioned else "ORDER BY id"
                call = "%s(%s, %d%s)" % (function, column, offset, ", reset" if with_reset else "")
                questions.append((call, window, wanted(table, place, loop, offset, partitioned, with_reset)))
    for way, settings in WAYS.items():
        lines = run(psql, settings + ";\n" + "".join("SELECT md5(string_agg(coalesce(y::text, '-'), ',' ORDER BY id)) FROM (SELECT id, %s OVER (%s) AS y FROM d) AS s;\n" % q[:2] for q in questions))
        for (call, window, answers), line in zip(questions, lines):
            shown = ["-" if y is None else y for y in answers]
            wrong = line != hashlib.md5(",".join(shown).encode()).hexdigest()
            first = ""
            if wrong:
                got = run(psql, "%s;\nSELECT coalesce(y::text, '-') FROM (SELECT id, %s OVER (%s) AS y FROM d) AS s ORDER BY id;\n" % (settings, call, window))
                first = next(("row %d: %s, not %s" % (i + 1, y, w) for i, (y, w) in enumerate(zip(got, shown)) if y != w), "another hash")
            print("%d rows of %s, %s over (%s), %d wrong: %s" % (ROWS, call, way, window, wrong, first))


main()

"""funnel.py PSQL: scan_funnel against its definition, by Python.

Called by funnel.t with the server in the environment.  Makes groups of rows with random times and conditions, of which
many have one time or are NULL, and compares the results of whole groups and of the rows so far, in WindowAgg and in
PrefixScan.  The oracle tries each row as the first one of a chain, and takes the next row that satisfies the next
condition; the server says where at + within lies.  Prints "N rows of KIND, M wrong".
"""

import random
import subprocess
import sys

draw = random.Random(20261128)
STEPS = 4
GROUPS = 11000


def one_group():
    """Rows of times and conditions: times are seldom far apart, and conditions often in the order of the steps."""
    n = draw.choice([1, 2, 3, 5, 9, 9, 14, 20])
    at, rows, step = draw.randint(0, 50), [], 0
    busy = draw.random() < 0.5
    for _ in range(n):
        at += draw.choice([0, 0, 0, 1, 1, 2, 3, 10, 31])
        if draw.random() < 0.5:
            conditions = [draw.random() < (0.4 if busy else 0.15) for _ in range(STEPS)]
        else:
            step = draw.choice([step, step, (step + 1) % STEPS, 0])
            conditions = [k == step for k in range(STEPS)]
            step = (step + 1) % STEPS
        rows.append((None if draw.random() < 0.03 else at, [None if draw.random() < 0.03 else c for c in conditions]))
    return rows


# ---- the oracle


def reached_so_far(rows, increase):
    """After each row, the most steps that any chain has: for each first row, the next rows that go on."""
    best = [0] * len(rows)
    for i, (at, end, conditions) in enumerate(rows):
        if at is None or not conditions[0]:
            continue
        k, last = 1, at
        best[i] = max(best[i], 1)
        for j in range(i + 1, len(rows)):
            then, _, wanted = rows[j]
            if then is not None and k < STEPS and then <= end and wanted[k] and (not increase or last < then):
                k, last = k + 1, then
            best[j] = max(best[j], k)
    for j in range(1, len(rows)):
        best[j] = max(best[j], best[j - 1])
    return best


def oracle(rows, mode):
    best = reached_so_far(rows, "strict_increase" in mode)
    if "strict_order" not in mode:
        return best
    for j in range(1, len(rows)):
        at, _, conditions = rows[j]
        highest = max([k for k in range(STEPS) if conditions[k]], default=None)
        if at is not None and 0 < best[j - 1] < STEPS and (highest is None or highest > best[j - 1]):
            return best[:j] + [best[j - 1]] * (len(rows) - j)
    return best


# ---- the server

KINDS = {
    # kind: at for a number k, within
    "timestamptz, hours": ("timestamptz '2024-01-01' + k * interval '1 hour'", "interval '11 hours'"),
    "timestamptz, days around a change of clocks": ("timestamptz '2024-03-29 20:00' + k * interval '20 minutes'", "interval '1 day'"),
    "timestamptz, a month whose last days meet": ("timestamptz '2024-01-20 03:00' + k * interval '7 hours 30 minutes'", "interval '1 month'"),
    "timestamp, a month whose last days meet": ("timestamp '2024-01-20 03:00' + k * interval '7 hours'", "interval '1 month'"),
    "timestamp, months back and days forth": ("timestamp '2024-03-27 22:00' + k * interval '97 minutes'", "interval '-1 month 34 days'"),
    "date": ("date '2024-01-20' + k::int", "interval '10 days'"),
    "date, a month": ("date '2024-01-20' + k::int", "interval '1 month'"),
    "int8": ("k - 20", "7"),
    "int8, without time": ("k", "0"),
    "int8, the ends of the type": ("CASE WHEN k < 60 THEN -9223372036854775808 + k WHEN k >= 60 THEN 9223372036854775807 - 700 + least(k, 700) END", "9223372036854775807"),
    "float8": ("k * 0.1::float8", "0.7::float8"),
    "float8, infinities": ("CASE WHEN k < 30 THEN '-Infinity' WHEN k > 80 THEN CASE WHEN k < 99 THEN 'Infinity'::float8 ELSE 'NaN' END ELSE k END", "'Infinity'::float8"),
    "numeric": ("k * 0.1", "0.7"),
    "numeric, many digits": ("10::numeric ^ 30 + k * 0.1", "0.3"),
}
# at + within, exactly
ENDS = {"float8": "at::scan_total::numeric + 0.7::float8::scan_total::numeric", "float8, infinities": "at + 'Infinity'::float8",
        "int8, the ends of the type": "at::numeric + 9223372036854775807"}  # fmt: skip
MODES = ["", "strict_order", "strict_increase", "strict_order, strict_increase"]
WAYS = {"WindowAgg": "LOAD 'scan'; SET scan.prefixscan = off;", "PrefixScan": "LOAD 'scan'; SET scan.prefixscan = force;"}


def answers(psql, sql):
    out = subprocess.run([psql, "-XqAt", "-v", "ON_ERROR_STOP=1"], input=sql, capture_output=True, text=True, check=False)
    if out.returncode != 0:
        raise SystemExit(out.stderr)
    return [line.split("|") for line in out.stdout.splitlines()]


def load(psql, groups):
    flag = {None: "\\N", True: "t", False: "f"}
    lines = ["%d\t%d\t%s\t%s" % (g, i, "\\N" if at is None else at, "\t".join(flag[c] for c in conditions)) for g, rows in enumerate(groups) for i, (at, conditions) in enumerate(rows)]
    answers(psql, "DROP TABLE IF EXISTS steps; CREATE TABLE steps (g int, i int, k int8, a bool, b bool, c bool, d bool);\n\\copy steps FROM pstdin\n" + "\n".join(lines) + "\n\\.\n")


def main(psql):
    groups = [one_group() for _ in range(GROUPS)]
    load(psql, groups)
    total = sum(map(len, groups))
    for kind, (at, within) in KINDS.items():
        zone = "SET timezone = 'Europe/Berlin'; "
        answers(psql, zone + "DROP TABLE IF EXISTS e; CREATE TABLE e AS SELECT g, i, %s AS at, a, b, c, d FROM steps; ANALYZE e" % at)
        end = ENDS.get(kind, "at + " + within)
        # the ranks of all times and ends together are numbers that Python compares as the server does
        ranks = answers(psql, zone + """WITH t AS (SELECT g, i, at%(cast)s AS v, false AS is_end FROM e UNION ALL SELECT g, i, greatest(at%(cast)s, (%(end)s)%(end_cast)s), true FROM e)
            SELECT g, i, min(r) FILTER (WHERE NOT is_end), min(r) FILTER (WHERE is_end) FROM (SELECT *, CASE WHEN v IS NOT NULL THEN dense_rank() OVER (ORDER BY v) END AS r FROM t) AS s GROUP BY g, i ORDER BY g, i""" % {
            "end": end, "end_cast": "::numeric" if kind.startswith("int8") else "::timestamp" if kind.startswith("date") else "", "cast": "::scan_total::numeric" if kind == "float8" else "::numeric" if kind.startswith("int8") else "::timestamp" if kind.startswith("date") else ""})  # fmt: skip
        series = [[] for _ in groups]
        for g, i, rank, last in ranks:
            series[int(g)].append((int(rank) if rank else None, int(last) if last else None, groups[int(g)][int(i)][1]))
        for mode in MODES:
            wanted = [oracle(rows, mode) for rows in series]
            call = "scan_funnel(at, %s%s, a, b, c, d" % (within, ", '%s'" % mode if mode else "")
            for way, setting in WAYS.items():
                got = answers(psql, zone + setting + "SELECT string_agg(y::text, ',' ORDER BY i) FROM (SELECT g, i, %s) OVER (PARTITION BY g ORDER BY i ROWS UNBOUNDED PRECEDING) AS y FROM e) AS t GROUP BY g ORDER BY g" % call)
                wrong = [g for g, row in enumerate(got) if list(map(int, row[0].split(","))) != wanted[g]]
                example = "" if not wrong else "%s is %s, not %s, in %s" % (series[wrong[0]], got[wrong[0]], wanted[wrong[0]], mode)
                print("%d rows of %s, %s, %s, %d wrong: %s" % (total if len(got) == GROUPS else 0, kind, mode or "default", way, len(wrong), example))
            got = answers(psql, zone + "SELECT %s ORDER BY i) FROM e GROUP BY g ORDER BY g" % call)
            wrong = [g for g, row in enumerate(got) if int(row[0]) != wanted[g][-1]]
            print("%d rows of %s, %s, groups, %d wrong: %s" % (total if len(got) == GROUPS else 0, kind, mode or "default", len(wrong), wrong[:1]))


if __name__ == "__main__":
    main(sys.argv[1])

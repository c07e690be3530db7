"""time_in_state.py PSQL: time_in_state against Python's integers and fractions.

Called by time_in_state.t with the server in the environment.  Makes groups of rows with random times and states, and
compares groups, the rows so far and frames that slide, in WindowAgg and in PrefixScan.  Prints "N rows of KIND, M wrong".
"""

import random
import sys
from fractions import Fraction

from funnel import WAYS, answers

draw = random.Random(20261129)

KINDS = {
    # kind: at for a number k, the result as a number, the time of k
    "timestamptz": ("timestamptz '2024-03-30 00:00' + k * interval '997 seconds 1 microsecond'", "extract(epoch FROM y) * 1000000", lambda k: k * 997000001),
    "timestamp": ("timestamp '2024-03-30 00:00' + k * interval '1 hour'", "extract(epoch FROM y) * 1000000", lambda k: k * 3600000000),
    "date": ("date '2024-03-30' + k::int", "extract(epoch FROM y) / 86400", lambda k: k),
    "int8": ("k - 4000000000000000000", "y", lambda k: k),
    "float8": ("k * 0.1::float8", "y", lambda k: Fraction(k * 0.1)),
    "numeric": ("1e30 + k * 0.01", "y", lambda k: Fraction(k, 100)),
}
FRAMES = {"": None, "ROWS UNBOUNDED PRECEDING": 10**9, "ROWS 3 PRECEDING": 3}


def time_in_state(rows, time):
    """Rows are (k, state); those without a time are skipped."""
    known = [(time(k), state) for k, state in rows if k is not None]
    if not known:
        return None
    return sum((b[0] - a[0] for a, b in zip(known, known[1:]) if a[1]), 0)


def main(psql):
    groups = []
    for _ in range(11000):
        k, rows = draw.randint(0, 9), []
        for _ in range(draw.choice([1, 2, 5, 12, 30])):
            k += draw.choice([0, 1, 1, 2, 60])
            rows.append((None if draw.random() < 0.05 else k, draw.choice([True, False, None])))
        groups.append(rows)
    total = sum(map(len, groups))
    flag = {None: "\\N", True: "t", False: "f"}
    lines = ["%d\t%d\t%s\t%s" % (g, i, "\\N" if k is None else k, flag[state]) for g, rows in enumerate(groups) for i, (k, state) in enumerate(rows)]
    answers(psql, "CREATE TABLE states (g int, i int, k int8, s bool);\n\\copy states FROM pstdin\n" + "\n".join(lines) + "\n\\.\n")
    for kind, (at, number, time) in KINDS.items():
        answers(psql, "SET timezone = 'Europe/Berlin'; DROP TABLE IF EXISTS e; CREATE TABLE e AS SELECT g, i, %s AS at, s FROM states; ANALYZE e" % at)
        for frame, before in FRAMES.items():
            if before is None:
                wanted = [[time_in_state(rows, time)] for rows in groups]
            else:
                wanted = [[time_in_state(rows[max(i - before, 0) : i + 1], time) for i in range(len(rows))] for rows in groups]
            for way, setting in WAYS.items():
                call = "SELECT g, 0 AS i, time_in_state(s, at ORDER BY i) AS y FROM e GROUP BY g"
                if before is not None:
                    call = "SELECT g, i, time_in_state(s, at) OVER (PARTITION BY g ORDER BY i %s) AS y FROM e" % frame
                got = answers(psql, setting + "SELECT string_agg(coalesce((%s)::text, '-'), ',' ORDER BY i) FROM (%s) AS t GROUP BY g ORDER BY g" % (number, call))
                shown = [[None if y == "-" else Fraction(float(y)) if kind == "float8" else Fraction(y) for y in row[0].split(",")] for row in got]
                rounded = [[Fraction(float(y)) if kind == "float8" and y is not None else y for y in row] for row in wanted]
                wrong = [g for g, row in enumerate(shown) if row != rounded[g]]
                print("%d rows of %s, %s, %s, %d wrong: %s" % (total if len(got) == len(groups) else 0, kind, frame or "groups", way, len(wrong), [(groups[g], got[g], wanted[g]) for g in wrong[:1]]))


if __name__ == "__main__":
    main(sys.argv[1])

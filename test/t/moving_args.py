"""moving_args.py PSQL: moving_arg_min, moving_arg_max, moving_first and moving_last against plain loops.

Called by moving_args.t with the server in the environment.  Makes rows with a value and keys of several types, lets the
server aggregate them over frames that move, by WindowAgg and by PrefixScan, and by groups, and computes each answer by a
loop over the rows.  Prints "N answers of KIND, M wrong".
"""

import random
import subprocess
import sys

draw = random.Random(20261128)

# ---- the oracle


def order_of(key):
    """How PostgreSQL orders keys of one type: a NaN comes last, and -0 is 0."""
    if isinstance(key, float):
        return (key != key, 0.0 if key != key else key + 0.0)
    return key


def winner(rows, greatest, newest):
    """The value of the row that wins among (value, key)."""
    best = None
    for value, key in rows:
        if key is None:
            continue
        if best is None or (order_of(key) > order_of(best[1]) if greatest else order_of(key) < order_of(best[1])) or (newest and order_of(key) == order_of(best[1])):
            best = (value, key)
    return None if best is None else best[0]


FUNCTIONS = {"moving_arg_min": (False, False), "moving_arg_max": (True, False), "moving_first": (False, False), "moving_last": (True, True)}

# ---- the rows

WORDS = ["", "a", "b", "ab", "a much longer text " * 20, "z"]


def some(n, key, nulls=0.05):
    return [(None if draw.random() < 0.1 else "v%d" % draw.randrange(10**6), None if draw.random() < nulls else key(i)) for i in range(n)]


KINDS = {
    "integers with ties": ("int", some(8000, lambda i: draw.randrange(6))),
    "integers": ("int", some(8000, lambda i: draw.randint(-(2**31), 2**31 - 1))),
    "rising keys": ("bigint", some(8000, lambda i: i * 10**12)),
    "falling keys": ("bigint", some(8000, lambda i: -i)),
    "equal keys": ("smallint", some(8000, lambda i: 7)),
    "nearly all NULL": ("int", some(8000, lambda i: draw.randrange(9), 0.95)),
    "floats, NaN, -0 and infinities": ("float8", some(8000, lambda i: draw.choice([float("nan"), 0.0, -0.0, float("inf"), -float("inf"), draw.gauss(0, 1), 1.0]))),
    "texts": ("text", some(8000, lambda i: draw.choice(WORDS))),
}
MANY = ("int", some(100100, lambda i: draw.randrange(1000)))

# ---- the frames: their clause, and the rows [start, end) of row i of n, and whether its own row is left out

FRAMES = [
    ("ROWS 3 PRECEDING", lambda i, n: (i - 3, i + 1)),
    ("ROWS 60 PRECEDING", lambda i, n: (i - 60, i + 1)),
    ("ROWS BETWEEN 5 PRECEDING AND 2 PRECEDING", lambda i, n: (i - 5, i - 1)),
    ("ROWS BETWEEN 1 FOLLOWING AND 9 FOLLOWING", lambda i, n: (i + 1, i + 10)),
    ("ROWS BETWEEN 4 PRECEDING AND 3 FOLLOWING EXCLUDE CURRENT ROW", lambda i, n: (i - 4, i + 4)),
]
GROWING = ("ROWS UNBOUNDED PRECEDING", lambda i, n: (0, i + 1))


def frame(rows, clause, bounds, i):
    start, end = bounds(i, len(rows))
    return [rows[j] for j in range(max(start, 0), max(min(end, len(rows)), 0)) if not (j == i and "EXCLUDE" in clause)]


# ---- the comparison


def run(psql, script):
    done = subprocess.run([psql, "-X", "-A", "-t", "-q"], input=script, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=True)
    return done.stdout.splitlines()


def load(type, rows):
    lines = ["\t".join("\\N" if x is None else str(x) for x in (i, i // 50, value, key)) for i, (value, key) in enumerate(rows)]
    return 'DROP TABLE IF EXISTS v; CREATE TABLE v (i int, g int, x text, k %s %s); COPY v FROM STDIN;\n%s\n\\.\nANALYZE v;\n' % (type, 'COLLATE "C"' if type == "text" else "", "\n".join(lines))


def compare(psql, kind, type, rows, frames, step=1):
    script, wanted = ["SET client_min_messages = warning;", load(type, rows), "LOAD 'scan'; SET jit = off;"], []
    for name, (greatest, newest) in FUNCTIONS.items():
        for clause, bounds in frames:
            answers = [winner(frame(rows, clause, bounds, i), greatest, newest) or "-" for i in range(0, len(rows), step)]
            for node in ("off", "force"):
                script.append("SET scan.prefixscan = %s; SELECT coalesce(y, '-') FROM (SELECT i, %s(x, k) OVER (ORDER BY i %s) AS y FROM v) AS t WHERE i %% %d = 0 ORDER BY i;" % (node, name, clause, step))
                wanted += answers
        groups = [winner(rows[g * 50 : g * 50 + 50], greatest, newest) or "-" for g in range((len(rows) + 49) // 50)]
        script.append("SELECT coalesce(%s(x, k ORDER BY i), '-') FROM v GROUP BY g ORDER BY g;" % name)
        wanted += groups
    got = run(psql, "\n".join(script))
    wrong = [(i, g, w) for i, (g, w) in enumerate(zip(got, wanted)) if g != w]
    print("%d answers of %s, %d wrong: %s" % (len(wanted), kind, len(wrong) + abs(len(got) - len(wanted)), wrong[:2] or got[:1]), flush=True)


def main(psql):
    for kind, (type, rows) in KINDS.items():
        compare(psql, kind, type, rows, FRAMES)
        compare(psql, kind + ", growing", type, rows[:700], [GROWING])
    compare(psql, "many rows", *MANY, FRAMES[1:2], 13)


if __name__ == "__main__":
    main(sys.argv[1])

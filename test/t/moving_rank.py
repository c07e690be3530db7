"""moving_rank.py PSQL: moving_rank and moving_percent_rank against plain loops.

Called by moving_rank.t with the server in the environment.  Over frames that move, by WindowAgg and by PrefixScan, and by
groups.  Prints "N answers of KIND, M wrong".
"""

import sys

from moving_args import FRAMES, GROWING, KINDS, MANY, frame, load, order_of, run


def moving_rank(rows):
    """1 and how many keys of (value, key) are less than the last one."""
    if not rows or rows[-1][1] is None:
        return None
    last = order_of(rows[-1][1])
    return 1 + sum(key is not None and order_of(key) < last for _, key in rows)


def moving_percent_rank(rows):
    rank, n = moving_rank(rows), sum(key is not None for _, key in rows)
    return None if rank is None else (rank - 1) / (n - 1) if n > 1 else 0.0


FUNCTIONS = {"moving_rank": moving_rank, "moving_percent_rank": moving_percent_rank}


def text(y):
    return "-" if y is None else str(y) if isinstance(y, int) else float(y).hex()


def compare(psql, kind, type, rows, frames, step=1):
    script, wanted = ["SET client_min_messages = warning;", load(type, rows), "LOAD 'scan'; SET jit = off;"], []
    for name, answer in FUNCTIONS.items():
        for clause, bounds in frames:
            answers = [answer(frame(rows, clause, bounds, i)) for i in range(0, len(rows), step)]
            odd = [answer([row for j, row in enumerate(rows[max(bounds(i, 0)[0], 0) : i + 1], max(bounds(i, 0)[0], 0)) if j % 2]) for i in range(0, len(rows), step)]
            for node in ("off", "force"):
                script.append("SET scan.prefixscan = %s; SELECT coalesce(y::text, '-') FROM (SELECT i, %s(k) OVER (ORDER BY i %s) AS y FROM v) AS t WHERE i %% %d = 0 ORDER BY i;" % (node, name, clause, step))
                wanted += answers
                if clause.endswith("0 PRECEDING"):
                    script.append("SELECT coalesce(y::text, '-') FROM (SELECT i, %s(k) FILTER (WHERE i %% 2 = 1) OVER (ORDER BY i %s) AS y FROM v) AS t WHERE i %% %d = 0 ORDER BY i;" % (name, clause, step))
                    wanted += odd
        script.append("SELECT coalesce(%s(k ORDER BY i)::text, '-') FROM v GROUP BY g ORDER BY g;" % name)
        wanted += [answer(rows[g * 50 : g * 50 + 50]) for g in range((len(rows) + 49) // 50)]
    got = run(psql, "\n".join(script))
    wanted = [text(y) for y in wanted]
    got = [y if y == "-" or w.isdigit() else text(float(y)) for y, w in zip(got, wanted)] + got[len(wanted) :]
    wrong = [(i, g, w) for i, (g, w) in enumerate(zip(got, wanted)) if g != w]
    print("%d answers of %s, %d wrong: %s" % (len(wanted), kind, len(wrong) + abs(len(got) - len(wanted)), wrong[:2] or got[:1]), flush=True)


def main(psql):
    for kind, (type, rows) in KINDS.items():
        compare(psql, kind, type, rows[:4000], FRAMES)
        compare(psql, kind + ", growing", type, rows[:700], [GROWING])
    compare(psql, "many rows", *MANY, FRAMES[1:2], 13)


if __name__ == "__main__":
    main(sys.argv[1])

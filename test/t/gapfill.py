"""gapfill.py PSQL: scan_gapfill against its definition, by Python.

Called by gapfill.t with the server in the environment.  Makes arrays of random times in any order, with NULLs, and
bounds that may be missing; the starts of the buckets are computed by the server, one by one: from + i * step.  Prints
"N buckets of KIND, M wrong".
"""

import random
import sys

from funnel import answers

draw = random.Random(20261201)
KINDS = {
    # kind: type, a time for a number k, the step, from + i * step
    "timestamptz, hours": ("timestamptz", "timestamptz '2024-03-30 20:17' + %s * interval '25 minutes'", "interval '1 hour'", "f + i * interval '1 hour'"),
    "timestamptz, days": ("timestamptz", "timestamptz '2024-03-28 02:30' + %s * interval '5 hours'", "interval '1 day'", "f + i * interval '1 day'"),
    "timestamp, months": ("timestamp", "timestamp '2024-01-31 12:00' + %s * interval '9 days'", "interval '1 month'", "f + i * interval '1 month'"),
    "timestamp, mixed": ("timestamp", "timestamp '2024-01-31 12:00' + %s * interval '9 days'", "interval '1 month 2 days 3 hours'", "f + i * interval '1 month 2 days 3 hours'"),
    "date": ("date", "date '2024-02-20' + %s", "interval '3 days'", "f + i * 3"),
    "int4": ("int4", "%s - 20", "4", "f + i * 4"),
    "int8": ("int8", "%s - 9000000000000000000", "3::int8", "f + i * 3"),
    "numeric": ("numeric", "1e20 + %s * 0.1", "0.25", "f + i * 0.25"),
}


def main(psql):
    for kind, (type_name, at, step, start) in KINDS.items():
        script, cases = ["SET timezone = 'Europe/Berlin'; CREATE TEMP TABLE c (n int, a int[], f int, t int);\nCOPY c FROM stdin;"], []
        for n in range(16000):
            times = [None if draw.random() < 0.05 else draw.randint(0, 60) for _ in range(draw.choice([0, 1, 3, 8, 15]))]
            low, high = (None if draw.random() < 0.3 else draw.randint(-10, 50)), (None if draw.random() < 0.3 else draw.randint(0, 70))
            cases.append((times, low, high))
            script.append("%d\t{%s}\t%s\t%s" % (n, ",".join("NULL" if k is None else str(k) for k in times), "\\N" if low is None else low, "\\N" if high is None else high))
        script.append("\\.")
        script.append("CREATE TEMP TABLE e AS SELECT n, ARRAY(SELECT %s FROM unnest(a) WITH ORDINALITY AS u (k, i) ORDER BY u.i)::%s[] AS a, (%s)::%s AS f, (%s)::%s AS t FROM c;" % (at % "k", type_name, at % "f", type_name, at % "t", type_name))
        first = "coalesce(f, (SELECT min(x) FROM unnest(a) AS x))"
        # by definition: all starts, the next ones, and no time between them
        script.append("""SELECT e.n, coalesce((SELECT string_agg(g::text, ',' ORDER BY o) FROM scan_gapfill(a, %s, e.f, t) WITH ORDINALITY AS r (g, o)), ''),
            coalesce((SELECT string_agg(b::text, ',' ORDER BY b) FROM (SELECT (%s)::%s AS b, (%s)::%s AS next FROM (SELECT %s AS f) AS v, generate_series(0, 400) AS i) AS s
              WHERE b < coalesce(t, (SELECT max(x) FROM unnest(a) AS x)) AND NOT EXISTS (SELECT FROM unnest(a) AS x WHERE x >= b AND x < next)), '') FROM e ORDER BY n;""" % (
            step, start, type_name, start.replace("i *", "(i + 1) *"), type_name, first))  # fmt: skip
        got = answers(psql, "\n".join(script))
        wrong = [row for row in got if row[1] != row[2]]
        print("%d buckets of %s, %d wrong: %s" % (sum(len(row[2].split(",")) for row in got if row[2]) if len(got) == len(cases) else 0, kind, len(wrong), [(cases[int(row[0])], row) for row in wrong[:1]]))


if __name__ == "__main__":
    main(sys.argv[1])

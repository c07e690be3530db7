"""time_average.py PSQL: time_average against Python's integers.

Called by time_average.t with the server in the environment.  Makes series of many kinds, with ties, NULLs, infinities
and the ends of what there is, lets the server average them by groups and over frames that move, by WindowAgg and by
PrefixScan, and computes each answer from its definition: areas and durations as integers, and one division of
integers, which Python rounds correctly.  Prints "N answers of KIND, M wrong".
"""

import math
import sys

from exact import FRAMES, INF, KINDS, NAN, TINY, UNIT, Session, draw, nearest, preceding, scaled, series

# ---- the oracle


def whole_number(x):
    numerator, denominator = x.as_integer_ratio()
    return numerator * (2**UNIT // denominator)


class Series:
    """Rows in order, and prefixes of the areas between those that are not skipped."""

    def __init__(self, rows, method):
        self.method, self.floats = method, any(isinstance(at, float) for at, _ in rows)
        self.rows = [(whole_number(at) if self.floats else at, x) for at, x in rows if at is not None and x is not None]
        self.before = [0]  # number of rows that are not skipped before each row
        for at, x in rows:
            self.before.append(self.before[-1] + (at is not None and x is not None))
        self.areas = [(0, 0, 0, 0)]
        for a, b in zip(self.rows, self.rows[1:]):
            self.areas.append(plus(self.areas[-1], self.step(a, b)))

    def step(self, a, b):
        """Twice the area between two rows, and which kind of infinity it is if it is one."""
        if a[0] == b[0]:
            return (0, 0, 0, 0)
        values = [a[1], b[1]] if self.method == "linear" else [a[1], a[1]]
        odd = sum(x for x in values if not math.isfinite(x))
        if any(not math.isfinite(x) for x in values):
            return (0, int(odd != odd), int(odd == INF), int(odd == -INF))
        return (sum(whole_number(x) for x in values) * (b[0] - a[0]), 0, 0, 0)

    def average(self, start, end, skip=None):
        """Of rows [start, end), without the row `skip`."""
        low, high = self.before[start], self.before[end]
        hole = None
        if skip is not None and start <= skip < end and self.before[skip] < self.before[skip + 1]:
            hole = self.before[skip]
        if hole == low:
            low, hole = low + 1, None
        elif hole is not None and hole == high - 1:
            high, hole = high - 1, None
        if low >= high:
            return None
        first, last = self.rows[low], self.rows[high - 1]
        if first[0] == last[0]:
            return last[1]
        area = plus(self.areas[high - 1], self.areas[low], -1)
        if hole is not None:
            a, b, c = self.rows[hole - 1 : hole + 2]
            area = plus(plus(plus(area, self.step(a, b), -1), self.step(b, c), -1), self.step(a, c))
        total, nans, pluses, minuses = area
        if nans or (pluses and minuses):
            return NAN
        if pluses or minuses:
            return INF if pluses else -INF
        return nearest(total, 2 * (last[0] - first[0]) * 2**UNIT)


def plus(a, b, sign=1):
    return tuple(x + sign * y for x, y in zip(a, b))


# ---- the series: rows of a time and a value, in order

N = 500


def times(step, n=N, start=0):
    at, ats = start, []
    for _ in range(n):
        at += step()
        ats.append(at)
    return ats


def spread(low, high, n=N):
    return [low] + sorted(draw.randint(low, high) for _ in range(n - 2)) + [high]


def with_nulls(rows):
    return [(None if draw.random() < 0.02 else at, None if draw.random() < 0.05 else x) for at, x in rows]


def minute():
    return draw.choice([0, 60_000_000, 60_000_000, 61_234_567, 1, 3_600_000_000])


WIDE = sorted(scaled(-1074, 1022) for _ in range(N))
# kind: the type of `at`, and rows
SERIES = {
    "irregular minutes": ("timestamptz", list(zip(times(minute), KINDS["normals"]))),
    "cents by the minute": ("timestamp", list(zip(times(minute), KINDS["cents"]))),
    "days": ("date", list(zip(times(lambda: draw.choice([0, 1, 1, 2, 30])), KINDS["uniforms"]))),
    "all values, by whole numbers": ("int8", list(zip(times(lambda: draw.choice([0, 1, 7, 10**12])), KINDS["all exponents"]))),
    "the ends of bigint": ("int8", list(zip(spread(-(2**63), 2**63 - 1), KINDS["exponents from -500 to 500"]))),
    "near overflow": ("int8", list(zip(spread(-(2**63), 2**63 - 1), KINDS["near overflow, alternating"]))),
    "seconds as doubles": ("float8", list(zip(times(lambda: draw.choice([0.0, 0.1, 0.25, draw.random()])), KINDS["normals"]))),
    "doubles of all sizes": ("float8", list(zip(WIDE, KINDS["all exponents"]))),
    "subnormal times and values": ("float8", list(zip(sorted(draw.randint(-99, 99) * TINY for _ in range(N)), KINDS["the least numbers"]))),
    "infinities and NaN": ("timestamptz", list(zip(times(minute), KINDS["infinities and NaN"]))),
    "zeros and -0": ("float8", list(zip(times(lambda: draw.choice([-0.0, 0.0, 1.0])), KINDS["zeros and -0"]))),
    "nanoseconds since 1970": ("numeric", list(zip(times(lambda: draw.choice([0, 1, 10**9, 3600 * 10**9, 123456789]), 200, 1767225600 * 10**9), KINDS["cents"]))),
    "numeric, all exponents": ("numeric", list(zip(times(lambda: draw.choice([0, 1, 10**40]), 40), KINDS["all exponents"]))),
    "1e300 passes through": ("timestamp", list(zip(times(minute), KINDS["1e300 passes through"]))),
}
AT = {
    "timestamptz": "timestamptz '2000-01-01 00:00Z' + k / 1000000 * interval '1 second' + k % 1000000 * interval '1 microsecond'",
    "timestamp": "timestamp '2000-01-01' + k / 1000000 * interval '1 second' + k % 1000000 * interval '1 microsecond'",
    "date": "date '2000-01-01' + k::int",
    "int8": "k",
    "float8": "f",
    "numeric": "n * 1e-9",
}
METHODS = ["linear", "previous"]
WAYS = ["LOAD 'scan'; SET scan.prefixscan = off;", "SET scan.prefixscan = force;", "SET scan.work_mem = '64kB';"]


def load(session, kind, rows):
    """A table w of rows with times of that type, which are read as numbers first."""
    column = {"float8": "f float8", "numeric": "n numeric"}.get(kind, "k int8")
    session.load("g int, i int, o int, %s, x float8" % column, [(g, i, i // 3, at, x) for g, i, at, x in rows])
    session.run("DROP TABLE IF EXISTS w; CREATE TABLE w AS SELECT g, i, o, %s AS at, x FROM v; ANALYZE w; SET jit = off; SET work_mem = '64MB';" % AT[kind])


def windows(psql, name, kind, rows, frames, step=1):
    session = Session(psql)
    rows = with_nulls(rows)
    n = len(rows)
    load(session, kind, [(0, i, at, x) for i, (at, x) in enumerate(rows)])
    wanted = []
    for method in METHODS:
        data = Series(rows, method)
        calls = ["time_average(x, at, '%s')" % method] + (["time_average(x, at)"] if method == "linear" else [])
        for clause, bounds in frames:
            for hole in ["", " EXCLUDE CURRENT ROW"] if clause.startswith("ROWS") and step == 1 else [""]:
                answers = []
                for i in range(0, n, step):
                    start, end = bounds(i, n)
                    start, end = min(max(start, 0), n), min(max(start, end, 0), n)
                    answers.append(data.average(start, end, i if hole else None))
                wanted += [(call, clause + hole, answers) for call in calls]
    for way in WAYS:
        session.run(way)
        for call, clause, answers in wanted:
            order = "i" if clause.startswith("ROWS") else "o"
            session.expect("SELECT %%s FROM (SELECT i, %%s OVER (ORDER BY %s %s) AS y FROM w) AS t WHERE mod(i, %d) = 0 ORDER BY i" % (order, clause, step), call, answers)
    session.report(name)


def groups(psql, name, kind, series_of_groups, settings=""):
    """Groups of rows that lie in any order; of equal times, the row with the lower i comes first."""
    session = Session(psql)
    rows = [(g, i, at, x) for g, rows in enumerate(series_of_groups) for i, (at, x) in enumerate(rows)]
    draw.shuffle(rows)
    load(session, kind, rows)
    session.run(settings)
    for method in METHODS:
        call = "time_average(x, at, '%s' ORDER BY at, i)" % method
        session.expect("SELECT %s FROM (SELECT g, %s AS y FROM w GROUP BY g) AS t ORDER BY g", call,
                       [Series(rows, method).average(0, len(rows)) for rows in series_of_groups if rows])  # fmt: skip
        session.expect("SELECT %s FROM (SELECT g, %s FILTER (WHERE mod(i, 3) > 0) AS y FROM w GROUP BY g) AS t ORDER BY g", call,
                       [Series([row for i, row in enumerate(rows) if i % 3], method).average(0, len(rows) - (len(rows) + 2) // 3) for rows in series_of_groups if rows])  # fmt: skip
    session.report(name)


def main(psql):
    for name, (kind, rows) in SERIES.items():
        windows(psql, "frames of " + name, kind, rows, FRAMES)
    many = list(zip(times(minute, 100100), series(lambda: draw.gauss(20, 5), 100100)))
    windows(psql, "large frames", "timestamptz", many, [preceding(10), preceding(10000)], 37)
    whole = [[], [(5, 1.5)], [(None, 1.5)], [(5, None)], [(5, -0.0)], [(5, NAN)], [(5, 1.0), (5, 2.0)], [(5, INF), (5, 2.0)], [(5, 1.0), (5, INF), (6, 0.0)], [(1, 0.0), (2, INF)], [(1, INF), (2, -INF)], [(1, 1.7e308), (2, 1.7e308)]]
    whole += [with_nulls(list(zip(times(lambda: draw.choice([0, 1, 5]), n), series(lambda: draw.gauss(0, 1), n)))) for n in [1, 2, 3, 4, 9, 33, 1000] * 100]
    groups(psql, "groups", "int8", whole)
    groups(psql, "groups by numeric times", "numeric", whole[:412])
    groups(psql, "groups, sorted and in parallel plans", "date", whole,
           "SET enable_hashagg = off; SET max_parallel_workers_per_gather = 2; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; ALTER TABLE w SET (parallel_workers = 2);")  # fmt: skip


if __name__ == "__main__":
    main(sys.argv[1])

"""table.py: the rows that queries.py measures on, and the queries.

bench has 76 bytes a row in 84 on its page: a number in heap order, a moment of a year to
the microsecond in random order and no two alike (so that no answer hangs on ties), two
keys to partition by, and values of four types.  Each query that can be answered from an
index alone has that index.
"""

import dataclasses
from typing import Optional

START, YEAR = "timestamptz '2024-01-01 00:00+00'", 366 * 86400 * 10**6

INDEXES = ("(id) INCLUDE (v8)", "(id) INCLUDE (f8)", "(ts) INCLUDE (v8)", "(p1k, ts)", "(p1k, ts) INCLUDE (v8)",
           "(p1k, ts) INCLUDE (f8)", "(p1k, ts) INCLUDE (num)", "(p1k, ts) INCLUDE (v8, v4)",
           "(p1m, ts) INCLUDE (v8)", "(p1m, ts) INCLUDE (p1k, v8)")

# Times many executions of one statement in the server, planning and all: microseconds each.
TIMER = """
CREATE FUNCTION bench_us(statement text, times int) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE started timestamptz;
BEGIN
  FOR i IN 1 .. times / 10 + 1 LOOP EXECUTE statement; END LOOP;
  started := clock_timestamp();
  FOR i IN 1 .. times LOOP EXECUTE statement; END LOOP;
  RETURN extract(epoch FROM clock_timestamp() - started) * 1e6 / times;
END $$;
"""


def create(rows):
    """The statements that make bench, and a table of a hundred rows.

    The random order is a bijection of `bits` bits, multiplied and folded three times:
    sorting by a hash would take longer than filling the table.
    """
    bits = rows.bit_length()
    order = "SELECT i, i AS x FROM generate_series(1::int8, %d) AS i" % rows
    for odd in (2654435761, 2246822519, 3266489917):
        order = "SELECT i, x # (x >> %d) AS x FROM (SELECT i, x * %d & %d AS x FROM (%s) AS s) AS s" % (
            (bits + 1) // 2, odd, (1 << bits) - 1, order)
    step = YEAR >> bits

    def random(seed, below):
        return "(hashint8extended(i, %d) & 9223372036854775807) %% %d" % (seed, below)

    return """
DROP TABLE IF EXISTS bench, small;
CREATE TABLE bench (id int8, ts timestamptz, v8 int8, f8 float8, p1k int4, p1m int4, v4 int4, odd bool, num numeric);
INSERT INTO bench
SELECT i, %s + (x * %d + %s) * interval '1 microsecond', %s, (%s) * 1e-6::float8, %s, %s, %s, i %% 2 = 1,
       1000 + i %% 9000 + (1 + i %% 99) * 0.01
FROM (%s) AS s;
CREATE TABLE small AS SELECT * FROM bench WHERE id <= 100;
VACUUM (ANALYZE) bench, small;
""" % (START, step, random(1, step), random(2, 1 << 20), random(3, 1 << 40), random(4, 1000), random(5, 10**6),
       random(6, 1000), order)


@dataclasses.dataclass
class Query:
    """What is asked.  columns are counted above, so that no row is sent."""
    name: str
    columns: tuple
    target: Optional[float] = None   # how many times as fast as stock's best
    source: str = "bench"
    access: tuple = ("heap", "index")
    ours: bool = False               # calls a function of scan: WindowAgg takes stock's place
    duckdb: Optional[tuple] = ()     # its columns there, () for the same, None if it has none
    tail: str = "OFFSET 0"
    where: str = ""                  # about the columns; with it the window may go

    def statement(self, outer="count(y{0})", more="", columns=None):
        columns = columns or self.columns
        return "SELECT %s FROM (SELECT %s%s FROM %s %s) AS s%s" % (
            ", ".join(outer.format(i) for i in range(len(columns))), more,
            ", ".join("%s AS y%d" % column for column in zip(columns, range(len(columns)))), self.source, self.tail,
            self.where and " WHERE " + self.where)


P1K, P1M = "OVER (PARTITION BY p1k ORDER BY ts)", "OVER (PARTITION BY p1m ORDER BY ts)"


def sessions(rows):
    """Three levels; twice the mean gap of a partition is a silence."""
    gap = "interval '%d seconds'" % max(1, 2 * YEAR * 1000 // rows // 10**6)
    before = "(SELECT id, p1k, ts, lag(ts) %s AS before FROM bench) AS a" % P1K
    return "(SELECT id, p1k, ts, CASE WHEN ts - before > %s THEN 1 ELSE 0 END AS begins FROM %s) AS b" % (gap, before)


def queries(rows):
    six = tuple("%s %s" % (call, P1K)
                for call in ("sum(v8)", "count(*)", "row_number()", "min(v4)", "max(v4)", "rank()"))
    return [
        Query("sum(int8) ORDER BY id, by the index", ("sum(v8) OVER (ORDER BY id)",), 3, access=("index",)),
        Query("sum(int8) ORDER BY id, in heap order", ("sum(v8) OVER (ORDER BY id)",), 3, access=("heap",)),
        Query("sum(int8) ORDER BY ts", ("sum(v8) OVER (ORDER BY ts)",), 5),
        Query("sum(int8) by p1k, ts", ("sum(v8) " + P1K,), 8),
        Query("sum(int8) by p1m, ts", ("sum(v8) " + P1M,), 7),
        Query("sum(float8) by p1k, ts", ("sum(f8) " + P1K,)),
        Query("sum(numeric) by p1k, ts", ("sum(num) " + P1K,)),
        Query("row_number() by p1k, ts", ("row_number() " + P1K,)),
        Query("lag(int8) by p1k, ts", ("lag(v8) " + P1K,)),
        Query("six functions by p1k, ts", six, 5),
        Query("sessions by p1k, ts: lag, flag, sum", ("sum(begins) " + P1K,), 6, source=sessions(rows)),
        Query("two windows: by p1k, ts and by p1m, ts", ("sum(v8) " + P1K, "sum(v8) " + P1M), 6),
        Query("latest row by p1k, ts", ("row_number() %s DESC)" % P1K[:-1], "v8"), tail="", where="y0 <= 1"),
        Query("latest row by p1m, ts", ("row_number() %s DESC)" % P1M[:-1], "v8"), tail="", where="y0 <= 1"),
        Query("latest 3 rows by p1m, ts", ("row_number() %s DESC)" % P1M[:-1], "v8"), tail="", where="y0 <= 3"),
        Query("scan_sum(float8) ORDER BY id", ("scan_sum(f8) OVER (ORDER BY id)",), ours=True,
              duckdb=("fsum(f8) OVER (ORDER BY id)",)),
        Query("scan_ema(float8) ORDER BY id", ("scan_ema(f8, 0.1) OVER (ORDER BY id)",), ours=True, duckdb=None),
    ]


# What takes microseconds: a statement that is planned and run again and again.  most is
# the most that it may take, in times of stock.
@dataclasses.dataclass
class Brief:
    name: str
    statement: str
    most: Optional[float] = None
    times: int = 200


SMALL = Query("", ("sum(v8) OVER (PARTITION BY odd ORDER BY ts)",), source="small").statement()
BRIEF = [
    Brief("LIMIT 10, ORDER BY id by the index",
          Query("", ("sum(v8) OVER (ORDER BY id)",), tail="LIMIT 10").statement(), 1.2),
    Brief("LIMIT 10, by p1k, ts by the index", Query("", ("sum(v8) " + P1K,), tail="LIMIT 10").statement(), 1.2),
    Brief("a table of 100 rows", SMALL, 1.1),
    Brief("planning the same", "EXPLAIN " + SMALL),
    # "unchanged" to within what two runs of the same differ
    Brief("planning a join without windows", "EXPLAIN SELECT count(*) FROM bench AS a JOIN bench AS b USING (id) "
          "JOIN small AS c ON c.id = a.v4 JOIN small AS d ON d.v8 = b.v8 WHERE a.p1k = 7 AND b.ts > now()", 1.05),
]

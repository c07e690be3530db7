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
    """One benchmark query.  An outer count() consumes the columns, so that no row is sent to a client."""
    name: str                        # short: for logs and for selecting queries
    columns: tuple
    title: str = ""                  # for tables and the chart: clear to a reader who has not seen the table's columns
    group: str = ""                  # its heading in the chart
    note: str = ""                   # a second, smaller line of its label in the chart
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

# the same in the words of a title; and the chart's groups
THOUSAND, MILLION = "PARTITION BY 1,000 keys ORDER BY time", "PARTITION BY 1,000,000 keys ORDER BY time"
WHOLE, KEYS, SEVERAL = "One window over the whole table", "One window, partitioned by a key", "Several windows in one query"
LATEST, OURS = "Latest rows of each key", "Functions of this extension (stock: the same function in WindowAgg)"


def sessions(rows):
    """Three levels; twice the mean gap of a partition is a silence."""
    gap = "interval '%d seconds'" % max(1, 2 * YEAR * 1000 // rows // 10**6)
    before = "(SELECT id, p1k, ts, lag(ts) %s AS before FROM bench) AS a" % P1K
    return "(SELECT id, p1k, ts, CASE WHEN ts - before > %s THEN 1 ELSE 0 END AS begins FROM %s) AS b" % (gap, before)


def queries(rows):
    six = tuple("%s %s" % (call, P1K)
                for call in ("sum(v8)", "count(*)", "row_number()", "min(v4)", "max(v4)", "rank()"))
    return [
        Query("sum(int8) ORDER BY id, by the index", ("sum(v8) OVER (ORDER BY id)",), access=("index",),
              title="sum(bigint), ORDER BY id, read from an index", group=WHOLE),
        Query("sum(int8) ORDER BY id, in heap order", ("sum(v8) OVER (ORDER BY id)",), access=("heap",),
              title="sum(bigint), ORDER BY id, read from the table", group=WHOLE),
        Query("sum(int8) ORDER BY ts", ("sum(v8) OVER (ORDER BY ts)",), title="sum(bigint), ORDER BY time", group=WHOLE),
        Query("sum(int8) by p1k, ts", ("sum(v8) " + P1K,), title="sum(bigint), " + THOUSAND, group=KEYS),
        Query("sum(int8) by p1m, ts", ("sum(v8) " + P1M,), title="sum(bigint), " + MILLION, group=KEYS),
        Query("sum(float8) by p1k, ts", ("sum(f8) " + P1K,), title="sum(double precision), " + THOUSAND, group=KEYS),
        Query("sum(numeric) by p1k, ts", ("sum(num) " + P1K,), title="sum(numeric), " + THOUSAND, group=KEYS),
        Query("row_number() by p1k, ts", ("row_number() " + P1K,), title="row_number(), " + THOUSAND, group=KEYS),
        Query("lag(int8) by p1k, ts", ("lag(v8) " + P1K,), title="lag(bigint), " + THOUSAND, group=KEYS),
        Query("six functions by p1k, ts", six, title="six functions, " + THOUSAND, group=KEYS,
              note="sum, count, row_number, min, max, rank"),
        Query("sessions by p1k, ts: lag, flag, sum", ("sum(begins) " + P1K,), source=sessions(rows),
              title="session numbers (lag, flag, sum), " + THOUSAND, group=SEVERAL, note="three query levels"),
        Query("two windows: by p1k, ts and by p1m, ts", ("sum(v8) " + P1K, "sum(v8) " + P1M),
              title="two sums: 1,000 and 1,000,000 keys", group=SEVERAL, note="each PARTITION BY key ORDER BY time"),
        Query("latest row by p1k, ts", ("row_number() %s DESC)" % P1K[:-1], "v8"), tail="", where="y0 <= 1",
              title="latest row of each of 1,000 keys", group=LATEST),
        Query("latest row by p1m, ts", ("row_number() %s DESC)" % P1M[:-1], "v8"), tail="", where="y0 <= 1",
              title="latest row of each of 1,000,000 keys", group=LATEST),
        Query("latest 3 rows by p1m, ts", ("row_number() %s DESC)" % P1M[:-1], "v8"), tail="", where="y0 <= 3",
              title="latest 3 rows of each of 1,000,000 keys", group=LATEST),
        Query("scan_sum(float8) ORDER BY id", ("scan_sum(f8) OVER (ORDER BY id)",), ours=True,
              duckdb=("fsum(f8) OVER (ORDER BY id)",), title="scan_sum(double precision), ORDER BY id", group=OURS,
              note="exact sum; DuckDB: fsum, which is not exact"),
        Query("scan_ema(float8) ORDER BY id", ("scan_ema(f8, 0.1) OVER (ORDER BY id)",), ours=True, duckdb=None,
              title="scan_ema(double precision), ORDER BY id", group=OURS, note="moving average; DuckDB has no such function"),
    ]


# What takes microseconds: a statement that is planned and run again and again.
@dataclasses.dataclass
class Brief:
    name: str
    statement: str
    times: int = 200


SMALL = Query("", ("sum(v8) OVER (PARTITION BY odd ORDER BY ts)",), source="small").statement()
BRIEF = [
    Brief("first 10 rows (LIMIT 10) of sum(bigint), ORDER BY id, read from an index",
          Query("", ("sum(v8) OVER (ORDER BY id)",), tail="LIMIT 10").statement()),
    Brief("first 10 rows (LIMIT 10) of sum(bigint), %s, read from an index" % THOUSAND,
          Query("", ("sum(v8) " + P1K,), tail="LIMIT 10").statement()),
    Brief("sum(bigint), PARTITION BY boolean ORDER BY time, a table of 100 rows", SMALL),
    Brief("planning the query over 100 rows, without running it", "EXPLAIN " + SMALL),
    Brief("planning a join of four tables, without a window", "EXPLAIN SELECT count(*) FROM bench AS a JOIN bench AS b USING (id) "
          "JOIN small AS c ON c.id = a.v4 JOIN small AS d ON d.v8 = b.v8 WHERE a.p1k = 7 AND b.ts > now()"),
]

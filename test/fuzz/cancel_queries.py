"""cancel_queries.py: what cancel_latency.py cancels.

One table of many rows, in the order of i: r is unique and in no order, g has ten values, h
a tenth as many as there are rows; the other columns are of other types.
"""

import collections

Query = collections.namedtuple("Query", "name sql before seconds", defaults=((), 1.0))

SETUP = [
    "CREATE EXTENSION IF NOT EXISTS scan",
    """CREATE UNLOGGED TABLE t AS
       SELECT i::int, (hashint8extended(i, 1) %% 1000000000000)::bigint AS r, (i %% 10)::int AS g, (hashint8(i) %% (%(rows)d / 10))::int AS h,
              (hashint8(i) / 65536.0)::float8 AS x, (hashint8(i + 1) %% 100000)::numeric / 100 AS d,
              md5((i %% 1000)::text) AS few, md5(i::text) AS many, i %% 3 = 0 AS b,
              timestamptz '2020-01-01' + i * interval '1 second' AS at
       FROM generate_series(1, %(rows)d) AS i""",
    "VACUUM (ANALYZE) t",
]

# without LOAD a window of stock functions alone would be core's
SETTINGS = ["LOAD 'scan'", "SET jit = off", "SET max_parallel_workers_per_gather = 0", "SET work_mem = '64MB'", "SET scan.work_mem = '6GB'"]
ON = SETTINGS + ["SET scan.prefixscan = force"]
OFF = SETTINGS + ["SET scan.prefixscan = off"]
NODE = ON + ["SET scan.debug_require = node"]
SPILL = NODE + ["SET scan.work_mem = '64MB'"]


def over(call, window="", table="t", before=NODE, name=None):
    """A window function over the table, whose answers are only counted."""
    sql = "SELECT count(y) FROM (SELECT %s OVER (%s) AS y FROM %s OFFSET 0) AS q" % (call, window, table)
    return Query(name or "%s OVER (%s)" % (call, window), sql, tuple(before))


def controls():
    yield Query("control: pg_sleep", "SELECT pg_sleep(1)", tuple(OFF))
    yield Query("control: a scan of the table", "SELECT count(r), sum(x) FROM t", tuple(OFF))
    yield over("sum(i)", before=OFF, name="control: core, sum(i) OVER ()")
    yield over("row_number()", "ORDER BY r", before=OFF, name="control: core, row_number() OVER (ORDER BY r), on disk")
    yield over("row_number()", "ORDER BY r", before=OFF + ["SET work_mem = '4GB'"], name="control: core, row_number() OVER (ORDER BY r), in memory")
    yield over("ntile(7)", before=OFF, name="control: core, ntile(7) OVER ()")


def phases():
    rows = "(SELECT generate_series(1, 10000000) AS i OFFSET 0) AS s"
    yield over("row_number()", name="pull: pages")
    yield over("row_number()", table=rows, name="pull: tuples")
    yield over("sum(i)", table="(SELECT row_number() OVER () AS i FROM t) AS s", name="pull: blocks of another PrefixScan")
    yield over("sum(i % 7 + g)", name="pull: computed columns")
    for key in ("r", "r DESC", "g", "h", "i", "i DESC", "x", "x, r", "g, r", "d", "few", "many", 'many COLLATE "C"', 'few COLLATE "en-x-icu"',
                'many COLLATE "en-x-icu"', "at, x, r, h", "r, many", "few, many", "nullif(h, 3), nullif(r, 5)", "nullif(few, 'a'), x", "ARRAY[r]",
                "at - timestamptz '2020-01-01'", "d * 1e20", "b"):
        yield over("row_number()", "ORDER BY " + key, name="sort: ORDER BY " + key)
    yield over("row_number()", "PARTITION BY h ORDER BY r", name="sort: PARTITION BY h ORDER BY r")
    yield over("row_number()", "PARTITION BY few ORDER BY i", name="sort: PARTITION BY few ORDER BY i")
    for key in ("r", "g", "few, r", "many", 'many COLLATE "en-x-icu"'):
        yield over("row_number()", "ORDER BY " + key, before=SPILL, name="runs on disk: ORDER BY " + key)
    yield over("max(many)", "ORDER BY r", before=SPILL, name="runs on disk: max(many) OVER (ORDER BY r)")
    yield over("sum(x)", "ORDER BY r", name="gather: sum(x) OVER (ORDER BY r)")
    yield over("max(many)", "ORDER BY r", name="gather: max(many) OVER (ORDER BY r)")
    yield over("max(few)", "PARTITION BY g", name="gather: max(few) OVER (PARTITION BY g)")
    yield Query("emit: rows to the client", "SELECT i, scan_sum(i) OVER () FROM t", tuple(NODE))
    yield Query("emit: a filter that no row passes", "SELECT * FROM (SELECT i, scan_sum(i) OVER () AS y FROM t) AS q WHERE y < 0", tuple(ON))
    yield Query("cursor: the first FETCH, which sorts", "FETCH 1 FROM c",
                tuple(ON + ["BEGIN", "DECLARE c CURSOR FOR SELECT row_number() OVER (ORDER BY r) FROM t"]))


def stock():
    whole = "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING"
    for call in ("ntile(7)", "percent_rank()", "cume_dist()", "lead(i)", "lead(many, 3, 'none')", "lag(i)", "lag(many)", "rank()", "first_value(i)",
                 "last_value(i)", "nth_value(i, 5)", "count(*)", "sum(i)", "sum(x)", "sum(d)", "avg(x)", "max(many)", "stddev(x)"):
        yield over(call, name="stock: %s OVER ()" % call)
    for call in ("percent_rank()", "cume_dist()", "last_value(i)", "sum(i)", "sum(d)", "count(*)"):
        yield over(call, "ORDER BY b", name="stock: %s OVER (ORDER BY b)" % call)
    for call in ("sum(i)", "sum(d)", "max(many)", "last_value(many)", "nth_value(i, 5)", "first_value(x)"):
        yield over(call, whole, name="stock: %s OVER (%s)" % (call, whole))
    for call in ("ntile(7)", "lead(i)", "sum(i)"):
        yield over(call, "PARTITION BY g", name="stock: %s OVER (PARTITION BY g)" % call)


FUNCTIONS = [
    "scan_sum(i)", "scan_sum(x)", "scan_sum(x::real)", "scan_sum(d)", "scan_sum(i, b, true)", "scan_sum(i * interval '1 microsecond')",
    "scan_sum(x, init => '100.5'::scan_total)", "scan_product(1 + x * 1e-30)", "scan_product(d, i % 50 = 0)", "scan_count(b)", "scan_min(i)", "scan_max(many)",
    "scan_bool_and(b)", "scan_bit_xor(i)", "scan_bit_xor(i::bit(32))", "scan_locf(nullif(i % 10, 0))", "scan_locf(many, 3)", "scan_compact_index(b)",
    "scan_compact(i, b)", "scan_compact(i, i > 9000000)", "scan_compact(i, false)", "scan_split_index(b)", "scan_clamped_sum(i % 7 - 3, 0, 100)",
    "scan_clamped_sum(d, 0, 100)", "scan_clamped_sum(x, 0, 100)", "scan_session(i, 2)", "scan_session(at, interval '1 minute')",
    "scan_state(i % 2, '{{0,1},{1,0}}')", "scan_carry(b, i % 2 = 0)", "scan_matrix_product('{{0,1},{1,0}}')", "scan_recurrence(0.5, x)", "scan_recurrence(1.0001, x)",
    "scan_recurrence('{1.2,-0.5}'::float8[], x, '{0,0}')", "scan_recurrence('{2.9,-2.9,1}'::float8[], x, '{0,0,0}')", "scan_filter(x, '{0.2,0.3}', '{1,-0.4,0.1}')",
    "scan_filter(x, '{1,2,1}', '{1,-1.999,0.9995}')", "scan_ema(x, 0.1)", "scan_ema(x, 0.1, adjust => true)", "scan_ema(x, at, interval '1 hour')",
    "scan_fold(i, 'int4larger(int4,int4)')", "scan_change(i / 3)", "scan_change(many)", "scan_counter(i % 1000)", "scan_counter(x)", "scan_counter(d)",
    "scan_bin(abs(i), 100)", "scan_bin(abs(x), 100)", "scan_bin(abs(d), 100)",
]


def ours():
    for call in FUNCTIONS:
        yield over(call, before=ON, name="node on: " + call)
        yield over(call, before=OFF, name="node off: " + call)
    yield over("scan_sum(x)", "ORDER BY r", before=OFF, name="node off: scan_sum(x) OVER (ORDER BY r)")
    for call in ("exact_sum(x)", "scan_total(x)", "affine(0.5, x)"):
        yield Query("aggregate: " + call, "SELECT %s FROM t" % call, tuple(SETTINGS))
        yield over(call, before=OFF, name="aggregate: %s OVER ()" % call)


def array(call, value, second=None, rows=None):
    """A function over arrays, which a cursor has made with its first row."""
    columns = "array_agg(%s) AS a" % value + ("" if second is None else ", array_agg(%s) AS c" % second)
    source = "t" if rows is None else "(SELECT * FROM t LIMIT %d) AS t" % rows
    cursor = "DECLARE c CURSOR FOR SELECT pg_column_size(%s) FROM (SELECT %s FROM %s) AS v, generate_series(1, 100)" % (call, columns, source)
    return Query("arrays: %s of %s" % (call, value), "FETCH 10 FROM c", tuple(ON + ["BEGIN", cursor, "FETCH 1 FROM c"]))


def arrays():
    yield array("array_append(a, 1.0::float8)", "x")._replace(name="control: core, array_append(a, 1)")
    for call, value, second in (
            ("array_scan_sum(a)", "x", None), ("array_scan_sum(a)", "i", None), ("array_scan_sum(a)", "nullif(i, 5)", None), ("array_scan_sum(a, c)", "x", "b"),
            ("array_scan_product(a)", "1 + x * 1e-30", None), ("array_scan_count(a)", "b", None), ("array_scan_max(a)", "x", None),
            ("array_scan_bool_and(a)", "b", None), ("array_scan_bit_xor(a)", "i", None), ("array_scan_clamped_sum(a, 0, 100)", "i", None),
            ("array_scan_clamped_sum(a, 0, 100)", "x", None), ("array_scan_recurrence(c, a)", "x", "0.5::float8"), ("array_compact(a, c)", "x", "b"),
            ("array_compact(a, c)", "nullif(i, 5)", "b"), ("array_split(a, c)", "x", "b"), ("array_split(a, c)", "nullif(i, 5)", "b"),
            ("array_radix_sort(a)", "r", None), ("array_radix_sort(a)", "i", None), ("array_radix_sort(a)", "nullif(h, 3)", None), ("array_radix_sort(a)", "g::smallint", None),
            ("tridiagonal_solve(a, c, a, a)", "1 + abs(x) * 1e-6", "4 + abs(x) * 1e-5")):
        yield array(call, value, second)
    for call, value in (("array_scan_sum(a)", "d"), ("array_scan_max(a)", "many")):
        yield array(call, value, rows=2000000)
    sparse = ("DECLARE c CURSOR FOR SELECT pg_column_size(csr_multiply(p, j, v, '{1,2,3}')) FROM (SELECT array_agg(i) AS p, array_agg(i % 3) FILTER (WHERE i < n) AS j,"
              " array_agg(i / 7.0::float8) FILTER (WHERE i < n) AS v FROM (SELECT count(*)::int AS n FROM t) AS n, generate_series(0, n) AS i) AS m, generate_series(1, 100)")
    yield Query("arrays: csr_multiply", "FETCH 10 FROM c", tuple(ON + ["BEGIN", sparse, "FETCH 1 FROM c"]))
    line = "DECLARE c CURSOR FOR SELECT pg_column_size(csr_multiply(ARRAY[0, cardinality(a)], j, a, a)) FROM (SELECT array_agg(x) AS a, array_agg(i - 1) AS j FROM t) AS m, generate_series(1, 100)"
    yield Query("arrays: csr_multiply, a matrix of one row", "FETCH 10 FROM c", tuple(ON + ["BEGIN", line, "FETCH 1 FROM c"]))
    # core reads the bits of a text without a look, so the cursor's first row has read them
    bits = ("DECLARE c CURSOR FOR SELECT length(bit_add(a, b)) FROM (SELECT repeat('10', 40000000)::varbit AS a, repeat('01', 40000000)::varbit AS b OFFSET 0) AS v,"
            " generate_series(1, 100)")
    yield Query("bit_add", "FETCH 30 FROM c", tuple(ON + ["BEGIN", bits, "FETCH 1 FROM c"]))
    yield Query("scan_network", "SELECT count(*) FROM scan_network('kogge_stone', 65536)", tuple(ON))
    yield Query("scan_trace", "SELECT count(*) FROM scan_trace('blelloch', (SELECT array_agg(i::bigint) FROM generate_series(1, 65536) AS i))", tuple(ON))


def queries():
    for kind in (controls, phases, stock, ours, arrays):
        yield from kind()

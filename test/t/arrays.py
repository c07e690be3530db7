"""arrays.py PSQL: the functions over arrays against numpy and SciPy, up to four million elements.

Called by arrays.t with the server in the environment; prints "N of KIND, M wrong".  Every
answer but the last two is compared to the last bit: floats are multiples of 2**-30, so that
their sums are integers, which numpy adds exactly and rounds once.  The arrays lie in a table,
so the longer ones are compressed or out of line.
"""

import sys

import numpy as np
import scipy.linalg
import scipy.sparse

from binary import array, get, put

PSQL = sys.argv[1]
SIZES = [0, 1, 2, 3, 8, 63, 64, 65, 1000, 1023, 1024, 1025, 4095, 4096, 4097, 8193, 65535, 65536, 65537, 131073]
COLUMNS = {"i2": "smallint", "i4": "integer", "i8": "bigint", "wide": "bigint", "f4": "real", "f8": "double precision",
           "a": "double precision", "keep": "boolean", "bits": "boolean", "reset": "boolean"}
SCALE = {"f4": 10, "f8": 30}  # they are multiples of 2**-SCALE
CHUNK = 4096  # applied rows after which a recurrence goes on from what it shows

draw = np.random.default_rng(20261121)


# ---- the arrays


def chance(n, p):
    return draw.random(n) < p


def case(n, nulls, resets, dims=None, lower=None):
    def column(values, p=nulls):
        return array(values, ~chance(n, p), dims, lower)

    wide = draw.integers(-2**63, 2**63, n, endpoint=False)
    wide[chance(n, 0.1)] = draw.choice([-2**63, 2**63 - 1, 0, -1])
    return {"i2": column(draw.integers(-2**15, 2**15, n)), "i4": column(draw.integers(-2**31, 2**31, n)),
            "i8": column(draw.integers(-2**39, 2**39, n)), "wide": column(wide),
            "f4": column(draw.integers(-2**23, 2**23, n) * 2.0**-10), "f8": column(draw.integers(-2**49, 2**49, n) * 2.0**-30),
            "a": column(draw.choice([1.0, -1.0], n)), "keep": column(chance(n, 0.5)),
            "bits": column(chance(n, 0.3), 0), "reset": column(chance(n, resets), nulls)}


def shapes(n):
    """Ways to lay out n elements."""
    if n == 0:
        return [((), ())]
    several = [((n,), (1,)), ((n,), (-5,))]
    for columns in (2, 3, 5, 16):
        if n % columns == 0:
            several += [((n // columns, columns), (0, 7)), ((1, columns, n // columns), (1, 1, -2))]
    return several


def small_cases():
    kinds = ((0, 0), (0.3, 0.02), (0.02, 0.2), (1, 0.1))
    for i, n in enumerate(SIZES):
        for nulls, resets in kinds if n < 10000 else (kinds[i % 3],):
            dims, lower = shapes(n)[draw.integers(len(shapes(n)))]
            yield case(n, nulls, resets, dims, lower)


def big_case(n):
    full = {"i8": draw.integers(-2**39, 2**39, n), "f8": draw.integers(-2**49, 2**49, n) * 2.0**-30, "a": draw.choice([1.0, -1.0], n),
            "keep": chance(n, 0.5), "reset": chance(n, 1e-5)}
    return {name: array(values) for name, values in full.items()}


# ---- the answers; each is values, and which of them are not NULL


def heads_of(c, n, with_reset):
    heads = np.zeros(n, bool)
    heads[:1] = True
    if with_reset:
        heads |= c["reset"].values & c["reset"].valid
    return np.append(np.flatnonzero(heads), n)


def whole(name, x):
    """Multiples of the scale, as integers."""
    return (x * 2.0**SCALE[name]).astype("i8") if name in SCALE else x


def rounded(name, y):
    return (y.astype("f4" if name == "f4" else "f8") * 2.0**-SCALE[name]) if name in SCALE else y


def scanned(c, name, ufunc, identity, with_reset, exclusive, empty_is_null):
    x, valid = c[name].values, c[name].valid
    n = len(x)
    x = np.where(valid, whole(name, x), identity)
    y, any_yet = np.empty_like(x), np.zeros(n, bool)
    heads = heads_of(c, n, with_reset)
    for begin, end in zip(heads[:-1], heads[1:]):
        y[begin:end] = ufunc.accumulate(x[begin:end])
        any_yet[begin:end] = np.logical_or.accumulate(valid[begin:end])
    if exclusive:
        y, any_yet = np.append([identity], y)[:n].astype(x.dtype), np.append([False], any_yet)[:n]
        y[heads[:-1]], any_yet[heads[:-1]] = identity, False
    return rounded(name, y), any_yet if empty_is_null or not exclusive else np.ones(n, bool)


def counted(c, with_reset, exclusive):
    flags = array((c["keep"].values & c["keep"].valid).astype("i8"))
    y, _ = scanned({"keep": flags, "reset": c["reset"]}, "keep", np.add, 0, with_reset, exclusive, False)
    return y, np.ones(len(y), bool)


def recurrence(c, with_reset):
    """In Python's integers, which int() of a double gives and float() rounds."""
    n = len(c["a"].values)
    values, any_yet = np.zeros(n), np.zeros(n, bool)
    valid = c["a"].valid & c["f8"].valid
    heads = set(heads_of(c, n, with_reset).tolist())
    y = applied = 0
    for i, (a, b, ok) in enumerate(zip(c["a"].values.astype("i8").tolist(), whole("f8", c["f8"].values).tolist(), valid.tolist())):
        if i in heads:
            y = applied = 0
        if ok:
            y, applied = a * y + b, applied + 1
            if applied % CHUNK == 0:
                y = int(float(y))
        values[i], any_yet[i] = y, applied > 0
    return values * 2.0**-30, any_yet


def recurrence_of_many(c):
    """The same by numpy: with factors of 1 and -1, y[i] = p[i] * sum of b / p, where p is their product."""
    a, b = c["a"].values.astype("i8"), whole("f8", c["f8"].values)
    values, before = np.empty(len(a)), 0
    for begin in range(0, len(a), CHUNK):
        p = np.multiply.accumulate(a[begin:begin + CHUNK])
        y = p * (before + np.add.accumulate(b[begin:begin + CHUNK] * p))
        values[begin:begin + CHUNK] = y
        before = int(values[min(begin + CHUNK, len(a)) - 1])
    return values * 2.0**-30, np.ones(len(a), bool)


def clamped(c, lower, upper, with_reset):
    n = len(c["i8"].values)
    values, any_yet = np.zeros(n, "i8"), np.zeros(n, bool)
    heads = set(heads_of(c, n, with_reset).tolist())
    y, some = 3, False
    for i, (x, ok) in enumerate(zip(c["i8"].values.tolist(), c["i8"].valid.tolist())):
        if i in heads:
            y, some = 3, False
        if ok:
            y, some = min(upper, max(lower, y + x)), True
        values[i], any_yet[i] = y, some
    return values, any_yet


def kept(c, name):
    keep = c["keep"].values & c["keep"].valid
    return c[name].values[keep], c[name].valid[keep]


def split(c, name, flags):
    order = np.argsort(c[flags].values, kind="stable")
    return c[name].values[order], c[name].valid[order]


def in_order(c, name):
    x, valid = c[name].values, c[name].valid
    return np.append(np.sort(x[valid]), np.zeros(np.sum(~valid), x.dtype)), np.sort(valid)[::-1]


# ---- the comparison


def shape_like(c, name, values):
    return c[name].dims, c[name].lower


def shape_in_line(c, name, values):
    """One dimension, from the first lower bound of the array."""
    return ((), ()) if len(values) == 0 else ((len(values),), c[name].lower[:1])


def wrong(got, values, valid, shape):
    if (got.dims, got.lower) != shape or len(got.values) != len(values):
        return max(len(values), 1)
    same_bits = got.values.tobytes() == values.astype(got.values.dtype).tobytes() and np.array_equal(got.valid, valid)
    unequal = got.values.view("u%d" % got.values.itemsize) != values.astype(got.values.dtype).view("u%d" % got.values.itemsize)
    return 0 if same_bits else int(np.sum((got.valid != valid) | (valid & unequal)))


def check(table, cases, call, name, answer, shape=shape_like):
    elements = off = 0
    found = list(get(PSQL, "SELECT %s FROM %s ORDER BY id" % (call, table)))
    assert len(found) == len(cases)
    for got, c in zip(found, cases):
        values, valid = answer(c)
        elements += len(values)
        off += wrong(got, values, valid, shape(c, name, values))
    print("%d of %s, %s, %d wrong" % (elements, table, call, off), flush=True)


I8 = np.iinfo("i8")
MONOIDS = [("sum", "i2", np.add, 0, False), ("sum", "i4", np.add, 0, False), ("sum", "i8", np.add, 0, False), ("sum", "f4", np.add, 0, False),
           ("sum", "f8", np.add, 0, False), ("min", "wide", np.minimum, I8.max, True), ("max", "wide", np.maximum, I8.min, True),
           ("min", "i2", np.minimum, 2**15 - 1, True), ("bit_and", "wide", np.bitwise_and, -1, False), ("bit_or", "i4", np.bitwise_or, 0, False),
           ("bit_xor", "wide", np.bitwise_xor, 0, False), ("bool_and", "keep", np.logical_and, True, False), ("bool_or", "keep", np.logical_or, False, False)]


def small(table, cases):
    for function, name, ufunc, identity, empty_is_null in MONOIDS:
        for reset, exclusive in ((False, False), (True, False), (True, True)):
            call = "array_scan_%s(%s, %s, %s)" % (function, name, "reset" if reset else "NULL", exclusive)
            check(table, cases, call, name, lambda c: scanned(c, name, ufunc, identity, reset, exclusive, empty_is_null))
    for exclusive in (False, True):
        check(table, cases, "array_scan_count(keep, reset, %s)" % exclusive, "keep", lambda c: counted(c, True, exclusive))
    check(table, cases, "array_scan_recurrence(a, f8, reset => reset)", "a", lambda c: recurrence(c, True))
    check(table, cases, "array_scan_clamped_sum(i8, -1000000000000, 900000000000, 3, reset)", "i8",
          lambda c: clamped(c, -1000000000000, 900000000000, True))
    for name in ("i2", "wide", "keep"):
        check(table, cases, "array_compact(%s, keep)" % name, name, lambda c: kept(c, name), shape_in_line)
        check(table, cases, "array_split(%s, bits)" % name, name, lambda c: split(c, name, "bits"))
    for name in ("i2", "i4", "i8", "wide"):
        check(table, cases, "array_radix_sort(%s)" % name, name, lambda c: in_order(c, name))


def big(table, cases):
    check(table, cases, "array_scan_sum(i8)", "i8", lambda c: scanned(c, "i8", np.add, 0, False, False, False))
    check(table, cases, "array_scan_sum(f8, reset)", "f8", lambda c: scanned(c, "f8", np.add, 0, True, False, False))
    check(table, cases, "array_scan_min(i8, reset, true)", "i8", lambda c: scanned(c, "i8", np.minimum, I8.max, True, True, True))
    check(table, cases, "array_scan_max(i8)", "i8", lambda c: scanned(c, "i8", np.maximum, I8.min, False, False, True))
    check(table, cases, "array_scan_count(keep)", "keep", lambda c: counted(c, False, False))
    check(table, cases, "array_scan_recurrence(a, f8)", "a", recurrence_of_many)
    check(table, cases, "array_compact(i8, keep)", "i8", lambda c: kept(c, "i8"), shape_in_line)
    check(table, cases, "array_split(i8, keep)", "i8", lambda c: split(c, "i8", "keep"))
    check(table, cases, "array_radix_sort(i8)", "i8", lambda c: in_order(c, "i8"))


# ---- the applications, of a million rows


def report(kind, off):
    print("%d of %s, %d wrong" % (len(off), kind, np.sum(off)), flush=True)


def sparse(n):
    entries = 3 * n
    matrix = scipy.sparse.csr_matrix((draw.normal(size=entries), (draw.integers(0, n, entries), draw.integers(0, n, entries))), (n, n))
    x = draw.normal(size=n)
    numbers = scipy.sparse.csr_matrix((draw.integers(-2**20, 2**20, matrix.nnz).astype("f8"), matrix.indices, matrix.indptr), (n, n))
    integers = draw.integers(-2**20, 2**20, n).astype("f8")
    put(PSQL, "matrix", {"row_ptr": "integer", "col_idx": "integer", "entries": "double precision", "x": "double precision"},
        [{"row_ptr": array(m.indptr), "col_idx": array(m.indices), "entries": array(m.data), "x": array(v)} for m, v in ((matrix, x), (numbers, integers))])
    got = [y.values for y in get(PSQL, "SELECT csr_multiply(row_ptr, col_idx, entries, x) FROM matrix ORDER BY id")]
    # SciPy rounds at every entry
    report("rows of a sparse matrix of doubles", ~(np.abs(got[0] - matrix @ x) <= 1e-14 * (abs(matrix) @ abs(x))))
    report("rows of a sparse matrix of integers", got[1] != numbers @ integers)


def banded(n):
    lower, upper, rhs = (draw.normal(size=n) for _ in range(3))
    diagonal = np.abs(lower) + np.abs(upper) + draw.exponential(size=n) + 0.01
    put(PSQL, "system", {name: "double precision" for name in ("lower", "diagonal", "upper", "rhs")},
        [{"lower": array(lower), "diagonal": array(diagonal), "upper": array(upper), "rhs": array(rhs)}])
    (got,) = get(PSQL, "SELECT tridiagonal_solve(lower, diagonal, upper, rhs) FROM system")
    want = scipy.linalg.solve_banded((1, 1), np.array([np.roll(upper, 1), diagonal, np.roll(lower, -1)]), rhs)
    report("elements of a tridiagonal system", ~np.isclose(got.values, want, rtol=1e-12, atol=1e-13 * np.max(np.abs(want))))


for table, cases, compare in (("small", list(small_cases()), small), ("big", [big_case(4_000_000)], big)):
    put(PSQL, table, COLUMNS, cases)
    compare(table, cases)
sparse(1_000_000)
banded(1_000_000)

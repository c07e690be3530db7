"""against_scipy.py PSQL: filters, averages, moving quantiles, sparse products and tridiagonal systems against what
people use for them elsewhere: SciPy and pandas.

Called by against_scipy.t with the server in the environment.  SciPy rounds at every step, so
answers are compared to within a tolerance; prints "N of KIND, M wrong".
"""

import io
import subprocess
import sys

import numpy as np
import pandas as pd
import scipy.linalg
import scipy.signal
import scipy.sparse

draw = np.random.default_rng(20261121)


def ask(psql, script):
    run = subprocess.run([psql, "-X", "-A", "-t", "-q", "-v", "ON_ERROR_STOP=1"], input=script, capture_output=True, text=True, check=True)
    return run.stdout


def column(psql, x, call, frame=""):
    """The answers of a window function over the rows x; NaN is a NULL in both directions."""
    rows = "".join("%d\t%s\n" % (i, "\\N" if np.isnan(v) else repr(float(v))) for i, v in enumerate(x))
    text = ask(psql, "CREATE TEMP TABLE v (i int, x float8);\nCOPY v FROM STDIN;\n%s\\.\nSELECT coalesce(%s OVER (ORDER BY i %s), 'NaN') FROM v ORDER BY i;\n" % (rows, call, frame))
    return np.loadtxt(io.StringIO(text), ndmin=1)


def array(x, kind="float8"):
    return "'{%s}'::%s[]" % (",".join(repr(v) for v in np.asarray(x).tolist()), kind)


def vector(psql, call):
    return np.array([float(v) for v in ask(psql, "SELECT %s;\n" % call).strip().strip("{}").split(",")])


def report(kind, got, want, tolerance):
    size = max(1.0, float(np.nanmax(np.abs(want))))
    wrong = len(got) != len(want) or ~np.isclose(got, want, rtol=tolerance, atol=tolerance * size, equal_nan=True)
    print("%d of %s, %d wrong" % (len(want), kind, np.sum(wrong)), flush=True)


def filters(psql):
    x = draw.normal(size=10000)
    designs = {
        "a Butterworth low-pass of order 2": scipy.signal.butter(2, 0.1),
        "a Butterworth high-pass of order 3": scipy.signal.butter(3, 0.3, "high"),
        "a Chebyshev band-pass of order 8": scipy.signal.cheby1(4, 1, [0.2, 0.4], "band"),
        "an elliptic filter of order 5": scipy.signal.ellip(5, 1, 40, 0.25),
        "a moving average": (np.full(12, 1 / 12), np.array([1.0])),
        "a denominator that begins with 4": (np.array([1.0, 2.0]), np.array([4.0, -3.0, 0.5])),
    }
    for name, (b, a) in designs.items():
        got = column(psql, x, "scan_filter(x, %s, %s)" % (array(b), array(a)))
        report("rows of %s, lfilter" % name, got, scipy.signal.lfilter(b, a, x), 1e-9)


def averages(psql):
    x = np.cumsum(draw.normal(size=10000))
    holes = np.where(draw.random(size=len(x)) < 0.2, np.nan, x)
    for alpha in (0.01, 0.3, 1.0):
        for adjust in (False, True):
            for name, values in (("", x), (" with NULLs", holes)):
                got = column(psql, values, "scan_ema(x, %r, %s)" % (alpha, adjust))
                want = pd.Series(values).ewm(alpha=alpha, adjust=adjust, ignore_na=True).mean().to_numpy()
                report("rows of ewm(alpha=%g, adjust=%s)%s" % (alpha, adjust, name), got, want, 1e-11)


def running(psql):
    x = draw.normal(size=10000)
    report("rows of cumsum", column(psql, x, "scan_sum(x)"), np.cumsum(x), 1e-11)
    report("rows of cumprod", column(psql, 1 + x / 100, "scan_product(x)"), np.cumprod(1 + x / 100), 1e-10)
    report("rows of cummax", column(psql, x, "scan_max(x)"), np.maximum.accumulate(x), 0)


def moving(psql):
    x = np.round(np.cumsum(draw.normal(size=10000)), 1)
    holes = np.where(draw.random(size=len(x)) < 0.2, np.nan, x)
    for n in (1, 2, 100, 3000):
        for name, values in (("", x), (" with NULLs", holes)):
            rolling = pd.Series(values).rolling(n, min_periods=1)
            frame = "ROWS %d PRECEDING" % (n - 1)
            report("rows of rolling(%d).median()%s" % (n, name), column(psql, values, "moving_median(x)", frame), rolling.median().to_numpy(), 1e-14)
            for q in (0.0, 0.1, 0.75):
                got = column(psql, values, "moving_percentile_cont(x, %r)" % q, frame)
                report("rows of rolling(%d).quantile(%g)%s" % (n, q, name), got, rolling.quantile(q).to_numpy(), 1e-13)


def sparse(psql):
    for rows, columns, density in ((1, 1, 1.0), (50, 70, 0.05), (1000, 300, 0.02), (200, 1000, 0.001)):
        matrix = scipy.sparse.random(rows, columns, density, "csr", random_state=7, data_rvs=draw.standard_normal)
        x = draw.normal(size=columns)
        got = vector(psql, "csr_multiply(%s, %s, %s, %s)" % (array(matrix.indptr, "int"), array(matrix.indices, "int"), array(matrix.data), array(x)))
        report("rows of a %d x %d matrix with %d values" % (rows, columns, matrix.nnz), got, matrix @ x, 1e-13)


def banded(psql):
    for n in (1, 2, 3, 100, 10000):
        lower, upper, rhs = (draw.normal(size=n) for _ in range(3))
        diagonal = np.abs(lower) + np.abs(upper) + draw.exponential(size=n)
        lower[0] = upper[-1] = 0
        bands = np.array([np.roll(upper, 1), diagonal, np.roll(lower, -1)])
        got = vector(psql, "tridiagonal_solve(%s, %s, %s, %s)" % tuple(map(array, (lower, diagonal, upper, rhs))))
        want = scipy.linalg.solve_banded((1, 1), bands, rhs) if n > 1 else rhs / diagonal
        report("elements of a tridiagonal system, solve_banded", got, want, 1e-9)


for compare in (filters, averages, running, moving, sparse, banded):
    compare(sys.argv[1])

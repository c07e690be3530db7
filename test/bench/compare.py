#!/usr/bin/env python3
"""compare.py REVISION [--rows N] [--rounds N]: whole queries before and after a change.

    test/bench/compare.py 14f51a8 --rows 3000000

Builds REVISION of this repository in a folder of its own, starts a server with it and one
with the tree as it stands (test/cluster.sh), and has both answer the queries of
table.py in PrefixScan, from the table and from an index, in turn: a busy moment of the
machine meets both.  A backend of its own for every statement, as in queries.py.  Prints
the median and the least ns a row of each, and the ratio of the pairs, after by before:
their median, and the least and the greatest.
"""

import argparse
import contextlib
import os
import pathlib
import statistics
import subprocess
import tempfile

import table
from measure import Failure, HERE, Postgres

TOP = HERE.parent.parent
SETTINGS = ("SET client_min_messages = warning; SET jit = off; SET max_parallel_workers_per_gather = 0; LOAD 'scan'; "
            "SET scan.prefixscan = force; SET scan.work_mem = '2GB'; SET work_mem = '2GB'; ")
ACCESS = {"heap": "SET enable_indexscan = off; SET enable_indexonlyscan = off; SET enable_bitmapscan = off; ",
          "index": "SET enable_seqscan = off; SET enable_bitmapscan = off; "}


@contextlib.contextmanager
def built(revision):
    """A folder with a revision in it, made."""
    with tempfile.TemporaryDirectory(prefix="scan-bench-") as folder:
        subprocess.run(["git", "clone", "-q", TOP, folder], check=True)
        subprocess.run(["git", "-C", folder, "checkout", "-q", revision], check=True)
        subprocess.run(["make", "-s", "-C", folder, "all"], check=True, stdout=subprocess.DEVNULL)
        yield pathlib.Path(folder)


@contextlib.contextmanager
def server(tree):
    """The environment of a server that has a tree's extension; it ends when its input does."""
    conf = (HERE / "queries.conf").read_text().replace("6GB", "2GB")
    process = subprocess.Popen([tree / "test/cluster.sh", "sh", "-c", "env; echo; cat"], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, text=True, env=dict(os.environ, SCAN_CLUSTER_CONF=conf))
    try:
        yield dict(line.rstrip("\n").split("=", 1) for line in iter(process.stdout.readline, "\n") if "=" in line)
    finally:
        process.stdin.close()
        process.wait()


def prepare(postgres, rows):
    postgres.run("CREATE EXTENSION scan;" + table.create(rows))
    for index in table.INDEXES:
        postgres.run("CREATE INDEX ON bench %s;" % index)
    postgres.run("VACUUM ANALYZE bench;")


def compare(before, after, rows, rounds):
    print("| query | reads | before: median (least) | after | after / before: median (least to greatest) |\n|---|---|---|---|---|")
    ratios = []
    for query in table.queries(rows):
        for access in query.access:
            ns = {side: [] for side in (before, after)}
            for turn in range(rounds + 1):
                for side in (before, after) if turn % 2 else (after, before):
                    ms, _, _, _ = side.measure(SETTINGS + ACCESS[access], query.statement(), 400)
                    if turn > 0:  # the first warms
                        ns[side].append(ms * 1e6 / rows)
            pairs = [b / a for a, b in zip(ns[before], ns[after])]
            ratios.append(statistics.median(pairs))
            print("| %s | %s | %s | %s | %.2f (%.2f to %.2f) |" % (
                query.title, "table" if access == "heap" else "index", *("%.0f (%.0f)" % (statistics.median(ns[side]), min(ns[side])) for side in (before, after)),
                statistics.median(pairs), min(pairs), max(pairs)), flush=True)
    print("\nThe geometric mean of the ratios is %.3f." % statistics.geometric_mean(ratios))


def main():
    parser = argparse.ArgumentParser(description="whole queries before and after a change")
    parser.add_argument("revision")
    parser.add_argument("--rows", type=int, default=3000000)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    with built(options.revision) as tree, server(tree) as old, server(TOP) as new:
        with Postgres(old) as before, Postgres(new) as after:
            for side in (before, after):
                prepare(side, options.rows)
            compare(before, after, options.rows, options.rounds)


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        raise SystemExit("compare: %s" % failure) from None

"""planning.py [--rounds N] [--before LIBRARY]: how long planning takes, with the nodes and without.

    make bench-planning     a few minutes

Six kinds of query, in one process and with two workers.  A statement is planned again and again in one session, with
the nodes off and on in turn, and the least time counts.  With --before, another build of the library is measured beside it
in sessions of its own: the path of its scan.so, which the server must be able to read.  Times are processor times of the
backend (log_planner_stats), since a busy machine changes those least.  What is printed is the table of RESULTS.md,
where a ratio is the time with the nodes by that without them in the same session.
"""

import argparse
import re
import subprocess

from measure import Failure, Postgres

PARTITIONS = 1000
JOINS = 12
OFF = "SET scan.prefixscan = off; SET scan.index_skip = off; SET scan.reduce = off; SET scan.kept = off;"
ON = "RESET scan.prefixscan; RESET scan.index_skip; RESET scan.reduce; RESET scan.kept;"
WORKERS = "SET max_parallel_workers_per_gather = %d; SET min_parallel_table_scan_size = 0; SET min_parallel_index_scan_size = 0;"
TEN = ("device, at DESC", "at", "v", "w", "device, v", "device, w", "at, device", "v, device", "w, device", "device, v, w")

TOTAL = "SELECT sum(v) OVER (PARTITION BY device ORDER BY at) FROM "
DISTINCT_ON = "SELECT DISTINCT ON (device) device, at, v FROM {0} ORDER BY device, at DESC"
LATEST = "SELECT * FROM (SELECT device, at, v, row_number() OVER (PARTITION BY device ORDER BY at DESC) AS n FROM {0}) AS s WHERE n = 1"
QUERIES = (
    ("one window", TOTAL + "readings"),
    ("DISTINCT ON", DISTINCT_ON.format("readings")),
    ("latest row", LATEST.format("readings")),
    ("10 indexes, latest row", LATEST.format("indexed")),
    ("12 joins below a window", TOTAL + "readings" + "".join(" JOIN joined_%d USING (device)" % i for i in range(JOINS))),
    ("1,000 partitions, one window", TOTAL + "parts"),
    ("1,000 partitions, DISTINCT ON", DISTINCT_ON.format("parts")),
    ("1,000 partitions, latest row", LATEST.format("parts")),
    ("1,000 partitions, DISTINCT ON, LIMIT 1", DISTINCT_ON.format("parts") + " LIMIT 1"),
    ("1,000 partitions, DISTINCT ON, LIMIT 10", DISTINCT_ON.format("parts") + " LIMIT 10"),
    ("1,000 partitions, latest row, LIMIT 10", LATEST.format("parts") + " LIMIT 10"),
    ("1,000 large partitions, DISTINCT ON", DISTINCT_ON.format("large")),
    ("1,000 large partitions, latest row", LATEST.format("large")),
    ("1,000 large partitions, DISTINCT ON, LIMIT 1", DISTINCT_ON.format("large") + " LIMIT 1"),
    ("1,000 large partitions, DISTINCT ON, LIMIT 10", DISTINCT_ON.format("large") + " LIMIT 10"),
)


def tables():
    columns = "(device int, at int, v bigint, w bigint)"
    rows = "SELECT i %% 50, i, i, i FROM generate_series(0, %d) AS i"
    for name, indexes in (("readings", TEN[:1]), ("indexed", TEN)):
        yield "CREATE TABLE %s %s" % (name, columns)
        yield "INSERT INTO %s %s" % (name, rows % 99_999)
        yield from ("CREATE INDEX ON %s (%s)" % (name, index) for index in indexes)
    for i in range(JOINS):
        yield "CREATE TABLE joined_%d AS SELECT device FROM generate_series(0, 49) AS device" % i
    for name, of_partition in (("parts", 100), ("large", 2000)):
        yield "CREATE TABLE %s %s PARTITION BY RANGE (at)" % (name, columns)
        for i in range(PARTITIONS):
            yield "CREATE TABLE %s_%d PARTITION OF %s FOR VALUES FROM (%d) TO (%d)" % (
                name, i, name, i * of_partition, (i + 1) * of_partition)
        yield "INSERT INTO %s %s" % (name, rows % (PARTITIONS * of_partition - 1))
        yield "CREATE INDEX ON %s (device, at DESC)" % name
    yield "VACUUM ANALYZE"


def planned(server, library, workers, query, rounds):
    """The least ms of planning with the nodes off and on, and whether the plan has IndexSkip."""
    script = "LOAD '%s'; SET client_min_messages = log; SET log_planner_stats = on;" % library + WORKERS % workers + "".join(
        "%s EXPLAIN %s;\n" % (way, query) for _ in range(rounds) for way in (OFF, ON))
    said = subprocess.run([server.psql, "-XAtq", "-d", server.database], input=script, capture_output=True, text=True)
    times = [1000 * (float(user) + float(system)) for user, system in
             re.findall(r"PLANNER STATISTICS\n.*\n!\s+(\S+) s user, (\S+) s system", said.stderr)]
    if len(times) != 2 * rounds:
        raise Failure("%d times of planning: %s" % (len(times), said.stderr[:500]))
    return min(times[0::2]), min(times[1::2]), "IndexSkip" in said.stdout


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--rounds", type=int, default=9)
    arguments.add_argument("--before", help="another build of scan.so")
    options = arguments.parse_args()
    libraries = [options.before] * (options.before is not None) + ["scan"]
    heads = ["query", "workers", "nodes off, ms"] + ["before, ms", "times"] * (len(libraries) - 1) + ["ms", "times"]
    with Postgres() as server:
        server.run(";\n".join(tables()) + ";")
        print("| %s |\n|%s" % (" | ".join(heads), " --- |" * len(heads)))
        for name, query in QUERIES:
            for workers in (0, 2):
                rounds = options.rounds * (1 if "partitions" in name else 20)
                found = [planned(server, library, workers, query, rounds) for library in libraries]
                cells = [name, str(workers), "%.3f" % min(off for off, _, _ in found)]
                for off, on, skips in found:
                    cells += ["%.3f" % on, "%.2f" % (on / off) + ", IndexSkip" * skips]
                print("| %s |" % " | ".join(cells), flush=True)


if __name__ == "__main__":
    main()

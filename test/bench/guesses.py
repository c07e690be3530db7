"""guesses.py [--rows N] [--rounds N]: the first rows of groups whose number the planner does not know.

    make bench-guesses     three million rows, five minutes

IndexSkip goes down an index once for each group, so it must not be chosen by a number of groups that is wrong.  Each
table has an index that fits the query, and statistics that mislead:

unanalyzed parent   60 partitions with statistics, and a parent without: autovacuum analyzes no partitioned table
no statistics       a table that has never been analyzed
stale, few groups   analyzed with 10 groups, and then filled with 300,000
stale, many groups  analyzed with as many groups as rows, and then filled with rows of 10

Every query runs with nothing touched and with scan.prefixscan = off in turn, each in a backend of its own, and the
least of the rounds counts.  What is printed is the section of RESULTS.md.
"""

import argparse

from measure import Failure, Postgres

BASE = "SET client_min_messages = warning; SET jit = off; LOAD 'scan'; "
DAYS = 60
DEVICES = 100_000
GROUPS = 300_000
SEEN = 3000  # rows of the stale tables that ANALYZE has seen
SECONDS = 300

TABLES = (("unanalyzed parent", "parted"), ("no statistics", "never"), ("stale, few groups", "grown"),
          ("stale, many groups", "shrunk"))
QUERIES = (("DISTINCT ON", "SELECT count(*), sum(v) FROM (SELECT DISTINCT ON (g) g, t, v FROM {0} ORDER BY g, t DESC) AS s"),
           ("DISTINCT", "SELECT count(*) FROM (SELECT DISTINCT g FROM {0}) AS s"),
           ("latest row", "SELECT count(*), sum(v) FROM (SELECT g, v, row_number() OVER (PARTITION BY g ORDER BY t DESC) "
                          "AS r FROM {0}) AS s WHERE r = 1"),
           ("DISTINCT ON, LIMIT 1000", "SELECT count(*), sum(v) FROM (SELECT DISTINCT ON (g) g, t, v FROM {0} ORDER BY g, "
                                       "t DESC LIMIT 1000) AS s"))


def tables(rows):
    columns = "(g int NOT NULL, t int NOT NULL, v int)"
    alone = columns + " WITH (autovacuum_enabled = off)"
    some = "(hashint4(i) & 2147483647) %% %d" % GROUPS
    yield "CREATE TABLE parted %s PARTITION BY RANGE (t)" % columns
    for day in range(DAYS):
        yield "CREATE TABLE parted_%d PARTITION OF parted FOR VALUES FROM (%d) TO (%d)" % (
            day, rows // DAYS * day, rows // DAYS * (day + 1) if day < DAYS - 1 else rows)
    yield "INSERT INTO parted SELECT (hashint4(i) & 2147483647) %% %d, i, i FROM generate_series(0, %d) AS i" % (
        DEVICES, rows - 1)
    yield "CREATE INDEX ON parted (g, t)"
    for day in range(DAYS):
        yield "ANALYZE parted_%d" % day
    for name in ("never", "grown", "shrunk"):
        yield "CREATE TABLE %s %s" % (name, alone)
        yield "CREATE INDEX ON %s (g, t)" % name
    yield "INSERT INTO never SELECT %s, i, i FROM generate_series(1, %d) AS i" % (some, 2 * GROUPS)
    yield "INSERT INTO grown SELECT i %% 10, i, i FROM generate_series(1, %d) AS i" % SEEN
    yield "INSERT INTO shrunk SELECT i, i, i FROM generate_series(1, %d) AS i" % SEEN
    yield "ANALYZE grown, shrunk"
    yield "INSERT INTO grown SELECT %s, i, i FROM generate_series(1, %d) AS i" % (some, 2 * GROUPS)
    yield "INSERT INTO shrunk SELECT i %% 10, i, i FROM generate_series(1, %d) AS i" % rows


def node(nodes):
    return next((name for name in ("IndexSkip", "PrefixScan") if name in nodes), nodes[0])


def measure(server, statement, rounds):
    """The least ms without the node and with it, and the plan with it."""
    times, answers, plan = {"off": [], "auto": []}, set(), ""
    for _ in range(rounds):
        for way in times:
            ms, answer, nodes, _ = server.measure(BASE + "SET scan.prefixscan = %s;" % way, statement, SECONDS)
            times[way].append(ms)
            answers.add(answer)
            plan = node(nodes)
    if len(answers) != 1:
        raise Failure("different answers: %s" % answers)
    return min(times["off"]), min(times["auto"]), plan


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--rows", type=int, default=3_000_000)
    arguments.add_argument("--rounds", type=int, default=3)
    options = arguments.parse_args()
    worst = 0
    with Postgres() as server:
        server.run(";\n".join(tables(options.rows)) + ";")
        print("| statistics | query | stock, ms | with the library, ms | its plan | times |\n| --- | --- | --- | --- | --- | --- |")
        for what, table in TABLES:
            for name, query in QUERIES:
                off, auto, plan = measure(server, query.format(table), options.rounds)
                worst = max(worst, auto / off)
                print("| %s | %s | %.0f | %.0f | %s | %.2f |" % (what, name, off, auto, plan, auto / off), flush=True)
    print("\nThe largest of the times is %.2f." % worst)


if __name__ == "__main__":
    main()

"""partitions.py [--rows N] [--rounds N] [--only reads,writes,many]: kept scans of partitioned tables.

    make bench-partitions     three million rows, about ten minutes

reads   a ledger of 36 months, 1,024 accounts, of which account 0 has a fifth of the rows, as one table and as 36 monthly
        partitions, both kept by account.  Each query is executed with both, and without kept scans; all answers have to be the
        same.  psql's clock counts, planning included; beside it stand planning and execution as EXPLAIN has them.
writes  COPY of a million rows and single INSERTs, in processor time of the backend, into one table and into 36 partitions, without
        triggers and with a kept scan; and DROP TABLE of a partition, by the clock.
many    a thousand daily partitions: the balance at a date, and the planning of queries of a few of them.

The figures go between the marks in RESULTS.md.
"""

import argparse
import datetime
import os
import re
import statistics
import sys
import tempfile

from kept import cpu, say
from measure import HERE, Failure, Postgres
from queries import machine
from report import put_between

SETTINGS = ("SET client_min_messages = warning; SET jit = off; SET max_parallel_workers_per_gather = 0; SET timezone = 'UTC'; "
            "LOAD 'scan'; SET scan.prefixscan = off; SET scan.kept_compact = off; SET scan.kept = %s; ")
TABLE = "CREATE TABLE %s (id bigint NOT NULL, account int NOT NULL, at timestamptz NOT NULL, amount bigint NOT NULL, note text)"
FILL = """INSERT INTO %s SELECT i, CASE WHEN i %% 5 = 0 THEN 0 ELSE i %% 1024 END,
    timestamptz '2023-01-01' + i * (interval '%d days' / %d), (i::bigint * 7919) %% 10007, 'a note' FROM generate_series(1, %d) AS i;"""
KEEP = ("SELECT scan_keep('%s_kept', 'SELECT sum(amount) OVER w AS total, count(*) OVER w AS n FROM %s WINDOW w AS (PARTITION BY "
        "account ORDER BY at)');")
BALANCE = "SELECT sum(amount), count(*) FROM @ WHERE account = %d AND at < '2024-07-13 11:22:33'"
WINDOW = "(SELECT id, at, amount, sum(amount) OVER (PARTITION BY account ORDER BY at) AS total FROM @ WHERE account = %d) AS s"
READS = {
    "balance at a date, large account": BALANCE % 0,
    "balance at a date, small account": BALANCE % 7,
    "between two dates": "SELECT sum(amount) FROM @ WHERE account = 0 AND at >= '2023-03-04' AND at < '2025-10-01 03:00'",
    "total of an account": "SELECT sum(amount) FROM @ WHERE account = 0",
    "days of a year": "SELECT date_trunc('day', at) AS d, sum(amount), count(*) FROM @ WHERE account = 0 AND at >= '2024-01-01' "
                      "AND at < '2025-01-01' GROUP BY 1 ORDER BY 1",
    "months": "SELECT date_trunc('month', at) AS d, sum(amount) FROM @ WHERE account = 0 GROUP BY 1 ORDER BY 1",
    "last 20 entries with balance": "SELECT * FROM " + WINDOW % 0 + " ORDER BY at DESC LIMIT 20",
    "entries of two months with balance": "SELECT * FROM " + WINDOW % 7 + " WHERE at >= '2025-11-01' ORDER BY at",
}


def partitions(server, table, n, unit):
    server.run((TABLE + " PARTITION BY RANGE (at);") % table + """DO $$ DECLARE a date; b date; BEGIN FOR i IN 0 .. %d LOOP
        a := date '2023-01-01' + i * interval '1 %s'; b := date '2023-01-01' + (i + 1) * interval '1 %s';
        EXECUTE format('CREATE TABLE %s_%%s PARTITION OF %s FOR VALUES FROM (%%L) TO (%%L)', i, a, b); END LOOP; END $$;
        CREATE INDEX ON %s (account, at, id);""" % (n - 1, unit, unit, table, table, table))


def timed(server, kept, text, times):
    """Medians of the clock, of planning and of execution, in ms; and the answer."""
    out = server.run(SETTINGS % kept + text + ";\n\\o /dev/null\n" + (text + ";\n") * 2 + "\\o\n\\echo ----\n\\timing on\n"
                     "\\o /dev/null\n" + (text + ";\n") * times + "\\o\n\\timing off\n"
                     + ("EXPLAIN (ANALYZE, TIMING OFF) " + text + ";\n") * times)
    answer, rest = out.split("----\n")
    return {what: statistics.median(float(ms) for ms in re.findall(pattern + r": ([\d.]+) ms", rest))
            for what, pattern in (("clock", "Time"), ("planning", "Planning Time"), ("execution", "Execution Time"))}, answer


def reads(server, rows, rounds):
    say("a ledger of %d rows" % rows)
    server.run(TABLE % "one" + ";" + FILL % ("one", 1094, rows, rows) + "CREATE INDEX ON one (account, at, id);")
    partitions(server, "parted", 36, "month")
    server.run("INSERT INTO parted SELECT * FROM one; VACUUM ANALYZE one; VACUUM ANALYZE parted;")
    for table in ("one", "parted"):
        server.run(SETTINGS % "auto" + KEEP % (table, table))
    lines = ["| query | plain, one table | plain, 36 partitions | kept, one table | kept, 36 partitions | times | execution alone |",
             "|---|---|---|---|---|---|---|"]
    for name, text in READS.items():
        found = {}
        for _ in range(rounds):
            for table in ("one", "parted"):
                for kept in ("off", "force"):
                    ms, answer = timed(server, kept, text.replace("@", table), 3 if kept == "off" else 30)
                    if found.setdefault("answer", answer) != answer:
                        raise Failure("%s: another answer from %s, %s" % (name, table, kept))
                    found.setdefault((table, kept), []).append(ms)
        best = {key: {what: min(ms[what] for ms in all_ms) for what in all_ms[0]} for key, all_ms in found.items() if key != "answer"}
        kept = [best[table, "force"] for table in ("one", "parted")]
        lines.append("| %s | %.2f ms | %.2f ms | %.3f ms | %.3f ms | %.2f | %.2f |" % (
            name, best["one", "off"]["clock"], best["parted", "off"]["clock"], kept[0]["clock"], kept[1]["clock"],
            kept[1]["clock"] / kept[0]["clock"], kept[1]["execution"] / kept[0]["execution"]))
        say(lines[-1])
    return lines


ARMS = {"one table, no trigger": "single", "one table, kept scan": "single_logged", "36 partitions, no trigger": "bare",
        "36 partitions, kept scan": "logged"}


def writes(server, rounds):
    for table in ARMS.values():
        if "single" in table:
            server.run(TABLE % table + "; CREATE INDEX ON %s (account, at, id);" % table)
        else:
            partitions(server, table, 36, "month")
        if "logged" in table:
            server.run(SETTINGS % "auto" + KEEP % (table, table))
    us = {(kind, arm): [] for kind in ("COPY", "single row", "DROP TABLE") for arm in ARMS}
    with tempfile.TemporaryDirectory() as scratch:
        path = os.path.join(scratch, "rows.csv")
        with open(path, "w") as out:
            out.writelines("%d,%d,2024-%02d-%02d 01:02:%02d,%d,x\n" % (i, i * 7919 % 1024, 1 + i // 83334, 1 + i // 3000 % 28, i % 60,
                                                                     i % 997) for i in range(1000000))
        for seed in range(rounds):
            for arm, table in ARMS.items():
                us["COPY", arm].append(cpu(server, "\\copy %s FROM '%s' CSV" % (table, path)) / 1e6)
                us["single row", arm].append(cpu(server, "PREPARE w(int) AS INSERT INTO %s VALUES ($1, $1 %% 1024, timestamptz "
                                                 "'2025-03-01' + $1 * interval '1 s', 5, 'x');\n" % table
                                                 + "".join("EXECUTE w(%d);\n" % (seed * 20000 + i) for i in range(20000))) / 2e4)
    dropped = [table for table in ARMS.values() if "single" not in table]
    out = server.run(SETTINGS % "auto" + "\\timing on\n" + "".join(
        "DROP TABLE %s_%d;\n" % (table, i) for i in range(12, 22) for table in dropped))
    for i, ms in enumerate(re.findall(r"Time: ([\d.]+) ms", out)):
        us["DROP TABLE", list(ARMS)[2 + i % 2]].append(float(ms))
    lines = ["| write | %s |" % " | ".join(ARMS), "|---|---|---|---|---|"]
    for kind, unit, of in (("COPY", "us a row", min), ("single row", "us", min), ("DROP TABLE", "ms", statistics.median)):
        got = [of(us[kind, arm]) if us[kind, arm] else None for arm in ARMS]
        lines.append("| %s | %s |" % (kind, " | ".join(
            "" if t is None else "%.2f %s%s" % (t, unit, " (%.2f)" % (t / got[i - 1]) if i % 2 else "") for i, t in enumerate(got))))
    say("; ".join(lines[2:]))
    return lines


def many(server, rounds):
    rows = 2000000
    partitions(server, "days", 1000, "day")
    server.run(FILL % ("days", 999, rows, rows) + "VACUUM ANALYZE days;" + SETTINGS % "auto" + KEEP % ("days", "days"))
    lines = ["| a thousand partitions | plain | kept scan |", "|---|---|---|"]
    for name, text in (("balance at a date, large account", BALANCE % 0), ("balance at a date, small account", BALANCE % 7),
                       ("total of an account", "SELECT sum(amount) FROM @ WHERE account = 7")):
        ms = {}
        for kept, times in (("off", 3), ("auto", 30)):
            ms[kept] = min((timed(server, kept, text.replace("@", "days"), times) for _ in range(rounds)),
                           key=lambda found: found[0]["clock"])
        if ms["off"][1] != ms["auto"][1]:
            raise Failure("%s: another answer" % name)
        lines.append("| %s | %.2f ms | %.2f ms |" % (name, ms["off"][0]["clock"], ms["auto"][0]["clock"]))
    for days in (3, 30):
        text = "SELECT sum(amount) FROM days WHERE account = 7 AND at < '2023-01-%02d 12:00'" % days
        planning = [min(timed(server, kept, text, 60)[0]["planning"] for _ in range(rounds)) for kept in ("off", "auto")]
        lines.append("| planning, %d partitions left by the bounds | %.3f ms | %.3f ms |" % (days, *planning))
    say("; ".join(lines[2:]))
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--rows", type=int, default=3000000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default="reads,writes,many")
    options = parser.parse_args()
    lines = ["%s, %s. By `make bench-partitions`; the least of %d medians." % (datetime.date.today().isoformat(), machine(),
                                                                              options.rounds), ""]
    with Postgres() as server:
        server.run("CREATE EXTENSION scan;")
        for part, measure in (("reads", lambda: reads(server, options.rows, options.rounds)),
                              ("writes", lambda: writes(server, options.rounds)), ("many", lambda: many(server, options.rounds))):
            if part in options.only:
                lines += measure() + [""]
    put_between(HERE / "RESULTS.md", "<!-- partitions: by partitions.py -->", "<!-- end of partitions -->", lines)
    print("\n".join(lines))


if __name__ == "__main__":
    sys.exit(main())

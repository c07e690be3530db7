"""device.py [--rounds N] [--out FOLDER]: what a backend takes for its part of a device's job, per row.

    make bench-device     two servers, one after the other, with slots of 16MB and of 512MB; three minutes

Needs a server (test/cluster.sh) with the mock device, which uses the CPU in the place of a GPU: the time of sorts and scans
themselves is left out.  The figures are EXPLAIN's: the time to copy rows into a slot, and the time to copy results out of it
and to prove that they are in order.  Every job is run in a session of its own, whose first run maps the slot's pages and
is told apart; of the others the least counts.

What was measured goes to results/device.json, by the size of the slots, and from there to its section of RESULTS.md.
"""

import argparse
import datetime
import json
import pathlib
import sys

from measure import HERE, Failure, Postgres
from queries import machine, say
from report import paragraph, put_between

BEGIN, END = "<!-- device: by device.py -->", "<!-- end of device -->"
ROWS = (300000, 4000000)
BY_KEYS = "PARTITION BY p ORDER BY id"
JOBS = (("scan_sum(bigint) alone, rows in order", "scan_sum(a) OVER (ORDER BY o)"),
        ("sort alone", "row_number() OVER (%s)" % BY_KEYS),
        ("sort and scan_sum(bigint)", "scan_sum(a) OVER (%s)" % BY_KEYS),
        ("sort and three scans of one column",
         "scan_sum(a) OVER (%s), max(a) OVER (%s), scan_count(a > 0) OVER (%s)" % (BY_KEYS, BY_KEYS, BY_KEYS)),
        ("sort and three scans of three columns",
         "scan_sum(a) OVER (%s), scan_sum(b) OVER (%s), scan_sum(c) OVER (%s)" % (BY_KEYS, BY_KEYS, BY_KEYS)))
SETTINGS = """LOAD 'scan'; SET scan.prefixscan = force; SET scan.device = gpu; SET scan.debug_require = gpu; SET scan.work_mem = '2GB';
SET scan.gpu_timeout = '60s'; SET max_parallel_workers_per_gather = 0; SET jit = off;"""


def fill(server, rows):
    server.run("""DROP TABLE IF EXISTS job;
CREATE TABLE job AS SELECT row_number() OVER () AS o, i AS id, i %% 1000 AS p, hashint8(i)::int8 AS a, hashint8(i + 7)::int8 AS b,
    hashint8(i + 9)::int8 AS c FROM generate_series(1, %d) AS i ORDER BY hashint8(i);
CREATE INDEX ON job (o); ANALYZE job;""" % rows)


def times(server, rows, call, rounds):
    """[in, out] in ns a row of each run of one session; the second member of the result: of its first run"""
    explain = "EXPLAIN (ANALYZE, COSTS OFF, FORMAT JSON) SELECT %s FROM job;\n\\echo ----\n" % call
    out = server.run(SETTINGS + "\n" + explain * (rounds + 1))
    runs = []
    for plan in out.split("----\n")[:rounds + 1]:
        node = json.loads(plan)[0]["Plan"]
        runs.append([node[name] * 1e6 / rows for name in ("Copy In Time", "Copy Out Time")])
    return {"first": runs[0], "in": min(run[0] for run in runs[1:]), "out": min(run[1] for run in runs[1:])}


def measure(server, rounds):
    found = []
    for rows in ROWS:
        fill(server, rows)
        for name, call in JOBS:
            # two sessions: the first one of a server also waits for the system to make the slot's pages
            one = [times(server, rows, call, rounds) for _ in range(2)]
            found.append({"job": name, "rows": rows, "first": one[1]["first"], "in": min(x["in"] for x in one), "out": min(x["out"] for x in one)})
            say("%s, %d rows: %s" % (name, rows, found[-1]))
    return found


def section(found):
    lines = [""] + paragraph(
        "`make bench-device` measured this on %s (%s). A cell shows the time to copy a row into the slot, the time to copy its results out "
        "and to prove the order, and in brackets the sum of both in the first run of a session, which has to map the slot's memory. "
        "Times are ns per row, the least of %d." % (found["measured"], "{processor}, {cores} cores".format(**found["machine"]), 2 * found["rounds"]))
    sizes = [size for size in ("16MB", "512MB") if size in found["slots"]]
    lines += [""] + ["| job | " + " | ".join("%s rows, slots of %s" % (format(rows, ","), size) for rows in ROWS for size in sizes) + " |",
                     "|---" * (1 + len(ROWS) * len(sizes)) + "|"]
    for name, _ in JOBS:
        cells = [name]
        for rows in ROWS:
            for size in sizes:
                one = next(x for x in found["slots"][size] if x["job"] == name and x["rows"] == rows)
                cells.append("%.1f, %.1f (%.1f)" % (one["in"], one["out"], sum(one["first"])))
        lines.append("| " + " | ".join(cells) + " |")
    return lines + [""]


def main():
    parser = argparse.ArgumentParser(description="what a backend takes for its part of a device's job")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--out", type=pathlib.Path, default=HERE)
    options = parser.parse_args()
    with Postgres() as server:
        server.run("CREATE EXTENSION IF NOT EXISTS scan;")
        size, measured = server.value("SHOW scan.gpu_slot_size;"), measure(server, options.rounds)
    results = options.out / "results"
    results.mkdir(parents=True, exist_ok=True)
    file = results / "device.json"
    found = json.loads(file.read_text()) if file.exists() else {"slots": {}}
    found.update({"measured": datetime.date.today().isoformat(), "machine": machine(), "rounds": options.rounds})
    found["slots"][size] = measured
    file.write_text(json.dumps(found, indent=1) + "\n")
    put_between(options.out / "RESULTS.md", BEGIN, END, section(found))


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        sys.exit("device: %s" % failure)

"""measure.py: one statement in one server, timed: by psql, or by DuckDB beside it.

Whoever measures (queries.py) gives settings and a statement and gets milliseconds, the
answer and the plan.  Every measurement has a backend of its own: what the one before has
left in memory, warmed or scattered, is nobody's gain or loss.  EXPLAIN comes first, which
warms the catalogs and tells which plan is being timed.

A statement that fails raises Failure with the server's words.
"""

import json
import os
import pathlib
import re
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
BUILD = HERE / "build"  # git knows it not
DUCKDB = "@duckdb/node-api@1.5.6-r.1"
TYPES = {"id": "BIGINT", "ts": "TIMESTAMP", "v8": "BIGINT", "f8": "DOUBLE", "p1k": "INTEGER", "p1m": "INTEGER",
         "v4": "INTEGER", "odd": "BOOLEAN", "num": "DECIMAL(18,2)"}


class Failure(Exception):
    """A statement, or a whole server, that did not do what it was asked for."""


def plan_nodes(explained):
    """EXPLAIN's JSON as the names of its nodes, from the top, down the first children."""
    names, node = [], explained[0]["Plan"]
    while node:
        names.append(node.get("Custom Plan Provider", node["Node Type"]))
        node = next(iter(node.get("Plans", [])), None)
    while len(names) > 1 and names[0] in ("Aggregate", "Subquery Scan", "WindowReduce"):
        names.pop(0)
    return names


class Postgres:
    """The server that PGHOST, PGPORT and PGUSER name, and a database of our own in it."""

    def __init__(self, environment=os.environ):
        self.environment = environment
        self.psql = os.path.join(environment["PG_BINDIR"], "psql") if "PG_BINDIR" in environment else "psql"
        self.maintenance = environment.get("PGDATABASE", "postgres")
        self.database = "scan_bench_%d" % os.getpid()

    def __enter__(self):
        self.run("CREATE DATABASE %s TEMPLATE template0 ENCODING 'UTF8'" % self.database, self.maintenance)
        return self

    def __exit__(self, *_):
        self.run("DROP DATABASE IF EXISTS %s WITH (FORCE)" % self.database, self.maintenance)

    def run(self, script, database=None, to=subprocess.PIPE):
        """What psql prints of a script, unaligned, tuples only."""
        done = subprocess.run([self.psql, "-XAtq", "-v", "ON_ERROR_STOP=1", "-d", database or self.database],
                              input=script + "\n", stdout=to, stderr=subprocess.PIPE, text=True, env=self.environment)
        if done.returncode != 0:
            lines = [line for line in done.stderr.splitlines() if line.strip()]
            raise Failure(re.sub(r"^psql:\S+ ", "", lines[0]) if lines else "psql: status %d" % done.returncode)
        return done.stdout

    def value(self, statement):
        return self.run(statement).strip()

    def measure(self, settings, statement, seconds):
        """(ms, answer, the plan's nodes, kB that the backend's peak has grown)"""
        peak = "SELECT (regexp_match(pg_read_file('/proc/self/status'), 'VmHWM:\\s*(\\d+)'))[1];"
        out = self.run("\n".join([settings, "SET statement_timeout = '%ds';" % seconds,
                                  "EXPLAIN (COSTS OFF, FORMAT JSON) %s;" % statement, "\\echo ----", peak,
                                  "\\echo ----", "\\timing on", statement + ";", "\\timing off", "\\echo ----", peak]))
        try:
            plan, before, timed, after = out.split("----\n")
            answer, ms = re.match(r"(.*)\nTime: ([\d.]+) ms", timed, re.S).groups()
        except (ValueError, AttributeError):
            raise Failure("psql printed something else") from None
        return float(ms), answer, plan_nodes(json.loads(plan)), int(after) - int(before)


class DuckDB:
    """A DuckDB process with a file of its own; without node or npm there is none."""

    def __init__(self, file):
        try:
            self.process = subprocess.Popen(["node", HERE / "duckdb.mjs", BUILD, file], stdin=subprocess.PIPE,
                                            stdout=subprocess.PIPE, text=True)
        except OSError as error:
            raise Failure(str(error)) from None
        self.version = self.ask("SELECT version()")["rows"][0][0]

    @staticmethod
    def install():
        """None, or why there is no DuckDB."""
        if (BUILD / "node_modules/@duckdb/node-api").is_dir():
            return None
        BUILD.mkdir(exist_ok=True)
        try:
            done = subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--prefix", BUILD, DUCKDB],
                                  capture_output=True, text=True, timeout=300)
        except (OSError, subprocess.TimeoutExpired) as error:
            return str(error)
        return None if done.returncode == 0 else "npm install %s failed" % DUCKDB

    def ask(self, statement, threads=1, seconds=600):
        try:
            self.process.stdin.write(json.dumps({"sql": statement, "threads": threads, "seconds": seconds}) + "\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        except OSError:
            line = ""
        answer = json.loads(line) if line else {"error": "DuckDB is gone"}
        if "error" in answer:
            raise Failure(answer["error"].splitlines()[0])
        return answer

    def load(self, postgres, csv):
        """The table, by way of a file."""
        names = ["ts AT TIME ZONE 'UTC'" if name == "ts" else name for name in TYPES]
        with open(csv, "w") as out:
            postgres.run("COPY (SELECT %s FROM bench) TO STDOUT (FORMAT csv);" % ", ".join(names), to=out)
        columns = ", ".join("'%s': '%s'" % pair for pair in TYPES.items())
        self.ask("CREATE OR REPLACE TABLE bench AS SELECT * FROM read_csv('%s', header = false, columns = {%s})"
                 % (csv, columns))
        self.ask("CHECKPOINT")
        os.remove(csv)

    def measure(self, statement, threads, seconds, without_window=False):
        """(ms, answer, the window operator of the plan, if it need not have one)"""
        plan = self.ask("EXPLAIN " + statement)["rows"][0][1]
        window = re.search(r"\b(STREAMING_WINDOW|WINDOW)\b", plan)
        if not window and not without_window:
            raise Failure("DuckDB has planned the window away")
        answer = self.ask(statement, threads, seconds)
        return answer["ms"], "|".join(str(value) for value in answer["rows"][0]), [window.group(1) if window else "no window"]

    def close(self):
        try:
            self.process.stdin.close()
        except OSError:
            pass  # it has gone already
        self.process.wait()

#!/usr/bin/env python3
"""cancel_latency.py: how long a cancelled query goes on.

    test/cluster.sh test/fuzz/cancel_latency.py [--rows N] [--cancels N] [--seconds S] [--only REGEX] [--table FILE] [--where]

Every entry of the README's list of functions and every phase of PrefixScan, and controls: a
sleep, a scan of a table, core's own WindowAgg and sort.  Two things are measured of each:

  probes    While the query runs once, it is asked again and again whether it looks for interrupts:
            pg_log_backend_memory_contexts() is answered, in the server's log, by the macro that
            sees a cancel.  So hundreds of moments of one run are seen, not one.
  cancels   The query is cancelled at a random moment of its run time: from the return of
            pg_cancel_backend() to the error at the client, and on to the server's being ready
            again, as what frees the memory and removes the files comes after the error.

Beside each time stands the processor time that the backend took meanwhile (/proc/PID/stat, in
steps of 10 ms): where that is less, others had the processor.

It needs a server of this machine, whose log is the file beside its socket's folder, as
test/cluster.sh makes one, and a superuser.  --where shows by gdb where a backend was that had
not answered after 30 ms of the processor.  Standard library only; the protocol's few messages are written here.
"""

import argparse
import os
import random
import re
import socket
import struct
import subprocess
import sys
import time

from cancel_queries import SETUP, queries

TICK = os.sysconf("SC_CLK_TCK")
PATIENCE = 30.0   # seconds for an answer, before the tool gives up
LONGEST = 60.0    # seconds of a query's run time that are looked at
WHERE_AFTER = 0.03   # of the processor
LEAST = 5   # cancels of a query


class Session:
    """A connection by the simple protocol, to a socket, with trust."""

    def __init__(self):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect("%s/.s.PGSQL.%s" % (os.environ["PGHOST"], os.environ["PGPORT"]))
        start = struct.pack(">I", 196608) + ("user\0%s\0database\0%s\0\0" % (os.environ["PGUSER"], os.environ["PGDATABASE"])).encode()
        self.socket.sendall(struct.pack(">I", len(start) + 4) + start)
        self.buffer = b""
        self.finish()
        self.pid = int(self.value("SELECT pg_backend_pid()"))

    def send(self, sql):
        text = sql.encode() + b"\0"
        self.socket.sendall(b"Q" + struct.pack(">I", len(text) + 4) + text)

    def take(self, n):
        while len(self.buffer) < n:
            more = self.socket.recv(1 << 20)
            if not more:
                raise SystemExit("the server closed the connection")
            self.buffer += more
        taken, self.buffer = self.buffer[:n], self.buffer[n:]
        return taken

    def finish(self):
        """Reads to ReadyForQuery: the last row's first field, the error if there was one, and when it came."""
        value, error, at = None, None, None
        while True:
            head = self.take(5)
            body = self.take(struct.unpack(">I", head[1:])[0] - 4)
            if head[:1] == b"D":
                size = struct.unpack(">i", body[2:6])[0] if body[:2] != b"\0\0" else -1
                value = body[6:6 + size].decode() if size >= 0 else None
            elif head[:1] == b"E":
                at = time.monotonic()
                error = {f[:1]: f[1:].decode(errors="replace") for f in body.split(b"\0") if f}
            elif head[:1] == b"Z":
                return value, error, at

    def value(self, sql):
        self.send(sql)
        value, error, _ = self.finish()
        if error:
            raise SystemExit("%s\n%s" % (error[b"M"], sql))
        return value

    def is_ready(self):
        """Whether something has come that can be read without waiting."""
        try:
            more = self.socket.recv(1 << 20, socket.MSG_DONTWAIT)
        except BlockingIOError:
            more = b""
        self.buffer += more
        return self.ends_ready()

    def ends_ready(self):
        # whole messages but for ReadyForQuery are dropped, so that rows that go to us are not heaped up
        at, end = 0, len(self.buffer)
        while end - at >= 5:
            size = struct.unpack_from(">I", self.buffer, at + 1)[0] + 1
            if self.buffer[at] in b"ZE" or end - at < size:
                break
            at += size
        self.buffer = self.buffer[at:]
        return self.buffer[:1] in (b"Z", b"E")


def cpu(pid):
    fields = open("/proc/%d/stat" % pid).read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICK


class Log:
    """The server's log from now on."""

    def __init__(self):
        path = os.path.join(os.path.dirname(os.environ["PGHOST"]), "server.log")
        self.file = open(path, "rb")
        self.tail = b""

    def skip(self):
        self.file.seek(0, os.SEEK_END)
        self.tail = b""

    def has(self, words):
        """Whether they have come since they, or others, were last found."""
        before, found, after = (self.tail + self.file.read()).partition(words)
        self.tail = after if found else before[-len(words):]
        return bool(found)


class Worst:
    """The largest of some times, and of the processor's."""

    def __init__(self):
        self.wall = self.cpu = 0.0
        self.n = 0

    def add(self, wall, used):
        self.wall, self.cpu, self.n = max(self.wall, wall), max(self.cpu, used), self.n + 1

    def __str__(self):
        return "%d / %d" % (round(self.wall * 1000), round(self.cpu * 1000)) if self.n else "-"


def where(pid):
    text = subprocess.run(["gdb", "-batch", "-p", str(pid), "-ex", "bt 12"], capture_output=True, text=True).stdout
    return [re.sub(r"^#\d+\s+(0x\w+ in )?", "", line)[:100] for line in text.splitlines() if line.startswith("#")]


def probe(session, other, log, query, show_where):
    """Runs the query once; answers its run time and the worst probe."""
    worst = Worst()
    start = time.monotonic()
    session.send(query.sql)
    words = b"logging memory contexts of PID %d" % session.pid
    while not session.is_ready() and time.monotonic() - start < LONGEST:
        log.skip()
        asked, used = time.monotonic(), cpu(session.pid)
        looked = False
        other.value("SELECT pg_log_backend_memory_contexts(%d)" % session.pid)
        while not log.has(words):
            if session.is_ready() or time.monotonic() - asked > PATIENCE:
                break
            if show_where and not looked and cpu(session.pid) - used > WHERE_AFTER:
                looked = True
                print("   ", "\n    ".join(where(session.pid)), flush=True)
            time.sleep(0.0005)
        else:
            worst.add(time.monotonic() - asked, cpu(session.pid) - used)
            # who asks while the answer is being written is not heard
            while not log.has(b"Grand total:") and not session.is_ready():
                time.sleep(0.0005)
    if not session.is_ready():
        other.value("SELECT pg_cancel_backend(%d)" % session.pid)
    _, error, _ = session.finish()
    if error and error[b"C"] != "57014":
        print("%s: %s" % (query.name, error[b"M"]), flush=True)
    return time.monotonic() - start, worst


def cancel(session, other, query, delay, error_worst, ready_worst, show_where):
    """Cancels the query after a while; false: it had ended."""
    session.send(query.sql)
    time.sleep(delay)
    if session.is_ready():
        session.finish()
        return False
    before = cpu(session.pid)
    other.value("SELECT pg_cancel_backend(%d)" % session.pid)
    sent = time.monotonic()
    while show_where and not session.is_ready():
        if cpu(session.pid) - before > WHERE_AFTER:
            print("   ", "\n    ".join(where(session.pid)), flush=True)
            break
    _, error, at = session.finish()
    ready = time.monotonic()
    used = cpu(session.pid) - before
    if error is None:
        return False
    error_worst.add(at - sent, used)
    ready_worst.add(ready - sent, used)
    return True


def prepare(session, query):
    session.send("ROLLBACK")
    session.finish()
    for sql in query.before:
        session.value(sql)


def measure(query, other, log, options):
    session = Session()
    prepare(session, query)
    ran, probes = 0.0, Worst()
    for _ in range(options.probes):
        ran, worst = probe(session, other, log, query, options.where)
        probes.add(worst.wall, worst.cpu)
        probes.n += worst.n - 1
        prepare(session, query)
    ran = ran or query.seconds
    error_worst, ready_worst = Worst(), Worst()
    start = time.monotonic()
    for _ in range(2 * options.cancels):
        if ready_worst.n == options.cancels or (ready_worst.n >= LEAST and time.monotonic() - start > options.seconds):
            break
        cancel(session, other, query, random.uniform(0, min(ran, LONGEST)), error_worst, ready_worst, options.where)
        prepare(session, query)
    session.socket.close()
    return [query.name, "%.2f" % ran, str(probes.n), str(probes), str(ready_worst.n), str(error_worst), str(ready_worst)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--cancels", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=float("inf"),
                        help="after which a query is cancelled no more, if it was %d times" % LEAST)
    parser.add_argument("--probes", type=int, default=1, help="runs that are probed")
    parser.add_argument("--only", default="")
    parser.add_argument("--table", help="a file for the table, in Markdown")
    parser.add_argument("--where", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    random.seed(options.seed)

    other = Session()
    for sql in SETUP:
        other.value(sql % {"rows": options.rows} if "%(rows)" in sql else sql)
    log = Log()
    lines = ["| query | run, s | probes | worst probe, ms: clock / CPU | cancels | until the error, ms: clock / CPU | until ready, ms: clock / CPU |", "|---|---|---|---|---|---|---|"]
    for query in queries():
        if not re.search(options.only, query.name):
            continue
        line = "| %s |" % " | ".join(measure(query, other, log, options))
        print(line, flush=True)
        lines.append(line)
        if options.table:
            with open(options.table, "w") as out:
                out.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    sys.exit(main())

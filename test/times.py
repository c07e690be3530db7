#!/usr/bin/env python3
"""times.py FILE...: how much processor time test files take, each with a server of its own.

Prints one line for a file: seconds of processor time, seconds on the clock, how it ended, its name.  test/world.txt
has the times of the files that `make test` leaves out; test/README.md says how a file gets there.

Processor time is that of all processes below, and of the servers that a test starts and leaves to init: this program
takes init's place for them (PR_SET_CHILD_SUBREAPER), so that their time is added to its own.  The copy of PostgreSQL
and the server that test/cluster.sh makes are included: about four seconds.
"""
import ctypes
import os
import resource
import subprocess
import sys
import time

PR_SET_CHILD_SUBREAPER = 36


def processor_time():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def wait_for_orphans():
    try:
        while True:
            os.wait()
    except ChildProcessError:
        pass


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    failed = False
    for file in sys.argv[1:]:
        before, began = processor_time(), time.monotonic()
        test = subprocess.run(
            ["test/cluster.sh", "prove", file],
            env={**os.environ, "SCAN_CLUSTER_QUIET": "1", "SCAN_CLUSTER_STOP": "fast"},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=False,
        )
        wait_for_orphans()
        ended = "ok" if test.returncode == 0 else "not ok"
        failed = failed or test.returncode != 0
        print(f"{processor_time() - before:8.1f} {time.monotonic() - began:8.1f} {ended:7s}{file}", flush=True)
    sys.exit(failed)


if __name__ == "__main__":
    main()

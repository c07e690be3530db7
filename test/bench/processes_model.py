"""processes_model.py: what more processes than a machine at hand has cores would gain, by a simulation.

    python3 test/bench/processes_model.py      the table of RESULTS.md

Events in order of time, with the costs below, which were measured on two cores (perf stat over all
processes of a query, four million rows of 84 bytes in 322 MB of heap, in shared buffers).  A query
runs as src/exchange does:

    start    the postmaster forks workers one after the other; each then loads libraries and catalogs
    read     processes take chunks of pages from a counter, and deal their rows, or keep them in order
    barrier  all wait for the last one
    take     processes take batches from a counter.  A range, in addition, waits for the states of the
             range before; its own states go on when all its functions are evaluated (the chain)
    end      the leader waits until all workers have left; each unmaps what it had mapped

Batches differ in size, and processes in speed, at random.  Not simulated: cores that share caches
and memory (two sessions side by side on the machine at hand run 1.4 to 1.95 times as fast as one
after the other), but the traffic that the cores would make is printed; locks, of which no profile
shows any; a leader that has many rows to pass on.
"""

import heapq
import random

FORK = 0.37e6        # ns of the postmaster for each worker; perf stat of it alone, 100 queries
WORKER = 4.1e6       # ns of CPU of a worker beside its work: stock count(*) with one, less the same without
UNMAP = 140e3 / 2**20  # ns a byte of shared memory that a process had mapped
CHUNK = 4096         # rows that are read at a time, about 32 pages
SPEED, SIZE = 0.1, 0.3  # how much processes differ in speed, and batches in size: assumed
BATCH_BYTES, BATCHES_EACH, BATCHES_MOST, RANGES_MOST = 8 * 2**20, 8, 128, 2048
WAKE = 5e3           # ns of who signals one waiting process: assumed
SAMPLES = 200e3      # ns of sorting the samples of a process: assumed

# ns of CPU a row: in one process; in two, for reading (and dealing) and for taking, as EXPLAIN divides
# what perf stat counts; of taking, what the chain has: the functions over a range, before it hands its
# states over (perf record).  Bytes a row in shared memory.
SHAPES = {
    "row_number(), PARTITION BY 1,000 keys ORDER BY time": dict(serial=83.5, read=41, take=45, chain=None, bytes=12),
    "sum(bigint), PARTITION BY 1,000 keys ORDER BY time": dict(serial=107, read=47, take=55, chain=None, bytes=20),
    "sum(bigint), ORDER BY id, read from the table": dict(serial=74, read=45, take=38, chain=9, bytes=16),
    "scan_sum(double precision), ORDER BY id": dict(serial=71, read=42, take=36, chain=5.3, bytes=16),
    "sum(bigint), ORDER BY time": dict(serial=98, read=56, take=53, chain=9, bytes=24),
}


def simulate(shape, rows, processes, most=None, wakes_all=False):
    """(ns of a query of `rows` rows, the part of the taking that processes are idle)"""
    ranges = shape["chain"] is not None
    most = most or max(BATCHES_MOST, 4 * processes)
    batches = int(min(max(rows * (shape["bytes"] + 16) / BATCH_BYTES, BATCHES_EACH * processes),
                      RANGES_MOST if ranges else most))
    chance = random.Random(1)
    slow = [1 + SPEED * chance.uniform(-1, 1) for _ in range(processes)]
    sizes = [1 + SIZE * chance.uniform(-1, 1) for _ in range(batches)]
    sizes = [rows * size / sum(sizes) for size in sizes]
    begins = [0] + [FORK * w + WORKER * 0.75 for w in range(1, processes)]

    # read: whoever is free takes the next chunk, smaller ones at the end
    free = [(at, p) for p, at in enumerate(begins)]
    heapq.heapify(free)
    left = rows
    while left > 0:
        at, p = heapq.heappop(free)
        some = min(left, max(CHUNK, rows / 2048) if left > rows / 32 else max(CHUNK / 32, 98))
        left -= some
        heapq.heappush(free, (at + some * shape["read"] * slow[p], p))
    # a worker that comes when all is read takes no part in the barrier
    barrier = max(at for at, _ in free) + WAKE * processes + (2 * WAKE * processes + SAMPLES if ranges else 0)

    # take
    free = [(max(barrier, at), p) for at, p in free]
    heapq.heapify(free)
    handed, busy = 0, 0
    for n in sizes:
        at, p = heapq.heappop(free)
        n *= slow[p]
        if not ranges:
            end = at + n * shape["take"]
        else:
            # half of what is left is before the functions (merge, sort, gather), half above them
            rest = n * (shape["take"] - shape["chain"])
            ready = at + rest / 2
            handed = max(handed, ready) + n * shape["chain"] + (WAKE * (processes - 1) if wakes_all else WAKE)
            end = handed + rest / 2
        busy += n * shape["take"]
        heapq.heappush(free, (end, p))
    last = max(at for at, _ in free)
    taking = last - barrier
    idle = 1 - busy / (taking * processes)
    unmap = rows * shape["bytes"] * UNMAP if processes > 1 else 0
    # a process maps what it put there and what it took
    end = last + (WORKER * 0.25 + unmap * min(1, 2 / processes) if processes > 1 else 0)
    return end, idle


def cell(shape, rows, processes, **more):
    end, idle = simulate(shape, rows, processes, **more)
    return "%.1f (%d %%)" % (rows * shape["serial"] / end, round(100 * idle))


def traffic(shape, rows, processes):
    """GB/s between cores and memory: the heap's pages; a row written, read and written again; words and results."""
    return rows * (84 + 4 * shape["bytes"] + 24) / simulate(shape, rows, processes)[0]


def main():
    many = (2, 4, 16, 64)
    print("| query | rows | %s | limit by the chain | GB/s, 64 processes |" % " | ".join("%d processes" % p for p in many))
    print("| --- | --- | %s | --- | --- |" % " | ".join("---" for _ in many))
    for name, shape in SHAPES.items():
        for rows in (10**7, 10**9):
            bound = "%.0f" % (shape["serial"] / shape["chain"]) if shape["chain"] else "–"
            print("| %s | %d million | %s | %s | %.0f |" % (
                name, rows / 10**6, " | ".join(cell(shape, rows, p) for p in many), bound, traffic(shape, rows, 64)))
    print()
    shape = SHAPES["row_number(), PARTITION BY 1,000 keys ORDER BY time"]
    print("64 processes, 10^9 rows: %s with 128 batches, %s with 256" % (cell(shape, 10**9, 64, most=128),
                                                                      cell(shape, 10**9, 64, most=256)))
    shape = SHAPES["scan_sum(double precision), ORDER BY id"]
    print("64 processes, 10^8 rows in ranges: %s if each hand-over wakes all that wait, %s if it wakes one" % (
        cell(shape, 10**8, 64, wakes_all=True), cell(shape, 10**8, 64)))


if __name__ == "__main__":
    main()

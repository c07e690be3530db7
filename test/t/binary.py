"""binary.py: arrays to a server and back, as numpy has them, by psql and COPY (FORMAT binary).

As text, ten million elements would take longer to print and to read than to scan.  An Array
is its values, which of them are not NULL, its dimensions and its lower bounds; () as the
dimensions is an empty array.
"""

import collections
import struct
import subprocess

import numpy as np

Array = collections.namedtuple("Array", "values valid dims lower")

TYPES = {"boolean": (16, "?"), "smallint": (21, ">i2"), "integer": (23, ">i4"), "bigint": (20, ">i8"), "real": (700, ">f4"),
         "double precision": (701, ">f8")}
DTYPES = {oid: dtype for oid, dtype in TYPES.values()}

HEAD = b"PGCOPY\n\xff\r\n\0" + struct.pack(">ii", 0, 0)


def array(values, valid=None, dims=None, lower=None):
    values = np.asarray(values)
    valid = np.ones(len(values), bool) if valid is None else valid
    dims = dims if dims is not None else (len(values),) if len(values) else ()
    return Array(values, valid, tuple(dims), tuple(lower) if lower is not None else (1,) * len(dims))


def record(dtype):
    """An element that is not NULL: its length, and itself."""
    return np.dtype([("length", ">i4"), ("value", dtype)])


def field_of_array(a, kind):
    oid, dtype = TYPES[kind]
    elements = np.empty(len(a.values), record(dtype))
    elements["length"] = np.where(a.valid, elements.dtype["value"].itemsize, -1)
    elements["value"] = a.values
    text = elements.tobytes()
    if not a.valid.all():
        there = np.ones((len(elements), elements.dtype.itemsize), bool)
        there[~a.valid, 4:] = False
        text = np.frombuffer(text, "u1").reshape(there.shape)[there].tobytes()
    bounds = b"".join(struct.pack(">ii", *pair) for pair in zip(a.dims, a.lower))
    return struct.pack(">iiI", len(a.dims), int(not a.valid.all()), oid) + bounds + text


def ends_where(lengths, wanted):
    """How many of the lengths, from the first one on, are what is wanted: by ever larger looks ahead."""
    seen, look = 0, 64
    while seen < len(lengths):
        other = np.flatnonzero(lengths[seen:seen + look] != wanted)
        if len(other):
            return seen + int(other[0])
        seen += look
        look *= 2
    return len(lengths)


def array_of_field(field):
    ndim, _, oid = struct.unpack_from(">iiI", field)
    bounds = struct.unpack_from(">%di" % (2 * ndim), field, 12)
    dims, lower = bounds[0::2], bounds[1::2]
    n = int(np.prod(dims)) if ndim else 0
    kind = record(DTYPES[oid])
    width = kind["value"].itemsize
    values, valid = np.zeros(n, kind["value"].newbyteorder("=")), np.zeros(n, bool)
    at, place = 12 + 8 * ndim, 0
    while place < n:
        # values as far as there are no NULLs, then NULLs, which are a length only
        elements = np.frombuffer(field, kind, min(n - place, (len(field) - at) // kind.itemsize), at)
        run = ends_where(elements["length"], width)
        values[place:place + run] = elements["value"][:run]
        valid[place:place + run] = True
        at, place = at + run * kind.itemsize, place + run
        run = ends_where(np.frombuffer(field, ">i4", min(n - place, (len(field) - at) // 4), at), -1)
        at, place = at + 4 * run, place + run
    assert at == len(field)
    return Array(values, valid, dims, lower)


def psql(program, command, text=None):
    return subprocess.run([program, "-X", "-q", "-v", "ON_ERROR_STOP=1", "-c", command], input=text, stdout=subprocess.PIPE, check=True).stdout


def put(program, table, columns, rows):
    """Rows of arrays (None: NULL) into a new table, whose column `id` counts them from 0; columns: name -> type."""
    psql(program, "CREATE UNLOGGED TABLE %s (id integer, %s)" % (table, ", ".join("%s %s[]" % column for column in columns.items())))
    parts = [HEAD]
    for i, row in enumerate(rows):
        parts.append(struct.pack(">hii", 1 + len(columns), 4, i))
        for name, kind in columns.items():
            field = None if row.get(name) is None else field_of_array(row[name], kind)
            parts.append(struct.pack(">i", -1 if field is None else len(field)))
            parts.append(field or b"")
    parts.append(struct.pack(">h", -1))
    psql(program, "COPY %s FROM STDIN (FORMAT binary)" % table, b"".join(parts))


def get(program, query):
    """The one column of a query, as arrays."""
    text = memoryview(psql(program, "COPY (%s) TO STDOUT (FORMAT binary)" % query))
    at = len(HEAD)
    while struct.unpack_from(">h", text, at)[0] == 1:
        length = struct.unpack_from(">i", text, at + 2)[0]
        yield None if length < 0 else array_of_field(text[at + 6:at + 6 + length])
        at += 6 + max(length, 0)

"""scan.py: shows the extension's values in gdb.

    gdb -x test/gdb/scan.py -p PID          or, within gdb:     source test/gdb/scan.py

`print` then shows in readable form, from any frame:

    Rows, Block     the rows, with values that lie in an arena; a Block marks heads (|), peers (:) and rows around it (+)
    Column          a column has no number of rows: its format, and its first values by `scan-column`
    NumberState     the count, and the total as each type that it may have
    Decimal         the number
    ExactSum        its form, and the value rounded once to double
    WireSlot        the state, the owner and how often the slot was taken, from its word

A column knows how wide its values are, not which type they have.  So floats are shown as integers, unless `scan-column`
is told otherwise:

    scan-column COLUMN FIRST COUNT [FORMAT]     such as: scan-column rows->column[0].data 0 10 f8
    scan-rows ROWS FIRST COUNT                  such as: scan-rows block->rows 1000 20
    scan-word WORD                              the word of a WireSlot

FORMAT is one of i (integer), f4, f8, x (bytes).

The printers read memory only, so they work with a core file, too.  test/t/gdb.t checks them.
"""
import decimal
import fractions
import math
import struct

import gdb
import gdb.printing

MOST_BYTES = 40  # of a value that are shown
MOST_ROWS = 20  # of Rows and Block that are shown


def memory(address, size):
    return bytes(gdb.selected_inferior().read_memory(int(address), size))


def raw(value):
    """The bytes of a value, which must lie in memory.  gdb 13 converts no integer of 16 bytes."""
    return memory(value.address, value.type.sizeof)


def whole(value):
    return int.from_bytes(raw(value), "little", signed=True)


def name_of(value):
    """The name of an enum's value."""
    return str(value).rsplit("::", 1)[-1]


def quoted(data, size):
    """Text as text, other bytes in hexadecimal; `size` is that of all, which `data` may be the beginning of."""
    rest = "..." if size > len(data) else ""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        text = "\0"
    if text.isprintable():
        return "'" + text + rest + "'"
    return "\\x" + data.hex() + rest


def reference(address, length):
    """A value that is not passed by value: of a type of fixed length, a varlena (-1) or a C string (-2)."""
    if length > 0:
        return quoted(memory(address, min(length, MOST_BYTES)), length)
    if length == -2:
        data = memory(address, MOST_BYTES).split(b"\0")[0]
        return quoted(data, len(data))
    first = memory(address, 1)[0]
    if first == 1:
        return f"<toasted, at {address:#x}>"
    if first & 1:
        size, header = first >> 1, 1
    else:
        size, header = struct.unpack("<I", memory(address, 4))[0] >> 2, 4
    text = quoted(memory(address + header, min(size - header, MOST_BYTES)), size - header)
    return f"<compressed> {text}" if header == 4 and first & 2 else text


def small_numeric(place):
    """A numeric that lies in the column itself (small_numeric.h)."""
    digits, sign, scale, weight = place >> 10, "-" if place & 4 else "", place >> 3 & 15, (place >> 7 & 7) - 3
    n = next(n for n in range(5) if digits < 10000**n)
    return f"{sign}{decimal.Decimal(digits).scaleb(4 * (weight + 1 - n)):.{scale}f}"


def stored_value(column, i, form=None):
    """The value of row i of a Column as text."""
    stride = int(column["stride"])
    if column["has_nulls"] and (stride == 0 or memory(int(column["nulls"]) + i // 8, 1)[0] >> i % 8 & 1):
        return "NULL"
    at = int(column["value"]) + i * stride
    kind = name_of(column["format"])
    if kind == "COLUMN_REFERENCE":
        place = struct.unpack("<Q", memory(at, 8))[0]
        if place & 1:
            return small_numeric(place)
        return reference(int(column["arena"]["bytes"]) + place, int(column["length"]))
    data = memory(at, {"COLUMN_BYTE": 1, "COLUMN_INT16": 2, "COLUMN_INT32": 4, "COLUMN_INT64": 8}[kind])
    if form in ("f4", "f8"):
        return repr(struct.unpack("<f" if form == "f4" else "<d", data[: int(form[1])])[0])
    return "\\x" + data.hex() if form == "x" else str(int.from_bytes(data, "little", signed=True))


def row(rows, i):
    values = []
    for c in range(int(rows["columns"])):
        column = rows["column"][c]
        if not column["constant"]:
            values.append(stored_value(column["data"], i))
        elif column["the_isnull"]:
            values.append("NULL")
        elif column["data"]["by_value"]:
            values.append(str(int(column["the_value"].cast(gdb.lookup_type("long")))))
        else:
            values.append(reference(int(column["the_value"]), int(column["data"]["length"])))
    return "(" + ", ".join(values) + ")"


class Printer:
    def __init__(self, value):
        self.value = value

    def display_hint(self):
        return None


class RowsPrinter(Printer):
    def to_string(self):
        v = self.value
        more = f", the first {MOST_ROWS}" if int(v["n"]) > MOST_ROWS else ""
        return f"{int(v['n'])} rows (room for {int(v['capacity'])}) of {int(v['columns'])} columns, {name_of(v['layout'])}{more}"

    def children(self):
        for i in range(min(int(self.value["n"]), MOST_ROWS)):
            yield f"[{i}]", row(self.value, i)


class BlockPrinter(Printer):
    def to_string(self):
        v = self.value
        more = f", the first {MOST_ROWS}" if int(v["n"]) - int(v["begin"]) > MOST_ROWS else ""
        kind = "range" if v["is_range"] else "block"
        return f"{kind} of rows {int(v['begin'])} to {int(v['n']) - 1}; row 0 is at position {int(v['first'])} of the input{more}"

    def children(self):
        v = self.value
        if int(v["rows"]) == 0:
            return
        rows, begin, n = v["rows"].dereference(), int(v["begin"]), int(v["n"])
        for i in range(min(int(rows["n"]), begin + MOST_ROWS)):
            # the marks of rows after the block need not be set
            mark = "+" if not begin <= i < n else "|" if v["head"][i] else ":" if v["peer"][i] else " "
            yield f"[{i}]", f"{mark} {row(rows, i)}"


class ColumnPrinter(Printer):
    def to_string(self):
        v = self.value
        nulls = ", has NULLs" if v["has_nulls"] else ""
        return f"{name_of(v['format'])} of typlen {int(v['length'])}, stride {int(v['stride'])}{nulls}, at {int(v['value']):#x}"


class NumberStatePrinter(Printer):
    def to_string(self):
        total = self.value["total"]
        return f"count {int(self.value['count'])}, total as integer {int(total['integer'])}, wide {whole(total['wide'])}, real {total['real']}, narrow {total['narrow']}"


class DecimalPrinter(Printer):
    def to_string(self):
        units, places, scale = whole(self.value["units"]), int(self.value["places"]), int(self.value["scale"])
        # more decimals than the scale only if they are not 0
        decimals = 4 * places
        while decimals > scale and units % 10 == 0:
            units //= 10
            decimals -= 1
        digits = f"{abs(units):0{max(decimals, 0) + 1}d}"
        text = digits if decimals <= 0 else digits[:-decimals] + "." + digits[-decimals:]
        if scale > max(decimals, 0):
            text += ("." if decimals <= 0 else "") + "0" * (scale - max(decimals, 0))
        return ("-" if units < 0 else "") + text


# as in op/exact.h and device/wire.h: the fields are no enums, so the debugger does not know the names
FORMS = ("EXACT_NEG_ZERO", "EXACT_PAIR", "EXACT_LIMBS", "EXACT_SPECIAL")
STATES = ("FREE", "FILLING", "QUEUED", "RUNNING", "DONE", "FAILED", "ABANDONED")


class ExactSumPrinter(Printer):
    def to_string(self):
        v = self.value
        kind = FORMS[int(v["form"])]
        if kind == "EXACT_NEG_ZERO":
            return f"{kind}: -0"
        if kind == "EXACT_SPECIAL":
            special = int(v["special"])
            said = [text for bit, text in ((1, "NaN"), (2, "Infinity"), (4, "-Infinity")) if special & bit]
            return f"{kind}: {' + '.join(said)}"
        if kind == "EXACT_PAIR":
            s, c = (struct.unpack("<d", raw(v[name]))[0] for name in "sc")
            return f"{kind}: {s!r} + {c!r}"
        value = fractions.Fraction(whole(v["limb"]), 2**1074)
        try:
            rounded = repr(float(value))
        except OverflowError:
            rounded = "beyond the range of double" if value > 0 else "below the range of double"
        return f"{kind}: {rounded}, s + c = {float(v['s'])!r} + {float(v['c'])!r}, off by at most {float(v['bound'])!r}"


def word_text(word):
    state = word & 0xFF
    return f"{STATES[state] if state < len(STATES) else f'no state ({state})'}, pid {word >> 32}, taken {word >> 8 & 0xFFFFFF} times"


class WireSlotPrinter(Printer):
    def to_string(self):
        return word_text(int(self.value["word"]))

    def children(self):
        yield "job", self.value["job"]


class ShowColumn(gdb.Command):
    """scan-column COLUMN FIRST COUNT [FORMAT]: values of a Column; FORMAT is i, f4, f8 or x."""

    def __init__(self):
        super().__init__("scan-column", gdb.COMMAND_DATA, gdb.COMPLETE_EXPRESSION)

    def invoke(self, text, from_tty):
        words = gdb.string_to_argv(text)
        form = words.pop() if words and words[-1] in ("i", "f4", "f8", "x") else None
        if len(words) < 3:
            raise gdb.GdbError("usage: scan-column COLUMN FIRST COUNT [FORMAT]")
        column = pointed(gdb.parse_and_eval(" ".join(words[:-2])))
        first, count = (int(gdb.parse_and_eval(word)) for word in words[-2:])
        for i in range(first, first + count):
            print(f"[{i}] {stored_value(column, i, form)}")


class ShowRows(gdb.Command):
    """scan-rows ROWS FIRST COUNT: some of the rows."""

    def __init__(self):
        super().__init__("scan-rows", gdb.COMMAND_DATA, gdb.COMPLETE_EXPRESSION)

    def invoke(self, text, from_tty):
        words = gdb.string_to_argv(text)
        if len(words) < 3:
            raise gdb.GdbError("usage: scan-rows ROWS FIRST COUNT")
        rows = pointed(gdb.parse_and_eval(" ".join(words[:-2])))
        first, count = (int(gdb.parse_and_eval(word)) for word in words[-2:])
        for i in range(first, min(first + count, int(rows["n"]))):
            print(f"[{i}] {row(rows, i)}")


class ShowWord(gdb.Command):
    """scan-word WORD: what the word of a WireSlot says."""

    def __init__(self):
        super().__init__("scan-word", gdb.COMMAND_DATA, gdb.COMPLETE_EXPRESSION)

    def invoke(self, text, from_tty):
        print(word_text(int(gdb.parse_and_eval(text))))


def pointed(value):
    return value.dereference() if value.type.strip_typedefs().code == gdb.TYPE_CODE_PTR else value


def register():
    printers = gdb.printing.RegexpCollectionPrettyPrinter("scan")
    for name, printer in (
        ("Rows", RowsPrinter),
        ("Block", BlockPrinter),
        ("Column", ColumnPrinter),
        ("NumberState", NumberStatePrinter),
        ("Decimal", DecimalPrinter),
        ("ExactSum", ExactSumPrinter),
        ("WireSlot", WireSlotPrinter),
    ):
        printers.add_printer(name, f"^{name}$", printer)
    gdb.printing.register_pretty_printer(None, printers, replace=True)
    ShowColumn()
    ShowRows()
    ShowWord()


register()

"""cost.py PSQL: scan_cost against a queue, a stack and an average in Python's Decimal.

Called by cost.t with the server in the environment.  Makes movements of many kinds, has the server tell their costs in
WindowAgg and in PrefixScan, in memory and beyond it, and compares the texts: a Decimal has the digits after the point
that a numeric has.  Prints "N rows of KIND, M wrong".
"""

import random
import subprocess
import sys
from decimal import Context, Decimal, Inexact, setcontext
from fractions import Fraction

setcontext(Context(prec=6000, Emin=-99999, Emax=99999, traps=[Inexact]))
draw = random.Random(20261126)
WAYS = {
    "WindowAgg": "SET scan.prefixscan = off;",
    "PrefixScan": "SET scan.prefixscan = force; SET scan.debug_require = node;",
    "little memory": "SET scan.prefixscan = force; SET scan.debug_require = node; SET scan.work_mem = '64kB';",
    "several processes": "SET scan.prefixscan = force; SET max_parallel_workers_per_gather = 2; SET parallel_setup_cost = 0;"
    " SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;",
}


# ---- the oracles


def scale(x):
    return -x.as_tuple().exponent


def first_digit(x):
    """Power of 10000 and value of the first digit of base 10000."""
    if x == 0:
        return 0, 0
    weight = x.adjusted() // 4
    return weight, int(abs(Fraction(x)) / Fraction(10000) ** weight)


def rounded(x, digits):
    """A Fraction with so many digits, half away from zero."""
    units, rest = divmod(abs(x) * 10**digits, 1)
    units += rest * 2 >= 1
    return Decimal(int(units) if x >= 0 else -int(units)).scaleb(-digits)


def divide(a, b):
    """numeric_div: at least 16 significant digits, and no fewer after the point than a and b have."""
    (a_weight, a_first), (b_weight, b_first) = first_digit(a), first_digit(b)
    weight = a_weight - b_weight - (a_first <= b_first)
    return rounded(Fraction(a) / Fraction(b), min(max(16 - 4 * weight, scale(a), scale(b), 0), 1000))


class Lots:
    def __init__(self, newest):
        self.lots, self.newest = [], newest

    def put(self, quantity, price):
        self.lots.append([quantity, price])

    def take(self, wanted):
        cost = None
        while wanted > 0:
            lot = self.lots[-1 if self.newest else 0]
            if lot[0] <= wanted:
                taken, wanted = lot[0], wanted - lot[0]
                self.lots.pop(-1 if self.newest else 0)
            else:
                taken, lot[0], wanted = wanted, lot[0] - wanted, Decimal(0)
            cost = taken * lot[1] if cost is None else cost + taken * lot[1]
        return cost


class Average:
    def __init__(self):
        self.quantity = self.value = None

    def put(self, quantity, price):
        self.value = quantity * price if self.quantity is None else self.value + quantity * price
        self.quantity = quantity if self.quantity is None else self.quantity + quantity

    def take(self, wanted):
        if wanted == self.quantity:
            cost, self.quantity, self.value = self.value, None, None
            return cost
        price = divide(self.value, self.quantity)
        cost = rounded(Fraction(wanted * price), scale(price))
        self.quantity, self.value = self.quantity - wanted, self.value - cost
        return cost


METHODS = {"fifo": lambda: Lots(False), "lifo": lambda: Lots(True), "average": Average}


def costs(rows, method):
    """The costs of rows (partition, i, quantity, price, reset)."""
    answers, now, stock = [], None, None
    for partition, _, quantity, price, reset in rows:
        if partition != now or reset:
            now, stock = partition, METHODS[method]()
        cost = None
        if quantity is not None and quantity < 0:
            cost = stock.take(-quantity)
        elif quantity is not None and quantity > 0 and price is not None:
            stock.put(quantity, price)
        answers.append("-" if cost is None else format(cost, "f"))
    return answers


# ---- movements


def number(digits, places):
    return Decimal(draw.randrange(1, 10**digits)).scaleb(-places)


def some(least, most, places):
    """A quantity of at most `most`, or all of it."""
    kind = draw.randrange(6)
    if kind == 0:
        return most
    share = (most * draw.randrange(1, 1000)).scaleb(-3)
    if kind > 2:
        share = share.quantize(Decimal(1).scaleb(-places), "ROUND_DOWN", Context(prec=6000, traps=[])) if share > least else share
    return share if share > 0 else most


def movements(count, partitions, quantity, price, places, out=0.45, odd=0.08):
    rows, i = [], 0
    for p in range(partitions):
        there = Decimal(0)
        for _ in range(count // partitions):
            i += 1
            reset = draw.random() < odd / 10
            if reset:
                there = Decimal(0)
            kind = draw.random()
            if kind < odd:
                q, x = draw.choice([(None, price()), (None, None), (quantity(), None), (Decimal(0), price()), (Decimal("0.00"), None)])
            elif there > 0 and kind < odd + out:
                q, x = -some(quantity(), there, places), draw.choice([None, price()])
                there += q
            else:
                q, x = quantity(), price() if draw.random() > 0.02 else Decimal(0)
                there += q
            rows.append((p, i, q, x, True if reset else draw.choice([False, None])))
    return rows


KINDS = {
    "whole units": (20000, 7, lambda: Decimal(draw.randrange(1, 30)), lambda: number(4, 2), 0),
    "units of any scale": (20000, 5, lambda: number(draw.randrange(1, 9), draw.randrange(0, 7)), lambda: number(draw.randrange(1, 12), draw.randrange(0, 10)), 3),
    "equal lots": (10000, 3, lambda: Decimal(draw.choice(["1", "1.0", "1.00", "2"])), lambda: draw.choice([Decimal("9.99"), Decimal(-3), Decimal("0.5000")]), 0),
    "near the end of 64 bits": (10000, 3, lambda: number(draw.randrange(12, 20), draw.randrange(0, 5)), lambda: number(draw.randrange(12, 20), draw.randrange(0, 5)), 2),
    "beyond 128 bits": (6000, 3, lambda: number(draw.choice([3, 20, 60]), draw.choice([0, 2, 30])), lambda: number(draw.choice([3, 20, 60]), draw.choice([0, 2, 30])), 5),
    "tiny units": (6000, 3, lambda: number(3, draw.choice([20, 21, 40])), lambda: number(3, draw.choice([0, 19, 33])), 42),
    "many lots at once": (30000, 2, lambda: Decimal(draw.randrange(1, 5)), lambda: number(5, 2), 0, 0.03),
    "long scales": (600, 2, lambda: number(4, draw.choice([0, 999, 1001])), lambda: number(4, draw.choice([2, 998, 1003])), 1002),
}  # fmt: skip


def main(psql):
    for kind, arguments in KINDS.items():
        rows = movements(*arguments)
        columns = "p int, i int, quantity numeric, price numeric, reset boolean"
        script = ["DROP TABLE IF EXISTS movement; CREATE TABLE movement (%s); COPY movement FROM STDIN;" % columns]
        for p, i, q, x, reset in rows:
            cells = [str(p), str(i)] + ["\\N" if v is None else format(v, "f") for v in (q, x)] + ["\\N" if reset is None else "tf"[not reset]]
            script.append("\t".join(cells))
        script += ["\\.", "ANALYZE movement; LOAD 'scan'; SET jit = off;"]
        wanted = []
        for method in METHODS:
            answers = costs(rows, method)
            for way, settings in WAYS.items():
                script.append("RESET ALL; SET jit = off; %s\n\\echo query" % settings)
                script.append("SELECT coalesce(y::text, '-') FROM (SELECT i, scan_cost(quantity, price, '%s', reset) OVER (PARTITION BY p ORDER BY i) AS y"
                              " FROM movement) AS t ORDER BY i;" % method)  # fmt: skip
                wanted.append(("%s in %s" % (method, way), answers))
        done = subprocess.run([psql, "-X", "-A", "-t", "-q"], input="\n".join(script) + "\n", stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=True)  # fmt: skip
        parts = done.stdout.split("query\n")[1:]
        for (name, answers), part in zip(wanted, parts + [""] * len(wanted)):
            got = part.splitlines()
            wrong = [(i, g, w) for i, (g, w) in enumerate(zip(got, answers)) if g != w]
            print("%d rows of %s, %s, %d wrong: %s" % (len(answers), kind, name, len(wrong) + abs(len(got) - len(answers)), str(wrong[:2] or got[:2])[:600]))


main(sys.argv[1])

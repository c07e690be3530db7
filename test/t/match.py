"""match.py PSQL: scan_match and scan_match_variable against a matcher that goes back.

Called by match.t with the server in the environment.  The matcher is the definition: it tries the ways of a pattern in
their order, and goes back where one fails.  Short partitions are matched by it.  Long ones are matched by Python's own
regular expressions, over a string that has a character for each row.  Prints "N rows of PATTERN, WAY, M wrong: the first".
"""

import itertools
import random
import re
import subprocess
import sys

PARTITIONS = 120
LONG = 30000
PATTERNS = 260
LETTERS = "abcde"
draw = random.Random(20261128)

# patterns that a generator meets too rarely
FIXED = (
    "a", "a b", "a|b", "a b+ c?", "a b* c", "a+? b", "a*", "a*?", "a??", "()", "(a|())", "(a|())*", "(()|a)*", "(a*)*", "(a*)+",
    "(a??)*", "(a??){2,3}", "(a?){3}b", "((a|b)*)*", "(a*b*)*", "(a|a b)(c|b c d)", "(a|b)*? c", "^ a", "a $", "^a*$", "(^|a) b", "b (a|$)",
    "a ^ b", "a $ b", "(^a|b)+", "(a|$)+", "(^)*a", "(a $)*", "a{2}", "a{2,}", "a{,2}", "a{0}", "a{0,0} b", "a{2,3}?", "a{2,}?", "(a b){1,2}",
    "((a b?){2} c){1,2}", "(a|b c){2,}", "A B+ c?", "  a  b\n+ ", "(((((a)))))", "(a{2}){3}", "(a|b|c|d|e)+", "a (b|c d*?)* e", "(a b|a) (b c|c)?",
    "(a?|b)(c?|d)", "((a?){2}){2}", "((a|()){2}b)*", "(a+|b+){2}", "(a|b)*a(a|b)(a|b)", "a b c d e", "(a (b (c d?)?)?)?", "a?a?a?a?aaaa")

# patterns for long partitions, and how often their conditions hold
OVER_LONG = (
    ("a b* c", (0.5, 0.9, 0.05, 0, 0)), ("a (b|c)* d", (0.001, 0.9999, 0.5, 0.0001, 0)), ("a b*? c", (0.9, 0.999, 0.01, 0, 0)),
    ("a b{,50} c", (0.3, 0.95, 0.05, 0, 0)), ("(a b)+ c?", (0.7, 0.7, 0.2, 0, 0)), ("a (b* c)?", (0.9, 0.999, 0.0001, 0, 0)),
    ("^ a+ b", (0.9999, 0.5, 0, 0, 0)), ("a (a|b)* $", (0.01, 0.9999, 0, 0, 0)), ("(a|b)*a(a|b){12}", (0.5, 0.999, 0, 0, 0)))


# ---- the definition: a tree, and ways that go back


def parse(text):
    """The tree of a pattern: ("letter", 0), ("seq", left, right), ("or", left, right), ("rep", body, least, most, reluctant) ..."""
    tokens = [t for t in re.findall(r"\{[^}]*\}|\S", text)]

    def choice():
        left = sequence()
        while tokens and tokens[0] == "|":
            tokens.pop(0)
            left = ("or", left, sequence())
        return left

    def sequence():
        left = repeated()
        while tokens and tokens[0] not in "|)":
            left = ("seq", left, repeated())
        return left

    def repeated():
        body = atom()
        if not tokens or tokens[0][0] not in "*+?{":
            return body
        bounds = {"*": (0, None), "+": (1, None), "?": (0, 1)}.get(tokens[0])
        if bounds is None:
            least, comma, most = tokens[0][1:-1].partition(",")
            bounds = (int(least or 0), (int(most) if most else None) if comma else int(least))
        tokens.pop(0)
        reluctant = bool(tokens) and tokens[0] == "?"
        if reluctant:
            tokens.pop(0)
        return ("rep", body, *bounds, reluctant)

    def atom():
        token = tokens.pop(0)
        if token == "(":
            if tokens[0] == ")":
                tokens.pop(0)
                return ("empty",)
            inner = choice()
            tokens.pop(0)
            return inner
        return ("start",) if token == "^" else ("end",) if token == "$" else ("letter", LETTERS.index(token.lower()))

    return choice()


def ways(node, rows, at):
    """Yields the ends of the ways of a node from a row on, with the letters on the way, the preferred one first."""
    kind = node[0]
    if kind == "empty" or (kind == "start" and at == 0) or (kind == "end" and at == len(rows)):
        yield at, ()
    elif kind == "letter":
        if at < len(rows) and rows[at][node[1]]:
            yield at + 1, (node[1],)
    elif kind == "seq":
        for middle, first in ways(node[1], rows, at):
            for end, second in ways(node[2], rows, middle):
                yield end, first + second
    elif kind == "or":
        yield from ways(node[1], rows, at)
        yield from ways(node[2], rows, at)
    elif kind == "rep":
        yield from repetitions(node, rows, at, 0)


def repetitions(node, rows, at, done):
    _, body, least, most, reluctant = node

    def more():
        if most is not None and done >= most:
            return
        for middle, first in ways(body, rows, at):
            # beyond the least number, an iteration takes a row
            if done >= least and middle == at:
                continue
            for end, second in repetitions(node, rows, middle, done + 1):
                yield end, first + second

    if done < least:
        yield from more()
    elif reluctant:
        yield at, ()
        yield from more()
    else:
        yield from more()
        yield at, ()


def answers(find, rows):
    """(number, letter) of each row; `find` returns the preferred match from a row on: its end and letters, or None."""
    got, at, number = [None] * len(rows), 0, 0
    while at < len(rows):
        match = find(at)
        if match is None or match[0] == at:
            at += 1
            continue
        number += 1
        end, letters = match
        for i in range(at, end):
            got[i] = (number, letters[i - at] if letters else None)
        at = end
    return got


def by_going_back(tree, rows):
    return answers(lambda at: next(ways(tree, rows, at), None), rows)


def by_re(pattern, rows):
    """As answers(), without letters."""
    used = sorted({row for row in rows})
    names = {row: chr(0x4e00 + k) for k, row in enumerate(used)}
    text = "".join(names[row] for row in rows)

    def letter(found):
        k = LETTERS.index(found.group().lower())
        those = "".join(names[row] for row in used if row[k])
        return "[%s]" % those if those else "(?!)"

    written = re.sub("[a-e]", letter, re.sub(r"\s", "", pattern).replace("$", r"\Z"))
    compiled = re.compile(written)

    def find(at):
        match = compiled.match(text, at)
        return (match.end(), None) if match else None
    return answers(find, rows)


# ---- patterns and rows


def pattern(depth):
    roll = draw.random()
    if depth == 0 or roll < 0.25:
        return draw.choice("aaabbbccde") if draw.random() < 0.96 else draw.choice(["()", "^", "$"])
    if roll < 0.5:
        return pattern(depth - 1) + draw.choice(["", " "]) + pattern(depth - 1)
    if roll < 0.65:
        return "(%s|%s)" % (pattern(depth - 1), pattern(depth - 1))
    atom = "(%s)" % pattern(depth - 1)
    n = draw.randint(0, 2)
    return atom + draw.choice(["*", "+", "?", "{%d}" % n, "{%d,}" % n, "{,%d}" % (n + 1), "{%d,%d}" % (n, n + draw.randint(0, 2))]) + draw.choice(["", "?"])


def partition(rows, chance):
    return [tuple(draw.random() < c for c in chance) for _ in range(rows)]


def literal(value):
    return "NULL" if not value and draw.random() < 0.3 else "true" if value else "false"


class Server:
    def __init__(self, psql):
        self.process = subprocess.Popen([psql, "-X", "-q", "-A", "-t", "-F", " ", "-v", "ON_ERROR_STOP=1"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, sql):
        self.process.stdin.write(sql + "\n\\echo done\n")
        self.process.stdin.flush()
        return [line.rstrip("\n") for line in itertools.takewhile(lambda line: line != "done\n", iter(self.process.stdout.readline, ""))]

    def fill(self, table, parts):
        self.ask("CREATE TABLE %s (p int, i int, %s);" % (table, ", ".join("%s boolean" % c for c in LETTERS)))
        values = ["(%d, %d, %s)" % (p, i, ", ".join(literal(v) for v in row)) for p, rows in enumerate(parts) for i, row in enumerate(rows)]
        draw.shuffle(values)
        for at in range(0, len(values), 5000):
            self.ask("INSERT INTO %s VALUES %s;" % (table, ",".join(values[at:at + 5000])))
        self.ask("ANALYZE %s;" % table)


ONE = "SET max_parallel_workers_per_gather = 0;"
WAYS = (
    ("WindowAgg", "SET scan.prefixscan = off;" + ONE, "a, b, c, d, e"),
    ("PrefixScan", "SET scan.prefixscan = force; SET scan.debug_require = node;" + ONE, "a, b, c, d, e"),
    ("PrefixScan, late arguments", "SET scan.prefixscan = force; SET scan.debug_require = node;" + ONE, "a, CASE WHEN 1 / (i + 1) > 2 THEN a ELSE b END, c, d, e"),
    ("PrefixScan, an array", "SET scan.prefixscan = force; SET scan.debug_require = node;" + ONE, "VARIADIC ARRAY[a, b, c, d, e]"),
    ("several processes", "SET scan.prefixscan = force; SET scan.debug_require = node; SET max_parallel_workers_per_gather = 2; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0;"
     "SET min_parallel_table_scan_size = 0;", "a, b, c, d, e"))


def compare(server, table, text, expected, ways_of_table):
    """expected: number and letter of each (partition, row); no letter: it is not compared."""
    rows = sum(len(part) for part in expected)
    for name, settings, conditions in ways_of_table:
        over = "OVER (PARTITION BY p ORDER BY i)"
        sql = "SELECT p, i, coalesce(scan_match('{0}', {1}) {2}, 0), coalesce(scan_match_variable('{0}', {1}) {2}, '-') FROM {3} ORDER BY p, i;"
        got = server.ask("RESET ALL;" + settings + sql.format(text, conditions, over, table))
        wrong = []
        for line, (p, i, want) in itertools.zip_longest(got, ((p, i, w) for p, part in enumerate(expected) for i, w in enumerate(part))):
            number, letter = want if want else (0, "-")
            fields = line.split() if line else ["?"] * 4
            if fields[:3] != [str(p), str(i), str(number)] or (letter is not None and fields[3] != (letter if letter == "-" else LETTERS[letter])):
                wrong.append("p %d, i %d: %s instead of %s" % (p, i, line, want))
        print("%d rows of %s, %s, %d wrong: %s" % (rows, " ".join(text.split()), name, len(wrong), wrong[0] if wrong else ""), flush=True)


def main(psql):
    server = Server(psql)
    chances = [[draw.choice([0.1, 0.3, 0.5, 0.8]) for _ in LETTERS] for _ in range(PARTITIONS)]
    parts = [partition(draw.choice([1, 1, 2, 3, 4, 5, 7, 9]), chance) for chance in chances]
    server.fill("short", parts)
    texts = list(FIXED)
    while len(texts) < PATTERNS:
        texts.append(pattern(3))
    for k, text in enumerate(texts):
        tree = parse(text)
        # all ways for the fixed patterns, two of them for the others
        chosen = WAYS if k < len(FIXED) else (WAYS[0], WAYS[1 + k % (len(WAYS) - 1)])
        compare(server, "short", text, [by_going_back(tree, rows) for rows in parts], chosen)
    for k, (text, chance) in enumerate(OVER_LONG):
        long_parts = [partition(LONG, chance), partition(8192, chance), partition(8193, chance), partition(3, chance), partition(1024, chance)]
        server.fill("long%d" % k, long_parts)
        compare(server, "long%d" % k, text, [by_re(text, rows) for rows in long_parts], WAYS)


sys.setrecursionlimit(100000)
main(sys.argv[1])

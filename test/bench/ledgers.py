"""ledgers.py [--rows N] [--rounds N] [--only PROGRAM,...]: the queries of accounting programs, beside kept scans.

    make bench-ledgers     a million entries, ten minutes

Eight programs that keep a ledger in PostgreSQL.  Each has a schema of its own here, with the columns that its queries
need, the indexes that it makes, a million entries, and the kept scans that its owner would define.  The queries have the
form in which the program sends them: the same joins, conditions, aggregates, windows, order and limit.  Tables, columns
and values have names of our own.  What a program adds up itself, row by row, is no query here.

Each query runs in stock PostgreSQL, with PrefixScan, and with scan.kept = auto.  psql's clock counts, planning and the
way to the server and back included.  The arms take turns, and have to return the same.  EXPLAIN tells which function of
kept scans takes the place of the rows: that is the shape.  The figures go to results/ledgers.json and into RESULTS.md.
"""

import argparse
import dataclasses
import datetime
import json
import pathlib
import re
import statistics
import sys
import time

from measure import HERE, Failure, Postgres
from queries import machine
from report import put_between

SETTINGS = ("SET client_min_messages = warning; SET jit = off; SET max_parallel_workers_per_gather = 0; SET work_mem = '64MB'; "
            "LOAD 'scan'; ")
ARMS = {"stock": "SET scan.kept = off; SET scan.prefixscan = off;", "PrefixScan": "SET scan.kept = off;",
        "kept": "SET scan.kept = auto;"}
SHAPES = ("scan_kept_part", "scan_kept_cells", "scan_kept_running")


@dataclasses.dataclass
class Query:
    """What a query is for, its text, and why no shape takes it, if none does."""
    name: str
    text: str
    why: str = ""


@dataclasses.dataclass
class Program:
    """A program, and its ledger: tables, %(rows)s entries, of which one account has a fifth, and indexes."""
    name: str
    issues: str  # about the queries
    files: str   # that make the queries, in the program's source
    ledger: str
    queries: list
    keep: dict = dataclasses.field(default_factory=dict)    # the kept scans: name, definition
    values: dict = dataclasses.field(default_factory=dict)  # what the texts name: a query that gives it

    @property
    def schema(self):
        return self.name.lower().replace(" ", "_")


# What several ledgers have in common: entry i of the generated ones, in the order of time, over three years.
NUMBER = "CASE WHEN i % 5 = 0 THEN 1 ELSE 2 + (i * 7919::bigint) % 199 END"
DAY = "date '2024-01-01' + (i * 1096::bigint / (%(rows)s + 1))::int"
AT = "timestamp '2024-01-01' + i * (interval '94694400 s' / %(rows)s)"
AMOUNT = "((i * 7919::bigint) % 200001 - 100000) / 100.0"
ENTRIES = "generate_series(1, %(rows)s) AS i"


def fill(table, *columns):
    """INSERT of all entries; the columns' expressions are over i."""
    each = ", ".join(column.replace("%", "%%").replace("%%(rows)s", "%(rows)s") for column in columns)
    return "INSERT INTO %s SELECT %s FROM %s;" % (table, each, ENTRIES)


# The cumulated balance is a column of the list view: odoo#38174 made it, odoo#240512 measured it with 7.8 million items,
# odoo#255780 put the outer query around it.  The list of accounts has a balance of each: odoo#4835.
ODOO = Program(
    "Odoo", "odoo#38174, #240512, #255780, #4835", "addons/account/models, of the journal item and the account",
    """CREATE TABLE item (id int PRIMARY KEY, move int NOT NULL, account int NOT NULL, company int NOT NULL, day date NOT NULL,
           number text NOT NULL, state text NOT NULL, partner int, label text, balance numeric NOT NULL);""" +
    fill("item", "i", "i / 2", NUMBER, "1 + (%s) %% 2" % NUMBER, DAY,
         "'INV/' || extract(year FROM %s) || '/' || lpad((i / 2)::text, 7, '0')" % DAY,
         "CASE WHEN i % 49 = 0 THEN 'draft' ELSE 'posted' END", "i % 5000", "'an item of the journal'", AMOUNT) +
    """CREATE INDEX ON item (account, day); CREATE INDEX ON item (day DESC, number DESC, id); CREATE INDEX ON item (company);
       CREATE INDEX ON item (partner); CREATE INDEX ON item (company, account, day);""",
    [Query("list view: running balance of a page of 80 items",
           """SELECT * FROM (SELECT id, sum(balance) OVER (ORDER BY day, number, id DESC
                                                         ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
                           FROM item WHERE account = 1 AND state = 'posted') AS items
              WHERE id = ANY (ARRAY[%(page)s])"""),
     Query("list view, before the outer query: of all items",
           """SELECT id, sum(balance) OVER (ORDER BY day, number, id DESC ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
              FROM item WHERE account = 1 AND state = 'posted'""",
           "the query returns all items of the account, so nothing can be left out"),
     Query("list of accounts: balance of each of 80",
           """SELECT account, sum(balance) FROM item WHERE account IN (%(accounts)s) AND state = 'posted' AND company = 2
              GROUP BY account ORDER BY account""")],
    keep={"by_account": "SELECT sum(balance) OVER w AS total, count(*) OVER w AS items FROM item WHERE state = 'posted' "
                        "WINDOW w AS (PARTITION BY account ORDER BY day, number)",
          "by_company": "SELECT sum(balance) OVER w AS total FROM item WHERE state = 'posted' "
                        "WINDOW w AS (PARTITION BY company, account ORDER BY day)"},
    values={"page": """SELECT string_agg(id::text, ',') FROM (SELECT id FROM item WHERE account = 1 AND state = 'posted'
                       ORDER BY day DESC, number DESC, id LIMIT 80) AS p""",
            "accounts": "SELECT string_agg(i::text, ',') FROM generate_series(1, 80) AS i"})

# The balance of an account or a party; the chart of accounts asks for that of each account: erpnext#27661.  The trial
# balance begins with opening balances: erpnext#34257, #43435, #49769.  erpnext#24389 is about PostgreSQL.
ERPNEXT = Program(
    "ERPNext", "erpnext#27661, #34257, #43435, #49769, #24389",
    "erpnext/accounts: utils, report/trial_balance",
    """CREATE TABLE entry (name varchar(140) PRIMARY KEY, company varchar(140) NOT NULL, account varchar(140) NOT NULL,
           posting_date date NOT NULL, party_type varchar(140), party varchar(140), currency varchar(140),
           debit numeric(21,9) NOT NULL, credit numeric(21,9) NOT NULL, debit_in_currency numeric(21,9) NOT NULL,
           credit_in_currency numeric(21,9) NOT NULL, is_opening varchar(140) NOT NULL, is_cancelled smallint NOT NULL,
           voucher_type varchar(140) NOT NULL);""" +
    fill("entry", "'ACC-GLE-' || lpad(i::text, 9, '0')", "CASE WHEN (%s) %% 4 = 0 THEN 'Beta' ELSE 'Alpha' END" % NUMBER,
         "'Account ' || %s" % NUMBER, DAY, "CASE WHEN i % 5 = 0 THEN 'Customer' END",
         "CASE WHEN i % 50 = 0 THEN 'Customer 0' WHEN i % 5 = 0 THEN 'Customer ' || i % 997 END", "'EUR'",
         "greatest(%s, 0)" % AMOUNT, "greatest(-(%s), 0)" % AMOUNT, "greatest(%s, 0)" % AMOUNT, "greatest(-(%s), 0)" % AMOUNT,
         "CASE WHEN i <= 1000 THEN 'Yes' ELSE 'No' END", "CASE WHEN i % 101 = 0 THEN 1 ELSE 0 END",
         "CASE WHEN i % 4999 = 0 THEN 'Period Closing Voucher' ELSE 'Sales Invoice' END") +
    """CREATE INDEX ON entry (posting_date, company); CREATE INDEX ON entry (party_type, party); CREATE INDEX ON entry (account);
       CREATE INDEX ON entry (company, account, is_opening, posting_date); CREATE INDEX ON entry (company, party_type, party, posting_date);""",
    [Query("balance of an account at a date",
           """SELECT sum(round(debit, 2)) - sum(round(credit, 2)) FROM entry gle
              WHERE is_cancelled = 0 AND posting_date <= '2026-06-30' AND gle.account = 'Account 1' AND gle.company = 'Alpha'"""),
     Query("balance of a customer at a date",
           """SELECT sum(round(debit, 2)) - sum(round(credit, 2)) FROM entry gle
              WHERE is_cancelled = 0 AND posting_date <= '2026-06-30'
              AND gle.party_type = 'Customer' AND gle.party = 'Customer 0' AND gle.company = 'Alpha'"""),
     Query("trial balance: opening balances",
           """SELECT account, max(currency), sum(debit), sum(credit), sum(debit_in_currency), sum(credit_in_currency) FROM entry
              WHERE company = 'Alpha' AND account IN (%(accounts)s) AND (posting_date < '2026-01-01' OR is_opening = 'Yes')
              AND is_cancelled = 0 AND voucher_type <> 'Period Closing Voucher' GROUP BY account"""),
     Query("trial balance: opening balances, without the check of opening entries",
           """SELECT account, max(currency), sum(debit), sum(credit), sum(debit_in_currency), sum(credit_in_currency) FROM entry
              WHERE company = 'Alpha' AND account IN (%(accounts)s) AND posting_date < '2026-01-01'
              AND is_cancelled = 0 AND voucher_type <> 'Period Closing Voucher' GROUP BY account""")],
    keep={"balance": "SELECT sum(round(debit, 2)) OVER w AS debits, sum(round(credit, 2)) OVER w AS credits FROM entry "
                     "WHERE is_cancelled = 0 WINDOW w AS (PARTITION BY company, account ORDER BY posting_date)",
          "party_balance": "SELECT sum(round(debit, 2)) OVER w AS debits, sum(round(credit, 2)) OVER w AS credits FROM entry "
                           "WHERE is_cancelled = 0 WINDOW w AS (PARTITION BY company, party_type, party ORDER BY posting_date)",
          "opening": "SELECT max(currency) OVER w AS unit, sum(debit) OVER w AS debits, sum(credit) OVER w AS credits, "
                     "sum(debit_in_currency) OVER w AS unit_debits, sum(credit_in_currency) OVER w AS unit_credits FROM entry "
                     "WHERE is_cancelled = 0 AND voucher_type <> 'Period Closing Voucher' "
                     "WINDOW w AS (PARTITION BY company, account, is_opening ORDER BY posting_date)"},
    values={"accounts": "SELECT string_agg('''Account ' || i || '''', ',') FROM generate_series(1, 200) AS i"})

# The first line of the trial balance and of an account's statement: idempiere#1614, adempiere#1366.  This is the SELECT
# whose rows an INSERT writes into a table of the report.  Identifiers are numeric(10), and the day is a timestamp, which
# is compared with to_timestamp().
IDEMPIERE = Program(
    "iDempiere", "idempiere#1614, adempiere#1366", "org.idempiere.acct, report: TrialBalance, FinStatement",
    """CREATE TABLE fact (id numeric(10) PRIMARY KEY, client numeric(10) NOT NULL, schema numeric(10) NOT NULL,
           account numeric(10) NOT NULL, posting_type char(1) NOT NULL, day timestamp NOT NULL, debit numeric NOT NULL,
           credit numeric NOT NULL, quantity numeric);""" +
    fill("fact", "i", "11", "101", NUMBER, "CASE WHEN i % 97 = 0 THEN 'B' ELSE 'A' END", DAY, "greatest(%s, 0)" % AMOUNT,
         "greatest(-(%s), 0)" % AMOUNT, "i % 9") +
    """CREATE INDEX ON fact (client, schema, account); CREATE INDEX ON fact (client, schema, posting_type, account, day);""",
    [Query("trial balance: opening balances",
           """SELECT account, coalesce(sum(debit), 0), coalesce(sum(credit), 0), coalesce(sum(debit), 0) - coalesce(sum(credit), 0),
                     coalesce(sum(quantity), 0)
              FROM fact WHERE client = 11 AND schema = 101 AND posting_type = 'A'
              AND day < to_timestamp('2026-01-01', 'YYYY-MM-DD') GROUP BY account"""),
     Query("statement of an account: opening balance",
           """SELECT coalesce(sum(debit), 0), coalesce(sum(credit), 0), coalesce(sum(debit - credit), 0),
                     coalesce(sum(quantity), 0), account
              FROM fact WHERE schema = 101 AND posting_type = 'A' AND account = 1
              AND date_trunc('day', day) < to_timestamp('2026-01-01', 'YYYY-MM-DD') GROUP BY account""")],
    keep={"balance": "SELECT sum(debit) OVER w AS debits, sum(credit) OVER w AS credits, sum(debit - credit) OVER w AS balance, "
                     "sum(quantity) OVER w AS units FROM fact "
                     "WINDOW w AS (PARTITION BY client, schema, posting_type, account ORDER BY day)"})

# Input, output and balance of accounts at a time, which transactions of the past may change: formancehq/ledger#340.  A
# filter is put around the query that adds up.
FORMANCE = Program(
    "Formance", "formancehq/ledger#340", "internal/storage/ledger: the volumes",
    """CREATE TABLE posting (seq bigint PRIMARY KEY, ledger varchar NOT NULL, account varchar NOT NULL, asset varchar NOT NULL,
           amount numeric NOT NULL, booked timestamp NOT NULL, effective timestamp NOT NULL, is_source boolean NOT NULL);""" +
    fill("posting", "i", "'main'",
         "CASE WHEN i % 5 = 0 THEN 'world' ELSE 'users:' || lpad(((i * 7919::bigint) % 10007)::text, 6, '0') END",
         "CASE WHEN i % 3 = 0 THEN 'USD/2' ELSE 'EUR/2' END", "(i * 7919::bigint) % 100001", AT, AT, "i % 2 = 0") +
    """CREATE INDEX ON posting (ledger); CREATE INDEX ON posting (account, asset, effective); CREATE INDEX ON posting (effective);
       CREATE INDEX ON posting (ledger, account, asset, effective);""",
    [Query("volumes of an account at a time",
           """SELECT DISTINCT ON (account, asset) * FROM (
                  SELECT asset, account, sum(CASE WHEN NOT is_source THEN amount ELSE 0 END) AS input,
                         sum(CASE WHEN is_source THEN amount ELSE 0 END) AS output,
                         sum(CASE WHEN NOT is_source THEN amount ELSE -amount END) AS balance
                  FROM posting WHERE ledger = 'main' AND effective <= '2026-06-30' GROUP BY account, asset ORDER BY account, asset
              ) AS dataset WHERE account = 'world'"""),
     Query("list view: volumes of a page of accounts at a time",
           """SELECT DISTINCT ON (account, asset) * FROM (
                  SELECT asset, account, sum(CASE WHEN NOT is_source THEN amount ELSE 0 END) AS input,
                         sum(CASE WHEN is_source THEN amount ELSE 0 END) AS output,
                         sum(CASE WHEN NOT is_source THEN amount ELSE -amount END) AS balance
                  FROM posting WHERE ledger = 'main' AND effective <= '2026-06-30' GROUP BY account, asset ORDER BY account, asset
              ) AS dataset ORDER BY account, asset LIMIT 16""",
           "the accounts have some 80 entries on average, and a bound in each of them would cost as much as the table")],
    keep={"volumes": "SELECT sum(CASE WHEN NOT is_source THEN amount ELSE 0 END) OVER w AS input, "
                     "sum(CASE WHEN is_source THEN amount ELSE 0 END) OVER w AS output, "
                     "sum(CASE WHEN NOT is_source THEN amount ELSE -amount END) OVER w AS balance FROM posting "
                     "WINDOW w AS (PARTITION BY ledger, account, asset ORDER BY effective)"})

# A balance is added up anew from what is applied.  The balance at a time is made of a snapshot and of rows that the
# program adds up itself: blnk#51, #96, #116.
BLNK = Program(
    "Blnk", "blnk#51, #96, #116", "the migration of March 2025 that makes a trigger for it",
    """CREATE TABLE movement (id text PRIMARY KEY, source text NOT NULL, destination text NOT NULL, status text NOT NULL,
           amount numeric NOT NULL, exact_amount numeric, created timestamp NOT NULL);""" +
    fill("movement", "'txn_' || i", "CASE WHEN i % 5 = 0 THEN 'bln_0' ELSE 'bln_' || (i * 7919::bigint) % 10007 END",
         "'bln_' || (i * 7907::bigint) % 10007", "CASE WHEN i % 41 = 0 THEN 'QUEUED' ELSE 'APPLIED' END",
         "(i * 7919::bigint) % 100001", "CASE WHEN i % 3 > 0 THEN (i * 7919::bigint) % 100001 * 100 END", AT) +
    """CREATE INDEX ON movement (source); CREATE INDEX ON movement (destination); CREATE INDEX ON movement (status);
       CREATE INDEX ON movement (source, created);""",
    [Query("debit of a balance, added up anew",
           """SELECT coalesce(sum(CASE WHEN exact_amount IS NULL THEN amount ELSE exact_amount END), 0) FROM movement
              WHERE source = 'bln_0' AND status = 'APPLIED'""")],
    keep={"debits": "SELECT sum(CASE WHEN exact_amount IS NULL THEN amount ELSE exact_amount END) OVER w AS total FROM movement "
                    "WHERE status = 'APPLIED' WINDOW w AS (PARTITION BY source ORDER BY created)"})

# The general ledger: ledgersmb#3475, #1207.  It begins with the balance at a date, which is added up from the last
# checkpoint on: ledgersmb#9021.  Here no year is closed, so there is no checkpoint.
HEAD = """CREATE TABLE account (id int PRIMARY KEY, code text NOT NULL UNIQUE, lft int NOT NULL, rgt int NOT NULL);
          INSERT INTO account SELECT i, lpad(i::text, 4, '0'), 2 * i, 2 * i + 1 FROM generate_series(1, 200) AS i;"""
LEDGERSMB = Program(
    "LedgerSMB", "ledgersmb#3475, #1207, #9021", "sql/modules: Report, and the balance in the end of the year",
    HEAD + """CREATE TABLE transaction (id int PRIMARY KEY, reference text NOT NULL, description text, approved boolean NOT NULL);
       CREATE TABLE entry (id int PRIMARY KEY, trans int NOT NULL REFERENCES transaction, account int NOT NULL REFERENCES account,
           amount numeric NOT NULL, day date NOT NULL, approved boolean NOT NULL, memo text);
       CREATE TABLE checkpoint (account int NOT NULL, end_date date NOT NULL, amount numeric NOT NULL);
       INSERT INTO transaction SELECT i, 'T-' || i, 'a transaction', i %% 53 > 0 FROM generate_series(0, %(rows)s / 2) AS i;""" +
    fill("entry", "i", "i / 2", NUMBER, AMOUNT, DAY, "i / 2 % 53 > 0", "'a memo'") +
    """CREATE INDEX ON entry (trans); CREATE INDEX ON entry (account); CREATE INDEX ON entry (day);
       CREATE INDEX ON entry (account, day, trans, id);""",
    [Query("balance of an account at a date",
           """WITH cp AS (SELECT sum(amount) AS amount, end_date, account FROM checkpoint
                          WHERE account = 1 AND end_date = (SELECT max(end_date) FROM checkpoint WHERE end_date <= '2026-06-30')
                          GROUP BY end_date, account),
                   ac AS (SELECT entry.amount FROM entry JOIN (SELECT id FROM transaction WHERE approved) AS a ON entry.trans = a.id
                          LEFT JOIN cp ON entry.account = cp.account
                          WHERE (cp.end_date IS NULL OR day > cp.end_date) AND day <= '2026-06-30' AND entry.account = 1)
              SELECT coalesce((SELECT sum(amount) FROM (SELECT sum(amount) AS amount FROM cp UNION ALL
                                                        SELECT sum(amount) FROM ac) AS a), 0)""",
           "the entries are joined to their transactions, of which only those that are approved count, and to the checkpoint"),
     Query("general ledger: a month of an account with its running balance",
           """SELECT g.id, g.reference, g.description, ac.day, ac.memo, ac.amount, c.code, ac.id AS entry,
                     sum(ac.amount) OVER (ORDER BY ac.day, ac.trans, c.code, ac.id) + 1000 AS running_balance
              FROM transaction AS g JOIN entry AS ac ON ac.trans = g.id JOIN account AS c ON ac.account = c.id
              WHERE c.code = '0001' AND ac.day BETWEEN '2026-06-01' AND '2026-06-30' AND g.approved AND ac.approved
              GROUP BY g.id, g.reference, g.description, ac.day, ac.memo, ac.amount, c.code, ac.account, ac.id, ac.trans
              ORDER BY ac.day, ac.trans, c.code, ac.id""",
           "the window is over the month alone, and what was before is added to it: the query above. Nothing can be left out")],
    keep={"balance": "SELECT sum(amount) OVER w AS total FROM entry WHERE approved "
                     "WINDOW w AS (PARTITION BY account ORDER BY day, trans, id)"})

# The lines of the general ledger, and the balances of accounts.  The date is one of the move.
TRYTON = Program(
    "Tryton", "", "modules/account: the general ledger, the account",
    HEAD + """CREATE TABLE period (id int PRIMARY KEY, year int NOT NULL);
       INSERT INTO period SELECT i, 2024 + (i - 1) / 12 FROM generate_series(1, 36) AS i;
       CREATE TABLE move (id int PRIMARY KEY, day date NOT NULL, period int NOT NULL REFERENCES period, description text);
       INSERT INTO move SELECT i / 2, """ + DAY + """, 1 + i * 36::bigint / (%(rows)s + 1), 'a move'
           FROM generate_series(2, %(rows)s + 1, 2) AS i;
       INSERT INTO move VALUES (0, '2024-01-01', 1, 'a move');
       CREATE TABLE line (id int PRIMARY KEY, move int NOT NULL REFERENCES move, account int NOT NULL REFERENCES account,
           party int, debit numeric NOT NULL, credit numeric NOT NULL, state text NOT NULL);""" +
    fill("line", "i", "i / 2", NUMBER, "i % 5000", "greatest(%s, 0)" % AMOUNT, "greatest(-(%s), 0)" % AMOUNT, "'valid'") +
    """CREATE INDEX ON line (move); CREATE INDEX ON line (account); CREATE INDEX ON move (day); CREATE INDEX ON move (period);""",
    [Query("general ledger: the lines of an account with their running balance",
           """SELECT a.id, a.day, a.description, a.debit, a.credit, a.balance FROM (
                  SELECT l.id, l.account, m.day, m.description, l.party, l.debit, l.credit,
                         sum(l.debit - l.credit) OVER (PARTITION BY l.account ORDER BY m.day ASC, l.id) AS balance
                  FROM line AS l JOIN move AS m ON l.move = m.id JOIN account AS c ON l.account = c.id
                  WHERE l.state <> 'draft' AND l.move IN (SELECT move.id FROM move JOIN period ON move.period = period.id
                                                        WHERE period.year = 2026)
              ) AS a WHERE a.account = 1 ORDER BY a.day, a.id LIMIT 1000""",
           "no kept scan can be defined: the date is a column of the move, and a definition has one table"),
     Query("balances of 80 accounts at a date",
           """SELECT a.id, sum(coalesce(l.debit, 0) - coalesce(l.credit, 0))
              FROM account AS a JOIN account AS c ON c.lft >= a.lft AND c.rgt <= a.rgt JOIN line AS l ON l.account = c.id
              WHERE a.id IN (%(accounts)s) AND l.state <> 'draft'
              AND l.move IN (SELECT move.id FROM move WHERE move.day <= '2026-06-30') GROUP BY a.id""",
           "no kept scan can be defined: the date is a column of the move, and a definition has one table")],
    values={"accounts": ODOO.values["accounts"]})

# The balances of accounts at a date: firefly-iii#43, #8031.  The date is one of the journal.
FIREFLY = Program(
    "Firefly III", "firefly-iii#43, #8031", "app/Support: Steam",
    """CREATE TABLE currency (id int PRIMARY KEY, code varchar(51) NOT NULL);
       INSERT INTO currency VALUES (1, 'EUR'), (2, 'USD');
       CREATE TABLE journal (id int PRIMARY KEY, at timestamp NOT NULL, deleted timestamp);
       INSERT INTO journal SELECT i, timestamp '2024-01-01' + i * (interval '189388800 s' / %(rows)s), NULL
           FROM generate_series(0, %(rows)s / 2) AS i;
       CREATE TABLE posting (id int PRIMARY KEY, account int NOT NULL, journal int NOT NULL REFERENCES journal,
           currency int REFERENCES currency, amount numeric(32,12) NOT NULL, deleted timestamp);""" +
    fill("posting", "i", NUMBER, "i / 2", "1 + (i % 10 = 9)::int", AMOUNT, "NULL") +
    """CREATE INDEX ON posting (account); CREATE INDEX ON posting (journal); CREATE INDEX ON journal (at);""",
    [Query("balances of 20 accounts at a date",
           """SELECT p.account, c.code, sum(p.amount) AS sum_of_amount FROM posting AS p
              LEFT JOIN journal AS j ON j.id = p.journal LEFT JOIN currency AS c ON c.id = p.currency
              WHERE p.account IN (%(accounts)s) AND j.at <= '2026-06-30 23:59:59' AND j.deleted IS NULL AND p.deleted IS NULL
              GROUP BY p.account, c.code""",
           "no kept scan can be defined: the date is a column of the journal, and a definition has one table")],
    values={"accounts": "SELECT string_agg(i::text, ',') FROM generate_series(1, 20) AS i"})

PROGRAMS = (ODOO, ERPNEXT, IDEMPIERE, FORMANCE, BLNK, LEDGERSMB, TRYTON, FIREFLY)


def say(text):
    print("%s %s" % (time.strftime("%H:%M:%S"), text), flush=True)


# ---- measuring

def make(server, program, rows):
    """The schema of a program with all of its rows and kept scans; returns what its queries name."""
    path = "CREATE SCHEMA %s; SET search_path = %s, public;" % (program.schema, program.schema)
    keeps = "".join("SELECT scan_keep('%s', $$%s$$);" % pair for pair in program.keep.items())
    server.run(SETTINGS + path + program.ledger % {"rows": rows})
    server.run("VACUUM (ANALYZE);")
    server.run(SETTINGS + in_schema(program) + keeps)
    server.run("VACUUM (ANALYZE);")
    return {name: server.run(in_schema(program) + text % {"rows": rows} + ";").strip() for name, text in program.values.items()}


def in_schema(program):
    return "SET search_path = %s, public;" % program.schema


def shape_of(server, settings, text):
    """The functions of kept scans that a plan has."""
    plan = server.run("%s EXPLAIN (VERBOSE, COSTS OFF) %s;" % (settings, text))
    return [shape for shape in SHAPES if re.search(r"\b%s\b" % shape, plan)]


def answer(server, settings, text):
    """The rows of a query, sorted if it leaves their order open."""
    rows = server.run("%s %s;" % (settings, text)).splitlines()
    return rows if re.search(r"ORDER BY [^()]*$", text) else sorted(rows)


def timed(server, settings, text, times):
    """Milliseconds of each execution but for the first one, in one session."""
    out = server.run("%s\n\\o /dev/null\n%s;\n\\timing on\n%s" % (settings, text, (text + ";\n") * times))
    return [float(ms) for ms in re.findall(r"^Time: ([\d.]+) ms", out, re.M)]


def measured(server, program, query, values, rounds):
    text = query.text % values
    settings = {arm: SETTINGS + in_schema(program) + arm_settings for arm, arm_settings in ARMS.items()}
    answers = {arm: answer(server, of_arm, text) for arm, of_arm in settings.items()}
    if len({tuple(rows) for rows in answers.values()}) != 1:
        raise Failure("%s, %s: the results differ" % (program.name, query.name))
    shapes = shape_of(server, settings["kept"], text)
    ms = {arm: [] for arm in ARMS}
    times = {arm: max(3, min(100, int(500 / timed(server, of_arm, text, 1)[0]))) for arm, of_arm in settings.items()}
    for _ in range(rounds):
        for arm, of_arm in settings.items():
            ms[arm] += timed(server, of_arm, text, times[arm])
    say("  %s: %s, %s" % (query.name, ", ".join(shapes) or "none", ", ".join(
        "%s %.2f" % (arm, statistics.median(each)) for arm, each in ms.items())))
    return {"program": program.name, "query": query.name, "shapes": shapes, "rows": len(answers["stock"]),
            "ms": {arm: {"median": round(statistics.median(each), 3), "least": min(each), "times": len(each)}
                   for arm, each in ms.items()}}


# ---- the page

def number(value):
    return "%.0f" % value if value >= 100 else "%.1f" % value if value >= 10 else "%.2f" % value


def page(found):
    lines = ["%s, %s, %d cores. By `make bench-ledgers`." % (
                 found["date"], found["machine"]["processor"], found["machine"]["cores"]), "",
             "%s entries, `work_mem` 64MB. Milliseconds, the median (in brackets: the least)." % format(found["rows"], ","), "",
             "| program | query | shape | stock | PrefixScan | with kept scans |", "|---|---|---|---|---|---|"]
    for query in found["queries"]:
        lines.append("| %s | %s | %s | %s |" % (
            query["program"], query["query"], ", ".join("`%s`" % shape for shape in query["shapes"]) or "none",
            " | ".join("%s (%s)" % (number(ms["median"]), number(ms["least"])) for ms in query["ms"].values())))
    lines += ["", "Why no shape takes a query:", ""]
    lines += ["- %s, %s: %s." % (program.name, query.name, query.why) for program in PROGRAMS for query in program.queries
              if any(q["program"] == program.name and q["query"] == query.name and not q["shapes"] for q in found["queries"])]
    return lines + ["", "Issues about these queries: %s." % "; ".join(
        "%s (%s)" % (program.name, program.issues) for program in PROGRAMS if program.issues)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--rows", type=int, default=1000000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default=",".join(program.name for program in PROGRAMS))
    parser.add_argument("--out", type=pathlib.Path, default=HERE)
    options = parser.parse_args()
    found = {"date": datetime.date.today().isoformat(), "rows": options.rows, "machine": machine(), "queries": []}
    with Postgres() as server:
        server.run("CREATE EXTENSION scan;")
        for program in PROGRAMS:
            if program.name not in options.only.split(","):
                continue
            say("%s: %d entries" % (program.name, options.rows))
            values = make(server, program, options.rows)
            found["queries"] += [measured(server, program, query, values, options.rounds) for query in program.queries]
            server.run("SET client_min_messages = warning; DROP SCHEMA %s CASCADE;" % program.schema)
    (options.out / "results").mkdir(parents=True, exist_ok=True)
    (options.out / "results" / "ledgers.json").write_text(json.dumps(found, indent=1) + "\n")
    put_between(options.out / "RESULTS.md", "<!-- ledgers: by ledgers.py -->", "<!-- end of ledgers -->", page(found))
    print("\n".join(page(found)))


if __name__ == "__main__":
    sys.exit(main())

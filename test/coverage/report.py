#!/usr/bin/env python3
"""report.py FOLDER...: which lines and branches of src/ the tests have reached, by the counts of gcov in FOLDER.

A FOLDER is a tree that test/coverage/run.sh has built and tested.  The counts of several are added up; of a file that
has changed since, the lines that are as they were count.  The script prints a table with a line for each folder of src/,
and a list of the lines that no test reaches, each with the reason that unreached.txt gives.  `--detail FILE` writes
every line and branch that is not reached to FILE.  The exit status is 1 if a line has no reason, or if a folder is below
its goal.

Why not gcovr: list.h is included by many files, and a header with loops several times by one file.  A line of such a
header has branches of many functions.  gcov's JSON says which function a branch belongs to, so this script can tell the
same function in two files, which is one, from two functions that one line of a table generates.

How the counts of one source line are added up:

- A line is reached if it is reached in any file that includes it, in any of the builds.
- A header that is included several times is a template: its functions have different names and the same lines.  A
  branch counts once, and is taken if one of these functions takes it.
- A macro generates whole functions in one line, as the lines of op/list.h do.  The branches of these functions count
  separately, by the name of the function.
"""

import argparse
import collections
import difflib
import json
import os
import re
import subprocess
import sys

# Branches of core's own macros, which the text of their line shows.  None of these is a decision of scan.
MACROS = re.compile(
    r'\b(ereport|elog|ereport_domain)\('   # whether a message of this level goes anywhere; a second branch for the compiler
    r'|\bCHECK_FOR_INTERRUPTS\('           # whether a signal has come just here
    r'|\b(foreach\w*|forboth|forthree|for_each_\w+)\('  # whether the list is NIL, and whether its end is reached
    r'|\bPG_(TRY|CATCH|FINALLY|END_TRY)\(' # sigsetjmp, and what is raised again
    r'|\bAssert\('
    r'|\bPG_FREE_IF_COPY\('
)

# Per cent of lines and of branches.
GOALS = {'src': (97, 90), 'src/op': (100, 0), 'src/cpu': (100, 0)}


class Line:
    def __init__(self):
        self.count = 0
        self.function = ''  # in a template, one of its functions
        self.branches = {}

    def add(self, count, function, key, branches):
        self.count += count
        self.function = self.function or function or ''
        if branches:
            before = self.branches.setdefault(key, [0] * len(branches))
            self.branches[key] = [a + b for a, b in zip(before, branches)]


def documents(root):
    """What gcov says of each object file, as JSON."""
    found = []
    for folder, _, files in os.walk(root):
        found += [os.path.relpath(os.path.join(folder, name), root) for name in files if name.endswith('.gcno')]
    for begin in range(0, len(found), 50):
        gcov = subprocess.run(['gcov', '--json-format', '--stdout', '--branch-probabilities'] + sorted(found)[begin:begin + 50], cwd=root,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
        for text in gcov.stdout.decode().splitlines():
            if text.startswith('{'):
                yield json.loads(text)


def read(root, lines):
    """Adds the counts of a tree to `lines`: file -> line number -> Line"""
    place = {}  # file -> line number there -> line number here
    for document in documents(root):
        for file in document['files']:
            name = os.path.normpath(file['file'])
            if not name.startswith('src/'):
                continue
            if name not in place:
                place[name] = places(source(root, name), source('.', name))
            generated = {f['name'] for f in file['functions'] if f['start_line'] == f['end_line']}
            for line in file['lines']:
                number = place[name].get(line['line_number'])
                if number is None:
                    continue
                function = line.get('function_name')
                branches = [b['count'] for b in line['branches'] if not b['throw']]
                key = (function if function in generated else '', len(branches))
                lines[name][number].add(line['count'], function, key, branches)


def source(root, name):
    with open(os.path.join(root, name)) as file:
        return [''] + file.read().split('\n')


def places(there, here):
    """line number there -> line number here, for the lines that are the same"""
    if there == here:
        return {number: number for number in range(len(here))}
    blocks = difflib.SequenceMatcher(None, there, here, autojunk=False).get_matching_blocks()
    return {a + i: b + i for a, b, size in blocks for i in range(size)}


class File:
    """What of one file is reached."""

    def __init__(self, name, lines):
        self.name = name
        self.text = source('.', name)
        self.lines = lines
        self.unreached = sorted(number for number, line in lines.items() if line.count == 0)
        self.branches = self.taken = 0
        self.untaken = []
        for number, line in sorted(lines.items()):
            if MACROS.search(self.text[number]):
                continue
            for (function, _), counts in line.branches.items():
                self.branches += len(counts)
                self.taken += sum(count > 0 for count in counts)
                if 0 in counts:
                    self.untaken.append((number, function, counts))

    def folder(self):
        parts = self.name.split('/')
        return '/'.join(parts[:2]) if len(parts) > 2 else 'src/*.c'

    def blocks(self):
        """The unreached lines, together where no reached line is between."""
        blocks = []
        reached = sorted(number for number, line in self.lines.items() if line.count > 0)
        for number in self.unreached:
            if blocks and not any(blocks[-1][-1] < r < number for r in reached):
                blocks[-1].append(number)
            else:
                blocks.append([number])
        return blocks


def reasons(path):
    """(reason, file, function, text of the first line) for each line of unreached.txt"""
    found, reason = [], None
    with open(path) as file:
        for text in file.read().split('\n'):
            if text.startswith('src/'):
                found.append((reason, *text.split(None, 2)))
            elif text and not text.startswith('#'):
                reason = text
    return found


def reason_of(file, block, known):
    """The entry of unreached.txt for an unreached block, or what its text shows."""
    first = file.text[block[0]].strip()
    for entry in known:
        if entry[1:] == (file.name, file.lines[block[0]].function, first):
            return entry
    if first.startswith('elog(') and len(block) <= 2:
        return ('An internal error, which nothing is known to raise.', file.name, '', first)
    return None


def explain(files, known):
    """Prints the reasons, each with its lines; answers what has no reason, and reasons without lines."""
    used, left = collections.defaultdict(list), []
    for file in files:
        for block in file.blocks():
            entry = reason_of(file, block, known)
            if entry:
                used[entry].append((file.name, block))
            else:
                left.append((file, block))
    by_reason = collections.defaultdict(list)
    for entry, blocks in used.items():
        by_reason[entry[0]] += blocks
    for reason in dict.fromkeys([k[0] for k in known] + list(by_reason)):
        if by_reason[reason]:
            count = sum(len(block) for _, block in by_reason[reason])
            names = sorted({name[4:] for name, _ in by_reason[reason]})
            print(f'- {reason} ({count} line{"s" * (count != 1)}: {", ".join(f"`{n}`" for n in names)})')
    return left, [k for k in known if k not in used]


def per_cent(part, whole):
    return f'{100 * part / whole:.1f} %' if whole else ''


def table(files):
    """Prints it; answers the goals that are missed."""
    sums = collections.defaultdict(lambda: [0, 0, 0, 0])
    for file in files:
        for folder in (file.folder(), 'src'):
            for i, number in enumerate((len(file.lines), len(file.lines) - len(file.unreached), file.branches, file.taken)):
                sums[folder][i] += number
    print('| folder | lines | reached | branches | taken |')
    print('|---|---|---|---|---|')
    missed = [] if files else ['src: no counts']
    for folder in sorted(sums, key=lambda f: (f == 'src', f)):
        lines, reached, branches, taken = sums[folder]
        name = '**all**' if folder == 'src' else f'`{folder}`'
        print(f'| {name} | {lines} | {per_cent(reached, lines)} | {branches} | {per_cent(taken, branches)} |')
        goal = GOALS.get(folder, (0, 0))
        if 100 * reached < goal[0] * lines or 100 * taken < goal[1] * branches:
            missed.append(f'{folder}: the goal is {goal[0]} % of lines and {goal[1]} % of branches')
    return missed


def write_detail(path, files):
    with open(path, 'w') as out:
        for file in files:
            for block in file.blocks():
                for number in block:
                    print(f'{file.name}:{number}: {file.text[number]}', file=out)
        for file in files:
            for number, function, counts in file.untaken:
                print(f'branch {file.name}:{number}: {function} {counts}: {file.text[number].strip()}', file=out)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('folder', nargs='+')
    parser.add_argument('--detail')
    arguments = parser.parse_args()
    lines = collections.defaultdict(lambda: collections.defaultdict(Line))
    for folder in arguments.folder:
        read(folder, lines)
    files = [File(name, found) for name, found in sorted(lines.items())]
    if arguments.detail:
        write_detail(arguments.detail, files)
    missed = table(files)
    print()
    left, stale = explain(files, reasons(os.path.join(os.path.dirname(os.path.abspath(__file__)), 'unreached.txt')))
    for file, block in left:
        function, first = file.lines[block[0]].function, file.text[block[0]].strip()
        missed.append(f'{file.name} {function} {first}: not reached ({len(block)} lines from {block[0]} on)')
    # some lines are reached by chance
    for _, name, function, first in stale:
        print(f'reached, although unreached.txt has it: {name} {function} {first}', file=sys.stderr)
    for text in missed:
        print(text, file=sys.stderr)
    return 1 if missed else 0


sys.exit(main())

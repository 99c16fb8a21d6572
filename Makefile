# SPDX-License-Identifier: Apache-2.0

# The commands of README and CONTRIBUTING, over the CMake presets. `make help` lists them.
#
#   make run ARGS='--paper'     options of weir run seismic
#   make test CXX=clang++       another compiler, in a build folder of its own
#   make test TESTS=Deque       only the tests whose name matches

ifeq ($(origin CXX),default)
CXX := g++
endif
export CXX

PRESET ?= release
JOBS   ?= $(shell nproc)
# Many tests wait for processes that they start, so that three more than there are cores keep all cores busy.
TEST_JOBS ?= $(shell expr $(JOBS) + 3)
ARGS   ?=
TESTS  ?= .

compiler_suffix := $(if $(filter g++,$(notdir $(CXX))),,-$(notdir $(CXX)))
build = build/$(PRESET)$(compiler_suffix)
weir  = $(build)/tools/weir/weir
install_packages = @scripts/install_packages.sh
run_ctest = ctest --test-dir $(build) -j $(TEST_JOBS) --output-on-failure -R '$(TESTS)'

# `make run` builds a program with that verb alone, in half the time; what makes reports is in the whole command line.
wants_report = $(filter --report --html --html=%,$(ARGS))

# What runs emulated: not what needs compilers or this system's own programs.
arm64_tests = ^([a-z_]*_test|ocr(128)?_conformance)\.|^stress\.|^check\.

# On a terminal one line, in place: how many of how many files are built, and the seconds so far.
export NINJA_STATUS := building %f of %t, %es: 

.DEFAULT_GOAL := help
.PHONY: help run build test bench stress fuzz vm-test hosts-test page-test deb deb-test arm64-test check-tsan check-asan check-ocr check-ocr-with check-clang check-shared lint format install-deps install clean configure

help:  ## this list
	@sed -n 's/^\([a-z0-9-]*\):.*## /  make \1\t/p' $(MAKEFILE_LIST) | expand -t 22

run:  ## install what is missing, build a release, run the main job: weir run seismic
	$(install_packages) build test
	@$(MAKE) --no-print-directory configure
	@cmake --build $(build) -j $(JOBS) --target $(if $(wants_report),weir_cli weir_demos,weir_seismic_cli)
	$(if $(wants_report),$(weir),$(weir)-seismic) run seismic $(ARGS)

build:  ## install what is missing, build the library, the command line, the manual and the programs of weir bench
	$(install_packages) build test
	@$(MAKE) --no-print-directory configure
	@cmake --build $(build) -j $(JOBS) --target weir_installed

test:  ## install what is missing, build everything, run all tests
	$(install_packages) build test
	@$(MAKE) --no-print-directory configure
	@cmake --build $(build) -j $(JOBS)
	@$(run_ctest)

bench:  ## the micro-benchmarks beside other runtimes, those that are installed
	$(install_packages) build test
	@$(MAKE) --no-print-directory configure
	@cmake --build $(build) -j $(JOBS)
	$(weir) bench tasks $(ARGS)

stress: PRESET := tsan
stress:  ## the stress tests, many rounds, under ThreadSanitizer
	$(install_packages) build test
	@$(MAKE) --no-print-directory configure PRESET=tsan
	@cmake --build $(build) -j $(JOBS)
	@ctest --test-dir $(build) --output-on-failure -L stress --repeat until-fail:10

SEEDS ?= 10000
fuzz:  ## the transport and OpenSHMEM's collectives in 10,000 orders (SEEDS=N), against their models
	$(install_packages) build test
	@$(MAKE) --no-print-directory configure
	@cmake --build $(build) -j $(JOBS) --target transport_loopback_test --target shmem_group_test
	WEIR_LOOPBACK_SEEDS=$(SEEDS) $(build)/tests/conformance/transport/transport_loopback_test --gtest_filter='*ManyOrders*:*RandomOperations*'
	WEIR_LOOPBACK_SEEDS=$(SEEDS) $(build)/tests/unit/shmem/group/shmem_group_test --gtest_filter='GroupOverLoopback.*'

vm-test:  ## the tests in emulated machines with several memory nodes, and with memory of /dev/dax (QEMU; some minutes)
	$(install_packages) build test vm
	@$(MAKE) --no-print-directory configure
	@cmake --build $(build) -j $(JOBS) --target vm-test

hosts-test:  ## the transport between several hosts, in network namespaces, by Open MPI and MPICH (root; minutes)
	$(install_packages) build test mpi
	@$(MAKE) --no-print-directory configure
	@cmake --build $(build) -j $(JOBS) --target hosts-test

page-test:  ## the page of weir report --html in headless Chromium (a minute)
	$(install_packages) build test page
	@$(MAKE) --no-print-directory configure
	@cmake --build $(build) -j $(JOBS) --target page-test

deb:  ## Debian packages for this system, in build/deb: library, development files, tools, OCR
	$(install_packages) build deb
	@packaging/build_deb.sh build/deb

deb-test:  ## Debian packages built, installed, used and purged in chroots of Debian 12 and 13 (root; half an hour)
	$(install_packages) deb
	@packaging/deb_test.sh build/cache/deb $(RELEASES)

arm64-test: PRESET := arm64
arm64-test: TESTS := $(if $(filter .,$(TESTS)),$(arm64_tests),$(TESTS))
arm64-test:  ## unit, process and stress tests cross-compiled for arm64, emulated by QEMU (an hour)
	$(install_packages) build test arm64
	@scripts/arm64_sysroot.sh build/cache/arm64-sysroot
	@$(MAKE) --no-print-directory configure PRESET=arm64
	@cmake --build $(build) -j $(JOBS) --target weir_cli weir_cross_tests
	@scripts/arm64_emulate.sh build/cache/arm64-sysroot $(run_ctest)

check-tsan:  ## the tests under ThreadSanitizer
	@$(MAKE) --no-print-directory test PRESET=tsan

check-asan:  ## the tests under AddressSanitizer and UndefinedBehaviorSanitizer
	@$(MAKE) --no-print-directory test PRESET=asan

check-ocr:  ## OCR's tests, programs, also on 2 and 4 ranks, and a minute of stress under AddressSanitizer, then ThreadSanitizer (half an hour)
	$(install_packages) build test
	@for preset in asan tsan; do \
	  $(MAKE) --no-print-directory check-ocr-with PRESET=$$preset || exit; \
	done

check-ocr-with: configure
	@cmake --build $(build) -j $(JOBS) --target weir_ocr_tests
	@WEIR_STRESS_SECONDS=60 WEIR_TEST_RANKS=2,4 ctest --test-dir $(build) -j $(JOBS) --output-on-failure \
	  -R '^(ocr(128)?_conformance(_ranks)?\.|ocr(_ranks)?_programs\.|stress\.(ocr|edts|room)$$|(apps|ocr_ranks_apps)\.[a-z0-9]*_ocr)'

check-clang: PRESET := clang
check-clang:  ## the libraries, the examples and the tests of API and dependences by clang++, with debug checks
	$(install_packages) build test lint
	@$(MAKE) --no-print-directory configure PRESET=clang
	@cmake --build $(build) -j $(JOBS) --target weir weir_ocr weir_ocr128 weir_checker api_test deps_test examples
	@ctest --test-dir $(build) -j $(TEST_JOBS) --output-on-failure -R '^(api_test|deps_test|example)\.'

check-shared: PRESET := shared
check-shared:  ## Weir and OCR as shared libraries: installed and used by programs, and OCR's conformance tests
	$(install_packages) build test
	@$(MAKE) --no-print-directory configure PRESET=shared
	@cmake --build $(build) -j $(JOBS) --target weir_installed ocr_conformance
	@ctest --test-dir $(build) -j $(JOBS) --output-on-failure -R '^(install|ocr_conformance)\.'

lint:  ## formatting, clang-tidy, shellcheck, layers, manual pages
	$(install_packages) build test lint
	@$(MAKE) --no-print-directory configure PRESET=dev
	@scripts/lint.sh build/dev$(compiler_suffix)

format:  ## reformat the sources in place
	$(install_packages) lint
	@scripts/sources.sh cpp | xargs $(firstword $(shell command -v clang-format-14) clang-format) -i

install-deps:  ## every package of scripts/packages.txt, the optional ones too
	$(install_packages) build test peer lint vm mpi page deb arm64

install:  ## install under PREFIX (default /usr/local)
	$(install_packages) build test
	@$(MAKE) --no-print-directory configure
	@cmake --build $(build) -j $(JOBS) --target weir_installed
	@cmake --install $(build) --prefix $(or $(PREFIX),/usr/local)

clean:  ## remove build/
	rm -rf build

configure:
	@test -f $(build)/build.ninja || { \
	  echo "configuring $(build)"; \
	  mkdir -p $(build); \
	  cmake --preset $(PRESET) -B $(build) > $(build)/configure.log 2>&1 || { cat $(build)/configure.log; exit 1; }; }

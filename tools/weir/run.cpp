// SPDX-License-Identifier: Apache-2.0

// weir run: a program of the user's, or one of the ready-made ones (demos/).
#include "demos/demos.hpp"
#include "run_program.hpp"
#include "verb.hpp"

namespace weir::tool {

namespace {

constexpr const char* kRunText =
    R"(Runs PROGRAM with its arguments. The options below become the WEIR_* variables that its runtimes read: what memory there is, who moves data, a trace. Works for every program that uses Weir, C++ or OCR, as it is.

While it runs on a terminal, the last row shows how many tasks are done and known, tasks a second, and how full the tiers are. With --report, where its time went follows what it prints. The exit status is the program's, 128 and more when a signal has ended it.

With -n it is started as several processes, the ranks of a job, on this machine or on several (docs/processes.md). The first rank that fails is named, the others are ended, and the exit status is its own. With --report the ranks, or the PEs of an OpenSHMEM program, are reported on together, with --hosts too.

With --checkpoint it writes its blocks to a folder now and then, and with --restart it goes on from there after it was killed, also as another number of ranks (docs/checkpoint.md).

With --islands it is started N times more, and these processes run the tasks of its master (docs/islands.md).

A VERB is a ready-made program instead, which was used to measure task runtimes: with Weir and without it, in variants that are checked against each other.)";

}  // namespace

void add_run(CLI::App& app, Global& global) {
  CLI::App& verb = add_verb(
      app, global,
      {.name = "run",
       .purpose = "run a program with progress, trace and report, or a ready-made one",
       .text = kRunText,
       .examples = {{"weir run ./solver --size 64", "a program of yours"},
                    {"weir run --report --html page.html ./solver", "and where its time went"},
                    {"weir run --tiers memory=4GiB,file=/scratch:64GiB ./solver", "with this memory for its blocks"},
                    {"weir run --trace t.weir ./solver", "a trace to keep, for weir report"},
                    {"weir run -n 8 --label ./solver", "eight ranks of a job, each line with its rank"},
                    {"weir run --checkpoint ck --restart ck ./solver", "goes on from ck, and writes there again"},
                    {"weir run seismic", "waves in the ground, under a minute"},
                    {"weir run stencil3d", "data larger than fast memory"}}},
      nullptr);
  add_demos(verb, global);
  add_program(verb, global);
}

}  // namespace weir::tool

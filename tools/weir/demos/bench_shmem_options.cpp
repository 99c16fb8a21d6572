// SPDX-License-Identifier: Apache-2.0

#include "demos/bench_shmem_options.hpp"

#include <memory>
#include <utility>

namespace weir::tool {
namespace {

const char* const kShmemText =
    "Measures puts, gets, atomics, waits and collectives between the PEs of one machine: one program in C, compiled "
    "for each OpenSHMEM library that was present at build, and its counterpart with the one-sided operations and the "
    "collectives of MPI-3 for each MPI. The libraries take turns, so that what else the machine does falls on all of "
    "them.\n\n"
    "put: 8 bytes, and a quiet. get: 8 bytes. fetch_add: by one PE on a word of the other; fetch_add_two: by both on "
    "that word. ping_pong: p and wait_until, one way; line: the same by plain stores and loads, no library. "
    "put_bandwidth, get_bandwidth, memcpy: 8 bytes to 4 MiB; memcpy in the same process. rate_1, rate_2: puts of 8 "
    "bytes by one thread and by two, with a quiet for each 64 of them. "
    "barrier_all, sync_all. broadcast_N, sum_N, alltoall_N: N words of 8 bytes, those of alltoall for each PE; each PE "
    "is the root of a broadcast in turn.\n\n"
    "Medians of all processes, of eleven samples each, and Weir's over the best of the others, with the targets of "
    "docs/performance/shmem.md. Where a line takes 50 ns between the two cores in some processes and 200 ns in others, "
    "as under a host that moves them, near and far processes are compared apart, with how many of each. A library that "
    "is missing, fails, or cannot end is named, and does not count. The exit "
    "status "
    "is 1 when Weir fails, or nothing could be measured.";

}  // namespace

CLI::App& add_bench_shmem(CLI::App& parent, Global& global, std::function<int(const ShmemSettings&, Global&)> run) {
  auto settings = std::make_shared<ShmemSettings>();
  CLI::App& verb =
      add_verb(parent, global,
               {.name = "shmem",
                .purpose = "OpenSHMEM's operations, compared with other libraries",
                .text = kShmemText,
                .examples = {{"weir bench shmem", "everything, a minute or two"},
                             {"weir bench shmem --quick", "a first look"},
                             {"weir bench shmem --benches put,get,fetch_add --rounds 9", "few, thoroughly"},
                             {"weir bench shmem --cc other=/opt/other/bin/oshcc --run other=/opt/other/bin/oshrun",
                              "with another library"},
                             {"weir bench shmem --plot shmem.svg", "drawn"},
                             {"weir bench shmem --json > shmem.json", "for programs: one object for each value"}}},
               [settings, run = std::move(run)](Global& g) { return run(*settings, g); });
  add_option(verb, "--benches", settings->benches, "what is measured, with commas between, as above; default all")
      .type_name("LIST");
  add_option(verb, "--libraries", settings->libraries,
             "with commas between: weir, openmpi, openmpi-rma, mpich-rma, and those of --cc; default all")
      .type_name("LIST");
  add_option(verb, "--pes", settings->ranks,
             "numbers of PEs, with commas between; default 2,8, collectives alone with more than 2")
      .type_name("LIST");
  add_option(verb, "--cc", settings->compilers, "measure another OpenSHMEM too, under this name, by its compiler")
      .type_name("NAME=COMPILER")
      .comma_separated();
  add_option(verb, "--run", settings->launchers, "what starts the programs of a library of --cc, given -n N PROGRAM")
      .type_name("NAME=COMMAND")
      .comma_separated();
  add_option(verb, "--rounds", settings->rounds, "processes of each library; default 3, 1 with --quick")
      .default_str("")
      .between(1, 1000);
  add_option(verb, "--timeout", settings->timeout_s, "seconds after which a process has failed; default 60")
      .between(1, 3600);
  add_flag(verb, "--quick", settings->quick, "one round of short samples: half a minute, rough numbers");
  add_option(verb, "--plot", settings->plot, "draw the medians to this .svg or .png file; needs gnuplot")
      .type_name("FILE");
  return verb;
}

}  // namespace weir::tool

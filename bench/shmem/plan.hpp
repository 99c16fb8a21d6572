// SPDX-License-Identifier: Apache-2.0

// What `weir bench shmem` measures: benchmarks with their targets, libraries, and how a library's program is started.
//
// Pure, but for find_libraries() and compile_library().
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace weir::bench {

enum class Compared : std::uint8_t {
  with_nothing,
  with_best,    // of the other libraries, at most `target` times its time
  with_memcpy,  // of the same process, at least `target` times its bandwidth
};

struct ShmemBench {
  std::string name;        // as bench/shmem/bench.h has it
  std::string title;       // with the number of bytes behind it where there are several
  bool all_ranks = false;  // a collective: also with more than two ranks
  bool threads = false;    // in a process that lets threads communicate
  Compared compared = Compared::with_nothing;
  double target = 0;
  std::size_t target_bytes = 0;  // for which the target holds; 0: for all
};

// In the order of the table.
const std::vector<ShmemBench>& shmem_benches();
// What memory can do, measured by every library's program beside put and get.
inline constexpr std::string_view kMemcpy = "memcpy";
// With 8 ranks a collective takes, for each rank, at most so many times what it takes with two.
inline constexpr double kMostPerRank = 3;

struct Library {
  std::string name;
  std::string program;                // "": there is none
  std::vector<std::string> launcher;  // what stands before "-n N PROGRAM ..."
  std::string missing;                // why it cannot be measured
};

// The libraries that Weir's build knows, Weir first, those that are missing with the reason.
std::vector<Library> find_libraries();

// That each "NAME=COMMAND" of --run is for one "NAME=COMPILER" of --cc. bad_option.
base::Status check_launchers(const std::vector<std::string>& compilers, const std::vector<std::string>& launchers);

// The library whose name comes first in "NAME=COMPILER": compiles the program of bench/shmem into `folder`.
// `launchers`: "NAME=COMMAND" each, of which it needs its own. bad_option when one is written otherwise; what the
// compiler says when it fails.
base::Result<Library> compile_library(const std::string& compiler, const std::vector<std::string>& launchers,
                                      const std::string& folder);

// Those that `list` names, in the order of `all`; "": all. bad_option names the wrong word.
base::Result<std::vector<Library>> chosen_libraries(const std::string& list, const std::vector<Library>& all);
base::Result<std::vector<ShmemBench>> chosen_shmem_benches(const std::string& list);
base::Result<std::vector<int>> chosen_ranks(const std::string& list);

struct ShmemAmount {
  int rounds = 3;           // processes of each library, which take turns
  double sample_us = 2000;  // at least, of which eleven are taken
  int timeout_s = 60;       // of each process
  static ShmemAmount quick() { return {1, 300, 60}; }
};

// The words of one process. `seconds`: after which it ends itself.
std::vector<std::string> command_of(const Library& library, int ranks, const std::vector<std::string>& benches,
                                    const ShmemAmount& amount);

}  // namespace weir::bench

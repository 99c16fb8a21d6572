// SPDX-License-Identifier: Apache-2.0

#include "bench/shmem/plan.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <sstream>

#include "bench/report/plan.hpp"
#include "platform/companion.hpp"
#include "platform/process.hpp"

namespace weir::bench {
namespace {

using base::Code;
using base::Result;
using base::Status;

constexpr const char* kFolder = "bench/shmem";
constexpr double kCompilerSeconds = 60;
constexpr int kMostRanks = 64;

// Open MPI refuses root without being asked twice, and more ranks than cores.
std::vector<std::string> open_mpi(const std::string& launcher) {
  std::vector<std::string> words = {launcher, "--oversubscribe"};
  if (::geteuid() == 0) words.emplace_back("--allow-run-as-root");
  return words;
}

struct KnownLibrary {
  const char* name;
  const char* program;
  const char* compiler;  // that it is built with
};

constexpr KnownLibrary kKnown[] = {
    {"weir", "weir-bench-shmem-weir", "weir-shmemcc"},
    {"openmpi", "weir-bench-shmem-openmpi", "oshcc"},
    {"openmpi-rma", "weir-bench-rma-openmpi", "mpicc.openmpi"},
    {"mpich-rma", "weir-bench-rma-mpich", "mpicc.mpich"},
};

// `weir` itself: where it was built, or installed as seen from libexec/weir.
Result<std::string> find_weir() {
  if (const auto built = platform::find_companion("weir", "tools/weir")) return built;
  return platform::find_companion("../../bin/weir", "tools/weir");
}

std::vector<std::string> launcher_of(std::string_view name, std::string& missing) {
  if (name == "openmpi") return open_mpi("oshrun");
  if (name == "openmpi-rma") return open_mpi("mpirun.openmpi");
  if (name == "mpich-rma") return {"mpiexec.hydra"};
  const auto weir = find_weir();
  if (!weir) missing = weir.status().message;
  return weir ? std::vector<std::string>{*weir, "run"} : std::vector<std::string>{};
}

Library library_of(const KnownLibrary& known) {
  Library library{known.name, {}, {}, {}};
  const auto program = platform::find_companion(known.program, kFolder);
  if (!program) {
    library.missing = fmt::format("not built: there was no {} when Weir was configured", known.compiler);
    return library;
  }
  library.program = *program;
  library.launcher = launcher_of(known.name, library.missing);
  return library;
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

// "NAME=VALUE" of an option.
struct Named {
  std::string name;
  std::vector<std::string> words;
};

Result<Named> named(const char* option, const std::string& text) {
  const std::size_t equals = text.find('=');
  Named result{text.substr(0, equals),
               equals == std::string::npos ? std::vector<std::string>{} : words_of(text.substr(equals + 1))};
  if (result.name.empty() || result.words.empty())
    return Status{Code::bad_option,
                  fmt::format("{} takes NAME=COMMAND, as in other={}, not '{}'", option,
                              std::string_view(option) == "--cc" ? "/opt/other/bin/oshcc" : "oshrun", text)};
  return result;
}

Result<std::vector<std::string>> launcher_named(const std::string& name, const std::vector<std::string>& launchers) {
  for (const std::string& text : launchers) {
    const auto launcher = named("--run", text);
    if (!launcher) return launcher.status();
    if (launcher->name == name) return launcher->words;
  }
  return Status{Code::bad_option,
                fmt::format("--cc {}=...: --run {}=COMMAND has to say how its programs are started", name, name)};
}

}  // namespace

const std::vector<ShmemBench>& shmem_benches() {
  using enum Compared;
  constexpr std::size_t kMiB = std::size_t{1} << 20;
  static const std::vector<ShmemBench> all = {
      {"line", "stores and loads", false, false, with_nothing, 0, 0},
      {"put", "put 8 B + quiet", false, false, with_best, 0.85, 0},
      {"get", "get 8 B", false, false, with_best, 0.9, 0},
      {"fetch_add", "fetch_add", false, false, with_best, 0.5, 0},
      {"fetch_add_two", "fetch_add, two PEs", false, false, with_best, 0.65, 0},
      {"ping_pong", "p + wait_until", false, false, with_best, 0.95, 0},
      {"put_bandwidth", "put", false, false, with_memcpy, 0.95, kMiB},
      {"get_bandwidth", "get", false, false, with_memcpy, 0.95, kMiB},
      {"memcpy", "memcpy", false, false, with_nothing, 0, 0},
      {"rate_1", "puts, 1 thread", false, true, with_nothing, 0, 0},
      {"rate_2", "puts, 2 threads", false, true, with_nothing, 0, 0},
      {"barrier_all", "barrier_all", true, false, with_best, 0.65, 0},
      {"sync_all", "sync_all", true, false, with_nothing, 0, 0},
      {"broadcast_1", "broadcast of 1", true, false, with_best, 0.5, 0},
      {"broadcast_1024", "broadcast of 1024", true, false, with_nothing, 0, 0},
      {"sum_1", "sum of 1", true, false, with_best, 0.5, 0},
      {"sum_1024", "sum of 1024", true, false, with_best, 0.6, 0},
      {"alltoall_1", "alltoall of 1", true, false, with_nothing, 0, 0},
      {"alltoall_1024", "alltoall of 1024", true, false, with_nothing, 0, 0},
  };
  return all;
}

std::vector<Library> find_libraries() {
  std::vector<Library> all;
  for (const KnownLibrary& known : kKnown) all.push_back(library_of(known));
  return all;
}

Status check_launchers(const std::vector<std::string>& compilers, const std::vector<std::string>& launchers) {
  for (const std::string& text : launchers) {
    const auto launcher = named("--run", text);
    if (!launcher) return launcher.status();
    const bool has_compiler = std::any_of(compilers.begin(), compilers.end(), [&](const std::string& compiler) {
      return compiler.starts_with(launcher->name + "=");
    });
    if (!has_compiler)
      return {Code::bad_option, fmt::format("--run {}: it starts the programs of --cc {}=COMPILER, which is not given",
                                            text, launcher->name)};
  }
  return Status::success();
}

Result<Library> compile_library(const std::string& compiler, const std::vector<std::string>& launchers,
                                const std::string& folder) {
  const auto asked = named("--cc", compiler);
  if (!asked) return asked.status();
  for (const KnownLibrary& known : kKnown)
    if (asked->name == known.name)
      return Status{Code::bad_option, fmt::format("--cc: '{}' is the name of a library; choose another", asked->name)};
  const auto launcher = launcher_named(asked->name, launchers);
  if (!launcher) return launcher.status();
  const auto source = platform::find_companion("shmem_bench.c", kFolder);
  if (!source) return source.status();
  Library library{asked->name, folder + "/" + asked->name, *launcher, {}};
  std::vector<std::string> words = asked->words;
  for (const std::string& word :
       {std::string("-O3"), std::string("-pthread"), *source, std::string("-o"), library.program})
    words.push_back(word);
  const auto done = platform::output_of(std::move(words), kCompilerSeconds);
  return done ? Result<Library>(library) : Result<Library>(done.status());
}

Result<std::vector<Library>> chosen_libraries(const std::string& list, const std::vector<Library>& all) {
  std::vector<std::string> known;
  for (const Library& library : all) known.push_back(library.name);
  const auto names = chosen(list.empty() ? "all" : list, known, "library");
  if (!names) return names.status();
  std::vector<Library> result;
  for (const Library& library : all) {
    if (std::find(names->begin(), names->end(), library.name) == names->end()) continue;
    if (!library.missing.empty() && !list.empty() && list != "all")
      return Status{Code::not_found, fmt::format("library {} cannot be measured: {}", library.name, library.missing)};
    result.push_back(library);
  }
  return result;
}

Result<std::vector<ShmemBench>> chosen_shmem_benches(const std::string& list) {
  std::vector<std::string> known;
  for (const ShmemBench& bench : shmem_benches()) known.push_back(bench.name);
  const auto names = chosen(list.empty() ? "all" : list, known, "benchmark");
  if (!names) return names.status();
  std::vector<ShmemBench> result;
  for (const ShmemBench& bench : shmem_benches())
    if (std::find(names->begin(), names->end(), bench.name) != names->end()) result.push_back(bench);
  return result;
}

Result<std::vector<int>> chosen_ranks(const std::string& list) {
  std::vector<int> result;
  for (const std::string& word : split_list(list)) {
    int value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc{} || end != word.data() + word.size() || value < 2 || value > kMostRanks)
      return Status{Code::bad_option,
                    fmt::format("--pes takes numbers from 2 to {} between commas, not '{}'", kMostRanks, word)};
    if (std::find(result.begin(), result.end(), value) == result.end()) result.push_back(value);
  }
  return result;
}

std::vector<std::string> command_of(const Library& library, int ranks, const std::vector<std::string>& benches,
                                    const ShmemAmount& amount) {
  std::vector<std::string> words = library.launcher;
  for (const std::string& word : {std::string("-n"), std::to_string(ranks), library.program,
                                  std::to_string(amount.timeout_s), fmt::format("{}", amount.sample_us)})
    words.push_back(word);
  words.insert(words.end(), benches.begin(), benches.end());
  return words;
}

}  // namespace weir::bench

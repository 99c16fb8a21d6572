// SPDX-License-Identifier: Apache-2.0

#include "demos/demos.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "apps/seismic/variant_names.hpp"
#include "demos/seismic_options.hpp"
#include "demos/tiers_options.hpp"
#include "platform/companion.hpp"
#ifdef WEIR_VERB_BENCH
#include "demos/bench_options.hpp"
#endif

namespace weir::tool {

namespace {

constexpr const char* kProgram = "weir-demos";

// This process becomes the other program, which reads the same command line: signals, the exit status and the terminal
// are its own.
int become_demos(Global& global) {
  const auto program = platform::find_companion(kProgram, "apps/driver");
  if (!program) return fail(program.status());
  std::vector<char*> words{const_cast<char*>(program->c_str())};
  for (std::string& word : global.words) words.push_back(word.data());
  words.push_back(nullptr);
  std::fflush(stdout);
  execv(words[0], words.data());
  return fail(fmt::format("{} cannot be run: {}", *program, std::strerror(errno)));
}

void hand_over(const CLI::App& verb, Global& global) {
  Entry& entry = global.entries.at(&verb);
  entry.reads_options = false;                                                           // it does
  entry.run = [settings = std::move(entry.run)](Global& g) { return become_demos(g); };  // which the options fill in
}

}  // namespace

void add_demos(CLI::App& run, Global& global) {
  const auto& names = apps::seismic::kVariantNames;
  hand_over(add_seismic(run, global, {std::begin(names), std::end(names)}, nullptr), global);
  hand_over(add_stencil3d(run, global, nullptr), global);
  hand_over(add_matmul(run, global, nullptr), global);
}

#ifdef WEIR_VERB_BENCH
void add_bench_demos(CLI::App& app, Global& global) {
  const BenchVerbs verbs = add_bench(app, global, {});
  hand_over(verbs.tasks, global);
  hand_over(verbs.tiers, global);
  hand_over(verbs.shmem, global);
  hand_over(verbs.bddt, global);
  hand_over(verbs.prk, global);
}
#endif

}  // namespace weir::tool

// SPDX-License-Identifier: Apache-2.0

#include "setting.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <variant>

#include "base/joined.hpp"
#include "runtime/options.hpp"

namespace weir::tool::advise {

namespace {

using machine::MemoryKind;

// As the options' table has it: each of these types is that of one option.
template <class Choice>
std::string text_of_choice(Choice choice) {
  for (const runtime::OptionInfo& info : runtime::option_table()) {
    const auto* const field = std::get_if<Choice Options::*>(&info.field);
    if (field == nullptr) continue;
    Options options;
    options.*(*field) = choice;
    return runtime::option_text(options, info);
  }
  return "";
}

// A kind that --tiers has a name for.
bool makes_a_tier(MemoryKind kind) { return kind != MemoryKind::unknown; }

// Where a GPU's memory is slower for the cores, it holds only what ordinary memory cannot.
std::vector<std::string> tier_lists(const MachineFacts& machine, const ProgramFacts& program) {
  std::vector<std::string> kinds;
  std::vector<Bytes> capacity;
  for (const KindFacts& kind : machine.kinds) {
    if (!makes_a_tier(kind.kind)) continue;
    kinds.emplace_back(machine::to_string(kind.kind));
    capacity.push_back(kind.capacity);
  }
  if (kinds.size() < 2) return {""};
  std::vector<std::string> lists{base::joined(kinds, ",")};
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const auto room = static_cast<double>(capacity[i].count) * 0.95;  // plan_tiers() keeps a twentieth back
    if (static_cast<double>(program.working_set()) <= room) lists.push_back(kinds[i]);
  }
  return lists;
}

bool is_one_tier(const std::string& tiers, const MachineFacts& machine) {
  if (!tiers.empty()) return tiers.find(',') == std::string::npos;
  return std::count_if(machine.kinds.begin(), machine.kinds.end(),
                       [](const KindFacts& kind) { return makes_a_tier(kind.kind); }) < 2;
}

std::vector<Strategy> strategies_for(const std::string& tiers, const MachineFacts& machine, const ProgramFacts& program,
                                     const Fixed& fixed) {
  if (fixed.strategy) return {*fixed.strategy};
  if (is_one_tier(tiers, machine) || program.block_bytes == 0) return {Strategy::ahead};
  return {Strategy::ahead, Strategy::off, Strategy::inline_, Strategy::single, Strategy::multi, Strategy::model};
}

std::vector<Allocation> allocations_for(const std::string& tiers, const MachineFacts& machine,
                                        const ProgramFacts& program, const Fixed& fixed) {
  if (fixed.allocation) return {*fixed.allocation};
  if (machine.domains < 2 || program.block_bytes == 0) return {Allocation::fast};
  std::vector<Allocation> all{Allocation::fast, Allocation::local};
  if (tiers.find("hbm") != std::string::npos || machine.kinds.size() < 2) all.push_back(Allocation::local_fast);
  return all;
}

// 1, 2, 4 ... and all.
std::vector<int> worker_counts(const MachineFacts& machine, const ProgramFacts& program, const Fixed& fixed) {
  if (fixed.workers > 0) return {fixed.workers};
  std::set<int> counts{machine.workers};
  for (int count = 1; count < machine.workers; count *= 2) counts.insert(count);
  if (machine.is_this_system && program.workers <= machine.workers) counts.insert(program.workers);
  return {counts.rbegin(), counts.rend()};
}

// All kinds of memory, as they are without the option, are the plainest; then the fastest alone.
int unusual_tiers(const std::string& tiers, const MachineFacts& machine) {
  if (tiers.empty() || tiers.find(',') != std::string::npos) return 0;
  return tiers == machine::to_string(machine.kinds.front().kind) ? 1 : 2;
}

}  // namespace

std::string text_of(Allocation allocation) { return text_of_choice(allocation); }
std::string text_of(Strategy strategy) { return text_of_choice(strategy); }
std::string text_of(Policy policy) { return text_of_choice(policy); }
std::string text_of(Bind bind) { return text_of_choice(bind); }

std::string command_options(const Setting& setting) {
  std::string text;
  if (!setting.tiers.empty()) text += fmt::format("--tiers {} ", setting.tiers);
  const Options defaults;
  if (setting.allocation != defaults.allocation) text += fmt::format("--allocation {} ", text_of(setting.allocation));
  text += fmt::format("--strategy {} ", text_of(setting.strategy));
  if (setting.policy != defaults.policy) text += fmt::format("--policy {} ", text_of(setting.policy));
  if (setting.bind != defaults.bind) text += fmt::format("--bind {} ", text_of(setting.bind));
  return text + fmt::format("--workers {}", setting.workers);
}

int unusual_parts(const Setting& setting, const MachineFacts& machine) {
  const Options defaults;
  return unusual_tiers(setting.tiers, machine) + (setting.allocation != defaults.allocation ? 1 : 0) +
         (setting.strategy != defaults.strategy ? 1 : 0) + (setting.strategy == Strategy::multi ? 1 : 0) +
         (setting.policy != defaults.policy ? 1 : 0) + (setting.workers != machine.workers ? 1 : 0);
}

std::vector<Setting> memory_candidates(const MachineFacts& machine, const ProgramFacts& program, const Fixed& fixed) {
  std::vector<Setting> all;
  const int workers = worker_counts(machine, program, fixed).front();
  for (const std::string& tiers : fixed.tiers ? std::vector{*fixed.tiers} : tier_lists(machine, program))
    for (const Allocation allocation : allocations_for(tiers, machine, program, fixed))
      for (const Strategy strategy : strategies_for(tiers, machine, program, fixed)) {
        Setting setting{.tiers = tiers, .allocation = allocation, .strategy = strategy, .workers = workers};
        setting.policy = fixed.policy.value_or(Policy::near);
        setting.bind = binding_for(machine, workers, fixed).bind;
        all.push_back(std::move(setting));
      }
  return all;
}

std::vector<Setting> policy_candidates(const Setting& best, const MachineFacts& machine, const Fixed& fixed) {
  std::vector<Setting> all;
  if (machine.domains < 2 || fixed.policy) return all;
  for (const Policy policy : {Policy::near, Policy::numa, Policy::flat}) {
    if (policy == best.policy) continue;
    all.push_back(best);
    all.back().policy = policy;
  }
  return all;
}

std::vector<Setting> worker_candidates(const Setting& best, const MachineFacts& machine, const ProgramFacts& program,
                                       const Fixed& fixed) {
  std::vector<Setting> all;
  for (const int workers : worker_counts(machine, program, fixed))
    for (const Strategy strategy : strategies_for(best.tiers, machine, program, fixed)) {
      if (workers == best.workers) continue;
      all.push_back(best);
      all.back().workers = workers;
      all.back().strategy = strategy;
      all.back().bind = binding_for(machine, workers, fixed).bind;
    }
  return all;
}

Binding binding_for(const MachineFacts& machine, int workers, const Fixed& fixed) {
  if (fixed.bind) return {*fixed.bind, "as asked for"};
  if (workers > machine.cores)
    return {Bind::none, fmt::format("{} workers share {} cores: the kernel spreads them", workers, machine.cores)};
  if (machine.cpu_quota > 0 && machine.cpu_quota < machine.cores)
    return {Bind::none, fmt::format("a quota of {:.1f} of {} cores: which of them are free, the kernel knows",
                                    machine.cpu_quota, machine.cores)};
  return {Bind::core,
          machine.domains > 1
              ? fmt::format("a core each: {} workers in {} domains stay next to their memory", workers, machine.domains)
              : "a core each: what a worker has in its caches stays there"};
}

}  // namespace weir::tool::advise

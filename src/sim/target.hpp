// SPDX-License-Identifier: Apache-2.0

// Target: the machine that a program is simulated on, as numbers: its tiers and their nodes, what memory costs, where
// workers are. No memory stands behind it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "data/engine/hierarchy.hpp"
#include "machine/cost_model.hpp"
#include "machine/machine.hpp"
#include "sim/page_times.hpp"
#include "sim/program.hpp"
#include "weir/options.hpp"

namespace weir::sim {

struct Target {
  static constexpr std::size_t kFile = ~std::size_t{0};
  static constexpr std::uint64_t kMostOfNode = (std::uint64_t{1} << 44) - (std::uint64_t{1} << 21);  // its books' end

  data::engine::Hierarchy hierarchy;
  std::vector<std::uint64_t> budgets;        // bytes, by node of the hierarchy
  std::vector<std::size_t> memory;           // by node of the hierarchy: the memory node of `costs`; kFile
  machine::CostModel costs;                  // of the machine's memory nodes
  std::vector<MemoryNodeId> program_memory;  // by domain of the machine: the memory node of what is in no tier
  std::vector<DomainId> worker_domains;      // by worker
  double emulated_bytes_per_second = 0;      // all copies from and to emulated memory together
  double file_bytes_per_second = 0;
  std::vector<std::string> notes;       // what was assumed, for people
  std::vector<PageTimes> page_times{};  // by node of the hierarchy; none: the pages are there
  unsigned cores = 0;                   // that threads may run on; 0: as many as they want
};

struct TargetRequest {
  Options options;             // machine, workers, tiers
  bool own_machine = true;     // options.machine was not asked for: the traced run's
  bool own_tiers = true;       // likewise its tiers
  bool typical_costs = false;  // where a description has no bandwidths: those of its kinds of memory
  double file_gb_per_s = 0;    // 0: as the traced run's file
};

// What memory costs; `typical` allows numbers that nobody has measured or described. bad_option otherwise.
base::Result<machine::CostModel> costs_for(const machine::Machine& machine, const std::string& name, bool typical);

// The costs of the nodes of the hierarchy, by which strategy `model` decides; as data::cost_model_of().
machine::CostModel costs_of_tiers(const Target& target);

// bad_option, no_space or not_found, naming what was asked, what the machine has and what to do.
base::Result<Target> make_target(const machine::Machine& machine, const TargetRequest& request, const RealRun& real);

}  // namespace weir::sim

// SPDX-License-Identifier: Apache-2.0

// Staging: tasks that cannot have their room, which run where their blocks are, or fail.
#include <fmt/format.h>

#include <utility>

#include "data/engine/staging.hpp"
#include "data/engine/task_text.hpp"
#include "memory/tier_spec.hpp"

namespace weir::data::engine {

using memory::size_text;

void Staging::overflow(Request& request, Actions& actions) {
  const bool never = fit_.never_fits(request);
  if (can_run_in_place(request, never)) return run_in_place(request, actions);
  fail(request, refusal(request, never), actions);
}

// Where its blocks are: in slow memory, or, of a task that would fit but for others that wait, in a file's pages.
bool Staging::can_run_in_place(const Request& request, bool never) const noexcept {
  if (core_.config.overflow != Overflow::in_place) return false;
  const bool in_file = !never && core_.write_failure;
  for (const Use& use : request.uses()) {
    const Block& block = *use.block;
    bool replica = false;
    for (const Replica* r = block.replicas; r != nullptr; r = r->next) replica = replica || !r->stale;
    const TierIndex home = block.home.tier;
    const bool in_memory = block.home.in_place || home == TierIndex::none || core_.hierarchy().tier(home).addressable;
    if (!replica && !in_memory && !in_file) return false;
  }
  return true;
}

void Staging::run_in_place(Request& request, Actions& actions) {
  request.last_resort = true;
  bool in_file = false;
  const NodeId target = fit_.target_of(request).node;
  for (Use& use : request.uses()) {
    Block& block = *use.block;
    if (!pins_.take(use, target, Pins::Reuse::any)) {
      if (base::Status status = homes_.give_place(block); !status) return fail(request, std::move(status), actions);
      pins_.take_home(use);
    }
    in_file = in_file || (use.at_home && block.home.kind == Home::Kind::file);
  }
  warn_of_place(request, in_file, Fit::charge_of_all(request), actions);
  if (settle(request) == Admitted::held) actions.stage(request);
}

// Each kind once.
void Staging::warn_of_place(const Request& request, bool in_file, std::size_t bytes, Actions& actions) {
  const std::string& tier = core_.tier_for(request).name;
  const bool first = core_.counters.in_place_runs++ == 0;
  if (in_file && !std::exchange(warned_in_file_, true)) {
    actions.warnings.push_back(fmt::format(
        "{} needs {} of blocks in tier {} at the same time, but all that holds room there waits for others: it "
        "uses them in the file through the page cache, outside of the budget; give the tier more with --tiers or "
        "WEIR_TIERS, or name what tasks within a task need in its footprint (further tasks are counted, not reported)",
        task_text(request, core_.config.site_text), size_text({bytes}), tier));
  } else if (!in_file && first) {
    actions.warnings.push_back(fmt::format(
        "{} needs {} of blocks at the same time, more than fast memory can give: it runs in slow memory; give "
        "tier {} more with --tiers or WEIR_TIERS (further tasks are counted, not reported)",
        task_text(request, core_.config.site_text), size_text({bytes}), tier));
  }
}

base::Status Staging::refusal(Request& request, bool never) {
  const std::size_t bytes = Fit::charge_of_all(request), around = Fit::charge_around(request, NodeId::none);
  const Target target = fit_.target_of(request);
  const TierShape& tier = core_.hierarchy().tier(target.tier);
  std::size_t budget = 0, all = 0;
  for (const NodeId node : tier.nodes) {
    if (!target.any_node && node != target.node) continue;
    budget += core_.ledger.movable(node);
    all += core_.ledger.budget(node);
  }
  const bool stay = core_.nothing_moves() && budget < all;  // others, for ever
  std::string in_addition;
  if (never && around != 0 && request.parent == nullptr) {
    in_addition = fmt::format(", in addition to {} that it holds", size_text({around}));
  } else if (never && around != 0) {
    in_addition = fmt::format(
        ", {} of them in addition to {} that the tasks it was made in hold until it has ended (the nearest is "
        "{})",
        size_text({fit_.charge_wanted(request, target)}), size_text({around}),
        request.parent->name[0] != '\0' ? fmt::format("{:?}", request.parent->name)
                                        : task_text(*request.parent, core_.config.site_text));
  }
  std::string message = fmt::format("{} needs {} of blocks in tier {} at the same time{}, which can give {}",
                                    task_text(request, core_.config.site_text), size_text({bytes}), tier.name,
                                    in_addition, size_text({budget}));
  if (stay) {
    message += fmt::format(", as others live there (of its {} the strategy off keeps {} for those in the file)",
                           size_text({all}), size_text({all / Homes::kStagingPart}));
  }
  if (!core_.write_failure) {
    message += fmt::format(", and what is there cannot leave: {}", core_.write_failure.message);
    message += "; free room there, or put the file tier on a larger disk with --tiers or WEIR_TIERS";
    return {base::Code::no_space, std::move(message)};
  }
  if (never && fit_.charge_wanted(request, target) + around <= budget) {
    message += " on several nodes, but not so that each block is on one of them";
  } else if (!never) {
    message += " only when the tasks that wait for this one have ended";
  }
  message += stay ? "; choose another strategy, give" : "; give";
  message += " the tier more with --tiers or WEIR_TIERS, or ";
  const bool is_one = request.uses().size() == 1;
  message += is_one ? "make smaller blocks" : "name less in one footprint";
  if (never && request.parent != nullptr && around != 0)
    message += is_one ? ", or name less in the footprint of a task around it" : " or in that of a task around it";
  return {base::Code::no_space, std::move(message)};
}

}  // namespace weir::data::engine

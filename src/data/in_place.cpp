// SPDX-License-Identifier: Apache-2.0

// Residency: tasks that cannot have their room, which run where their blocks are, or fail.
#include <fmt/format.h>

#include <map>
#include <mutex>
#include <span>
#include <utility>

#include "data/residency.hpp"
#include "platform/source_lines.hpp"

namespace weir::data {

namespace {

// Many tasks of one place may fail, and looking one up takes many milliseconds.
std::string place_of(const void* site) {
  static std::mutex mutex;
  static std::map<const void*, std::string> known;
  const std::lock_guard lock(mutex);
  std::string& text = known[site];
  if (text.empty()) text = platform::find_source(std::span(&site, 1)).front().text();
  return text;
}

}  // namespace

std::string task_text(const Request& request) {
  if (request.name[0] != '\0') return fmt::format("task {:?}", request.name);
  const auto uses = request.uses();
  std::string text = "a task without a name";
  if (!uses.empty()) text += fmt::format(" (its first block: {:?})", uses.begin()->block->name);
  if (request.site != nullptr) text += fmt::format(", spawned at {},", place_of(request.site));
  return text;
}

// Where its blocks are: in slow memory, or, of a task that would fit but for others that wait, in a file's pages.
bool Residency::can_run_in_place(Request& request, bool never) noexcept {
  if (config_.overflow != Overflow::in_place) return false;
  const bool in_file = !never && last_write_failure_;
  for (const Use& use : request.uses()) {
    const Block& block = *use.block;
    bool replica = false;
    for (const Replica* r = block.replicas; r != nullptr; r = r->next) replica = replica || !r->stale;
    const bool in_memory = block.home.in_place || block.home.tier < 0 ||
                           tiers_.tiers()[static_cast<std::size_t>(block.home.tier)].addressable;
    if (!replica && !in_memory && !in_file) return false;
  }
  return true;
}

void Residency::overflow(Request& request, Steps& steps) {
  set_scattered(request, false);
  const bool never = never_fits(request);
  if (can_run_in_place(request, never)) return run_in_place(request, steps);
  fail(request, refusal(request, never), steps);
}

base::Status Residency::refusal(Request& request, bool never) {
  const std::size_t bytes = fast_bytes(request), kept = kept_around(request, nullptr);
  const Arena& target = target_of(request, bytes);
  std::size_t budget = 0;
  for (const Arena* const arena : tiers_.tier_of(target).arenas)
    budget += config_.allocation == Allocation::fast || arena == &target ? can_give(*arena) : 0;
  std::string beside;
  if (never && kept != 0 && request.parent == nullptr) {
    beside = fmt::format(", in addition to {} that it holds", size_text({kept}));
  } else if (never && kept != 0) {
    beside = fmt::format(
        ", {} of them in addition to {} that the tasks it was made in hold until it has ended (the nearest is "
        "{})",
        size_text({wanted_bytes(request)}), size_text({kept}),
        request.parent->name[0] != '\0' ? fmt::format("{:?}", request.parent->name) : task_text(*request.parent));
  }
  std::string message =
      fmt::format("{} needs {} of blocks in tier {} at the same time{}, which can give {}", task_text(request),
                  size_text({bytes}), tiers_.tier_of(target).name, beside, size_text({budget}));
  if (!last_write_failure_) {
    message += fmt::format(", and what is there cannot leave: {}", last_write_failure_.message);
  } else if (never && wanted_bytes(request) + kept <= budget) {
    message += " on several nodes, but not so that each block is on one of them";
  } else if (!never) {
    message += " only when the tasks that wait for this one have ended";
  }
  if (!last_write_failure_) {
    message += "; free room there, or put the file tier on a larger disk with --tiers or WEIR_TIERS";
    return {base::Code::no_space, std::move(message)};
  }
  message += "; give the tier more with --tiers or WEIR_TIERS, or name less in one footprint";
  if (never && request.parent != nullptr && kept != 0) message += " or in that of a task around it";
  return {base::Code::no_space, std::move(message)};
}

// Each kind once.
void Residency::warn_of_place(Request& request, bool in_file, std::size_t bytes, Steps& steps) {
  const std::string& tier = tiers_.tiers()[top_].name;
  const bool first = counters_.in_place_runs++ == 0;
  if (in_file && !std::exchange(warned_in_file_, true)) {
    steps.warnings.push_back(fmt::format(
        "{} needs {} of blocks in tier {} at the same time, but all that holds room there waits for others: it "
        "uses them in the file through the page cache, outside of the budget; give the tier more with --tiers or "
        "WEIR_TIERS, or name what tasks within a task need in its footprint (further tasks are counted, not reported)",
        task_text(request), size_text({bytes}), tier));
  } else if (!in_file && first) {
    steps.warnings.push_back(fmt::format(
        "{} needs {} of blocks at the same time, more than fast memory can give: it runs in slow memory; give "
        "tier {} more with --tiers or WEIR_TIERS (further tasks are counted, not reported)",
        task_text(request), size_text({bytes}), tier));
  }
}

void Residency::run_in_place(Request& request, Steps& steps) {
  request.last_resort = true;
  bool in_file = false;
  Arena& target = target_of(request, 0);
  for (Use& use : request.uses()) {
    Block& block = *use.block;
    if (!take_place(use, target, Reuse::any)) {
      if (base::Status status = map_home(block); !status) return fail(request, std::move(status), steps);
      pin_home(use);
    }
    in_file = in_file || (use.at_home && block.home.kind == Home::Kind::file);
  }
  warn_of_place(request, in_file, fast_bytes(request), steps);
  note_used(request);
  if (request.landing != 0) {
    request.state = RequestState::staging;
    if (track_ != nullptr) record_staging(request);
    ++staging_;
    return;
  }
  hold(request);
  steps.stage(request);
}

void Residency::fail(Request& request, base::Status status, Steps& steps) {
  for (Use& use : request.uses()) leave_place(use);
  ++counters_.failures;
  request.landing = 0;
  request.state = RequestState::failed;
  if (track_ != nullptr) record_wait_end(request);
  request.failure = std::move(status);
  steps.stage(request);
}

}  // namespace weir::data

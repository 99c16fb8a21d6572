// SPDX-License-Identifier: Apache-2.0

#include "memory/arena.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <new>

#include "base/check.hpp"
#include "memory/tier_spec.hpp"
#include "platform/address_range.hpp"

namespace weir::memory {
namespace {

// How much an arena grows by at a time: half of what it has, at least a large page and at most a 256th of its budget,
// within these. docs/tuning.md#arena
constexpr std::size_t kLeastStep = platform::AddressRange::kLargePage;
constexpr std::size_t kLeastMost = std::size_t{4} << 20, kMostStep = std::size_t{64} << 20;

constexpr std::size_t most_step(std::size_t budget) { return std::clamp(budget / 256, kLeastMost, kMostStep); }

// Left to the rest of the process when a limit is near: its page tables for the step, and stacks.
constexpr std::size_t margin(std::size_t step) { return step / 256 + (std::size_t{4} << 20); }

constexpr std::size_t round_down(std::size_t bytes, std::size_t unit) { return bytes / unit * unit; }
constexpr std::size_t round_up(std::size_t bytes, std::size_t unit) { return round_down(bytes + unit - 1, unit); }

std::size_t page_bytes() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

std::size_t usable_budget(Bytes budget) { return round_down(budget.count, std::max(page_bytes(), Arena::kPage)); }

}  // namespace

class Arena::Impl {
 public:
  Impl(ArenaConfig config, std::unique_ptr<Backing> backing, std::size_t budget)
      : config_(std::move(config)),
        memory_(config_.memory ? *config_.memory : MemoryState::of_this_system()),
        backing_(std::move(backing)),
        space_(budget),
        budget_(budget) {}

  std::uint64_t allocate(std::size_t bytes) noexcept {
    const std::uint64_t offset = bytes > budget_ ? kNowhere : space_.allocate(bytes);
    return offset != kNowhere ? offset : allocate_slow(bytes, kSmall);
  }
  std::uint64_t allocate_aligned(std::size_t bytes, std::size_t alignment) noexcept;
  base::Status populate(std::size_t bytes) noexcept;
  std::size_t growth_due() noexcept;

 private:
  friend class Arena;

  [[gnu::noinline]] std::uint64_t allocate_slow(std::size_t bytes, std::size_t alignment) noexcept;
  std::uintptr_t origin() const noexcept { return reinterpret_cast<std::uintptr_t>(backing_->data()); }
  bool grow(std::size_t least) noexcept;
  bool try_grow(std::size_t least);
  std::size_t populated() const { return space_.size(); }
  std::size_t next_step() const {
    return round_up(std::clamp(populated() / 2, kLeastStep, most_step(budget_)), platform::AddressRange::kLargePage);
  }
  std::size_t allowed_step() const;
  std::size_t keep_what_is_placed(std::size_t step);
  void add_memory(std::size_t bytes);
  void refuse(const std::string& why = "");

  ArenaConfig config_;
  MemoryState memory_;
  std::unique_ptr<Backing> backing_;
  Space space_;
  std::function<void(std::span<std::byte>)> grown_;
  std::size_t budget_;
  std::size_t prepared_ = 0;  // up to here growth_due() has answered
  std::size_t on_node_ = 0;   // bytes
  bool kernel_tells_ = true;  // where pages are
  base::Status failure_;
  std::uint64_t warnings_ = 0;
};

std::uint64_t Arena::Impl::allocate_slow(std::size_t bytes, std::size_t alignment) noexcept {
  if (bytes > budget_ || alignment > budget_ || !grow(space_.shortfall(bytes, alignment))) return kNowhere;
  return space_.allocate_aligned(bytes, alignment, origin());
}

std::uint64_t Arena::Impl::allocate_aligned(std::size_t bytes, std::size_t alignment) noexcept {
  const std::uint64_t offset = bytes > budget_ ? kNowhere : space_.allocate_aligned(bytes, alignment, origin());
  return offset != kNowhere ? offset : allocate_slow(bytes, alignment);
}

base::Status Arena::Impl::populate(std::size_t bytes) noexcept {
  const std::size_t wanted = round_up(bytes, kPage);
  while (populated() < wanted) {
    if (grow(std::min(kPage, wanted - populated()))) continue;
    if (!failure_) return failure_;
    return {base::Code::no_space, fmt::format("{}: {} are more than its budget of {}", config_.name, size_text({bytes}),
                                              size_text({budget_}))};
  }
  return base::Status::success();
}

std::size_t Arena::Impl::growth_due() noexcept {
  const std::size_t step = std::min(next_step(), budget_ - populated());
  if (space_.free_bytes() >= step || !failure_ || prepared_ > populated()) return 0;
  const std::size_t bytes = std::min(step, allowed_step());
  prepared_ = populated() + step;
  return bytes;
}

// True when it has at least `least` bytes more than before.
bool Arena::Impl::grow(std::size_t least) noexcept {
  if (!failure_ || budget_ - populated() < least) return false;
  try {
    return try_grow(least);
  } catch (const std::bad_alloc&) {  // no memory left even to say so
    failure_.code = base::Code::no_space;
    budget_ = populated();
    return false;
  }
}

bool Arena::Impl::try_grow(std::size_t least) {
  const std::size_t wanted = std::max(round_up(least, platform::AddressRange::kLargePage), next_step());
  const std::size_t most = std::min(budget_ - populated(), allowed_step());
  std::size_t step = std::min(wanted, most);
  base::Status status = step < least ? base::Status{base::Code::no_space, ""} : backing_->populate(populated(), step);
  if (!status && step > least) status = backing_->populate(populated(), step = least);
  if (!status) {
    refuse(status.message);
    return false;
  }
  const std::size_t kept = keep_what_is_placed(step);
  if (kept > 0) add_memory(kept);
  if (kept < step) refuse();
  return kept >= least;
}

// What the machine, the cgroups and, unless others will do, the node have left, in whole pages.
std::size_t Arena::Impl::allowed_step() const {
  if (!backing_->takes_system_memory()) return budget_;
  std::uint64_t left = memory_.physical().bytes;
  left -= std::min<std::uint64_t>(left, margin(most_step(budget_)));
  for (const int node : config_.os_nodes) {
    const Bytes free = memory_.free_or_cached(node);
    if (!config_.prefer && free.count > 0) left = std::min(left, free.count * config_.os_nodes.size());
  }
  return round_down(left, page_bytes());
}

// How many of the `step` bytes after the populated ones are kept: all of them, or those before the first that is on
// another node.
std::size_t Arena::Impl::keep_what_is_placed(std::size_t step) {
  if (config_.os_nodes.empty()) return step;
  const auto placement = backing_->place(populated(), step);
  if (!placement) {
    kernel_tells_ = false;
    return step;
  }
  if (placement->elsewhere == 0 || config_.prefer) {
    if (placement->elsewhere > 0) ++warnings_;
    on_node_ += placement->on_nodes;
    return step;
  }
  const std::size_t kept = placement->first_elsewhere;
  backing_->release(populated() + kept, step - kept);
  on_node_ += kept;
  return kept;
}

void Arena::Impl::add_memory(std::size_t bytes) {
  std::byte* const fresh = backing_->address(populated());
  space_.add(bytes);
  if (grown_ && fresh != nullptr) grown_({fresh, bytes});
}

// From now on the budget is what the arena has: asking again at every allocation would cost a system call each.
void Arena::Impl::refuse(const std::string& why) {
  std::vector<std::string> there;
  for (const int node : config_.os_nodes) {
    there.push_back(fmt::format("NUMA node {} has {} free", node, size_text(memory_.free_now(node))));
  }
  if (there.empty()) {
    const platform::MemoryLimit limit = memory_.physical();
    there.push_back(fmt::format("{} leaves {}", limit.limited_by, size_text({limit.bytes})));
  }
  const bool could_prefer = !config_.os_nodes.empty() && !config_.prefer;
  failure_ = {base::Code::no_space,
              fmt::format("{}: asked for {}, got {}: {}{}{}; ask for less{}", config_.name, size_text({budget_}),
                          size_text({populated()}), fmt::join(there, ", "), why.empty() ? "" : "; ", why,
                          could_prefer ? ", or say prefer to take memory elsewhere" : "")};
  budget_ = populated();
}

base::Result<std::unique_ptr<Arena>> Arena::make(ArenaConfig config) {
  auto backing = anonymous_backing({usable_budget(config.budget)}, config.os_nodes, config.page_size);
  if (!backing) {
    return base::Status{backing.status().code, fmt::format("{}: {}", config.name, backing.status().message)};
  }
  return make(std::move(config), std::move(*backing));
}

base::Result<std::unique_ptr<Arena>> Arena::make(ArenaConfig config, std::unique_ptr<Backing> backing) {
  const std::size_t budget = usable_budget(config.budget);
  WEIR_CHECK(budget <= backing->size().count, "an arena's budget is at most what its backing has");
  backing->set_copy_fraction(config.copy_fraction);
  try {
    auto impl = std::make_unique<Impl>(std::move(config), std::move(backing), budget);
    return std::unique_ptr<Arena>(new Arena(std::move(impl)));
  } catch (const std::bad_alloc&) {
    return base::Status{base::Code::no_space,
                        fmt::format("no memory for the tables of an arena of {}", size_text({budget}))};
  }
}

Arena::Arena(std::unique_ptr<Impl> impl) noexcept : impl_(std::move(impl)), data_(impl_->backing_->data()) {}
Arena::~Arena() = default;

std::uint64_t Arena::allocate(std::size_t bytes) noexcept { return impl_->allocate(bytes); }
void Arena::trim() noexcept { impl_->space_.trim(); }
void Arena::free(std::uint64_t offset, std::size_t bytes) noexcept { impl_->space_.free(offset, bytes); }
std::uint64_t Arena::allocate_aligned(std::size_t bytes, std::size_t alignment) noexcept {
  return impl_->allocate_aligned(bytes, alignment);
}
std::size_t Arena::size_of(std::uint64_t offset) const noexcept { return impl_->space_.size_of(offset); }
Backing& Arena::backing() const noexcept { return *impl_->backing_; }
base::Status Arena::populate(Bytes bytes) noexcept { return impl_->populate(bytes.count); }
std::size_t Arena::growth_due() noexcept { return impl_->growth_due(); }
void Arena::prepare_growth(std::size_t offset, std::size_t bytes) const noexcept {
  impl_->backing_->prepare(offset, bytes);
}
void Arena::on_growth(std::function<void(std::span<std::byte>)> callback) { impl_->grown_ = std::move(callback); }

std::size_t Arena::budget() const noexcept { return impl_->budget_; }
std::size_t Arena::used() const noexcept { return impl_->space_.used(); }
std::size_t Arena::peak() const noexcept { return impl_->space_.peak(); }
std::size_t Arena::populated() const noexcept { return impl_->populated(); }
std::size_t Arena::largest_free() const noexcept { return impl_->space_.largest_free(); }
int Arena::index() const noexcept { return impl_->config_.index; }
std::span<const int> Arena::os_nodes() const noexcept { return impl_->config_.os_nodes; }
const std::string& Arena::name() const noexcept { return impl_->config_.name; }
const base::Status& Arena::failure() const noexcept { return impl_->failure_; }
std::uint64_t Arena::warnings() const noexcept { return impl_->warnings_; }

bool Arena::contains(const void* data) const noexcept {
  const auto* at = static_cast<const std::byte*>(data);
  return data_ != nullptr && !std::less<>()(at, data_) && std::less<>()(at, data_ + impl_->backing_->size().count);
}

std::optional<double> Arena::obtained_share() const noexcept {
  if (impl_->config_.os_nodes.empty() || !impl_->kernel_tells_) return std::nullopt;
  if (impl_->populated() == 0) return 1;
  return double(impl_->on_node_) / double(impl_->populated());
}

double Arena::large_page_share() const {
  if (impl_->populated() == 0) return 0;
  return double(impl_->backing_->in_large_pages(impl_->populated()).count) / double(impl_->populated());
}

}  // namespace weir::memory

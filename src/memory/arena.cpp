// SPDX-License-Identifier: Apache-2.0

#include "memory/arena.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <new>
#include <utility>

#include "base/check.hpp"
#include "base/joined.hpp"
#include "memory/growth.hpp"
#include "memory/pages_ahead.hpp"
#include "memory/tier_spec.hpp"
#include "platform/address_range.hpp"
#include "platform/clock.hpp"

namespace weir::memory {
namespace {

static_assert(kLeastStep == platform::AddressRange::kLargePage);

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
        margin_(margin(most_step(budget))),
        pages_(*backing_, [this] { return room(); }),
        space_(budget),
        asked_(budget),
        budget_(budget) {}

  std::uint64_t allocate(std::size_t bytes) noexcept {
    const std::uint64_t offset = bytes > budget_ ? kNowhere : space_.allocate(bytes);
    return offset != kNowhere ? offset : allocate_slow(bytes, kSmall);
  }
  std::uint64_t allocate_aligned(std::size_t bytes, std::size_t alignment) noexcept;
  base::Status populate(std::size_t bytes) noexcept;
  Range growth_due(std::size_t expected) const noexcept;
  std::size_t give_back(std::size_t least) noexcept;
  void try_again() noexcept;

 private:
  friend class Arena;

  [[gnu::noinline]] std::uint64_t allocate_slow(std::size_t bytes, std::size_t alignment) noexcept;
  std::uintptr_t origin() const noexcept { return reinterpret_cast<std::uintptr_t>(backing_->data()); }
  bool grow(std::size_t least) noexcept;
  bool try_grow(std::size_t least);
  bool take_back(std::size_t wanted) noexcept;
  bool try_take_back(std::size_t wanted);
  std::vector<Space::Hole>::iterator least_given_back(std::size_t wanted) noexcept;
  void enter_given_back(Space::Hole hole) noexcept;
  std::size_t end() const { return space_.size(); }  // of the offsets that have pages, or had
  std::size_t populated() const { return end() - given_back_bytes_; }
  std::size_t room() const;
  std::size_t keep_what_is_placed(std::size_t offset, std::size_t step);
  void tell_growth(std::size_t offset, std::size_t bytes);
  void refuse(const std::string& why = "");
  void stay_as_it_is() noexcept;

  ArenaConfig config_;
  MemoryState memory_;
  std::unique_ptr<Backing> backing_;
  const std::size_t margin_;
  PagesAhead pages_;
  Space space_;
  std::function<void(std::span<std::byte>)> grown_;
  Growth growth_;                        // since take_growth()
  std::vector<Space::Hole> given_back_;  // below end(), in no order; none touches another one or end()
  std::size_t given_back_bytes_ = 0;
  const std::size_t asked_;
  std::size_t budget_;
  std::size_t announced_ = 0;  // up to here somebody prepares pages
  std::size_t on_node_ = 0;    // bytes
  bool kernel_tells_ = true;   // where pages are
  base::Status failure_;
  std::uint64_t warnings_ = 0;
};

std::uint64_t Arena::Impl::allocate_slow(std::size_t bytes, std::size_t alignment) noexcept {
  if (bytes > budget_ || alignment > budget_) return kNowhere;
  if (!take_back(Space::room_for(bytes, alignment)) && !grow(space_.shortfall(bytes, alignment))) return kNowhere;
  return space_.allocate_aligned(bytes, alignment, origin());
}

std::uint64_t Arena::Impl::allocate_aligned(std::size_t bytes, std::size_t alignment) noexcept {
  const std::uint64_t offset = bytes > budget_ ? kNowhere : space_.allocate_aligned(bytes, alignment, origin());
  return offset != kNowhere ? offset : allocate_slow(bytes, alignment);
}

base::Status Arena::Impl::populate(std::size_t bytes) noexcept {
  const std::size_t wanted = round_up(bytes, kPage);
  while (populated() < wanted) {
    const std::size_t least = std::min(kPage, wanted - populated());
    if (take_back(least) || grow(least)) continue;
    if (!failure_) return failure_;
    return {base::Code::no_space, fmt::format("{}: {} are more than its budget of {}", config_.name, size_text({bytes}),
                                              size_text({budget_}))};
  }
  return base::Status::success();
}

Arena::Range Arena::Impl::growth_due(std::size_t expected) const noexcept {
  if (!given_back_.empty()) return {};
  const std::size_t ahead = bytes_ahead(expected, space_.free_bytes(), populated(), budget_);
  const DueGrowth due = due_growth(ahead, announced_, populated(), budget_);
  return failure_ ? Range{due.begin, due.bytes} : Range{};
}

// True when it has at least `least` bytes more than before.
bool Arena::Impl::grow(std::size_t least) noexcept {
  if (!failure_ || budget_ - populated() < least) return false;
  try {
    return try_grow(least);
  } catch (const std::bad_alloc&) {  // no memory left even to say so
    failure_.code = base::Code::no_space;
    stay_as_it_is();
    return false;
  }
}

bool Arena::Impl::try_grow(std::size_t least) {
  const std::uint64_t start = platform::ticks();
  const std::size_t offset = end(),
                    most = std::min({step_for(least, populated(), budget_), budget_ - populated(), asked_ - offset});
  if (most < least) return false;  // offsets are there for it, but not in one piece
  const auto step = pages_.take(offset, least, most);
  if (!step) {
    refuse(step.status().message);
    return false;
  }
  const std::size_t kept = keep_what_is_placed(offset, *step);
  if (kept > 0) {
    space_.add(kept);
    tell_growth(offset, kept);
  }
  if (growth_.bytes == 0) growth_.start = start;
  growth_.bytes += kept;
  growth_.ticks += platform::ticks() - start;
  if (kept < *step) refuse();
  return kept >= least;
}

std::size_t Arena::Impl::give_back(std::size_t least) noexcept {
  std::size_t total = 0;
  space_.trim();
  try {
    while (space_.largest_free() >= least && space_.largest_free() > 0) {
      given_back_.reserve(given_back_.size() + 1);
      const Space::Hole hole = space_.take_out();
      on_node_ -= static_cast<std::size_t>(double(on_node_) / double(populated()) * double(hole.bytes));
      given_back_bytes_ += hole.bytes;
      backing_->release(hole.offset, hole.bytes);
      enter_given_back(hole);
      total += hole.bytes;
    }
  } catch (const std::bad_alloc&) {  // no memory for the entry: the rest stays
  }
  if (total > 0) {
    pages_.give_back_from(end());
    try_again();  // the system has what was given back
  }
  return total;
}

// Joined with what it touches. There is room for it.
void Arena::Impl::enter_given_back(Space::Hole hole) noexcept {
  std::erase_if(given_back_, [&](const Space::Hole& other) {
    const bool before = other.offset + other.bytes == hole.offset, after = hole.offset + hole.bytes == other.offset;
    if (before) hole.offset = other.offset;
    if (before || after) hole.bytes += other.bytes;
    return before || after;
  });
  if (hole.offset + hole.bytes < end()) {
    given_back_.push_back(hole);
    return;
  }
  given_back_bytes_ -= hole.bytes;
  space_.shrink(hole.bytes);
}

void Arena::Impl::try_again() noexcept {
  if (failure_) return;
  failure_ = base::Status::success();
  budget_ = asked_;
}

// True when there is a hole of `wanted` bytes where memory was given back before.
bool Arena::Impl::take_back(std::size_t wanted) noexcept {
  if (given_back_.empty() || !failure_) return false;
  try {
    return try_take_back(wanted);
  } catch (const std::bad_alloc&) {  // no memory left even to say so
    failure_.code = base::Code::no_space;
    stay_as_it_is();
    return false;
  }
}

std::vector<Space::Hole>::iterator Arena::Impl::least_given_back(std::size_t wanted) noexcept {
  auto best = given_back_.end();
  for (auto hole = given_back_.begin(); hole != given_back_.end(); ++hole)
    if (hole->bytes >= wanted && (best == given_back_.end() || hole->bytes < best->bytes)) best = hole;
  return best;
}

bool Arena::Impl::try_take_back(std::size_t wanted) {
  auto found = least_given_back(wanted);
  // What is free may touch what was given back, or what it never had: together they may be large enough.
  const std::size_t never_had = asked_ - end();
  const bool may_be_in_pieces = never_had < wanted && never_had + given_back_bytes_ + space_.free_bytes() >= wanted;
  if (found == given_back_.end() && may_be_in_pieces && give_back(kPage) > 0) found = least_given_back(wanted);
  if (found == given_back_.end()) return false;
  const std::size_t left = room(),
                    whole = std::min({found->bytes, step_for(wanted, populated(), budget_), budget_ - populated()});
  Space::Hole taken{found->offset, whole <= left ? whole : wanted};
  const base::Status status =
      taken.bytes <= left ? backing_->populate(taken.offset, taken.bytes) : base::Status{base::Code::no_space, ""};
  if (!status) {
    refuse(status.message);
    return false;
  }
  const std::size_t step = taken.bytes;
  taken.bytes = keep_what_is_placed(taken.offset, step);
  if (taken.bytes > 0) {
    given_back_bytes_ -= taken.bytes;
    found->offset += taken.bytes;
    found->bytes -= taken.bytes;
    if (found->bytes == 0) given_back_.erase(found);
    space_.put_back(taken);
    tell_growth(taken.offset, taken.bytes);
  }
  if (taken.bytes < step) refuse();
  return taken.bytes >= wanted;
}

// What the machine, the cgroups and, unless others will do, the node have left, in whole pages. Any thread.
std::size_t Arena::Impl::room() const {
  if (!backing_->takes_system_memory()) return backing_->size().count;
  std::uint64_t left = memory_.physical().bytes;
  left -= std::min<std::uint64_t>(left, margin_);
  for (const int node : config_.os_nodes) {
    const Bytes free = memory_.free_or_cached(node);
    if (!config_.prefer && free.count > 0) left = std::min(left, free.count * config_.os_nodes.size());
  }
  return round_down(left, page_bytes());
}

// How many of the `step` bytes from `offset` on are kept: all of them, or those before the first that is on another
// node.
std::size_t Arena::Impl::keep_what_is_placed(std::size_t offset, std::size_t step) {
  if (config_.os_nodes.empty()) return step;
  const auto placement = backing_->place(offset, step);
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
  backing_->release(offset + kept, step - kept);
  on_node_ += kept;
  return kept;
}

void Arena::Impl::tell_growth(std::size_t offset, std::size_t bytes) {
  std::byte* const fresh = backing_->address(offset);
  if (grown_ && fresh != nullptr) grown_({fresh, bytes});
}

// From now on the budget is what the arena has: asking again at every allocation would cost a system call each.
void Arena::Impl::refuse(const std::string& why) {
  std::vector<std::string> there;
  for (const int node : config_.os_nodes) {
    there.push_back(fmt::format("NUMA node {} has {} free", node, size_text(memory_.free_now(node))));
  }
  if (there.empty()) {
    platform::MemoryLimit limit = memory_.physical();
    if (platform::MemoryLimit data = memory_.mappable(); data.limited_by == "ulimit -d") limit = std::move(data);
    there.push_back(fmt::format("{} leaves {}", limit.limited_by, size_text({limit.bytes})));
  }
  const bool could_prefer = !config_.os_nodes.empty() && !config_.prefer;
  failure_ = {base::Code::no_space,
              fmt::format("{}: asked for {}, got {}: {}{}{}; ask for less{}", config_.name, size_text({budget_}),
                          size_text({populated()}), base::joined(there, ", "), why.empty() ? "" : "; ", why,
                          could_prefer ? ", or say prefer to take memory elsewhere" : "")};
  stay_as_it_is();
}

void Arena::Impl::stay_as_it_is() noexcept {
  budget_ = populated();
  pages_.give_back_from(end());
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
    return base::Status{
        base::Code::no_space,
        fmt::format("no memory for the tables of an arena of {}; allow the process more (ulimit -v, ulimit -d)",
                    size_text({budget}))};
  }
}

Arena::Arena(std::unique_ptr<Impl> impl) noexcept : impl_(std::move(impl)), data_(impl_->backing_->data()) {}
Arena::~Arena() = default;

std::uint64_t Arena::allocate(std::size_t bytes) noexcept { return impl_->allocate(bytes); }
std::size_t Arena::give_back(std::size_t least) noexcept { return impl_->give_back(least); }
void Arena::try_again() noexcept { impl_->try_again(); }
void Arena::trim() noexcept { impl_->space_.trim(); }
void Arena::free(std::uint64_t offset, std::size_t bytes) noexcept { impl_->space_.free(offset, bytes); }
std::uint64_t Arena::allocate_aligned(std::size_t bytes, std::size_t alignment) noexcept {
  return impl_->allocate_aligned(bytes, alignment);
}
std::size_t Arena::size_of(std::uint64_t offset) const noexcept { return impl_->space_.size_of(offset); }
Backing& Arena::backing() const noexcept { return *impl_->backing_; }
base::Status Arena::populate(Bytes bytes) noexcept { return impl_->populate(bytes.count); }
Arena::Range Arena::growth_due(std::size_t expected) const noexcept { return impl_->growth_due(expected); }
void Arena::announce(const Range& due) noexcept { impl_->announced_ = due.offset + due.bytes; }
void Arena::prepare_growth(const Range& range) noexcept { impl_->pages_.prepare(range.offset, range.bytes); }
Arena::Growth Arena::take_growth() noexcept { return std::exchange(impl_->growth_, {}); }
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

// SPDX-License-Identifier: Apache-2.0

#include "memory/arena.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <new>

#include "base/check.hpp"
#include "memory/page_heap.hpp"
#include "memory/slabs.hpp"
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
  Impl(ArenaConfig config, platform::AddressRange range, std::size_t budget)
      : config_(std::move(config)),
        memory_(config_.memory ? *config_.memory : MemoryState::of_this_system()),
        range_(std::move(range)),
        pages_(static_cast<PageHeap::Index>(budget / kPage)),
        slabs_(range_.data(), static_cast<std::uint32_t>(budget / kPage)),
        budget_(budget) {}

  void* allocate(std::size_t bytes) noexcept;
  void* allocate_aligned(std::size_t bytes, std::size_t alignment) noexcept;
  std::size_t size_of(const void* data) const noexcept;
  void free(void* data, std::size_t bytes) noexcept;
  base::Status populate(std::size_t bytes) noexcept;
  std::size_t growth_due() noexcept;

 private:
  friend class Arena;

  PageHeap::Index allocate_pages(std::size_t count) noexcept;
  [[gnu::noinline]] bool make_hole(std::size_t pages) noexcept;
  void count(std::size_t size) noexcept;
  void* allocate_small_slow(std::size_t units) noexcept;
  bool grow(std::size_t least) noexcept;
  bool try_grow(std::size_t least);
  std::size_t next_step() const {
    return round_up(std::clamp(populated_ / 2, kLeastStep, most_step(budget_)), platform::AddressRange::kLargePage);
  }
  std::size_t allowed_step() const;
  std::size_t keep_what_is_placed(std::size_t step);
  void add_memory(std::size_t bytes);
  void refuse(const std::string& why = "");

  ArenaConfig config_;
  MemoryState memory_;
  platform::AddressRange range_;
  PageHeap pages_;
  Slabs slabs_;
  std::function<void(std::span<std::byte>)> grown_;
  std::size_t budget_;
  std::size_t populated_ = 0;
  std::size_t prepared_ = 0;  // up to here growth_due() has told
  std::size_t used_ = 0;
  std::size_t peak_ = 0;
  std::size_t on_node_ = 0;   // bytes
  bool kernel_tells_ = true;  // where pages are
  base::Status failure_;
  std::uint64_t warnings_ = 0;
};

void* Arena::Impl::allocate(std::size_t bytes) noexcept {
  if (bytes > budget_) return nullptr;
  const std::size_t size = charged(bytes);
  void* data = nullptr;
  if (size < kPage) {
    data = slabs_.allocate(size / kSmall);
    if (data == nullptr) data = allocate_small_slow(size / kSmall);
  } else if (const auto first = allocate_pages(size / kPage); first != PageHeap::kNone) {
    data = range_.data() + std::size_t{first} * kPage;
  }
  if (data != nullptr) count(size);
  return data;
}

void* Arena::Impl::allocate_aligned(std::size_t bytes, std::size_t alignment) noexcept {
  if (alignment <= kSmall) return allocate(bytes);
  if (alignment <= kPage || bytes > budget_) return allocate(std::max(bytes, kPage));
  const auto pages = static_cast<PageHeap::Index>(charged(std::max(bytes, kPage)) / kPage);
  const auto unit = static_cast<PageHeap::Index>(alignment / kPage);
  const auto phase = static_cast<PageHeap::Index>(reinterpret_cast<std::uintptr_t>(range_.data()) / kPage % unit);
  PageHeap::Index first = pages_.allocate_aligned(pages, unit, phase);
  if (first == PageHeap::kNone && make_hole(pages + unit - 1)) first = pages_.allocate_aligned(pages, unit, phase);
  if (first == PageHeap::kNone) return nullptr;
  count(pages * kPage);
  return range_.data() + std::size_t{first} * kPage;
}

void Arena::Impl::count(std::size_t size) noexcept {
  used_ += size;
  peak_ = std::max(peak_, used_);
}

std::size_t Arena::Impl::size_of(const void* data) const noexcept {
  if (const std::size_t units = slabs_.units_of(data); units > 0) return units * kSmall;
  const auto offset = static_cast<std::size_t>(static_cast<const std::byte*>(data) - range_.data());
  return pages_.allocated(static_cast<PageHeap::Index>(offset / kPage)) * kPage;
}

void Arena::Impl::free(void* data, std::size_t bytes) noexcept {
  const std::size_t size = charged(bytes);
  used_ -= size;
  if (size < kPage) return slabs_.free(data, size / kSmall);
  const auto offset = static_cast<std::size_t>(static_cast<std::byte*>(data) - range_.data());
  WEIR_ASSERT(offset % kPage == 0 && offset + size <= populated_, "memory is freed that is not of this arena");
  pages_.free(static_cast<PageHeap::Index>(offset / kPage), static_cast<PageHeap::Index>(size / kPage));
}

PageHeap::Index Arena::Impl::allocate_pages(std::size_t count) noexcept {
  const auto pages = static_cast<PageHeap::Index>(count);
  PageHeap::Index first = pages_.allocate(pages);
  if (first == PageHeap::kNone && make_hole(pages)) [[unlikely]]
    first = pages_.allocate(pages);
  return first;
}

bool Arena::Impl::make_hole(std::size_t pages) noexcept {
  slabs_.trim(pages_);
  if (pages_.largest_hole() >= pages) return true;
  const std::size_t at_the_end = pages_.hole_before(static_cast<PageHeap::Index>(populated_ / kPage));
  return grow((pages - at_the_end) * kPage);
}

void* Arena::Impl::allocate_small_slow(std::size_t units) noexcept {
  const PageHeap::Index first = allocate_pages(Slabs::kSlabPages);
  if (first == PageHeap::kNone) return nullptr;
  slabs_.add(first, units);
  return slabs_.allocate(units);
}

base::Status Arena::Impl::populate(std::size_t bytes) noexcept {
  const std::size_t wanted = round_up(bytes, kPage);
  while (populated_ < wanted) {
    if (grow(std::min(kPage, wanted - populated_))) continue;
    if (!failure_) return failure_;
    return {base::Code::no_space, fmt::format("{}: {} are more than its budget of {}", config_.name, size_text({bytes}),
                                              size_text({budget_}))};
  }
  return base::Status::success();
}

std::size_t Arena::Impl::growth_due() noexcept {
  const std::size_t step = std::min(next_step(), budget_ - populated_);
  const bool plenty = std::size_t{pages_.free_pages()} * kPage >= step;
  if (plenty || !failure_ || prepared_ > populated_) return 0;
  const std::size_t bytes = std::min(step, allowed_step());
  prepared_ = populated_ + step;
  return bytes;
}

// True when it has at least `least` bytes more than before.
bool Arena::Impl::grow(std::size_t least) noexcept {
  if (!failure_ || budget_ - populated_ < least) return false;
  try {
    return try_grow(least);
  } catch (const std::bad_alloc&) {  // no memory left even to say so
    failure_.code = base::Code::no_space;
    budget_ = populated_;
    return false;
  }
}

bool Arena::Impl::try_grow(std::size_t least) {
  const std::size_t wanted = std::max(round_up(least, platform::AddressRange::kLargePage), next_step());
  const std::size_t most = std::min(budget_ - populated_, allowed_step());
  std::size_t step = std::min(wanted, most);
  base::Status status = step < least ? base::Status{base::Code::no_space, ""} : range_.populate(populated_, step);
  if (!status && step > least) status = range_.populate(populated_, step = least);
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
  std::uint64_t left = memory_.physical().bytes;
  left -= std::min<std::uint64_t>(left, margin(most_step(budget_)));
  for (const int node : config_.os_nodes) {
    const Bytes free = memory_.free_or_cached(node);
    if (!config_.prefer && free.count > 0) left = std::min(left, free.count * config_.os_nodes.size());
  }
  return round_down(left, page_bytes());
}

// Of the `step` bytes after populated_: all of them, or those before the first that is on another node.
std::size_t Arena::Impl::keep_what_is_placed(std::size_t step) {
  const auto& nodes = config_.os_nodes;
  if (nodes.empty()) return step;
  std::byte* const data = range_.data() + populated_;
  auto places = platform::places_of(data, {step}, nodes);
  if (places && places->elsewhere > 0 && nodes.size() == 1) {
    platform::move_to_node(data, {step}, nodes.front());
    places = platform::places_of(data, {step}, nodes);
  }
  if (!places) {
    kernel_tells_ = false;
    return step;
  }
  if (places->elsewhere == 0 || config_.prefer) {
    if (places->elsewhere > 0) ++warnings_;
    on_node_ += places->on_node * page_bytes();
    return step;
  }
  const std::size_t kept = places->first_elsewhere;
  range_.release(populated_ + kept, step - kept);
  on_node_ += kept;
  return kept;
}

void Arena::Impl::add_memory(std::size_t bytes) {
  pages_.free(static_cast<PageHeap::Index>(populated_ / kPage), static_cast<PageHeap::Index>(bytes / kPage));
  const std::span<std::byte> fresh(range_.data() + populated_, bytes);
  populated_ += bytes;
  if (grown_) grown_(fresh);
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
                          size_text({populated_}), fmt::join(there, ", "), why.empty() ? "" : "; ", why,
                          could_prefer ? ", or say prefer to take memory elsewhere" : "")};
  budget_ = populated_;
}

base::Result<std::unique_ptr<Arena>> Arena::make(ArenaConfig config) {
  const std::size_t budget = usable_budget(config.budget);
  WEIR_CHECK(budget / kPage < PageHeap::kNone, "an arena of 16 TiB or more");
  auto range = platform::AddressRange::reserve({budget}, config.os_nodes, config.page_size);
  if (!range) {
    return base::Status{range.status().code, fmt::format("{}: {}", config.name, range.status().message)};
  }
  try {
    auto impl = std::make_unique<Impl>(std::move(config), std::move(*range), budget);
    return std::unique_ptr<Arena>(new Arena(std::move(impl)));
  } catch (const std::bad_alloc&) {
    return base::Status{base::Code::no_space,
                        fmt::format("no memory for the tables of an arena of {}", size_text({budget}))};
  }
}

Arena::Arena(std::unique_ptr<Impl> impl) noexcept : impl_(std::move(impl)) {}
Arena::~Arena() = default;

void* Arena::allocate(std::size_t bytes) noexcept { return impl_->allocate(bytes); }
void Arena::trim() noexcept { impl_->slabs_.trim(impl_->pages_); }
void Arena::free(void* data, std::size_t bytes) noexcept { impl_->free(data, bytes); }
void* Arena::allocate_aligned(std::size_t bytes, std::size_t alignment) noexcept {
  return impl_->allocate_aligned(bytes, alignment);
}
std::size_t Arena::size_of(const void* data) const noexcept { return impl_->size_of(data); }
base::Status Arena::populate(Bytes bytes) noexcept { return impl_->populate(bytes.count); }
std::size_t Arena::growth_due() noexcept { return impl_->growth_due(); }
void Arena::prepare_growth(std::size_t offset, std::size_t bytes) const noexcept {
  impl_->range_.prepare(offset, bytes);
}
void Arena::on_growth(std::function<void(std::span<std::byte>)> callback) { impl_->grown_ = std::move(callback); }

std::size_t Arena::budget() const noexcept { return impl_->budget_; }
std::size_t Arena::used() const noexcept { return impl_->used_; }
std::size_t Arena::peak() const noexcept { return impl_->peak_; }
std::size_t Arena::populated() const noexcept { return impl_->populated_; }
std::size_t Arena::largest_free() const noexcept { return std::size_t{impl_->pages_.largest_hole()} * kPage; }
int Arena::index() const noexcept { return impl_->config_.index; }
std::span<const int> Arena::os_nodes() const noexcept { return impl_->config_.os_nodes; }
const std::string& Arena::name() const noexcept { return impl_->config_.name; }
const base::Status& Arena::failure() const noexcept { return impl_->failure_; }
std::uint64_t Arena::warnings() const noexcept { return impl_->warnings_; }

bool Arena::contains(const void* data) const noexcept {
  const auto* begin = impl_->range_.data();
  const auto* at = static_cast<const std::byte*>(data);
  return !std::less<>()(at, begin) && std::less<>()(at, begin + impl_->range_.size().count);
}

std::optional<double> Arena::obtained_share() const noexcept {
  if (impl_->config_.os_nodes.empty() || !impl_->kernel_tells_) return std::nullopt;
  if (impl_->populated_ == 0) return 1;
  return double(impl_->on_node_) / double(impl_->populated_);
}

double Arena::large_page_share() const {
  if (impl_->populated_ == 0) return 0;
  return double(impl_->range_.in_large_pages(impl_->populated_).count) / double(impl_->populated_);
}

}  // namespace weir::memory

// SPDX-License-Identifier: Apache-2.0

#include "shmem/heap/partition.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>
#include <span>

#include "base/joined.hpp"
#include "machine/machine.hpp"
#include "memory/space.hpp"
#include "memory/tier_spec.hpp"
#include "platform/pages.hpp"
#include "shmem/heap/place.hpp"
#include "shmem/world/segments.hpp"
#include "shmem/world/world.hpp"

namespace weir::shmem {

namespace {

constexpr std::size_t kPage = memory::Space::kPage;
// What is released is given back to the system from that size on.
constexpr std::size_t kGivenBack = std::size_t{64} << 20;
// A description asks the kernel for no more pages than these: a second's work.
constexpr std::size_t kDescribed = std::size_t{32} << 30;

std::string name_of(const PartitionPlan& plan) {
  return plan.number == 1 ? std::string("heap") : fmt::format("heap partition {}", plan.number);
}

// Their tables take memory of this process at once.
HeapBooks books_of(const PartitionPlan& plan, std::size_t reserved) {
  try {
    return HeapBooks(*plan.bytes, reserved);
  } catch (const std::bad_alloc&) {
    fail(fmt::format(
        "{}: {} are asked for, and this process gets no memory for the tables that say which of its {} pages are "
        "in use: ask for less (SHMEM_SYMMETRIC_SIZE, SHMEM_SYMMETRIC_PARTITION{})",
        name_of(plan), memory::size_text({*plan.bytes}), *plan.bytes / kPage, plan.number));
  }
}

// The largest power of two of which this address is a multiple on every PE.
std::size_t agree_on_alignment(const std::byte* data) {
  const World& w = world();
  const auto mine = static_cast<unsigned char>(std::countr_zero(reinterpret_cast<std::uintptr_t>(data)));
  std::vector<unsigned char> all(static_cast<std::size_t>(w.n_pes));
  check(w.transport->all_gather(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(all))));
  return std::size_t{1} << *std::min_element(all.begin(), all.end());
}

}  // namespace

Partition::Partition(const PartitionPlan& plan, std::size_t reserved)
    : plan_(plan), reserved_(reserved), os_nodes_(nodes_for(plan)), books_(books_of(plan, reserved)) {
  World& w = world();
  // A page at the end belongs to nobody: a small operation that begins before the end ends in it. Another one, and what
  // more the region has, guards the next PE's.
  const std::size_t size = reserved_ + books_.capacity();
  auto region = w.transport->make_region({.size = {size + 2 * kPage},
                                          .os_nodes = os_nodes_,
                                          .name = name_of(plan),
                                          .alignment = std::bit_floor(books_.capacity())});
  base::Status status = region.status();
  if (status.code == base::Code::no_space)
    status.message += fmt::format(
        " ({})", plan_.number == 1 ? "SHMEM_SYMMETRIC_SIZE" : fmt::format("SHMEM_SYMMETRIC_PARTITION{}", plan_.number));
  check(status);
  // Of this PE's own mapping only: operations to other PEs are checked. Where there can be no guard, none is needed to
  // go on.
  ::mprotect(region->data + size + kPage, region->size.count - size - kPage, PROT_NONE);
  add_segment(*region, 0, region->data, size, name_of(plan));
  begin_ = region->data + reserved_;
  largest_alignment_ = agree_on_alignment(region->data);
}

bool Partition::contains(const void* data) const noexcept { return offset_of(data) < books_.capacity(); }

std::uint64_t Partition::offset_of(const void* data) const noexcept {
  return reinterpret_cast<std::uintptr_t>(data) - reinterpret_cast<std::uintptr_t>(begin_);
}

std::byte* Partition::allocate(std::size_t bytes, std::size_t alignment) {
  const std::uint64_t offset = books_.allocate(bytes, alignment);
  return offset == HeapBooks::kNowhere ? nullptr : begin_ + offset;
}

std::optional<std::size_t> Partition::size_of(const void* data) const { return books_.size_of(offset_of(data)); }

void Partition::release(void* data) {
  const std::size_t taken = books_.release(offset_of(data));
  if (taken >= kGivenBack) ::madvise(data, taken, MADV_REMOVE);
}

std::byte* Partition::replace(void* data, std::size_t bytes) {
  const std::uint64_t offset = books_.replace(offset_of(data), bytes);
  return offset == HeapBooks::kNowhere ? nullptr : begin_ + offset;
}

bool Partition::resize(void* data, std::size_t bytes) {
  const std::size_t before = memory::Space::charged(size_of(data).value_or(0));
  if (!books_.resize(offset_of(data), bytes)) return false;
  const std::size_t after = memory::Space::charged(bytes);
  if (before >= after + kGivenBack) ::madvise(static_cast<std::byte*>(data) + after, before - after, MADV_REMOVE);
  return true;
}

void Partition::clear(std::byte* data, std::size_t bytes, const std::byte* given_before) const noexcept {
  if (data < given_before) std::memset(data, 0, std::min(bytes, static_cast<std::size_t>(given_before - data)));
}

std::string Partition::describe() const {
  std::string text = fmt::format("{}: {} of {} in use, {} at most", name_of(plan_), memory::size_text({books_.used()}),
                                 memory::size_text({books_.capacity()}), memory::size_text({books_.peak()}));
  if (plan_.kind) text += fmt::format(", {} asked for", machine::to_string(*plan_.kind));
  const std::size_t bytes = std::min((books_.untouched_from() + kPage - 1) / kPage * kPage, kDescribed);
  const auto places = platform::places_of(begin_, {bytes}, os_nodes_);
  if (!places) return text + fmt::format("; where its pages are is not known: {}", places.status().message);
  const std::size_t there = places->on_node + places->elsewhere;
  text += fmt::format("; {} of its pages are there", there);
  if (bytes == kDescribed) text += fmt::format(" in the first {}", memory::size_text({kDescribed}));
  if (!os_nodes_.empty())
    text += fmt::format(", {} of them on node {}", places->on_node, base::joined(os_nodes_, ", "));
  return text;
}

}  // namespace weir::shmem

// SPDX-License-Identifier: Apache-2.0

#include "shmem/heap/heap.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <deque>
#include <memory>

#include "memory/space.hpp"
#include "shmem/group/open.hpp"
#include "shmem/heap/heaps.hpp"
#include "shmem/heap/partition.hpp"
#include "shmem/heap/place.hpp"
#include "shmem/observe/call.hpp"
#include "shmem/observe/recording.hpp"
#include "shmem/world/address.hpp"

namespace weir::shmem {

namespace {

constexpr std::size_t kSmallAlignment = 64;

// Never destroyed: at exit programs may still look at their memory.
std::deque<Partition>& partitions() {
  static auto* const made = new std::deque<Partition>;
  return *made;
}

Partition* partition_of(const void* data) {
  for (Partition& partition : partitions()) {
    if (partition.contains(data)) return &partition;
  }
  return nullptr;
}

Partition& first_partition() {
  if (partitions().empty()) fail_not_started();
  return partitions().front();
}

// As shmem_barrier_all.
void meet() {
  const Meeting meeting(heap_gathering(), trace::PeMeet::heap, 0);
  barrier_unrecorded(heap_group());
}

// Null: the heap has no room, or the machine no memory.
std::byte* try_allocate(Partition& partition, std::size_t bytes, std::size_t alignment = kSmallAlignment) {
  std::byte* const data = partition.allocate(bytes, alignment);
  if (data == nullptr || is_there_memory_for(bytes)) return data;
  partition.release(data);
  return nullptr;
}

// What a call ends with: of null perror() tells the cause.
void* answer(std::byte* data) noexcept {
  if (data == nullptr) errno = ENOMEM;
  return data;
}

void* allocate_in(Partition& partition, std::size_t bytes, std::size_t alignment = kSmallAlignment) {
  if (bytes == 0) return nullptr;
  std::byte* const data = try_allocate(partition, bytes, alignment);
  meet();
  return answer(data);
}

struct Hints {
  long partition = 0;  // 0: the heap
  bool barrier = true;
};
Hints parse_hints(long hints) noexcept {
  constexpr long kKnown = kAtomicsRemote | kSignalRemote | kNoBarrier, kLow = (1L << kPartitionShift) - 1;
  if (hints < 0 || (hints & kLow & ~kKnown) != 0) return {};
  return {.partition = hints >> kPartitionShift, .barrier = (hints & kNoBarrier) == 0};
}

// Null: there is none of that number.
Partition* partition_numbered(long number) {
  if (number == 0) return &first_partition();
  const auto found = std::find_if(partitions().begin(), partitions().end(),
                                  [&](const Partition& one) { return one.number() == number; });
  return found == partitions().end() ? nullptr : &*found;
}

// The partition and the size of an allocation; ends the program when it is none.
struct Found {
  Partition& partition;
  std::size_t bytes;
};
Found find(const void* data) {
  first_partition();
  Partition* const partition = partition_of(data);
  const auto bytes = partition == nullptr ? std::nullopt : partition->size_of(data);
  if (!bytes) {
    fail(fmt::format("{} was not given by shmem_malloc or its like, or was freed before{}", data,
                     partition == nullptr ? ": it is not in the symmetric heap" : ""));
  }
  return {*partition, *bytes};
}

// Where it is, else elsewhere, else in room that includes its own; null: there is none, and it is as it was. The same
// on all PEs, whose books and answers of is_there_memory_for() are.
void* resize(const Found& old, void* data, std::size_t bytes) {
  Partition& partition = old.partition;
  if (bytes > partition.capacity()) return nullptr;  // before it is asked whether the machine has that much
  const std::size_t kept = std::min(bytes, old.bytes), more = bytes - kept;
  if (partition.resize(data, bytes)) {
    if (more == 0 || is_there_memory_for(more)) return data;
    partition.resize(data, std::max(old.bytes, memory::Space::kPage));  // only whole pages are resized
    return nullptr;
  }
  if (std::byte* const other = partition.allocate(bytes, kSmallAlignment); other != nullptr) {
    const bool has_memory = is_there_memory_for(bytes);
    if (has_memory) std::memcpy(other, data, kept);
    partition.release(has_memory ? data : other);
    return has_memory ? other : nullptr;
  }
  if (more > 0 && !is_there_memory_for(more)) return nullptr;
  std::byte* const around = partition.replace(data, bytes);
  if (around != nullptr) std::memmove(around, data, kept);
  return around;
}

}  // namespace

void open_heaps(const std::vector<PartitionPlan>& plans) {
  for (const PartitionPlan& plan : plans) partitions().emplace_back(plan, partitions().empty() ? kInternalBytes : 0);
  world().internal = partitions().front().reserved();
  world().internal_bytes = kInternalBytes;
  reset_internal();
}

void close_heaps() noexcept {
  partitions().clear();
  world().internal = nullptr;
  world().internal_bytes = 0;
}

std::string describe_heaps() {
  std::string text;
  for (const Partition& partition : partitions()) text += partition.describe() + "\n";
  return text;
}

void* allocate(std::size_t bytes) { return allocate_in(first_partition(), bytes); }

void* allocate_cleared(std::size_t count, std::size_t bytes) {
  Partition& partition = first_partition();
  std::size_t total = 0;
  if (__builtin_mul_overflow(count, bytes, &total)) return nullptr;
  if (total == 0) return nullptr;
  const std::byte* const untouched = partition.untouched();
  std::byte* const data = try_allocate(partition, total);
  if (data != nullptr) partition.clear(data, total, untouched);
  meet();
  return answer(data);
}

void* allocate_aligned(std::size_t alignment, std::size_t bytes) {
  Partition& partition = first_partition();
  if (!std::has_single_bit(alignment)) return errno = EINVAL, nullptr;
  if (alignment > partition.largest_alignment()) return errno = ENOMEM, nullptr;
  return allocate_in(partition, bytes, alignment);
}

void* reallocate(void* data, std::size_t bytes) {
  if (data == nullptr) return allocate(bytes);
  if (bytes == 0) return release(data), nullptr;
  const Found old = find(data);
  meet();
  void* const resized = resize(old, data, bytes);
  meet();
  return resized;
}

void release(void* data) {
  if (data == nullptr) return;
  const Found found = find(data);
  meet();
  found.partition.release(data);
}

bool is_allocation(const void* data) {
  const Partition* const partition = partition_of(data);
  return partition != nullptr && partition->size_of(data).has_value();
}

BlockState block_at(const void* data) {
  first_partition();
  const Partition* const partition = partition_of(data);
  if (partition == nullptr) return BlockState::not_in_heap;
  if (partition->size_of(data)) return BlockState::allocation;
  return partition->is_given(data) ? BlockState::inside : BlockState::free;
}

void* allocate_with_hints(std::size_t bytes, long hints) {
  first_partition();
  const Hints asked = parse_hints(hints);
  Partition* const partition = partition_numbered(asked.partition);
  if (partition == nullptr || bytes == 0) return nullptr;
  return asked.barrier ? allocate_in(*partition, bytes) : answer(try_allocate(*partition, bytes));
}

}  // namespace weir::shmem

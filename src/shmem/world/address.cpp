// SPDX-License-Identifier: Apache-2.0

#include "shmem/world/address.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <iterator>

#include "shmem/world/in_library.hpp"

namespace weir::shmem {

namespace {

std::string stack_or_file_of(const void* address) {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  const auto here = reinterpret_cast<std::uintptr_t>(&at);
  if (at - here < (std::size_t{8} << 20)) return "is on a stack";
  Dl_info info{};
  if (dladdr(address, &info) != 0 && info.dli_fname != nullptr)
    return fmt::format(
        "is in {}, whose data are not symmetric: read-only, thread-local, of a library of the system that calls no "
        "SHMEM "
        "routine, or loaded after the start",
        info.dli_fname);
  return "is in private memory of this process";
}

}  // namespace

const Segment* segment_of_slow(std::uintptr_t address) noexcept {
  const World& w = world();
  for (int i = static_cast<int>(std::size(w.segments)); i < w.n_segments; ++i) {
    if (w.all_segments[i].contains(address)) return &w.all_segments[i];
  }
  return nullptr;
}

const std::byte* constant(const void* symmetric, std::size_t bytes, int pe) noexcept {
  const World& w = world();
  if (static_cast<unsigned>(pe) >= static_cast<unsigned>(w.n_pes)) return nullptr;
  for (int i = 0; i < w.n_constants; ++i) {
    if (w.constants[i].contains(reinterpret_cast<std::uintptr_t>(symmetric), bytes))
      return static_cast<const std::byte*>(symmetric);
  }
  return nullptr;
}

void fail_address(const void* symmetric, int pe) noexcept {
  const InLibrary inside;
  const World& w = world();
  if (w.n_pes == 0) fail_not_started();
  if (!w.is_open)
    fail("called before shmem_init() has returned: other threads have to wait for it before they use the library");
  if (static_cast<unsigned>(pe) >= static_cast<unsigned>(w.n_pes))
    fail(fmt::format("PE {} does not exist: there are {}, from 0 to {}", pe, w.n_pes, w.n_pes - 1));
  fail(fmt::format("address {} is not symmetric: it {}. Use memory of shmem_malloc, or a global or static variable",
                   symmetric, stack_or_file_of(symmetric)));
}

std::string place_text(const void* symmetric) {
  const World& w = world();
  const Segment* const segment = segment_of(symmetric);
  const bool is_heap = segment == &w.segments[0];
  const std::uintptr_t start =
      is_heap ? reinterpret_cast<std::uintptr_t>(w.internal) + w.internal_bytes : segment->start;
  return fmt::format("{} + {}", segment->name, reinterpret_cast<std::uintptr_t>(symmetric) - start);
}

void fail_range(const void* symmetric, std::size_t bytes, int pe) noexcept {
  const InLibrary inside;
  const Segment* segment = segment_of(symmetric);
  const std::size_t offset = reinterpret_cast<std::uintptr_t>(symmetric) - segment->start;
  fail(fmt::format("{} bytes at {} of PE {} go beyond the {}: from there to its end are {} bytes", bytes, symmetric, pe,
                   segment->name, segment->size - offset));
}

void check_end_slow(const void* array, std::size_t bytes) noexcept {
  const Segment* const segment = segment_of_slow(reinterpret_cast<std::uintptr_t>(array));
  if (segment != nullptr && !segment->contains(reinterpret_cast<std::uintptr_t>(array), bytes))
    fail_range(array, bytes, world().my_pe);
}

std::byte* try_mapped(const void* symmetric, int pe) noexcept {
  const Segment* segment = segment_of(symmetric);
  if (segment == nullptr || static_cast<unsigned>(pe) >= static_cast<unsigned>(world().n_pes)) return nullptr;
  return mapped(symmetric, pe);
}

std::optional<transport::Location> locate(const void* symmetric, int pe) noexcept {
  const Segment* segment = segment_of(symmetric);
  if (segment == nullptr || static_cast<unsigned>(pe) >= static_cast<unsigned>(world().n_pes)) return {};
  const std::uint64_t offset = reinterpret_cast<std::uintptr_t>(symmetric) - segment->start;
  return transport::Location{static_cast<Rank>(pe), segment->region, segment->region_offset + offset};
}

namespace {

// Which of the segments or constants it is in, which all PEs have in the same order, and how far from its start.
constexpr std::uint64_t kIsName = std::uint64_t{1} << 63, kIsConstant = std::uint64_t{1} << 62;
constexpr int kIndexShift = 48;
constexpr std::uint64_t kOffset = (std::uint64_t{1} << kIndexShift) - 1;

template <class Range>
std::uint64_t name_in(const Range* ranges, int count, const void* object) noexcept {
  const auto address = reinterpret_cast<std::uintptr_t>(object);
  for (int i = 0; i < count; ++i) {
    if (ranges[i].contains(address, 1))
      return kIsName | static_cast<std::uint64_t>(i) << kIndexShift | (address - ranges[i].start);
  }
  return 0;
}

}  // namespace

std::uint64_t name_of(const void* object) noexcept {
  const World& w = world();
  if (const std::uint64_t name = name_in(w.all_segments, w.n_segments, object); name != 0) return name;
  const std::uint64_t name = name_in(w.constants, w.n_constants, object);
  return name == 0 ? 0 : name | kIsConstant;
}

const void* named(std::uint64_t name) noexcept {
  const World& w = world();
  const std::uint64_t index = (name & ~(kIsName | kIsConstant)) >> kIndexShift;
  const std::uintptr_t start = (name & kIsConstant) != 0 ? w.constants[index].start : w.all_segments[index].start;
  return reinterpret_cast<const void*>(start + (name & kOffset));
}

bool is_symmetric(const void* data, std::size_t bytes) noexcept {
  const Segment* segment = segment_of(data);
  return segment != nullptr && segment->contains(reinterpret_cast<std::uintptr_t>(data), bytes);
}

}  // namespace weir::shmem

// SPDX-License-Identifier: Apache-2.0

#include "transport/shared/regions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "base/check.hpp"
#include "memory/tier_spec.hpp"
#include "platform/pages.hpp"

namespace weir::transport::shared {
namespace {

using base::Code;
using base::Status;
using memory::SharedBacking;

constexpr std::uint64_t kGranule = std::uint64_t{2} << 20;

}  // namespace

Regions::Regions(Commons& commons, Assembly& assembly, Sockets& sockets)
    : commons_(commons), assembly_(assembly), sockets_(sockets), entries_(kMost) {}

// The others get the memory from their sockets once all have agreed that rank 0 has it: it was sent before.
base::Result<Region> Regions::make(const RegionSpec& spec) {
  const auto stride = agree_on_size(spec);
  if (!stride) return stride.status();
  const auto free =
      std::find_if(entries_.begin(), entries_.end(), [](const Entry& entry) { return entry.memory == nullptr; });
  if (free == entries_.end()) return Status{Code::no_space, fmt::format("{} regions are all that there can be", kMost)};

  Memory memory(Status{Code::lost, "of rank 0"});
  const std::uint64_t offset = static_cast<std::uint32_t>(commons_.rank()) * *stride;
  if (commons_.rank() == Rank{0}) memory = make_memory(spec, *stride);
  if (Status status = assembly_.agree(commons_.rank() == Rank{0} ? memory.status() : Status{}); !status) return status;
  if (commons_.rank() != Rank{0}) memory = receive_memory(spec, offset);

  Status ready = memory.status();
  if (ready && !spec.os_nodes.empty()) {
    ready = platform::prefer_nodes((*memory)->data() + offset, {*stride}, spec.os_nodes);
  }
  if (Status status = assembly_.agree(ready); !status) return status;
  std::byte* const base = (*memory)->data();
  *free = {std::move(*memory), base, *stride};
  return Region{RegionId(free - entries_.begin()), base + offset, {*stride}};
}

base::Result<std::uint64_t> Regions::agree_on_size(const RegionSpec& spec) {
  std::vector<std::uint64_t> sizes(commons_.ranks());
  Status status =
      assembly_.all_gather(std::as_bytes(std::span(&spec.size.count, 1)), std::as_writable_bytes(std::span(sizes)));
  if (!status) return status;
  const auto largest = std::max_element(sizes.begin(), sizes.end());
  if (*largest == 0) return Status{Code::bad_option, fmt::format("region {}: no rank asks for a byte", spec.name)};
  const std::uint64_t stride = (*largest + kGranule - 1) / kGranule * kGranule;
  std::int64_t total = 0;
  if (stride == 0 || __builtin_mul_overflow(stride, std::uint64_t{commons_.ranks()}, &total)) {
    return Status{Code::no_space,
                  fmt::format("region {}: rank {} asks for {}, which on {} ranks is more than there "
                              "are addresses: ask for less",
                              spec.name, largest - sizes.begin(), memory::size_text({*largest}), commons_.ranks())};
  }
  return stride;
}

Regions::Memory Regions::make_memory(const RegionSpec& spec, std::uint64_t stride) {
  const Bytes size{stride * commons_.ranks()};
  auto memory = SharedBacking::open({.source = SharedBacking::Source::memfd,
                                     .name = "weir " + spec.name,
                                     .size = size,
                                     .os_nodes = {},
                                     .alignment = {spec.alignment, 0}});
  if (!memory) {
    return Status{memory.status().code, fmt::format("region {}: {} on each of {} ranks is {}: {}; ask for less",
                                                    spec.name, memory::size_text({stride}), commons_.ranks(),
                                                    memory::size_text(size), memory.status().message)};
  }
  for (std::uint32_t i = 1; i < commons_.ranks(); ++i) {
    if (Status status = sockets_.send(Rank{i}, {}, (*memory)->descriptor()); !status) return status;
  }
  return memory;
}

Regions::Memory Regions::receive_memory(const RegionSpec& spec, std::uint64_t offset) {
  platform::Descriptor descriptor;
  const auto packet = sockets_.receive(Rank{0}, std::chrono::steady_clock::now(), &descriptor);
  if (!packet) return packet.status();
  if (!descriptor.is_open()) {
    return Status{Code::no_space,
                  fmt::format("region {}: no descriptor can be received; raise the limit (ulimit -n)", spec.name)};
  }
  return SharedBacking::attach(descriptor.release(), "weir " + spec.name, {spec.alignment, offset});
}

base::Status Regions::free(RegionId id) {
  if (Status status = assembly_.barrier(); !status) return status;
  Entry& entry = entries_.at(static_cast<std::size_t>(id));
  WEIR_CHECK(entry.memory != nullptr, "free_region() of a region that there is not");
  entry = {};
  return Status::success();
}

std::byte* Regions::part(Rank rank, RegionId id) const noexcept {
  const auto index = static_cast<std::size_t>(id);
  if (index >= kMost || static_cast<std::uint32_t>(rank) >= commons_.ranks()) return nullptr;
  const Entry& entry = entries_[index];
  return entry.base == nullptr ? nullptr : entry.base + static_cast<std::uint32_t>(rank) * entry.stride;
}

Transport::Descriptor Regions::descriptor(RegionId id) const noexcept {
  const auto index = static_cast<std::size_t>(id);
  if (index >= kMost || entries_[index].memory == nullptr) return {};
  const Entry& entry = entries_[index];
  return {entry.memory->descriptor(), static_cast<std::uint32_t>(commons_.rank()) * entry.stride};
}

std::byte* Regions::find(const Location& at, std::size_t bytes) const noexcept {
  std::byte* const begin = part(at.rank, at.region);
  WEIR_CHECK(begin != nullptr, "a location on a rank, or in a region, that there is not");
  const std::uint64_t size = entries_[static_cast<std::size_t>(at.region)].stride;
  WEIR_CHECK(at.offset <= size && bytes <= size - at.offset, "a location beyond the end of its region");
  return begin + at.offset;
}

}  // namespace weir::transport::shared

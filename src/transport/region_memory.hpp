// SPDX-License-Identifier: Apache-2.0

// RegionMemory: one region of the transport, cut in pieces that the tiers of a runtime stand on, so that other ranks
// reach the blocks in them.
//
// The region is made once for all ranks and is as large as the largest of them asks for: addresses only, pages come as
// tiers grow. Pieces are cut one behind the other and never given back. Any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "base/mutex.hpp"
#include "base/result.hpp"
#include "memory/backing.hpp"
#include "transport/transport.hpp"

namespace weir::transport {

class RegionMemory {
 public:
  // Collective. `transport` outlives it.
  static base::Result<std::unique_ptr<RegionMemory>> make(Transport& transport, Bytes size);

  // A piece, with its pages on `os_nodes` where there is room (none: anywhere). no_space when the region has no more.
  base::Result<std::unique_ptr<memory::Backing>> cut(Bytes size, std::span<const int> os_nodes,
                                                     const std::string& name);

  RegionId id() const noexcept { return region_.id; }
  // Where in the region memory lies; none: outside.
  std::optional<std::uint64_t> offset_of(const std::byte* data) const noexcept {
    const auto offset = static_cast<std::uint64_t>(data - region_.data);
    return offset < region_.size.count ? std::optional(offset) : std::nullopt;
  }

 private:
  RegionMemory(const Region& region, Transport::Descriptor descriptor) noexcept
      : region_(region), descriptor_(descriptor) {}

  const Region region_;
  const Transport::Descriptor descriptor_;
  base::Mutex mutex_;
  std::uint64_t cut_ WEIR_GUARDED_BY(mutex_) = 0;
};

}  // namespace weir::transport

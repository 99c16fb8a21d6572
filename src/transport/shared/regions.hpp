// SPDX-License-Identifier: Apache-2.0

// Regions: memory that all ranks of a host map, each at an address of its own, as one range: part i at base + i *
// stride.
//
// Rank 0 makes it, nameless, and sends it to the others. make() and free() are collective; of the rest, any thread.
#pragma once

#include <memory>
#include <vector>

#include "memory/shared_backing.hpp"
#include "transport/shared/assembly.hpp"
#include "transport/shared/sockets.hpp"
#include "transport/transport.hpp"

namespace weir::transport::shared {

class Regions {
 public:
  static constexpr std::size_t kMost = 4096;

  Regions(Commons& commons, Assembly& assembly, Sockets& sockets);

  base::Result<Region> make(const RegionSpec& spec);
  base::Status free(RegionId id);
  std::byte* part(Rank rank, RegionId id) const noexcept;
  Transport::Descriptor descriptor(RegionId id) const noexcept;
  // Where these bytes are; that they are there is checked.
  std::byte* find(const Location& at, std::size_t bytes) const noexcept;

 private:
  struct Entry {
    std::unique_ptr<memory::SharedBacking> memory;  // null: no such region
    std::byte* base = nullptr;
    std::uint64_t stride = 0;
  };
  using Memory = base::Result<std::unique_ptr<memory::SharedBacking>>;

  base::Result<std::uint64_t> agree_on_size(const RegionSpec& spec);
  Memory make_memory(const RegionSpec& spec, std::uint64_t stride);
  Memory receive_memory(const RegionSpec& spec, std::uint64_t offset);

  Commons& commons_;
  Assembly& assembly_;
  Sockets& sockets_;
  std::vector<Entry> entries_;  // by id; never grows
};

}  // namespace weir::transport::shared

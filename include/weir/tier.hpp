// SPDX-License-Identifier: Apache-2.0

// Memory of a chosen tier for code that is not tasks: an allocator for containers, and a std::pmr::memory_resource.
//
//   std::vector<double, weir::TierAllocator<double>> field(n, weir::TierAllocator<double>("hbm"));
//   std::pmr::unordered_map<int, Cell> cells(weir::tier_resource("hbm", weir::TierPolicy::preferred));
//
// Tiers are kinds of memory, as `weir topo` names them: hbm, ddr, cxl, nvm, device; memory: the ordinary one, whatever
// its kind. Memory comes from the node nearest to the calling thread, else from the next near one of the same kind. It
// is touched before it is given, so what is given from a tier is in that tier. No Runtime is needed. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory_resource>
#include <new>
#include <string_view>
#include <type_traits>

namespace weir {

// What happens when the tier has no room.
enum class TierPolicy : unsigned char {
  strict,    // std::bad_alloc
  preferred  // ordinary memory, counted, and said once on standard error
};

// One for each tier and policy, the same at each call, never destroyed. Small objects come from pools per thread.
// Throws weir::Error for a tier that does not exist; with strict also when this machine has no such memory, or none
// that is free. Cost of the first call for a tier: the machine is looked at, milliseconds.
std::pmr::memory_resource* tier_resource(std::string_view tier, TierPolicy policy = TierPolicy::strict);

// What all resources of a tier together have allocated since the program began. Throws weir::Error as tier_resource()
// does for a tier that does not exist.
struct TierUse {
  std::uint64_t budget = 0;     // what was free at the first use, less a reserve
  std::uint64_t used = 0;       // now; small objects by pools
  std::uint64_t peak = 0;       // the sum over its nodes
  std::uint64_t populated = 0;  // taken from the system; it is not given back
  double obtained_share = 1;    // of that, on the tier's nodes when it was touched, as the kernel says
  std::uint64_t fallbacks = 0;  // allocations that went to ordinary memory
};
TierUse tier_use(std::string_view tier);

// For containers: allocates from a tier_resource(). Copies of a container keep their tier.
template <class T>
class TierAllocator {
 public:
  using value_type = T;
  using propagate_on_container_copy_assignment = std::true_type;
  using propagate_on_container_move_assignment = std::true_type;
  using propagate_on_container_swap = std::true_type;

  // Throws as tier_resource() does.
  explicit TierAllocator(std::string_view tier, TierPolicy policy = TierPolicy::strict)
      : resource_(tier_resource(tier, policy)) {}
  template <class U>
  TierAllocator(const TierAllocator<U>& other) noexcept : resource_(other.resource()) {}

  // Throws std::bad_alloc.
  [[nodiscard]] T* allocate(std::size_t count) {
    if (count > std::numeric_limits<std::size_t>::max() / sizeof(T)) throw std::bad_array_new_length();
    return static_cast<T*>(resource_->allocate(count * sizeof(T), alignof(T)));
  }
  void deallocate(T* data, std::size_t count) noexcept { resource_->deallocate(data, count * sizeof(T), alignof(T)); }

  std::pmr::memory_resource* resource() const noexcept { return resource_; }

  template <class U>
  friend bool operator==(const TierAllocator& a, const TierAllocator<U>& b) noexcept {
    return a.resource() == b.resource();
  }

 private:
  std::pmr::memory_resource* resource_;
};

}  // namespace weir

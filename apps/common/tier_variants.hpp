// SPDX-License-Identifier: Apache-2.0

// The variants of the applications whose data may be larger than fast memory, and what each of them is given.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "weir/options.hpp"

namespace weir::apps {

enum class TierVariantKind : std::uint8_t { serial, openmp, weir, island, mmap, starpu };

struct TierVariant {
  std::string_view name;
  TierVariantKind kind = TierVariantKind::weir;
  bool tiered = false;                  // has a fast tier that the data need not fit in
  Strategy strategy = Strategy::ahead;  // of the tiered weir variants
  std::string_view purpose;             // a few words
};

// serial, openmp, weir-resident, weir-off, weir-inline, weir-single, weir-multi, weir-ahead, weir-model, weir-island,
// mmap, starpu.
std::span<const TierVariant> tier_variants();
const TierVariant* find_tier_variant(std::string_view name);  // null when there is none

// In which order tasks are made: as a plain program would, or so that what is in the fast tier is used again.
enum class Order : std::uint8_t { naive, reuse };

struct TierSettings {
  Options runtime;  // of the weir variants; workers, tiers, strategy and eviction are set
  int threads = 1;  // of all but serial
  Order order = Order::reuse;
  std::uint64_t budget = 0;  // bytes of the fast tier; 0: everything is resident
  std::string folder;        // of mmap's file, and StarPU's; of no meaning to the others
};

}  // namespace weir::apps

// SPDX-License-Identifier: Apache-2.0

#include "apps/common/tier_variants.hpp"

#include <algorithm>

namespace weir::apps {
namespace {

using Kind = TierVariantKind;

constexpr TierVariant kVariants[] = {
    {"serial", Kind::serial, false, Strategy::off, "one thread, all in memory"},
    {"openmp", Kind::openmp, false, Strategy::off, "parallel loops, all in memory"},
    {"weir-resident", Kind::weir, false, Strategy::off, "tasks, all in memory"},
    {"weir-off", Kind::weir, true, Strategy::off, "the fast tier filled first, nothing moved"},
    {"weir-inline", Kind::weir, true, Strategy::inline_, "workers fetch and evict themselves"},
    {"weir-single", Kind::weir, true, Strategy::single, "one thread moves"},
    {"weir-multi", Kind::weir, true, Strategy::multi, "a thread for each worker moves"},
    {"weir-ahead", Kind::weir, true, Strategy::ahead, "before tasks are ready, evicts what is needed last"},
    {"weir-model", Kind::weir, true, Strategy::model, "as ahead, where that gains more than it costs"},
    {"weir-island", Kind::island, false, Strategy::off, "tasks on processes, all in memory"},
    {"mmap", Kind::mmap, true, Strategy::off, "openmp over a mapped file, left to the kernel's paging"},
    {"starpu", Kind::starpu, true, Strategy::off, "StarPU out of core"}};

}  // namespace

std::span<const TierVariant> tier_variants() { return kVariants; }

const TierVariant* find_tier_variant(std::string_view name) {
  const auto* found = std::find_if(std::begin(kVariants), std::end(kVariants),
                                   [&](const TierVariant& variant) { return variant.name == name; });
  return found == std::end(kVariants) ? nullptr : found;
}

}  // namespace weir::apps

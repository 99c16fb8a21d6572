// SPDX-License-Identifier: Apache-2.0

#include "ocr/blocks/block_hint.hpp"

#include "ocr/blocks/block_local.hpp"
#include "runtime/workers.hpp"

namespace weir::ocr {

void apply_hint(Block& block, const ocrHint_t& hint) {
  if (hint.type != OCR_HINT_DB_T || hint.propMask == 0) return;
  if (block.hint == nullptr) block.hint = new ocrHint_t{OCR_HINT_DB_T, 0, {}};
  merge_hint(*block.hint, hint);
  const bool eager = hint_value(*block.hint, OCR_HINT_DB_EAGER, 0) != 0;
  const bool lazy = hint_value(*block.hint, OCR_HINT_DB_LAZY, 0) != 0;
  block.fetch = eager ? Block::Fetch::eager : lazy ? Block::Fetch::lazy : Block::Fetch::usual;
}

Place place_of_hint(const BlockLocal& local, const ocrHint_t& hint) noexcept {
  Place place{local.worker->domain(), {}};
  const int domain = domain_of_hint(hint_value(hint, OCR_HINT_DB_AFFINITY, 0));
  if (domain >= 0 && domain < local.worker->scheduler().domain_count()) {
    place.domain = domain;
    place.hint.near_domain = true;
  }
  using Tier = data::PlacementHint::Tier;
  const auto says = [&](ocrHintProp_t property) { return hint_value(hint, property, 0) != 0; };
  if (says(OCR_HINT_DB_FAR)) place.hint.tier = Tier::slow;
  if (says(OCR_HINT_DB_INTER)) place.hint.tier = Tier::middle;
  if (says(OCR_HINT_DB_NEAR) || says(OCR_HINT_DB_HIGHBW)) place.hint.tier = Tier::fast;
  return place;
}

}  // namespace weir::ocr

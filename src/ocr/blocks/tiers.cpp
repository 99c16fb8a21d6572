// SPDX-License-Identifier: Apache-2.0

#include "ocr/blocks/tiers.hpp"

#include <atomic>
#include <cstdio>
#include <new>

#include "runtime/workers.hpp"
#include "weir/error.hpp"

namespace weir::ocr {

namespace {
thread_local constinit NoPlace* this_no_place = nullptr;
}  // namespace

NoPlace::NoPlace() noexcept { this_no_place = this; }
NoPlace::~NoPlace() { this_no_place = nullptr; }

void NoPlace::note(const std::string& failure) noexcept {
  try {
    if (why_.empty()) why_ = failure;
  } catch (const std::bad_alloc&) {
    why_ = "no memory";  // too short to need any
  }
}

u8 report_no_place(const base::Status& status, const char* what) noexcept {
  static std::atomic<bool> reported{false};  // relaxed: it only says whether to write a line
  if (this_no_place != nullptr) {
    this_no_place->note(status.message);
  } else if (!reported.exchange(true, std::memory_order_relaxed)) {
    std::fprintf(stderr, "weir: ocr: %s: %s (further failures of this kind are return codes only)\n", what,
                 status.message.c_str());
  }
  return status.code == base::Code::no_space || status.code == base::Code::bad_input ? OCR_ENOMEM : OCR_EIO;
}

std::size_t Tiers::pool_count() const noexcept { return static_cast<std::size_t>(scheduler_.domain_count()) * kKinds; }

PoolId Tiers::pool_of(const Place& place) noexcept {
  return static_cast<PoolId>(static_cast<std::size_t>(place.domain) * kKinds +
                             static_cast<std::size_t>(place.hint.tier));
}

Place Tiers::place_of(PoolId pool) noexcept {
  Place place{static_cast<int>(pool / kKinds), {}};
  place.hint.tier = static_cast<data::PlacementHint::Tier>(pool % kKinds);
  return place;
}

data::Block* Tiers::make(std::uint64_t bytes, const Place& place, const char* name) noexcept {
  try {
    base::Result<data::Block*> made =
        store_.make(weir::detail::contiguous(bytes), nullptr, name, machine_domain(place.domain), place.hint);
    if (made) return *made;
    report_no_place(made.status(), "ocrDbCreate()");
  } catch (const std::exception& error) {
    report_no_place({base::Code::no_space, error.what()}, "ocrDbCreate()");
  }
  return nullptr;
}

}  // namespace weir::ocr

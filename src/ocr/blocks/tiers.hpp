// SPDX-License-Identifier: Apache-2.0

// Tiers: where data blocks live. Small ones lie in slabs that stay in memory (slabs.hpp); the others are blocks of the
// data layer, admitted, fetched and evicted with the EDTs that depend on them, as the C++ API's blocks are with its
// tasks.
//
// While all blocks fit in fast memory (the store is not tracked) an EDT only counts that it holds a block. From then on
// it has a data::Request: a block enters it when it satisfies a slot, which is what is known ahead of the EDT, and the
// EDT is admitted when it holds all its blocks in the sense of OCR (edt_blocks.hpp). An EDT that makes a block holds it
// by a request of its own, which comes before those of EDTs that have not begun; it waits until there is room, and runs
// no other EDT while it does, which might want room on top of its own (holds.hpp). One Tiers per System; any thread.
#pragma once

#include <condition_variable>
#include <string>
#include <vector>

#include "base/mutex.hpp"
#include "ocr/objects/block.hpp"
#include "runtime/blocks.hpp"
#include "runtime/runtime_state.hpp"

namespace weir::ocr {

// Where a block is to be, by its hint.
struct Place {
  int domain;
  data::PlacementHint hint;
};

class Tiers {
 public:
  static constexpr std::size_t kKinds = 4;  // of PlacementHint::Tier: each has a pool per domain

  // Opens the runtime's tiers. Throws weir::Error.
  explicit Tiers(runtime::State& state) : scheduler_(*state.scheduler), store_(state.blocks->store()) {}
  Tiers(const Tiers&) = delete;
  Tiers& operator=(const Tiers&) = delete;

  data::Store& store() noexcept { return store_; }
  bool tracked() const noexcept { return store_.tracked(); }
  std::size_t pool_count() const noexcept;
  // The pool of small blocks for that place, and the place for a pool.
  static PoolId pool_of(const Place& place) noexcept;
  static Place place_of(PoolId pool) noexcept;
  // Null when no tier has room for it; the first time, standard error says why.
  data::Block* make(std::uint64_t bytes, const Place& place, const char* name) noexcept;
  DomainId machine_domain(int domain) const noexcept { return scheduler_.machine_domain(domain); }

  // For the threads that wait for room, all of them.
  base::Mutex waiting_mutex;
  std::condition_variable waiting;

  // The pins of threads outside of EDTs.
  base::Mutex outside_mutex;
  std::vector<Pin> outside WEIR_GUARDED_BY(outside_mutex);

 private:
  sched::Scheduler& scheduler_;
  data::Store& store_;
};

// One line on standard error, of the first such failure; the others are counted by the store. The code to return.
u8 report_no_place(const base::Status& status, const char* what) noexcept;

// While it lives the first such failure of the calling thread is put in here, and not on standard error.
class NoPlace {
 public:
  NoPlace() noexcept;
  ~NoPlace();
  NoPlace(const NoPlace&) = delete;
  NoPlace& operator=(const NoPlace&) = delete;

  void note(const std::string& failure) noexcept;
  const std::string& why() const noexcept { return why_; }

 private:
  std::string why_{};
};

}  // namespace weir::ocr

// SPDX-License-Identifier: Apache-2.0

// Copy engines: what copies between two backings, chosen by their pair.
//
// A CopyEngine copies between two kinds of memory, blocking, and where it can also in the background. CopyEngines holds
// one for each pair of kinds: memory to memory, memory and file, and those that a device or a transport adds. What
// moves blocks asks for the engine of a pair and knows nothing of files, devices or emulated memory. Owned by the store
// of a runtime; engines are added before the first copy, everything else: any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "memory/backing.hpp"
#include "memory/copy.hpp"
#include "memory/throttle.hpp"

namespace weir::memory {

class TierSet;

// One end of a copy: bytes of a backing that lie together, or a region of the program's own memory.
struct CopyEnd {
  Backing* backing = nullptr;  // null: `region`
  std::uint64_t offset = 0;    // in the backing
  Region region;

  static CopyEnd at(Backing& backing, std::uint64_t offset) noexcept { return {&backing, offset, {}}; }
  static CopyEnd program(const Region& region) noexcept { return {nullptr, 0, region}; }
  // Null where the processor cannot address the backing; not for a region.
  std::byte* address() const noexcept { return backing->address(offset); }
  std::string name() const;
};

// The caller's until it is done; it does not move while it is under way. No two copies write the same bytes at once.
struct Copy {
  CopyEnd from, to;
  std::size_t bytes = 0;
  std::string_view block;  // its name, for errors
  // CopyEngine::start() only: called once, on a thread of the engine, never from within start().
  void (*done)(Copy& copy, const base::Status& status) noexcept = nullptr;
  void* user = nullptr;
};

class CopyEngine {
 public:
  CopyEngine() = default;
  CopyEngine(const CopyEngine&) = delete;
  CopyEngine& operator=(const CopyEngine&) = delete;
  virtual ~CopyEngine() = default;

  // Returns when all is copied. The status names what was copied, what the system said and what to do.
  virtual base::Status perform(Copy& copy) noexcept = 0;
  // Whether start() copies in the background, many copies at a time.
  virtual bool has_start() const noexcept { return false; }
  virtual void start(Copy& copy) noexcept;
};

class CopyEngines {
 public:
  // Copies from and to emulated memory share `emulated_bytes_per_second`; 0: there is no such memory.
  explicit CopyEngines(double emulated_bytes_per_second = 0);
  // For the tiers of a runtime: measures the bandwidth of memory when one of them is emulated, at most 50 ms.
  static std::unique_ptr<CopyEngines> for_tiers(const TierSet& tiers, unsigned threads);
  ~CopyEngines();

  // From now on `engine`, which outlives this, copies between such backings, in this direction.
  void add(BackingKind from, BackingKind to, CopyEngine& engine);
  // Likewise between a backing and regions of the program's memory, in both directions.
  void add_program(BackingKind kind, CopyEngine& engine);

  // The engine of this pair; for a pair that has none one whose copies fail with unsupported.
  CopyEngine& find(const CopyEnd& from, const CopyEnd& to) noexcept;

  // What all use of emulated memory shares; 0: there is none.
  double emulated_bytes_per_second() const noexcept;
  // Makes the calling thread wait as long as using `bytes` of emulated memory in place costs.
  void charge(std::size_t bytes) noexcept;

 private:
  struct Pair {
    CopyEngine* engine = nullptr;
    std::unique_ptr<CopyEngine> slowed;  // when one end is emulated memory
  };
  static constexpr std::size_t kProgram = kBackingKinds;

  void set(std::size_t from, std::size_t to, CopyEngine& engine);

  std::unique_ptr<Throttle> throttle_;
  std::unique_ptr<CopyEngine> memory_, file_, unknown_;
  std::array<std::array<Pair, kBackingKinds + 1>, kBackingKinds + 1> pairs_;  // by kind, or kProgram: [from][to]
};

}  // namespace weir::memory

// SPDX-License-Identifier: Apache-2.0

// The tiers of a runtime, opened: what was asked for, compared with what this machine and its limits can give.
//
// Made once at start-up; tiers and arenas never change after that but for what an Arena itself counts, and Arenas are
// not thread-safe. Tiers are ordered fastest first; arenas are numbered through all tiers, in that order.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/ids.hpp"
#include "base/result.hpp"
#include "machine/machine.hpp"
#include "memory/arena.hpp"
#include "memory/file_store.hpp"
#include "memory/memory_state.hpp"
#include "memory/policy/snapshot.hpp"
#include "memory/tier_spec.hpp"
#include "platform/async_io.hpp"
#include "weir/options.hpp"

namespace weir::memory {

struct Tier {
  std::string name;  // "hbm", "ddr", "memory", "file", "emulated"
  TierKind kind = TierKind::memory;
  int index = 0;
  Bytes asked;                      // 0: not said
  Bytes budget;                     // of its arenas together, or of the file
  bool addressable = true;          // tasks can use it in place: all but files
  double copy_fraction = 0;         // emulated: copies to and from it are slowed down to this; else 0
  std::vector<Arena*> arenas;       // one per memory node; none for a file
  std::vector<MemoryNodeId> nodes;  // of the arenas
  FileStore* file = nullptr;
};

// What an arena was asked for and what it got, as the kernel reports it.
struct ArenaReport {
  std::string tier, arena;
  int os_node = -1;  // -1: unbound
  Bytes budget, used, peak, populated;
  std::optional<double> obtained_share;
  double large_page_share = 0;
  std::uint64_t warnings = 0;
};

struct TierSetConfig {
  // What stands behind an arena of so many bytes; empty: private memory of this process.
  using MakeBacking = std::function<base::Result<std::unique_ptr<Backing>>(const ArenaConfig& config)>;

  platform::IoOptions io{};                     // of the engine that a file tier needs
  std::unique_ptr<platform::AsyncIo> engine{};  // null: made by `io`, if there is a file tier
  std::optional<MemoryState> state{};           // none: of this system
  MakeBacking make_backing{};
  unsigned processes = 1;  // of this host that open tiers, and share evenly what is free
};

class TierSet {
 public:
  // An empty spec: the memory nodes of the machine by kinds, hbm first, then ddr, cxl, nvm; each with what is free,
  // less a reserve (docs/memory.md#budgets), all together within what cgroups and ulimit -v leave.
  // Memory of a described machine is not placed. Nothing is populated yet.
  // Fails with no_space or not_found, naming the tier, what was asked, what there is and what to do; with spec.prefer
  // that tier gets what there is, or is left out, and a line is added to warnings().
  static base::Result<std::unique_ptr<TierSet>> open(const machine::Machine& machine, const TierSpec& spec,
                                                     TierSetConfig config = {});
  ~TierSet();
  TierSet(const TierSet&) = delete;
  TierSet& operator=(const TierSet&) = delete;

  std::span<const Tier> tiers() const noexcept;  // never empty
  const Tier& fastest() const noexcept { return tiers().front(); }
  std::span<Arena* const> arenas() const noexcept;  // by Arena::index()
  platform::AsyncIo* io() const noexcept;           // null without a file tier
  const Tier& tier_of(const Arena& arena) const noexcept;

  // Where a block of `bytes` for a task of `domain` goes under a mode (policy/place.hpp); null: the mode asks for no
  // place. Reads the arenas' use: the caller holds their lock.
  Arena* arena_for(Allocation mode, DomainId domain, Bytes bytes) noexcept;
  // [domain][arena]: each arena as seen from the domain's cores; free_bytes is not filled in.
  const std::vector<std::vector<policy::ArenaState>>& seen() const noexcept;
  // How often local-fast found no fast memory next to the domain and took ordinary memory.
  std::uint64_t fallbacks() const noexcept;

  // What could not be had, one line each; only with spec.prefer.
  std::span<const std::string> warnings() const noexcept;
  std::vector<ArenaReport> report() const;  // asks the kernel; milliseconds

 private:
  class Impl;
  explicit TierSet(std::unique_ptr<Impl> impl) noexcept;
  std::unique_ptr<Impl> impl_;
};

}  // namespace weir::memory

// SPDX-License-Identifier: Apache-2.0

#include "ocr/edts/spread.hpp"

#include <atomic>
#include <chrono>
#include <vector>

#include "base/forever.hpp"
#include "base/mutex.hpp"
#include "ocr/edts/edt_times.hpp"
#include "ocr/edts/policy/spread.hpp"
#include "ocr/objects/home.hpp"
#include "runtime/workers.hpp"

namespace weir::ocr {

namespace {

using Clock = std::chrono::steady_clock;

// What a rank says is so for a while, in which it would ask again.
constexpr auto kLasts = std::chrono::milliseconds(200);

struct Asking {
  std::uint32_t edts = 0;
  Clock::time_point until{};
};

struct Spread {
  std::atomic<bool> is_on{false};        // relaxed: set before EDTs run, and when none does
  std::atomic<std::uint64_t> wanted{0};  // the sum of `edts`; relaxed: a hint without the lock
  std::uint32_t per_rank = 0;            // written by begin_spread()
  base::Mutex mutex;
  std::vector<Asking> ranks WEIR_GUARDED_BY(mutex);
  std::size_t next WEIR_GUARDED_BY(mutex) = 0;
};
Spread& spread() noexcept {
  static base::Forever<Spread> one;
  return one.value;
}

void set(Spread& all, std::size_t rank, const Asking& asking) WEIR_REQUIRES(all.mutex) {
  all.wanted.fetch_add(std::uint64_t{asking.edts} - all.ranks[rank].edts, std::memory_order_relaxed);
  all.ranks[rank] = asking;
}

std::uint64_t bytes_here(const EdtRequest& request) noexcept {
  std::uint64_t bytes = 0;
  for (std::uint32_t i = 0; request.depv != nullptr && i < request.depc; ++i)
    if (const Block* const block = find_object(blocks(), Kind::block, from_c(request.depv[i]))) bytes += block->size;
  return bytes;
}

// Nothing that has still to happen is named by depv.
bool can_run_at_once(const EdtRequest& request) noexcept {
  for (std::uint32_t i = 0; i < request.depc; ++i) {
    const Guid source = request.depv == nullptr ? kUninitialized : from_c(request.depv[i]);
    if (!source.is_null() && source.kind() != Kind::block) return false;
  }
  return true;
}

bool has_ready_edts(const Local& local) noexcept {
  const sched::ReadyQueues& queues = local.worker->queues();
  return queues.has_next() || queues.seen().items != 0;
}

}  // namespace

void begin_spread(bool is_wanted, std::uint32_t per_rank) noexcept {
  Spread& all = spread();
  all.per_rank = per_rank;
  all.is_on.store(is_wanted, std::memory_order_relaxed);
  EdtTimes::measure(is_wanted && homes().ranks > 1);
  const base::Lock lock(all.mutex);
  all.ranks.assign(homes().ranks, {});
  all.wanted.store(0, std::memory_order_relaxed);
  for (std::size_t rank = 1; homes().here == 0 && rank < homes().ranks; ++rank)
    set(all, rank, {per_rank, Clock::time_point::max()});
}

void end_spread() noexcept {
  if (!is_spreading()) return;
  spread().is_on.store(false, std::memory_order_relaxed);
  EdtTimes::measure(false);
}

bool is_spreading() noexcept { return spread().is_on.load(std::memory_order_relaxed); }

// In turn, so that ranks which all have nothing to run get as many.
std::optional<Rank> spread_to(const Local& local, const EdtKind& kind, const EdtRequest& request) noexcept {
  Spread& all = spread();
  if (!is_spreading() || all.wanted.load(std::memory_order_relaxed) == 0) return {};
  if (local.current == nullptr) return {};
  const policy::EdtToSpread edt{can_run_at_once(request), has_ready_edts(local), bytes_here(request),
                                kind.usual_ns.load()};
  if (!policy::pays_elsewhere(edt)) return {};
  const auto now = Clock::now();
  const base::Lock lock(all.mutex);
  for (std::size_t i = 0; i < all.ranks.size(); ++i) {
    const std::size_t rank = all.next++ % all.ranks.size();
    const Asking asking = all.ranks[rank];
    if (asking.edts == 0) continue;
    const bool is_so_still = now < asking.until;
    set(all, rank, is_so_still ? Asking{asking.edts - 1, asking.until} : Asking{});
    if (is_so_still) return Rank{static_cast<std::uint32_t>(rank)};
  }
  return {};
}

void ask_for_edts(Rank rank) { Mail::running()->post(rank, Say::ask_for_edts, Writer().put(spread().per_rank)); }

Answer answer_ask_for_edts(Rank from, Reader& body) {
  Spread& all = spread();
  const base::Lock lock(all.mutex);
  set(all, static_cast<std::size_t>(from), {body.get<std::uint32_t>(), Clock::now() + kLasts});
  return {};
}

}  // namespace weir::ocr

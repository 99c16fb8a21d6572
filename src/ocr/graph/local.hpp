// SPDX-License-Identifier: Apache-2.0

// Local: all that OCR keeps per worker: what this layer adds, links, scopes and what is still to be notified, to the
// parts of the layers beneath it (program/program.hpp).
//
// The thread that is the worker uses it, and no other; local() finds that of the calling thread. The System makes them,
// and implements what the lower layers ask of the higher (system/system_local.hpp).
#pragma once

#include <atomic>
#include <cstdint>

#include "ocr/blocks/block_local.hpp"
#include "ocr/graph/link_memory.hpp"
#include "ocr/graph/scope_memory.hpp"
#include "runtime/task.hpp"
#include "runtime/workers.hpp"

namespace weir::ocr {

struct Local : BlockLocal {
  Local(sched::Worker& w, Program& p, Tiers& t, BlockPools& pools, PoolId usual) : BlockLocal(w, p, t, pools, usual) {
    scope.open(&w, nullptr);
  }

  LinkMemory links;
  ScopeMemory scopes;
  NodeList work;           // links to be followed, while notifying
  NodeList taken;          // that have waited for the block of a label which this thread has made
  bool notifying = false;  // a notify() of the thread goes on with `work`
  bool closing = false;    // a finish scope has ended, and the thread notifies who depends on that
  sched::Scope scope;      // of the EDTs it makes ready; never waited for

  // What the layers above are notified of, while the program is paused: the function of an EDT has returned.
  virtual void on_returned(const Edt& edt) = 0;

 protected:
  ~Local() = default;
};

namespace detail {
inline constexpr std::uint64_t kNoSystem = ~std::uint64_t{0};
struct ThisLocal {
  Local* local;
  std::uint64_t system;  // the number of the System it belongs to, which may be gone, and the Local with it
};
using Attach = Local* (*)() noexcept;
extern thread_local constinit ThisLocal this_local;
// Number of the System that runs; ~0: none. Relaxed where a thread compares it with the number that it took itself,
// with acquire (SYS-1), when it became a worker of that System.
extern constinit std::atomic<std::uint64_t> running_system;
extern constinit std::atomic<Attach> attach;  // the System's; null before there was one
}  // namespace detail

// The calling thread becomes a worker of the running System, and has a Local; null when it cannot, or there is none.
[[gnu::noinline]] Local* attach_local() noexcept;
// That of the calling thread; null when it is no worker of the running System.
inline Local* known_local() noexcept {
  const detail::ThisLocal found = detail::this_local;
  return found.system == detail::running_system.load(std::memory_order_relaxed) ? found.local : nullptr;
}
// That of the calling thread, which becomes a worker of the running System if it is none; null when there is no System.
inline Local* local() noexcept {
  const detail::ThisLocal found = detail::this_local;
  if (found.system == detail::running_system.load(std::memory_order_relaxed)) [[likely]]
    return found.local;
  return attach_local();
}

}  // namespace weir::ocr

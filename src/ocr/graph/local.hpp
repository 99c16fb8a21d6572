// SPDX-License-Identifier: Apache-2.0

// Local: what the OCR layer keeps per worker: the running EDT, and lists of free objects.
//
// Used by the thread that is the worker only, but for what others read. local() finds that of the calling thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/layout.hpp"
#include "ocr/blocks/block_memory.hpp"
#include "ocr/graph/finish_scope.hpp"
#include "ocr/objects/block.hpp"
#include "ocr/objects/edt.hpp"
#include "ocr/objects/edt_table.hpp"
#include "ocr/objects/event.hpp"
#include "ocr/objects/object_table.hpp"
#include "sched/scope.hpp"
#include "sched/worker.hpp"

namespace weir::ocr {

struct Local {
  Local(sched::Worker& w, Tiers& t);
  ~Local();
  Local(const Local&) = delete;
  Local& operator=(const Local&) = delete;
  void add_links();  // to the free ones, of which there are none

  sched::Worker* worker;
  Tiers& tiers;
  const PoolId pool;       // of small blocks without a hint
  Run* current = nullptr;  // null: outside of EDTs
  ObjectTable<Event>::FreeList events;
  ObjectTable<Block>::FreeList blocks;
  EdtIndices edts;
  Origins origins;
  ObjectTable<Template>::FreeList templates;
  Link* links = nullptr;  // free ones
  std::vector<std::unique_ptr<Link[]>> link_slabs;
  BlockMemory memory;
  ScopeMemory scopes;
  NodeList work;  // links to be told, while telling
  bool telling = false;
  std::uint64_t traced = 0;  // the EDT that began last here, as a trace names it; 0: none, or no trace
  sched::Scope scope;        // of the EDTs it makes ready; never waited for

  // Written by this worker, read by who looks whether anything can still happen (watch.cpp).
  alignas(base::kDestructiveSize) std::atomic<std::uint64_t> readied{0};  // EDTs
  std::atomic<std::uint64_t> ended{0};                                    // EDTs
  std::atomic<bool> running{false};                                       // an EDT

  static void add(std::atomic<std::uint64_t>& counter) noexcept {
    counter.store(counter.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }
  const EdtKind* maker() const noexcept { return current == nullptr ? nullptr : current->edt.kind(); }
};

namespace detail {
inline constexpr std::uint64_t kNoSystem = ~std::uint64_t{0};
struct ThisLocal {
  Local* local;
  std::uint64_t system;  // the number of the System it belongs to, which may be gone, and the Local with it
};
extern thread_local constinit ThisLocal this_local;
extern constinit std::atomic<std::uint64_t> running_system;  // number of the System that runs; ~0: none
}  // namespace detail

// Of the calling thread, which becomes a worker of the running System if it is none; null when there is no System.
[[gnu::noinline]] Local* attach_local() noexcept;
inline Local* local() noexcept {
  const detail::ThisLocal found = detail::this_local;
  if (found.system == detail::running_system.load(std::memory_order_relaxed)) [[likely]]
    return found.local;
  return attach_local();
}

// ---- The tables of the process. Never destroyed: threads may end after static destruction. ----

template <class T>
union Immortal {
  constexpr Immortal() : value() {}
  ~Immortal() {}
  T value;
};
namespace detail {
extern constinit Immortal<ObjectTable<Event>> events;
extern constinit Immortal<ObjectTable<Block>> blocks;
extern constinit Immortal<ObjectTable<Template>> templates;
}  // namespace detail
inline ObjectTable<Event>& events() noexcept { return detail::events.value; }
inline ObjectTable<Block>& blocks() noexcept { return detail::blocks.value; }
inline ObjectTable<Template>& templates() noexcept { return detail::templates.value; }

// The object of a GUID, locked; null when there is none.
template <class T>
T* lock_object(ObjectTable<T>& table, Kind kind, Guid guid) noexcept {
  if (guid.kind() != kind) return nullptr;
  T* const object = table.find(guid.index());
  return object != nullptr && object->word.lock(guid.generation()) ? object : nullptr;
}
// Looks without locking.
template <class T>
T* find_object(ObjectTable<T>& table, Kind kind, Guid guid) noexcept {
  if (guid.kind() != kind) return nullptr;
  T* const object = table.find(guid.index());
  return object != nullptr && object->word.alive(guid.generation()) ? object : nullptr;
}

}  // namespace weir::ocr

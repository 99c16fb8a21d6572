// SPDX-License-Identifier: Apache-2.0

#include "runtime/program_memory.hpp"

#include <fmt/format.h>
#include <pthread.h>

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <new>
#include <thread>

#include "base/mutex.hpp"
#include "data/adopted.hpp"
#include "weir/error.hpp"

namespace weir::runtime {

namespace {

struct Watch : Partition {
  explicit Watch(const Partition& form) : Partition(form) {}
  Watch* next = nullptr;
  Watch* before = nullptr;
  std::size_t shard = 0;
  mutable NamingRuntimes runtimes;
};

// Tasks make and destroy watched arrays all the time, blocks are adopted rarely.
struct Shard {
  alignas(64) base::Mutex mutex;
  Watch* first WEIR_GUARDED_BY(mutex) = nullptr;
};

struct Memory {
  base::Mutex mutex;
  data::Adopted adopted WEIR_GUARDED_BY(mutex);
  std::atomic<std::size_t> count{0};  // of those, written under mutex
  std::array<Shard, 16> watched;      // each mutex may be taken inside of the first
};

Memory& memory() {
  static Memory* const the_memory = new Memory;  // static blocks and arrays are destroyed late
  return *the_memory;
}

detail::BlockLayout layout_of(const Region& whole) noexcept {
  return {whole.row_bytes, {1, whole.rows}, {0, whole.rows > 1 ? whole.stride_bytes : whole.row_bytes}};
}

template <class F>
void for_each_watched(Shard& shard, F&& f) noexcept WEIR_REQUIRES(shard.mutex) {
  for (Watch* watch = shard.first; watch != nullptr; watch = watch->next) f(*watch);
}

// fork() must not find any of it locked by a thread that the child does not have, or half made. Taken by one of these
// functions and given back by another one.
void hold_memory() WEIR_NOT_ANALYSED {
  memory().mutex.lock();
  for (Shard& shard : memory().watched) shard.mutex.lock();
}
void release_memory() WEIR_NOT_ANALYSED {
  for (Shard& shard : memory().watched) shard.mutex.unlock();
  memory().mutex.unlock();
}
// Tasks of the parent process have named the arrays there. What notes it, whose locks may be taken, begins anew.
void begin_anew_in_child() WEIR_NOT_ANALYSED {
  for (Shard& shard : memory().watched) {
    for_each_watched(shard, [](Watch& watch) {
      static_cast<void>(NamedBy(watch.named_by).take());
      new (&watch.runtimes) NamingRuntimes;
    });
  }
  release_memory();
}

[[maybe_unused]] const int kMemoryAtFork = pthread_atfork(&hold_memory, &release_memory, &begin_anew_in_child);

bool overlaps(const Partition& watched, const data::Block& block) noexcept {
  const Region& whole = watched.whole;
  if (whole.rows == 0 || whole.row_bytes == 0) return false;
  return data::overlap(layout_of(whole), whole.base, block.layout, block.program);
}

[[noreturn]] void refuse_adopted(const data::Block& block, const char* what) {
  throw Error(
      fmt::format("adopt({:?}): some of its memory, {} bytes at {}, is {}: adopt each byte once, and do not "
                  "watch it as well",
                  block.name, block.bytes, fmt::ptr(block.program), what));
}

const Watch* find_watched(Memory& all, const data::Block& block) {
  for (Shard& shard : all.watched) {
    const base::Lock lock(shard.mutex);
    for (const Watch* watch = shard.first; watch != nullptr; watch = watch->next)
      if (overlaps(*watch, block)) return watch;
  }
  return nullptr;
}

void enlist(Shard& shard, Watch& watch) noexcept {
  const base::Lock lock(shard.mutex);
  watch.next = shard.first;
  if (shard.first != nullptr) shard.first->before = &watch;
  shard.first = &watch;
}

void refuse_watched_if_adopted(Memory& all, const Watch& watch) {
  if (all.count.load() == 0) return;
  data::Block probe;
  probe.layout = layout_of(watch.whole);
  probe.program = const_cast<void*>(watch.whole.base);
  const base::Lock lock(all.mutex);
  const data::Block* const block =
      watch.whole.rows == 0 || watch.whole.row_bytes == 0 ? nullptr : all.adopted.find(probe);
  if (block == nullptr) return;
  throw Error(
      fmt::format("a watched array of {} rows of {} bytes at {}: some of its memory is that of block {:?}, which "
                  "adopts it: name the block in footprints, not the memory",
                  watch.whole.rows, watch.whole.row_bytes, fmt::ptr(watch.whole.base), block->name));
}

}  // namespace

// Counted before the watched arrays are looked at: who makes one enlists it first and looks at the count then.
void claim_adopted(const data::Block& block) {
  Memory& all = memory();
  const base::Lock lock(all.mutex);
  if (const data::Block* const other = all.adopted.find(block))
    refuse_adopted(block, fmt::format("that of block {:?}", other->name).c_str());
  all.adopted.add(block);
  all.count.fetch_add(1);
  if (find_watched(all, block) == nullptr) return;
  all.adopted.remove(block);
  all.count.fetch_sub(1);
  refuse_adopted(block, "in a watched array");
}

void give_up_adopted(const data::Block& block) noexcept {
  Memory& all = memory();
  const base::Lock lock(all.mutex);
  all.adopted.remove(block);
  all.count.fetch_sub(1);
}

const Partition* make_watched(const Partition& form) {
  Memory& all = memory();
  auto watch = std::make_unique<Watch>(form);
  watch->shard = std::hash<std::thread::id>{}(std::this_thread::get_id()) % all.watched.size();
  enlist(all.watched[watch->shard], *watch);
  try {
    refuse_watched_if_adopted(all, *watch);
  } catch (...) {
    destroy_watched(watch.release());
    throw;
  }
  return watch.release();
}

NamingRuntimes& naming_runtimes(const Partition& partition) noexcept {
  return static_cast<const Watch&>(partition).runtimes;
}

void forget_namers(std::uint16_t number) noexcept {
  for (Shard& shard : memory().watched) {
    const base::Lock lock(shard.mutex);
    for_each_watched(shard, [number](const Watch& watch) { watch.runtimes.forget(watch.named_by, number); });
  }
}

void destroy_watched(const Partition* partition) noexcept {
  const std::unique_ptr<const Watch> watch(static_cast<const Watch*>(partition));
  Shard& shard = memory().watched[watch->shard];
  const base::Lock lock(shard.mutex);
  (watch->before != nullptr ? watch->before->next : shard.first) = watch->next;
  if (watch->next != nullptr) watch->next->before = watch->before;
}

}  // namespace weir::runtime

// SPDX-License-Identifier: Apache-2.0

#include "shmem/rma/lock.hpp"

#include <fmt/format.h>

#include <mutex>
#include <unordered_set>

#include "shmem/observe/call.hpp"
#include "shmem/rma/atomic.hpp"
#include "shmem/rma/wait.hpp"
#include "shmem/world/in_library.hpp"

// A queue lock (Mellor-Crummey and Scott 1991) in the long of the program's. Its first half on the lock's home PE is
// the tail of the queue, its second half on each PE is that PE's place in the queue. PEs count from 1, 0 is none.
namespace weir::shmem {

namespace {

using Half = std::uint32_t;
// In a place: its PE has not got the lock yet; it is in the queue; the rest: who comes next.
constexpr Half kWaiting = Half{1} << 31, kQueued = Half{1} << 30;

static_assert(sizeof(long) == 2 * sizeof(Half));

struct Parts {
  Half* tail;   // to be used at `home`
  Half* place;  // to be used at any PE
  int home;
};

Parts parts_of(long* lock) {
  if (!is_symmetric(lock, sizeof(*lock))) fail_address(lock, world().my_pe);
  auto* const halves = reinterpret_cast<Half*>(lock);
  const std::size_t offset = reinterpret_cast<std::uintptr_t>(lock) - segment_of(lock)->start;
  return {halves, halves + 1, static_cast<int>(offset / sizeof(long) % static_cast<std::size_t>(world().n_pes))};
}

// The queue knows PEs: of the threads of this one, one at a time is in it.
class Threads {
 public:
  static bool enter(const long* lock) {
    if (!world().is_threaded) return true;
    const InLibrary inside;
    const std::lock_guard guard(books().mutex);
    return books().entered.insert(lock).second;
  }
  static void leave(const long* lock) {
    if (!world().is_threaded) return;
    const InLibrary inside;
    const std::lock_guard guard(books().mutex);
    books().entered.erase(lock);
  }

 private:
  struct Books {
    std::mutex mutex;
    std::unordered_set<const long*> entered;
  };
  static Books& books() {
    static auto* const made = new Books;
    return *made;
  }
};

// A wait for what a PE does with the lock.
Awaited awaited(const long* lock, Half pe) noexcept {
  return {.kind = Awaited::Kind::lock, .bytes = sizeof(*lock), .pe = static_cast<int>(pe), .word = lock};
}

Half me() noexcept { return static_cast<Half>(world().my_pe) + 1; }

Half next_in(Half place) noexcept { return place & ~(kWaiting | kQueued); }

[[noreturn]] void fail_not_mine(const Parts& parts) noexcept {
  const Half last = atomic_fetch(default_context(), parts.tail, parts.home);
  if (last == 0) fail("the lock is not set");
  fail(fmt::format("the lock is not this PE's: PE {} has it, or is the last that waits for it", last - 1));
}

}  // namespace

void set_lock(long* lock) {
  const Call call(trace::Kind::lock, trace::PeLock::set, {lock, sizeof(*lock)});
  Context& context = default_context();
  const Parts parts = parts_of(lock);
  for (Waiting waiting; !Threads::enter(lock);) waiting.pause(awaited(lock, me() - 1));
  atomic_set(context, parts.place, kWaiting | kQueued, world().my_pe);
  const Half before = atomic_swap(context, parts.tail, me(), parts.home);
  if (before == 0) {
    atomic_and(context, parts.place, ~kWaiting, world().my_pe);
    return;
  }
  if (before == me()) fail("the lock is set by this PE already: it would wait for itself");
  // LOCK-1: the one before hands the lock over by clearing our kWaiting, after it has read who comes next.
  atomic_or(context, parts.place, me(), static_cast<int>(before) - 1);
  for (Waiting waiting; (detail::look(parts.place) & kWaiting) != 0;) waiting.pause(awaited(lock, before - 1));
}

void clear_lock(long* lock) {
  const Call call(trace::Kind::lock, trace::PeLock::clear, {lock, sizeof(*lock)});
  Context& context = default_context();
  const Parts parts = parts_of(lock);
  quiet(context);
  const Half place = detail::look(parts.place);
  if ((place & kQueued) == 0) fail_not_mine(parts);
  if ((place & kWaiting) != 0) fail("the lock is not this PE's: it is still waiting for it");
  Half next = next_in(place);
  if (next == 0) {
    const Half tail = atomic_compare_swap(context, parts.tail, me(), Half{0}, parts.home);
    if (tail == me()) {
      atomic_set(context, parts.place, Half{0}, world().my_pe);
      return Threads::leave(lock);
    }
    if (tail == 0) fail("the lock is not set");
    // Somebody has come behind us and is about to say so.
    for (Waiting waiting; (next = next_in(detail::look(parts.place))) == 0;) waiting.pause(awaited(lock, tail - 1));
  }
  atomic_set(context, parts.place, Half{0}, world().my_pe);
  atomic_and(context, parts.place, ~kWaiting, static_cast<int>(next) - 1);  // LOCK-1
  quiet(context);
  Threads::leave(lock);
}

bool test_lock(long* lock) {
  const Call call(trace::Kind::lock, trace::PeLock::test, {lock, sizeof(*lock)});
  Context& context = default_context();
  const Parts parts = parts_of(lock);
  if (!Threads::enter(lock)) return false;
  // This PE's place is 0 whenever it is not in the queue. Who comes behind may have written there already.
  if (atomic_compare_swap(context, parts.tail, Half{0}, me(), parts.home) == 0) {
    atomic_or(context, parts.place, kQueued, world().my_pe);
    return true;
  }
  Threads::leave(lock);
  return false;
}

}  // namespace weir::shmem

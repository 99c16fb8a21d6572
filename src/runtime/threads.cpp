// SPDX-License-Identifier: Apache-2.0

// Which threads work for which runtimes.
#include <cxxabi.h>
#include <pthread.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <thread>
#include <type_traits>
#include <utility>

#include "base/check.hpp"
#include "base/mutex.hpp"
#include "platform/uncaught.hpp"
#include "runtime/lifetime.hpp"
#include "runtime/options.hpp"
#include "runtime/program_memory.hpp"
#include "runtime/runtime_state.hpp"

// The library that has this code, which stays loaded while a thread has to call it. By a name that g++ does not declare
// itself.
extern "C" [[gnu::visibility("hidden")]] void* library_of_this_code __asm__("__dso_handle");

namespace weir::runtime {

namespace {

constexpr std::size_t kMostRuntimes = std::size_t{1} << 16;

// How many fork() calls lie between this process and the first. Relaxed: written in a child while it has one thread.
std::atomic<std::uint32_t> forks{0};

constexpr std::uint64_t kCountBits = NamedBy::kScopeBits;  // of a generation: what is not the number
// A number is handed out as long as a slot can be used so many times in the runtime that gets it.
constexpr std::uint64_t kMostUsed = kCountBits / 2;

// Of a number, which runtimes have one after the other. Written under the mutex of the register.
struct RegisterEntry {
  std::atomic<State*> state;  // the live one; read without the mutex, too (LIVE-1)
  // Tasks of that number up to this generation have ended with their runtimes, or are of a parent process; 0: there
  // were none. Generations of the live one are above. Read without the mutex, too (LIVE-3).
  std::atomic<std::uint64_t> ended;
};

// The live runtimes by number. An entry's state is looked at under the lock by threads that remember a runtime, to
// learn by its id whether it still lives.
struct Register {
  base::Mutex mutex;
  std::uint64_t next_id WEIR_GUARDED_BY(mutex) = 1;
  std::size_t next_number WEIR_GUARDED_BY(mutex) = 1;  // 0 is no number, so that no generation is 0
  std::size_t numbers WEIR_GUARDED_BY(mutex) = 1;      // all that were handed out are below
  std::array<RegisterEntry, kMostRuntimes> entries{};

  // Relaxed: under the mutex.
  State* state_of(std::size_t number) const noexcept WEIR_REQUIRES(mutex) {
    return entries[number].state.load(std::memory_order_relaxed);
  }
};

// Constant-initialised, for fork(): the guard of a static being made could be held by a thread that the child does not
// have. Trivially destroyed: threads may end after static destruction.
constinit Register the_register;
Register& live() noexcept { return the_register; }
static_assert(std::is_trivially_destructible_v<Register>);

// fork() must not find the register locked, or the table of options half made, by a thread that the child does not
// have.
void before_fork() WEIR_ACQUIRE(live().mutex) {
  static_cast<void>(option_table());
  live().mutex.lock();
}
void after_fork_in_parent() WEIR_RELEASE(live().mutex) { live().mutex.unlock(); }
void after_fork_in_child() WEIR_RELEASE(live().mutex) {
  for (std::size_t number = 1; number < live().numbers; ++number) {
    RegisterEntry& entry = live().entries[number];
    if (entry.state.load(std::memory_order_relaxed) == nullptr) continue;  // relaxed, and below: there is one thread
    entry.ended.store(std::uint64_t{number} << kNumberShift | kCountBits, std::memory_order_relaxed);
  }
  live().mutex.unlock();
  forks.fetch_add(1, std::memory_order_relaxed);
  sched::Worker::set_current(nullptr);
}

[[maybe_unused]] const int kAtFork = pthread_atfork(&before_fork, &after_fork_in_parent, &after_fork_in_child);

constexpr const char* kMadeBeforeFork = "a runtime made before fork() is used in the child, which has no workers";

// The calling thread's memberships. Constant-initialised and never destroyed: other objects of the thread, of the main
// thread also static ones, may use a runtime when they are destroyed.
class Memberships {
 public:
  struct Membership {
    std::uint64_t id;
    std::uint16_t number;
    sched::Worker* worker;
    bool guest;
    Membership* older = nullptr;
    sched::Worker* outer = nullptr;  // that the thread was when it made the runtime
    std::uint16_t outer_number = 0;
    std::uint64_t outer_id = 0;
  };

  sched::Worker* find(const State& state) const noexcept {
    const Membership* const found = first([&](const Membership& m) { return m.id == state.id; });
    return found == nullptr ? nullptr : found->worker;
  }

  void add(const State& state, sched::Worker& worker, bool guest) {
    erase_if([](const Membership& m) { return !lives(m.number, m.id) && !from_before_fork(m); });
    newest_ = new Membership{state.id, state.number, &worker, guest, newest_};
    release_at_end();
    worker.be_this_thread();
  }
  // A runtime that the thread makes, perhaps in a task of another.
  void add_own(const State& state) {
    add(state, state.scheduler->first_worker(), false);
    sched::Worker* const outer = sched::Worker::current();
    if (outer == nullptr) return;
    Membership& own = *newest_;
    own.outer = outer;
    own.outer_number = static_cast<std::uint16_t>(outer->scheduler().first_generation() >> kNumberShift);
    const base::Lock lock(live().mutex);
    own.outer_id = live().state_of(own.outer_number)->id;
  }

  // The worker that the thread is, now that it has left the runtime it made.
  sched::Worker* remove_own(const State& state) noexcept {
    const Membership* const inner = first([&](const Membership& m) {
      return m.id == state.id && m.outer != nullptr && lives(m.outer_number, m.outer_id);
    });
    sched::Worker* const outer = inner == nullptr ? nullptr : inner->outer;
    erase_if([&](const Membership& m) { return m.id == state.id; });
    return outer != nullptr ? outer : newest_own();
  }

  // The worker of the runtime that was entered last and still lives.
  sched::Worker* newest() const noexcept {
    const Membership* const found = first([](const Membership& m) { return lives(m.number, m.id); });
    return found == nullptr ? nullptr : found->worker;
  }
  bool has_one_from_before_fork() const noexcept { return first(&from_before_fork) != nullptr; }
  sched::Worker* newest_own() const noexcept {
    const Membership* const found = first([](const Membership& m) { return !m.guest && lives(m.number, m.id); });
    return found == nullptr ? nullptr : found->worker;
  }

 private:
  // In this process: not in a child of the one that made it.
  static bool lives(std::uint16_t number, std::uint64_t id) noexcept {
    const base::Lock lock(live().mutex);
    const State* state = live().state_of(number);
    return state != nullptr && state->id == id && !made_before_fork(*state);
  }
  static bool from_before_fork(const Membership& m) noexcept {
    const base::Lock lock(live().mutex);
    const State* state = live().state_of(m.number);
    return state != nullptr && state->id == m.id && made_before_fork(*state);
  }

  // The newest of those; null: none.
  template <class Is>
  const Membership* first(Is is) const noexcept {
    const Membership* m = newest_;
    while (m != nullptr && !is(*m)) m = m->older;
    return m;
  }
  template <class Is>
  void erase_if(Is is) noexcept {
    for (Membership** at = &newest_; *at != nullptr;) {
      if (is(**at))
        delete std::exchange(*at, (*at)->older);
      else
        at = &(*at)->older;
    }
  }

  // Once for all there are then: an object of the thread that is destroyed later may use a runtime once more, and so
  // begin anew.
  void release_at_end() noexcept {
    if (std::exchange(is_released_at_end_, true)) return;
    abi::__cxa_thread_atexit([](void* self) { static_cast<Memberships*>(self)->release(); }, this,
                             &library_of_this_code);
  }
  // The thread ends: whoever comes next may use its guest workers.
  void release() noexcept {
    is_released_at_end_ = false;
    Membership* left = std::exchange(newest_, nullptr);
    const base::Lock lock(live().mutex);
    while (left != nullptr) {
      release_one(*left);
      delete std::exchange(left, left->older);
    }
  }
  static void release_one(const Membership& m) noexcept WEIR_REQUIRES(live().mutex) {
    State* const state = live().state_of(m.number);
    if (state == nullptr || state->id != m.id || made_before_fork(*state)) return;
    // LIVE-2: what the maker has done comes before the end of the runtime on another thread.
    if (state->maker == std::this_thread::get_id()) state->maker_has_ended.store(true, std::memory_order_release);
    if (m.guest) state->scheduler->release_guest(m.worker);
  }

  Membership* newest_ = nullptr;
  bool is_released_at_end_ = false;
};
static_assert(std::is_trivially_destructible_v<Memberships>);

Memberships& memberships() noexcept {
  static constinit thread_local Memberships the_memberships;
  return the_memberships;
}

// Generations that no task of the runtime has had, nor has one of an earlier one with its number, are above this.
std::uint64_t newest_generation(const State& state) noexcept {
  std::uint64_t newest = state.first_generation;
  if (state.scheduler == nullptr) return newest;
  state.scheduler->for_each_worker([&](sched::Worker& worker) {
    worker.heap().for_each_slot([&](const sched::Task& task) {
      newest = std::max(newest, task.generation.load(std::memory_order_relaxed));  // relaxed: no task is left
    });
  });
  return newest;
}

}  // namespace

std::uint32_t forks_so_far() noexcept { return forks.load(std::memory_order_relaxed); }
bool made_before_fork(const State& state) noexcept { return state.forks != forks_so_far(); }

void enrol(State& state) {
  Register& all = live();
  const base::Lock lock(all.mutex);
  for (std::size_t tries = 0; tries < kMostRuntimes; ++tries) {
    const std::size_t number = all.next_number;
    all.next_number = number + 1 == kMostRuntimes ? 1 : number + 1;
    all.numbers = std::max(all.numbers, number + 1);
    const std::uint64_t ended = all.entries[number].ended.load(std::memory_order_relaxed);  // under the mutex
    if (all.state_of(number) != nullptr || (ended & kCountBits) > kMostUsed) continue;
    state.number = static_cast<std::uint16_t>(number);
    state.first_generation = ended != 0 ? ended : std::uint64_t{number} << kNumberShift;
    state.id = all.next_id++;
    state.maker = std::this_thread::get_id();
    state.forks = forks.load(std::memory_order_relaxed);
    all.entries[number].state.store(&state, std::memory_order_release);  // LIVE-1: pairs with worker_for()
    return;
  }
  throw Error("cannot make another runtime: 65535 live in this process; destroy some");
}

void strike_off(State& state) noexcept {
  forget_namers(state.number);
  const std::uint64_t newest = newest_generation(state);
  {
    const base::Lock lock(live().mutex);
    RegisterEntry& entry = live().entries[state.number];
    entry.ended.store(newest, std::memory_order_release);   // LIVE-3: before its memory goes
    entry.state.store(nullptr, std::memory_order_relaxed);  // under the mutex: nobody has a handle
  }
  const auto all_have_left = [&state] {
    const base::Lock lock(live().mutex);
    return state.visits == 0;
  };
  while (!all_have_left()) std::this_thread::yield();
}

static std::size_t numbers_so_far() noexcept {
  const base::Lock lock(live().mutex);
  return live().numbers;
}

bool has_ended_with_runtime(std::uint64_t generation) noexcept {
  return generation <= live().entries[generation >> kNumberShift].ended.load(std::memory_order_acquire);  // LIVE-3
}

void for_each_live(const std::function<void(State& state)>& f) {
  const std::size_t numbers = numbers_so_far();
  for (std::size_t number = 1; number < numbers; ++number) {
    // Only compared, and relaxed: what a Visit finds, under the mutex, does not end meanwhile.
    if (live().entries[number].state.load(std::memory_order_relaxed) == nullptr) continue;
    const Visit visit(number);
    if (visit.state() != nullptr) f(*visit.state());
  }
}

Visit::Visit(std::uint64_t number) noexcept {
  const sched::Worker* const worker = sched::Worker::current();
  if (worker != nullptr && worker->scheduler().first_generation() >> kNumberShift == number) {
    state_ = worker->scheduler().owner;
    return;
  }
  const base::Lock lock(live().mutex);
  State* const state = live().state_of(number);
  if (state == nullptr || made_before_fork(*state) || !state->takes_visits) return;
  ++state->visits;
  state_ = state;
  counted_ = true;
}

Visit::Visit(const Visit& other) noexcept : state_(other.state_), counted_(other.counted_) {
  if (!counted_) return;
  const base::Lock lock(live().mutex);
  ++state_->visits;
}

Visit::~Visit() {
  if (!counted_) return;
  const base::Lock lock(live().mutex);
  --state_->visits;
}

bool is_outside(State& state) noexcept {
  if (std::this_thread::get_id() != state.maker) return false;
  sched::Worker* const worker = find_worker_in(state);
  return worker == nullptr || worker->frame().outer == nullptr;
}

bool may_end_here(const State& state) noexcept {
  // LIVE-2
  return state.maker == std::this_thread::get_id() || state.maker_has_ended.load(std::memory_order_acquire);
}

sched::Worker* find_worker_in(State& state) noexcept {
  sched::Worker* const worker = sched::Worker::current();
  if (worker != nullptr && &worker->scheduler() == state.scheduler.get()) return worker;
  if (sched::Worker* const member = memberships().find(state)) return member;
  return state.scheduler->worker_of_this_thread();
}

sched::Worker& worker_in(State& state) {
  WEIR_CHECK(!made_before_fork(state), kMadeBeforeFork);
  if (sched::Worker* worker = memberships().find(state)) return *worker;
  if (sched::Worker* worker = state.scheduler->worker_of_this_thread()) {  // in a runtime that one of its tasks made
    memberships().add(state, *worker, false);
    return *worker;
  }
  base::Result<sched::Worker*> guest = state.scheduler->add_guest();
  if (!guest) throw Error(guest.status().message);
  memberships().add(state, **guest, true);
  end_what_is_left(**guest);
  return **guest;
}

sched::Worker& worker_for(detail::TaskRef ref) {
  if (sched::Worker* const worker = sched::Worker::current();
      worker != nullptr && is_of(worker->scheduler(), ref.generation)) {
    return *worker;
  }
  const RegisterEntry& entry = live().entries[ref.generation >> kNumberShift];
  State* const state = entry.state.load(std::memory_order_acquire);         // LIVE-1
  const std::uint64_t ended = entry.ended.load(std::memory_order_acquire);  // LIVE-3
  const bool is_of_parent = (ended & kCountBits) == kCountBits;
  WEIR_CHECK(state != nullptr && (is_of_parent || ref.generation > ended),
             "a handle is used after its runtime was destroyed");
  return worker_in(*state);
}

sched::Worker* find_this_worker() noexcept {
  sched::Worker* worker = sched::Worker::current();
  return worker != nullptr ? worker : memberships().newest();
}

sched::Worker& this_worker() {
  if (sched::Worker* worker = find_this_worker()) return *worker;
  WEIR_CHECK(!memberships().has_one_from_before_fork(), kMadeBeforeFork);
  throw Error("this thread has no runtime: make a weir::Runtime on it, or call the functions of one");
}

void enter(State& state) {
  {
    const base::Lock lock(live().mutex);
    state.takes_visits = true;  // all of it is there
  }
  memberships().add_own(state);
  if (sched::Worker* const outer = sched::Worker::current()) outer->has_left();
  sched::Worker::set_current(&state.scheduler->first_worker());
}

void leave(State& state) noexcept {
  sched::Worker* const left = memberships().remove_own(state);
  const sched::Worker* const current = sched::Worker::current();
  if (current == nullptr || &current->scheduler() == state.scheduler.get()) sched::Worker::set_current(left);
}

}  // namespace weir::runtime

// SPDX-License-Identifier: Apache-2.0

// Which threads work for which runtimes.
#include <pthread.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <thread>
#include <type_traits>
#include <vector>

#include "base/check.hpp"
#include "base/mutex.hpp"
#include "platform/uncaught.hpp"
#include "runtime/lifetime.hpp"
#include "runtime/options.hpp"
#include "runtime/runtime_state.hpp"

namespace weir::runtime {

namespace {

constexpr std::size_t kMostRuntimes = std::size_t{1} << 16;

// How many fork() calls lie between this process and the first. Relaxed: written in a child while it has one thread.
std::atomic<std::uint32_t> forks{0};

// The live runtimes by number. An entry's id is read without the lock by threads that remember a runtime, to learn
// whether it still lives.
struct Register {
  base::Mutex mutex;
  std::uint64_t next_id WEIR_GUARDED_BY(mutex) = 1;
  std::size_t next_number WEIR_GUARDED_BY(mutex) = 1;  // 0 is no number, so that no generation is 0
  // Written under the mutex; read with acquire without it (LIVE-1).
  std::array<std::atomic<State*>, kMostRuntimes> states{};
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
  live().mutex.unlock();
  forks.fetch_add(1, std::memory_order_relaxed);
  sched::Worker::set_current(nullptr);
}

[[maybe_unused]] const int kAtFork = pthread_atfork(&before_fork, &after_fork_in_parent, &after_fork_in_child);

constexpr const char* kMadeBeforeFork = "a runtime made before fork() is used in the child, which has no workers";

// The calling thread's memberships.
class Memberships {
 public:
  struct Membership {
    std::uint64_t id;
    std::uint16_t number;
    sched::Worker* worker;
    bool guest;
    sched::Worker* outer = nullptr;  // that the thread was when it made the runtime
    std::uint16_t outer_number = 0;
    std::uint64_t outer_id = 0;
  };

  // The thread ends: whoever comes next may use its guest workers. What is left is an empty list without memory, for
  // runtimes that are destroyed later, with the static objects of the main thread.
  ~Memberships() {
    std::vector<Membership> list;
    list.swap(list_);
    const base::Lock lock(live().mutex);
    for (const Membership& m : list) {
      // Relaxed, here and below: under the mutex.
      State* state = live().states[m.number].load(std::memory_order_relaxed);
      if (state == nullptr || state->id != m.id || made_before_fork(*state)) continue;
      // LIVE-2: what the maker has done comes before the end of the runtime on another thread.
      if (state->maker == std::this_thread::get_id()) state->maker_has_ended.store(true, std::memory_order_release);
      if (m.guest) state->scheduler->release_guest(m.worker);
    }
  }

  sched::Worker* find(const State& state) const noexcept {
    for (const Membership& m : list_) {
      if (m.id == state.id) return m.worker;
    }
    return nullptr;
  }

  void add(const State& state, sched::Worker& worker, bool guest) {
    std::erase_if(list_, [](const Membership& m) { return !lives(m.number, m.id) && !from_before_fork(m); });
    list_.push_back({state.id, state.number, &worker, guest});
    worker.be_this_thread();
  }
  // A runtime that the thread makes, perhaps in a task of another.
  void add_own(const State& state) {
    add(state, state.scheduler->first_worker(), false);
    sched::Worker* const outer = sched::Worker::current();
    if (outer == nullptr) return;
    Membership& own = list_.back();
    own.outer = outer;
    own.outer_number = static_cast<std::uint16_t>(outer->scheduler().first_generation() >> kNumberShift);
    const base::Lock lock(live().mutex);
    own.outer_id = live().states[own.outer_number].load(std::memory_order_relaxed)->id;  // under the mutex
  }

  // The worker that the thread is, now that it has left the runtime it made.
  sched::Worker* remove_own(const State& state) noexcept {
    sched::Worker* outer = nullptr;
    for (const Membership& m : list_) {
      if (m.id == state.id && m.outer != nullptr && lives(m.outer_number, m.outer_id)) outer = m.outer;
    }
    std::erase_if(list_, [&](const Membership& m) { return m.id == state.id; });
    return outer != nullptr ? outer : newest_own();
  }

  // The worker of the runtime that was entered last and still lives.
  sched::Worker* newest() const noexcept {
    const auto found =
        std::find_if(list_.rbegin(), list_.rend(), [](const Membership& m) { return lives(m.number, m.id); });
    return found == list_.rend() ? nullptr : found->worker;
  }
  bool has_one_from_before_fork() const noexcept { return std::any_of(list_.begin(), list_.end(), &from_before_fork); }
  sched::Worker* newest_own() const noexcept {
    const auto found = std::find_if(list_.rbegin(), list_.rend(),
                                    [](const Membership& m) { return !m.guest && lives(m.number, m.id); });
    return found == list_.rend() ? nullptr : found->worker;
  }

 private:
  // In this process: not in a child of the one that made it.
  static bool lives(std::uint16_t number, std::uint64_t id) noexcept {
    const base::Lock lock(live().mutex);
    const State* state = live().states[number].load(std::memory_order_relaxed);  // under the mutex
    return state != nullptr && state->id == id && !made_before_fork(*state);
  }
  static bool from_before_fork(const Membership& m) noexcept {
    const base::Lock lock(live().mutex);
    const State* state = live().states[m.number].load(std::memory_order_relaxed);  // under the mutex
    return state != nullptr && state->id == m.id && made_before_fork(*state);
  }

  std::vector<Membership> list_;  // oldest first
};

Memberships& memberships() {
  thread_local Memberships the_memberships;
  return the_memberships;
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
    if (all.states[number].load(std::memory_order_relaxed) != nullptr) continue;  // under the mutex
    state.number = static_cast<std::uint16_t>(number);
    state.id = all.next_id++;
    state.maker = std::this_thread::get_id();
    state.forks = forks.load(std::memory_order_relaxed);
    all.states[number].store(&state, std::memory_order_release);  // LIVE-1: pairs with worker_for()
    return;
  }
  throw Error("cannot make another runtime: 65535 live in this process; destroy some");
}

void strike_off(State& state) noexcept {
  {
    const base::Lock lock(live().mutex);
    live().states[state.number].store(nullptr, std::memory_order_relaxed);  // under the mutex: nobody has a handle
  }
  const auto all_have_left = [&state] {
    const base::Lock lock(live().mutex);
    return state.visits == 0;
  };
  while (!all_have_left()) std::this_thread::yield();
}

State* find_live(std::uint64_t number) noexcept {
  State* const state = live().states[number].load(std::memory_order_acquire);  // LIVE-1
  return state != nullptr && !made_before_fork(*state) ? state : nullptr;
}

void for_each_live(const std::function<void(State& state)>& f) {
  for (std::size_t number = 1; number < kMostRuntimes; ++number) {
    if (find_live(number) == nullptr) continue;
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
  State* const state = live().states[number].load(std::memory_order_relaxed);  // under the mutex
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
  State* state = live().states[ref.generation >> kNumberShift].load(std::memory_order_acquire);  // LIVE-1
  WEIR_CHECK(state != nullptr, "a handle is used after its runtime was destroyed");
  if (sched::Worker* worker = sched::Worker::current();
      worker != nullptr && &worker->scheduler() == state->scheduler.get()) {
    return *worker;
  }
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

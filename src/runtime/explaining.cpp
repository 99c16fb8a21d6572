// SPDX-License-Identifier: Apache-2.0

#include "runtime/explaining.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <span>
#include <unordered_map>

#include "base/mutex.hpp"
#include "data/store.hpp"
#include "platform/clock.hpp"
#include "platform/thread_state.hpp"
#include "runtime/own_task.hpp"
#include "runtime/shared_data.hpp"
#include "runtime/spawn_scope.hpp"
#include "runtime/task_data.hpp"
#include "sched/gate.hpp"
#include "sched/relay.hpp"

namespace weir::runtime {

namespace {

using explain::Cause;
using explain::Index;
using explain::Kind;
using explain::kNobody;
using explain::Snapshot;
using explain::Wait;
using sched::Condition;
using sched::Task;
using trace::WaitFor;

explain::ServiceOptions service_options(const Options& options) {
  return {options.explain_after, options.explain == Explain::on};
}

// A task whose gate is closed.
struct Held {
  Task* task;
  std::uint64_t generation;
  const sched::Edge* edges;  // to its successors
  const sched::Scope* scope;
};

// Opens them whatever happens.
class GateKeeper {
 public:
  GateKeeper() : gates_(new sched::Gates) {}
  ~GateKeeper() { gates_->open(); }
  GateKeeper(const GateKeeper&) = delete;
  GateKeeper& operator=(const GateKeeper&) = delete;

  // False: that use of the memory has ended, or is none of this layer's.
  bool close(Task& task, ExplainedLayer* layer, std::vector<Held>& held) {
    // EDGE-2: pairs with take(), so that what is read of the task is of this use or a later one.
    const std::uint64_t generation = task.generation.load(std::memory_order_acquire);
    const sched::Gates::Closed closed = gates_->close(task, generation);
    if (!closed.closed) return false;
    const sched::Scope* const scope = task.scope.seen();
    if (scope == nullptr || (layer != nullptr && layer->is_mine(task.invoke.seen()))) return false;  // being made
    // Relaxed: the gate is closed, so this use of the task does not end (GATE-2).
    held.push_back({&task, task.generation.load(std::memory_order_relaxed), closed.edges, scope});
    return true;
  }

 private:
  sched::Gates* const gates_;
};

// What a runtime has left, while the gates of all its tasks are closed.
class Tasks {
 public:
  Tasks(State& state, ExplainedLayer* layer, Snapshot& snapshot) : state_(state), layer_(layer), s_(snapshot) {}

  // Those that run first, and each before those that wait for it: so that of too many the culprits are among those that
  // are looked at.
  void close_gates(const std::vector<BegunTask>& begun) {
    for (const BegunTask& b : begun) hold(const_cast<Task&>(*b.task));
    hold_successors();
    state_.scheduler->for_each_worker([&](const sched::Worker& worker) {
      const sched::TaskHeap& heap = const_cast<sched::Worker&>(worker).heap();
      heap.for_each_slot([&](Task& task) {
        // HEAP-2: the slab is whole; EDGE-2: a task that was used shows a later generation.
        if (task.generation.load(std::memory_order_acquire) == heap.first_generation()) return;  // never used
        if (!s_.is_full()) {
          hold(task);
          hold_successors();
        } else if (!is_of_layer(task) && s_.find(&task) == kNobody) {
          s_.leave_out(sched::has_ended(task.ref()) ? 0 : 1);
        }
      });
    });
  }

  void add_things() {
    for (Index i = 0; i < held_.size(); ++i) {
      s_[i] = thing_of(held_[i]);
      const TaskData* const data = data_of(held_[i]);
      if (data != nullptr && data->requester() != nullptr) s_.add_key(data->requester(), i);
      children_[held_[i].scope].push_back(i);
    }
  }

  void add_frames(const std::vector<BegunTask>& begun) {
    for (const BegunTask& b : begun) {
      const Index i = s_.find(b.task);
      if (i == kNobody || held_[i].generation != b.generation) continue;
      s_.run(i, b.waits ? explain::State::waiting : explain::State::running, b.worker, b.seconds, b.asleep);
      begun_.push_back(i);
    }
    state_.scheduler->for_each_worker([&](const sched::Worker& worker) { add_worker(worker); });
  }

  // A task of this layer that one of the layer above has spawned.
  struct ChildOfLayer {
    const Task* parent;
    Index child;
  };
  std::vector<ChildOfLayer> children_of_layer() const {
    std::vector<ChildOfLayer> all;
    for (const auto& [scope, children] : children_) {
      if (scope->parent() == nullptr || !is_of_layer(*scope->parent())) continue;
      for (const Index child : children) all.push_back({scope->parent(), child});
    }
    return all;
  }

  void add_waits() {
    add_edges();
    add_parents();
    add_locks();
  }

 private:
  bool is_of_layer(const Task& task) const { return layer_ != nullptr && layer_->is_mine(task.invoke.seen()); }

  void hold(Task& task) {
    if (s_.is_full() || is_of_layer(task) || s_.find(&task) != kNobody) return;
    if (gates_.close(task, layer_, held_)) s_.add(&task);
  }
  // Null: somebody who waits: his frame tells; or a gate.
  static Task* task_of(const sched::Edge& edge) noexcept {
    const std::uintptr_t to = sched::Relay::is_relay(edge.target) ? sched::Relay::look(edge.target) : edge.target;
    return (to & 1) == 0 ? reinterpret_cast<Task*>(to) : nullptr;
  }
  // Of all tasks that are held, which keeps these where they are.
  void hold_successors() {
    for (; followed_ < held_.size(); ++followed_) {
      for (const sched::Edge* edge = held_[followed_].edges; edge != nullptr; edge = edge->next)
        if (Task* const task = task_of(*edge)) hold(*task);
    }
  }

  static explain::Thing thing_of(const Held& held) {
    const sched::TaskNote note = held.task->note.seen();
    const sched::TaskExtra* const extra = note.extra();
    const char* const name = extra != nullptr ? extra->name.seen() : note.name();
    explain::Thing thing;
    thing.id = sched::trace_id({held.task, held.generation});
    thing.site = held.task->site.seen();
    if (name != nullptr) thing.name = name;
    if (note.is_held()) thing.waits_else_for = "a message from another rank";
    if (const char* const own = name_of_own(held.task->invoke.seen())) {
      thing.kind = Kind::own;
      thing.name = own;
      thing.waits_else_for = own_waits_for(held.task->invoke.seen());
      thing.site = nullptr;
    }
    return thing;
  }

  void wait_for_children(Index who, const void* scope, Cause cause) {
    const auto found = children_.find(static_cast<const sched::Scope*>(scope));
    if (found == children_.end()) return;
    for (const Index child : found->second) s_.wait(who, cause, child, {}, cause == Cause::throttle);
  }

  void add_subject(Index who, std::uintptr_t subject) {
    switch (Condition::what_of(subject)) {
      case WaitFor::children: return wait_for_children(who, Condition::of(subject), Cause::children);
      case WaitFor::room: return wait_for_children(who, Condition::of(subject), Cause::throttle);
      case WaitFor::task: return s_.wait(who, Cause::task, s_.find(Condition::of(subject)));
      case WaitFor::half: return s_.wait(who, Cause::half, kNobody);
      case WaitFor::other:
      case WaitFor::stop: return;
    }
  }

  // Worker 0 is the program's thread. The others are there for nothing else, and end with the runtime.
  static const char* outside_of_tasks(const sched::Worker& worker) {
    return worker.index() == 0 ? "is the program's thread, outside of Weir" : "has not begun, or has ended";
  }

  struct Seen {
    Index thing;
    std::uintptr_t waits_for;
    bool half;  // of a fork_join(), which is no task
  };
  struct Doing {
    std::string text = "looks for work, or sleeps";
    const Task* task = nullptr;
  };

  static Doing doing_of(const Task* task, const Seen& frame, const sched::Worker& worker) {
    const bool runs = frame.waits_for == 0;
    if (task != nullptr) return {runs ? "runs" : "waits in", task};
    if (frame.half) return {runs ? "runs the half of a fork_join()" : "waits in the half of a fork_join()"};
    return {runs ? outside_of_tasks(worker) : "waits, or sleeps"};
  }

  static bool is_of_program(std::uintptr_t subject) {
    return subject != 0 && Condition::what_of(subject) != WaitFor::stop &&
           Condition::what_of(subject) != WaitFor::other;
  }

  Index add_thread(const sched::Worker& worker) {
    explain::Thing thread;
    thread.kind = Kind::thread;
    thread.worker = worker.index();
    thread.name = fmt::format("the program outside of tasks (worker {})", worker.index());
    held_.push_back({nullptr, 0, nullptr, nullptr});
    return s_.add(nullptr, std::move(thread));
  }

  // From the outermost frame on: who waits for what, and for what runs on top.
  void add_worker(const sched::Worker& worker) {
    std::vector<Seen> frames;
    Doing doing;
    worker.for_each_frame([&](const sched::Frame& frame) {
      const Task* const task = frame.task.seen();
      const std::uintptr_t subject = frame.waits_for.seen();
      const bool outermost = frames.empty();
      const bool program_waits = outermost && is_of_program(subject);
      frames.push_back({program_waits ? add_thread(worker) : s_.find(task), subject, task == nullptr && !outermost});
      doing = doing_of(task, frames.back(), worker);
    });
    if (worker.idle() && frames.size() == 1)
      doing = {frames[0].waits_for == 0 ? outside_of_tasks(worker) : "has nothing to run"};
    if (worker.is_spare() && worker.idle() && frames.size() == 1) return;  // nobody waits in whose place it would run
    s_.add_worker(worker.index(), std::move(doing.text), doing.task);
    for (std::size_t i = 0; i < frames.size(); ++i) {
      if (frames[i].thing == kNobody) continue;
      if (frames[i].waits_for != 0) add_subject(frames[i].thing, frames[i].waits_for);
      if (i + 1 < frames.size() && frames[i + 1].thing != kNobody)
        s_.wait(frames[i].thing, Cause::above, frames[i + 1].thing);
    }
  }

  template <class F>  // f(the one before, the one that waits)
  void for_each_edge(F&& f) const {
    for (Index i = 0; i < held_.size(); ++i) {
      for (const sched::Edge* edge = held_[i].edges; edge != nullptr; edge = edge->next) {
        const Task* const task = task_of(*edge);
        if (task == nullptr) continue;
        const Index later = s_.find(task);
        if (later != kNobody) f(i, later);
      }
    }
  }

  void add_edges() {
    // A task of Weir's own has no footprint: one before it, and one behind it, stand in for it.
    std::unordered_map<Index, Index> before, behind;
    for_each_edge([&](Index first, Index second) {
      if (s_[first].kind == Kind::own) behind.emplace(first, second);
      if (s_[second].kind == Kind::own) before.emplace(second, first);
    });
    for_each_edge([&](Index first, Index second) {
      s_.wait(second, Cause::edge, first);
      add_data(stand_in(before, first), stand_in(behind, second), deps::Between::order);
    });
  }

  // kNobody: there is none.
  Index stand_in(const std::unordered_map<Index, Index>& next, Index i) const {
    constexpr int kMostOwn = 8;  // in a row
    for (int n = 0; n < kMostOwn && s_[i].kind == Kind::own; ++n) {
      const auto found = next.find(i);
      if (found == next.end()) return kNobody;
      i = found->second;
    }
    return s_[i].kind == Kind::own ? kNobody : i;
  }

  // To the last wait: which data it is about. `second` has not begun, and will not before this returns.
  void add_data(Index first, Index second, deps::Between what) {
    if (first == kNobody || second == kNobody) return;
    Wait& wait = s_.last_wait();
    const bool on_itself = wait.on == first, by_itself = wait.who == second;  // nobody stands in for it
    if (held_[first].scope != held_[second].scope) {                          // footprints only order siblings
      wait.by_after = on_itself && by_itself;
      return;
    }
    if (described_ != first) describe(*held_[first].task, first_kept_);
    described_ = first;
    describe(*held_[second].task, second_kept_);
    SharedData shared = find_shared(first_kept_, second_kept_, what);
    wait.by_after = !shared.found && shared.sure && on_itself && by_itself && what == deps::Between::order;
    if (!shared.found) return;
    if (!by_itself) shared.data.item = 0;
    if (!on_itself) shared.data.item_of_other = 0;
    s_.add_data(std::move(shared.data));
  }

  // Tasks whose function has returned, and whose children have not ended.
  void add_parents() {
    for (const auto& [scope, children] : children_) {
      const Index parent = s_.find(scope->parent());
      if (parent == kNobody || std::find(begun_.begin(), begun_.end(), parent) != begun_.end()) continue;
      wait_for_children(parent, scope, Cause::children);
    }
  }

  static const TaskData* data_of(const Held& held) {
    return held.task == nullptr ? nullptr : TaskData::seen_of(*held.task);
  }

  void add_locks() {
    for (Index i = 0; i < held_.size(); ++i) {
      const TaskData* const data = data_of(held_[i]);
      ExclusionLock* const lock = data == nullptr ? nullptr : data->waits_at();
      if (lock == nullptr) continue;
      lock->look([&](const Task* holder) {
        if (data->waits_at() != lock || holder == nullptr || holder == held_[i].task) return;
        s_.wait(i, Cause::lock, s_.find(holder));
        add_data(s_.find(holder), i, deps::Between::exclusion);
      });
    }
  }

  State& state_;
  ExplainedLayer* const layer_;
  Snapshot& s_;
  GateKeeper gates_;
  std::vector<Held> held_;     // by index of the thing, as they are the first
  Index described_ = kNobody;  // whose footprint first_kept_ is
  detail::KeptFootprint first_kept_, second_kept_;
  std::size_t followed_ = 0;  // of these, whose successors are held, too
  std::vector<Index> begun_;
  std::unordered_map<const sched::Scope*, std::vector<Index>> children_;
};

void add_room(Snapshot& snapshot, const data::Waiting& all) {
  for (const data::RoomHolder& holder : all.holders) snapshot.hold_room(holder.who, holder.what);
  for (const data::WaitingTask& waiting : all.tasks) snapshot.wait_for_room(waiting.who, waiting.room, waiting.what);
}

// A task of the layer above, by a handle or for the other half of a fork_join().
void add_own_wait(Snapshot& snapshot, const BegunTask& begun) {
  const Index who = snapshot.find(begun.task);
  if (begun.subject == 0 || who == kNobody || snapshot[who].kind != Kind::edt) return;
  // EDGE-2: another generation is another task, of which the frame does not tell.
  if (begun.task->generation.load(std::memory_order_acquire) != begun.generation) return;
  const WaitFor what = Condition::what_of(begun.subject);
  if (what == WaitFor::half) return snapshot.wait(who, Cause::half, kNobody);
  const Index on = what == WaitFor::task ? snapshot.find(Condition::of(begun.subject)) : kNobody;
  if (on != kNobody) snapshot.wait(who, Cause::task, on);
}

// Tasks of the layer above whose functions wait for what is known here; or have returned, before what they have spawned
// here has ended.
void add_layer_waits(Snapshot& snapshot, const std::vector<Tasks::ChildOfLayer>& children,
                     const std::vector<BegunTask>& begun) {
  std::unordered_map<const Task*, WaitFor> under_way;
  for (const BegunTask& b : begun) {
    under_way[b.task] = b.subject == 0 ? WaitFor::other : Condition::what_of(b.subject);
    add_own_wait(snapshot, b);
  }
  for (const Tasks::ChildOfLayer& each : children) {
    const Index parent = snapshot.find(each.parent);
    const auto found = under_way.find(each.parent);
    const WaitFor what = found == under_way.end() ? WaitFor::children : found->second;
    if (parent == kNobody || (what != WaitFor::children && what != WaitFor::room)) continue;
    const bool room = what == WaitFor::room;
    snapshot[parent].state = explain::State::waiting;
    snapshot.wait(parent, room ? Cause::throttle : Cause::children, each.child, {}, room);
  }
}

std::uint64_t read(const std::atomic<std::uint64_t>& counter) noexcept {
  // Relaxed: counters have one writer, and an older value means a look too early, which is made again.
  return counter.load(std::memory_order_relaxed);
}

}  // namespace

Explaining::Explaining(State& state)
    : state_(state), registration_(*this, service_options(state.scheduler->options())) {}

void Explaining::set_layer(ExplainedLayer* layer) {
  const base::Lock lock(mutex_);
  layer_ = layer;
}

bool Explaining::is_still(std::uint64_t& progress) noexcept {
  progress = 0;
  state_.scheduler->for_each_worker(
      [&](const sched::Worker& worker) { progress += read(worker.statistics().run) + worker.spawned(); });
  data::Activity blocks;
  if (data::Store* const store = state_.blocks->find_store()) blocks = store->activity();
  progress += blocks.changes;
  const base::Lock lock(mutex_);
  note_tops();
  return blocks.transfers == 0 && state_.scheduler->is_still() && (layer_ == nullptr || layer_->waits_for_itself());
}

// Since when a worker has been at the same task is known as closely as this is called.
void Explaining::note_tops() noexcept {
  const std::uint64_t now = platform::now_ns();
  std::vector<OnTop>* const tops = &tops_;
  state_.scheduler->for_each_worker([&](const sched::Worker& worker) {
    const auto index = static_cast<std::size_t>(worker.index());
    if (tops->size() <= index) tops->resize(index + 1);
    const Task* top = nullptr;
    worker.for_each_frame([&](const sched::Frame& frame) { top = frame.task.seen(); });
    // Relaxed: the task is not followed, only compared; a stale generation begins the time anew.
    const std::uint64_t generation = top == nullptr ? 0 : top->generation.load(std::memory_order_relaxed);
    OnTop& known = (*tops)[index];
    if (known.task != top || known.generation != generation) known = {top, generation, now};
  });
}

std::vector<BegunTask> Explaining::begun_tasks() {
  const std::uint64_t now = platform::now_ns();
  const std::span<const OnTop> tops = tops_;
  std::vector<BegunTask> all;
  state_.scheduler->for_each_worker([&](const sched::Worker& worker) {
    const std::size_t first = all.size();
    worker.for_each_frame([&](const sched::Frame& frame) {
      if (all.size() != first) all.back().waits = true;
      const Task* const task = frame.task.seen();
      if (task == nullptr) return;
      BegunTask& begun = all.emplace_back();
      begun.task = task;
      // Relaxed: it counts only if it is that of the gate (gates.md: frames are read without one).
      begun.generation = task->generation.load(std::memory_order_relaxed);
      begun.worker = worker.index();
      begun.subject = frame.waits_for.seen();
      begun.waits = begun.subject != 0;
    });
    if (all.size() == first || all.back().waits) return;
    all.back().asleep = platform::asleep_in(worker.thread());
    const auto index = static_cast<std::size_t>(worker.index());
    if (index >= tops.size()) return;
    const OnTop& top = tops[index];
    if (top.task == all.back().task && top.generation == all.back().generation)
      all.back().seconds = static_cast<double>(now - top.since_ns) * 1e-9;
  });
  return all;
}

explain::Situation Explaining::look() {
  const base::Lock lock(mutex_);
  const int workers = state_.scheduler->worker_count();
  Snapshot snapshot(
      fmt::format("runtime {} of process {} ({} worker{})", state_.id, getpid(), workers, workers == 1 ? "" : "s"));
  note_tops();
  const std::vector<BegunTask> begun = begun_tasks();
  data::Waiting waiting;
  std::vector<Tasks::ChildOfLayer> children;
  {
    Tasks tasks(state_, layer_, snapshot);
    tasks.close_gates(begun);
    tasks.add_things();
    tasks.add_frames(begun);
    tasks.add_waits();
    children = tasks.children_of_layer();
    if (data::Store* const store = state_.blocks->find_store()) waiting = store->waiting_tasks();
  }
  if (layer_ != nullptr) layer_->add_to(snapshot, begun);
  add_layer_waits(snapshot, children, begun);
  add_room(snapshot, waiting);
  return snapshot.finish();
}

explain::Advance Explaining::advance() {
  explain::Advance result;
  state_.scheduler->for_each_worker([&](const sched::Worker& worker) {
    result.done += read(worker.statistics().run);
    result.known += worker.spawned();
  });
  result.known = std::max(result.known, result.done);
  data::Store* const store = state_.blocks->find_store();
  if (store == nullptr) return result;
  for (const data::TierState& tier : store->tier_states()) result.tiers.push_back({tier.name, tier.used, tier.budget});
  return result;
}

}  // namespace weir::runtime

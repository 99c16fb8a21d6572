// SPDX-License-Identifier: Apache-2.0

#include "runtime/explaining.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <unordered_map>

#include "data/store.hpp"
#include "platform/clock.hpp"
#include "platform/thread_state.hpp"
#include "runtime/own_task.hpp"
#include "runtime/shared_data.hpp"
#include "runtime/spawn_scope.hpp"
#include "runtime/task_data.hpp"
#include "sched/gate.hpp"

namespace weir::runtime {

namespace {

using explain::Cause;
using explain::Index;
using explain::Kind;
using explain::kNobody;
using explain::Situation;
using explain::Wait;
using sched::Condition;
using sched::Task;
using trace::WaitFor;

constexpr std::size_t kMostTasks = 200'000;  // gates closed at a time; what is beyond is counted

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
    const std::uint64_t generation = task.generation.load(std::memory_order_acquire);
    const sched::Gates::Closed closed = gates_->close(task, generation);
    if (!closed.closed) return false;
    const sched::Scope* const scope = task.scope.seen();
    if (scope == nullptr || (layer != nullptr && layer->is_mine(task.invoke.seen()))) return false;  // being made
    held.push_back({&task, task.generation.load(std::memory_order_relaxed), closed.edges, scope});
    return true;
  }

 private:
  sched::Gates* const gates_;
};

// Fills a Situation in, while the gates of all its tasks are closed.
class Picture {
 public:
  Picture(State& state, ExplainedLayer* layer, Situation& situation) : state_(state), layer_(layer), s_(situation) {}

  // Those that run first, and each before those that wait for it: so that of too many the culprits are among those that
  // are looked at.
  void close_gates(const std::vector<BegunTask>& begun) {
    for (const BegunTask& b : begun) hold(const_cast<Task&>(*b.task));
    hold_successors();
    state_.scheduler->for_each_worker([&](const sched::Worker& worker) {
      const sched::TaskHeap& heap = const_cast<sched::Worker&>(worker).heap();
      heap.for_each_slot([&](Task& task) {
        if (task.generation.load(std::memory_order_acquire) == heap.first_generation()) return;  // never used
        if (held_.size() < kMostTasks) {
          hold(task);
          hold_successors();
        } else if (!is_of_layer(task) && !index_.contains(&task)) {
          s_.left_out += sched::has_ended(task.ref()) ? 0 : 1;
        }
      });
    });
  }

  void add_things() {
    s_.things.reserve(held_.size());
    for (const Held& held : held_) {
      s_.things.push_back(thing_of(held));
      if (held.scope != nullptr) children_[held.scope].push_back(static_cast<Index>(s_.things.size() - 1));
    }
  }

  void add_frames(const std::vector<BegunTask>& begun) {
    for (const BegunTask& b : begun) {
      const Index i = find(b.task);
      if (i == kNobody || held_[i].generation != b.generation) continue;
      s_.things[i].worker = b.worker;
      s_.things[i].seconds = b.seconds;
      s_.things[i].asleep = b.asleep;
      s_.things[i].state = b.waits ? explain::State::waiting : explain::State::running;
      begun_.push_back(i);
    }
    state_.scheduler->for_each_worker([&](const sched::Worker& worker) { add_worker(worker); });
  }

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
    if (data::Store* const store = state_.blocks->find_store()) add_data(*store);
    settle_states();
  }

 private:
  bool is_of_layer(const Task& task) const { return layer_ != nullptr && layer_->is_mine(task.invoke.seen()); }

  void hold(Task& task) {
    if (held_.size() == kMostTasks || is_of_layer(task) || index_.contains(&task)) return;
    if (gates_.close(task, layer_, held_)) index_.emplace(&task, static_cast<Index>(held_.size() - 1));
  }
  // Of all tasks that are held, which keeps these where they are.
  void hold_successors() {
    for (; followed_ < held_.size(); ++followed_) {
      for (const sched::Edge* edge = held_[followed_].edges; edge != nullptr; edge = edge->next)
        if ((edge->target & 1) == 0) hold(*reinterpret_cast<Task*>(edge->target));
    }
  }

  Index find(const Task* task) const {
    const auto found = index_.find(task);
    return found == index_.end() ? kNobody : found->second;
  }

  static explain::Thing thing_of(const Held& held) {
    const sched::TaskNote note = held.task->note.seen();
    const sched::TaskExtra* const extra = note.extra();
    const char* const name = extra != nullptr ? extra->name.seen() : note.name();
    explain::Thing thing;
    thing.id = sched::trace_id({held.task, held.generation});
    thing.site = held.task->site.seen();
    if (name != nullptr) thing.name = name;
    if (const char* const own = name_of_own(held.task->invoke.seen())) {
      thing.kind = Kind::own;
      thing.name = own;
      thing.site = nullptr;
    }
    return thing;
  }

  void wait(Index who, Cause cause, Index on, bool one_of = false, std::string what = {}) {
    s_.waits.push_back({who, cause, on, one_of, std::move(what)});
  }

  void wait_for_children(Index who, const void* scope, Cause cause) {
    const auto found = children_.find(static_cast<const sched::Scope*>(scope));
    if (found == children_.end()) return;
    for (const Index child : found->second) wait(who, cause, child, cause == Cause::throttle);
  }

  void add_subject(Index who, std::uintptr_t subject) {
    switch (Condition::what_of(subject)) {
      case WaitFor::children: return wait_for_children(who, Condition::of(subject), Cause::children);
      case WaitFor::room: return wait_for_children(who, Condition::of(subject), Cause::throttle);
      case WaitFor::task: return wait(who, Cause::task, find(static_cast<const Task*>(Condition::of(subject))));
      case WaitFor::half: return wait(who, Cause::half, kNobody);
      case WaitFor::other:
      case WaitFor::stop: return;
    }
  }

  // Worker 0 is the program's thread. The others are there for nothing else, and end with the runtime.
  static const char* outside_of_tasks(const sched::Worker& worker) {
    return worker.index() == 0 ? "is the program's thread, outside of Weir" : "has not begun, or has ended";
  }

  // From the outermost frame on: who waits for what, and for what runs on top.
  void add_worker(const sched::Worker& worker) {
    struct Seen {
      Index thing;
      std::uintptr_t waits_for;
      bool half;
    };
    std::vector<Seen> frames;
    std::string inner = "looks for work, or sleeps";
    worker.for_each_frame([&](const sched::Frame& frame) {
      const Task* const task = frame.task.seen();
      const std::uintptr_t subject = frame.waits_for.seen();
      if (frames.empty() && subject != 0 && Condition::what_of(subject) != WaitFor::stop &&
          Condition::what_of(subject) != WaitFor::other) {
        s_.things.push_back({});
        explain::Thing& thread = s_.things.back();
        thread.kind = Kind::thread;
        thread.worker = worker.index();
        thread.name = fmt::format("the program outside of tasks (worker {})", worker.index());
        held_.push_back({nullptr, 0, nullptr, nullptr});
        frames.push_back({static_cast<Index>(s_.things.size() - 1), subject, false});
      } else {
        frames.push_back({find(task), subject, task == nullptr && !frames.empty()});
      }
      if (task != nullptr && subject == 0)
        inner = fmt::format("runs {}", name_of(*task));
      else if (task != nullptr)
        inner = fmt::format("waits in {}", name_of(*task));
      else if (!frames.back().half)
        inner = subject == 0 ? outside_of_tasks(worker) : "waits, or sleeps";
      else
        inner = subject == 0 ? "runs the half of a fork_join()" : "waits in the half of a fork_join()";
    });
    if (worker.idle() && frames.size() == 1)
      inner = frames[0].waits_for == 0 ? outside_of_tasks(worker) : "has nothing to run";
    if (worker.is_spare() && worker.idle() && frames.size() == 1) return;  // nobody waits in whose place it would run
    s_.workers.push_back({worker.index(), inner});
    for (std::size_t i = 0; i < frames.size(); ++i) {
      if (frames[i].thing == kNobody) continue;
      if (frames[i].waits_for != 0) add_subject(frames[i].thing, frames[i].waits_for);
      if (i + 1 < frames.size() && frames[i + 1].thing != kNobody)
        wait(frames[i].thing, Cause::above, frames[i + 1].thing);
    }
  }

  std::string name_of(const Task& task) const {
    const Index i = find(&task);
    if (i != kNobody)
      return s_.things[i].name.empty() ? fmt::format("task {:x}", s_.things[i].id)
                                       : fmt::format("task '{}'", s_.things[i].name);
    if (layer_ != nullptr && layer_->is_mine(task.invoke.seen())) return "an EDT";
    return "a task";
  }

  template <class F>  // f(the one before, the one that waits)
  void for_each_edge(F&& f) const {
    for (Index i = 0; i < held_.size(); ++i) {
      for (const sched::Edge* edge = held_[i].edges; edge != nullptr; edge = edge->next) {
        if ((edge->target & 1) != 0) continue;  // somebody who waits: his frame tells; or a gate
        const Index later = find(reinterpret_cast<const Task*>(edge->target));
        if (later != kNobody) f(i, later);
      }
    }
  }

  void add_edges() {
    // A task of Weir's own has no footprint: one before it, and one behind it, stand in for it.
    std::unordered_map<Index, Index> before, behind;
    for_each_edge([&](Index first, Index second) {
      if (s_.things[first].kind == Kind::own) behind.emplace(first, second);
      if (s_.things[second].kind == Kind::own) before.emplace(second, first);
    });
    for_each_edge([&](Index first, Index second) {
      wait(second, Cause::edge, first);
      add_data(stand_in(before, first), stand_in(behind, second), deps::Between::order);
    });
  }

  // kNobody: there is none.
  Index stand_in(const std::unordered_map<Index, Index>& next, Index i) const {
    constexpr int kMostOwn = 8;  // in a row
    for (int n = 0; n < kMostOwn && s_.things[i].kind == Kind::own; ++n) {
      const auto found = next.find(i);
      if (found == next.end()) return kNobody;
      i = found->second;
    }
    return s_.things[i].kind == Kind::own ? kNobody : i;
  }

  // To the last wait: which data it is about. `second` has not begun, and will not before this returns.
  void add_data(Index first, Index second, deps::Between what) {
    if (first == kNobody || second == kNobody) return;
    Wait& wait = s_.waits.back();
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
    wait.data = static_cast<Index>(s_.data.size());
    s_.data.push_back(std::move(shared.data));
  }

  // Tasks whose function has returned, and whose children have not ended.
  void add_parents() {
    for (const auto& [scope, children] : children_) {
      const Index parent = find(scope->parent());
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
        wait(i, Cause::lock, find(holder));
        add_data(find(holder), i, deps::Between::exclusion);
      });
    }
  }

  void add_data(data::Store& store) {
    std::unordered_map<const data::Requester*, Index> requesters;
    for (Index i = 0; i < held_.size(); ++i)
      if (const TaskData* const data = data_of(held_[i]); data != nullptr && data->requester() != nullptr)
        requesters.emplace(data->requester(), i);
    const auto find_requester = [&](const data::Requester* who) {
      const auto found = requesters.find(who);
      return found == requesters.end() ? kNobody : found->second;
    };
    const data::Waiting all = store.waiting_tasks();
    std::vector<Index> holders;
    for (const data::RoomHolder& holder : all.holders) {
      const Index i = find_requester(holder.who);
      if (i == kNobody) continue;
      s_.things[i].detail = holder.what;
      holders.push_back(i);
    }
    for (const data::WaitingTask& waiting : all.tasks) {
      const Index who = find_requester(waiting.who);
      if (who == kNobody) continue;
      if (holders.empty() || !waiting.room)
        wait(who, waiting.room ? Cause::room : Cause::transfer, kNobody, false, waiting.what);
      else
        for (const Index holder : holders) wait(who, Cause::room, holder, true, waiting.what);
    }
  }

  // Who neither runs nor waits for anything is ready.
  void settle_states() {
    std::vector<bool> waits(s_.things.size(), false);
    for (const Wait& w : s_.waits) waits[w.who] = true;
    for (Index i = 0; i < s_.things.size(); ++i) {
      explain::Thing& thing = s_.things[i];
      if (thing.state == explain::State::running || thing.worker >= 0 || waits[i]) continue;
      if (thing.kind == Kind::own)
        wait(i, Cause::nothing, kNobody, false, own_waits_for(held_[i].task->invoke.seen()));
      else if (s_.left_out != 0)  // what it comes after may be among those
        wait(i, Cause::edge, kNobody);
      else
        thing.state = explain::State::ready;
    }
  }

  State& state_;
  ExplainedLayer* const layer_;
  Situation& s_;
  GateKeeper gates_;
  std::vector<Held> held_;     // by index of the thing
  Index described_ = kNobody;  // whose footprint first_kept_ is
  detail::KeptFootprint first_kept_, second_kept_;
  std::size_t followed_ = 0;  // of these, whose successors are held, too
  std::vector<Index> begun_;
  std::unordered_map<const Task*, Index> index_;
  std::unordered_map<const sched::Scope*, std::vector<Index>> children_;
};

std::uint64_t read(const std::atomic<std::uint64_t>& counter) noexcept {
  return counter.load(std::memory_order_relaxed);
}

}  // namespace

Explaining::Explaining(State& state)
    : state_(state), registration_(*this, service_options(state.scheduler->options())) {}

void Explaining::set_layer(ExplainedLayer* layer) {
  const std::lock_guard lock(mutex_);
  layer_ = layer;
}

bool Explaining::is_still(std::uint64_t& progress) noexcept {
  progress = 0;
  state_.scheduler->for_each_worker(
      [&](const sched::Worker& worker) { progress += read(worker.statistics().run) + worker.spawned(); });
  bool moving = false;
  if (data::Store* const store = state_.blocks->find_store()) progress += store->changes(moving);
  const std::lock_guard lock(mutex_);
  note_tops();
  return !moving && state_.scheduler->is_still() && (layer_ == nullptr || layer_->waits_for_itself());
}

// Since when a worker has been at the same task is known as closely as this is called.
void Explaining::note_tops() noexcept {
  const std::uint64_t now = platform::now_ns();
  state_.scheduler->for_each_worker([&](const sched::Worker& worker) {
    const auto index = static_cast<std::size_t>(worker.index());
    if (tops_.size() <= index) tops_.resize(index + 1);
    const Task* top = nullptr;
    worker.for_each_frame([&](const sched::Frame& frame) { top = frame.task.seen(); });
    const std::uint64_t generation = top == nullptr ? 0 : top->generation.load(std::memory_order_relaxed);
    OnTop& known = tops_[index];
    if (known.task != top || known.generation != generation) known = {top, generation, now};
  });
}

std::vector<BegunTask> Explaining::begun_tasks() {
  const std::uint64_t now = platform::now_ns();
  std::vector<BegunTask> all;
  state_.scheduler->for_each_worker([&](const sched::Worker& worker) {
    const std::size_t first = all.size();
    worker.for_each_frame([&](const sched::Frame& frame) {
      if (all.size() != first) all.back().waits = true;
      const Task* const task = frame.task.seen();
      if (task == nullptr) return;
      all.push_back(
          {task, task->generation.load(std::memory_order_relaxed), worker.index(), frame.waits_for.seen() != 0, 0, {}});
    });
    if (all.size() == first || all.back().waits) return;
    all.back().asleep = platform::asleep_in(worker.thread());
    const auto index = static_cast<std::size_t>(worker.index());
    if (index >= tops_.size()) return;
    const OnTop& top = tops_[index];
    if (top.task == all.back().task && top.generation == all.back().generation)
      all.back().seconds = static_cast<double>(now - top.since_ns) * 1e-9;
  });
  return all;
}

Situation Explaining::look() {
  const std::lock_guard lock(mutex_);
  Situation situation;
  const int workers = state_.scheduler->worker_count();
  situation.title =
      fmt::format("runtime {} of process {} ({} worker{})", state_.id, getpid(), workers, workers == 1 ? "" : "s");
  note_tops();
  const std::vector<BegunTask> begun = begun_tasks();
  std::vector<ChildOfLayer> children;
  {
    Picture picture(state_, layer_, situation);
    picture.close_gates(begun);
    picture.add_things();
    picture.add_frames(begun);
    picture.add_waits();
    children = picture.children_of_layer();
  }
  if (layer_ != nullptr) layer_->add_to(situation, begun, state_.blocks->find_store(), children);
  return situation;
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

// SPDX-License-Identifier: Apache-2.0

#include "weir/runtime.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "base/hooks.hpp"
#include "check/hooks.hpp"
#include "platform/exceptions_apart.hpp"
#include "platform/fresh_stack.hpp"
#include "platform/uncaught.hpp"
#include "runtime/check_options.hpp"
#include "runtime/checkpointing.hpp"
#include "runtime/explaining.hpp"
#include "runtime/lifetime.hpp"
#include "runtime/options.hpp"
#include "runtime/runtime_state.hpp"
#include "runtime/tier_source.hpp"
#include "runtime/tracing.hpp"

namespace weir {

namespace {

machine::Machine machine_for(const Options& options) {
  base::Result<machine::Machine> machine = runtime::find_machine(options);
  if (!machine) throw Error(machine.status().message);
  return *machine;
}

[[noreturn, gnu::cold]] void refuse_to_end_inside(sched::Worker& worker) noexcept {
  const sched::Task* const task = worker.frame().task;
  const char* const name = task != nullptr ? task->note.name() : nullptr;
  std::fprintf(
      stderr,
      "weir: a runtime is destroyed inside %s%s%s of its own, for which it would wait: destroy it on the thread "
      "that made it, outside of tasks\n",
      task != nullptr ? "a task" : "the half of a fork_join()", name != nullptr ? " named " : "",
      name != nullptr ? name : "");
  std::abort();
}

// Where exit() was called in a task, the thread has forgotten its memberships by now, but not the worker that it is.
sched::Worker& worker_that_ends(runtime::State& state) {
  sched::Worker* const worker = runtime::find_worker_in(state);
  return worker != nullptr ? *worker : runtime::worker_in(state);
}

// The thread may also be in a task of another runtime, which the task has made.
bool maker_is_inside(const runtime::State& state) noexcept {
  return state.maker == std::this_thread::get_id() && state.scheduler->first_worker().frame().outer != nullptr;
}

[[noreturn, gnu::cold]] void refuse_to_end_elsewhere() noexcept {
  std::fprintf(
      stderr,
      "weir: a runtime is destroyed by another thread than the one that made it, which is its worker 0 and still "
      "runs: destroy it there, or after that thread has ended\n");
  std::abort();
}

// That a runtime lives, and is the calling thread's, while its constructor goes on; from then on where it has come to
// its end.
class Enrolment {
 public:
  explicit Enrolment(runtime::State& state) : state_(&state) { runtime::enrol(state); }
  ~Enrolment() {
    if (state_ == nullptr) return;
    if (entered_) runtime::leave(*state_);
    runtime::strike_off(*state_);
  }
  Enrolment(const Enrolment&) = delete;
  Enrolment& operator=(const Enrolment&) = delete;

  void enter() {
    entered_ = true;
    runtime::enter(*state_);
  }
  void stay() noexcept { state_ = nullptr; }

 private:
  runtime::State* state_;
  bool entered_ = false;
};

// Until a worker finds nothing to run.
class NothingFound final : public sched::Condition {
 public:
  bool done() noexcept override { return found_nothing_ || ++looks_ > kMostLooks; }
  bool prepare_to_sleep() noexcept override {
    found_nothing_ = true;
    return false;
  }

 private:
  static constexpr int kMostLooks = 64;
  bool found_nothing_ = false;
  int looks_ = 0;
};

std::vector<sched::Worker*> workers_of(const sched::Scheduler& scheduler) {
  std::vector<sched::Worker*> workers;
  scheduler.for_each_worker(
      [&](const sched::Worker& worker) { workers.push_back(const_cast<sched::Worker*>(&worker)); });
  return workers;
}

// What thread_local objects have spawned that were destroyed when the workers' threads ended. The calling thread is
// each of those workers in turn, since a worker takes the tasks in its own mailbox alone. Tasks that have ended
// meanwhile, on a thread that was ending, may have failed.
void run_last_tasks(const sched::Scheduler& scheduler) {
  const std::vector<sched::Worker*> workers = workers_of(scheduler);
  std::vector<sched::Scope*> left;
  for (sched::Worker* const worker : workers) {
    sched::Scope* const scope = worker->root_scope();
    if (scope == nullptr) continue;
    if (scope->unfinished() != 0) scope->before_wait();
    left.push_back(scope);
  }
  const auto has_tasks = [](const sched::Scope* scope) { return scope->unfinished() != 0; };
  while (std::any_of(left.begin(), left.end(), has_tasks)) {
    for (sched::Worker* const worker : workers) {
      NothingFound condition;
      worker->run_until(condition);
    }
  }
  for (sched::Scope* const scope : left) {
    scope->reset();
    if (const std::exception_ptr failure = scope->take_failure()) runtime::report_untaken(failure);
  }
}

// All that there are, and the threads of the workers.
void end_tasks(sched::Scheduler& scheduler, sched::Worker& self) {
  // Collected first: what runs meanwhile may ask the scheduler for things that it gives under the same lock.
  for (sched::Worker* const worker : workers_of(scheduler)) {
    sched::Scope* const scope = worker->root_scope();
    if (scope == nullptr) continue;
    if (worker == &self)
      self.wait_for_children(*scope);
    else
      self.wait_for_others(*scope);
    if (const std::exception_ptr failure = scope->take_failure()) runtime::report_untaken(failure);
  }
  scheduler.stop_threads();  // counters are final
  run_last_tasks(scheduler);
}

}  // namespace

runtime::State::State() = default;
runtime::State::~State() = default;

Runtime::Runtime(const Options& options) : Runtime(options, nullptr) {}

Runtime::Runtime(const Options& wanted, const detail::TierSource* tiers) : state_(nullptr) {
  if (const base::Status status = runtime::check_numbers(wanted); !status) throw Error(status.message);
  Options options = wanted;
  runtime::heed_trace_variable(options);
  if (const base::Status status = check::start(options); !status) throw Error(status.message);
  if (check::active()) {
    sched::Worker::observe_all();
    platform::forbid_fresh_stacks("weir check would take it for memory of the program");
  }
  if (!base::kHooks && (check::active() || !options.trace.empty())) {
    throw Error("this Weir was built with -DWEIR_HOOKS=OFF, for measuring: it cannot trace or check; build it without");
  }
  auto state = std::make_unique<State>();
  const machine::Machine machine = machine_for(options);
  if (!options.trace.empty()) state->recorder = runtime::open_trace(options.trace);
  Enrolment enrolment(*state);
  base::Result<std::unique_ptr<sched::Scheduler>> scheduler =
      sched::Scheduler::start(machine, options, state->first_generation, state->recorder.get());
  if (!scheduler) throw Error(scheduler.status().message);
  state->scheduler = std::move(*scheduler);
  state->scheduler->owner = state.get();
  state->blocks = std::make_unique<runtime::BlockRuntime>(*state->scheduler, state->recorder.get());
  if (tiers != nullptr) state->blocks->set_tier_source(*tiers);
  if (!options.tiers.empty()) state->blocks->store();
  state->checkpointing = runtime::Checkpointing::open(*this, *state, options);
  enrolment.enter();
  if (options.explain != Explain::off) state->explaining = std::make_unique<runtime::Explaining>(*state);
  state->started = trace::Track::now();
  enrolment.stay();
  state_ = state.release();
}

Runtime::~Runtime() {
  if (runtime::made_before_fork(*state_)) return;  // it is the parent's: of its threads there is none here
  const std::unique_ptr<State> state(state_);
  sched::Scheduler& scheduler = *state->scheduler;
  // Guests' tasks, too: no other thread spawns any more, so one round over all workers is enough.
  sched::Worker& self = worker_that_ends(*state);
  if (self.frame().outer != nullptr) refuse_to_end_inside(self);
  if (maker_is_inside(*state)) refuse_to_end_inside(scheduler.first_worker());
  if (!runtime::may_end_here(*state)) refuse_to_end_elsewhere();
  {
    const platform::ExceptionsApart apart;
    end_tasks(scheduler, self);
  }
  state->checkpointing.reset();
  while (state->completing.load(std::memory_order_acquire) != 0) std::this_thread::yield();  // DONE-2
  state->kept.end();
  if (state->blocks != nullptr) state->blocks->end_blocks();  // null: a layer above has ended them
  if (check::active()) check::hooks().runtime_ended();
  state->ended = trace::Track::now();
  state->explaining.reset();
  runtime::leave(*state);
  runtime::strike_off(*state);
  if (state->recorder == nullptr) return;
  const trace::Summary summary =
      state->summary != nullptr ? std::move(*state->summary) : runtime::summarise(*this, *state);
  state->blocks.reset();
  state->scheduler.reset();
  runtime::close_trace(*state->recorder, summary);
}

namespace runtime {

std::unique_ptr<Runtime> make_runtime(const Options& options, const detail::TierSource& tiers) {
  return std::unique_ptr<Runtime>(detail::RuntimeAccess::make(options, tiers));
}

}  // namespace runtime

static_assert(Runtime::kMaxThreads == sched::Team::kMaxGuests);

int Runtime::worker_count() const noexcept { return state_->scheduler->worker_count(); }
int Runtime::domain_count() const noexcept { return state_->scheduler->domain_count(); }

Statistics Runtime::statistics() const noexcept {
  Statistics sum;
  state_->scheduler->for_each_worker([&](const sched::Worker& worker) {
    const sched::WorkerStatistics& from = worker.statistics();
    auto add = [](std::uint64_t& to, const std::atomic<std::uint64_t>& counter) {
      to += counter.load(std::memory_order_relaxed);  // relaxed: exact only when no task runs
    };
    add(sum.tasks_run, from.run);
    add(sum.tasks_cancelled, from.cancelled);
    add(sum.steals, from.steals);
    add(sum.tasks_stolen, from.stolen);
    add(sum.far_steals, from.far_steals);
    add(sum.parks, from.parks);
    add(sum.exceptions_dropped, from.dropped);
  });
  sum.tasks_run -= std::min(sum.tasks_run, sum.tasks_cancelled);  // workers count what has ended
  return sum;
}

}  // namespace weir

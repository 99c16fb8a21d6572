// SPDX-License-Identifier: Apache-2.0

// Master::State: the master process: spawns tasks into the graph, gives ready ones to workers, collects what is done.
//
// As BDDT-SCC's master: while the program spawns it gives away what is ready at once and never waits for room; where
// the program has to wait it polls: collects what workers have done, gives them what is ready, and releases what was
// collected only when nothing is left to give, so that workers do not wait for the bookkeeping.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/mutex.hpp"
#include "explain/service.hpp"
#include "island/graph.hpp"
#include "island/message.hpp"
#include "island/patience.hpp"
#include "island/private_copies.hpp"
#include "island/process.hpp"
#include "island/runner.hpp"
#include "island/space.hpp"
#include "platform/affinity.hpp"
#include "trace/recorder.hpp"
#include "weir/island.hpp"

namespace weir::island {

inline double seconds_per_tick(const trace::ClockPair& from, const trace::ClockPair& to) noexcept {
  return 1e-9 * static_cast<double>(to.ns - from.ns) / static_cast<double>(to.ticks - from.ticks);
}

struct Master::State final : private explain::Source {
 public:
  State(const Options& options, const MasterOptions& own);
  ~State();
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  void* allocate(std::size_t bytes, std::size_t alignment = 1);
  // Of parts of so many bytes each: how they lie, and the memory for them.
  std::pair<void*, detail::PartsLayout> allocate_parts(std::size_t parts, std::size_t bytes);
  void give_back(void* memory);
  void submit(const detail::Callable& callable, std::span<const Access> footprint, const char* name, const void* site);
  void wait();
  // It never changes.
  int worker_count() const noexcept WEIR_NOT_ANALYSED { return static_cast<int>(workers_.size()); }
  Statistics statistics() const;

 private:
  struct Given {
    TaskNode* task;  // null: it has been collected, or is another worker's now
    std::uint32_t number;
  };
  struct Worker {
    Process process;
    Mailbox* mailbox;
    std::uint32_t next = 1;                                       // number of the next letter to it
    StreamIn children{mailbox->children};                         // of the task that it has done with
    std::deque<Given> given{};                                    // the oldest is not collected
    std::uint64_t busy_since = 0;                                 // ticks: when it was given one after having had none
    std::uint64_t seen = 0;                                       // ticks: until when its time is accounted for
    std::uint64_t running = 0, staging = 0, idle = 0, tasks = 0;  // the first three in ticks
    trace::Track* track = nullptr;                                // null: nothing is traced
    bool ended = false;                                           // it has died, and the others go on
    std::uint64_t died = 0;                                       // ticks: when that was seen; 0: it lives
    bool is_rung = false;                                         // rings_workers()
    std::array<std::uint32_t, kPartners> settled{};               // then: the asks of it whose answers were looked at

    // The oldest that is not collected; null: none.
    TaskNode* oldest() const noexcept { return given.empty() ? nullptr : given.front().task; }
    void trace_done(const TaskNode& task, const Done& done);
    // A task, or the end, under its next number.
    void post(SharedMemory& memory, std::span<const std::byte> text) noexcept;
  };
  struct Counts {
    std::uint64_t run = 0, cancelled = 0, rerun = 0, shared = 0, bytes_staged = 0, died = 0;
    std::uint64_t idle = 0;                                         // ticks that the master had nothing to do
    std::uint64_t broken_at = 0;                                    // ticks: when broken_ was said; 0: it goes on
    std::uint64_t own_tasks = 0, own_running = 0, own_staging = 0;  // of the master itself; the last two in ticks
  };
  // What the program may have written, or will read, by the bytes that a footprint names.
  struct RegionHash {
    std::size_t operator()(const Region& r) const noexcept;
  };
  struct SameRegion {
    bool operator()(const Region& a, const Region& b) const noexcept;
  };
  using Regions = std::unordered_set<Region, RegionHash, SameRegion>;

  // Before and after another thread may look.
  int attached() const;
  void start_workers() WEIR_NOT_ANALYSED;
  void start_trace() WEIR_NOT_ANALYSED;
  void end_workers() noexcept WEIR_NOT_ANALYSED;

  // What a task is besides its footprint.
  struct Call {
    FunctionName invoke;
    std::span<const std::byte> function;
    const char* name;  // null: none
    const void* site;
  };
  TaskNode& new_task(const Call& call, std::span<const Access> footprint) WEIR_REQUIRES(mutex_);
  std::byte* fill_letter(const Call& call, std::span<const Access> footprint) WEIR_REQUIRES(mutex_);
  void submit_children(TaskNode& parent, std::span<const std::byte> children) WEIR_REQUIRES(mutex_);
  void publish(std::span<const Access> footprint) WEIR_REQUIRES(mutex_);
  bool poll() WEIR_REQUIRES(mutex_);
  bool collect() WEIR_REQUIRES(mutex_);
  bool take_done(TaskNode& task, std::uint32_t given_to, std::span<const std::byte> letter) WEIR_REQUIRES(mutex_);
  void finish(TaskNode& task, const Done& done, std::string_view thrown, std::span<const std::byte> children)
      WEIR_REQUIRES(mutex_);
  bool run_own() WEIR_REQUIRES(mutex_);
  void trace_spawn(std::uint64_t start, const TaskNode& task, std::span<const Access> footprint) WEIR_REQUIRES(mutex_);
  std::uint32_t room() const noexcept;
  bool give_ready(std::uint32_t most) WEIR_REQUIRES(mutex_);
  void give(Worker& worker, TaskNode& task) WEIR_REQUIRES(mutex_);
  void release_one() WEIR_REQUIRES(mutex_);
  // When a worker has died, others get its tasks, or this throws.
  void look_after_workers() WEIR_REQUIRES(mutex_);
  bool hand_over(Worker& worker) WEIR_REQUIRES(mutex_);
  bool hand_over_shared(Worker& worker) WEIR_REQUIRES(mutex_);
  bool take_back(std::vector<TaskNode*>& tasks) WEIR_REQUIRES(mutex_);
  // Waits until at most `most` tasks are unfinished.
  void wait_until(std::size_t most) WEIR_REQUIRES(mutex_);
  void fetch_results() WEIR_REQUIRES(mutex_);
  std::string title_of(const TaskNode& task) const;  // for messages
  trace::Summary summarise(std::uint64_t end) const WEIR_REQUIRES(mutex_);

  // ---- explain::Source ----
  bool is_still(std::uint64_t& progress) noexcept override;
  explain::Situation look() override;
  explain::Advance advance() override;

  const Options options_;
  const MasterOptions own_;
  platform::ScopedBinding binding_;  // of the thread that made the master
  std::optional<Space> space_;
  std::optional<PrivateCopies> copies_;
  CodeNames codes_;
  std::optional<Runner> runner_;               // of tasks that the master runs itself
  std::unique_ptr<trace::Recorder> recorder_;  // null: nothing is traced
  trace::Track* track_ = nullptr;              // the master's own
  trace::ClockPair clock_;                     // when the workers were there

  // The program's thread, and that of explain, which looks.
  mutable base::Mutex mutex_;
  TaskGraph graph_ WEIR_GUARDED_BY(mutex_);
  std::vector<Worker> workers_ WEIR_GUARDED_BY(mutex_);
  std::vector<std::uint32_t> queued_ WEIR_GUARDED_BY(mutex_);  // by worker: how many it has been given
  std::uint32_t turn_ WEIR_GUARDED_BY(mutex_) = 0;             // see policy::Snapshot
  std::deque<TaskNode*> completed_ WEIR_GUARDED_BY(mutex_);    // done and not released
  Regions published_ WEIR_GUARDED_BY(mutex_);                  // since the last wait(): written back by the master
  Regions written_ WEIR_GUARDED_BY(mutex_);                    // since then: what tasks write
  std::vector<Access> lines_ WEIR_GUARDED_BY(mutex_);          // of the task that new_task() has made: its footprint
  std::set<std::string, std::less<>> names_ WEIR_GUARDED_BY(mutex_);  // of tasks that tasks have made
  std::vector<std::byte> letter_ WEIR_GUARDED_BY(mutex_);             // and its letter
  std::string failure_ WEIR_GUARDED_BY(mutex_);  // of the first task that failed since the last wait(); "": none
  std::string broken_ WEIR_GUARDED_BY(mutex_);   // a worker has died: nothing can go on
  Counts counts_ WEIR_GUARDED_BY(mutex_);

  std::optional<explain::Registration> registration_;  // last: from here on it is asked
};

}  // namespace weir::island

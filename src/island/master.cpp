// SPDX-License-Identifier: Apache-2.0

#include "island/master.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/mutex.hpp"
#include "check/hooks.hpp"
#include "island/attach.hpp"
#include "island/footprint.hpp"
#include "island/spread.hpp"
#include "island/step.hpp"
#include "island/worker.hpp"
#include "platform/clock.hpp"
#include "platform/source_lines.hpp"
#include "platform/uncaught.hpp"
#include "runtime/options.hpp"
#include "runtime/runtime_state.hpp"
#include "runtime/tracing.hpp"
#include "runtime/value_or_throw.hpp"
#include "trace/details.hpp"

namespace weir::island {

using runtime::value_or_throw;

namespace {

constexpr std::uint64_t kSpawnsPerPoll = 8;  // as many as a worker has room for

}  // namespace

// ---- Start and end ----

Master::State::State(const Options& wanted, const MasterOptions& own)
    : options_([&] {
        if (const base::Status status = runtime::check_numbers(wanted); !status) throw Error(status.message);
        Options options = wanted;
        runtime::heed_trace_variable(options);
        if (const char* const memory = std::getenv(kMemoryVariable)) options.island_segment = where_it_is_found(memory);
        if (std::getenv(check::kVariable) != nullptr) {
          throw Error(
              "weir check watches the tasks of threads; what tasks on islands touch outside of their footprints shows "
              "with "
              "WEIR_ISLAND_MEMORY=checked");
        }
        if (!options.checkpoint.empty() || !options.restart.empty()) {
          throw Error("islands make no checkpoints: leave them out (WEIR_CHECKPOINT, WEIR_RESTART)");
        }
        return options;
      }()),
      own_(own) {
  if (own_.retries < 0 || own_.retries > 1000 || own_.runs_when < 0 || own_.runs_when > int{Mailbox::kSlots}) {
    throw Error(fmt::format("MasterOptions: retries is {} and runs_when {}; 0 to 1000 and 0 to {} are allowed",
                            own_.retries, own_.runs_when, Mailbox::kSlots));
  }
  start_workers();
  if (!options_.trace.empty()) start_trace();
  clock_ = trace::ClockPair::now();
  for (Worker& worker : workers_) worker.seen = clock_.ticks;
  if (options_.explain != Explain::off) {
    const explain::ServiceOptions service{options_.explain_after, options_.explain == Explain::on};
    registration_.emplace(static_cast<explain::Source&>(*this), service);
  }
}

// How many of the workers are programs that attach.
int Master::State::attached() const {
  const char* const told = std::getenv(kAttachedVariable);
  return own_.attached == 0 && told != nullptr ? std::atoi(told) : own_.attached;
}

// The processes come before anything that starts a thread.
void Master::State::start_workers() {
  const std::vector<int> cpus = platform::this_thread_cpus();
  const int attached = this->attached();
  for (const char* const first_ones : {kAttachedVariable, kMemoryVariable}) ::unsetenv(first_ones);
  const int usual = attached != 0 ? attached : std::max(static_cast<int>(cpus.size()) - 1, 1);
  const int count = options_.workers != 0 ? options_.workers : usual;
  if (attached < 0 || attached > count || (attached != 0 && options_.island_segment.empty())) {
    throw Error(
        fmt::format("MasterOptions: attached is {}; of {} workers (options.workers) not more can, and for any that do "
                    "options.island_segment has to name what they attach to",
                    attached, count));
  }
  space_.emplace(options_, count, attached, own_.shares);
  copies_.emplace(space_->memory());
  runner_.emplace(space_->memory(), std::span<const std::byte>());
  // More processes than cores get none of their own: the system knows better who waits.
  const bool bind = options_.bind == Bind::core && attached == 0 && static_cast<std::size_t>(count) < cpus.size();
  if (bind) static_cast<void>(binding_.bind(std::array{cpus[0]}));
  workers_.reserve(static_cast<std::size_t>(count));
  for (int index = 1; index <= count; ++index) {
    const auto cpu = bind ? std::optional(cpus[static_cast<std::size_t>(index)]) : std::nullopt;
    workers_.push_back({index > count - attached ? space_->wait_for_worker(index) : space_->fork_worker(index, cpu),
                        &space_->mailbox(index)});
    workers_.back().is_rung = rings_workers(options_.island_memory, own_.shares);
  }
  space_->close();
  queued_.resize(workers_.size());
}

void Master::State::start_trace() {
  recorder_ = runtime::open_trace(options_.trace);
  track_ = recorder_->add_track({"master", 0, 0});
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    const int index = static_cast<int>(i) + 1;
    workers_[i].track = recorder_->add_track({fmt::format("island {}", index), index, 0});
  }
}

Master::State::~State() {
  if (broken_.empty()) {
    try {
      wait();
    } catch (const Error& error) {
      std::fprintf(stderr, "weir: a task failed and no wait() took its exception: %s\n", error.what());
    }
  }
  registration_.reset();
  const std::uint64_t end = trace::Track::now();
  if (broken_.empty()) end_workers();
  if (const std::string spilled = space_->spilled(); !spilled.empty())
    std::fprintf(stderr, "weir: %s\n", spilled.c_str());
  if (recorder_ == nullptr) return;
  for (const Worker& worker : workers_) {
    const std::uint64_t last = worker.died != 0 ? worker.died : counts_.broken_at != 0 ? counts_.broken_at : end;
    worker.track->search(std::min(worker.seen, last), last);
  }
  runtime::close_trace(*recorder_, summarise(end));
}

void Master::State::end_workers() noexcept {
  const TaskHead last{};
  for (Worker& worker : workers_) {
    if (!worker.ended) worker.post(space_->memory(), std::as_bytes(std::span(&last, 1)));
  }
  for (Worker& worker : workers_) worker.process.join();
}

trace::Summary Master::State::summarise(std::uint64_t end) const {
  trace::Summary summary;
  summary.start = clock_.ticks;
  summary.end = end;
  summary.workers = static_cast<int>(workers_.size()) + 1;
  for (const runtime::OptionInfo& info : runtime::option_table())
    if (info.name == "island_memory") summary.policy = "islands, " + runtime::option_text(options_, info);
  summary.machine = fmt::format("a master and {} island{}", workers_.size(), workers_.size() == 1 ? "" : "s");
  summary.counters = {{"tasks_run", counts_.run},
                      {"tasks_cancelled", counts_.cancelled},
                      {"tasks_rerun", counts_.rerun},
                      {"workers_died", counts_.died}};
  return summary;
}

// ---- Memory ----

void* Master::State::allocate(std::size_t bytes, std::size_t alignment) {
  const Heap::Piece piece = space_->allocate(bytes, alignment);
  if (piece.used_before) {
    island::invalidate(Step::piece_fresh, space_->memory(), piece.data, piece.bytes);
    std::memset(piece.data, 0, piece.bytes);
    // In memory before a task names it, as all that the program writes.
  }
  return piece.data;
}

std::pair<void*, detail::PartsLayout> Master::State::allocate_parts(std::size_t parts, std::size_t bytes) {
  const std::size_t padding = space_->segment().places * space_->segment().stripe;
  if (bytes > space_->heap().bytes() || parts > ~std::size_t{0} / (space_->heap().bytes() + padding))
    refuse_count(parts, bytes);
  const std::size_t lines = std::max<std::size_t>(1, (bytes + kLine - 1) / kLine) * kLine;
  const detail::PartsLayout layout = spread(lines, space_->segment().stripe, space_->segment().places);
  return {allocate(bytes_of(layout, parts), space_->segment().alignment()), layout};
}

void Master::State::give_back(void* memory) {
  if (memory != nullptr && !space_->heap().give_back(memory))
    throw Error(fmt::format("free({}): nothing of Master::allocate() begins there", memory));
}

// ---- Tasks ----

void Master::State::submit(const detail::Callable& callable, std::span<const Access> footprint, const char* name,
                           const void* site) {
  const std::uint64_t start = track_ != nullptr ? trace::Track::now() : 0;
  const base::Lock lock(mutex_);
  if (!broken_.empty()) throw Error(broken_);
  if (options_.throttle != 0) wait_until(static_cast<std::size_t>(options_.throttle) - 1);
  const std::span<const std::byte> function(static_cast<const std::byte*>(callable.function), callable.bytes);
  TaskNode& task = new_task({codes_.name_of(callable.invoke), function, name, site}, footprint);
  publish(footprint);
  graph_.submit(task, lines_);
  copies_->enter(task);
  if (track_ != nullptr) {
    trace_spawn(start, task, footprint);
  }
  // Workers are kept busy without a look at their letters each time.
  if (graph_.spawned() % kSpawnsPerPoll == 0) {
    poll();
  } else {
    give_ready(room());
  }
}

// Not submitted; in lines_ is the footprint as the graph is to see it. Nothing may come between the two that makes
// tasks.
TaskNode& Master::State::new_task(const Call& call, std::span<const Access> footprint) {
  lines_.clear();
  for (const Access& access : footprint) lines_.push_back(value_or_throw(in_lines(access, space_->heap())));
  std::unique_ptr<std::vector<PrivateCopy>> copies = PrivateCopies::make(footprint, *space_);
  std::byte* const spilled = copies == nullptr ? fill_letter(call, footprint)
                                               : fill_letter(call, PrivateCopies::with_copies(footprint, *copies));
  TaskNode& task = graph_.make_task();
  if (task.details == nullptr) task.details = std::make_unique<TaskDetails>();
  TaskDetails& details = *task.details;
  details.name = call.name;
  details.site = call.site;
  details.copies = std::move(copies);
  details.letter.swap(letter_);
  details.spilled = spilled;
  details.bytes = 0;
  for (const Access& access : footprint) details.bytes += bytes_of(access.region);
  if (own_.retries != 0) details.named.assign(footprint.begin(), footprint.end());
  details.deaths = 0;
  return task;
}

// The program's writes were published for the parent, which also says what wait() has to fetch.
void Master::State::submit_children(TaskNode& parent, std::span<const std::byte> children) {
  for_each_child(codes_, children,
                 [&](const ChildHead& head, std::span<const Access> footprint, std::span<const std::byte> function,
                     std::string_view name) WEIR_REQUIRES(mutex_) {
                   const std::uint64_t start = track_ != nullptr ? trace::Track::now() : 0;
                   const char* const kept = name.empty() ? nullptr : names_.emplace(name).first->c_str();
                   const auto* const site = reinterpret_cast<const void*>(codes_.find(head.site));
                   TaskNode& task = new_task({head.invoke, function, kept, site}, footprint);
                   graph_.submit_child(parent, task, lines_);
                   copies_->enter(task);
                   if (track_ != nullptr) trace_spawn(start, task, footprint);
                 });
}

// The task's letter in letter_. What does not fit goes to shared memory: where, or null.
std::byte* Master::State::fill_letter(const Call& call, std::span<const Access> footprint) {
  TaskHead head{call.invoke, nullptr, static_cast<std::uint32_t>(footprint.size()),
                static_cast<std::uint32_t>(call.function.size()), 0};
  letter_.resize(sizeof head + footprint.size() * sizeof(Item) + call.function.size());
  std::byte* to = letter_.data();
  const auto put = [&to](const void* from, std::size_t bytes) {
    std::memcpy(to, from, bytes);
    to += bytes;
  };
  put(&head, sizeof head);
  for (const Access& access : footprint) {
    const Item item{access.region, static_cast<std::uint64_t>(access.mode)};
    put(&item, sizeof item);
  }
  put(call.function.data(), call.function.size());
  if (letter_.size() <= TaskLetter::kPayload) return nullptr;
  head.spilled_bytes = letter_.size() - sizeof head;
  std::byte* const spilled = space_->allocate(head.spilled_bytes).data;
  head.spilled = spilled;
  // Who had it before may have left other bytes there.
  island::invalidate(Step::spilled_before, space_->memory(), spilled, head.spilled_bytes);
  std::memcpy(spilled, letter_.data() + sizeof head, head.spilled_bytes);
  island::write_back(Step::spilled_written, space_->memory(), spilled, head.spilled_bytes);
  letter_.resize(sizeof head);
  std::memcpy(letter_.data(), &head, sizeof head);
  return spilled;
}

// What the program has written since the last wait() and the task names is in memory before the task's letter is. Once
// for each region: until the next wait() the program does not write there again.
void Master::State::publish(std::span<const Access> footprint) {
  if (options_.island_memory == IslandMemory::coherent) return;
  for (const Access& access : footprint) {
    if (writes(access.mode)) written_.insert(access.region);
    if (!published_.insert(access.region).second) continue;
    for_each_run(access.region, [&](const void* data, std::size_t bytes) {
      island::write_back(Step::program_wrote, space_->memory(), data, bytes);
    });
  }
}

// All tasks have ended: the program is to see what they wrote.
void Master::State::fetch_results() {
  for (const Region& region : written_) {
    for_each_run(region, [&](const void* data, std::size_t bytes) {
      island::invalidate(Step::results_fresh, space_->memory(), data, bytes);
    });
  }
  if (options_.island_memory == IslandMemory::coherent)
    space_->memory().invalidate(space_->heap().start(), space_->heap().bytes());
  written_.clear();
  published_.clear();
}

void Master::State::trace_spawn(std::uint64_t start, const TaskNode& task, std::span<const Access> footprint) {
  {
    trace::Details details(*track_, trace::Track::spawned(start, task.id, task.details->bytes, footprint.size()), 0);
    for (const Access& item : footprint) runtime::record_region(*track_, details, item);
  }
  for (const TaskGraph::Edge& edge : graph_.new_edges()) track_->edge(edge.from, edge.to, {});
}

// ---- What was done ----

Statistics Master::State::statistics() const {
  const base::Lock lock(mutex_);
  Statistics all;
  all.tasks_run = counts_.run;
  all.tasks_cancelled = counts_.cancelled;
  all.tasks_rerun = counts_.rerun;
  all.tasks_shared = counts_.shared;
  all.bytes_staged = counts_.bytes_staged;
  const double per_tick = seconds_per_tick(clock_, trace::ClockPair::now());
  all.master_idle_s = static_cast<double>(counts_.idle) * per_tick;
  for (const Worker& worker : workers_) {
    all.workers.push_back({worker.tasks, static_cast<double>(worker.running) * per_tick,
                           static_cast<double>(worker.staging) * per_tick,
                           static_cast<double>(worker.idle) * per_tick});
  }
  all.master = {counts_.own_tasks, static_cast<double>(counts_.own_running) * per_tick,
                static_cast<double>(counts_.own_staging) * per_tick, 0};
  return all;
}

std::size_t Master::State::RegionHash::operator()(const Region& r) const noexcept {
  const std::size_t mixed = reinterpret_cast<std::uintptr_t>(r.base) * 0x9E3779B97F4A7C15u;
  return mixed ^ (r.row_bytes * 0xC2B2AE3D27D4EB4Fu) ^ (r.rows << 1) ^ (r.stride_bytes << 17);
}

bool Master::State::SameRegion::operator()(const Region& a, const Region& b) const noexcept {
  return a.base == b.base && a.row_bytes == b.row_bytes && a.rows == b.rows && a.stride_bytes == b.stride_bytes;
}

// ---- The public side ----

namespace {

// A process that was started as a worker goes no further than this.
void become_worker_if_told() {
  const char* const told = std::getenv(kJoinVariable);
  if (told == nullptr || in_worker()) return;
  const std::string segment = where_it_is_found(told);
  ::unsetenv(kJoinVariable);
  try {
    attach(segment);
  } catch (const Error& error) {
    std::fprintf(stderr, "weir: %s\n", error.what());
    std::fflush(nullptr);
    ::_exit(EXIT_FAILURE);
  }
  std::fflush(nullptr);
  ::_exit(EXIT_SUCCESS);
}

}  // namespace

Master::Master(const Options& options, const MasterOptions& own) : forks_(runtime::forks_so_far()) {
  become_worker_if_told();
  state_ = std::make_unique<State>(options, own);
}

// In a child of the process that made it the workers, what it shares with them, and the trace are the parent's.
Master::~Master() {
  if (forks_ != runtime::forks_so_far()) static_cast<void>(state_.release());
}

// A worker was forked while the master was being made: it has no state to look at.
Master::State& Master::state(const char* called) const {
  if (in_worker())
    throw Error(
        fmt::format("Master::{}() within a task on an island: only the master's program may; a task makes tasks by "
                    "weir::island::spawn()",
                    called));
  if (forks_ != runtime::forks_so_far())
    throw Error(
        fmt::format("Master::{}() in a child of the process that made the master, whose workers and memory are "
                    "the parent's: make a Master in the child",
                    called));
  return *state_;
}

std::pair<void*, detail::PartsLayout> Master::allocate_parts_bytes(std::size_t parts, std::size_t bytes) {
  return state("allocate_parts").allocate_parts(parts, bytes);
}

void* Master::allocate_bytes(std::size_t bytes) { return state("allocate").allocate(bytes); }
void Master::free(void* memory) { state("free").give_back(memory); }
void Master::refuse_count(std::size_t count, std::size_t bytes) {
  throw Error(fmt::format("allocate(): {} objects of {} bytes are more than there are addresses", count, bytes));
}

void Master::submit(const detail::Callable& callable, std::span<const Access> footprint, const char* name) {
  state("spawn").submit(callable, footprint, name, __builtin_return_address(0));
}

void Master::wait() { state("wait").wait(); }
int Master::worker_count() const { return state("worker_count").worker_count(); }
Statistics Master::statistics() const { return state("statistics").statistics(); }

}  // namespace weir::island

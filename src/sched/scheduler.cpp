// SPDX-License-Identifier: Apache-2.0

#include "sched/scheduler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <system_error>
#include <utility>

#include "base/mutex.hpp"
#include "sched/policy/placement.hpp"
#include "sched/policy/victims.hpp"

namespace weir::sched {

namespace {

// That the process may use at a time, whatever machine is described.
int usable_processors(const machine::Machine& machine) {
  const int processors = std::max(static_cast<int>(platform::unbound_cpus().size()), 1);
  const double quota = machine.cpu_quota();
  return quota > 0 ? std::clamp(static_cast<int>(std::ceil(quota - 0.01)), 1, processors) : processors;
}

}  // namespace

base::Result<std::unique_ptr<Scheduler>> Scheduler::start(const machine::Machine& machine, const Options& options,
                                                          std::uint64_t first_generation, trace::Recorder* recorder) {
  const int workers = options.workers > 0 ? options.workers : machine.default_worker_count();
  std::unique_ptr<Scheduler> scheduler(new Scheduler(machine, options, workers, first_generation, recorder));
  scheduler->place_workers();
  scheduler->make_domains();
  scheduler->make_workers();
  if (base::Status status = scheduler->start_threads(); !status) return status;
  return scheduler;
}

Scheduler::Scheduler(const machine::Machine& machine, const Options& options, int worker_count,
                     std::uint64_t first_generation, trace::Recorder* recorder)
    : Team(options, worker_count, usable_processors(machine), first_generation),
      machine_(machine),
      recorder_(recorder) {}

// Without workers: one of which start() has made none.
Scheduler::~Scheduler() {
  if (!workers_.empty()) stop_threads();
}

// Workers are dealt out to the domains in turn, core by core, and go round again when there are more than cores.
// Worker 0, the calling thread, gets a place in the domain that it runs in now.
void Scheduler::place_workers() {
  const auto& domains = machine_.domains();
  std::size_t most = 0;
  for (const auto& domain : domains) most = std::max(most, domain.cores.size());
  std::vector<CoreOf> cores;
  for (std::size_t core = 0; core < most; ++core) {
    for (std::size_t d = 0; d < domains.size(); ++d) {
      if (core < domains[d].cores.size()) cores.push_back({domains[d].id, core, 0});
    }
  }
  for (int i = 0; i < worker_count(); ++i) places_.push_back(cores[static_cast<std::size_t>(i) % cores.size()]);
  std::stable_sort(places_.begin(), places_.end(),
                   [](const CoreOf& a, const CoreOf& b) { return a.machine_domain < b.machine_domain; });
  if (!machine_.is_this_system()) return;
  const int cpu = platform::current_cpu();
  const auto here = std::find_if(places_.begin(), places_.end(), [&](const CoreOf& place) {
    const auto& cpus = machine_.domain(place.machine_domain).cores[place.core].os_cpus;
    return std::find(cpus.begin(), cpus.end(), cpu) != cpus.end();
  });
  if (here != places_.end()) std::iter_swap(places_.begin(), here);
}

// Only domains that have a worker count; their index is what on_domain() and current_domain() mean.
void Scheduler::make_domains() {
  std::vector<DomainId> used;
  for (const CoreOf& place : places_) used.push_back(place.machine_domain);
  std::sort(used.begin(), used.end());
  used.erase(std::unique(used.begin(), used.end()), used.end());
  for (CoreOf& place : places_) {
    place.domain = static_cast<int>(std::find(used.begin(), used.end(), place.machine_domain) - used.begin());
  }
  for (std::size_t d = 0; d < used.size(); ++d) add_domain();
  make_lots(used);
  for (std::size_t d = 0; d < used.size(); ++d) {
    std::vector<double> distances;
    distances.reserve(used.size());
    for (const DomainId other : used) distances.push_back(machine_.distance(used[d], other));
    const int domain = static_cast<int>(d);
    queues(domain).far = policy::far_order(domain, distances);
  }
  machine_domains_ = std::move(used);
}

// Under policy numa each domain has its part of the processors that the process may use.
void Scheduler::make_lots(const std::vector<DomainId>& used) {
  if (options().policy != Policy::numa) {
    add_lot(worker_count(), processors());
    return;
  }
  int cores = 0;
  for (const DomainId domain : used) cores += static_cast<int>(machine_.domain(domain).cores.size());
  for (int d = 0; d < domain_count(); ++d) {
    const auto workers = std::count_if(places_.begin(), places_.end(), [d](const CoreOf& p) { return p.domain == d; });
    const auto here = static_cast<int>(machine_.domain(used[static_cast<std::size_t>(d)]).cores.size());
    add_lot(static_cast<int>(workers), std::max(processors() * here / cores, 1));
  }
}

void Scheduler::make_workers() {
  const base::Lock lock(mutex_);
  workers_.reserve(static_cast<std::size_t>(thread_limit()));
  for (std::size_t i = 0; i < places_.size(); ++i)
    add_worker(static_cast<int>(i), places_[i].domain, Identity::Kind::worker);
}

Worker& Scheduler::add_worker(int index, int domain, Identity::Kind kind) {
  Identity identity{index, domain, kind, nullptr};
  if (recorder_ != nullptr) {
    const char* const name = kind == Identity::Kind::worker  ? "worker"
                             : kind == Identity::Kind::spare ? "spare"
                                                             : "guest";
    identity.track = recorder_->add_track({fmt::format("{} {}", name, index), index, domain});
  }
  const bool observed =
      recorder_ != nullptr || Worker::all_observed() || !options().checkpoint.empty() || !options().restart.empty();
  workers_.push_back(std::make_unique<Worker>(*this, *this, identity, observed));
  Worker& worker = *workers_.back();
  add_peer(worker);
  // Relaxed: under the mutex; VICTIM-1 publishes the entry with the count.
  DomainQueues& queues = this->queues(domain);
  const std::uint32_t count = queues.victim_count.load(std::memory_order_relaxed);
  queues.victims[count].store(&worker, std::memory_order_relaxed);
  queues.victim_count.store(count + 1, std::memory_order_release);  // VICTIM-1
  return worker;
}

// ---- Threads ----

std::vector<int> Scheduler::cpus_of(const CoreOf& place, Bind bind) const {
  const machine::Domain& domain = machine_.domain(place.machine_domain);
  if (bind == Bind::core) return {domain.cores[place.core].os_cpus.front()};
  std::vector<int> cpus;
  for (const machine::Core& core : domain.cores) cpus.insert(cpus.end(), core.os_cpus.begin(), core.os_cpus.end());
  return cpus;
}

// The calling thread stays free on a machine of one domain: threads that it makes later (OpenMP's) inherit its mask.
base::Status Scheduler::start_threads() {
  const bool pins = options().bind != Bind::none && machine_.is_this_system();
  // Of workers that share a core those that are awake would be on the same one now and then.
  const Bind bind = worker_count() > machine_.core_count() ? Bind::domain : options().bind;
  if (pins && machine_domains_.size() > 1) {
    own_binding_ = std::make_unique<platform::ScopedBinding>();
    if (base::Status status = own_binding_->bind(cpus_of(places_[0], Bind::domain)); !status) return status;
  }
  if (pins && bind == Bind::core && !oversubscribed()) {
    const auto core_of = [this](std::size_t i) { return cpus_of(places_[i], Bind::core).front(); };
    queues(places_[0].domain).lookout.leave_free(core_of(0));
    for (std::size_t i = 1; i < places_.size(); ++i) {
      const Worker& bound = worker(static_cast<int>(i));
      queues(places_[i].domain).lookout.watch(bound.presence(), bound.statistics().parks, core_of(i));
    }
  }
  for (std::size_t i = 1; i < places_.size(); ++i) {
    base::Status bound = base::Status::success();
    try {
      threads_.emplace_back([this, i] { worker(static_cast<int>(i)).work(); });
    } catch (const std::system_error& error) {
      return {base::Code::no_space,
              fmt::format("cannot start thread {} of {}: {}; ask for fewer workers or raise the limit (ulimit -u)",
                          i + 1, places_.size(), error.code().message())};
    }
    if (pins) bound = platform::bind_thread(threads_.back().native_handle(), cpus_of(places_[i], bind));
    if (!bound) return bound;
  }
  return base::Status::success();
}

void Scheduler::stop_threads() noexcept {
  begin_to_stop();
  for_each_worker([](const Worker& worker) { const_cast<Worker&>(worker).unpark(); });
  queues(first_worker().domain()).permits.leave(first_worker().presence().permit());
  join_threads();
}

// Those that run may start spares until they end.
void Scheduler::join_threads() noexcept {
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
  for (std::vector<std::thread> spares;; spares.clear()) {
    {
      const base::Lock lock(mutex_);
      spares.swap(spare_threads_);
    }
    if (spares.empty()) return;
    for (std::thread& thread : spares) thread.join();
  }
}

base::Result<PermitHolder*> Scheduler::start_spare(int domain) {
  const base::Lock lock(mutex_);
  if (spares_ == kMaxSpares) {
    return base::Status{base::Code::no_space,
                        fmt::format("{} tasks wait at the same time, each on a thread of its own: at most {} can; let "
                                    "fewer wait, or make what follows the wait a task of its own",
                                    spares_, kMaxSpares)};
  }
  Worker& worker = add_worker(static_cast<int>(workers_.size()), domain, Identity::Kind::spare);
  ++spares_;
  try {
    spare_threads_.emplace_back([&worker] { worker.work_as_spare(); });
  } catch (const std::exception& error) {
    return base::Status{base::Code::no_space,
                        fmt::format("a task waits, and no thread can be started that runs others in its place: {}; {} "
                                    "were; let fewer wait, or raise the limits of threads and memory (ulimit -u, -v)",
                                    error.what(), spares_ - 1)};
  }
  if (options().bind == Bind::none || !machine_.is_this_system()) return &worker.presence().permit();
  const auto place = std::find_if(places_.begin(), places_.end(), [&](const CoreOf& p) { return p.domain == domain; });
  static_cast<void>(platform::bind_thread(spare_threads_.back().native_handle(), cpus_of(*place, Bind::domain)));
  return &worker.presence().permit();
}

void Scheduler::submit(Task& task, int domain) noexcept {
  const policy::Destination to = policy::place(task.note.wishes(), {domain, false});
  queues(to.domain).inbox(to.source).push(&task);
  ParkingLot& lot = this->lot(to.domain);
  if (lot.should_wake()) lot.wake_one(to.domain);
}

bool Scheduler::has_work(int domain) const noexcept { return sees_in_domain(queues(domain), nullptr); }

// A guest would not, nor a worker that has given its permit up.
bool Scheduler::takes_tasks(const Worker& worker) const noexcept { return !worker.is_guest() && worker.has_permit(); }

// What blocked workers have ready is taken by no thread, unless another of the scheduler's own does.
Scheduler::Stillness Scheduler::stillness() const noexcept {
  const base::Lock lock(mutex_);
  bool some_blocked = false, stuck = true;
  for (const auto& worker : workers_) {
    const bool blocked = worker->blocked();
    if (!blocked && !worker->idle()) return Stillness::none;
    some_blocked = some_blocked || blocked;
    if (takes_tasks(*worker)) stuck = stuck && blocked;
  }
  for (int domain = 0; domain < domain_count(); ++domain) {
    if (!has_work(domain)) continue;
    if (!some_blocked) return Stillness::none;
    for (std::size_t i = 1; i < workers_.size(); ++i) {
      const bool reaches = options().policy != Policy::numa || workers_[i]->domain() == domain;
      if (reaches && takes_tasks(*workers_[i]) && !workers_[i]->blocked()) return Stillness::none;
    }
    stuck = true;
  }
  return stuck ? Stillness::stuck : Stillness::still;
}

Worker* Scheduler::worker_of_this_thread() noexcept {
  Worker* const worker = Worker::started_as();
  return worker != nullptr && &worker->scheduler() == this ? worker : nullptr;
}

// ---- Guests ----

// One with tasks or an error that its last thread left behind is taken last: they are no business of the next.
base::Result<Worker*> Scheduler::add_guest() {
  const base::Lock lock(mutex_);
  const auto has_ended = [](const Worker* guest) {
    return guest->root_scope() == nullptr || guest->root_scope()->unfinished() == 0;
  };
  const auto is_clean = [&](const Worker* guest) {
    return has_ended(guest) && (guest->root_scope() == nullptr || !guest->root_scope()->failed());
  };
  const auto clean = std::find_if(free_guests_.rbegin(), free_guests_.rend(), is_clean);
  if (clean != free_guests_.rend()) return take_free_guest(std::next(clean).base());
  const auto index = workers_.size();
  if (index - static_cast<std::size_t>(spares_) < places_.size() + kMaxGuests)
    return &add_worker(static_cast<int>(index), domain_of_this_thread(), Identity::Kind::guest);
  if (free_guests_.empty()) {
    return base::Status{
        base::Code::no_space,
        fmt::format(
            "{} threads of the program use one runtime, in addition to its workers, and another one wants to: at most "
            "{} can at a time; let fewer threads spawn and wait, or end some that do not any more",
            kMaxGuests, kMaxGuests)};
  }
  const auto ended = std::find_if(free_guests_.begin(), free_guests_.end(), has_ended);
  return take_free_guest(ended != free_guests_.end() ? ended : free_guests_.begin());
}

Worker* Scheduler::take_free_guest(std::vector<Worker*>::iterator guest) {
  Worker* const taken = *guest;
  free_guests_.erase(guest);
  return taken;
}

void Scheduler::release_guest(Worker* guest) noexcept {
  const base::Lock lock(mutex_);
  free_guests_.push_back(guest);
}

int Scheduler::domain_of_this_thread() const {
  const int cpu = machine_.is_this_system() ? platform::current_cpu() : -1;
  for (const CoreOf& place : places_) {
    for (const int candidate : cpus_of(place, Bind::domain)) {
      if (candidate == cpu) return place.domain;
    }
  }
  return 0;
}

}  // namespace weir::sched

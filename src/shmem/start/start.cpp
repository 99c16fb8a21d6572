// SPDX-License-Identifier: Apache-2.0

#include "shmem/start/start.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "launch/job.hpp"
#include "launch/joined.hpp"
#include "shmem/group/matching.hpp"
#include "shmem/group/open.hpp"
#include "shmem/group/team.hpp"
#include "shmem/heap/heaps.hpp"
#include "shmem/observe/check_switch.hpp"
#include "shmem/observe/recording.hpp"
#include "shmem/rma/context.hpp"
#include "shmem/start/agreement.hpp"
#include "shmem/start/bus_error.hpp"
#include "shmem/start/clocks.hpp"
#include "shmem/start/fork.hpp"
#include "shmem/start/left_over.hpp"
#include "shmem/start/static_data.hpp"
#include "shmem/status/outside.hpp"
#include "shmem/status/status.hpp"
#include "shmem/world/routine.hpp"
#include "shmem/world/segments.hpp"
#include "shmem/world/world.hpp"
#include "transport/mpi/progress_thread.hpp"
#include "transport/open_transport.hpp"

namespace weir::shmem {

namespace {

struct Counted {
  std::mutex mutex;
  int starts = 0;      // that were not finished
  int generation = 0;  // how often the library was started from nothing
};
Counted& counted() {
  static auto* const made = new Counted;
  return *made;
}

// The status of a PE that ends by exit() without a finish: another than 0 is a failure, for which nobody is to wait.
// Of a status the system keeps eight bits. MPI_Abort() of MPICH calls exit(); so do its other calls, within one of the
// library's or on its own thread, when another PE has ended the job, which says why.
void at_exit(int status, void*) {
  if (is_forked_child() || !is_started()) return;
  if (is_ending_here()) end_quietly(status);
  if ((status & 0xff) != 0) {
    const bool is_of_mpi = transport::mpi::is_progress_thread() || !routine_of_caller().empty();
    if (world().needs_progress && is_of_mpi) end_quietly(status);
    if (!is_ending())
      std::fprintf(stderr, "weir: PE %d ends with status %d and without shmem_finalize: so does the job\n",
                   world().my_pe, status);
    global_exit(status);
  }
  counted().starts = 1;
  finish();
}

launch::Job find_job() {
  auto job = launch::job_from_environment();
  check(job.status());
  if (const auto before = launch::joined_before(*job)) {
    fail(fmt::format(
        "this process was started by rank {} of the job (process {}), which has joined it, and has its variables: it "
        "is "
        "none of the PEs, and would wait for them for ever. A PE starts a SHMEM program by weir run -n, as a job of "
        "its own",
        static_cast<std::uint32_t>(job->rank), *before));
  }
  return std::move(*job);
}

// Each start is a job of its own to the transport: nothing of an earlier one is in the way.
launch::Job numbered(launch::Job job, int generation) {
  if (generation > 1 && !job.id.empty()) job.id += fmt::format(".{}", generation);
  return job;
}

void open_world(const launch::Job& job, ThreadLevel level) {
  World& w = world();
  auto transport = transport::open_transport(job, {.threads = level == ThreadLevel::multiple});
  check(transport.status());
  w.transport = transport.value().release();
  w.my_pe = static_cast<int>(w.transport->rank());
  w.n_pes = static_cast<int>(w.transport->ranks());
  w.thread_level = level;
  w.is_threaded = level == ThreadLevel::multiple;
  w.needs_progress = w.transport->needs_progress();
  w.is_traced = is_recording_wanted();
  w.is_checked = is_check_wanted();
  find_neighbours();
}

void close_world() noexcept {
  leave_bus_errors();
  launch::note_left();
  World& w = world();
  clear_segments();
  close_heaps();
  const std::unique_ptr<transport::Transport> ended(w.transport);
  w = World{};
}

void open_memory() {
  auto plans = plan_heaps([](const std::string& name) { return static_cast<const char*>(std::getenv(name.c_str())); });
  check(plans.status());
  open_heaps(agree(std::move(*plans)));
  share_static_data();
}

void start_first(ThreadLevel level) {
  const int generation = ++counted().generation;
  Outside outside;
  const launch::Job found = find_job(), job = numbered(found, generation);
  open_world(job, level);
  open_memory();
  open_recording(agree_on_name(job.id));
  Status::open();
  open_groups();
  note_clock_offset(measure_clock_offset());
  name_bus_errors();
  check(world().transport->barrier());
  Status::watch_for_deadlock(std::move(outside));
  launch::note_joined(found);
  world().is_open = true;
  if (generation == 1) on_exit(at_exit, nullptr);
}

}  // namespace

ThreadLevel start(ThreadLevel level) {
  const std::lock_guard lock(counted().mutex);
  if (counted().starts == 0) start_first(level);
  ++counted().starts;
  return world().thread_level;
}

void start_once() {
  if (!is_started()) start(ThreadLevel::single);
}

void finish() {
  const std::lock_guard lock(counted().mutex);
  if (counted().starts == 0 || --counted().starts > 0) return;
  if (world().is_checked) {
    check_left_over();
    match(world_team().group, {"finalize", {}, "SHMEM_TEAM_WORLD", {}});
  }
  quiet_all_contexts();
  Status::enter(Phase::finishing);
  check(world().transport->barrier());
  if (std::getenv("SHMEM_DEBUG") != nullptr) {
    const std::string text = describe_heaps();
    std::fprintf(stderr, "weir: PE %d:\n%s", world().my_pe, text.c_str());
  }
  close_recording();
  close_groups();
  destroy_all_contexts();
  Status::enter(Phase::left);
  check(world().transport->leave());
  close_world();
}

bool is_started() noexcept { return world().n_pes > 0; }

}  // namespace weir::shmem

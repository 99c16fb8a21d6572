// SPDX-License-Identifier: Apache-2.0

#include "shmem/world/world.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <optional>

#include "launch/joined.hpp"
#include "platform/last_output.hpp"
#include "shmem/world/in_library.hpp"
#include "shmem/world/routine.hpp"

namespace weir::shmem {

namespace {

// One write, so that lines of PEs that fail together do not mix.
void say(const std::string& line) noexcept {
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
}

std::size_t internal_used = 0;

std::atomic<bool> ending{false};
thread_local constinit bool ends_here = false;

void begin_end() noexcept {
  ending.store(true);
  ends_here = true;
}
// Before the transport ends the process: MPI has a way of its own, by which what is not written is lost.
void write_all() noexcept { platform::flush_streams(std::chrono::milliseconds(1000)); }

}  // namespace

void fail(std::string_view what) noexcept {
  const InLibrary inside;
  const World& w = world();
  begin_end();
  const std::string routine = routine_of_caller();
  const std::string who =
      w.n_pes > 0 ? fmt::format("PE {} of {}", w.my_pe, w.n_pes) : fmt::format("process {}", getpid());
  say(fmt::format("weir: {}: {}{}{}\n", who, routine, routine.empty() ? "" : ": ", what));
  write_all();
  if (w.before_end != nullptr) w.before_end();
  if (w.transport != nullptr) w.transport->abort(1);
  _exit(1);
}

void fail_not_started() noexcept {
  if (!launch::has_other_copy_joined()) fail("called before shmem_init or after shmem_finalize");
  fail(
      "this process has two copies of Weir: this one was called before shmem_init or after shmem_finalize, and the "
      "other one has been initialised. Of a program and a library that it loads only one is to have Weir: link the "
      "program with weir-shmemcc -rdynamic, and the library without Weir");
}

void fail(const base::Status& status) noexcept {
  const InLibrary inside;
  const World& w = world();
  if (status.code == base::Code::lost && w.transport != nullptr) {
    if (const std::optional<transport::Lost> lost = w.transport->lost())
      fail(fmt::format("PE {} is lost: {}", static_cast<std::uint32_t>(lost->rank), lost->why));
  }
  fail(status.message);
}

// Of a status the system keeps eight bits: a failure is one, whatever they are.
void global_exit(int status) noexcept {
  if (status != 0 && (status & 0xff) == 0) status = 1;
  begin_end();
  write_all();
  if (world().before_end != nullptr) world().before_end();
  if (world().transport != nullptr) world().transport->abort(status);
  _exit(status);
}

bool is_ending() noexcept { return ending.load(); }
bool is_ending_here() noexcept { return ends_here; }

void end_quietly(int status) noexcept {
  write_all();
  _exit(status);
}

std::byte* reserve_internal(std::size_t bytes) {
  World& w = world();
  const std::size_t rounded = (bytes + 63) / 64 * 64;
  if (rounded > w.internal_bytes - internal_used) {
    fail(fmt::format("{} bytes of the library's own symmetric memory are wanted, {} of {} are left", bytes,
                     w.internal_bytes - internal_used, w.internal_bytes));
  }
  std::byte* const data = w.internal + internal_used;
  internal_used += rounded;
  return data;
}

void reset_internal() noexcept { internal_used = 0; }

}  // namespace weir::shmem

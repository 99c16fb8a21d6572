// SPDX-License-Identifier: Apache-2.0

#include "transport/shared/peers.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <exception>
#include <string>

#include "platform/byte_lock.hpp"
#include "platform/clock.hpp"
#include "platform/last_output.hpp"
#include "platform/process.hpp"
#include "platform/shared_futex.hpp"

namespace weir::transport::shared {
namespace {

struct flock lock_of(Rank rank) noexcept {
  return platform::byte_lock(static_cast<off_t>(rank));
}

// As exit() does with what is buffered, but no handlers of the program: other threads run on.
[[noreturn]] void end_with(int status) {
  platform::flush_streams(std::chrono::milliseconds(1000));
  _exit(status);
}

void pause_ms() noexcept {
  const timespec time{0, 1'000'000};
  nanosleep(&time, nullptr);
}

}  // namespace

base::Status Peers::enter() {
  struct flock lock = lock_of(commons_.rank());
  if (fcntl(commons_.descriptor(), F_SETLK, &lock) != 0) {
    return {base::Code::io_error, fmt::format("rank {} cannot lock its byte of the common memory: {}",
                                              static_cast<std::uint32_t>(commons_.rank()), std::strerror(errno))};
  }
  RankLine& line = commons_.own_line();
  line.pid.store(static_cast<std::uint32_t>(getpid()));
  line.presence.store(Presence::here);
  launcher_.join();
  return base::Status::success();
}

void Peers::leave() noexcept {
  commons_.own_line().presence.store(Presence::left);
  launcher_.leave();
}

int Peers::holder(Rank rank) const noexcept {
  struct flock lock = lock_of(rank);
  if (fcntl(commons_.descriptor(), F_GETLK, &lock) != 0) return 1;
  if (lock.l_type == F_UNLCK) return 0;
  // The kernel names nobody for a process of another PID namespace.
  return lock.l_pid > 0 ? lock.l_pid : static_cast<int>(commons_.line(rank).pid.load());
}

void Peers::show_life() noexcept {
  try {
    commons_.own_line().life.store(platform::life_of(getpid()));
  } catch (const std::exception&) {  // no memory: the lock alone counts
  }
}

void Peers::hide_life() noexcept {
  RankLine& line = commons_.own_line();
  const bool is_own = line.pid.load() == static_cast<std::uint32_t>(getpid());  // and no forked child's
  if (is_own) line.life.store(0);
}

int Peers::process_of(Rank rank) const {
  if (const int found = holder(rank); found != 0) return found;
  const RankLine& line = commons_.line(rank);
  const auto pid = static_cast<pid_t>(line.pid.load());
  return platform::lives(pid, line.life.load()) ? pid : 0;
}

void Peers::look() {
  end_when_told();
  end_with_parent();
  std::atomic<std::uint64_t>& looked = commons_.head().looked_ns;
  std::uint64_t last = looked.load();
  const std::uint64_t now = platform::now_ns();
  if (now - last < look_every_ || !looked.compare_exchange_strong(last, now)) return;
  for (std::uint32_t i = 0; i < commons_.ranks(); ++i) {
    const Rank rank{i};
    if (rank == commons_.rank() || commons_.line(rank).presence.load() != Presence::here) continue;
    if (process_of(rank) == 0) declare_lost(rank);
  }
}

// A rank says that it leaves before it ends, so one whose process has ended and that is still `here` is lost.
void Peers::declare_lost(Rank rank) {
  Presence expected = Presence::here;
  if (!commons_.line(rank).presence.compare_exchange_strong(expected, Presence::lost)) return;
  std::uint32_t none = 0;
  commons_.head().first_lost.compare_exchange_strong(none, static_cast<std::uint32_t>(rank) + 1);
  ring_all();
}

std::optional<Lost> Peers::lost() const {
  const std::uint32_t first = commons_.head().first_lost.load();
  if (first == 0) return std::nullopt;
  const Rank rank{first - 1};
  return Lost{rank, fmt::format("process {} has ended", commons_.line(rank).pid.load())};
}

base::Status Peers::status() const {
  const auto lost_rank = lost();
  if (!lost_rank) return base::Status::success();
  return {base::Code::lost,
          fmt::format("rank {} is lost: {}", static_cast<std::uint32_t>(lost_rank->rank), lost_rank->why)};
}

void Peers::ring(Rank rank) const noexcept {
  if (!sleeps(rank)) return;
  RankLine& line = commons_.line(rank);
  line.rings.fetch_add(1);
  platform::wake_sleepers(line.rings);
}

void Peers::ring_all() const noexcept {
  for (std::uint32_t i = 0; i < commons_.ranks(); ++i) ring(Rank{i});
}

void Peers::end_when_told() const {
  const std::uint32_t ending = commons_.head().ending.load();
  if (ending != 0) end_with(static_cast<int>(ending & ~Head::kEnding));
}

// mpirun ends its ranks when it ends, but not when it is killed: then another process has become their parent.
void Peers::end_with_parent() {
  if (parent_ == 0 || getppid() == parent_) return;
  const std::string line = fmt::format("weir: rank {} ends: process {}, which has started it, has ended before it\n",
                                       static_cast<std::uint32_t>(commons_.rank()), parent_);
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
  end_all(1);
}

bool Peers::others_live() const {
  for (std::uint32_t i = 0; i < commons_.ranks(); ++i) {
    if (Rank{i} != commons_.rank() && process_of(Rank{i}) != 0) return true;
  }
  return false;
}

// Ranks that wait in the transport end by themselves, with what they have printed; the others are killed after a
// second: on a busy machine it may take long until one runs. By weir run, where that has started them: then this
// process ends before it may get a signal itself.
void Peers::end_all(int status) {
  std::uint32_t none = 0;
  const std::uint32_t wanted = Head::kEnding | (static_cast<std::uint32_t>(status) & 0xff);
  if (!commons_.head().ending.compare_exchange_strong(none, wanted)) end_when_told();
  launcher_.abort(status & 0xff);
  ring_all();
  if (!launcher_.is_there()) end_others();
  end_with(status & 0xff);
}

void Peers::end_others() const {
  constexpr int kPatience = 1000;  // ms
  for (int ms = 0; ms < kPatience && others_live(); ++ms) pause_ms();
  for (std::uint32_t i = 0; i < commons_.ranks(); ++i) {
    const int pid = Rank{i} == commons_.rank() ? 0 : process_of(Rank{i});
    if (pid > 1) ::kill(pid, SIGKILL);
  }
}

}  // namespace weir::transport::shared

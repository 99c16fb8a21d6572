// SPDX-License-Identifier: Apache-2.0

#include "platform/thread_state.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <string_view>

namespace weir::platform {

namespace {

struct Call {
  long number;
  const char* name;
};
// What threads sleep in that do not get on. Those that not every processor has are left out: others stand for them.
constexpr Call kCalls[] = {
    {SYS_futex, "futex(), for a lock or another thread"},
    {SYS_read, "read()"},
    {SYS_pread64, "pread()"},
    {SYS_readv, "readv()"},
    {SYS_write, "write()"},
    {SYS_writev, "writev()"},
    {SYS_fsync, "fsync()"},
    {SYS_fdatasync, "fdatasync()"},
    {SYS_flock, "flock()"},
    {SYS_fcntl, "fcntl()"},
    {SYS_openat, "open()"},
    {SYS_accept, "accept()"},
    {SYS_accept4, "accept()"},
    {SYS_connect, "connect()"},
    {SYS_recvfrom, "recv()"},
    {SYS_recvmsg, "recvmsg()"},
    {SYS_sendto, "send()"},
    {SYS_ppoll, "poll()"},
    {SYS_pselect6, "select()"},
    {SYS_epoll_pwait, "epoll_wait()"},
    {SYS_nanosleep, "nanosleep()"},
    {SYS_clock_nanosleep, "nanosleep()"},
    {SYS_wait4, "wait()"},
    {SYS_waitid, "wait()"},
    {SYS_io_getevents, "io_getevents()"},
    {SYS_rt_sigsuspend, "sigsuspend()"},
    {SYS_rt_sigtimedwait, "sigwait()"},
#ifdef SYS_poll
    {SYS_poll, "poll()"},
    {SYS_select, "select()"},
    {SYS_epoll_wait, "epoll_wait()"},
    {SYS_pause, "pause()"},
    {SYS_open, "open()"},
#endif
};

std::string first_line(int thread, const char* what) {
  std::string line;
  std::getline(std::ifstream(fmt::format("/proc/self/task/{}/{}", thread, what)), line);
  return line;
}

// 'R': it runs, or could. '?': not known. The name before it may have anything in it.
char state_in(std::string_view stat) noexcept {
  const std::size_t end = stat.rfind(") ");
  return end == std::string_view::npos || end + 2 >= stat.size() ? '?' : stat[end + 2];
}
char state_of(int thread) { return state_in(first_line(thread, "stat")); }

}  // namespace

int this_thread_number() noexcept { return static_cast<int>(syscall(SYS_gettid)); }

// clock_getcpuclockid has such clocks for processes only, and pthread_getcpuclockid asks for a pthread_t; what both
// make of a number is the kernel's interface (its CPUCLOCK_PERTHREAD and CPUCLOCK_SCHED).
std::uint64_t processor_ns(int thread) noexcept {
  constexpr unsigned kPerThread = 4, kScheduled = 2;
  const auto clock = static_cast<clockid_t>(~static_cast<unsigned>(thread) << 3 | kPerThread | kScheduled);
  timespec time{};
  if (clock_gettime(clock, &time) != 0) return 0;
  return static_cast<std::uint64_t>(time.tv_sec) * 1000000000 + static_cast<std::uint64_t>(time.tv_nsec);
}

bool is_asleep(int thread) noexcept {
  char path[64], line[512];
  std::snprintf(path, sizeof path, "/proc/self/task/%d/stat", thread);
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  const ssize_t length = read(file, line, sizeof line);
  close(file);
  const char state = state_in({line, static_cast<std::size_t>(std::max<ssize_t>(length, 0))});
  return state == 'S' || state == 'D';
}

std::string asleep_in(int thread) {
  if (thread == 0) return {};
  const char state = state_of(thread);
  if (state == 'T' || state == 't') return "nothing: it is stopped";
  if (state != 'S' && state != 'D') return {};
  const std::string line = first_line(thread, "syscall");  // "running", or a number and what it was given
  if (line.empty() || line[0] < '0' || line[0] > '9') return state == 'D' ? "the kernel, as for a disk" : "";
  const long number = std::stol(line);
  for (const Call& call : kCalls)
    if (call.number == number) return call.name;
  return fmt::format("system call {}", number);
}

}  // namespace weir::platform

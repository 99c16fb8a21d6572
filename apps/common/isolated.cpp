// SPDX-License-Identifier: Apache-2.0

#include "apps/common/isolated.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <exception>
#include <fstream>
#include <sstream>

namespace weir::apps {
namespace {

using base::Code;
using base::Status;
using Clock = std::chrono::steady_clock;

Status io_error(std::string message) { return {Code::io_error, std::move(message)}; }

void write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

// Who looks at processes while they run; of the one caller.
std::function<void(pid_t)> the_watcher;

// Reads until the other end is closed. False when the deadline passes first.
bool read_all(int file, pid_t child, std::string& text, Clock::time_point deadline) {
  const long long nap_ms = the_watcher ? 200 : 1000;
  std::array<char, 65536> buffer;
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return false;
    pollfd polled{file, POLLIN, 0};
    if (::poll(&polled, 1, static_cast<int>(std::min<long long>(left, nap_ms))) <= 0) {
      if (the_watcher) the_watcher(child);
      continue;
    }
    const ssize_t count = ::read(file, buffer.data(), buffer.size());
    if (count > 0) text.append(buffer.data(), static_cast<std::size_t>(count));
    if (count == 0 || (count < 0 && errno != EINTR)) return true;
  }
}

// 0 and the text of the result, or 1 and why there is none.
int answer(const std::function<std::string()>& work, const Isolation& isolation, std::string& text) {
  try {
    const Status entered = isolation.cage == nullptr ? Status::success() : isolation.cage->enter();
    text = entered ? work() : entered.message;
    return entered ? 0 : 1;
  } catch (const std::exception& error) {
    text = error.what();
    return 1;
  }
}

[[noreturn]] void become_child(const std::function<void(int)>& body, int out) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // who asked is gone: the result is for nobody
  body(out);
  ::_exit(127);
}

Status ending(int status, const std::string& text, bool caged) {
  if (WIFSIGNALED(status)) {
    const bool killed = WTERMSIG(status) == SIGKILL && caged;
    return io_error(fmt::format("its process was killed by signal {} ({}){}", WTERMSIG(status),
                                ::strsignal(WTERMSIG(status)), killed ? ", probably for want of memory" : ""));
  }
  if (WEXITSTATUS(status) == 0) return Status::success();
  return io_error(text.empty() ? fmt::format("its process ended with status {}", WEXITSTATUS(status)) : text);
}

base::Result<std::string> run_child(const std::function<void(int)>& body, const Isolation& isolation) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return io_error(fmt::format("no pipe to a process: {}", std::strerror(errno)));
  const pid_t child = ::fork();
  if (child == 0) become_child(body, ends[1]);
  ::close(ends[1]);
  std::string text;
  bool ended = false;
  int status = 0;
  if (child > 0) {
    const auto wait = std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(isolation.seconds));
    ended = read_all(ends[0], child, text, Clock::now() + wait);
    if (!ended) ::kill(child, SIGKILL);
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
  }
  ::close(ends[0]);
  if (child < 0) return io_error(fmt::format("no process can be started: {}", std::strerror(errno)));
  if (!ended) return io_error(fmt::format("it did not end within {:g} s and was killed", isolation.seconds));
  if (Status bad = ending(status, text, isolation.cage != nullptr); !bad) return bad;
  return text;
}

// A file without a name, for what a program says on standard error; -1 where there is none.
int make_error_file() { return ::memfd_create("errors", MFD_CLOEXEC); }

// The last line that says something.
std::string last_line(int file) {
  std::array<char, 4096> end{};
  const off_t size = ::lseek(file, 0, SEEK_END);
  const auto from = std::max<off_t>(0, size - static_cast<off_t>(end.size()));
  const ssize_t count = ::pread(file, end.data(), end.size(), from);
  std::string_view text(end.data(), static_cast<std::size_t>(std::max<ssize_t>(0, count)));
  while (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  return std::string(text.substr(text.rfind('\n') + 1));
}

std::uint64_t number_after(const char* path, std::string_view key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::uint64_t number = 0;
    if (line.starts_with(key) && std::istringstream(line.substr(key.size())) >> number) return number;
  }
  return 0;
}

}  // namespace

base::Result<std::string> run_isolated(const std::function<std::string()>& work, const Isolation& isolation) {
  const auto body = [&](int out) {
    std::string text;
    const int status = answer(work, isolation, text);
    write_all(out, text);
    ::_exit(status);  // without destructors: they are the parent's too
  };
  return run_child(body, isolation);
}

base::Result<std::string> run_isolated_program(const std::vector<std::string>& command, const Isolation& isolation) {
  std::vector<char*> arguments;
  for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  const int errors = make_error_file();
  const auto body = [&](int out) {
    if (isolation.cage != nullptr && !isolation.cage->enter()) ::_exit(126);
    ::dup2(out, STDOUT_FILENO);
    if (errors >= 0) ::dup2(errors, STDERR_FILENO);
    ::execvp(arguments[0], arguments.data());
  };
  auto output = run_child(body, isolation);
  const std::string said = last_line(errors);
  if (errors >= 0) ::close(errors);
  if (output || said.empty()) return output;
  return Status{output.status().code, fmt::format("{}: {}", output.status().message, said)};
}

WatchIsolated::WatchIsolated(std::function<void(pid_t)> look) { the_watcher = std::move(look); }
WatchIsolated::~WatchIsolated() { the_watcher = nullptr; }

std::uint64_t peak_resident_bytes() { return number_after("/proc/self/status", "VmHWM:") * 1024; }

std::uint64_t storage_bytes() {
  return number_after("/proc/self/io", "read_bytes:") + number_after("/proc/self/io", "write_bytes:");
}

}  // namespace weir::apps

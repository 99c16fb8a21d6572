// SPDX-License-Identifier: Apache-2.0

#include "bench/report/child_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string_view>

namespace weir::bench {

namespace {

using base::Code;
using base::Status;
using Clock = std::chrono::steady_clock;

class Descriptor {
 public:
  explicit Descriptor(int number = -1) noexcept : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() { close(); }

  int number() const noexcept { return number_; }
  bool open() const noexcept { return number_ >= 0; }
  void close() noexcept {
    if (number_ >= 0) ::close(number_);
    number_ = -1;
  }

 private:
  int number_;
};

struct Pipe {
  Descriptor read, write;
};

bool make_pipe(Pipe& pipe) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return false;
  pipe = {Descriptor(ends[0]), Descriptor(ends[1])};
  return true;
}

// A file without a name that holds the input: the child can be slow to read it, and nobody has to wait for that.
Descriptor input_file(const std::string& input) {
  if (input.empty()) return Descriptor(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::tmpfile(), std::fclose);
  if (!file || std::fwrite(input.data(), 1, input.size(), file.get()) != input.size()) return Descriptor();
  std::rewind(file.get());
  return Descriptor(::fcntl(fileno(file.get()), F_DUPFD_CLOEXEC, 0));
}

int spawn(const std::vector<std::string>& command, int in, int out, int error, pid_t& pid) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in, 0);
  posix_spawn_file_actions_adddup2(&actions, out, 1);
  posix_spawn_file_actions_adddup2(&actions, error, 2);
  std::vector<char*> arguments;
  for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  const int failed = posix_spawnp(&pid, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  return failed;
}

// Appends what can be read now; closes the descriptor at the end of the file.
void drain(Descriptor& from, std::string& to) {
  std::array<char, 4096> buffer;
  const ssize_t count = ::read(from.number(), buffer.data(), buffer.size());
  if (count > 0) {
    to.append(buffer.data(), std::size_t(count));
  } else if (count == 0 || errno != EINTR) {
    from.close();
  }
}

// Reads both until they end. False when the deadline passes first.
bool read_all(Descriptor& out, std::string& output, Descriptor& error, std::string& errors,
              Clock::time_point deadline) {
  while (out.open() || error.open()) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return false;
    std::array<pollfd, 2> polled = {{{out.number(), POLLIN, 0}, {error.number(), POLLIN, 0}}};
    ::poll(polled.data(), polled.size(), int(std::min<long long>(left, 1000)));
    if (polled[0].revents != 0) drain(out, output);
    if (polled[1].revents != 0) drain(error, errors);
  }
  return true;
}

std::string last_line(std::string_view text) {
  while (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  const std::size_t start = text.rfind('\n');
  return std::string(start == std::string_view::npos ? text : text.substr(start + 1));
}

Status ending(const std::string& program, int status, const std::string& errors) {
  const std::string said = errors.empty() ? std::string() : ": " + last_line(errors);
  if (WIFSIGNALED(status)) {
    return {Code::io_error, fmt::format("{} was killed by signal {} ({}){}", program, WTERMSIG(status),
                                        ::strsignal(WTERMSIG(status)), said)};
  }
  if (WEXITSTATUS(status) != 0) {
    return {Code::io_error, fmt::format("{} exited with status {}{}", program, WEXITSTATUS(status), said)};
  }
  return Status::success();
}

}  // namespace

base::Result<std::string> run_process(const std::vector<std::string>& command, const std::string& input,
                                      double seconds) {
  const std::string program = command.front().substr(command.front().rfind('/') + 1);
  Pipe out, error;
  Descriptor in = input_file(input);
  if (!in.open() || !make_pipe(out) || !make_pipe(error)) {
    return Status{Code::io_error, fmt::format("no pipe to {}: {}", program, std::strerror(errno))};
  }
  pid_t pid = -1;
  const int failed = spawn(command, in.number(), out.write.number(), error.write.number(), pid);
  if (failed != 0) {
    return Status{Code::io_error, fmt::format("{} cannot be started: {}", command.front(), std::strerror(failed))};
  }
  out.write.close();
  error.write.close();
  std::string output, errors;
  const auto deadline =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  const bool ended = read_all(out.read, output, error.read, errors, deadline);
  if (!ended) ::kill(pid, SIGKILL);
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (!ended) {
    return Status{Code::io_error, fmt::format("{} did not end within {:g} s and was killed", program, seconds)};
  }
  if (Status bad = ending(program, status, errors); !bad) return bad;
  return output;
}

base::Result<std::string> run_process(const std::vector<std::string>& command, double seconds) {
  return run_process(command, {}, seconds);
}

}  // namespace weir::bench

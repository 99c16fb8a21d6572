// SPDX-License-Identifier: Apache-2.0

#include "explain/socket.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>
#include <thread>

#include "platform/abstract_socket.hpp"

namespace weir::explain {

namespace {

using base::Code;
using base::Status;
using Clock = std::chrono::steady_clock;

constexpr int kPatienceMs = 2000;  // with who connects and then says nothing, or does not read
constexpr std::size_t kLongest = 64;
constexpr int kMostCopies = 4;  // of the library in one process

platform::AbstractSocket address_of(const std::string& proc, long number, int copy) {
  const std::string name = platform::socket_name("weir.explain", proc, number);
  return platform::AbstractSocket::named(copy == 0 ? name : fmt::format("{}.{}", name, copy + 1));
}

bool peer_of(int file, ucred& peer) noexcept {
  socklen_t size = sizeof peer;
  return getsockopt(file, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0;
}

bool becomes(int file, short what, int milliseconds) noexcept {
  pollfd polled{file, what, 0};
  int ready = 0;
  while ((ready = poll(&polled, 1, milliseconds)) < 0 && errno == EINTR) {
  }
  return ready > 0;
}

bool send_all(int file, const std::string& text) noexcept {
  for (std::size_t sent = 0; sent < text.size();) {
    const ssize_t count = send(file, text.data() + sent, text.size() - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count > 0) {
      sent += static_cast<std::size_t>(count);
    } else if (count < 0 && (errno == EAGAIN || errno == EINTR)) {
      if (!becomes(file, POLLOUT, kPatienceMs)) return false;
    } else {
      return false;
    }
  }
  return true;
}

// As its own namespace numbers it.
long own_number(pid_t process) {
  std::ifstream file(fmt::format("/proc/{}/status", process));
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("NSpid:")) continue;
    std::istringstream numbers(line.substr(6));
    long number = process;
    while (numbers >> number) {
    }
    return number;
  }
  return process;
}

std::string name_of(pid_t process) {
  std::ifstream file(fmt::format("/proc/{}/comm", process));
  std::string name;
  std::getline(file, name);
  return name;
}

// A socket's name is known within its namespace only.
bool has_other_sockets(pid_t process) {
  struct stat its {
  }, ours{};
  return stat(fmt::format("/proc/{}/ns/net", process).c_str(), &its) == 0 && stat("/proc/self/ns/net", &ours) == 0 &&
         (its.st_ino != ours.st_ino || its.st_dev != ours.st_dev);
}

// As proc(5) has it; a thread that is gone has none.
char state_of(const std::filesystem::path& thread) {
  std::ifstream file(thread / "stat");
  std::string line;
  std::getline(file, line);
  const std::size_t name_end = line.rfind(") ");
  return name_end == std::string::npos ? '\0' : line[name_end + 2];
}

// Of those of its threads that have not ended, and how many have: those that nobody has asked how, or the first one,
// which is there for as long as the process.
struct ThreadStates {
  std::string alive;
  int ended = 0;
};
ThreadStates thread_states_of(pid_t process) {
  ThreadStates all;
  std::error_code error;
  using Threads = std::filesystem::directory_iterator;
  for (Threads thread(fmt::format("/proc/{}/task", process), error); thread != Threads(); thread.increment(error)) {
    const char state = state_of(thread->path());
    if (state == 'Z' || state == 'X')
      ++all.ended;
    else if (state != '\0')
      all.alive += state;
  }
  return all;
}

bool has_ended(pid_t process) {
  const ThreadStates threads = thread_states_of(process);
  return threads.alive.empty() && threads.ended != 0;
}

Status no_answer(pid_t process) {
  if (has_ended(process)) {
    return {Code::not_found,
            fmt::format("process {} ({}) has ended; its parent has not asked how", process, name_of(process))};
  }
  if (has_other_sockets(process)) {
    return {Code::not_found,
            fmt::format("process {} ({}) has no Weir runtime that answers here: it is in another network namespace, as "
                        "in a container; run weir explain in there, or as root `nsenter -t {} -n weir explain {}`",
                        process, name_of(process), process, process)};
  }
  return {
      Code::not_found,
      fmt::format("process {} ({}) has no Weir runtime that answers: it does not use Weir, has no runtime now, or was "
                  "started with WEIR_EXPLAIN=off; ask while one is alive",
                  process, name_of(process))};
}

// T: all threads are stopped; t: by a debugger, at least one of them; none: some thread is not.
char stopped_state_of(pid_t process) {
  const std::string alive = thread_states_of(process).alive;
  if (alive.empty() || alive.find_first_not_of("Tt") != std::string::npos) return '\0';
  return alive.find('t') == std::string::npos ? 'T' : 't';
}

// One that is stopped has a runtime, but no thread of it runs. Not one of which a tracer stops a thread for a moment.
Status check_runs(pid_t process) {
  constexpr int kLooks = 3;
  char state = stopped_state_of(process);
  for (int look = 1; look < kLooks && state != '\0'; ++look) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    state = stopped_state_of(process);
  }
  if (state == 'T')
    return {Code::io_error, fmt::format("process {} ({}) is stopped, and cannot answer; `kill -CONT {}` lets it go on",
                                        process, name_of(process), process)};
  if (state == 't')
    return {Code::io_error,
            fmt::format("process {} ({}) is stopped by a debugger, and cannot answer; let it go on there", process,
                        name_of(process))};
  return Status::success();
}

// Where /proc does not show it, as with the option hidepid, or is not there.
Status check_hidden_process(pid_t process) {
  if (kill(process, 0) == 0) return Status::success();
  if (errno != EPERM) return {Code::not_found, fmt::format("there is no process {}; `pgrep NAME` finds one", process)};
  return {Code::unsupported,
          fmt::format("process {} is of another user, and only that user and root may ask it; use sudo", process)};
}

Status check_process(pid_t process) {
  struct stat owner {};
  if (stat(fmt::format("/proc/{}", process).c_str(), &owner) != 0) return check_hidden_process(process);
  if (owner.st_uid != geteuid() && geteuid() != 0) {
    return {Code::unsupported, fmt::format("process {} ({}) is of user {}, and only that user and root may ask it; use "
                                           "sudo -u '#{}'",
                                           process, name_of(process), owner.st_uid, owner.st_uid)};
  }
  return Status::success();
}

// "" and complete false when it takes too long.
bool read_until(int file, std::string& text, Clock::time_point deadline) {
  std::array<char, 16384> buffer;
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0 || !becomes(file, POLLIN, static_cast<int>(left))) return false;
    const ssize_t count = read(file, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return count == 0;
    text.append(buffer.data(), static_cast<std::size_t>(count));
  }
}

struct File {
  int number;
  ~File() { close(number); }
};

struct Asked {
  pid_t process;
  const std::string& question;
  double seconds;
  Clock::time_point deadline;
};

// not_found: that copy of the library is not there, or has no runtime.
base::Result<std::string> ask_copy(const Asked& asked, const platform::AbstractSocket& address) {
  const pid_t process = asked.process;
  const File file{socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  if (file.number < 0 || connect(file.number, address.get(), address.size) != 0) return no_answer(process);
  ucred peer{};
  if (!peer_of(file.number, peer) || (peer.pid != process && peer.pid != 0)) return no_answer(process);
  if (Status status = check_runs(process); !status) return status;
  std::string text;
  if (!send_all(file.number, asked.question + "\n")) return no_answer(process);
  if (!read_until(file.number, text, asked.deadline))
    return Status{Code::io_error,
                  fmt::format("process {} ({}) did not answer within {:g} s; is it stopped? (`kill -CONT {}`)", process,
                              name_of(process), asked.seconds, process)};
  return text.empty() ? base::Result<std::string>(no_answer(process)) : base::Result<std::string>(std::move(text));
}

}  // namespace

int listen_for_questions() noexcept {
  try {
    const int file = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (file < 0) return -1;
    for (int copy = 0; copy < kMostCopies; ++copy) {
      const platform::AbstractSocket address = address_of("/proc/self", getpid(), copy);
      if (bind(file, address.get(), address.size) != 0) continue;
      if (listen(file, 16) == 0) return file;
      break;
    }
    close(file);
  } catch (const std::exception&) {  // no memory: nobody is told
  }
  return -1;
}

std::optional<Question> accept_question(int listening) {
  const int file = accept4(listening, nullptr, nullptr, SOCK_CLOEXEC);
  if (file < 0) return std::nullopt;
  Question question{file, {}};
  ucred peer{};
  bool good = peer_of(file, peer) && (peer.uid == geteuid() || peer.uid == 0);
  while (good && !question.text.ends_with('\n')) {
    char c = 0;
    good = question.text.size() < kLongest && becomes(file, POLLIN, kPatienceMs) && read(file, &c, 1) == 1;
    question.text += c;
  }
  if (good) {
    question.text.pop_back();
    return question;
  }
  close(file);
  return std::nullopt;
}

void answer(const Question& question, const std::string& text) noexcept {
  send_all(question.file, text);
  close(question.file);
}

base::Result<std::vector<std::string>> ask(pid_t process, const std::string& question, double seconds) {
  if (Status status = check_process(process); !status) return status;
  const auto deadline =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  const std::string proc = fmt::format("/proc/{}", process);
  const long number = own_number(process);
  std::vector<std::string> answers;
  for (int copy = 0; copy < kMostCopies; ++copy) {
    auto answer = ask_copy({process, question, seconds, deadline}, address_of(proc, number, copy));
    if (answer) {
      answers.push_back(std::move(*answer));
    } else if (answer.status().code != Code::not_found) {
      return answer.status();
    }
  }
  return answers.empty() ? base::Result<std::vector<std::string>>(no_answer(process))
                         : base::Result<std::vector<std::string>>(std::move(answers));
}

}  // namespace weir::explain

// SPDX-License-Identifier: Apache-2.0

#include "platform/process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string_view>

extern "C" char** environ;

namespace weir::platform {

namespace {

using base::Code;
using base::Status;
using Clock = std::chrono::steady_clock;

std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<char*> result;
  result.reserve(texts.size() + 1);
  for (const std::string& text : texts) result.push_back(const_cast<char*>(text.c_str()));
  result.push_back(nullptr);
  return result;
}

bool matches(std::string_view name, std::string_view pattern) {
  return pattern.ends_with('*') ? name.starts_with(pattern.substr(0, pattern.size() - 1)) : name == pattern;
}

std::vector<std::string> environment_of(const Command& command) {
  std::vector<std::string> result;
  for (const auto& [name, value] : command.variables) result.push_back(fmt::format("{}={}", name, value));
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::string_view name = text.substr(0, text.find('='));
    const auto is_set = [name](const auto& variable) { return variable.first == name; };
    const auto is_removed = [name](const std::string& pattern) { return matches(name, pattern); };
    if (std::none_of(command.variables.begin(), command.variables.end(), is_set) &&
        std::none_of(command.removed.begin(), command.removed.end(), is_removed))
      result.emplace_back(text);
  }
  return result;
}

Status cannot_run(const Command& command, int why) {
  const bool too_many = why == EAGAIN;
  return {
      too_many ? Code::no_space : Code::not_found,
      fmt::format("{}: cannot be run: {}{}", command.words.front(), std::strerror(why),
                  too_many ? "; allow more processes: ulimit -u, or the limit of the control group (pids.max)" : "")};
}

int spawn(const Command& command, char** arguments, char** environment, pid_t& pid) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  const int standard[] = {command.in, command.out, command.error};
  for (int i = 0; i < 3; ++i) {
    if (standard[i] == Command::kNothing)
      posix_spawn_file_actions_addopen(&files, i, "/dev/null", i == 0 ? O_RDONLY : O_WRONLY, 0);
    else if (standard[i] != Command::kInherited)
      posix_spawn_file_actions_adddup2(&files, standard[i], i);
  }
  const int failed = posix_spawnp(&pid, arguments[0], &files, nullptr, arguments, environment);
  posix_spawn_file_actions_destroy(&files);
  return failed;
}

// Does not come back but with the reason why.
int exec(const Command& command, char** arguments, char** environment) {
  if (command.prepare && !command.prepare()) ::_exit(126);
  const int standard[] = {command.in, command.out, command.error};
  for (int i = 0; i < 3; ++i) {
    const bool nothing = standard[i] == Command::kNothing;
    const int from = nothing ? ::open("/dev/null", i == 0 ? O_RDONLY : O_WRONLY) : standard[i];
    if (from >= 0 && from != i) ::dup2(from, i);
  }
  environ = environment;
  ::execvp(arguments[0], arguments);
  return errno;
}

// As posix_spawn(), by a pipe that the program closes when it begins.
int fork_and_become(const Command& command, char** arguments, char** environment, pid_t& pid) {
  auto failure = Pipe::make();
  if (!failure) return errno;
  const pid_t us = ::getpid();
  pid = ::fork();
  if (pid < 0) return errno;
  if (pid == 0) {
    if (command.dies_with_us) ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (command.dies_with_us && ::getppid() != us) ::_exit(127);  // we were quicker
    const int why = exec(command, arguments, environment);
    static_cast<void>(!::write(failure->write.number(), &why, sizeof why));
    ::_exit(127);
  }
  failure->write.close();
  int why = 0;
  ssize_t bytes = 0;
  do bytes = ::read(failure->read.number(), &why, sizeof why);
  while (bytes < 0 && errno == EINTR);
  if (bytes != sizeof why) return 0;
  ::waitpid(pid, nullptr, 0);
  return why;
}

constexpr ProcessEnd kUnknownEnd{0, 255, false};

ProcessEnd end_of(int status) noexcept {
  if (WIFSIGNALED(status)) return {WTERMSIG(status), 128 + WTERMSIG(status)};
  return {0, WEXITSTATUS(status)};
}

// Appends what can be read now; closes the descriptor at the end of the file.
void drain(Descriptor& from, std::string& to) {
  std::array<char, 16384> buffer;
  const ssize_t count = ::read(from.number(), buffer.data(), buffer.size());
  if (count > 0)
    to.append(buffer.data(), static_cast<std::size_t>(count));
  else if (count == 0 || errno != EINTR)
    from.close();
}

// The last one that has a letter or a digit in it: launchers put frames around what they say.
std::string last_line(std::string_view text) {
  const auto speaks = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
  const auto last = std::find_if(text.rbegin(), text.rend(), speaks);
  text = text.substr(0, text.find('\n', static_cast<std::size_t>(text.rend() - last)));
  return std::string(text.substr(text.rfind('\n') + 1));
}

// A file without a name that holds the input: the child can be slow to read it, and nobody has to wait for that.
Descriptor input_file(const std::string& input) {
  Descriptor file(::memfd_create("input", MFD_CLOEXEC));
  if (::write(file.number(), input.data(), input.size()) != static_cast<ssize_t>(input.size())) return Descriptor();
  ::lseek(file.number(), 0, SEEK_SET);
  return file;
}

}  // namespace

std::optional<Pipe> Pipe::make() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return std::nullopt;
  return Pipe{Descriptor(ends[0]), Descriptor(ends[1])};
}

base::Result<Process> Process::start(const Command& command) {
  const std::vector<std::string> environment = environment_of(command);
  std::vector<char*> arguments = pointers_to(command.words), variables = pointers_to(environment);
  const bool forks = command.dies_with_us || command.prepare;
  pid_t pid = -1;
  const auto become_new = [&] { return fork_and_become(command, arguments.data(), variables.data(), pid); };
  int failed = forks ? become_new() : spawn(command, arguments.data(), variables.data(), pid);
  if (failed == ENOEXEC && !forks) failed = become_new();  // a script without #!, which execvp() gives to a shell
  if (failed != 0) return cannot_run(command, failed);
  return Process(pid);
}

base::Result<Process> Process::fork(const std::function<int()>& body) {
  const pid_t pid = ::fork();
  if (pid < 0) return Status{Code::io_error, fmt::format("no process can be started: {}", std::strerror(errno))};
  if (pid != 0) return Process(pid);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::_exit(body());  // without destructors: they are the parent's too
}

void Process::kill() const noexcept { ::kill(pid_, SIGKILL); }

ProcessEnd Process::wait() {
  int status = 0;
  pid_t ended = 0;
  do ended = ::waitpid(pid_, &status, 0);
  while (ended < 0 && errno == EINTR);
  return ended == pid_ ? end_of(status) : kUnknownEnd;
}

std::optional<ProcessEnd> Process::ended() {
  int status = 0;
  const pid_t ended = ::waitpid(pid_, &status, WNOHANG);
  if (ended < 0 && errno == ECHILD) return kUnknownEnd;
  if (ended != pid_) return std::nullopt;
  return end_of(status);
}

Status become(const Command& command) {
  const std::vector<std::string> environment = environment_of(command);
  std::vector<char*> arguments = pointers_to(command.words), variables = pointers_to(environment);
  char** const before = environ;
  const int why = exec(command, arguments.data(), variables.data());
  environ = before;
  return cannot_run(command, why);
}

std::optional<Reaped> reap_child() {
  int status = 0;
  const pid_t pid = ::waitpid(-1, &status, WNOHANG);
  if (pid <= 0) return std::nullopt;
  return Reaped{pid, end_of(status)};
}

constexpr std::uint64_t kStackOfLife = 0xffffffff;

bool is_exiting(pid_t pid) { return life_of(pid) == 0; }

// Fields of proc(5) by their numbers there: the state is 3. The stack of a program begins somewhere else than that of
// the one before.
std::uint64_t life_of(pid_t pid) {
  constexpr std::size_t kState = 3, kFlags = 9, kStart = 22, kStack = 28;
  constexpr std::uint64_t kExiting = 0x4;  // PF_EXITING of the kernel
  std::ifstream file(fmt::format("/proc/{}/stat", pid));
  std::string line;
  if (!std::getline(file, line)) return 0;
  std::istringstream text(line.substr(line.rfind(')') + 1));  // the name may have blanks
  const std::vector<std::string> fields{std::istream_iterator<std::string>(text), {}};
  if (fields.size() <= kStack - kState) return 0;
  const auto number = [&](std::size_t field) { return std::strtoull(fields[field - kState].c_str(), nullptr, 10); };
  if (fields.front() == "Z" || fields.front() == "X" || (number(kFlags) & kExiting) != 0) return 0;
  return number(kStart) << 32 | (number(kStack) >> 4 & kStackOfLife);
}

// The stack is told to who may trace the process, and is 0 for others.
bool lives(pid_t pid, std::uint64_t life) {
  const std::uint64_t now = life_of(pid);
  return now != 0 && now >> 32 == life >> 32 && ((now & kStackOfLife) == 0 || now == life);
}

void wait_for(pid_t child) noexcept {
  while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
}

std::vector<pid_t> children_of_this_thread() {
  std::ifstream file(fmt::format("/proc/self/task/{}/children", ::gettid()));
  return {std::istream_iterator<pid_t>(file), std::istream_iterator<pid_t>()};
}

Collected collect(Process& process, double seconds, Pipe& out, Pipe* error, const std::function<void(pid_t)>& look) {
  const std::int64_t nap_ms = look ? 200 : 1000;
  const auto deadline =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  Descriptor none;
  Descriptor& errors = error != nullptr ? error->read : none;
  Collected result;
  while (out.read.is_open() || errors.is_open()) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    result.in_time = left > 0;
    if (!result.in_time) break;
    std::array<pollfd, 2> polled = {{{out.read.number(), POLLIN, 0}, {errors.number(), POLLIN, 0}}};
    if (::poll(polled.data(), polled.size(), static_cast<int>(std::min<std::int64_t>(left, nap_ms))) <= 0) {
      if (look) look(process.pid());
      continue;
    }
    if (polled[0].revents != 0) drain(out.read, result.out);
    if (polled[1].revents != 0) drain(errors, result.error);
  }
  if (!result.in_time) process.kill();
  result.end = process.wait();
  return result;
}

base::Result<Collected> run(Command command, double seconds, const std::string& input,
                            const std::function<void(pid_t)>& look) {
  auto out = Pipe::make(), error = Pipe::make();
  const Descriptor in = input.empty() ? Descriptor() : input_file(input);
  if (!out || !error || in.is_open() == input.empty()) {
    return Status{Code::io_error, fmt::format("no pipe to {}: {}", command.words.front(), std::strerror(errno))};
  }
  command.in = in.is_open() ? in.number() : Command::kNothing;
  command.out = out->write.number();
  command.error = error->write.number();
  auto process = Process::start(command);
  if (!process) return process.status();
  out->write.close();
  error->write.close();
  return collect(*process, seconds, *out, &*error, look);
}

base::Result<std::string> output_of(std::vector<std::string> words, double seconds, const std::string& input) {
  const std::string name = words.front().substr(words.front().rfind('/') + 1);
  auto collected = run({std::move(words)}, seconds, input);
  if (!collected) return collected.status();
  if (Status failed = failure_of(name, *collected, seconds); !failed) return failed;
  return std::move(collected->out);
}

Status failure_of(const std::string& name, const Collected& collected, double seconds) {
  const std::string said = collected.error.empty() ? "" : ": " + last_line(collected.error);
  const auto failed = [&](std::string how) { return Status{Code::io_error, fmt::format("{} {}", name, how)}; };
  if (!collected.in_time) return failed(fmt::format("did not end within {:g} s and was killed", seconds));
  const ProcessEnd end = collected.end;
  if (!end.known)
    return failed("has ended, and how is not known: this process ignores SIGCHLD, or waits for all of its children");
  if (end.signal != 0)
    return failed(fmt::format("was killed by signal {} ({}){}", end.signal, ::strsignal(end.signal), said));
  return end.well() ? Status::success() : failed(fmt::format("exited with status {}{}", end.status, said));
}

}  // namespace weir::platform

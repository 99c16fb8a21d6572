// SPDX-License-Identifier: Apache-2.0

#include "run_islands.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <memory>
#include <utility>

#include "island/attach.hpp"
#include "island/presence.hpp"
#include "platform/file_io.hpp"
#include "platform/start_thread.hpp"
#include "print_error.hpp"

namespace weir::tool {

namespace {

std::string how(const platform::ProcessEnd& end) {
  if (end.signal != 0) return fmt::format("ended by signal {} ({})", end.signal, ::strsignal(end.signal));
  return fmt::format("ended with exit status {}", end.status);
}

void tell_end(const platform::Process& worker, const platform::ProcessEnd& end, const char* when = "") {
  print_error("weir: a worker of the islands (process {}) {}{}\n", worker.pid(), how(end), when);
}

// A file is each worker's own, from where it stands. What can be read once, a pipe or a terminal, is the master's
// alone.
platform::Descriptor own_input() {
  struct stat found {};
  if (::fstat(STDIN_FILENO, &found) != 0 || !S_ISREG(found.st_mode)) return platform::Descriptor();
  platform::Descriptor own(::open("/proc/self/fd/0", O_RDONLY | O_CLOEXEC));
  const off_t at = ::lseek(STDIN_FILENO, 0, SEEK_CUR);
  if (own.is_open() && ::lseek(own.number(), at, SEEK_SET) == at) return own;
  print_error(
      "weir: --islands: standard input cannot be opened once more for the workers ({}), which read nothing there; name "
      "the file as an argument\n",
      std::strerror(errno));
  return platform::Descriptor();
}

}  // namespace

base::Result<std::unique_ptr<IslandsRun>> IslandsRun::start(const std::vector<std::string>& words,
                                                            const Variables& variables, int workers,
                                                            const std::string& segment, ChildOutput output) {
  std::unique_ptr<IslandsRun> run(new IslandsRun);
  run->segment_ = segment;
  if (segment.empty()) {
    if (base::Status held = run->hold_memory(); !held) return held;
  }
  platform::Command command{words, variables};
  command.variables.emplace_back(island::kJoinVariable, run->segment_);
  command.out = file_for(output);
  command.dies_with_us = true;
  for (int i = 0; i < workers; ++i) {
    const platform::Descriptor input = own_input();
    command.in = input.is_open() ? input.number() : platform::Command::kNothing;
    auto worker = platform::Process::start(command);
    if (!worker) return worker.status();
    run->workers_.push_back(*worker);
    run->ended_.push_back(false);
  }
  auto watcher = platform::try_start_thread("weir islands", [&watched = *run] { watched.watch_workers(); });
  if (!watcher) return watcher.status();
  run->watcher_ = std::move(*watcher);
  return run;
}

// Of no size until the master gives it one. It has no name: other processes reach it by ours, and it goes with the
// last. No file system has less room for it than the machine has memory.
base::Status IslandsRun::hold_memory() {
  memory_ = platform::Descriptor(::memfd_create(island::kHeldMemory, MFD_CLOEXEC | MFD_ALLOW_SEALING));
  ::fcntl(memory_.number(), F_SETFD, 0);
  if (!memory_.is_open()) memory_ = platform::Descriptor(platform::open_nameless("/dev/shm"));
  segment_ = fmt::format("/proc/{}/fd/{}", ::getpid(), memory_.number());
  if (memory_.is_open() && ::access(segment_.c_str(), R_OK | W_OK) == 0) return base::Status::success();
  return {
      base::Code::unsupported,
      fmt::format("--islands: no memory that processes find under /proc ({}): allow memfd_create(), mount /proc, or "
                  "name a file that they attach to (--island-segment)",
                  std::strerror(errno))};
}

IslandsRun::Variables IslandsRun::variables() const {
  return {{memory_.is_open() ? island::kMemoryVariable : "WEIR_ISLAND_SEGMENT", segment_},
          {island::kAttachedVariable, fmt::format("{}", workers_.size())}};
}

// The master says so: by a seal of the memory, or, where that takes none, for as long as it has it.
bool IslandsRun::all_have_attached() {
  const int seals = ::fcntl(memory_.number(), F_GET_SEALS);
  attached_ = attached_ || (seals > 0 && (seals & F_SEAL_GROW) != 0) ||
              island::Presence(memory_.number()).is_held(island::Presence::kAllAttached);
  return attached_;
}

// In this order: a master that all have attached to has said so before its workers end, and is gone later.
bool IslandsRun::waits_for_workers() {
  return memory_.is_open() && !all_have_attached() &&
         island::Presence(memory_.number()).is_held(island::Presence::kMaster);
}

bool IslandsRun::has_had_master() const {
  struct stat found {};
  return !memory_.is_open() || ::fstat(memory_.number(), &found) != 0 || found.st_size != 0;
}

void IslandsRun::watch_workers() {
  while (!stops_) {
    const pid_t master = master_;
    for (std::size_t i = 0; master != 0 && i < workers_.size(); ++i) {
      if (ended_[i]) continue;
      const auto end = workers_[i].ended();
      if (!end) continue;
      ended_[i] = true;
      if (stops_) continue;
      if (end->well()) {
        if (!all_have_attached()) early_ = &workers_[i];
        continue;
      }
      tell_end(workers_[i], *end);
      if (memory_.is_open() && !all_have_attached()) ::kill(master, SIGTERM);
    }
    if (early_ != nullptr && waits_for_workers()) {
      tell_end(*std::exchange(early_, nullptr), {},
               ", and had not come to a weir::island::Master, where its master waits for it");
      ::kill(master, SIGTERM);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

IslandsRun::~IslandsRun() {
  stops_ = true;
  if (watcher_.joinable()) watcher_.join();
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    if (ended_[i]) continue;
    if (const auto end = workers_[i].ended()) {  // since the last look
      if (end->signal != 0) tell_end(workers_[i], *end);
      continue;
    }
    workers_[i].kill();
    static_cast<void>(workers_[i].wait());
  }
}

}  // namespace weir::tool

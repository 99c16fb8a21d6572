// SPDX-License-Identifier: Apache-2.0

#include "run_islands.hpp"

#include <fmt/format.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <memory>
#include <utility>

#include "print_error.hpp"

namespace weir::tool {

namespace {

constexpr const char* kSegment = "segment";

std::string how(const platform::ProcessEnd& end) {
  if (end.signal != 0) return fmt::format("ended by signal {} ({})", end.signal, ::strsignal(end.signal));
  return fmt::format("ended with exit status {}", end.status);
}

void tell_end(const platform::Process& worker, const platform::ProcessEnd& end) {
  print_error("weir: a worker of the islands (process {}) {}\n", worker.pid(), how(end));
}

}  // namespace

base::Result<std::unique_ptr<IslandsRun>> IslandsRun::start(const std::vector<std::string>& words,
                                                            const Variables& variables, int workers,
                                                            const std::string& segment, ChildOutput output) {
  std::unique_ptr<IslandsRun> run(new IslandsRun);
  run->segment_ = segment;
  if (segment.empty()) {
    auto folder = TemporaryFolder::create("/dev/shm", "weir-islands-", "--islands");
    if (!folder) return folder.status();
    run->segment_ = fmt::format("{}/{}", folder->name(), kSegment);
    run->names_ = platform::Descriptor(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
    static_cast<void>(::inotify_add_watch(run->names_.number(), folder->name().c_str(), IN_DELETE));
    run->folder_.emplace(std::move(*folder));
  }
  platform::Command command{words, variables};
  command.variables.emplace_back("WEIR_ATTACH", run->segment_);
  command.out = file_for(output);
  command.dies_with_us = true;
  for (int i = 0; i < workers; ++i) {
    auto worker = platform::Process::start(command);
    if (!worker) return worker.status();
    run->workers_.push_back(*worker);
    run->ended_.push_back(false);
  }
  return run;
}

IslandsRun::Variables IslandsRun::variables() const {
  return {{"WEIR_ISLAND_SEGMENT", segment_}, {"WEIR_ATTACHED", fmt::format("{}", workers_.size())}};
}

// The master removes the name then; of a file that was there before it cannot be told.
bool IslandsRun::all_have_attached() {
  alignas(inotify_event) char events[4096];
  for (ssize_t got; !attached_ && (got = ::read(names_.number(), events, sizeof events)) > 0;) {
    for (ssize_t at = 0; at < got;) {
      const auto* const event = reinterpret_cast<const inotify_event*>(events + at);
      attached_ = attached_ || (event->len != 0 && std::strcmp(event->name, kSegment) == 0);
      at += static_cast<ssize_t>(sizeof *event + event->len);
    }
  }
  return attached_;
}

void IslandsRun::watch(pid_t master) {
  watcher_ = std::thread([this, master] { watch_workers(master); });
}

void IslandsRun::watch_workers(pid_t master) {
  while (!stops_) {
    for (std::size_t i = 0; i < workers_.size(); ++i) {
      if (ended_[i]) continue;
      const auto end = workers_[i].ended();
      if (!end) continue;
      ended_[i] = true;
      if (end->well() || stops_) continue;
      tell_end(workers_[i], *end);
      if (folder_ && !all_have_attached()) ::kill(master, SIGTERM);
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

// SPDX-License-Identifier: Apache-2.0

// Ranks: the processes of a job on this host, started as weir run starts them, each with what it printed.
#pragma once

#include <unistd.h>

#include <array>
#include <atomic>
#include <string>
#include <vector>

#include "platform/process.hpp"

namespace weir::transport::conformance {

class Ranks {
 public:
  static constexpr double kSeconds = 60;  // a rank that takes longer is killed, and has failed

  Ranks(std::uint32_t count, const std::vector<std::string>& bodies) {
    static std::atomic<int> jobs{0};
    const std::string job = "test-" + std::to_string(getpid()) + "-" + std::to_string(jobs++);
    for (std::uint32_t i = 0; i < count; ++i) start(bodies, {i, count, job});
  }

  // One of them, as it says that it is.
  struct Place {
    std::uint32_t rank, ranks;
    std::string job;
  };
  explicit Ranks(const std::vector<Place>& places) {
    for (const Place& place : places) start({"ranks_are_numbered"}, place);
  }

  void kill(std::size_t rank) const { ranks_[rank].process.kill(); }
  // Until it has said that it has opened the transport.
  void await_start(std::size_t rank) const {
    std::array<char, sizeof "started"> line{};
    static_cast<void>(!::read(ranks_[rank].out.read.number(), line.data(), line.size()));
  }
  pid_t pid(std::size_t rank) const { return ranks_[rank].process.pid(); }
  // In the order of ranks.
  std::vector<platform::Collected> wait() {
    std::vector<platform::Collected> all;
    for (One& one : ranks_) all.push_back(platform::collect(one.process, kSeconds, one.out, &one.error));
    return all;
  }

 private:
  struct One {
    platform::Process process;
    platform::Pipe out, error;
  };

  void start(const std::vector<std::string>& bodies, const Place& place) {
    auto out = platform::Pipe::make(), error = platform::Pipe::make();
    platform::Command command{.words = {TRANSPORT_RANK}};
    command.words.insert(command.words.end(), bodies.begin(), bodies.end());
    const std::string rank = std::to_string(place.rank), ranks = std::to_string(place.ranks);
    command.variables = {{"WEIR_RANK", rank},
                         {"WEIR_RANKS", ranks},
                         {"WEIR_HOST_RANK", rank},
                         {"WEIR_HOST_RANKS", ranks},
                         {"WEIR_JOB", place.job}};
    command.out = out->write.number();
    command.error = error->write.number();
    auto process = platform::Process::start(command);
    out->write.close();
    error->write.close();
    ranks_.push_back({std::move(*process), std::move(*out), std::move(*error)});
  }

  std::vector<One> ranks_;
};

}  // namespace weir::transport::conformance

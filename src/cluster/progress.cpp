// SPDX-License-Identifier: Apache-2.0

#include "cluster/progress.hpp"

#include <fmt/format.h>

namespace weir::cluster {

namespace {

// How long it sleeps at most: as long as the end of the runtime may wait for it.
constexpr std::uint64_t kNapNs = 5'000'000;

}  // namespace

Progress::Progress(transport::Transport& transport, Exchange& exchange, Runtime& runtime)
    : transport_(transport), exchange_(exchange), tasks_(runtime), thread_([this] { run(); }) {}

Progress::~Progress() {
  ends_.store(true, std::memory_order_relaxed);
  thread_.join();
}

void Progress::look_for_failures() {
  if (const auto lost = transport_.lost())
    exchange_.fail(fmt::format("rank {} is lost: {}", static_cast<std::uint32_t>(lost->rank), lost->why));
  if (const auto failure = tasks_.failure()) exchange_.announce_own_failure(*failure);
}

void Progress::run() {
  while (!ends_.load(std::memory_order_relaxed)) {
    while (transport_.progress()) {
    }
    if (!exchange_.has_failed()) look_for_failures();
    transport_.wait_for_arrival(kNapNs);
  }
}

}  // namespace weir::cluster

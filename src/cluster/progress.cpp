// SPDX-License-Identifier: Apache-2.0

#include "cluster/progress.hpp"

#include <fmt/format.h>

namespace weir::cluster {

namespace {

// How long it sleeps at most: as long as the end of the runtime may wait for it.
constexpr std::uint64_t kNapNs = 5'000'000;

}  // namespace

Progress::Progress(transport::Transport& transport, Exchange& exchange)
    : transport_(transport), exchange_(exchange), thread_([this] { run(); }) {}

Progress::~Progress() {
  ends_.store(true, std::memory_order_relaxed);
  thread_.join();
}

void Progress::run() {
  while (!ends_.load(std::memory_order_relaxed)) {
    while (transport_.progress()) {
    }
    if (const auto lost = transport_.lost(); lost && !exchange_.has_failed())
      exchange_.fail(fmt::format("rank {} is lost: {}", static_cast<std::uint32_t>(lost->rank), lost->why));
    transport_.wait_for_arrival(kNapNs);
  }
}

}  // namespace weir::cluster

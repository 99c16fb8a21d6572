// SPDX-License-Identifier: Apache-2.0

#include "transport/loopback/world.hpp"

#include <fmt/format.h>

#include <exception>
#include <thread>

#include "transport/loopback/rank_transport.hpp"
#include "transport/loopback/state.hpp"

namespace weir::transport::loopback {
namespace {

void run_rank(State& state, Rank self, const std::function<void(Transport&)>& body, Outcome& outcome) {
  state.turns().take_first(static_cast<std::uint32_t>(self));
  try {
    RankTransport transport(state, self);
    body(transport);
  } catch (const std::exception& failure) {
    outcome.failures.push_back(fmt::format("rank {}: {}", static_cast<std::uint32_t>(self), failure.what()));
  } catch (const Killed&) {
  } catch (const Ended&) {
  }
  state.end(self);
}

}  // namespace

Outcome run(const Settings& settings, const std::function<void(Transport&)>& body) {
  State state(settings);
  Outcome outcome;
  std::vector<std::thread> threads;
  for (std::uint32_t i = 0; i < settings.ranks; ++i) {
    threads.emplace_back([&, i] { run_rank(state, Rank{i}, body, outcome); });
  }
  state.turns().begin();
  for (std::thread& thread : threads) thread.join();
  outcome.aborted = state.aborted();
  outcome.turns = state.turns().count();
  outcome.digest = state.turns().digest();
  return outcome;
}

}  // namespace weir::transport::loopback

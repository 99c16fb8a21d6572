// SPDX-License-Identifier: Apache-2.0

// Messages and meetings of the shared backend (docs/protocols/transport.md): threads as ranks over one mapping, so that
// ThreadSanitizer sees both ends of each ring. Whoever sleeps here sleeps until it is woken: a lost wake-up stands
// still, and the watchdog says so.
#include <atomic>
#include <thread>
#include <vector>

#include "conformance/transport/bodies.hpp"
#include "stress.hpp"
#include "transport/shared/shared_transport.hpp"

namespace {

using namespace weir::transport;               // NOLINT(google-build-using-namespace)
using namespace weir::transport::conformance;  // NOLINT(google-build-using-namespace)
using weir::Rank;
using weir::stress::Stress;

constexpr std::chrono::hours kForEver{1};

// POLLER-1: a thread runs all that arrives, and sleeps in between; another one says again and again that it polls, so
// that messages wake nobody, and wakes the first when it ends that and something has arrived.
void messages_that_wake_nobody_are_run(Transport& t) {
  constexpr std::uint16_t kWord = 3;
  constexpr std::uint64_t kCount = 200;
  std::atomic<std::uint64_t> arrived{0};
  t.set_handler(
      kWord, [](void* count, Rank, auto) { static_cast<std::atomic<std::uint64_t>*>(count)->fetch_add(1); }, &arrived);
  require(t.barrier());
  std::thread runs([&] {
    while (arrived.load() < kCount)
      if (!t.progress()) t.wait_for_arrival(std::chrono::nanoseconds(kForEver).count());
  });
  std::thread polls([&] {
    while (arrived.load() < kCount) {
      t.begin_polling();
      std::this_thread::yield();
      if (t.end_polling()) t.wake_waiting();
    }
  });
  bool sent = true;
  for (std::uint64_t i = 0; i < kCount; ++i) {
    sent = sent && t.send(next(t), kWord, std::as_bytes(std::span(&i, 1)));
    if (i % 8 == 0) std::this_thread::yield();
  }
  runs.join();
  polls.join();
  require(sent, "every message is sent");
  require(arrived.load() == kCount, "each message is run once");
  require(t.barrier());
}
constexpr Body kPolling{"messages_that_wake_nobody_are_run", messages_that_wake_nobody_are_run};

// Bodies that need no regions, which other processes would have to be sent.
const Body& any_body(Stress& stress) {
  static const auto messages = message_bodies();
  if (stress.below(6) == 0) return kPolling;
  if (stress.below(8) == 0) return *find_body("many_meetings_in_a_row");
  if (stress.below(8) == 0) return *find_body("all_gather_takes_any_length");
  return messages[stress.below(static_cast<unsigned>(messages.size()))];
}

void round(Stress& stress) {
  const std::uint32_t few = 1 + stress.below(5), ranks = stress.below(4) == 0 ? few + 8 : few;  // with bits, without
  const std::uint32_t cores = stress.below(2) == 0 ? 1 : 100;  // sleep soon, or look for long
  const Body& body = any_body(stress);
  stress.doing(body.name, ranks);
  auto commons = shared::Commons::make(ranks);
  stress.check(static_cast<bool>(commons), "no memory");
  std::vector<std::thread> threads;
  for (std::uint32_t i = 0; i < ranks; ++i) {
    threads.emplace_back([&, i] {
      SharedPlace place{.job = "", .rank = Rank{i}, .ranks = ranks, .cores = cores};
      place.look_every = kForEver;
      shared::SharedTransport transport({commons->as(Rank{i}), shared::Sockets()}, place);
      try {
        body.run(transport);
      } catch (const std::exception& wrong) {
        stress.check(false, wrong.what());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace

int main(int argc, char** argv) {
  Stress stress(argc, argv);
  while (stress.goes_on()) round(stress);
}

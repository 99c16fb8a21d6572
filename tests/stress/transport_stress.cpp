// SPDX-License-Identifier: Apache-2.0

// Messages and meetings of the shared backend (docs/protocols/transport.md): threads as ranks over one mapping, so that
// ThreadSanitizer sees both ends of each ring. Whoever sleeps here sleeps until it is woken: a lost wake-up stands
// still, and the watchdog says so.
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

// Bodies that need no regions, which other processes would have to be sent.
const Body& any_body(Stress& stress) {
  static const auto messages = message_bodies();
  if (stress.below(8) == 0) return *find_body("many_meetings_in_a_row");
  if (stress.below(8) == 0) return *find_body("all_gather_takes_any_length");
  return messages[stress.below(static_cast<unsigned>(messages.size()))];
}

void round(Stress& stress) {
  const std::uint32_t ranks = 1 + stress.below(5);
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

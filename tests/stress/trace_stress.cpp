// SPDX-License-Identifier: Apache-2.0

// docs/protocols/trace.md: a thread that pushes into a small ring, another that drains it. Whatever comes out is whole,
// in order, and what is missing has been counted.
#include <thread>

#include "stress.hpp"
#include "trace/ring.hpp"

namespace {

using weir::trace::Event;
using weir::trace::Kind;
using weir::trace::Ring;

Event numbered(std::uint64_t n) { return {n, n * 3, n * 5, Event::pack(Kind::task, n)}; }

bool is_whole(const Event& e) {
  return e.duration == e.start * 3 && e.id == e.start * 5 && e.value() == e.start && e.kind() == Kind::task;
}

void round(weir::stress::Stress& stress, long number) {
  stress.doing("ring", number);
  Ring ring(std::size_t{1} << (1 + stress.below(8)));
  const std::uint64_t count = 1 + stress.below(200000);
  std::atomic<bool> done{false};
  std::thread producer([&] {
    for (std::uint64_t n = 0; n < count; ++n) ring.push(numbered(n));
    done.store(true, std::memory_order_release);
  });
  std::uint64_t read = 0, next = 0;
  while (true) {
    const bool last = done.load(std::memory_order_acquire);
    const auto events = ring.readable();
    for (const Event& e : events) {
      stress.check(is_whole(e), "an event is in pieces");
      stress.check(e.start >= next, "events out of order");
      next = e.start + 1;
    }
    read += events.size();
    ring.consume(events.size());
    if (last && events.empty()) break;
  }
  producer.join();
  stress.check(read + ring.dropped() == count, "an event is neither there nor counted");
  stress.check(read == ring.pushed(), "pushed() is not what was read");
}

// Whole runtimes, traced into the same file.
void run_traced(weir::stress::Stress& stress, long number) {
  stress.doing("traced runtime", number);
  weir::Options options = weir::stress::with_workers(1 + static_cast<int>(stress.below(8)));
  options.trace = "/dev/null";
  weir::Runtime runtime(options);
  long values[8] = {};
  for (unsigned i = 0, tasks = stress.below(2000); i < tasks; ++i) {
    runtime.spawn(weir::inout(values[i % 8]), [](long& v) { ++v; });
  }
  runtime.wait();
}

}  // namespace

int main(int argc, char** argv) {
  weir::stress::Stress stress(argc, argv);
  for (long number = 0; stress.goes_on(); ++number) {
    round(stress, number);
    if (number % 4 == 0) run_traced(stress, number);
  }
}

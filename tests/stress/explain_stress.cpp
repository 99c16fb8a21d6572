// SPDX-License-Identifier: Apache-2.0

// docs/protocols/gates.md: programs whose tasks are looked at all the time, while they are made, linked, run and freed
// by several workers. All run, once, and nobody who looks meets memory that is not there.
#include <functional>
#include <thread>

#include "explain/findings.hpp"
#include "runtime/explaining.hpp"
#include "stress.hpp"

namespace {

using weir::stress::Stress;

void look(Stress& stress, weir::Runtime& runtime) {
  weir::runtime::Explaining& explaining = *weir::detail::RuntimeAccess::state(runtime)->explaining;
  const weir::explain::Situation seen = explaining.look();
  for (const weir::explain::Wait& wait : seen.waits) {
    stress.check(wait.who < seen.things.size(), "who waits is nobody");
    stress.check(wait.on == weir::explain::kNobody || wait.on < seen.things.size(), "what is waited for is nothing");
  }
  const weir::explain::Findings found = weir::explain::find(seen);
  for (const std::uint32_t wait : found.cycle)
    stress.check(seen.waits[wait].cause != weir::explain::Cause::edge || found.cycle.size() > 1,
                 "a task before itself");
}

void round(Stress& stress, long number) {
  stress.doing("explained runtime", number);
  weir::Options options = weir::stress::with_workers(1 + static_cast<int>(stress.below(4)));
  options.explain_after = 0;
  if (stress.below(2) == 0) options.throttle = static_cast<int>(1 + stress.below(100));
  weir::Runtime runtime(options);
  std::atomic<bool> done{false};
  std::thread looker([&] {
    while (!done.load(std::memory_order_acquire)) look(stress, runtime);
  });
  long values[6] = {}, sum = 0, total = 0;
  std::atomic<long> ran{0};
  long made = 0;
  for (unsigned i = 0, tasks = 200 + stress.below(2000); i < tasks; ++i) {
    long& value = values[stress.below(6)];
    switch (stress.below(6)) {
      case 0: runtime.spawn([&] { ++ran; }); break;
      case 1: runtime.spawn(weir::inout(value), weir::name("inout"), [&](long& v) { ++v, ++ran; }); break;
      case 2: runtime.spawn(weir::commutative(sum), [&](long& s) { ++s, ++ran; }); break;
      case 3: runtime.spawn(weir::reduce(total, std::plus<>(), 0L), [&](long& t) { ++t, ++ran; }); break;
      case 4:
        runtime.spawn(weir::name("parent"), weir::Priority::urgent, [&] {
          for (int c = 0; c < 4; ++c) weir::spawn(weir::inout(values[0]), [&](long&) { ++ran; });
        });
        made += 3;
        break;
      default: runtime.wait(runtime.spawn(weir::in(value), [&](const long&) { ++ran; })); break;
    }
    ++made;
  }
  runtime.wait();
  done.store(true, std::memory_order_release);
  looker.join();
  stress.check(ran.load() == made, "a task has run twice, or never");
}

}  // namespace

int main(int argc, char** argv) {
  Stress stress(argc, argv);
  for (long number = 0; stress.goes_on(); ++number) round(stress, number);
}

// SPDX-License-Identifier: Apache-2.0

// docs/protocols/completion.md: tasks with footprints that end later, completed by threads that are none of the
// runtime's, while others look at what waits, and runtimes that are destroyed the moment the last has ended. What comes
// after a task sees what was done for it; nothing is completed twice, or lost.
#include <atomic>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "looker.hpp"
#include "stress.hpp"

namespace {

using weir::Completion;
using weir::stress::Stress;

struct Work {
  long* value;
  Completion completion;
};

// What devices do: it may be that another one does it than was asked.
class Devices {
 public:
  explicit Devices(int count) {
    for (int i = 0; i < count; ++i) threads_.emplace_back([this] { work(); });
  }
  ~Devices() {
    stop_.store(true, std::memory_order_release);
    for (std::thread& thread : threads_) thread.join();
  }
  void begin(long& value, Completion completion) {
    const std::lock_guard lock(mutex_);
    queue_.push_back({&value, std::move(completion)});
  }

 private:
  bool step() {
    Work next{};
    {
      const std::lock_guard lock(mutex_);
      if (queue_.empty()) return false;
      std::swap(next, queue_[queue_.size() / 2]);
      queue_.erase(queue_.begin() + static_cast<std::ptrdiff_t>(queue_.size() / 2));
    }
    if (next.value != nullptr) ++*next.value;  // no lock, no atomic: the task has it to itself
    next.completion.complete();
    return true;
  }
  void work() {
    for (;;) {
      const bool last = stop_.load(std::memory_order_acquire);
      if (step()) continue;
      if (last) return;
      std::this_thread::yield();
    }
  }
  std::mutex mutex_;
  std::vector<Work> queue_;
  std::atomic<bool> stop_{false};
  std::vector<std::thread> threads_;
};

void spawn_one(weir::Runtime& runtime, Devices& devices, Stress& stress, long& value, long& expected) {
  switch (stress.below(5)) {
    case 0: runtime.spawn(weir::inout(value), [](long& v) { ++v; }); break;
    case 1:
      runtime.spawn(weir::inout(value), [&](long& v) {
        weir::spawn(weir::inout(v), [&](long& w) { devices.begin(w, weir::end_later()); });
      });
      break;
    case 2:
      runtime.spawn(weir::inout(value), weir::Priority::urgent, [&](long& v) {
        Completion mine = weir::end_later();
        ++v;
        mine.complete();
      });
      break;
    default: runtime.spawn(weir::inout(value), [&](long& v) { devices.begin(v, weir::end_later()); }); break;
  }
  ++expected;
}

void round(Stress& stress, Devices& devices, long number) {
  stress.doing("runtime", number);
  constexpr int kValues = 8;
  struct alignas(64) Value {
    long now = 0, expected = 0;
  } values[kValues];
  {
    weir::Options options = weir::stress::with_workers(1 + static_cast<int>(stress.below(4)));
    options.explain_after = 0;
    if (stress.below(2) == 0) options.throttle = static_cast<int>(1 + stress.below(50));
    weir::Runtime runtime(options);
    const weir::stress::Looker looker(runtime, stress.below(2) == 0);
    for (unsigned i = 0, tasks = stress.below(300); i < tasks; ++i) {
      Value& value = values[stress.below(kValues)];
      spawn_one(runtime, devices, stress, value.now, value.expected);
    }
  }  // waits for the rest
  for (const Value& value : values) stress.check(value.now == value.expected, "work was lost, or done twice");
}

}  // namespace

int main(int argc, char** argv) {
  Stress stress(argc, argv);
  Devices devices(2);
  long rounds = 0;
  while (stress.goes_on()) round(stress, devices, ++rounds);
  std::printf("%ld runtimes\n", rounds);
}

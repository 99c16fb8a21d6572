// SPDX-License-Identifier: Apache-2.0

// EDGE-5 of docs/protocols/edges.md: held tasks among others with footprints, released by threads that are none of the
// runtime's and by tasks, while others look at what waits, and runtimes that are destroyed the moment the last has
// ended. Each runs once, after what it comes after, and sees what who released it has done.
#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

#include "looker.hpp"
#include "runtime/held_task.hpp"
#include "stress.hpp"

namespace {

using weir::runtime::HeldTask;
using weir::runtime::kHeld;
using weir::runtime::kPrompt;
using weir::stress::Stress;

struct Letter {
  long* told = nullptr;  // read by the held task alone
  void* task = nullptr;
};

// Releases what it is given, in another order.
class Post {
 public:
  explicit Post(int count) {
    for (int i = 0; i < count; ++i) threads_.emplace_back([this] { work(); });
  }
  ~Post() {
    stop_.store(true, std::memory_order_release);
    for (std::thread& thread : threads_) thread.join();
  }
  void send(long& told, const HeldTask& task) {
    const std::lock_guard lock(mutex_);
    letters_.push_back({&told, task.address()});
  }
  // One of them, on the calling thread. False: there is none.
  bool deliver() {
    Letter letter;
    {
      const std::lock_guard lock(mutex_);
      if (letters_.empty()) return false;
      std::swap(letter, letters_[letters_.size() / 2]);
      letters_.erase(letters_.begin() + static_cast<std::ptrdiff_t>(letters_.size() / 2));
    }
    *letter.told = 1;  // no lock, no atomic
    const HeldTask task(letter.task);
    if (!task.try_release_here()) task.release();
    return true;
  }

 private:
  void work() {
    for (;;) {
      const bool last = stop_.load(std::memory_order_acquire);
      if (deliver()) continue;
      if (last) return;
      std::this_thread::yield();
    }
  }
  std::mutex mutex_;
  std::vector<Letter> letters_;
  std::atomic<bool> stop_{false};
  std::vector<std::thread> threads_;
};

struct alignas(64) Value {
  long now = 0, expected = 0;
};

void spawn_one(weir::Runtime& runtime, Post& post, Stress& stress, Value& value, long& told) {
  switch (stress.below(4)) {
    case 0: runtime.spawn(weir::inout(value.now), [](long& v) { ++v; }); break;
    case 1: runtime.spawn(weir::inout(value.now), kPrompt, [](long& v) { ++v; }); break;
    case 2:
      runtime.spawn(weir::inout(value.now), [&post](long& v) {
        ++v;
        post.deliver();
      });
      break;
    default: {
      const HeldTask held(runtime.spawn(weir::inout(value.now), kHeld, [&told](long& v) { v += told; }));
      post.send(told, held);
    }
  }
  ++value.expected;
}

void round(Stress& stress, Post& post, long number) {
  stress.doing("runtime", number);
  constexpr unsigned kValues = 8, kTasks = 300;
  Value values[kValues];
  std::vector<long> told(kTasks);
  {
    weir::Options options = weir::stress::with_workers(1 + static_cast<int>(stress.below(4)));
    options.explain_after = 0;
    if (stress.below(2) == 0) options.throttle = static_cast<int>(1 + stress.below(50));
    weir::Runtime runtime(options);
    const weir::stress::Looker looker(runtime, stress.below(2) == 0);
    for (unsigned i = 0, tasks = stress.below(kTasks); i < tasks; ++i)
      spawn_one(runtime, post, stress, values[stress.below(kValues)], told[i]);
  }  // waits for the rest
  for (const Value& value : values) stress.check(value.now == value.expected, "work was lost, or done twice");
}

}  // namespace

int main(int argc, char** argv) {
  Stress stress(argc, argv);
  Post post(2);
  long rounds = 0;
  while (stress.goes_on()) round(stress, post, ++rounds);
  std::printf("%ld runtimes\n", rounds);
}

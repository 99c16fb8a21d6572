// SPDX-License-Identifier: Apache-2.0

// docs/protocols/polls.md: tasks that end with requests that only workers ask for, which end while all run tasks, look
// for some, or sleep; on runtimes that end the moment the last has. Nothing is lost: what comes after a task sees what
// the "library" wrote before it said that the request had ended.
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "stress.hpp"
#include "tests/fake_requests.hpp"

namespace {

using weir::stress::Stress;
using weir::test::FakeLibrary;
using weir::test::FakeMessage;
using weir::test::wait_at_end;

// Ends messages some time after they were begun; the rarely it does so the deeper the workers sleep.
class Network {
 public:
  Network() : thread_([this] { work(); }) {}
  ~Network() {
    stop_ = true;
    thread_.join();
  }
  void begin(FakeMessage& message, long& value) {
    const std::lock_guard lock(mutex_);
    begun_.push_back({&message, &value});
  }
  void set_pause(int us) { pause_us_ = us; }

 private:
  struct Begun {
    FakeMessage* message;
    long* value;
  };
  void work() {
    while (!stop_) {
      std::deque<Begun> all;
      {
        const std::lock_guard lock(mutex_);
        all.swap(begun_);
      }
      for (const Begun& each : all) {
        if (pause_us_ != 0) std::this_thread::sleep_for(std::chrono::microseconds(pause_us_));
        ++*each.value;  // no lock, no atomic: the task has it to itself
        each.message->ended = true;
      }
      if (all.empty()) std::this_thread::yield();
    }
  }
  std::mutex mutex_;
  std::deque<Begun> begun_;
  std::atomic<bool> stop_{false};
  std::atomic<int> pause_us_{0};
  std::thread thread_;
};

void round(Stress& stress, Network& network, long number) {
  stress.doing("runtime", number);
  constexpr int kValues = 8;
  struct alignas(64) Value {
    long now = 0, expected = 0;
  } values[kValues];
  constexpr int kPauses[] = {0, 0, 20, 300};
  network.set_pause(kPauses[stress.below(4)]);
  FakeLibrary::main_thread = std::this_thread::get_id();
  FakeLibrary::only_one = stress.below(8) == 0;
  std::deque<FakeMessage> messages;
  {
    weir::Options options = weir::stress::with_workers(1 + static_cast<int>(stress.below(4)));
    options.park_after = static_cast<int>(stress.below(3)) * 25;
    weir::Runtime runtime(options);
    for (unsigned i = 0, tasks = stress.below(200); i < tasks; ++i) {
      Value& value = values[stress.below(kValues)];
      ++value.expected;
      if (stress.below(3) == 0) {
        runtime.spawn(weir::inout(value.now), [](long& v) { ++v; });
      } else {
        FakeMessage& message = messages.emplace_back();
        runtime.spawn(weir::inout(value.now), [&](long& v) {
          network.begin(message, v);
          wait_at_end({&message});
        });
      }
      if (stress.below(50) == 0) runtime.wait();
    }
  }  // waits for the rest
  for (const Value& value : values) stress.check(value.now == value.expected, "work was lost, or done twice");
  stress.check(!weir::test::fake_requests().pending(), "a request is left");
  stress.check(FakeLibrary::wrong_threads == 0, "a thread asked that may not");
}

}  // namespace

int main(int argc, char** argv) {
  Stress stress(argc, argv);
  Network network;
  long rounds = 0;
  while (stress.goes_on()) round(stress, network, ++rounds);
  std::printf("%ld runtimes\n", rounds);
}

// SPDX-License-Identifier: Apache-2.0

// Threads that wait with much of their stack in use, or with a small one: they run what nobody else does.
#include <pthread.h>

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "runtime/runtime_state.hpp"
#include "support.hpp"
#include "weir/completion.hpp"

namespace weir {
namespace {

using test::spin_until;
using test::with_workers;

// A thread of the program's own, with a stack of that size.
class ThreadOf {
 public:
  ThreadOf(std::size_t stack_bytes, std::function<void()> function)
      : function_(std::make_unique<std::function<void()>>(std::move(function))) {
    pthread_attr_t attributes;
    EXPECT_EQ(pthread_attr_init(&attributes), 0);
    EXPECT_EQ(pthread_attr_setstacksize(&attributes, stack_bytes), 0);
    EXPECT_EQ(pthread_create(&thread_, &attributes, &run, function_.get()), 0);
    pthread_attr_destroy(&attributes);
  }
  ~ThreadOf() { pthread_join(thread_, nullptr); }
  ThreadOf(const ThreadOf&) = delete;
  ThreadOf& operator=(const ThreadOf&) = delete;

 private:
  static void* run(void* function) {
    (*static_cast<std::function<void()>*>(function))();
    return nullptr;
  }

  std::unique_ptr<std::function<void()>> function_;
  pthread_t thread_{};
};

template <std::size_t kBytes, class F>
[[gnu::noinline]] void with_stack_in_use(F&& function) {
  std::array<volatile char, kBytes> used;
  used[0] = 1;
  function();
  used[kBytes - 1] = used[0];
}

// More than a quarter of the stack is in use, and more than a mebibyte left.
void deep_in_its_stack(const std::function<void()>& function) {
  ThreadOf(std::size_t{4} << 20, [&] { with_stack_in_use<(std::size_t{3} << 20) / 2>(function); });
}

TEST(DeepInItsStack, AWaitRunsWhatAThreadHasSpawnedThatEnded) {
  deep_in_its_stack([] {
    Runtime runtime(with_workers(1));
    bool ran = false;
    std::thread([&] { runtime.spawn([&] { ran = true; }); }).join();
    runtime.wait_all();
    EXPECT_TRUE(ran);
  });
}

TEST(DeepInItsStack, TheEndOfARuntimeRunsWhatAThreadHasSpawnedThatEnded) {
  deep_in_its_stack([] {
    bool ran = false;
    {
      Runtime runtime(with_workers(1));
      std::thread([&] { runtime.spawn([&] { ran = true; }); }).join();
    }
    EXPECT_TRUE(ran);
  });
}

TEST(DeepInItsStack, AWaitRunsItsOwnThatAnotherThreadHasTakenAndLeft) {
  deep_in_its_stack([] {
    Runtime runtime(with_workers(1));
    std::atomic<bool> begun{false}, left{false};
    std::atomic<int> runs{0};
    std::vector<Handle<void>> tasks;
    std::thread guest([&] {
      spin_until(begun);
      runtime.wait(tasks[10]);
      left = true;
    });
    for (int i = 0; i < 100; ++i) {
      tasks.push_back(runtime.spawn([&] {
        if (!begun.exchange(true)) spin_until(left);
        ++runs;
      }));
    }
    runtime.wait();
    EXPECT_EQ(runs, 100);
    guest.join();
  });
}

TEST(DeepInItsStack, AWorkerThatIsWokenRunsWhatItIsWokenFor) {
  deep_in_its_stack([] {
    Runtime runtime(with_workers(2));
    sched::Scheduler& scheduler = *detail::RuntimeAccess::state(runtime)->scheduler;
    for (int round = 0; round < 10; ++round) {
      std::optional<Completion> completion;
      std::atomic<bool> begun{false};
      runtime.spawn([&] {
        completion.emplace(end_later());
        begun = true;
      });
      spin_until([&] { return begun && scheduler.worker(1).rests(); });
      std::thread other([&] {  // the last to lie down is woken first
        spin_until([&] { return scheduler.first_worker().rests(); });
        runtime.spawn([&] { completion->complete(); });
      });
      runtime.wait();
      other.join();
    }
  });
}

// Any worker's stack has room for it.
[[gnu::noinline]] int uses_much_stack() {
  int sum = 0;
  with_stack_in_use<(std::size_t{3} << 20) / 4>([&] { ++sum; });
  return sum;
}

TEST(OnASmallStack, AWaitRunsTasksThatUseALargerOne) {
  Runtime runtime(with_workers(1));
  const Handle<int> task = runtime.spawn(&uses_much_stack);
  ThreadOf(std::size_t{256} << 10, [&] { runtime.wait(task); });  // nobody else runs it
  EXPECT_EQ(task.get(), 1);
}

// The stack that a thread keeps for its waits goes before this object does.
TEST(OnASmallStack, AThreadThatEndsMayWaitInItsObjects) {
  struct AtItsEnd {
    ~AtItsEnd() { function(); }
    std::function<void()> function;
  };
  Runtime runtime(with_workers(1));
  int ran = 0;
  ThreadOf(std::size_t{256} << 10, [&] {
    thread_local AtItsEnd at_its_end;
    at_its_end.function = [&] {
      for (int i = 0; i < 2; ++i) runtime.wait(runtime.spawn([&] { ++ran; }));
    };
    runtime.wait(runtime.spawn([&] { ++ran; }));
  });
  EXPECT_EQ(ran, 3);
}

TEST(OnASmallStack, AForkRunsHalvesThatUseALargerOne) {
  Runtime runtime(with_workers(1));
  std::atomic<int> sum{0};
  ThreadOf(std::size_t{256} << 10, [&] {
    runtime.wait();
    fork_join([&] { sum += uses_much_stack(); }, [&] { sum += uses_much_stack(); });
  });
  EXPECT_EQ(sum, 2);
}

}  // namespace
}  // namespace weir

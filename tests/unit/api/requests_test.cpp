// SPDX-License-Identifier: Apache-2.0

// Tasks that end when requests have ended that workers ask for: weir/poll.hpp, and what weir/mpi.hpp is made of.
#include <array>
#include <deque>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support.hpp"
#include "tests/fake_requests.hpp"

namespace weir {
namespace {

using test::fake_requests;
using test::FakeLibrary;
using test::FakeMessage;
using test::spin_until;
using test::wait_at_end;

class Requests : public test::ForWorkers {
 protected:
  Requests() { FakeLibrary::reset(); }
};

// As the parks of the workers show; the calling thread waits outside of the runtime.
void wait_until_all_sleep(const Runtime& runtime) {
  const auto before = runtime.statistics().parks;
  spin_until([&] { return runtime.statistics().parks > before + 3; });
}

std::string failure_of(Runtime& runtime) {
  try {
    runtime.wait();
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

TEST_P(Requests, WhatComesAfterATaskComesAfterItsRequests) {
  Runtime runtime(options());
  FakeMessage message;
  int x = 0, seen = 0;
  runtime.spawn(out(x), [&] { wait_at_end({&message}); });
  runtime.spawn(in(x), [&] { seen = x; });
  std::atomic<bool> other{false};
  runtime.wait(runtime.spawn([&] { other = true; }));  // the runtime goes on
  EXPECT_EQ(seen, 0);
  x = 7;
  message.ended = true;
  runtime.wait();
  EXPECT_EQ(seen, 7);
  EXPECT_FALSE(fake_requests().pending());
}

// On one worker this can only end when that one is free.
TEST_P(Requests, NoWorkerWaitsForThem) {
  Runtime runtime(options());
  std::deque<FakeMessage> messages(20);
  int chain = 0;
  for (FakeMessage& message : messages) runtime.spawn([&] { wait_at_end({&message}); });
  for (std::size_t i = messages.size(); i > 0; --i)
    runtime.spawn(inout(chain), [&messages, i] { messages[i - 1].ended = true; });
  runtime.wait();
  EXPECT_FALSE(fake_requests().pending());
}

TEST_P(Requests, AreSeenByARuntimeThatSleeps) {
  Runtime runtime(options());
  FakeMessage message;
  const Handle<> task = runtime.spawn([&] { wait_at_end({&message}); });
  std::thread sender([&] {
    if (GetParam() > 1) wait_until_all_sleep(runtime);
    message.ended = true;
  });
  runtime.wait(task);
  sender.join();
  EXPECT_FALSE(fake_requests().pending());
}

TEST_P(Requests, AreAskedForByAWorkerThatAlwaysHasATask) {
  Runtime runtime(options());
  FakeMessage message;
  std::atomic<bool> over{false}, first{true};
  int x = 0;
  runtime.spawn(out(x), Priority::urgent, [&] { wait_at_end({&message}); });
  runtime.spawn(in(x), Priority::urgent, [&] { over = true; });
  // As many endless chains as there are workers: none is ever idle.
  const auto step = [&](const auto& self, int& link) -> void {
    if (first.exchange(false)) message.ended = true;
    if (!over) runtime.spawn(inout(link), [&self, &link](int&) { self(self, link); });
  };
  std::array<int, 8> links{};
  for (int i = 0; i < workers(); ++i)
    runtime.spawn(inout(links[static_cast<std::size_t>(i)]),
                  [&step, &link = links[static_cast<std::size_t>(i)]](int&) { step(step, link); });
  runtime.wait();
  EXPECT_TRUE(over);
}

TEST_P(Requests, ManyAreAskedForInTurns) {
  Options unlimited = options();
  unlimited.throttle = 0;  // this thread ends what it spawns only afterwards
  Runtime runtime(unlimited);
  std::deque<FakeMessage> messages(3 * detail::kRequestBatch + 11);
  std::vector<FakeMessage*> all;
  for (FakeMessage& message : messages) all.push_back(&message);
  const Handle<> together = runtime.spawn([&] { wait_at_end(all); });
  std::deque<FakeMessage> alone(2 * detail::kRequestBatch + 3);
  for (FakeMessage& message : alone) runtime.spawn([&] { wait_at_end({&message}); });
  for (std::size_t i = 0; i < messages.size(); i += 2) messages[i].ended = true;
  for (FakeMessage& message : alone) message.ended = true;
  EXPECT_FALSE(together.finished());
  for (FakeMessage& message : messages) message.ended = true;
  runtime.wait();
  EXPECT_FALSE(fake_requests().pending());
}

TEST_P(Requests, ThatHaveEndedAlreadyEndTheTaskAtOnce) {
  Runtime runtime(options());
  FakeMessage message;
  message.ended = true;
  message.value = 5;
  int status = 0;
  runtime.spawn([&] {
    wait_at_end({&message, nullptr}, std::span<int>());
    wait_at_end({&message}, std::span(&status, 1));
    EXPECT_EQ(status, 5);
    EXPECT_FALSE(fake_requests().pending());
  });
  runtime.wait();
}

// Nothing says which requests those are once others are asked for.
TEST_P(Requests, ThatWereNotStartedCountAsEnded) {
  Runtime runtime(options());
  FakeMessage message, idle;
  idle.started = false;
  FakeLibrary::busy = true;  // so that the task cannot look itself
  const Handle<> task = runtime.spawn(Priority::urgent, [&] { wait_at_end({&idle, &message, nullptr}); });
  while (!fake_requests().pending()) runtime.wait(runtime.spawn([] {}));
  EXPECT_EQ(FakeLibrary::calls, 0);
  FakeLibrary::busy = false;
  message.ended = true;
  runtime.wait(task);
  EXPECT_FALSE(fake_requests().pending());
}

TEST_P(Requests, StatusesAreThereWhenTheTaskHasEnded) {
  Runtime runtime(options());
  std::array<FakeMessage, 3> messages;
  std::array<int, 3> statuses{};
  int x = 0;
  std::array<int, 3> seen{};
  runtime.spawn(out(x), [&] { wait_at_end({&messages[0], &messages[1], &messages[2]}, statuses); });
  runtime.spawn(in(x), [&] { seen = statuses; });
  for (std::size_t i = 0; i < 3; ++i) {
    messages[i].value = static_cast<int>(10 + i);
    messages[i].ended = true;
  }
  runtime.wait();
  EXPECT_EQ(seen, (std::array<int, 3>{10, 11, 12}));
}

TEST_P(Requests, ATaskMayWaitSeveralTimesAndHaveChildrenThatDo) {
  Runtime runtime(options());
  std::deque<FakeMessage> messages(6);
  int x = 0;
  std::atomic<bool> over{false};
  runtime.spawn(inout(x), [&] {
    wait_at_end({&messages[0]});
    wait_at_end({&messages[1], &messages[2]});
    weir::spawn([&] { wait_at_end({&messages[3]}); });
    weir::spawn([&] { weir::spawn([&] { wait_at_end({&messages[4], &messages[5]}); }); });
  });
  runtime.spawn(in(x), [&] { over = true; });
  for (FakeMessage& message : messages) {
    runtime.wait(runtime.spawn([] {}));
    EXPECT_FALSE(over);
    message.ended = true;
  }
  runtime.wait();
  EXPECT_TRUE(over);
}

TEST_P(Requests, AFailureIsTheTasksInTheWordsOfTheLibrary) {
  for (const bool says_which : {true, false}) {
    FakeLibrary::refuses_to_say_which = !says_which;
    Runtime runtime(options());
    std::array<FakeMessage, 2> messages;
    runtime.spawn(name("halo"), [&] { wait_at_end({&messages[0], &messages[1]}); });
    messages[1].failure = 42;
    messages[1].ended = true;
    messages[0].ended = true;
    EXPECT_EQ(failure_of(runtime), "a request that task 'halo' waits for at its end has failed: failure 42");
  }
}

TEST_P(Requests, AFailureWaitsForTheOthers) {
  Runtime runtime(options());
  std::array<FakeMessage, 2> messages;
  const Handle<> task = runtime.spawn([&] { wait_at_end({&messages[0], &messages[1]}); });
  messages[0].failure = 1;
  messages[0].ended = true;
  runtime.wait(runtime.spawn([] {}));
  EXPECT_FALSE(task.finished());  // the library may still write to its buffer
  messages[1].ended = true;
  EXPECT_EQ(failure_of(runtime), "a request that a task waits for at its end has failed: failure 1");
}

TEST_P(Requests, AFailureThatIsThereAlreadyIsThrownByTheCall) {
  Runtime runtime(options());
  FakeMessage message;
  message.failure = 3;
  message.ended = true;
  bool thrown = false;
  runtime.spawn([&] {
    try {
      wait_at_end({&message});
    } catch (const Error&) {
      thrown = true;
    }
  });
  runtime.wait();
  EXPECT_TRUE(thrown);
}

TEST_P(Requests, ATaskThatThrowsAfterwardsEndsWithThem) {
  Runtime runtime(options());
  FakeMessage message;
  const Handle<> task = runtime.spawn([&] {
    wait_at_end({&message});
    throw Error("later");
  });
  // Throws when the task has done so by then, though that has not ended.
  try {
    runtime.wait(runtime.spawn([] {}));
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "later");
  }
  EXPECT_FALSE(task.finished());
  message.ended = true;
  EXPECT_EQ(failure_of(runtime), "later");
}

// The first has failed before it is asked for: its task ends at once, and the second is the only one that is cancelled.
TEST_P(Requests, ACancelledTaskAsksForNothing) {
  Runtime runtime(options());
  FakeMessage first, second;
  int x = 0;
  first.failure = 9;
  first.ended = true;
  runtime.spawn(inout(x), [&] { wait_at_end({&first}); });
  runtime.spawn(inout(x), [&] { wait_at_end({&second}); });  // second never ends
  EXPECT_NE(failure_of(runtime), "none");
  EXPECT_EQ(runtime.statistics().tasks_cancelled, 1u);
}

TEST_P(Requests, OutsideOfATaskIsAnError) {
  Runtime runtime(options());
  FakeMessage message;
  try {
    wait_at_end({&message});
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("wait_at_end() outside of a task"), std::string::npos) << error.what();
  }
  EXPECT_FALSE(fake_requests().pending());
}

TEST_P(Requests, OneStatusForEachOrNoneIsWanted) {
  Runtime runtime(options());
  FakeMessage message;
  int status = 0;
  runtime.spawn([&] { wait_at_end({&message, &message}, std::span(&status, 1)); });
  EXPECT_EQ(failure_of(runtime), "wait_at_end() with 2 requests and 1 statuses: give one for each request, or none");
}

// Thread 0 of the runtime sleeps in wait() when a task elsewhere has the first request.
TEST_P(Requests, TheOnlyThreadThatMayAskIsWokenAndNoOtherAsks) {
  FakeLibrary::only_one = true;
  FakeLibrary::main_thread = std::this_thread::get_id();
  Runtime runtime(options());
  std::deque<FakeMessage> messages(10);
  std::thread other([&] {
    for (FakeMessage& message : messages) {
      const Handle<> task = runtime.spawn([&] { wait_at_end({&message}); });
      message.ended = true;
      while (!task.finished()) std::this_thread::yield();
    }
  });
  std::atomic<bool> over{false};
  FakeMessage end;
  runtime.spawn([&] { wait_at_end({&end}); });
  std::thread ender([&] {
    other.join();
    over = true;
    end.ended = true;
  });
  runtime.wait();
  EXPECT_TRUE(over);
  ender.join();
  EXPECT_EQ(FakeLibrary::wrong_threads, 0);
  EXPECT_GT(FakeLibrary::calls, 0);
}

TEST_P(Requests, TwoRuntimesShareThem) {
  Runtime one(options());
  FakeMessage first, second;
  const Handle<> a = one.spawn([&] { wait_at_end({&first}); });
  {
    Runtime two(options());
    two.spawn([&] { wait_at_end({&second}); });
    second.ended = true;
    two.wait();
  }
  EXPECT_FALSE(a.finished());
  first.ended = true;
  one.wait();
}

class CountingPoll final : public Poll {
 public:
  bool pending() const noexcept override { return true; }
  bool ask() noexcept override { return ++asked_, false; }
  long asked() const { return asked_; }

 private:
  std::atomic<long> asked_{0};
};

TEST_P(Requests, APollIsNotAskedAfterItsEnd) {
  Runtime runtime(options());
  CountingPoll poll;
  runtime.spawn([&] { begin_asking(poll); });
  runtime.spawn([&] { begin_asking(poll); });  // again
  runtime.wait();
  const auto some_tasks = [&] {
    for (int i = 0; i < 1000; ++i) runtime.spawn([] {});
    runtime.wait();
  };
  spin_until([&] { return some_tasks(), poll.asked() > 0; });
  end_asking(poll);
  const long asked = poll.asked();
  some_tasks();
  EXPECT_EQ(poll.asked(), asked);
}

WEIR_FOR_WORKERS(Requests);

}  // namespace
}  // namespace weir

// SPDX-License-Identifier: Apache-2.0

// Runtimes asked what their tasks wait for, by the way that weir explain asks them.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <numeric>
#include <thread>

#include "base/sanitizers.hpp"
#include "explain/service.hpp"
#include "explain/socket.hpp"
#include "weir/weir.hpp"

namespace weir::explain {
namespace {

using Json = nlohmann::json;
using testing::HasSubstr;

Options with_workers(int workers) {
  Options options;
  options.workers = workers;
  options.bind = Bind::none;
  return options;
}

Json ask_json() {
  const auto reply = ask(getpid(), "json", 60);
  EXPECT_TRUE(reply) << reply.status().message;
  Json all = reply ? Json::parse(reply->front(), nullptr, false) : Json();
  EXPECT_TRUE(all.is_array() && !all.empty()) << (reply ? reply->front() : "");
  return all;
}

// Until it is as wanted; what is asked may be on its way there.
Json ask_until(const std::function<bool(const Json&)>& wanted) {
  Json runtime;
  for (int i = 0; i < 2000; ++i) {
    runtime = ask_json().at(0);
    if (wanted(runtime)) return runtime;
    std::this_thread::yield();
  }
  ADD_FAILURE() << runtime.dump(1);
  return runtime;
}

const Json& named(const Json& runtime, const std::string& name) {
  static const Json none;
  for (const Json& thing : runtime.at("things"))
    if (thing.at("name") == name) return thing;
  return none;
}

// Holds a task up until it goes.
class Latch {
 public:
  void wait() { open_.wait(false); }
  void open() {
    open_ = true;
    open_.notify_all();
  }
  ~Latch() { open(); }

 private:
  std::atomic<bool> open_{false};
};

TEST(Explaining, SaysThatNothingIsLeft) {
  Runtime runtime(with_workers(2));
  EXPECT_EQ(ask_json().at(0).at("left"), 0);
  const auto text = ask(getpid(), "text", 60);
  ASSERT_TRUE(text);
  EXPECT_THAT(text->front(), HasSubstr("no task is left"));
}

TEST(Explaining, NamesWhoRunsWhoWaitsAndWhereTheyWereSpawned) {
  Runtime runtime(with_workers(2));
  Latch latch;
  int value = 0;
  runtime.spawn(inout(value), name("first"), [&](int&) { latch.wait(); });
  runtime.spawn(inout(value), name("second"), [](int&) {});
  const int line = __LINE__ - 1;
  const Json seen = ask_until([](const Json& r) { return r.at("running") == 1; });
  EXPECT_EQ(seen.at("left"), 2);
  EXPECT_EQ(seen.at("causes").at("edge"), 1);
  EXPECT_EQ(named(seen, "first").at("state"), "running");
  const Json& second = named(seen, "second");
  EXPECT_EQ(second.at("state"), "waiting");
  EXPECT_EQ(second.at("waits").at(0).at("for"), named(seen, "first").at("id"));
  EXPECT_THAT(second.at("spawned_at").get<std::string>(), HasSubstr("explaining_test.cpp:" + std::to_string(line)));
  EXPECT_EQ(seen.at("roots").at(0).at("id"), named(seen, "first").at("id"));
  latch.open();
  runtime.wait();
}

TEST(Explaining, SaysThatATaskEndsLaterAndWhatThatWaitsFor) {
  Runtime runtime(with_workers(2));
  Latch latch;
  int value = 0;
  Completion begun;
  runtime.spawn(inout(value), name("begins"), [&](int&) {
    begun = end_later();
    latch.open();
  });
  latch.wait();
  runtime.spawn(in(value), name("comes after"), [](const int&) {});
  const Json seen = ask_until([](const Json& r) {
    return r.at("running") == 0 && r.at("causes").contains("children") && r.at("causes").contains("edge");
  });
  const Json& open = named(seen, "a Completion");
  EXPECT_EQ(named(seen, "begins").at("waits").at(0).at("for"), open.at("id"));
  EXPECT_EQ(open.at("waits").at(0).at("text"), "the program to call complete()");
  EXPECT_EQ(named(seen, "comes after").at("waits").at(0).at("for"), named(seen, "begins").at("id"));
  begun.complete();
  runtime.wait();
}

TEST(Explaining, NamesWhoHasCommutativeData) {
  Runtime runtime(with_workers(2));
  Latch latch, begun;
  double sum = 0;
  runtime.spawn(commutative(sum), name("holder"), [&](double&) {
    begun.open();
    latch.wait();
  });
  begun.wait();
  runtime.spawn(commutative(sum), name("contender"), [](double&) {});
  std::thread asker([&] {
    const Json seen = ask_until([](const Json& r) { return r.at("causes").contains("lock"); });
    EXPECT_EQ(named(seen, "contender").at("waits").at(0).at("cause"), "lock");
    const Json& wait = named(seen, "contender").at("waits").at(0);
    EXPECT_EQ(wait.at("for"), named(seen, "holder").at("id"));
    EXPECT_EQ(wait.at("by").at("row_bytes"), sizeof sum);
    EXPECT_EQ(wait.at("by").at("mode"), "commutative");
    latch.open();
  });
  runtime.wait();
  asker.join();
}

std::string shown(const void* address) {
  char text[32];
  std::snprintf(text, sizeof text, "0x%llx",
                static_cast<unsigned long long>(reinterpret_cast<std::uintptr_t>(address)));
  return text;
}

// What spawn(first) and spawn(second) make the one wait the other for.
template <class First, class Second>
Json why(Runtime& runtime, First first, Second second) {
  Latch latch;
  first(runtime, [&] { latch.wait(); });
  second(runtime);
  const Json seen = ask_until([](const Json& r) { return r.at("running") == 1 && r.at("causes").contains("edge"); });
  latch.open();
  runtime.wait();
  const Json& waiting = named(seen, "second");
  EXPECT_EQ(waiting.at("waits").at(0).at("for"), named(seen, "first").at("id"));
  return waiting.at("waits").at(0);
}

TEST(Explaining, NamesTheObjectOfAnEdge) {
  Runtime runtime(with_workers(2));
  int other = 0, value = 0;
  const Json wait = why(
      runtime, [&](Runtime& r, auto f) { r.spawn(out(value), name("first"), f); },
      [&](Runtime& r) { r.spawn(in(other), in(value), name("second"), [] {}); });
  EXPECT_EQ(wait.at("by").at("address"), shown(&value));
  EXPECT_EQ(wait.at("by").at("row_bytes"), sizeof value);
  EXPECT_EQ(wait.at("by").at("item"), 2);
  EXPECT_EQ(wait.at("by").at("mode"), "in");
  EXPECT_EQ(wait.at("by").at("other_item"), 1);
  EXPECT_EQ(wait.at("by").at("other_mode"), "out");
  EXPECT_THAT(wait.at("text").get<std::string>(), HasSubstr("which comes before it: 4 bytes at " + shown(&value) +
                                                            ", in here (item 2), out there (item 1)"));
}

TEST(Explaining, NamesThePartOfARangeThatATaskWaitsFor) {
  Runtime runtime(with_workers(2));
  double field[100] = {};
  const Json wait = why(
      runtime, [&](Runtime& r, auto f) { r.spawn(inout(field, 60), name("first"), [f](std::span<double>) { f(); }); },
      [&](Runtime& r) { r.spawn(inout(field + 50, 50), inout(field, 10), name("second"), [](auto, auto) {}); });
  EXPECT_EQ(wait.at("by").at("address"), shown(field + 50));
  EXPECT_EQ(wait.at("by").at("row_bytes"), 50 * sizeof(double));
  EXPECT_THAT(wait.at("text").get<std::string>(), HasSubstr("inout in both (item 1); and 1 more item here"));
}

TEST(Explaining, NamesTheSectionOfAWatchedArrayAndWhereItIsThere) {
  Runtime runtime(with_workers(2));
  static double cells[64 * 64];
  const Watched<double> array(cells, 64, 64, 64, 16, 16);
  const Json bytes = why(
      runtime, [&](Runtime& r, auto f) { r.spawn(inout(array.tile(16, 0, 32, 64)), name("first"), f); },
      [&](Runtime& r) { r.spawn(in(array.tile(40, 8, 8, 8)), name("second"), [](View2D<const double>) {}); });
  EXPECT_EQ(bytes.at("by").at("array"), shown(cells));
  EXPECT_EQ(bytes.at("by").at("array_row"), 40);
  EXPECT_EQ(bytes.at("by").at("array_byte"), 64);
  EXPECT_EQ(bytes.at("by").at("rows"), 8);
  EXPECT_EQ(bytes.at("by").at("row_bytes"), 64);
  EXPECT_EQ(bytes.at("by").at("only_a_block"), false);
  const Json block = why(
      runtime, [&](Runtime& r, auto f) { r.spawn(inout(array.tile(0, 0, 8, 8)), name("first"), f); },
      [&](Runtime& r) { r.spawn(inout(array.tile(8, 8, 8, 8)), name("second"), [] {}); });
  EXPECT_EQ(block.at("by").at("only_a_block"), true);
  EXPECT_THAT(block.at("text").get<std::string>(), HasSubstr("they share no byte of it, but a block of the array"));
}

TEST(Explaining, NamesTheBlockOfAnEdge) {
  Runtime runtime(with_workers(2));
  Block<int> block(runtime, 100, "field");
  Array<int, 1> array(runtime, {100}, {10}, "a");
  const Json one = why(
      runtime, [&](Runtime& r, auto f) { r.spawn(out(block), name("first"), f); },
      [&](Runtime& r) { r.spawn(inout(block), name("second"), [](std::span<int>) {}); });
  EXPECT_EQ(one.at("by").at("block"), "field");
  EXPECT_EQ(one.at("by").at("bytes"), 400);
  EXPECT_EQ(one.at("by").at("mode"), "inout");
  const Json tile = why(
      runtime, [&](Runtime& r, auto f) { r.spawn(out(array.tile(3)), name("first"), f); },
      [&](Runtime& r) { r.spawn(in(block), in(array.tile(3)), name("second"), [] {}); });
  EXPECT_EQ(tile.at("by").at("block"), "a[3]");
  EXPECT_THAT(tile.at("text").get<std::string>(), HasSubstr("block 'a[3]', in here (item 2), out there (item 1)"));
}

TEST(Explaining, TellsWhenAnEdgeIsByAfter) {
  Runtime runtime(with_workers(2));
  int a = 0, b = 0;
  Handle<> first;
  const Json wait = why(
      runtime, [&](Runtime& r, auto f) { first = r.spawn(inout(a), name("first"), f); },
      [&](Runtime& r) { r.spawn(inout(b), after(first), name("second"), [] {}); });
  EXPECT_EQ(wait.at("by").at("after"), true);
  EXPECT_THAT(wait.at("text").get<std::string>(), HasSubstr("which comes before it, by after()"));
}

TEST(Explaining, NamesTheDataBehindTasksOfItsOwn) {
  Runtime runtime(with_workers(2));
  Latch latch;
  int sum = 0, value = 0;
  runtime.spawn(reduce(sum, std::plus<>{}, 0), name("first"), [&](int&) { latch.wait(); });
  runtime.spawn(in(sum), name("second"), [] {});
  runtime.spawn(concurrent(value), name("one of many"), [&](int&) { latch.wait(); });
  for (int i = 0; i < 7; ++i) runtime.spawn(concurrent(value), name("one of many"), [&](int&) { latch.wait(); });
  for (int i = 0; i < 2; ++i) runtime.spawn(in(value), name(i == 0 ? "reader" : "last reader"), [] {});
  const Json seen = ask_until([](const Json& r) { return r.at("running") >= 1 && !named(r, "last reader").is_null(); });
  latch.open();
  runtime.wait();
  const Json& folded = named(seen, "second").at("waits").at(0);
  EXPECT_EQ(folded.at("by").at("address"), shown(&sum));
  EXPECT_EQ(folded.at("by").at("mode"), "in");
  EXPECT_FALSE(folded.at("by").contains("other_mode"));
  EXPECT_THAT(folded.at("text").get<std::string>(), HasSubstr("the folding of a reduction"));
  const Json& joined = named(seen, "last reader").at("waits").at(0);
  EXPECT_EQ(joined.at("by").at("address"), shown(&value));
  EXPECT_THAT(joined.at("text").get<std::string>(), HasSubstr("the end of several tasks"));
}

TEST(Explaining, NamesDataOfATaskThatIsLarge) {
  Runtime runtime(with_workers(2));
  int value = 0;
  const std::array<char, 2000> much{};
  const Json wait = why(
      runtime,
      [&](Runtime& r, auto f) { r.spawn(out(value), name("first"), [f, much] { f(), static_cast<void>(much[0]); }); },
      [&](Runtime& r) { r.spawn(in(value), name("second"), [much] { static_cast<void>(much[0]); }); });
  EXPECT_EQ(wait.at("by").at("address"), shown(&value));
}

TEST(Explaining, TellsAParentThatHasReturnedFromOneThatRuns) {
  Runtime runtime(with_workers(2));
  Latch latch;
  runtime.spawn(name("parent"), [&] { spawn(name("child"), [&] { latch.wait(); }); });
  const Json seen =
      ask_until([](const Json& r) { return r.at("causes").contains("children") && r.at("running") == 1; });
  EXPECT_EQ(named(seen, "child").at("state"), "running");
  EXPECT_EQ(named(seen, "parent").at("state"), "waiting");
  latch.open();
  runtime.wait();
}

TEST(Explaining, CountsTasksOnTheirWay) {
  Runtime runtime(with_workers(1));
  for (int i = 0; i < 100; ++i) runtime.spawn([] {});
  const Json before = ask_json().at(0);
  EXPECT_EQ(before.at("left"), 100);
  EXPECT_EQ(before.at("ready"), 100);
  runtime.wait();
  const Advance advance = advance_of_process();
  EXPECT_EQ(advance.done, 100u);
  EXPECT_EQ(ask_json().at(0).at("left"), 0);
}

TEST(Explaining, SeesTasksThatWaitBehindAThrottle) {
  Options options = with_workers(2);
  options.throttle = 4;
  Runtime runtime(options);
  Latch latch;
  int value = 0;
  std::thread asker([&] {
    ask_until([](const Json& r) { return r.at("causes").contains("throttle"); });
    latch.open();
  });
  runtime.spawn(inout(value), [&](int&) { latch.wait(); });
  for (int i = 0; i < 100; ++i) runtime.spawn(inout(value), [](int& v) { ++v; });
  runtime.wait();
  asker.join();
  EXPECT_EQ(value, 100);
}

TEST(Explaining, AsksEveryRuntimeOfTheProcess) {
  Runtime first(with_workers(1)), second(with_workers(1));
  EXPECT_EQ(ask_json().size(), 2u);
}

TEST(Explaining, IsOffWhenItIsSwitchedOff) {
  Options options = with_workers(1);
  options.explain = Explain::off;
  Runtime runtime(options);
  const auto reply = ask(getpid(), "json", 5);
  ASSERT_FALSE(reply);
  EXPECT_THAT(reply.status().message, HasSubstr("WEIR_EXPLAIN=off"));
}

TEST(Explaining, AChildProcessIsExplainedByItself) {
  if (WEIR_TSAN) GTEST_SKIP() << "ThreadSanitizer lets a forked child start no threads";
  Runtime runtime(with_workers(2));
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    {
      Runtime own(with_workers(1));
      own.spawn([] {});
      [[maybe_unused]] const auto said = write(ends[1], "r", 1);
      char c = 0;
      [[maybe_unused]] const auto told = read(ends[1], &c, 1);
      own.wait();
    }
    _exit(0);
  }
  char c = 0;
  ASSERT_EQ(read(ends[0], &c, 1), 1);
  const auto reply = ask(child, "json", 60);
  EXPECT_TRUE(reply) << reply.status().message;
  if (reply) {
    EXPECT_EQ(Json::parse(reply->front()).at(0).at("left"), 1);
  }
  EXPECT_EQ(ask_json().at(0).at("left"), 0) << "the parent still answers for itself";
  ASSERT_EQ(write(ends[0], "e", 1), 1);
  waitpid(child, nullptr, 0);
}

// Two libraries of a program may each have one linked in.
TEST(Explaining, EachCopyOfTheLibraryInAProcessIsAsked) {
  const int other = listen_for_questions();
  ASSERT_GE(other, 0);
  std::thread copy([other] {
    pollfd polled{other, POLLIN, 0};
    poll(&polled, 1, -1);
    if (const auto question = accept_question(other)) answer(*question, question->text + " of another copy\n");
  });
  Runtime runtime(with_workers(1));
  const auto replies = ask(getpid(), "text", 60);
  copy.join();
  close(other);
  ASSERT_TRUE(replies) << replies.status().message;
  ASSERT_EQ(replies->size(), 2u);
  EXPECT_EQ(replies->front(), "text of another copy\n");
  EXPECT_THAT(replies->back(), HasSubstr("runtime "));
}

TEST(Explaining, LeavesToTheProgramWhatHasTheNumbersOfFilesThatItHasClosed) {
  if (WEIR_TSAN) GTEST_SKIP() << "ThreadSanitizer lets a forked child start no threads";
  const pid_t child = fork();
  if (child == 0) {
    std::array<int, 40> ends{};
    {
      const Runtime runtime(with_workers(1));
      close_range(3, ~0u, 0);
      for (std::size_t i = 0; i < ends.size(); i += 2) {
        if (pipe2(&ends[i], O_NONBLOCK) != 0 || write(ends[i + 1], "program", 7) != 7) _exit(2);
      }
      raise(SIGUSR1);
    }
    for (std::size_t i = 0; i < ends.size(); i += 2) {
      std::array<char, 32> bytes{};
      if (read(ends[i], bytes.data(), bytes.size()) != 7 || fcntl(ends[i + 1], F_GETFD) < 0) _exit(3);
    }
    _exit(0);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

extern "C" void stands_for_the_default(int) {}

TEST(Explaining, TakesItsSignalFromAHandlerThatStandsForTheDefaultActionAndGivesItBack) {
  const auto handler = [] {
    struct sigaction now {};
    sigaction(SIGUSR1, nullptr, &now);
    return now.sa_handler;
  };
  std::signal(SIGUSR1, &stands_for_the_default);
  {
    const Runtime runtime(with_workers(1));
    EXPECT_EQ(handler(), &stands_for_the_default) << "a handler of the program";
  }
  take_signal_from(&stands_for_the_default);
  {
    const Runtime runtime(with_workers(1));
    EXPECT_NE(handler(), &stands_for_the_default);
  }
  EXPECT_EQ(handler(), &stands_for_the_default);
  take_signal_from(SIG_DFL);
  std::signal(SIGUSR1, SIG_DFL);
}

// Listens as a runtime does, and has no thread that answers.
pid_t listening_child(const std::function<bool()>& prepare) {
  const pid_t child = fork();
  if (child != 0) return child;
  const bool ready = prepare() && listen_for_questions() >= 0;
  std::raise(ready ? SIGSTOP : SIGKILL);
  _exit(1);
}

// False: it could not be prepared.
bool has_stopped(pid_t child) {
  int status = 0;
  return waitpid(child, &status, WUNTRACED) == child && WIFSTOPPED(status);
}

void end(pid_t child) {
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
}

TEST(Explaining, AProcessThatIsStoppedIsToldAtOnce) {
  const pid_t child = listening_child([] { return true; });
  ASSERT_TRUE(has_stopped(child));
  const auto reply = ask(child, "json", 0.5);
  end(child);
  ASSERT_FALSE(reply);
  EXPECT_THAT(reply.status().message, HasSubstr("is stopped, and cannot answer; `kill -CONT"));
}

TEST(Explaining, AProcessInAnotherNetworkNamespaceIsToldFromOneThatDoesNotUseWeir) {
  const pid_t child =
      listening_child([] { return unshare(CLONE_NEWNET) == 0 || unshare(CLONE_NEWUSER | CLONE_NEWNET) == 0; });
  if (!has_stopped(child)) GTEST_SKIP() << "this user may not make one";
  const auto reply = ask(child, "json", 0.5);
  end(child);
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.status().code, base::Code::not_found);
  EXPECT_THAT(reply.status().message, HasSubstr("in another network namespace"));
}

// As pthread_exit() in main(): the others go on.
void end_first_thread() {
  std::thread([] {
    for (;;) pause();
  }).detach();
  syscall(SYS_exit, 0);
}

TEST(Explaining, AProcessHasEndedWhenAllItsThreadsHaveNotTheFirstAlone) {
  if (WEIR_TSAN) GTEST_SKIP() << "ThreadSanitizer lets a forked child start no threads";
  const pid_t child = fork();
  if (child == 0) end_first_thread();
  const auto first_has_ended = [child] {
    std::ifstream file("/proc/" + std::to_string(child) + "/stat");
    std::string line;
    std::getline(file, line);
    return line.find(") Z ") != std::string::npos;
  };
  while (!first_has_ended()) std::this_thread::yield();
  const auto alive = ask(child, "json", 0.5);
  kill(child, SIGKILL);
  siginfo_t how{};
  waitid(P_PID, static_cast<id_t>(child), &how, WEXITED | WNOWAIT);
  const auto ended = ask(child, "json", 0.5);
  waitpid(child, nullptr, 0);
  ASSERT_FALSE(alive);
  EXPECT_THAT(alive.status().message, HasSubstr("has no Weir runtime that answers"));
  ASSERT_FALSE(ended);
  EXPECT_THAT(ended.status().message, HasSubstr("has ended; its parent has not asked how"));
}

TEST(Explaining, AProcessThatIsNotThereIsAnError) {
  const auto reply = ask(1 << 29, "json", 5);
  ASSERT_FALSE(reply);
  EXPECT_THAT(reply.status().message, HasSubstr("there is no process"));
}

}  // namespace
}  // namespace weir::explain

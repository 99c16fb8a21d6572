// SPDX-License-Identifier: Apache-2.0

// Programs that hang, one for each way: hang CASE. They say "ready" on standard output when they do.
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstring>
#include <future>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "weir/weir.hpp"

namespace {

void say_ready() {
  std::puts("ready");
  std::fflush(stdout);
}

// The program's own code, for ever.
void sleep_for_ever() {
  for (;;) pause();
}

weir::Options options(int workers) {
  weir::Options o = weir::Options::from_environment();
  o.workers = workers;
  o.bind = weir::Bind::none;
  return o;
}

// Tasks wait for one that writes their block, and that never ends.
void never_ends() {
  weir::Runtime runtime(options(2));
  static double field[8];
  runtime.spawn(weir::out(field), weir::name("writer"), [](auto&) {
    say_ready();
    sleep_for_ever();
  });
  for (int i = 0; i < 3; ++i) runtime.spawn(weir::in(field), weir::name("reader"), [](auto&) {});
  static double other[20];
  std::vector<weir::Access> range;
  for (double& one : other) range.push_back(weir::inout(one));
  range.push_back(weir::in(field[3]));
  runtime.spawn(range, weir::name("ranger"), [] {});
  runtime.wait();
}

// A parent has data that a later sibling wants, and waits for that.
void waits_for_later() {
  weir::Runtime runtime(options(2));
  static double field[8];
  static std::promise<weir::Handle<>> later;
  auto future = later.get_future();
  runtime.spawn(weir::inout(field), weir::name("parent"), [&](auto&) {
    const weir::Handle<> handle = future.get();
    say_ready();
    weir::wait(handle);
  });
  later.set_value(runtime.spawn(weir::inout(field), weir::name("successor"), [](auto&) {}));
  runtime.wait();
}

// One has commutative data and waits for another that wants it.
void lock_held() {
  weir::Runtime runtime(options(2));
  static double sum;
  static std::promise<weir::Handle<>> later;
  auto future = later.get_future();
  runtime.spawn(weir::commutative(sum), weir::name("holder"), [&](double&) {
    const weir::Handle<> handle = future.get();
    say_ready();
    weir::wait(handle);
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));  // the other worker is to have begun the holder
  later.set_value(runtime.spawn(weir::commutative(sum), weir::name("contender"), [](double&) {}));
  runtime.wait();
}

// Commutative data that a task has which never ends.
void lock_for_ever() {
  weir::Runtime runtime(options(2));
  static double sum;
  static std::promise<void> held;
  runtime.spawn(weir::commutative(sum), weir::name("holder"), [](double&) {
    held.set_value();
    sleep_for_ever();
  });
  runtime.spawn(weir::commutative(sum), weir::name("contender"), [](double&) {});
  held.get_future().wait();
  say_ready();
  runtime.wait();
}

// All room in the fast tier is had by a task that never ends; another one waits for some.
void no_room() {
  weir::Options o = options(2);
  o.tiers = "memory=2MiB,emulated=64MiB@0.5";
  weir::Runtime runtime(o);
  weir::Block<double> a(runtime, 196608, "a"), b(runtime, 196608, "b"), c(runtime, 196608, "c");
  static std::promise<void> held;
  for (auto* block : {&a, &b, &c}) runtime.spawn(weir::out(*block), [](auto v) { v[0] = 1; });
  runtime.wait();
  runtime.spawn(weir::inout(a), weir::name("large"), [](auto) {
    held.set_value();
    sleep_for_ever();
  });
  held.get_future().wait();
  runtime.spawn(weir::in(b), weir::name("small"), [](auto) {});
  say_ready();
  runtime.wait();
}

// A task waits for a child that does not end.
void child() {
  weir::Runtime runtime(options(2));
  runtime.spawn(weir::name("mother"), [] {
    weir::spawn(weir::name("child"), [] {
      say_ready();
      sleep_for_ever();
    });
    weir::wait();
  });
  runtime.wait();
}

// Runs for long, and ends: nobody is to say anything.
void long_task() {
  weir::Runtime runtime(options(2));
  static int value;
  runtime.spawn(weir::inout(value), weir::name("long"), [](int&) {
    say_ready();
    std::this_thread::sleep_for(std::chrono::seconds(3));
  });
  runtime.spawn(weir::inout(value), weir::name("next"), [](int&) {});
  runtime.wait();
}

// Many tasks behind one: as many as the throttle allows.
void many() {
  weir::Runtime runtime(options(2));
  static int value;
  runtime.spawn(weir::inout(value), weir::name("first"), [](int&) {
    say_ready();
    sleep_for_ever();
  });
  for (int i = 0; i < 5000; ++i) runtime.spawn(weir::inout(value), weir::name("chain"), [](int&) {});
  runtime.wait();
}

// Two tasks that take two locks of the program's own, each in another order.
void two_locks() {
  weir::Runtime runtime(options(2));
  static std::mutex a, b;
  static std::promise<void> has_a, has_b;
  runtime.spawn(weir::name("takes a"), [] {
    const std::lock_guard first(a);
    has_a.set_value();
    has_b.get_future().wait();
    const std::lock_guard second(b);
  });
  runtime.spawn(weir::name("takes b"), [] {
    const std::lock_guard first(b);
    has_b.set_value();
    has_a.get_future().wait();
    say_ready();
    const std::lock_guard second(a);
  });
  runtime.wait();
}

// Every worker reads what nobody writes.
void in_the_kernel() {
  weir::Runtime runtime(options(2));
  static int ends[2];
  if (pipe(ends) != 0) return;
  const auto read_one = [] {
    char byte = 0;
    [[maybe_unused]] const auto got = read(ends[0], &byte, 1);
  };
  for (int i = 0; i < 2; ++i) runtime.spawn(weir::name("reader"), read_one);
  static int value;
  runtime.spawn(weir::inout(value), weir::name("behind"), [](int&) {});
  say_ready();
  runtime.wait();
}

// A million tasks behind one, in a thousand chains.
void million() {
  weir::Options o = options(2);
  o.throttle = 0;
  weir::Runtime runtime(o);
  static int value;
  static double cells[1000];
  runtime.spawn(weir::out(value), weir::name("culprit"), [](int&) { sleep_for_ever(); });
  for (int i = 0; i < 1'000'000; ++i)
    runtime.spawn(weir::in(value), weir::inout(cells[i % 1000]), weir::name("cell"), [](const int&, double&) {});
  say_ready();
  runtime.wait();
}

// Has a use for SIGUSR1 itself.
void own_signal() {
  std::signal(SIGUSR1, [](int) {
    constexpr char kText[] = "mine\n";
    [[maybe_unused]] const auto written = write(STDOUT_FILENO, kText, sizeof kText - 1);
  });
  never_ends();
}

}  // namespace

int main(int argc, char** argv) {
  const std::map<std::string, void (*)()> cases{{"never_ends", &never_ends},
                                                {"waits_for_later", &waits_for_later},
                                                {"lock_held", &lock_held},
                                                {"lock_for_ever", &lock_for_ever},
                                                {"no_room", &no_room},
                                                {"child", &child},
                                                {"long_task", &long_task},
                                                {"many", &many},
                                                {"own_signal", &own_signal},
                                                {"two_locks", &two_locks},
                                                {"in_the_kernel", &in_the_kernel},
                                                {"million", &million}};
  const auto chosen = argc == 2 ? cases.find(argv[1]) : cases.end();
  if (chosen == cases.end()) {
    for (const auto& [name, run] : cases) std::fprintf(stderr, "%s\n", name.c_str());
    return 2;
  }
  chosen->second();
}

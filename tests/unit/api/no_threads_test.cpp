// SPDX-License-Identifier: Apache-2.0

// Runtimes and ranks that are refused threads, wherever they start one: weir::Error names the thread and what to do.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <functional>
#include <string>
#include <vector>

#include "support.hpp"
#include "unit/platform/few_threads.hpp"
#include "weir/block.hpp"
#include "weir/ranks.hpp"

namespace weir {
namespace {

constexpr int kWell = 0, kRefused = 1, kRefusedAsLooked = 2, kSomethingElse = 3;

// What becomes of f() where the process may start so many threads more.
int with_threads(std::size_t more, const std::string& looked_for, const std::function<void()>& f) {
  if (!test::may_start(more)) return test::kNotLimited;
  try {
    f();
    return kWell;
  } catch (const Error& error) {
    const std::string text = error.what();
    std::fprintf(stderr, "with %zu threads more: %s\n", more, text.c_str());
    if (text.find("ulimit -u") == std::string::npos) return kSomethingElse;
    return text.find('"' + looked_for + '"') != std::string::npos ? kRefusedAsLooked : kRefused;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "with %zu threads more: not an Error: %s\n", more, error.what());
    return kSomethingElse;
  }
}

// From no thread more on, until there are enough: each time the program is told, and once it is that thread.
void expect_refused(const std::string& thread, const std::function<int(std::size_t more)>& run) {
  if (!test::threads_are_limited()) GTEST_SKIP() << "only root can be held to a number of threads of a user of its own";
  std::vector<int> ends;
  do {
    ends.push_back(test::ended_with([&] { return run(ends.size()); }));
    ASSERT_TRUE(ends.back() <= kRefusedAsLooked) << ends.back() << " with " << ends.size() - 1 << " threads more";
    ASSERT_LT(ends.size(), 30U);
  } while (ends.back() != kWell);
  EXPECT_NE(std::find(ends.begin(), ends.end(), kRefusedAsLooked), ends.end()) << thread << " was refused once";
}

// The first that does not fit has threads started that move blocks: of a runtime that lives, and lives on.
TEST(WithoutThreads, ABlockThatWouldHaveToMoveIsRefused) {
  expect_refused("weir mover", [](std::size_t more) {
    Options options = test::with_workers(2);
    options.explain = Explain::off;
    options.strategy = Strategy::multi;
    options.tiers = "memory=1MiB,file=/tmp:64MiB";
    Runtime runtime(options);
    const Block<std::byte> first(runtime, 700'000, "first");
    return with_threads(more, "weir mover", [&] {
      const Block<std::byte> second(runtime, 700'000, "second");
      runtime.spawn(out(second), [](std::span<std::byte> bytes) { bytes[0] = std::byte{1}; });
      runtime.wait();
    });
  });
}

TEST(WithoutThreads, ATraceIsRefused) {
  expect_refused("weir trace", [](std::size_t more) {
    Options options = test::with_workers(1);
    options.explain = Explain::off;
    options.trace = ::testing::TempDir() + "weir_no_threads." + std::to_string(getpid()) + ".weir";
    const int end = with_threads(more, "weir trace", [&] { const Runtime runtime(options); });
    ::unlink(options.trace.c_str());
    ::unlink((options.trace + ".part").c_str());
    return end;
  });
}

TEST(WithoutThreads, RanksAreRefused) {
  expect_refused("weir progress", [](std::size_t more) {
    Options options = test::with_workers(1);
    options.explain = Explain::off;
    return with_threads(more, "weir progress", [&] { const Ranks ranks(options); });
  });
}

}  // namespace
}  // namespace weir

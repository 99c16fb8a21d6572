// SPDX-License-Identifier: Apache-2.0

// What a task's callable may be, what it is given, and what becomes of its result.
#include <array>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>

#include "support.hpp"

namespace weir {
namespace {

using test::Counted;

class Arguments : public test::ForWorkers {};
WEIR_FOR_WORKERS(Arguments);

TEST_P(Arguments, AnObjectComesAsAReference) {
  Runtime runtime(options());
  double a = 2, b = 3;
  runtime.spawn(in(a), inout(b), [&](const double& x, double& y) {
    EXPECT_EQ(&x, &a);
    EXPECT_EQ(&y, &b);
    y *= x;
  });
  runtime.wait();
  EXPECT_EQ(b, 6);
}

TEST_P(Arguments, ARangeComesAsASpan) {
  Runtime runtime(options());
  std::array<int, 8> data{};
  runtime.spawn(out(data.data() + 2, 4), [](std::span<int> s) {
    EXPECT_EQ(s.size(), 4u);
    for (int& v : s) v = 5;
  });
  runtime.spawn(in(std::span<const int>(data)), [](std::span<const int> s) {
    EXPECT_EQ(s.size(), 8u);
    EXPECT_EQ(s[1], 0);
    EXPECT_EQ(s[2], 5);
  });
  runtime.wait();
  EXPECT_EQ(data, (std::array<int, 8>{0, 0, 5, 5, 5, 5, 0, 0}));
}

TEST_P(Arguments, ASectionComesAsAViewWithItsStride) {
  Runtime runtime(options());
  std::array<int, 6 * 10> data{};
  const Watched<int> grid(data.data(), 6, 8, 10, 2, 4);
  runtime.spawn(out(grid.tile(1, 3, 4, 2)), [&](View2D<int> view) {
    EXPECT_EQ(view.rows(), 4u);
    EXPECT_EQ(view.cols(), 2u);
    EXPECT_EQ(view.stride(), 10u);
    EXPECT_EQ(view.data(), &data[13]);
    for (std::size_t r = 0; r < 4; ++r) view(r, 1) = 1 + static_cast<int>(r);
  });
  runtime.wait();
  EXPECT_EQ(data[14], 1);
  EXPECT_EQ(data[44], 4);
}

TEST_P(Arguments, AttributesMayStandAnywhereBeforeTheCallable) {
  Runtime runtime(options());
  int a = 1, b = 0;
  auto first = runtime.spawn(name("first"), in(a), [] {});
  runtime.spawn(in(a), name("copy"), Priority::urgent, out(b), after(first), on_domain(0),
                [](const int& from, int& to) { to = from; });
  runtime.wait();
  EXPECT_EQ(b, 1);
}

TEST_P(Arguments, ACallableThatCanOnlyBeMovedIsMovedIn) {
  Runtime runtime(options());
  auto owned = std::make_unique<int>(41);
  auto handle = runtime.spawn([p = std::move(owned)] { return *p + 1; });
  EXPECT_EQ(handle.get(), 42);
}

TEST_P(Arguments, ACallableGivenByNameIsCopied) {
  Runtime runtime(options());
  int calls = 0;
  const auto callable = [&calls] { ++calls; };
  runtime.spawn(inout(calls), callable);
  runtime.spawn(inout(calls), std::cref(callable));
  runtime.wait();
  EXPECT_EQ(calls, 2);
}

TEST_P(Arguments, EveryCallableIsDestroyedOnce) {
  {
    Runtime runtime(options());
    for (int i = 0; i < 300; ++i) runtime.spawn([c = Counted()] { static_cast<void>(c); });
    runtime.wait();
    EXPECT_EQ(Counted::alive, 0);
  }
  EXPECT_EQ(Counted::alive, 0);
}

struct ThrowsWhenCopied {
  Counted counted;
  std::array<char, 2000> large{};
  ThrowsWhenCopied() = default;
  ThrowsWhenCopied(const ThrowsWhenCopied& other) : counted(other.counted) { throw std::runtime_error("no copy"); }
  int operator()() const { return 1; }
};

TEST_P(Arguments, AThrowingCopyLeavesNothingBehind) {
  Runtime runtime(options());
  int x = 0;
  {
    const ThrowsWhenCopied callable;
    for (int i = 0; i < 20; ++i) EXPECT_THROW(runtime.spawn(inout(x), callable), std::runtime_error);
  }
  EXPECT_EQ(Counted::alive, 0);
  runtime.spawn(inout(x), [&x] { x = 1; });
  runtime.wait();
  EXPECT_EQ(x, 1);
}

TEST_P(Arguments, ALargeCallableArrivesWhole) {
  Runtime runtime(options());
  std::array<int, 2000> numbers;
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<int>(i);
  auto handle = runtime.spawn(name("large"), [numbers] {
    long sum = 0;
    for (const int n : numbers) sum += n;
    return sum;
  });
  EXPECT_EQ(handle.get(), 1999000);
}

template <std::size_t kBytes>
struct alignas(64) Aligned {
  std::array<char, kBytes> bytes{};
  bool well() const { return reinterpret_cast<std::uintptr_t>(this) % 64 == 0; }
};

TEST_P(Arguments, AnAlignedCallableIsAligned) {
  Runtime runtime(options());
  std::atomic<int> well{0};
  for (int i = 0; i < 20; ++i) {
    runtime.spawn([a = Aligned<64>(), &well] { well += a.well(); });
    runtime.spawn([a = Aligned<320>(), &well] { well += a.well(); });
    runtime.spawn([a = Aligned<4096>(), &well] { well += a.well(); });
  }
  runtime.wait();
  EXPECT_EQ(well, 60);
}

TEST_P(Arguments, CallablesOfAllSizesKeepTheirEdgesApart) {
  Runtime runtime(options());
  int x = 0, y = 0;
  auto spawn_one = [&]<std::size_t kBytes>(std::integral_constant<std::size_t, kBytes>) {
    std::array<unsigned char, kBytes> pattern;
    pattern.fill(static_cast<unsigned char>(kBytes));
    runtime.spawn(in(x), inout(y), [pattern, &y] {
      for (const unsigned char c : pattern) EXPECT_EQ(c, static_cast<unsigned char>(kBytes));
      ++y;
    });
    runtime.spawn(inout(x), [&x] { ++x; });
  };
  for (int i = 0; i < 10; ++i) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (spawn_one(std::integral_constant<std::size_t, 1 + 37 * I>{}), ...);
    }
    (std::make_index_sequence<32>{});
  }
  runtime.wait();
  EXPECT_EQ(x, 320);
  EXPECT_EQ(y, 320);
}

TEST_P(Arguments, AResultIsHadFromTheHandle) {
  Runtime runtime(options());
  int x = 20;
  auto handle = runtime.spawn(in(x), [](const int& v) { return std::to_string(v + 1); });
  EXPECT_EQ(handle.get(), "21");
  handle.get() += "!";
  EXPECT_EQ(handle.get(), "21!");
}

TEST_P(Arguments, AResultMayBeMovedOnlyOrAligned) {
  Runtime runtime(options());
  auto pointer = runtime.spawn([] { return std::make_unique<int>(3); });
  auto aligned = runtime.spawn([] { return Aligned<64>(); });
  EXPECT_EQ(*pointer.get(), 3);
  EXPECT_TRUE(aligned.get().well());
}

TEST_P(Arguments, AResultLivesAsLongAsAHandleToIt) {
  {
    Runtime runtime(options());
    auto handle = runtime.spawn([] { return Counted(); });
    auto copy = handle;
    runtime.wait();
    handle = Handle<Counted>();
    EXPECT_EQ(Counted::alive, 1);
    const Handle<void> other = copy;
    copy = Handle<Counted>();
    EXPECT_EQ(Counted::alive, 0);
    EXPECT_TRUE(other.finished());
    for (int i = 0; i < 100; ++i) runtime.spawn([] { return Counted(); });
  }
  EXPECT_EQ(Counted::alive, 0);
}

// The result's cell is not visible to the program: AddressSanitizer's leak check sees what would be left.
TEST_P(Arguments, ASpawnThatFailsLeavesNoResultBehind) {
  Runtime runtime(options());
  EXPECT_THROW(runtime.spawn(on_domain(99), [] { return std::string(100, 'x'); }), Error);
  const ThrowsWhenCopied callable;
  EXPECT_THROW(runtime.spawn(callable), std::runtime_error);
  runtime.wait();
}

TEST_P(Arguments, ACallableMayHaveAnUnusedFootprint) {
  Runtime runtime(options());
  int x = 0;
  runtime.spawn(inout(x), [&x] { ++x; });
  runtime.spawn(inout(x), [&x](int& same) {
    EXPECT_EQ(++same, 2);
    EXPECT_EQ(&same, &x);
  });
  runtime.wait();
  EXPECT_EQ(x, 2);
}

TEST_P(Arguments, EmptyRangesConflictWithNothing) {
  Runtime runtime(options());
  int data[4] = {};
  int calls = 0;
  runtime.spawn(inout(calls), inout(data, 0), [&] { ++calls; });
  runtime.spawn(inout(calls), in(data + 4, 0), [&] { ++calls; });
  runtime.wait();
  EXPECT_EQ(calls, 2);
}

}  // namespace
}  // namespace weir

// SPDX-License-Identifier: Apache-2.0

// Sizes, strides and enumerators that cannot be: each is an error that names what was asked.
#include <gmock/gmock.h>

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "support.hpp"

namespace weir {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr std::size_t kWraps = (std::size_t{1} << 61) + 1;  // times 8: 8
constexpr std::size_t kMinusOne = ~std::size_t{0};
constexpr const char* kTooMany = "more than there are addresses";

class Sizes : public testing::Test {
 protected:
  std::string error_of(const std::function<void()>& f) {
    try {
      f();
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  }
  Runtime runtime_{test::with_workers(1)};
  std::vector<double> data_ = std::vector<double>(100);
};

TEST_F(Sizes, BlocksBeyondAllAddressesAreRefused) {
  EXPECT_THAT(error_of([&] { Block<double>(runtime_, kWraps, "big"); }),
              AllOf(HasSubstr("block \"big\": 2305843009213693953 elements of 8 bytes"), HasSubstr(kTooMany)));
  EXPECT_THAT(error_of([&] { Block<char>(runtime_, kMinusOne); }), HasSubstr(kTooMany));
  EXPECT_THAT(error_of([&] { Block<double>(runtime_, kMinusOne); }), HasSubstr(kTooMany));
  EXPECT_THAT(error_of([&] { Block<double>::adopt(runtime_, data_.data(), kWraps); }), HasSubstr(kTooMany));
  EXPECT_THAT(error_of([&] { Block<char>(runtime_, kMinusOne / 2); }), HasSubstr("has no place in any tier"));
  EXPECT_THAT(error_of([&] { Block<char>(runtime_, std::size_t{1} << 62); }), HasSubstr("has no place in any tier"));
  EXPECT_THAT(error_of([&] { Block<double>(runtime_, 0, "none"); }), HasSubstr("block \"none\" has no elements"));
  EXPECT_EQ(error_of([&] { Block<double>(runtime_, 1, nullptr); }), "no error");
}

TEST_F(Sizes, AdoptedMemoryIsThereAndDoesNotOverlapItself) {
  double* const none = nullptr;
  EXPECT_THAT(error_of([&] { Block<double>::adopt(runtime_, none, 10, "b"); }), HasSubstr("adopt(\"b\")"));
  const auto adopt = [&](double* data, std::array<std::size_t, 2> shape, std::array<std::size_t, 2> strides) {
    return error_of([&] { Array<double, 2>::adopt(runtime_, data, shape, strides, {4, 4}, "a"); });
  };
  EXPECT_THAT(adopt(none, {10, 10}, {10, 1}), HasSubstr("null"));
  EXPECT_THAT(adopt(data_.data(), {10, 10}, {9, 1}),
              HasSubstr("array \"a\": 10 x 10 elements with strides of 9 x 1 overlap"));
  EXPECT_THAT(adopt(data_.data(), {10, 10}, {0, 1}), HasSubstr("overlap"));
  EXPECT_THAT(adopt(data_.data(), {10, 5}, {10, 2}), HasSubstr("the last must be 1"));
  EXPECT_THAT(adopt(data_.data(), {3, 10}, {kMinusOne, 1}), HasSubstr(kTooMany));
  EXPECT_EQ(adopt(data_.data(), {10, 10}, {10, 1}), "no error");
  EXPECT_EQ(adopt(data_.data(), {1, 10}, {0, 1}), "no error");
  const auto adopt_3d = [&](std::array<std::size_t, 3> shape, std::array<std::size_t, 3> strides) {
    return error_of([&] { Array<double, 3>::adopt(runtime_, data_.data(), shape, strides, {2, 2, 2}); });
  };
  EXPECT_THAT(adopt_3d({3, 3, 3}, {8, 3, 1}), HasSubstr("overlap"));
  EXPECT_EQ(adopt_3d({3, 3, 3}, {9, 3, 1}), "no error");
  EXPECT_EQ(adopt_3d({3, 3, 3}, {3, 9, 1}), "no error") << "planes may lie between rows";
}

TEST_F(Sizes, RegionsOfRowsThatOverlapOrThatNoMemoryHasAreRefused) {
  const auto spawn = [&](std::size_t row_bytes, std::size_t rows, std::size_t stride, Mode mode = Mode::inout) {
    bool ran = false;
    const std::vector<Access> items{Access{{data_.data(), row_bytes, rows, stride}, nullptr, nullptr, nullptr, mode}};
    const std::string error = error_of([&] { runtime_.spawn(items, [&](Items) { ran = true; }); });
    runtime_.wait();
    EXPECT_EQ(ran, error == "no error");
    return error;
  };
  EXPECT_THAT(spawn(8, 4, 4), HasSubstr("4 rows of 8 bytes whose starts are 4 bytes apart: they overlap"));
  EXPECT_THAT(spawn(8, 4, std::size_t{0} - 8, Mode::in), HasSubstr("no memory has them"));
  EXPECT_THAT(spawn(8, std::size_t{1} << 62, std::size_t{1} << 10), HasSubstr("no memory has them"));
  EXPECT_THAT(spawn(8, 2, kMinusOne - 100), HasSubstr("no memory has them"));
  EXPECT_THAT(spawn(kMinusOne, 1, 0), AllOf(HasSubstr("names 18446744073709551615 bytes from address 0x"),
                                            HasSubstr("no memory has them; correct the pointer")));
  EXPECT_THAT(spawn(kMinusOne, 1, 0, Mode::commutative), HasSubstr("no memory has them"));
  EXPECT_EQ(spawn(8, 4, 8), "no error");
  EXPECT_EQ(spawn(8, 4, 16), "no error");
  EXPECT_EQ(spawn(8, 1, 0), "no error");
  EXPECT_EQ(spawn(8, 0, 4), "no error");
  EXPECT_EQ(spawn(0, 4, 4), "no error");
}

TEST_F(Sizes, ArraysBeyondAllAddressesAreRefused) {
  using Two = std::array<std::size_t, 2>;
  const auto make = [&](Two shape, Two tile) {
    return error_of([&] { Array<double, 2>(runtime_, shape, tile, "a"); });
  };
  EXPECT_THAT(make({kMinusOne, kMinusOne}, {1, 1}), HasSubstr(kTooMany));
  EXPECT_THAT(make({kMinusOne, 2}, {kMinusOne, 1}), HasSubstr(kTooMany));
  EXPECT_THAT(make({kWraps, 1}, {1, 1}), HasSubstr("array \"a\": 2305843009213693953 x 1 elements"));
  EXPECT_THAT(make({std::size_t{1} << 58, 1}, {1, 1}), HasSubstr("tiles larger"));
  EXPECT_THAT(make({4, 0}, {1, 1}), HasSubstr("at least 1 element"));
  EXPECT_THAT(make({4, 4}, {0, 1}), HasSubstr("at least 1 element"));
  EXPECT_EQ(make({4, 4}, {kMinusOne, kMinusOne}), "no error") << "one tile, cut at the edges";
}

TEST_F(Sizes, WatchedArraysHaveBlocksAndRowsApart) {
  const auto watch = [&](std::size_t rows, std::size_t cols, std::size_t stride, std::size_t block_rows,
                         std::size_t block_cols) {
    return error_of([&] { Watched<double>(data_.data(), rows, cols, stride, block_rows, block_cols); });
  };
  EXPECT_THAT(watch(10, 10, 10, 0, 1),
              AllOf(HasSubstr("10 x 10 elements"), HasSubstr("blocks of 0 x 1"), HasSubstr("at least 1")));
  EXPECT_THAT(watch(10, 10, 10, 1, 0), HasSubstr("at least 1"));
  EXPECT_THAT(error_of([&] { Watched<double>(data_.data(), 100, 0); }), HasSubstr("at least 1"));
  EXPECT_THAT(watch(10, 10, 9, 1, 1), HasSubstr("rows overlap"));
  EXPECT_THAT(watch(kMinusOne, 10, 10, 1, 1), HasSubstr(kTooMany));
  EXPECT_THAT(watch(1, kWraps, kWraps, 1, 1), HasSubstr(kTooMany));
  EXPECT_THAT(error_of([&] { Watched<double>(static_cast<double*>(nullptr), 10, 1); }), HasSubstr("null"));
  EXPECT_EQ(watch(0, 0, 0, 1, 1), "no error");
  Watched<double> whole(data_.data(), 10, 10, 10, kMinusOne, kMinusOne);
  int runs = 0;
  for (std::size_t i = 0; i < 10; ++i) runtime_.spawn(out(whole.tile(i, i, 1, 1)), inout(runs), [&] { ++runs; });
  runtime_.wait();
  EXPECT_EQ(runs, 10);
}

TEST_F(Sizes, CountsInFootprintsAreMemorysOwn) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";  // ThreadSanitizer: no new threads in a process that was forked
  EXPECT_THAT(error_of([&] { runtime_.spawn(in(data_.data(), kWraps), [] {}); }),
              AllOf(HasSubstr("2305843009213693953 elements of 8 bytes"), HasSubstr("negative?")));
  EXPECT_THAT(error_of([&] { runtime_.spawn(out(data_.data(), kMinusOne), [] {}); }), HasSubstr(kTooMany));
  Watched<double> watched(data_.data(), 10, 10, 10, 2, 2);
  EXPECT_DEATH(Runtime(test::with_workers(1)).spawn(in(watched.tile(0, 0, 1, kWraps)), [] {}),
               "not within its watched array");
  EXPECT_DEATH(Runtime(test::with_workers(1)).spawn(name("last"), in(watched.rows(8, 4)), [] {}),
               "weir: task 'last', spawned at .*(sizes_test.cpp:|Sizes_CountsInFootprintsAreMemorysOwn).*, names a "
               "section that is not within its watched array: "
               "4 rows from row 8 on, and of each 80 bytes from byte 0 on, of a watched array that has 10 rows of 80 "
               "bytes");
  Watched<double> line(data_.data(), 100, 10);
  EXPECT_DEATH(Runtime(test::with_workers(1)).spawn(in(line.range(95, 10)), [] {}),
               "weir: a task, spawned at .*: 80 bytes from byte 760 on of a watched array that has 800 bytes");
  EXPECT_DEATH(Runtime(test::with_workers(1)).spawn(in(watched.tile(1, 2, 1, kMinusOne)), [] {}),
               "not within its watched array");
}

TEST_F(Sizes, MemoryIsAdoptedOnceAndNotWatchedAsWell) {
  Runtime other(test::with_workers(1));
  const auto adopt = [&](std::size_t first, std::size_t count) {
    return error_of([&] { Block<double>::adopt(other, data_.data() + first, count, "again"); });
  };
  const auto watch = [&](std::size_t first, std::size_t rows) {
    return error_of([&] { Watched<double>(data_.data() + first, rows, 3, 10, 1, 1); });
  };
  {
    // Columns 0 to 5 of ten rows, in tiles; then the rest.
    auto left = Array<double, 2>::adopt(runtime_, data_.data(), {10, 6}, {10, 1}, {3, 2}, "left");
    auto right = Array<double, 2>::adopt(other, data_.data() + 6, {10, 3}, {10, 1}, {4, 3}, "right");
    EXPECT_THAT(adopt(0, 1), HasSubstr("adopt(\"again\"): some of its memory, 8 bytes at "));
    EXPECT_THAT(adopt(0, 1), HasSubstr("is that of block \"left[0,0]\""));
    EXPECT_THAT(adopt(95, 1), HasSubstr("block \"left[3,2]\""));
    EXPECT_THAT(adopt(98, 1), HasSubstr("block \"right[2,0]\""));
    EXPECT_EQ(adopt(99, 1), "no error");
    EXPECT_EQ(adopt(9, 1), "no error");
    EXPECT_THAT(watch(0, 1), HasSubstr("some of its memory is that of block \"left[0,"));
    EXPECT_EQ(error_of([&] { Watched<double>(data_.data() + 9, 10, 1, 10, 1, 1); }), "no error");
  }
  const Watched<double> watched(data_.data() + 20, 2, 3, 10, 1, 1);
  EXPECT_THAT(adopt(19, 2), HasSubstr("is in a watched array"));
  EXPECT_THAT(adopt(0, 40), HasSubstr("is in a watched array"));
  EXPECT_EQ(adopt(23, 7), "no error");
  EXPECT_EQ(adopt(0, 20), "no error");
}

TEST_F(Sizes, EnumeratorsThatThereAreNoneOfAreRefused) {
  for (const int priority : {3, 7, 0xf0, 0xf1, 255}) {
    EXPECT_THAT(error_of([&] { runtime_.spawn(static_cast<Priority>(priority), [] { FAIL(); }); }),
                HasSubstr("Priority(" + std::to_string(priority) + ")"));
  }
  EXPECT_THAT(error_of([] { tier_resource("memory", static_cast<TierPolicy>(9)); }), HasSubstr("TierPolicy 9"));
  Options options = test::with_workers(1);
  options.policy = static_cast<Policy>(9);
  EXPECT_THAT(error_of([&] { Runtime runtime(options); }),
              HasSubstr("options.policy=9: allowed is near, numa or flat"));
  options = test::with_workers(1);
  options.strategy = static_cast<Strategy>(200);
  EXPECT_THAT(error_of([&] { Runtime runtime(options); }), HasSubstr("options.strategy=200"));
  EXPECT_THAT(error_of([&] { runtime_.spawn(on_domain(-1), [] { FAIL(); }); }), HasSubstr("on_domain(-1)"));
}

}  // namespace
}  // namespace weir

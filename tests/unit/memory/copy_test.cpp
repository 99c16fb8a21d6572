// SPDX-License-Identifier: Apache-2.0

#include "memory/copy.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "platform/stream_kernels.hpp"

namespace weir::memory {
namespace {

using Memory = std::vector<std::byte>;

Memory numbered(std::size_t bytes, unsigned seed = 1) {
  Memory memory(bytes);
  for (std::size_t i = 0; i < bytes; ++i) memory[i] = static_cast<std::byte>(i * 7 + i / 256 + seed);
  return memory;
}

TEST(CopyBytes, CopiesAnyAlignmentAndNothingBeside) {
  const Memory from = numbered(3 * kStreamingBytes);
  for (const std::size_t bytes :
       {std::size_t{0}, std::size_t{1}, kStreamingBytes - 1, kStreamingBytes, 2 * kStreamingBytes + 77}) {
    for (const std::size_t shift : {0, 1, 63, 64, 100}) {
      Memory to(3 * kStreamingBytes);
      copy_bytes(to.data() + shift, from.data() + 3, bytes);
      EXPECT_TRUE(std::equal(from.begin() + 3, from.begin() + 3 + bytes, to.begin() + shift));
      EXPECT_EQ(std::count(to.begin(), to.begin() + shift, std::byte{}), shift);
      EXPECT_TRUE(std::all_of(to.begin() + shift + bytes, to.end(), [](std::byte b) { return b == std::byte{}; }));
    }
  }
}

TEST(StreamKernels, CopyBytesOfAnyLengthAtAnyPlace) {
  const auto& kernels = platform::stream_kernels();
  const Memory from = numbered(2000);
  for (std::size_t bytes = 0; bytes < 600; bytes += bytes < 140 ? 1 : 37) {
    for (std::size_t shift = 0; shift < 130; shift += 13) {
      Memory to(2000);
      kernels.copy_bytes(to.data() + shift, from.data() + shift / 2, bytes);
      Memory expected(2000);
      std::copy_n(from.begin() + shift / 2, bytes, expected.begin() + shift);
      ASSERT_EQ(to, expected) << bytes << " bytes at " << shift;
    }
  }
}

struct Shape {
  const char* name;
  std::size_t run_bytes, counts[2];
  std::ptrdiff_t strides[2];
  std::size_t first;  // where run (0, 0) starts
};

// One byte at a time, as the contract says.
Memory packed_slowly(const Memory& memory, const Shape& shape) {
  Memory packed;
  for (std::size_t i = 0; i < shape.counts[0]; ++i) {
    for (std::size_t j = 0; j < shape.counts[1]; ++j) {
      const auto* run = memory.data() + shape.first + static_cast<std::ptrdiff_t>(i) * shape.strides[0] +
                        static_cast<std::ptrdiff_t>(j) * shape.strides[1];
      packed.insert(packed.end(), run, run + shape.run_bytes);
    }
  }
  return packed;
}

void expect_both_ways(const Shape& shape, std::size_t memory_bytes) {
  SCOPED_TRACE(shape.name);
  Memory memory = numbered(memory_bytes);
  const auto region_of = [&](Memory& m) {
    return Region{m.data() + shape.first,
                  shape.run_bytes,
                  {shape.counts[0], shape.counts[1]},
                  {shape.strides[0], shape.strides[1]}};
  };
  const Memory expected = packed_slowly(memory, shape);
  Memory packed(expected.size());
  ASSERT_EQ(region_of(memory).bytes(), packed.size());
  pack(packed.data(), region_of(memory));
  ASSERT_EQ(packed, expected);

  Memory target = numbered(memory_bytes, 99);
  Memory untouched = target;
  unpack(region_of(target), packed.data());
  EXPECT_EQ(packed_slowly(target, shape), expected);
  unpack(region_of(untouched), packed_slowly(untouched, shape).data());  // what it holds already
  EXPECT_EQ(untouched, numbered(memory_bytes, 99));
  unpack(region_of(target), packed_slowly(untouched, shape).data());
  EXPECT_EQ(target, untouched) << "bytes outside of the region have changed";
}

TEST(Pack, ShapesThatOccur) {
  const Shape shapes[] = {
      {"nothing", 0, {1, 1}, {0, 0}, 0},
      {"no runs", 8, {0, 3}, {100, 10}, 0},
      {"one run", 1000, {1, 1}, {0, 0}, 17},
      {"rows of a matrix", 64, {1, 20}, {0, 640}, 64},
      {"rows named by the other stride", 64, {20, 1}, {640, 0}, 64},
      {"rows that touch", 64, {1, 20}, {0, 64}, 0},
      {"a cube's corner", 24, {3, 5}, {4000, 400}, 8},
      {"planes that touch", 40, {4, 5}, {200, 40}, 0},
      {"rows touch, planes do not", 40, {4, 5}, {1000, 40}, 0},
      {"rows from the last to the first", 50, {1, 6}, {0, -100}, 500},
      {"single bytes", 1, {7, 9}, {90, 3}, 1},
  };
  for (const Shape& shape : shapes) expect_both_ways(shape, 20'000);
}

TEST(Pack, LargeTilesOfAMatrixWithAnOddPitch) {
  expect_both_ways({"long rows", 20'000, {1, 80}, {0, 30'001}, 5}, 80 * 30'001);
  expect_both_ways({"short rows", 2000, {1, 800}, {0, 3001}, 5}, 800 * 3001);
}

TEST(Pack, RandomShapes) {
  constexpr unsigned kSeed = 5;
  SCOPED_TRACE(kSeed);
  std::mt19937 random(kSeed);
  for (int i = 0; i < 300; ++i) {
    Shape shape{"random", 1 + random() % 90, {1 + random() % 9, 1 + random() % 9}, {0, 0}, random() % 50};
    shape.strides[1] = static_cast<std::ptrdiff_t>(shape.run_bytes + random() % 2 * (random() % 40));
    shape.strides[0] = shape.strides[1] * static_cast<std::ptrdiff_t>(shape.counts[1]) +
                       static_cast<std::ptrdiff_t>(random() % 2 * 64);
    ASSERT_NO_FATAL_FAILURE(expect_both_ways(shape, 20'000));
  }
}

TEST(CopyBandwidth, IsMoreThanNothingForOneThreadAndForTwo) {
  EXPECT_GT(copy_bandwidth(1), 1e6);
  EXPECT_GT(copy_bandwidth(2), 1e6);
}

}  // namespace
}  // namespace weir::memory

// SPDX-License-Identifier: Apache-2.0

// Islands in memory of /dev/dax0.0, which the kernel does not manage, and where what was there before stays.
#include <gmock/gmock.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <numeric>
#include <span>
#include <string>

#include "guest_memory.hpp"
#include "island/flush_memory.hpp"
#include "island/segment.hpp"
#include "multi/island/processes.hpp"
#include "weir/weir.hpp"

namespace weir::guest {
namespace {

using island::error_of;
using island::Master;
using island::Segment;
using testing::AllOf;
using testing::HasSubstr;

constexpr const char* kDevice = "/dev/dax0.0";
constexpr std::size_t kMapped = 2 * kMiB;  // what the device maps at a time
constexpr int kHeap = 32;                  // MiB

// As of another program before.
void fill_device(unsigned char with) {
  const auto memory = island::map_segment({{kHeap * kMiB + 4 * kMiB}, kDevice}).value();
  std::memset(memory->data(), with, memory->size().count);
}

Options options_on_device(IslandMemory kind) {
  Options options = island::options_of(2, kind);
  options.island_segment = kDevice;
  options.island_heap = kHeap;
  return options;
}

TEST(GuestDax, ASegmentIsTheDevicesMemoryInWholePagesOfIt) {
  const auto one = island::map_segment({{5 * kMiB}, kDevice}).value();
  EXPECT_EQ(one->granule(), kMapped);
  EXPECT_EQ(one->size().count, 6 * kMiB);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(one->data()) % kMapped, 0u);
  EXPECT_FALSE(one->takes_system_memory());
  const std::size_t free_before = free_on_node(0);
  std::memset(one->data(), 7, one->size().count);
  EXPECT_LE(free_before, free_on_node(0) + kMiB) << "it took ordinary memory";
  const auto other = island::map_segment({{6 * kMiB}, kDevice}).value();
  EXPECT_EQ(other->data()[6 * kMiB - 1], std::byte{7}) << "the two map the same";
}

TEST(GuestDax, WhatWasWrittenStaysWhenNobodyHasItMapped) {
  fill_device(0x5a);
  const auto again = island::map_segment({{kMapped}, kDevice}).value();
  EXPECT_EQ(again->data()[kMapped - 1], std::byte{0x5a});
  again->release(0, kMapped);
  EXPECT_EQ(again->data()[0], std::byte{0x5a});
}

TEST(GuestDax, MoreThanTheDeviceHasIsRefusedWithBothSizes) {
  Options options = options_on_device(IslandMemory::coherent);
  options.island_heap = 300;
  EXPECT_THAT(error_of([&] { const Master master(options); }),
              AllOf(HasSubstr(kDevice), HasSubstr("302"), HasSubstr("254"), HasSubstr("there")));
}

TEST(GuestDax, ItIsWhereItIs) {
  Options options = options_on_device(IslandMemory::coherent);
  options.island_nodes = "0";
  EXPECT_THAT(error_of([&] { const Master master(options); }),
              HasSubstr("island_nodes cannot place memory of a device"));
}

class TasksOnTheDevice : public testing::TestWithParam<IslandMemory> {};

// Old contents are neither letters nor data.
TEST_P(TasksOnTheDevice, RunAsInOtherMemory) {
  if (GetParam() == IslandMemory::flush && !island::FlushMemory::usable()) GTEST_SKIP() << "no such instructions";
  fill_device(0xff);
  Master master(options_on_device(GetParam()));
  constexpr std::size_t kCount = 3 * kMiB / sizeof(long);
  long* const x = master.allocate<long>(kCount);
  EXPECT_TRUE(std::all_of(x, x + kCount, [](long v) { return v == 0; }));
  auto* const sum = master.allocate<long>(1);
  for (std::size_t at = 0; at < kCount; at += kCount / 4) {
    master.spawn(out(x + at, kCount / 4),
                 [at](std::span<long> part) { std::iota(part.begin(), part.end(), long(at)); });
  }
  for (int round = 0; round < 3; ++round) {
    for (std::size_t at = 0; at < kCount; at += kCount / 4)
      master.spawn(inout(x + at, kCount / 4), [](std::span<long> part) {
        for (long& v : part) ++v;
      });
  }
  master.spawn(in(x, kCount), inout(*sum),
               [](std::span<const long> all, long& to) { to = std::accumulate(all.begin(), all.end(), 0L); });
  master.wait();
  EXPECT_EQ(*sum, long(kCount) * long(kCount - 1) / 2 + 3 * long(kCount));
}
INSTANTIATE_TEST_SUITE_P(Kinds, TasksOnTheDevice,
                         testing::Values(IslandMemory::coherent, IslandMemory::flush, IslandMemory::checked));

}  // namespace
}  // namespace weir::guest

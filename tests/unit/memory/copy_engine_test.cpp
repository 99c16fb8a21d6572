// SPDX-License-Identifier: Apache-2.0

#include "memory/copy_engine.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <semaphore>
#include <vector>

#include "../platform/io_support.hpp"
#include "fake_device.hpp"
#include "memory/arena.hpp"
#include "memory/file_store.hpp"
#include "memory/shared_backing.hpp"
#include "platform/async_io.hpp"
#include "sizes.hpp"

namespace weir::memory {
namespace {

using testing::HasSubstr;

std::unique_ptr<Arena> arena_on(std::unique_ptr<Backing> backing, double copy_fraction = 0) {
  ArenaConfig config;
  config.name = "test";
  config.budget = backing->size();
  config.copy_fraction = copy_fraction;
  auto arena = Arena::make(std::move(config), std::move(backing));
  EXPECT_TRUE(arena) << arena.status().message;
  return std::move(*arena);
}
std::unique_ptr<Arena> memory_arena(double copy_fraction = 0) {
  auto memory = anonymous_backing({8 * kMiB}, {}, platform::PageSize::small);
  EXPECT_TRUE(memory) << memory.status().message;
  return arena_on(std::move(*memory), copy_fraction);
}

std::unique_ptr<Arena> shared_arena() {
  SharedBacking::Config config;
  config.size = {kMiB};
  auto memory = SharedBacking::open(std::move(config));
  EXPECT_TRUE(memory) << memory.status().message;
  return arena_on(std::move(*memory));
}

CopyEnd end_in(Arena& arena, std::size_t bytes) { return CopyEnd::at(arena.backing(), arena.allocate(bytes)); }

void fill(std::byte* data, std::size_t bytes, int seed) {
  for (std::size_t i = 0; i < bytes; ++i) data[i] = std::byte(i * 7 + static_cast<std::size_t>(seed));
}

base::Status perform(CopyEngines& engines, const CopyEnd& from, const CopyEnd& to, std::size_t bytes) {
  Copy copy{.from = from, .to = to, .bytes = bytes, .block = "A[3]"};
  return engines.find(from, to).perform(copy);
}

// A matrix of bytes of which every second row, without its first columns, is the region.
struct Matrix {
  std::vector<std::byte> bytes = std::vector<std::byte>(64 * 100);
  Region region() { return {bytes.data() + 10, 50, {1, 32}, {0, 200}}; }
};

TEST(CopyEngines, CopiesBetweenMemoriesAndStridedRegionsOfTheProgram) {
  CopyEngines engines;
  const auto one = memory_arena();
  const auto other = shared_arena();
  Matrix source, target;
  fill(source.bytes.data(), source.bytes.size(), 1);
  const std::size_t bytes = source.region().bytes();
  const CopyEnd a = end_in(*one, bytes), b = end_in(*other, bytes);
  ASSERT_TRUE(perform(engines, CopyEnd::program(source.region()), a, bytes));
  ASSERT_TRUE(perform(engines, a, b, bytes));
  ASSERT_TRUE(perform(engines, b, CopyEnd::program(target.region()), bytes));
  std::vector<std::byte> expected(bytes), found(bytes);
  pack(expected.data(), source.region());
  pack(found.data(), target.region());
  EXPECT_EQ(found, expected);
}

class FileEngine : public testing::Test {
 protected:
  std::unique_ptr<platform::AsyncIo> io_ = platform::open_async_io({}).value();
  std::unique_ptr<FileStore> file_ = FileStore::open({platform::temporary_folder(), {8 * kMiB}}, *io_).value();
  std::unique_ptr<Arena> memory_ = memory_arena();
  CopyEngines engines_;
};

TEST_F(FileEngine, CarriesABlockToAFileAndBack) {
  constexpr std::size_t kBytes = 100'000;
  const CopyEnd in_memory = end_in(*memory_, kBytes), again = end_in(*memory_, kBytes);
  const CopyEnd in_file = CopyEnd::at(*file_, file_->reserve(kBytes, "a").value().offset);
  fill(in_memory.address(), kBytes, 3);
  ASSERT_TRUE(perform(engines_, in_memory, in_file, kBytes));
  ASSERT_TRUE(perform(engines_, in_file, again, kBytes));
  EXPECT_EQ(std::memcmp(in_memory.address(), again.address(), kBytes), 0);
}

TEST_F(FileEngine, StartsManyCopiesAndReportsEachOnce) {
  constexpr std::size_t kBytes = 20'000, kCopies = 32;
  struct Flight {
    Copy copy;
    std::counting_semaphore<>* landed;
    base::Status status;
  };
  std::counting_semaphore<> landed{0};
  std::vector<Flight> flights(kCopies);
  for (std::size_t i = 0; i < kCopies; ++i) {
    Flight& f = flights[i];
    f.landed = &landed;
    f.copy = {.from = end_in(*memory_, kBytes),
              .to = CopyEnd::at(*file_, file_->reserve(kBytes, "a").value().offset),
              .bytes = kBytes,
              .block = "a"};
    f.copy.user = &f;
    f.copy.done = [](Copy& copy, const base::Status& status) noexcept {
      auto& self = *static_cast<Flight*>(copy.user);
      self.status = status;
      self.landed->release();
    };
    fill(f.copy.from.address(), kBytes, static_cast<int>(i));
    CopyEngine& engine = engines_.find(f.copy.from, f.copy.to);
    ASSERT_TRUE(engine.has_start());
    engine.start(f.copy);
  }
  for (std::size_t i = 0; i < kCopies; ++i) landed.acquire();
  const CopyEnd again = end_in(*memory_, kBytes);
  for (const Flight& f : flights) {
    ASSERT_TRUE(f.status) << f.status.message;
    ASSERT_TRUE(perform(engines_, f.copy.to, again, kBytes));
    EXPECT_EQ(std::memcmp(again.address(), f.copy.from.address(), kBytes), 0);
  }
}

TEST_F(FileEngine, NamesTheBlockWhenTheFileIsBroken) {
  const CopyEnd in_memory = end_in(*memory_, 4096);
  const CopyEnd in_file = CopyEnd::at(*file_, file_->reserve(4096, "a").value().offset);
  ASSERT_EQ(ftruncate(file_->descriptor(), 0), 0);
  const base::Status status = perform(engines_, in_file, in_memory, 4096);
  EXPECT_EQ(status.code, base::Code::io_error);
  EXPECT_THAT(status.message, HasSubstr("'A[3]'"));
}

TEST(CopyEngines, ADeviceRegistersItsOwnEngineAndNothingElseChanges) {
  FakeDeviceEngine device_engine;
  CopyEngines engines;
  engines.add(BackingKind::anonymous, BackingKind::device, device_engine);
  engines.add(BackingKind::device, BackingKind::anonymous, device_engine);
  engines.add_program(BackingKind::device, device_engine);
  const auto memory = memory_arena();
  const auto device = arena_on(std::make_unique<FakeDevice>(kMiB));
  Matrix source, target;
  fill(source.bytes.data(), source.bytes.size(), 9);
  const std::size_t bytes = source.region().bytes();
  const CopyEnd on_device = end_in(*device, bytes), in_memory = end_in(*memory, bytes),
                back_on_device = end_in(*device, bytes);
  ASSERT_TRUE(perform(engines, CopyEnd::program(source.region()), on_device, bytes));
  ASSERT_TRUE(perform(engines, on_device, in_memory, bytes));
  ASSERT_TRUE(perform(engines, in_memory, back_on_device, bytes));
  ASSERT_TRUE(perform(engines, back_on_device, CopyEnd::program(target.region()), bytes));
  EXPECT_EQ(device_engine.copies, 4);
  std::vector<std::byte> expected(bytes), found(bytes);
  pack(expected.data(), source.region());
  pack(found.data(), target.region());
  EXPECT_EQ(found, expected);
}

TEST(CopyEngines, APairWithoutAnEngineIsAnErrorThatNamesBothEnds) {
  CopyEngines engines;
  const auto memory = memory_arena();
  const auto device = arena_on(std::make_unique<FakeDevice>(kMiB));
  const base::Status status = perform(engines, end_in(*device, 100), end_in(*memory, 100), 100);
  EXPECT_EQ(status.code, base::Code::unsupported);
  EXPECT_THAT(status.message,
              HasSubstr("block 'A[3]', 100 bytes: no copy engine goes from device memory \"fake0\" at 0 "
                        "to anonymous memory"));
}

TEST(CopyEngines, AnEngineIsOfOneDirection) {
  FakeDeviceEngine device_engine;
  CopyEngines engines;
  engines.add(BackingKind::anonymous, BackingKind::device, device_engine);
  const auto memory = memory_arena();
  const auto device = arena_on(std::make_unique<FakeDevice>(kMiB));
  const CopyEnd a = end_in(*memory, 64), b = end_in(*device, 64);
  EXPECT_EQ(&engines.find(a, b), &device_engine);
  EXPECT_EQ(perform(engines, b, a, 64).code, base::Code::unsupported);
}

TEST(CopyEngines, EmulatedMemoryIsSlowFromAndToAndOtherMemoryIsNot) {
  CopyEngines engines(1e12);
  const auto fast = memory_arena(), emulated = memory_arena(0.25);
  const CopyEnd a = end_in(*fast, 4096), b = end_in(*emulated, 4096), c = end_in(*fast, 4096);
  CopyEngine& plain = engines.find(a, c);
  EXPECT_NE(&engines.find(a, b), &plain);
  EXPECT_NE(&engines.find(b, a), &plain);
  fill(a.address(), 4096, 5);
  ASSERT_TRUE(perform(engines, a, b, 4096));
  ASSERT_TRUE(perform(engines, b, c, 4096));
  EXPECT_EQ(std::memcmp(a.address(), c.address(), 4096), 0);
  CopyEngines without;
  EXPECT_EQ(&without.find(a, b), &without.find(a, c)) << "without a bandwidth to emulate nothing is slow";
}

TEST(CopyEngines, AnEmulatedCopyTakesAsLongAsItsBytesCost) {
  CopyEngines engines(10.0 * kMiB);  // bytes a second
  const auto fast = memory_arena(), emulated = memory_arena(0.25);
  const CopyEnd a = end_in(*fast, kMiB), b = end_in(*emulated, kMiB);
  const auto start = Throttle::Clock::now();
  ASSERT_TRUE(perform(engines, a, b, kMiB));
  ASSERT_TRUE(perform(engines, b, a, kMiB));
  EXPECT_GE(Throttle::Clock::now() - start, std::chrono::milliseconds(150)) << "200 ms, less what may be owed";
}

}  // namespace
}  // namespace weir::memory

// SPDX-License-Identifier: Apache-2.0

#include "island/memory.hpp"

#include <gmock/gmock.h>

#include <atomic>
#include <cstring>

#include "child.hpp"
#include "island/flush_memory.hpp"
#include "kinds.hpp"

namespace weir::island {
namespace {

constexpr Bytes kSize{std::uint64_t{1} << 20};

std::unique_ptr<SharedMemory> map(IslandMemory kind, std::uint64_t seed = 0, Bytes size = kSize) {
  return SharedMemory::map({size}, kind, seed).value();
}

// A64FX has lines of 256 bytes.
TEST(FlushMemory, RefusesCachesThatMoveMoreThanALineOfOurs) {
  const auto nothing = [](const void*, std::size_t) noexcept {};
  const platform::CacheLineInstructions wide{"wide", nothing, nothing, 256};
  const auto memory = FlushMemory::map({kSize}, {&wide, 1});
  ASSERT_FALSE(memory);
  EXPECT_THAT(memory.status().message, testing::HasSubstr("may write 256 bytes back at a time"));
}

// ---- What all kinds do ----

class AllKinds : public OverKinds {};

TEST_P(AllKinds, StartZeroedAtOneAddressInAllProcesses) {
  const auto memory = map(GetParam(), 0, {5000});
  EXPECT_GE(memory->size().count, 5000u);
  Child child([&] {
    memory->enter_process(1);
    memory->invalidate(memory->data(), 5000);
    for (std::size_t i = 0; i < 5000; ++i) {
      if (memory->data()[i] != std::byte{0}) return 1;
    }
    return 0;
  });
  EXPECT_EQ(child.wait(), 0);
}

TEST_P(AllKinds, ShowWhatWasWrittenBackAfterInvalidate) {
  const auto memory = map(GetParam());
  auto* const words = reinterpret_cast<int*>(memory->data());
  memory->invalidate(words, 4000);
  EXPECT_EQ(words[999], 0);
  Child child([&] {
    memory->enter_process(1);
    for (int i = 0; i < 1000; ++i) words[i] = i;
    memory->write_back(words, 4000);
    return 0;
  });
  EXPECT_EQ(child.wait(), 0);
  memory->invalidate(words, 4000);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(words[i], i);
}

TEST_P(AllKinds, TakeOddRangesAndNothing) {
  const auto memory = map(GetParam(), 1);
  std::byte* const data = memory->data();
  memory->invalidate(data, 0);
  memory->write_back(data, 0);
  Child child([&] {
    memory->enter_process(1);
    data[63] = data[64] = data[129] = std::byte{1};
    memory->write_back(data + 63, 2);   // two lines
    memory->write_back(data + 191, 1);  // the third
    memory->write_back(data + memory->size().count, 0);
    return 0;
  });
  EXPECT_EQ(child.wait(), 0);
  memory->invalidate(data + 63, 67);
  EXPECT_EQ(data[63], std::byte{1});
  EXPECT_EQ(data[64], std::byte{1});
  EXPECT_EQ(data[129], std::byte{1});
}

TEST_P(AllKinds, MayBeMuchLargerThanTheMachine) {
  const auto memory = map(GetParam(), 0, {std::uint64_t{1} << 37});
  std::byte* const last = memory->data() + memory->size().count - 1;
  *last = std::byte{7};
  EXPECT_EQ(memory->find_unwritten(memory->data(), 4096), nullptr);
  memory->write_back(last, 1);
  memory->invalidate(last, 1);
  EXPECT_EQ(*last, std::byte{7});
}

TEST_P(AllKinds, SayWhatToDoWhenThereIsNoSuchSpace) {
  for (const std::uint64_t bytes : {std::uint64_t{1} << 60, ~std::uint64_t{0}}) {
    const auto memory = SharedMemory::map({{bytes}}, GetParam(), 0);
    ASSERT_FALSE(memory);
    EXPECT_EQ(memory.status().code, base::Code::no_space);
    EXPECT_THAT(memory.status().message, testing::HasSubstr(std::to_string(bytes >> 20) + " MiB"));
    EXPECT_THAT(memory.status().message, testing::HasSubstr("island_heap"));
  }
}

INSTANTIATE_TEST_SUITE_P(Memory, AllKinds, testing::ValuesIn(kAllKinds), name_of);

// ---- What the checker shows ----

// What is in memory proper: what a process sees whose cache was empty.
template <class F>
bool another_process_sees(SharedMemory& memory, F is_so) {
  Child child([&] {
    memory.enter_process(1);
    memory.invalidate(memory.data(), 4096);
    return is_so() ? 0 : 1;
  });
  return child.wait() == 0;
}

TEST(CheckedMemory, HidesAWriteThatIsNotWrittenBack) {
  const auto memory = map(IslandMemory::checked);
  std::byte& byte = memory->data()[100];
  byte = std::byte{1};
  EXPECT_TRUE(another_process_sees(*memory, [&] { return byte == std::byte{0}; }));
  memory->write_back(memory->data(), 64);  // another line
  EXPECT_TRUE(another_process_sees(*memory, [&] { return byte == std::byte{0}; }));
  memory->write_back(&byte, 1);
  EXPECT_TRUE(another_process_sees(*memory, [&] { return byte == std::byte{1}; }));
}

void another_process_writes(SharedMemory& memory, std::byte& byte, std::byte value) {
  Child child([&] {
    memory.enter_process(1);
    byte = value;
    memory.write_back(&byte, 1);
    return 0;
  });
  EXPECT_EQ(child.wait(), 0);
}

TEST(CheckedMemory, ShowsTheOldValueUntilInvalidate) {
  const auto memory = map(IslandMemory::checked);
  std::byte& byte = memory->data()[100];
  another_process_writes(*memory, byte, std::byte{1});
  EXPECT_EQ(byte, std::byte{0});
  memory->invalidate(memory->data(), 64);  // another line
  EXPECT_EQ(byte, std::byte{0});
  memory->invalidate(&byte, 1);
  EXPECT_EQ(byte, std::byte{1});
}

TEST(CheckedMemory, LosesTheBytesOfOneOfTwoWritersOfALine) {
  const auto memory = map(IslandMemory::checked);
  std::byte* const line = memory->data();
  another_process_writes(*memory, line[0], std::byte{1});
  line[1] = std::byte{2};  // without the other's byte, which goes to memory as this process has it
  memory->write_back(line, 2);
  EXPECT_TRUE(another_process_sees(*memory, [&] { return line[0] == std::byte{0} && line[1] == std::byte{2}; }));
}

TEST(CheckedMemory, WritesNoLineThatIsClean) {
  const auto memory = map(IslandMemory::checked);
  std::byte* const line = memory->data();
  another_process_writes(*memory, line[0], std::byte{1});
  memory->write_back(line, 64);
  EXPECT_TRUE(another_process_sees(*memory, [&] { return line[0] == std::byte{1}; }));
}

TEST(CheckedMemory, DropsWhatWasWrittenBeforeInvalidate) {
  const auto memory = map(IslandMemory::checked);
  memory->data()[0] = std::byte{1};
  memory->invalidate(memory->data(), 1);
  EXPECT_EQ(memory->data()[0], std::byte{0});
  EXPECT_EQ(memory->find_unwritten(memory->data(), kSize.count), nullptr);
}

TEST(CheckedMemory, GivesAForkedProcessAnEmptyCache) {
  const auto memory = map(IslandMemory::checked);
  std::byte* const data = memory->data();
  data[0] = std::byte{1};
  data[64] = std::byte{2};
  memory->write_back(data, 1);
  Child child([&] {
    memory->enter_process(1);
    if (data[0] != std::byte{0} || data[64] != std::byte{0}) return 1;
    if (memory->find_unwritten(data, kSize.count) != nullptr) return 2;
    memory->invalidate(data, 128);
    return data[0] == std::byte{1} && data[64] == std::byte{0} ? 0 : 3;
  });
  EXPECT_EQ(child.wait(), 0);
  EXPECT_EQ(data[64], std::byte{2});
}

TEST(CheckedMemory, NamesTheFirstLineThatIsNotWrittenBack) {
  const auto memory = map(IslandMemory::checked, 0, {std::uint64_t{3} << 21});
  std::byte* const data = memory->data();
  const std::size_t bytes = memory->size().count;
  for (const std::size_t at : {std::size_t{0}, std::size_t{4095}, std::size_t{4096 * 513 + 70}, bytes - 1}) {
    EXPECT_EQ(memory->find_unwritten(data, bytes), nullptr);
    data[at] = std::byte{1};
    const void* const line = data + at / kLine * kLine;
    EXPECT_EQ(memory->find_unwritten(data, bytes), line);
    EXPECT_EQ(memory->find_unwritten(data + at, 1), line);
    EXPECT_EQ(memory->find_unwritten(data, at / kLine * kLine), nullptr);
    EXPECT_EQ(memory->find_unwritten(data + (at / kLine + 1) * kLine, bytes - (at / kLine + 1) * kLine), nullptr);
    memory->write_back(data + at, 1);
  }
}

// Names the line at `data` and takes steps with another one; what may move of its own accord is of the last 64 named.
template <class Has>
bool moves_by_itself(SharedMemory& memory, std::byte* data, std::byte value, Has has_moved) {
  for (int tries = 0; tries < 100; ++tries) {
    memory.invalidate(data, 1);
    data[0] = value;
    for (int steps = 0; steps < 60; ++steps) {
      memory.write_back(data + kLine, 1);
      if (has_moved()) return true;
    }
  }
  return false;
}

TEST(CheckedMemory, WritesADirtyLineBackOfItsOwnAccord) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const auto memory = map(IslandMemory::checked, seed);
    std::byte* const data = memory->data();
    const auto is_clean = [&] { return memory->find_unwritten(data, kLine) == nullptr; };
    EXPECT_TRUE(moves_by_itself(*memory, data, std::byte{1}, is_clean)) << "seed " << seed;
    EXPECT_TRUE(another_process_sees(*memory, [&] { return data[0] == std::byte{1}; })) << "seed " << seed;
  }
}

TEST(CheckedMemory, ReadsACleanLineAgainOfItsOwnAccord) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const auto memory = map(IslandMemory::checked, seed);
    std::byte* const data = memory->data();
    memory->invalidate(data, 1);
    Child child([&] {
      memory->enter_process(1);
      data[0] = std::byte{1};
      memory->write_back(data, 1);
      return 0;
    });
    EXPECT_EQ(child.wait(), 0);
    EXPECT_EQ(data[0], std::byte{0}) << "seed " << seed;
    int steps = 0;
    while (steps < 10000 && data[0] == std::byte{0}) memory->write_back(data, kLine), ++steps;  // it is clean: nothing
    EXPECT_EQ(data[0], std::byte{1}) << "seed " << seed;
  }
}

TEST(CheckedMemory, MovesNoLineOfItsOwnAccordWithoutASeed) {
  const auto memory = map(IslandMemory::checked, 0);
  std::byte* const data = memory->data();
  const auto is_clean = [&] { return memory->find_unwritten(data, kLine) == nullptr; };
  EXPECT_FALSE(moves_by_itself(*memory, data, std::byte{1}, is_clean));
}

TEST(CheckedMemoryDeathTest, RefusesARangeOfOtherMemory) {
  const auto memory = map(IslandMemory::checked);
  const int elsewhere = 0;
  EXPECT_DEATH(memory->write_back(&elsewhere, sizeof(elsewhere)), "not of the islands' memory");
  EXPECT_DEATH(memory->invalidate(memory->data() + kSize.count - 1, 2), "not of the islands' memory");
}

}  // namespace
}  // namespace weir::island

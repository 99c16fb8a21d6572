// SPDX-License-Identifier: Apache-2.0

#include "shmem/heap/plan.hpp"

#include <gmock/gmock.h>

#include <map>

#include "shmem/heap/size_text.hpp"

namespace weir::shmem {
namespace {

using testing::HasSubstr;
constexpr std::uint64_t kKib = 1024, kMib = kKib * 1024, kGib = kMib * 1024;

TEST(ShmemSize, IsANumberWithASuffix) {
  EXPECT_EQ(parse_size("4096"), 4096U);
  EXPECT_EQ(parse_size("3k"), 3 * kKib);
  EXPECT_EQ(parse_size("512M"), 512 * kMib);
  EXPECT_EQ(parse_size("1.5G"), 3 * kGib / 2);
  EXPECT_EQ(parse_size(" 2 GiB "), 2 * kGib);
  EXPECT_EQ(parse_size("2t"), 2048 * kGib);
  EXPECT_EQ(parse_size("8mb"), 8 * kMib);
}

TEST(ShmemSize, IsNothingElse) {
  for (const char* const text :
       {"", "0", "-1M", "much", "M", "12Q", "12MM", "1e3", "0x10", "nan", "inf", "9999999T", "1 2"})
    EXPECT_FALSE(parse_size(text)) << text;
}

base::Result<std::vector<PartitionPlan>> plan(const std::map<std::string, std::string>& variables) {
  return plan_heaps([&](const std::string& name) {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

std::string refusal(const std::map<std::string, std::string>& variables) {
  const auto plans = plan(variables);
  return plans ? "none" : plans.status().message;
}

TEST(ShmemPlan, HasAHeapWithoutASizeWhenNothingIsSaid) {
  EXPECT_THAT(*plan({}), testing::ElementsAre(PartitionPlan{.number = 1, .bytes = {}, .kind = {}}));
}

TEST(ShmemPlan, TakesTheNewerNameOfTheSizeBeforeTheOlder) {
  EXPECT_EQ((*plan({{"SMA_SYMMETRIC_SIZE", "2M"}}))[0].bytes, 2 * kMib);
  EXPECT_EQ((*plan({{"SMA_SYMMETRIC_SIZE", "2M"}, {"SHMEM_SYMMETRIC_SIZE", "3M"}}))[0].bytes, 3 * kMib);
}

TEST(ShmemPlan, TakesTheSizeByTheNamesOfOtherLibraries) {
  for (const char* const name : {"SHMEM_SYMMETRIC_HEAP_SIZE", "XT_SYMMETRIC_HEAP_SIZE"}) {
    EXPECT_EQ((*plan({{name, "2M"}}))[0].bytes, 2 * kMib) << name;
    EXPECT_EQ((*plan({{name, "2M"}, {"SHMEM_SYMMETRIC_SIZE", "3M"}}))[0].bytes, 3 * kMib) << name;
    EXPECT_THAT(refusal({{name, "much"}}), HasSubstr(std::string(name) + "=much"));
  }
}

TEST(ShmemPlan, HasPartitionsOfKindsOfMemory) {
  const auto plans = plan({{"SHMEM_SYMMETRIC_SIZE", "1M"},
                           {"SHMEM_SYMMETRIC_PARTITION2", "size=8G:kind=F:policy=P"},
                           {"SHMEM_SYMMETRIC_PARTITION7", "kind=cxl:size=1G:policy=interleaved:pgsize=2M"}});
  ASSERT_TRUE(plans) << plans.status().message;
  EXPECT_THAT(*plans, testing::ElementsAre(PartitionPlan{.number = 1, .bytes = kMib, .kind = {}},
                                           PartitionPlan{2, 8 * kGib, machine::MemoryKind::hbm, PlacePolicy::preferred},
                                           PartitionPlan{7, kGib, machine::MemoryKind::cxl, PlacePolicy::interleaved}));
}

TEST(ShmemPlan, PartitionOneIsTheHeap) {
  EXPECT_EQ((*plan({{"SHMEM_SYMMETRIC_PARTITION1", "size=5M"}}))[0].bytes, 5 * kMib);
  EXPECT_THAT(refusal({{"SHMEM_SYMMETRIC_PARTITION1", "size=5M"}, {"SMA_SYMMETRIC_SIZE", "2M"}}),
              HasSubstr("SMA_SYMMETRIC_SIZE=2M says too"));
}

TEST(ShmemPlan, NamesTheVariableAndWhatIsWrongWithIt) {
  EXPECT_THAT(refusal({{"SHMEM_SYMMETRIC_SIZE", "lots"}}), HasSubstr("SHMEM_SYMMETRIC_SIZE=lots: lots is no size"));
  EXPECT_THAT(refusal({{"SHMEM_SYMMETRIC_SIZE", "16T"}}), HasSubstr("less than 16T"));
  EXPECT_THAT(refusal({{"SHMEM_SYMMETRIC_SIZE", ""}}), HasSubstr("is no size"));
  EXPECT_THAT(refusal({{"SHMEM_SYMMETRIC_PARTITION2", "kind=hbm"}}), HasSubstr("it has no size"));
  EXPECT_THAT(refusal({{"SHMEM_SYMMETRIC_PARTITION2", "size=1M:kind=wood"}}), HasSubstr("kind wood is unknown"));
  EXPECT_THAT(refusal({{"SHMEM_SYMMETRIC_PARTITION2", "size=1M:policy=X"}}), HasSubstr("policy X is unknown"));
  EXPECT_THAT(refusal({{"SHMEM_SYMMETRIC_PARTITION2", "size=1M:speed=9"}}), HasSubstr("speed is unknown"));
  EXPECT_THAT(refusal({{"SHMEM_SYMMETRIC_PARTITION2", "size"}}), HasSubstr("size has no value"));
}

TEST(ShmemPlan, TheDefaultHeapIsLessWhereMemoryIs) {
  EXPECT_EQ(default_heap_bytes(64 * kGib, 4), kGib);
  EXPECT_EQ(default_heap_bytes(kGib, 4), 256 * kMib - kInternalBytes);
  EXPECT_EQ(default_heap_bytes(kMib, 8), 4 * kMib);
}

}  // namespace
}  // namespace weir::shmem

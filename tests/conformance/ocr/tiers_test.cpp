// SPDX-License-Identifier: Apache-2.0

// Data blocks in tiers: programs larger than fast memory, the places that hints ask for, and what cannot be had.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <thread>
#include <tuple>

#include "ocr/blocks/keeping.hpp"
#include "ocr/graph/local.hpp"
#include "ocr/objects/tables.hpp"
#include "ocr/system/system.hpp"
#include "ocr_test.hpp"
#include "platform/faulty_io.hpp"

namespace ocr_test {
namespace {

using weir::TierStatistics;
using weir::ocr::System;

constexpr u64 kBytes = 256 << 10, kWords = kBytes / sizeof(u64);

const char* const kFile = "memory=2MiB,file=/tmp:64MiB";
const char* const kSlower = "memory=2MiB,emulated=64MiB@0.5";

// OCR with those options.
class Program {
 public:
  Program(const char* tiers, const char* strategy, int workers) {
    setenv("WEIR_TIERS", tiers, 1);
    setenv("WEIR_STRATEGY", strategy, 1);
    setenv("WEIR_WORKERS", std::to_string(workers).c_str(), 1);
    ocrLegacyInit(&context_, nullptr);
    unsetenv("WEIR_TIERS");
    unsetenv("WEIR_STRATEGY");
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program() {
    if (context_ != NULL_GUID) ocrLegacyFinalize(context_, false);
  }

  TierStatistics statistics() const { return System::running()->runtime().tier_statistics(); }
  // The exit code of a program that ends by itself.
  u8 run() {
    const u8 code = ocrLegacyFinalize(context_, true);
    context_ = NULL_GUID;
    return code;
  }
  void in_edt(const std::function<void()>& body) {
    ocrGuid_t done = event(OCR_EVENT_STICKY_T);
    const Body wrapped = [&body](u32, ocrEdtDep_t*) {
      body();
      return NULL_GUID;
    };
    edt(0, wrapped, {EDT_PROP_FINISH | EDT_PROP_OEVT_VALID, &done, nullptr, nullptr});
    EXPECT_EQ(ocrLegacyBlockProgress(done, nullptr, nullptr, nullptr, LEGACY_PROP_NONE), 0);
    EXPECT_EQ(ocrEventDestroy(done), 0);
  }

 private:
  ocrGuid_t context_ = NULL_GUID;
};

ocrHint_t block_hint(ocrHintProp_t property, u64 value = 1) {
  ocrHint_t hint;
  EXPECT_EQ(ocrHintInit(&hint, OCR_HINT_DB_T), 0);
  EXPECT_EQ(ocrSetHintValue(&hint, property, value), 0);
  return hint;
}

// Of kBytes, each word `value`, released.
ocrGuid_t large_block(u64 value, ocrHint_t* hint = NULL_HINT) {
  ocrGuid_t guid = NULL_GUID;
  void* data = nullptr;
  EXPECT_EQ(ocrDbCreate(&guid, &data, kBytes, DB_PROP_NONE, hint, NO_ALLOC), 0);
  if (data != nullptr) std::fill_n(static_cast<u64*>(data), kWords, value);
  EXPECT_EQ(ocrDbRelease(guid), 0);
  return guid;
}

// The value of all words; ~0 when they differ.
u64 value_of(const void* data) {
  const u64* const words = static_cast<const u64*>(data);
  return words != nullptr && std::all_of(words, words + kWords, [&](u64 w) { return w == words[0]; }) ? words[0]
                                                                                                      : ~u64{0};
}

void add_to(void* data, u64 value) {
  u64* const words = static_cast<u64*>(data);
  for (u64 i = 0; i < kWords; ++i) words[i] += value;
}

using TiersParam = std::tuple<const char*, const char*, int>;
class Tiers : public testing::TestWithParam<TiersParam> {
 protected:
  // `off` uses an eighth of it for what is in the file.
  static const char* tiers() {
    const bool roomy = std::get<0>(GetParam()) == kFile && std::get<1>(GetParam()) == std::string("off");
    return roomy ? "memory=7MiB,file=/tmp:64MiB" : std::get<0>(GetParam());
  }
  Program program{tiers(), std::get<1>(GetParam()), std::get<2>(GetParam())};
};
INSTANTIATE_TEST_SUITE_P(, Tiers,
                         testing::Combine(testing::Values(kFile, kSlower),
                                          testing::Values("off", "inline", "single", "multi", "ahead"),
                                          testing::Values(1, 4)),
                         [](const testing::TestParamInfo<TiersParam>& i) {
                           return std::string(std::get<0>(i.param) == kFile ? "file_" : "slower_") +
                                  std::get<1>(i.param) + "_" + std::to_string(std::get<2>(i.param));
                         });

constexpr std::size_t kBlocks = 32;  // four times the fast tier

std::vector<ocrGuid_t> make_blocks(Program& program) {
  std::vector<ocrGuid_t> blocks;
  program.in_edt([&] {
    for (std::size_t i = 0; i < kBlocks; ++i) blocks.push_back(large_block(i));
  });
  return blocks;
}

void expect_values(Program& program, const std::vector<ocrGuid_t>& blocks, u64 more) {
  program.in_edt([&] {
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      const ocrGuid_t reader = edt(1, [=](u32, ocrEdtDep_t* d) {
        EXPECT_EQ(value_of(d[0].ptr), i + more);
        return NULL_GUID;
      });
      EXPECT_EQ(ocrAddDependence(blocks[i], reader, 0, DB_MODE_CONST), 0);
    }
  });
}

TEST_P(Tiers, AProgramLargerThanFastMemoryGivesTheRightResult) {
  const std::vector<ocrGuid_t> blocks = make_blocks(program);
  constexpr u64 kRounds = 3;
  std::atomic<int> wrong{0};
  for (u64 round = 0; round < kRounds; ++round) {
    program.in_edt([&] {
      for (std::size_t i = 0; i < kBlocks; ++i) {
        const ocrGuid_t one = edt(2, [&wrong](u32, ocrEdtDep_t* d) {
          if (value_of(d[1].ptr) == ~u64{0}) ++wrong;
          add_to(d[0].ptr, 1);
          return NULL_GUID;
        });
        EXPECT_EQ(ocrAddDependence(blocks[i], one, 0, DB_MODE_EW), 0);
        EXPECT_EQ(ocrAddDependence(blocks[(i + 1) % kBlocks], one, 1, DB_MODE_CONST), 0);
      }
    });
  }
  EXPECT_EQ(wrong, 0);
  expect_values(program, blocks, kRounds);
  const TierStatistics seen = program.statistics();
  for (const weir::TierReport& report : seen.tiers) EXPECT_LE(report.peak, report.budget) << report.node;
  const bool moves = std::get<1>(GetParam()) != std::string("off") || std::get<0>(GetParam()) == kFile;
  EXPECT_GE(seen.bytes_fetched, moves ? kBlocks * kBytes / 4 : 0);
  for (const ocrGuid_t block : blocks) EXPECT_EQ(ocrDbDestroy(block), 0);
  // What is left in memory are slabs of small blocks.
  for (const weir::TierReport& report : program.statistics().tiers) EXPECT_LT(report.used, u64{1} << 20) << report.node;
}

TEST_P(Tiers, WritersShareABlockAndSeeOneMemory) {
  const std::vector<ocrGuid_t> blocks = make_blocks(program);
  std::atomic<u64> total{0};
  program.in_edt([&] {
    for (std::size_t i = 0; i < 8 * kBlocks; ++i) {
      const ocrGuid_t one = edt(1, [&](u32, ocrEdtDep_t* d) {
        auto& word = *static_cast<u64*>(d[0].ptr);
        __atomic_fetch_add(&word, 1000, __ATOMIC_RELAXED);
        return ++total, NULL_GUID;
      });
      EXPECT_EQ(ocrAddDependence(blocks[i % kBlocks], one, 0, DB_MODE_RW), 0);
    }
  });
  EXPECT_EQ(total, 8 * kBlocks);
  program.in_edt([&] {
    for (std::size_t i = 0; i < kBlocks; ++i) {
      const ocrGuid_t reader = edt(1, [=](u32, ocrEdtDep_t* d) {
        EXPECT_EQ(*static_cast<u64*>(d[0].ptr), i + 8000);
        return NULL_GUID;
      });
      EXPECT_EQ(ocrAddDependence(blocks[i], reader, 0, DB_MODE_RO), 0);
    }
  });
}

TEST_P(Tiers, WhatAnEdtHoldsStaysWhereItIsWhileOthersComeAndGo) {
  const std::vector<ocrGuid_t> blocks = make_blocks(program);
  program.in_edt([&] {
    const ocrGuid_t holder = edt(1, [](u32, ocrEdtDep_t* d) {
      ocrGuid_t own;
      void* data = nullptr;
      EXPECT_EQ(ocrDbCreate(&own, &data, kBytes, DB_PROP_NONE, NULL_HINT, NO_ALLOC), 0);
      std::memset(data, 0x11, kBytes);
      for (u64 i = 0; i < 2 * kBlocks; ++i) {
        const ocrGuid_t other = large_block(i);
        EXPECT_EQ(value_of(d[0].ptr), 7u);
        EXPECT_EQ(value_of(data), 0x1111111111111111u);
        EXPECT_EQ(ocrDbDestroy(other), 0);
      }
      return NULL_GUID;
    });
    EXPECT_EQ(ocrAddDependence(blocks[7], holder, 0, DB_MODE_RO), 0);
  });
}

TEST_P(Tiers, EdtsThatMakeBlocksWaitForRoom) {
  std::vector<ocrGuid_t> made(4 * kBlocks, NULL_GUID);
  program.in_edt([&] {
    for (std::size_t i = 0; i < made.size(); ++i) {
      edt(0, [&made, i](u32, ocrEdtDep_t*) {
        made[i] = large_block(i);
        return NULL_GUID;
      });
    }
  });
  expect_values(program, made, 0);
}

TEST_P(Tiers, AThreadThatWaitsForABlockFindsItsContents) {
  const std::vector<ocrGuid_t> blocks = make_blocks(program);
  for (std::size_t i = 0; i < kBlocks; ++i) {
    const ocrGuid_t carrier = event(OCR_EVENT_STICKY_T);
    EXPECT_EQ(ocrEventSatisfy(carrier, blocks[i]), 0);
    ocrGuid_t guid;
    void* data = nullptr;
    u64 size = 0;
    ASSERT_EQ(ocrLegacyBlockProgress(carrier, &guid, &data, &size, LEGACY_PROP_NONE), 0);
    EXPECT_EQ(guid, blocks[i]);
    EXPECT_EQ(size, kBytes);
    EXPECT_EQ(value_of(data), i);
    EXPECT_EQ(ocrDbRelease(guid), 0);
  }
  program.in_edt([&] {
    for (std::size_t i = 0; i < kBlocks; ++i) {
      const ocrGuid_t carrier = event(OCR_EVENT_STICKY_T);
      EXPECT_EQ(ocrEventSatisfy(carrier, blocks[i]), 0);
      void* data = nullptr;
      ASSERT_EQ(ocrLegacyBlockProgress(carrier, nullptr, &data, nullptr, LEGACY_PROP_NONE), 0);
      EXPECT_EQ(value_of(data), i);
      EXPECT_EQ(ocrDbRelease(blocks[i]), 0);
    }
  });
}

TEST_P(Tiers, ABlockThatIsDestroyedBeforeItsEdtStartsIsMissedByItOnly) {
  const std::vector<ocrGuid_t> blocks = make_blocks(program);
  const ocrGuid_t gate = event(OCR_EVENT_STICKY_T);
  std::atomic<int> ran{0};
  program.in_edt([&] {
    for (std::size_t i = 0; i < kBlocks; ++i) {
      const ocrGuid_t one = edt(3, [&ran, i](u32, ocrEdtDep_t* d) {
        EXPECT_EQ(d[0].ptr, nullptr);
        EXPECT_EQ(value_of(d[1].ptr), i + 1);
        return ++ran, NULL_GUID;
      });
      if (i % 2 != 0) {
        EXPECT_EQ(ocrEdtDestroy(one), 0);
        continue;
      }
      EXPECT_EQ(ocrAddDependence(blocks[i], one, 0, DB_MODE_RW), 0);
      EXPECT_EQ(ocrAddDependence(blocks[i + 1], one, 1, DB_MODE_RO), 0);
      EXPECT_EQ(ocrAddDependence(gate, one, 2, DB_MODE_NULL), 0);
      EXPECT_EQ(ocrDbDestroy(blocks[i]), 0);
    }
    EXPECT_EQ(ocrEventSatisfy(gate, NULL_GUID), 0);
  });
  EXPECT_EQ(ran, static_cast<int>(kBlocks / 2));
}

TEST_P(Tiers, MemoryInsideABlockIsFoundWhereTheBlockIs) {
  ocrGuid_t data = NULL_GUID;
  u64 offset = 0;
  program.in_edt([&] {
    void *pointer = nullptr, *piece = nullptr;
    ASSERT_EQ(ocrDbCreate(&data, &pointer, kBytes, DB_PROP_NONE, NULL_HINT, static_cast<ocrInDbAllocator_t>(1)), 0);
    ASSERT_EQ(ocrDbMalloc(data, 64, &piece), 0);
    offset = static_cast<u64>(static_cast<char*>(piece) - static_cast<char*>(pointer));
    EXPECT_LT(offset, kBytes);
    std::memset(piece, 0x22, 64);
  });
  static_cast<void>(make_blocks(program));
  program.in_edt([&] {
    const ocrGuid_t user = edt(1, [&](u32, ocrEdtDep_t* d) {
      EXPECT_EQ(static_cast<char*>(d[0].ptr)[offset + 63], 0x22);
      EXPECT_EQ(ocrDbFree(data, static_cast<char*>(d[0].ptr) + offset), 0);
      return NULL_GUID;
    });
    EXPECT_EQ(ocrAddDependence(data, user, 0, DB_MODE_EW), 0);
  });
}

TEST_P(Tiers, AProgramThatEndsWhileEdtsWaitForRoomEnds) {
  static_cast<void>(make_blocks(program));
  for (int i = 0; i < 64; ++i) {
    edt(0, [](u32, ocrEdtDep_t*) {
      ocrGuid_t guid;
      void* data = nullptr;
      if (ocrDbCreate(&guid, &data, kBytes, DB_PROP_NONE, NULL_HINT, NO_ALLOC) == 0) std::memset(data, 1, kBytes);
      return NULL_GUID;
    });
  }
  edt(0, [](u32, ocrEdtDep_t*) { return ocrShutdown(), NULL_GUID; });
  EXPECT_EQ(program.run(), 0);
}

// After ocrShutdown() nobody waits for room any more: an EDT that runs on has some memory instead of the block's, whose
// contents nobody is given.
TEST(TiersAtTheEnd, NoEdtIsGivenABlockThatHadNoRoom) {
  constexpr int kWorkers = 4;
  constexpr u64 kValue = 0x5eed;
  Program program(kSlower, "multi", kWorkers);
  const std::thread::id first = std::this_thread::get_id();
  std::atomic<int> arrived{0}, roles{0}, wrong{0};
  std::atomic<bool> full{false}, made{false};
  const auto wait_for = [](const std::atomic<bool>& flag) {
    while (!flag) std::this_thread::yield();
  };
  const auto fill = [&] {
    for (int i = 0; i < 7; ++i) {
      ocrGuid_t guid = NULL_GUID;
      void* data = nullptr;
      EXPECT_EQ(ocrDbCreate(&guid, &data, kBytes, DB_PROP_NONE, NULL_HINT, NO_ALLOC), 0);
    }
    full = true;
    wait_for(made);  // from then on there is room
  };
  const auto make = [&] {
    wait_for(full);
    ocrShutdown();
    for (int i = 0; i < 4; ++i) {
      ocrGuid_t guid = NULL_GUID;
      void* data = nullptr;
      EXPECT_EQ(ocrDbCreate(&guid, &data, kBytes, DB_PROP_NONE, NULL_HINT, NO_ALLOC), 0);
      std::fill_n(static_cast<u64*>(data), kWords, kValue);
      const ocrGuid_t reader = edt(1, [&](u32, ocrEdtDep_t* d) {
        wrong += value_of(d[0].ptr) == kValue ? 0 : 1;
        return NULL_GUID;
      });
      EXPECT_EQ(ocrAddDependence(guid, reader, 0, DB_MODE_RO), 0);
    }
    made = true;
  };
  // One on each worker; the thread that would end the runtime, and a worker that has nothing to do, are among them.
  for (int i = 0; i < kWorkers; ++i) {
    edt(0, [&](u32, ocrEdtDep_t*) {
      ++arrived;
      while (arrived != kWorkers) std::this_thread::yield();
      if (std::this_thread::get_id() == first) {
        wait_for(made);
        std::this_thread::sleep_for(std::chrono::milliseconds(100));  // for readers, which are not to run
      } else if (const int role = roles++; role < 2) {
        role == 0 ? fill() : make();
      }
      return NULL_GUID;
    });
  }
  EXPECT_EQ(program.run(), 0);
  EXPECT_EQ(wrong, 0);
}

// ---- What an EDT cannot have ----

// Makes and holds as many blocks, and returns the codes of those that could not be had.
std::vector<u8> hold_many(Program& program, std::size_t count) {
  std::vector<u8> refused;
  program.in_edt([&] {
    for (std::size_t i = 0; i < count; ++i) {
      ocrGuid_t guid = foreign();
      void* data = nullptr;
      const u8 code = ocrDbCreate(&guid, &data, kBytes, DB_PROP_NONE, NULL_HINT, NO_ALLOC);
      if (code != 0) {
        refused.push_back(code);
        EXPECT_EQ(data, nullptr);
        EXPECT_EQ(guid, NULL_GUID);
        continue;
      }
      std::memset(data, 1, kBytes);
    }
  });
  return refused;
}

TEST(TiersFull, AnEdtThatHoldsMoreThanFastMemoryUsesSlowMemoryInPlace) {
  Program program(kSlower, "ahead", 2);
  EXPECT_TRUE(hold_many(program, kBlocks).empty());
  EXPECT_GT(program.statistics().in_place_runs, 0u);
  EXPECT_FALSE(program.statistics().warnings.empty());
}

TEST(TiersFull, AnEdtThatHoldsMoreThanMemoryIsRefusedAndNothingElseIsHarmed) {
  Program program(kFile, "ahead", 2);
  const std::vector<u8> refused = hold_many(program, kBlocks);
  EXPECT_FALSE(refused.empty());
  for (const u8 code : refused) EXPECT_EQ(code, OCR_ENOMEM);
  expect_values(program, make_blocks(program), 0);
}

// EDTs that hold blocks and make more: one at a time fits, several do not.
TEST(TiersFull, EdtsThatFitByThemselvesAllRunAndMakeTheirBlocksHoweverManyThereAre) {
  constexpr std::size_t kEdts = 12, kEach = 4;
  for (const int workers : {1, 2, 8}) {
    Program program(kFile, "ahead", workers);
    const std::vector<ocrGuid_t> blocks = make_blocks(program);
    std::atomic<int> ran{0}, refused{0}, wrong{0};
    program.in_edt([&] {
      for (std::size_t i = 0; i < kEdts; ++i) {
        const ocrGuid_t one = edt(kEach, [&, i](u32, ocrEdtDep_t* d) {
          ocrGuid_t made[2];
          void* data[2] = {};
          for (int j = 0; j < 2; ++j) {
            if (ocrDbCreate(&made[j], &data[j], kBytes, DB_PROP_NONE, NULL_HINT, NO_ALLOC) != 0)
              return ++refused, NULL_GUID;
            std::fill_n(static_cast<u64*>(data[j]), kWords, i + static_cast<u64>(j));
          }
          for (std::size_t k = 0; k < kEach; ++k) wrong += value_of(d[k].ptr) != (i * 5 + k) % kBlocks ? 1 : 0;
          for (int j = 0; j < 2; ++j) {
            wrong += value_of(data[j]) != i + static_cast<u64>(j) ? 1 : 0;
            EXPECT_EQ(ocrDbDestroy(made[j]), 0);
          }
          return ++ran, NULL_GUID;
        });
        for (std::size_t k = 0; k < kEach; ++k)
          EXPECT_EQ(ocrAddDependence(blocks[(i * 5 + k) % kBlocks], one, static_cast<u32>(k), DB_MODE_RO), 0);
      }
    });
    EXPECT_EQ(ran, static_cast<int>(kEdts));
    EXPECT_EQ(refused, 0);
    EXPECT_EQ(wrong, 0);
    for (const weir::TierReport& report : program.statistics().tiers) EXPECT_LE(report.peak, report.budget);
  }
}

// All workers wait for room, and others, which are ready, are given what there is: nobody can take them.
TEST(TiersFull, EdtsThatWaitForMoreGoOnAlthoughOthersAreReady) {
  for (const auto [workers, has, wants] : {std::array{2u, 3u, 3u}, std::array{4u, 1u, 5u}}) {
    SCOPED_TRACE(workers);
    Program program(kFile, "ahead", static_cast<int>(workers));
    const std::vector<ocrGuid_t> blocks = make_blocks(program);
    std::atomic<u32> begun{0}, made{0}, others{0};
    program.in_edt([&, workers = workers, has = has, wants = wants] {
      const ocrGuid_t all_have_begun = event(OCR_EVENT_ONCE_T);
      for (u32 i = 0; i < 4; ++i) {
        const ocrGuid_t other = edt(3, [&](u32, ocrEdtDep_t*) { return ++others, NULL_GUID; });
        for (u32 k = 0; k < 2; ++k) ocrAddDependence(blocks[kBlocks - 1 - 2 * i - k], other, k, DB_MODE_RO);
        EXPECT_EQ(ocrAddDependence(all_have_begun, other, 2, DB_MODE_NULL), 0);
      }
      for (u32 i = 0; i < workers; ++i) {
        const ocrGuid_t one = edt(has, [&, workers, wants, all_have_begun](u32, ocrEdtDep_t*) {
          if (++begun == workers) {
            EXPECT_EQ(ocrEventSatisfy(all_have_begun, NULL_GUID), 0);
          }
          while (begun != workers) std::this_thread::yield();
          ocrGuid_t block;
          void* data = nullptr;
          if (ocrDbCreate(&block, &data, wants * kBytes, DB_PROP_NONE, NULL_HINT, NO_ALLOC) == 0) ++made;
          return NULL_GUID;
        });
        for (u32 k = 0; k < has; ++k) EXPECT_EQ(ocrAddDependence(blocks[i * has + k], one, k, DB_MODE_RO), 0);
      }
    });
    EXPECT_EQ(made, workers);
    EXPECT_EQ(others, 4u);
    expect_values(program, blocks, 0);
  }
}

// It waits for what an EDT has that is ready, and does not begin while the program is paused.
TEST(TiersFull, AnEdtThatHasPausedAndWaitsForRoomLetsTheOthersRun) {
  for (const int workers : {1, 2, 8}) {
    SCOPED_TRACE(workers);
    Program program(kFile, "ahead", workers);
    const auto make = [](ocrGuid_t& guid) {
      void* data = nullptr;
      EXPECT_EQ(ocrDbCreate(&guid, &data, 3 * kBytes, DB_PROP_NONE, NULL_HINT, NO_ALLOC), 0);
    };
    ocrGuid_t blocks[2], another = NULL_GUID;
    program.in_edt([&] {
      for (ocrGuid_t& each : blocks) make(each);
    });
    bool ran = false;
    program.in_edt([&] {
      const u32 paused = ocrPause(true);
      const ocrGuid_t reader = edt(2, [&](u32, ocrEdtDep_t*) { return ran = true, NULL_GUID; });
      for (u32 k = 0; k < 2; ++k) EXPECT_EQ(ocrAddDependence(blocks[k], reader, k, DB_MODE_RO), 0);
      make(another);
      ocrResume(paused);
    });
    EXPECT_TRUE(ran);
  }
}

TEST(TiersFull, AnEdtThatMakesMoreThanFitsBesideWhatItHoldsIsAlwaysRefused) {
  for (const int workers : {1, 2, 8}) {
    Program program(kFile, "ahead", workers);
    const std::vector<ocrGuid_t> blocks = make_blocks(program);
    constexpr u32 kEdts = 4, kEach = 6;  // of the 8 that fit
    std::atomic<int> refused{0}, others{0};
    program.in_edt([&] {
      for (u32 i = 0; i < kEdts; ++i) {
        const ocrGuid_t one = edt(kEach, [&](u32, ocrEdtDep_t*) {
          ocrGuid_t made;
          void* data = nullptr;
          const u8 code = ocrDbCreate(&made, &data, 3 * kBytes, DB_PROP_NONE, NULL_HINT, NO_ALLOC);
          return ++(code == OCR_ENOMEM ? refused : others), NULL_GUID;
        });
        for (u32 k = 0; k < kEach; ++k) EXPECT_EQ(ocrAddDependence(blocks[i * kEach + k], one, k, DB_MODE_RO), 0);
      }
    });
    EXPECT_EQ(refused, static_cast<int>(kEdts));
    EXPECT_EQ(others, 0);
    expect_values(program, blocks, 0);
  }
}

TEST(TiersFull, AThreadOutsideOfEdtsThatHoldsMoreThanMemoryIsRefused) {
  for (const int workers : {1, 2, 8}) {
    Program program(kFile, "ahead", workers);
    std::vector<ocrGuid_t> held;
    u8 code = 0;
    for (ocrGuid_t guid = NULL_GUID; held.size() < kBlocks; held.push_back(guid)) {
      void* data = nullptr;
      code = ocrDbCreate(&guid, &data, kBytes, DB_PROP_NONE, NULL_HINT, NO_ALLOC);
      if (code != 0) break;
      std::fill_n(static_cast<u64*>(data), kWords, held.size());
    }
    EXPECT_EQ(code, OCR_ENOMEM);
    EXPECT_GE(held.size(), 6u);
    EXPECT_LE(held.size(), 8u);
    EXPECT_EQ(program.statistics().in_place_runs, 0u);
    for (const weir::TierReport& report : program.statistics().tiers) EXPECT_LE(report.peak, report.budget);
    EXPECT_EQ(ocrDbRelease(held.front()), 0);
    EXPECT_NE(large_block(1), NULL_GUID);
    for (std::size_t i = 1; i < held.size(); ++i) EXPECT_EQ(ocrDbRelease(held[i]), 0);
    expect_values(program, held, 0);
  }
}

// More of them than memory has room for.
TEST(TiersFull, ABlockThatAThreadOutsideOfEdtsHasSeveralTimesIsGoneWhenItIsDestroyedOrReleasedOnce) {
  Program program(kFile, "ahead", 2);
  for (u32 i = 0; i < kBlocks; ++i) {
    SCOPED_TRACE(i);
    ocrGuid_t guid = NULL_GUID;
    void *made = nullptr, *shown = nullptr;
    ASSERT_EQ(ocrDbCreate(&guid, &made, kBytes, DB_PROP_NONE, NULL_HINT, NO_ALLOC), 0);
    std::fill_n(static_cast<u64*>(made), kWords, i);
    const ocrGuid_t brings = event(OCR_EVENT_STICKY_T);
    EXPECT_EQ(ocrEventSatisfy(brings, guid), 0);
    for (u32 times = 0; times < 2; ++times) {
      EXPECT_EQ(ocrLegacyBlockProgress(brings, nullptr, &shown, nullptr, LEGACY_PROP_NONE), 0);
      EXPECT_EQ(shown, made);
    }
    EXPECT_EQ(value_of(shown), i);
    EXPECT_EQ(ocrEventDestroy(brings), 0);
    EXPECT_EQ(i % 2 == 0 ? ocrDbDestroy(guid) : ocrDbRelease(guid), 0);
  }
}

// There is room for one of them.
TEST(TiersFull, WhoFindsALabelTakenNeedsNoRoomForItsBlock) {
  Program program("memory=2MiB", "ahead", 1);
  ocrGuid_t range, label;
  ASSERT_EQ(ocrGuidRangeCreate(&range, 1, GUID_USER_DB), 0);
  ASSERT_EQ(ocrGuidFromIndex(&label, range, 0), 0);
  const auto create = [&](u16 properties) {
    void* data = nullptr;
    return ocrDbCreate(&label, &data, 5 * kBytes, properties, NULL_HINT, NO_ALLOC);
  };
  testing::internal::CaptureStderr();
  program.in_edt([&] {
    EXPECT_EQ(create(GUID_PROP_CHECK), 0);
    EXPECT_EQ(create(GUID_PROP_CHECK), OCR_EGUIDEXISTS);
    EXPECT_EQ(ocrDbRelease(label), 0);
    edt(0, [&](u32, ocrEdtDep_t*) { return ocrDbDestroy(label), NULL_GUID; });
    EXPECT_EQ(create(GUID_PROP_BLOCK), 0) << "after that";
  });
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(ocrDbDestroy(label), 0);
}

// One that has no room leaves the label free.
TEST(TiersFull, ALabelWhoseBlockHasNoRoomIsFree) {
  Program program("memory=2MiB", "ahead", 2);
  ocrGuid_t range, label;
  ASSERT_EQ(ocrGuidRangeCreate(&range, 1, GUID_USER_DB), 0);
  ASSERT_EQ(ocrGuidFromIndex(&label, range, 0), 0);
  void* data = nullptr;
  EXPECT_EQ(ocrDbCreate(&label, &data, 100 * kBytes, GUID_PROP_CHECK, NULL_HINT, NO_ALLOC), OCR_ENOMEM);
  EXPECT_EQ(ocrDbDestroy(label), OCR_EINVAL);
  EXPECT_EQ(ocrDbCreate(&label, &data, kBytes, GUID_PROP_CHECK, NULL_HINT, NO_ALLOC), 0);
  EXPECT_EQ(ocrDbDestroy(label), 0);
}

TEST(TiersFull, SmallBlocksCountAgainstTheBudgetToo) {
  Program program(kFile, "ahead", 2);
  constexpr u64 kSmall = 1000, kBudget = 2 << 20;
  std::vector<ocrGuid_t> made;
  const auto fill = [&] {
    program.in_edt([&] {
      for (u8 code = 0; code == 0;) {
        ocrGuid_t guid;
        void* data = nullptr;
        code = ocrDbCreate(&guid, &data, kSmall, DB_PROP_NONE, NULL_HINT, NO_ALLOC);
        EXPECT_TRUE(code == 0 || code == OCR_ENOMEM);
        if (code == 0) made.push_back(guid), std::memset(data, 1, kSmall);
      }
    });
    return made.size() * kSmall;
  };
  const auto destroy_all = [&] {
    for (const ocrGuid_t guid : made) EXPECT_EQ(ocrDbDestroy(guid), 0);
    made.clear();
  };
  const u64 first = fill();
  EXPECT_GT(first, kBudget * 3 / 4);
  EXPECT_LT(first, kBudget);
  EXPECT_GE(System::running()->bytes_of_slabs(), first);
  destroy_all();
  EXPECT_GT(fill(), first * 3 / 4);  // the same slabs: some pieces are with the other worker
  destroy_all();
  for (const weir::TierReport& report : program.statistics().tiers)
    EXPECT_LE(report.peak, report.budget) << report.node;
}

// A result of 64 KiB has no room beside what a thread outside of EDTs holds, until it lets go.
TEST(TiersFull, AContributionWhoseResultHasNoRoomMayBeMadeAgain) {
  Program program(kFile, "ahead", 2);
  ocrEventParams_t params;
  params.EVENT_COLLECTIVE = {1, 2, 2, 8192, 2, REDOP_U8_ADD, COL_ALLREDUCE, false};
  const ocrGuid_t collective = event(OCR_EVENT_COLLECTIVE_T, &params), done = event(OCR_EVENT_STICKY_T);
  EXPECT_EQ(ocrAddDependenceSlot(collective, 0, done, 0, DB_MODE_RO), 0);
  std::vector<ocrGuid_t> held;
  for (const u64 bytes : {kBytes, u64{8192}}) {
    ocrGuid_t guid = NULL_GUID;
    void* data = nullptr;
    while (ocrDbCreate(&guid, &data, bytes, DB_PROP_NONE, NULL_HINT, NO_ALLOC) == 0) held.push_back(guid);
  }
  std::vector<u64> values(8192, 21);
  EXPECT_EQ(ocrEventCollectiveSatisfySlot(collective, values.data(), 0), 0);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(ocrEventCollectiveSatisfySlot(collective, values.data(), 1), OCR_ENOMEM);
  EXPECT_EQ(ocrEventCollectiveSatisfySlot(collective, values.data(), 0), OCR_EPERM);
  for (const ocrGuid_t guid : held) EXPECT_EQ(ocrDbDestroy(guid), 0);
  EXPECT_EQ(ocrEventCollectiveSatisfySlot(collective, values.data(), 1), 0);
  void* data = nullptr;
  EXPECT_EQ(ocrLegacyBlockProgress(done, nullptr, &data, nullptr, LEGACY_PROP_NONE), 0);
  EXPECT_EQ(static_cast<u64*>(data)[8191], 42u);
}

TEST(TiersFull, AnEdtWhoseBlocksNeverFitEndsTheProgramAndSaysWhy) {
  Program program(kFile, "ahead", 2);
  const std::vector<ocrGuid_t> blocks = make_blocks(program);
  testing::internal::CaptureStderr();
  std::atomic<bool> ran{false};
  const ocrGuid_t greedy = edt(kBlocks, [&](u32, ocrEdtDep_t*) { return ran = true, NULL_GUID; });
  for (u32 i = 0; i < kBlocks; ++i) EXPECT_EQ(ocrAddDependence(blocks[i], greedy, i, DB_MODE_RO), 0);
  EXPECT_EQ(program.run(), OCR_ENOMEM);
  EXPECT_FALSE(ran);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("cannot be given its data blocks"), std::string::npos) << said;
  EXPECT_NE(said.find("8 MiB"), std::string::npos) << said;
}

weir::memory::TierSetConfig bad_disk() {
  auto engine = weir::platform::open_async_io({.backend = weir::platform::IoBackend::threads});
  weir::memory::TierSetConfig config;
  using Fault = weir::platform::IoFault;
  config.engine = std::make_unique<weir::platform::FaultyIo>(
      std::move(*engine), std::vector<Fault>{{.kind = Fault::Kind::error, .first = 3}});
  return config;
}

TEST(TiersFull, AReadThatFailsEndsTheProgramAndNamesFileAndOffset) {
  weir::runtime::BlockRuntime::tiers_config = &bad_disk;
  testing::internal::CaptureStderr();
  u8 code = 0;
  {
    Program program(kFile, "ahead", 2);
    weir::runtime::BlockRuntime::tiers_config = nullptr;
    const std::vector<ocrGuid_t> blocks = make_blocks(program);
    for (const ocrGuid_t block : blocks) {
      const ocrGuid_t one = edt(1, [](u32, ocrEdtDep_t*) { return NULL_GUID; });
      EXPECT_EQ(ocrAddDependence(block, one, 0, DB_MODE_RO), 0);
    }
    code = program.run();
  }
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(code, OCR_EIO) << said;
  EXPECT_NE(said.find("cannot be given its data blocks"), std::string::npos) << said;
  EXPECT_NE(said.find("offset"), std::string::npos) << said;
}

TEST(TiersFull, TiersThatCannotBeHadAreAnErrorAtTheStart) {
  weir::Options options;
  options.tiers = "hmb";
  const weir::base::Status status = System::start(options, false);
  EXPECT_FALSE(status);
  EXPECT_NE(status.message.find("did you mean hbm?"), std::string::npos) << status.message;
}

// ---- Hints ----

// Bytes in use of that tier when one block more with that hint is there.
u64 used_with(Program& program, const char* tier, ocrHintProp_t property) {
  const auto used = [&] {
    u64 sum = 0;
    for (const weir::TierReport& report : program.statistics().tiers) sum += report.tier == tier ? report.used : 0;
    return sum;
  };
  const u64 before = used();
  ocrHint_t hint = block_hint(property);
  program.in_edt([&] { EXPECT_NE(large_block(5, &hint), NULL_GUID); });
  return used() - before;
}

TEST(TierHints, FarAndInterGoToSlowerTiersAndNearAndHighbwToTheFast) {
  Program program("memory=8MiB,emulated=8MiB@0.5", "ahead", 1);
  EXPECT_EQ(used_with(program, "emulated", OCR_HINT_DB_FAR), kBytes);
  EXPECT_EQ(used_with(program, "emulated", OCR_HINT_DB_INTER), kBytes);
  EXPECT_EQ(used_with(program, "memory", OCR_HINT_DB_NEAR), kBytes);
  EXPECT_EQ(used_with(program, "memory", OCR_HINT_DB_HIGHBW), kBytes);
}

TEST(TierHints, WhatIsFarStaysThereWhenItIsUsed) {
  Program program("memory=8MiB,emulated=8MiB@0.5", "ahead", 2);
  ocrHint_t hint = block_hint(OCR_HINT_DB_FAR);
  ocrGuid_t far = NULL_GUID;
  program.in_edt([&] { far = large_block(3, &hint); });
  program.in_edt([&] {
    const ocrGuid_t user = edt(1, [](u32, ocrEdtDep_t* d) {
      EXPECT_EQ(value_of(d[0].ptr), 3u);
      return NULL_GUID;
    });
    EXPECT_EQ(ocrAddDependence(far, user, 0, DB_MODE_RW), 0);
  });
  EXPECT_EQ(program.statistics().bytes_fetched, 0u);
}

TEST(TierHints, FarInAFileIsFetchedWhenItIsUsed) {
  Program program("memory=8MiB,file=/tmp:64MiB", "single", 2);
  ocrHint_t hint = block_hint(OCR_HINT_DB_FAR);
  std::vector<ocrGuid_t> blocks;
  program.in_edt([&] {
    for (std::size_t i = 0; i < kBlocks; ++i) blocks.push_back(large_block(i, &hint));
  });
  expect_values(program, blocks, 0);
}

// Blocks that are in the file, each the only one of an EDT whose other slot stays open for a while.
bool prefetches_with(const char* strategy, ocrHint_t* hint, bool expected) {
  Program program(kFile, strategy, 1);
  std::vector<ocrGuid_t> blocks;
  program.in_edt([&] {
    for (std::size_t i = 0; i < kBlocks; ++i) blocks.push_back(large_block(i, hint));
  });
  const ocrGuid_t gate = event(OCR_EVENT_STICKY_T);
  u64 before = 0;
  program.in_edt([&] {
    for (std::size_t i = 0; i + 1 < kBlocks; ++i) {
      const ocrGuid_t one = edt(2, [=](u32, ocrEdtDep_t* d) {
        EXPECT_EQ(value_of(d[0].ptr), i);
        return NULL_GUID;
      });
      EXPECT_EQ(ocrAddDependence(blocks[i], one, 0, DB_MODE_RO), 0);
      EXPECT_EQ(ocrAddDependence(gate, one, 1, DB_MODE_NULL), 0);
    }
    EXPECT_EQ(ocrDbDestroy(blocks[kBlocks - 1]), 0);          // something changes: what is ahead is looked at
    for (int look = 0; look < 1000 && before == 0; ++look) {  // a second: what has to leave is written first
      before = program.statistics().prefetches;
      if (expected && before == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    EXPECT_EQ(ocrEventSatisfy(gate, NULL_GUID), 0);
  });
  return before != 0;
}

TEST(TierHints, EagerBlocksAreFetchedBeforeTheirEdtIsReadyAndLazyOnesAreNot) {
  ocrHint_t eager = block_hint(OCR_HINT_DB_EAGER), lazy = block_hint(OCR_HINT_DB_LAZY);
  EXPECT_TRUE(prefetches_with("single", &eager, true));
  EXPECT_FALSE(prefetches_with("single", NULL_HINT, false));
  EXPECT_TRUE(prefetches_with("ahead", NULL_HINT, true));
  EXPECT_FALSE(prefetches_with("ahead", &lazy, false));
}

TEST(TierWaits, AnEdtHoldsABlockInATierThatAnotherHasHeldAlone) {
  Program program(kFile, "ahead", 2);
  std::atomic<bool> got{false};
  program.in_edt([&] {
    const ocrGuid_t data = large_block(1), brings = event(OCR_EVENT_STICKY_T);
    const ocrGuid_t holder = edt(1, [=, &got](u32, ocrEdtDep_t* d) {
      EXPECT_EQ(ocrEventSatisfy(brings, data), 0);
      for (int i = 0; i < 1000 && !got; ++i) EXPECT_EQ(ocrInformLegacyCodeBlocking(), 0);
      EXPECT_FALSE(got);
      add_to(d[0].ptr, 1);
      return NULL_GUID;
    });
    EXPECT_EQ(ocrAddDependence(data, holder, 0, DB_MODE_EW), 0);
    void* result = nullptr;
    ASSERT_EQ(ocrLegacyBlockProgress(brings, nullptr, &result, nullptr, LEGACY_PROP_NONE), 0);
    got = true;
    ASSERT_NE(result, nullptr);
    EXPECT_EQ(value_of(result), 2u);
    // Others take the room, but not that of a block that is held.
    for (int i = 0; i < 40; ++i) large_block(7);
    EXPECT_EQ(value_of(result), 2u);
    EXPECT_EQ(ocrDbRelease(data), 0);
  });
}

// The EDT is the only one that has the block: a checkpoint that has not written it yet is not one.
TEST(Kept, ALabelServesAgainWhenItsBlockIsDestroyedWhileACheckpointKeepsIt) {
  using weir::ocr::Block;
  Program program(kFile, "ahead", 2);
  program.in_edt([&] {
    ocrGuid_t range, label;
    void* data = nullptr;
    ASSERT_EQ(ocrGuidRangeCreate(&range, 1, GUID_USER_DB), 0);
    ASSERT_EQ(ocrGuidFromIndex(&label, range, 0), 0);
    ASSERT_EQ(ocrDbCreate(&label, &data, 64, GUID_PROP_CHECK, NULL_HINT, NO_ALLOC), 0);
    ASSERT_EQ(ocrDbRelease(label), 0);
    Block& block = *weir::ocr::blocks().find(weir::ocr::from_c(label).index());
    weir::ocr::keep_contents(block);
    EXPECT_EQ(ocrDbDestroy(label), 0);
    std::thread writer([&] {
      for (int i = 0; i < 2000; ++i) std::this_thread::yield();
      weir::ocr::end_keeping(*weir::ocr::local(), block);
    });
    EXPECT_EQ(ocrDbCreate(&label, &data, 64, GUID_PROP_CHECK, NULL_HINT, NO_ALLOC), 0);
    writer.join();
    EXPECT_EQ(ocrDbDestroy(label), 0);
  });
}

}  // namespace
}  // namespace ocr_test

// SPDX-License-Identifier: Apache-2.0

// Data blocks: create, release, destroy, modes, memory inside them, copies, size.
#include <cstring>
#include <mutex>
#include <string>
#include <utility>

#include "ocr_test.hpp"

namespace ocr_test {
namespace {

OCR_TEST_SUITE(DataBlock);

u8 create(ocrGuid_t* guid, void** data, u64 bytes, u16 flags = DB_PROP_NONE, ocrHint_t* hint = NULL_HINT,
          ocrInDbAllocator_t allocator = NO_ALLOC) {
  return ocrDbCreate(guid, data, bytes, flags, hint, allocator);
}

TEST_P(DataBlock, CreateChecksItsArguments) {
  ocrGuid_t guid;
  void* data;
  EXPECT_EQ(create(nullptr, &data, 8), OCR_EINVAL);
  EXPECT_EQ(create(&guid, nullptr, 8), OCR_EINVAL);
  EXPECT_EQ(create(&guid, &data, 8, DB_PROP_NONE, NULL_HINT, static_cast<ocrInDbAllocator_t>(1 + GetParam())),
            OCR_EINVAL);
}

TEST_P(DataBlock, UnknownPropertiesAndHintsOfAnotherTypeAreIgnored) {
  in_edt([] {
    ocrGuid_t guid;
    void* data = nullptr;
    ocrHint_t for_edts;
    ocrHintInit(&for_edts, OCR_HINT_EDT_T);
    ocrSetHintValue(&for_edts, OCR_HINT_EDT_PRIORITY, 1);
    ASSERT_EQ(create(&guid, &data, 8, 0x8080, &for_edts), 0);
    EXPECT_NE(data, nullptr);
    EXPECT_EQ(ocrDbRelease(guid), 0) << "it was acquired as ever";
    EXPECT_EQ(ocrDbDestroy(guid), 0);
  });
}

TEST_P(DataBlock, ABlockThatOnlyItsCreatorWritesIsOneLikeOthers) {
  std::atomic<u64> seen{0};
  in_edt([&] {
    ocrGuid_t guid;
    void* data = nullptr;
    ASSERT_EQ(create(&guid, &data, 8, DB_PROP_SINGLE_ASSIGNMENT), 0);
    *static_cast<u64*>(data) = 9;
    EXPECT_EQ(ocrDbRelease(guid), 0);
    const ocrGuid_t reader =
        edt(1, [&](u32, ocrEdtDep_t* d) { return seen = *static_cast<u64*>(d[0].ptr), NULL_GUID; });
    EXPECT_EQ(ocrAddDependence(guid, reader, 0, DB_MODE_CONST), 0);
  });
  EXPECT_EQ(seen, 9u);
}

TEST_P(DataBlock, TooLargeABlockIsRefusedAndLeavesNoGuid) {
  ocrGuid_t guid = foreign();
  void* data = &guid;
  for (const u64 size : {u64{1} << 62, ~u64{0}, ~u64{0} - 4095}) EXPECT_EQ(create(&guid, &data, size), OCR_ENOMEM);
  EXPECT_EQ(guid, NULL_GUID);
  EXPECT_EQ(data, nullptr);
}

TEST_P(DataBlock, MemoryIsAlignedAndOfAnyLength) {
  for (const u64 bytes : {u64{0}, u64{1}, u64{64}, u64{65}, u64{8192}, u64{8193}, u64{1} << 22}) {
    ocrGuid_t guid;
    void* data = nullptr;
    ASSERT_EQ(create(&guid, &data, bytes), 0);
    EXPECT_NE(data, nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(data) % 8, 0u);
    std::memset(data, 0x5a, bytes);
    EXPECT_EQ(ocrDbDestroy(guid), 0);
  }
}

TEST_P(DataBlock, NoAcquireGivesNoPointerAndNothingToRelease) {
  in_edt([&] {
    ocrGuid_t guid;
    void* data = &guid;
    ASSERT_EQ(create(&guid, &data, 8, DB_PROP_NO_ACQUIRE), 0);
    EXPECT_EQ(data, nullptr);
    EXPECT_EQ(ocrDbRelease(guid), OCR_EACCES);
  });
}

TEST_P(DataBlock, ReleaseIsForWhatIsHeldAndOnce) {
  const ocrGuid_t others = block(1);
  in_edt([&] {
    ocrGuid_t mine;
    void* data;
    ASSERT_EQ(create(&mine, &data, 8), 0);
    EXPECT_EQ(ocrDbRelease(mine), 0);
    EXPECT_EQ(ocrDbRelease(mine), OCR_EACCES);
    EXPECT_EQ(ocrDbRelease(others), OCR_EACCES);
    EXPECT_EQ(ocrDbRelease(foreign()), OCR_EINVAL);
    EXPECT_EQ(ocrDbRelease(NULL_GUID), 0);
    ASSERT_EQ(create(&mine, &data, 8), 0);
    EXPECT_EQ(ocrDbDowngradeRelease(mine), 0);
  });
}

TEST_P(DataBlock, DestroyIsOnceAndIncludesARelease) {
  in_edt([&] {
    ocrGuid_t mine;
    void* data;
    ASSERT_EQ(create(&mine, &data, 8), 0);
    EXPECT_EQ(ocrDbDestroy(mine), 0);
    EXPECT_EQ(ocrDbDestroy(mine), OCR_EINVAL);
    EXPECT_EQ(ocrDbRelease(mine), OCR_EINVAL);
    EXPECT_EQ(ocrDbDestroy(NULL_GUID), OCR_EINVAL);
    EXPECT_EQ(ocrDbDestroy(foreign()), OCR_EINVAL);
    EXPECT_EQ(ocrDbDestroy(event(OCR_EVENT_ONCE_T)), OCR_EINVAL);
  });
}

TEST_P(DataBlock, ADestroyedBlockStaysForThoseWhoHoldIt) {
  const ocrGuid_t data = block(77);
  ocrGuid_t destroyed = event(OCR_EVENT_STICKY_T);
  std::atomic<u64> seen{0};
  in_edt([&] {
    const ocrGuid_t holder = edt(1, [&](u32, ocrEdtDep_t* d) {
      EXPECT_EQ(ocrDbRelease(NULL_GUID), 0);
      edt(0, [&](u32, ocrEdtDep_t*) {
        EXPECT_EQ(ocrDbDestroy(data), 0);
        EXPECT_EQ(ocrDbDestroy(data), OCR_EPERM);
        return ocrEventSatisfy(destroyed, NULL_GUID), NULL_GUID;
      });
      EXPECT_EQ(ocrLegacyBlockProgress(destroyed, nullptr, nullptr, nullptr, LEGACY_PROP_NONE), 0);
      return seen = *static_cast<u64*>(d[0].ptr), NULL_GUID;
    });
    EXPECT_EQ(ocrAddDependence(data, holder, 0, DB_MODE_RW), 0);
  });
  EXPECT_EQ(seen, 77u);
}

TEST_P(DataBlock, AnEdtWhoseBlockWasDestroyedRunsWithoutIt) {
  const ocrGuid_t data = block(1);
  std::atomic<bool> ran{false};
  in_edt([&] {
    const ocrGuid_t late = edt(2, [&](u32, ocrEdtDep_t* d) {
      EXPECT_EQ(d[0].ptr, nullptr);
      return ran = true, NULL_GUID;
    });
    EXPECT_EQ(ocrAddDependence(data, late, 0, DB_MODE_RO), 0);
    EXPECT_EQ(ocrDbDestroy(data), 0);
    EXPECT_EQ(ocrAddDependence(NULL_GUID, late, 1, DB_MODE_NULL), 0);
  });
  EXPECT_TRUE(ran);
}

TEST_P(DataBlock, ABlockOutlivesTheEdtThatMadeIt) {
  ocrGuid_t data = NULL_GUID;
  in_edt([&] { data = block(31); });
  std::atomic<u64> seen{0};
  in_edt([&] {
    const ocrGuid_t reader =
        edt(1, [&](u32, ocrEdtDep_t* d) { return seen = *static_cast<u64*>(d[0].ptr), NULL_GUID; });
    EXPECT_EQ(ocrAddDependence(data, reader, 0, DB_MODE_CONST), 0);
  });
  EXPECT_EQ(seen, 31u);
}

// ---- Modes ----

// `edts` EDTs that add 1 to the block without any precaution.
void add_incrementers(ocrGuid_t data, int edts, ocrDbAccessMode_t mode) {
  for (int i = 0; i < edts; ++i) {
    const ocrGuid_t one = edt(1, [](u32, ocrEdtDep_t* d) {
      volatile u64& value = *static_cast<u64*>(d[0].ptr);
      const u64 before = value;
      u64 same = 0;
      for (int spin = 0; spin < 200; ++spin) same += value == before ? 1 : 0;
      value = before + (same == 200 ? 1 : 0);
      return NULL_GUID;
    });
    EXPECT_EQ(ocrAddDependence(data, one, 0, mode), 0);
  }
}

TEST_P(DataBlock, ExclusiveWritersExcludeOneAnother) {
  const ocrGuid_t data = block(0);
  in_edt([&] { add_incrementers(data, 500, DB_MODE_EW); });
  std::atomic<u64> seen{0};
  in_edt([&] {
    const ocrGuid_t reader =
        edt(1, [&](u32, ocrEdtDep_t* d) { return seen = *static_cast<u64*>(d[0].ptr), NULL_GUID; });
    EXPECT_EQ(ocrAddDependence(data, reader, 0, DB_MODE_RO), 0);
  });
  EXPECT_EQ(seen, 500u);
}

TEST_P(DataBlock, ConstReadersSeeNoWriter) {
  const ocrGuid_t data = block(0);
  std::atomic<int> changed{0};
  in_edt([&] {
    for (int i = 0; i < 200; ++i) {
      const ocrGuid_t reader = edt(1, [&](u32, ocrEdtDep_t* d) {
        const volatile u64& value = *static_cast<u64*>(d[0].ptr);
        const u64 first = value;
        for (int spin = 0; spin < 200; ++spin) changed += value != first ? 1 : 0;
        return NULL_GUID;
      });
      EXPECT_EQ(ocrAddDependence(data, reader, 0, DB_MODE_CONST), 0);
      add_incrementers(data, 1, DB_MODE_EW);
    }
  });
  EXPECT_EQ(changed, 0);
}

// An EDT that holds the block in `holds`, and while it does waits that another one in mode `comes` has run.
void expect_both_at_once(ocrDbAccessMode_t holds, ocrDbAccessMode_t comes) {
  const ocrGuid_t data = block(1), met = event(OCR_EVENT_STICKY_T);
  const ocrGuid_t holder = edt(1, [=](u32, ocrEdtDep_t*) {
    const ocrGuid_t other = edt(1, [=](u32, ocrEdtDep_t*) { return ocrEventSatisfy(met, NULL_GUID), NULL_GUID; });
    EXPECT_EQ(ocrAddDependence(data, other, 0, comes), 0);
    EXPECT_EQ(ocrLegacyBlockProgress(met, nullptr, nullptr, nullptr, LEGACY_PROP_NONE), 0);
    return NULL_GUID;
  });
  EXPECT_EQ(ocrAddDependence(data, holder, 0, holds), 0);
}

TEST_P(DataBlock, SharedModesAdmitTheirLikeAndReadersThatDoNotCare) {
  in_edt([&] {
    expect_both_at_once(DB_MODE_RW, DB_MODE_RW);
    expect_both_at_once(DB_MODE_RW, DB_MODE_RO);
    expect_both_at_once(DB_MODE_CONST, DB_MODE_CONST);
    expect_both_at_once(DB_MODE_CONST, DB_MODE_RO);
    for (const ocrDbAccessMode_t mode : {DB_MODE_RO, DB_MODE_RW, DB_MODE_CONST, DB_MODE_EW})
      expect_both_at_once(DB_MODE_RO, mode);
  });
}

// The order in which a holder in `holds` and one that comes in `comes` while it is held write into `order`.
void write_order(ocrDbAccessMode_t holds, ocrDbAccessMode_t comes, std::string& order) {
  const ocrGuid_t data = block(1);
  const ocrGuid_t holder = edt(1, [=, &order](u32, ocrEdtDep_t*) {
    const ocrGuid_t other = edt(1, [&order](u32, ocrEdtDep_t*) { return order += "2", NULL_GUID; });
    EXPECT_EQ(ocrAddDependence(data, other, 0, comes), 0);
    for (int i = 0; i < 50; ++i) ocrInformLegacyCodeBlocking();  // gives it every chance
    order += "1";
    return NULL_GUID;
  });
  EXPECT_EQ(ocrAddDependence(data, holder, 0, holds), 0);
}

TEST_P(DataBlock, ConflictingModesWait) {
  constexpr ocrDbAccessMode_t kConflicts[][2] = {
      {DB_MODE_RW, DB_MODE_EW}, {DB_MODE_RW, DB_MODE_CONST}, {DB_MODE_CONST, DB_MODE_RW}, {DB_MODE_CONST, DB_MODE_EW},
      {DB_MODE_EW, DB_MODE_RW}, {DB_MODE_EW, DB_MODE_EW},    {DB_MODE_EW, DB_MODE_CONST}, {DB_MODE_EW, DB_MODE_RO}};
  for (const auto& conflict : kConflicts) {
    std::string order;
    in_edt([&] { write_order(conflict[0], conflict[1], order); });
    EXPECT_EQ(order, "12") << conflict[0] << " then " << conflict[1];
  }
}

TEST_P(DataBlock, WhoWaitsIsServedWritersFirstThenOneAloneThenReaders) {
  const ocrGuid_t data = block(1);
  std::mutex mutex;
  std::string order;
  in_edt([&] {
    const ocrGuid_t holder = edt(1, [&](u32, ocrEdtDep_t*) {
      for (const auto& [mode, letter] :
           {std::pair(DB_MODE_CONST, 'c'), std::pair(DB_MODE_EW, 'e'), std::pair(DB_MODE_CONST, 'c'),
            std::pair(DB_MODE_RW, 'w'), std::pair(DB_MODE_EW, 'e'), std::pair(DB_MODE_RW, 'w')}) {
        const ocrGuid_t waiting = edt(1, [&mutex, &order, said = letter](u32, ocrEdtDep_t*) {
          const std::lock_guard lock(mutex);
          return order += said, NULL_GUID;
        });
        EXPECT_EQ(ocrAddDependence(data, waiting, 0, mode), 0);
      }
      return NULL_GUID;
    });
    EXPECT_EQ(ocrAddDependence(data, holder, 0, DB_MODE_EW), 0);
  });
  EXPECT_EQ(order, "wweecc");
}

TEST_P(DataBlock, EarlyReleaseLetsTheNextOneIn) {
  const ocrGuid_t data = block(1), met = event(OCR_EVENT_STICKY_T);
  in_edt([&] {
    const ocrGuid_t holder = edt(1, [=](u32, ocrEdtDep_t*) {
      const ocrGuid_t next = edt(1, [=](u32, ocrEdtDep_t*) { return ocrEventSatisfy(met, NULL_GUID), NULL_GUID; });
      EXPECT_EQ(ocrAddDependence(data, next, 0, DB_MODE_EW), 0);
      EXPECT_EQ(ocrDbRelease(data), 0);
      EXPECT_EQ(ocrLegacyBlockProgress(met, nullptr, nullptr, nullptr, LEGACY_PROP_NONE), 0);
      return NULL_GUID;
    });
    EXPECT_EQ(ocrAddDependence(data, holder, 0, DB_MODE_EW), 0);
  });
}

TEST_P(DataBlock, EdtsThatNeedSeveralBlocksExclusivelyDoNotDeadlock) {
  constexpr int kBlocks = 6, kEdts = 600;
  std::vector<ocrGuid_t> data;
  for (int i = 0; i < kBlocks; ++i) data.push_back(block(0));
  std::atomic<int> ran{0};
  in_edt([&] {
    for (int i = 0; i < kEdts; ++i) {
      const ocrGuid_t one = edt(3, [&](u32, ocrEdtDep_t* d) {
        for (int k = 0; k < 3; ++k) ++*static_cast<u64*>(d[k].ptr);
        return ++ran, NULL_GUID;
      });
      for (u32 k = 0; k < 3; ++k) {
        const auto which =
            static_cast<std::size_t>((i * (i % 2 == 0 ? 1 : 5) + static_cast<int>(k) * (1 + i % 2)) % kBlocks);
        EXPECT_EQ(ocrAddDependence(data[which], one, k, DB_MODE_EW), 0);
      }
    }
  });
  EXPECT_EQ(ran, kEdts);
}

// Blocks of more than a page are the data layer's: the same of them.
class AnyBlock : public OcrTest {
 protected:
  static constexpr u64 kSizes[] = {8, 100000};
  // Its first and last bytes are 1; released.
  static ocrGuid_t block_of(u64 bytes) {
    ocrGuid_t guid = NULL_GUID;
    void* data = nullptr;
    EXPECT_EQ(create(&guid, &data, bytes), 0);
    static_cast<char*>(data)[0] = static_cast<char*>(data)[bytes - 1] = 1;
    EXPECT_EQ(ocrDbRelease(guid), 0);
    return guid;
  }
  static bool is_intact(const void* data, u64 bytes) {
    return data != nullptr && static_cast<const char*>(data)[0] == 1 && static_cast<const char*>(data)[bytes - 1] == 1;
  }
};
INSTANTIATE_TEST_SUITE_P(Workers, AnyBlock, testing::Values(1, 2, 8),
                         [](const testing::TestParamInfo<int>& i) { return std::to_string(i.param); });

TEST_P(AnyBlock, GoesToTheNextOneWhenItIsReleasedAndIsGoneWhenItIsDestroyed) {
  for (const u64 bytes : kSizes) {
    const ocrGuid_t data = block_of(bytes), met = event(OCR_EVENT_STICKY_T);
    in_edt([&] {
      const ocrGuid_t first = edt(1, [&, data, met](u32, ocrEdtDep_t* d) {
        EXPECT_TRUE(is_intact(d[0].ptr, bytes));
        const ocrGuid_t next = edt(1, [&, data, met](u32, ocrEdtDep_t* own) {
          EXPECT_EQ(ocrDbDestroy(data), 0);
          EXPECT_EQ(ocrDbRelease(data), OCR_EINVAL) << "that was a release, too";
          EXPECT_EQ(own[0].guid, data);
          return ocrEventSatisfy(met, NULL_GUID), NULL_GUID;
        });
        EXPECT_EQ(ocrAddDependence(data, next, 0, DB_MODE_EW), 0);
        EXPECT_EQ(ocrDbRelease(data), 0);
        EXPECT_EQ(ocrLegacyBlockProgress(met, nullptr, nullptr, nullptr, LEGACY_PROP_NONE), 0);
        EXPECT_EQ(ocrDbRelease(data), OCR_EINVAL);
        return NULL_GUID;
      });
      EXPECT_EQ(ocrAddDependence(data, first, 0, DB_MODE_EW), 0);
    });
    EXPECT_EQ(ocrDbDestroy(data), OCR_EINVAL);
  }
}

TEST_P(AnyBlock, StaysForItsHolderWhenItIsDestroyed) {
  for (const u64 bytes : kSizes) {
    for (const ocrDbAccessMode_t mode : {DB_MODE_RW, DB_MODE_RO}) {
      const ocrGuid_t data = block_of(bytes), destroyed = event(OCR_EVENT_STICKY_T);
      in_edt([&] {
        const ocrGuid_t holder = edt(1, [&, data, destroyed](u32, ocrEdtDep_t* d) {
          edt(0, [=](u32, ocrEdtDep_t*) {
            EXPECT_EQ(ocrDbDestroy(data), 0);
            EXPECT_EQ(ocrDbDestroy(data), OCR_EPERM);
            return ocrEventSatisfy(destroyed, NULL_GUID), NULL_GUID;
          });
          EXPECT_EQ(ocrLegacyBlockProgress(destroyed, nullptr, nullptr, nullptr, LEGACY_PROP_NONE), 0);
          u64 size = 0;
          EXPECT_EQ(ocrDbGetSize(data, &size), 0);
          EXPECT_EQ(size, bytes);
          EXPECT_TRUE(is_intact(d[0].ptr, bytes));
          EXPECT_EQ(ocrDbRelease(data), 0);
          EXPECT_EQ(ocrDbRelease(data), OCR_EINVAL);
          return NULL_GUID;
        });
        EXPECT_EQ(ocrAddDependence(data, holder, 0, mode), 0);
      });
    }
  }
}

// What an event brings is held already, is free, is held by another in RW, or in a mode that excludes that: then it is
// there when the other has released it.
TEST_P(AnyBlock, WhoWaitsForAnEventHoldsWhatItBringsAsSoonAsTheOthersLetIt) {
  for (const u64 bytes : kSizes) {
    const ocrGuid_t data = block_of(bytes), brings = event(OCR_EVENT_STICKY_T);
    ASSERT_EQ(ocrEventSatisfy(brings, data), 0);
    const auto wait_and_release = [&](const void* held) {
      ocrGuid_t guid = NULL_GUID;
      void* result = nullptr;
      u64 size = 0;
      EXPECT_EQ(ocrLegacyBlockProgress(brings, &guid, &result, &size, LEGACY_PROP_NONE), 0);
      EXPECT_EQ(guid, data);
      EXPECT_EQ(size, bytes);
      EXPECT_TRUE(is_intact(result, bytes));
      EXPECT_TRUE(held == nullptr || held == result);
      static_cast<char*>(result)[1] = 3;
      EXPECT_TRUE(held == nullptr || ocrDbRelease(guid) == 0);
    };
    for (const ocrDbAccessMode_t mode : {DB_MODE_RW, DB_MODE_CONST, DB_MODE_EW}) {
      in_edt([&] {
        const ocrGuid_t holder = edt(1, [&](u32, ocrEdtDep_t* d) {
          const ocrGuid_t other_done = event(OCR_EVENT_STICKY_T);
          edt(0, [&, other_done](u32, ocrEdtDep_t*) {
            wait_and_release(nullptr);
            return ocrEventSatisfy(other_done, NULL_GUID), NULL_GUID;
          });
          if (mode == DB_MODE_RW) {
            EXPECT_EQ(ocrLegacyBlockProgress(other_done, nullptr, nullptr, nullptr, LEGACY_PROP_NONE), 0);
          }
          wait_and_release(d[0].ptr);
          EXPECT_EQ(ocrDbRelease(data), OCR_EACCES);
          return NULL_GUID;
        });
        EXPECT_EQ(ocrAddDependence(data, holder, 0, mode), 0);
      });
      in_edt([&] { wait_and_release(nullptr); });
    }
    EXPECT_EQ(ocrDbDestroy(data), 0);
  }
}

TEST_P(AnyBlock, OfOneLabelIsMadeOnce) {
  for (const u64 bytes : kSizes) {
    ocrGuid_t range, label;
    ASSERT_EQ(ocrGuidRangeCreate(&range, 1, GUID_USER_DB), 0);
    ASSERT_EQ(ocrGuidFromIndex(&label, range, 0), 0);
    std::atomic<int> made{0};
    in_edt([&] {
      for (int i = 0; i < 20; ++i) {
        edt(0, [&](u32, ocrEdtDep_t*) {
          ocrGuid_t guid = label;
          void* data = &guid;
          const u8 code = create(&guid, &data, bytes, GUID_PROP_CHECK);
          EXPECT_EQ(guid, label);
          EXPECT_EQ(data == nullptr, code == OCR_EGUIDEXISTS);
          if (code == 0) ++made;
          return NULL_GUID;
        });
      }
    });
    EXPECT_EQ(made, 1);
    EXPECT_EQ(ocrDbDestroy(label), 0);
  }
}

TEST_P(AnyBlock, OutsideOfEdtsItsSizeAndMemoryAreForAll) {
  for (const u64 bytes : kSizes) {
    ocrGuid_t heap = NULL_GUID;
    void *base = nullptr, *inside = nullptr;
    u64 size = 0, offset = 0;
    ASSERT_EQ(create(&heap, &base, bytes, DB_PROP_NONE, NULL_HINT, WEIR_ALLOC), 0);
    EXPECT_EQ(ocrDbGetSize(heap, &size), 0);
    EXPECT_EQ(size, bytes);
    EXPECT_EQ(ocrDbMalloc(heap, 8, &inside), 0);
    EXPECT_EQ(inside, base);
    EXPECT_EQ(ocrDbMallocOffset(heap, bytes, &offset), OCR_ENOMEM);
    EXPECT_EQ(ocrDbFree(heap, inside), 0);
    EXPECT_EQ(ocrDbFreeOffset(heap, 0), OCR_EINVAL) << "twice";
    EXPECT_EQ(ocrDbDestroy(heap), 0);
    EXPECT_EQ(ocrDbGetSize(heap, &size), OCR_EINVAL);
    EXPECT_EQ(ocrDbMallocOffset(heap, 8, &offset), OCR_EINVAL);
  }
}

TEST_P(AnyBlock, IsCopiedToItsEndAndNotBeyond) {
  for (const u64 bytes : kSizes) {
    const ocrGuid_t from = block_of(bytes), to = block_of(bytes), nothing = NULL_GUID;
    for (const u64 wrong : {bytes + 1, ~u64{0}, ~u64{0} - 7}) {
      EXPECT_EQ(ocrDbCopy(to, wrong, from, 0, 8, 0, nullptr), OCR_ENOMEM);
      EXPECT_EQ(ocrDbCopy(to, 0, from, wrong, 8, 0, nullptr), OCR_ENOMEM);
      EXPECT_EQ(ocrDbCopy(to, 0, from, 0, wrong, 0, nullptr), OCR_ENOMEM);
    }
    in_edt([&] {  // CONST keeps the second copy, which writes, from the first reader
      for (const ocrGuid_t brought : {nothing, from}) {
        const ocrGuid_t source = event(OCR_EVENT_STICKY_T);
        ocrGuid_t done;
        EXPECT_EQ(ocrDbCopy(to, bytes - 1, source, 0, 1, 0, &done), 0);
        const ocrGuid_t reader = edt(1, [&](u32, ocrEdtDep_t* d) {
          EXPECT_TRUE(is_intact(d[0].ptr, bytes)) << "from no block nothing is copied";
          return NULL_GUID;
        });
        EXPECT_EQ(ocrAddDependence(done, reader, 0, DB_MODE_CONST), 0);
        EXPECT_EQ(ocrEventSatisfy(source, brought), 0);
      }
    });
  }
}

// ---- Size, memory inside, copies ----

TEST_P(DataBlock, SizeIsForThoseWhoHoldIt) {
  const ocrGuid_t others = block(1);
  in_edt([&] {
    ocrGuid_t mine;
    void* data;
    u64 size = 0;
    ASSERT_EQ(create(&mine, &data, 123), 0);
    EXPECT_EQ(ocrDbGetSize(mine, &size), 0);
    EXPECT_EQ(size, 123u);
    EXPECT_EQ(ocrDbGetSize(mine, nullptr), OCR_EINVAL);
    EXPECT_EQ(ocrDbGetSize(others, &size), OCR_EACCES);
    EXPECT_EQ(ocrDbGetSize(foreign(), &size), OCR_EINVAL);
  });
}

TEST_P(DataBlock, MemoryInsideABlockIsGivenOutAndTakenBack) {
  in_edt([&] {
    ocrGuid_t heap, plain;
    void *base, *other, *a, *b;
    u64 offset = 0;
    ASSERT_EQ(create(&heap, &base, 256, DB_PROP_NONE, NULL_HINT, WEIR_ALLOC), 0);
    ASSERT_EQ(create(&plain, &other, 256), 0);
    EXPECT_EQ(ocrDbMalloc(plain, 16, &a), OCR_EINVAL);
    ASSERT_EQ(ocrDbMalloc(heap, 100, &a), 0);
    ASSERT_EQ(ocrDbMallocOffset(heap, 100, &offset), 0);
    b = static_cast<char*>(base) + offset;
    EXPECT_TRUE(static_cast<char*>(a) + 100 <= b || static_cast<char*>(b) + 100 <= a);
    std::memset(a, 1, 100);
    std::memset(b, 2, 100);
    void* c = &c;
    EXPECT_EQ(ocrDbMalloc(heap, 100, &c), OCR_ENOMEM);
    EXPECT_EQ(c, nullptr);
    EXPECT_EQ(ocrDbFree(heap, a), 0);
    EXPECT_EQ(ocrDbFree(heap, a), OCR_EINVAL);
    EXPECT_EQ(ocrDbFree(heap, &offset), OCR_EINVAL);
    EXPECT_EQ(ocrDbFreeOffset(heap, offset + 1), OCR_EINVAL);
    EXPECT_EQ(ocrDbMalloc(heap, ~u64{0}, &c), OCR_ENOMEM);
    EXPECT_EQ(ocrDbMalloc(heap, 8, nullptr), OCR_EINVAL);
    EXPECT_EQ(ocrDbMallocOffset(heap, 8, nullptr), OCR_EINVAL);
    EXPECT_EQ(ocrDbFreeOffset(heap, offset), 0);
    EXPECT_EQ(ocrDbMalloc(heap, 256, &c), 0) << "holes join";
    EXPECT_EQ(ocrDbRelease(heap), 0);
    EXPECT_EQ(ocrDbMalloc(heap, 8, &c), OCR_EACCES);
    EXPECT_EQ(ocrDbMallocOffset(heap, 8, &offset), OCR_EACCES);
    EXPECT_EQ(ocrDbFree(heap, base), OCR_EACCES);
    EXPECT_EQ(ocrDbFreeOffset(heap, 0), OCR_EACCES);
    for (const ocrGuid_t none : {foreign(), plain, NULL_GUID}) {
      EXPECT_EQ(ocrDbMalloc(none, 8, &c), OCR_EINVAL);
      EXPECT_EQ(ocrDbMallocOffset(none, 8, &offset), OCR_EINVAL);
      EXPECT_EQ(ocrDbFree(none, other), OCR_EINVAL);
      EXPECT_EQ(ocrDbFreeOffset(none, 0), OCR_EINVAL);
    }
  });
}

TEST_P(DataBlock, CopyMovesBytesAndCarriesTheDestination) {
  const ocrGuid_t from = block(0x1122334455667788), to = block(0), later = event(OCR_EVENT_STICKY_T);
  std::atomic<u64> seen{0};
  in_edt([&] {
    ocrGuid_t done;
    EXPECT_EQ(ocrDbCopy(to, 4, later, 0, 4, 0, &done), 0);
    const ocrGuid_t reader = edt(1, [&](u32, ocrEdtDep_t* d) {
      EXPECT_EQ(d[0].guid, to);
      return seen = *static_cast<u64*>(d[0].ptr), NULL_GUID;
    });
    EXPECT_EQ(ocrAddDependence(done, reader, 0, DB_MODE_RO), 0);
    EXPECT_EQ(ocrEventSatisfy(later, from), 0);
  });
  EXPECT_EQ(seen, 0x5566778800000000u);
}

TEST_P(DataBlock, ACopyMayStayInOneBlock) {
  const ocrGuid_t data = block(0x11223344);
  std::atomic<u64> seen{0};
  in_edt([&] {
    const ocrGuid_t starter = edt(1, [&](u32, ocrEdtDep_t*) {
      ocrGuid_t done;
      EXPECT_EQ(ocrDbCopy(data, 4, data, 0, 4, 0, &done), 0);
      const ocrGuid_t copied = event(OCR_EVENT_STICKY_T);
      EXPECT_EQ(ocrAddDependence(done, copied, 0, DB_MODE_RO), 0);
      EXPECT_EQ(ocrDbCopy(data, 0, data, 0, 0, 0, nullptr), 0) << "nothing";
      EXPECT_EQ(ocrDbRelease(data), 0);
      void* result = nullptr;
      EXPECT_EQ(ocrLegacyBlockProgress(copied, nullptr, &result, nullptr, LEGACY_PROP_NONE), 0);
      return seen = *static_cast<u64*>(result), NULL_GUID;
    });
    EXPECT_EQ(ocrAddDependence(data, starter, 0, DB_MODE_EW), 0) << "the copy waits for the release";
  });
  EXPECT_EQ(seen, 0x1122334411223344u);
}

TEST_P(DataBlock, WhatAnEventBringsIsNotCopiedFromBeyondItsEnd) {
  const ocrGuid_t small = block(1), to = block(7), later = event(OCR_EVENT_STICKY_T);
  std::atomic<u64> seen{0};
  testing::internal::CaptureStderr();
  in_edt([&] {
    ocrGuid_t done;
    EXPECT_EQ(ocrDbCopy(to, 0, later, 1, 8, 0, &done), 0) << "who knows what it will bring";
    const ocrGuid_t reader =
        edt(1, [&](u32, ocrEdtDep_t* d) { return seen = *static_cast<u64*>(d[0].ptr), NULL_GUID; });
    EXPECT_EQ(ocrAddDependence(done, reader, 0, DB_MODE_RO), 0);
    EXPECT_EQ(ocrEventSatisfy(later, small), 0);
  });
  EXPECT_EQ(seen, 7u);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("would copy from beyond the end"), std::string::npos);
}

TEST_P(DataBlock, WhoHasACopyMadeCanLinkItsEventWhenItIsDone) {
  const ocrGuid_t from = block(5), to = block(0);
  std::atomic<u64> seen{0};
  in_edt([&] {
    ocrGuid_t done;
    EXPECT_EQ(ocrDbCopy(to, 0, from, 0, 8, 0, &done), 0);
    EXPECT_EQ(ocrWait(done), to);
    const ocrGuid_t reader =
        edt(1, [&](u32, ocrEdtDep_t* d) { return seen = *static_cast<u64*>(d[0].ptr), NULL_GUID; });
    EXPECT_EQ(ocrAddDependence(done, reader, 0, DB_MODE_RO), 0);
  });
  EXPECT_EQ(seen, 5u);
}

TEST_P(DataBlock, OutsideOfEdtsTheEventOfACopyStaysUntilItIsDestroyed) {
  const ocrGuid_t from = block(5), to = block(0);
  ocrGuid_t done;
  EXPECT_EQ(ocrDbCopy(to, 0, from, 0, 8, 0, &done), 0);
  EXPECT_EQ(wait_for(done), to);
  EXPECT_EQ(wait_for(done), to);
  EXPECT_EQ(ocrEventDestroy(done), 0);
}

TEST_P(DataBlock, CopyChecksItsArguments) {
  const ocrGuid_t from = block(1), to = block(2);
  EXPECT_EQ(ocrDbCopy(foreign(), 0, from, 0, 8, 0, nullptr), OCR_EINVAL);
  EXPECT_EQ(ocrDbCopy(to, 0, foreign(), 0, 8, 0, nullptr), OCR_EINVAL);
  EXPECT_EQ(ocrDbCopy(to, 1, from, 0, 8, 0, nullptr), OCR_ENOMEM);
  EXPECT_EQ(ocrDbCopy(to, 0, from, 9, 0, 0, nullptr), OCR_ENOMEM);
  EXPECT_EQ(ocrDbCopy(to, 0, to, 1, 4, 0, nullptr), OCR_EPERM);
}

}  // namespace
}  // namespace ocr_test

// Collective events: all reductions, all types, generations.
#include <algorithm>
#include <cstring>
#include <type_traits>

#include "ocr_test.hpp"

namespace ocr_test {
namespace {

OCR_TEST_SUITE(Collective);

ocrEventParams_t params_for(redOp_t op, u32 contributors, u16 values = 1, collectiveType_t type = COL_ALLREDUCE) {
  ocrEventParams_t params;
  params.EVENT_COLLECTIVE = {1, contributors, contributors, values, 2, op, type, false};
  return params;
}

template <class T>
void expect_all(redOp_t op, T a, T b, T c, T expected) {
  // Read in EDTs that run later: waited for by the scope of the caller's in_edt().
  ocrEventParams_t params = params_for(op, 3);
  const ocrGuid_t collective = event(OCR_EVENT_COLLECTIVE_T, &params);
  T inputs[] = {a, b, c};
  for (u32 i = 0; i < 3; ++i) {
    const ocrGuid_t reader = edt(1, [=](u32, ocrEdtDep_t* d) {
      T got;
      std::memcpy(&got, d[0].ptr, sizeof got);
      EXPECT_EQ(got, expected) << "operation " << op << ", " << sizeof(T) << " bytes";
      return NULL_GUID;
    });
    EXPECT_EQ(ocrAddDependenceSlot(collective, i, reader, 0, DB_MODE_RO), 0);
    EXPECT_EQ(ocrEventCollectiveSatisfySlot(collective, &inputs[i], i), 0);
  }
}

template <class T>
void expect_integers(redOp_t add, redOp_t mult, redOp_t min, redOp_t max, redOp_t bit_and, redOp_t bit_or,
                     redOp_t bit_xor) {
  const T a = static_cast<T>(std::is_signed_v<T> ? -7 : 200), b = 3, c = 12;
  expect_all<T>(add, a, b, c, static_cast<T>(a + b + c));
  expect_all<T>(mult, a, b, c, static_cast<T>(a * b * c));
  expect_all<T>(min, a, b, c, std::min({a, b, c}));
  expect_all<T>(max, a, b, c, std::max({a, b, c}));
  expect_all<T>(bit_and, a, b, c, static_cast<T>(a & b & c));
  expect_all<T>(bit_or, a, b, c, static_cast<T>(a | b | c));
  expect_all<T>(bit_xor, a, b, c, static_cast<T>(a ^ b ^ c));
}
#define EXPECT_INTEGERS(T, P)                                                                                          \
  expect_integers<T>(REDOP_##P##_ADD, REDOP_##P##_MULT, REDOP_##P##_MIN, REDOP_##P##_MAX, REDOP_##P##_BITAND,          \
                     REDOP_##P##_BITOR, REDOP_##P##_BITXOR)

TEST_P(Collective, AllReductionsOfIntegersAreRight) {
  in_edt([] {
    EXPECT_INTEGERS(std::uint64_t, U8);
    EXPECT_INTEGERS(std::int64_t, S8);
    EXPECT_INTEGERS(std::uint32_t, U4);
    EXPECT_INTEGERS(std::int32_t, S4);
    EXPECT_INTEGERS(std::uint16_t, U2);
    EXPECT_INTEGERS(std::int16_t, S2);
    EXPECT_INTEGERS(std::uint8_t, U1);
    EXPECT_INTEGERS(std::int8_t, S1);
  });
}

TEST_P(Collective, AllReductionsOfRealsAreRight) {
  in_edt([] {
    expect_all<double>(REDOP_F8_ADD, 1.5, -2.0, 4.0, 3.5);
    expect_all<double>(REDOP_F8_MULT, 1.5, -2.0, 4.0, -12.0);
    expect_all<double>(REDOP_F8_MIN, 1.5, -2.0, 4.0, -2.0);
    expect_all<double>(REDOP_F8_MAX, 1.5, -2.0, 4.0, 4.0);
    expect_all<float>(REDOP_F4_ADD, 1.5f, -2.0f, 4.0f, 3.5f);
    expect_all<float>(REDOP_F4_MULT, 1.5f, -2.0f, 4.0f, -12.0f);
    expect_all<float>(REDOP_F4_MIN, 1.5f, -2.0f, 4.0f, -2.0f);
    expect_all<float>(REDOP_F4_MAX, 1.5f, -2.0f, 4.0f, 4.0f);
  });
}

TEST_P(Collective, SeveralValuesAreReducedOneByOne) {
  ocrEventParams_t params = params_for(REDOP_U8_ADD, 2, 2);
  const ocrGuid_t collective = event(OCR_EVENT_COLLECTIVE_T, &params), done = event(OCR_EVENT_STICKY_T);
  ASSERT_EQ(ocrAddDependenceSlot(collective, 0, done, 0, DB_MODE_RO), 0);
  u64 first[] = {1, 10}, second[] = {2, 20};
  ASSERT_EQ(ocrEventCollectiveSatisfySlot(collective, first, 0), 0);
  ASSERT_EQ(ocrEventCollectiveSatisfySlot(collective, second, 1), 0);
  void* data = nullptr;
  u64 size = 0;
  ASSERT_EQ(ocrLegacyBlockProgress(done, nullptr, &data, &size, LEGACY_PROP_NONE), 0);
  ASSERT_EQ(size, 2 * sizeof(u64));
  EXPECT_EQ(static_cast<u64*>(data)[0], 3u);
  EXPECT_EQ(static_cast<u64*>(data)[1], 30u);
}

// What contributor 0 and contributor 1 of two get.
std::vector<ocrGuid_t> results_of(collectiveType_t type, u64 a, u64 b) {
  ocrEventParams_t params = params_for(REDOP_U8_ADD, 2, 1, type);
  const ocrGuid_t collective = event(OCR_EVENT_COLLECTIVE_T, &params);
  std::vector<ocrGuid_t> done = {event(OCR_EVENT_STICKY_T), event(OCR_EVENT_STICKY_T)};
  for (u32 i = 0; i < 2; ++i) EXPECT_EQ(ocrAddDependenceSlot(collective, i, done[i], 0, DB_MODE_RO), 0);
  EXPECT_EQ(ocrEventCollectiveSatisfySlot(collective, &b, 1), 0);
  EXPECT_EQ(ocrEventCollectiveSatisfySlot(collective, &a, 0), 0);
  return done;
}

u64 value_of(ocrGuid_t sticky) {
  void* data = nullptr;
  EXPECT_EQ(ocrLegacyBlockProgress(sticky, nullptr, &data, nullptr, LEGACY_PROP_NONE), 0);
  return data == nullptr ? 0 : *static_cast<u64*>(data);
}

TEST_P(Collective, ReduceGivesTheResultToContributorZero) {
  const std::vector<ocrGuid_t> done = results_of(COL_REDUCE, 5, 6);
  EXPECT_EQ(value_of(done[0]), 11u);
  EXPECT_EQ(wait_for(done[1]), NULL_GUID);
}

TEST_P(Collective, BroadcastGivesTheValuesOfContributorZeroToAll) {
  const std::vector<ocrGuid_t> done = results_of(COL_BROADCAST, 5, 6);
  EXPECT_EQ(value_of(done[0]), 5u);
  EXPECT_EQ(value_of(done[1]), 5u);
}

TEST_P(Collective, GenerationsFollowOneAnother) {
  ocrEventParams_t params = params_for(REDOP_U8_ADD, 2);
  params.EVENT_COLLECTIVE.reuseDbPerGen = true;
  const ocrGuid_t collective = event(OCR_EVENT_COLLECTIVE_T, &params);
  for (u64 generation = 1; generation <= 20; ++generation) {
    const ocrGuid_t done = event(OCR_EVENT_STICKY_T);
    u64 value = generation;
    ASSERT_EQ(ocrEventCollectiveSatisfySlot(collective, &value, 0), 0);
    ASSERT_EQ(ocrEventCollectiveSatisfySlot(collective, &value, 0), OCR_EPERM) << "one generation ahead";
    for (u32 i = 0; i < 2; ++i)
      ASSERT_EQ(ocrAddDependenceSlot(collective, i, i == 0 ? done : event(OCR_EVENT_STICKY_T), 0, DB_MODE_RO), 0);
    ASSERT_EQ(ocrEventCollectiveSatisfySlot(collective, &value, 1), 0);
    EXPECT_EQ(value_of(done), 2 * generation);
  }
}

// Contributor 0 is three generations ahead, with values and with readers of results.
TEST_P(Collective, SeveralGenerationsAreInFlight) {
  for (const bool reuse : {false, true}) {
    ocrEventParams_t params = params_for(REDOP_S4_MAX, 2);
    params.EVENT_COLLECTIVE.maxGen = 3;
    params.EVENT_COLLECTIVE.reuseDbPerGen = reuse;
    const ocrGuid_t collective = event(OCR_EVENT_COLLECTIVE_T, &params);
    s32 next[2] = {-100, -200};
    std::vector<ocrGuid_t> results, blocks;
    const auto ask = [&] {
      results.push_back(event(OCR_EVENT_STICKY_T));
      return ocrAddDependenceSlot(collective, 0, results.back(), 0, DB_MODE_RO);
    };
    const auto contribute = [&](u32 who) { return ocrEventCollectiveSatisfySlot(collective, &next[who], who); };
    for (int round = 0; round < 4; ++round) {
      for (int i = 0; i < 3; ++i, ++next[0]) {
        ASSERT_EQ(contribute(0), 0);
        ASSERT_EQ(ask(), 0);
      }
      EXPECT_EQ(contribute(0), OCR_EPERM);
      EXPECT_EQ(ask(), OCR_EPERM);
      results.pop_back();
      for (int i = 0; i < 3; ++i, ++next[1]) ASSERT_EQ(contribute(1), 0);
      for (int i = 0; i < 3; ++i) {
        void* data = nullptr;
        ocrGuid_t guid = NULL_GUID;
        const std::size_t generation = results.size() - 3 + static_cast<std::size_t>(i);
        ASSERT_EQ(ocrLegacyBlockProgress(results[generation], &guid, &data, nullptr, LEGACY_PROP_NONE), 0);
        EXPECT_EQ(*static_cast<s32*>(data), -100 + static_cast<s32>(generation));
        EXPECT_EQ(std::count(blocks.begin(), blocks.end(), guid), reuse && round > 1 ? 1 : 0);
        if (!reuse || round < 2) blocks.push_back(guid);
      }
    }
  }
}

TEST_P(Collective, AResultThatNobodyAskedForInTimeIsGone) {
  ocrEventParams_t params = params_for(REDOP_U8_ADD, 1);
  const ocrGuid_t collective = event(OCR_EVENT_COLLECTIVE_T, &params);
  for (u64 value = 1; value <= 3; ++value) ASSERT_EQ(ocrEventCollectiveSatisfySlot(collective, &value, 0), 0);
  EXPECT_EQ(ocrAddDependenceSlot(collective, 0, event(OCR_EVENT_STICKY_T), 0, DB_MODE_RO), OCR_EPERM);
}

TEST_P(Collective, ContributorsMayAllCreateTheEventUnderOneLabel) {
  ocrGuid_t range, label;
  ASSERT_EQ(ocrGuidRangeCreate(&range, 1, GUID_USER_EVENT_COLLECTIVE), 0);
  ASSERT_EQ(ocrGuidFromIndex(&label, range, 0), 0);
  ocrEventParams_t params = params_for(REDOP_U8_ADD, 2);
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(ocrEventCreateParams(&label, OCR_EVENT_COLLECTIVE_T, GUID_PROP_IS_LABELED, &params), 0);
}

TEST_P(Collective, MisuseHasItsCode) {
  ocrGuid_t guid;
  u64 value = 1;
  ocrEventParams_t params = params_for(REDOP_U8_ADD, 0);
  EXPECT_EQ(ocrEventCreateParams(&guid, OCR_EVENT_COLLECTIVE_T, EVT_PROP_NONE, &params), OCR_EINVAL);
  params = params_for(REDOP_F8_ADD | REDOP_BITAND, 2);
  EXPECT_EQ(ocrEventCreateParams(&guid, OCR_EVENT_COLLECTIVE_T, EVT_PROP_NONE, &params), OCR_EINVAL);
  EXPECT_EQ(ocrEventCreate(&guid, OCR_EVENT_COLLECTIVE_T, EVT_PROP_NONE), OCR_EINVAL);
  params = params_for(REDOP_U8_ADD, 2);
  guid = event(OCR_EVENT_COLLECTIVE_T, &params);
  EXPECT_EQ(ocrEventCollectiveSatisfySlot(guid, &value, 2), OCR_EINVAL);
  EXPECT_EQ(ocrEventCollectiveSatisfySlot(guid, nullptr, 0), OCR_EINVAL);
  EXPECT_EQ(ocrEventCollectiveSatisfySlot(event(OCR_EVENT_STICKY_T), &value, 0), OCR_EINVAL);
  EXPECT_EQ(ocrEventSatisfy(guid, NULL_GUID), OCR_EINVAL);
  EXPECT_EQ(ocrAddDependenceSlot(guid, 2, event(OCR_EVENT_STICKY_T), 0, DB_MODE_RO), OCR_EINVAL);
}

}  // namespace
}  // namespace ocr_test

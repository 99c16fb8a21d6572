// SPDX-License-Identifier: Apache-2.0

// Collective events: all reductions, all types, generations, in every order in which their two calls may come.
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <fstream>
#include <limits>
#include <string>
#include <type_traits>

#include "ocr/system/system.hpp"
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
  const T a = static_cast<T>(-7), b = 3, c = 12;  // the largest but six, or negative
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

// Contributions in every order of three contributors, dependences before, between and after them.
TEST_P(Collective, NeitherTheOrderOfContributorsNorThatOfTheCallsMatters) {
  std::vector<u32> order = {0, 1, 2};
  do {
    for (u32 asked_after = 0; asked_after <= 3; ++asked_after) {
      ocrEventParams_t params = params_for(REDOP_F8_ADD, 3);
      params.EVENT_COLLECTIVE.nbDatum = 0;  // taken as 1
      params.EVENT_COLLECTIVE.arity = 0;
      const ocrGuid_t collective = event(OCR_EVENT_COLLECTIVE_T, &params),
                      done[] = {event(OCR_EVENT_STICKY_T), event(OCR_EVENT_STICKY_T)};
      double values[] = {1e16, 1.0, -1e16};  // (a + b) + c is 0, (a + c) + b is 1, a + (b + c) is 2 or 0
      for (u32 i = 0; i <= 3; ++i) {
        for (u32 reader = 0; i == asked_after && reader < 2; ++reader)
          ASSERT_EQ(ocrAddDependenceSlot(collective, 2 * reader, done[reader], 0, DB_MODE_RO), 0);
        if (i == 3) break;
        ASSERT_EQ(ocrEventCollectiveSatisfySlot(collective, &values[order[i]], order[i]), 0);
      }
      for (const ocrGuid_t& reader : done) {
        void* data = nullptr;
        ASSERT_EQ(ocrLegacyBlockProgress(reader, nullptr, &data, nullptr, LEGACY_PROP_NONE), 0);
        EXPECT_EQ(*static_cast<double*>(data), (1e16 + 1.0) + -1e16);
      }
      EXPECT_EQ(ocrEventDestroy(collective), 0);
    }
  } while (std::next_permutation(order.begin(), order.end()));
}

// A contributor as programs write it: an EDT reads a result, asks for the next, and contributes to it.
struct Ranks {
  static constexpr u64 kRanks = 8, kValues = 3;
  ocrGuid_t collective;
  u64 generations;
  std::atomic<u64> wrong{0}, read{0};

  static u64 sum(u64 generation, u64 value) { return kRanks * (generation + value) + kRanks * (kRanks - 1) / 2; }
  // Asks `ahead` generations before it contributes to them.
  void go_on(u64 rank, u64 generation, u64 ahead) {
    for (u64 i = generation == 0 ? 0 : ahead - 1; i < ahead && generation + i < generations; ++i) {
      const u64 next = generation + i;
      const ocrGuid_t reader = edt(1, [this, rank, next, ahead](u32, ocrEdtDep_t* d) {
        for (u64 v = 0; v < kValues; ++v) wrong += static_cast<u64*>(d[0].ptr)[v] == sum(next, v) ? 0 : 1;
        ++read;
        if (next + 1 < generations) go_on(rank, next + 1, ahead);
        return NULL_GUID;
      });
      wrong += ocrAddDependenceSlot(collective, static_cast<u32>(rank), reader, 0, DB_MODE_RO);
    }
    u64 values[kValues];
    for (u64 v = 0; v < kValues; ++v) values[v] = generation + v + rank;
    wrong += ocrEventCollectiveSatisfySlot(collective, values, static_cast<u32>(rank));
  }
};

TEST_P(Collective, ContributorsGoOnFromGenerationToGeneration) {
  for (const u32 in_flight : {1u, 3u}) {
    for (const bool reuse : {false, true}) {
      ocrEventParams_t params = params_for(REDOP_U8_ADD, Ranks::kRanks, Ranks::kValues);
      params.EVENT_COLLECTIVE.maxGen = in_flight;
      params.EVENT_COLLECTIVE.reuseDbPerGen = reuse;
      Ranks ranks{event(OCR_EVENT_COLLECTIVE_T, &params), 60};
      in_edt([&] {
        for (u64 rank = 0; rank < Ranks::kRanks; ++rank)
          edt(0, [&, rank](u32, ocrEdtDep_t*) { return ranks.go_on(rank, 0, in_flight), NULL_GUID; });
      });
      EXPECT_EQ(ranks.wrong, 0u);
      EXPECT_EQ(ranks.read, Ranks::kRanks * ranks.generations);
      EXPECT_EQ(ocrEventDestroy(ranks.collective), 0);
    }
  }
}

TEST_P(Collective, OneContributorGetsItsOwnValues) {
  ocrEventParams_t params = params_for(REDOP_S1_MIN, 1, 65535);
  const ocrGuid_t collective = event(OCR_EVENT_COLLECTIVE_T, &params);
  for (int generation = 0; generation < 5; ++generation) {
    std::vector<std::int8_t> values(65535, static_cast<std::int8_t>(generation - 3));
    const ocrGuid_t done = event(OCR_EVENT_STICKY_T);
    const auto ask = [&] { return ocrAddDependence(collective, done, 0, DB_MODE_RO); };
    const u8 before = generation % 2 == 0 ? ask() : 0;
    ASSERT_EQ(ocrEventCollectiveSatisfySlot(collective, values.data(), 0), 0);
    const u8 after = generation % 2 != 0 ? ask() : 0;
    ASSERT_EQ(before + after, 0);
    void* data = nullptr;
    u64 size = 0;
    ASSERT_EQ(ocrLegacyBlockProgress(done, nullptr, &data, &size, LEGACY_PROP_NONE), 0);
    ASSERT_EQ(size, values.size());
    EXPECT_EQ(std::memcmp(data, values.data(), size), 0);
  }
}

TEST_P(Collective, ASecondContributionToAGenerationIsRefusedAndChangesNothing) {
  ocrEventParams_t params = params_for(REDOP_U4_ADD, 2);
  const ocrGuid_t collective = event(OCR_EVENT_COLLECTIVE_T, &params), done = event(OCR_EVENT_STICKY_T);
  std::uint32_t first = 1, again = 100, second = 2;
  ASSERT_EQ(ocrAddDependenceSlot(collective, 0, done, 0, DB_MODE_RO), 0);
  ASSERT_EQ(ocrAddDependenceSlot(collective, 0, event(OCR_EVENT_STICKY_T), 0, DB_MODE_RO), OCR_EPERM);
  ASSERT_EQ(ocrEventCollectiveSatisfySlot(collective, &first, 0), 0);
  ASSERT_EQ(ocrEventCollectiveSatisfySlot(collective, &again, 0), OCR_EPERM);
  ASSERT_EQ(ocrEventCollectiveSatisfySlot(collective, &second, 1), 0);
  void* data = nullptr;
  ASSERT_EQ(ocrLegacyBlockProgress(done, nullptr, &data, nullptr, LEGACY_PROP_NONE), 0);
  EXPECT_EQ(*static_cast<std::uint32_t*>(data), 3u);
}

TEST_P(Collective, ABroadcastNeedsNoValuesOfTheOthers) {
  ocrEventParams_t params = params_for(REDOP_U8_ADD, 2, 1, COL_BROADCAST);
  const ocrGuid_t collective = event(OCR_EVENT_COLLECTIVE_T, &params), done = event(OCR_EVENT_STICKY_T);
  u64 value = 77;
  ASSERT_EQ(ocrAddDependenceSlot(collective, 1, done, 0, DB_MODE_RO), 0);
  EXPECT_EQ(ocrEventCollectiveSatisfySlot(collective, nullptr, 0), OCR_EINVAL);
  EXPECT_EQ(ocrEventCollectiveSatisfySlot(collective, nullptr, 1), 0);
  EXPECT_EQ(ocrEventCollectiveSatisfySlot(collective, &value, 0), 0);
  EXPECT_EQ(value_of(done), 77u);
}

TEST_P(Collective, AsManyGenerationsInFlightAsANumberHolds) {
  ocrEventParams_t params = params_for(REDOP_U8_ADD, 2);
  params.EVENT_COLLECTIVE.maxGen = std::numeric_limits<u32>::max();
  const ocrGuid_t collective = event(OCR_EVENT_COLLECTIVE_T, &params);
  constexpr u64 kAhead = 500;
  for (u64 value = 0; value < kAhead; ++value) ASSERT_EQ(ocrEventCollectiveSatisfySlot(collective, &value, 0), 0);
  for (u64 value = 0; value < kAhead; ++value) ASSERT_EQ(ocrEventCollectiveSatisfySlot(collective, &value, 1), 0);
  for (u64 value = 0; value < kAhead; ++value) {  // long after
    const ocrGuid_t done = event(OCR_EVENT_STICKY_T);
    ASSERT_EQ(ocrAddDependenceSlot(collective, 1, done, 0, DB_MODE_RO), 0);
    ASSERT_EQ(value_of(done), 2 * value);
  }
}

TEST_P(Collective, AResultThatWasDestroyedIsNotUsedAgain) {
  ocrEventParams_t params = params_for(REDOP_U8_MAX, 1);
  params.EVENT_COLLECTIVE.reuseDbPerGen = true;
  const ocrGuid_t collective = event(OCR_EVENT_COLLECTIVE_T, &params);
  for (u64 value = 1; value <= 10; ++value) {
    const ocrGuid_t done = event(OCR_EVENT_STICKY_T);
    ASSERT_EQ(ocrEventCollectiveSatisfySlot(collective, &value, 0), 0);
    ASSERT_EQ(ocrAddDependenceSlot(collective, 0, done, 0, DB_MODE_RO), 0);
    EXPECT_EQ(value_of(done), value);
    if (value % 3 == 0) continue;
    EXPECT_EQ(ocrDbDestroy(wait_for(done)), 0);
  }
}

// Its EDT and its event never hear of it, and can be used otherwise or destroyed.
TEST_P(Collective, ItMayBeDestroyedWithGenerationsLeft) {
  for (int round = 0; round < 50; ++round) {
    ocrEventParams_t params = params_for(REDOP_U8_ADD, 2);
    params.EVENT_COLLECTIVE.maxGen = 2;
    const ocrGuid_t collective = event(OCR_EVENT_COLLECTIVE_T, &params), linked = event(OCR_EVENT_STICKY_T);
    const ocrGuid_t reader = edt(1, [](u32, ocrEdtDep_t*) { return ADD_FAILURE(), NULL_GUID; });
    u64 value = 1;
    for (int i = 0; i < 2; ++i) ASSERT_EQ(ocrEventCollectiveSatisfySlot(collective, &value, 0), 0);
    ASSERT_EQ(ocrAddDependenceSlot(collective, 0, reader, 0, DB_MODE_RO), 0);
    ASSERT_EQ(ocrAddDependenceSlot(collective, 1, linked, 0, DB_MODE_RO), 0);
    ASSERT_EQ(ocrAddDependenceSlot(collective, 1, linked, 0, DB_MODE_RO), 0);
    ASSERT_EQ(ocrEventDestroy(collective), 0);
    EXPECT_EQ(ocrEventCollectiveSatisfySlot(collective, &value, 1), OCR_EINVAL);
    EXPECT_EQ(ocrAddDependenceSlot(collective, 0, linked, 0, DB_MODE_RO), OCR_EINVAL);
    EXPECT_EQ(ocrEventDestroy(collective), OCR_EINVAL);
    EXPECT_EQ(ocrEventSatisfy(linked, NULL_GUID), 0);
    EXPECT_EQ(ocrEdtDestroy(reader), 0);
  }
}

// What it says of the event that the EDT waits for.
std::string explained(ocrGuid_t of) {
  const weir::explain::Situation seen = weir::ocr::System::running()->explaining()->look();
  for (const weir::explain::Thing& thing : seen.things)
    if (thing.id == static_cast<std::uint64_t>(GUIDA(of))) return thing.detail;
  return "nothing";
}

TEST_P(Collective, WhoHasNotContributedIsNamed) {
  ocrEventParams_t params = params_for(REDOP_U8_ADD, 12);
  const ocrGuid_t collective = event(OCR_EVENT_COLLECTIVE_T, &params);
  const ocrGuid_t reader = edt(1, [](u32, ocrEdtDep_t*) { return NULL_GUID; });
  ASSERT_EQ(ocrAddDependenceSlot(collective, 0, reader, 0, DB_MODE_RO), 0);
  const auto contribute = [&](u32 contributor) {
    u64 value = 1;
    EXPECT_EQ(ocrEventCollectiveSatisfySlot(collective, &value, contributor), 0);
  };
  for (const u32 i : {1, 2}) contribute(i);
  EXPECT_EQ(explained(collective)
                .find("0 generations are complete, contributors 0, 3, 4, 5, 6, 7, 8, 9 and 2 more are "
                      "missing"),
            0u)
      << explained(collective);
  for (u32 i = 3; i < 12; ++i) contribute(i);
  EXPECT_EQ(explained(collective).find("0 generations are complete, contributor 0 is missing"), 0u)
      << explained(collective);
  EXPECT_EQ(ocrEdtDestroy(reader), 0);
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

std::size_t resident_bytes() {
  std::size_t all = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> all >> resident;
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

TEST_P(Collective, ContributorsThatDoNothingTakeNoMemory) {
  constexpr u32 kMany = 20'000'000;  // 16 bytes of each would be 320 MB
  ocrEventParams_t params = params_for(REDOP_U8_ADD, kMany);
  u64 value = 1;
  const std::size_t before = resident_bytes();
  const ocrGuid_t collective = event(OCR_EVENT_COLLECTIVE_T, &params);
  EXPECT_EQ(ocrEventCollectiveSatisfySlot(collective, &value, kMany - 1), 0);
  EXPECT_EQ(ocrAddDependenceSlot(collective, 0, event(OCR_EVENT_STICKY_T), 0, DB_MODE_RO), 0);
  EXPECT_LT(resident_bytes(), before + (std::size_t{128} << 20));
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

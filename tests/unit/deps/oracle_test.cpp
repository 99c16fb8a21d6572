// SPDX-License-Identifier: Apache-2.0

// The edges of BlockMap against the judge in oracle.hpp. WEIR_TEST_SEED=n runs the cases from seed n on.
#include <gtest/gtest.h>

#include <cstdlib>

#include "oracle.hpp"

namespace weir::deps::test {
namespace {

std::uint64_t first_seed() {
  const char* text = std::getenv("WEIR_TEST_SEED");
  return text != nullptr ? std::strtoull(text, nullptr, 10) : 1;
}

void run_cases(int count, const CaseShape& shape) {
  int joins = 0, combines = 0;
  for (std::uint64_t seed = first_seed(); seed < first_seed() + static_cast<std::uint64_t>(count); ++seed) {
    RandomCase random_case(seed, shape);
    const std::string wrong = random_case.run();
    ASSERT_EQ(wrong, "") << "seed " << seed;
    for (int i = 0; i < random_case.graph().size(); ++i) {
      joins += random_case.graph().node(i).what == FakeGraph::What::join;
      combines += random_case.graph().node(i).what == FakeGraph::What::combine;
    }
  }
  ::testing::Test::RecordProperty("joins", joins);
  ::testing::Test::RecordProperty("reductions", combines);
}

TEST(Oracle, AgreesOnObjectsRangesAndTilesInAllModes) { run_cases(2000, {.watched_percent = 0}); }

TEST(Oracle, AgreesOnWatchedArraysMixedWithPlainMemory) { run_cases(2500, {}); }

TEST(Oracle, AgreesWhenNothingFinishesInBetween) { run_cases(800, {.finish_percent = 0}); }

TEST(Oracle, AgreesWhenMostTasksFinishAtOnce) { run_cases(1500, {.tasks = 60, .finish_percent = 95}); }

TEST(Oracle, AgreesWhenManyReadersMakeJoins) {
  run_cases(800, {.tasks = 60, .watched_percent = 20, .finish_percent = 5, .readers_percent = 75});
}

TEST(Oracle, AgreesOnMemoryThatIsNewInEveryTask) {
  run_cases(12, {.tasks = 900, .watched_percent = 0, .finish_percent = 40, .readers_percent = 40, .new_percent = 95});
  run_cases(300, {.tasks = 90, .watched_percent = 10, .finish_percent = 30, .new_percent = 80});
}

TEST(Oracle, AgreesOnNewMemoryWhileNothingFinishes) {
  run_cases(10, {.tasks = 700, .watched_percent = 0, .finish_percent = 0, .new_percent = 97, .reductions = false});
}

TEST(Oracle, AgreesWherePiecesOfMemoryBecomeOneAgain) {
  run_cases(400, {.tasks = 60, .watched_percent = 10, .finish_percent = 50, .readers_percent = 60, .join_from = 2});
  run_cases(200, {.watched_percent = 0, .finish_percent = 10, .join_from = 2});
}

TEST(Oracle, AgreesOnReadersAndWritersAlone) {
  run_cases(1500, {.readers_percent = 50, .reductions = false, .commutative = false});
}

}  // namespace
}  // namespace weir::deps::test

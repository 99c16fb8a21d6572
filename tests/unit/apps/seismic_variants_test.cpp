// SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <ostream>
#include <string>

#include "apps/seismic/measure.hpp"
#include "apps/seismic/problem.hpp"
#include "apps/seismic/solver.hpp"
#include "apps/seismic/variant_names.hpp"

namespace weir::apps::seismic {
namespace {

struct Case {
  Index rows, cols, iterations;
  int threads;
  Index block_rows;
  TilingRequest tiling;
};
std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << c.rows << "x" << c.cols << "x" << c.iterations << " threads " << c.threads << " block rows "
             << c.block_rows << " tile " << c.tiling.iterations << "x" << c.tiling.rows << "x" << c.tiling.cols;
}

Settings settings_for(const Case& c, const Kernels& kernels) {
  Settings settings;
  settings.runtime.workers = settings.threads = c.threads;
  settings.block_rows = c.block_rows;
  settings.tiling = choose_tiling(c.tiling, {}, c.rows, c.threads);
  settings.kernels = &kernels;
  return settings;
}

class SeismicVariants : public ::testing::TestWithParam<Case> {};

TEST_P(SeismicVariants, AgreeWithSerialInEveryBitOnEveryInstructionSet) {
  const Case& c = GetParam();
  auto problem = Problem::create(*layered_earth(c.rows, c.cols), 2).value();
  problem.make_source(c.iterations);
  const auto run = [&](const Variant& variant, const Kernels& kernels) {
    problem.reset(2);
    const auto solver = variant.start(settings_for(c, kernels));
    solver->take(problem.fields());
    solver->run(problem.fields(), problem.source(), 0, c.iterations);
    solver->give_back(problem.fields());
  };
  run(*find_variant("serial"), best_kernels());
  const auto wanted = Snapshot::take(problem, 2).value();
  for (const Kernels* const* kernels = all_kernels(); *kernels != nullptr; ++kernels) {
    for (const Variant& variant : variants()) {
      run(variant, **kernels);
      EXPECT_EQ(wanted.compare(problem, 2), std::nullopt) << variant.name << ", " << (*kernels)->name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(AwkwardSizes, SeismicVariants,
                         ::testing::Values(Case{1, 1, 5, 2, 1, {}},        // one cell
                                           Case{1, 50, 20, 2, 1, {}},      // one row
                                           Case{50, 1, 20, 2, 3, {}},      // one column
                                           Case{3, 9, 40, 8, 1, {}},       // more threads than blocks
                                           Case{7, 300, 33, 2, 64, {}},    // fewer rows than a block
                                           Case{131, 197, 37, 2, 10, {}},  // no multiples of anything
                                           Case{64, 256, 16, 2, 16, {}},   // multiples of everything
                                           Case{100, 520, 1, 2, 7, {}},    // one iteration
                                           Case{100, 520, 50, 4, 7, {}}));

INSTANTIATE_TEST_SUITE_P(AwkwardTiles, SeismicVariants,
                         ::testing::Values(Case{40, 70, 30, 2, 5, {1, 1, 8}},         // as small as can be
                                           Case{40, 70, 30, 2, 5, {30, 4, 8}},        // deeper than high and than wide
                                           Case{40, 70, 30, 2, 5, {7, 5, 24}},        // nothing divides anything
                                           Case{40, 70, 30, 2, 5, {16, 1000, 1000}},  // one tile a layer, nearly
                                           Case{90, 300, 64, 3, 5, {16, 16, 128}},
                                           Case{33, 45, 10, 2, 5, {100, 3, 3}}));  // columns are rounded up

TEST(SeismicMeasure, TimesEachVariantInTurnAndFindsThemEqual) {
  auto problem = Problem::create(*layered_earth(60, 80), 2).value();
  problem.make_source(10);
  Plan plan;
  plan.variants = {find_variant("openmp"), find_variant("weir")};
  plan.iterations = 10;
  plan.repetitions = 3;
  plan.settings = settings_for({60, 80, 10, 2, 8, {}}, best_kernels());
  std::vector<std::string> order;
  const auto measured = measure(problem, plan, [&](const Variant& v, int) { order.emplace_back(v.name); });
  ASSERT_TRUE(measured);
  EXPECT_THAT(order, ::testing::ElementsAre("serial", "openmp", "weir", "openmp", "weir", "openmp", "weir"));
  for (const Measurement& m : *measured) {
    EXPECT_EQ(m.seconds.size(), 3u);
    EXPECT_EQ(m.difference, std::nullopt);
  }
}

// A variant that is wrong in one cell.
class Wrong final : public Solver {
 public:
  void run(const Fields& fields, const Source& source, Index first, Index count) override {
    Settings settings;
    settings.kernels = &best_kernels();
    start_serial(settings)->run(fields, source, first, count);
    fields.velocity[2 * fields.stride + 3] += 1;
  }
};

TEST(SeismicMeasure, SaysWhereAWrongVariantDiffers) {
  const Variant wrong = {"wrong", "",
                         [](const Settings&) -> std::unique_ptr<Solver> { return std::make_unique<Wrong>(); }};
  auto problem = Problem::create(*layered_earth(8, 8), 2).value();
  problem.make_source(4);
  Plan plan;
  plan.variants = {&wrong};
  plan.iterations = 4;
  plan.settings = settings_for({8, 8, 4, 2, 8, {}}, best_kernels());
  const auto measured = measure(problem, plan, [](const Variant&, int) {});
  ASSERT_TRUE(measured);
  ASSERT_TRUE(measured->front().difference);
  EXPECT_THAT(*measured->front().difference, ::testing::HasSubstr("V[2][3]"));
}

TEST(SeismicTiling, FitsTheCachesItIsGiven) {
  for (const std::size_t level2 : {256u << 10, 512u << 10, 1u << 20, 2u << 20}) {
    const Tiling t = choose_tiling({}, {std::size_t{32} << 10, level2}, 4096, 2);
    EXPECT_EQ(t.cols % t.inner_cols, 0);
    EXPECT_LE((t.inner_iterations + 1) * t.inner_cols * 48, 32 << 10);
    EXPECT_LE((t.inner_rows + t.iterations) * (t.cols + kLine * t.iterations) * 48, static_cast<Index>(level2));
  }
}

TEST(SeismicTiling, ManyThreadsGetMoreAndSmallerTiles) {
  EXPECT_EQ(choose_tiling({}, {}, 4096, 2).rows, 64);
  EXPECT_EQ(choose_tiling({}, {}, 4096, 64).rows, 16);
}

#if defined(__x86_64__)
// Where this CPU has it; the tests above run all that it has.
class SeismicKernelsOf : public testing::TestWithParam<const char*> {};
TEST_P(SeismicKernelsOf, AnInstructionSetAreAmongThoseThatRun) {
  const std::string set = GetParam();
  const bool has_it = set == "AVX-512" ? __builtin_cpu_supports("avx512f") != 0 : __builtin_cpu_supports("avx2") != 0;
  if (!has_it) GTEST_SKIP() << "this CPU has no " << set << ": its kernels are not tested";
  bool found = false;
  for (const Kernels* const* kernels = all_kernels(); *kernels != nullptr; ++kernels)
    found = found || set == (*kernels)->name;
  EXPECT_TRUE(found);
}
INSTANTIATE_TEST_SUITE_P(Sets, SeismicKernelsOf, testing::Values("AVX-512", "AVX2"),
                         [](const auto& set) { return set.index == 0 ? "Avx512" : "Avx2"; });
#endif

TEST(Variants, HaveTheNamesThatTheCommandLineOffers) {
  std::vector<std::string_view> names;
  for (const Variant& variant : variants()) names.push_back(variant.name);
  EXPECT_EQ(names, (std::vector<std::string_view>(std::begin(kVariantNames), std::end(kVariantNames))));
}

}  // namespace
}  // namespace weir::apps::seismic

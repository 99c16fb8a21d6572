// SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "apps/stencil3d/app.hpp"
#include "apps/stencil3d/order.hpp"
#include "apps/stencil3d/solver.hpp"

namespace weir::apps::stencil3d {
namespace {

Settings settings_for(const Shape& shape, const Kernels& kernels, Index pairs) {
  Settings settings;
  settings.shape = shape;
  settings.kernels = &kernels;
  settings.pairs = pairs;
  settings.threads = settings.runtime.workers = 2;
  return settings;
}

// The textbook sweep: two arrays, one sweep after the other.
std::vector<double> plain_sweeps(std::vector<double> u, const std::vector<double> (&halo)[kSides], Index n,
                                 Index sweeps) {
  const auto at = [n](Index z, Index y, Index x) { return static_cast<std::size_t>((z * n + y) * n + x); };
  const auto in_face = [n](Index a, Index b) { return static_cast<std::size_t>(a * n + b); };
  for (Index sweep = 0; sweep < sweeps; ++sweep) {
    const std::vector<double> old = u;
    for (Index z = 0; z < n; ++z) {
      for (Index y = 0; y < n; ++y) {
        for (Index x = 0; x < n; ++x) {
          const double left = x > 0 ? old[at(z, y, x - 1)] : halo[kXLow][in_face(z, y)];
          const double right = x + 1 < n ? old[at(z, y, x + 1)] : halo[kXHigh][in_face(z, y)];
          const double above = y > 0 ? old[at(z, y - 1, x)] : halo[kYLow][in_face(z, x)];
          const double below = y + 1 < n ? old[at(z, y + 1, x)] : halo[kYHigh][in_face(z, x)];
          const double front = z > 0 ? old[at(z - 1, y, x)] : halo[kZLow][in_face(y, x)];
          const double back = z + 1 < n ? old[at(z + 1, y, x)] : halo[kZHigh][in_face(y, x)];
          u[at(z, y, x)] = 0.4 * old[at(z, y, x)] + 0.1 * (((left + right) + (above + below)) + (front + back));
        }
      }
    }
  }
  return u;
}

TEST(Stencil3dKernels, GiveTheBitsOfTheTextbookSweepForAnyNumberOfSweepsAndPairs) {
  constexpr Index kSide = 16;
  const Shape shape{{1, 1, 1}, kSide, 1, 1};
  std::vector<double> start(static_cast<std::size_t>(shape.interior_cells()));
  fill_interior(shape, 0, start);
  std::vector<double> halo[kSides];
  for (int side = 0; side < kSides; ++side) {
    for (Index i = 0; i < shape.face_cells(); ++i) halo[side].push_back(static_cast<double>(i * (side + 1) % 101) / 7);
  }
  for (const Kernels* const* kernels = all_kernels(); *kernels != nullptr; ++kernels) {
    for (const Index pairs : {1, 2, 5}) {
      for (const Index sweeps : {1, 2, 3, 7, 20}) {
        Settings settings = settings_for(shape, **kernels, pairs);
        settings.shape.sweeps = sweeps;
        // Scratch is memory on a line of cache, and with larger blocks there is enough of it for a block and its faces.
        const Settings larger = settings_for({{1, 1, 1}, 3 * kSide, 1, 1}, **kernels, 1);
        const Scratch scratch(settings), interior(larger), faces(larger);
        const auto face = [&](int side) { return faces.data() + side * shape.face_cells(); };
        std::copy(start.begin(), start.end(), interior.data());
        for (int side = 0; side < kSides; ++side) std::copy(halo[side].begin(), halo[side].end(), face(side));
        (*kernels)->relax({interior.data(),
                           {face(0), face(1), face(2), face(3), face(4), face(5)},
                           scratch.data(),
                           kSide,
                           sweeps,
                           pairs});
        const auto wanted = plain_sweeps(start, halo, kSide, sweeps);
        EXPECT_TRUE(std::equal(wanted.begin(), wanted.end(), interior.data()))
            << (*kernels)->name << ", " << pairs << " pairs, " << sweeps << " sweeps";
      }
    }
  }
}

TEST(Stencil3dProblem, NeighboursAreEachOthers) {
  const Shape shape{{3, 2, 4}, 8, 1, 1};
  int borders = 0;
  for (Index b = 0; b < shape.block_count(); ++b) {
    for (int side = 0; side < kSides; ++side) {
      const Index other = neighbour(shape, b, Side(side));
      if (other < 0) {
        ++borders;
      } else {
        EXPECT_EQ(neighbour(shape, other, opposite(Side(side))), b);
      }
    }
  }
  EXPECT_EQ(borders, 2 * (3 * 2 + 3 * 4 + 2 * 4));
}

TEST(Stencil3dProblem, FacesAreTheCellsAtTheSides) {
  const Shape shape{{1, 1, 1}, 8, 1, 1};
  std::vector<double> interior(512), face(64);
  for (std::size_t i = 0; i < interior.size(); ++i) interior[i] = static_cast<double>(i);
  const auto first_and_last = [&](Side side) {
    publish(shape, interior, side, face);
    return std::pair(face.front(), face.back());
  };
  EXPECT_EQ(first_and_last(kXLow), std::pair(0.0, 504.0));
  EXPECT_EQ(first_and_last(kXHigh), std::pair(7.0, 511.0));
  EXPECT_EQ(first_and_last(kYLow), std::pair(0.0, 455.0));
  EXPECT_EQ(first_and_last(kYHigh), std::pair(56.0, 511.0));
  EXPECT_EQ(first_and_last(kZLow), std::pair(0.0, 63.0));
  EXPECT_EQ(first_and_last(kZHigh), std::pair(448.0, 511.0));
}

TEST(Stencil3dProblem, ReadsSizesThatAreMultiplesOfTheBlock) {
  EXPECT_EQ(*parse_blocks("128", 64), (std::array<Index, 3>{2, 2, 2}));
  EXPECT_EQ(*parse_blocks("64x128x192", 64), (std::array<Index, 3>{1, 2, 3}));
  for (const char* wrong :
       {"", "0", "100", "64x64", "64x64x64x64", "64x64x-64", "64xx64", "abc", "99999999999999999999"}) {
    EXPECT_FALSE(parse_blocks(wrong, 64)) << wrong;
  }
}

TEST(Stencil3dProblem, AChecksumTellsContentsAndOrdersApart) {
  std::vector<double> cells = {1, 2, 3, 4, 5, 6, 7, 8};
  std::set<std::uint64_t> sums = {checksum(cells)};
  std::swap(cells[0], cells[4]);  // of one chain
  sums.insert(checksum(cells));
  cells[7] = -0.0;
  sums.insert(checksum(cells));
  cells[7] = 0.0;
  sums.insert(checksum(cells));
  EXPECT_EQ(sums.size(), 4u);
}

// Each block once an iteration, and never before its neighbours have done the iteration before.
void expect_valid(const Shape& shape, const std::vector<Step>& steps) {
  std::vector<Index> done(static_cast<std::size_t>(shape.block_count()));
  for (const Step& step : steps) {
    ASSERT_EQ(done[static_cast<std::size_t>(step.block)], step.iteration);
    for (int side = 0; side < kSides; ++side) {
      const Index other = neighbour(shape, step.block, Side(side));
      if (other >= 0) {
        ASSERT_GE(done[static_cast<std::size_t>(other)], step.iteration);
      }
    }
    ++done[static_cast<std::size_t>(step.block)];
  }
  EXPECT_THAT(done, testing::Each(shape.iterations));
}

TEST(Stencil3dOrder, KeepsTheDependencesAtEveryDepthAndSize) {
  for (const std::array<Index, 3> blocks : {std::array<Index, 3>{1, 1, 1}, {1, 1, 9}, {4, 3, 2}, {3, 3, 8}}) {
    for (const Index iterations : {1, 2, 7}) {
      const Shape shape{blocks, 8, iterations, 1};
      expect_valid(shape, naive_order(shape));
      for (const Index depth : {1, 2, 3, 7}) expect_valid(shape, order_of(shape, depth));
    }
  }
}

TEST(Stencil3dOrder, TheDepthGrowsWithTheBudgetAndStaysWithinTheIterations) {
  const Shape shape{{4, 4, 16}, 64, 10, 20};
  EXPECT_EQ(reuse_depth(shape, 0), 1);
  EXPECT_EQ(reuse_depth(shape, shape.total_bytes() / 100), 1);
  EXPECT_EQ(reuse_depth(shape, shape.total_bytes() / 2), 5);
  EXPECT_EQ(reuse_depth(shape, shape.total_bytes()), 10);
}

TEST(Stencil3dApp, TracesATaskForEachStepAfterThoseThatMakeTheData) {
  const auto app = make_app({{2, 1, 2}, 8, 3, 1});
  const AccessTrace trace = app->trace({});
  EXPECT_EQ(trace.first_measured, 6u + 4u);
  EXPECT_EQ(trace.task_ends.size(), 6u + 4u + 12u);
  EXPECT_EQ(trace.accesses.size(), 6u + 4u * 7u + 12u * 13u);
  EXPECT_EQ(trace.block_bytes.size(), 4u * 13u + 6u);
}

TEST(Stencil3dVariants, PlainOnesAgreeWithSerialInEveryBit) {
  Settings settings = settings_for({{2, 3, 2}, 16, 5, 4}, best_kernels(), 2);
  const auto wanted = run_serial(settings).result;
  EXPECT_EQ(run_openmp(settings).result, wanted);
  settings.folder = testing::TempDir();
  EXPECT_EQ(run_openmp(settings).result, wanted);
}

TEST(Stencil3dVariants, WeirAgreesWithSerialInEveryBitAndEveryOrder) {
  Settings settings = settings_for({{2, 3, 2}, 16, 5, 4}, best_kernels(), 2);
  const auto wanted = run_serial(settings).result;
  for (const std::uint64_t budget : {std::uint64_t{0}, settings.shape.total_bytes() / 2}) {
    settings.budget = budget;
    for (const Order order : {Order::naive, Order::reuse}) {
      settings.order = order;
      EXPECT_EQ(run_weir(settings).result, wanted);
    }
  }
}

TEST(Stencil3dVariants, IslandsAgreeWithSerialInEveryBitWhateverTheirMemory) {
  Settings settings = settings_for({{2, 3, 2}, 16, 5, 4}, best_kernels(), 2);
  const auto wanted = run_serial(settings).result;
  for (const IslandMemory memory : {IslandMemory::coherent, IslandMemory::checked}) {
    settings.runtime.island_memory = memory;
    EXPECT_EQ(run_island(settings).result, wanted);
  }
}

#if defined(__x86_64__)
// Where this CPU has it; the tests above run all that it has.
class Stencil3dKernelsOf : public testing::TestWithParam<const char*> {};
TEST_P(Stencil3dKernelsOf, AnInstructionSetAreAmongThoseThatRun) {
  const std::string set = GetParam();
  const bool has_it = set == "AVX-512" ? __builtin_cpu_supports("avx512f") != 0 : __builtin_cpu_supports("avx2") != 0;
  if (!has_it) GTEST_SKIP() << "this CPU has no " << set << ": its kernels are not tested";
  bool found = false;
  for (const Kernels* const* kernels = all_kernels(); *kernels != nullptr; ++kernels)
    found = found || set == (*kernels)->name;
  EXPECT_TRUE(found);
}
INSTANTIATE_TEST_SUITE_P(Sets, Stencil3dKernelsOf, testing::Values("AVX-512", "AVX2"),
                         [](const auto& set) { return set.index == 0 ? "Avx512" : "Avx2"; });
#endif

}  // namespace
}  // namespace weir::apps::stencil3d

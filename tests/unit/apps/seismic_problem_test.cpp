// SPDX-License-Identifier: Apache-2.0

#include "apps/seismic/problem.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "apps/seismic/kernels.hpp"
#include "apps/seismic/picture.hpp"
#include "apps/seismic/solver.hpp"

namespace weir::apps::seismic {
namespace {

Problem layered(Index rows, Index cols, Index iterations) {
  auto problem = Problem::create(*layered_earth(rows, cols), 2).value();
  problem.make_source(iterations);
  return problem;
}

double largest(const Problem& problem) {
  double most = 0;
  for (Index y = 0; y < problem.rows(); ++y) {
    for (Index x = 0; x < problem.cols(); ++x) {
      most = std::max(most, std::abs(problem.fields().velocity[y * problem.fields().stride + x]));
    }
  }
  return most;
}

void run_serial(Problem& problem, Index first, Index count) {
  Settings settings;
  settings.kernels = &best_kernels();
  start_serial(settings)->run(problem.fields(), problem.source(), first, count);
}

// The formulas of the header, cell by cell, on arrays of their own.
class Naive {
 public:
  explicit Naive(const Problem& problem) : f_(problem.fields()), v_(cells()), s_(cells()), t_(cells()) {}

  void iterate(const Source& source, Index k) {
    for (Index y = 0; y < f_.rows; ++y) {
      for (Index x = 0; x < f_.cols; ++x) {
        s_[at(y, x)] += f_.material[y * f_.stride + x] * (get(v_, y, x + 1) - get(v_, y, x));
        t_[at(y, x)] += f_.material[y * f_.stride + x] * (get(v_, y + 1, x) - get(v_, y, x));
      }
    }
    for (Index y = 0; y < f_.rows; ++y) {
      for (Index x = 0; x < f_.cols; ++x) {
        const double dx = get(s_, y, x) - get(s_, y, x - 1);
        const double dy = get(t_, y, x) - get(t_, y - 1, x);
        v_[at(y, x)] =
            f_.damping[y * f_.stride + x] * (v_[at(y, x)] + f_.inverse_density[y * f_.stride + x] * (dx + dy));
      }
    }
    v_[at(source.row, source.col)] += source.pulse[k];
  }
  double velocity(Index y, Index x) const { return v_[at(y, x)]; }

 private:
  std::size_t cells() const { return static_cast<std::size_t>(f_.rows * f_.cols); }
  std::size_t at(Index y, Index x) const { return static_cast<std::size_t>(y * f_.cols + x); }
  double get(const std::vector<double>& array, Index y, Index x) const {
    return y < 0 || x < 0 || y >= f_.rows || x >= f_.cols ? 0.0 : array[at(y, x)];
  }

  Fields f_;
  std::vector<double> v_, s_, t_;
};

TEST(SeismicProblem, SerialIsTheFormulasCellByCell) {
  Problem problem = layered(23, 37, 50);
  Naive naive(problem);
  for (Index k = 0; k < 50; ++k) naive.iterate(problem.source(), k);
  run_serial(problem, 0, 50);
  for (Index y = 0; y < 23; ++y) {
    for (Index x = 0; x < 37; ++x) {
      // Not bit for bit: this file may be compiled to fused multiply-add.
      EXPECT_NEAR(problem.fields().velocity[y * problem.fields().stride + x], naive.velocity(y, x), 1e-12);
    }
  }
  EXPECT_GT(largest(problem), 1e-3);
}

TEST(SeismicProblem, ARunInTwoPartsIsTheRunInOne) {
  Problem problem = layered(20, 20, 30);
  run_serial(problem, 0, 30);
  const auto whole = Snapshot::take(problem, 2).value();
  problem.reset(2);
  run_serial(problem, 0, 11);
  EXPECT_TRUE(whole.compare(problem, 2));
  run_serial(problem, 11, 19);
  EXPECT_EQ(whole.compare(problem, 2), std::nullopt);
}

TEST(SeismicProblem, StaysBoundedLongAfterThePulse) {
  Problem problem = layered(96, 96, 3000);
  run_serial(problem, 0, 600);
  const double early = largest(problem);
  run_serial(problem, 600, 2400);
  EXPECT_LT(largest(problem), 0.2 * early) << "the border should have taken the wave out";
}

TEST(SeismicProblem, ComparisonNamesTheFirstCellThatDiffersByOneBit) {
  Problem problem = layered(10, 12, 5);
  const auto before = Snapshot::take(problem, 2).value();
  EXPECT_EQ(before.compare(problem, 2), std::nullopt);
  double& cell = problem.fields().stress_y[7 * problem.fields().stride + 11];
  cell = -0.0;
  const Difference difference = before.compare(problem, 2);
  ASSERT_TRUE(difference);
  EXPECT_THAT(*difference, ::testing::HasSubstr("T[7][11]"));
}

TEST(SeismicPicture, ShowsTheWaveInRedAndBlueOverGrey) {
  Problem problem = layered(64, 64, 1);
  problem.fields().velocity[10 * problem.fields().stride + 20] = 1;
  problem.fields().velocity[30 * problem.fields().stride + 20] = -1;
  const Picture picture = draw(problem);
  ASSERT_EQ(picture.width, 64);
  ASSERT_EQ(picture.height, 64);
  const Rgb up = picture.pixels[10 * 64 + 20], down = picture.pixels[30 * 64 + 20], rest = picture.pixels[50 * 64 + 50];
  EXPECT_GT(up.red, up.blue);
  EXPECT_GT(down.blue, down.red);
  EXPECT_EQ(rest.red, rest.blue);
}

TEST(SeismicPicture, IsMadeSmallerAndKeepsTheStrongestWave) {
  Problem problem = layered(100, 130, 1);
  problem.fields().velocity[99 * problem.fields().stride + 129] = 1;
  const Picture picture = draw(problem, 64);
  EXPECT_EQ(picture.width, 44);  // 130 cells, 3 a pixel
  EXPECT_EQ(picture.height, 34);
  EXPECT_GT(picture.pixels.back().red, picture.pixels.back().blue);
}

}  // namespace
}  // namespace weir::apps::seismic

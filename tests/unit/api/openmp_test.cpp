// SPDX-License-Identifier: Apache-2.0

// Tasks that call code which brings threads of its own.
#include <vector>

#include "support.hpp"

namespace weir {
namespace {

double omp_sum(const std::vector<double>& data) {
  double sum = 0;
#pragma omp parallel for reduction(+ : sum) num_threads(2)
  for (std::size_t i = 0; i < data.size(); ++i) sum += data[i];
  return sum;
}

class OpenMp : public test::ForWorkers {};
WEIR_FOR_WORKERS(OpenMp);

TEST_P(OpenMp, MayBeCalledInTasks) {
  Runtime runtime(options());
  const std::vector<double> data(10000, 1.0);
  std::vector<double> sums(16, 0);
  for (double& sum : sums) runtime.spawn(out(sum), [&] { sum = omp_sum(data); });
  runtime.wait();
  for (const double sum : sums) EXPECT_EQ(sum, 10000);
}

TEST_P(OpenMp, ItsThreadsMaySpawn) {
  Runtime runtime(options());
  std::atomic<int> runs{0};
#pragma omp parallel for num_threads(4)
  for (int i = 0; i < 40; ++i) {
    runtime.spawn([&] { ++runs; });
    runtime.wait();
  }
  runtime.wait();
  EXPECT_EQ(runs, 40);
}

}  // namespace
}  // namespace weir

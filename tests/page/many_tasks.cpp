// SPDX-License-Identifier: Apache-2.0

// A run of many small tasks of several names on a few workers, to be traced: many_tasks TASKS
//
// Columns of cells that are swept again and again: a cell's task depends on its neighbours' of the sweep before. Now
// and then a sum over all cells, so that the critical path has something to go through.
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "weir/weir.hpp"

namespace {

constexpr int kCells = 64;

void work(double& value, int amount) {
  for (int i = 0; i < amount; ++i) value = value * 0.999 + 0.001;
}

}  // namespace

int main(int argc, char** argv) {
  const long tasks = argc > 1 ? std::atol(argv[1]) : 0;
  if (tasks <= 0) {
    std::fputs("usage: many_tasks TASKS\n", stderr);
    return 2;
  }
  std::vector<double> cells(kCells, 1.0);
  double sum = 0;
  {
    weir::Runtime runtime;
    long made = 0;
    for (long sweep = 0; made < tasks; ++sweep) {
      for (int i = 0; i < kCells && made < tasks; ++i, ++made) {
        double& left = cells[i == 0 ? kCells - 1 : i - 1];
        if (sweep % 50 == 49 && i == 0) {
          runtime.spawn(weir::name("sum"), weir::in(cells[1]), weir::inout(cells[0]), [](const double& in, double& s) {
            s += in;
            work(s, 40000);
          });
        } else if (i % 16 == 3) {
          runtime.spawn(weir::name("boundary"), weir::in(left), weir::inout(cells[i]),
                        [](const double& in, double& own) {
                          own += 0.1 * in;
                          work(own, 900);
                        });
        } else {
          runtime.spawn(weir::name("relax"), weir::in(left), weir::inout(cells[i]), [](const double& in, double& own) {
            own += 0.1 * in;
            work(own, 300);
          });
        }
      }
    }
    runtime.wait();
  }
  for (const double cell : cells) sum += cell;
  std::printf("%.3f\n", sum);
  return 0;
}

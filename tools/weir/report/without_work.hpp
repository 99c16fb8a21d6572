// Why workers had nothing to run: shares of data, work and idle over time. Pure.
//
// A worker without work waits for data while some ready task waits for its blocks (when fewer tasks do than workers
// have nothing, it is divided evenly among these), else for work while any task is unfinished, else it is idle.
#pragma once

#include <vector>

#include "trace.hpp"

namespace weir::tool::report {

struct Gap {
  Ns start = 0, end = 0;
};

// Nanoseconds of each cause.
struct Causes {
  double data = 0, work = 0, idle = 0;
};

class WithoutWork {
 public:
  // `gaps`: when a worker had nothing to run, of all workers.
  WithoutWork(const Trace& trace, const std::vector<Gap>& gaps);

  // Of one of them.
  Causes causes(Gap gap) const;

 private:
  struct Point {
    Ns at = 0;
    Causes so_far;
    double data_rate = 0;  // from here on
    bool unfinished = false;
  };
  // What changes at one moment: +1, -1 or 0.
  struct Change {
    Ns at;
    int workless, waiting, unfinished;
  };

  static Point extend(Point p, Ns to);
  void add_up(Ns start, const std::vector<Change>& changes);
  Point at(Ns moment) const;

  std::vector<Point> points_;
};

}  // namespace weir::tool::report

// SPDX-License-Identifier: Apache-2.0

// Why workers had nothing to run: shares of data, work and idle over time. Pure.
//
// A worker without work waits for data while some ready task waits for its blocks, and for others while one waits for
// what they hold: commutative data, an OCR data block; for ranks while one waits for what another rank sends. When
// fewer tasks wait than workers have nothing, it is divided evenly among these. Otherwise it waits for work while any
// task is unfinished, else it is idle.
#pragma once

#include <vector>

#include "interval.hpp"
#include "trace.hpp"

namespace weir::tool::report {

// Nanoseconds of each cause.
struct Causes {
  double data = 0, others = 0, work = 0, idle = 0;
  double room = 0;  // of `data`: for room, not for blocks on their way
  double ranks = 0;
};

class WithoutWork {
 public:
  // `gaps`: when a worker had nothing to run, of all workers of that process.
  WithoutWork(const Trace& trace, const std::vector<Interval>& gaps, std::size_t process);

  // Of one of them.
  Causes causes(Interval gap) const;

 private:
  struct Point {
    Ns at = 0;
    Causes so_far;
    Causes rates;  // from here on
  };
  // How many there are; and one more or less from a moment on.
  struct Counts {
    int workless = 0, blocks = 0, room = 0, others = 0, ranks = 0, unfinished = 0;
  };
  struct Change {
    Ns at;
    int Counts::*what;
    int by;
  };

  static Causes rates(const Counts& counts);
  static Point extend(Point p, Ns to);
  void add_up(Ns start, const std::vector<Change>& changes);
  Point at(Ns moment) const;

  std::vector<Point> points_;
};

}  // namespace weir::tool::report

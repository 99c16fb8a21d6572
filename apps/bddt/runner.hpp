// SPDX-License-Identifier: Apache-2.0

// The main function of a runner: one program, by one runtime, measured and checked.
#pragma once

#include <cstdio>
#include <exception>
#include <string>

#include "apps/bddt/programs.hpp"
#include "apps/bddt/request.hpp"
#include "apps/bddt/task_clock.hpp"
#include "apps/common/stopwatch.hpp"

namespace weir::apps::bddt {

// Counts the tasks that a program makes, on their way to the runtime.
template <class Tasks>
class Counting {
 public:
  explicit Counting(Tasks& tasks) : tasks_(tasks) {}

  template <class T>
  auto array(std::size_t rows, std::size_t cols, std::size_t block_rows, std::size_t block_cols) {
    return tasks_.template array<T>(rows, cols, block_rows, block_cols);
  }
  template <class F, class... Items>
  void task(const char* name, const F& function, const Items&... items) {
    ++made;
    tasks_.task(name, function, items...);
  }

  std::size_t made = 0;

 private:
  Tasks& tasks_;
};

template <class Tasks, template <class> class Program>
class Measured {
 public:
  explicit Measured(const Request& request)
      : request_(request), tasks_(request.workers), counting_(tasks_), program_(counting_, request.size) {}

  Report report() {
    Report report;
    report.about = Tasks::about();
    for (int i = 0; i < request_.repeat && report.wrong.empty(); ++i) {
      program_.fill();
      report.runs.push_back(run());
      report.wrong = program_.check();
    }
    report.tasks = counting_.made / report.runs.size();
    return report;
  }

 private:
  Run run() {
    Run run;
    double making = 0;
    if (request_.shares) tasks_.begin_shares();
    const Stopwatch watch;
    tasks_.run([&] { making = make_tasks(); });
    run.seconds = watch.seconds();
    if (!request_.shares) return run;
    run.shares = tasks_.shares();
    run.analysis = tasks_.analysis(run.seconds, making);
    return run;
  }
  // Seconds, without those of tasks that the master ran meanwhile.
  double make_tasks() {
    const Stopwatch making;
    const std::uint64_t before = request_.shares ? TaskClock::mine() : 0;
    program_.work(counting_);
    const std::uint64_t after = request_.shares ? TaskClock::mine() : 0;
    return making.seconds() - static_cast<double>(after - before) * 1e-9;
  }

  const Request& request_;
  Tasks tasks_;
  Counting<Tasks> counting_;
  Program<Counting<Tasks>> program_;
};

template <class Tasks>
Report report_of(const Request& request) {
  if (request.program == "blackscholes") return Measured<Tasks, BlackScholes>(request).report();
  if (request.program == "matmul") return Measured<Tasks, Matmul>(request).report();
  if (request.program == "fft") return Measured<Tasks, Fourier>(request).report();
  if (request.program == "jacobi") return Measured<Tasks, Jacobi>(request).report();
  return Measured<Tasks, Cholesky>(request).report();
}

// False when the result is wrong. Throws what the runtime or a library cannot do.
template <class Tasks>
bool answer(const Request& request) {
  TaskClock::wanted = request.shares;
  load_kernels(request.program == "fft" ? request.size.n : 0);
  const Report report = request.about ? Report{Tasks::about(), 0, {}, ""} : report_of<Tasks>(request);
  std::printf("%s\n", text_of(report).c_str());
  if (report.wrong.empty()) return true;
  std::fprintf(stderr, "%s: the result is wrong: %s\n", request.program.c_str(), report.wrong.c_str());
  return false;
}

// Exit code 1 when a result is wrong or the runtime cannot do it, 2 for wrong arguments.
template <class Tasks>
int run_main(int argc, char** argv) {
  try {
    bool right = true;
    for (const Request& request : requests_of(argc, argv)) right &= answer<Tasks>(request);
    return right ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}

}  // namespace weir::apps::bddt

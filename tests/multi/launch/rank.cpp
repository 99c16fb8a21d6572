// SPDX-License-Identifier: Apache-2.0

// A program for launch_test.py: a rank that says what it is, and then does as it is told.
//
//   job        prints starter, rank, ranks, host rank, host ranks and the id of the job
//   abort N    rank 1 aborts the job with status N and all others wait
//   vanish     all join; rank 1 ends with status 0 and all others wait
//   leave      all join, leave and end; rank 1 with status 5
//   outlive F  the same, and the others go on when rank 1, which says in F who it is, has been gone for long
//   rejoin     all join, leave, join again; rank 1 ends with status 0 and all others wait
//   early      rank 1 ends with status 0; all others look for it
//   late       rank 1 comes to the start when the others have no patience left
//   victim     rank 0 ends because of rank 1, which ends by SIGKILL after that
//   notices    rank 1 prints its number and waits; when it has ended rank 0 aborts the job
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include "launch/control.hpp"
#include "launch/job.hpp"
#include "transport/open_transport.hpp"

namespace weir::launch {
namespace {

[[noreturn]] void wait_for_ever() {
  for (;;) pause();
}

void say(const Job& job) {
  fmt::print("{} {} {} {} {} {}\n", to_string(job.starter), static_cast<std::uint32_t>(job.rank), job.ranks,
             job.host_rank, job.host_ranks, job.id);
}

// Rank 0 says that it has lost rank 1 and ends; what it holds open tells rank 1, which has the other end of a pipe in a
// file that the test has made.
int be_victim(const Job& job, const Control& control, const char* fifo) {
  if (job.rank == Rank{0}) {
    std::FILE* const held = std::fopen(fifo, "w");
    control.lost(Rank{1});
    return held != nullptr ? 1 : 2;  // and its end closes it
  }
  std::FILE* const until = std::fopen(fifo, "r");
  if (until == nullptr || std::fgetc(until) != EOF) return 2;
  ::kill(getpid(), SIGKILL);
  return 2;
}

// The launcher has seen the end of rank 1 when the others print, and has much to do before they have printed all.
int outlive(const Job& job, const char* fifo) {
  if (job.rank == Rank{1}) {
    std::FILE* const told = std::fopen(fifo, "w");
    if (told == nullptr || std::fprintf(told, "%d\n", static_cast<int>(getpid())) < 0) return 2;
    return 5;  // and its end closes it
  }
  std::FILE* const from = std::fopen(fifo, "r");
  int first = 0;
  if (from == nullptr || std::fscanf(from, "%d", &first) != 1) return 2;
  while (::kill(first, 0) == 0) std::this_thread::yield();
  const std::string line(63, '.');
  for (int i = 0; i < 1 << 14; ++i) fmt::print("{}\n", line);
  fmt::print("done\n");
  return 0;
}

// Rank 1 has one end of a pipe, and rank 0, which reads at the other, sees when it is no more.
int notice(const Job& job, const Control& control, const char* fifo) {
  std::FILE* const pipe = std::fopen(fifo, job.rank == Rank{0} ? "r" : "w");
  if (pipe == nullptr) return 2;
  if (job.rank == Rank{1}) {
    fmt::print("{}\n", getpid());
    std::fflush(stdout);
    wait_for_ever();
  }
  if (std::fgetc(pipe) != EOF) return 2;
  control.abort(1);
  return 1;
}

int meet_late(const Job& job) {
  constexpr std::chrono::milliseconds kPatience{20};
  if (job.rank == Rank{1}) std::this_thread::sleep_for(50 * kPatience);
  const auto transport = transport::open_transport(job, {.patience = kPatience});
  if (transport && transport.value()->leave()) return 0;
  fmt::print(stderr, "{}\n", transport.status().message);
  return 1;
}

int run(int argc, char** argv) {
  const auto job = job_from_environment();
  if (!job) {
    fmt::print(stderr, "{}\n", job.status().message);
    return 2;
  }
  const std::string what = argc > 1 ? argv[1] : "job";
  const Control control(job->control);
  const bool first = job->rank == Rank{1};
  if (what == "job") {
    say(*job);
    return 0;
  }
  if (what == "victim") return be_victim(*job, control, argv[2]);
  if (what == "late") return meet_late(*job);
  if (what == "notices") return notice(*job, control, argv[2]);
  if (what == "early" && first) return 0;
  if (what == "early") control.seek();
  if (what == "early") wait_for_ever();
  control.join();
  if (what == "abort" && first) {
    const int status = std::atoi(argv[2]);
    control.abort(status);
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    fmt::print("rank 1 has aborted the job\n");
    return status;
  }
  if (what == "leave" || what == "rejoin" || what == "outlive") control.leave();
  if (what == "outlive") return outlive(*job, argv[2]);
  if (what == "leave") return first ? 5 : 0;
  if (what == "rejoin") control.join();
  if (first) return 0;
  wait_for_ever();
}

}  // namespace
}  // namespace weir::launch

int main(int argc, char** argv) { return weir::launch::run(argc, argv); }

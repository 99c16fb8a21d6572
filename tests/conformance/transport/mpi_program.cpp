// SPDX-License-Identifier: Apache-2.0

// A program that uses MPI itself beside the transport, in the ways in which programs do. One rank of it:
//
// mpi_program first       MPI_Init() before the transport, MPI_Finalize() after it
// mpi_program single      the same without threads in MPI: no progress but in calls, and none where threads are asked
// for mpi_program finalize    MPI_Finalize() while the transport is open, which is left afterwards mpi_program again
// never calls MPI; opens and leaves the transport three times mpi_program exit        never calls MPI; leaves the
// transport in a function that exit() calls
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "conformance/transport/bodies.hpp"
#include "transport/open_transport.hpp"

namespace {

using namespace weir::transport::conformance;  // NOLINT(google-build-using-namespace)
using weir::transport::Transport;

auto try_to_open(bool threads) {
  return weir::transport::open_transport(required(weir::launch::job_from_environment()), {.threads = threads});
}

std::unique_ptr<Transport> open(bool threads = true) { return required(try_to_open(threads)); }

void use(Transport& transport) {
  for (const char* body :
       {"puts_and_gets_of_all_sizes_are_whole", "atomics_return_the_old_value", "a_token_goes_around"})
    find_body(body)->run(transport);
}

void leave(std::unique_ptr<Transport> transport) { require(transport->leave()); }

int sum_of_ranks() {
  int rank = 0, sum = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  return sum;
}

// Several threads that call an MPI which is not ready for them.
void expect_refused() {
  const auto refused = try_to_open(true);
  require(!refused && refused.status().message.find("MPI_THREAD_MULTIPLE") != std::string::npos, "the level is told");
}

void beside_mpi(int level) {
  int granted = 0;
  MPI_Init_thread(nullptr, nullptr, level, &granted);
  const bool threads = level == MPI_THREAD_MULTIPLE;
  if (!threads) expect_refused();
  auto transport = open(threads);
  use(*transport);
  const int ranks = static_cast<int>(transport->ranks());
  require(sum_of_ranks() == ranks * (ranks - 1) / 2, "the program's own messages are its own");
  leave(std::move(transport));
  require(sum_of_ranks() == ranks * (ranks - 1) / 2, "MPI goes on after the transport's end");
  MPI_Finalize();
}

void finalize_first() {
  int granted = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &granted);
  auto transport = open();
  use(*transport);
  MPI_Finalize();
  require(transport->barrier().code == weir::base::Code::lost, "nothing goes between ranks any more");
  leave(std::move(transport));
  const auto again = weir::transport::open_transport(required(weir::launch::job_from_environment()));
  require(!again && again.status().message.find("MPI starts once") != std::string::npos, "the reason is told");
}

void open_again_and_again() {
  for (int round = 0; round < 3; ++round) {
    auto transport = open();
    use(*transport);
    leave(std::move(transport));
  }
}

std::unique_ptr<Transport> left_at_exit;

void leave_at_exit() {
  if (left_at_exit->leave()) return left_at_exit.reset();
  std::fputs("leave() has failed\n", stderr);
  _Exit(1);
}

int run(const char* how) {
  if (std::strcmp(how, "first") == 0) {
    beside_mpi(MPI_THREAD_MULTIPLE);
  } else if (std::strcmp(how, "single") == 0) {
    beside_mpi(MPI_THREAD_SINGLE);
  } else if (std::strcmp(how, "finalize") == 0) {
    finalize_first();
  } else if (std::strcmp(how, "again") == 0) {
    open_again_and_again();
  } else {
    left_at_exit = open();
    use(*left_at_exit);
    std::atexit(leave_at_exit);
    std::exit(0);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc > 1 ? argv[1] : "");
  } catch (const std::exception& wrong) {
    std::fprintf(stderr, "mpi_program: %s\n", wrong.what());
    return 1;
  }
}

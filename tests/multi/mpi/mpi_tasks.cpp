// SPDX-License-Identifier: Apache-2.0

// Tasks that wait for requests of a real MPI at their ends. One rank of it:
//
// mpi_tasks multiple     tasks call MPI as they like
// mpi_tasks serialized   they do so with mpi::mutex()
// mpi_tasks funneled     the main thread calls it, and tasks of all workers wait
// mpi_tasks single       is refused
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <vector>

#include "weir/mpi.hpp"
#include "weir/weir.hpp"

namespace {

int rank = 0, ranks = 1;

void require(bool right, const char* what) {
  if (right) return;
  std::fprintf(stderr, "rank %d, wrong: %s\n", rank, what);
  std::abort();
}

int left() { return (rank + ranks - 1) % ranks; }
int right() { return (rank + 1) % ranks; }

weir::Options with_workers(int workers) {
  weir::Options options;
  options.workers = workers;
  return options;
}

std::string failure_of(weir::Runtime& runtime) {
  try {
    runtime.wait();
  } catch (const weir::Error& error) {
    return error.what();
  }
  return "none";
}

// A token in each of `lanes` goes around the ring, by tasks that are ordered by what they name alone. `lock` is held by
// whatever calls MPI.
template <class Lock>
void tokens_go_around(int workers, int rounds, int lanes) {
  weir::Runtime runtime(with_workers(workers));
  std::vector<long> tokens(static_cast<std::size_t>(lanes)), received(static_cast<std::size_t>(lanes));
  for (int lane = 0; lane < lanes; ++lane) tokens[static_cast<std::size_t>(lane)] = rank;
  for (int round = 0; round < rounds; ++round) {
    for (int lane = 0; lane < lanes; ++lane) {
      long &token = tokens[static_cast<std::size_t>(lane)], &next = received[static_cast<std::size_t>(lane)];
      runtime.spawn(weir::in(token), [lane](const long& value) {
        const Lock lock;
        MPI_Request request;
        MPI_Isend(&value, 1, MPI_LONG, right(), lane, MPI_COMM_WORLD, &request);
        weir::mpi::wait_at_end(request);
      });
      runtime.spawn(weir::out(next), [lane](long& value) {
        const Lock lock;
        MPI_Request request;
        MPI_Irecv(&value, 1, MPI_LONG, left(), lane, MPI_COMM_WORLD, &request);
        weir::mpi::wait_at_end(request);
      });
      runtime.spawn(weir::in(next), weir::out(token), [](const long& from, long& to) { to = from + ranks; });
    }
  }
  runtime.wait();
  const long origin = ((rank - rounds) % ranks + ranks) % ranks;
  for (const long token : tokens) require(token == origin + long{rounds} * ranks, "a token is lost or was overtaken");
}

void large_messages_have_statuses() {
  weir::Runtime runtime(with_workers(2));
  std::vector<int> out(1 << 18, rank), in(1 << 18, -1);
  std::array<MPI_Status, 2> statuses{};
  bool seen = false;
  runtime.spawn(weir::in(out), weir::out(in), weir::out(statuses), [&] {
    std::array<MPI_Request, 2> requests;
    MPI_Irecv(in.data(), int(in.size()), MPI_INT, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(out.data(), int(out.size()), MPI_INT, right(), 7, MPI_COMM_WORLD, &requests[1]);
    weir::mpi::wait_at_end(requests, statuses);
  });
  runtime.spawn(weir::in(in), weir::in(statuses), [&] {
    int count = 0;
    MPI_Get_count(&statuses[0], MPI_INT, &count);
    require(statuses[0].MPI_SOURCE == left() && count == int(in.size()), "a status is another's");
    for (const int value : in) require(value == left(), "a message is not whole");
    seen = true;
  });
  runtime.wait();
  require(seen, "what comes after the message was run");
}

void persistent_requests_start_again() {
  weir::Runtime runtime(with_workers(2));
  int out = 0, in = -1;
  MPI_Request send, receive;
  MPI_Send_init(&out, 1, MPI_INT, right(), 8, MPI_COMM_WORLD, &send);
  MPI_Recv_init(&in, 1, MPI_INT, left(), 8, MPI_COMM_WORLD, &receive);
  for (int round = 0; round < 100; ++round) {
    runtime.spawn(weir::inout(out), [round](int& value) { value = round; });
    runtime.spawn(weir::in(out), weir::out(in), [&] {
      MPI_Start(&receive);
      MPI_Start(&send);
      weir::mpi::wait_at_end(send, receive);
    });
    runtime.spawn(weir::in(in), [round](const int& value) { require(value == round, "a round is another's"); });
  }
  runtime.spawn(weir::in(in), weir::in(out),
                [&] { weir::mpi::wait_at_end(send, receive, MPI_REQUEST_NULL); });  // inactive
  runtime.wait();
  MPI_Request_free(&send);
  MPI_Request_free(&receive);
}

void a_failed_request_is_the_tasks_failure() {
  // Of a rank's own message that is cut off Open MPI says nothing, or MPICH never ends its send: by who came first.
  if (ranks == 1) return;
  MPI_Comm apart;
  MPI_Comm_dup(MPI_COMM_WORLD, &apart);
  // MPICH takes that of the world for some requests.
  for (const MPI_Comm each : {apart, MPI_COMM_WORLD, MPI_COMM_SELF}) MPI_Comm_set_errhandler(each, MPI_ERRORS_RETURN);
  weir::Runtime runtime(with_workers(2));
  std::array<int, 100> out{};
  std::array<int, 10> small{};
  runtime.spawn(weir::inout(out), [&] {
    MPI_Request request;
    MPI_Isend(out.data(), int(out.size()), MPI_INT, right(), 9, apart, &request);
    weir::mpi::wait_at_end(request);
  });
  runtime.spawn(weir::in(out), weir::out(small), weir::name("too small"), [&] {
    MPI_Request request;
    MPI_Irecv(small.data(), int(small.size()), MPI_INT, left(), 9, apart, &request);
    weir::mpi::wait_at_end(request);
  });
  const std::string why = failure_of(runtime);
  require(why.find("task 'too small'") != std::string::npos && why.find("runc") != std::string::npos, why.c_str());
  MPI_Comm_free(&apart);
}

void a_cancelled_request_ends_the_task() {
  weir::Runtime runtime(with_workers(2));
  int in = 0;
  MPI_Request request;
  MPI_Status status;
  std::atomic<bool> waits{false};
  MPI_Irecv(&in, 1, MPI_INT, left(), 10, MPI_COMM_WORLD, &request);
  runtime.spawn(weir::out(status), [&] {
    weir::mpi::wait_at_end(request, status);
    waits = true;
  });
  runtime.spawn([&] {
    MPI_Request same = request;
    MPI_Cancel(&same);
  });
  runtime.wait();
  int cancelled = 0;
  MPI_Test_cancelled(&status, &cancelled);
  require(waits && cancelled != 0, "the status says that it was cancelled");
}

void the_main_thread_asks_for_all() {
  weir::Runtime runtime(with_workers(3));
  constexpr int kMessages = 500;
  std::vector<int> in(kMessages, -1), out(kMessages);
  std::vector<MPI_Request> sends(kMessages), receives(kMessages);
  for (int i = 0; i < kMessages; ++i) {
    const auto at = static_cast<std::size_t>(i);
    out[at] = rank * kMessages + i;
    MPI_Irecv(&in[at], 1, MPI_INT, left(), i, MPI_COMM_WORLD, &receives[at]);
    MPI_Isend(&out[at], 1, MPI_INT, right(), i, MPI_COMM_WORLD, &sends[at]);
    runtime.spawn(weir::out(in[at]),
                  [&sends, &receives, at](int&) { weir::mpi::wait_at_end(sends[at], receives[at]); });
    runtime.spawn(weir::in(in[at]), [i](const int& value) {
      require(value == left() * kMessages + i, "a message is not there, or another's");
    });
  }
  runtime.wait();
}

std::string refusal() {
  weir::Runtime runtime(with_workers(1));
  runtime.spawn([] { weir::mpi::wait_at_end(MPI_REQUEST_NULL); });
  return failure_of(runtime);
}

struct NoLock {
  NoLock() {}
};
struct SharedLock {
  const std::lock_guard<std::recursive_mutex> lock{weir::mpi::mutex()};
};

void run(const std::string& level) {
  if (level == "multiple") {
    for (const int workers : {1, 2, 4}) tokens_go_around<NoLock>(workers, 50, 20);
    large_messages_have_statuses();
    persistent_requests_start_again();
    a_cancelled_request_ends_the_task();
    a_failed_request_is_the_tasks_failure();
  } else if (level == "serialized") {
    for (const int workers : {1, 2, 4}) tokens_go_around<SharedLock>(workers, 50, 20);
  } else if (level == "funneled") {
    the_main_thread_asks_for_all();
  } else {
    require(refusal().find("MPI_THREAD_SINGLE") != std::string::npos, "a level without threads is refused");
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string level = argc == 2 ? argv[1] : "";
  const int asked = level == "multiple"     ? MPI_THREAD_MULTIPLE
                    : level == "serialized" ? MPI_THREAD_SERIALIZED
                    : level == "funneled"   ? MPI_THREAD_FUNNELED
                                            : MPI_THREAD_SINGLE;
  require(refusal().find("before MPI_Init_thread()") != std::string::npos, "requests before MPI are refused");
  int granted = 0;
  MPI_Init_thread(nullptr, nullptr, asked, &granted);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (granted != asked) {
    std::printf("SKIPPED: %s was asked for, and this MPI grants level %d\n", level.c_str(), granted);
    MPI_Finalize();
    return 77;
  }
  run(level);
  MPI_Finalize();
  require(refusal().find("after MPI_Finalize()") != std::string::npos, "requests after MPI are refused");
}

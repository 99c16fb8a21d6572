// SPDX-License-Identifier: Apache-2.0

// weir-bench-mpi-<mpi> FORM ...: graphs by programs that make their own calls of MPI. Further arguments: graph_job.hpp.
//
//   plain    no tasks: row after row, the messages of each with MPI_Irecv(), MPI_Isend() and MPI_Waitall()
//   openmp   a task for each of the graph, and for each row one in which MPI_Waitall() waits for its messages
//   weir     a task for each of the graph and for each message, which ends with its request (weir/mpi.hpp)
#include <mpi.h>

#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bench/ranks/graph_job.hpp"
#include "bench/ranks/graph_messages.hpp"
#include "bench/tasks/spawn_graph_task.hpp"
#include "weir/mpi.hpp"

namespace weir::bench {
namespace {

// Cells of a column take turns: of two messages from one column that may be on their way, each has its own tag.
int tag_of(const TaskGraph& graph, int step, int column) { return step % kCellsOfColumn * graph.width() + column; }

MPI_Request begin_send(TaskGraph& graph, int step, const Message& message) {
  MPI_Request request;
  MPI_Isend(&graph.cell(step, message.column), sizeof(Cell), MPI_BYTE, message.rank,
            tag_of(graph, step, message.column), MPI_COMM_WORLD, &request);
  return request;
}
MPI_Request begin_receive(TaskGraph& graph, int step, const Message& message) {
  MPI_Request request;
  MPI_Irecv(&graph.cell(step, message.column), sizeof(Cell), MPI_BYTE, message.rank,
            tag_of(graph, step, message.column), MPI_COMM_WORLD, &request);
  return request;
}
void wait_for(std::vector<MPI_Request>& requests) {
  MPI_Waitall(int(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  requests.clear();
}

class MpiJob : public GraphJob {
 public:
  int rank() const override {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
  }
  int ranks() const override {
    int ranks = 1;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    return ranks;
  }
  void barrier() override { MPI_Barrier(MPI_COMM_WORLD); }
  double of_root(double value) override {
    MPI_Bcast(&value, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    return value;
  }
  void prepare(TaskGraph& graph) override {
    messages_ = messages_of(graph, rank(), ranks());
    own_ = own_columns(graph);
  }

 protected:
  // Calls f(column) for the columns of this rank that have a task in the row.
  template <class F>
  void for_each_own(const TaskGraph& graph, int step, F&& f) const {
    const Columns row = graph.columns(step);
    for (int column = own_.first; column < own_.end(); ++column)
      if (row.contains(column)) f(column);
  }
  const RowMessages& messages(int step) const { return messages_[std::size_t(step)]; }

 private:
  std::vector<RowMessages> messages_;  // of each row
  Columns own_;
};

class PlainJob final : public MpiJob {
 public:
  void task_graph(TaskGraph& graph) override {
    for (int step = 0; step < graph.steps(); ++step) {
      for (const Message& each : messages(step).received) requests_.push_back(begin_receive(graph, step, each));
      for_each_own(graph, step, [&](int column) { graph.execute(step, column); });
      for (const Message& each : messages(step).sent) requests_.push_back(begin_send(graph, step, each));
      wait_for(requests_);
    }
  }

 private:
  std::vector<MPI_Request> requests_;
};

class OpenmpJob final : public MpiJob {
 public:
  explicit OpenmpJob(int threads) : threads_(threads) {}

  void task_graph(TaskGraph& graph) override {
#pragma omp parallel num_threads(threads_)
#pragma omp single
    spawn(graph);
  }

 private:
  void spawn(TaskGraph& graph) {
    for (int step = 0; step < graph.steps(); ++step) {
      for_each_own(graph, step, [&](int column) { spawn_task(graph, step, column); });
      if (!messages(step).sent.empty() || !messages(step).received.empty()) spawn_messages(graph, step);
    }
  }

  static void spawn_task(TaskGraph& tasks, int step, int column) {
    TaskGraph* const graph = &tasks;
    const auto inputs = tasks.inputs(step, column);
    [[maybe_unused]] const int count = int(inputs.size());
    [[maybe_unused]] const std::int16_t* const columns = inputs.data();
    [[maybe_unused]] const Cell* const row = count > 0 ? &tasks.cell(step - 1, 0) : nullptr;
    [[maybe_unused]] Cell* const own = &tasks.cell(step, column);
// clang-format off
#pragma omp task firstprivate(graph, step, column) depend(out : *own) depend(iterator(int k = 0 : count), in : row[columns[k]])
    // clang-format on
    graph->execute(step, column);
  }

  // These wait one after the other, on each rank in the same order.
  void spawn_messages(TaskGraph& tasks, int step) {
    TaskGraph* const graph = &tasks;
    const RowMessages* const all = &messages(step);
    [[maybe_unused]] const int sent = int(all->sent.size()), received = int(all->received.size());
    [[maybe_unused]] const Message *const to = all->sent.data(), *const from = all->received.data();
    [[maybe_unused]] Cell* const row = &tasks.cell(step, 0);
    [[maybe_unused]] char* const turn = &turn_;
// clang-format off
#pragma omp task firstprivate(graph, step, all) depend(inout : *turn) depend(iterator(int k = 0 : sent), in : row[to[k].column]) \
    depend(iterator(int k = 0 : received), out : row[from[k].column])
    // clang-format on
    exchange(*graph, step, *all);
  }

  static void exchange(TaskGraph& graph, int step, const RowMessages& all) {
    std::vector<MPI_Request> requests;
    for (const Message& each : all.received) requests.push_back(begin_receive(graph, step, each));
    for (const Message& each : all.sent) requests.push_back(begin_send(graph, step, each));
    wait_for(requests);
  }

  int threads_;
  char turn_ = 0;
};

class WeirJob final : public MpiJob {
 public:
  explicit WeirJob(const Options& options) : runtime_(options) {}

  void task_graph(TaskGraph& graph) override {
    for (int step = 0; step < graph.steps(); ++step) {
      for_each_own(graph, step, [&](int column) { spawn_graph_task(runtime_, graph, step, column); });
      for (const Message& each : messages(step).received) {
        runtime_.spawn(out(graph.cell(step, each.column)), Priority::urgent,
                       [&graph, step, each] { mpi::wait_at_end(begin_receive(graph, step, each)); });
      }
      for (const Message& each : messages(step).sent) {
        runtime_.spawn(in(std::as_const(graph.cell(step, each.column))), Priority::urgent,
                       [&graph, step, each] { mpi::wait_at_end(begin_send(graph, step, each)); });
      }
    }
    runtime_.wait();
  }

 private:
  Runtime runtime_;
};

struct Form {
  std::string_view name;
  int level;  // of threads, that MPI has to grant
};
constexpr Form kForms[] = {
    {"plain", MPI_THREAD_SINGLE}, {"openmp", MPI_THREAD_SERIALIZED}, {"weir", MPI_THREAD_MULTIPLE}};

std::unique_ptr<MpiJob> job_of(std::string_view form, int workers) {
  if (form == "plain") return std::make_unique<PlainJob>();
  if (form == "openmp") return std::make_unique<OpenmpJob>(workers);
  Options options = Options::from_environment();
  options.workers = workers;
  return std::make_unique<WeirJob>(options);
}

int about() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = {};
  int length = 0;
  MPI_Get_library_version(text, &length);
  std::string version(text, std::size_t(length));
  version.resize(std::min(version.size(), version.find_first_of("\n,")));
  for (char& c : version)
    if (c == '\t') c = ' ';
  return std::printf("{\"about\":\"%s\"}\n", version.c_str()) < 0 ? 1 : 0;
}

void run_by_mpi(const Form& form, const GraphRequest& request) {
  if (form.name == "plain" && request.of.workers > 1) {
    // Every rank says so, and a reader takes the first line.
    std::puts(R"({"unsupported":"one thread of each rank calls MPI and computes"})");
    return;
  }
  const double peak = graph_peak_of(request);
  int granted = 0;
  MPI_Init_thread(nullptr, nullptr, form.level, &granted);
  try {
    require(granted >= form.level, "this MPI does not grant the level of threads that " + std::string(form.name) +
                                       " needs: " + std::to_string(granted) + " of " + std::to_string(form.level));
    run_graph_job(request, *job_of(form.name, request.of.workers), peak);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
}

int run(std::span<char* const> arguments) {
  const std::string_view first = arguments.empty() ? "" : arguments[0];
  if (arguments.size() == 1 && first == "about") return about();
  for (const Form& form : kForms) {
    if (form.name != first) continue;
    run_by_mpi(form, graph_request_of(arguments.subspan(1)));
    return 0;
  }
  throw std::runtime_error("the first argument is plain, openmp or weir, not '" + std::string(first) + "'");
}

}  // namespace
}  // namespace weir::bench

int main(int argc, char** argv) { return weir::bench::graph_main(argc, argv, weir::bench::run); }

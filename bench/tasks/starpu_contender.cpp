// SPDX-License-Identifier: Apache-2.0

// StarPU: codelets over data handles. Its main thread submits and never runs tasks, so a run with N workers has N + 1
// threads; on a machine with N cores the submitting thread takes time from a worker, as it does in StarPU's programs.
#include <starpu.h>

#include <cstdlib>
#include <stdexcept>

#include "bench/tasks/contender.hpp"

namespace weir::bench {

namespace {

// What the function of a task needs, packed in the pointer that a task carries: no allocation of its own.
void* pack(int a, int b) {
  return reinterpret_cast<void*>((std::uintptr_t(std::uint32_t(a)) << 32) | std::uint32_t(b));
}
int first(void* packed) { return int(reinterpret_cast<std::uintptr_t>(packed) >> 32); }
int second(void* packed) { return int(reinterpret_cast<std::uintptr_t>(packed) & 0xffffffffu); }

Wavefront* current_grid = nullptr;  // written before the tasks of a run are submitted
TaskGraph* current_graph = nullptr;

void run_empty(void**, void*) { empty_task(); }
void run_count(void**, void* counter) { ++*static_cast<std::atomic<long>*>(counter); }
void run_link(void** buffers, void*) { ++reinterpret_cast<Slot*>(STARPU_VARIABLE_GET_PTR(buffers[0]))->value; }
void run_cell(void**, void* where) { current_grid->execute(first(where), second(where)); }
void run_graph(void**, void* where) { current_graph->execute(first(where), second(where)); }

starpu_codelet codelet(void (*function)(void**, void*), int buffers) {
  starpu_codelet made;
  starpu_codelet_init(&made);
  made.cpu_funcs[0] = function;
  made.nbuffers = buffers;
  return made;
}

void submit(starpu_task* task) {
  if (starpu_task_submit(task) != 0) throw std::runtime_error("starpu_task_submit failed");
}

starpu_data_handle_t register_variable(void* memory, std::size_t bytes) {
  starpu_data_handle_t handle = nullptr;
  starpu_variable_data_register(&handle, STARPU_MAIN_RAM, reinterpret_cast<std::uintptr_t>(memory), bytes);
  return handle;
}

class StarpuContender final : public Contender {
 public:
  explicit StarpuContender(int workers) {
    setenv("STARPU_SILENT", "1", 0);
    starpu_conf conf;
    starpu_conf_init(&conf);
    conf.ncpus = workers;
    conf.ncuda = 0;
    conf.nopencl = 0;
    if (starpu_init(&conf) != 0) throw std::runtime_error("starpu_init failed");
    if (int(starpu_cpu_worker_get_count()) != workers) {
      throw std::runtime_error("StarPU started " + std::to_string(starpu_cpu_worker_get_count()) + " workers");
    }
  }
  ~StarpuContender() override { starpu_shutdown(); }

  std::string about() const override {
    int major = 0, minor = 0, release = 0;
    starpu_get_version(&major, &minor, &release);
    return "StarPU " + std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(release) +
           ", submitting thread beside the workers";
  }
  std::string unsupported(const std::string& bench) const override {
    return bench == "forkjoin" ? "a StarPU task cannot wait for tasks that it makes" : "";
  }
  void enter(const std::function<void()>& work) override { work(); }

  void independent(long count) override { run_plain(count, run_empty, nullptr); }
  void independent_counted(long count, std::atomic<long>& counter) override { run_plain(count, run_count, &counter); }

  void chain(long count, Slot& slot) override {
    starpu_codelet link = codelet(run_link, 1);
    link.modes[0] = STARPU_RW;
    starpu_data_handle_t handle = register_variable(&slot, sizeof slot);
    for (long i = 0; i < count; ++i) {
      starpu_task* task = starpu_task_create();
      task->cl = &link;
      task->handles[0] = handle;
      submit(task);
    }
    starpu_task_wait_for_all();
    starpu_data_unregister(handle);
  }

  long fibonacci(int) override { return -1; }

  void wavefront(Wavefront& grid) override {
    current_grid = &grid;
    starpu_codelet cell = codelet(run_cell, 2);
    cell.modes[0] = cell.modes[1] = STARPU_RW;
    std::vector<starpu_data_handle_t> rows, columns;
    for (Slot& slot : grid.rows) rows.push_back(register_variable(&slot, sizeof slot));
    for (Slot& slot : grid.columns) columns.push_back(register_variable(&slot, sizeof slot));
    for (int r = 0; r < grid.side(); ++r) {
      for (int c = 0; c < grid.side(); ++c) {
        starpu_task* task = starpu_task_create();
        task->cl = &cell;
        task->cl_arg = pack(r, c);
        task->handles[0] = rows[std::size_t(r)];
        task->handles[1] = columns[std::size_t(c)];
        submit(task);
      }
    }
    starpu_task_wait_for_all();
    for (auto handle : rows) starpu_data_unregister(handle);
    for (auto handle : columns) starpu_data_unregister(handle);
  }

  // Cells that are used again are registered once for all runs, fresh ones by the run that names them.
  void prepare(TaskGraph& graph) override {
    current_graph = &graph;
    handles_.assign(graph.memory() == Memory::fresh ? 0 : graph.cells().size(), nullptr);
    for (std::size_t i = 0; i < handles_.size(); ++i) handles_[i] = register_variable(&graph.cells()[i], sizeof(Cell));
  }
  void finish(TaskGraph&) override {
    for (auto handle : handles_) starpu_data_unregister(handle);
    handles_.clear();
  }

  void task_graph(TaskGraph& graph) override {
    starpu_codelet plain = codelet(run_graph, 0);
    starpu_codelet reading = codelet(run_graph, STARPU_VARIABLE_NBUFFERS);
    const bool trivial = graph.pattern() == Pattern::trivial;
    const bool fresh = !trivial && graph.memory() == Memory::fresh;
    if (fresh) handles_.assign(graph.cells().size(), nullptr);
    for (int step = 0; step < graph.steps(); ++step) {
      const Columns row = graph.columns(step);
      for (int column = row.first; column < row.end(); ++column) {
        starpu_task* task = starpu_task_create();
        task->cl = trivial ? &plain : &reading;
        task->cl_arg = pack(step, column);
        if (fresh) handle_of(graph, step, column) = register_variable(&graph.cell(step, column), sizeof(Cell));
        if (!trivial) add_buffers(*task, graph, step, column);
        submit(task);
      }
      if (fresh && step > 0) forget_row(graph, step - 1);
    }
    if (fresh) forget_row(graph, graph.steps() - 1);
    starpu_task_wait_for_all();
    if (fresh) handles_.clear();
  }

  void pending(long count, const std::function<void()>& at_peak) override {
    starpu_codelet empty = codelet(run_empty, 0);
    starpu_pause();
    for (long i = 0; i < count; ++i) {
      starpu_task* task = starpu_task_create();
      task->cl = &empty;
      submit(task);
    }
    at_peak();
    starpu_resume();
    starpu_task_wait_for_all();
  }

 private:
  static void run_plain(long count, void (*function)(void**, void*), void* argument) {
    starpu_codelet plain = codelet(function, 0);
    for (long i = 0; i < count; ++i) {
      starpu_task* task = starpu_task_create();
      task->cl = &plain;
      task->cl_arg = argument;
      submit(task);
    }
    starpu_task_wait_for_all();
  }

  starpu_data_handle_t& handle_of(TaskGraph& graph, int step, int column) {
    return handles_[std::size_t(&graph.cell(step, column) - graph.cells().data())];
  }

  // Once its last reader is submitted: as a program does that allocates for every step.
  void forget_row(TaskGraph& graph, int step) {
    const Columns row = graph.columns(step);
    for (int column = row.first; column < row.end(); ++column) {
      starpu_data_unregister_submit(handle_of(graph, step, column));
    }
  }

  void add_buffers(starpu_task& task, TaskGraph& graph, int step, int column) {
    const auto inputs = graph.inputs(step, column);
    const std::size_t count = inputs.size() + 1;
    starpu_data_handle_t* handles = task.handles;
    starpu_data_access_mode* modes = task.modes;
    if (count > STARPU_NMAXBUFS) {  // freed with the task
      handles = task.dyn_handles = static_cast<starpu_data_handle_t*>(std::malloc(count * sizeof *handles));
      modes = task.dyn_modes = static_cast<starpu_data_access_mode*>(std::malloc(count * sizeof *modes));
    }
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      handles[i] = handle_of(graph, step - 1, inputs[i]);
      modes[i] = STARPU_R;
    }
    handles[count - 1] = handle_of(graph, step, column);
    modes[count - 1] = STARPU_W;
    task.nbuffers = int(count);
  }

  std::vector<starpu_data_handle_t> handles_;  // of the cells of the graph that is prepared
};

}  // namespace

std::unique_ptr<Contender> make_contender(int workers, const std::string& /*bench*/) {
  return std::make_unique<StarpuContender>(workers);
}

}  // namespace weir::bench

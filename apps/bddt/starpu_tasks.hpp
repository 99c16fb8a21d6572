// SPDX-License-Identifier: Apache-2.0

// StarPU: a data handle for each block of an array, and a codelet for each kind of task. Its main thread submits and
// never runs tasks: N workers are N + 1 threads.
#pragma once

#include <starpu.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>

#include "apps/bddt/block_array.hpp"
#include "apps/bddt/task_clock.hpp"

namespace weir::apps::bddt {

class StarpuTasks {
 public:
  explicit StarpuTasks(int workers) : workers_(workers) {
    setenv("STARPU_SILENT", "1", 0);
    starpu_conf conf;
    starpu_conf_init(&conf);
    conf.ncpus = workers;
    conf.ncuda = 0;
    conf.nopencl = 0;
    if (starpu_init(&conf) != 0) throw std::runtime_error("starpu_init failed");
    if (static_cast<int>(starpu_cpu_worker_get_count()) != workers)
      throw std::runtime_error("StarPU started " + std::to_string(starpu_cpu_worker_get_count()) + " workers");
  }
  StarpuTasks(const StarpuTasks&) = delete;
  StarpuTasks& operator=(const StarpuTasks&) = delete;
  ~StarpuTasks() {
    for (const auto& blocks : arrays_) {
      for (void* handle : blocks->handles) starpu_data_unregister(static_cast<starpu_data_handle_t>(handle));
    }
    starpu_shutdown();
  }
  static std::string about() {
    int major = 0, minor = 0, release = 0;
    starpu_get_version(&major, &minor, &release);
    return "StarPU " + std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(release) +
           ", submitting thread beside the workers";
  }

  template <class T>
  BlockArray<T> array(std::size_t rows, std::size_t cols, std::size_t block_rows, std::size_t block_cols) {
    BlockArray<T> made(rows, cols, block_rows, block_cols);
    register_blocks(*made.blocks());
    arrays_.push_back(made.blocks());
    memory_.push_back(std::make_shared<BlockArray<T>>(made));
    return made;
  }
  template <class F, class... Items>
  void task(const char* name, F function, const Items&... items) {
    static starpu_codelet codelet = codelet_of(&call<F>, name);
    starpu_task* const task = starpu_task_create();
    task->cl = &codelet;
    void* const argument = std::malloc(sizeof(F));
    if (argument == nullptr) throw std::bad_alloc();
    task->cl_arg = ::new (argument) F(function);
    task->cl_arg_size = sizeof(F);
    task->cl_arg_free = 1;
    add_buffers(*task, (items.section.count() + ... + 0), items...);
    if (starpu_task_submit(task) != 0) throw std::runtime_error("starpu_task_submit failed");
  }
  template <class Body>
  void run(Body&& body) {
    body();
    starpu_task_wait_for_all();
  }
  void begin_shares() { TaskClock::reset(); }
  static double analysis(double /*seconds*/, double making) { return making; }
  std::vector<Share> shares() const { return TaskClock::shares(static_cast<std::size_t>(workers_)); }

 private:
  template <class F>
  static void call(void** /*buffers*/, void* argument) {
    Clocked<F>{*static_cast<F*>(argument)}();
  }
  static starpu_codelet codelet_of(void (*function)(void**, void*), const char* name) {
    starpu_codelet made;
    starpu_codelet_init(&made);
    made.cpu_funcs[0] = function;
    made.nbuffers = STARPU_VARIABLE_NBUFFERS;
    made.name = name;
    return made;
  }
  static void register_blocks(Blocks& blocks) {
    const auto u32 = [](std::size_t n) { return static_cast<std::uint32_t>(n); };
    for (std::size_t i = 0; i < blocks.down * blocks.across; ++i) {
      starpu_data_handle_t handle = nullptr;
      starpu_matrix_data_register(&handle, STARPU_MAIN_RAM, reinterpret_cast<std::uintptr_t>(blocks.address(i)),
                                  u32(blocks.stride_bytes / blocks.element_bytes),
                                  u32(blocks.row_bytes / blocks.element_bytes), u32(blocks.rows), blocks.element_bytes);
      blocks.handles.push_back(handle);
    }
  }
  template <class... Items>
  static void add_buffers(starpu_task& task, std::size_t count, const Items&... items) {
    starpu_data_handle_t* handles = task.handles;
    starpu_data_access_mode* modes = task.modes;
    if (count > STARPU_NMAXBUFS) {  // freed with the task
      handles = task.dyn_handles = static_cast<starpu_data_handle_t*>(std::malloc(count * sizeof *handles));
      modes = task.dyn_modes = static_cast<starpu_data_access_mode*>(std::malloc(count * sizeof *modes));
      if (handles == nullptr || modes == nullptr) throw std::bad_alloc();
    }
    std::size_t next = 0;
    (add_item(items, handles, modes, next), ...);
    task.nbuffers = static_cast<int>(count);
  }
  template <Use kUse>
  static void add_item(const Item<kUse, BlockSection>& item, starpu_data_handle_t* handles,
                       starpu_data_access_mode* modes, std::size_t& next) {
    item.section.for_each([&](std::size_t block) {
      handles[next] = static_cast<starpu_data_handle_t>(item.section.blocks->handles[block]);
      modes[next++] = kUse == Use::in ? STARPU_R : kUse == Use::out ? STARPU_W : STARPU_RW;
    });
  }

  int workers_;
  std::vector<std::shared_ptr<Blocks>> arrays_;
  std::vector<std::shared_ptr<void>> memory_;  // until StarPU has let go of it
};

}  // namespace weir::apps::bddt

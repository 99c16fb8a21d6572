// SPDX-License-Identifier: Apache-2.0

// A task of a graph as Weir's programs spawn it: the cells that it reads and the one that it writes are its footprint.
#pragma once

#include <cstddef>
#include <utility>

#include "bench/tasks/task_graph.hpp"
#include "weir/weir.hpp"

namespace weir::bench {

template <std::size_t... I>
void spawn_graph_task(Runtime& runtime, TaskGraph& tasks, int step, int column, std::index_sequence<I...>) {
  [[maybe_unused]] const auto inputs = tasks.inputs(step, column);
  runtime.spawn(weir::in(std::as_const(tasks.cell(step - 1, inputs[I])))..., weir::out(tasks.cell(step, column)),
                [&tasks, step, column] { tasks.execute(step, column); });
}

// More inputs than the cases below are a whole row (all_to_all), whose cells are side by side.
inline void spawn_reader_of_row(Runtime& runtime, TaskGraph& tasks, int step, int column) {
  const Cell* const row = &tasks.cell(step - 1, 0);
  runtime.spawn(weir::in(row, std::size_t(tasks.width())), weir::out(tasks.cell(step, column)),
                [&tasks, step, column] { tasks.execute(step, column); });
}

inline void spawn_graph_task(Runtime& runtime, TaskGraph& tasks, int step, int column) {
  switch (tasks.inputs(step, column).size()) {
    case 0: return spawn_graph_task(runtime, tasks, step, column, std::make_index_sequence<0>{});
    case 1: return spawn_graph_task(runtime, tasks, step, column, std::make_index_sequence<1>{});
    case 2: return spawn_graph_task(runtime, tasks, step, column, std::make_index_sequence<2>{});
    case 3: return spawn_graph_task(runtime, tasks, step, column, std::make_index_sequence<3>{});
    case 4: return spawn_graph_task(runtime, tasks, step, column, std::make_index_sequence<4>{});
    case 5: return spawn_graph_task(runtime, tasks, step, column, std::make_index_sequence<5>{});
    case 6: return spawn_graph_task(runtime, tasks, step, column, std::make_index_sequence<6>{});
    case 7: return spawn_graph_task(runtime, tasks, step, column, std::make_index_sequence<7>{});
    case 8: return spawn_graph_task(runtime, tasks, step, column, std::make_index_sequence<8>{});
    default: return spawn_reader_of_row(runtime, tasks, step, column);
  }
}

}  // namespace weir::bench

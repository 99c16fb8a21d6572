// SPDX-License-Identifier: Apache-2.0

// Which cells of a row of a task graph go from rank to rank. Pure.
#pragma once

#include <vector>

#include "bench/tasks/task_graph.hpp"

namespace weir::bench {

// The cell of a column, and the rank that it goes to or comes from.
struct Message {
  int column = 0, rank = 0;
};

struct RowMessages {
  std::vector<Message> sent, received;  // of one rank; ascending by columns
};

// Of each row, for this rank: a cell goes once to each other rank that reads it in the next row.
std::vector<RowMessages> messages_of(const TaskGraph& graph, int rank, int ranks);

}  // namespace weir::bench

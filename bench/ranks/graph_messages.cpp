// SPDX-License-Identifier: Apache-2.0

#include "bench/ranks/graph_messages.hpp"

#include <set>
#include <utility>

#include "bench/ranks/graph_job.hpp"

namespace weir::bench {

std::vector<RowMessages> messages_of(const TaskGraph& graph, int rank, int ranks) {
  std::vector<RowMessages> rows(std::size_t(graph.steps()));
  for (int step = 1; step < graph.steps(); ++step) {
    std::set<std::pair<int, int>> sent, received;  // columns and ranks
    const Columns row = graph.columns(step);
    for (int reader = row.first; reader < row.end(); ++reader) {
      const int to = owner_of(reader, graph.width(), ranks);
      for (const int column : graph.inputs(step, reader)) {
        const int from = owner_of(column, graph.width(), ranks);
        if (from == rank && to != rank) sent.insert({column, to});
        if (from != rank && to == rank) received.insert({column, from});
      }
    }
    RowMessages& before = rows[std::size_t(step - 1)];
    for (const auto& [column, to] : sent) before.sent.push_back({column, to});
    for (const auto& [column, from] : received) before.received.push_back({column, from});
  }
  return rows;
}

}  // namespace weir::bench

// SPDX-License-Identifier: Apache-2.0

#include "sched/task.hpp"

#include <memory>
#include <new>
#include <utility>

namespace weir::sched {

TaskExtra::~TaskExtra() {
  delete hooks;
  while (edges != nullptr) delete std::exchange(edges, edges->next);
  ::operator delete (large_closure, std::align_val_t{detail::kMaxAlignment});
}

Edge& TaskExtra::add_edge() {
  if (edges == nullptr || edges->used == EdgeChunk::kEdges) edges = new EdgeChunk{{}, 0, edges};
  return edges->edge[edges->used++];
}

TaskExtra& extra_of(Task& task) {
  if (task.note.extra() == nullptr) {
    auto extra = std::make_unique<TaskExtra>();
    extra->name = task.note.name();
    extra->priority = task.note.wishes().priority;
    task.note.set_extra(extra.release());
  }
  return *task.note.extra();
}

}  // namespace weir::sched

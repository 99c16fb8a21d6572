// SPDX-License-Identifier: Apache-2.0

#include "sched/task_text.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <span>

#include "platform/source_lines.hpp"

namespace weir::sched {

std::string name_text_of(const Task* task) {
  const char* const name = task == nullptr ? nullptr : task->note.name();
  return name == nullptr ? "a task" : fmt::format("task '{}'", name);
}

void refuse_to_leave_thread(const Task* task) noexcept {
  const std::string what = task == nullptr ? "the half of a fork_join()" : text_of(*task);
  std::fprintf(stderr,
               "weir: %s, ends its thread by pthread_exit(), is cancelled by pthread_cancel(), or throws what is no "
               "exception of C++: the thread has other tasks to run; return from the task instead\n",
               what.c_str());
  std::abort();
}

std::string text_of(const Task& task) {
  const void* const site = task.site;
  const std::string place = site == nullptr ? "" : platform::find_source(std::span(&site, 1)).front().text();
  return place.empty() ? name_text_of(&task) : fmt::format("{}, spawned at {}", name_text_of(&task), place);
}

}  // namespace weir::sched

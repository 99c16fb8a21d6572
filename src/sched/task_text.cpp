// SPDX-License-Identifier: Apache-2.0

#include "sched/task_text.hpp"

#include <fmt/format.h>

#include <span>

#include "platform/source_lines.hpp"

namespace weir::sched {

std::string name_text_of(const Task* task) {
  const char* const name = task == nullptr ? nullptr : task->note.name();
  return name == nullptr ? "a task" : fmt::format("task '{}'", name);
}

std::string text_of(const Task& task) {
  const void* const site = task.site;
  const std::string place = site == nullptr ? "" : platform::find_source(std::span(&site, 1)).front().text();
  return place.empty() ? name_text_of(&task) : fmt::format("{}, spawned at {}", name_text_of(&task), place);
}

}  // namespace weir::sched

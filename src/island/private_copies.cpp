// SPDX-License-Identifier: Apache-2.0

#include "island/private_copies.hpp"

#include <fmt/format.h>

#include <cstring>
#include <functional>
#include <utility>

#include "island/footprint.hpp"
#include "island/step.hpp"

namespace weir::island {

PrivateCopy PrivateCopies::make(const Access& item, OwnedPiece piece) {
  PrivateCopy copy{item, nullptr, std::move(piece), bytes_of(item.region), {}};
  copy.original.resize(copy.bytes);
  if (item.mode == Mode::reduce) {
    std::memcpy(copy.original.data(), item.identity, copy.bytes);
    copy.combine = item.reduction->combine;
  }
  copy.target.identity = nullptr;
  copy.target.reduction = nullptr;
  return copy;
}

std::unique_ptr<std::vector<PrivateCopy>> PrivateCopies::make(std::span<const Access> footprint, Space& space) {
  std::unique_ptr<std::vector<PrivateCopy>> copies;
  for (const Access& access : footprint) {
    if (!needs_private_copy(access.mode)) continue;
    if (copies == nullptr) copies = std::make_unique<std::vector<PrivateCopy>>();
    OwnedPiece piece(space.allocate(bytes_of(access.region)).data, GiveBack{&space.heap()});
    copies->push_back(make(access, std::move(piece)));
  }
  return copies;
}

std::vector<Access> PrivateCopies::with_copies(std::span<const Access> footprint,
                                               const std::vector<PrivateCopy>& copies) {
  std::vector<Access> found(footprint.begin(), footprint.end());
  const PrivateCopy* copy = copies.data();
  for (Access& access : found)
    if (needs_private_copy(access.mode)) access.region = region_of(*copy++);
  return found;
}

Region PrivateCopies::region_of(const PrivateCopy& copy) noexcept {
  const Region& target = copy.target.region;
  return {copy.piece.get(), target.row_bytes, target.rows, target.row_bytes};
}

PrivateCopies::Place PrivateCopies::first_of(const TaskNode& task, const PrivateCopy& copy) noexcept {
  return {task.details->parent, copy.target.region.base, 0};
}

void PrivateCopies::enter(TaskNode& task) {
  if (task.details->copies == nullptr) return;
  for (const PrivateCopy& copy : *task.details->copies) {
    if (!copy.target.ordered) continue;
    Place place = first_of(task, copy);
    place.id = task.id;
    ordered_.insert({place, &task});
  }
}

void PrivateCopies::fill(TaskNode& task) {
  if (task.details->copies == nullptr) return;
  for (PrivateCopy& copy : *task.details->copies) {
    std::byte* to = copy.original.data();
    if (copy.target.mode == Mode::concurrent) {
      for_each_run(copy.target.region, [&](const void* data, std::size_t bytes) {
        invalidate(Step::target_before_copy, memory_, data, bytes);
        std::memcpy(to, data, bytes);
        to += bytes;
      });
    }
    invalidate(Step::copy_before_fill, memory_, copy.piece.get(), copy.bytes);
    std::memcpy(copy.piece.get(), copy.original.data(), copy.bytes);
    write_back(Step::copy_filled, memory_, copy.piece.get(), copy.bytes);
  }
}

std::string PrivateCopies::merge(TaskNode& task) {
  if (task.details->copies == nullptr) return "";
  for (const PrivateCopy& copy : *task.details->copies) {
    const Region& target = copy.target.region;
    invalidate(Step::copy_before_merge, memory_, copy.piece.get(), copy.bytes);
    for_each_run(target, [&](const void* data, std::size_t bytes) {
      invalidate(Step::target_before_merge, memory_, data, bytes);
    });
    std::string wrong;
    if (copy.target.mode == Mode::reduce) {
      copy.combine(const_cast<void*>(target.base), copy.piece.get());
    } else {
      wrong = merge_changes(copy);
    }
    for_each_run(target,
                 [&](const void* data, std::size_t bytes) { write_back(Step::target_merged, memory_, data, bytes); });
    if (!wrong.empty()) return wrong;
  }
  return "";
}

// Only bytes that the task changed, as others have been merged since it began.
std::string PrivateCopies::merge_changes(const PrivateCopy& copy) {
  const std::byte* now = copy.piece.get();
  const std::byte* was = copy.original.data();
  const void* clash = nullptr;
  for_each_run(copy.target.region, [&](const void* data, std::size_t bytes) {
    auto* const to = static_cast<std::byte*>(const_cast<void*>(data));
    for (std::size_t i = 0; i < bytes; ++i, ++now, ++was) {
      if (*now == *was) continue;
      if (to[i] != *was && to[i] != *now && clash == nullptr) clash = to + i;
      to[i] = *now;
    }
  });
  if (clash == nullptr) return "";
  return fmt::format(
      "changed the byte at {} of `concurrent` memory that another task, which ran at the same time, has changed to "
      "something else: on islands each has a copy, and one change would be lost; use reduce or commutative",
      clash);
}

bool PrivateCopies::is_next(const TaskNode& task) const {
  if (task.details->copies == nullptr) return true;
  for (const PrivateCopy& copy : *task.details->copies) {
    if (!copy.target.ordered) continue;
    if (ordered_.lower_bound(first_of(task, copy))->second != &task) return false;
  }
  return true;
}

std::vector<TaskNode*> PrivateCopies::leave(TaskNode& task) {
  std::vector<TaskNode*> next;
  if (task.details->copies == nullptr) return next;
  for (const PrivateCopy& copy : *task.details->copies) {
    if (!copy.target.ordered) continue;
    const Place first = first_of(task, copy);
    Place own = first;
    own.id = task.id;
    ordered_.erase(own);
    const auto now = ordered_.lower_bound(first);
    if (now != ordered_.end() && now->first.is_beside(first)) next.push_back(now->second);
  }
  task.details->copies.reset();
  return next;
}

}  // namespace weir::island

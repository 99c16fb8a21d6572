// SPDX-License-Identifier: Apache-2.0

#include "data/engine/schedule.hpp"

namespace weir::data::engine {

void Schedule::add(Request& request) noexcept {
  if (request.kind == RequestKind::addition) {
    request.sequence = ++addition_sequence_;
    request.before = nullptr;
    request.after = first_;
    (first_ != nullptr ? first_->before : last_) = &request;
    first_ = &request;
    return;
  }
  request.sequence = ++sequence_;
  request.before = last_;
  request.after = nullptr;
  (last_ != nullptr ? last_->after : first_) = &request;
  last_ = &request;
}

void Schedule::remove(Request& request) noexcept {
  (request.before != nullptr ? request.before->after : first_) = request.after;
  (request.after != nullptr ? request.after->before : last_) = request.before;
}

bool Schedule::enqueue(Use& use) noexcept {
  Block& block = *use.block;
  Use* before = block.last_queued;
  while (before != nullptr && before->request->sequence > use.request->sequence) before = before->before;
  use.before = before;
  use.after = before != nullptr ? before->after : block.first_use;
  (use.before != nullptr ? use.before->after : block.first_use) = &use;
  (use.after != nullptr ? use.after->before : block.last_queued) = &use;
  return use.before == nullptr;
}

void Schedule::dequeue(Use& use) noexcept {
  (use.before != nullptr ? use.before->after : use.block->first_use) = use.after;
  (use.after != nullptr ? use.after->before : use.block->last_queued) = use.before;
}

void Schedule::remove(Request& request, Use& use) noexcept {
  Use& last = request.uses().back();
  if (&use != &last) {
    use = last;
    (use.before != nullptr ? use.before->after : use.block->first_use) = &use;
    (use.after != nullptr ? use.after->before : use.block->last_queued) = &use;
  }
  request.drop_last();
}

policy::Sequence Schedule::first_to_begin(const Request& request) const noexcept {
  const Request* r = first_;
  while (r != &request && !has_yet_to_begin(*r)) r = r->after;
  return r->sequence;
}

bool Schedule::has_resuming() const noexcept {
  const Request* r = first_;
  while (r != nullptr && r->kind == RequestKind::addition && r->state() != RequestState::held) r = r->after;
  return r != nullptr && r->kind == RequestKind::addition;
}

}  // namespace weir::data::engine

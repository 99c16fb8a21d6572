// SPDX-License-Identifier: Apache-2.0

#include "runtime/reduction.hpp"

#include <new>

#include "base/mutex.hpp"

namespace weir::runtime {

ReductionGroup::ReductionGroup(const Access& access)
    : operation_(access.reduction), target_(const_cast<void*>(access.region.base)), ordered_(access.ordered) {
  identity_ = ::operator new (operation_->bytes, std::align_val_t{operation_->alignment});
  try {
    operation_->create(identity_, access.identity);
  } catch (...) {
    ::operator delete (identity_, std::align_val_t{operation_->alignment});
    throw;
  }
}

ReductionGroup::~ReductionGroup() {
  copies_.push_back(identity_);
  for (void* copy : copies_) {
    if (copy == nullptr) continue;
    operation_->destroy(copy);
    ::operator delete (copy, std::align_val_t{operation_->alignment});
  }
}

void* ReductionGroup::make_copy() {
  void* copy = ::operator new (operation_->bytes, std::align_val_t{operation_->alignment});
  try {
    operation_->create(copy, identity_);
  } catch (...) {
    ::operator delete (copy, std::align_val_t{operation_->alignment});
    throw;
  }
  return copy;
}

void* ReductionGroup::take(std::size_t member) {
  const base::Lock lock(mutex_);
  if (ordered_) {
    if (copies_.size() <= member) copies_.resize(member + 1);
    copies_[member] = make_copy();
    return copies_[member];
  }
  if (free_.empty()) {
    copies_.reserve(copies_.size() * 2 + 4);
    free_.reserve(copies_.size() * 2 + 4);
    copies_.push_back(make_copy());
    return copies_.back();
  }
  void* copy = free_.back();
  free_.pop_back();
  return copy;
}

void ReductionGroup::give_back(void* copy) noexcept {
  if (ordered_) return;
  const base::Lock lock(mutex_);
  free_.push_back(copy);
}

void ReductionGroup::fold() {
  const base::Lock lock(mutex_);
  for (void* copy : copies_) {
    if (copy != nullptr) operation_->combine(target_, copy);
  }
}

}  // namespace weir::runtime

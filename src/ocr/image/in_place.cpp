// SPDX-License-Identifier: Apache-2.0

#include "ocr/image/in_place.hpp"

namespace weir::ocr {

using base::Code;
using base::Status;

InPlace::InPlace(data::Store& store, data::Block& block, std::chrono::seconds patience) : store_(store), block_(block) {
  if (store.untracked().hold(block)) return;
  request_.emplace();
  request_->requester = this;
  request_->kind = data::RequestKind::addition;
  request_->name = "checkpoint";
  static_cast<void>(request_->add(block, Mode::in));
  store.add(*request_);
  for (bool there = store.ready(*request_, 0, DomainId{}); there || wait(patience); there = false)
    if (store.try_begin(*request_)) return;
}

InPlace::~InPlace() {
  if (!request_)
    store_.untracked().release(block_);
  else if (!withdrawn_)
    store_.finish(*request_);
}

Status InPlace::status() const {
  if (withdrawn_) return {Code::no_space, "there was no room to bring a data block to where it can be read"};
  return request_ ? request_->failure : Status::success();
}

const std::byte* InPlace::address() const noexcept {
  void* const at = request_ ? store_.address_of(request_->uses().front())
                            : block_.address.load(std::memory_order_relaxed);  // relaxed: it is held there
  return static_cast<const std::byte*>(at);
}

void InPlace::staged(data::Request&) noexcept {
  const base::Lock lock(mutex_);
  done_ = true;
  changed_.notify_all();
}

// False: it was withdrawn. EDTs that are about to begin may have all the room.
bool InPlace::wait(std::chrono::seconds patience) {
  base::Lock lock(mutex_);
  const auto until = std::chrono::steady_clock::now() + patience;
  while (!done_) {
    lock.wait_for(changed_, std::chrono::milliseconds(10));
    if (done_ || std::chrono::steady_clock::now() < until) continue;
    lock.unlock();
    withdrawn_ = store_.withdraw(*request_);  // else it is on its way
    lock.lock();
    if (withdrawn_) return false;
  }
  done_ = false;
  return true;
}

}  // namespace weir::ocr

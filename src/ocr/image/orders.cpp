// SPDX-License-Identifier: Apache-2.0

#include "ocr/image/orders.hpp"

#include <chrono>
#include <span>

namespace weir::ocr {

namespace {

// Between two looks whether the program ends, of which nothing notifies.
constexpr auto kIdle = std::chrono::milliseconds(100), kInTurn = std::chrono::milliseconds(2);

}  // namespace

Answer Orders::answer(Reader& body) {
  const auto order = body.get<Order>();
  StepDone said;
  Writer text;
  {
    const base::Lock lock(mutex_);
    if (ends()) return {OCR_ECANCELED};
    if (order.is_after(wanted_)) {
      wanted_ = order;
      changed_.notify_all();
    }
    said.last = last_;
    said.code = status_.code;
    text.put_bytes(std::as_bytes(std::span(status_.message)));
  }
  said.stillness.ended = program_.progress().ended;
  said.stillness.traffic = Mail::running()->traffic();
  return {0, Writer().put(said).put_bytes(text.bytes()).take()};
}

void Orders::stop() noexcept {
  const base::Lock lock(mutex_);
  stop_ = true;
  changed_.notify_all();
}

bool Orders::wait_for_turn() {
  base::Lock lock(mutex_);
  while (!ends() && (wanted_.turn <= next_.turn || wanted_.step == Step::end)) lock.wait_for(changed_, kIdle);
  next_ = {wanted_.turn, Step::halt};
  return !ends();
}

std::uint64_t Orders::turn() {
  const base::Lock lock(mutex_);
  return next_.turn;
}

bool Orders::is_over() {
  const base::Lock lock(mutex_);
  return ends() || wanted_.turn != next_.turn || wanted_.step == Step::end;
}

void Orders::note_done(const base::Status& status) {
  const base::Lock lock(mutex_);
  last_ = next_;
  status_ = status;
}

bool Orders::done(const base::Status& status) {
  note_done(status);
  if (!status) return false;
  base::Lock lock(mutex_);
  next_.step = static_cast<Step>(static_cast<std::uint8_t>(next_.step) + 1);
  while (!ends() && next_.is_after(wanted_)) lock.wait_for(changed_, kInTurn);
  return !ends() && wanted_.turn == next_.turn && wanted_.step == next_.step && next_.step != Step::end;
}

}  // namespace weir::ocr

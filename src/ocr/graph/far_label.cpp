// SPDX-License-Identifier: Apache-2.0

#include "ocr/graph/far_label.hpp"

#include <utility>

#include "ocr/graph/event.hpp"
#include "ocr/graph/label_wait.hpp"
#include "ocr/graph/wait.hpp"
#include "ocr/objects/edt_table.hpp"
#include "ocr/objects/home.hpp"

namespace weir::ocr {

namespace {

struct Watched {
  Guid label, event;
};

// A data block that was destroyed keeps its label as long as it is held.
bool is_of_block(Guid label) noexcept {
  const Block* const block = label.kind() == Kind::block ? blocks().find(label.index()) : nullptr;
  return block != nullptr && (block_exists(label) || block->memory.seen() != 0);
}
bool is_free(Guid label) noexcept { return !event_exists(label) && find_edt(label) == nullptr && !is_of_block(label); }

class FarLabelWatch final : public LabelWatch {
 public:
  FarLabelWatch(Local& local, Guid label) : local_(local), label_(label) {
    if (create_own_event(local, event_, EVT_PROP_NONE) != 0) throw std::bad_alloc();
    waiter_ = make_waiter(local);
    static_cast<void>(add_dependent(local, event_, waiter_node(*waiter_)));  // it is new
    is_watched_ =
        Mail::running()->ask(home_of(label_), Say::watch_label, Writer().put(Watched{label_, event_})).code == 0;
  }
  ~FarLabelWatch() override {
    if (has_waited_) return;
    if (destroy_event(local_, event_) != 0) {
      static_cast<void>(wait_for(local_, waiter_, waited_for()));  // it fires at this moment
      return;
    }
    local_.program.count_waiting(waiter_->in_edt, -1);
    if (is_watched_) Mail::running()->post(home_of(label_), Say::unwatch_label, Writer().put(Watched{label_, event_}));
  }
  FarLabelWatch(const FarLabelWatch&) = delete;
  FarLabelWatch& operator=(const FarLabelWatch&) = delete;

  bool wait() override {
    if (!is_watched_) return false;  // the program ends
    has_waited_ = true;
    return wait_for(local_, waiter_, waited_for());
  }

 private:
  WaitedFor waited_for() const noexcept { return {WaitedFor::What::label, label_}; }

  Local& local_;
  const Guid label_;
  Guid event_;
  std::unique_ptr<EventWaiter> waiter_;
  bool is_watched_ = false, has_waited_ = false;
};

}  // namespace

std::unique_ptr<LabelWatch> watch_far_label(Local& local, Guid label) {
  return std::make_unique<FarLabelWatch>(local, label);
}

// ---- Asked by another rank ----

Answer answer_watch_label(Reader& body) {
  const auto wanted = body.get<Watched>();
  tell_when_left(wanted.label, wanted.event);
  if (is_free(wanted.label)) on_label_left(wanted.label);
  return {};
}

Answer answer_unwatch_label(Reader& body) {
  const auto watched = body.get<Watched>();
  do_not_tell(watched.label, watched.event);
  return {};
}

}  // namespace weir::ocr

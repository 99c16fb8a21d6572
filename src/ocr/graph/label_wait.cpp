// SPDX-License-Identifier: Apache-2.0

#include "ocr/graph/label_wait.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/forever.hpp"
#include "base/mutex.hpp"
#include "ocr/graph/awaited.hpp"
#include "ocr/graph/event.hpp"
#include "ocr/graph/far.hpp"
#include "ocr/graph/local.hpp"
#include "ocr/graph/wait.hpp"
#include "ocr/objects/label.hpp"

namespace weir::ocr {

namespace {

struct Waits {
  std::vector<EventWaiter*> threads;
  std::vector<Guid> elsewhere;  // events of other ranks, for threads there

  bool empty() const noexcept { return threads.empty() && elsewhere.empty(); }
};

struct Table {
  base::Mutex mutex;
  std::unordered_map<std::uint64_t, Waits> of WEIR_GUARDED_BY(mutex);  // by the label's bits
};
Table& table() noexcept {
  static base::Forever<Table> the_table;
  return the_table.value;
}

template <class T, class Is>
bool take_out(std::vector<T>& all, Is&& is) {
  const auto found = std::find_if(all.begin(), all.end(), is);
  if (found == all.end()) return false;
  all.erase(found);
  count_label_waits(-1);
  return true;
}

void erase_if_empty(Table& all, std::uint64_t label) WEIR_REQUIRES(all.mutex) {
  const auto found = all.of.find(label);
  if (found != all.of.end() && found->second.empty()) all.of.erase(found);
}

}  // namespace

void on_label_taken(Local& local, Guid label) {
  for (const Awaiting& each : take_awaiting(label)) append(local.taken, each.node);
}

// An event has those that wait for it since it was made (graph/event.cpp).
void on_label_made(Local& local, Guid label) {
  on_label_left(label);
  notify(local, std::exchange(local.taken, {}), label);
}

// They look again. Under the lock: a thread that leaves the table may be gone afterwards.
void on_label_left(Guid label) noexcept {
  std::vector<Guid> elsewhere;
  {
    Table& all = table();
    const base::Lock lock(all.mutex);
    const auto found = all.of.find(label.bits);
    if (found == all.of.end()) return;
    for (EventWaiter* const waiter : std::exchange(found->second.threads, {})) {
      count_label_waits(-1);
      wake(*waiter, {});
    }
    elsewhere.swap(found->second.elsewhere);
    count_label_waits(-static_cast<std::int64_t>(elsewhere.size()));
    erase_if_empty(all, label.bits);
  }
  for (const Guid event : elsewhere)
    Mail::running()->post(home_of(event), Say::satisfy, Writer().put(Satisfaction{event, {}, 0, DB_MODE_NULL}));
}

void tell_when_left(Guid label, Guid event) {
  Table& all = table();
  const base::Lock lock(all.mutex);
  all.of[label.bits].elsewhere.push_back(event);
  count_label_waits(1);
  platform::heavy_barrier();  // LABEL-1
}

void do_not_tell(Guid label, Guid event) noexcept {
  Table& all = table();
  const base::Lock lock(all.mutex);
  const auto found = all.of.find(label.bits);
  if (found == all.of.end()) return;
  take_out(found->second.elsewhere, [&](Guid each) { return each == event; });
  erase_if_empty(all, label.bits);
}

namespace {

class LabelWait final : public LabelWatch {
 public:
  LabelWait(Local& local, Guid label)
      : local_(local),
        label_(label),
        in_edt_(local.current != nullptr),
        entered_(new EventWaiter(local.program, local.worker, in_edt_)),
        waiter_(entered_) {
    Table& all = table();
    const base::Lock lock(all.mutex);
    all.of[label.bits].threads.push_back(entered_);
    local.program.count_waiting(in_edt_, 1);
    count_label_waits(1);
    platform::heavy_barrier();  // LABEL-1
  }
  ~LabelWait() override { leave(); }
  LabelWait(const LabelWait&) = delete;
  LabelWait& operator=(const LabelWait&) = delete;

  bool wait() override { return wait_for(local_, waiter_, {WaitedFor::What::label, label_}); }

 private:
  void leave() noexcept {
    Table& all = table();
    const base::Lock lock(all.mutex);
    const auto found = all.of.find(label_.bits);
    if (found == all.of.end()) return;
    if (take_out(found->second.threads, [&](const EventWaiter* waiter) { return waiter == entered_; }))
      local_.program.count_waiting(in_edt_, -1);
    erase_if_empty(all, label_.bits);
  }

  Local& local_;
  const Guid label_;
  const bool in_edt_;
  EventWaiter* const entered_;
  std::unique_ptr<EventWaiter> waiter_;  // null: it is kept until the end, since the program ends
};

}  // namespace

std::unique_ptr<LabelWatch> watch_label(Local& local, Guid label) { return std::make_unique<LabelWait>(local, label); }

void forget_label_waits() noexcept {
  Table& all = table();
  const base::Lock lock(all.mutex);
  for (const auto& [label, waits] : all.of)
    count_label_waits(-static_cast<std::int64_t>(waits.threads.size() + waits.elsewhere.size()));
  all.of.clear();
}

}  // namespace weir::ocr

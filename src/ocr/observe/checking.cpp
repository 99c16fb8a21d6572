// SPDX-License-Identifier: Apache-2.0

#include "ocr/observe/checking.hpp"

#include <cstring>
#include <unordered_map>
#include <vector>

#include "base/forever.hpp"
#include "base/mutex.hpp"

namespace weir::ocr::checking {

namespace {

using check::TaskRecord;

// What is known of objects until it is asked for. Any thread.
template <class Key, class Value>
class KnownOf {
 public:
  void put(const Key* key, Value* value) {
    const base::Lock lock(mutex_);
    known_[key] = value;
  }
  // Null: nothing.
  Value* find(const Key* key) {
    const base::Lock lock(mutex_);
    const auto found = known_.find(key);
    return found == known_.end() ? nullptr : found->second;
  }
  // The same, and forgets it.
  Value* take(const Key* key) {
    const base::Lock lock(mutex_);
    const auto found = known_.find(key);
    if (found == known_.end()) return nullptr;
    Value* const value = found->second;
    known_.erase(found);
    return value;
  }

 private:
  base::Mutex mutex_;
  std::unordered_map<const Key*, Value*> known_ WEIR_GUARDED_BY(mutex_);
};

struct Tables {
  KnownOf<Edt, TaskRecord> records;         // until they run
  KnownOf<Edt, const check::Cause> ends;    // of those that have run
  KnownOf<Link, const check::Cause> made;   // of links that nothing has reached yet
  KnownOf<Link, const check::Cause> links;  // of links that wait to be followed
};
Tables& tables() {
  static base::Forever<Tables> the_tables;
  return the_tables.value;
}

check::Item item_of(const Block& block, std::uint8_t mode, std::uint32_t slot) {
  check::Item item;
  item.extent = {reinterpret_cast<std::uintptr_t>(block.fixed()), block.size};
  item.ocr_mode = mode;
  item.reads = true;
  item.writes = mode == DB_MODE_RW || mode == DB_MODE_EW;
  item.index = slot;
  if (mode == DB_MODE_RW) item.sharing = check::Sharing::writer;
  if (mode == DB_MODE_EW) item.sharing = check::Sharing::exclusive;
  if (mode == DB_MODE_CONST) item.sharing = check::Sharing::constant;
  return item;
}

}  // namespace

// What is made outside of EDTs may be touched there.
std::byte* allocate_block(const ObjectLocal& local, std::uint64_t bytes) noexcept {
  return static_cast<std::byte*>(check::hooks().allocate_block(bytes, "", local.current != nullptr));
}

void free_block(std::byte* data) noexcept { check::hooks().free_block(data); }

void held(const Block& block, bool is_new) {
  const check::Pause pause;
  check::Item item = item_of(block, DB_MODE_RW, 0);
  item.out = is_new;
  item.touched = true;  // what an EDT makes is not in its dependences
  check::hooks().acquire(item);
}

void handed_out(const void* data) {
  if (active()) check::hooks().hand_out_block(data);
}

void released(const Block& block) {
  const check::Pause pause;
  check::hooks().release(block.fixed());
}

void used(const ObjectLocal& local, Guid guid) {
  if (local.current == nullptr || guid.kind() != Kind::block) return;
  const Holding holding = find_held(*local.current, guid);
  if (holding.block != nullptr) check::hooks().use(holding.block->fixed());
}

void created(Edt& edt) {
  const check::Pause pause;
  tables().records.put(
      &edt, check::hooks().announce_edt(edt.kind()->name, reinterpret_cast<std::uintptr_t>(edt.kind()->function),
                                        edt.has(Edt::kFinish)));
}

void destroyed(Edt& edt) {
  const check::Pause pause;
  if (TaskRecord* const record = tables().records.take(&edt)) check::hooks().drop(record);
}

namespace {

// Its blocks come unasked: that of mainEdt's arguments, one that is lent.
bool is_made_by_library(const Edt& edt) {
  const char* const name = edt.kind()->name;
  if (edt.origin()->creator != nullptr || name == nullptr) return false;
  for (const char* const known : {kMainName, kLenderName, kReturnerName, kBorrowerName})
    if (std::strcmp(name, known) == 0) return true;
  return false;
}

void set_rights(Edt& edt, TaskRecord& record) {
  const check::Pause pause;
  std::vector<check::Item> items;
  for (std::uint32_t i = 0; i < edt.depc(); ++i) {
    const Slot& slot = edt.slots()[i];
    // Relaxed: the EDT is about to run on this thread (SLOT-1).
    if (slot.state.load(std::memory_order_relaxed) != SlotState::held) continue;
    items.push_back(item_of(slot.block(), slot.mode, i));
    items.back().touched = is_made_by_library(edt);
  }
  check::hooks().set_items(record, items);
  if (!edt.is_bare()) tables().ends.put(&edt, check::hooks().end_of(record));  // it brings nothing about
}

}  // namespace

Running::Running(Edt& edt) {
  if (!active()) return;
  record_ = tables().records.take(&edt);
  if (record_ == nullptr) return;
  set_rights(edt, *record_);
  check::hooks().begin(*record_, __builtin_return_address(0));
}

Running::~Running() {
  if (record_ != nullptr) check::hooks().end(record_, true);
}

void satisfied(Guid event, std::uint64_t generation) {
  const check::Pause pause;
  check::hooks().satisfied({event.bits, generation});
}

void needed_by(const Link& link) {
  const check::Pause pause;
  tables().made.put(&link, check::hooks().here());
}

void needed_by(Edt& edt) {
  const check::Pause pause;
  if (TaskRecord* const record = tables().records.find(&edt); record != nullptr)
    check::hooks().depends_on_cause(*record);
}

void Because::begin(Guid event, std::uint64_t generation) {
  before_ = check::hooks().set_cause(check::hooks().cause_of({event.bits, generation}));
}
void Because::begin(const Edt& ended) { before_ = check::hooks().set_cause(tables().ends.take(&ended)); }
void Because::begin(const Link& link) { before_ = check::hooks().set_cause(tables().links.take(&link)); }
void Because::end() { check::hooks().set_cause(before_); }

void keep_cause(const Link& link) {
  const check::Pause pause;
  tables().links.put(&link, check::hooks().both(check::hooks().current_cause(), tables().made.take(&link)));
}

void keep_cause(EventWaiter& waiter) { waiter.cause = check::hooks().current_cause(); }

void waited(const EventWaiter& waiter) {
  const check::Pause pause;
  check::hooks().waited_for_cause(waiter.cause);
}

}  // namespace weir::ocr::checking

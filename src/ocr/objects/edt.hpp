// SPDX-License-Identifier: Apache-2.0

// Edt: one event-driven task: a Weir task, and behind its header what few others have, its body, its slots, the depv
// array it is called with, and its parameters, one behind the other.
//
// Life: made -> (all slots satisfied) -> acquires its blocks in the order of their GUIDs -> ready -> runs -> ended. The
// thread that satisfies the last slot, or releases the block it waits for, takes it on to the next step. EDTs wait for
// blocks in the order of GUIDs and hold none that comes later, so no ring of waiting EDTs can form.
//
// A bare EDT has nothing behind the header, and so is one line of cache: it was made without slots, parameters, output
// event, hint, label or property, is ready at once, and ends with its function. Its memory is its own while its task
// lives, and who looks at it from another thread closes the task's gate (sched/gate.hpp).
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/layout.hpp"
#include "ocr/blocks/tiers.hpp"
#include "ocr/objects/guid.hpp"
#include "ocr/objects/object.hpp"
#include "ocr/objects/origin.hpp"
#include "sched/task.hpp"

namespace weir::ocr {

struct Block;
class Edt;
struct Event;
struct Local;

// A template's hint, which may be set while others make EDTs of the template: these read it without a lock. In memory
// that is of this type for ever; zeroed, it has no values.
class TemplateHint {
 public:
  bool empty() const noexcept { return mask_.load(std::memory_order_relaxed) == 0; }  // any thread
  // As it was before or after a merge(). Any thread.
  ocrHint_t read() const noexcept;
  // Adds what is set in `hint`, which is one of EDTs. Under the lock of the template's word.
  void merge(const ocrHint_t& hint) noexcept;
  // Nobody has the GUID yet.
  void clear() noexcept { mask_.store(0, std::memory_order_relaxed); }

 private:
  static constexpr std::size_t kValues = OCR_HINT_EDT_PROP_END - OCR_HINT_EDT_PROP_START - 1;
  // HINT-1: acquire and release, each of them. Written by merge().
  std::atomic<std::uint64_t> version_{0};  // odd meanwhile
  std::atomic<u64> mask_{0};
  std::array<std::atomic<u64>, kValues> values_{};
};

struct Template {
  ObjectWord word;
  const EdtKind* kind;
  std::uint32_t paramc, depc;
  TemplateHint hint;
  Template* next_free;
};

enum class SlotState : std::uint8_t {
  open,       // nobody has said what it depends on
  waiting,    // linked to an event, or about to be satisfied
  satisfied,  // value: GUID of a block or 0
  held,       // value: address of the block, acquired
  released,   // value: GUID of the block; also when another slot stands for it
};

struct Slot {
  std::uint64_t value;  // waiting: the next dependent of the event
  std::uint32_t index;
  std::atomic<SlotState> state;
  std::uint8_t mode;
  std::uint8_t flags;
  bool large;  // of an EDT whose slots lie elsewhere

  enum : std::uint8_t {
    kShared = 1,  // the block is held in another slot, too, which releases it
    kNamed = 2,   // satisfied: counted in Block::named
  };
};
static_assert(sizeof(Slot) == 16);

// Holds a block that no slot before it holds, too. Of an EDT that has its blocks, before it runs.
inline bool holds_first(const Slot& slot) noexcept {
  return slot.state.load(std::memory_order_relaxed) == SlotState::held && (slot.flags & Slot::kShared) == 0;
}

struct EdtBody {
  ObjectWord word;  // lives as long as the runtime, from use to use of the task's memory (edt_table.hpp)
  std::uint32_t paramc, depc;
  Guid output;                   // event to satisfy at the end, or null
  std::atomic<ocrHint_t*> hint;  // owned; what is in it is guarded by the lock of the word. See hint_of()
  union {
    Guid acquired;  // before it runs: blocks with GUIDs up to this one have been dealt with
    Guid returned;  // afterwards
  };
  std::atomic<std::uint32_t> missing;  // slots not satisfied; Edt::kDestroyed is added when it will not run
  std::uint8_t waiting_mode;           // of the block it waits for
  base::Shown<std::uint8_t> flags;     // written by who makes, brings on or runs it

  // Those of a large EDT lie in memory of their own, behind the EDT's address.
  Slot* slots() noexcept;
  ocrEdtDep_t* depv() noexcept { return reinterpret_cast<ocrEdtDep_t*>(slots() + depc); }
  u64* paramv() noexcept { return reinterpret_cast<u64*>(depv() + depc); }
  u64& kept_word() noexcept { return paramv()[paramc]; }  // of one with a label: see edt_table.hpp
};

class Edt {
 public:
  static constexpr std::uint32_t kDestroyed = std::uint32_t{1} << 31;
  enum : std::uint8_t { kFinish = 1, kNoHint = 2, kOwnOutput = 4, kLarge = 8, kTiered = 16 };
  static constexpr std::uint8_t kBareClass = 0;  // of the task's memory
  static_assert(weir::detail::kSlotBytes[kBareClass] == sizeof(sched::Task));

  static Edt& of(sched::Task& task) noexcept { return reinterpret_cast<Edt&>(task); }
  static const Edt& of(const sched::Task& task) noexcept { return reinterpret_cast<const Edt&>(task); }
  static Edt& of(Slot& slot) noexcept {
    Slot* const first = &slot - slot.index;
    if (slot.large) [[unlikely]]
      return **(reinterpret_cast<Edt**>(first) - 2);
    return *(reinterpret_cast<Edt*>(reinterpret_cast<EdtBody*>(first) - 1) - 1);
  }

  sched::Task& task() noexcept { return task_; }
  const sched::Task& task() const noexcept { return task_; }
  bool is_bare() const noexcept { return task_.size_class == kBareClass; }
  // Of one that is not bare.
  EdtBody& body() noexcept { return *reinterpret_cast<EdtBody*>(this + 1); }
  const EdtBody& body() const noexcept { return *reinterpret_cast<const EdtBody*>(this + 1); }

  // By its index it is found in the table, also when it is not alive.
  std::uint32_t index() const noexcept { return is_bare() ? task_.number : body().word.index(); }
  Guid guid() const noexcept {
    if (!is_bare()) return body().word.guid(Kind::edt);
    const std::uint64_t generation = task_.generation.load(std::memory_order_relaxed);
    return Guid::make(Kind::edt, static_cast<std::uint32_t>(generation) % Guid::kGenerations, task_.number);
  }
  // Under that GUID. Any thread.
  bool is_alive(Guid guid) const noexcept {
    if (!is_bare()) return body().word.alive(guid.generation(), guid.index());
    const std::uint64_t generation = task_.generation.load(std::memory_order_acquire);
    return this->guid() == guid && !task_.successors.closed(generation) && !has_returned();
  }

  // Any thread that keeps it from ending. Null before it was first made.
  const EdtOrigin* origin() const noexcept {
    return reinterpret_cast<const EdtOrigin*>(reinterpret_cast<std::uintptr_t>(task_.site.seen()) & ~kProgress);
  }
  const EdtKind* kind() const noexcept { return origin()->kind; }
  void set_origin(const EdtOrigin* origin) noexcept { task_.site = origin; }
  // Its function has been called; so it stays.
  void begin() noexcept { task_.site = reinterpret_cast<const std::byte*>(origin()) + kRuns; }
  bool has_begun() const noexcept { return (reinterpret_cast<std::uintptr_t>(task_.site.seen()) & kProgress) != 0; }
  // Of a bare one: its GUID is good no more.
  void leave() noexcept { task_.site = reinterpret_cast<const std::byte*>(origin()) + kReturned; }
  bool has_returned() const noexcept { return (reinterpret_cast<std::uintptr_t>(task_.site.seen()) & kReturned) != 0; }

  std::uint32_t paramc() const noexcept { return is_bare() ? 0 : body().paramc; }
  std::uint32_t depc() const noexcept { return is_bare() ? 0 : body().depc; }
  Guid output() const noexcept { return is_bare() ? Guid{} : body().output; }
  bool has(std::uint8_t flag) const noexcept { return !is_bare() && (body().flags.seen() & flag) != 0; }
  // All its slots are satisfied.
  bool is_complete() const noexcept { return is_bare() || body().missing.load(std::memory_order_acquire) == 0; }

  std::span<Slot> slots() noexcept {
    return is_bare() ? std::span<Slot>() : std::span<Slot>(body().slots(), body().depc);
  }

 private:
  static constexpr std::uintptr_t kRuns = 1, kReturned = 2, kProgress = kRuns | kReturned;
  static_assert(alignof(EdtOrigin) > kProgress);

  sched::Task task_;
};
static_assert(sizeof(Edt) == base::kDestructiveSize);

inline Slot* EdtBody::slots() noexcept {
  void* const here = this + 1;
  return static_cast<Slot*>((flags.seen() & Edt::kLarge) == 0 ? here
                                                              : static_cast<Edt**>(*static_cast<void**>(here)) + 2);
}

// What an EDT has only while its function runs; on the stack of the thread that runs it, which alone uses it.
struct RunExtra {
  static constexpr std::size_t kLocalStorage = 256;
  std::unique_ptr<ocrGuid_t[]> local_storage;  // null until it is used
  std::vector<Pin> pins;
};
struct Run {
  Edt& edt;
  Block* created = nullptr;         // those it made and has not released
  std::unique_ptr<RunExtra> extra;  // null until it is used
  sched::Scope* finish = nullptr;   // of a finish EDT that has made others: its FinishScope
  std::uint8_t credit = 0;          // see FinishScope
  std::uint16_t kept_count = 0;     // in `kept`
  Event* kept = nullptr;            // see keep_output(); newest first
  Event* kept_before = nullptr;     // older ones; none while `kept` is empty

  explicit Run(Edt& running) noexcept : edt(running) {}
  // Throws std::bad_alloc.
  RunExtra& make_extra() {
    if (extra == nullptr) extra = std::make_unique<RunExtra>();
    return *extra;
  }
};

// ---- What other chapters need of EDTs. `local` is the calling thread's. ----

// Slot of an EDT: satisfied with a block's GUID, or null. The caller has claimed it. The last one makes the EDT ready.
void satisfy(Local& local, Slot& slot, Guid block);
// It and who gives it hints may both be the first to need it. Throws std::bad_alloc.
ocrHint_t& hint_of(Edt& edt);
// Nobody finds the EDT any more.
inline void drop_hint(Edt& edt) noexcept {
  if (edt.is_bare()) return;
  delete edt.body().hint.load(std::memory_order_relaxed);
  edt.body().hint.store(nullptr, std::memory_order_relaxed);
}
// Locked: keeps it from becoming ready, until let_go(), unlocked, does what it has missed. False: it is ready already.
[[nodiscard]] bool try_hold_back(Edt& edt) noexcept;
void let_go(Local& local, Edt& edt);
// Claims the slot for the caller, who alone satisfies it. False when it has a source already.
inline bool try_claim(Slot& slot) noexcept {
  SlotState open = SlotState::open;
  return slot.state.compare_exchange_strong(open, SlotState::waiting, std::memory_order_relaxed);
}
// A slot that has no source, of the EDT of a GUID, by a block or nothing. 0 or an error code.
u8 satisfy_slot(Local& local, Guid edt, std::uint32_t index, Guid block);
// The EDT waits for blocks no more: acquires the next, or becomes ready.
void acquire_blocks(Local& local, Edt& edt);
// The EDT of a GUID; null when there is none. It may end unless it has an open slot that nobody else satisfies.
Edt* find_edt(Guid guid) noexcept;
// Makes an EDT; 0 or an error code.
struct EdtRequest {
  Guid guid;  // when labelled
  Guid edt_template;
  std::uint32_t paramc;
  const u64* paramv;
  std::uint32_t depc;
  const ocrGuid_t* depv;
  std::uint16_t properties;
  const ocrHint_t* hint;
  // Where the GUIDs go, each may be null. They are there before the EDT can run: it may be the one to read them.
  ocrGuid_t* made;
  ocrGuid_t* output;  // read when the event exists already
  const void* site;   // of the program's code that makes it
};
// Settles the request in place: a copy would have to wait until the stores of the original, and all before them, are in
// the cache.
u8 create_edt(Local& local, EdtRequest& request);
// One that will not run: OCR_EPERM when all its slots are satisfied.
u8 destroy_edt(Local& local, Guid guid);
// Gives its memory back; nothing refers to it.
void free_edt(Local& local, Edt& edt) noexcept;
// The block that it waits for is its own.
void block_granted(Local& local, Edt& edt, Block& block);
// The held block that the slots or the creation list of the running EDT know; null when it holds none of that GUID.
struct Holding {
  Block* block = nullptr;
  Slot* slot = nullptr;  // null: it made the block
};
Holding find_held(const Run& run, Guid block) noexcept;
void release_holding(Local& local, Run& run, const Holding& held);

}  // namespace weir::ocr

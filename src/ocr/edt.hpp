// Edt: one event-driven task: a Weir task whose closure holds its slots, the depv array it is called with, and its
// parameters. Edt, slots, depv and paramv lie one behind the other.
//
// Life: made -> (all slots satisfied) -> acquires its blocks in the order of their GUIDs -> ready -> runs -> ended. The
// thread that satisfies the last slot, or releases the block it waits for, takes it on to the next step. EDTs wait for
// blocks in the order of GUIDs and hold none that comes later, so no ring of waiting EDTs can form.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/layout.hpp"
#include "ocr/guid.hpp"
#include "ocr/object.hpp"
#include "ocr/tiers.hpp"
#include "sched/task.hpp"

namespace weir::ocr {

struct Block;
struct Edt;
struct Local;

// A function and its name, one for all templates of it: where things come from, in reports. Never freed.
struct EdtKind {
  ocrEdt_t function;
  const char* name;  // null when the program gave none
};
const EdtKind* intern(ocrEdt_t function, const char* name);

struct Template {
  ObjectWord word;
  const EdtKind* kind;
  std::uint32_t paramc, depc;
  ocrHint_t* hint;  // owned; null when it has none
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

// What few EDTs have.
struct EdtRare {
  static constexpr std::size_t kLocalStorage = 256;
  std::unique_ptr<ocrGuid_t[]> local_storage;  // null until it is used; while it runs, as the next
  std::vector<Pin> pins;
  ocrHint_t hint{OCR_HINT_EDT_T, 0, {}};  // guarded by the lock of the EDT's word
};

struct Edt {
  static constexpr std::uint32_t kDestroyed = std::uint32_t{1} << 31;
  enum : std::uint16_t { kFinish = 1, kNoHint = 2, kOwnOutput = 4, kLarge = 8, kRunning = 16, kTiered = 32 };

  ObjectWord word;  // lives as long as the runtime, from use to use of the task's memory (edt_table.hpp)
  const EdtKind* kind;
  std::uint32_t paramc, depc;
  Guid output;                 // event to satisfy at the end, or null
  std::atomic<EdtRare*> rare;  // owned; see rare_of()
  const EdtKind* creator;      // null: the program's main(), or the library
  union {
    Guid acquired;   // before it runs: blocks with GUIDs up to this one have been dealt with
    Block* created;  // while it runs: those it made and has not released; the thread that runs it only
    Guid returned;   // afterwards
  };
  std::atomic<std::uint32_t> missing;  // slots not satisfied; kDestroyed is added when it will not run
  std::uint8_t credit;                 // see FinishScope; the thread that runs it only
  std::uint8_t waiting_mode;           // of the block it waits for
  base::Shown<std::uint16_t> flags;    // written by who makes, brings on or runs it

  Guid guid() const noexcept { return word.guid(Kind::edt); }
  // Those of a large EDT lie in memory of their own, behind the EDT's address.
  Slot* slots() noexcept {
    void* const here = this + 1;
    return static_cast<Slot*>((flags.seen() & kLarge) == 0 ? here : static_cast<Edt**>(*static_cast<void**>(here)) + 2);
  }
  ocrEdtDep_t* depv() noexcept { return reinterpret_cast<ocrEdtDep_t*>(slots() + depc); }
  u64* paramv() noexcept { return reinterpret_cast<u64*>(depv() + depc); }
  u64& kept_word() noexcept { return paramv()[paramc]; }  // of one with a label: see edt_table.hpp
  static Edt& of(Slot& slot) noexcept {
    Slot* const first = &slot - slot.index;
    return slot.large ? **(reinterpret_cast<Edt**>(first) - 2) : *(reinterpret_cast<Edt*>(first) - 1);
  }
  sched::Task& task() noexcept { return *(reinterpret_cast<sched::Task*>(this) - 1); }
};
static_assert(sizeof(Edt) == base::kDestructiveSize, "with the header of its task, two lines of cache");

// ---- What other chapters need of EDTs. `local` is the calling thread's. ----

// Slot of an EDT: satisfied with a block's GUID, or null. The caller has claimed it. The last one makes the EDT ready.
void satisfy(Local& local, Slot& slot, Guid block);
// It and who gives it hints may both be the first to need it. Throws std::bad_alloc.
EdtRare& rare_of(Edt& edt);
// Nobody finds the EDT any more.
inline void drop_rare(Edt& edt) noexcept {
  delete edt.rare.load(std::memory_order_relaxed);
  edt.rare.store(nullptr, std::memory_order_relaxed);
}
// Locked: keeps it from becoming ready, until let_go(), unlocked, does what it has missed. False: it is ready already.
[[nodiscard]] bool try_hold_back(Edt& edt) noexcept;
void let_go(Local& local, Edt& edt);
// Claims the slot for the caller, who alone satisfies it. False when it has a source already.
inline bool try_claim(Slot& slot) noexcept {
  SlotState open = SlotState::open;
  return slot.state.compare_exchange_strong(open, SlotState::waiting, std::memory_order_relaxed);
}
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
// The blocks that the EDT holds and has not released.
void release_all(Local& local, Edt& edt);
// The held block that the slots or the creation list of the running EDT know; null when it holds none of that GUID.
struct Holding {
  Block* block = nullptr;
  Slot* slot = nullptr;  // null: it made the block
};
Holding find_held(Edt& edt, Guid block) noexcept;
void release_holding(Local& local, Edt& edt, const Holding& held);

}  // namespace weir::ocr

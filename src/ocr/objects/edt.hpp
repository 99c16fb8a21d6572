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
// lives, and another thread that looks at it has an observer hold on the task (sched/gate.hpp).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/layout.hpp"
#include "ocr/objects/guid.hpp"
#include "ocr/objects/hint.hpp"
#include "ocr/objects/object.hpp"
#include "ocr/objects/origin.hpp"
#include "runtime/task.hpp"

namespace weir::ocr {

struct Block;
class Edt;

struct Template {
  ObjectWord word;
  const EdtKind* kind;
  std::uint32_t paramc, depc;
  bool is_known_elsewhere = false;  // other ranks may keep what it says; under its lock
  TemplateHint hint;
  Template* next_free;
};

enum class SlotState : std::uint8_t {
  open,       // no call has said what it depends on
  claimed,    // has a source, which is about to satisfy it or to be linked to it
  waiting,    // linked to its source, an event or what a label will name: source_of() says which
  satisfied,  // value: GUID of a block or 0
  held,       // value: address of the block, acquired
  released,   // value: GUID of the block; also when another slot stands for it
};

struct Slot {
  std::uint64_t value;  // waiting: the next dependent of the event
  std::uint32_t index;
  std::atomic<SlotState> state;  // SLOT-1, SLOT-2, HELD-1; relaxed: it is `missing` that orders what slots get
  std::uint8_t mode;
  std::uint8_t flags;
  bool large;  // of an EDT whose slots lie elsewhere

  // While it is held.
  Block& block() const noexcept { return *reinterpret_cast<Block*>(value); }
  void set_block(Block& held) noexcept { value = reinterpret_cast<std::uint64_t>(&held); }

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
    Guid acquired;         // before it runs: blocks with GUIDs up to this one have been dealt with
    sched::Scope* finish;  // of a finish EDT that runs: see finish_scope(), edts/finish_scope.hpp
    Guid returned;         // afterwards
  };
  std::atomic<std::uint32_t> missing;  // SLOT-1: slots not satisfied; Edt::kDestroyed is added when it will not run
  std::uint8_t waiting_mode;           // of the block it waits for
  base::Shown<std::uint8_t> flags;     // written by the thread that makes, brings on or runs it

  Slot* slots() noexcept;
  ocrEdtDep_t* depv() noexcept;
  u64* paramv() noexcept;
  // Of a slot that has been claimed: it waits for that event or label from now on (SLOT-2).
  void await(Slot& slot, Guid source) noexcept;
  // What a slot waits for, or null when it does not. Any thread, under the word's lock (SLOT-2).
  Guid source_of(const Slot& slot) noexcept;

  u64& kept_word() noexcept { return paramv()[paramc]; }     // of one with a label: see edt_table.hpp
  u64& stand_in() noexcept { return paramv()[paramc + 1]; }  // a GUID, of one that was made by another rank
  u64& batch() noexcept { return paramv()[paramc + 2]; }     // of one whose GUID was given ahead: see given_guids.hpp
};

// Where the parts of an EDT that is not bare lie, and how much memory they take:
//
//   task header | EdtBody | slots | depv | paramv | the word of the memory, while it has a label | its stand-in | its
//   GUID's batch
//
// If that is more than the largest size class of tasks, the EDT is large: behind the body there is only a pointer to
// the rest, which lies in memory of its own behind a LargeHead. All steps from one part to another are here.
struct EdtLayout {
  struct alignas(16) LargeHead {
    Edt* edt;
  };
  static constexpr std::size_t kBody = sizeof(sched::Task);
  static constexpr std::size_t kArrays = kBody + sizeof(EdtBody);
  static constexpr std::size_t array_bytes(std::uint32_t paramc, std::uint32_t depc, std::uint32_t words) noexcept {
    return std::size_t{depc} * (sizeof(Slot) + sizeof(ocrEdtDep_t)) +
           (std::size_t{paramc} + std::size_t{words}) * sizeof(u64);
  }

  // What lies that many bytes from the start of `from`.
  template <class T>
  static T* at(void* from, std::ptrdiff_t bytes) noexcept {
    return static_cast<T*>(static_cast<void*>(static_cast<std::byte*>(from) + bytes));
  }
  template <class T>
  static const T* at(const void* from, std::ptrdiff_t bytes) noexcept {
    return static_cast<const T*>(static_cast<const void*>(static_cast<const std::byte*>(from) + bytes));
  }

  static LargeHead*& large_head(EdtBody& body) noexcept { return *at<LargeHead*>(&body, sizeof body); }
  static Slot* slots(LargeHead* head) noexcept { return at<Slot>(head, sizeof *head); }
  static Slot* slots(EdtBody& body) noexcept { return at<Slot>(&body, sizeof body); }
  static ocrEdtDep_t* depv(Slot* slots, std::uint32_t depc) noexcept {
    return at<ocrEdtDep_t>(slots, std::ptrdiff_t{depc} * std::ptrdiff_t{sizeof(Slot)});
  }
  static u64* paramv(ocrEdtDep_t* depv, std::uint32_t depc) noexcept {
    return at<u64>(depv, std::ptrdiff_t{depc} * std::ptrdiff_t{sizeof(ocrEdtDep_t)});
  }
  static Edt& edt_of(Slot& slot) noexcept {
    Slot* const first = &slot - slot.index;
    if (slot.large) [[unlikely]]
      return *at<LargeHead>(first, -std::ptrdiff_t{sizeof(LargeHead)})->edt;
    return *at<Edt>(first, -std::ptrdiff_t{kArrays});
  }
};
static_assert(sizeof(EdtBody) % alignof(Slot) == 0 && sizeof(Slot) % alignof(ocrEdtDep_t) == 0);

class Edt {
 public:
  static constexpr std::uint32_t kDestroyed = std::uint32_t{1} << 31;
  enum : std::uint8_t {
    kFinish = 1,
    kNoHint = 2,
    kOwnOutput = 4,
    kLarge = 8,
    kTiered = 16,
    kStoodFor = 32,     // made by another rank, where an EDT stands for it: see edts/far_edt.hpp
    kInnerFinish = 64,  // kFinish is not the program's: the output event does not wait for what the EDT has made
  };
  static constexpr std::uint8_t kBareClass = 0;  // of the task's memory
  static_assert(weir::detail::kSlotBytes[kBareClass] == sizeof(sched::Task));

  static Edt& of(sched::Task& task) noexcept { return *EdtLayout::at<Edt>(&task, 0); }
  static const Edt& of(const sched::Task& task) noexcept { return *EdtLayout::at<Edt>(&task, 0); }
  static Edt& of(Slot& slot) noexcept { return EdtLayout::edt_of(slot); }

  sched::Task& task() noexcept { return task_; }
  const sched::Task& task() const noexcept { return task_; }
  bool is_bare() const noexcept { return task_.size_class == kBareClass; }
  // Only one that is not bare has it.
  EdtBody& body() noexcept { return *EdtLayout::at<EdtBody>(this, EdtLayout::kBody); }
  const EdtBody& body() const noexcept { return *EdtLayout::at<EdtBody>(this, EdtLayout::kBody); }

  // The table finds it by its index, also when it is not alive.
  std::uint32_t index() const noexcept { return is_bare() ? task_.number : body().word.index(); }
  Guid guid() const noexcept { return is_bare() ? bare_guid() : body().word.guid(Kind::edt); }
  // That of a bare one.
  Guid bare_guid() const noexcept {
    // Relaxed: of a use that the caller keeps from ending, or that it compares afterwards.
    const std::uint64_t generation = task_.generation.load(std::memory_order_relaxed);
    return Guid::make(Kind::edt, static_cast<std::uint32_t>(generation) % Guid::kGenerations, task_.number);
  }
  // Under that GUID. Any thread.
  bool is_alive(Guid guid) const noexcept {
    if (!is_bare()) return body().word.alive(guid.generation(), guid.index());
    const std::uint64_t generation = task_.generation.load(std::memory_order_acquire);  // EDGE-2
    return bare_guid() == guid && !task_.successors.closed(generation) && !has_returned();
  }

  // Any thread that keeps it from ending. Null before it was first made.
  const EdtOrigin* origin() const noexcept {
    return reinterpret_cast<const EdtOrigin*>(reinterpret_cast<std::uintptr_t>(task_.site.seen()) & ~kProgress);
  }
  const EdtKind* kind() const noexcept { return origin()->kind; }
  void set_origin(const EdtOrigin* origin) noexcept { task_.site = origin; }
  // Its function has been called; so it stays.
  void begin() noexcept { task_.site = EdtLayout::at<std::byte>(origin(), kRuns); }
  bool has_begun() const noexcept { return progress() != 0; }
  // The GUID of a bare EDT is good no more.
  void leave() noexcept { task_.site = EdtLayout::at<std::byte>(origin(), kReturned); }
  bool has_returned() const noexcept { return (progress() & kReturned) != 0; }

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
  // How far it is stands in the low bits of the address of its origin.
  static constexpr std::uintptr_t kRuns = 1, kReturned = 2, kProgress = kRuns | kReturned;
  static_assert(alignof(EdtOrigin) > kProgress);
  std::uintptr_t progress() const noexcept { return reinterpret_cast<std::uintptr_t>(task_.site.seen()) & kProgress; }

  sched::Task task_;
};
static_assert(sizeof(Edt) == base::kDestructiveSize);

inline Slot* EdtBody::slots() noexcept {
  if ((flags.seen() & Edt::kLarge) == 0) return EdtLayout::slots(*this);
  return EdtLayout::slots(EdtLayout::large_head(*this));
}
inline ocrEdtDep_t* EdtBody::depv() noexcept { return EdtLayout::depv(slots(), depc); }
inline u64* EdtBody::paramv() noexcept { return EdtLayout::paramv(depv(), depc); }

// Claims the slot for the caller, who alone satisfies it. False when it has a source already.
inline bool try_claim(Slot& slot) noexcept {
  SlotState open = SlotState::open;
  return slot.state.compare_exchange_strong(open, SlotState::claimed, std::memory_order_relaxed);
}

// The GUID is kept where the address of the slot's block comes to be when the EDT runs.
inline void EdtBody::await(Slot& slot, Guid source) noexcept {
  void* const kept = reinterpret_cast<void*>(source.bits);
  std::atomic_ref<void*>(depv()[slot.index].ptr).store(kept, std::memory_order_relaxed);
  slot.state.store(SlotState::waiting, std::memory_order_release);  // SLOT-2
}

inline Guid EdtBody::source_of(const Slot& slot) noexcept {
  if (slot.state.load(std::memory_order_acquire) != SlotState::waiting) return {};                    // SLOT-2
  void* const kept = std::atomic_ref<void*>(depv()[slot.index].ptr).load(std::memory_order_acquire);  // SLOT-2
  // Relaxed: an address of a block was written after the state of the slot, and published with it.
  if (slot.state.load(std::memory_order_relaxed) != SlotState::waiting) return {};
  return {reinterpret_cast<std::uint64_t>(kept)};
}

// Tells the EDT where the block of a slot is, which waits no more (SLOT-2).
inline void set_address(ocrEdtDep_t& of, void* address) noexcept {
  std::atomic_ref<void*>(of.ptr).store(address, std::memory_order_release);
}

}  // namespace weir::ocr

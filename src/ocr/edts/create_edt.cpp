// SPDX-License-Identifier: Apache-2.0

#include "ocr/edts/create_edt.hpp"

#include <cstring>
#include <memory>
#include <new>

#include "ocr/blocks/edt_blocks.hpp"
#include "ocr/edts/edt_end.hpp"
#include "ocr/edts/finish_scope.hpp"
#include "ocr/edts/run.hpp"
#include "ocr/graph/acquire.hpp"
#include "ocr/graph/awaited.hpp"
#include "ocr/graph/edt_hint.hpp"
#include "ocr/graph/event.hpp"
#include "ocr/graph/far.hpp"
#include "ocr/graph/slots.hpp"
#include "ocr/objects/edt_table.hpp"
#include "ocr/objects/label.hpp"
#include "ocr/observe/checking.hpp"
#include "ocr/observe/complain.hpp"
#include "ocr/observe/tracing.hpp"
#include "runtime/workers.hpp"

namespace weir::ocr {

const EdtKind* maker_of(const Local& local) noexcept {
  if (local.current != nullptr) [[likely]]
    return local.current->edt.kind();
  Edt* const around = edt_around(local);
  return around == nullptr ? nullptr : around->kind();
}

namespace {

using sched::Task;

constexpr std::size_t class_of(std::size_t bytes) noexcept {
  std::size_t c = 0;
  while (c < sched::TaskHeap::kClasses && weir::detail::kSlotBytes[c] < bytes) ++c;
  return c;
}

bool has_label(const EdtRequest& request) noexcept { return (request.properties & GUID_PROP_IS_LABELED) != 0; }

// Its maker has chosen its GUID, a label or one that was given ahead; null: it has not.
Guid chosen_guid(const EdtRequest& request) noexcept {
  if (has_label(request)) return request.guid;
  return is_far_request(request) ? static_cast<const FarRequest&>(request).given.first : Guid{};
}

// Of this rank or another.
const EdtKind* creator_of(const Local& local, const EdtRequest& request) noexcept {
  if (is_far_request(request)) [[unlikely]]
    return static_cast<const FarRequest&>(request).creator;
  return maker_of(local);
}

// Memory for an EDT, behind the header of a new task. Its word and GUID are those of the use before.
Edt& allocate_edt(Local& local, std::size_t arrays) {
  using LargeHead = EdtLayout::LargeHead;
  const std::size_t c = class_of(EdtLayout::kArrays + arrays);
  const bool large = c == sched::TaskHeap::kClasses;
  auto extra = large ? std::make_unique<sched::TaskExtra>() : nullptr;
  if (large) {
    extra->large_closure = ::operator new (sizeof(LargeHead) + arrays, std::align_val_t{weir::detail::kMaxAlignment});
  }
  constexpr std::size_t kLarge = class_of(EdtLayout::kArrays + sizeof(LargeHead*));
  Task* const task = local.worker->heap().allocate(large ? kLarge : c, nullptr);
  Edt& edt = Edt::of(*task);
  edt.body().flags = 0;
  if (large) [[unlikely]] {
    edt.body().flags = Edt::kLarge;
    EdtLayout::large_head(edt.body()) = ::new (extra->large_closure) LargeHead{&edt};
    task->note = sched::TaskNote(extra.release());
  }
  return edt;
}

bool is_first_use(const Local& local, const Task& task) noexcept {
  // Relaxed: this thread has just taken the task's memory.
  return task.generation.load(std::memory_order_relaxed) == local.worker->scheduler().first_generation() + 1;
}

// A label that the EDT is to have is the caller's to use from now on. 0 or an error code.
u8 claim(Local& local, const EdtRequest& request) {
  if (!has_label(request)) return 0;
  const Guid label = request.guid;
  if (label.kind() != Kind::edt || !label.is_label() || !is_reserved(label)) return OCR_EINVAL;
  return wait_for_label(local, label, request.properties, [&] { return try_claim_label(label); });
}

// Whether each entry of depv is something that a slot can have.
bool depv_is_valid(const EdtRequest& request) noexcept {
  for (std::uint32_t i = 0; i < request.depc; ++i) {
    const Guid source = from_c(request.depv[i]);
    if (source.is_null() || source == kUninitialized || block_exists(source) || event_exists(source)) continue;
    const bool is_elsewhere = is_far(source) && (source.kind() == Kind::event || source.kind() == Kind::block);
    if (!is_elsewhere && !may_be_made(source)) return false;
  }
  return true;
}

// It may run as soon as it is made, whatever its maker does next.
bool has_no_open_slot(const EdtRequest& request) noexcept {
  for (std::uint32_t i = 0; i < request.depc; ++i)
    if (request.depv == nullptr || from_c(request.depv[i]) == kUninitialized) return false;
  return true;
}

// See settle_counts(). Always inlined: making an EDT is what programs do most.
[[gnu::always_inline]] inline u8 settle(const Template& of, EdtRequest& request) noexcept {
  const auto settle = [](std::uint32_t& count, std::uint32_t usual) {
    if (count == EDT_PARAM_UNK) return false;
    if (count == EDT_PARAM_DEF) {
      count = usual;
      return usual != EDT_PARAM_UNK;
    }
    return usual == EDT_PARAM_UNK || usual == count;
  };
  if (!settle(request.paramc, of.paramc) || !settle(request.depc, of.depc)) return OCR_EINVAL;
  if ((request.paramc == 0) != (request.paramv == nullptr)) return OCR_EINVAL;
  if (has_label(request)) request.depv = nullptr;
  if (request.depv != nullptr && !depv_is_valid(request)) return OCR_EINVAL;
  return request.made == nullptr && !has_no_open_slot(request) ? OCR_EPERM : u8{0};
}

// Slots, depv and parameters.
void init_arrays(EdtBody& body, const EdtRequest& request) noexcept {
  Slot* const slots = body.slots();
  ocrEdtDep_t* const depv = EdtLayout::depv(slots, request.depc);
  const bool large = (body.flags & Edt::kLarge) != 0;
  for (std::uint32_t i = 0; i < request.depc; ++i) {
    ::new (&slots[i]) Slot{0, i, SlotState::open, DB_DEFAULT_MODE, 0, large};
    depv[i] = {to_c(kUninitialized), nullptr, DB_DEFAULT_MODE};
  }
  if (request.paramc != 0)
    std::memcpy(EdtLayout::paramv(depv, request.depc), request.paramv, std::size_t{request.paramc} * sizeof(u64));
}

[[gnu::always_inline]] inline u8 set_output(Local& local, const EdtRequest& request, Guid& output,
                                            std::uint8_t& flags) {
  output = {};
  if (request.output == nullptr) return 0;
  if ((request.properties & EDT_PROP_OEVT_VALID) != 0) {
    output = from_c(*request.output);
    return may_be_event(output) && check_slot(output, 0) == 0 ? 0 : OCR_EINVAL;
  }
  flags |= Edt::kOwnOutput;
  if (const u8 code = create_event(local, output, EventType::once, EVT_PROP_TAKES_ARG, nullptr)) return code;
  if (local.current != nullptr && has_no_open_slot(request)) keep_output(local, *local.current, output);
  return 0;
}

// What depv says of the slots. Returns how many of them are satisfied by it.
std::uint32_t connect(Local& local, Edt& edt, const ocrGuid_t* depv, bool& has_events) {
  const bool tracked = local.tiers.tracked();
  std::uint32_t satisfied = 0;
  for (Slot& slot : edt.slots()) {
    const Guid source = from_c(depv[slot.index]);
    if (source == kUninitialized) continue;
    if (is_linked(source) || (source.is_label() && is_unmade(source))) {
      edt.body().await(slot, source);
      has_events = true;
      continue;
    }
    if (tracked) [[unlikely]]
      announce(local, slot, edt, source);
    slot.value = source.bits;
    // Relaxed: no other thread knows the EDT before publish().
    slot.state.store(SlotState::satisfied, std::memory_order_relaxed);
    ++satisfied;
  }
  return satisfied;
}

// Links the events of depv, and labels without an object, or of another rank. The EDT cannot start before arrive(): it
// has one more missing than slots.
void link_events(Local& local, Edt& edt, const EdtRequest& request) {
  for (Slot& slot : edt.slots()) {
    const Guid source = from_c(request.depv[slot.index]);
    // Relaxed: this thread has made it `waiting` in connect(), and links it first.
    if (source == kUninitialized || slot.state.load(std::memory_order_relaxed) != SlotState::waiting) continue;
    if (is_far_request(request) && is_far(source)) continue;  // its maker links it
    if (!is_linked(source)) {
      if (!is_unmade(source) || !try_await_object(source, slot_node(slot), 0)) satisfy(local, slot, source);
      continue;
    }
    if (add_dependent_or_await(local, source, slot_node(slot)) == 0) continue;
    complain(edt, "was given an event that is gone, or has no room, in its depv", source);
    satisfy(local, slot, {});
  }
}

// What may run out of memory. Its scope last: from then on it counts there.
void equip(Local& local, Edt& edt, const Template& of, const EdtRequest& request) {
  if (chosen_guid(request).is_null()) number_edt(local.edts, edt, is_first_use(local, edt.task()));
  if (!of.hint.empty()) [[unlikely]]
    apply_hint(local, edt, of.hint.read());
  if (request.hint != nullptr) [[unlikely]]
    apply_hint(local, edt, *request.hint);
  if (request.depc != 0 && local.tiers.tracked()) [[unlikely]]
    prepare_blocks(local, edt);
  edt.task().scope = &enter_scope(local);
}

// It is a finish EDT, for what it makes to be counted, but if the program has not asked for that, its output does not
// wait.
void init_far(Edt& edt, FarRequest& request) noexcept {
  EdtBody& body = edt.body();
  body.stand_in() = request.stand_in.bits;
  request.first_slot = reinterpret_cast<std::uint64_t>(body.slots());
  if (request.given.count != 0) body.batch() = request.given.batch;
  if (request.owns_output) body.flags |= Edt::kOwnOutput;
  if (request.stand_in.is_null()) return;
  if (!edt.has(Edt::kFinish)) body.flags |= Edt::kInnerFinish;
  body.flags |= Edt::kFinish | Edt::kStoodFor;
}

// Everything of a new EDT but its GUID and what it depends on.
Edt& make_edt(Local& local, const Template& of, EdtRequest& request, Guid output, std::uint8_t flags) {
  const EdtOrigin* const origin = local.origins.find({of.kind, creator_of(local, request), request.site});
  const std::uint32_t words = is_far_request(request) ? 3 : has_label(request) ? 1 : 0;
  Edt& edt = allocate_edt(local, EdtLayout::array_bytes(request.paramc, request.depc, words));
  EdtBody& body = edt.body();
  body.paramc = request.paramc;
  body.depc = request.depc;
  body.output = output;
  body.hint.store(nullptr, std::memory_order_relaxed);  // relaxed: it is being made
  body.acquired = {};
  body.flags |= flags;
  init_arrays(body, request);
  if (is_far_request(request)) [[unlikely]]
    init_far(edt, static_cast<FarRequest&>(request));
  edt.task().invoke = &run_edt;
  edt.set_origin(origin);
  try {
    equip(local, edt, of, request);
  } catch (...) {
    drop_hint(edt);
    local.worker->abandon(&edt.task());
    throw;
  }
  return edt;
}

// From here on the EDT is known by its GUID.
void publish(const Local& local, Edt& edt, const EdtRequest& request) {
  if (const Guid chosen = chosen_guid(request); chosen.is_null()) [[likely]]
    enter_edt(edt);
  else
    enter_labelled(edt, chosen, is_first_use(local, edt.task()));
  if (request.made != nullptr) *request.made = to_c(edt.body().word.guid(Kind::edt));
  if (request.output != nullptr) *request.output = to_c(edt.body().output);
}

void inform_checker(const Local& local, Edt& edt, const EdtRequest& request) {
  checking::created(edt);
  for (std::uint32_t i = 0; request.depv != nullptr && i < edt.depc(); ++i)
    checking::used(local, from_c(request.depv[i]));
}

// The EDT may run, and be gone, when this returns.
void launch(Local& local, Edt& edt, const EdtRequest& request) {
  const std::uint64_t start = local.worker->track() == nullptr ? 0 : trace::Track::now();
  if (checking::active()) [[unlikely]]
    inform_checker(local, edt, request);
  bool has_events = false;
  const std::uint32_t satisfied = request.depv == nullptr ? 0 : connect(local, edt, request.depv, has_events);
  const std::uint32_t missing = request.depc - satisfied;
  // Relaxed: before publish(); what changes it later is SLOT-1.
  edt.body().missing.store(missing + (has_events ? 1 : 0), std::memory_order_relaxed);
  publish(local, edt, request);
  if (local.worker->track() != nullptr) [[unlikely]]
    trace_made(local, edt, start);
  if (missing == 0) return acquire_blocks(local, edt);
  if (!has_events) return;
  link_events(local, edt, request);
  arrive(local, edt);
}

// See Edt.
bool is_bare(const Template& of, const EdtRequest& request) noexcept {
  return request.depc == 0 && request.paramc == 0 && request.properties == EDT_PROP_NONE && request.output == nullptr &&
         request.hint == nullptr && of.hint.empty();
}

// The EDT may run, and be gone, when this returns.
void launch_bare(Local& local, const Template& of, const EdtRequest& request) {
  const std::uint64_t start = local.worker->track() == nullptr ? 0 : trace::Track::now();
  const EdtOrigin* const origin = local.origins.find({of.kind, maker_of(local), request.site});
  sched::TaskHeap& heap = local.worker->heap();
  Task* const task = heap.take(Edt::kBareClass, nullptr);
  Edt& edt = Edt::of(*task);
  try {
    if (task->number == 0) [[unlikely]]
      number_bare(local.edts, edt);
    task->scope = &enter_scope(local);
  } catch (...) {
    heap.free(task);
    throw;
  }
  task->invoke = &run_edt;
  edt.set_origin(origin);
  sched::TaskHeap::open(*task);
  if (request.made != nullptr) *request.made = to_c(edt.bare_guid());
  if (checking::active()) [[unlikely]]
    checking::created(edt);
  Activity::add(local.activity.readied);
  if (local.worker->track() != nullptr) [[unlikely]] {
    trace_made(local, edt, start);
    trace_ready(local, edt);
  }
  local.worker->submit(task);
}

// Nothing is made; `made` is the output event, if there is one of its own by now.
u8 refuse(Local& local, const EdtRequest& request, Guid made, u8 code) {
  if (!made.is_null()) static_cast<void>(destroy_event(local, made));
  if (has_label(request)) give_up_label(local, request.guid);
  return code;
}

// An EDT that will never run leaves its scope; the output event that was made for it goes, too.
void leave_unrun(Local& local, Edt& edt) {
  if (checking::active()) [[unlikely]]
    checking::destroyed(edt);
  if (edt.has(Edt::kOwnOutput)) static_cast<void>(destroy_event(local, edt.output()));
  if (edt.has(Edt::kStoodFor)) satisfy_stand_in(local, edt);
  leave_scope(local, *edt.task().scope, 1);
}

}  // namespace

u8 settle_counts(const Template& of, EdtRequest& request) noexcept { return settle(of, request); }

u8 make_output(Local& local, const EdtRequest& request, Guid& output, std::uint8_t& flags) {
  return set_output(local, request, output, flags);
}

u8 create_edt_here(Local& local, const Template& of, EdtRequest& request) {
  if (const u8 code = settle(of, request)) return code;
  if (is_bare(of, request)) {
    launch_bare(local, of, request);
    return 0;
  }
  if (const u8 code = claim(local, request)) return code;
  Guid output;
  std::uint8_t flags = (request.properties & EDT_PROP_NO_HINT) != 0 ? Edt::kNoHint : 0;
  if ((request.properties & EDT_PROP_FINISH) != 0) flags |= Edt::kFinish;
  if (const u8 code = set_output(local, request, output, flags)) return refuse(local, request, {}, code);
  Edt* edt = nullptr;
  try {
    edt = &make_edt(local, of, request, output, flags);
  } catch (const std::bad_alloc&) {
    return refuse(local, request, (flags & Edt::kOwnOutput) != 0 ? output : Guid{}, OCR_ENOMEM);
  }
  launch(local, *edt, request);
  return 0;
}

Edt& restore_edt(Local& local, const PastEdt& past) {
  const bool by_another_rank = past.guid.is_given() || (past.flags & Edt::kStoodFor) != 0;
  const std::uint32_t words = by_another_rank ? 3 : past.guid.is_label() ? 1 : 0;
  Edt& edt = allocate_edt(local, EdtLayout::array_bytes(past.paramc, past.depc, words));
  EdtBody& body = edt.body();
  body.paramc = past.paramc;
  body.depc = past.depc;
  body.output = past.output;
  body.hint.store(nullptr, std::memory_order_relaxed);  // relaxed, here and below: it is being made
  body.acquired = {};
  body.flags |= past.flags;
  EdtRequest arrays{};
  arrays.paramc = past.paramc;
  arrays.paramv = past.paramv;
  arrays.depc = past.depc;
  init_arrays(body, arrays);
  if (by_another_rank) {
    body.stand_in() = past.stand_in.bits;
    body.batch() = 0;
  }
  edt.task().invoke = &run_edt;
  edt.set_origin(local.origins.find(past.origin));
  edt.task().scope = past.scope == nullptr ? &local.scope : past.scope;
  if (past.scope != nullptr) past.scope->expect(1);
  if (past.hint != nullptr) apply_hint(local, edt, *past.hint);
  body.missing.store(past.depc + 1, std::memory_order_relaxed);
  const bool first_use = is_first_use(local, edt.task());
  if (past.guid.is_null()) {
    number_edt(local.edts, edt, first_use);
    edt.begin();
    return edt;
  }
  if (past.depc != 0 && local.tiers.tracked()) prepare_blocks(local, edt);
  if (past.guid.is_label()) {
    static_cast<void>(try_claim_label(past.guid));
    enter_labelled(edt, past.guid, first_use);
  } else {
    enter_again(edt, past.guid);
  }
  if (local.worker->track() != nullptr) trace_made(local, edt, trace::Track::now());
  return edt;
}

u8 destroy_edt(Local& local, Guid guid) {
  Edt* const edt = lock_edt(guid);
  if (edt == nullptr && is_far(Kind::edt, guid)) return destroy_far(guid);
  if (edt == nullptr) {
    const Edt* const bare = find_edt(guid);
    return bare != nullptr && bare->is_bare() ? OCR_EPERM : OCR_EINVAL;  // that is ready
  }
  EdtBody& body = edt->body();
  // One more is missing until the end of this: the last slot may be satisfied before, and must not free it.
  // SLOT-1: of two changes of the word the later sees what was done before the earlier. Relaxed where it was 0: no
  // thread changes it any more.
  constexpr std::uint32_t kDestroying = Edt::kDestroyed + 1;
  const bool ready = body.missing.fetch_add(kDestroying, std::memory_order_acq_rel) == 0;
  if (ready)
    body.missing.fetch_sub(kDestroying, std::memory_order_relaxed);
  else
    body.word.kill();
  body.word.unlock();
  if (ready) return OCR_EPERM;
  leave_edt(local, *edt);
  leave_unrun(local, *edt);
  outlive_label(local.edts, *edt);
  // What events still know stays until they have fired; nothing else can come any more.
  std::uint32_t open = 1;
  for (Slot& slot : edt->slots()) open += try_claim(slot) ? 1 : 0;
  // SLOT-1
  if (body.missing.fetch_sub(open, std::memory_order_acq_rel) - open == Edt::kDestroyed) free_edt(local, *edt);
  return 0;
}

}  // namespace weir::ocr

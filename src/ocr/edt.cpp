// Making EDTs, and bringing them from slot to slot until they are ready.
#include "ocr/edt.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <unordered_map>

#include "ocr/block.hpp"
#include "ocr/checking.hpp"
#include "ocr/complain.hpp"
#include "ocr/edt_table.hpp"
#include "ocr/hint.hpp"
#include "ocr/label.hpp"
#include "ocr/local.hpp"
#include "ocr/run.hpp"
#include "ocr/tracing.hpp"
#include "sched/scheduler.hpp"

namespace weir::ocr {

namespace {

using sched::Task;

// Of the slots, depv and paramv, and the word of the memory while it has a label.
std::size_t array_bytes(const EdtRequest& request) noexcept {
  const std::size_t words = request.paramc + std::size_t{(request.properties & GUID_PROP_IS_LABELED) != 0};
  return std::size_t{request.depc} * (sizeof(Slot) + sizeof(ocrEdtDep_t)) + words * sizeof(u64);
}

constexpr std::size_t class_of(std::size_t bytes) noexcept {
  std::size_t c = 0;
  while (c < sched::TaskHeap::kClasses && weir::detail::kSlotBytes[c] < bytes) ++c;
  return c;
}

// Memory for an EDT, behind the header of a new task. Its word and GUID are those of the use before.
Edt& allocate_edt(Local& local, std::size_t arrays) {
  constexpr std::size_t kHead = sizeof(Task) + sizeof(Edt);
  const std::size_t c = class_of(kHead + arrays);
  const bool large = c == sched::TaskHeap::kClasses;
  auto extra = large ? std::make_unique<sched::TaskExtra>() : nullptr;
  if (large) {
    extra->large_closure = ::operator new (2 * sizeof(void*) + arrays, std::align_val_t{weir::detail::kMaxAlignment});
  }
  Task* const task = local.worker->heap().allocate(large ? class_of(kHead + sizeof(void*)) : c, nullptr);
  Edt& edt = *reinterpret_cast<Edt*>(task + 1);
  edt.flags = 0;
  if (large) [[unlikely]] {
    edt.flags = Edt::kLarge;
    *static_cast<Edt**>(extra->large_closure) = &edt;
    *reinterpret_cast<void**>(&edt + 1) = extra->large_closure;
    task->note = sched::TaskNote(extra.release());
  }
  return edt;
}

bool is_first_use(const Local& local, const Task& task) noexcept {
  return task.generation.load(std::memory_order_relaxed) == local.worker->scheduler().first_generation() + 1;
}

// A label that the EDT is to have is the caller's to use from now on. 0 or an error code.
u8 claim(Local& local, const EdtRequest& request) {
  if ((request.properties & GUID_PROP_IS_LABELED) == 0) return 0;
  const Guid label = request.guid;
  if (label.kind() != Kind::edt || !label.is_label() || !is_reserved(label)) return OCR_EINVAL;
  while (!try_claim_label(label)) {
    if ((request.properties & GUID_PROP_BLOCK) != GUID_PROP_BLOCK) return OCR_EGUIDEXISTS;
    let_others_run(local);
  }
  return 0;
}

// Whether each entry of depv is something that a slot can have.
bool depv_is_valid(const EdtRequest& request) noexcept {
  for (std::uint32_t i = 0; i < request.depc; ++i) {
    const Guid source = from_c(request.depv[i]);
    if (source.is_null() || source == kUninitialized || block_exists(source) || event_exists(source)) continue;
    return false;
  }
  return true;
}

// The counts as the EDT will have them. 0 or an error code.
u8 settle_counts(const Template& of, EdtRequest& request) noexcept {
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
  if ((request.properties & GUID_PROP_IS_LABELED) != 0) request.depv = nullptr;
  const bool unreachable = request.made == nullptr && request.depv == nullptr;
  if (unreachable && request.depc != 0) return OCR_EPERM;
  if (request.depv != nullptr && !depv_is_valid(request)) return OCR_EINVAL;
  return 0;
}

void init_slots(Edt& edt) noexcept {
  Slot* const slots = edt.slots();
  ocrEdtDep_t* const depv = edt.depv();
  const bool large = (edt.flags & Edt::kLarge) != 0;
  for (std::uint32_t i = 0; i < edt.depc; ++i) {
    ::new (&slots[i]) Slot{0, i, SlotState::open, DB_DEFAULT_MODE, 0, large};
    depv[i] = {to_c(kUninitialized), nullptr, DB_DEFAULT_MODE};
  }
}

// The output event, made or given. 0 or an error code.
u8 set_output(Local& local, const EdtRequest& request, Guid& output, std::uint16_t& flags) {
  output = {};
  if (request.output == nullptr) return 0;
  if ((request.properties & EDT_PROP_OEVT_VALID) != 0) {
    output = from_c(*request.output);
    return event_exists(output) ? 0 : OCR_EINVAL;
  }
  flags |= Edt::kOwnOutput;
  return create_event(local, output, EventType::once, EVT_PROP_TAKES_ARG, nullptr);
}

// What depv says of the slots. Returns how many of them are satisfied by it.
std::uint32_t connect(Local& local, Edt& edt, const ocrGuid_t* depv, bool& has_events) {
  const bool tracked = local.tiers.tracked();
  std::uint32_t satisfied = 0;
  for (std::uint32_t i = 0; i < edt.depc; ++i) {
    Slot& slot = edt.slots()[i];
    const Guid source = from_c(depv[i]);
    if (source == kUninitialized) continue;
    if (source.kind() == Kind::event) {
      has_events = true;
      continue;
    }
    if (tracked) [[unlikely]]
      announce(local, slot, edt, source);
    slot.value = source.bits;
    slot.state.store(SlotState::satisfied, std::memory_order_relaxed);
    ++satisfied;
  }
  return satisfied;
}

// The events of depv. The EDT cannot start meanwhile: it has one more missing than slots.
void link_events(Local& local, Edt& edt, const ocrGuid_t* depv) {
  for (std::uint32_t i = 0; i < edt.depc; ++i) {
    const Guid source = from_c(depv[i]);
    if (source.kind() != Kind::event) continue;
    Slot& slot = edt.slots()[i];
    slot.state.store(SlotState::waiting, std::memory_order_relaxed);
    edt.depv()[i].guid = to_c(source);
    if (add_dependent(local, source, slot_node(slot)) == 0) continue;
    complain(edt, "was given an event that is gone, or has no room, in its depv", source);
    satisfy(local, slot, {});
  }
}

void arrive(Local& local, Edt& edt) {
  // SLOT-1: release publishes this slot, acquire makes the others visible to the last, who goes on.
  const std::uint32_t before = edt.missing.fetch_sub(1, std::memory_order_acq_rel);
  if (before == 1) return acquire_blocks(local, edt);
  if (before == Edt::kDestroyed + 1) free_edt(local, edt);
}

}  // namespace

const EdtKind* intern(ocrEdt_t function, const char* name) {
  struct Named {
    std::string name;
    EdtKind kind;
  };
  static std::mutex mutex;
  static auto& all = *new std::unordered_multimap<ocrEdt_t, std::unique_ptr<Named>>;
  const std::lock_guard lock(mutex);
  const auto [first, last] = all.equal_range(function);
  for (auto i = first; i != last; ++i) {
    const Named& named = *i->second;
    if ((name == nullptr) == (named.kind.name == nullptr) && (name == nullptr || named.name == name))
      return &named.kind;
  }
  auto named = std::make_unique<Named>();
  if (name != nullptr) named->name = name;
  named->kind = {function, name == nullptr ? nullptr : named->name.c_str()};
  return &all.emplace(function, std::move(named))->second->kind;
}

namespace {

// Everything of a new EDT but its GUID and what it depends on.
Edt& make_edt(Local& local, const Template& of, const EdtRequest& request, Guid output, std::uint16_t flags) {
  Edt& edt = allocate_edt(local, array_bytes(request));
  edt.kind = of.kind;
  edt.paramc = request.paramc;
  edt.depc = request.depc;
  edt.output = output;
  edt.rare.store(nullptr, std::memory_order_relaxed);
  edt.creator = local.maker();
  edt.acquired = {};
  edt.credit = 0;
  edt.flags |= flags;
  init_slots(edt);
  if (request.paramc != 0) std::memcpy(edt.paramv(), request.paramv, std::size_t{request.paramc} * sizeof(u64));
  Task& task = edt.task();
  task.invoke = &run_edt;
  task.site = request.site;
  task.scope = &enter_scope(local);
  if (of.hint != nullptr) [[unlikely]]
    apply_hint(edt, *of.hint);
  if (request.hint != nullptr) [[unlikely]]
    apply_hint(edt, *request.hint);
  if (edt.depc != 0 && local.tiers.tracked()) [[unlikely]]
    prepare_blocks(local, edt);
  return edt;
}

// From here on the EDT is known by its GUID.
void publish(Local& local, Edt& edt, const EdtRequest& request) {
  if ((request.properties & GUID_PROP_IS_LABELED) == 0) {
    enter_edt(local.edts, edt, is_first_use(local, edt.task()));
  } else {
    enter_labelled(edt, request.guid, is_first_use(local, edt.task()));
  }
  if (request.made != nullptr) *request.made = to_c(edt.guid());
  if (request.output != nullptr) *request.output = to_c(edt.output);
}

void tell_checker(const Local& local, Edt& edt, const EdtRequest& request) {
  checking::created(edt);
  for (std::uint32_t i = 0; request.depv != nullptr && i < edt.depc; ++i)
    checking::used(local, from_c(request.depv[i]));
}

// The EDT may run, and be gone, when this returns.
void launch(Local& local, Edt& edt, const EdtRequest& request) {
  const std::uint64_t start = local.worker->track() == nullptr ? 0 : trace::Track::now();
  if (checking::active()) [[unlikely]]
    tell_checker(local, edt, request);
  bool has_events = false;
  const std::uint32_t satisfied = request.depv == nullptr ? 0 : connect(local, edt, request.depv, has_events);
  const std::uint32_t missing = edt.depc - satisfied;
  edt.missing.store(missing + (has_events ? 1 : 0), std::memory_order_relaxed);
  publish(local, edt, request);
  if (local.worker->track() != nullptr) [[unlikely]]
    trace_made(local, edt, start);
  if (missing == 0) return acquire_blocks(local, edt);
  if (!has_events) return;
  link_events(local, edt, request.depv);
  arrive(local, edt);
}

// Nothing is made; `made` is the output event, if there is one of its own by now.
u8 refuse(Local& local, const EdtRequest& request, Guid made, u8 code) {
  if (!made.is_null()) static_cast<void>(destroy_event(local, made));
  if ((request.properties & GUID_PROP_IS_LABELED) != 0) give_up_label(request.guid);
  return code;
}

}  // namespace

u8 create_edt(Local& local, EdtRequest& request) {
  const Template* const of = find_object(templates(), Kind::edt_template, request.edt_template);
  if (of == nullptr) return OCR_EINVAL;
  if (const u8 code = settle_counts(*of, request)) return code;
  if (const u8 code = claim(local, request)) return code;
  Guid output;
  std::uint16_t flags = (request.properties & EDT_PROP_NO_HINT) != 0 ? Edt::kNoHint : 0;
  if ((request.properties & EDT_PROP_FINISH) != 0) flags |= Edt::kFinish;
  if (const u8 code = set_output(local, request, output, flags)) return refuse(local, request, {}, code);
  Edt* edt = nullptr;
  try {
    edt = &make_edt(local, *of, request, output, flags);
  } catch (const std::bad_alloc&) {
    return refuse(local, request, (flags & Edt::kOwnOutput) != 0 ? output : Guid{}, OCR_ENOMEM);
  }
  launch(local, *edt, request);
  return 0;
}

void free_edt(Local& local, Edt& edt) noexcept {
  if (EdtBlocks* const of = blocks_of(edt)) {
    of->finish();
    for (Slot* slot = edt.slots(); slot != edt.slots() + edt.depc; ++slot) {
      if ((slot->flags & Slot::kNamed) != 0) forget_announced(local, *slot, *blocks().find(Guid{slot->value}.index()));
    }
  }
  drop_rare(edt);
  forget_label(edt);
  local.worker->abandon(&edt.task());
}

u8 destroy_edt(Local& local, Guid guid) {
  Edt* const edt = lock_edt(guid);
  if (edt == nullptr) return OCR_EINVAL;
  // One more is missing until the end of this: the last slot may be satisfied meanwhile, and must not free it.
  constexpr std::uint32_t kDestroying = Edt::kDestroyed + 1;
  const bool ready = edt->missing.fetch_add(kDestroying, std::memory_order_acq_rel) == 0;
  if (ready)
    edt->missing.fetch_sub(kDestroying, std::memory_order_relaxed);
  else
    edt->word.kill();
  edt->word.unlock();
  if (ready) return OCR_EPERM;
  leave_edt(*edt);
  leave_unrun(local, *edt);
  outlive_label(local.edts, *edt);
  // What events still know stays until they have fired; nothing else can come any more.
  std::uint32_t open = 1;
  for (Slot* slot = edt->slots(); slot != edt->slots() + edt->depc; ++slot) open += try_claim(*slot) ? 1 : 0;
  if (edt->missing.fetch_sub(open, std::memory_order_acq_rel) - open == Edt::kDestroyed) free_edt(local, *edt);
  return 0;
}

EdtRare& rare_of(Edt& edt) {
  EdtRare* rare = edt.rare.load();
  if (rare != nullptr) return *rare;
  auto made = std::make_unique<EdtRare>();
  return edt.rare.compare_exchange_strong(rare, made.get()) ? *made.release() : *rare;
}

bool try_hold_back(Edt& edt) noexcept {
  std::uint32_t missing = edt.missing.load(std::memory_order_relaxed);
  while (missing != 0)
    if (edt.missing.compare_exchange_weak(missing, missing + 1, std::memory_order_acq_rel)) return true;  // SLOT-1
  return false;
}

void let_go(Local& local, Edt& edt) { arrive(local, edt); }

void satisfy(Local& local, Slot& slot, Guid block) {
  if (!block.is_null() && local.tiers.tracked()) [[unlikely]]
    announce(local, slot, Edt::of(slot), block);
  slot.value = block.bits;
  if (checking::active()) [[unlikely]]
    checking::needed_by(Edt::of(slot));
  slot.state.store(SlotState::satisfied, std::memory_order_relaxed);
  if (local.worker->track() != nullptr) [[unlikely]]
    trace_satisfied(local, Edt::of(slot));
  arrive(local, Edt::of(slot));
}

}  // namespace weir::ocr

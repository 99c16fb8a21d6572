// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <cstring>
#include <optional>
#include <unordered_map>
#include <utility>

#include "ocr/blocks/block.hpp"
#include "ocr/blocks/block_heap.hpp"
#include "ocr/blocks/block_hint.hpp"
#include "ocr/blocks/copies.hpp"
#include "ocr/blocks/holds.hpp"
#include "ocr/blocks/tiers.hpp"
#include "ocr/edts/create_edt.hpp"
#include "ocr/edts/finish_scope.hpp"
#include "ocr/graph/awaited.hpp"
#include "ocr/graph/channel.hpp"
#include "ocr/graph/event.hpp"
#include "ocr/graph/slots.hpp"
#include "ocr/image/addresses.hpp"
#include "ocr/image/format.hpp"
#include "ocr/image/frontier.hpp"
#include "ocr/objects/edt_table.hpp"
#include "ocr/objects/guid_map.hpp"
#include "ocr/objects/home.hpp"
#include "ocr/objects/label.hpp"
#include "runtime/workers.hpp"

namespace weir::ocr {

namespace {

using base::Code;
using base::Result;
using base::Status;
using checkpoint::Decoder;

struct ListOfPast {
  std::uint64_t left = 0;
  std::string text{};
  std::optional<Decoder> from{};

  void decode(Decoder& whole) {
    whole >> left >> text;
    from.emplace(text);
  }
  // Null at the end.
  Decoder* next() noexcept {
    if (left == 0 || !from->good()) return nullptr;
    --left;
    return &*from;
  }
  bool good() const noexcept { return from->good() && left == 0 && from->at_end(); }
};

// Objects get the GUIDs that they had.
class Restoring {
 public:
  explicit Restoring(Local& local) noexcept : local_(local) { local_.restores = true; }
  ~Restoring() { local_.restores = false; }
  Restoring(const Restoring&) = delete;
  Restoring& operator=(const Restoring&) = delete;

 private:
  Local& local_;
};

Guid take_guid(Decoder& from) {
  Guid guid;
  from >> guid.bits;
  return guid;
}

std::optional<ocrHint_t> take_hint(Decoder& from) {
  std::uint8_t there = 0;
  from >> there;
  if (there == 0) return std::nullopt;
  std::string bytes;
  from >> bytes;
  ocrHint_t hint{OCR_HINT_EDT_T, 0, {}};
  if (bytes.size() == sizeof hint) std::memcpy(&hint, bytes.data(), sizeof hint);
  return hint;
}

class FrontierReader final : public Revival {
 public:
  FrontierReader(Local& local, Source source, KnownSlots& slots)
      : local_(local), source_(std::move(source)), slots_(slots) {}

  Status begin(std::string_view whole) {
    Decoder head(whole);
    std::uint64_t magic = 0;
    head >> magic;
    if (magic != kFrontierMagic)
      return {Code::bad_input, fmt::format("{}: it is of another version of Weir, or of no OCR program", source_.path)};
    Result<AddressReader> addresses = AddressReader::decode(head, source_.path);
    if (!addresses) return addresses.status();
    addresses_ = std::move(*addresses);
    std::string body_text;
    head >> body_text;
    Decoder body(body_text);
    restore_maps(take_maps(body));
    for (ListOfPast* const list : {&templates_, &blocks_, &events_, &scopes_, &edts_, &nodes_}) list->decode(body);
    if (!head.good() || !body.good()) return damaged();
    while (Decoder* const from = templates_.next())
      if (!add_template(*from)) return damaged();
    return templates_.good() ? Status::success() : damaged();
  }

  Result<bool> next_block(PastBlock& block) override {
    Decoder* const from = blocks_.next();
    if (from == nullptr) return blocks_.good() ? Result<bool>(false) : Result<bool>(damaged());
    const Guid guid = take_guid(*from);
    std::uint64_t bytes = 0;
    std::uint32_t version = 0, maker = 0;
    std::uint16_t domain = 0;
    std::uint8_t flags = 0;
    *from >> bytes >> version >> domain >> flags >> maker;
    const std::optional<ocrHint_t> hint = take_hint(*from);
    if ((flags & kLastCopy) != 0 && is_far(guid)) {
      block = {guid, bytes, add_last_copy(guid, bytes)};
      return true;
    }
    if ((flags & kDestroyedBlock) != 0 && block_exists(guid)) {  // another image has it, too
      if ((flags & kBlockWithHeap) != 0) skip_heap(*from);
      another_.resize(bytes);
      block = {guid, bytes, another_.data()};
      return true;
    }
    const auto properties =
        static_cast<std::uint16_t>(GUID_PROP_IS_LABELED | ((flags & kBlockWithoutHint) != 0 ? DB_PROP_NO_HINT : 0));
    const BlockRequest request{bytes, properties, hint ? &*hint : nullptr, (flags & kBlockWithHeap) != 0};
    Guid made = guid;
    std::byte* data = nullptr;
    const Restoring restoring(local_);
    const NoPlace no_place;
    if (const u8 code = create_block(local_, made, request, data)) return no_room(bytes, code, no_place.why());
    Block& restored = *ocr::blocks().find(guid.index());
    restored.version = version;
    restored.maker = addresses_.kind(maker);
    if (domain < local_.worker->scheduler().domain_count()) restored.domain = domain;
    if (restored.heap != nullptr && !take_heap(*from, *restored.heap)) return damaged();
    if ((flags & kDestroyedBlock) != 0) destroyed_.push_back(guid);
    block = {guid, bytes, data};
    return true;
  }
  void end_block(const PastBlock& block) override {
    if (block_exists(block.guid)) static_cast<void>(unpin_outside(local_, block.guid));
  }

  Status make_graph() override {
    const bool made = add_all(events_, [&](Decoder& from) { return add_event(from); }) &&
                      add_all(scopes_, [&](Decoder& from) { return add_scope(from); }) &&
                      add_all(edts_, [&](Decoder& from) { return add_edt(from); });
    if (!made) return damaged();
    for (FinishScope* const scope : made_scopes_)
      if (scope->detach() != sched::Scope::Done::no) return damaged();
    return Status::success();
  }
  Status link() override {
    return add_all(nodes_, [&](Decoder& from) { return add_node(from); }) ? Status::success() : damaged();
  }
  const std::vector<FarLink>& far_links() const noexcept override { return far_links_; }
  void make_ready() override {
    for (Edt* const edt : made_edts_) arrive(local_, *edt);
  }
  void destroy_gone() override {
    for (const Guid block : destroyed_) static_cast<void>(destroy_block(local_, block));
  }

 private:
  Status damaged() const {
    return {Code::bad_input,
            fmt::format("{}: what it says of the program's objects contradicts itself: the checkpoint is damaged",
                        source_.path)};
  }
  Status no_room(std::uint64_t bytes, unsigned code, const std::string& why) const {
    return {Code::no_space, fmt::format("{}: a data block of {} bytes that it has cannot be made here: {}",
                                        source_.path, bytes, why.empty() ? fmt::format("code {}", code) : why)};
  }

  std::shared_ptr<GuidMap> take_map(Decoder& from) {
    auto map = std::make_shared<GuidMap>();
    std::uint32_t function = 0;
    std::uint64_t params = 0;
    map->first = take_guid(from);
    from >> map->count >> function >> params;
    map->function = reinterpret_cast<MapFunction>(reinterpret_cast<std::uintptr_t>(addresses_.code(function)));
    for (std::uint64_t i = 0; i < params && from.good(); ++i) from >> map->params.emplace_back();
    return map;
  }
  AllMaps take_maps(Decoder& from) {
    AllMaps maps;
    std::uint64_t count = 0;
    from >> count;
    for (std::uint64_t i = 0; i < count && from.good(); ++i) {
      std::uint32_t index = 0;
      from >> index;
      maps.by_index.emplace_back(index, take_map(from));
    }
    std::uint8_t has_usual = 0;
    from >> has_usual;
    if (has_usual != 0) maps.usual = take_map(from);
    return maps;
  }

  bool add_template(Decoder& from) {
    Guid guid = take_guid(from);
    std::uint32_t kind = 0, paramc = 0, depc = 0;
    from >> kind >> paramc >> depc;
    const std::optional<ocrHint_t> hint = take_hint(from);
    const Restoring restoring(local_);
    Template* made = nullptr;
    if (make_object(local_, templates(), local_.templates, Kind::edt_template, GUID_PROP_IS_LABELED, guid, made) != 0)
      return false;
    made->kind = addresses_.kind(kind);
    made->paramc = paramc;
    made->depc = depc;
    made->hint.clear();
    if (hint) made->hint.merge(*hint);
    object_made(local_, *made, guid);
    return made->kind != nullptr;
  }

  static bool take_heap(Decoder& from, BlockHeap& heap) {
    std::uint64_t count = 0;
    from >> count;
    for (std::uint64_t i = 0; i < count && from.good(); ++i) {
      memory::Range range;
      from >> range.offset >> range.bytes;
      if (!heap.take(range)) return false;
    }
    return from.good();
  }

  static void skip_heap(Decoder& from) {
    std::uint64_t count = 0;
    from >> count;
    for (std::uint64_t i = 0; i < count && from.good(); ++i) {
      memory::Range range;
      from >> range.offset >> range.bytes;
    }
  }

  bool add_event(Decoder& from) {
    Guid guid = take_guid(from);
    std::uint8_t type = 0, fired = 0;
    std::uint64_t count = 0;
    std::uint32_t maker = 0;
    from >> type >> fired;
    const Guid payload = take_guid(from);
    from >> count >> maker;
    const auto which = static_cast<EventType>(type);
    if (which == EventType::none || which >= EventType::collective) return false;
    ocrEventParams_t params{};
    if (which == EventType::counted) params.EVENT_COUNTED.nbDeps = 1;
    if (which == EventType::channel) params.EVENT_CHANNEL = {1, 1, 1};
    {
      const Restoring restoring(local_);
      if (create_event(local_, guid, which, GUID_PROP_IS_LABELED, &params) != 0) return false;
    }
    Event& event = *events().find(guid.index());
    event.fired = fired != 0;
    event.payload = payload;
    event.count = count;
    event.maker = addresses_.kind(maker);
    return which != EventType::channel || take_channel(from, *event.channel);
  }
  static bool take_channel(Decoder& from, Channel& channel) {
    std::uint64_t satisfied = 0;
    from >> channel.most >> channel.waiting >> channel.met >> satisfied;
    for (std::uint64_t i = 0; i < satisfied && from.good(); ++i) channel.satisfied.push_back(take_guid(from));
    return from.good();
  }

  EdtOrigin take_origin(Decoder& from) {
    std::uint32_t kind = 0, creator = 0, site = 0;
    from >> kind >> creator >> site;
    return {addresses_.kind(kind), addresses_.kind(creator), addresses_.code(site)};
  }
  // True when there is one with that number; null for 0.
  bool find_scope(std::uint32_t number, sched::Scope*& scope) const noexcept {
    if (number > made_scopes_.size()) return false;
    scope = number == 0 ? nullptr : made_scopes_[number - 1];
    return true;
  }

  bool add_scope(Decoder& from) {
    PastEdt past{};
    past.origin = take_origin(from);
    from >> past.flags;
    past.output = take_guid(from);
    const Guid returned = take_guid(from);
    std::uint32_t around = 0;
    from >> around;
    if ((past.flags & Edt::kStoodFor) != 0) past.stand_in = take_guid(from);
    if (past.origin.kind == nullptr || (past.flags & Edt::kFinish) == 0 || !find_scope(around, past.scope))
      return false;
    Edt& edt = restore_edt(local_, past);
    edt.body().returned = returned;
    made_scopes_.push_back(new FinishScope(&edt.task()));
    return true;
  }

  bool add_edt(Decoder& from) {
    PastEdt past{};
    past.guid = take_guid(from);
    past.origin = take_origin(from);
    std::uint32_t scope = 0;
    from >> past.flags;
    past.output = take_guid(from);
    from >> scope >> past.paramc >> past.depc;
    if ((past.flags & Edt::kStoodFor) != 0) past.stand_in = take_guid(from);
    std::uint64_t slots = 0;
    if (source_.writers > 1) from >> slots;
    const std::optional<ocrHint_t> hint = take_hint(from);
    if (hint) past.hint = &*hint;
    std::vector<u64> params;
    for (std::uint32_t i = 0; i < past.paramc && from.good(); ++i) from >> params.emplace_back();
    past.paramv = params.data();
    const bool known = past.origin.kind != nullptr && past.guid.kind() == Kind::edt && find_scope(scope, past.scope);
    if (!known || !from.good()) return false;
    Edt& edt = restore_edt(local_, past);
    made_edts_.push_back(&edt);
    if (slots != 0) slots_.note({source_.writer, slots}, edt);
    for (Slot& slot : edt.slots())
      if (!set_slot(from, edt, slot)) return false;
    return true;
  }
  bool set_slot(Decoder& from, Edt& edt, Slot& slot) {
    std::uint8_t state = 0;
    from >> state >> slot.mode;
    const Guid value = take_guid(from);
    if (!from.good() || state > static_cast<std::uint8_t>(PastSlot::waiting)) return false;
    if (static_cast<PastSlot>(state) == PastSlot::open) return true;
    static_cast<void>(try_claim(slot));
    if (static_cast<PastSlot>(state) == PastSlot::waiting) {
      edt.body().await(slot, value);
      return true;
    }
    satisfy(local_, slot, value);
    if (const auto copy = last_copies_.find(value.bits); copy != last_copies_.end() && slot.mode != DB_MODE_NULL)
      hold_last_copy(edt, slot, value, copy->second);
    return true;
  }

  // The block is of another rank, which has it no more.
  std::byte* add_last_copy(Guid guid, std::uint64_t bytes) {
    auto contents = std::make_shared<Contents>(bytes);
    std::byte* const data = contents->data();
    last_copies_.emplace(guid.bits, std::move(contents));
    return data;
  }
  // In the place of borrowing it when the EDT has all else.
  void hold_last_copy(Edt& edt, Slot& slot, Guid guid, const ContentsPtr& contents) {
    Block* copy = nullptr;
    for (const Slot& before : edt.slots().first(slot.index)) {
      // Relaxed: this thread has made it.
      const bool is_held = before.state.load(std::memory_order_relaxed) == SlotState::held;
      if (is_held && before.block().guid() == guid) copy = &before.block();
    }
    slot.flags = copy != nullptr ? Slot::kShared : 0;
    slot.set_block(copy != nullptr ? *copy : make_last_copy(local_, guid, slot.mode, contents));
    slot.state.store(SlotState::held, std::memory_order_release);  // HELD-1
  }

  bool add_node(Decoder& from) {
    const Guid source = take_guid(from), target = take_guid(from);
    std::uint32_t index = 0, output = 0;
    std::uint8_t awaited = 0;
    from >> index >> output >> awaited;
    if (!from.good()) return false;
    Node node = 0;
    if (target.kind() == Kind::edt) {
      Edt* const edt = find_edt(target);
      if (edt == nullptr || index >= edt->depc()) return false;
      Slot& slot = edt->body().slots()[index];
      if (edt->body().source_of(slot).is_null()) return false;
      node = slot_node(slot);
    } else if ((target.bits & kFarSlotBit) != 0) {
      node = far_node({Rank{index}, target.bits & ~kFarSlotBit});
    } else {
      node = make_link(local_, target, index);  // to nothing, where what there was is gone
    }
    if (awaited != 0) return try_await_object(source, node, output);
    Event* const event = find_object(events(), Kind::event, source);
    if (event == nullptr) return false;
    append(event->dependents, node);
    return true;
  }

  // Of a slot that another rank had, which may be one of this rank by now. To nothing where what there was is gone.
  Node far_node(const FarSlot& slot) {
    const bool is_here = holder_of(slot) == homes().self();
    if (Slot* const found = is_here ? slots_.find(slot) : nullptr) return slot_node(*found);
    const Node node = make_link(local_, {}, 0);
    if (!is_here) far_links_.push_back({&link_of(node), slot});
    return node;
  }

  template <class Add>
  bool add_all(ListOfPast& list, Add&& add) {
    while (Decoder* const from = list.next())
      if (!add(*from)) return false;
    return list.good();
  }

  Local& local_;
  const Source source_;
  KnownSlots& slots_;
  AddressReader addresses_;
  ListOfPast templates_, blocks_, events_, scopes_, edts_, nodes_;
  std::vector<FinishScope*> made_scopes_;
  std::vector<Edt*> made_edts_;
  std::vector<Guid> destroyed_;
  std::unordered_map<std::uint64_t, ContentsPtr> last_copies_;  // of blocks of other ranks, by GUID
  std::vector<std::byte> another_;                              // contents that are here already
  std::vector<FarLink> far_links_;
};

}  // namespace

Result<std::unique_ptr<Revival>> Revival::read(Local& local, Source source, KnownSlots& slots,
                                               const std::string& bytes) {
  auto reader = std::make_unique<FrontierReader>(local, std::move(source), slots);
  if (Status status = reader->begin(bytes); !status) return status;
  return std::unique_ptr<Revival>(std::move(reader));
}

}  // namespace weir::ocr

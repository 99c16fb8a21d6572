// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <unordered_map>
#include <utility>

#include "ocr/blocks/block_heap.hpp"
#include "ocr/blocks/keeping.hpp"
#include "ocr/edts/lender.hpp"
#include "ocr/graph/awaited.hpp"
#include "ocr/graph/channel.hpp"
#include "ocr/graph/edt_hint.hpp"
#include "ocr/image/addresses.hpp"
#include "ocr/image/format.hpp"
#include "ocr/image/frontier.hpp"
#include "ocr/image/gone.hpp"
#include "ocr/image/rank_state.hpp"
#include "ocr/objects/edt_table.hpp"
#include "ocr/objects/guid_map.hpp"
#include "ocr/objects/home.hpp"
#include "ocr/observe/complain.hpp"

namespace weir::ocr {

namespace {

using base::Code;
using base::Result;
using base::Status;
using checkpoint::Encoder;

// A list of parts whose number is known at its end.
struct ListOfParts {
  std::uint64_t count = 0;
  Encoder parts{};
  Encoder& next() {
    ++count;
    return parts;
  }
  void encode(Encoder& to) const { to << count << std::string_view(parts.text()); }
};

void encode_hint(Encoder& to, const ocrHint_t* hint) {
  to << std::uint8_t{hint != nullptr};
  if (hint != nullptr) to << checkpoint::bytes_of(*hint);
}

class FrontierWriter {
 public:
  explicit FrontierWriter(bool keeps) noexcept : keeps_(keeps) {}

  Result<Frontier> write() {
    Encoder body;
    add_maps(body);
    add_templates();
    add_blocks();
    add_events();
    for_each_edt([&](Edt& edt) { add_edt(edt); });
    for_each_awaited([&](Guid label, Node node, std::uint32_t output) { add_node(label, node, output, true); });
    if (!refused_) return refused_;
    for (const ListOfParts* const list : {&templates_, &blocks_, &events_, &scopes_, &edts_, &nodes_})
      list->encode(body);
    Encoder whole;
    whole << kFrontierMagic;
    addresses_.encode(whole);
    whole << std::string_view(body.text());
    found_.bytes = whole.text();
    found_.rank_state = write_rank_state();
    return std::move(found_);
  }

 private:
  // What stays so counts more than what may be otherwise next time.
  void refuse(Code code, std::string why) {
    if (refused_ || code == Code::unsupported) refused_ = {code, std::move(why)};
  }

  void add_map(Encoder& to, const GuidMap& map) {
    to << map.first.bits << map.count << addresses_.code(reinterpret_cast<const void*>(map.function))
       << std::uint64_t{map.params.size()};
    for (const s64 param : map.params) to << param;
  }
  void add_maps(Encoder& to) {
    const AllMaps maps = all_maps();
    to << std::uint64_t{maps.by_index.size()};
    for (const auto& [index, map] : maps.by_index) add_map(to << index, *map);
    to << std::uint8_t{maps.usual != nullptr};
    if (maps.usual != nullptr) add_map(to, *maps.usual);
  }

  void add_templates() {
    templates().for_each([&](Template& each) {
      if (!each.word.alive()) return;
      const ocrHint_t hint = each.hint.read();
      templates_.next() << each.word.guid(Kind::edt_template).bits << addresses_.kind(each.kind) << each.paramc
                        << each.depc;
      encode_hint(templates_.parts, each.hint.empty() ? nullptr : &hint);
    });
  }

  // A small one is copied in the time that it takes to hold it and let it go.
  bool is_kept(const Block& block) const noexcept {
    constexpr std::uint64_t kLeast = 4096;
    return keeps_ && block.size >= kLeast && can_keep_contents(block);
  }

  // Also those that were destroyed while EDTs hold them, or wait for them. Copies of other ranks' blocks are as these
  // are, if they still are there: no EDT that has one to write has begun.
  void add_blocks() {
    if (is_spread()) add_last_copies();
    std::vector<Block*> kept;
    blocks().for_each([&](Block& each) {
      if (each.memory.seen() != 0 && !each.is_copy) (is_kept(each) ? kept : found_.blocks).push_back(&each);
    });
    found_.first_kept = found_.blocks.size();
    found_.blocks.insert(found_.blocks.end(), kept.begin(), kept.end());
    for (const Block* const each : found_.blocks) add_block(*each);
  }
  void add_last_copies() {
    auto copies = find_last_copies();
    if (copies)
      found_.blocks = std::move(*copies);
    else
      refuse(Code::lost, "the program ends");
  }

  void add_block(const Block& block) {
    const bool is_destroyed = block.is_copy || !block.word.alive();
    const auto flags =
        static_cast<std::uint8_t>((is_destroyed ? kDestroyedBlock : 0) | (block.no_hint ? kBlockWithoutHint : 0) |
                                  (block.heap != nullptr ? kBlockWithHeap : 0) | (block.is_copy ? kLastCopy : 0));
    Encoder& to = blocks_.next();
    to << block.guid().bits << block.size << block.version << block.domain << flags << addresses_.kind(block.maker);
    encode_hint(to, block.hint);
    if (block.heap == nullptr) return;
    const std::vector<memory::Range> taken = block.heap->taken();
    to << std::uint64_t{taken.size()};
    for (const memory::Range& range : taken) to << range.offset << range.bytes;
  }

  void add_events() {
    events().for_each([&](Event& each) {
      if (!each.word.alive()) return;
      const Guid guid = each.word.guid(Kind::event);
      if (each.type == EventType::collective)
        return refuse(
            Code::unsupported,
            fmt::format("it has a collective event ({:#x}), which no checkpoint has: use another type of event",
                        guid.bits));
      Encoder& to = events_.next();
      to << guid.bits << static_cast<std::uint8_t>(each.type) << std::uint8_t{each.fired} << each.payload.bits
         << each.count << addresses_.kind(each.maker);
      if (each.type == EventType::channel) {
        const Channel& channel = *each.channel;
        to << channel.most << channel.waiting << channel.met << std::uint64_t{channel.satisfied.size()};
        for (const Guid block : channel.satisfied) to << block.bits;
      }
      for (Node node = each.dependents.first; node != 0; node = next_of(node)) add_node(guid, node, 0, false);
    });
  }

  // What was destroyed keeps its place in the list: a channel, and an event that counts, have dealt with it.
  void add_node(Guid source, Node node, std::uint32_t output, bool awaited) {
    Guid target;
    std::uint32_t slot = 0;
    if (is_link(node)) {
      target = link_of(node).target;
      slot = link_of(node).slot;
    } else if (is_slot(node)) {
      Edt& edt = Edt::of(slot_of(node));
      if (edt.body().word.alive()) target = edt.guid();
      slot = slot_of(node).index;
    } else {
      return refuse(Code::lost, "a thread waits for an event in ocrLegacyBlockProgress()");
    }
    nodes_.next() << source.bits << target.bits << slot << output << std::uint8_t{awaited};
  }

  void add_origin(Encoder& to, const Edt& edt) {
    const EdtOrigin& origin = *edt.origin();
    to << addresses_.kind(origin.kind) << addresses_.kind(origin.creator) << addresses_.code(origin.site);
  }

  // Outer ones first. 0: of no finish EDT.
  std::uint32_t number_of(sched::Scope* scope) {
    if (scope->parent() == nullptr) return 0;
    if (const auto known = scope_numbers_.find(scope); known != scope_numbers_.end()) return known->second;
    Edt& parent = Edt::of(*scope->parent());
    const std::uint32_t around = number_of(parent.task().scope);
    Encoder& to = scopes_.next();
    add_origin(to, parent);
    const auto flags = static_cast<std::uint8_t>(parent.body().flags.seen() & kKeptFlags);
    to << flags << parent.output().bits << parent.body().returned.bits << around;
    if ((flags & Edt::kStoodFor) != 0) to << parent.body().stand_in();
    return scope_numbers_[scope] = static_cast<std::uint32_t>(scopes_.count);
  }

  // What the library does by EDTs of its own is done again by what it does it for, or has been done for the image.
  bool is_librarys(Edt& edt) {
    if (!is_spread()) return false;
    const ComingBack back = coming_back(edt);
    if (!back.block.is_null()) found_.coming_back.emplace(blocks().find(back.block.index()), back.contents);
    return !back.block.is_null() || is_lender(edt);
  }

  void add_edt(Edt& edt) {
    if (is_librarys(edt)) return;
    if (edt.has_begun())
      return refuse(Code::lost, fmt::format("{} ({:#x}) waits for something within its function", name_of(edt.kind()),
                                            edt.guid().bits));
    const std::uint32_t scope = number_of(edt.task().scope);
    const ocrHint_t late = edt.is_bare() ? late_hint(edt.guid()) : ocrHint_t{OCR_HINT_EDT_T, 0, {}};
    const ocrHint_t* hint = edt.is_bare() ? (late.propMask != 0 ? &late : nullptr) : edt.body().hint.load();
    Encoder& to = edts_.next();
    to << edt.guid().bits;
    add_origin(to, edt);
    const auto flags = static_cast<std::uint8_t>(edt.is_bare() ? 0 : edt.body().flags.seen() & kKeptFlags);
    to << flags << edt.output().bits << scope << edt.paramc() << edt.depc();
    if ((flags & Edt::kStoodFor) != 0) to << edt.body().stand_in();
    if (is_spread()) to << reinterpret_cast<std::uint64_t>(edt.slots().data());
    encode_hint(to, hint);
    for (std::uint32_t i = 0; i < edt.paramc(); ++i) to << edt.body().paramv()[i];
    for (const Slot& slot : edt.slots()) add_slot(to, edt, slot);
  }

  void add_slot(Encoder& to, Edt& edt, const Slot& slot) {
    const SlotState state = slot.state.load(std::memory_order_acquire);  // HELD-1
    PastSlot past = PastSlot::open;
    std::uint64_t value = 0;
    if (state == SlotState::satisfied || state == SlotState::held) {
      past = PastSlot::satisfied;
      value = state == SlotState::held ? slot.block().guid().bits : slot.value;
    } else if (state != SlotState::open) {
      past = PastSlot::waiting;
      value = edt.body().source_of(slot).bits;
    }
    to << static_cast<std::uint8_t>(past) << slot.mode << value;
  }

  const bool keeps_;
  Frontier found_;
  Status refused_ = Status::success();
  AddressWriter addresses_;
  ListOfParts templates_, blocks_, events_, scopes_, edts_, nodes_;
  std::unordered_map<sched::Scope*, std::uint32_t> scope_numbers_;
};

}  // namespace

Result<Frontier> write_frontier(bool keeps) { return FrontierWriter(keeps).write(); }

}  // namespace weir::ocr

#include "ocr/report.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <string>

#include "ocr/block.hpp"
#include "ocr/channel.hpp"
#include "ocr/collective.hpp"
#include "ocr/complain.hpp"
#include "ocr/edt_table.hpp"
#include "ocr/local.hpp"

namespace weir::ocr {

namespace {

constexpr std::size_t kMost = 100;  // of a kind that are told one by one

const char* type_name(EventType type) noexcept {
  constexpr const char* kNames[] = {"?", "ONCE", "IDEM", "STICKY", "LATCH", "COUNTED", "CHANNEL", "COLLECTIVE"};
  return kNames[static_cast<std::size_t>(type)];
}

std::string describe(Event& event) {
  const std::uint64_t guid = Guid::make(Kind::event, event.word.generation(), event.index).bits;
  std::string text = fmt::format("{} event {:#x}", type_name(event.type), guid);
  if (event.type == EventType::latch) text += fmt::format(" ({} more increments than decrements)", event.count);
  if (event.type == EventType::collective)
    text += fmt::format(" ({} generations are complete)", event.collective->completed);
  return text + fmt::format(", created in {}", name_of(event.maker));
}

std::string describe_source(Guid source) {
  if (source == kUninitialized) return "nothing was ever linked to it: ocrAddDependence() is missing";
  if (Event* event = lock_object(events(), Kind::event, source)) {
    std::string text = "waits for " + describe(*event);
    event->word.unlock();
    return text;
  }
  return fmt::format("waits for event {:#x}, which was destroyed before it was satisfied", source.bits);
}

// Of the EDT that has all slots satisfied: whether it has what it acquired last.
bool has_acquired(Edt& edt) noexcept {
  for (Slot* slot = edt.slots(); slot != edt.slots() + edt.depc; ++slot)
    if (slot->state.load(std::memory_order_relaxed) == SlotState::satisfied && slot->value != 0 &&
        slot->value == edt.acquired)
      return false;
  return true;
}

void add_edt(std::string& text, Edt& edt) {
  text += fmt::format("  {} ({:#x}), created in {}", name_of(edt.kind), edt.guid.bits, name_of(edt.creator));
  if (edt.missing.load(std::memory_order_acquire) == 0) {
    if ((edt.flags & Edt::kRunning) != 0) {
      text += ": runs\n";
    } else if (!has_acquired(edt)) {
      text += fmt::format(": waits for data block {:#x}, which others hold\n", edt.acquired);
    } else {
      text += ": is ready\n";
    }
    return;
  }
  text += '\n';
  for (std::uint32_t i = 0; i < edt.depc; ++i) {
    const SlotState state = edt.slots()[i].state.load(std::memory_order_acquire);
    if (state != SlotState::open && state != SlotState::waiting) continue;
    text += fmt::format("    slot {}: {}\n", i, describe_source(from_c(edt.depv()[i].guid)));
  }
}

void finish(std::string& text, const char* what, std::size_t count) {
  if (count > kMost) text += fmt::format("  ... and {} more {}\n", count - kMost, what);
}

void add_edts(std::string& text) {
  std::size_t count = 0;
  for_each_edt([&](Edt& edt) {
    if (count++ == 0) text += "EDTs that have not ended:\n";
    if (count <= kMost) add_edt(text, edt);
  });
  finish(text, "EDTs", count);
}

bool is_satisfied(const Event& event) noexcept {
  if (event.type == EventType::channel) return event.channel->waiting == 0 && event.channel->satisfied.empty();
  return event.fired;
}

void add_events(std::string& text) {
  std::size_t count = 0;
  events().for_each([&](Event& event) {
    if (!event.word.alive() || !event.word.lock(event.word.generation())) return;
    if (!is_satisfied(event)) {
      if (count++ == 0) text += "events that were not satisfied:\n";
      if (count <= kMost) text += "  " + describe(event) + '\n';
    }
    event.word.unlock();
  });
  finish(text, "events", count);
}

void add_blocks(std::string& text) {
  std::size_t count = 0;
  blocks().for_each([&](Block& block) {
    if (!block.word.alive() || !block.word.lock(block.word.generation())) return;
    if (count++ == 0) text += "data blocks that were not destroyed:\n";
    if (count <= kMost) {
      text += fmt::format("  data block {:#x} of {} bytes, created in {}{}\n", block.guid().bits, block.size,
                          name_of(block.maker), block.strong + block.weak != 0 ? ", is held" : "");
    }
    block.word.unlock();
  });
  finish(text, "data blocks", count);
}

}  // namespace

void print_report(const char* why) noexcept {
  try {
    std::string text;
    add_edts(text);
    add_events(text);
    add_blocks(text);
    if (text.empty()) text = "  nothing is left\n";
    std::fputs(fmt::format("weir: ocr: report: {}\n{}", why, text).c_str(), stderr);
  } catch (...) {
    std::fputs("weir: ocr: no memory for the report\n", stderr);
  }
}

}  // namespace weir::ocr

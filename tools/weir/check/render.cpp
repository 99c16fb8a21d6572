// SPDX-License-Identifier: Apache-2.0

#include "check/render.hpp"

#include <fmt/format.h>

#include "base/one_line.hpp"
#include "check/session.hpp"
#include "json.hpp"
#include "weir/footprint.hpp"

namespace weir::tool::check {

namespace {

using weir::checker::Finding;
using weir::checker::FindingKind;
using weir::checker::Frames;
using weir::checker::RegionKind;
using weir::checker::WireRegion;
using weir::checker::WireTask;

constexpr const char* kKinds[] = {"undeclared", "wrong-mode", "read-first", "outside",
                                  "released",   "beyond",     "untouched",  "unordered"};
constexpr const char* kModes[] = {"in", "out", "inout", "concurrent", "commutative", "reduce"};

// Modes of OCR's dependences, by their numbers in ocr-types.h.
const char* ocr_mode(std::uint32_t mode) {
  switch (mode) {
    case 1: return "DB_MODE_CONST";
    case 2: return "DB_MODE_RW";
    case 4: return "DB_MODE_EW";
    case 8: return "DB_MODE_RO";
    default: return "another mode";
  }
}

std::string mode_of(const Finding& finding) {
  if (finding.ocr != 0) return ocr_mode(finding.mode);
  return finding.mode < std::size(kModes) ? kModes[finding.mode] : "?";
}

std::string bytes(std::uint64_t count) { return fmt::format("{} byte{}", count, count == 1 ? "" : "s"); }

// An EDT without a name is called by its function.
std::string name_of(const WireTask& task, bool ocr, Symbols& symbols) {
  return task.name[0] != 0 || !ocr ? task.name : symbols.object(task.function);
}

std::string task_name(const WireTask& task, bool ocr, Symbols& symbols) {
  const std::string name = name_of(task, ocr, symbols);
  if (name.empty()) return ocr ? "an EDT" : "a task";
  return fmt::format("{} \"{}\"", ocr ? "EDT" : "task", base::one_line(name));
}

std::string task_text(const WireTask& task, bool ocr, Symbols& symbols) {
  if (!task.is_task() && task.name[0] == 0) return "the program";
  if (task.spawned.count == 0) return task_name(task, ocr, symbols);
  const Place place = symbols.user_place(task.spawned);
  if (!place.of_user) return task_name(task, ocr, symbols);  // the runtime itself: mainEdt()
  return fmt::format("{} ({} at {})", task_name(task, ocr, symbols), ocr ? "created" : "spawned", place.text());
}

std::string place_text(const weir::checker::Frames& frames, const WireTask& task, Symbols& symbols) {
  const Place place = symbols.user_place(frames, task.function);
  if (place.file.empty() || place.function.empty()) return place.text();
  return fmt::format("{}, in {}", place.text(), place.function);
}

std::string which_bytes(std::uint64_t first, std::uint64_t count) {
  return count == 1 ? fmt::format("byte {}", first) : fmt::format("bytes {} to {}", first, first + count - 1);
}

// Bytes of a region, as a person would find them: by rows and columns where it has rows.
std::string position(const WireRegion& region, std::uint64_t address, std::uint64_t count) {
  const std::uint64_t from = address - region.base;
  const bool rows = region.counts[1] > 1 && region.strides[1] != 0;
  if (rows && region.counts[0] == 1) {
    const std::uint64_t row = from / region.strides[1], column = from % region.strides[1];
    return fmt::format("row {}, bytes {} to {} of the {} rows of {}", row, column, column + count - 1, region.counts[1],
                       bytes(region.run_bytes));
  }
  if (region.counts[0] > 1) {
    const std::uint64_t plane = region.strides[0] == 0 ? 0 : from / region.strides[0];
    const std::uint64_t rest = region.strides[0] == 0 ? from : from % region.strides[0];
    const std::uint64_t row = region.strides[1] == 0 ? 0 : rest / region.strides[1];
    return fmt::format("plane {}, row {}, bytes {} on", plane, row,
                       region.strides[1] == 0 ? rest : rest % region.strides[1]);
  }
  if (from + count > region.run_bytes)
    return fmt::format("{} from byte {} of the {} on", bytes(count), from, bytes(region.run_bytes));
  if (from == 0 && count == region.run_bytes) return fmt::format("all {}", bytes(count));
  return fmt::format("{} of the {}", which_bytes(from, count), bytes(region.run_bytes));
}

std::string block_name(const WireRegion& region, bool ocr) {
  const char* const what = ocr ? "data block" : "block";
  return region.name[0] != 0 ? fmt::format("{} \"{}\"", what, base::one_line(region.name)) : fmt::format("a {}", what);
}

std::string memory_text(const Finding& finding, Symbols& symbols) {
  const WireRegion& region = finding.region;
  const std::string object = symbols.object(finding.address);
  const std::string global = object.empty() ? "" : fmt::format(" in {}", object);
  const bool ocr = finding.ocr != 0;
  switch (region.kind) {
    case RegionKind::array:
      return fmt::format("{} of a watched array{}", position(region, finding.address, finding.bytes), global);
    case RegionKind::block:
    case RegionKind::dead_copy:
      return fmt::format("{} of {}", position(region, finding.address, finding.bytes), block_name(region, ocr));
    case RegionKind::beyond_block:
      return fmt::format("{} of {}, which has {}",
                         which_bytes(finding.address - region.base + region.before, finding.bytes),
                         block_name(region, ocr), bytes(region.before));
    case RegionKind::dead_block:
      return fmt::format("{} of {}, which is gone", position(region, finding.address, finding.bytes),
                         block_name(region, ocr));
    case RegionKind::memory:
      return fmt::format("{}{} that {} names", position(region, finding.address, finding.bytes), global,
                         task_text(finding.declarer, false, symbols));
    case RegionKind::none: break;
  }
  return fmt::format("{} at {:#x}{}", bytes(finding.bytes), finding.address, global);
}

const char* verb_of(bool writes) { return writes ? "writes" : "reads"; }

std::string headline(const Finding& finding, Symbols& symbols) {
  const bool ocr = finding.ocr != 0;
  const std::string task = task_text(finding.task, ocr, symbols);
  const char* const does = verb_of(finding.writes != 0);
  switch (finding.kind) {
    case FindingKind::undeclared:
      return fmt::format("{} {} {} that {}", task, does, bytes(finding.bytes),
                         ocr ? "it does not depend on" : "its footprint does not name");
    case FindingKind::wrong_mode:
      return fmt::format("{} {} {} that it has as {}", task, does, bytes(finding.bytes), mode_of(finding));
    case FindingKind::read_first:
      return fmt::format("{} reads {} {}, before it has written them", task, bytes(finding.bytes),
                         ocr ? "of a data block that it has made" : "that it has as out");
    case FindingKind::outside:
      if (!finding.task.is_task()) return fmt::format("the program {} a block outside of tasks", does);
      return fmt::format("while {} runs, a thread that runs no task {} a block, which the task itself may not do", task,
                         does);
    case FindingKind::released:
      return fmt::format("{} {} {} that {}", task, does, ocr ? "a data block" : "a block",
                         ocr ? "was released or destroyed" : "was destroyed");
    case FindingKind::beyond:
      return fmt::format("{} {} {} beyond the end of {}", task, does, bytes(finding.bytes),
                         block_name(finding.region, ocr));
    case FindingKind::untouched:
      return fmt::format("{}: {} never touched ({} {} run)", task,
                         ocr ? fmt::format("the block of slot {} ({}) is", finding.item, mode_of(finding))
                             : fmt::format("item {} of the footprint ({}) is", finding.item + 1, mode_of(finding)),
                         finding.times, finding.times == 1 ? "task was" : "tasks were");
    case FindingKind::unordered:
      if (finding.forked != 0)
        return fmt::format(
            "two parts of a fork_join() or loop{} touch the same {}, and nothing orders them",
            finding.task.function == 0 && finding.task.name[0] == 0 ? " outside of tasks" : " in " + task,
            bytes(finding.bytes));
      return fmt::format(
          "{} and {} touch the same {}, and nothing orders them{}", task_text(finding.other, ocr, symbols), task,
          bytes(finding.bytes),
          finding.by_turns != 0 ? " but turns on another data block (EW), of which another run may have others" : "");
  }
  return "?";
}

}  // namespace

std::string render(const Finding& finding, Symbols& symbols) {
  std::string text =
      fmt::format("weir check: {}{}\n", is_advice(finding.kind) ? "advice: " : "", headline(finding, symbols));
  if (finding.kind == FindingKind::unordered) {
    text += fmt::format("  one {}  {}\n", finding.other_writes != 0 ? "writes" : "reads ",
                        place_text(finding.other_at, finding.other, symbols));
    text += fmt::format("  one {}  {}\n", finding.writes != 0 ? "writes" : "reads ",
                        place_text(finding.at, finding.task, symbols));
  } else if (finding.at.count != 0) {
    text += fmt::format("  at     {}\n", place_text(finding.at, finding.task, symbols));
  }
  if (finding.kind == FindingKind::untouched && finding.region.kind == RegionKind::none)
    return text + fmt::format("  of     {}\n", bytes(finding.bytes));
  return text + fmt::format("  where  {}\n", memory_text(finding, symbols));
}

namespace {

std::string line_or_function(const Frames& frames, const WireTask& task, Symbols& symbols) {
  const Place place = symbols.user_place(frames, task.function);
  return place.file.empty() ? place.module + " " + place.function : fmt::format("{}:{}", place.file, place.line);
}

// Memory without a name is told apart by where it is; tiles of an array, "a[2,0]", are not.
std::string memory_identity(const Finding& finding, Symbols& symbols) {
  const std::string name = finding.region.name;
  if (!name.empty()) return name.substr(0, name.find('['));
  if (finding.region.kind == RegionKind::none) return symbols.object(finding.address);
  return fmt::format("{:x}", finding.region.base);
}

}  // namespace

std::string identity(const Finding& finding, Symbols& symbols) {
  const bool ocr = finding.ocr != 0;
  return fmt::format("{}|{}|{}|{}|{}|{}|{}|{}", kKinds[static_cast<std::size_t>(finding.kind)],
                     task_text(finding.task, ocr, symbols), finding.writes, finding.item,
                     line_or_function(finding.at, finding.task, symbols), memory_identity(finding, symbols),
                     task_text(finding.other, ocr, symbols),
                     line_or_function(finding.other_at, finding.other, symbols));
}

namespace {

Json json_of(const Place& place) {
  Json json = {{"function", place.function}, {"module", place.module}};
  if (!place.file.empty()) {
    json["file"] = place.file;
    json["line"] = place.line;
  }
  return json;
}

Json json_of(const WireTask& task, bool ocr, Symbols& symbols) {
  Json json = {{"name", name_of(task, ocr, symbols)}};
  if (task.spawned.count != 0) json["spawned"] = json_of(symbols.user_place(task.spawned));
  return json;
}

}  // namespace

Json to_json(const Finding& finding, Symbols& symbols) {
  Json json = {{"finding", kKinds[static_cast<std::size_t>(finding.kind)]},
               {"severity", is_advice(finding.kind) ? "advice" : "mistake"},
               {"text", headline(finding, symbols)},
               {"task", json_of(finding.task, finding.ocr != 0, symbols)},
               {"bytes", finding.bytes},
               {"address", fmt::format("{:#x}", finding.address)},
               {"memory", memory_text(finding, symbols)}};
  if (finding.kind != FindingKind::untouched) json["access"] = finding.writes != 0 ? "write" : "read";
  if (finding.kind == FindingKind::wrong_mode || finding.kind == FindingKind::untouched) {
    json["mode"] = mode_of(finding);
    json["item"] = finding.item;
  }
  if (finding.at.count != 0) json["at"] = json_of(symbols.user_place(finding.at, finding.task.function));
  if (finding.kind == FindingKind::unordered) {
    json["other"] = json_of(finding.other, finding.ocr != 0, symbols);
    json["other"]["access"] = finding.other_writes != 0 ? "write" : "read";
    json["other"]["at"] = json_of(symbols.user_place(finding.other_at, finding.other.function));
  }
  if (finding.kind == FindingKind::untouched) json["tasks"] = finding.times;
  return json;
}

}  // namespace weir::tool::check

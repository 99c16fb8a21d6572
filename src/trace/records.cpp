// SPDX-License-Identifier: Apache-2.0

#include "trace/records.hpp"

#include <array>

#include "trace/details.hpp"

namespace weir::trace {

namespace {

// Words of a unit that lists up to three things.
std::span<const std::uint64_t> listed(const Event& unit, std::array<std::uint64_t, Details::kListed>& words) {
  words = {unit.start, unit.duration, unit.id};
  const std::size_t count = unit.small() & ~Details::kGuids;
  return {words.data(), count <= words.size() ? count : 0};
}

}  // namespace

void RecordParser::parse(const Chunk& units) {
  if (units.pass != pass_) to_.next_pass();
  pass_ = units.pass;
  TrackState& state = tracks_[units.track];
  for (const Event& unit : units.units) parse(units.track, state, unit);
}

void RecordParser::parse(std::uint32_t track, TrackState& state, const Event& unit) {
  std::array<std::uint64_t, Details::kListed> words;
  switch (unit.kind()) {
    case Kind::parent: state.parent = unit.id; return;
    case Kind::more: state.task = unit.id; return;
    case Kind::spawn: state.task = unit.id; return to_.spawn(track, unit, state.parent);
    case Kind::footprint: state.task = unit.id; return to_.event(track, unit);
    case Kind::blocks: return blocks(state.task, unit);
    case Kind::region: return region(state.task, unit);
    case Kind::watched:
    case Kind::watched_parts: return watched(unit);
    case Kind::after:
      for (const std::uint64_t before : listed(unit, words)) to_.after(state.task, before);
      return;
    case Kind::edges:
      for (const std::uint64_t before : listed(unit, words)) to_.edge(before, state.task);
      return;
    case Kind::edge:
      return to_.satisfied(track,
                           {unit.start,
                            unit.id,
                            {unit.small(), unit.duration},
                            unit.value() == static_cast<std::uint64_t>(EdgeBy::end) ? EdgeBy::end : EdgeBy::code});
    case Kind::sent:
    case Kind::received: state.passed = unit; return;
    case Kind::message: return to_.message(track, state.passed, MessageNote::of(unit));
    default: return to_.event(track, unit);
  }
}

void RecordParser::blocks(std::uint64_t task, const Event& unit) {
  std::array<std::uint64_t, Details::kListed> words;
  for (const std::uint64_t word : listed(unit, words)) {
    AccessRecord access;
    access.mode = mode_of(word);
    access.is_block = true;
    access.block_kind = (unit.small() & Details::kGuids) != 0 ? BlockKind::guid : BlockKind::numbered;
    access.block = number_of(word);
    to_.access(task, access);
  }
}

void RecordParser::region(std::uint64_t task, const Event& unit) {
  const RegionShape shape = RegionShape::of(unit.id);
  AccessRecord access;
  access.mode = mode_of(unit.start);
  access.address = number_of(unit.start);
  access.row_bytes = unit.duration;
  access.rows = unit.value();
  access.stride = shape.stride;
  const auto found = watched_.find(shape.watched);
  access.watched = shape.watched == 0 || found == watched_.end() ? nullptr : &found->second;
  to_.access(task, access);
}

void RecordParser::watched(const Event& unit) {
  WatchedArray& array = watched_[unit.id];
  array.number = unit.id;
  if (unit.kind() == Kind::watched) {
    array.address = unit.start;
    array.row_bytes = unit.duration;
    array.rows = unit.value();
  } else {
    array.stride = unit.start;
    array.part_row_bytes = unit.duration;
    array.part_rows = unit.value();
  }
}

base::Status read_records(const TraceReader& reader, const RuntimeInfo& runtime, RecordVisitor& to) {
  RecordParser parser(runtime, to);
  ChunkCursor cursor = reader.chunks();
  Chunk chunk;
  for (;;) {
    const base::Result<bool> more = cursor.next(chunk);
    if (!more) return more.status();
    if (!*more) return base::Status::success();
    if (chunk.kind == ChunkKind::units && chunk.runtime == runtime.number) parser.parse(chunk);
  }
}

}  // namespace weir::trace

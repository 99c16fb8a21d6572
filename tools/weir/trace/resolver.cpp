// SPDX-License-Identifier: Apache-2.0

#include "resolver.hpp"

#include <algorithm>

#include "interval_names.hpp"
#include "json_lines.hpp"

namespace weir::tool::convert {

Resolver::Resolver(const TraceReader& reader, const RuntimeInfo& runtime, TaskTable::Keeps keeps)
    : reader_(reader), runtime_(runtime), scale_(reader.scale(runtime)), tasks_(keeps) {
  for (const Definition& block : runtime.blocks) blocks_.push_back(&name(block.name));
  for (const Definition& tier : runtime.tiers) tiers_.push_back(&name(tier.name));
}

base::Status Resolver::resolve(const std::function<void(const Line&)>& take) {
  take_ = &take;
  return read_records(reader_, runtime_, *this);
}

// One that had run before it was forgotten has a new entry, which does not run.
bool Resolver::has_forgotten() const {
  return std::any_of(ended_late_.begin(), ended_late_.end(), [&](auto task) { return tasks_.is_yet_to_run(task); });
}

Line Resolver::line_of(std::uint32_t track, const Event& event) const {
  Line line;
  line.kind = event.kind();
  line.small = event.small();
  line.track = track;
  line.start_ns = scale_.ns(event.start);
  line.end_ns = event.duration == 0 ? line.start_ns : scale_.ns(event.end());
  line.value = event.value();
  line.id = event.id;
  return line;
}

void Resolver::spawn(std::uint32_t track, const Event& event, std::uint64_t parent) {
  Line line = line_of(track, event);
  line.task = tasks_.number(event.id);
  line.sum = parent == 0 ? 0 : tasks_.number(parent);
  (*take_)(line);
}

void Resolver::edge(std::uint64_t before, std::uint64_t task) {
  tasks_.edge(before, task, [&](const auto& from, const auto& to) { (*take_)(flow(from, to)); });
}

void Resolver::message(std::uint32_t track, const Event& event, const trace::MessageNote& note) {
  Line line = line_of(track, event);
  if (event.id != 0) line.task = tasks_.number(event.id);
  line.note = note;
  const bool is_numbered = !note.block.is_none() && note.block.kind() == BlockKind::numbered;
  line.name = is_numbered ? block_name(note.block.number) : nullptr;
  if (line.name == nullptr || line.name->text.empty()) line.name = &name(message_name(event.small(), note));
  (*take_)(line);
}

void Resolver::event(std::uint32_t track, const Event& event) {
  Line line = line_of(track, event);
  switch (event.kind()) {
    case Kind::task: return task(line, event);
    case Kind::footprint:
    case Kind::stage: line.task = tasks_.number(event.id); break;
    case Kind::wait:
      line.name = &name(wait_name(event));
      if (event.small() == static_cast<std::uint8_t>(trace::WaitFor::task)) line.task = tasks_.known_number(event.id);
      break;
    case Kind::data_wait:
      if (event.small() == static_cast<std::uint8_t>(trace::DataWait::completion)) ended_late_.push_back(event.id);
      line.task = tasks_.number(event.id);
      if (event.value() != 0) line.name = name_of(event);
      break;
    case Kind::move: move(event, line); break;
    case Kind::evict:
      line.name = block_name(event.id);
      line.from = &tier(event.small());
      break;
    case Kind::resident: {
      const Name*& label = tier_labels_[event.small()];
      line.from = &tier(event.small());
      if (label == nullptr) label = &name("in " + line.from->text);
      line.label = label;
      break;
    }
    case Kind::made:
    case Kind::gone:
    case Kind::grow: return;  // when blocks live is for simulators
    default: break;
  }
  (*take_)(line);
}

void Resolver::task(Line& line, const Event& event) {
  line.name = name_of(event);
  if (event.id != 0) line.task = tasks_.number(event.id);
  (*take_)(line);
  if (event.id == 0) return;
  tasks_.ran(event.id, line.track, line.start_ns, line.end_ns,
             [&](const auto& from, const auto& to) { (*take_)(flow(from, to)); });
}

void Resolver::move(const Event& event, Line& line) {
  Link& link = links_[event.small()];
  line.from = &tier(event.small() >> 4);
  line.to = &tier(event.small() & 15);
  if (link.label == nullptr) link.label = &name(line.from->text + " to " + line.to->text);
  link.bytes += event.value();
  ++link.moves;
  line.sum = link.bytes;
  line.label = link.label;
  line.name = block_name(event.id);
  line.task = event.id;
}

Line Resolver::flow(const TaskTable::Run& before, const TaskTable::Run& after) {
  Line line;
  line.kind = Kind::edge;
  line.track = before.track;
  line.start_ns = std::max(before.end_ns, before.start_ns + 1) - 1;  // within its slice
  line.end_ns = after.start_ns;
  line.task = before.number;
  line.value = after.number;
  line.sum = after.track;
  return line;
}

const Name& Resolver::name(std::string_view text) {
  const auto found = names_.find(text);
  if (found != names_.end()) return found->second;
  return names_.emplace(text, Name{std::string(text), json_string(text)}).first->second;
}

// Tasks of a name have it at one address: it is looked up once.
const Name* Resolver::name_of(const Event& event) {
  if (event.value() == 0) return &name(task_name(runtime_, event));
  const Name*& known = by_number_[event.value()];
  if (known == nullptr) known = &name(task_name(runtime_, event));
  return known;
}

const Name* Resolver::block_name(std::uint64_t block) { return block < blocks_.size() ? blocks_[block] : &name("?"); }

const Name& Resolver::tier(std::uint8_t number) { return number < tiers_.size() ? *tiers_[number] : name("program"); }

}  // namespace weir::tool::convert

// SPDX-License-Identifier: Apache-2.0

#include "trace/chrome_resolver.hpp"

#include <algorithm>

namespace weir::trace {

void ChromeResolver::resolve(std::span<const Event> units, std::vector<Line>& to) {
  to_ = &to;
  parser_.parse(units, *this);
}

void ChromeResolver::define(const Definition& definition) {
  switch (definition.what) {
    case Named::track: {
      tracks_.push_back(
          {json_string(definition.name), static_cast<int>(definition.first), static_cast<int>(definition.second)});
      Line line;
      line.kind = Kind::text;
      line.track = static_cast<std::uint32_t>(definition.number);
      line.name = intern(definition.name);
      to_->push_back(line);
      return;
    }
    case Named::block: blocks_.push_back({intern(definition.name), definition.first}); return;
    case Named::tier: tiers_.push_back(json_string(definition.name)); return;
  }
}

void ChromeResolver::event(std::uint32_t track, const Event& event) {
  const auto add_edge = [&](const TaskTable::Run& before, const TaskTable::Run& after) {
    to_->push_back(edge(before, after));
  };
  Line line;
  line.kind = event.kind();
  line.small = event.small();
  line.track = track;
  line.start_ns = scale_.ns(event.start);
  line.end_ns = event.duration == 0 ? line.start_ns : scale_.ns(event.end());
  line.value = event.value();
  line.id = event.id;
  switch (event.kind()) {
    case Kind::task:
      line.name = name_at(task_name(event));
      if (event.id != 0) line.task = tasks_.number(event.id);
      to_->push_back(line);
      if (event.id != 0) tasks_.ran(event.id, track, line.start_ns, line.end_ns, add_edge);
      return;
    case Kind::edge: tasks_.edge(event.start, event.id, add_edge); return;
    case Kind::spawn:
    case Kind::footprint:
    case Kind::stage: line.task = tasks_.number(event.id); break;
    case Kind::wait: line.name = name_at(wait_name(event)); break;
    case Kind::data_wait:
      line.task = tasks_.number(event.id);
      line.id = unique();
      if (event.value() != 0) line.name = name_at(reinterpret_cast<const char*>(event.value()));
      break;
    case Kind::move: resolve_move(event, line); break;
    case Kind::evict:
      line.name = block_name(event.id);
      line.from = &tier(event.small());
      break;
    case Kind::resident: {
      std::string& label = tier_labels_[event.small()];
      if (label.empty()) label = "\"in " + tier(event.small()).substr(1);
      line.label = &label;
      break;
    }
    default: break;
  }
  to_->push_back(line);
}

void ChromeResolver::resolve_move(const Event& event, Line& line) {
  Link& link = links_[event.small()];
  line.from = &tier(event.small() >> 4);
  line.to = &tier(event.small() & 15);
  if (link.label.empty()) link.label = line.from->substr(0, line.from->size() - 1) + " to " + line.to->substr(1);
  link.bytes += event.value();
  ++link.moves;
  line.sum = link.bytes;
  line.label = &link.label;
  line.name = block_name(event.id);
  line.task = event.id;
  line.id = unique();
}

Line ChromeResolver::edge(const TaskTable::Run& before, const TaskTable::Run& after) {
  Line line;
  line.kind = Kind::edge;
  line.track = before.track;
  line.start_ns = std::max(before.end_ns, before.start_ns + 1) - 1;  // within its slice
  line.end_ns = after.start_ns;
  line.task = before.number;
  line.value = after.number;
  line.sum = after.track;
  line.id = flow();
  return line;
}

const std::string* ChromeResolver::intern(std::string_view text) { return &*texts_.insert(json_string(text)).first; }

// Tasks of a name have it at one address: it is turned into JSON once.
const std::string* ChromeResolver::name_at(const char* text) {
  const std::string*& name = names_[text];
  if (name == nullptr) name = intern(text);
  return name;
}

const std::string* ChromeResolver::block_name(std::uint64_t block) {
  return block < blocks_.size() ? blocks_[block].name : intern("?");
}

const std::string& ChromeResolver::tier(std::uint8_t number) const {
  static const std::string program = "\"program\"";
  return number < tiers_.size() ? tiers_[number] : program;
}

}  // namespace weir::trace

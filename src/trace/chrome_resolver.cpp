#include "trace/chrome_resolver.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace weir::trace {

void ChromeResolver::resolve(std::span<const Event> units, std::vector<Line>& to) {
  for (const Event& unit : units) {
    if (text_left_ > 0) {
      const std::size_t part = std::min(text_left_, sizeof(Event));
      text_.append(reinterpret_cast<const char*>(&unit), part);
      text_left_ -= part;
      if (text_left_ == 0) define(to);
    } else if (events_left_ > 0) {
      --events_left_;
      resolve(unit, to);
    } else if (unit.kind() == Kind::text) {
      defines_ = unit;
      text_.clear();
      text_left_ = unit.value();
      if (text_left_ == 0) define(to);
    } else {
      events_left_ = unit.value();
      track_ = static_cast<std::uint32_t>(unit.id);
      if (unit.start != pass_) tasks_.next_pass();
      pass_ = unit.start;
    }
  }
}

void ChromeResolver::define(std::vector<Line>& to) {
  switch (static_cast<Named>(defines_.small())) {
    case Named::track: {
      tracks_.push_back({json_string(text_), static_cast<int>(defines_.start), static_cast<int>(defines_.duration)});
      Line line;
      line.kind = Kind::text;
      line.track = static_cast<std::uint32_t>(defines_.id);
      line.name = intern(text_);
      to.push_back(line);
      return;
    }
    case Named::block: blocks_.push_back({intern(text_), defines_.start}); return;
    case Named::tier: tiers_.push_back(json_string(text_)); return;
  }
}

void ChromeResolver::resolve(const Event& event, std::vector<Line>& to) {
  const auto add_edge = [&](const TaskTable::Run& before, const TaskTable::Run& after) {
    to.push_back(edge(before, after));
  };
  Line line;
  line.kind = event.kind();
  line.small = event.small();
  line.track = track_;
  line.start_ns = scale_.ns(event.start);
  line.end_ns = event.duration == 0 ? line.start_ns : scale_.ns(event.end());
  line.value = event.value();
  line.id = event.id;
  switch (event.kind()) {
    case Kind::task:
      line.name = name_at(task_name(event));
      if (event.id != 0) line.task = tasks_.number(event.id);
      to.push_back(line);
      if (event.id != 0) tasks_.ran(event.id, track_, line.start_ns, line.end_ns, add_edge);
      return;
    case Kind::edge: tasks_.edge(event.start, event.id, add_edge); return;
    case Kind::spawn:
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
  to.push_back(line);
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

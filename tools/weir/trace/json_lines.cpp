// SPDX-License-Identifier: Apache-2.0

#include "json_lines.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/utf8.hpp"
#include "pe_lines.hpp"
#include "resolver.hpp"

namespace weir::tool::convert {

namespace {

class LineWriter {
 public:
  LineWriter(TextBuffer& to, int runtime, const Line& line)
      : text_(to), runtime_(static_cast<std::uint64_t>(runtime)), line_(line) {}

  void write() {
    if (is_pe_call(line_.kind)) return write_pe_call();
    switch (line_.kind) {
      case Kind::task: return write_task();
      case Kind::spawn: return write_spawn();
      case Kind::footprint: return write_footprint();
      case Kind::edge: return write_edge();
      case Kind::wait:
        complete(",\n{\"ph\":\"X\",\"cat\":\"wait\",\"name\":", line_.name->json);
        text_ << "}";
        return;
      case Kind::search:
        complete(",\n{\"ph\":\"X\",\"cat\":\"search\",\"name\":", "\"look for work\"");
        text_ << "}";
        return;
      case Kind::park:
        complete(",\n{\"ph\":\"X\",\"cat\":\"park\",\"name\":", "\"asleep\"");
        text_ << "}";
        return;
      case Kind::stage:
        complete(",\n{\"ph\":\"X\",\"cat\":\"stage\",\"name\":", "\"bring blocks\"");
        text_ << ",\"args\":{\"task\":" << line_.task << "}}";
        return;
      case Kind::move: return write_move();
      case Kind::data_wait: return write_data_wait();
      case Kind::resident:
        begin(",\n{\"ph\":\"C\",\"cat\":\"resident\",\"name\":", line_.label->json, 0, line_.start_ns);
        text_ << ",\"args\":{\"bytes\":" << line_.id << "}}";
        return;
      case Kind::steal:
        begin(",\n{\"ph\":\"i\",\"cat\":\"steal\",\"name\":", "\"steal\"", line_.track, line_.start_ns);
        text_ << ",\"s\":\"t\",\"args\":{\"victim\":" << line_.id << ",\"tasks\":" << line_.value
              << ",\"distance\":" << std::uint64_t{line_.small} << "}}";
        return;
      case Kind::evict:
        begin(",\n{\"ph\":\"i\",\"cat\":\"evict\",\"name\":", line_.name->json, line_.track, line_.start_ns);
        text_ << ",\"s\":\"t\",\"args\":{\"block\":" << line_.id << ",\"bytes\":" << line_.value
              << ",\"tier\":" << line_.from->json << "}}";
        return;
      case Kind::sent: return write_sent();
      case Kind::received: return write_received();
      default: return;
    }
  }

 private:
  // `opening`: ',\n{"ph":"X","cat":"task","name":', then the name as JSON.
  void begin(std::string_view opening, std::string_view name, std::uint64_t track, std::uint64_t at_ns) {
    text_ << opening << name << ",\"pid\":" << runtime_ << ",\"tid\":" << track << ",\"ts\":";
    text_.thousandths(at_ns);
  }

  void complete(std::string_view opening, std::string_view name) {
    begin(opening, name, line_.track, line_.start_ns);
    text_ << ",\"dur\":";
    text_.thousandths(std::max(line_.end_ns, line_.start_ns) - line_.start_ns);
  }

  void write_pe_call() {
    const PeCall call = pe_call(line_.kind, line_.small, line_.id, line_.value);
    text_ << ",\n{\"ph\":\"X\",\"cat\":\"" << call.category << "\",\"name\":\"";
    complete(call.name, "\"");
    text_ << ",\"args\":{\"bytes\":" << call.bytes;
    if (call.pe) text_ << ",\"pe\":" << std::uint64_t{*call.pe};
    text_ << "}}";
  }

  void write_task() {
    complete(",\n{\"ph\":\"X\",\"cat\":\"task\",\"name\":", line_.name->json);
    text_ << ",\"args\":{\"task\":" << line_.task;
    const TaskSmall small(line_.small);
    if (small.wanted() >= 0) text_ << ",\"wanted\":" << static_cast<std::uint64_t>(small.wanted());
    if (small.cancelled()) text_ << ",\"cancelled\":true";
    text_ << "}}";
  }

  void write_spawn() {
    complete(",\n{\"ph\":\"X\",\"cat\":\"spawn\",\"name\":", "\"spawn\"");
    text_ << ",\"args\":{\"task\":" << line_.task;
    if (line_.sum != 0) text_ << ",\"parent\":" << line_.sum;
    text_ << ",\"items\":" << std::uint64_t{line_.small} << ",\"bytes\":" << line_.value << "}}";
  }

  // One of nothing says only when the task became ready.
  void write_footprint() {
    if (line_.small == 0) return;
    begin(",\n{\"ph\":\"i\",\"cat\":\"footprint\",\"name\":", "\"footprint\"", line_.track, line_.start_ns);
    text_ << ",\"s\":\"t\",\"args\":{\"task\":" << line_.task << ",\"items\":" << std::uint64_t{line_.small}
          << ",\"bytes\":" << line_.value << "}}";
  }

  // From the end of one task, within its slice, to the start of the other.
  void write_edge() {
    begin(",\n{\"ph\":\"s\",\"cat\":\"edge\",\"name\":", "\"edge\"", line_.track, line_.start_ns);
    text_ << ",\"id\":" << line_.id << ",\"args\":{\"from\":" << line_.task << ",\"to\":" << line_.value << "}}";
    begin(",\n{\"ph\":\"f\",\"cat\":\"edge\",\"name\":", "\"edge\"", line_.sum, line_.end_ns);
    text_ << ",\"bp\":\"e\",\"id\":" << line_.id << "}";
  }

  void write_id() {
    text_ << ",\"id\":\"";
    text_.hexadecimal(line_.id);
    text_ << "\"";
  }

  void write_move() {
    begin(",\n{\"ph\":\"b\",\"cat\":\"move\",\"name\":", line_.name->json, line_.track, line_.start_ns);
    write_id();
    text_ << ",\"args\":{\"block\":" << line_.task << ",\"bytes\":" << line_.value << ",\"from\":" << line_.from->json
          << ",\"to\":" << line_.to->json << "}}";
    begin(",\n{\"ph\":\"e\",\"cat\":\"move\",\"name\":", line_.name->json, line_.track, line_.end_ns);
    write_id();
    text_ << "}";
    begin(",\n{\"ph\":\"C\",\"cat\":\"link\",\"name\":", line_.label->json, line_.track, line_.end_ns);
    text_ << ",\"args\":{\"bytes\":" << line_.sum << "}}";
  }

  void write_message(std::string_view opening, std::uint64_t at_ns, std::string_view whom) {
    begin(opening, line_.name->json, line_.track, at_ns);
    text_ << ",\"args\":{\"task\":" << line_.task << ",\"bytes\":" << line_.value << ",\"" << whom
          << "\":" << std::uint64_t{line_.note.other} << "}";
  }
  void write_sent() {
    write_message(",\n{\"ph\":\"i\",\"s\":\"t\",\"cat\":\"sent\",\"name\":", line_.start_ns, "to");
    text_ << "}";
  }
  // From when it was wanted; those of several tasks overlap.
  void write_received() {
    write_message(",\n{\"ph\":\"b\",\"cat\":\"received\",\"name\":", line_.start_ns, "from");
    write_id();
    text_ << "}";
    begin(",\n{\"ph\":\"e\",\"cat\":\"received\",\"name\":", line_.name->json, line_.track, line_.end_ns);
    write_id();
    text_ << "}";
  }

  // What other tasks hold is not a question of memory: reports keep the two apart.
  void write_data_wait() {
    static constexpr std::string_view kNames[] = {"\"waits for room\"", "\"waits for blocks\"",
                                                  "\"waits for commutative data\"", "\"waits for a data block\"",
                                                  "\"waits for its completion\""};
    const std::string_view name = kNames[std::min<std::size_t>(line_.small, std::size(kNames) - 1)];
    const std::string_view category = line_.small == static_cast<std::uint8_t>(DataWait::completion) ? "late end"
                                      : line_.small >= static_cast<std::uint8_t>(DataWait::lock)     ? "lock wait"
                                                                                                     : "data wait";
    text_ << ",\n{\"ph\":\"b\",\"cat\":\"" << category;
    begin("\",\"name\":", name, line_.track, line_.start_ns);
    write_id();
    text_ << ",\"args\":{\"task\":" << line_.task;
    if (line_.name != nullptr) text_ << ",\"had_by\":" << line_.name->json;
    text_ << "}}";
    text_ << ",\n{\"ph\":\"e\",\"cat\":\"" << category;
    begin("\",\"name\":", name, line_.track, line_.end_ns);
    write_id();
    text_ << "}";
  }

  TextBuffer& text_;
  const std::uint64_t runtime_;
  const Line& line_;
};

}  // namespace

std::string json_string(std::string_view text) {
  std::string result = "\"";
  while (!text.empty()) {
    const char c = text.front();
    const std::size_t length = base::utf8_length(text);
    if (length == 0) {
      result += '?';
    } else if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      result += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
    } else {
      result += text.substr(0, length);
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  result += '"';
  return result;
}

void write_line(TextBuffer& to, int runtime, const Line& line) { LineWriter(to, runtime, line).write(); }

void write_flow(TextBuffer& to, std::uint64_t id, std::string_view name, const FlowPoint& from,
                const FlowPoint& until) {
  const auto begin = [&](std::string_view phase, const FlowPoint& point) {
    to << ",\n{\"ph\":" << phase << ",\"cat\":\"between\",\"name\":\"" << name
       << "\",\"pid\":" << static_cast<std::uint64_t>(point.process) << ",\"tid\":" << point.track << ",\"ts\":";
    to.thousandths(point.at_ns);
    to << ",\"id\":" << id;
  };
  begin("\"s\"", from);
  to << "}";
  begin("\"f\"", until);
  to << ",\"bp\":\"e\"}";
}

void write_row(TextBuffer& to, int runtime, std::uint64_t track, const std::string& name) {
  const auto begin = [&](std::string_view what) {
    to << ",\n{\"ph\":\"M\",\"cat\":\"__metadata\",\"name\":" << what
       << ",\"pid\":" << static_cast<std::uint64_t>(runtime) << ",\"tid\":" << track << ",\"ts\":0.000,\"args\":{";
  };
  begin("\"thread_name\"");
  to << "\"name\":" << name << "}}";
  begin("\"thread_sort_index\"");
  to << "\"sort_index\":" << track << "}}";
}

}  // namespace weir::tool::convert

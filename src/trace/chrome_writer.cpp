#include "trace/chrome_writer.hpp"

#include <fmt/compile.h>

#include <algorithm>
#include <iterator>

namespace weir::trace {

namespace {

constexpr std::size_t kPiece = std::size_t{1} << 20;  // written at a time

constexpr const char* kWaitNames[] = {"wait", "wait for children", "throttled", "wait for a task", "join", "work"};

// Length of the UTF-8 sequence at the start of `text`, 0 when there is none.
std::size_t sequence_length(std::string_view text) noexcept {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const std::size_t length = byte(0) < 0x80 ? 1 : byte(0) >= 0xf0 ? 4 : byte(0) >= 0xe0 ? 3 : byte(0) >= 0xc2 ? 2 : 0;
  if (length == 0 || length > text.size() || byte(0) > 0xf4) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  return length;
}

}  // namespace

std::string json_string(std::string_view text) {
  std::string result = "\"";
  while (!text.empty()) {
    const char c = text.front();
    const std::size_t length = sequence_length(text);
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

ChromeWriter::ChromeWriter(const Input& input, int runtime, std::uint64_t origin_ns, platform::ScratchFile& to)
    : in_(input),
      runtime_(runtime),
      origin_ns_(origin_ns),
      ns_per_tick_(static_cast<double>(input.closed.ns - input.opened.ns) /
                   static_cast<double>(std::max<std::uint64_t>(input.closed.ticks - input.opened.ticks, 1))),
      to_(to),
      first_(runtime == 1) {}

template <class F>
void ChromeWriter::for_each_event(F&& f) const {
  std::size_t at = 0;
  while (at < in_.events.size()) {
    const Event& chunk = in_.events[at++];
    const std::size_t count = std::min<std::size_t>(chunk.value(), in_.events.size() - at);  // a full disk cut it
    for (const Event& event : in_.events.subspan(at, count)) f(event, static_cast<std::uint32_t>(chunk.id));
    at += count;
  }
}

std::uint64_t ChromeWriter::ns_of(std::uint64_t ticks) const noexcept {
  const double since = static_cast<double>(static_cast<std::int64_t>(ticks - in_.opened.ticks)) * ns_per_tick_;
  const double ns = static_cast<double>(in_.opened.ns - origin_ns_) + since;
  return ns > 0 ? static_cast<std::uint64_t>(ns) : 0;
}

base::Result<std::string> ChromeWriter::write() {
  number_tasks();
  write_names();
  for_each_event([this](const Event& event, std::uint32_t track) {
    if (status_) write_event(event, track);
  });
  if (status_ && text_.size() != 0) status_ = to_.append(std::string_view(text_.data(), text_.size()));
  if (!status_) return std::move(status_);
  return describe();
}

// ---- Tasks ----

std::uint32_t ChromeWriter::number(std::uint64_t task) {
  const auto [place, is_new] = numbers_.try_emplace(task, static_cast<std::uint32_t>(runs_.size() + 1));
  if (is_new) runs_.emplace_back();
  return place->second;
}

void ChromeWriter::number_tasks() {
  numbers_.reserve(in_.events.size() / 3);
  for_each_event([this](const Event& event, std::uint32_t track) {
    if (event.kind() == Kind::spawn) number(event.id);
    if (event.kind() != Kind::task || event.id == 0) return;
    runs_[number(event.id) - 1] = {event.start, event.end(), track, true};
  });
}

// ---- What is in the file ----

void ChromeWriter::begin(char phase, std::string_view category, std::string_view name, std::uint32_t track,
                         std::uint64_t ns) {
  if (!first_) text_.append(std::string_view(",\n"));
  first_ = false;
  fmt::format_to(std::back_inserter(text_),
                 FMT_COMPILE("{{\"ph\":\"{}\",\"cat\":\"{}\",\"name\":{},\"pid\":{},\"tid\":{}"), phase, category, name,
                 runtime_, track);
  time("ts", ns);
}

void ChromeWriter::time(std::string_view key, std::uint64_t ns) {
  fmt::format_to(std::back_inserter(text_), FMT_COMPILE(",\"{}\":{}.{:03}"), key, ns / 1000, ns % 1000);
}

void ChromeWriter::end_event() {
  text_.push_back('}');
  if (text_.size() < kPiece) return;
  status_ = to_.append(std::string_view(text_.data(), text_.size()));
  text_.clear();
}

void ChromeWriter::complete(const Event& event, std::string_view category, std::string_view name, std::uint32_t track) {
  const std::uint64_t start = ns_of(event.start);
  begin('X', category, name, track, start);
  time("dur", std::max(ns_of(event.end()), start) - start);
}

void ChromeWriter::write_names() {
  const auto write = [this](std::string_view what, std::uint32_t track, std::string_view args) {
    begin('M', "__metadata", json_string(what), track, 0);
    fmt::format_to(std::back_inserter(text_), ",\"args\":{{{}}}", args);
    end_event();
  };
  write("process_name", 0, fmt::format("\"name\":\"weir runtime {}\"", runtime_));
  for (std::uint32_t i = 0; i < in_.tracks.size(); ++i) {
    const TrackInfo& info = in_.tracks[i].info();
    write("thread_name", i, fmt::format("\"name\":{}", json_string(info.name)));
    write("thread_sort_index", i, fmt::format("\"sort_index\":{}", i));
  }
}

void ChromeWriter::write_event(const Event& event, std::uint32_t track) {
  switch (event.kind()) {
    case Kind::task: return write_task(event, track);
    case Kind::spawn: return write_spawn(event, track);
    case Kind::edge: return write_edge(event);
    case Kind::wait: complete(event, "wait", json_string(kWaitNames[event.small()]), track); break;
    case Kind::search: complete(event, "search", "\"look for work\"", track); break;
    case Kind::park: complete(event, "park", "\"asleep\"", track); break;
    case Kind::stage:
      complete(event, "stage", "\"bring blocks\"", track);
      fmt::format_to(std::back_inserter(text_), ",\"args\":{{\"task\":{}}}", number(event.id));
      break;
    case Kind::move: return write_move(event, track);
    case Kind::data_wait: return write_data_wait(event, track);
    case Kind::resident: return write_resident(event);
    case Kind::steal:
    case Kind::evict: return write_instant(event, track);
    case Kind::none:
    case Kind::chunk: return;
  }
  end_event();
}

void ChromeWriter::write_task(const Event& event, std::uint32_t track) {
  std::string& name = names_[event.value()];
  if (name.empty()) {
    const auto* const text = reinterpret_cast<const char*>(static_cast<std::uintptr_t>(event.value()));
    name = json_string(text != nullptr ? text : event.id == 0 ? "half of a fork_join" : "task");
  }
  complete(event, "task", name, track);
  const std::uint32_t task = event.id == 0 ? 0 : number(event.id);
  fmt::format_to(std::back_inserter(text_), FMT_COMPILE(",\"args\":{{\"task\":{}{}}}"), task,
                 event.small() != 0 ? ",\"cancelled\":true" : "");
  end_event();
}

void ChromeWriter::write_spawn(const Event& event, std::uint32_t track) {
  complete(event, "spawn", "\"spawn\"", track);
  fmt::format_to(std::back_inserter(text_), FMT_COMPILE(",\"args\":{{\"task\":{},\"items\":{},\"bytes\":{}}}"),
                 number(event.id), event.small(), event.value());
  end_event();
}

// From the end of one task to the start of the other. Not shown when one of them has not run, or was lost.
void ChromeWriter::write_edge(const Event& event) {
  const std::uint32_t from = number(event.start), to = number(event.id);
  const Run a = runs_[from - 1], b = runs_[to - 1];
  if (!a.seen || !b.seen) return;
  const std::uint64_t id = (static_cast<std::uint64_t>(runtime_) << 32) + ++flows_;
  begin('s', "edge", "\"edge\"", a.track, std::max(ns_of(a.end), ns_of(a.start) + 1) - 1);  // within its slice
  fmt::format_to(std::back_inserter(text_), FMT_COMPILE(",\"id\":{},\"args\":{{\"from\":{},\"to\":{}}}"), id, from, to);
  end_event();
  begin('f', "edge", "\"edge\"", b.track, ns_of(b.start));
  fmt::format_to(std::back_inserter(text_), FMT_COMPILE(",\"bp\":\"e\",\"id\":{}"), id);
  end_event();
}

// ---- Blocks ----

std::string ChromeWriter::tier_name(std::uint8_t tier) const {
  return tier < in_.summary.tiers.size() ? in_.summary.tiers[tier].name : "program";
}

std::string_view ChromeWriter::block_name(std::uint64_t block) const {
  return block < in_.blocks.size() ? std::string_view(in_.blocks[block].name) : "?";
}

void ChromeWriter::write_move(const Event& event, std::uint32_t track) {
  const std::string from = tier_name(event.small() >> 4), to = tier_name(event.small() & 15);
  const std::string name = json_string(block_name(event.id));
  const std::uint64_t id = (static_cast<std::uint64_t>(runtime_) << 32) + ++moves_;
  begin('b', "move", name, track, ns_of(event.start));
  fmt::format_to(std::back_inserter(text_),
                 ",\"id\":\"{:x}\",\"args\":{{\"block\":{},\"bytes\":{},\"from\":\"{}\",\"to\":\"{}\"}}", id, event.id,
                 event.value(), from, to);
  end_event();
  begin('e', "move", name, track, ns_of(event.end()));
  fmt::format_to(std::back_inserter(text_), ",\"id\":\"{:x}\"", id);
  end_event();
  Link& link = links_[event.small()];
  link.bytes += event.value();
  ++link.moves;
  begin('C', "link", fmt::format("\"{} to {}\"", from, to), track, ns_of(event.end()));
  fmt::format_to(std::back_inserter(text_), ",\"args\":{{\"bytes\":{}}}", link.bytes);
  end_event();
}

void ChromeWriter::write_data_wait(const Event& event, std::uint32_t track) {
  const bool admission = static_cast<DataWait>(event.small()) == DataWait::admission;
  const std::string_view name = admission ? "\"waits for room\"" : "\"waits for blocks\"";
  const std::uint64_t id = (static_cast<std::uint64_t>(runtime_) << 32) + ++moves_;
  begin('b', "data wait", name, track, ns_of(event.start));
  fmt::format_to(std::back_inserter(text_), ",\"id\":\"{:x}\",\"args\":{{\"task\":{}}}", id, number(event.id));
  end_event();
  begin('e', "data wait", name, track, ns_of(event.end()));
  fmt::format_to(std::back_inserter(text_), ",\"id\":\"{:x}\"", id);
  end_event();
}

void ChromeWriter::write_resident(const Event& event) {
  begin('C', "resident", fmt::format("\"in {}\"", tier_name(event.small())), 0, ns_of(event.start));
  fmt::format_to(std::back_inserter(text_), ",\"args\":{{\"bytes\":{}}}", event.id);
  end_event();
}

void ChromeWriter::write_instant(const Event& event, std::uint32_t track) {
  if (event.kind() == Kind::steal) {
    begin('i', "steal", "\"steal\"", track, ns_of(event.start));
    fmt::format_to(std::back_inserter(text_),
                   FMT_COMPILE(",\"s\":\"t\",\"args\":{{\"victim\":{},\"tasks\":{},\"distance\":{}}}"), event.id,
                   event.value(), event.small());
  } else {
    begin('i', "evict", json_string(block_name(event.id)), track, ns_of(event.start));
    fmt::format_to(std::back_inserter(text_), ",\"s\":\"t\",\"args\":{{\"block\":{},\"bytes\":{},\"tier\":\"{}\"}}",
                   event.id, event.value(), tier_name(event.small()));
  }
  end_event();
}

// ---- What is said of the runtime ----

std::string ChromeWriter::describe() const {
  const Summary& s = in_.summary;
  std::string text = fmt::format(
      "{{\"runtime\":{},\"workers\":{},\"machine\":{},\"start_us\":{:.3f},\"end_us\":{:.3f},\"lost_events\":{}",
      runtime_, s.workers, json_string(s.machine), static_cast<double>(ns_of(s.start)) / 1e3,
      static_cast<double>(ns_of(s.end)) / 1e3, in_.lost);
  const auto list = [&text](std::string_view key, const auto& items, auto&& describe_one, std::string_view brackets) {
    text += fmt::format(",\"{}\":{}", key, brackets[0]);
    const char* separator = "";
    for (const auto& item : items) {
      text += separator;
      text += describe_one(item);
      separator = ",";
    }
    text += brackets[1];
  };
  list(
      "counters", s.counters, [](const auto& c) { return fmt::format("\"{}\":{}", c.first, c.second); }, "{}");
  list(
      "tiers", s.tiers,
      [](const TierInfo& t) {
        return fmt::format("{{\"name\":{},\"budget_bytes\":{},\"read_gb_per_s\":{},\"write_gb_per_s\":{}}}",
                           json_string(t.name), t.budget, t.read_gb_per_s, t.write_gb_per_s);
      },
      "[]");
  list(
      "tracks", in_.tracks,
      [](const Track& t) {
        return fmt::format("{{\"name\":{},\"worker\":{},\"domain\":{}}}", json_string(t.info().name), t.info().worker,
                           t.info().domain);
      },
      "[]");
  list(
      "links", links_,
      [this](const auto& link) {
        return fmt::format("{{\"from\":\"{}\",\"to\":\"{}\",\"bytes\":{},\"moves\":{}}}", tier_name(link.first >> 4),
                           tier_name(link.first & 15), link.second.bytes, link.second.moves);
      },
      "[]");
  list(
      "blocks", in_.blocks,
      [](const BlockInfo& b) { return fmt::format("{{\"name\":{},\"bytes\":{}}}", json_string(b.name), b.bytes); },
      "[]");
  text += '}';
  return text;
}

}  // namespace weir::trace

#include "trace/chrome_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "platform/signals_blocked.hpp"
#include "trace/text_buffer.hpp"

namespace weir::trace {

namespace {

constexpr std::size_t kSegment = std::size_t{1} << 15;  // events, 4 MB of text
constexpr unsigned kMostThreads = 8;                    // more only wait for the disk

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

// The text of one segment.
class ChromeSegment {
 public:
  explicit ChromeSegment(const ChromeWriter& writer) : w_(writer) {}

  std::string_view write(const ChromeWriter::Segment& segment) {
    text_.clear();
    track_ = segment.track;
    flows_ = segment.flows;
    moves_ = segment.moves;
    links_ = segment.links;
    for (const Event& event : segment.events) write_event(event);
    return text_.text();
  }

  // Rows and their order; first in the file.
  std::string_view write_names(bool first) {
    text_.clear();
    const auto write = [&](std::string_view what, std::uint64_t track, const std::string& args) {
      text_ << (first ? "{" : ",\n{") << "\"ph\":\"M\",\"cat\":\"__metadata\",\"name\":\"" << what
            << "\",\"pid\":" << static_cast<std::uint64_t>(w_.runtime_) << ",\"tid\":" << track
            << ",\"ts\":0.000,\"args\":{" << args << "}}";
      first = false;
    };
    write("process_name", 0, fmt::format("\"name\":\"weir runtime {}\"", w_.runtime_));
    for (std::size_t i = 0; i < w_.in_.tracks.size(); ++i) {
      write("thread_name", i, fmt::format("\"name\":{}", json_string(w_.in_.tracks[i].info().name)));
      write("thread_sort_index", i, fmt::format("\"sort_index\":{}", i));
    }
    return text_.text();
  }

 private:
  std::uint64_t ns(std::uint64_t ticks) const noexcept { return w_.scale_.ns(ticks); }
  std::uint64_t number(std::uint64_t task) const noexcept { return w_.numbers_.find(task); }
  std::uint64_t unique(std::uint64_t count) const noexcept {
    return (static_cast<std::uint64_t>(w_.runtime_) << 32) + count;
  }

  // `opening`: ',\n{"ph":"X","cat":"task","name":', then the name as JSON.
  void begin(std::string_view opening, std::string_view name, std::uint64_t track, std::uint64_t at_ns) {
    text_ << opening << name << ",\"pid\":" << static_cast<std::uint64_t>(w_.runtime_) << ",\"tid\":" << track
          << ",\"ts\":";
    text_.thousandths(at_ns);
  }

  void complete(const Event& event, std::string_view opening, std::string_view name) {
    const std::uint64_t start = ns(event.start);
    begin(opening, name, track_, start);
    text_ << ",\"dur\":";
    text_.thousandths(std::max(ns(event.end()), start) - start);
  }

  void end() { text_ << "}"; }

  void write_event(const Event& event) {
    switch (event.kind()) {
      case Kind::task: return write_task(event);
      case Kind::spawn: return write_spawn(event);
      case Kind::edge: return write_edge(event);
      case Kind::wait:
        complete(event, ",\n{\"ph\":\"X\",\"cat\":\"wait\",\"name\":", json_string(wait_name(event)));
        return end();
      case Kind::search:
        complete(event, ",\n{\"ph\":\"X\",\"cat\":\"search\",\"name\":", "\"look for work\"");
        return end();
      case Kind::park: complete(event, ",\n{\"ph\":\"X\",\"cat\":\"park\",\"name\":", "\"asleep\""); return end();
      case Kind::stage:
        complete(event, ",\n{\"ph\":\"X\",\"cat\":\"stage\",\"name\":", "\"bring blocks\"");
        text_ << ",\"args\":{\"task\":" << number(event.id) << "}";
        return end();
      case Kind::move: return write_move(event);
      case Kind::data_wait: return write_data_wait(event);
      case Kind::resident: return write_resident(event);
      case Kind::steal: return write_steal(event);
      case Kind::evict: return write_eviction(event);
      case Kind::none:
      case Kind::chunk: return;
    }
  }

  void write_task(const Event& event) {
    complete(event, ",\n{\"ph\":\"X\",\"cat\":\"task\",\"name\":", name_of(event));
    text_ << ",\"args\":{\"task\":" << (event.id == 0 ? 0 : number(event.id));
    if (event.small() != 0) text_ << ",\"cancelled\":true";
    text_ << "}}";
  }

  // Tasks of a name often follow each other.
  std::string_view name_of(const Event& event) {
    if (event.value() == 0) return event.id == 0 ? "\"half of a fork_join\"" : "\"task\"";
    if (event.value() != last_name_) {
      last_name_ = event.value();
      last_name_text_ = w_.names_.at(last_name_);
    }
    return last_name_text_;
  }

  void write_spawn(const Event& event) {
    complete(event, ",\n{\"ph\":\"X\",\"cat\":\"spawn\",\"name\":", "\"spawn\"");
    text_ << ",\"args\":{\"task\":" << number(event.id) << ",\"items\":" << std::uint64_t{event.small()}
          << ",\"bytes\":" << event.value() << "}}";
  }

  // From the end of one task to the start of the other. Not shown when one of them has not run, or was lost.
  void write_edge(const Event& event) {
    const std::uint64_t id = unique(++flows_);
    const std::uint64_t from = number(event.start), to = number(event.id);
    if (from == 0 || to == 0) return;
    const ChromeWriter::Run &a = w_.runs_[from - 1], &b = w_.runs_[to - 1];
    if (!a.seen || !b.seen) return;
    constexpr std::string_view kName = "\"edge\"";
    begin(",\n{\"ph\":\"s\",\"cat\":\"edge\",\"name\":", kName, a.track,
          std::max(ns(a.end), ns(a.start) + 1) - 1);  // within its slice
    text_ << ",\"id\":" << id << ",\"args\":{\"from\":" << from << ",\"to\":" << to << "}}";
    begin(",\n{\"ph\":\"f\",\"cat\":\"edge\",\"name\":", kName, b.track, ns(b.start));
    text_ << ",\"bp\":\"e\",\"id\":" << id << "}";
  }

  void write_id(std::uint64_t id) {
    text_ << ",\"id\":\"";
    text_.hexadecimal(id);
    text_ << "\"";
  }

  void write_move(const Event& event) {
    const std::string name = json_string(w_.in_.block_name(event.id));
    const std::uint64_t id = unique(++moves_);
    begin(",\n{\"ph\":\"b\",\"cat\":\"move\",\"name\":", name, track_, ns(event.start));
    write_id(id);
    text_ << ",\"args\":{\"block\":" << event.id << ",\"bytes\":" << event.value() << ",\"from\":\""
          << w_.in_.tier_name(event.small() >> 4) << "\",\"to\":\"" << w_.in_.tier_name(event.small() & 15) << "\"}}";
    begin(",\n{\"ph\":\"e\",\"cat\":\"move\",\"name\":", name, track_, ns(event.end()));
    write_id(id);
    end();
    std::uint64_t& bytes = links_[event.small()].bytes;
    bytes += event.value();
    begin(",\n{\"ph\":\"C\",\"cat\":\"link\",\"name\":", fmt::format("\"{}\"", w_.in_.link_name(event.small())), track_,
          ns(event.end()));
    text_ << ",\"args\":{\"bytes\":" << bytes << "}}";
  }

  void write_data_wait(const Event& event) {
    static constexpr std::string_view kNames[] = {"\"waits for room\"", "\"waits for blocks\"",
                                                  "\"waits for commutative data\"", "\"waits for a data block\""};
    const std::string_view name = kNames[event.small() & 3];
    // What other tasks hold is not a question of memory: reports keep the two apart.
    const bool lock = event.small() >= static_cast<std::uint8_t>(DataWait::lock);
    const std::uint64_t id = unique(++moves_);
    begin(
        lock ? ",\n{\"ph\":\"b\",\"cat\":\"lock wait\",\"name\":" : ",\n{\"ph\":\"b\",\"cat\":\"data wait\",\"name\":",
        name, track_, ns(event.start));
    write_id(id);
    text_ << ",\"args\":{\"task\":" << number(event.id);
    if (const auto* const holder = reinterpret_cast<const char*>(static_cast<std::uintptr_t>(event.value())))
      text_ << ",\"had_by\":" << json_string(holder);
    text_ << "}}";
    begin(
        lock ? ",\n{\"ph\":\"e\",\"cat\":\"lock wait\",\"name\":" : ",\n{\"ph\":\"e\",\"cat\":\"data wait\",\"name\":",
        name, track_, ns(event.end()));
    write_id(id);
    end();
  }

  void write_resident(const Event& event) {
    begin(",\n{\"ph\":\"C\",\"cat\":\"resident\",\"name\":", fmt::format("\"in {}\"", w_.in_.tier_name(event.small())),
          0, ns(event.start));
    text_ << ",\"args\":{\"bytes\":" << event.id << "}}";
  }

  void write_steal(const Event& event) {
    begin(",\n{\"ph\":\"i\",\"cat\":\"steal\",\"name\":", "\"steal\"", track_, ns(event.start));
    text_ << ",\"s\":\"t\",\"args\":{\"victim\":" << event.id << ",\"tasks\":" << event.value()
          << ",\"distance\":" << std::uint64_t{event.small()} << "}}";
  }

  void write_eviction(const Event& event) {
    begin(",\n{\"ph\":\"i\",\"cat\":\"evict\",\"name\":", json_string(w_.in_.block_name(event.id)), track_,
          ns(event.start));
    text_ << ",\"s\":\"t\",\"args\":{\"block\":" << event.id << ",\"bytes\":" << event.value() << ",\"tier\":\""
          << w_.in_.tier_name(event.small()) << "\"}}";
  }

  const ChromeWriter& w_;
  TextBuffer text_;
  std::uint32_t track_ = 0;
  std::uint64_t flows_ = 0, moves_ = 0;  // so far
  ChromeWriter::Links links_;            // so far
  std::uint64_t last_name_ = 0;
  std::string_view last_name_text_;
};

ChromeWriter::ChromeWriter(const Recording& recording, int runtime, std::uint64_t origin_ns, platform::ScratchFile& to)
    : in_(recording), runtime_(runtime), scale_(recording, origin_ns), to_(to), numbers_(recording.events.size() / 4) {}

base::Result<std::string> ChromeWriter::write() {
  survey();
  if (base::Status status = to_.append(ChromeSegment(*this).write_names(runtime_ == 1)); !status) return status;
  write_segments();
  if (!status_) return std::move(status_);
  return describe();
}

// ---- First, in order ----

void ChromeWriter::survey() {
  runs_.reserve(in_.events.size() / 4);
  std::size_t left = 0;  // of the open segment
  in_.for_each_event([&](const Event& event, std::uint32_t track) {
    const bool continues = left > 0 && segments_.back().track == track &&
                           segments_.back().events.data() + segments_.back().events.size() == &event;
    if (continues) {
      Segment& segment = segments_.back();
      segment.events = {segment.events.data(), segment.events.size() + 1};
      --left;
    } else {
      segments_.push_back({{&event, 1}, track, flows_, moves_, links_});
      left = kSegment - 1;
    }
    survey_event(event, track);
  });
}

void ChromeWriter::survey_event(const Event& event, std::uint32_t track) {
  const auto run = [this](std::uint64_t task) -> Run& {
    const std::uint32_t number = numbers_.add(task);
    if (number > runs_.size()) runs_.emplace_back();
    return runs_[number - 1];
  };
  switch (event.kind()) {
    case Kind::task:
      if (event.value() != 0 && names_.find(event.value()) == names_.end()) {
        names_.emplace(event.value(), json_string(task_name(event)));
      }
      if (event.id != 0) run(event.id) = {event.start, event.end(), track, true};
      return;
    case Kind::spawn:
    case Kind::stage: run(event.id); return;
    case Kind::edge: ++flows_; return;
    case Kind::move:
      ++moves_;
      links_[event.small()].bytes += event.value();
      ++links_[event.small()].moves;
      return;
    case Kind::data_wait:
      ++moves_;
      run(event.id);
      return;
    default: return;
  }
}

// ---- Then, by several threads ----

void ChromeWriter::write_segments() {
  const std::size_t useful =
      std::min<std::size_t>({segments_.size(), std::thread::hardware_concurrency(), kMostThreads});
  const platform::SignalsBlocked blocked;
  std::vector<std::thread> others;
  for (std::size_t i = 1; i < useful; ++i) others.emplace_back([this] { write_some_segments(); });
  write_some_segments();
  for (std::thread& thread : others) thread.join();
}

// Takes the next segment until there is none. Texts are made side by side and written in turn: writes to one file wait
// for each other in the kernel anyway.
void ChromeWriter::write_some_segments() {
  ChromeSegment segment(*this);
  std::unique_lock lock(mutex_);
  while (taken_ != segments_.size()) {
    const std::size_t mine = taken_++;
    lock.unlock();
    const std::string_view text = segment.write(segments_[mine]);
    lock.lock();
    turn_.wait(lock, [&] { return next_ == mine; });
    if (status_) {
      lock.unlock();
      base::Status written = to_.append(text);
      lock.lock();
      status_ = std::move(written);
    }
    ++next_;
    turn_.notify_all();
  }
}

// ---- What is said of the runtime ----

std::string ChromeWriter::describe() const {
  const Summary& s = in_.summary;
  std::string text = fmt::format(
      "{{\"runtime\":{},\"workers\":{},\"machine\":{},\"start_us\":{:.3f},\"end_us\":{:.3f},\"lost_events\":{}",
      runtime_, s.workers, json_string(s.machine), static_cast<double>(scale_.ns(s.start)) / 1e3,
      static_cast<double>(scale_.ns(s.end)) / 1e3, in_.lost);
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
        return fmt::format("{{\"from\":\"{}\",\"to\":\"{}\",\"bytes\":{},\"moves\":{}}}",
                           in_.tier_name(link.first >> 4), in_.tier_name(link.first & 15), link.second.bytes,
                           link.second.moves);
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

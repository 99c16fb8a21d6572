// SPDX-License-Identifier: Apache-2.0

#include "read_trace.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <unordered_map>

#include "nesting.hpp"
#include "platform/file_io.hpp"
#include "scan_events.hpp"
#include "trace/checksum_line.hpp"

namespace weir::tool::report {

namespace {

using Parsed = nlohmann::json;
using Event = ScannedEvent;

[[noreturn]] void refuse(const std::string& why) { throw std::runtime_error(why); }

// Events come before what is said of their runtime. What cannot be is refused with a std::runtime_error: each number is
// an index somewhere, and a damaged file may say any.
class Reader {
 public:
  // `most`: that numbers of tasks, rows and blocks may be.
  explicit Reader(std::uint64_t most) : most_(most) {}

  std::uint64_t events() const { return events_; }

  void read(const Event& event) {
    const std::string& category = event.text(Event::cat);
    const std::string& phase = event.text(Event::ph);
    const int runtime = static_cast<int>(small(event, Event::pid));
    if (part_ == nullptr || runtime != runtime_) part_ = &parts_[runtime_ = runtime];
    if (phase.size() != 1) refuse(fmt::format("an event whose ph is {:?}", phase));
    read(event, category, phase[0]);
    ++events_;
  }

 private:
  void read(const Event& event, const std::string& category, char phase) {
    switch (phase) {
      case 'X': return read_span(event, category);
      case 's': return read_edge(event);
      case 'b':
      case 'e': return read_async(event, category, phase == 'b');
      case 'i': return read_instant(event, category);
      case 'C': return read_counter(event, category);
      case 'M': return read_row(event);
      case 'f': return;
      default: refuse(fmt::format("an event whose ph is {:?}", std::string(1, phase)));
    }
  }

 public:
  std::vector<Trace> finish(const Parsed& runtimes) {
    std::vector<Trace> result;
    for (const Parsed& about : runtimes) {
      Trace trace = std::move(parts_[about.at("runtime").get<int>()].trace);
      describe(trace, about);
      finish_spans(trace);
      result.push_back(std::move(trace));
    }
    return result;
  }

  // Of a file that ends early: what its events tell of their runtimes.
  std::vector<Trace> finish_cut() {
    std::vector<Trace> result;
    for (auto& [runtime, part] : parts_) {
      Trace trace = std::move(part.trace);
      trace.runtime = runtime;
      guess(trace);
      finish_spans(trace);
      result.push_back(std::move(trace));
    }
    return result;
  }

 private:
  struct Part {
    Trace trace;
    std::unordered_map<std::string, int> names;
    std::unordered_map<std::string, std::size_t> open_moves, open_waits;
    std::map<std::uint32_t, std::string> rows;  // names, by track
    std::map<std::uint64_t, Block> moved;       // blocks that did, by number
  };

  static Ns ns(double microseconds) {
    constexpr double kMost = 1e12;  // eleven days
    if (!(microseconds >= 0 && microseconds <= kMost)) refuse(fmt::format("a time of {} us", microseconds));
    return std::llround(microseconds * 1000);
  }
  std::uint32_t small(const Event& event, Event::Field field) const {
    const std::uint64_t value = event.count(field);
    if (value > most_) refuse(fmt::format("the number {}, of more things than the file has room for", value));
    return static_cast<std::uint32_t>(value);
  }

  Task& task(std::uint32_t number) {
    std::vector<Task>& tasks = part_->trace.tasks;
    if (tasks.size() <= number) tasks.resize(number + 1);
    return tasks[number];
  }

  int name(const std::string& text) {
    const auto [place, is_new] = part_->names.try_emplace(text, static_cast<int>(part_->trace.names.size()));
    if (is_new) part_->trace.names.push_back(text);
    return place->second;
  }

  void read_span(const Event& event, const std::string& category) {
    Span span;
    span.start = ns(event.number(Event::ts));
    span.end = span.start + ns(event.number(Event::dur));
    span.track = small(event, Event::tid);
    if (event.has(Event::task)) span.task = small(event, Event::task);
    if (category == "task") {
      if (span.task == 0) {
        halves_.emplace_back(part_, span);
        return;
      }
      read_task(event, span);
    } else if (category == "spawn") {
      span.doing = Doing::spawn;
      task(small(event, Event::task)).spawned = span.start;
      if (event.count(Event::items) != 0) read_footprint(event);
    } else if (category == "wait") {
      span.doing = event.text(Event::name) == "throttled" ? Doing::throttled : Doing::wait;
    } else if (category == "search") {
      span.doing = Doing::search;
    } else if (category == "park") {
      span.doing = Doing::park;
    } else if (category == "stage") {
      span.doing = Doing::stage;
    } else {
      refuse(fmt::format("an event whose cat is {:?}", category));
    }
    part_->trace.spans.push_back(span);
  }

  void read_task(const Event& event, const Span& span) {
    Task& ran = task(span.task);
    ran.name = name(event.text(Event::name));
    ran.ran = true;
    ran.start = span.start;
    ran.end = span.end;
    ran.cancelled = event.has(Event::cancelled);
    if (event.has(Event::wanted)) ran.wanted = static_cast<std::int16_t>(small(event, Event::wanted));
  }

  void read_footprint(const Event& event) {
    Task& of = task(small(event, Event::task));
    of.bytes = event.count(Event::bytes);
    of.items = small(event, Event::items);
  }

  void read_edge(const Event& event) { task(small(event, Event::to)).comes_after.push_back(small(event, Event::from)); }

  void read_async(const Event& event, const std::string& category, bool begins) {
    Trace& trace = part_->trace;
    const std::string& id = event.text(Event::id);
    const Ns at = ns(event.number(Event::ts));
    if (category == "move") {
      if (!begins) {
        trace.moves[begun(part_->open_moves, id)].end = at;
        return;
      }
      part_->open_moves[id] = trace.moves.size();
      trace.moves.push_back({at, at, event.count(Event::block), event.count(Event::bytes), event.text(Event::from),
                             event.text(Event::to)});
      part_->moved.try_emplace(small(event, Event::block), Block{event.text(Event::name), event.count(Event::bytes)});
      return;
    }
    if (category != "data wait" && category != "lock wait") refuse(fmt::format("an event whose cat is {:?}", category));
    if (!begins) {
      trace.data_waits[begun(part_->open_waits, id)].end = at;
      return;
    }
    part_->open_waits[id] = trace.data_waits.size();
    trace.data_waits.push_back({at, at, small(event, Event::task), what(event.text(Event::name)),
                                event.has(Event::had_by) ? name(event.text(Event::had_by)) : -1});
  }

  static std::size_t begun(const std::unordered_map<std::string, std::size_t>& open, const std::string& id) {
    const auto found = open.find(id);
    if (found == open.end()) refuse(fmt::format("the end of {}, which has not begun", id));
    return found->second;
  }

  static For what(const std::string& name) {
    return name == "waits for room"               ? For::room
           : name == "waits for commutative data" ? For::lock
           : name == "waits for a data block"     ? For::block
                                                  : For::blocks;
  }

  void read_instant(const Event& event, const std::string& category) {
    if (category == "steal") {
      part_->trace.steals.push_back({ns(event.number(Event::ts)), small(event, Event::tid), small(event, Event::victim),
                                     small(event, Event::tasks), small(event, Event::distance)});
    } else if (category == "evict") {
      ++part_->trace.evictions;
    } else if (category == "footprint") {
      read_footprint(event);
    } else {
      refuse(fmt::format("an event whose cat is {:?}", category));
    }
  }

  void read_counter(const Event& event, const std::string& category) {
    constexpr std::string_view kBefore = "in ";
    if (category == "link") return;
    if (category != "resident" || !event.text(Event::name).starts_with(kBefore))
      refuse(fmt::format("an event whose cat is {:?}", category));
    const std::string tier = event.text(Event::name).substr(kBefore.size());
    part_->trace.residency[tier].push_back({ns(event.number(Event::ts)), event.count(Event::bytes)});
  }

  void read_row(const Event& event) {
    if (event.text(Event::name) == "thread_name") part_->rows[small(event, Event::tid)] = event.text(Event::row);
  }

  void describe(Trace& trace, const Parsed& about) {
    trace.runtime = about.at("runtime");
    trace.workers = about.at("workers");
    trace.machine = about.at("machine");
    trace.policy = about.value("policy", "");
    trace.memory_gb_per_s = about.value("memory_gb_per_s", 0.0);
    trace.start = ns(about.at("start_us").get<double>());
    trace.end = ns(about.at("end_us").get<double>());
    trace.lost_events = about.at("lost_events");
    trace.counters = about.at("counters").get<std::map<std::string, std::uint64_t>>();
    for (const Parsed& t : about.at("tracks")) trace.tracks.push_back({t.at("name"), t.at("worker"), t.at("domain")});
    for (const Parsed& t : about.at("tiers")) {
      trace.tiers.push_back({t.at("name"), t.at("budget_bytes"), t.at("read_gb_per_s"), t.at("write_gb_per_s")});
    }
    for (const Parsed& b : about.at("blocks")) trace.blocks.push_back({b.at("name"), b.at("bytes")});
    check(trace);
  }

  // What the events say of tasks and rows is there.
  void check(const Trace& trace) const {
    constexpr int kMostWorkers = 1 << 16;
    if (trace.workers < 1 || trace.workers > kMostWorkers) refuse(fmt::format("{} workers", trace.workers));
    if (trace.end < trace.start) refuse("a runtime that ends before it starts");
    for (const TrackRow& track : trace.tracks) {
      const bool good =
          track.worker >= -1 && track.worker < kMostWorkers && track.domain >= -1 && track.domain < kMostWorkers;
      if (!good) refuse(fmt::format("row {:?} of worker {} in domain {}", track.name, track.worker, track.domain));
    }
    for (const Task& task : trace.tasks) {
      for (const std::uint32_t before : task.comes_after) {
        if (before >= trace.tasks.size()) refuse(fmt::format("an edge from task {}, which is not there", before));
      }
    }
    for (const Span& span : trace.spans) {
      if (span.track >= trace.tracks.size()) refuse(fmt::format("something in row {}, which is not there", span.track));
    }
  }

  void guess(Trace& trace) {
    const Part& part = parts_[trace.runtime];
    trace.cut = true;
    trace.machine = "a machine that the file does not name";
    for (const auto& [track, name] : part.rows) {
      const bool is_worker = name.starts_with("worker ");
      const bool is_other = name.starts_with("guest ") || name.starts_with("spare ");
      const int index = is_worker || is_other ? std::atoi(name.c_str() + name.find(' ')) : -1;
      trace.tracks.resize(std::max<std::size_t>(trace.tracks.size(), track + 1));
      trace.tracks[track] = {name, index, -1};
      trace.workers += is_worker ? 1 : 0;
    }
    trace.start = trace.spans.empty() ? 0 : trace.spans.front().start;
    for (const Span& span : trace.spans) {
      trace.start = std::min(trace.start, span.start);
      trace.end = std::max(trace.end, span.end);
    }
    for (const Move& move : trace.moves) trace.end = std::max(trace.end, move.end);
    for (const auto& [tier, changes] : trace.residency) trace.tiers.push_back({tier, 0, 0, 0});
    for (const auto& [block, about] : part.moved) {
      trace.blocks.resize(std::max<std::size_t>(trace.blocks.size(), block + 1));
      trace.blocks[block] = about;
    }
    for (Task& task : trace.tasks) {
      task.comes_after.erase_if([&](std::uint32_t before) { return before >= trace.tasks.size(); });
    }
  }

  // In order (nesting.hpp). Halves of fork_join() have the number 0 in the file: each gets one of its own, above those
  // of tasks.
  void finish_spans(Trace& trace) {
    if (trace.tasks.empty()) trace.tasks.emplace_back();
    trace.names.emplace_back("half of a fork_join");
    for (const auto& [part, span] : halves_) {
      if (part != &parts_[trace.runtime]) continue;
      Span own = span;
      own.task = static_cast<std::uint32_t>(trace.tasks.size());
      Task half;
      half.name = static_cast<int>(trace.names.size()) - 1;
      half.ran = true;
      half.start = span.start;
      half.end = span.end;
      trace.tasks.push_back(std::move(half));
      trace.spans.push_back(own);
    }
    std::stable_sort(trace.spans.begin(), trace.spans.end(), &comes_before);
  }

  const std::uint64_t most_;
  std::uint64_t events_ = 0;
  std::map<int, Part> parts_;
  Part* part_ = nullptr;
  int runtime_ = 0;  // of part_
  std::vector<std::pair<Part*, Span>> halves_;
};

base::Status no_trace(const std::string& name, const std::string& why) {
  return {base::Code::bad_input,
          fmt::format("{}: not a trace of Weir ({}); WEIR_TRACE={} or --trace writes one", name, why, name)};
}

constexpr std::string_view kFormat = "weir-trace-2", kFormatBefore = "weir-trace-1";  // which has no checksum

// A runtime writes the one at the start, the other at the end.
bool is_ours(std::string_view json) {
  return json.substr(0, 400).find("\"weir runtime ") != std::string_view::npos ||
         json.rfind("\"weir-trace-") != std::string_view::npos;
}

base::Status damaged(const std::string& name, const std::string& how, bool has_checksum) {
  return {base::Code::bad_input,
          fmt::format("{}: damaged: {}; copy it again, or trace the run again{}", name, how,
                      has_checksum ? "" : " (this file has no checksum: more of it may be wrong than what was found)")};
}

// What was written before its program was killed: it stops somewhere, or the system has lost the last of it.
bool ends_early(std::string_view json, std::size_t at) {
  at = std::min(at, json.size());
  return json.find_first_not_of('\0', at == 0 ? 0 : at - 1) == std::string_view::npos || at == json.size();
}

// All of it, whatever has become of its bytes: the last lines are there.
bool has_end(std::string_view json) {
  const std::string_view last = json.substr(json.size() - std::min<std::size_t>(json.size(), 48));
  for (const std::string_view word : {"\"checksum", "crc32c", "\n]}}"}) {
    if (last.find(word) != std::string_view::npos) return true;
  }
  return false;
}

base::Result<std::vector<Trace>> finish(Reader& reader, const Scanned& scanned, const std::string& name,
                                        bool has_checksum) {
  const Parsed& rest = scanned.rest;
  const bool has_format = rest.is_object() && rest.contains("otherData") && rest["otherData"].is_object();
  const std::string format = has_format ? rest["otherData"].value("format", "") : "";
  if (format == kFormat && !has_checksum) return damaged(name, "its last line does not say its checksum", false);
  if (format != kFormat && format != kFormatBefore) return no_trace(name, fmt::format("no format {}", kFormat));
  if (reader.events() == 0) return damaged(name, "it has no event", has_checksum);
  return reader.finish(rest["otherData"].at("runtimes"));
}

// Events are taken as they are parsed and then forgotten: what is left is small.
base::Result<std::vector<Trace>> read(std::string_view json, const std::string& name) {
  if (json.empty()) return no_trace(name, "it is empty");
  const std::optional<trace::Checksum> checksum = trace::find_checksum(json);
  if (checksum && checksum->said != checksum->is) {
    return damaged(
        name,
        fmt::format("its contents have the checksum {:08x}, its last line says {:08x}", checksum->is, checksum->said),
        true);
  }
  constexpr std::uint64_t kAny = ~std::uint32_t{0};
  Reader reader(checksum ? kAny : json.size());
  try {
    const Scanned scanned = scan_events(json, [&reader](const Event& event) { reader.read(event); });
    if (scanned.cut_at == 0) return finish(reader, scanned, name, checksum.has_value());
    if (!has_end(json) && ends_early(json, scanned.cut_at)) return reader.finish_cut();
    return damaged(name, fmt::format("what stands at byte {} cannot be", scanned.cut_at), checksum.has_value());
  } catch (const std::exception& error) {
    if (!is_ours(json)) return no_trace(name, error.what());
    return damaged(name, fmt::format("behind event {}: {}", reader.events(), error.what()), checksum.has_value());
  }
}

// A regular file in memory; empty for anything else.
class Mapped {
 public:
  explicit Mapped(const std::string& path) : fd_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    struct stat about {};
    if (fd_ < 0 || fstat(fd_, &about) != 0 || !S_ISREG(about.st_mode) || about.st_size == 0) return;
    void* const at = mmap(nullptr, static_cast<std::size_t>(about.st_size), PROT_READ, MAP_PRIVATE, fd_, 0);
    if (at == MAP_FAILED) return;
    text_ = {static_cast<const char*>(at), static_cast<std::size_t>(about.st_size)};
    madvise(at, text_.size(), MADV_SEQUENTIAL);
  }
  Mapped(const Mapped&) = delete;
  Mapped& operator=(const Mapped&) = delete;
  ~Mapped() {
    if (!text_.empty()) munmap(const_cast<char*>(text_.data()), text_.size());
    if (fd_ >= 0) close(fd_);
  }
  std::string_view text() const { return text_; }

 private:
  int fd_;
  std::string_view text_;
};

}  // namespace

base::Result<std::vector<Trace>> read_traces(std::istream& input, const std::string& name) {
  return read(std::string(std::istreambuf_iterator<char>(input), {}), name);
}

base::Result<std::vector<Trace>> read_traces(const std::string& path) {
  if (path.ends_with(".otf2")) {
    return base::Status{base::Code::bad_input,
                        fmt::format("{}: an OTF2 archive is for other tools (otf2-print, Vampir); trace to a name that "
                                    "does not end in .otf2 for a report",
                                    path)};
  }
  const Mapped mapped(path);
  if (!mapped.text().empty()) return read(mapped.text(), path);
  if (base::Status status = platform::check_readable(path); !status) {
    const bool has_part = access((path + ".part").c_str(), R_OK) == 0;
    if (status.code == base::Code::not_found && has_part) {
      status.message += fmt::format(
          "; {}.part is of a program that has not ended, or was killed: weir report {}.part "
          "says what it holds",
          path, path);
    }
    return status;
  }
  if (platform::kind_of(path) == "a device")  // of which some never end
    return base::Status{base::Code::bad_input, fmt::format("{}: cannot be read: it is a device, no trace", path)};
  try {
    std::ifstream file(path);
    return read_traces(file, path);
  } catch (const std::ios_base::failure&) {
    return base::Status{base::Code::io_error, fmt::format("{}: cannot be read", path)};
  }
}

}  // namespace weir::tool::report

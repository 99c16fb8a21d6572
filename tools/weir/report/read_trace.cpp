// SPDX-License-Identifier: Apache-2.0

#include "read_trace.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "nesting.hpp"
#include "scan_events.hpp"

namespace weir::tool::report {

namespace {

using Json = nlohmann::json;
using Event = ScannedEvent;

// Events come before what is said of their runtime.
class Reader {
 public:
  void read(const Event& event) {
    const std::string& category = event.text(Event::cat);
    const char phase = event.text(Event::ph)[0];
    const int runtime = static_cast<int>(event.number(Event::pid));
    if (part_ == nullptr || runtime != runtime_) part_ = &parts_[runtime_ = runtime];
    switch (phase) {
      case 'X': return read_span(event, category);
      case 's': return read_edge(event);
      case 'b':
      case 'e': return read_async(event, category, phase == 'b');
      case 'i': return read_instant(event, category);
      case 'C': return read_counter(event, category);
      case 'M': return read_row(event);
      default: return;
    }
  }

  std::vector<Trace> finish(const Json& runtimes) {
    std::vector<Trace> result;
    for (const Json& about : runtimes) {
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

  static Ns ns(double microseconds) { return std::llround(microseconds * 1000); }
  static std::uint32_t small(const Event& event, Event::Field field) {
    return static_cast<std::uint32_t>(event.number(field));
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
    } else {
      span.doing = Doing::stage;
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
    if (event.has(Event::wanted)) ran.wanted = static_cast<std::int16_t>(event.number(Event::wanted));
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
        trace.moves[part_->open_moves.at(id)].end = at;
        return;
      }
      part_->open_moves[id] = trace.moves.size();
      trace.moves.push_back({at, at, event.count(Event::block), event.count(Event::bytes), event.text(Event::from),
                             event.text(Event::to)});
      part_->moved.try_emplace(event.count(Event::block), Block{event.text(Event::name), event.count(Event::bytes)});
      return;
    }
    if (!begins) {
      trace.data_waits[part_->open_waits.at(id)].end = at;
      return;
    }
    part_->open_waits[id] = trace.data_waits.size();
    trace.data_waits.push_back({at, at, small(event, Event::task), what(event.text(Event::name)),
                                event.has(Event::had_by) ? name(event.text(Event::had_by)) : -1});
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
    }
    if (category == "evict") ++part_->trace.evictions;
    if (category == "footprint") read_footprint(event);
  }

  void read_counter(const Event& event, const std::string& category) {
    constexpr std::string_view kBefore = "in ";
    if (category != "resident") return;
    const std::string tier = event.text(Event::name).substr(kBefore.size());
    part_->trace.residency[tier].push_back({ns(event.number(Event::ts)), event.count(Event::bytes)});
  }

  void read_row(const Event& event) {
    if (event.text(Event::name) == "thread_name") part_->rows[small(event, Event::tid)] = event.text(Event::row);
  }

  void describe(Trace& trace, const Json& about) {
    trace.runtime = about.at("runtime");
    trace.workers = about.at("workers");
    trace.machine = about.at("machine");
    trace.policy = about.value("policy", "");
    trace.memory_gb_per_s = about.value("memory_gb_per_s", 0.0);
    trace.start = ns(about.at("start_us").get<double>());
    trace.end = ns(about.at("end_us").get<double>());
    trace.lost_events = about.at("lost_events");
    trace.counters = about.at("counters").get<std::map<std::string, std::uint64_t>>();
    for (const Json& t : about.at("tracks")) trace.tracks.push_back({t.at("name"), t.at("worker"), t.at("domain")});
    for (const Json& t : about.at("tiers")) {
      trace.tiers.push_back({t.at("name"), t.at("budget_bytes"), t.at("read_gb_per_s"), t.at("write_gb_per_s")});
    }
    for (const Json& b : about.at("blocks")) trace.blocks.push_back({b.at("name"), b.at("bytes")});
  }

  void guess(Trace& trace) {
    const Part& part = parts_[trace.runtime];
    trace.cut = true;
    trace.machine = "a machine that the file does not name";
    for (const auto& [track, name] : part.rows) {
      const bool is_worker = name.starts_with("worker "), is_guest = name.starts_with("guest ");
      const int index = is_worker || is_guest ? std::atoi(name.c_str() + name.find(' ')) : -1;
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

  std::map<int, Part> parts_;
  Part* part_ = nullptr;
  int runtime_ = 0;  // of part_
  std::vector<std::pair<Part*, Span>> halves_;
};

base::Status no_trace(const std::string& name, const std::string& why) {
  return {base::Code::bad_input,
          fmt::format("{}: not a trace of Weir ({}); WEIR_TRACE={} or --trace writes one", name, why, name)};
}

// Events are taken as they are parsed and then forgotten: what is left is small.
base::Result<std::vector<Trace>> read(std::string_view json, const std::string& name) {
  Reader reader;
  try {
    const auto [rest, cut_at] = scan_events(json, [&reader](const Event& event) { reader.read(event); });
    if (cut_at != 0) return reader.finish_cut();
    if (!rest.is_object() || !rest.contains("otherData") || rest["otherData"].value("format", "") != "weir-trace-1") {
      return no_trace(name, "no format weir-trace-1");
    }
    return reader.finish(rest["otherData"].at("runtimes"));
  } catch (const std::exception& error) {
    return no_trace(name, error.what());
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
  std::ifstream file(path);
  if (!file) {
    const int error = errno;
    const bool has_part = access((path + ".part").c_str(), R_OK) == 0;
    return base::Status{
        base::Code::not_found,
        fmt::format("{}: cannot be read: {}{}", path, std::strerror(error),
                    has_part ? fmt::format("; {}.part is of a program that has not ended, or was killed: "
                                           "weir report {}.part says what it holds",
                                           path, path)
                             : "")};
  }
  return read_traces(file, path);
}

}  // namespace weir::tool::report

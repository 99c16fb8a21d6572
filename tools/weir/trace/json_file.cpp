// SPDX-License-Identifier: Apache-2.0

#include "json_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <system_error>
#include <vector>

#include "json_lines.hpp"
#include "resolver.hpp"

namespace weir::tool::convert {

namespace {

constexpr std::size_t kPiece = std::size_t{1} << 20;  // bytes that are written at once

template <class Items, class Describe>
void list(std::string& text, std::string_view key, const Items& items, std::string_view brackets, Describe&& describe) {
  text += fmt::format(",\"{}\":{}", key, brackets[0]);
  const char* separator = "";
  for (const auto& item : items) {
    text += separator;
    text += describe(item);
    separator = ",";
  }
  text += brackets[1];
}

std::string describe_summary(const RuntimeInfo& runtime, const TimeScale& scale) {
  const Summary& s = runtime.summary;
  std::string text = fmt::format(
      ",\"workers\":{},\"machine\":{},\"policy\":{},\"memory_gb_per_s\":{},\"start_us\":{:.3f},\"end_us\":{:.3f},"
      "\"lost_events\":{}",
      s.workers, json_string(s.machine), json_string(s.policy), s.memory_gb_per_s,
      static_cast<double>(scale.ns(s.start)) / 1e3, static_cast<double>(scale.ns(s.end)) / 1e3, runtime.lost);
  list(text, "counters", s.counters, "{}",
       [](const auto& c) { return fmt::format("{}:{}", json_string(c.first), c.second); });
  list(text, "tiers", s.tiers, "[]", [](const TierInfo& t) {
    return fmt::format("{{\"name\":{},\"budget_bytes\":{},\"read_gb_per_s\":{},\"write_gb_per_s\":{}}}",
                       json_string(t.name), t.budget, t.read_gb_per_s, t.write_gb_per_s);
  });
  return text;
}

// What is said of a runtime behind the events. Of one that has not ended, no more than its rows and blocks.
std::string describe(const RuntimeInfo& runtime, Resolver& resolver) {
  std::string text = fmt::format("{{\"runtime\":{}", runtime.number);
  text += runtime.ended ? describe_summary(runtime, resolver.scale()) : ",\"ends_early\":true";
  list(text, "tracks", runtime.tracks, "[]", [](const Definition& t) {
    return fmt::format("{{\"name\":{},\"worker\":{},\"domain\":{}}}", json_string(t.name),
                       static_cast<std::int64_t>(t.first), static_cast<std::int64_t>(t.second));
  });
  list(text, "links", resolver.links(), "[]", [&](const auto& link) {
    return fmt::format("{{\"from\":{},\"to\":{},\"bytes\":{},\"moves\":{}}}", resolver.tier(link.first >> 4).json,
                       resolver.tier(link.first & 15).json, link.second.bytes, link.second.moves);
  });
  list(text, "blocks", runtime.blocks, "[]",
       [](const Definition& b) { return fmt::format("{{\"name\":{},\"bytes\":{}}}", json_string(b.name), b.first); });
  return text + '}';
}

class Writer {
 public:
  explicit Writer(const std::string& path) : path_(path), file_(std::fopen(path.c_str(), "wb")) {}
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
  ~Writer() {
    if (file_ != nullptr) std::fclose(file_);
  }

  TextBuffer text;
  // The next number of an arrow, or of what overlaps: different in one file, and below 2^53, which all readers tell
  // apart.
  std::uint64_t next_id() noexcept { return ++last_id_; }
  void write_when_full() {
    if (text.text().size() >= kPiece) write();
  }
  base::Status close() {
    write();
    if (file_ != nullptr && std::fclose(std::exchange(file_, nullptr)) != 0 && error_ == 0) error_ = errno;
    if (error_ == 0) return base::Status::success();
    return {base::Code::io_error, fmt::format("{}: cannot be written: {}", path_, std::strerror(error_))};
  }

 private:
  void write() {
    const std::string_view piece = text.text();
    if (file_ == nullptr || std::fwrite(piece.data(), 1, piece.size(), file_) != piece.size()) {
      if (error_ == 0) error_ = errno;
    }
    text.clear();
  }

  const std::string path_;
  std::FILE* file_;
  std::uint64_t last_id_ = 0;
  int error_ = 0;
};

// A process of the file: a runtime. Its number and its name.
struct Process {
  int number = 1;
  std::string name;
  std::int64_t shift_ns = 0;
};

// The first event follows nothing.
void begin_process(TextBuffer& to, const RuntimeInfo& runtime, const Process& process) {
  to << fmt::format(
      "{}{{\"ph\":\"M\",\"cat\":\"__metadata\",\"name\":\"process_name\",\"pid\":{},\"tid\":0,\"ts\":0.000,\"args\":{{"
      "\"name\":{}}}}}",
      process.number == 1 ? "" : ",\n", process.number, json_string(process.name));
  for (std::size_t i = 0; i < runtime.tracks.size(); ++i)
    write_row(to, process.number, i, json_string(runtime.tracks[i].name));
}

bool needs_id(Kind kind) noexcept {
  return kind == Kind::edge || kind == Kind::move || kind == Kind::data_wait || kind == Kind::received;
}

struct About {
  std::string text;  // of all runtimes
  TaskTable::Keeps keeps = TaskTable::Keeps::recent;
  bool has_forgotten = false;
};

// `about`: gets what is said of the runtime.
base::Status write_process(Writer& writer, const TraceReader& reader, const RuntimeInfo& runtime,
                           const Process& process, About& about) {
  begin_process(writer.text, runtime, process);
  Resolver resolver(reader, runtime, about.keeps);
  base::Status status = resolver.resolve([&](const Line& line) {
    Line moved = line;
    moved.start_ns += static_cast<std::uint64_t>(process.shift_ns);
    moved.end_ns += static_cast<std::uint64_t>(process.shift_ns);
    if (needs_id(line.kind)) moved.id = writer.next_id();
    write_line(writer.text, process.number, moved);
    writer.write_when_full();
  });
  if (status) about.text += (about.text.empty() ? "" : ",\n") + describe(runtime, resolver);
  about.has_forgotten = about.has_forgotten || resolver.has_forgotten();
  return status;
}

// `processes`: the number of the PE of each source.
void write_flows(Writer& writer, std::span<const JsonFlow> flows, const std::vector<int>& processes) {
  const auto point = [&](const JsonFlow::End& end) {
    return FlowPoint{processes[end.source], end.track, static_cast<std::uint64_t>(std::max<std::int64_t>(end.ns, 0))};
  };
  for (const JsonFlow& flow : flows) {
    write_flow(writer.text, writer.next_id(), flow.name, point(flow.from), point(flow.to));
    writer.write_when_full();
  }
}

base::Status end_file(Writer& writer, const std::string& about) {
  writer.text << "\n],\n\"displayTimeUnit\":\"ns\",\n\"otherData\":{\"format\":\"weir-json-3\",\"runtimes\":[\n"
              << about << "\n]}}\n";
  return writer.close();
}

base::Status write_keeping(TaskTable::Keeps keeps, std::span<const JsonSource> sources, std::span<const JsonFlow> flows,
                           const std::string& path) {
  Writer writer(path);
  writer.text << "{\"traceEvents\":[\n";
  About about;
  about.keeps = keeps;
  int number = 0;
  std::vector<int> pe_processes;
  for (const JsonSource& source : sources) {
    pe_processes.push_back(0);
    for (const RuntimeInfo& runtime : source.reader->runtimes()) {
      const bool is_pe = runtime.number == source.pe_runtime + 1;
      const std::string name = fmt::format("weir runtime {}", runtime.number);
      const Process process{++number,
                            is_pe                 ? source.name
                            : source.name.empty() ? name
                                                  : source.name + ": " + name,
                            source.shift_ns};
      if (is_pe) pe_processes.back() = number;
      if (base::Status status = write_process(writer, *source.reader, runtime, process, about); !status) return status;
    }
  }
  write_flows(writer, flows, pe_processes);
  if (base::Status status = end_file(writer, about.text); !status) return status;
  if (!about.has_forgotten || keeps == TaskTable::Keeps::all) return base::Status::success();
  return write_keeping(TaskTable::Keeps::all, sources, flows, path);
}

}  // namespace

base::Status write_json(const TraceReader& reader, const std::string& path) {
  return write_json(std::vector<JsonSource>{{&reader, "", ~std::size_t{0}, 0}}, {}, path);
}

base::Status write_json(std::span<const JsonSource> sources, std::span<const JsonFlow> flows, const std::string& path) {
  std::error_code error;
  const bool once = std::filesystem::is_other(path, error);  // what is no file cannot be written anew
  return write_keeping(once ? TaskTable::Keeps::all : TaskTable::Keeps::recent, sources, flows, path);
}

}  // namespace weir::tool::convert

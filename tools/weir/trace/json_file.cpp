// SPDX-License-Identifier: Apache-2.0

#include "json_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

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
  list(text, "counters", s.counters, "{}", [](const auto& c) { return fmt::format("\"{}\":{}", c.first, c.second); });
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
  int error_ = 0;
};

// The first event follows nothing.
void begin_runtime(TextBuffer& to, const RuntimeInfo& runtime) {
  to << fmt::format(
      "{}{{\"ph\":\"M\",\"cat\":\"__metadata\",\"name\":\"process_name\",\"pid\":{},\"tid\":0,\"ts\":0.000,\"args\":{{"
      "\"name\":\"weir runtime {}\"}}}}",
      runtime.number == 1 ? "" : ",\n", runtime.number, runtime.number);
  for (std::size_t i = 0; i < runtime.tracks.size(); ++i)
    write_row(to, runtime.number, i, json_string(runtime.tracks[i].name));
}

}  // namespace

base::Status write_json(const TraceReader& reader, const std::string& path) {
  Writer writer(path);
  writer.text << "{\"traceEvents\":[\n";
  std::string about;
  for (const RuntimeInfo& runtime : reader.runtimes()) {
    begin_runtime(writer.text, runtime);
    Resolver resolver(reader, runtime);
    base::Status status = resolver.resolve([&](const Line& line) {
      write_line(writer.text, runtime.number, line);
      writer.write_when_full();
    });
    if (!status) return status;
    about += (about.empty() ? "" : ",\n") + describe(runtime, resolver);
  }
  writer.text << "\n],\n\"displayTimeUnit\":\"ns\",\n\"otherData\":{\"format\":\"weir-json-3\",\"runtimes\":[\n"
              << about << "\n]}}\n";
  return writer.close();
}

}  // namespace weir::tool::convert

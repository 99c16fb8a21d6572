// SPDX-License-Identifier: Apache-2.0

#include "scan_events.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <stdexcept>
#include <utility>
#include <vector>

namespace weir::tool::report {

namespace {

using Parsed = nlohmann::json;

constexpr std::array<std::string_view, ScannedEvent::kFields> kNames = {
    "ph",        "cat",  "name", "pid",   "tid",      "ts",    "dur",    "id",     "task",   "items", "bytes",
    "cancelled", "from", "to",   "block", "distance", "tasks", "victim", "had_by", "wanted", "name"};

constexpr int kNoField = ScannedEvent::kFields;

// `depth`: 1 for the event's own, 2 for those of its args.
int field_of(const std::string& key, int depth) {
  if (depth == 2 && key == kNames[ScannedEvent::row]) return ScannedEvent::row;
  for (int i = 0; i < kNoField; ++i) {
    if (kNames[static_cast<std::size_t>(i)] == key) return i;
  }
  return kNoField;
}

// Values outside of the events, put together from their pieces.
class Builder {
 public:
  void open(Parsed container) {
    levels_.push_back(std::move(container));
    keys_.emplace_back();
  }
  void key(std::string text) { keys_.back() = std::move(text); }
  void value(Parsed json) {
    if (levels_.back().is_array()) {
      levels_.back().push_back(std::move(json));
    } else {
      levels_.back()[keys_.back()] = std::move(json);
    }
  }
  // True when that was the outermost.
  bool close() {
    Parsed done = std::move(levels_.back());
    levels_.pop_back();
    keys_.pop_back();
    if (levels_.empty()) {
      result = std::move(done);
      return true;
    }
    value(std::move(done));
    return false;
  }
  std::size_t depth() const { return levels_.size(); }

  Parsed result;

 private:
  std::vector<Parsed> levels_;
  std::vector<std::string> keys_;
};

class Scan final : public nlohmann::json_sax<Parsed> {
 public:
  explicit Scan(const std::function<void(const ScannedEvent&)>& on_event) : on_event_(on_event) {}

  Parsed& result() { return builder_.result; }
  std::string error;
  std::size_t cut_at = 0;

  bool null() override { return other(nullptr); }
  bool boolean(bool value) override { return event_depth_ > 0 ? take(value ? 1 : 0) : other(value); }
  bool number_integer(std::int64_t value) override {
    return event_depth_ > 0 ? take(static_cast<double>(value)) : other(value);
  }
  bool number_unsigned(std::uint64_t value) override {
    return event_depth_ > 0 ? take(static_cast<double>(value)) : other(value);
  }
  bool number_float(double value, const std::string&) override { return event_depth_ > 0 ? take(value) : other(value); }
  bool string(std::string& value) override {
    if (event_depth_ == 0) return other(value);
    if (field_ == kNoField) return true;
    event_.texts[field_].swap(value);
    event_.is_text |= 1U << field_;
    return true;
  }
  bool binary(Parsed::binary_t&) override { return true; }

  bool start_object(std::size_t) override {
    if (!in_events_) {
      builder_.open(Parsed::object());
    } else if (++event_depth_ == 1) {
      event_.is_text = event_.is_number = 0;
    }
    return true;
  }
  bool key(std::string& key) override {
    if (event_depth_ > 0) {
      field_ = field_of(key, event_depth_);
    } else {
      is_events_ = builder_.depth() == 1 && key == "traceEvents";
      builder_.key(key);
    }
    return true;
  }
  bool end_object() override {
    if (!in_events_) {
      builder_.close();
    } else if (--event_depth_ == 0) {
      seen_ = true;
      on_event_(event_);
    }
    return true;
  }
  bool start_array(std::size_t) override {
    if (event_depth_ > 0) throw std::runtime_error("an array in an event");
    if (is_events_) {
      in_events_ = true;
    } else {
      builder_.open(Parsed::array());
    }
    return true;
  }
  bool end_array() override {
    if (in_events_) {
      in_events_ = is_events_ = false;
    } else {
      builder_.close();
    }
    return true;
  }
  bool parse_error(std::size_t at, const std::string&, const nlohmann::detail::exception& exception) override {
    error = exception.what();
    if (seen_) cut_at = at;
    return false;
  }

 private:
  bool take(double value) {
    if (field_ == kNoField) return true;
    event_.numbers[field_] = value;
    event_.is_number |= 1U << field_;
    return true;
  }
  bool other(Parsed value) {
    if (builder_.depth() != 0 && !in_events_) builder_.value(std::move(value));
    return true;
  }

  const std::function<void(const ScannedEvent&)>& on_event_;
  Builder builder_;
  bool is_events_ = false, in_events_ = false;
  bool seen_ = false;    // an event
  int event_depth_ = 0;  // 1 in an event, 2 in its args
  int field_ = kNoField;
  ScannedEvent event_;
};

std::runtime_error missing(ScannedEvent::Field field) {
  return std::runtime_error(fmt::format("an event without {}", kNames[field]));
}

}  // namespace

const std::string& ScannedEvent::text(Field field) const {
  if ((is_text >> field & 1) == 0) throw missing(field);
  return texts[field];
}

double ScannedEvent::number(Field field) const {
  if ((is_number >> field & 1) == 0) throw missing(field);
  return numbers[field];
}

std::uint64_t ScannedEvent::count(Field field) const {
  constexpr double kMost = 9007199254740992.0;  // 2^53
  const double value = number(field);
  if (!(value >= 0 && value <= kMost) || value != std::floor(value)) {
    throw std::runtime_error(fmt::format("an event whose {} is {}", kNames[field], value));
  }
  return static_cast<std::uint64_t>(value);
}

Scanned scan_events(std::string_view json, const std::function<void(const ScannedEvent&)>& on_event) {
  Scan scan(on_event);
  if (Parsed::sax_parse(json.data(), json.data() + json.size(), &scan)) return {std::move(scan.result()), 0};
  if (scan.cut_at == 0) throw std::runtime_error(scan.error);
  return {nullptr, scan.cut_at};
}

}  // namespace weir::tool::report

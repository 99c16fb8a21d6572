// SPDX-License-Identifier: Apache-2.0

#include "checkpoint/variables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "checkpoint/bytes.hpp"
#include "platform/crc32c.hpp"

namespace weir::checkpoint {

namespace {

using base::Code;
using base::Result;
using base::Status;

struct LogHead {
  std::uint64_t point;
  std::uint32_t variable;
  std::uint32_t bytes;
};

}  // namespace

std::size_t Variables::find(std::string_view name) const noexcept {
  const auto found = std::find_if(variables_.begin(), variables_.end(), [&](const auto& v) { return v.name == name; });
  return static_cast<std::size_t>(found - variables_.begin());
}

std::string_view Variables::Variable::value(std::string& room) const {
  if (padding.clear == nullptr) return {memory, bytes};
  std::size_t space = bytes + padding.alignment;
  room.resize(space);
  void* copy = room.data();
  std::align(padding.alignment, bytes, copy, space);
  std::memcpy(copy, memory, bytes);
  padding.clear(copy, bytes);
  return {static_cast<const char*>(copy), bytes};
}

Result<std::size_t> Variables::keep(std::string_view name, void* memory, std::size_t bytes, detail::Padding padding) {
  if (name.empty())
    return Status{Code::bad_input, "weir::Keep: a variable that is kept needs a name, the same in each run"};
  std::size_t sum = bytes;
  for (const Variable& other : variables_)
    if (other.memory != nullptr) sum += other.bytes;
  if (sum > kMostKeptBytes || bytes > kMostKeptBytes) {
    return Status{
        Code::bad_input,
        fmt::format("weir::Keep {:?} has {} bytes: variables that are kept may have {} together, since they are "
                    "copied at each wait(); make it a weir::Block, or adopt it as one",
                    name, bytes, kMostKeptBytes)};
  }
  const std::size_t number = find(name);
  if (number == variables_.size()) variables_.push_back({std::string(name)});
  Variable& variable = variables_[number];
  if (variable.memory != nullptr)
    return Status{Code::bad_input, fmt::format("weir::Keep {:?}: another variable of this name is kept", name)};
  variable.memory = static_cast<char*>(memory);
  variable.bytes = bytes;
  variable.padding = padding;
  return number;
}

bool Variables::covers(const void* from, std::size_t bytes) const noexcept {
  const char* const first = static_cast<const char*>(from);
  return std::any_of(variables_.begin(), variables_.end(), [&](const Variable& variable) {
    return variable.memory != nullptr && first >= variable.memory && first + bytes <= variable.memory + variable.bytes;
  });
}

void Variables::note_values(std::uint64_t point) {
  std::string room;
  for (std::size_t i = 0; i < variables_.size(); ++i) {
    Variable& variable = variables_[i];
    if (variable.memory == nullptr) continue;
    const std::string_view value = variable.value(room);
    if (variable.logged && variable.last == value) continue;
    log_ += bytes_of(LogHead{point, static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(variable.bytes)});
    log_ += value;
    variable.log_bytes += sizeof(LogHead) + value.size();
    variable.last = value;
    variable.logged = true;
  }
}

std::string Variables::large_log(std::size_t most) {
  if (large_log_said_ || log_.size() <= most) return {};
  large_log_said_ = true;
  const auto largest = std::max_element(variables_.begin(), variables_.end(), [](const auto& one, const auto& other) {
    return one.log_bytes < other.log_bytes;
  });
  return fmt::format(
      "the log of variables that are kept has {} MiB, and each checkpoint has all of it: {} of them in this run are "
      "values of {:?}, which "
      "changes at many waits; make it a weir::Block, or adopt its memory as one, of which a checkpoint has the last "
      "contents alone",
      log_.size() >> 20, largest->log_bytes >> 20, largest->name);
}

Status Variables::restore_values(std::uint64_t point) {
  while (read_ < log_.size()) {
    LogHead head;
    std::memcpy(&head, log_.data() + read_, sizeof head);
    if (head.point > point) break;
    Variable& variable = variables_[head.variable];
    if (variable.memory == nullptr || variable.bytes != head.bytes) {
      return {Code::bad_input,
              variable.memory == nullptr
                  ? fmt::format("the checkpoint has variable {:?} at wait {}, and this run does not keep it there",
                                variable.name, point)
                  : fmt::format("the checkpoint has {} bytes of variable {:?}, and this run keeps {}", head.bytes,
                                variable.name, variable.bytes)};
    }
    variable.last.assign(log_, read_ + sizeof head, head.bytes);
    variable.logged = true;
    std::memcpy(variable.memory, variable.last.data(), head.bytes);
    read_ += sizeof head + head.bytes;
  }
  // Whatever the program has made of them since the last point, tasks that are skipped have set them again.
  for (const Variable& variable : variables_)
    if (variable.memory != nullptr && variable.logged && variable.last.size() == variable.bytes)
      std::memcpy(variable.memory, variable.last.data(), variable.bytes);
  return Status::success();
}

std::string Variables::encode() const {
  Encoder to;
  to << std::uint64_t{variables_.size()};
  for (const Variable& variable : variables_) to << std::string_view(variable.name);
  to << std::string_view(log_);
  return std::move(to).text();
}

bool Variables::decode(std::string_view text) {
  Decoder from(text);
  std::uint64_t count = 0;
  from >> count;
  for (std::uint64_t i = 0; i < count && from.good(); ++i) {
    std::string name;
    from >> name;
    variables_.push_back({std::move(name)});
  }
  from >> log_;
  for (std::size_t at = 0; from.good() && at < log_.size();) {
    LogHead head;
    if (log_.size() - at < sizeof head) return false;
    std::memcpy(&head, log_.data() + at, sizeof head);
    if (head.variable >= count || head.bytes > log_.size() - at - sizeof head) return false;
    at += sizeof head + head.bytes;
  }
  return from.good() && from.at_end();
}

std::uint32_t Variables::checksum() const {
  std::uint32_t sum = 0;
  std::string room;
  for (const Variable& variable : variables_)
    if (variable.memory != nullptr) sum = platform::crc32c(variable.value(room), platform::crc32c(variable.name, sum));
  return sum;
}

}  // namespace weir::checkpoint

// SPDX-License-Identifier: Apache-2.0

// Variables: what a program keeps (weir::Keep), and the log of the values that they had at each point.
//
// A value is logged at a point when it is another than at the last one. A run that is restarted reads the log from its
// beginning, so that at each point of the way its variables are what they were. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "weir/keep.hpp"

namespace weir::checkpoint {

class Variables {
 public:
  // Its number, for forget(): several may have some memory in common. bad_input: the name is empty or in use, or the
  // whole would be more than can be kept.
  base::Result<std::size_t> keep(std::string_view name, void* memory, std::size_t bytes, detail::Padding padding = {});
  void forget(std::size_t number) noexcept { variables_[number].memory = nullptr; }
  bool covers(const void* from, std::size_t bytes) const noexcept;

  // Notes what has changed.
  void note_values(std::uint64_t point);
  // Bytes of the log from which on it says, once, what is in it: each checkpoint has all of it.
  static constexpr std::size_t kLargeLog = std::size_t{256} << 20;
  // That the log has grown beyond `most`, and which variable has most of it; empty: it has not, or it was said.
  std::string large_log(std::size_t most = kLargeLog);
  // Gives variables the values that the log has for this point. bad_input: the program keeps another set.
  base::Status restore_values(std::uint64_t point);

  std::string encode() const;
  // In place of what was logged. False: that is no log.
  bool decode(std::string_view text);
  // The checksum of all values now, by name: the same on ranks whose variables are.
  std::uint32_t checksum() const;

 private:
  struct Variable {
    std::string name;
    char* memory = nullptr;  // null: not kept at the moment
    std::size_t bytes = 0;
    detail::Padding padding{};
    std::string last{};  // the value in the log
    bool logged = false;
    std::size_t log_bytes = 0;  // of this run
    // The same bytes whenever it has the same value; `room`: where they may be.
    std::string_view value(std::string& room) const;
  };
  // One that is kept, or was; behind the last: none.
  std::size_t find(std::string_view name) const noexcept;

  std::vector<Variable> variables_;  // by number, which the log has
  std::string log_;                  // point, number, bytes: of note_values()
  std::size_t read_ = 0;             // of the log, by restore_values()
  bool large_log_said_ = false;
};

}  // namespace weir::checkpoint

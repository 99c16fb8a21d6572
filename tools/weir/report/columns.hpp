// SPDX-License-Identifier: Apache-2.0

// Columns: arrays of numbers for the page, as bytes that a browser reads in place.
//
// A column is stored as the narrowest of u8, u16, u32 and f64 that holds all its values, at a multiple of eight bytes,
// little-endian; what grows or changes little is stored as differences. page/data.js reads it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "json.hpp"

namespace weir::tool::report {

class Columns {
 public:
  // Values below 2^53.
  void add(const std::string& name, std::span<const std::uint64_t> values);
  // The same as differences between neighbours, beginning with that to 0.
  void add_differences(const std::string& name, std::span<const std::int64_t> values);

  // {"name": {"type": "u16", "count": 12, "offset": 0, "differences": false}, ...}
  const Json& about() const noexcept { return about_; }
  std::span<const std::byte> bytes() const noexcept { return bytes_; }

 private:
  void store(const std::string& name, std::span<const std::uint64_t> values, bool differences);

  Json about_ = Json::object();
  std::vector<std::byte> bytes_;
};

// Compressed (zlib), then in base64.
std::string packed(std::span<const std::byte> bytes);

}  // namespace weir::tool::report

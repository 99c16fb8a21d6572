// SPDX-License-Identifier: Apache-2.0

// Addresses of a program's functions in a checkpoint: the file that they are in, as it was built, and where in it,
// since the next run is loaded elsewhere. One thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/result.hpp"
#include "checkpoint/bytes.hpp"
#include "ocr/objects/origin.hpp"

namespace weir::ocr {

// Gives numbers to what a checkpoint refers to; 0: null, or code of no file.
class AddressWriter {
 public:
  std::uint32_t code(const void* address);
  std::uint32_t kind(const EdtKind* kind);
  void encode(checkpoint::Encoder& to) const;

 private:
  checkpoint::Encoder codes_, kinds_;
  std::uint32_t code_count_ = 0, kind_count_ = 0;
  std::vector<std::uint64_t> files_;
  std::unordered_map<const void*, std::uint32_t> number_of_code_, number_of_kind_;
};

class AddressReader {
 public:
  // bad_input: a file is another one in this run, or is not there. `path`: for messages.
  static base::Result<AddressReader> decode(checkpoint::Decoder& from, const std::string& path);
  const void* code(std::uint32_t number) const noexcept { return number < codes_.size() ? codes_[number] : nullptr; }
  const EdtKind* kind(std::uint32_t number) const noexcept { return number < kinds_.size() ? kinds_[number] : nullptr; }

 private:
  std::vector<const void*> codes_{nullptr};
  std::vector<const EdtKind*> kinds_{nullptr};
};

}  // namespace weir::ocr

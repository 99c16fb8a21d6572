// SPDX-License-Identifier: Apache-2.0

#include "ocr/image/addresses.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "platform/code_address.hpp"

namespace weir::ocr {

using base::Code;
using base::Result;
using base::Status;
using platform::BuiltFile;
using platform::CodeAddress;

std::uint32_t AddressWriter::code(const void* address) {
  if (address == nullptr) return 0;
  const auto [place, is_new] = number_of_code_.try_emplace(address, 0);
  if (!is_new) return place->second;
  const std::optional<CodeAddress> found = platform::find_code_address(address);
  if (!found) return 0;
  codes_ << found->file << found->offset;
  if (std::find(files_.begin(), files_.end(), found->file) == files_.end()) files_.push_back(found->file);
  return place->second = ++code_count_;
}

std::uint32_t AddressWriter::kind(const EdtKind* kind) {
  if (kind == nullptr) return 0;
  const auto [place, is_new] = number_of_kind_.try_emplace(kind, 0);
  if (!is_new) return place->second;
  kinds_ << code(reinterpret_cast<const void*>(kind->function)) << std::uint8_t{kind->name != nullptr}
         << std::string_view(kind->name == nullptr ? "" : kind->name);
  return place->second = ++kind_count_;
}

void AddressWriter::encode(checkpoint::Encoder& to) const {
  to << std::uint64_t{files_.size()};
  for (const std::uint64_t file : files_) {
    const BuiltFile built = platform::built_file(file).value_or(BuiltFile{});
    to << file << std::string_view(built.name) << std::string_view(built.build);
  }
  to << code_count_ << std::string_view(codes_.text()) << kind_count_ << std::string_view(kinds_.text());
}

Result<AddressReader> AddressReader::decode(checkpoint::Decoder& from, const std::string& path) {
  std::uint64_t files = 0;
  from >> files;
  for (std::uint64_t i = 0; i < files && from.good(); ++i) {
    std::uint64_t file = 0;
    BuiltFile then;
    from >> file >> then.name >> then.build;
    const std::optional<BuiltFile> now = platform::built_file(file);
    if (now && now->build == then.build) continue;
    const std::string difference =
        now ? fmt::format("here it is built otherwise ({} instead of {})", now->build, then.build) : "it is not here";
    return Status{Code::bad_input, fmt::format("{}: the run that wrote it had functions of {}, and {}: go on with the "
                                               "same program and libraries, or start without it",
                                               path, then.name, difference)};
  }
  AddressReader reader;
  std::uint32_t codes = 0, kinds = 0;
  std::string code_text, kind_text;
  from >> codes >> code_text >> kinds >> kind_text;
  checkpoint::Decoder each_code(code_text), each_kind(kind_text);
  for (std::uint32_t i = 0; i < codes && each_code.good(); ++i) {
    CodeAddress address;
    each_code >> address.file >> address.offset;
    reader.codes_.push_back(platform::code_at(address));
  }
  for (std::uint32_t i = 0; i < kinds && each_kind.good(); ++i) {
    std::uint32_t function = 0;
    std::uint8_t has_name = 0;
    std::string name;
    each_kind >> function >> has_name >> name;
    const auto called = reinterpret_cast<ocrEdt_t>(reinterpret_cast<std::uintptr_t>(reader.code(function)));
    reader.kinds_.push_back(intern(called, has_name != 0 ? name.c_str() : nullptr));
  }
  return reader;
}

}  // namespace weir::ocr

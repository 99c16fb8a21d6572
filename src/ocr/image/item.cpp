// SPDX-License-Identifier: Apache-2.0

#include "ocr/image/item.hpp"

#include <fmt/format.h>

#include <span>

namespace weir::ocr {

base::Result<ClaimedItem> claim_item(checkpoint::Past& image, std::uint64_t key, const char* name) {
  const checkpoint::ImageItem* const item = image.find(key);
  if (item == nullptr || item->name != name)
    return base::Status{
        base::Code::bad_input,
        fmt::format("{}: it is a checkpoint of no OCR program, or of another version of Weir", image.path())};
  const std::uint64_t bytes = item->bytes;
  base::Result<checkpoint::Contents> contents = image.claim(key, name, bytes);
  if (!contents) return contents.status();
  return ClaimedItem{*contents, bytes};
}

base::Result<std::string> read_item(checkpoint::Past& image, std::uint64_t key, const char* name) {
  const base::Result<ClaimedItem> item = claim_item(image, key, name);
  if (!item) return item.status();
  std::string bytes(item->bytes, '\0');
  if (base::Status status = item->contents.read_all(std::as_writable_bytes(std::span(bytes))); !status) return status;
  return bytes;
}

}  // namespace weir::ocr

// SPDX-License-Identifier: Apache-2.0

// Contents of data blocks of other ranks, of some version, as this rank has them: KeptContents are those that an EDT
// has used and a later one may use again, while the block's home says that they are of the block's version. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <new>
#include <optional>
#include <unordered_map>

#include "check/hooks.hpp"
#include "ocr/mail/reach.hpp"
#include "ocr/objects/guid.hpp"

namespace weir::ocr {

// In a room that other ranks read; while `weir check` watches the process, in memory of the checker's.
struct Contents {
  explicit Contents(std::size_t size) : bytes(size) {
    if (check::active()) [[unlikely]] {
      checked = static_cast<std::byte*>(check::hooks().allocate_block(size, ""));
      if (checked == nullptr) throw std::bad_alloc();
    } else {
      room.emplace(Reach::running()->make_room(size));
    }
  }
  ~Contents() {
    if (checked != nullptr) check::hooks().free_block(checked, true);
  }
  Contents(const Contents&) = delete;
  Contents& operator=(const Contents&) = delete;

  std::optional<Reach::Room> room;
  std::byte* checked = nullptr;
  std::size_t bytes;
  std::uint32_t uses = 0;  // that read it or will; guarded by the lock of all copies (copies.cpp)

  std::byte* data() const noexcept { return room ? room->data() : checked; }
};
using ContentsPtr = std::shared_ptr<Contents>;

// Those that were asked for least lately go first. Not thread-safe.
class KeptContents {
 public:
  struct Kept {
    std::uint64_t block = 0;
    std::uint32_t version = 0;
    ContentsPtr contents;
  };

  void keep(Guid block, std::uint32_t version, ContentsPtr contents, std::size_t most) {
    drop(block);
    if (contents->bytes > most) return;
    bytes_ += contents->bytes;
    latest_.push_front({block.bits, version, std::move(contents)});
    by_block_[block.bits] = latest_.begin();
    while (bytes_ > most) drop({latest_.back().block});
  }
  // Null: there are none.
  const Kept* find(Guid block) {
    const auto found = by_block_.find(block.bits);
    if (found == by_block_.end()) return nullptr;
    latest_.splice(latest_.begin(), latest_, found->second);
    return &latest_.front();
  }
  void drop(Guid block) {
    const auto found = by_block_.find(block.bits);
    if (found == by_block_.end()) return;
    bytes_ -= found->second->contents->bytes;
    latest_.erase(found->second);
    by_block_.erase(found);
  }
  void clear() {
    latest_.clear();
    by_block_.clear();
    bytes_ = 0;
  }
  std::size_t bytes() const noexcept { return bytes_; }

 private:
  std::list<Kept> latest_;  // first
  std::unordered_map<std::uint64_t, std::list<Kept>::iterator> by_block_;
  std::size_t bytes_ = 0;
};

}  // namespace weir::ocr

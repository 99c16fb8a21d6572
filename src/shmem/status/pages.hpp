// SPDX-License-Identifier: Apache-2.0

// Pages: what the StatusPages of other PEs say, on this host and on others.
//
// Those of others are read by gets, word by word, on a channel that no other thread uses: made for one look. One
// thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <string>

#include "shmem/rma/context.hpp"
#include "shmem/status/status_page.hpp"

namespace weir::shmem {

class Pages {
 public:
  explicit Pages(const StatusPage& mine) noexcept : mine_(mine), context_(Context::kPrivate, {}, nullptr) {}
  ~Pages() { close_channel(context_); }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;

  // That of a PE of this host, also of one that is kept apart (WEIR_SHMEM_REMOTE); null: it is on another one.
  static const StatusPage* here(int pe) noexcept;

  // A word of a PE's page, given by that of this PE's own page, or by one elsewhere in the library's own memory.
  template <class T>
  T read(int pe, const std::atomic<T>& own) {
    if (const auto* const there = static_cast<const std::atomic<T>*>(at(pe, &own)); there != nullptr)
      return there->load();
    T value{};
    read_far(pe, &own, &value, sizeof(T));
    return value;
  }
  // The text of what the PE claims (Standing); whole when it claims the same afterwards.
  std::string text(int pe);

  // Whether the PE writes no word any more that another one waits for: it is in finish(), or has been.
  bool has_left(int pe);

 private:
  const void* at(int pe, const void* own) const noexcept;  // null: it is read by a get
  void read_far(int pe, const void* own, void* to, std::size_t bytes);

  const StatusPage& mine_;
  Context context_;
};

}  // namespace weir::shmem

// SPDX-License-Identifier: Apache-2.0

// ObjectTable: all objects of one kind, found by index in two loads, without a lock.
//
// Chunks of memory are mapped when first needed and stay for ever, zeroed at first. Free objects lie in the lists of
// workers, which exchange batches through the table. A range of labels is a run of indices that is never given to
// anything else. T has ObjectWord word
// and T* next_free, unless it is only ever found, and reserved, by index.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <new>
#include <type_traits>
#include <vector>

#include "base/mutex.hpp"
#include "ocr/objects/object.hpp"
#include "platform/pages.hpp"

namespace weir::ocr {

template <class T>
class ObjectTable {
 public:
  // Free objects of one worker, last in, first out.
  struct FreeList {
    T* head = nullptr;
    std::uint32_t count = 0;
  };

  // Null when nothing of that index was ever made. Any thread.
  T* find(std::uint32_t index) const noexcept {
    T* const chunk = chunks_[index >> kChunkShift].load(std::memory_order_acquire);  // TABLE-1
    return chunk == nullptr ? nullptr : chunk + (index & kChunkMask);
  }
  // Makes its memory if need be. Throws std::bad_alloc.
  T& at(std::uint32_t index) {
    T* const found = find(index);
    return found != nullptr ? *found : add_chunk(index >> kChunkShift)[index & kChunkMask];
  }

  // The owner of the list only. Throws std::bad_alloc.
  T& allocate(FreeList& list) {
    if (list.head == nullptr) [[unlikely]]
      refill(list);
    T& object = *list.head;
    list.head = object.next_free;
    --list.count;
    return object;
  }
  void free(FreeList& list, T& object) noexcept {
    object.next_free = list.head;
    list.head = &object;
    if (++list.count >= 2 * kBatch) [[unlikely]]
      give_batch(list);
  }

  // The owner is about to go.
  void give_all(FreeList& list) noexcept {
    if (list.head == nullptr) return;
    const base::Lock lock(mutex_);
    batches_.push_back({list.head, list.count});
    list = {};
  }

  // From here on indices are given from these only. Before any object is made.
  void give_from(std::uint64_t first, std::uint64_t end) noexcept {
    next_.store(first, std::memory_order_relaxed);
    end_ = end;
  }
  // The first that has not been given, and the end of those that are to be given.
  std::uint64_t next() const noexcept { return next_.load(std::memory_order_relaxed); }
  std::uint64_t end() const noexcept { return end_; }

  // The first of `count` indices for labels. Throws std::bad_alloc when there are not so many left. Any thread.
  std::uint32_t reserve(std::uint64_t count) {
    std::uint64_t first = next_.load(std::memory_order_relaxed);
    do {
      if (first > end_ || count > end_ - first) throw std::bad_alloc();
    } while (!next_.compare_exchange_weak(first, first + count, std::memory_order_relaxed));
    return static_cast<std::uint32_t>(first);
  }

  // Calls f(T&), or f(T&, index), for every object that memory was made for.
  template <class F>
  void for_each(F&& f) {
    const std::uint64_t end = made_.load(std::memory_order_acquire);  // TABLE-1
    for (std::uint64_t i = 0; i < end; ++i) {
      T* const chunk = chunks_[i >> kChunkShift].load(std::memory_order_acquire);  // TABLE-1
      if (chunk == nullptr)
        i |= kChunkMask;
      else if constexpr (std::is_invocable_v<F&, T&>)
        f(chunk[i & kChunkMask]);
      else
        f(chunk[i & kChunkMask], static_cast<std::uint32_t>(i));
    }
  }

 private:
  static constexpr int kChunkShift = 14;
  static constexpr std::uint32_t kChunkMask = (1u << kChunkShift) - 1;
  static constexpr std::uint32_t kBatch = 256;
  static constexpr std::uint64_t kMost = std::uint64_t{1} << 32;

  [[gnu::noinline]] void refill(FreeList& list) {
    {
      const base::Lock lock(mutex_);
      if (!batches_.empty()) {
        list = batches_.back();
        batches_.pop_back();
        return;
      }
    }
    const std::uint32_t first = reserve(kBatch);
    for (std::uint32_t i = kBatch; i-- != 0;) {
      T& object = at(first + i);
      object.word.reset(first + i);
      object.next_free = list.head;
      list.head = &object;
    }
    list.count = kBatch;
  }

  [[gnu::noinline]] void give_batch(FreeList& list) noexcept {
    T* const first = list.head;
    T* last = first;
    for (std::uint32_t i = 1; i < kBatch; ++i) last = last->next_free;
    list.head = last->next_free;
    list.count -= kBatch;
    last->next_free = nullptr;
    const base::Lock lock(mutex_);
    batches_.push_back({first, kBatch});
  }

  [[gnu::noinline]] T* add_chunk(std::uint32_t number) {
    const base::Lock lock(mutex_);
    if (T* chunk = chunks_[number].load(std::memory_order_relaxed)) return chunk;  // under the mutex
    auto pages = platform::Pages::map(Bytes{(std::size_t{1} << kChunkShift) * sizeof(T)}, std::nullopt,
                                      platform::PageSize::small);
    if (!pages) throw std::bad_alloc();
    // Zeroed memory is a T that was never used.
    T* const chunk = static_cast<T*>(pages->data());
    pages_.push_back(std::move(*pages));
    chunks_[number].store(chunk, std::memory_order_release);  // TABLE-1: publishes the zeroed memory
    const std::uint64_t end = (std::uint64_t{number} + 1) << kChunkShift;
    if (made_.load(std::memory_order_relaxed) < end) made_.store(end, std::memory_order_release);  // TABLE-1
    return chunk;
  }

  std::array<std::atomic<T*>, (kMost >> kChunkShift)> chunks_{};  // TABLE-1: each set once, under mutex_
  std::atomic<std::uint64_t> next_{1};                            // of all workers, relaxed: numbers; 0 is no index
  std::atomic<std::uint64_t> made_{0};                            // no chunk from here on; written under mutex_
  std::uint64_t end_ = kMost;                                     // of the indices that may be given
  base::Mutex mutex_;
  std::vector<FreeList> batches_ WEIR_GUARDED_BY(mutex_);  // free objects
  std::vector<platform::Pages> pages_ WEIR_GUARDED_BY(mutex_);
};

}  // namespace weir::ocr

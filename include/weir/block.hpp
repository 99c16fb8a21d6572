// SPDX-License-Identifier: Apache-2.0

// Block: data that Weir owns the place of, so that it can be moved between memory tiers.
//
// A block is named in footprints like watched memory. A task that names it gets a std::span, valid while the task runs:
// between tasks the block may be copied to another tier, written to a file, or back. Contents that no task has written
// are undefined, as those of new T[n]. Elements are trivially copyable, since blocks are moved as bytes.
//
//   weir::Block<double> x(runtime, 1 << 20, "x");
//   runtime.spawn(weir::out(x), [](std::span<double> v) { std::fill(v.begin(), v.end(), 1.0); });
//   runtime.spawn(weir::in(x), [&] { use(x.data()); });
//
// Destroying a block waits for the tasks that name it, or keeps its memory for them. Its runtime should outlive it: a
// runtime that ends first says so, and leaves its blocks empty. Naming a block in footprints is safe from any thread;
// moving and destroying one is for the thread that has it to itself. spawn() throws weir::Error for a block that was
// moved from, whose runtime has ended, or that is another runtime's.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <type_traits>
#include <utility>

#include "weir/detail/block.hpp"
#include "weir/footprint.hpp"

namespace weir {

template <class T>
class Block {
  static_assert(std::is_trivially_copyable_v<T>, "a block is moved as bytes");
  static_assert(alignof(T) <= detail::kBlockAlignment, "a block's memory is aligned to a cache line");

 public:
  // `count` >= 1 elements; `name` is for messages and reports. Throws weir::Error when no tier has room for it; the
  // message names the tiers, what was asked and what is free.
  explicit Block(Runtime& runtime, std::size_t count = 1, const char* name = "")
      : block_(detail::make_block(runtime, detail::elements(name, count, sizeof(T)), nullptr, name)) {}

  // The program's own memory as a block, without a copy: `count` elements from `data` on, which must outlive the block
  // and the tasks that name it. While such tasks are unfinished, the contents may be elsewhere; flush() and the
  // destructor bring them back. Throws weir::Error for null, and for memory that another block has adopted or that is
  // in a watched array, too.
  static Block adopt(Runtime& runtime, T* data, std::size_t count, const char* name = "") {
    if (data == nullptr) detail::refuse_null(name);
    return Block(detail::make_block(runtime, detail::elements(name, count, sizeof(T)), data, name));
  }

  Block(Block&& other) noexcept : block_(std::exchange(other.block_, nullptr)) {}
  Block& operator=(Block&& other) noexcept {
    std::swap(block_, other.block_);
    return *this;
  }
  // Waits until all tasks that name it have ended, and runs tasks during that time; their exceptions stay for wait().
  // When other threads or tasks have named it, too, that is for all that the calling task has spawned, or, outside of
  // tasks, for all tasks of the runtime. A task does not wait for others than its children, nor for itself: when those
  // may still use the block, its memory stays until they have ended, and is given back later, at the latest when the
  // runtime ends. An adopted block is flushed, then or at once; a failure is reported on standard error.
  ~Block() {
    if (block_ != nullptr) detail::drop_block(block_);
  }

  // Elements; 0 when it was moved from.
  std::size_t size() const noexcept { return block_ == nullptr ? 0 : block_->bytes / sizeof(T); }

  // Where it is now. Inside a task that names it in its footprint; elsewhere the answer is worth nothing.
  std::span<T> data() const noexcept {
    if (block_ == nullptr) detail::moved_from("data() of a block");
    return {static_cast<T*>(detail::address_here(block_)), size()};
  }

  // Adopted blocks: waits as the destructor does, then brings the contents back to the program's memory. Throws
  // weir::Error when they cannot be read from where they are, and inside a task when a task that names it, and is not
  // a child, has not ended.
  void flush() { detail::flush_block(block_); }

  detail::BlockBase* base() const noexcept { return block_; }  // for footprints

 private:
  explicit Block(detail::BlockBase* block) noexcept : block_(block) {}

  detail::BlockBase* block_;
};

namespace detail {

template <class T>
inline constexpr bool kStandsForMemory<Block<T>> = true;

template <class T, Mode M>
struct BlockItem : ItemTag {};  // the callable, if it takes arguments, gets a std::span<T>
template <class T, Mode M>
inline constexpr bool kIsBlock<BlockItem<T, M>> = true;

template <class T, Mode M>
struct Argument<BlockItem<T, M>> {
  BlockBase* block;
  explicit Argument(const Access& access) noexcept : block(block_of(access)) {}
  std::span<T> get(Task* self, std::uint32_t&) const noexcept {
    return {static_cast<T*>(address_in(self, block)), block->bytes / sizeof(T)};
  }
  Access access() const noexcept { return block_access(block, M); }
};

template <Mode M, class T>
BlockItem<T, M> block_item(BlockBase* block) noexcept {
  check_constness<M, T>();
  return {{block_access(block, M)}};
}

}  // namespace detail

template <class T>
auto in(const Block<T>& block) noexcept {
  return detail::block_item<Mode::in, const T>(block.base());
}
template <class T>
auto out(const Block<T>& block) noexcept {
  return detail::block_item<Mode::out, T>(block.base());
}
template <class T>
auto inout(const Block<T>& block) noexcept {
  return detail::block_item<Mode::inout, T>(block.base());
}
template <class T>
auto concurrent(const Block<T>& block) noexcept {
  return detail::block_item<Mode::concurrent, T>(block.base());
}
template <class T>
auto commutative(const Block<T>& block) noexcept {
  return detail::block_item<Mode::commutative, T>(block.base());
}

}  // namespace weir

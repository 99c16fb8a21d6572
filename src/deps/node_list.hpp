// SPDX-License-Identifier: Apache-2.0

// NodeRef, and a short list of them: one in place, more in the map's arena.
//
// A list does not know its arena, so that a million empty ones cost little; its owner passes it, and gives the memory
// back with release(). All bytes zero is an empty list.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "deps/arena.hpp"

namespace weir::deps {

// A task (or a join) and the use of its memory that is meant: stale, which is to say finished, when the generation in
// that memory has moved on. `node` means something to the graph only.
struct NodeRef {
  void* node = nullptr;
  std::uint64_t generation = 0;
  friend bool operator==(const NodeRef&, const NodeRef&) = default;
};
static_assert(sizeof(NodeRef) == 16 && std::is_trivially_copyable_v<NodeRef>);

class NodeList {
 public:
  NodeRef* begin() noexcept { return capacity_ == 0 ? &store_.one : store_.many; }
  NodeRef* end() noexcept { return begin() + size_; }
  const NodeRef* begin() const noexcept { return capacity_ == 0 ? &store_.one : store_.many; }
  const NodeRef* end() const noexcept { return begin() + size_; }
  std::uint32_t size() const noexcept { return size_; }
  std::uint32_t capacity() const noexcept { return capacity_; }  // 0: the one in place
  bool ends_with(NodeRef ref) const noexcept { return size_ != 0 && begin()[size_ - 1] == ref; }

  friend bool operator==(const NodeList& a, const NodeList& b) noexcept {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

  bool has_room() const noexcept { return size_ != room(); }

  // The node by itself: compilers make one wide load of both, which waits for the narrow stores just before.
  // Relaxed: no other thread reads it.
  static void put(NodeRef& at, NodeRef ref) noexcept {
    __atomic_store_n(&at.node, ref.node, __ATOMIC_RELAXED);
    at.generation = ref.generation;
  }
  void clear() noexcept { size_ = 0; }
  void set(NodeRef ref) noexcept {
    put(*begin(), ref);
    size_ = 1;
  }
  void swap(NodeList& other) noexcept { std::swap(*this, other); }

  void append_in_room(NodeRef ref) noexcept { put(begin()[size_++], ref); }  // it has_room()
  // Finished nodes are dropped before the list grows, if one in eight is: its room stays within sixteen times the
  // unfinished ones, and within twice where nodes finish about in their order.
  template <class Graph>
  void append(NodeRef ref, const Graph& graph, Arena& arena) {
    if (size_ == room()) [[unlikely]]
      make_room(graph, arena);
    begin()[size_++] = ref;
  }
  template <class Graph>
  void make_room(const Graph& graph, Arena& arena) {
    if (capacity_ != 0 && some_finished(graph)) {  // of a single one it is not worth the look
      remove_finished(graph);
      if (2 * size_ <= capacity_) return;
    }
    grow(arena);
  }
  // Of one in eight, the oldest among them: nodes lie far apart, and each look is a miss where many are unfinished.
  template <class Graph>
  bool some_finished(const Graph& graph) const {
    for (std::uint32_t i = 0; i < size_; i += kOneIn)
      if (graph.finished(begin()[i])) return true;
    return false;
  }
  template <class Graph>
  void remove_finished(const Graph& graph) {
    NodeRef* const last = std::remove_if(begin(), end(), [&](NodeRef ref) { return graph.finished(ref); });
    size_ = static_cast<std::uint32_t>(last - begin());
  }

  void copy_from(const NodeList& other, Arena& arena) {  // onto an empty list
    while (room() < other.size_) grow(arena);
    std::copy(other.begin(), other.end(), begin());
    size_ = other.size_;
  }
  void release(Arena& arena) noexcept {
    if (capacity_ != 0) arena.recycle(store_.many, capacity_ * sizeof(NodeRef));
    *this = {};
  }

 private:
  static constexpr std::uint32_t kFirstCapacity = 4;
  static constexpr std::uint32_t kOneIn = 8;

  std::uint32_t room() const noexcept { return capacity_ == 0 ? 1 : capacity_; }
  [[gnu::noinline]] void grow(Arena& arena) {
    const std::uint32_t capacity = capacity_ == 0 ? kFirstCapacity : 2 * capacity_;
    auto* const many = static_cast<NodeRef*>(arena.allocate(capacity * sizeof(NodeRef)));
    std::copy(begin(), end(), many);
    const std::uint32_t size = size_;
    release(arena);
    store_.many = many;
    size_ = size;
    capacity_ = capacity;
  }

  union Store {
    NodeRef one{};
    NodeRef* many;
  } store_;
  std::uint32_t size_ = 0;
  std::uint32_t capacity_ = 0;
};
static_assert(sizeof(NodeList) == 24);

}  // namespace weir::deps

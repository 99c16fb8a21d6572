// SPDX-License-Identifier: Apache-2.0

// Footprints: what memory a task touches, and how.
//
// A footprint item is an access mode over a region of memory that the program owns: an object, the elements of a
// contiguous range (a vector, a string, a span, a pointer and a count), or a section of a watched array (rows or a 2-D
// tile with a stride). Weir orders sibling tasks whose footprints conflict in the order in which they were spawned;
// everything else may run in parallel.
//
//   in            reads                                   any number of `in` tasks run together
//   out           writes every byte, reads none           alone
//   inout         reads and writes                        alone
//   concurrent    reads and writes, synchronised by the   any number of `concurrent` tasks run together
//                 program itself (atomics, locks)
//   commutative   reads and writes, in any order          one at a time, no fixed order
//   reduce        accumulates into a private copy         together; copies are combined before the next other access
//
// Items are small values that hold pointers: the memory must outlive the task. Building an item never allocates; it
// fails only for a count that no memory has.
//
// Data that Weir may also move between memory tiers: block.hpp and array.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>

#include "weir/detail/elements.hpp"

namespace weir {

enum class Mode : std::uint8_t { in, out, inout, concurrent, commutative, reduce };

// True when a task with this mode may change the memory.
constexpr bool writes(Mode mode) noexcept { return mode != Mode::in; }

// `rows` runs of `row_bytes` bytes, `stride_bytes` from the start of one to the start of the next.
// rows == 1 is a contiguous range and then the stride means nothing. Nothing else may overlap itself:
// stride_bytes >= row_bytes whenever rows > 1; else spawn() throws weir::Error.
struct Region {
  const void* base = nullptr;
  std::size_t row_bytes = 0;
  std::size_t rows = 1;
  std::size_t stride_bytes = 0;
};

// How a watched array is cut in blocks, the unit in which Weir tracks it: block_rows x block_row_bytes bytes each,
// edge blocks smaller. The geometry never changes while the array is watched. `id` is unique in the process and
// never used again, so that a new array at the address of an old one is not mistaken for it.
struct Partition {
  Region whole;
  std::size_t block_row_bytes = 0;
  std::size_t block_rows = 1;
  std::uint64_t id = 0;
  mutable std::uint64_t named_by = 0;  // the library's: whose tasks have named it
};

namespace detail {

std::uint64_t next_partition_id() noexcept;

// What a Watched is made of, in elements.
struct WatchedShape {
  const void* data;
  std::size_t element_bytes, rows, cols, stride, block_rows, block_cols;
};
// Throws weir::Error for blocks of nothing, rows that overlap, or more memory than there are addresses.
const Partition* make_partition(const WatchedShape& shape);
// Waits for the tasks that have named it, where ~Watched() says so. The partition lives until all of them have ended.
void end_partition(const Partition* partition) noexcept;
// What no memory is long enough for: a size that wrapped around, or one that is negative.
inline constexpr std::size_t kMostBytes = ~std::size_t{0} >> 1;
[[noreturn]] void refuse_range(std::size_t count, std::size_t element_bytes);  // throws weir::Error

// How private copies of a reduction are made and folded. One static object per (type, operation).
struct Reduction {
  std::size_t bytes;  // of one private copy
  std::size_t alignment;
  void (*create)(void* copy, const void* identity);  // constructs a copy holding the identity
  void (*combine)(void* target, const void* copy);   // target = op(target, copy)
  void (*destroy)(void* copy) noexcept;
};

// How copies of a tile are begun and folded, element by element (array.hpp). One static object per (type, operation).
struct TileReduction {
  std::size_t element_bytes;
  void (*fill)(void* copy, std::size_t bytes, const void* identity);
  void (*fold)(void* target, const void* copy, std::size_t bytes);  // target = op(target, copy)
};

}  // namespace detail

// What region.base of an Access points to: memory of the program, or a block of Weir (block.hpp), or such a block that
// is the tile of an array of so many dimensions (array.hpp).
enum class Storage : std::uint8_t { program, block, tile_1d, tile_2d, tile_3d };

// One item of a footprint, of any type: what in(), out() and so on convert to. Reductions do not.
//
// A std::vector, std::span or array of these is a range of items whose number is known at run time only; it stands in
// spawn() where an item stands. items.hpp: what the task is given for it.
struct Access {
  Region region;
  const Partition* partition = nullptr;          // not null: the region lies within this watched array
  const detail::Reduction* reduction = nullptr;  // mode reduce only; joined only with the same reduction
  const void* identity = nullptr;                // mode reduce: read while spawn() runs; a tile: what it is (array.hpp)
  Mode mode = Mode::inout;
  bool ordered = false;  // mode reduce only: combine in the order of spawning
  Storage storage = Storage::program;

  constexpr bool is_block() const noexcept { return storage != Storage::program; }
};

// A view of rows x cols elements, `stride` elements from one row to the next. Rows are contiguous.
template <class T>
class View2D {
 public:
  View2D(T* data, std::size_t rows, std::size_t cols, std::size_t stride) noexcept
      : data_(data), rows_(rows), cols_(cols), stride_(stride) {}
  T& operator()(std::size_t row, std::size_t col) const noexcept { return data_[row * stride_ + col]; }
  T* row(std::size_t index) const noexcept { return data_ + index * stride_; }
  T* data() const noexcept { return data_; }
  std::size_t rows() const noexcept { return rows_; }
  std::size_t cols() const noexcept { return cols_; }
  std::size_t stride() const noexcept { return stride_; }

 private:
  T* data_;
  std::size_t rows_, cols_, stride_;
};

// A part of a watched array, to be wrapped by in(), out() and so on.
template <class T>
struct Section {
  T* data;
  std::size_t rows, cols, stride;  // elements
  const Partition* partition;
};

// Memory of the program that Weir tracks in blocks of a chosen size: a 1-D or 2-D array of T.
//
// Tracking by block costs one table look-up per block, and two accesses conflict when they share a block. Choose
// blocks of the size that tasks work on. The array is not copied, and it must outlive the Watched object. Not copyable:
// tasks refer to it by address. Any thread may use it once made.
template <class T>
class Watched {
 public:
  // 1-D: `count` elements in blocks of `block` elements; block >= 1. Throws weir::Error as below.
  Watched(T* data, std::size_t count, std::size_t block) : Watched(data, 1, count, count, 1, block) {}

  // 2-D: rows x cols elements, `stride` >= cols elements from row to row, in blocks of block_rows x block_cols,
  // both >= 1; a block may be larger than the array. Throws weir::Error for anything else, for null, and for more
  // elements than there are addresses.
  Watched(T* data, std::size_t rows, std::size_t cols, std::size_t stride, std::size_t block_rows,
          std::size_t block_cols)
      : data_(data),
        stride_(stride),
        partition_(detail::make_partition({data, sizeof(T), rows, cols, stride, block_rows, block_cols})) {}

  Watched(const Watched&) = delete;
  Watched& operator=(const Watched&) = delete;
  // When tasks have named it, waits for all that the calling task has spawned, or, outside of tasks, for those of the
  // thread, and of all threads where others have named it, too. Their exceptions stay for wait(). Inside a task it does
  // not wait for tasks that are not its children: the memory must outlive those.
  ~Watched() { detail::end_partition(partition_); }

  // 1-D only. Elements [first, first + count); they must lie within the array.
  Section<T> range(std::size_t first, std::size_t count) const noexcept {
    return {data_ + first, 1, count, stride_, partition_};
  }
  // 1-D only. Block `index`; the last one may be short.
  Section<T> block(std::size_t index) const noexcept {
    const std::size_t size = partition_->block_row_bytes / sizeof(T);
    const std::size_t first = index * size;
    return range(first, first + size <= cols() ? size : cols() - first);
  }
  // 2-D. Whole rows [first, first + count).
  Section<T> rows(std::size_t first, std::size_t count) const noexcept { return tile(first, 0, count, cols()); }
  // 2-D. The rectangle of row_count x col_count elements whose first corner is (row, col).
  Section<T> tile(std::size_t row, std::size_t col, std::size_t row_count, std::size_t col_count) const noexcept {
    return {data_ + row * stride_ + col, row_count, col_count, stride_, partition_};
  }

  T* data() const noexcept { return data_; }
  std::size_t rows() const noexcept { return partition_->whole.rows; }
  std::size_t cols() const noexcept { return partition_->whole.row_bytes / sizeof(T); }
  std::size_t stride() const noexcept { return stride_; }
  const Partition& partition() const noexcept { return *partition_; }

 private:
  T* data_;
  std::size_t stride_;
  const Partition* partition_;  // the library's, since tasks may outlive this
};

namespace detail {

// Values that stand for other memory: never the object that a footprint means.
template <class T>
inline constexpr bool kStandsForMemory = false;
template <class T>
inline constexpr bool kStandsForMemory<Section<T>> = true;
template <class T>
inline constexpr bool kStandsForMemory<Watched<T>> = true;
template <class T, std::size_t kExtent>
inline constexpr bool kStandsForMemory<std::span<T, kExtent>> = true;
// What object() makes.
template <class T>
struct Itself {
  T* object;
};
template <class T>
inline constexpr bool kStandsForMemory<Itself<T>> = true;
template <class T>
concept Object = !kStandsForMemory<std::remove_cv_t<T>>;

// Tag by which spawn() tells footprint items from attributes and from the callable.
struct ItemTag {
  Access access;
  operator Access() const noexcept { return access; }
};

template <class T>
T* base_of(const Access& access) noexcept {
  return static_cast<T*>(const_cast<void*>(access.region.base));
}

// An item's Value is what the task keeps of it: for the callable, and for reports of what a task waits for.
template <class T, Mode M>
struct ObjectItem : ItemTag {  // the callable, if it takes arguments, gets a T&
  using Value = T*;
  static Value value_of(const Access& a) noexcept { return base_of<T>(a); }
  static T& argument(Value value) noexcept { return *value; }
  static Access access_of(Value value) noexcept { return {{value, sizeof(T), 1, 0}, nullptr, nullptr, nullptr, M}; }
};

template <class T, Mode M>
struct RangeItem : ItemTag {  // ... gets a std::span<T>
  using Value = std::span<T>;
  static Value value_of(const Access& a) noexcept { return {base_of<T>(a), a.region.row_bytes / sizeof(T)}; }
  static Value argument(Value value) noexcept { return value; }
  static Access access_of(Value value) noexcept {
    return {{value.data(), value.size_bytes(), 1, 0}, nullptr, nullptr, nullptr, M};
  }
};

template <class T, Mode M>
struct TileItem : ItemTag {  // ... gets a View2D<T>
  struct Value {
    T* data;
    std::size_t rows, row_bytes;
    const Partition* partition;
  };
  static Value value_of(const Access& a) noexcept {
    return {base_of<T>(a), a.region.rows, a.region.row_bytes, a.partition};
  }
  static View2D<T> argument(const Value& v) noexcept {
    return {v.data, v.rows, v.row_bytes / sizeof(T), v.partition->whole.stride_bytes / sizeof(T)};
  }
  // Without the stride, which is the array's: that may be gone when the task has ended.
  static Access access_of(const Value& v) noexcept {
    return {{v.data, v.row_bytes, v.rows, 0}, v.partition, nullptr, nullptr, M};
  }
};

template <class T>
struct ReduceItem : ItemTag {        // ... gets a T& to a private copy, found when the task runs
  operator Access() const = delete;  // a reduction is named in spawn() itself: the task is given a copy of its type
};

template <class T, class Op>
inline constexpr Reduction kReduction = {
    sizeof(T), alignof(T),
    [](void* copy, const void* identity) {
      std::construct_at(static_cast<T*>(copy), *static_cast<const T*>(identity));
    },
    [](void* target, const void* copy) {
      *static_cast<T*>(target) = Op{}(static_cast<const T&>(*static_cast<T*>(target)), *static_cast<const T*>(copy));
    },
    [](void* copy) noexcept { std::destroy_at(static_cast<T*>(copy)); }};

// A task that writes has something to write to.
template <Mode M, class T>
constexpr void check_constness() noexcept {
  static_assert(!writes(M) || !std::is_const_v<T>,
                "out, inout and the other modes that write are given something const: "
                "use in, or name what is not const");
}

template <Mode M, class T>
ObjectItem<T, M> object_item(T& object) noexcept {
  check_constness<M, T>();
  return {{ObjectItem<T, M>::access_of(std::addressof(object))}};
}
template <Mode M, class T>
RangeItem<T, M> range_item(T* data, std::size_t count) noexcept {
  check_constness<M, T>();
  return {{{{data, count * sizeof(T), 1, 0}, nullptr, nullptr, nullptr, M}}};
}
// x is an object or a contiguous range.
template <Mode M, class T>
auto item_of(T& x) noexcept {
  if constexpr (ContiguousRange<T>) {
    static_assert(
        !kHoldsMemoryElsewhere<ElementOf<T>>,
        "each element of this range holds memory elsewhere, which the bytes of the elements are not: name the "
        "memory of each, as in(x[i]); or weir::object(x), to order tasks by the range itself");
    using Element = std::conditional_t<writes(M), ElementOf<T>, const ElementOf<T>>;
    return detail::range_item<M, Element>(std::data(x), std::size(x));
  } else {
    static_assert(
        !kHoldsMemoryElsewhere<T>,
        "this type holds memory elsewhere, which the bytes of the object are not: name that memory, as in(*x), "
        "in(data, count) or each element; or weir::object(x), to order tasks by the object itself");
    return detail::object_item<M>(x);
  }
}
// The items of a pointer and a count.
template <Mode M, class T>
RangeItem<T, M> counted_item(T* data, std::size_t count) {
  if (count > kMostBytes / sizeof(T)) [[unlikely]]
    refuse_range(count, sizeof(T));
  return detail::range_item<M>(data, count);
}
// One that is too long to be counted in bytes lies in no array: spawn() finds that.
template <Mode M, class T>
TileItem<T, M> tile_item(const Section<T>& s) noexcept {
  check_constness<M, T>();
  const std::size_t bytes = s.cols <= kMostBytes / sizeof(T) ? s.cols * sizeof(T) : kMostBytes;
  return {{{{s.data, bytes, s.rows, s.stride * sizeof(T)}, s.partition, nullptr, nullptr, M}}};
}

}  // namespace detail

// ---- The items of spawn() ----
//
//   in(object)           the object's bytes, which are all of it; the callable, if it takes arguments, gets a T&
//   in(range)            the elements that a std::vector, std::string, std::span or the like has when the item is made;
//                        a std::span<T>
//   in(pointer, count)   count elements; a std::span<T>
//   in(watched.tile(..)) a section of a watched array; a View2D<T>
//   in(object(x))        the bytes of x alone, whatever it holds elsewhere; a T&
//
// and the same for the other modes. What holds memory elsewhere and is no contiguous range (a list, a map, a smart
// pointer) does not compile, nor does a mode that writes on what is const.

// x by itself, without what it holds elsewhere: orders tasks that change a container (push_back(), insert()) or what
// a smart pointer points to, as long as all of them name it so.
template <class T>
detail::Itself<T> object(T& x) noexcept {
  return {std::addressof(x)};
}
template <class T>
void object(const T&& temporary) = delete;  // the task would use a dead object

// Reads.
template <detail::Object T>
auto in(const T& x) noexcept {
  return detail::item_of<Mode::in>(x);
}
template <class T>
auto in(const T* data, std::size_t count) {  // throws weir::Error for a count that no memory has
  return detail::counted_item<Mode::in>(data, count);
}
template <class T, std::size_t kExtent>
auto in(std::span<T, kExtent> s) noexcept {
  return detail::range_item<Mode::in, const T>(s.data(), s.size());
}
template <class T>
auto in(detail::Itself<T> x) noexcept {
  return detail::object_item<Mode::in, const T>(*x.object);
}
template <class T>
auto in(const Section<T>& section) noexcept {
  return detail::tile_item<Mode::in, const T>(
      {section.data, section.rows, section.cols, section.stride, section.partition});
}
template <detail::Object T>
void in(const T&& temporary) = delete;  // the task would read a dead object

#define WEIR_WRITING_MODE(mode)                                                                                        \
  template <detail::Object T>                                                                                          \
  auto mode(T& x) noexcept {                                                                                           \
    return detail::item_of<Mode::mode>(x);                                                                             \
  }                                                                                                                    \
  template <class T>                                                                                                   \
  auto mode(T* data, std::size_t count) {                                                                              \
    return detail::counted_item<Mode::mode>(data, count);                                                              \
  }                                                                                                                    \
  template <class T, std::size_t kExtent>                                                                              \
  auto mode(std::span<T, kExtent> s) noexcept {                                                                        \
    return detail::range_item<Mode::mode>(s.data(), s.size());                                                         \
  }                                                                                                                    \
  template <class T>                                                                                                   \
  auto mode(detail::Itself<T> x) noexcept {                                                                            \
    return detail::object_item<Mode::mode>(*x.object);                                                                 \
  }                                                                                                                    \
  template <class T>                                                                                                   \
  auto mode(const Section<T>& section) noexcept {                                                                      \
    return detail::tile_item<Mode::mode>(section);                                                                     \
  }                                                                                                                    \
  static_assert(true)

WEIR_WRITING_MODE(out);          // Writes every byte and reads none.
WEIR_WRITING_MODE(inout);        // Reads and writes.
WEIR_WRITING_MODE(concurrent);   // Reads and writes; the program itself keeps concurrent tasks apart.
WEIR_WRITING_MODE(commutative);  // Reads and writes; such tasks exclude each other but keep no order.
#undef WEIR_WRITING_MODE

// Accumulates. The callable takes a T& that starts as `identity`; before the next access in another mode, and before
// wait() returns, every copy is folded into `object` by `object = op(object, copy)`. Op must be associative and
// stateless. With reduce(), copies are per worker and folded in no fixed order, so that a floating-point sum may
// differ from run to run; reduce_ordered() keeps one copy per task, folds in the order of spawning, and gives the
// same bits every time. What holds memory elsewhere is named as reduce(object(x), ...): folding replaces x as a whole.
// `identity` is read while spawn() runs: an item that is kept in a variable needs one that lives as long.
// When a task of the scope fails, copies that have not been folded are dropped, those of tasks that ended well, too.
template <class T, class Op>
auto reduce(detail::Itself<T> x, Op, const T& identity) noexcept {
  static_assert(std::is_empty_v<Op> && std::is_default_constructible_v<Op>, "a reduction's operation has no state");
  return detail::ReduceItem<T>{
      {{{x.object, sizeof(T), 1, 0}, nullptr, &detail::kReduction<T, Op>, std::addressof(identity), Mode::reduce}}};
}
template <detail::Object T, class Op>
auto reduce(T& x, Op op, const T& identity) noexcept {
  static_assert(!detail::kHoldsMemoryElsewhere<T>,
                "a reduction replaces its object as a whole, and in(x) of this type does not mean the object: write "
                "reduce(weir::object(x), ...), and in(weir::object(x)) where it is read");
  return weir::reduce(weir::object(x), op, identity);
}
template <class T, class Op>
auto reduce_ordered(T&& x, Op op, const auto& identity) noexcept {
  auto item = weir::reduce(std::forward<T>(x), op, identity);
  item.access.ordered = true;
  return item;
}

}  // namespace weir

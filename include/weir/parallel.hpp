// SPDX-License-Identifier: Apache-2.0

// Fork-join: two halves at the cost of a function call or two, and loops and reductions built on it.
//
// No footprint, no heap: the half that may be stolen lives on the caller's stack. A task spawned inside a half is a
// child of the enclosing task, or of the half if that was stolen, and is waited for as such.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <type_traits>
#include <utility>

#include "weir/error.hpp"

namespace weir::sched {
class Worker;  // src/sched/worker.hpp
}

namespace weir {

namespace detail {

// The second half of a fork_join() while it may be stolen; docs/protocols/fork.md has the protocol.
struct ForkHalf {
  explicit ForkHalf(void (*function)(ForkHalf*)) noexcept : run(function) {}  // the owner comes with fork_push()

  void (*run)(ForkHalf* self);
  sched::Worker* owner;                 // the worker that forked; set by fork_push
  std::atomic<std::uint32_t> state{0};  // src/sched/fork.hpp
  std::exception_ptr exception;         // written by the thief before it ends
};

// Offers the half to thieves. False: it was not taken in (no room, or the stack is short), and the caller runs it
// itself. Throws weir::Error on a thread without a runtime.
bool fork_push(ForkHalf& half);
// Little of the calling thread's stack is left.
bool stack_is_short() noexcept;
// Calls function(argument), which does not throw, on another stack, on the same thread.
void call_on_fresh_stack(void (*function)(void*), void* argument) noexcept;
// Takes the half back: true when no thief has taken it. Otherwise returns after the thief has run it.
bool fork_join_half(ForkHalf& half) noexcept;

template <class F>
struct ForkCall : ForkHalf {
  F& function;
  explicit ForkCall(F& f) noexcept : ForkHalf(&call), function(f) {}
  static void call(ForkHalf* self) { static_cast<ForkCall*>(self)->function(); }
};

int fork_width();  // workers of the calling thread's runtime; throws weir::Error without one

template <class F, class G>
void fork_and_join(F&& first, G& second);

// How `first` goes to fork_in_turn(): a temporary by value, so that it need not lie in memory where all goes well.
template <class F>
using Passed = std::conditional_t<std::is_lvalue_reference_v<F> || !std::is_move_constructible_v<F>,
                                  std::add_lvalue_reference_t<std::remove_reference_t<F>>, F>;

// The half was not taken in.
template <class F, class G>
[[gnu::noinline, gnu::cold]] void fork_in_turn(F first, ForkHalf& half) {
  G& second = static_cast<ForkCall<G>&>(half).function;
  if (!stack_is_short()) {
    first();
    second();
    return;
  }
  struct Call {
    std::remove_reference_t<F>& first;
    G& second;
    std::exception_ptr exception;
  } call{first, second, nullptr};
  call_on_fresh_stack(
      [](void* argument) {
        Call& c = *static_cast<Call*>(argument);
        try {
          detail::fork_and_join(c.first, c.second);
        } catch (...) {
          c.exception = std::current_exception();
        }
      },
      &call);
  if (call.exception) std::rethrow_exception(call.exception);
}

template <class F, class G>
[[gnu::always_inline]] inline void fork_and_join(F&& first, G& second) {
  ForkCall<G> half(second);
  if (!detail::fork_push(half)) [[unlikely]]
    return detail::fork_in_turn<Passed<F>, G>(static_cast<Passed<F>&&>(first), half);
  struct Join {  // `first` may throw: the half must not outlive this frame
    ForkHalf& half;
    bool armed = true;
    ~Join() {
      if (armed) detail::fork_join_half(half);
    }
  } join{half};
  first();
  join.armed = false;
  if (detail::fork_join_half(half)) {
    second();
  } else if (half.exception) {
    std::rethrow_exception(half.exception);
  }
}

}  // namespace detail

// Runs both callables, possibly at the same time, and returns when both have ended. `first` runs on the calling
// thread. When one throws, the exception is thrown here after both have ended, `first`'s if both throw; a `second`
// that has not begun is then not run at all.
// May be nested as deeply as memory lasts: where a thread's stack runs out, it goes on on another one.
// Inside a task, or on a thread that has a runtime; throws weir::Error otherwise. Budget: 15 ns, one worker.
template <class F, class G>
void fork_join(F&& first, G&& second) {
  detail::fork_and_join(std::forward<F>(first), second);
}

// Rows [top, bottom) and columns [left, right) of something with two dimensions.
template <class I>
struct Range2 {
  I top, bottom, left, right;
};

namespace detail {

// The length of one of `parts` parts of a range, at least 1. Computed in a type that can hold `parts`.
template <class I>
I part(I first, I last, int parts) noexcept {
  using Wide = std::common_type_t<I, int>;
  const auto length = static_cast<I>(static_cast<Wide>(last - first) / static_cast<Wide>(parts));
  return length > 0 ? length : I{1};
}

template <class I>
I middle_of(I first, I last) noexcept {
  return static_cast<I>(first + (last - first) / 2);
}

template <class I, class Body>
void for_halves(I first, I last, I grain, Body& body) {
  if (last - first <= grain) {
    body(first, last);
    return;
  }
  const I middle = middle_of(first, last);
  fork_join([&] { detail::for_halves(first, middle, grain, body); },
            [&] { detail::for_halves(middle, last, grain, body); });
}

// The longer side is halved, as oneTBB's blocked_range2d does it, so that pieces stay near to squares.
template <class I, class Body>
void for_rectangles(const Range2<I>& range, I grain, Body& body) {
  const I rows = range.bottom - range.top, columns = range.right - range.left;
  if (rows <= grain && columns <= grain) {
    body(range);
    return;
  }
  Range2<I> first = range, second = range;
  if (rows >= columns) {
    first.bottom = second.top = middle_of(range.top, range.bottom);
  } else {
    first.right = second.left = middle_of(range.left, range.right);
  }
  fork_join([&] { detail::for_rectangles(first, grain, body); }, [&] { detail::for_rectangles(second, grain, body); });
}

// The grain with which for_rectangles() makes pieces of between one and two of `parts` parts of the range.
template <class I>
I grain_of_parts(const Range2<I>& range, int parts) noexcept {
  auto rows = static_cast<I>(range.bottom - range.top), columns = static_cast<I>(range.right - range.left);
  for (std::int64_t pieces = 1; pieces < parts && (rows > 1 || columns > 1); pieces *= 2) {
    I& longer = rows >= columns ? rows : columns;
    longer = static_cast<I>(longer - longer / 2);
  }
  return rows >= columns ? rows : columns;
}

template <class I, class T, class Map, class Combine>
T reduce_halves(I first, I last, I grain, const T& identity, Map& map, Combine& combine) {
  if (last - first <= grain) return map(first, last, identity);
  const I middle = middle_of(first, last);
  T right = identity;
  T left = identity;
  fork_join([&] { left = detail::reduce_halves(first, middle, grain, identity, map, combine); },
            [&] { right = detail::reduce_halves(middle, last, grain, identity, map, combine); });
  return combine(std::move(left), std::move(right));
}

}  // namespace detail

// Calls body(begin, end) for ranges that cover [first, last), at most `grain` long, possibly at the same time.
// grain 0: an eighth of a worker's share. last - first must be a value of I. Nothing is called for an empty range.
// Exceptions as in fork_join().
template <class I, class Body>
void parallel_for(I first, I last, std::type_identity_t<I> grain, Body&& body) {
  static_assert(std::is_integral_v<I>, "parallel_for counts with an integer type");
  if (!(first < last)) return;
  if (grain <= 0) grain = detail::part(first, last, 8 * detail::fork_width());
  detail::for_halves(first, last, grain, body);
}

// The same in two dimensions: calls body(piece) for rectangles of at most `grain` rows and columns that cover `range`,
// a Range2. The longer side is halved again and again, so a worker goes from one piece to its neighbours in both
// directions: for what shares memory with what is below it and next to it, a matrix that is transposed. Where
// rows are streamed, as by a stencil, loops over rows may be faster. grain 0: a quarter to an eighth of a worker's
// share. bottom - top and right - left must be values of I.
template <class I, class Body>
void parallel_for(const Range2<I>& range, std::type_identity_t<I> grain, Body&& body) {
  static_assert(std::is_integral_v<I>, "parallel_for counts with an integer type");
  if (!(range.top < range.bottom) || !(range.left < range.right)) return;
  if (grain <= 0) grain = detail::grain_of_parts(range, 8 * detail::fork_width());
  detail::for_rectangles(range, grain, body);
}

// combine() of map(begin, end, identity) over ranges that cover [first, last). The ranges and the order in which they
// are combined depend on first, last and grain only, never on workers or timing: the same arguments give the same
// bits. grain 0: a 64th of the range. Returns `identity` for an empty range. Exceptions as in fork_join().
template <class I, class T, class Map, class Combine>
T parallel_reduce(I first, I last, std::type_identity_t<I> grain, T identity, Map&& map, Combine&& combine) {
  static_assert(std::is_integral_v<I>, "parallel_reduce counts with an integer type");
  if (!(first < last)) return identity;
  if (grain <= 0) grain = detail::part(first, last, 64);
  return detail::reduce_halves(first, last, grain, identity, map, combine);
}

}  // namespace weir

// SPDX-License-Identifier: Apache-2.0

// Loops over the same data, one after the other, whose pieces run where they ran before: what a worker has in its
// caches, or has touched first and so has in memory near to it, it works on again.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "weir/parallel.hpp"

namespace weir {

namespace detail {
class LoopPieces;  // src/runtime/loop_pieces.hpp
class LoopTurn;
}  // namespace detail

// Which worker each piece of a loop belongs to. At first neighbours in number have neighbouring parts of the range, all
// of about the same length, and a thread that has done its own pieces helps others with theirs. A piece that others
// had to do in two loops in turn goes to the one that did it last. As oneTBB's affinity_partitioner, and with pieces
// of equal cost as OpenMP's static schedule.
// One loop at a time may use it; loops over other ranges, of other lengths or in other runtimes may, and then begin
// anew when they have another number of pieces or of workers. An object of 8 bytes, and 8 for each piece, of which
// there are at most 16 a worker.
class LoopAffinity {
 public:
  LoopAffinity();  // throws std::bad_alloc
  ~LoopAffinity();
  LoopAffinity(LoopAffinity&& other) noexcept : pieces_(std::exchange(other.pieces_, nullptr)) {}
  LoopAffinity& operator=(LoopAffinity&& other) noexcept {
    std::swap(pieces_, other.pieces_);
    return *this;
  }

 private:
  friend class detail::LoopTurn;
  detail::LoopPieces* pieces_;  // null: moved away
};

namespace detail {

// One loop over pieces, which are counted from 0.
class LoopTurn {
 public:
  // Throws weir::Error on a thread without a runtime, and while another loop uses `affinity`; std::bad_alloc.
  LoopTurn(LoopAffinity& affinity, std::uint32_t pieces);
  ~LoopTurn();
  LoopTurn(const LoopTurn&) = delete;
  LoopTurn& operator=(const LoopTurn&) = delete;

  // Whether forks are watched (weir check), so that each piece has to be a half of one.
  bool is_watched() const noexcept { return watched_; }

 private:
  friend class LoopWalk;
  LoopPieces& pieces_;
  bool watched_;
};

// The calling thread's way through those pieces that it gets: first its own, then others'.
class LoopWalk {
 public:
  explicit LoopWalk(const LoopTurn& turn) noexcept;
  // False: none is left. True: piece() is the caller's alone.
  bool next() noexcept;
  std::uint32_t piece() const noexcept { return piece_; }

 private:
  LoopPieces& pieces_;
  std::uint32_t worker_;
  std::uint32_t piece_ = 0;
  std::uint32_t own_ = 0;     // pieces that were looked at, upwards from 0, as its own
  std::uint32_t others_ = 0;  // and downwards from before its first, as another's
  std::uint32_t first_ = 0;
};

template <class RunPiece>
void walk_pieces(const LoopTurn& turn, std::uint32_t walkers, RunPiece& run) {
  if (walkers == 1) {
    for (LoopWalk walk(turn); walk.next();) run(walk.piece());
    return;
  }
  const std::uint32_t half = walkers / 2;
  fork_join([&] { detail::walk_pieces(turn, walkers - half, run); }, [&] { detail::walk_pieces(turn, half, run); });
}

template <class RunPiece>
void for_pieces(LoopAffinity& affinity, std::uint32_t pieces, RunPiece&& run) {
  const LoopTurn turn(affinity, pieces);
  if (turn.is_watched()) {
    auto each = [&](std::uint32_t first, std::uint32_t) { run(first); };
    detail::for_halves(std::uint32_t{0}, pieces, std::uint32_t{1}, each);
    return;
  }
  detail::walk_pieces(turn, std::min(pieces, static_cast<std::uint32_t>(fork_width())), run);
}

// The piece of that number of a range that is halved this often, as for_rectangles() does it; may be empty.
template <class I>
Range2<I> rectangle_of(Range2<I> range, unsigned halvings, std::uint32_t number) noexcept {
  while (halvings-- > 0) {
    const bool second = ((number >> halvings) & 1) != 0;
    if (range.bottom - range.top >= range.right - range.left) {
      (second ? range.top : range.bottom) = middle_of(range.top, range.bottom);
    } else {
      (second ? range.left : range.right) = middle_of(range.left, range.right);
    }
  }
  return range;
}

}  // namespace detail

// parallel_for() whose pieces, at most 16 a worker, run where `affinity` has them, body(begin, end) for parts of
// them that are at most `grain` long. grain 0: whole pieces. When body throws, pieces that have not begun may run
// still. Otherwise, and in what it throws, as parallel_for().
template <class I, class Body>
void parallel_for(I first, I last, std::type_identity_t<I> grain, LoopAffinity& affinity, Body&& body) {
  static_assert(std::is_integral_v<I>, "parallel_for counts with an integer type");
  if (!(first < last)) return;
  const I share = detail::part(first, last, 8 * detail::fork_width());
  if (grain <= 0) grain = static_cast<I>(share + 1);
  // `count` pieces of `length` or, the first `rest` of them, one more.
  const I longest = std::max(share, std::min(grain, static_cast<I>(last - first)));
  const auto count = static_cast<I>((last - first - 1) / longest + 1);
  const auto length = static_cast<I>((last - first) / count), rest = static_cast<I>((last - first) % count);
  detail::for_pieces(affinity, static_cast<std::uint32_t>(count), [&](std::uint32_t number) {
    const I piece = static_cast<I>(number);
    const auto begin = static_cast<I>(first + length * piece + std::min(piece, rest));
    detail::for_halves(begin, static_cast<I>(begin + length + (piece < rest ? 1 : 0)), grain, body);
  });
}

// The same in two dimensions: pieces are rectangles, 8 to 16 a worker, of which body(rectangle) gets parts of at most
// `grain` rows and columns. grain 0: whole pieces.
template <class I, class Body>
void parallel_for(const Range2<I>& range, std::type_identity_t<I> grain, LoopAffinity& affinity, Body&& body) {
  static_assert(std::is_integral_v<I>, "parallel_for counts with an integer type");
  if (!(range.top < range.bottom) || !(range.left < range.right)) return;
  unsigned halvings = 0;
  for (auto pieces = 8 * static_cast<std::uint32_t>(detail::fork_width()); std::uint32_t{1} << halvings < pieces;) {
    const Range2<I> largest = detail::rectangle_of(range, halvings, ~std::uint32_t{0});
    const I longer =
        std::max(static_cast<I>(largest.bottom - largest.top), static_cast<I>(largest.right - largest.left));
    if (longer <= std::max(grain, I{1})) break;
    ++halvings;
  }
  detail::for_pieces(affinity, std::uint32_t{1} << halvings, [&](std::uint32_t number) {
    const Range2<I> piece = detail::rectangle_of(range, halvings, number);
    if (!(piece.top < piece.bottom) || !(piece.left < piece.right)) return;
    const I longer = std::max(static_cast<I>(piece.bottom - piece.top), static_cast<I>(piece.right - piece.left));
    detail::for_rectangles(piece, grain <= 0 ? longer : grain, body);
  });
}

}  // namespace weir

// SPDX-License-Identifier: Apache-2.0

// ArrayMarks: whether this rank has made the same arrays as the rank before it in the ring.
//
// Each rank tells the next one what its arrays are like, in the order in which it makes them. Where they are not the
// same on all ranks, those of one of them differ from those of the rank before. Messages of one rank come in order, so
// what it has told of the arrays that it has made before a meeting is there when it has come to that. Any thread.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>

#include "base/mutex.hpp"

namespace weir::cluster {

// Numbers that differ where values do, almost surely.
class Digest {
 public:
  void add(std::uint64_t value) noexcept {
    state_ = (state_ ^ value) * 0x9e3779b97f4a7c15u;
    state_ ^= state_ >> 29;
  }
  std::uint64_t value() const noexcept { return state_; }

 private:
  std::uint64_t state_ = 0x243f6a8885a308d3u;
};

struct ArrayMark {
  std::uint64_t tiles = 0;   // of the grid, and the bytes of each tile
  std::uint64_t owners = 0;  // of each tile
};

class ArrayMarks {
 public:
  enum class What : std::uint8_t { tiles, owners };
  struct Difference {
    What what;
    std::string name;  // of this rank's array
  };
  // In the order in which they are made. The first difference that is seen by that.
  std::optional<Difference> note_own(const ArrayMark& mark, std::string name) {
    const base::Lock lock(mutex_);
    own_.push_back({mark, std::move(name)});
    return compare();
  }
  std::optional<Difference> note_told(const ArrayMark& mark) {
    const base::Lock lock(mutex_);
    told_.push_back(mark);
    return compare();
  }

 private:
  struct Own {
    ArrayMark mark;
    std::string name;
  };
  std::optional<Difference> compare() WEIR_REQUIRES(mutex_) {
    while (!own_.empty() && !told_.empty()) {
      const Own own = std::move(own_.front());
      const ArrayMark told = told_.front();
      own_.pop_front();
      told_.pop_front();
      if (own.mark.tiles != told.tiles) return Difference{What::tiles, own.name};
      if (own.mark.owners != told.owners) return Difference{What::owners, own.name};
    }
    return std::nullopt;
  }

  base::Mutex mutex_;
  std::deque<Own> own_ WEIR_GUARDED_BY(mutex_);  // of these two one is empty
  std::deque<ArrayMark> told_ WEIR_GUARDED_BY(mutex_);
};

}  // namespace weir::cluster

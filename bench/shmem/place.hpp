// SPDX-License-Identifier: Apache-2.0

// Where the host has put the two cores of a process while it measured: a line goes from one to the other and back in a
// short time or in a long one, and times that were taken in the one kind of place say nothing beside those of the
// other. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace weir::bench {

// What a line took (one way, us) right before a measurement and right after it; 0: not measured.
struct Lines {
  double before = 0, after = 0;
};

enum class Place : std::uint8_t {
  unknown,  // no line was measured, or the place changed during the measurement
  only,     // all lines of the run took about the same
  near,
  far,
};
inline constexpr Place kPlaces[] = {Place::only, Place::near, Place::far};
const char* to_string(Place place) noexcept;

// Tells the two kinds of places of a run apart.
class Places {
 public:
  // Of all lines of the run.
  explicit Places(std::span<const Lines> lines);

  Place place_of(const Lines& lines) const noexcept;
  // Between near and far, us. None: there is one kind.
  std::optional<double> border() const noexcept { return border_; }

 private:
  Place place_of(double line) const noexcept;

  std::optional<double> border_;
  double most_ = 0;  // a line that took longer was interrupted
};

}  // namespace weir::bench

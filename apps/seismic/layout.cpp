// SPDX-License-Identifier: Apache-2.0

#include "apps/seismic/layout.hpp"

#include <algorithm>

namespace weir::apps::seismic {
namespace {

constexpr Index kRowShift = 21;  // lines, modulo those of a page
constexpr Index kLinesPerPage = 64;
constexpr Index kGhostCols = 4 * kLine;  // left and right together, see fields.h

}  // namespace

Index stride_for(Index cols) {
  const Index lines = (cols + kLine - 1) / kLine + kGhostCols / kLine;
  const Index shift = ((kRowShift - lines) % kLinesPerPage + kLinesPerPage) % kLinesPerPage;
  return (lines + shift) * kLine;
}

BandLayout band_layout(Index rows, Index cols, Index band_rows) {
  return {rows, cols, std::min(rows, band_rows), stride_for(cols)};
}

}  // namespace weir::apps::seismic

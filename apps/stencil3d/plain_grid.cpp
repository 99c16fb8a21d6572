// SPDX-License-Identifier: Apache-2.0

#include "apps/stencil3d/plain_grid.hpp"

#include "weir/error.hpp"

namespace weir::apps::stencil3d {
namespace {

std::size_t size(Index n) { return static_cast<std::size_t>(n); }

PlainMemory memory_for(const Shape& shape, const std::string& folder) {
  const std::uint64_t a_block =
      PlainMemory::rounded(size(shape.interior_cells())) + 2 * kSides * PlainMemory::rounded(size(shape.face_cells()));
  const std::uint64_t border = kSides * PlainMemory::rounded(size(shape.face_cells()));
  auto memory = PlainMemory::create(size(shape.block_count()) * a_block + border, folder);
  if (!memory) throw Error(memory.status().message);
  return std::move(*memory);
}

}  // namespace

PlainGrid::PlainGrid(const Settings& settings, const std::string& folder)
    : settings_(settings), memory_(memory_for(settings.shape, folder)) {
  const Shape& shape = settings.shape;
  for (Index b = 0; b < shape.block_count(); ++b) {
    Block block{};
    block.interior = memory_.take(size(shape.interior_cells()));
    for (auto& parity : block.faces) {
      for (double*& face : parity) face = memory_.take(size(shape.face_cells()));
    }
    blocks_.push_back(block);
  }
  for (int side = 0; side < kSides; ++side) {
    border_[size(side)] = memory_.take(size(shape.face_cells()));
    fill_border(Side(side), {border_[size(side)], size(shape.face_cells())});
  }
}

std::span<double> PlainGrid::interior(Index block) const {
  return {blocks_[size(block)].interior, size(settings_.shape.interior_cells())};
}

void PlainGrid::fill(Index block) {
  const Shape& shape = settings_.shape;
  fill_interior(shape, block, interior(block));
  for (int side = 0; side < kSides; ++side) {
    publish(shape, interior(block), Side(side), {blocks_[size(block)].faces[0][side], size(shape.face_cells())});
  }
}

void PlainGrid::work_on(Index block, Index iteration, double* scratch) {
  const auto parity = size(iteration % 2);
  const double* halo[kSides];
  for (int side = 0; side < kSides; ++side) {
    const Index other = neighbour(settings_.shape, block, Side(side));
    halo[side] = other < 0 ? border_[size(side)] : blocks_[size(other)].faces[parity][opposite(Side(side))];
  }
  Block& own = blocks_[size(block)];
  stencil3d::work_on(settings_, own.interior, halo, own.faces[1 - parity], scratch);
}

std::uint64_t PlainGrid::checksum(Index block) const { return stencil3d::checksum(interior(block)); }

}  // namespace weir::apps::stencil3d

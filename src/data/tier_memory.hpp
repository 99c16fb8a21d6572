// SPDX-License-Identifier: Apache-2.0

// TierMemory: the opened tiers as an engine sees them (nodes, offsets), and the addresses behind its places.
//
// The only place where the two meet. The hierarchy never changes; the rest belongs to the store's lock, but for
// address(), which any thread may call for a place that stays taken meanwhile.
#pragma once

#include <memory>
#include <vector>

#include "data/engine/hierarchy.hpp"
#include "data/engine/node_memory.hpp"
#include "data/tiers.hpp"
#include "memory/copy_engine.hpp"

namespace weir::data {

class TierMemory {
 public:
  // `tiers` outlives it.
  explicit TierMemory(TierSet& tiers);

  const engine::Hierarchy& hierarchy() const noexcept { return hierarchy_; }
  std::vector<engine::NodeMemory*> memories() const;

  // Null where the processor cannot address the node.
  void* address(engine::Place place) const noexcept {
    return backings_[engine::index_of(place.node)]->address(place.offset);
  }
  memory::CopyEnd end(engine::Place place) const noexcept {
    return memory::CopyEnd::at(*backings_[engine::index_of(place.node)], place.offset);
  }
  // The file of a node; null when it has memory.
  FileStore* file_of(engine::NodeId node) const noexcept { return files_[engine::index_of(node)]; }

 private:
  void add_node(engine::TierIndex tier, std::string name, std::unique_ptr<engine::NodeMemory> memory,
                memory::Backing& backing, FileStore* file);

  engine::Hierarchy hierarchy_;
  std::vector<std::unique_ptr<engine::NodeMemory>> memories_;  // by node
  std::vector<memory::Backing*> backings_;                     // by node
  std::vector<FileStore*> files_;                              // by node
};

}  // namespace weir::data

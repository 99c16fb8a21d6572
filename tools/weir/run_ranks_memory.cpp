// SPDX-License-Identifier: Apache-2.0

#include "run_ranks_memory.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "json.hpp"

namespace weir::tool {

namespace {

using base::Status;

std::string label(std::size_t rank) { return fmt::format("rank {}: ", rank); }

}  // namespace

Status RanksMemory::prepare(const MemoryOptions& options, const std::vector<std::string>& words, std::uint32_t ranks) {
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    if (!options.mode.empty()) {
      auto placed = PlacedRun::prepare(options, words);
      if (!placed) return placed.status();
      placed_.push_back(std::move(*placed));
    }
    if (!options.memkind) continue;
    memkind_.push_back(std::make_unique<MemkindRun>());
    if (Status status = memkind_.back()->prepare(words); !status) return status;
  }
  return Status::success();
}

std::vector<std::pair<std::string, std::string>> RanksMemory::variables(std::uint32_t rank) const {
  std::vector<std::pair<std::string, std::string>> all;
  if (rank < placed_.size()) all = placed_[rank]->variables();
  if (rank < memkind_.size())
    for (auto& variable : memkind_[rank]->variables()) all.push_back(std::move(variable));
  return all;
}

Status RanksMemory::with_policy(const std::function<void()>& start) {
  if (!placed_.empty()) return placed_.front()->with_policy(start);
  start();
  return Status::success();
}

void RanksMemory::report(Json& object) const {
  Json memory = Json::array(), memkind = Json::array();
  for (std::size_t rank = 0; rank < std::max(placed_.size(), memkind_.size()); ++rank) {
    Json of_rank;
    if (rank < placed_.size()) placed_[rank]->report(of_rank, label(rank));
    if (rank < memkind_.size()) memkind_[rank]->report(of_rank, label(rank));
    if (of_rank.contains("memory")) memory.push_back(of_rank["memory"]);
    if (of_rank.contains("memkind")) memkind.push_back(of_rank["memkind"]);
  }
  if (!placed_.empty()) object["memory"] = std::move(memory);
  if (!memkind_.empty()) object["memkind"] = std::move(memkind);
}

}  // namespace weir::tool

// SPDX-License-Identifier: Apache-2.0

#include "shmem/group/group.hpp"

#include <algorithm>
#include <map>

#include "base/check.hpp"
#include "shmem/observe/recording.hpp"

namespace weir::shmem {

Group::Group(Setting setting)
    : reach_(std::move(setting.reach)),
      me_(setting.me),
      start_(setting.members.front().pe),
      stride_(setting.members.size() > 1 ? setting.members[1].pe - start_ : 1),
      near_(near_places(setting), *reach_),
      calls_(setting.first_step) {
  if (world().is_traced) {
    const std::uint64_t key[] = {
        static_cast<std::uint64_t>(pes_.front()),
        static_cast<std::uint64_t>(reinterpret_cast<std::byte*>(areas_.front()) - world().internal),
        setting.first_step};
    gathering_ = gathering_of(key, pes_);
  }
  if (leaders_.size() == 1) return;
  Far::Places far;
  for (const unsigned leader : leaders_) {
    far.pes.push_back(pes_[leader]);
    far.areas.push_back(areas_[leader]);
  }
  far.me = my_node();
  far.first_step = setting.first_step;
  far_ = std::make_unique<Far>(std::move(far), *reach_);
}

// Nodes are numbered in the order of their first members, which lead them.
Near::Places Group::near_places(const Setting& setting) {
  std::map<int, unsigned> number_of;
  std::vector<unsigned> members_of;
  for (const Member& member : setting.members) {
    const auto index = static_cast<unsigned>(pes_.size());
    const auto [node, is_new] = number_of.try_emplace(member.node, static_cast<unsigned>(leaders_.size()));
    if (is_new) {
      leaders_.push_back(index);
      members_of.push_back(0);
    }
    node_.push_back(node->second);
    place_.push_back(members_of[node->second]++);
    is_strided_ = is_strided_ && member.pe == start_ + static_cast<int>(index) * stride_;
    pes_.push_back(member.pe);
    areas_.push_back(member.area);
  }
  Near::Places near{{}, place_[me_], setting.first_step, setting.crowded};
  for (unsigned member = 0; member < size(); ++member) {
    if (node_[member] != my_node()) continue;
    near_members_.push_back(member);
    std::byte* const area = at(areas_[member], member);
    WEIR_CHECK(area != nullptr, "members of one node map one another's memory");
    near.areas.push_back(reinterpret_cast<Area*>(area));
  }
  return near;
}

Step Group::last_step() const noexcept { return std::max(near_.step(), has_far() ? far_->step() : Step{0}); }

std::optional<unsigned> Group::member_of(int pe) const noexcept {
  if (is_strided_) {
    const int distance = pe - start_;
    if (stride_ == 0 || distance % stride_ != 0) return distance == 0 ? std::optional(0U) : std::nullopt;
    const int member = distance / stride_;
    if (member < 0 || member >= static_cast<int>(size())) return std::nullopt;
    return static_cast<unsigned>(member);
  }
  const auto found = std::find(pes_.begin(), pes_.end(), pe);
  if (found == pes_.end()) return std::nullopt;
  return static_cast<unsigned>(found - pes_.begin());
}

}  // namespace weir::shmem

// SPDX-License-Identifier: Apache-2.0

// Group: PEs that take part in collectives together: a team's, or those of an active set.
//
// Members are numbered from 0; each PE has an object of its own for the group, made with all members' areas and the
// same first step. Members on one node form a Near; the first of each node leads it, and the leaders form a Far. One
// thread at a time; different groups on different threads.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "shmem/group/area.hpp"
#include "shmem/group/far.hpp"
#include "shmem/group/near.hpp"
#include "shmem/group/reach.hpp"
#include "shmem/observe/call.hpp"

namespace weir::shmem {

class Group {
 public:
  struct Member {
    int pe = 0;            // of the world
    int node = 0;          // the same number for members that map one another's memory
    Area* area = nullptr;  // as a symmetric pointer of this PE
  };
  struct Setting {
    std::vector<Member> members;
    unsigned me = 0;
    Step first_step = 0;
    bool crowded = false;
    std::unique_ptr<Reach> reach;
  };

  explicit Group(Setting setting);

  unsigned size() const noexcept { return static_cast<unsigned>(pes_.size()); }
  unsigned me() const noexcept { return me_; }
  int pe(unsigned member) const noexcept { return pes_[member]; }
  const int* pes() const noexcept { return pes_.data(); }  // of all members
  // The member that this PE of the world is, if it is one.
  std::optional<unsigned> member_of(int pe) const noexcept;

  Near& near() noexcept { return near_; }
  Far& far() noexcept { return *far_; }  // only when there are several nodes
  bool has_far() const noexcept { return far_ != nullptr; }
  bool is_leader() const noexcept { return near_.me() == 0; }
  unsigned node_of(unsigned member) const noexcept { return node_[member]; }
  unsigned my_node() const noexcept { return node_[me_]; }
  unsigned place_of(unsigned member) const noexcept { return place_[member]; }        // among those of its node
  unsigned member_at(unsigned place) const noexcept { return near_members_[place]; }  // of this PE's node
  Area* area(unsigned member) const noexcept { return areas_[member]; }               // as a symmetric pointer
  Reach& reach() noexcept { return *reach_; }

  // Where a member's object is; null: reach() has to be asked.
  std::byte* at(const void* symmetric, unsigned member) {
    if (member == me_) return const_cast<std::byte*>(static_cast<const std::byte*>(symmetric));
    return reach_->mapped(symmetric, pes_[member]);
  }
  // The same for bytes of a source, which may be constants of the program.
  const std::byte* source_at(const void* symmetric, std::size_t bytes, unsigned member) {
    if (member == me_) return static_cast<const std::byte*>(symmetric);
    return reach_->mapped_source(symmetric, bytes, pes_[member]);
  }
  // The number of a call that is checked, the same on all members: each is followed by a sync, so that no later group
  // of the same areas has it once more.
  Step next_call() noexcept { return ++calls_; }
  Gathering& gathering() noexcept { return gathering_; }  // for traces
  // No area of the group has seen a later one.
  Step last_step() const noexcept;

 private:
  Near::Places near_places(const Setting& setting);

  std::unique_ptr<Reach> reach_;
  std::vector<int> pes_;
  std::vector<Area*> areas_;
  unsigned me_;
  int start_, stride_;  // pe(i) == start_ + i * stride_, if that is so for all
  bool is_strided_ = true;
  std::vector<unsigned> node_, place_;  // of each member
  std::vector<unsigned> near_members_, leaders_;
  Near near_;
  std::unique_ptr<Far> far_;
  Step calls_;  // that were checked
  Gathering gathering_;
};

}  // namespace weir::shmem

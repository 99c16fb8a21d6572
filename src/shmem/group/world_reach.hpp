// SPDX-License-Identifier: Apache-2.0

// WorldReach: a group's way to the other PEs of the program: mapped segments, and a context of the group's own.
#pragma once

#include <vector>

#include "shmem/group/reach.hpp"
#include "shmem/rma/context.hpp"
#include "shmem/world/awaited.hpp"

namespace weir::shmem {

class WorldReach : public Reach {
 public:
  WorldReach() : context_(Context::kPrivate, {}, nullptr) {}
  // Of a group with these members, of which this PE is members[me]: waits that get long tell who is missing.
  struct Member {
    int pe = 0;
    Area* area = nullptr;  // as a symmetric pointer
    bool is_leader = false;
  };
  WorldReach(const std::vector<Member>& members, unsigned me);
  ~WorldReach() override;

  std::byte* mapped(const void* symmetric, int pe) override;
  const std::byte* mapped_source(const void* symmetric, std::size_t bytes, int pe) override;
  std::uint64_t name_of(const void* object) override;
  const std::byte* named(std::uint64_t name, int pe) override;
  void check_end(const void* symmetric, std::size_t bytes) override;
  void put_nbi(void* symmetric, const void* from, std::size_t bytes, int pe) override;
  void get_nbi(void* to, const void* symmetric, std::size_t bytes, int pe) override;
  void quiet() override;
  void set_flag(std::atomic<Step>* symmetric, Step value, int pe) override;
  void wait(const std::atomic<Step>& word, Step step) override;

 private:
  Awaited awaited(const std::atomic<Step>& word, Step step) const noexcept;

  Context context_;
  Crew crew_;
  const Area* own_area_ = nullptr;
};

}  // namespace weir::shmem

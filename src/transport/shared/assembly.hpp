// SPDX-License-Identifier: Apache-2.0

// Assembly: what all ranks of a host do together at the start and between phases: a barrier, an exchange of bytes, and
// an agreement on whether something went well. One thread of a rank at a time.
#pragma once

#include <span>

#include "base/result.hpp"
#include "transport/shared/waiting.hpp"

namespace weir::transport::shared {

class Assembly {
 public:
  Assembly(Commons& commons, Peers& peers, Waiting& waiting) noexcept
      : commons_(commons), peers_(peers), waiting_(waiting) {}

  base::Status barrier();
  base::Status all_gather(std::span<const std::byte> mine, std::span<std::byte> all);
  // Success when all say so, else the failure of the first rank that has one, the same on all.
  base::Status agree(const base::Status& mine);

 private:
  base::Status gather_piece(std::span<const std::byte> mine, std::size_t total, std::size_t from,
                            std::span<std::byte> all);

  Commons& commons_;
  Peers& peers_;
  Waiting& waiting_;
};

}  // namespace weir::transport::shared

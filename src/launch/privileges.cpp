// SPDX-License-Identifier: Apache-2.0

#include "launch/privileges.hpp"

#include <fmt/format.h>

namespace weir::launch {

base::Status ManyDescriptors::enough_for(std::uint32_t ranks) const {
  const rlim_t needed = kOfARank * ranks + kOthers;
  if (needed <= before_.rlim_max) return base::Status::success();
  return {base::Code::no_space, fmt::format("{} ranks need {} descriptors, and {} are allowed: raise the hard limit "
                                            "(ulimit -Hn), or start fewer",
                                            ranks, needed, before_.rlim_max)};
}

}  // namespace weir::launch

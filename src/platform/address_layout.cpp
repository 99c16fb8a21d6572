// SPDX-License-Identifier: Apache-2.0

#include "platform/address_layout.hpp"

#include <sys/personality.h>

namespace weir::platform {

bool use_common_addresses() noexcept {
  constexpr unsigned long kAsk = 0xffffffff;
  const int present = ::personality(kAsk);
  return present != -1 && ::personality(static_cast<unsigned long>(present) | ADDR_NO_RANDOMIZE) != -1;
}

}  // namespace weir::platform

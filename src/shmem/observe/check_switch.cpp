// SPDX-License-Identifier: Apache-2.0

#include "shmem/observe/check_switch.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <string_view>

#include "check/hooks.hpp"
#include "shmem/world/world.hpp"

namespace weir::shmem {

bool is_check_wanted() {
  const char* const value = std::getenv(check::kVariable);
  if (value == nullptr) return false;
  const std::string_view text = value;
  if (text.empty() || text == "0" || text.find(':') != text.npos) return false;
  if (text != check::kForShmem)
    fail(fmt::format("{}={}: 1 checks the calls of OpenSHMEM programs, 0 does not", check::kVariable, text));
  check::leave_to_shmem();
  return true;
}

}  // namespace weir::shmem

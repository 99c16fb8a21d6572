// SPDX-License-Identifier: Apache-2.0

#include "launch/rank_state.hpp"

#include <unistd.h>

#include <array>
#include <cerrno>

namespace weir::launch {

bool RankState::read(platform::Descriptor& from, Lines& lines, std::string& to) {
  std::array<char, 16384> buffer;  // of a stack that may be small (ulimit -s)
  const ssize_t count = from.is_open() ? ::read(from.number(), buffer.data(), buffer.size()) : 0;
  if (count > 0) {
    lines.add({buffer.data(), static_cast<std::size_t>(count)}, to);
    return true;
  }
  if (count < 0 && (errno == EINTR || errno == EAGAIN)) return false;
  lines.finish(to);  // at the end; of a terminal that is EIO
  from.close();
  return false;
}

std::optional<int> RankState::hear() {
  std::optional<int> aborts;
  while (process_.control.is_open()) {
    const auto said = read_said(process_.control.number());
    if (!said) break;
    switch (said->what) {
      case Said::What::seeks: end_.seeks = true; break;
      case Said::What::joins:  // a program may begin and end its part several times
        end_.seeks = false;
        end_.has_joined = true;
        end_.has_left = false;
        break;
      case Said::What::leaves: end_.has_left = true; break;
      case Said::What::lost: end_.lost = static_cast<std::uint32_t>(said->value); break;
      case Said::What::closed: process_.control.close(); break;
      case Said::What::aborts:
        if (!aborts) aborts = said->value;
        break;
    }
  }
  return aborts;
}

void RankState::has_ended(platform::ProcessEnd end, std::uint32_t order) noexcept {
  end_.has_ended = true;
  end_.end = end;
  end_.order = order;
}

}  // namespace weir::launch

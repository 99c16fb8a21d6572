// SPDX-License-Identifier: Apache-2.0

#include "shmem/group/matching.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "shmem/group/collective.hpp"
#include "shmem/group/groups.hpp"
#include "shmem/observe/check_board.hpp"
#include "shmem/world/routine.hpp"
#include "shmem/world/world.hpp"

namespace weir::shmem {
namespace {

// What is shown of a call.
std::string text_of(const MatchedCall& call) {
  const std::string found = routine_of_caller();
  const std::string routine = found.empty() ? std::string("the end of the program") : found;
  return call.arguments.empty() ? routine : fmt::format("{} ({})", routine, call.arguments);
}

// Of what is compared, however long that is: FNV-1a.
std::uint64_t key_of(const MatchedCall& call) {
  std::uint64_t hash = 14695981039346656037u;
  for (const std::string_view part :
       {call.kind, std::string_view(" "), std::string_view(call.compared.empty() ? call.arguments : call.compared)}) {
    for (const char c : part) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  }
  return hash;
}

void store(char* to, std::size_t room, const std::string& text) {
  const std::size_t n = std::min(text.size(), room - 1);
  std::memcpy(to, text.data(), n);
  to[n] = '\0';
}

// A member's slot, as a symmetric pointer.
CallSlot* slot_of(const Group& group, unsigned member) {
  const auto offset = reinterpret_cast<std::byte*>(group.area(member)) - groups()->areas;
  return groups()->calls + static_cast<std::size_t>(offset) / kAreaBytes;
}

CallText call_of(const Group& group, unsigned member) {
  CallText found;
  read_of(group.pe(member), &slot_of(group, member)->call, &found, sizeof(found));
  return found;
}

// The first member whose call differs from that of member 0 tells which two are named, by member 0.
void compare(const Group& group, const MatchedCall& call) {
  const CallText first = call_of(group, 0);
  for (unsigned member = 1; member < group.size(); ++member) {
    const CallText other = call_of(group, member);
    if (first.key == other.key) continue;
    if (group.me() != 0) wait_for_the_end();
    fail(
        fmt::format("PE {} has called {}, and PE {} has called {}, as the same collective of {}: all its members make "
                    "the same calls with the same arguments, in the same order",
                    group.pe(0), first.text, group.pe(member), other.text, call.members));
  }
}

}  // namespace

std::string describe(const MatchedCall& call) { return fmt::format("{} of {}", text_of(call), call.members); }

void match(Group& group, const MatchedCall& call) {
  begin_call(describe(call));
  CallSlot& mine = *slot_of(group, group.me());
  mine.call.key = key_of(call);
  store(mine.call.text, sizeof(mine.call.text), text_of(call));
  const Step step = group.next_call();
  mine.step.store(step);
  for (unsigned member = 0; member < group.size(); ++member) {
    if (member != group.me()) wait_for({group.pe(member), &slot_of(group, member)->step, step});
  }
  compare(group, call);
  end_call();
  sync(group);
}

}  // namespace weir::shmem

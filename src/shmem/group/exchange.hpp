// SPDX-License-Identifier: Apache-2.0

// Exchange: every member of a group shows two words to all the others, whatever their nodes: sizes of a collect, areas
// of a new team.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "shmem/group/group.hpp"

namespace weir::shmem {

using WordPair = std::pair<std::uint64_t, std::uint64_t>;

// What all members show, in their order; all have begun. There must be a sync() before the next exchange of the group.
std::vector<WordPair> exchange_words(Group& group, const WordPair& mine);

}  // namespace weir::shmem

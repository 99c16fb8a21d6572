// SPDX-License-Identifier: Apache-2.0

#include "shmem/group/far.hpp"

#include <cstring>

namespace weir::shmem {

void Far::sync() {
  ++step_;
  for (unsigned round = 0, distance = 1; distance < nodes(); ++round, distance *= 2) {
    const unsigned next = (me() + distance) % nodes();
    // FAR-1: what this leader knows, the next one knows, when it sees the flag.
    reach_.set_flag(&places_.areas[next]->far_rounds[round].step, step_, places_.pes[next]);
    reach_.wait(places_.areas[me()]->far_rounds[round].step, step_);  // FAR-1
  }
  places_.areas[me()]->done.far_step.store(step_);  // for those who ask what a leader that has left has not come to
}

// Of two places the one that was not used last: everyone has read what stood there, for it has begun the sync after it.
void Far::show(const void* text, std::size_t bytes) {
  Letter& letter = places_.areas[me()]->far_letters[shown_ % 2];
  std::memcpy(letter.text, text, bytes);
}

void Far::exchange(const void* text, std::size_t bytes, std::byte* all) {
  show(text, bytes);
  sync();
  for (unsigned node = 0; node < nodes(); ++node) {
    std::byte* const to = all + node * bytes;
    if (node == me()) {
      std::memcpy(to, text, bytes);
    } else {
      reach_.get_nbi(to, places_.areas[node]->far_letters[shown_ % 2].text, bytes, pe(node));
    }
  }
  reach_.quiet();
  ++shown_;
}

void Far::tell(unsigned root, void* text, std::size_t bytes) {
  if (me() == root) show(text, bytes);
  sync();
  if (me() != root) {
    reach_.get_nbi(text, places_.areas[root]->far_letters[shown_ % 2].text, bytes, pe(root));
    reach_.quiet();
  }
  ++shown_;
}

}  // namespace weir::shmem

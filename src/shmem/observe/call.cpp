// SPDX-License-Identifier: Apache-2.0

#include "shmem/observe/call.hpp"

#include "shmem/observe/recording.hpp"
#include "shmem/world/address.hpp"

namespace weir::shmem {

namespace {

// Of a thread: the track, of which recording, and how many calls it stands in.
struct Thread {
  trace::Track* track = nullptr;
  unsigned recording = 0;
  unsigned depth = 0;
};
constinit thread_local Thread thread;

std::uint64_t packed(const CallPlace& place) noexcept {
  const World& w = world();
  const Segment* const segment = segment_of(place.symmetric);
  const auto pe = static_cast<std::uint32_t>(place.pe < 0 ? w.my_pe : place.pe);
  if (segment == nullptr) return trace::PePlace{pe, 0, trace::PePlace::kMostOffset}.packed();
  return trace::PePlace{pe, static_cast<std::uint32_t>(segment - w.segments),
                        reinterpret_cast<std::uintptr_t>(place.symmetric) - segment->start}
      .packed();
}

}  // namespace

void Call::begin(trace::Kind kind, std::uint8_t small, const CallPlace& place) noexcept {
  is_entered_ = true;
  record_ = {.symmetric = place.symmetric,
             .bytes = place.bytes,
             .pe = place.pe,
             .track = nullptr,
             .start = 0,
             .id = 0,
             .kind = kind,
             .small = small};
  Thread& self = thread;
  if (self.depth++ != 0) return;
  if (self.recording != recording_number()) [[unlikely]] {
    const ThreadTrack added = add_thread();
    self.track = added.track;
    self.recording = added.recording;
  }
  record_.track = self.track;
  record_.start = trace::Track::now();
}

void Call::end() noexcept {
  --thread.depth;
  const auto& [symmetric, bytes, pe, track, start, id, kind, small] = record_;
  if (track == nullptr || kind == trace::Kind::none || thread.recording != recording_number()) return;
  const bool has_place = kind != trace::Kind::meet && kind != trace::Kind::order;
  track->call(start, kind, small, has_place ? packed({symmetric, bytes, pe}) : id, bytes);
}

}  // namespace weir::shmem

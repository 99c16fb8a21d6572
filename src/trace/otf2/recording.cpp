#include "trace/otf2/recording.hpp"

#include <algorithm>

namespace weir::trace {

Recording::Recording(std::span<const Event> units, const Summary& about, const TimeScale& times)
    : summary(about), scale(times) {
  while (!units.empty()) {
    const Event& head = units.front();
    units = units.subspan(1);
    if (head.kind() == Kind::text) {
      std::string name(reinterpret_cast<const char*>(units.data()), head.value());
      units = units.subspan(std::min(units.size(), (head.value() + sizeof(Event) - 1) / sizeof(Event)));
      switch (static_cast<Named>(head.small())) {
        case Named::track:
          tracks.push_back(std::move(name));
          by_track.emplace_back();
          break;
        case Named::block: blocks.push_back(std::move(name)); break;
        case Named::tier: break;  // the summary has them, too
      }
      continue;
    }
    const std::size_t count = std::min<std::size_t>(head.value(), units.size());  // a full disk cut it
    for (const Event& event : units.first(count)) {
      by_track[head.id].push_back(&event);
      events.push_back(&event);
    }
    units = units.subspan(count);
  }
}

}  // namespace weir::trace

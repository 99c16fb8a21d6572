// SPDX-License-Identifier: Apache-2.0

#include "ocr/graph/awaited.hpp"

#include <unordered_map>
#include <utility>

#include "base/forever.hpp"
#include "base/mutex.hpp"
#include "ocr/objects/label.hpp"

namespace weir::ocr {

namespace {

struct AllAwaited {
  base::Mutex mutex;
  std::unordered_map<std::uint64_t, std::vector<Awaiting>> of WEIR_GUARDED_BY(mutex);  // by the label's bits
};
AllAwaited& all_awaited() noexcept {
  static base::Forever<AllAwaited> the_awaited;
  return the_awaited.value;
}

bool is_made(Guid guid) noexcept { return block_exists(guid) || event_exists(guid); }

}  // namespace

bool try_await_object(Guid label, Node node, std::uint32_t output) {
  AllAwaited& all = all_awaited();
  const base::Lock lock(all.mutex);
  std::vector<Awaiting>& of_label = all.of[label.bits];
  of_label.push_back({node, output});
  count_label_waits(1);
  platform::heavy_barrier();  // LABEL-1
  if (!is_made(label)) return true;
  of_label.pop_back();
  count_label_waits(-1);
  if (of_label.empty()) all.of.erase(label.bits);
  return false;
}

std::vector<Awaiting> take_awaiting(Guid label) {
  AllAwaited& all = all_awaited();
  const base::Lock lock(all.mutex);
  auto found = all.of.extract(label.bits);
  if (found.empty()) return {};
  count_label_waits(-static_cast<std::int64_t>(found.mapped().size()));
  return std::move(found.mapped());
}

void for_each_awaited(const std::function<void(Guid label, Node node, std::uint32_t output)>& f) {
  AllAwaited& all = all_awaited();
  const base::Lock lock(all.mutex);
  for (const auto& [label, of_label] : all.of)
    for (const Awaiting& each : of_label) f({label}, each.node, each.output);
}

void forget_awaited() noexcept {
  AllAwaited& all = all_awaited();
  const base::Lock lock(all.mutex);
  for (const auto& [label, of_label] : all.of) count_label_waits(-static_cast<std::int64_t>(of_label.size()));
  all.of.clear();
}

}  // namespace weir::ocr

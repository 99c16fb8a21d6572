// SPDX-License-Identifier: Apache-2.0

#include "ocr/graph/contribute.hpp"

#include <mutex>

#include "ocr/graph/collective.hpp"
#include "ocr/graph/event.hpp"
#include "ocr/graph/far.hpp"
#include "ocr/observe/checking.hpp"

namespace weir::ocr {

u8 contribute(Local& local, Guid guid, const void* values, std::uint32_t contributor,
              std::optional<std::size_t> bytes) {
  Event* const event = lock_object(events(), Kind::event, guid);
  if (event == nullptr) return is_far(guid) ? contribute_far(guid, values, contributor) : OCR_EINVAL;
  std::unique_lock lock(event->word, std::adopt_lock);
  if (event->type != EventType::collective || contributor >= event->collective->contributors) return OCR_EINVAL;
  Collective& collective = *event->collective;
  if (values == nullptr && needs_values(collective, contributor)) return OCR_EINVAL;
  if (values != nullptr && bytes.value_or(collective.bytes()) != collective.bytes()) return OCR_EINVAL;
  const std::uint64_t number = collective.satisfied[contributor];
  if (number >= collective.completed + collective.in_flight) return OCR_EPERM;
  if (checking::active()) checking::satisfied(guid, number);
  Completed completed;
  if (const u8 code = contribute(local, collective, values, contributor, completed)) return code;
  lock.unlock();
  const checking::Because cause(guid, number);
  for (std::size_t i = 0; i < completed.dependents.size(); ++i)
    notify(local, completed.dependents[i], result_for(completed.type, completed.result, i));
  return 0;
}

}  // namespace weir::ocr

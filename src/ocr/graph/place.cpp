// SPDX-License-Identifier: Apache-2.0

#include "ocr/graph/place.hpp"

#include <algorithm>
#include <vector>

#include "ocr/objects/block.hpp"
#include "ocr/program/program.hpp"
#include "runtime/workers.hpp"

namespace weir::ocr {

namespace {

// -1: it has no blocks.
int heaviest_domain(Edt& edt, int domains) {
  std::vector<std::uint64_t> bytes(static_cast<std::size_t>(domains));
  bool any = false;
  for (const Slot& slot : edt.slots()) {
    if (!holds_first(slot)) continue;
    const Block& block = slot.block();
    bytes[std::min<std::size_t>(block.domain, bytes.size() - 1)] += block.size;
    any = true;
  }
  return any ? static_cast<int>(std::max_element(bytes.begin(), bytes.end()) - bytes.begin()) : -1;
}

}  // namespace

void place(const ProgramLocal& local, Edt& edt) {
  const int domains = local.worker->scheduler().domain_count();
  if (domains == 1) [[likely]]
    return;
  sched::Task& task = edt.task();
  sched::TaskExtra* extra = task.note.extra();
  if (extra != nullptr && extra->domain >= 0) return;
  const int domain = heaviest_domain(edt, domains);
  if (domain < 0 || domain == local.worker->domain()) return;
  if (extra == nullptr) task.note = sched::TaskNote(extra = new sched::TaskExtra);
  extra->domain = domain;
}

}  // namespace weir::ocr

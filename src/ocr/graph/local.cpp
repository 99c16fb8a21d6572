// SPDX-License-Identifier: Apache-2.0

#include "ocr/graph/local.hpp"

#include "ocr/system/system.hpp"

namespace weir::ocr {

namespace detail {
thread_local constinit ThisLocal this_local{nullptr, 0};
constinit std::atomic<std::uint64_t> running_system{kNoSystem};
constinit Immortal<ObjectTable<Event>> events;
constinit Immortal<ObjectTable<Block>> blocks;
constinit Immortal<ObjectTable<Template>> templates;
}  // namespace detail

Local::Local(sched::Worker& w, Tiers& t) : worker(&w), tiers(t), pool(t.pool_of({w.domain(), {}})), memory(t.pools()) {
  scope.open(&w, nullptr);
}

Local::~Local() = default;

void Local::add_links() {
  constexpr std::size_t kSlab = 128;
  link_slabs.push_back(std::make_unique<Link[]>(kSlab));
  for (std::size_t i = 0; i < kSlab; ++i) free_link(*this, link_slabs.back()[i]);
}

Local* attach_local() noexcept {
  System* const system = System::running();
  Local* const made = system == nullptr ? nullptr : system->make_local();
  if (made != nullptr) detail::this_local = {made, system->number()};
  return made;
}

}  // namespace weir::ocr

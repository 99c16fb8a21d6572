#include "ocr/local.hpp"

#include "ocr/system.hpp"

namespace weir::ocr {

namespace detail {
thread_local constinit Local* this_local = nullptr;
constinit std::atomic<std::uint64_t> running_system{0};
constinit Immortal<ObjectTable<Event>> events;
constinit Immortal<ObjectTable<Block>> blocks;
constinit Immortal<ObjectTable<Template>> templates;
}  // namespace detail

Local::~Local() {
  while (links != nullptr) delete std::exchange(links, reinterpret_cast<Link*>(links->next));
}

Local* attach_local() noexcept {
  System* const system = System::running();
  detail::this_local = system == nullptr ? nullptr : system->make_local();
  return detail::this_local;
}

}  // namespace weir::ocr

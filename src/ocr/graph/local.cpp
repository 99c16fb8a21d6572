// SPDX-License-Identifier: Apache-2.0

#include "ocr/graph/local.hpp"

namespace weir::ocr {

namespace detail {
thread_local constinit ThisLocal this_local{nullptr, 0};
constinit std::atomic<std::uint64_t> running_system{kNoSystem};
constinit std::atomic<Attach> attach{nullptr};
}  // namespace detail

Local* attach_local() noexcept {
  const detail::Attach attach = detail::attach.load(std::memory_order_acquire);  // SYS-1
  return attach == nullptr ? nullptr : attach();
}

}  // namespace weir::ocr

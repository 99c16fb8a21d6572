// SPDX-License-Identifier: Apache-2.0

#include "platform/barrier.hpp"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/check.hpp"

namespace weir::platform {

namespace {

bool register_membarrier() noexcept {
  const long commands = syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0, 0);
  if (commands < 0 || (commands & MEMBARRIER_CMD_PRIVATE_EXPEDITED) == 0) return false;
  return syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
}

}  // namespace

namespace detail {

const bool kHasMembarrier = register_membarrier();

// A read-modify-write that is sequentially consistent, not a stand-alone fence: ThreadSanitizer understands it.
void full_barrier() noexcept {
  static std::atomic<int> word{0};
  word.fetch_add(1, std::memory_order_seq_cst);
}

}  // namespace detail

void heavy_barrier() noexcept {
  detail::full_barrier();
  if (!detail::kHasMembarrier) return;
  WEIR_CHECK(syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0,
             "membarrier(2) failed after it was registered");
}

}  // namespace weir::platform

// SPDX-License-Identifier: Apache-2.0

// AddressLimit: jobs that are started while it lives may use so many bytes of addresses, as under `ulimit -v`.
#pragma once

#include <sys/resource.h>

#include <cstdint>
#include <cstdlib>

#include "base/sanitizers.hpp"

namespace weir::shmem::multi {

class AddressLimit {
 public:
  explicit AddressLimit(std::uint64_t bytes) {
    if (base::kUnderSanitizer || std::getenv("QEMU_LD_PREFIX") != nullptr || getrlimit(RLIMIT_AS, &before_) != 0)
      return;
    const rlimit less{bytes, before_.rlim_max};
    is_so_ = setrlimit(RLIMIT_AS, &less) == 0;
  }
  ~AddressLimit() {
    if (is_so_) setrlimit(RLIMIT_AS, &before_);
  }
  AddressLimit(const AddressLimit&) = delete;
  AddressLimit& operator=(const AddressLimit&) = delete;

  // False: a sanitizer takes addresses without end, QEMU keeps no limit of them, or the system says no.
  bool is_so() const noexcept { return is_so_; }

 private:
  rlimit before_{};
  bool is_so_ = false;
};

}  // namespace weir::shmem::multi

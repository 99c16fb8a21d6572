// SPDX-License-Identifier: Apache-2.0

// StarPU as a user sets it up for data larger than memory: a limit for main memory, and a folder on disk to which data
// goes that does not fit. Data is registered without a home, so that StarPU decides where it is.
#pragma once

#include <sys/types.h>

extern "C" {
#include <starpu_disk.h>  // of StarPU's headers the one that does not say so itself
}
#include <starpu.h>

#include <cstdint>
#include <span>
#include <string>

#include "apps/common/tier_variants.hpp"

namespace weir::apps::starpu {

class OutOfCore {
 public:
  // `bytes` is all data there will be; settings.folder is StarPU's alone, and its caller's to remove. Throws
  // std::runtime_error when StarPU does not start with what was asked.
  OutOfCore(const TierSettings& settings, std::uint64_t bytes);
  ~OutOfCore();
  OutOfCore(const OutOfCore&) = delete;
  OutOfCore& operator=(const OutOfCore&) = delete;

  static starpu_data_handle_t make(std::uint64_t count);  // doubles
  static void drop(starpu_data_handle_t handle);
  // A task of `codelet` (of STARPU_VARIABLE_NBUFFERS) with a copy of `argument`. Throws when StarPU refuses it.
  template <class Argument>
  static void submit(starpu_codelet& codelet, std::span<starpu_data_descr> data, const Argument& argument) {
    submit_bytes(codelet, data, &argument, sizeof argument);
  }
  static void wait();

 private:
  static void submit_bytes(starpu_codelet& codelet, std::span<starpu_data_descr> data, const void* argument,
                           std::size_t bytes);

  std::string folder_;  // StarPU keeps the pointer
};

// Codelet functions run on any worker; buffers in the order of the task's data.
starpu_codelet make_codelet(void (*function)(void**, void*), const char* name);

inline double* buffer(void** buffers, std::size_t index) {
  return reinterpret_cast<double*>(STARPU_VECTOR_GET_PTR(buffers[index]));
}

template <class Argument>
Argument argument_of(void* packed) {
  Argument argument{};
  starpu_codelet_unpack_args(packed, &argument);
  return argument;
}

}  // namespace weir::apps::starpu

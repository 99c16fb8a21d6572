// SPDX-License-Identifier: Apache-2.0

#include "apps/starpu/out_of_core.hpp"

#include <stdlib.h>

#include <algorithm>
#include <stdexcept>

namespace weir::apps::starpu {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

void start(const TierSettings& settings) {
  ::setenv("STARPU_SILENT", "1", 0);
  ::setenv("STARPU_LIMIT_CPU_MEM", std::to_string(std::max<std::uint64_t>(1, settings.budget / kMiB)).c_str(), 1);
  starpu_conf conf;
  starpu_conf_init(&conf);
  conf.ncpus = settings.threads;
  conf.ncuda = 0;
  conf.nopencl = 0;
  if (starpu_init(&conf) != 0) throw std::runtime_error("starpu_init failed");
}

}  // namespace

OutOfCore::OutOfCore(const TierSettings& settings, std::uint64_t bytes) : folder_(settings.folder) {
  start(settings);
  // Room for copies of all, and the 16 MiB that StarPU wants at least.
  const auto disk = static_cast<starpu_ssize_t>(2 * bytes + 64 * kMiB);
  if (starpu_disk_register(&starpu_disk_unistd_o_direct_ops, folder_.data(), disk) < 0) {
    throw std::runtime_error("StarPU cannot use " + folder_ + " as a disk");
  }
}

OutOfCore::~OutOfCore() { starpu_shutdown(); }

starpu_data_handle_t OutOfCore::make(std::uint64_t count) {
  constexpr std::uint64_t kPage = 4096 / sizeof(double);  // O_DIRECT writes whole ones
  const std::uint64_t rounded = (count + kPage - 1) / kPage * kPage;
  starpu_data_handle_t handle = nullptr;
  starpu_vector_data_register(&handle, -1, 0, static_cast<std::uint32_t>(rounded), sizeof(double));
  return handle;
}

void OutOfCore::drop(starpu_data_handle_t handle) { starpu_data_unregister_no_coherency(handle); }

void OutOfCore::wait() { starpu_task_wait_for_all(); }

void OutOfCore::submit_bytes(starpu_codelet& codelet, std::span<starpu_data_descr> data, const void* argument,
                             std::size_t bytes) {
  const int failed = starpu_task_insert(&codelet, STARPU_DATA_MODE_ARRAY, data.data(), static_cast<int>(data.size()),
                                        STARPU_VALUE, argument, bytes, 0);
  if (failed != 0) throw std::runtime_error(std::string("StarPU refuses a task ") + codelet.name);
}

starpu_codelet make_codelet(void (*function)(void**, void*), const char* name) {
  starpu_codelet codelet;
  starpu_codelet_init(&codelet);
  codelet.cpu_funcs[0] = function;
  codelet.nbuffers = STARPU_VARIABLE_NBUFFERS;
  codelet.name = name;
  return codelet;
}

}  // namespace weir::apps::starpu

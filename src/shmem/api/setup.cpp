// SPDX-License-Identifier: Apache-2.0

// Start and end, who a PE is, what it reaches, what library this is.
#include <fmt/format.h>

#include <cstdlib>
#include <cstring>

#include "shmem/api/entry.hpp"
#include "shmem/api/info.hpp"
#include "shmem/start/start.hpp"
#include "shmem/world/address.hpp"

namespace weir::shmem::api {

void fail_context() noexcept { fail("the context is SHMEM_CTX_INVALID: give one that shmem_ctx_create() has made"); }

void fail_count(std::size_t nelems, std::size_t element) noexcept {
  fail(fmt::format(
      "{} elements of {} bytes are more than there are addresses: give the number of elements, which is not "
      "negative",
      nelems, element));
}

void fail_negative(int nelems) noexcept {
  fail(fmt::format("the number of elements is {}: it must not be negative", nelems));
}

namespace {

int my_pe() noexcept {
  check_started();
  return world().my_pe;
}
int n_pes() noexcept {
  check_started();
  return world().n_pes;
}

int start_and_tell(int thread_level) {
  const ThreadLevel given = start(ThreadLevel{thread_level});
  tell_what_is_asked();
  return static_cast<int>(given);
}

bool is_pe(int pe) noexcept { return pe >= 0 && pe < world().n_pes; }

}  // namespace
}  // namespace weir::shmem::api

namespace weir::shmem {

WEIR_SHMEM_ENTRY(void, shmem_init, (void)) { api::start_and_tell(SHMEM_THREAD_SINGLE); }
WEIR_SHMEM_ENTRY(int, shmem_init_thread, (int requested, int* provided)) {
  if (requested < SHMEM_THREAD_SINGLE || requested > SHMEM_THREAD_MULTIPLE) return 1;
  const int given = api::start_and_tell(requested);
  if (provided != nullptr) *provided = given;
  return 0;
}
WEIR_SHMEM_ENTRY(void, shmem_query_thread, (int* provided)) { *provided = static_cast<int>(world().thread_level); }
WEIR_SHMEM_ENTRY(void, shmem_query_initialized, (int* initialized)) { *initialized = is_started() ? 1 : 0; }
WEIR_SHMEM_ENTRY(void, shmem_finalize, (void)) { finish(); }
WEIR_SHMEM_ENTRY(void, shmem_global_exit, (int status)) { global_exit(status); }
WEIR_SHMEM_ENTRY(int, shmem_my_pe, (void)) { return api::my_pe(); }
WEIR_SHMEM_ENTRY(int, shmem_n_pes, (void)) { return api::n_pes(); }

WEIR_SHMEM_ENTRY(int, shmem_pe_accessible, (int pe)) {
  api::check_started();
  return api::is_pe(pe) ? 1 : 0;
}
WEIR_SHMEM_ENTRY(int, shmem_addr_accessible, (const void* addr, int pe)) {
  api::check_started();
  return api::is_pe(pe) && is_symmetric(addr, 1) ? 1 : 0;
}
WEIR_SHMEM_ENTRY(void*, shmem_ptr, (const void* dest, int pe)) {
  api::check_started();
  return try_mapped(dest, pe);
}

WEIR_SHMEM_ENTRY(void, shmem_info_get_version, (int* major, int* minor)) {
  *major = SHMEM_MAJOR_VERSION;
  *minor = SHMEM_MINOR_VERSION;
}
WEIR_SHMEM_ENTRY(void, shmem_info_get_name, (char* name)) {
  static_assert(sizeof(SHMEM_VENDOR_STRING) <= SHMEM_MAX_NAME_LEN);
  std::memcpy(name, SHMEM_VENDOR_STRING, sizeof(SHMEM_VENDOR_STRING));
}
// A level for a profiler that defines this function; without one there is nothing to control.
WEIR_SHMEM_ENTRY(void, shmem_pcontrol, (int, ...)) {}

}  // namespace weir::shmem

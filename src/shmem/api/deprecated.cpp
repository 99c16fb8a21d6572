// SPDX-License-Identifier: Apache-2.0

// Names of OpenSHMEM 1.0 to 1.3 that have no types, or atomics behind them; active sets are in active_set.cpp.
#include "shmem/api/entry.hpp"
#include "shmem/api/info.hpp"
#include "shmem/rma/atomic.hpp"
#include "shmem/shmem-compat.h"
#include "shmem/start/start.hpp"

namespace weir::shmem::api {
namespace {

template <class T>
T do_fetch(const T* source, int pe) {
  return atomic_fetch(default_context(), source, pe);
}
template <class T>
void do_set(T* dest, T value, int pe) {
  atomic_set(default_context(), dest, value, pe);
}
template <class T>
T do_swap(T* dest, T value, int pe) {
  return atomic_swap(default_context(), dest, value, pe);
}
template <class T>
T do_cswap(T* dest, T cond, T value, int pe) {
  return atomic_compare_swap(default_context(), dest, cond, value, pe);
}
template <class T>
T do_finc(T* dest, int pe) {
  return atomic_fetch_add(default_context(), dest, T{1}, pe);
}
template <class T>
void do_inc(T* dest, int pe) {
  atomic_add(default_context(), dest, T{1}, pe);
}
template <class T>
T do_fadd(T* dest, T value, int pe) {
  return atomic_fetch_add(default_context(), dest, value, pe);
}
template <class T>
void do_add(T* dest, T value, int pe) {
  atomic_add(default_context(), dest, value, pe);
}

}  // namespace
}  // namespace weir::shmem::api

WEIR_SHMEM_OLD_EXT(WEIR_SHMEM_OLD_SWAPS, WEIR_SHMEM_DEFINE_TYPED)
WEIR_SHMEM_OLD_AMO(WEIR_SHMEM_OLD_SUMS, WEIR_SHMEM_DEFINE_TYPED)

namespace weir::shmem {

WEIR_SHMEM_ENTRY(void, start_pes, (int)) {
  start_once();
  api::tell_what_is_asked();
}
WEIR_SHMEM_ENTRY(int, _my_pe, (void)) { return pshmem_my_pe(); }
WEIR_SHMEM_ENTRY(int, _num_pes, (void)) { return pshmem_n_pes(); }
WEIR_SHMEM_ENTRY(int, my_pe, (void)) { return pshmem_my_pe(); }
WEIR_SHMEM_ENTRY(int, num_pes, (void)) { return pshmem_n_pes(); }
WEIR_SHMEM_ENTRY(void, globalexit, (int status)) { global_exit(status); }

// Caches are coherent on every machine that this runs on: the puts of others are seen without it.
WEIR_SHMEM_ENTRY(void, shmem_set_cache_inv, (void)) {}
WEIR_SHMEM_ENTRY(void, shmem_set_cache_line_inv, (void*)) {}
WEIR_SHMEM_ENTRY(void, shmem_clear_cache_inv, (void)) {}
WEIR_SHMEM_ENTRY(void, shmem_clear_cache_line_inv, (void*)) {}
WEIR_SHMEM_ENTRY(void, shmem_udcflush, (void)) {}
WEIR_SHMEM_ENTRY(void, shmem_udcflush_line, (void*)) {}

}  // namespace weir::shmem

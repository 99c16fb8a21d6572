// SPDX-License-Identifier: Apache-2.0

// shmem_<type>_atomic_...
#include "shmem/rma/atomic.hpp"

#include "shmem/api/entry.hpp"

namespace weir::shmem::api {
namespace {

template <class T>
T do_atomic_fetch(Context& context, const T* source, int pe) {
  return atomic_fetch(context, source, context.world_pe(pe));
}
template <class T>
void do_atomic_set(Context& context, T* dest, T value, int pe) {
  atomic_set(context, dest, value, context.world_pe(pe));
}
template <class T>
T do_atomic_swap(Context& context, T* dest, T value, int pe) {
  return atomic_swap(context, dest, value, context.world_pe(pe));
}
template <class T>
T do_atomic_compare_swap(Context& context, T* dest, T cond, T value, int pe) {
  return atomic_compare_swap(context, dest, cond, value, context.world_pe(pe));
}
template <class T>
T do_atomic_fetch_inc(Context& context, T* dest, int pe) {
  return atomic_fetch_add(context, dest, T{1}, context.world_pe(pe));
}
template <class T>
void do_atomic_inc(Context& context, T* dest, int pe) {
  atomic_add(context, dest, T{1}, context.world_pe(pe));
}
template <class T>
T do_atomic_fetch_add(Context& context, T* dest, T value, int pe) {
  return atomic_fetch_add(context, dest, value, context.world_pe(pe));
}
template <class T>
void do_atomic_add(Context& context, T* dest, T value, int pe) {
  atomic_add(context, dest, value, context.world_pe(pe));
}
template <class T>
T do_atomic_fetch_and(Context& context, T* dest, T value, int pe) {
  return atomic_fetch_and(context, dest, value, context.world_pe(pe));
}
template <class T>
void do_atomic_and(Context& context, T* dest, T value, int pe) {
  atomic_and(context, dest, value, context.world_pe(pe));
}
template <class T>
T do_atomic_fetch_or(Context& context, T* dest, T value, int pe) {
  return atomic_fetch_or(context, dest, value, context.world_pe(pe));
}
template <class T>
void do_atomic_or(Context& context, T* dest, T value, int pe) {
  atomic_or(context, dest, value, context.world_pe(pe));
}
template <class T>
T do_atomic_fetch_xor(Context& context, T* dest, T value, int pe) {
  return atomic_fetch_xor(context, dest, value, context.world_pe(pe));
}
template <class T>
void do_atomic_xor(Context& context, T* dest, T value, int pe) {
  atomic_xor(context, dest, value, context.world_pe(pe));
}

// The old value is there after a quiet.
template <class T>
void do_atomic_fetch_nbi(Context& context, T* fetch, const T* source, int pe) {
  atomic_fetch_nbi(context, fetch, source, context.world_pe(pe));
}
template <class T>
void do_atomic_swap_nbi(Context& context, T* fetch, T* dest, T value, int pe) {
  atomic_swap_nbi(context, fetch, dest, value, context.world_pe(pe));
}
template <class T>
void do_atomic_compare_swap_nbi(Context& context, T* fetch, T* dest, T cond, T value, int pe) {
  atomic_compare_swap_nbi(context, fetch, dest, cond, value, context.world_pe(pe));
}
template <class T>
void do_atomic_fetch_inc_nbi(Context& context, T* fetch, T* dest, int pe) {
  atomic_fetch_add_nbi(context, fetch, dest, T{1}, context.world_pe(pe));
}
template <class T>
void do_atomic_fetch_add_nbi(Context& context, T* fetch, T* dest, T value, int pe) {
  atomic_fetch_add_nbi(context, fetch, dest, value, context.world_pe(pe));
}
template <class T>
void do_atomic_fetch_and_nbi(Context& context, T* fetch, T* dest, T value, int pe) {
  atomic_fetch_and_nbi(context, fetch, dest, value, context.world_pe(pe));
}
template <class T>
void do_atomic_fetch_or_nbi(Context& context, T* fetch, T* dest, T value, int pe) {
  atomic_fetch_or_nbi(context, fetch, dest, value, context.world_pe(pe));
}
template <class T>
void do_atomic_fetch_xor_nbi(Context& context, T* fetch, T* dest, T value, int pe) {
  atomic_fetch_xor_nbi(context, fetch, dest, value, context.world_pe(pe));
}

}  // namespace
}  // namespace weir::shmem::api

WEIR_SHMEM_EXT_TYPES(WEIR_SHMEM_EXT, WEIR_SHMEM_DEFINE_TYPED_CTX)
WEIR_SHMEM_AMO_TYPES(WEIR_SHMEM_AMO, WEIR_SHMEM_DEFINE_TYPED_CTX)
WEIR_SHMEM_BIT_TYPES(WEIR_SHMEM_BIT, WEIR_SHMEM_DEFINE_TYPED_CTX)

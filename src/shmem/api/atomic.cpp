// SPDX-License-Identifier: Apache-2.0

// shmem_<type>_atomic_...
#include "shmem/rma/atomic.hpp"

#include "shmem/api/entry.hpp"

namespace weir::shmem::api {
namespace {

template <class T>
T do_atomic_fetch(const auto& in, const T* source, int pe) {
  return atomic_fetch(in.context(), source, in.world_pe(pe));
}
template <class T>
void do_atomic_set(const auto& in, T* dest, T value, int pe) {
  atomic_set(in.context(), dest, value, in.world_pe(pe));
}
template <class T>
T do_atomic_swap(const auto& in, T* dest, T value, int pe) {
  return atomic_swap(in.context(), dest, value, in.world_pe(pe));
}
template <class T>
T do_atomic_compare_swap(const auto& in, T* dest, T cond, T value, int pe) {
  return atomic_compare_swap(in.context(), dest, cond, value, in.world_pe(pe));
}
template <class T>
T do_atomic_fetch_inc(const auto& in, T* dest, int pe) {
  return atomic_fetch_add(in.context(), dest, T{1}, in.world_pe(pe));
}
template <class T>
void do_atomic_inc(const auto& in, T* dest, int pe) {
  atomic_add(in.context(), dest, T{1}, in.world_pe(pe));
}
template <class T>
T do_atomic_fetch_add(const auto& in, T* dest, T value, int pe) {
  return atomic_fetch_add(in.context(), dest, value, in.world_pe(pe));
}
template <class T>
void do_atomic_add(const auto& in, T* dest, T value, int pe) {
  atomic_add(in.context(), dest, value, in.world_pe(pe));
}
template <class T>
T do_atomic_fetch_and(const auto& in, T* dest, T value, int pe) {
  return atomic_fetch_and(in.context(), dest, value, in.world_pe(pe));
}
template <class T>
void do_atomic_and(const auto& in, T* dest, T value, int pe) {
  atomic_and(in.context(), dest, value, in.world_pe(pe));
}
template <class T>
T do_atomic_fetch_or(const auto& in, T* dest, T value, int pe) {
  return atomic_fetch_or(in.context(), dest, value, in.world_pe(pe));
}
template <class T>
void do_atomic_or(const auto& in, T* dest, T value, int pe) {
  atomic_or(in.context(), dest, value, in.world_pe(pe));
}
template <class T>
T do_atomic_fetch_xor(const auto& in, T* dest, T value, int pe) {
  return atomic_fetch_xor(in.context(), dest, value, in.world_pe(pe));
}
template <class T>
void do_atomic_xor(const auto& in, T* dest, T value, int pe) {
  atomic_xor(in.context(), dest, value, in.world_pe(pe));
}

// The old value is there after a quiet.
template <class T>
void do_atomic_fetch_nbi(const auto& in, T* fetch, const T* source, int pe) {
  atomic_fetch_nbi(in.context(), fetch, source, in.world_pe(pe));
}
template <class T>
void do_atomic_swap_nbi(const auto& in, T* fetch, T* dest, T value, int pe) {
  atomic_swap_nbi(in.context(), fetch, dest, value, in.world_pe(pe));
}
template <class T>
void do_atomic_compare_swap_nbi(const auto& in, T* fetch, T* dest, T cond, T value, int pe) {
  atomic_compare_swap_nbi(in.context(), fetch, dest, cond, value, in.world_pe(pe));
}
template <class T>
void do_atomic_fetch_inc_nbi(const auto& in, T* fetch, T* dest, int pe) {
  atomic_fetch_add_nbi(in.context(), fetch, dest, T{1}, in.world_pe(pe));
}
template <class T>
void do_atomic_fetch_add_nbi(const auto& in, T* fetch, T* dest, T value, int pe) {
  atomic_fetch_add_nbi(in.context(), fetch, dest, value, in.world_pe(pe));
}
template <class T>
void do_atomic_fetch_and_nbi(const auto& in, T* fetch, T* dest, T value, int pe) {
  atomic_fetch_and_nbi(in.context(), fetch, dest, value, in.world_pe(pe));
}
template <class T>
void do_atomic_fetch_or_nbi(const auto& in, T* fetch, T* dest, T value, int pe) {
  atomic_fetch_or_nbi(in.context(), fetch, dest, value, in.world_pe(pe));
}
template <class T>
void do_atomic_fetch_xor_nbi(const auto& in, T* fetch, T* dest, T value, int pe) {
  atomic_fetch_xor_nbi(in.context(), fetch, dest, value, in.world_pe(pe));
}

}  // namespace
}  // namespace weir::shmem::api

WEIR_SHMEM_EXT_TYPES(WEIR_SHMEM_EXT, WEIR_SHMEM_DEFINE_TYPED_CTX)
WEIR_SHMEM_AMO_TYPES(WEIR_SHMEM_AMO, WEIR_SHMEM_DEFINE_TYPED_CTX)
WEIR_SHMEM_BIT_TYPES(WEIR_SHMEM_BIT, WEIR_SHMEM_DEFINE_TYPED_CTX)

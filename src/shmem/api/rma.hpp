// SPDX-License-Identifier: Apache-2.0

// What the puts and gets of the API do, for elements of a type: from elements to bytes, from PEs of the context's team
// to those of the world.
#pragma once

#include "shmem/api/entry.hpp"
#include "shmem/rma/rma.hpp"

namespace weir::shmem::api {

template <class T>
void do_put(Context& context, void* dest, const void* source, std::size_t nelems, int pe) {
  put(context, dest, source, nelems * sizeof(T), context.world_pe(pe));
}
template <class T>
void do_get(Context& context, void* dest, const void* source, std::size_t nelems, int pe) {
  get(context, dest, source, nelems * sizeof(T), context.world_pe(pe));
}
template <class T>
void do_put_nbi(Context& context, void* dest, const void* source, std::size_t nelems, int pe) {
  put_nbi(context, dest, source, nelems * sizeof(T), context.world_pe(pe));
}
template <class T>
void do_get_nbi(Context& context, void* dest, const void* source, std::size_t nelems, int pe) {
  get_nbi(context, dest, source, nelems * sizeof(T), context.world_pe(pe));
}
template <class T>
void do_p(Context& context, T* dest, T value, int pe) {
  p(context, dest, value, context.world_pe(pe));
}
template <class T>
T do_g(Context& context, const T* source, int pe) {
  return g(context, source, context.world_pe(pe));
}

template <class T>
void do_iput(Context& context, void* dest, const void* source, std::ptrdiff_t dst, std::ptrdiff_t sst,
             std::size_t nelems, int pe) {
  iput(context, dest, source, {dst, sst, 1, nelems, sizeof(T)}, context.world_pe(pe));
}
template <class T>
void do_iget(Context& context, void* dest, const void* source, std::ptrdiff_t dst, std::ptrdiff_t sst,
             std::size_t nelems, int pe) {
  iget(context, dest, source, {dst, sst, 1, nelems, sizeof(T)}, context.world_pe(pe));
}
template <class T>
void do_ibput(Context& context, void* dest, const void* source, std::ptrdiff_t dst, std::ptrdiff_t sst,
              std::size_t bsize, std::size_t nblocks, int pe) {
  iput(context, dest, source, {dst, sst, bsize, nblocks, sizeof(T)}, context.world_pe(pe));
}
template <class T>
void do_ibget(Context& context, void* dest, const void* source, std::ptrdiff_t dst, std::ptrdiff_t sst,
              std::size_t bsize, std::size_t nblocks, int pe) {
  iget(context, dest, source, {dst, sst, bsize, nblocks, sizeof(T)}, context.world_pe(pe));
}

template <class T>
void do_put_signal(Context& context, void* dest, const void* source, std::size_t nelems, std::uint64_t* word,
                   std::uint64_t value, int op, int pe) {
  put_signal(context, dest, source, nelems * sizeof(T), {word, value, static_cast<SignalOp>(op)}, context.world_pe(pe));
}
template <class T>
void do_put_signal_nbi(Context& context, void* dest, const void* source, std::size_t nelems, std::uint64_t* word,
                       std::uint64_t value, int op, int pe) {
  put_signal_nbi(context, dest, source, nelems * sizeof(T), {word, value, static_cast<SignalOp>(op)},
                 context.world_pe(pe));
}

}  // namespace weir::shmem::api

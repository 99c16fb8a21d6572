// SPDX-License-Identifier: Apache-2.0

// What the puts and gets of the API do, for elements of a type: from elements to bytes, from PEs of the context's team
// to those of the world.
#pragma once

#include "shmem/api/entry.hpp"
#include "shmem/rma/rma.hpp"

namespace weir::shmem::api {

template <class T>
void do_put(const auto& in, void* dest, const void* source, std::size_t nelems, int pe) {
  put(in.context(), dest, source, bytes_of<T>(nelems), in.world_pe(pe));
}
template <class T>
void do_get(const auto& in, void* dest, const void* source, std::size_t nelems, int pe) {
  get(in.context(), dest, source, bytes_of<T>(nelems), in.world_pe(pe));
}
template <class T>
void do_put_nbi(const auto& in, void* dest, const void* source, std::size_t nelems, int pe) {
  put_nbi(in.context(), dest, source, bytes_of<T>(nelems), in.world_pe(pe));
}
template <class T>
void do_get_nbi(const auto& in, void* dest, const void* source, std::size_t nelems, int pe) {
  get_nbi(in.context(), dest, source, bytes_of<T>(nelems), in.world_pe(pe));
}
template <class T>
void do_p(const auto& in, T* dest, T value, int pe) {
  p(in.context(), dest, value, in.world_pe(pe));
}
template <class T>
T do_g(const auto& in, const T* source, int pe) {
  return g(in.context(), source, in.world_pe(pe));
}

template <class T>
void do_iput(const auto& in, void* dest, const void* source, std::ptrdiff_t dst, std::ptrdiff_t sst, std::size_t nelems,
             int pe) {
  iput(in.context(), dest, source, {dst, sst, 1, nelems, sizeof(T)}, in.world_pe(pe));
}
template <class T>
void do_iget(const auto& in, void* dest, const void* source, std::ptrdiff_t dst, std::ptrdiff_t sst, std::size_t nelems,
             int pe) {
  iget(in.context(), dest, source, {dst, sst, 1, nelems, sizeof(T)}, in.world_pe(pe));
}
template <class T>
void do_ibput(const auto& in, void* dest, const void* source, std::ptrdiff_t dst, std::ptrdiff_t sst, std::size_t bsize,
              std::size_t nblocks, int pe) {
  iput(in.context(), dest, source, {dst, sst, bsize, nblocks, sizeof(T)}, in.world_pe(pe));
}
template <class T>
void do_ibget(const auto& in, void* dest, const void* source, std::ptrdiff_t dst, std::ptrdiff_t sst, std::size_t bsize,
              std::size_t nblocks, int pe) {
  iget(in.context(), dest, source, {dst, sst, bsize, nblocks, sizeof(T)}, in.world_pe(pe));
}

template <class T>
void do_put_signal(const auto& in, void* dest, const void* source, std::size_t nelems, std::uint64_t* word,
                   std::uint64_t value, int op, int pe) {
  put_signal(in.context(), dest, source, bytes_of<T>(nelems), {word, value, static_cast<SignalOp>(op)},
             in.world_pe(pe));
}
template <class T>
void do_put_signal_nbi(const auto& in, void* dest, const void* source, std::size_t nelems, std::uint64_t* word,
                       std::uint64_t value, int op, int pe) {
  put_signal_nbi(in.context(), dest, source, bytes_of<T>(nelems), {word, value, static_cast<SignalOp>(op)},
                 in.world_pe(pe));
}

}  // namespace weir::shmem::api

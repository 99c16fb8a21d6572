// SPDX-License-Identifier: Apache-2.0

// Entry: how the functions of the C API are defined, and what their handles stand for.
//
// Each is defined as pshmem_...; shmem_... is a weak name of it, which a profiler defines itself to see the calls. A
// function makes one call of world, rma, group, heap or start, and nothing else. Those for many types come from the
// lists of include/shmem/detail/routines.h: do_put<T>() in this folder is what shmem_<type>_put() does.
#pragma once

#define WEIR_SHMEM_NOTHROW noexcept  // shmem.h: as the functions are defined

#include "shmem/rma/context.hpp"
#include "shmem/shmem.h"
#include "shmem/world/world.hpp"

// clang-format off

// One function of the API, whose body follows.
#define WEIR_SHMEM_ENTRY(R, NAME, PARAMETERS)                                          \
  extern "C" [[gnu::weak, gnu::alias("p" #NAME)]] R NAME PARAMETERS noexcept;          \
  extern "C" R p##NAME PARAMETERS noexcept

// For the lists: functions of T, without a context and with one. Flat: to a neighbour's memory there is no call in them.
#define WEIR_SHMEM_DEFINE(R, NAME, PARAMETERS, CALL)                                                 \
  extern "C" [[gnu::flatten]] R pshmem_##NAME PARAMETERS noexcept { return CALL; }                   \
  extern "C" [[gnu::weak, gnu::alias("pshmem_" #NAME)]] R shmem_##NAME PARAMETERS noexcept;
#define WEIR_SHMEM_DEFINE_TYPED(R, N, T, NAME, PARAMETERS, ARGUMENTS) \
  WEIR_SHMEM_DEFINE(R, N##NAME, PARAMETERS, weir::shmem::api::do##NAME<T> ARGUMENTS)
#define WEIR_SHMEM_DEFINE_TYPED_CTX(R, N, T, NAME, PARAMETERS, ARGUMENTS)                                      \
  WEIR_SHMEM_DEFINE(R, N##NAME, PARAMETERS,                                                                    \
                    weir::shmem::api::do##NAME<T>(weir::shmem::api::InWorld{}, WEIR_SHMEM_BARE ARGUMENTS))     \
  WEIR_SHMEM_DEFINE(R, ctx_##N##NAME, (shmem_ctx_t ctx, WEIR_SHMEM_BARE PARAMETERS),                           \
                    weir::shmem::api::do##NAME<T>(weir::shmem::api::InContext(ctx), WEIR_SHMEM_BARE ARGUMENTS))

// For the lists: functions of elements of BYTES bytes.
#define WEIR_SHMEM_DEFINE_WIDE(R, NAME, BYTES, WHAT, PARAMETERS, ARGUMENTS) \
  WEIR_SHMEM_DEFINE(R, NAME, PARAMETERS, weir::shmem::api::do##WHAT<weir::shmem::api::Element<BYTES>> ARGUMENTS)
#define WEIR_SHMEM_DEFINE_WIDE_CTX(R, NAME, BYTES, WHAT, PARAMETERS, ARGUMENTS)                              \
  WEIR_SHMEM_DEFINE(R, NAME, PARAMETERS, weir::shmem::api::do##WHAT<weir::shmem::api::Element<BYTES>>(       \
                    weir::shmem::api::InWorld{}, WEIR_SHMEM_BARE ARGUMENTS))                                 \
  WEIR_SHMEM_DEFINE(R, ctx_##NAME, (shmem_ctx_t ctx, WEIR_SHMEM_BARE PARAMETERS),                            \
                    weir::shmem::api::do##WHAT<weir::shmem::api::Element<BYTES>>(                            \
                    weir::shmem::api::InContext(ctx), WEIR_SHMEM_BARE ARGUMENTS))

// clang-format on

namespace weir::shmem::api {

// What has no type but a width.
template <std::size_t Bytes>
struct Element {
  std::byte bytes[Bytes];
};

[[noreturn]] void fail_context() noexcept;
[[noreturn]] void fail_count(std::size_t nelems, std::size_t element) noexcept;
[[noreturn]] void fail_negative(int nelems) noexcept;

// Of so many elements; ends the program when there are no so many addresses.
template <class T>
std::size_t bytes_of(std::size_t nelems) noexcept {
  std::size_t bytes = 0;
  if (__builtin_mul_overflow(nelems, sizeof(T), &bytes)) [[unlikely]]
    fail_count(nelems, sizeof(T));
  return bytes;
}

// The same of numbers that the older collectives and Fortran have as int; ends the program for a negative one.
inline std::size_t count_of(int nelems) noexcept {
  if (nelems < 0) [[unlikely]]
    fail_negative(nelems);
  return static_cast<std::size_t>(nelems);
}

// Ends the program for SHMEM_CTX_INVALID.
inline Context& context_of(shmem_ctx_t ctx) noexcept {
  if (ctx == SHMEM_CTX_DEFAULT) return default_context();
  if (ctx == SHMEM_CTX_INVALID) [[unlikely]]
    fail_context();
  return *reinterpret_cast<Context*>(ctx);
}

// In which context a routine is called, and whose numbers its PEs are: the default one and the world's, without a look
// at the context; or one that the program has made.
struct InWorld {
  static Context& context() noexcept { return default_context(); }
  static int world_pe(int pe) noexcept { return pe; }
};
class InContext {
 public:
  explicit InContext(shmem_ctx_t ctx) noexcept : context_(context_of(ctx)) {}
  Context& context() const noexcept { return context_; }
  int world_pe(int pe) const noexcept { return context_.world_pe(pe); }

 private:
  Context& context_;
};

// Ends the program when it has not been started.
inline void check_started() noexcept {
  if (world().n_pes == 0) [[unlikely]]
    fail_not_started();
}

}  // namespace weir::shmem::api

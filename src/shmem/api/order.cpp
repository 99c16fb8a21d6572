// SPDX-License-Identifier: Apache-2.0

// Fence, quiet, signals by themselves, locks.
#include "shmem/api/entry.hpp"
#include "shmem/observe/call.hpp"
#include "shmem/rma/lock.hpp"
#include "shmem/rma/rma.hpp"

namespace weir::shmem::api {
namespace {

void signal(Context& context, std::uint64_t* word, std::uint64_t value, SignalOp op, int pe) {
  send_signal(context, {word, value, op}, context.world_pe(pe));
}

[[gnu::noinline]] void fence_recorded(Context& context) {
  const Call call(trace::Kind::order, trace::PeOrder::fence, {});
  fence(context);
}
[[gnu::noinline]] void quiet_recorded(Context& context) {
  const Call call(trace::Kind::order, trace::PeOrder::quiet, {});
  quiet(context);
}

void fence_seen(Context& context) {
  if (world().is_traced) [[unlikely]]
    return fence_recorded(context);
  fence(context);
}
void quiet_seen(Context& context) {
  if (world().is_traced) [[unlikely]]
    return quiet_recorded(context);
  quiet(context);
}

// In PEs of the context's team.
void quiet_some(Context& context, const int* pes, std::size_t n) {
  const Call call(trace::Kind::order, trace::PeOrder::quiet, {});
  for (std::size_t i = 0; i < n; ++i) {
    const int pe = context.world_pe(pes[i]);
    quiet(context, &pe, 1);
  }
}

}  // namespace
}  // namespace weir::shmem::api

namespace weir::shmem {

WEIR_SHMEM_ENTRY(void, shmem_fence, (void)) { api::fence_seen(default_context()); }
// Nothing was issued on SHMEM_CTX_INVALID: there is nothing to order or to wait for.
WEIR_SHMEM_ENTRY(void, shmem_ctx_fence, (shmem_ctx_t ctx)) {
  if (ctx != SHMEM_CTX_INVALID) api::fence_seen(api::context_of(ctx));
}
WEIR_SHMEM_ENTRY(void, shmem_quiet, (void)) { api::quiet_seen(default_context()); }
WEIR_SHMEM_ENTRY(void, shmem_ctx_quiet, (shmem_ctx_t ctx)) {
  if (ctx != SHMEM_CTX_INVALID) api::quiet_seen(api::context_of(ctx));
}
WEIR_SHMEM_ENTRY(void, shmem_pe_quiet, (const int* target_pes, std::size_t npes)) {
  api::quiet_some(default_context(), target_pes, npes);
}
WEIR_SHMEM_ENTRY(void, shmem_ctx_pe_quiet, (shmem_ctx_t ctx, const int* target_pes, std::size_t npes)) {
  if (ctx != SHMEM_CTX_INVALID) api::quiet_some(api::context_of(ctx), target_pes, npes);
}

WEIR_SHMEM_ENTRY(void, shmem_signal_add, (std::uint64_t * sig_addr, std::uint64_t signal, int pe)) {
  api::signal(default_context(), sig_addr, signal, SignalOp::add, pe);
}
WEIR_SHMEM_ENTRY(void, shmem_ctx_signal_add, (shmem_ctx_t ctx, std::uint64_t* sig_addr, std::uint64_t signal, int pe)) {
  api::signal(api::context_of(ctx), sig_addr, signal, SignalOp::add, pe);
}
WEIR_SHMEM_ENTRY(void, shmem_signal_set, (std::uint64_t * sig_addr, std::uint64_t signal, int pe)) {
  api::signal(default_context(), sig_addr, signal, SignalOp::set, pe);
}
WEIR_SHMEM_ENTRY(void, shmem_ctx_signal_set, (shmem_ctx_t ctx, std::uint64_t* sig_addr, std::uint64_t signal, int pe)) {
  api::signal(api::context_of(ctx), sig_addr, signal, SignalOp::set, pe);
}
WEIR_SHMEM_ENTRY(std::uint64_t, shmem_signal_fetch, (const std::uint64_t* sig_addr)) { return signal_fetch(sig_addr); }

WEIR_SHMEM_ENTRY(void, shmem_set_lock, (long* lock)) { set_lock(lock); }
WEIR_SHMEM_ENTRY(void, shmem_clear_lock, (long* lock)) { clear_lock(lock); }
WEIR_SHMEM_ENTRY(int, shmem_test_lock, (long* lock)) { return test_lock(lock) ? 0 : 1; }

}  // namespace weir::shmem

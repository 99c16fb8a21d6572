// SPDX-License-Identifier: Apache-2.0

#include "shmem/rma/rma.hpp"

#include <fmt/format.h>

#include "shmem/observe/call.hpp"
#include "shmem/observe/check_copy.hpp"
#include "shmem/rma/atomic.hpp"
#include "shmem/rma/polling.hpp"

namespace weir::shmem {

namespace {

// Ends the program when the memory is not symmetric. Of a PE that exists.
transport::Location location(const void* symmetric, std::size_t bytes, int pe) {
  const Segment* const segment = segment_of(symmetric);
  if (segment == nullptr) fail_address(symmetric, pe);
  if (!segment->contains(reinterpret_cast<std::uintptr_t>(symmetric), bytes)) fail_range(symmetric, bytes, pe);
  return *locate(symmetric, pe);
}

}  // namespace

void put_slow(Context& context, void* dest, const void* source, std::size_t bytes, int pe) {
  check_copy(dest, source, bytes, pe);
  const Call call(trace::Kind::put, trace::PePut::put, {dest, bytes, pe});
  if (std::byte* const there = mapped(dest, bytes, pe); there != nullptr) return detail::copy(there, source, bytes);
  const transport::Location to = location(dest, bytes, pe);
  const Context::Use use(context);
  check(use->put(to, source, bytes));
}

void get_slow(Context& context, void* dest, const void* source, std::size_t bytes, int pe) {
  check_copy(source, dest, bytes, pe);
  const Call call(trace::Kind::get, trace::PeGet::get, {source, bytes, pe});
  if (const std::byte* const there = mapped(source, bytes, pe); there != nullptr) {
    detail::copy(dest, there, bytes);
    return note_read(source, pe, dest, bytes);
  }
  const transport::Location from = location(source, bytes, pe);
  const Context::Use use(context);
  check(use->get(dest, from, bytes));
}

void put_nbi_slow(Context& context, void* dest, const void* source, std::size_t bytes, int pe) {
  check_copy(dest, source, bytes, pe);
  const Call call(trace::Kind::put, trace::PePut::put_nbi, {dest, bytes, pe});
  if (std::byte* const there = mapped(dest, bytes, pe); there != nullptr) return detail::copy(there, source, bytes);
  const transport::Location to = location(dest, bytes, pe);
  const Context::Use use(context);
  check(use->put_nbi(to, source, bytes));
}

void get_nbi_slow(Context& context, void* dest, const void* source, std::size_t bytes, int pe) {
  check_copy(source, dest, bytes, pe);
  const Call call(trace::Kind::get, trace::PeGet::get_nbi, {source, bytes, pe});
  if (const std::byte* const there = mapped(source, bytes, pe); there != nullptr)
    return detail::copy(dest, there, bytes);
  const transport::Location from = location(source, bytes, pe);
  const Context::Use use(context);
  check(use->get_nbi(dest, from, bytes));
}

namespace {

void check_signal(const Signal& signal) {
  if (signal.op != SignalOp::set && signal.op != SignalOp::add) {
    fail(fmt::format("signal operation {} is unknown: SHMEM_SIGNAL_SET or SHMEM_SIGNAL_ADD",
                     static_cast<int>(signal.op)));
  }
}

void raise(Context& context, const Signal& signal, int pe) {
  if (signal.op == SignalOp::set)
    atomic_set(context, signal.word, signal.value, pe);
  else
    atomic_add(context, signal.word, signal.value, pe);
}

// The data go through the context's channel: the channel keeps the order, and the signal need not be waited for.
void raise_after(Context::Use& use, const Signal& signal, int pe) {
  const transport::Location at = location(signal.word, sizeof(*signal.word), pe);
  const auto op = signal.op == SignalOp::set ? transport::AtomicOp::set : transport::AtomicOp::add;
  check(use->fence());
  check(use->atomic_nbi(at, op, transport::AtomicWidth::bits64, signal.value, 0, nullptr));
}

}  // namespace

void put_signal(Context& context, void* dest, const void* source, std::size_t bytes, const Signal& signal, int pe) {
  check_signal(signal);
  detail::check_alignment(signal.word);
  const Call call(trace::Kind::put, trace::PePut::signal, {signal.word, bytes, pe});
  if (mapped(signal.word, pe) != nullptr) {
    put(context, dest, source, bytes, pe);
    platform::store_barrier();
    return raise(context, signal, pe);
  }
  Context::Use use(context);
  if (bytes > 0) check(use->put(location(dest, bytes, pe), source, bytes));
  raise_after(use, signal, pe);
}

void put_signal_nbi(Context& context, void* dest, const void* source, std::size_t bytes, const Signal& signal, int pe) {
  check_signal(signal);
  detail::check_alignment(signal.word);
  const Call call(trace::Kind::put, trace::PePut::signal_nbi, {signal.word, bytes, pe});
  if (mapped(signal.word, pe) != nullptr) return put_signal(context, dest, source, bytes, signal, pe);
  Context::Use use(context);
  if (bytes > 0) check(use->put_nbi(location(dest, bytes, pe), source, bytes));
  raise_after(use, signal, pe);
}

void send_signal(Context& context, const Signal& signal, int pe) {
  check_signal(signal);
  raise(context, signal, pe);
}

std::uint64_t signal_fetch(const std::uint64_t* word) { return atomic_fetch(default_context(), word, world().my_pe); }

}  // namespace weir::shmem

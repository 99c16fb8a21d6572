// SPDX-License-Identifier: Apache-2.0

#include "platform/fresh_stack.hpp"

#include <pthread.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#if WEIR_ASAN
#include <sanitizer/common_interface_defs.h>
#elif WEIR_TSAN
#include <sanitizer/tsan_interface.h>
#endif

namespace weir::platform {

namespace detail {
thread_local constinit const char* stack_limit = nullptr;
}

namespace {

constexpr std::size_t kFreshBytes = std::size_t{16} << 20;
constexpr std::size_t kSpare = std::size_t{1} << 20;  // that is left of a stack when it is called short

thread_local constinit StackBounds g_bounds{nullptr, 0};
std::atomic<const char*> g_forbidden{nullptr};  // relaxed: only the literal itself is read through it

bool fresh_stacks_are_forbidden() noexcept { return g_forbidden.load(std::memory_order_relaxed) != nullptr; }

const char* limit_of(const StackBounds& stack) noexcept {
  if (stack.bytes == 0) return nullptr;
  return stack.lowest + std::min(fresh_stacks_are_forbidden() ? stack.bytes / 4 : stack.bytes, kSpare);
}

void use(const StackBounds& stack) noexcept {
  g_bounds = stack;
  detail::stack_limit = limit_of(stack);
}

std::size_t guard_bytes() noexcept { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

// Memory of a stack, with a page below it that faults.
class FreshStack {
 public:
  static constexpr std::size_t kBytes = kFreshBytes;
  FreshStack() noexcept {
    void* const memory =
        mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return;
    memory_ = static_cast<char*>(memory);
    static_cast<void>(mprotect(memory_, guard_bytes(), PROT_NONE));
  }
  FreshStack(FreshStack&& other) noexcept : memory_(std::exchange(other.memory_, nullptr)) {}
  FreshStack& operator=(FreshStack&& other) noexcept {
    std::swap(memory_, other.memory_);
    return *this;
  }
  ~FreshStack() {
    if (memory_ != nullptr) munmap(memory_, kBytes);
  }
  explicit operator bool() const noexcept { return memory_ != nullptr; }
  StackBounds bounds() const noexcept { return {memory_ + guard_bytes(), kBytes - guard_bytes()}; }
  static FreshStack none() noexcept { return FreshStack(nullptr); }

 private:
  explicit FreshStack(std::nullptr_t) noexcept {}
  char* memory_ = nullptr;
};

// Objects of the thread that are destroyed later may run tasks when there is no g_spare any more.
thread_local constinit bool g_spare_is_gone = false;
// One for the next time; others go back to the system.
struct Spare {
  FreshStack stack = FreshStack::none();
  ~Spare() { g_spare_is_gone = true; }
};
thread_local Spare g_spare;

// One call on a fresh stack, on the stack that it was made on.
struct Switch {
  void (*function)(void*);
  void* argument;
  ucontext_t here{}, there{};
#if WEIR_ASAN
  void* fake_stack = nullptr;
  const void* outer_lowest = nullptr;
  std::size_t outer_bytes = 0;
#elif WEIR_TSAN
  void* outer_fiber = nullptr;
  void* fiber = nullptr;
#endif

  void leave(const StackBounds& to) noexcept {
#if WEIR_ASAN
    __sanitizer_start_switch_fiber(&fake_stack, to.lowest, to.bytes);
#elif WEIR_TSAN
    static_cast<void>(to);
    outer_fiber = __tsan_get_current_fiber();
    fiber = __tsan_create_fiber(0);
    __tsan_switch_to_fiber(fiber, 0);
#else
    static_cast<void>(to);
#endif
  }
  void arrive() noexcept {
#if WEIR_ASAN
    __sanitizer_finish_switch_fiber(nullptr, &outer_lowest, &outer_bytes);
#endif
  }
  void go_back() noexcept {
#if WEIR_ASAN
    __sanitizer_start_switch_fiber(nullptr, outer_lowest, outer_bytes);
#elif WEIR_TSAN
    __tsan_switch_to_fiber(outer_fiber, 0);
#endif
  }
  void is_back() noexcept {
#if WEIR_ASAN
    __sanitizer_finish_switch_fiber(fake_stack, nullptr, nullptr);
#elif WEIR_TSAN
    __tsan_destroy_fiber(fiber);
#endif
  }
};

// makecontext() passes ints.
void enter(unsigned high, unsigned low) noexcept {
  auto* const call = reinterpret_cast<Switch*>(std::uintptr_t{high} << 32 | low);
  call->arrive();
  call->function(call->argument);
  call->go_back();
  setcontext(&call->here);
}

[[noreturn]] void no_stack(const char* reason) noexcept {
  std::fprintf(stderr,
               "weir: tasks, or halves of fork_join(), are nested deeper than the stack of %zu KiB holds, and there is "
               "no other one: %s; nest less deeply, or raise the limit of the stack (ulimit -s)\n",
               g_bounds.bytes >> 10, reason);
  std::abort();
}

}  // namespace

StackBounds this_stack() noexcept {
  if (g_bounds.bytes != 0) return g_bounds;
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return g_bounds;
  void* lowest = nullptr;
  std::size_t bytes = 0;
  pthread_attr_getstack(&attributes, &lowest, &bytes);
  pthread_attr_destroy(&attributes);
  g_bounds = {static_cast<const char*>(lowest), bytes};
  return g_bounds;
}

void know_this_stack() noexcept {
  if (detail::stack_limit == nullptr) detail::stack_limit = limit_of(this_stack());
}

void run_on_fresh_stack(void (*function)(void*), void* argument) noexcept {
  if (const char* const reason = g_forbidden.load(std::memory_order_relaxed)) no_stack(reason);
  FreshStack stack = g_spare_is_gone ? FreshStack::none() : std::exchange(g_spare.stack, FreshStack::none());
  if (!stack) stack = FreshStack();
  if (!stack) no_stack(std::strerror(errno));
  Switch call{function, argument};
  const StackBounds outer = this_stack(), inner = stack.bounds();
  getcontext(&call.there);
  call.there.uc_stack.ss_sp = const_cast<char*>(inner.lowest);
  call.there.uc_stack.ss_size = inner.bytes;
  call.there.uc_link = nullptr;
  const auto address = reinterpret_cast<std::uintptr_t>(&call);
  makecontext(&call.there, reinterpret_cast<void (*)()>(&enter), 2, static_cast<unsigned>(address >> 32),
              static_cast<unsigned>(address));
  use(inner);
  call.leave(inner);
  swapcontext(&call.here, &call.there);
  call.is_back();
  use(outer);
  if (!g_spare_is_gone) g_spare.stack = std::move(stack);
}

void forbid_fresh_stacks(const char* reason) noexcept { g_forbidden.store(reason, std::memory_order_relaxed); }

}  // namespace weir::platform

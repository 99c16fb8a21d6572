// SPDX-License-Identifier: Apache-2.0

// prctl() and syscall() in the program, by which it may forbid itself system calls (seccomp): it does not know those of
// this library, and one of them would end it. So the library has told by then, and makes none from there on.
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <cerrno>
#include <cstdarg>

#include "placer/placer.hpp"
#include "placer/telling.hpp"

#if defined(__x86_64__) || defined(__aarch64__)

namespace {

struct Call {
  long number;
  long arguments[6];
};

// Not by a function of the C library: syscall() is this file's.
long system_call(const Call& call) noexcept {
  const long* const a = call.arguments;
#if defined(__x86_64__)
  long result = call.number;
  register long fourth asm("r10") = a[3];
  register long fifth asm("r8") = a[4];
  register long sixth asm("r9") = a[5];
  asm volatile("syscall"
               : "+a"(result)
               : "D"(a[0]), "S"(a[1]), "d"(a[2]), "r"(fourth), "r"(fifth), "r"(sixth)
               : "rcx", "r11", "memory");
#else
  register long number asm("x8") = call.number;
  register long result asm("x0") = a[0];
  register long second asm("x1") = a[1];
  register long third asm("x2") = a[2];
  register long fourth asm("x3") = a[3];
  register long fifth asm("x4") = a[4];
  register long sixth asm("x5") = a[5];
  asm volatile("svc 0"
               : "+r"(result)
               : "r"(number), "r"(second), "r"(third), "r"(fourth), "r"(fifth), "r"(sixth)
               : "memory");
#endif
  if (static_cast<unsigned long>(result) < -4095ul) return result;
  errno = static_cast<int>(-result);
  return -1;
}

// Programs ask without a filter whether the kernel has them.
bool restricts(const Call& call) noexcept {
  const long* const a = call.arguments;
  if (call.number == SYS_prctl && a[0] == PR_SET_SECCOMP)
    return a[1] == SECCOMP_MODE_STRICT || (a[1] == SECCOMP_MODE_FILTER && a[2] != 0);
  if (call.number != SYS_seccomp) return false;
  return (a[0] == SECCOMP_SET_MODE_STRICT && a[1] == 0 && a[2] == 0) || (a[0] == SECCOMP_SET_MODE_FILTER && a[2] != 0);
}

// Success is a descriptor where one is asked for; else more than 0 is a thread that could not be restricted.
bool has_failed(const Call& call, long result) noexcept {
  const bool gives_descriptor =
      call.number == SYS_seccomp && (call.arguments[1] & SECCOMP_FILTER_FLAG_NEW_LISTENER) != 0;
  return result < 0 || (result > 0 && !gives_descriptor);
}

long pass_on(const Call& call) noexcept {
  if (!restricts(call)) return system_call(call);
  const bool has_told = weir::placer::tell_and_be_quiet();
  const long result = system_call(call);
  if (has_told && has_failed(call, result)) weir::placer::be_quiet_no_longer();
  return result;
}

}  // namespace

#define WEIR_PLACER_EXPORT extern "C" __attribute__((visibility("default")))

// What a caller has not given is whatever lies there, and the kernel does not look at it.
#define WEIR_ARGUMENTS(last, call, first)                                                                              \
  va_list list;                                                                                                        \
  va_start(list, last);                                                                                                \
  for (int i = first; i < 6; ++i) (call).arguments[i] = va_arg(list, long);                                            \
  va_end(list)

WEIR_PLACER_EXPORT long syscall(long number, ...) noexcept {
  Call call{number, {}};
  WEIR_ARGUMENTS(number, call, 0);
  return pass_on(call);
}

WEIR_PLACER_EXPORT int prctl(int option, ...) noexcept {
  Call call{SYS_prctl, {option}};
  WEIR_ARGUMENTS(option, call, 1);
  return static_cast<int>(pass_on(call));
}

#endif

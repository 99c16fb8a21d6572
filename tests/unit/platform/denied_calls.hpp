// SPDX-License-Identifier: Apache-2.0

// Processes of a test that the kernel refuses system calls to, as a seccomp profile of a container does, or a file
// system or kernel that lacks them.
#pragma once

#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>

#include <cstddef>
#include <initializer_list>
#include <vector>

#include "few_threads.hpp"

namespace weir::test {

// From here on this process gets `error` from these system calls. False: no filter can be had.
inline bool deny(int error, std::initializer_list<long> calls) {
  std::vector<sock_filter> filter{BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr))};
  for (const long call : calls) {
    filter.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(call), 0, 1));
    filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<unsigned>(error)));
  }
  filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

// f() gives 0 in a process that gets `error` from these system calls.
template <class F>
void expect_well_without(std::initializer_list<long> calls, int error, const F& f) {
  constexpr int kNotDenied = 79;
  const int end = ended_with([&] { return deny(error, calls) ? f() : kNotDenied; });
  if (end == kNotDenied) GTEST_SKIP() << "no seccomp filter can be had here";
  EXPECT_EQ(end, 0);
}

}  // namespace weir::test

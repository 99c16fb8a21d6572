// SPDX-License-Identifier: Apache-2.0

#include "platform/stopped_thread.hpp"

#include <gtest/gtest.h>
#include <ucontext.h>

#include <csignal>

namespace weir::platform {
namespace {

constexpr greg_t kTrapFlag = 0x100;

bool is_step(int code, greg_t flags) {
  siginfo_t info{};
  ucontext_t context{};
  info.si_signo = SIGTRAP;
  info.si_code = code;
  context.uc_mcontext.gregs[REG_EFL] = flags;
  return StoppedThread(&info, &context).trapped_after_step();
}

TEST(StoppedThread, TellsAStepFromABreakpointOfTheProgram) {
  EXPECT_TRUE(is_step(TRAP_TRACE, kTrapFlag));
  EXPECT_TRUE(is_step(TRAP_BRKPT, kTrapFlag)) << "of a virtual processor that has lost the reason";
  EXPECT_FALSE(is_step(TRAP_BRKPT, 0)) << "INT1";
  EXPECT_FALSE(is_step(SI_KERNEL, 0)) << "INT3";
  EXPECT_FALSE(is_step(SI_KERNEL, kTrapFlag)) << "INT3";
}

// The handler asks for one instruction more, and then for no more.
volatile sig_atomic_t traps = 0;
void on_trap(int, siginfo_t* info, void* context) {
  StoppedThread stopped(info, context);
  if (traps == 0)
    stopped.step();
  else if (stopped.trapped_after_step())
    stopped.run_on();
  traps = traps + 1;
}

TEST(StoppedThread, RunsOneInstruction) {
  struct sigaction action {};
  struct sigaction before {};
  action.sa_sigaction = &on_trap;
  action.sa_flags = SA_SIGINFO;
  ASSERT_EQ(sigaction(SIGTRAP, &action, &before), 0);
  traps = 0;
  asm volatile("int3\n nop\n nop");
  EXPECT_EQ(traps, 2);
  ASSERT_EQ(sigaction(SIGTRAP, &before, nullptr), 0);
}

}  // namespace
}  // namespace weir::platform

#include "platform/stopped_thread.hpp"

#include <cerrno>

#if defined(__x86_64__) && defined(__linux__)

#include <cpuid.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <csignal>
#include <cstring>

// A handler returns through this code, which lies where hold_system_calls() lets system calls pass. Unwinders know it
// by these very bytes, and by there being none of a function before it.
asm(R"(
  .pushsection .text
  .globl weir_signal_return
  .hidden weir_signal_return
  .type weir_signal_return, @function
  .balign 16
  nop
weir_signal_return:
  movq $15, %rax
  syscall
  .size weir_signal_return, .-weir_signal_return
  .balign 16
  .popsection
)");
extern "C" [[gnu::visibility("hidden")]] void weir_signal_return();

namespace weir::platform {

namespace {

constexpr std::uint64_t kTrapFlag = 0x100, kDirectionFlag = 0x400;
constexpr int kSetSystemCallUserDispatch = 59;
constexpr std::size_t kSignalReturnBytes = 15;

ucontext_t& machine(void* context) noexcept { return *static_cast<ucontext_t*>(context); }
greg_t& greg(void* context, int which) noexcept { return machine(context).uc_mcontext.gregs[which]; }

// By their numbers in encodings.
constexpr int kRegisters[16] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
                                REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};

std::uint64_t segment_base(std::uint8_t segment) noexcept {
  constexpr int kGetFs = 0x1003, kGetGs = 0x1004;
  std::uint64_t base = 0;
  syscall(SYS_arch_prctl, segment == 4 ? kGetFs : kGetGs, &base);
  return base;
}

// In the frame of the signal the state components lie where CPUID says.
bool mask_register(void* context, std::uint8_t number, std::uint64_t& value) noexcept {
  constexpr std::size_t kMagicAt = 464, kFeaturesAt = 512;
  constexpr std::uint32_t kMagic = 0x46505853;
  constexpr unsigned kStateLeaf = 0xd, kMasks = 5;
  const auto* const state = reinterpret_cast<const unsigned char*>(machine(context).uc_mcontext.fpregs);
  if (state == nullptr) return false;
  std::uint32_t magic = 0;
  std::memcpy(&magic, state + kMagicAt, sizeof magic);
  if (magic != kMagic) return false;
  std::uint64_t present = 0;
  std::memcpy(&present, state + kFeaturesAt, sizeof present);
  value = 0;
  if ((present >> kMasks & 1) == 0) return true;  // all masks have their initial value, zero
  unsigned bytes = 0, offset = 0, c = 0, d = 0;
  if (__get_cpuid_count(kStateLeaf, kMasks, &bytes, &offset, &c, &d) == 0 || offset == 0) return false;
  std::memcpy(&value, state + offset + std::size_t{8} * number, sizeof value);
  return true;
}

struct KernelAction {
  SignalHandler handler;
  unsigned long flags;
  void (*restorer)();
  std::uint64_t mask;
};

constexpr std::uint64_t bit(int signal) noexcept { return std::uint64_t{1} << (signal - 1); }

}  // namespace

bool StoppedThread::supported() noexcept { return true; }

std::uintptr_t StoppedThread::address() const noexcept {
  return reinterpret_cast<std::uintptr_t>(static_cast<siginfo_t*>(info_)->si_addr);
}
bool StoppedThread::faulted_on_protection() const noexcept {
  return static_cast<siginfo_t*>(info_)->si_code == SEGV_ACCERR;
}
bool StoppedThread::faulted_writing() const noexcept { return (greg(context_, REG_ERR) & 2) != 0; }
bool StoppedThread::trapped_after_step() const noexcept {
  return static_cast<siginfo_t*>(info_)->si_code == TRAP_TRACE;
}
std::uintptr_t StoppedThread::instruction() const noexcept {
  return static_cast<std::uintptr_t>(greg(context_, REG_RIP));
}
std::uintptr_t StoppedThread::stack() const noexcept { return static_cast<std::uintptr_t>(greg(context_, REG_RSP)); }

std::uint64_t StoppedThread::reg(std::uint8_t number) const noexcept {
  return static_cast<std::uint64_t>(greg(context_, kRegisters[number & 15]));
}

bool StoppedThread::touched(const Instruction& instruction, const MemoryOperand& operand,
                            TouchedBytes& result) const noexcept {
  if (operand.by_elements) return false;
  std::uint64_t at = static_cast<std::uint64_t>(operand.displacement);
  if (operand.base == MemoryOperand::kInstructionPointer)
    at += this->instruction() + instruction.length;
  else if (operand.base != MemoryOperand::kNone)
    at += reg(operand.base);
  if (operand.index != MemoryOperand::kNone) at += reg(operand.index) * operand.scale;
  if (operand.segment != 0) at += segment_base(operand.segment);
  result = {at, operand.bytes, operand.reads, operand.writes};
  if (operand.mask != 0) {
    if (!mask_register(context_, operand.mask, result.lanes)) return false;
    result.element_bytes = operand.element_bytes;
  }
  if (instruction.repeated_move || instruction.repeated_store) {
    const std::uint64_t times = reg(1);
    if ((static_cast<std::uint64_t>(greg(context_, REG_EFL)) & kDirectionFlag) != 0)
      result.start -= times == 0 ? 0 : (times - 1) * operand.bytes;
    result.bytes = times * operand.bytes;
  }
  return true;
}

void StoppedThread::step() noexcept { greg(context_, REG_EFL) |= kTrapFlag; }
void StoppedThread::run_on() noexcept { greg(context_, REG_EFL) &= ~static_cast<greg_t>(kTrapFlag); }
bool StoppedThread::is_stepping() const noexcept { return (greg(context_, REG_EFL) & kTrapFlag) != 0; }

void StoppedThread::finish_repeated(const Instruction& instruction) noexcept {
  auto to = static_cast<std::uint64_t>(greg(context_, REG_RDI));
  auto from = static_cast<std::uint64_t>(greg(context_, REG_RSI));
  auto times = static_cast<std::uint64_t>(greg(context_, REG_RCX));
  const std::uint32_t bytes = instruction.operands[0].bytes;
  const bool backward = (static_cast<std::uint64_t>(greg(context_, REG_EFL)) & kDirectionFlag) != 0;
  const std::uint64_t stride = backward ? ~std::uint64_t{bytes} + 1 : bytes;
  const auto rax = static_cast<std::uint64_t>(greg(context_, REG_RAX));
  for (; times != 0; --times) {  // element by element: where the two overlap, that is what it does
    if (instruction.repeated_move) {
      std::memmove(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes);
      from += stride;
    } else {
      std::memcpy(reinterpret_cast<void*>(to), &rax, bytes);
    }
    to += stride;
  }
  greg(context_, REG_RDI) = static_cast<greg_t>(to);
  if (instruction.repeated_move) greg(context_, REG_RSI) = static_cast<greg_t>(from);
  greg(context_, REG_RCX) = 0;
  greg(context_, REG_RIP) += instruction.length;
}

void StoppedThread::repeat_system_call() noexcept {
  constexpr int kSystemCallBytes = 2;
  greg(context_, REG_RAX) = static_cast<siginfo_t*>(info_)->si_syscall;
  greg(context_, REG_RIP) -= kSystemCallBytes;
}

std::uintptr_t StoppedThread::call_argument(int index) const noexcept {
  constexpr int kArguments[6] = {REG_RDI, REG_RSI, REG_RDX, REG_R10, REG_R8, REG_R9};
  return static_cast<std::uintptr_t>(greg(context_, kArguments[index]));
}

// The C library's sigaction() sets its own way back, which hold_system_calls() would hold up.
int install_handler(int signal, SignalHandler handler) noexcept {
  constexpr unsigned long kRestorer = 0x04000000;
  const std::uint64_t faults = bit(SIGSEGV) | bit(SIGTRAP) | bit(SIGSYS) | bit(SIGBUS) | bit(SIGILL) | bit(SIGFPE);
  KernelAction action{handler, SA_SIGINFO | SA_ONSTACK | SA_NODEFER | kRestorer, &weir_signal_return, ~faults};
  return syscall(SYS_rt_sigaction, signal, &action, nullptr, sizeof action.mask) == 0 ? 0 : errno;
}

void restore_default(int signal) noexcept { ::signal(signal, SIG_DFL); }

void use_signal_stack(void* stack, std::size_t bytes) noexcept {
  stack_t wanted{};
  wanted.ss_sp = stack;
  wanted.ss_size = bytes;
  sigaltstack(&wanted, nullptr);
}

bool hold_system_calls(volatile unsigned char* held) noexcept {
  if (held == nullptr) return syscall(SYS_prctl, kSetSystemCallUserDispatch, 0, 0, 0, 0) == 0;
  return syscall(SYS_prctl, kSetSystemCallUserDispatch, 1, &weir_signal_return, kSignalReturnBytes, held) == 0;
}

int protect(std::uintptr_t start, std::size_t bytes, int protection) noexcept {
  long result = SYS_mprotect;
  asm volatile("syscall" : "+a"(result) : "D"(start), "S"(bytes), "d"(protection) : "rcx", "r11", "memory");
  return static_cast<int>(-result);
}

}  // namespace weir::platform

#else

namespace weir::platform {

bool StoppedThread::supported() noexcept { return false; }
std::uintptr_t StoppedThread::address() const noexcept { return 0; }
bool StoppedThread::faulted_on_protection() const noexcept { return false; }
bool StoppedThread::faulted_writing() const noexcept { return false; }
bool StoppedThread::trapped_after_step() const noexcept { return false; }
std::uintptr_t StoppedThread::instruction() const noexcept { return 0; }
std::uintptr_t StoppedThread::stack() const noexcept { return 0; }
std::uint64_t StoppedThread::reg(std::uint8_t) const noexcept { return 0; }
bool StoppedThread::touched(const Instruction&, const MemoryOperand&, TouchedBytes&) const noexcept { return false; }
void StoppedThread::step() noexcept {}
void StoppedThread::run_on() noexcept {}
bool StoppedThread::is_stepping() const noexcept { return false; }
void StoppedThread::finish_repeated(const Instruction&) noexcept {}
void StoppedThread::repeat_system_call() noexcept {}
std::uintptr_t StoppedThread::call_argument(int) const noexcept { return 0; }
int install_handler(int, SignalHandler) noexcept { return ENOSYS; }
void restore_default(int) noexcept {}
void use_signal_stack(void*, std::size_t) noexcept {}
bool hold_system_calls(volatile unsigned char*) noexcept { return false; }
int protect(std::uintptr_t, std::size_t, int) noexcept { return ENOSYS; }

}  // namespace weir::platform

#endif

// SPDX-License-Identifier: Apache-2.0

#include "platform/stopped_thread.hpp"

#include <cpuid.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <ucontext.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>

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

// Not through the C library: a program's calls to it may go by a table in memory that is closed.
long call_kernel(long number, std::uintptr_t a = 0, std::uintptr_t b = 0, std::uintptr_t c = 0, std::uintptr_t d = 0,
                 std::uintptr_t e = 0, std::uintptr_t f = 0) noexcept {
  register std::uintptr_t r10 asm("r10") = d;
  register std::uintptr_t r8 asm("r8") = e;
  register std::uintptr_t r9 asm("r9") = f;
  asm volatile("syscall" : "+a"(number) : "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9) : "rcx", "r11", "memory");
  return number;
}
template <class T>
std::uintptr_t bits(T* pointer) noexcept {
  return reinterpret_cast<std::uintptr_t>(pointer);
}

// By their numbers in encodings.
constexpr int kRegisters[16] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
                                REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};

std::uint64_t segment_base(std::uint8_t segment) noexcept {
  constexpr int kGetFs = 0x1003, kGetGs = 0x1004;
  std::uint64_t base = 0;
  call_kernel(SYS_arch_prctl, segment == 4 ? kGetFs : kGetGs, bits(&base));
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
constexpr std::uint64_t kFaults = bit(SIGSEGV) | bit(SIGTRAP) | bit(SIGSYS) | bit(SIGBUS) | bit(SIGILL) | bit(SIGFPE);

// By which one thread makes another stand still: for nothing else on today's machines.
constexpr std::uint64_t kNeverBlocked = kFaults | bit(kStopSignal);

int set_action(int signal, SignalHandler handler, unsigned long flags) noexcept {
  constexpr unsigned long kRestorer = 0x04000000;
  const KernelAction action{handler, flags | kRestorer, &weir_signal_return, ~kFaults};
  return static_cast<int>(
      -call_kernel(SYS_rt_sigaction, static_cast<std::uintptr_t>(signal), bits(&action), 0, sizeof action.mask));
}

// Of the kernel's, the first 64 signals.
std::uint64_t& blocked_signals(void* context) noexcept {
  return *reinterpret_cast<std::uint64_t*>(&machine(context).uc_sigmask);
}

}  // namespace

std::uintptr_t StoppedThread::address() const noexcept {
  return reinterpret_cast<std::uintptr_t>(static_cast<siginfo_t*>(info_)->si_addr);
}
bool StoppedThread::faulted_on_protection() const noexcept {
  return static_cast<siginfo_t*>(info_)->si_code == SEGV_ACCERR;
}
bool StoppedThread::faulted_writing() const noexcept { return (greg(context_, REG_ERR) & 2) != 0; }
bool StoppedThread::trapped_after_step() const noexcept {
  const int code = static_cast<siginfo_t*>(info_)->si_code;
  const bool steps = (static_cast<std::uint64_t>(greg(context_, REG_EFL)) & kTrapFlag) != 0;
  // A virtual processor may lose the bit that says so (BS of DR6), and the kernel then calls it INT1. INT3 is neither.
  return code == TRAP_TRACE || (code == TRAP_BRKPT && steps);
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

void StoppedThread::step() noexcept {
  greg(context_, REG_EFL) |= kTrapFlag;
  blocked_signals(context_) &= ~kFaults;
}
void StoppedThread::run_on() noexcept { greg(context_, REG_EFL) &= ~static_cast<greg_t>(kTrapFlag); }
void StoppedThread::keep_signal_stack(void* stack, std::size_t bytes) noexcept {
  machine(context_).uc_stack = {stack, 0, bytes};
}

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

int StoppedThread::call_number() const noexcept { return static_cast<siginfo_t*>(info_)->si_syscall; }

void StoppedThread::step_over_system_call() noexcept {
  make_call_again(call_number());
  if (call_number() == SYS_rt_sigreturn) greg(reinterpret_cast<void*>(stack()), REG_EFL) |= kTrapFlag;
}

void StoppedThread::make_call_again(int number) noexcept {
  constexpr int kSystemCallBytes = 2;
  greg(context_, REG_RAX) = number;
  greg(context_, REG_RIP) -= kSystemCallBytes;
  step();
}

bool StoppedThread::change_signal_mask() noexcept {
  if (call_number() != SYS_rt_sigprocmask) return false;
  std::uint64_t& blocked = blocked_signals(context_);
  const std::uint64_t before = blocked;
  const auto* const set = reinterpret_cast<const std::uint64_t*>(call_argument(1));
  auto* const old = reinterpret_cast<std::uint64_t*>(call_argument(2));
  greg_t& result = greg(context_, REG_RAX);
  result = 0;
  if (set != nullptr) {
    switch (static_cast<int>(call_argument(0))) {
      case SIG_BLOCK: blocked |= *set; break;
      case SIG_UNBLOCK: blocked &= ~*set; break;
      case SIG_SETMASK: blocked = *set; break;
      default: result = -EINVAL; return true;
    }
    blocked &= ~kNeverBlocked;
  }
  if (old != nullptr) *old = before;
  return true;
}

std::uintptr_t StoppedThread::call_argument(std::size_t index) const noexcept {
  constexpr int kRegistersOfCalls[kArguments] = {REG_RDI, REG_RSI, REG_RDX, REG_R10, REG_R8, REG_R9};
  return static_cast<std::uintptr_t>(greg(context_, kRegistersOfCalls[index]));
}

bool StoppedThread::call_buffer(Memory& buffer, bool& writes) const noexcept {
  switch (call_number()) {
    case SYS_read:
    case SYS_pread64:
    case SYS_recvfrom: writes = true; break;
    case SYS_write:
    case SYS_pwrite64:
    case SYS_sendto: writes = false; break;
    default: return false;
  }
  buffer = {call_argument(1), call_argument(2)};
  return true;
}

void StoppedThread::give_call_buffer(std::uintptr_t start) noexcept {
  greg(context_, REG_RSI) = static_cast<greg_t>(start);
}

// Addresses of sockets.
std::size_t StoppedThread::memory_beside_buffer(Memory* to) const noexcept {
  if (call_number() != SYS_recvfrom && call_number() != SYS_sendto) return 0;
  std::size_t count = 0;
  if (call_argument(4) != 0) to[count++] = {call_argument(4), sizeof(sockaddr_storage)};
  if (call_number() == SYS_recvfrom && call_argument(5) != 0) to[count++] = {call_argument(5), sizeof(socklen_t)};
  return count;
}

void StoppedThread::give_call_result(std::int64_t result) noexcept { greg(context_, REG_RAX) = result; }

std::int64_t StoppedThread::call_result() const noexcept { return greg(context_, REG_RAX); }

bool StoppedThread::call_waits_for_futex() const noexcept {
  if (!is_futex_call()) return false;
  const auto operation = static_cast<int>(call_argument(1)) & FUTEX_CMD_MASK;
  return operation == FUTEX_WAIT || operation == FUTEX_WAIT_BITSET;
}

bool StoppedThread::is_futex_call() const noexcept { return call_number() == SYS_futex; }

// A word, and of some operations a second one or a time.
std::size_t StoppedThread::futex_memory(Memory* to) const noexcept {
  std::size_t count = 0;
  to[count++] = {call_argument(0), sizeof(std::uint32_t)};
  switch (static_cast<int>(call_argument(1)) & FUTEX_CMD_MASK) {
    case FUTEX_WAIT:
    case FUTEX_WAIT_BITSET:
    case FUTEX_LOCK_PI:
      if (call_argument(3) != 0) to[count++] = {call_argument(3), sizeof(timespec)};
      break;
    case FUTEX_REQUEUE:
    case FUTEX_CMP_REQUEUE:
    case FUTEX_CMP_REQUEUE_PI:
    case FUTEX_WAKE_OP: to[count++] = {call_argument(4), sizeof(std::uint32_t)}; break;
    case FUTEX_WAIT_REQUEUE_PI:
      to[count++] = {call_argument(4), sizeof(std::uint32_t)};
      if (call_argument(3) != 0) to[count++] = {call_argument(3), sizeof(timespec)};
      break;
    default: break;
  }
  return count;
}

namespace {

// Calls whose arguments are numbers; what is left in the other registers looks like addresses.
bool takes_no_memory(int call) noexcept {
  switch (call) {
    case SYS_sched_yield:
    case SYS_getpid:
    case SYS_getppid:
    case SYS_gettid:
    case SYS_getuid:
    case SYS_geteuid:
    case SYS_getgid:
    case SYS_getegid:
    case SYS_close:
    case SYS_dup:
    case SYS_dup2:
    case SYS_dup3:
    case SYS_lseek:
    case SYS_ftruncate:
    case SYS_fsync:
    case SYS_fdatasync:
    case SYS_eventfd2:
    case SYS_kill:
    case SYS_tgkill:
    case SYS_exit:
    case SYS_exit_group: return true;
    default: return false;
  }
}

}  // namespace

std::size_t StoppedThread::call_memory(Memory* to, std::size_t most) const noexcept {
  if (is_futex_call()) return futex_memory(to);
  if (takes_no_memory(call_number())) return 0;
  if (bool writes = false; call_buffer(to[0], writes)) return 1 + memory_beside_buffer(to + 1);
  constexpr std::uintptr_t kFirstAddress = 0x10000, kMostBytes = std::uintptr_t{1} << 31;
  std::size_t bytes = 4096;
  std::size_t count = 0;
  for (std::size_t i = 0; i < kArguments; ++i)
    if (call_argument(i) < kMostBytes) bytes = std::max(bytes, call_argument(i));
  for (std::size_t i = 0; i < kArguments; ++i)
    if (call_argument(i) >= kFirstAddress) to[count++] = {call_argument(i), bytes};
  const auto add = [&](const iovec* buffers, std::size_t n) {
    for (std::size_t i = 0; i < n && count < most; ++i) to[count++] = {bits(buffers[i].iov_base), buffers[i].iov_len};
  };
  switch (call_number()) {
    case SYS_readv:
    case SYS_writev:
    case SYS_preadv:
    case SYS_preadv2:
    case SYS_pwritev:
    case SYS_pwritev2: add(reinterpret_cast<const iovec*>(call_argument(1)), call_argument(2)); break;
    case SYS_recvmsg:
    case SYS_sendmsg: {
      const auto& message = *reinterpret_cast<const msghdr*>(call_argument(1));
      add(message.msg_iov, message.msg_iovlen);
      break;
    }
    default: break;
  }
  return count;
}

bool StoppedThread::call_makes_process() const noexcept {
  switch (call_number()) {
    case SYS_fork:
    case SYS_vfork: return true;
    case SYS_clone: return (call_argument(0) & CLONE_THREAD) == 0;
    case SYS_clone3: return (*reinterpret_cast<const std::uint64_t*>(call_argument(0)) & CLONE_THREAD) == 0;
    default: return false;
  }
}

StoppedThread::Changed StoppedThread::let_process_keep_handlers() noexcept {
  constexpr std::uint64_t kClearHandlers = std::uint64_t{1} << 32;  // CLONE_CLEAR_SIGHAND, of glibc's posix_spawn()
  if (call_number() != SYS_clone3) return {};
  auto* const flags = reinterpret_cast<std::uint64_t*>(call_argument(0));
  const std::uint64_t before = *flags;
  if ((before & kClearHandlers) == 0) return {};
  *flags = before & ~kClearHandlers;
  return {flags, before};
}

bool StoppedThread::call_was_refused() const noexcept { return greg(context_, REG_RAX) == -EFAULT; }

// The C library's sigaction() sets its own way back, which hold_system_calls() would hold up.
int install_handler(int signal, SignalHandler handler) noexcept {
  return set_action(signal, handler, SA_SIGINFO | SA_ONSTACK | SA_NODEFER);
}

void restore_default(int signal) noexcept { set_action(signal, nullptr, 0); }

void use_signal_stack(void* stack, std::size_t bytes) noexcept {
  stack_t wanted{};
  wanted.ss_sp = stack;
  wanted.ss_size = bytes;
  call_kernel(SYS_sigaltstack, bits(&wanted));
}

void unblock_faults() noexcept {
  call_kernel(SYS_rt_sigprocmask, SIG_UNBLOCK, bits(&kNeverBlocked), 0, sizeof kNeverBlocked);
}

bool hold_system_calls(volatile unsigned char* held) noexcept {
  if (held == nullptr) return call_kernel(SYS_prctl, kSetSystemCallUserDispatch) == 0;
  return call_kernel(SYS_prctl, kSetSystemCallUserDispatch, 1, bits(&weir_signal_return), kSignalReturnBytes,
                     bits(held)) == 0;
}

int protect(std::uintptr_t start, std::size_t bytes, int protection) noexcept {
  return static_cast<int>(-call_kernel(SYS_mprotect, start, bytes, static_cast<std::uintptr_t>(protection)));
}

void* map_memory(std::size_t bytes) noexcept {
  const long memory = call_kernel(SYS_mmap, 0, bytes, PROT_READ | PROT_WRITE,
                                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, ~std::uintptr_t{0});
  return memory < 0 ? nullptr : reinterpret_cast<void*>(memory);
}

void unmap_memory(void* memory, std::size_t bytes) noexcept { call_kernel(SYS_munmap, bits(memory), bytes); }

// By the kernel, which stops where nothing is mapped; it is forbidden in some containers.
bool copy_memory(std::uintptr_t to, std::uintptr_t from, std::size_t bytes) noexcept {
  const iovec there{reinterpret_cast<void*>(to), bytes}, here{reinterpret_cast<void*>(from), bytes};
  const long copied = call_kernel(SYS_process_vm_readv, static_cast<std::uintptr_t>(call_kernel(SYS_getpid)),
                                  bits(&there), 1, bits(&here), 1);
  if (copied != -EPERM && copied != -ENOSYS) return copied == static_cast<long>(bytes);
  std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes);
  return true;
}

int thread_number() noexcept { return static_cast<int>(call_kernel(SYS_gettid)); }

void send_stop_signal(int thread) noexcept {
  call_kernel(SYS_tgkill, static_cast<std::uintptr_t>(call_kernel(SYS_getpid)), static_cast<std::uintptr_t>(thread),
              static_cast<std::uintptr_t>(kStopSignal));
}

// The third word of its line in /proc; the second is in parentheses and may have any.
bool thread_sleeps(int thread) noexcept {
  char path[40] = "/proc/self/task/";
  std::size_t end = std::strlen(path);
  int power = 1;
  while (thread / power >= 10) power *= 10;
  for (; power != 0; power /= 10) path[end++] = static_cast<char>('0' + thread / power % 10);
  std::memcpy(path + end, "/stat", sizeof "/stat");
  const long file = call_kernel(SYS_open, bits(path), O_RDONLY | O_CLOEXEC);
  if (file < 0) return true;
  char line[256];
  const long bytes = call_kernel(SYS_read, static_cast<std::uintptr_t>(file), bits(line), sizeof line);
  call_kernel(SYS_close, static_cast<std::uintptr_t>(file));
  for (long i = bytes - 3; i > 0; --i)
    if (line[i] == ')') return line[i + 2] == 'S';
  return true;
}

void yield() noexcept { call_kernel(SYS_sched_yield); }

void nap(std::uint64_t ns) noexcept {
  const timespec time{0, static_cast<long>(ns)};
  call_kernel(SYS_nanosleep, bits(&time));
}

}  // namespace weir::platform

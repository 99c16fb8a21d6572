// SPDX-License-Identifier: Apache-2.0

// StoppedThread: a thread inside the handler of a signal that one of its instructions has caused: its registers, what
// it was about to touch, and how to let it run one instruction more.
//
// For the handlers of `weir check` only. Nothing here allocates or calls the C library but for memcpy. Compiled for
// x86-64 only.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weir::platform {

// Where an instruction touches memory, as its encoding says: base + index * scale + displacement. Plain bytes: it
// travels between processes.
struct MemoryOperand {
  static constexpr std::uint8_t kNone = 0xff, kInstructionPointer = 0xfe;
  std::int64_t displacement = 0;
  std::uint8_t base = kNone, index = kNone;  // general purpose registers by their number in encodings
  std::uint8_t scale = 0;
  std::uint8_t segment = 0;  // 0, or 4 for fs and 5 for gs
  bool reads = false, writes = false;
  bool by_elements = false;        // at addresses that a vector register has: only the faulting one is known
  std::uint8_t mask = 0;           // 0, or the mask register (k1 to k7) that says which elements are touched
  std::uint8_t element_bytes = 0;  // of what the mask selects
  std::uint8_t unused[3] = {};
  std::uint32_t bytes = 0;
};

struct Instruction {
  static constexpr std::size_t kMostOperands = 4;
  std::uint8_t length = 0;  // 0: it could not be decoded
  std::uint8_t operand_count = 0;
  // rep movs, rep stos: as often as rcx says, forward or backward.
  bool repeated_move = false, repeated_store = false;
  std::uint8_t unused[4] = {};
  MemoryOperand operands[kMostOperands];
};

struct TouchedBytes {
  std::uintptr_t start = 0;
  std::size_t bytes = 0;
  bool reads = false, writes = false;
  std::uint64_t lanes = ~std::uint64_t{0};  // elements that are touched; all of `bytes` when element_bytes is 0
  std::uint32_t element_bytes = 0;
};

class StoppedThread {
 public:
  // What the kernel gives a handler: siginfo_t* and ucontext_t*.
  StoppedThread(void* info, void* context) noexcept : info_(info), context_(context) {}

  std::uintptr_t address() const noexcept;  // SIGSEGV: what it could not touch
  bool faulted_on_protection() const noexcept;
  bool faulted_writing() const noexcept;
  bool trapped_after_step() const noexcept;  // SIGTRAP
  std::uintptr_t instruction() const noexcept;
  std::uintptr_t stack() const noexcept;
  // For unwinders that start here.
  void* context() const noexcept { return context_; }

  // What the operand touches; a repeated one all at once. False: it cannot be told.
  bool touched(const Instruction& instruction, const MemoryOperand& operand, TouchedBytes& result) const noexcept;

  // When the handler returns the thread runs one instruction and gets SIGTRAP, which is not blocked from then on.
  void step() noexcept;
  void run_on() noexcept;
  // use_signal_stack() in a handler: what that has set lasts beyond its return.
  void keep_signal_stack(void* stack, std::size_t bytes) noexcept;
  // Does all that the rep movs or rep stos has left to do. Its memory is accessible.
  void finish_repeated(const Instruction& instruction) noexcept;
  // SIGSYS: the system call that was held up is made when the handler returns, and SIGTRAP comes after it; in a thread
  // or process that the call makes, too. What returns from a handler of the program's is followed by SIGTRAP after one
  // more instruction.
  void step_over_system_call() noexcept;
  // SIGSYS: when the call is one that changes which signals are blocked, does that, except that faults never are.
  bool change_signal_mask() noexcept;
  // SIGSYS: memory that the call may be given, as far as its arguments say: each of them could be an address, and the
  // largest of the others how much there is. Of readv(), recvmsg() and the like also the buffers, as many as there is
  // room for. Of those that call_buffer() knows that one is the first, and the others are known. Returns how many.
  struct Memory {
    std::uintptr_t start;
    std::size_t bytes;
  };
  static constexpr std::size_t kArguments = 6;
  std::size_t call_memory(Memory* to, std::size_t most) const noexcept;
  // SIGSYS: read(), write() and their like, with one buffer: where it is. False: another call.
  bool call_buffer(Memory& buffer, bool& writes) const noexcept;
  // SIGSYS: it gets another one; SIGTRAP after it: the register that says where is as it was.
  void give_call_buffer(std::uintptr_t start) noexcept;
  void give_call_result(std::int64_t result) noexcept;  // SIGTRAP after a call
  // SIGTRAP after a call: what it has returned.
  std::int64_t call_result() const noexcept;
  // SIGSYS: the call reads what it is given at its beginning, and may then sleep for long: a futex.
  bool call_waits_for_futex() const noexcept;
  // SIGSYS: the call makes a process.
  bool call_makes_process() const noexcept;
  // SIGSYS: a process that begins without handlers would die of the SIGTRAP after the call. Makes it begin with them;
  // exec takes them away. Returns what is to be put back where once the call is over; nowhere: nothing was changed.
  struct Changed {
    std::uint64_t* where = nullptr;
    std::uint64_t before = 0;
  };
  Changed let_process_keep_handlers() noexcept;
  // SIGTRAP after a call: it found memory that it could not touch. step_over_system_call() once more:
  bool call_was_refused() const noexcept;
  void make_call_again(int number) noexcept;
  int call_number() const noexcept;  // SIGSYS

 private:
  bool is_futex_call() const noexcept;
  std::size_t futex_memory(Memory* to) const noexcept;
  std::size_t memory_beside_buffer(Memory* to) const noexcept;
  std::uintptr_t call_argument(std::size_t index) const noexcept;  // below kArguments
  std::uint64_t reg(std::uint8_t number) const noexcept;

  void* info_;
  void* context_;
};

// A handler on the alternate stack, with all signals blocked but those of faults, whose return is never held up by
// hold_system_calls(). Returns errno, 0 when it is installed.
using SignalHandler = void (*)(int signal, void* info, void* context);
int install_handler(int signal, SignalHandler handler) noexcept;
// Gives the signal its default effect: the next one ends the process.
void restore_default(int signal) noexcept;
void use_signal_stack(void* stack, std::size_t bytes) noexcept;
// The calling thread gets signals of faults, and that which stops it. One that blocks them dies of the first.
void unblock_faults() noexcept;

// While *held is 1 every system call of the calling thread raises SIGSYS instead, until it calls this with null; 0
// lets them pass. False: the kernel cannot do it (before Linux 5.11).
bool hold_system_calls(volatile unsigned char* held) noexcept;

// Without the C library: usable where no memory but the stack can be trusted. 0, or errno; memory: null when there is
// none.
int protect(std::uintptr_t start, std::size_t bytes, int protection) noexcept;
void* map_memory(std::size_t bytes) noexcept;
void unmap_memory(void* memory, std::size_t bytes) noexcept;
// False: some of it cannot be touched.
bool copy_memory(std::uintptr_t to, std::uintptr_t from, std::size_t bytes) noexcept;
int thread_number() noexcept;
// SIGSTKFLT, which neither the kernel nor programs use.
inline constexpr int kStopSignal = 16;
void send_stop_signal(int thread) noexcept;
// A thread of this process is in the kernel and waits for something. True, too, when nobody can tell (no /proc).
bool thread_sleeps(int thread) noexcept;
void yield() noexcept;
void nap(std::uint64_t ns) noexcept;  // less than a second

}  // namespace weir::platform

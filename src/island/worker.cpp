// SPDX-License-Identifier: Apache-2.0

#include "island/worker.hpp"

#include <unistd.h>

#include <cstring>
#include <string>

#include "island/patience.hpp"
#include "island/runner.hpp"

namespace weir::island {

void work(SharedMemory& memory, Mailbox& mailbox, const WorkerSetup& setup) {
  become_worker();
  const Hello hello{static_cast<std::uint64_t>(::getpid())};
  std::memcpy(mailbox.hello.payload().data(), &hello, sizeof hello);
  mailbox.hello.post(memory, 1, sizeof hello);
  const std::span<const std::byte> heap(setup.heap, setup.heap_bytes);
  Runner runner(memory, setup.check_writes ? heap : heap.first(0));
  Patience patience(setup.park_after_us);
  std::string thrown;
  StreamOut children(mailbox.children);
  const auto look = [&] {
    if (patience.wait() && setup.master_is_gone) setup.master_is_gone();
  };
  for (std::uint32_t number = 1;; number = Mailbox::after(number)) {
    Mailbox::Slot& slot = mailbox.slot(number);
    auto letter = slot.task.take(memory, number);
    for (; !letter; letter = slot.task.take(memory, number)) look();
    patience.reset();
    TaskHead head;
    std::memcpy(&head, letter->data(), sizeof head);
    if (head.invoke.object == 0) return;
    const Done done = runner.run(*letter, thrown);
    std::byte* const answer = slot.done.payload().data();
    std::memcpy(answer, &done, sizeof done);
    std::memcpy(answer + sizeof done, thrown.data(), thrown.size());
    slot.done.post(memory, number, sizeof done + thrown.size());
    children.send(memory, runner.children(), look);
  }
}

}  // namespace weir::island

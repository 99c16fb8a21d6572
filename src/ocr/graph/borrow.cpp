// SPDX-License-Identifier: Apache-2.0

#include "ocr/graph/borrow.hpp"

#include "ocr/blocks/copies.hpp"
#include "ocr/objects/home.hpp"
#include "ocr/observe/message_log.hpp"
#include "ocr/observe/tracing.hpp"
#include "runtime/workers.hpp"

namespace weir::ocr {

void borrow(const Local& local, Edt& edt, Guid block, std::uint8_t mode) {
  edt.body().waiting_mode = mode;
  if (local.worker->track() != nullptr) [[unlikely]]
    trace_block_wait(edt);
  const Loan loan{block, reinterpret_cast<std::uint64_t>(&edt), expect_contents(edt, block), mode,
                  number_for_contents()};
  Mail::running()->post(home_of(block), Say::borrow, Writer().put(loan));
}

}  // namespace weir::ocr

// SPDX-License-Identifier: Apache-2.0

// WaitingThreads: what a thread is for OCR is put aside while it waits: it is in no EDT, and no EDT runs on it.
#pragma once

#include <cstdint>

#include "ocr/program/program.hpp"
#include "runtime/workers.hpp"

namespace weir::ocr {

class WaitingThreads final : public sched::Blocking {
 public:
  explicit WaitingThreads(Program& program) noexcept : program_(program) {}
  std::uintptr_t begin(sched::Worker& worker) noexcept override;
  void end(sched::Worker& worker, std::uintptr_t begun) noexcept override;
  void refused(const base::Status& why) noexcept override;

 private:
  Program& program_;
};

}  // namespace weir::ocr

// SPDX-License-Identifier: Apache-2.0

// SystemLocal: a worker's Local, with what the lower layers of OCR ask of the higher. The System makes and owns them.
#pragma once

#include <memory>

#include "ocr/graph/local.hpp"

namespace weir::ocr {

class SystemLocal final : public Local {
 public:
  using Local::Local;

  void on_label_taken(Guid label) override;
  void on_label_made(Guid label) override;
  void on_label_left(Guid label) noexcept override;
  std::unique_ptr<LabelWatch> watch_label(Guid label) override;
  void on_granted(Edt& edt, Block& block) override;
  bool on_wait_for_room() override;
  void on_room(bool was_paused) override;
  void on_returned(const Edt& edt) override;
};

}  // namespace weir::ocr

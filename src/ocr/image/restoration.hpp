// SPDX-License-Identifier: Apache-2.0

// Restoration: going on from a checkpoint: the objects are made again, on all ranks, before any EDT begins. A rank
// makes those of its own image, or of each that it adopts where other ranks have written them. The first thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "checkpoint/past.hpp"
#include "ocr/graph/local.hpp"
#include "ocr/image/frontier.hpp"

namespace weir::ocr {

class Restoration {
 public:
  // What all ranks have come to, each by its own: of one rank what it has come to. Collective.
  using Agree = std::function<base::Status(const base::Status& mine)>;
  // Where the slots of this rank's EDTs were, for other ranks to ask; null: from now on they do not.
  using Publish = std::function<void(const KnownSlots*)>;

  // `images`: as take_rank_states().
  using Images = std::vector<std::unique_ptr<checkpoint::Past>>;

  Restoration(Local& local, const Images& images, Agree agree, Publish publish)
      : local_(local), images_(images), agree_(std::move(agree)), publish_(std::move(publish)) {}

  // While the program is halted (Halt). Failure, on all ranks: some EDTs are ready, perhaps.
  base::Status run();

 private:
  template <class F>
  base::Status with_memory(F&& f);
  bool adopts(const checkpoint::Past& image) const noexcept;
  base::Status make_objects();
  base::Status make_ready();

  Local& local_;
  const Images& images_;
  const Agree agree_;
  const Publish publish_;
  KnownSlots slots_;
  std::vector<std::unique_ptr<Revival>> revivals_;
};

}  // namespace weir::ocr

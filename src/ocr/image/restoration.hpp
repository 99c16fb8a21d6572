// SPDX-License-Identifier: Apache-2.0

// Restoration: going on from a checkpoint: the objects are made again, on all ranks, before any EDT begins. The first
// thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

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

  Restoration(Local& local, checkpoint::Past& past, Agree agree, Publish publish)
      : local_(local), past_(past), agree_(std::move(agree)), publish_(std::move(publish)) {}

  // While the program is halted (Halt). Failure, on all ranks: some EDTs are ready, perhaps.
  base::Status run();

 private:
  template <class F>
  base::Status with_memory(F&& f);
  base::Result<checkpoint::Contents> claim(std::uint64_t key, const char* name, std::uint64_t& bytes);
  base::Status make_objects();
  base::Status restore_blocks(const checkpoint::Contents& gathered, std::uint64_t bytes);
  base::Status restore_large(const Revival::PastBlock& block);
  base::Status make_ready();

  Local& local_;
  checkpoint::Past& past_;
  const Agree agree_;
  const Publish publish_;
  std::unique_ptr<Revival> revival_;
};

}  // namespace weir::ocr

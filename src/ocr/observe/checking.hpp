// SPDX-License-Identifier: Apache-2.0

// What OCR reports to the checker while `weir check` watches the program (src/check); nothing otherwise.
//
// Blocks get pages of their own, EDTs run with only the blocks that they hold accessible, and what makes an EDT start
// is recorded as its order. On the thread that does it.
#pragma once

#include <cstdint>
#include <optional>

#include "check/hooks.hpp"
#include "ocr/objects/object_local.hpp"

namespace weir::ocr::checking {

using weir::check::active;

std::byte* allocate_block(const ObjectLocal& local, std::uint64_t bytes) noexcept;
void free_block(std::byte* data) noexcept;
// The running EDT holds a block that it has made (`is_new`: nothing has written it yet) or waited for; it holds it no
// more; it has named it.
void held(const Block& block, bool is_new);
void released(const Block& block);
// The program has got the block's address outside of EDTs.
void handed_out(const void* data);
void used(const ObjectLocal& local, Guid block);

void created(Edt& edt);
void destroyed(Edt& edt);
// Its function is called between these two.
class Running {
 public:
  [[gnu::noinline]] explicit Running(Edt& edt);
  ~Running();
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

 private:
  check::TaskRecord* record_ = nullptr;
};

// `generation`: of a channel or collective event.
void satisfied(Guid event, std::uint64_t generation = 0);
// The EDT, or what the link leads to, needs that this was done.
void needed_by(Edt& edt);
void needed_by(const Link& link);

// What happens while it lives happens because of the event, or of the EDT that has ended, or of what a link has kept.
class Because {
 public:
  explicit Because(Guid event, std::uint64_t generation = 0) {
    if (active()) [[unlikely]]
      begin(event, generation);
  }
  explicit Because(const Edt& ended) {
    if (active()) [[unlikely]]
      begin(ended);
  }
  explicit Because(const Link& link) {
    if (active()) [[unlikely]]
      begin(link);
  }
  ~Because() {
    if (active()) [[unlikely]]
      end();
  }
  Because(const Because&) = delete;
  Because& operator=(const Because&) = delete;

 private:
  void begin(Guid event, std::uint64_t generation);
  void begin(const Edt& ended);
  void begin(const Link& link);
  void end();
  const check::Cause* before_ = nullptr;
};
void keep_cause(const Link& link);
// The runtime itself touches blocks.
class Unseen {
 public:
  Unseen() {
    if (active()) pause_.emplace();
  }

 private:
  std::optional<check::Pause> pause_;
};
// The cause by which a waiter's event is satisfied is kept in the waiter; the thread, or its EDT, has waited for it.
void keep_cause(EventWaiter& waiter);
void waited(const EventWaiter& waiter);

}  // namespace weir::ocr::checking

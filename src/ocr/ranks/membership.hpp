// SPDX-License-Identifier: Apache-2.0

// Membership: this process as a rank of an OCR program: joins the job before the runtime is there, leaves after it is
// gone. The thread that starts and stops the System.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "base/result.hpp"
#include "launch/job.hpp"
#include "launch/joined.hpp"
#include "ocr/mail/mail.hpp"
#include "ocr/mail/reach.hpp"
#include "ocr/ranks/message_order.hpp"
#include "ocr/ranks/message_trace.hpp"
#include "ocr/ranks/postman.hpp"
#include "ocr/ranks/stall.hpp"
#include "runtime/tier_source.hpp"
#include "transport/rank_clock.hpp"

namespace weir::ocr {

class Membership {
 public:
  // What has to be the same on all ranks.
  struct Alike {
    std::uint64_t past = 0;     // the checkpoint that they go on from
    std::uint32_t options = 0;  // which of checkpoint and restart there are

    friend bool operator==(const Alike&, const Alike&) = default;
  };

  // Null when the program runs on one rank. `may_spread`: else that is an error when the job has several. `tiers`: what
  // this rank is asked for (Options::tiers).
  static base::Result<std::unique_ptr<Membership>> join(bool may_spread, const std::string& tiers);
  ~Membership();

  // The runtime's tiers share what the host has with those of the other ranks there.
  weir::detail::TierSource tiers() const;
  // Collective. The runtime is there, on all ranks: they say what domains they have, and what a trace has of them.
  base::Status introduce(Runtime& runtime, int domains);
  // Collective. `mine`: what this rank has come to. A failure where one rank has failed, or `alike` is not the same on
  // all: one of them has said on standard error why, and the message is empty. Where a rank is lost in that time, a
  // failure of this one is returned as it is.
  base::Status agree(const base::Status& mine, const Alike& alike);
  base::Status agree(const base::Status& mine) { return agree(mine, Alike{}); }
  // From now on this rank does what others ask; where it cannot, the job ends. `spreads`: EDTs that no hint places go
  // to ranks that have nothing to run.
  void begin(Program& program, bool spreads, Duties duties);
  // The program can make no progress, on any rank. On a thread that looks at this one from time to time, of rank 0: on
  // others it says no.
  bool all_stand_still(Program& program);
  // The other ranks print what waits there.
  void report_on_others() { ocr::report_on_others(mail_); }
  // The EDTs of this rank have ended; returns when those of all others have.
  void end();

 private:
  Membership(std::unique_ptr<transport::Transport> transport, const launch::Job& job);
  // Collective. A failure is that of a lost rank.
  base::Status gather(std::span<const std::byte> mine, std::span<std::byte> all);
  // Collective. A failure where ranks run different programs: rank 0 has said which.
  base::Status compare_builds();
  base::Status open_reach(const std::string& tiers);
  void begin_trace(Runtime& runtime, trace::Track& row);

  std::unique_ptr<transport::Transport> transport_;
  const launch::JoinedRank joined_;
  const std::string job_;
  transport::RankClock clock_;
  Mail mail_;
  std::optional<MessageTrace> trace_;
  std::optional<MessageOrder> order_;
  std::unique_ptr<Reach> reach_;
  std::unique_ptr<Postman> postman_;
  bool has_lost_one_ = false;
};

}  // namespace weir::ocr

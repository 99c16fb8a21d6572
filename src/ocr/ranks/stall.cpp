// SPDX-License-Identifier: Apache-2.0

#include "ocr/ranks/stall.hpp"

#include <vector>

#include "ocr/program/pause.hpp"

namespace weir::ocr {

namespace {

// Of all ranks; empty when one does not stand still.
std::vector<Stillness> look_at_all(Program& program, Mail& mail) {
  std::vector<Stillness> all;
  for (std::uint32_t rank = 0; rank < mail.transport().ranks(); ++rank) {
    if (Rank{rank} == mail.transport().rank()) {
      all.push_back(stillness_of(program, mail));
    } else {
      const Answer answer = mail.ask(Rank{rank}, Say::look, {});
      all.push_back(answer.code == 0 ? Reader(answer.body).get<Stillness>() : Stillness{});
    }
    if (!all.back().is_still) return {};
  }
  return all;
}

}  // namespace

Stillness stillness_of(Program& program, const Mail& mail) {
  const bool is_held = is_pausing() || program.keeps_blocks();  // by a checkpoint; KEEP-1: first
  const Program::Progress now = program.progress();
  return {now.idle && program.stands_still() && program.is_alone() && !is_held, now.ended, mail.traffic()};
}

bool all_stand_still(Program& program, Mail& mail) {
  const std::vector<Stillness> first = look_at_all(program, mail);
  return all_is_performed(first) && nothing_happened(first, look_at_all(program, mail));
}

void report_on_others(Mail& mail) {
  mail.for_each_other([&](Rank rank) { static_cast<void>(mail.ask(rank, Say::report, {})); });
}

}  // namespace weir::ocr

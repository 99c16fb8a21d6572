// SPDX-License-Identifier: Apache-2.0

// EDTs on other ranks: what is asked of the rank that is to have them, and what another rank asks of this one.
//
//   the maker's rank                            the EDT's rank
//   an EDT that stands for it ("stand-in")
//   create_edt -------------------------------> made; events of depv wait
//              <------------------------------- its GUID, where its slots are
//   links events of depv to its slots
//                                               runs; all that it has made ends
//   the stand-in's slot is satisfied <--------- satisfy
//
// The stand-in is in the maker's finish scope, and there only is one if there is such a scope. On its rank the EDT is a
// finish EDT, so that the scope is a tree over the ranks, and ends when all EDTs in it have, with no other count. An
// EDT without slots is sent without an answer, under a GUID that its rank has given ahead (objects/given_guids.hpp).
// Any thread that has a Local.
#pragma once

#include <memory>

#include "ocr/edts/create_edt.hpp"
#include "ocr/mail/mail.hpp"
#include "ocr/objects/home.hpp"

namespace weir::ocr {

// Where the EDT is to be: the rank of its label, or that its hints name; without either, see spread.hpp.
Rank rank_of(const Local& local, const Template& of, const EdtRequest& request) noexcept;
// Waits until it is made, unless it has no slots. The counts of the request are settled. 0 or an error code.
u8 create_far_edt(Local& local, const Template& of, EdtRequest& request, Rank where);
// Of this rank or another.
u8 destroy_template(ObjectLocal& local, Guid guid);
// What another rank's template says, asked for once and kept until it is destroyed, or has another hint; null: there is
// none.
std::shared_ptr<const Template> find_far_template(Guid guid);
// It says something else. The home of one that was elsewhere tells all ranks, which may go on before they have
// performed that.
void forget_far_template(Guid guid);

// For a report: whether it stands for one of another rank, and for which; null: that is not known yet. The EDT is
// locked.
bool is_stand_in(const Edt& edt) noexcept;
Guid stands_for(Edt& edt) noexcept;

Answer answer_create_edt(Local& local, Reader& body);
Answer answer_fetch_template(Reader& body);
Answer answer_forget_template(Reader& body);

}  // namespace weir::ocr

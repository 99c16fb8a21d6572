// SPDX-License-Identifier: Apache-2.0

// Labels of other ranks that a thread waits for to become free (GUID_PROP_BLOCK): the label's home satisfies an event
// of the thread's rank when that may be.
#pragma once

#include <memory>

#include "ocr/graph/local.hpp"
#include "ocr/mail/mail.hpp"

namespace weir::ocr {

// As watch_label(), of a label of another rank. Waits until its home knows of it. Any thread that has a Local, its own,
// but the one that performs what others ask.
std::unique_ptr<LabelWatch> watch_far_label(Local& local, Guid label);
Answer answer_watch_label(Reader& body);
Answer answer_unwatch_label(Reader& body);

}  // namespace weir::ocr

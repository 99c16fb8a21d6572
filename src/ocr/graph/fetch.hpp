// SPDX-License-Identifier: Apache-2.0

// Getting what lies in the memory of another rank (mail/reach.hpp). On the thread that performs what others ask, which
// does not wait for it.
#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "ocr/graph/local.hpp"
#include "ocr/mail/mail.hpp"
#include "ocr/mail/reach.hpp"

namespace weir::ocr {

// `then` is called on the thread that performs what others ask: before this returns where this process maps that
// memory.
void fetch(Local& local, Rank from, std::uint64_t offset, std::span<std::byte> to, std::function<void(Local&)> then);
Answer answer_fetched(Local& local, Reader& body);
// What was fetched and will not be used, at the end of the program.
void forget_fetches() noexcept;

}  // namespace weir::ocr

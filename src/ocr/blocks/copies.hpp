// SPDX-License-Identifier: Apache-2.0

// Copies: data blocks of other ranks, as EDTs of this one hold them. Each is for one EDT, in memory that no tier
// counts, from when it is lent until that EDT releases it. It shows the GUID of the block, and no table finds it.
//
// Contents that are too long for one message are kept when they are not in use any more, with their version, up to a
// bound of bytes (Reach::most_kept()): an EDT that comes later gets them when the home says that they are the block's.
// EDTs that read share contents; one that writes has its own. Any thread that has a BlockLocal.
#pragma once

#include <atomic>
#include <cstddef>
#include <span>

#include "ocr/blocks/block_local.hpp"
#include "ocr/blocks/contents.hpp"
#include "ocr/blocks/loan.hpp"

namespace weir::ocr {

// The version that is kept of the block, which stays until take_expected(); 0: none.
std::uint32_t expect_contents(const Edt& edt, Guid block);
// Null when there was none.
ContentsPtr take_expected(std::uint64_t edt);
// What is kept of the block, if it is of that version; else null.
ContentsPtr find_contents(Guid block, std::uint32_t version);

// For contents of another version than what is kept of the block, whose memory they take when it is not in use. Throws
// std::bad_alloc.
ContentsPtr make_contents(Guid block, std::size_t bytes);

// Held in the mode of the loan. `contents` are those of its version. Throws std::bad_alloc.
Block& make_copy(BlockLocal& local, const LoanMade& made, ContentsPtr contents);
// The same of a block that is destroyed, for an EDT that had it before: nothing goes back.
Block& make_last_copy(BlockLocal& local, Guid block, std::uint8_t mode, ContentsPtr contents);
// Its EDT releases it: what was to be written goes back to the block's home.
void end_copy(BlockLocal& local, Block& copy, std::uint8_t mode);
// The home has taken what was written to that copy (GivenBack::copy).
void copy_is_back(std::uint64_t copy);
// How often EDTs were given contents that had to be read elsewhere, and that were here.
struct ContentsCounts {
  std::atomic<std::uint64_t> read{0}, bytes_read{0}, reused{0};  // relaxed: exact when no EDT runs
};
ContentsCounts& contents_counts() noexcept;
// The block is destroyed.
void forget_contents(Guid block);

// Copies of EDTs that have never run, and all that is kept, at the end of the program.
void forget_copies(BlockLocal& local) noexcept;
}  // namespace weir::ocr

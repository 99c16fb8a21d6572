// SPDX-License-Identifier: Apache-2.0

#include "platform/io_pieces.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "base/check.hpp"

namespace weir::platform {
namespace {

// What O_DIRECT asks of offsets and addresses: a read goes on at such a place.
constexpr std::size_t kAligned = 4096;

}  // namespace

void IoPieces::push(IoRequest* request) noexcept {
  WEIR_CHECK(request->done != nullptr && (request->data != nullptr || request->bytes == 0), "an incomplete request");
  request->next = nullptr;
  request->error = 0;
  request->transferred = 0;
  request->issued = 0;
  request->pieces = 0;
  (first_ == nullptr ? first_ : last_->next) = request;
  last_ = request;
}

IoPiece IoPieces::take() noexcept {
  IoRequest& request = *first_;
  IoPiece piece{&request, request.issued, std::min(piece_bytes_, request.bytes - request.issued)};
  request.issued += piece.bytes;
  ++request.pieces;
  if (request.issued == request.bytes) pop();
  return piece;
}

bool IoPieces::again(IoPiece& piece, long result) noexcept {
  IoRequest& request = *piece.request;
  if (result == -EAGAIN || result == -EINTR) return true;
  if (result < 0) {
    fail(request, static_cast<int>(-result));
    return false;
  }
  const std::size_t reached = piece.done + static_cast<std::size_t>(result);
  if (reached >= piece.bytes) {
    request.transferred += piece.bytes;
    return false;
  }
  if (reached <= piece.reached) {  // two calls that came no further
    fail(request, request.write ? EIO : kEndOfFile);
    return false;
  }
  piece.reached = reached;
  piece.done = request.write ? reached : reached / kAligned * kAligned;
  return true;
}

IoRequest* IoPieces::finish(const IoPiece& piece) noexcept {
  IoRequest& request = *piece.request;
  --request.pieces;
  return request.pieces == 0 && request.issued == request.bytes ? &request : nullptr;
}

// No further piece of it is begun.
void IoPieces::fail(IoRequest& request, int error) noexcept {
  if (request.error == 0) request.error = error;
  if (request.issued == request.bytes) return;
  request.issued = request.bytes;
  pop();
}

void IoPieces::pop() noexcept { first_ = first_->next; }

base::Status io_status(const IoRequest& request) {
  if (request.error == 0) return base::Status::success();
  const bool full = request.error == ENOSPC || request.error == EDQUOT || request.error == EFBIG;
  const std::string reason =
      request.error == kEndOfFile ? "the file ends before" : std::generic_category().message(request.error);
  return {full ? base::Code::no_space : base::Code::io_error,
          fmt::format("{} of {} bytes at offset {} of descriptor {}: {}", request.write ? "write" : "read",
                      request.bytes, request.offset, request.fd, reason)};
}

}  // namespace weir::platform

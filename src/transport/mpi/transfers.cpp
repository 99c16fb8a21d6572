// SPDX-License-Identifier: Apache-2.0

#include "transport/mpi/transfers.hpp"

namespace weir::transport::mpi {

int Transfers::send(Rank to, Tag tag, const std::byte* from, std::uint64_t bytes, Then then) {
  Transfer transfer{{}, to, std::move(then)};
  const int error = calls_.send(from, bytes, static_cast<int>(to), static_cast<int>(tag), &transfer.request);
  if (error == 0) underway_.push_back(std::move(transfer));
  return error;
}

int Transfers::receive(Rank from, Tag tag, std::byte* to, std::uint64_t bytes, Then then) {
  Transfer transfer{{}, from, std::move(then)};
  const int error = calls_.receive(to, bytes, static_cast<int>(from), static_cast<int>(tag), &transfer.request);
  if (error == 0) underway_.push_back(std::move(transfer));
  return error;
}

void Transfers::drop(Rank rank) {
  std::erase_if(underway_, [rank](const Transfer& transfer) { return transfer.rank == rank; });
}

}  // namespace weir::transport::mpi

// SPDX-License-Identifier: Apache-2.0

#include "transport/mpi/receives.hpp"

namespace weir::transport::mpi {

int Receives::start() {
  for (Slot& slot : *slots_) {
    int error = calls_.make_receive(slot.bytes.data(), kPacketBytes, static_cast<int>(Tag::packet), &slot.request);
    if (error == 0) error = calls_.start_receive(&slot.request);
    if (error != 0) return error;
    ++started_;
  }
  return 0;
}

void Receives::end() {
  for (std::size_t i = 0; i < started_; ++i) calls_.end_receive(&(*slots_)[i].request);
  started_ = 0;
}

}  // namespace weir::transport::mpi

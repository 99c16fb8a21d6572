// SPDX-License-Identifier: Apache-2.0

#include "ocr/graph/channel.hpp"

#include "ocr/graph/params.hpp"

namespace weir::ocr {

std::unique_ptr<Channel> make_channel(const void* params) {
  if (params == nullptr) return nullptr;
  const auto& given = *static_cast<const ocrEventChannelParams_t*>(params);
  if (given.nbSat != 1 || given.nbDeps != 1 || given.maxGen == 0) return nullptr;
  auto channel = std::make_unique<Channel>();
  channel->most = given.maxGen;
  return channel;
}

u8 channel_satisfied(Event& event, Guid block, Node& ready) {
  Channel& channel = *event.channel;
  if (channel.waiting != 0) {
    --channel.waiting;
    ++channel.met;
    ready = pop_front(event.dependents);
    NodeList alone;
    append(alone, ready);
    return 0;
  }
  if (channel.most != EVENT_CHANNEL_UNBOUNDED && channel.satisfied.size() >= channel.most) return OCR_EPERM;
  channel.satisfied.push_back(block);
  return 0;
}

u8 channel_dependent(Event& event, Node node, Node& ready, Guid& block) {
  Channel& channel = *event.channel;
  if (!channel.satisfied.empty()) {
    ready = node;
    ++channel.met;
    block = channel.satisfied.front();
    channel.satisfied.pop_front();
    return 0;
  }
  if (channel.most != EVENT_CHANNEL_UNBOUNDED && channel.waiting >= channel.most) return OCR_EPERM;
  ++channel.waiting;
  append(event.dependents, node);
  return 0;
}

}  // namespace weir::ocr

// SPDX-License-Identifier: Apache-2.0

#include "ocr/objects/event.hpp"

namespace weir::ocr {

void append(NodeList& list, Node node) noexcept {
  next_of(node) = 0;
  (list.first == 0 ? list.first : next_of(list.last)) = node;
  list.last = node;
}

Node pop_front(NodeList& list) noexcept {
  const Node node = list.first;
  list.first = next_of(node);
  if (list.first == 0) list.last = 0;
  return node;
}

}  // namespace weir::ocr

#include "trainer/comm/protocol/order.h"

namespace carrack::train {

const std::string& comparable_text(std::string_view other, const Order& order) {
  return other.starts_with(order_prefix) ? order.text : order.legacy;
}

bool is_same_order(std::string_view other, const Order& order) {
  return other.empty() || other == comparable_text(other, order);
}

std::string describe_order(std::string_view text) {
  if (!text.starts_with(order_prefix)) return std::string(text);
  std::string description;
  for (const char one : text.substr(order_prefix.size())) {
    description += one == ' ' ? ", " : one == '=' ? " " : std::string(1, one);
  }
  return description;
}

}  // namespace carrack::train

// The text that identifies the data of a job and the order in which it is trained on. All processes of a job compute it
// from the files that they find (loop/setup/order_text.h), and checkpoint manifests store it
// (docs/formats/checkpoint.md).
#pragma once

#include <string>
#include <string_view>

namespace carrack::train {

inline constexpr std::string_view order_prefix = "carrack-order v2 ";

struct Order {
  std::string text;  // begins with order_prefix
  // The text that releases without order_prefix have for the same order; compared only with texts of such releases.
  std::string legacy;
};

// Returns the text of `order` to compare with `other`, a text from a manifest or another process: order.text if `other`
// begins with order_prefix, else order.legacy.
const std::string& comparable_text(std::string_view other, const Order& order);

// True if `other`, a text from a manifest or another process, stands for this order. An empty text stands for any
// order.
bool is_same_order(std::string_view other, const Order& order);

// Returns the text in words, for messages: "files 2, records 20000, ...". A text that does not begin with order_prefix
// is returned unchanged. The words may change in any release.
std::string describe_order(std::string_view text);

}  // namespace carrack::train

// The text that identifies the data of a job and the order in which it is trained on. All processes of a job compute it
// from the files that they find, and it is stored in checkpoint manifests (docs/formats/checkpoint.md).
// loop/setup/order_text.h makes it.
#pragma once

#include <string>
#include <string_view>

namespace carrack::train {

inline constexpr std::string_view order_prefix = "carrack-order v2 ";

struct Order {
  std::string text;    // begins with order_prefix
  std::string legacy;  // what releases before order_prefix had for the same order; compared only with texts of theirs
};

// The text of `order` to compare with `other`, a text from a manifest or from another process: order.legacy if a
// release before order_prefix wrote `other`, else order.text.
const std::string& comparable_text(std::string_view other, const Order& order);

// Whether a text from a manifest or from another process stands for this order. An empty text stands for any.
bool is_same_order(std::string_view other, const Order& order);

// The text in words, for messages: "files 2, records 20000, ...". The words may change in any release.
std::string describe_order(std::string_view text);

}  // namespace carrack::train

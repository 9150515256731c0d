// Order: the text that identifies the data of a job and the order in which its records are used. The coordinator and
// each worker compute it from the files that they find (loop/setup/order_text.h), and each checkpoint manifest stores
// it (docs/formats/checkpoint.md). Training cannot continue from a checkpoint, or with a worker or parameter server,
// whose order is another one (is_same_order()).
//
//   carrack-order v2 files=2 records=20000 bytes=760000 crc32c=62ef409b stage=shuffle kind=full
#pragma once

#include <string>
#include <string_view>

namespace carrack::train {

inline constexpr std::string_view order_prefix = "carrack-order v2 ";

struct Order {
  std::string text;  // begins with order_prefix
  // The text that earlier releases, which did not write order_prefix, have for the same order.
  std::string legacy;
};

// Returns the text of `order` that has the format of `other`, a text from a manifest or another process: order.text if
// `other` begins with order_prefix, else order.legacy. The result refers to `order`.
const std::string& comparable_text(std::string_view other, const Order& order);

// True if `other`, a text from a manifest or another process, means the same order. An empty `other` means that the
// order is unknown, and is the same as any order.
bool is_same_order(std::string_view other, const Order& order);

// Returns a text for messages to the user:
//   describe_order("carrack-order v2 files=2 records=20000") -> "files 2, records 20000"
// A text that does not begin with order_prefix is returned unchanged. The result may change in any release.
std::string describe_order(std::string_view text);

}  // namespace carrack::train

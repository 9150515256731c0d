// Groups of tensors that are trained differently from the rest of a model.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace carrack::train {

struct TensorGroup {
  std::vector<std::string> tensors;                   // patterns of names, for matches_tensor()
  double rate_scale = 1;                              // factor of the learning rate
  std::optional<double> weight_decay = std::nullopt;  // nullopt: the optimizer's own
  bool frozen = false;                                // true: the same as a rate_scale of 0
  bool operator==(const TensorGroup&) const = default;
};

// True if the tensors of the group never change.
bool is_frozen(const TensorGroup& group);

// Each `*` in a pattern stands for any number of characters, which may be 0 and may include `/`. All other characters
// stand for themselves.
bool matches_tensor(std::string_view pattern, std::string_view tensor);

// Returns the first group with a matching pattern; null if there is none. The result points into `groups`.
const TensorGroup* group_of(const std::vector<TensorGroup>& groups, std::string_view tensor);

}  // namespace carrack::train

// spec.training.groups of a manifest: groups of a model's tensors that are trained with other settings than the rest,
// such as a lower learning rate, or not at all.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace carrack::train {

struct TensorGroup {
  std::vector<std::string> tensors;                   // names or patterns; see matches_tensor()
  double rate_scale = 1;                              // factor of the learning rate
  std::optional<double> weight_decay = std::nullopt;  // nullopt: the optimizer's own
  bool frozen = false;                                // true: the same as a rate_scale of 0
  bool operator==(const TensorGroup&) const = default;
};

// True if training does not change the tensors of the group: `frozen`, or a rate_scale of 0.
bool is_frozen(const TensorGroup& group);

// True if the pattern matches the whole name of the tensor. Each `*` in it stands for any number of characters, also
// none, and `/` is one of them: "conv*/bias" matches "conv1/a/bias". All other characters stand for themselves.
bool matches_tensor(std::string_view pattern, std::string_view tensor);

// Returns the first group with a pattern that matches `tensor`; later groups do not count. Returns null if there is
// none. The result points into `groups`.
const TensorGroup* group_of(const std::vector<TensorGroup>& groups, std::string_view tensor);

}  // namespace carrack::train

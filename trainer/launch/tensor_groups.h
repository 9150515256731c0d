// Groups of tensors that are trained otherwise than the rest of a model.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace carrack::train {

struct TensorGroup {
  std::vector<std::string> tensors;                   // patterns of names, as matches_tensor() takes them
  double rate_scale = 1;                              // the learning rate is multiplied by this
  std::optional<double> weight_decay = std::nullopt;  // instead of the optimizer's
  bool frozen = false;                                // as a rate_scale of 0
  bool operator==(const TensorGroup&) const = default;
};

// Whether the tensors of the group never change.
bool is_frozen(const TensorGroup& group);

// In a pattern each `*` stands for any number of characters, also for `/`. All others stand for themselves.
bool matches_tensor(std::string_view pattern, std::string_view tensor);

// The first group with a pattern that matches; null if there is none.
const TensorGroup* group_of(const std::vector<TensorGroup>& groups, std::string_view tensor);

}  // namespace carrack::train

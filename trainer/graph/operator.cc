#include "trainer/graph/operator.h"

#include <algorithm>

namespace carrack::train {

std::vector<const Operator*> all_operators() {
  std::vector<const Operator*> all;
  for (const auto family :
       {activation_operators(), arithmetic_operators(), attention_operators(), column_operators(),
        convolution_operators(), dropout_operators(), loss_operators(), matrix_operators(), normalization_operators(),
        pooling_operators(), recurrent_operators(), reduction_operators(), shape_operators(), table_operators()}) {
    for (const Operator& one : family) all.push_back(&one);
  }
  return all;
}

const Operator* find_operator(std::string_view name) {
  const std::vector<const Operator*> all = all_operators();
  const auto found = std::ranges::find(all, name, [](const Operator* one) { return one->name; });
  return found == all.end() ? nullptr : *found;
}

}  // namespace carrack::train

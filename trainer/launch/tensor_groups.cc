#include "trainer/launch/tensor_groups.h"

#include <algorithm>

namespace carrack::train {

bool is_frozen(const TensorGroup& group) {
  return group.frozen || group.rate_scale == 0;
}

bool matches_tensor(std::string_view pattern, std::string_view tensor) {
  // After a mismatch, the last `*` matches one more character, and the comparison goes on after it. `star` is the
  // position of this `*` in the pattern, and `star_end` is where the characters that it matches end.
  std::size_t star = pattern.npos, star_end = 0, at = 0, i = 0;
  while (i < tensor.size()) {
    if (at < pattern.size() && pattern[at] == '*') {
      star = at++;
      star_end = i;
    } else if (at < pattern.size() && pattern[at] == tensor[i]) {
      ++at;
      ++i;
    } else if (star != pattern.npos) {
      at = star + 1;
      i = ++star_end;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', at) == pattern.npos;
}

const TensorGroup* group_of(const std::vector<TensorGroup>& groups, std::string_view tensor) {
  const auto found = std::ranges::find_if(groups, [&](const TensorGroup& group) {
    return std::ranges::any_of(group.tensors,
                               [&](const std::string& pattern) { return matches_tensor(pattern, tensor); });
  });
  return found == groups.end() ? nullptr : &*found;
}

}  // namespace carrack::train

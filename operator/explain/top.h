// The text of `carrack top`: one job, its speed and its members. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "operator/explain/job_view.h"

namespace carrack::control {

struct TopStyle {
  std::size_t columns = 0;  // lines are cut to this number of characters; 0: not cut
  std::size_t lines = 0;    // the most lines, at least 4; 0: no limit
  bool colors = false;      // members' states are colored, by ANSI escapes
};

// If not all members fit, those that are not well come first, and a last line counts the rest.
std::vector<std::string> top_lines(const JobView& view, const TopStyle& style);

}  // namespace carrack::control

// The text of `carrack top`: one job, its speed and its members. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "operator/explain/job_view.h"

namespace carrack::control {

struct TopStyle {
  std::size_t columns = 0;  // lines are cut to as many characters; 0: never
  std::size_t lines = 0;    // at most so many; 0: any number
  bool colors = false;      // of the members' states, by ANSI escapes
};

// If not all members fit, those come first that do not run.
std::vector<std::string> top_lines(const JobView& view, const TopStyle& style);

}  // namespace carrack::control

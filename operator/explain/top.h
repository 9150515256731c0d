// The output of `carrack top`: the state of one job, its speed and a table of its members. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "operator/explain/job_view.h"

namespace carrack::control {

struct TopStyle {
  std::size_t columns = 0;  // the maximum number of characters in a line, without colors; 0: no limit
  std::size_t lines = 0;    // the maximum number of lines; less than 4 counts as 4; 0: no limit
  bool colors = false;      // the states of members are colored by ANSI escapes
};

// Returns lines without line breaks: the verdict, the speed, the names of the columns, and a line for each member. If
// not all members fit, those that are not well come first, and the last line says how many more there are.
std::vector<std::string> top_lines(const JobView& view, const TopStyle& style);

}  // namespace carrack::control

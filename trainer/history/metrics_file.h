// The file metrics.jsonl in the checkpoint folder of a job (docs/formats/metrics.md): a line of JSON for each point.
// Pure; any bytes may be read.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "trainer/history/point.h"

namespace carrack::history {

inline constexpr std::string_view metrics_file_name = "metrics.jsonl";

// The size in bytes of the largest file that points_in() accepts. Sampling (sampling.h) keeps the file of a job far
// smaller.
constexpr std::size_t metrics_file_bytes_max = std::size_t{64} << 20;

// Returns the line of a point, with its line break. A number that is not finite becomes null.
std::string line_of(const Point& point);

// Returns the points of a file, in its order; null becomes NaN. Ignores blank lines, unknown members, metrics whose
// names are not in snake_case or have more than 64 characters, and a damaged last line without a line break, which a
// killed writer may leave. Throws train::Error with Blame::user for any other damaged line, with the line's number, and
// for a file that is too long. The result takes at most about ten times the memory of the text.
std::vector<Point> points_in(std::string_view text);

// Returns the points that are still valid, in their order. A job that continues from a commit records steps again that
// the file already has. So a training point replaces all earlier training points of its step and of later steps, and
// earlier evaluations of later steps. An evaluation replaces earlier evaluations of its step and of later steps.
std::vector<Point> without_replaced(const std::vector<Point>& points);

}  // namespace carrack::history

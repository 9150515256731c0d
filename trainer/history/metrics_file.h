// Encodes and parses metrics.jsonl, the file in a job's checkpoint folder with its curves: one JSON object a line, one
// line for each point (docs/formats/metrics.md). The coordinator writes it, and reads it again after a restart;
// `carrack plot` draws it. The functions here do not access files. A line:
//     {"step":100,"epoch":0,"time":1764094505.5,"loss":0.25,"records_per_second":9000}
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "trainer/history/point.h"

namespace carrack::history {

inline constexpr std::string_view metrics_file_name = "metrics.jsonl";

// The size in bytes of the largest file that points_in() accepts. The file of a job is far smaller, because not every
// step is recorded (sampling.h).
constexpr std::size_t metrics_file_bytes_max = std::size_t{64} << 20;

// Returns the line of a point, with its line break. A number that is not finite, such as a loss of NaN, becomes null.
std::string line_of(const Point& point);

// Returns the points in `text`, the content of a file, in its order; none for an empty text. `text` may have any bytes.
// null becomes NaN where line_of() writes it. Ignores blank lines, unknown members, metrics whose names are not in
// snake_case or have more than 64 characters, and a damaged last line without a line break, which a killed writer may
// leave. Throws train::Error with Blame::user for any other damaged line, with the line's number, and for a text above
// metrics_file_bytes_max. The result takes at most about ten times the memory of the text.
std::vector<Point> points_in(std::string_view text);

// Returns the points that are still valid, in their order. A job that continues from a commit records steps again that
// the file already has: with training points at steps 10, 20, 30 and then 20 again, those at 10 and the second 20 stay.
// A training point replaces all earlier training points of its step and of later steps, and earlier evaluations of
// later steps. An evaluation replaces earlier evaluations of its step and of later steps.
std::vector<Point> without_replaced(const std::vector<Point>& points);

}  // namespace carrack::history

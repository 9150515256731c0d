// The file metrics.jsonl in the checkpoint folder of a job, docs/formats/metrics.md: a line of JSON for each point.
// Pure; safe for any bytes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "trainer/history/point.h"

namespace carrack::history {

inline constexpr std::string_view metrics_file_name = "metrics.jsonl";

// A longer file is refused. Sampling keeps that of a run far below.
constexpr std::size_t metrics_file_bytes_max = std::size_t{64} << 20;

// The line of a point, with its line break. A number that is not finite is null.
std::string line_of(const Point& point);

// The points of a file, in its order; null is NaN. Ignores blank lines, what it does not know, metrics whose names are
// not in snake_case or have more than 64 characters, and an unfinished last line, which a killed writer leaves. Throws
// train::Error (user) that names the first damaged line, or says that the file is too long. The result takes at most
// some ten times the memory of the text.
std::vector<Point> points_in(std::string_view text);

// The history that holds, in the order of the file. A job that goes on from a commit records steps again that are in
// the file already. A point of training replaces all earlier ones of its step or beyond, and earlier evaluations of
// parameters beyond its step; an evaluation replaces earlier ones of its step or beyond.
std::vector<Point> without_replaced(const std::vector<Point>& points);

}  // namespace carrack::history

#include "operator/explain/top.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "dataloader/text.h"
#include "operator/core/member_words.h"
#include "operator/core/printable.h"
#include "operator/explain/explain.h"
#include "operator/explain/member_rows.h"
#include "operator/explain/phrases.h"

namespace carrack::control {
namespace {

constexpr std::size_t lines_before_members = 3;  // verdict, speed and the names of columns
constexpr std::string_view green = "\033[32m", red = "\033[31m", yellow = "\033[33m", no_color = "\033[0m";

using Cells = std::vector<std::string>;
constexpr std::size_t state_column = 1;

std::string rate_text(double per_second) {
  if (per_second >= 10) return data::counted(static_cast<std::uint64_t>(std::llround(per_second)));
  return number_text(std::round(100 * per_second) / 100);
}

std::string speed_line(const JobView& view) {
  const JobStatus& status = view.status;
  Cells pieces;
  const auto steps = view.steps_per_second ? view.steps_per_second : average_steps_per_second(view);
  if (status.progress && status.progress->step > 0) pieces.push_back("loss " + number_text(status.progress->loss));
  if (steps) {
    const double records = *steps * static_cast<double>(view.spec.config.training.batch);
    pieces.push_back(rate_text(*steps) + " steps/s, " + rate_text(records) + " records/s" +
                     (view.steps_per_second ? "" : " on average"));
  }
  if (status.progress && status.progress->input_wait) {
    pieces.push_back("waits for data " + std::to_string(std::lround(100 * *status.progress->input_wait)) + "%");
  }
  if (status.last_checkpoint)
    pieces.push_back("commit " + data::counted(static_cast<std::uint64_t>(status.last_checkpoint->step)));
  if (status.evaluation) pieces.push_back("evaluated: " + metrics_text(*status.evaluation));
  if (status.attempt > 0) {
    pieces.push_back("restarted " + data::counted(static_cast<std::uint64_t>(status.attempt), "time"));
  }
  if (pieces.empty()) return view.spec.own ? "its program reports no steps" : "nothing is reported yet";
  return data::joined(pieces, "; ");
}

Cells cells_of(const MemberRow& row) {
  std::string why = row.why;
  std::ranges::replace(why, '\n', ' ');
  return {member_name(row.member), row.state, row.node.empty() ? "-" : printable_line(row.node),
          std::to_string(row.restarts), printable_line(why)};
}

// Returns the first `columns` characters of UTF-8 text, or all if `columns` is 0.
std::string cut(const std::string& text, std::size_t columns) {
  if (columns == 0) return text;
  std::size_t characters = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool begins = (static_cast<unsigned char>(text[at]) & 0xc0) != 0x80;
    if (begins && ++characters > columns) return text.substr(0, at);
  }
  return text;
}

std::string_view color_of(const MemberRow& row) {
  if (row.is_well) return green;
  return row.state == "ended" || row.state == "missing" || row.state == "stopped" ? red : yellow;
}

// Returns a line of the table: the cells, padded to `widths`, and cut to `columns` characters as by cut(). The state is
// printed in `color`, unless `color` is empty or the state does not fit into the line.
std::string line_of(const Cells& cells, const std::vector<std::size_t>& widths, std::string_view color,
                    std::size_t columns) {
  std::string text;
  for (std::size_t at = 0; at < cells.size(); ++at) {
    const bool is_last = at + 1 == cells.size() || cells[at + 1].empty();
    text += cells[at] + (is_last ? "" : std::string(widths[at] - cells[at].size() + 2, ' '));
    if (is_last) break;
  }
  text = cut(text, columns);
  const std::size_t begin = widths[0] + 2, end = begin + cells[state_column].size();
  if (color.empty() || end > text.size()) return text;
  return text.substr(0, begin).append(color).append(cells[state_column]).append(no_color) + text.substr(end);
}

}  // namespace

std::vector<std::string> top_lines(const JobView& view, const TopStyle& style) {
  std::vector<MemberRow> rows = member_rows(view);
  const std::size_t room = style.lines > lines_before_members + 1 ? style.lines - lines_before_members : 1;
  const bool all_fit = style.lines == 0 || rows.size() <= room;
  if (!all_fit) std::ranges::stable_partition(rows, [](const MemberRow& row) { return !row.is_well; });
  const Cells names = {"MEMBER", "STATE", "NODE", "RESTARTS", "WHY"};
  std::vector<std::size_t> widths;
  for (const std::string& name : names) widths.push_back(name.size());
  for (const MemberRow& row : rows) {
    const Cells cells = cells_of(row);
    for (std::size_t at = 0; at < cells.size(); ++at) widths[at] = std::max(widths[at], cells[at].size());
  }
  std::vector<std::string> lines = {cut(verdict(view), style.columns), cut(speed_line(view), style.columns),
                                    line_of(names, widths, "", style.columns)};
  const std::size_t shown = all_fit ? rows.size() : room - 1;
  for (std::size_t at = 0; at < shown; ++at) {
    lines.push_back(line_of(cells_of(rows[at]), widths, style.colors ? color_of(rows[at]) : "", style.columns));
  }
  if (!all_fit) lines.push_back("and " + std::to_string(rows.size() - shown) + " more");
  return lines;
}

}  // namespace carrack::control

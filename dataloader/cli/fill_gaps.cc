#include "dataloader/cli/fill_gaps.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <set>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "dataloader/cli/copy.h"
#include "dataloader/cli/progress.h"
#include "dataloader/cli/summary/quantiles.h"
#include "dataloader/cli/terminal.h"
#include "dataloader/error.h"
#include "dataloader/pipeline/reading.h"
#include "dataloader/text.h"

namespace carrack::data::cli {
namespace {

constexpr std::string_view mean_word = "mean", median_word = "median";

bool is_mean(const Request::Fill& fill) {
  return fill.value == mean_word;
}

bool is_computed(const Request::Fill& fill) {
  return is_mean(fill) || fill.value == median_word;
}

// A sum of numbers. It adds up separately what each addition loses by rounding (Neumaier), so the total is nearly as
// exact as if it were rounded once.
class Sum {
 public:
  void add(double number) {
    const double next = sum_ + number;
    lost_ += std::abs(sum_) >= std::abs(number) ? (sum_ - next) + number : (number - next) + sum_;
    sum_ = next;
  }
  double total() const { return sum_ + lost_; }

 private:
  double sum_ = 0, lost_ = 0;
};

// Statistics of a column that --fill fills, over all rows that will be written.
struct Column {
  std::uint64_t missing = 0;     // rows without a value
  std::uint64_t finite = 0;      // numbers that are neither NaN nor infinite
  std::uint64_t not_finite = 0;  // numbers that are NaN or infinite
  Sum sum;                       // the sum of the finite values, if the column is float32
  bool wants_median = false;
  Quantiles<double> floats;  // the finite values, if the median is wanted
  Quantiles<std::int64_t> ints;
};

// Adds `count` rows of a column to its statistics. Each row is a list, which is empty if the value is missing.
void add_rows(const NamedColumn& rows, std::size_t count, Column& column) {
  for (std::size_t row = 0; row < count; ++row) column.missing += rows.splits[0][row] == rows.splits[0][row + 1];
  if (const auto* ints = std::get_if<LargeVector<std::int64_t>>(&rows.values)) {
    column.finite += ints->size();
    if (column.wants_median) std::ranges::for_each(*ints, [&](std::int64_t number) { column.ints.add(number); });
  }
  const auto* floats = std::get_if<LargeVector<float>>(&rows.values);
  if (floats == nullptr) return;
  for (const float number : *floats) {
    if (!std::isfinite(number)) {
      ++column.not_finite;
      continue;
    }
    ++column.finite;
    column.sum.add(number);
    if (column.wants_median) column.floats.add(number);
  }
}

// Removes rows that have several values in a filled column. The conversion leaves out these rows, too, because it reads
// each filled column as a single value. Here the column is read as a list, so that a gap is an empty list.
void remove_rows_with_many(const std::vector<std::string>& filled, Rows& rows) {
  std::vector<bool> kept(rows.count, true);
  for (const std::string& name : filled) {
    const std::vector<std::size_t>& begins = rows.column(name).splits[0];
    for (std::size_t row = 0; row < rows.count; ++row) kept[row] = kept[row] && begins[row + 1] - begins[row] <= 1;
  }
  if (std::ranges::find(kept, false) != kept.end()) filter_rows(rows, kept);
}

// Reads all rows of `dataset` and returns the statistics of the filled columns, `names`. Does not report rows that the
// conversion will leave out, because the conversion itself reports them.
std::vector<Column> read_columns(const Request& request, const Storages& storages, std::uint64_t bytes,
                                 const Dataset& dataset, const std::vector<std::string>& names) {
  std::vector<Column> columns(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) columns[i].wants_median = request.fills[i].value == median_word;
  Progress progress(bytes, errors_are_on_a_terminal());
  Reading reading(dataset, storages, copy_options(request));
  while (std::optional<Rows> rows = reading.next()) {
    remove_rows_with_many(names, *rows);
    for (std::size_t i = 0; i < names.size(); ++i) add_rows(rows->column(names[i]), rows->count, columns[i]);
    progress.add(bytes_read(reading) - std::min(bytes_read(reading), progress.done()));
  }
  return columns;
}

template <typename Number>
Values one_number(const Request::Fill& fill) {
  const std::optional<Number> number = number_in<Number>(fill.value);
  if (!number) {
    throw Refused(fill.option + ": '" + printable(fill.value) + "' is no " +
                  (std::is_integral_v<Number> ? "int64" : "float32") + ", as column " + printable(fill.column) +
                  " is; --types says what a column holds");
  }
  return LargeVector<Number>{*number};
}

Values typed_value(const Request::Fill& fill, Dtype dtype) {
  switch (dtype) {
    case Dtype::bytes:
      return LargeVector<std::string_view>{fill.value};
    case Dtype::float32:
      return one_number<float>(fill);
    case Dtype::int64:
      return one_number<std::int64_t>(fill);
  }
  throw Error("a column of no type");
}

// Throws Refused if the column cannot have a mean or median. The mean of whole numbers is seldom whole, so for a mean
// it changes a column of inferred int64 to float32.
void require_numbers(const Request& request, const Request::Fill& fill, InferredColumn& column) {
  Feature& feature = column.feature;
  const std::string subject = fill.option + ": column " + printable(fill.column);
  if (feature.dtype == Dtype::bytes)
    throw Refused(subject + " is bytes, which have no " + fill.value + "; write the text itself" +
                  (column.reason.empty() ? "" : " (" + column.reason + ")"));
  if (feature.dtype == Dtype::float32 || !is_mean(fill)) return;
  const bool is_joined = feature.shape == Shape::item;  // set by resolve_joins(); other columns are still lists
  if (is_joined || type_override(request, fill.column))
    throw Refused(
        subject +
        " is int64 by --types, and its mean may be no whole number; make it float32, or write the number itself");
  feature.dtype = Dtype::float32;
  column.reason = "column " + excerpt(fill.column) + " is float32: its gaps get the mean";
}

// Returns the mean or median. Throws Refused if the column has no number, or one that is not finite.
Values computed_value(const Request::Fill& fill, const Column& column, Dtype dtype) {
  const std::string subject = fill.option + ": column " + printable(fill.column) + " has no " + fill.value + ", as it ";
  if (column.not_finite > 0)
    throw Refused(
        subject + "holds " + counted(column.not_finite, "number") +
        (column.not_finite == 1 ? " that is" : " that are") +
        " NaN or infinite; --missing takes such a text for a gap, written as it stands in the file, such as NaN");
  if (column.finite == 0) throw Refused(subject + "holds no number");
  if (dtype == Dtype::int64) return LargeVector<std::int64_t>{Distribution(column.ints).quantile(0.5)};
  const double value = is_mean(fill) ? column.sum.total() / static_cast<double>(column.finite)
                                     : Distribution(column.floats).quantile(0.5);
  return LargeVector<float>{static_cast<float>(value)};
}

// Returns the shortest decimal text that reads as the same number.
template <typename Number>
std::string shortest(Number number) {
  std::array<char, 40> digits;
  return {digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr};
}

std::string text_of_number(const Values& values) {
  const auto* ints = std::get_if<LargeVector<std::int64_t>>(&values);
  return ints != nullptr ? shortest(ints->front()) : shortest(std::get<LargeVector<float>>(values).front());
}

std::string describe(const Request::Fill& fill, const Column& column, const Feature& feature) {
  const std::string subject =
      fill.column + ": " + (column.missing == 0 ? "none" : counted(column.missing)) + " missing";
  if (column.missing == 0) return subject;
  if (feature.dtype == Dtype::bytes) return subject + ", filled with " + excerpt(fill.value);
  return subject + ", filled with " + (is_computed(fill) ? text_of_number(*feature.default_values) : fill.value);
}

// Returns the column of each --fill, in their order. Throws Refused for a column that cannot be filled.
std::vector<InferredColumn*> filled_columns(const Request& request, std::vector<InferredColumn>& columns) {
  std::vector<InferredColumn*> filled;
  std::set<std::string> names;
  for (const Request::Fill& fill : request.fills) {
    const auto found = find_column(columns, fill.column);
    if (found == columns.end()) throw Refused(fill.option + ": " + unknown_column_message(fill.column, columns));
    if (found->skipped) throw Refused(fill.option + ": " + found->reason);
    if (!names.insert(fill.column).second)
      throw Refused(fill.option + ": column " + printable(fill.column) + " is filled twice");
    filled.push_back(&*found);
  }
  return filled;
}

// Returns the features that read_columns() reads: the same as for the conversion, so that both leave out the same rows.
// But each filled column is a list, which is empty in a row without a value, so that read_columns() can count the gaps.
std::vector<Feature> with_gaps(const std::vector<InferredColumn>& columns, const std::vector<std::string>& filled) {
  std::vector<Feature> features;
  for (const InferredColumn& column : columns) {
    if (column.skipped) continue;
    const Feature& feature = column.feature;
    const bool is_filled = std::ranges::find(filled, feature.name) != filled.end();
    features.push_back(is_filled ? Feature{.name = feature.name, .dtype = feature.dtype, .shape = Shape::list}
                                 : feature);
  }
  return features;
}

}  // namespace

std::vector<std::string> apply_fills(const Request& request, const Storages& storages, std::uint64_t bytes,
                                     const OpenColumns& open, std::vector<InferredColumn>& columns) {
  const std::vector<InferredColumn*> filled = filled_columns(request, columns);
  std::vector<std::string> names;
  bool is_any_computed = false;
  for (std::size_t i = 0; i < filled.size(); ++i) {
    const Request::Fill& fill = request.fills[i];
    Feature& feature = filled[i]->feature;
    if (is_computed(fill))
      require_numbers(request, fill, *filled[i]);
    else
      feature.default_values = typed_value(fill, feature.dtype);
    is_any_computed = is_any_computed || is_computed(fill);
    names.push_back(feature.name);
    feature.shape = Shape::item;
  }
  const bool is_read = is_any_computed || (request.command == Command::convert && !names.empty());
  if (!is_read) return {};
  const Dataset rows = open(with_gaps(columns, names));
  const std::vector<Column> found = read_columns(request, storages, bytes, rows, names);
  std::vector<std::string> sentences;
  for (std::size_t i = 0; i < filled.size(); ++i) {
    const Request::Fill& fill = request.fills[i];
    Feature& feature = filled[i]->feature;
    if (is_computed(fill)) feature.default_values = computed_value(fill, found[i], feature.dtype);
    sentences.push_back(describe(fill, found[i], feature));
  }
  return sentences;
}

}  // namespace carrack::data::cli

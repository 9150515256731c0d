#include "trainer/debug/step_text.h"

#include <cmath>
#include <cstdio>

#include "dataloader/text.h"
#include "trainer/text_table.h"

namespace carrack::train {
namespace {

std::string number(const char* format, double value) {
  if (std::isnan(value)) return "nan";  // printf() writes "-nan" for some NaNs.
  char digits[32];
  std::snprintf(digits, sizeof digits, format, value);
  return digits;
}

std::string short_number(double value) {
  return number("%.4g", value);
}

std::string difference(double value) {
  return value == 0 ? "0" : number("%.1e", value);
}

std::string text_of(const Shape& shape) {
  std::string dimensions;
  for (const std::int64_t one : shape) dimensions += (dimensions.empty() ? "" : ", ") + std::to_string(one);
  return "[" + dimensions + "]";
}

TableLine line_of(const ValueReport& value, const std::string& name) {
  const Numbers& numbers = value.numbers;
  return {data::printable(name),
          text_of(value.shape),
          short_number(numbers.min),
          short_number(numbers.mean),
          short_number(numbers.max),
          std::to_string(numbers.nan),
          std::to_string(numbers.infinite),
          "",
          "",
          ""};
}

TableLine line_of(const TensorReport& tensor) {
  TableLine line = line_of(tensor.value, "  " + tensor.value.name);
  line[7] = short_number(tensor.gradient_norm);
  line[8] = short_number(tensor.update_norm);
  line[9] = difference(tensor.gradient_difference);
  return line;
}

}  // namespace

std::string text(const StepReport& report) {
  std::vector<TableLine> lines{{"", "shape", "min", "mean", "max", "NaN", "Inf", "gradient", "update", "difference"}};
  for (const ValueReport& feature : report.features) lines.push_back(line_of(feature, feature.name));
  for (const LayerReport& layer : report.layers) {
    lines.push_back(line_of(layer.output, layer.output.name));
    lines.back()[9] = difference(layer.output.difference);
    for (const TensorReport& tensor : layer.tensors) lines.push_back(line_of(tensor));
  }
  std::string all = "the first " + std::to_string(report.records.size()) + " of " +
                    std::to_string(report.records_in_epoch) + " records, and the initial values of seed " +
                    std::to_string(report.seed) + "\n" + text_table(lines, "llrrrrrrrr") + "loss " +
                    short_number(report.loss) + ", the mean over the records; difference " +
                    difference(report.loss_difference) + "\n";
  for (const std::string& line : not_finite(report)) all += line + "\n";
  return all;
}

}  // namespace carrack::train

#include "trainer/checkpoint/statistics.h"

#include "dataloader/text.h"
#include "trainer/checkpoint/sealed_lines.h"
#include "trainer/error.h"

namespace carrack::checkpoint {
namespace {

constexpr std::string_view first_line = "carrack statistics 1";
constexpr std::string_view separator = " ";  // separates the words of a line, so it is escaped within names

std::string take_text(SealedLines& lines, std::string_view word) {
  const std::optional<std::string> text = unescaped(word, separator);
  if (!text || text->empty()) lines.refuse("has a name that is not as it is written");
  return text.value_or("");
}

ColumnStatistics take_column(SealedLines& lines) {
  const auto words = lines.words("column", 2);
  const ColumnStatistics column{lines.as_float(words[0]), lines.as_float(words[1])};
  if (!lines.refused() && column.deviation <= 0) lines.refuse("has a deviation that is not above 0");
  return column;
}

LayerStatistics take_layer(SealedLines& lines) {
  const auto words = lines.words("layer", 2);
  LayerStatistics layer{take_text(lines, words[0]), take_text(lines, words[1]), {}};
  do layer.columns.push_back(take_column(lines));
  while (lines.next_is("column"));
  return layer;
}

}  // namespace

std::string encode_statistics(const Statistics& statistics) {
  std::string text = std::string(first_line) + "\norder " + statistics.order + "\n";
  for (const LayerStatistics& layer : statistics.layers) {
    text += "layer " + data::percent_escaped(layer.layer, separator) + " " +
            data::percent_escaped(layer.feature, separator) + "\n";
    for (const ColumnStatistics& column : layer.columns) {
      text += "column " + float_bits(column.mean) + " " + float_bits(column.deviation) + "\n";
    }
  }
  text = seal(std::move(text));
  const Decoded<Statistics> decoded = decode_statistics(text);
  if (const auto* corrupt = std::get_if<Corrupt>(&decoded)) throw train::Error(train::Blame::bug, corrupt->text);
  return text;
}

Decoded<Statistics> decode_statistics(std::string_view text) {
  SealedLines lines(text, first_line);
  Statistics statistics{.order = std::string(lines.rest("order")), .layers = {}};
  if (!is_printable_ascii(statistics.order)) {
    lines.refuse("has an 'order' with characters that are not printable ASCII");
  }
  do statistics.layers.push_back(take_layer(lines));
  while (lines.next_is("layer"));
  if (auto corrupt = lines.problem()) return *corrupt;
  return statistics;
}

}  // namespace carrack::checkpoint

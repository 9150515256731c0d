#include "dataloader/cli/summary/input_kind.h"

#include <array>
#include <cstddef>

namespace carrack::data::cli {

InputKind input_kind(std::string_view file) {
  const std::string_view inflated = file.substr(0, file.size() - (file.ends_with(".gz") ? 3 : 0));
  if (inflated.ends_with(".csv") || inflated.ends_with(".tsv")) return InputKind::csv;
  if (inflated.ends_with(".jsonl") || inflated.ends_with(".ndjson")) return InputKind::json_lines;
  return file.ends_with(".npy") || file.ends_with(".npz") ? InputKind::arrays : InputKind::records;
}

std::string_view name_of(InputKind kind) {
  constexpr std::array<std::string_view, 5> names = {"TFRecords", "CSV", "JSON lines", "arrays",
                                                     "what a program prints"};
  return names[static_cast<std::size_t>(kind)];
}

}  // namespace carrack::data::cli

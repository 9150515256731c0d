#include "dataloader/pipeline/stages/legacy_identity.h"

#include <variant>

#include "dataloader/crc32c.h"
#include "dataloader/pipeline/rows/row_bytes.h"
#include "dataloader/pipeline/rows/row_functions.h"
#include "dataloader/pipeline/stages/words.h"
#include "dataloader/records/example_problems.h"
#include "dataloader/records/raw_numbers.h"

namespace carrack::data {
namespace {

std::string options(const ColumnValues& values) {
  return "0, crc32c " + crc32c_hex(checksum_of(values));
}

std::string options(const Feature& feature) {
  constexpr const char* shapes[] = {"", " list", " padded", " lists"};
  std::string text = feature.name + " " + name_of(feature.dtype);
  if (feature.count != 1) text += "[" + std::to_string(feature.count) + "]";
  text += shapes[static_cast<std::size_t>(feature.shape)];
  if (feature.part == Part::feature_lists) text += " of steps";
  if (feature.raw) text += std::string(" raw ") + name_of(*feature.raw);
  for (const auto& [name, kind] : feature.partitions)
    text += (kind == Partition::Kind::lengths ? " by lengths " : " by splits ") + name;
  if (feature.may_be_missing) text += " or none";
  return feature.default_values ? text + " else " + options(column_values(*feature.default_values)) : text;
}

std::string options(const std::vector<Feature>& features) {
  std::vector<std::string> parts;
  for (const Feature& feature : features) parts.push_back(options(feature));
  return join(parts);
}

// Returns the options of a stage exactly as releases with version 1 of the formats wrote them. Stages without an
// overload here still have the same description().
struct OptionsOf {
  std::string operator()(const stages::Csv& stage) const {
    return stage.file_options() + ": " + options(stage.features);
  }
  std::string operator()(const stages::JsonLines& stage) const {
    return stage.file_options() + ": " + options(stage.features);
  }
  std::string operator()(const stages::Parse& stage) const { return stage.column + ": " + options(stage.features); }
  std::string operator()(const stages::Pad& stage) const {
    std::vector<std::string> parts;
    for (const Padding& padding : stage.columns) parts.push_back(padding.column + " by " + options(padding.value));
    return join(parts);
  }
  template <typename AnyStage>
  std::string operator()(const AnyStage& stage) const {
    return stage.description();
  }
};

}  // namespace

std::string legacy_options(const Stage& stage) {
  return std::visit(OptionsOf(), stage);
}

std::string legacy_identity(const Plan& plan) {
  std::string text;
  for (const PlanPtr& input : plan.inputs) text += (text.empty() ? "" : ", ") + legacy_identity(*input);
  if (plan.inputs.size() > 1) text = "[" + text + "]";
  const std::string stage_options = legacy_options(plan.stage);
  return text + (text.empty() ? "" : " > ") + kind_of(plan.stage) +
         (stage_options.empty() ? "" : "(" + stage_options + ")");
}

}  // namespace carrack::data

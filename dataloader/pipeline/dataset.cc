#include "dataloader/pipeline/dataset.h"

#include <utility>

#include "dataloader/error.h"
#include "dataloader/pipeline/stages/plan.h"

namespace carrack::data {

namespace {

// Counts the shuffles in a plan. A new shuffle stores this number, so that several shuffles with the same seed draw
// different orders.
std::uint64_t shuffles_in(const Plan& plan) {
  std::uint64_t count = std::holds_alternative<stages::ShuffleRows>(plan.stage) ? 1 : 0;
  for (const PlanPtr& input : plan.inputs) count += shuffles_in(*input);
  return count;
}

}  // namespace

Dataset::Dataset(Plan plan) : plan_(std::make_shared<const Plan>(std::move(plan))) {}

Dataset Dataset::joined(Plan plan, const std::vector<Dataset>& inputs) {
  if (inputs.empty()) throw Error(kind_of(plan.stage) + ": there is no input");
  for (const Dataset& input : inputs) plan.inputs.push_back(input.plan_);
  return Dataset(std::move(plan));
}

Dataset Dataset::records(const std::vector<std::string>& patterns) {
  return records(RecordFiles{patterns});
}

Dataset Dataset::records(const RecordFiles& files) {
  return Dataset(Plan{stages::Records{files}});
}

Dataset Dataset::files(const std::vector<std::string>& patterns) {
  return Dataset(Plan{stages::FileNames{patterns}});
}

Dataset Dataset::csv(const std::vector<std::string>& patterns, const std::vector<Feature>& features,
                     const CsvOptions& options) {
  return Dataset(Plan{stages::Csv{patterns, features, options}});
}

Dataset Dataset::json_lines(const std::vector<std::string>& patterns, const std::vector<Feature>& features,
                            const JsonLinesOptions& options) {
  return Dataset(Plan{stages::JsonLines{patterns, features, options}});
}

Dataset Dataset::arrays(const std::vector<std::string>& patterns, const std::string& column) {
  return Dataset(Plan{stages::Arrays{patterns, column}});
}

Dataset Dataset::program(const Program& program) {
  return Dataset(Plan{stages::ProgramRecords{program}});
}

Dataset Dataset::rows(Rows rows) {
  return Dataset(Plan{stages::MemoryRows(std::move(rows))});
}

Dataset Dataset::generate(const std::string& name, std::function<Generator()> open) {
  return Dataset(Plan{stages::Generate{name, std::move(open)}});
}

Dataset Dataset::concatenate(const std::vector<Dataset>& inputs) {
  return joined({stages::Concatenate{}}, inputs);
}

Dataset Dataset::zip(const std::vector<Dataset>& inputs) {
  return joined({stages::Zip{}}, inputs);
}

Dataset Dataset::mix(const std::vector<Dataset>& inputs, const std::vector<double>& weights, std::uint64_t seed) {
  return joined({stages::Mix{weights, seed}}, inputs);
}

Dataset Dataset::interleave(const std::vector<Dataset>& inputs, std::uint64_t cycle, std::uint64_t block) {
  return joined({stages::Interleave{cycle, block}}, inputs);
}

Dataset Dataset::shuffle(const Shuffle& options) const {
  return Dataset(Plan{stages::ShuffleRows{options, shuffles_in(*plan_)}, {plan_}});
}

Dataset Dataset::shard(std::uint64_t count, std::uint64_t index) const {
  return Dataset(Plan{stages::Shard{.count = count, .index = index}, {plan_}});
}

Dataset Dataset::skip(std::uint64_t count) const {
  return Dataset(Plan{stages::Skip{count}, {plan_}});
}

Dataset Dataset::take(std::uint64_t count) const {
  return Dataset(Plan{stages::Take{count}, {plan_}});
}

Dataset Dataset::repeat(std::uint64_t times) const {
  return Dataset(Plan{stages::Repeat{times}, {plan_}});
}

Dataset Dataset::map(const std::string& name, RowsFunction function) const {
  return Dataset(Plan{stages::Map{name, std::move(function)}, {plan_}});
}

Dataset Dataset::parse(std::vector<Feature> features, const std::string& column) const {
  return Dataset(Plan{stages::Parse(std::move(features), column), {plan_}});
}

Dataset Dataset::filter(const std::string& name, RowPredicate predicate) const {
  return Dataset(Plan{stages::Filter{name, std::move(predicate)}, {plan_}});
}

Dataset Dataset::batch(std::uint64_t size, bool drop_remainder) const {
  return Dataset(Plan{stages::Batch{{size, drop_remainder}}, {plan_}});
}

Dataset Dataset::padded_batch(std::uint64_t size, std::vector<Padding> padding, bool drop_remainder) const {
  return Dataset(Plan{stages::Pad{std::move(padding)}, {batch(size, drop_remainder).plan_}});
}

Dataset Dataset::prefetch(unsigned results) const {
  return Dataset(Plan{stages::Prefetch{results}, {plan_}});
}

Dataset Dataset::cache(std::uint64_t max_bytes) const {
  return Dataset(Plan{stages::Cache{max_bytes}, {plan_}});
}

Dataset Dataset::snapshot(const std::string& folder, const SnapshotOptions& options) const {
  return Dataset(Plan{stages::Snapshot{folder, options}, {plan_}});
}

}  // namespace carrack::data

#include "dataloader/pipeline/dataset.h"

#include "dataloader/error.h"

namespace carrack::data {
namespace {

std::uint64_t shuffles_in(const Plan& plan) {
  std::uint64_t count = std::holds_alternative<stages::ShuffleRows>(plan.stage) ? 1 : 0;
  for (const PlanPtr& input : plan.inputs) count += shuffles_in(*input);
  return count;
}

}  // namespace

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

Dataset Dataset::json_lines(const std::vector<std::string>& patterns, const std::vector<Feature>& features) {
  return Dataset(Plan{stages::JsonLines{patterns, features}});
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
  return join(stages::Concatenate{}, inputs);
}

Dataset Dataset::zip(const std::vector<Dataset>& inputs) {
  return join(stages::Zip{}, inputs);
}

Dataset Dataset::mix(const std::vector<Dataset>& inputs, const std::vector<double>& weights, std::uint64_t seed) {
  return join(stages::Mix{weights, seed}, inputs);
}

Dataset Dataset::interleave(const std::vector<Dataset>& inputs, std::uint64_t cycle, std::uint64_t block) {
  return join(stages::Interleave{cycle, block}, inputs);
}

Dataset Dataset::shuffle(const Shuffle& options) const {
  return then(stages::ShuffleRows{options, shuffles_in(*plan_)});
}

Dataset Dataset::shard(std::uint64_t count, std::uint64_t index) const {
  return then(stages::Shard{.count = count, .index = index});
}

Dataset Dataset::skip(std::uint64_t count) const {
  return then(stages::Skip{count});
}

Dataset Dataset::take(std::uint64_t count) const {
  return then(stages::Take{count});
}

Dataset Dataset::repeat(std::uint64_t times) const {
  return then(stages::Repeat{times});
}

Dataset Dataset::map(const std::string& name, RowsFunction function) const {
  return then(stages::Map{name, std::move(function)});
}

Dataset Dataset::parse(std::vector<Feature> features, const std::string& column) const {
  return then(stages::Parse(std::move(features), column));
}

Dataset Dataset::filter(const std::string& name, RowPredicate predicate) const {
  return then(stages::Filter{name, std::move(predicate)});
}

Dataset Dataset::batch(std::uint64_t size, bool drop_remainder) const {
  return then(stages::Batch{{size, drop_remainder}});
}

Dataset Dataset::padded_batch(std::uint64_t size, std::vector<Padding> padding, bool drop_remainder) const {
  return batch(size, drop_remainder).then(stages::Pad{std::move(padding)});
}

Dataset Dataset::prefetch(unsigned results) const {
  return then(stages::Prefetch{results});
}

Dataset Dataset::cache(std::uint64_t max_bytes) const {
  return then(stages::Cache{max_bytes});
}

Dataset Dataset::snapshot(const std::string& folder, const SnapshotOptions& options) const {
  return then(stages::Snapshot{folder, options});
}

Dataset Dataset::join(Stage stage, const std::vector<Dataset>& inputs) {
  if (inputs.empty()) throw Error(kind_of(stage) + ": there is no input");
  Plan plan{std::move(stage)};
  for (const Dataset& input : inputs) plan.inputs.push_back(input.plan_);
  return Dataset(std::move(plan));
}

}  // namespace carrack::data

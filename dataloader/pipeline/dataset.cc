#include "dataloader/pipeline/dataset.h"

#include "dataloader/error.h"
#include "dataloader/pipeline/stages/plan.h"

namespace carrack::data {

// Makes data sets of stages. Here, so that dataset.h need not know the stages.
struct DatasetMaker {
  static Dataset source(Stage stage) { return make(std::move(stage), {}); }

  static Dataset then(const Dataset& input, Stage stage) { return make(std::move(stage), {input.plan_}); }

  static Dataset join(const std::vector<Dataset>& inputs, Stage stage) {
    if (inputs.empty()) throw Error(kind_of(stage) + ": there is no input");
    std::vector<PlanPtr> plans;
    for (const Dataset& input : inputs) plans.push_back(input.plan_);
    return make(std::move(stage), std::move(plans));
  }

 private:
  static Dataset make(Stage stage, std::vector<PlanPtr> inputs) {
    return Dataset(std::make_shared<const Plan>(Plan{std::move(stage), std::move(inputs)}));
  }
};

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
  return DatasetMaker::source(stages::Records{files});
}

Dataset Dataset::files(const std::vector<std::string>& patterns) {
  return DatasetMaker::source(stages::FileNames{patterns});
}

Dataset Dataset::csv(const std::vector<std::string>& patterns, const std::vector<Feature>& features,
                     const CsvOptions& options) {
  return DatasetMaker::source(stages::Csv{patterns, features, options});
}

Dataset Dataset::json_lines(const std::vector<std::string>& patterns, const std::vector<Feature>& features) {
  return DatasetMaker::source(stages::JsonLines{patterns, features});
}

Dataset Dataset::arrays(const std::vector<std::string>& patterns, const std::string& column) {
  return DatasetMaker::source(stages::Arrays{patterns, column});
}

Dataset Dataset::program(const Program& program) {
  return DatasetMaker::source(stages::ProgramRecords{program});
}

Dataset Dataset::rows(Rows rows) {
  return DatasetMaker::source(stages::MemoryRows(std::move(rows)));
}

Dataset Dataset::generate(const std::string& name, std::function<Generator()> open) {
  return DatasetMaker::source(stages::Generate{name, std::move(open)});
}

Dataset Dataset::concatenate(const std::vector<Dataset>& inputs) {
  return DatasetMaker::join(inputs, stages::Concatenate{});
}

Dataset Dataset::zip(const std::vector<Dataset>& inputs) {
  return DatasetMaker::join(inputs, stages::Zip{});
}

Dataset Dataset::mix(const std::vector<Dataset>& inputs, const std::vector<double>& weights, std::uint64_t seed) {
  return DatasetMaker::join(inputs, stages::Mix{weights, seed});
}

Dataset Dataset::interleave(const std::vector<Dataset>& inputs, std::uint64_t cycle, std::uint64_t block) {
  return DatasetMaker::join(inputs, stages::Interleave{cycle, block});
}

Dataset Dataset::shuffle(const Shuffle& options) const {
  return DatasetMaker::then(*this, stages::ShuffleRows{options, shuffles_in(*plan_)});
}

Dataset Dataset::shard(std::uint64_t count, std::uint64_t index) const {
  return DatasetMaker::then(*this, stages::Shard{.count = count, .index = index});
}

Dataset Dataset::skip(std::uint64_t count) const {
  return DatasetMaker::then(*this, stages::Skip{count});
}

Dataset Dataset::take(std::uint64_t count) const {
  return DatasetMaker::then(*this, stages::Take{count});
}

Dataset Dataset::repeat(std::uint64_t times) const {
  return DatasetMaker::then(*this, stages::Repeat{times});
}

Dataset Dataset::map(const std::string& name, RowsFunction function) const {
  return DatasetMaker::then(*this, stages::Map{name, std::move(function)});
}

Dataset Dataset::parse(std::vector<Feature> features, const std::string& column) const {
  return DatasetMaker::then(*this, stages::Parse(std::move(features), column));
}

Dataset Dataset::filter(const std::string& name, RowPredicate predicate) const {
  return DatasetMaker::then(*this, stages::Filter{name, std::move(predicate)});
}

Dataset Dataset::batch(std::uint64_t size, bool drop_remainder) const {
  return DatasetMaker::then(*this, stages::Batch{{size, drop_remainder}});
}

Dataset Dataset::padded_batch(std::uint64_t size, std::vector<Padding> padding, bool drop_remainder) const {
  return DatasetMaker::then(batch(size, drop_remainder), stages::Pad{std::move(padding)});
}

Dataset Dataset::prefetch(unsigned results) const {
  return DatasetMaker::then(*this, stages::Prefetch{results});
}

Dataset Dataset::cache(std::uint64_t max_bytes) const {
  return DatasetMaker::then(*this, stages::Cache{max_bytes});
}

Dataset Dataset::snapshot(const std::string& folder, const SnapshotOptions& options) const {
  return DatasetMaker::then(*this, stages::Snapshot{folder, options});
}

}  // namespace carrack::data

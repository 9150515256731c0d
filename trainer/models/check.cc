#include "trainer/models/check.h"

#include <algorithm>

#include "trainer/graph/gradient.h"
#include "trainer/graph/memory_plan.h"
#include "trainer/models/model.h"

namespace carrack::train {
namespace {

// 64 GiB of parameters: beyond that a model is no dense one, and long before numbers here could overflow.
constexpr std::int64_t elements_max = std::int64_t{1} << 34;

class Problems {
 public:
  explicit Problems(const Data& data) : data_(data) {}

  void check(const LinearRegression& model) {
    check_feature("spec.model.input", model.input, FeatureType::float32, elements_max);
    check_feature("spec.model.target", model.target, FeatureType::float32, 1);
  }

  void check(const Tally& model) {
    check_feature("spec.model.record", model.record, FeatureType::int64, 1);
    check_count("spec.model.records", model.records, elements_max);
  }

  std::vector<ModelProblem> found() && { return std::move(found_); }

 private:
  void check_feature(const std::string& field, const std::string& name, FeatureType type, std::int64_t size_max) {
    const auto feature = std::ranges::find(data_.features, name, &Feature::name);
    if (feature == data_.features.end()) {
      found_.push_back({field, "'" + name + "' is none of spec.data.features"});
      return;
    }
    if (feature->type != type) {
      found_.push_back({field, "'" + name + "' is " + std::string(spelled(feature->type)) + "; the model needs " +
                                   std::string(spelled(type))});
    }
    const bool is_image = feature->image.has_value();  // Whose size nobody typed.
    check_count("spec.data.features." + name + (is_image ? ".image" : ".size"), feature->size, size_max,
                is_image ? " values" : "");
  }

  void check_count(const std::string& field, std::int64_t count, std::int64_t count_max, const std::string& unit = "") {
    if (count >= 1 && count <= count_max) return;
    const std::string range = count_max == 1 ? "must be 1" : "must be from 1 to " + std::to_string(count_max);
    found_.push_back({field, "is " + std::to_string(count) + unit + "; for this model it " + range});
  }

  const Data& data_;
  std::vector<ModelProblem> found_;
};

}  // namespace

std::vector<ModelProblem> problems_in(const Model& model, const Data& data) {
  Problems problems(data);
  std::visit([&](const auto& one) { problems.check(one); }, model);
  return std::move(problems).found();
}

std::vector<ModelProblem> problems_in(const Config& config) {
  std::vector<ModelProblem> problems = problems_in(config.model, config.data);
  if (problems.empty()) {
    const std::int64_t blocks = layout_of(model_graph(config.model, config.data)).block_count();
    const std::string most = std::to_string(blocks);
    if (config.ps.max > blocks) {
      problems.push_back({"spec.replicas.ps", "is " + std::to_string(config.ps.max) + "; the model has " + most +
                                                  (blocks == 1 ? " block" : " blocks") + " of parameters, so at most " +
                                                  most});
    }
  }
  const bool counts = config.training.reduction == Reduction::sum && config.training.optimizer == Optimizer(Sgd{1.0});
  if (std::holds_alternative<Tally>(config.model) && !counts) {
    problems.push_back({"spec.model.kind",
                        "Tally counts with reduction Sum and optimizer SGD at learningRate 1 only; set them in "
                        "spec.training"});
  }
  return problems;
}

std::variant<ModelSizes, std::vector<ModelProblem>> check(const Model& model, const Data& data, std::int64_t rows_max) {
  std::vector<ModelProblem> problems = problems_in(model, data);
  if (!problems.empty()) return problems;
  const ModelGraph made = model_graph(model, data);
  const Layout layout = layout_of(made);
  const MemoryPlan plan = memory_plan(gradients(made.graph, made.loss), rows_max);
  return ModelSizes{layout.size(), layout.block_count(), plan.bytes};
}

}  // namespace carrack::train

#include "trainer/look/look.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "trainer/look/data_files_check.h"
#include "trainer/look/own_files.h"
#include "trainer/look/starting_points.h"
#include "trainer/models/model.h"

namespace carrack::train {
namespace {

// Returns the features that the job reads from every record. With filters these are only the filters' features, because
// the job reads no other feature of a record that a filter leaves out.
std::vector<Feature> features_read_by(const Config& config) {
  std::vector<Feature> features;
  for (const Stage& stage : config.data.stages) {
    const auto* filter = std::get_if<Filter>(&stage);
    if (filter == nullptr) continue;
    const auto named = std::ranges::find(config.data.features, filter->feature, &Feature::name);
    if (named != config.data.features.end()) features.push_back(*named);
  }
  if (features.empty()) features = model_graph(config.model, config.data).features;
  std::ranges::sort(features, {}, &Feature::name);
  const auto twice = std::ranges::unique(features, {}, &Feature::name);
  features.erase(twice.begin(), twice.end());
  return features;
}

std::vector<FileList> training_lists(const Data& data) {
  if (data.mix.empty()) return {{"spec.data.train.files", &data.files}};
  std::vector<FileList> lists;
  for (std::size_t i = 0; i < data.mix.size(); ++i) {
    lists.push_back({"spec.data.train.mix[" + std::to_string(i) + "].files", &data.mix[i].files});
  }
  return lists;
}

void add_new(std::vector<LookProblem>& problems, const std::vector<LookProblem>& more) {
  for (const LookProblem& problem : more) {
    if (std::ranges::find(problems, problem) == problems.end()) problems.push_back(problem);
  }
}

// Returns a problem for each pattern of the list that matches a file that the job may write, or is not a URL or path.
std::vector<LookProblem> own_files_in(const FileList& list, const Config& config) {
  std::vector<LookProblem> problems;
  for (std::size_t i = 0; i < list.patterns->size(); ++i) {
    const std::string field = list.field + "[" + std::to_string(i) + "]";
    try {
      if (auto text = own_file_problem((*list.patterns)[i], config)) problems.push_back({field, *text});
    } catch (const std::exception& error) {
      problems.push_back({field, error.what()});
    }
  }
  return problems;
}

}  // namespace

LookResult look_at(const Config& config, const std::string& job_uid, const data::Storages& storages, Reach reach) {
  LookResult result;
  const OnDamage on_damage = config.data.on_damage;
  const MayRead may_read = [&](const std::string& url) {
    return reach == Reach::everything || !storages.is_remote(url);
  };
  const auto look = [&](const FileList& list, RecordCheck& check) -> std::uint64_t {
    std::vector<LookProblem> own = own_files_in(list, config);
    FilesFound found = own.empty() ? look_at_files(list, storages, may_read, on_damage, check) : FilesFound{};
    add_new(result.problems, own);
    add_new(result.problems, found.problems);
    return found.files;
  };
  result.features = features_read_by(config);
  RecordCheck training(result.features);
  for (const FileList& list : training_lists(config.data)) result.training_files += look(list, training);
  const std::vector<Feature> of_model = model_graph(config.model, config.data).features;
  RecordCheck evaluation(of_model);
  if (config.data.evaluation)
    result.evaluation_files = look({"spec.data.eval.files", &config.data.evaluation->files}, evaluation);
  add_new(result.problems, training.problems(on_damage));
  add_new(result.problems, evaluation.problems(on_damage));
  add_new(result.problems, look_at_starting_points(config, job_uid, storages, may_read));
  return result;
}

}  // namespace carrack::train

#include "trainer/models/check_own.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "trainer/launch/state_names.h"

namespace carrack::train {
namespace {

// Returns what is wrong with the name of a tensor, as text that follows the path of the field. nullopt: nothing is.
std::optional<std::string> problem_in_name(const std::string& name) {
  if (name.empty()) return "is empty; name it as the program does";
  if (name.size() > own_name_size_max) {
    return "has " + std::to_string(name.size()) + " characters; must have at most " + std::to_string(own_name_size_max);
  }
  const auto is_printable = [](char one) { return one > ' ' && one <= '~'; };
  if (!std::ranges::all_of(name, is_printable)) {
    return "is '" + name + "'; must have printable ASCII characters only, and no blanks";
  }
  if (name.find('*') != std::string::npos) {
    return "is '" + name + "'; must not have `*`, which stands for any characters in spec.training";
  }
  if (const auto optimizer = optimizer_of_state(name)) {
    return "is '" + name + "'; must not have /" + std::string(spelled(*optimizer)) +
           "/ in it, as names of the optimizer's state have it";
  }
  return std::nullopt;
}

std::string text_of(const std::vector<std::int64_t>& shape) {
  std::string text;
  for (const std::int64_t dimension : shape) text += (text.empty() ? "" : ", ") + std::to_string(dimension);
  return "[" + text + "]";
}

std::optional<std::string> problem_in_shape(const std::vector<std::int64_t>& shape) {
  if (shape.size() > own_dimensions_max) {
    return "has " + std::to_string(shape.size()) + " dimensions; must have at most " +
           std::to_string(own_dimensions_max);
  }
  if (value_count(shape) == 0) return "is " + text_of(shape) + "; dimensions must be 1 or more";
  return std::nullopt;
}

std::optional<std::string> problem_in_scale(const OwnInitial& initial) {
  const bool is_constant = initial.kind == OwnInitial::Kind::constant;
  const double scale = initial.scale;
  if (is_constant ? std::abs(scale) <= own_scale_max : scale > 0 && scale <= own_scale_max) return std::nullopt;
  return is_constant ? "must be from -1e6 to 1e6" : "must be above 0, and at most 1e6";
}

}  // namespace

std::vector<ModelProblem> problems_in(const OwnModel& model) {
  std::vector<ModelProblem> problems;
  if (model.tensors.empty() || model.tensors.size() > own_tensors_max) {
    problems.push_back({"spec.model.tensors", "lists " + std::to_string(model.tensors.size()) +
                                                  " tensors; must list from 1 to " + std::to_string(own_tensors_max)});
    return problems;
  }
  std::map<std::string, std::size_t> first_with;  // the index of the first tensor with this name
  std::int64_t elements = 0;
  for (std::size_t i = 0; i < model.tensors.size(); ++i) {
    const OwnTensor& tensor = model.tensors[i];
    const std::string field = "spec.model.tensors[" + std::to_string(i) + "].";
    const auto report = [&](const std::string& part, const std::optional<std::string>& problem) {
      if (problem) problems.push_back({field + part, *problem});
    };
    report("name", problem_in_name(tensor.name));
    const auto [first, is_new] = first_with.emplace(tensor.name, i);
    if (!is_new) {
      report("name",
             "'" + tensor.name + "' is the name of spec.model.tensors[" + std::to_string(first->second) + "], too");
    }
    report("shape", problem_in_shape(tensor.shape));
    report("initial.scale", problem_in_scale(tensor.initial));
    if (__builtin_add_overflow(elements, value_count(tensor.shape), &elements)) elements = elements_max + 1;
  }
  if (elements > elements_max) {
    problems.push_back({"spec.model.tensors", "have more than " + std::to_string(elements_max) + " elements together"});
  }
  if (std::ranges::none_of(model.tensors, &OwnTensor::trained)) {
    problems.push_back({"spec.model.tensors", "have nothing to train: all of them have `trained: false`"});
  }
  return problems;
}

std::vector<ModelProblem> problems_of_own(const Config& config) {
  std::vector<ModelProblem> problems;
  if (config.strategy != Strategy::parameter_server) {
    problems.push_back({"spec.strategy", "is " + std::string(spelled(config.strategy)) +
                                             "; a model of kind Own needs ParameterServer, as its workers are another "
                                             "program than the parameter servers"});
  }
  if (config.training.deterministic) {
    problems.push_back({"spec.training.deterministic",
                        "is true, and how the program of a model of kind Own rounds is not known; leave it out"});
  }
  if (config.data.evaluation) {
    problems.push_back({"spec.data.eval",
                        "needs a model that Carrack computes, and one of kind Own is computed by the job's program; "
                        "leave it out"});
  }
  if (config.training.patience) {
    problems.push_back(
        {"spec.training.patience", "counts evaluations, and a model of kind Own has none; leave it out"});
  }
  return problems;
}

}  // namespace carrack::train

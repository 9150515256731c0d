// Manifests of Kubeflow for these tests, and what is made of them.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <variant>
#include <vector>

#include "operator/codec/node.h"
#include "operator/convert/kubeflow.h"

namespace carrack::control {

inline ConvertedJob converted(const std::string& yaml) {
  const Parsed parsed = parse_yaml(yaml);
  if (const auto* problem = std::get_if<Problem>(&parsed)) {
    ADD_FAILURE() << problem->text;
    return {};
  }
  return convert_kubeflow(std::get<Node>(parsed));
}

// A manifest with these fields of spec, in flow style.
inline std::string manifest(const std::string& kind, const std::string& spec) {
  return "apiVersion: kubeflow.org/v1\nkind: " + kind + "\nmetadata: {name: line}\nspec: {" + spec + "}\n";
}

// With one worker that has these fields beside its template.
inline std::string tensorflow_worker(const std::string& fields) {
  return manifest("TFJob", "tfReplicaSpecs: {Worker: {" + fields +
                               "template: {spec: {containers: [{name: tensorflow, image: i}]}}}}");
}

inline std::string pytorch_with(const std::string& spec) {
  return manifest("PyTorchJob", spec +
                                    "pytorchReplicaSpecs: {Master: {replicas: 1, template: {spec: {containers: "
                                    "[{name: pytorch, image: i}]}}}}");
}

inline Node at(const Node& node, std::initializer_list<const char*> path) {
  const Node* found = &node;
  for (const char* name : path) {
    found = child(*found, name);
    if (!found) return {};
  }
  return *found;
}

// A value of the TrainingJob as JSON; "null" if it is not there or there is none.
inline std::string value(const ConvertedJob& job, std::initializer_list<const char*> path) {
  EXPECT_THAT(job.problems, testing::IsEmpty()) << describe(job.problems);
  return to_json(at(job.job, path));
}

// "renamed spec.x: is now y", of this field.
inline std::vector<std::string> changes_of(const ConvertedJob& job, const std::string& field) {
  std::vector<std::string> lines;
  for (const Change& change : job.changes) {
    if (change.field == field) lines.push_back(std::string(spelled(change.kind)) + ": " + change.text);
  }
  return lines;
}

// "field: text" of each problem.
inline std::string problems(const std::string& yaml) {
  return describe(converted(yaml).problems);
}

}  // namespace carrack::control

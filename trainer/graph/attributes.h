// Attributes: the attributes of a node of a model's graph, by name. Names and meaning are those of ONNX unless the
// operator's entry in the operator table (graph/ops) says otherwise. The type of a value must match exactly, so write
// std::int64_t{0}, not 0:
//
//   graph.append("ReduceSum", {{"axes", std::vector<std::int64_t>{1}}, {"keepdims", std::int64_t{0}}}, {x}, "sum");
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "dataloader/check.h"
#include "trainer/graph/value.h"

namespace carrack::train {

using Attribute = std::variant<std::int64_t, float, std::vector<std::int64_t>, Dimensions>;

class Attributes {
 public:
  Attributes() = default;
  Attributes(std::initializer_list<std::pair<const std::string, Attribute>> all) : all_(all) {}
  explicit Attributes(std::map<std::string, Attribute, std::less<>> all) : all_(std::move(all)) {}

  // Returns a reference to the attribute, valid as long as this object. A CHECK fails if there is none. Throws
  // std::bad_variant_access if it does not have the type T.
  template <class T>
  const T& get(std::string_view name) const {
    const auto found = all_.find(name);
    CHECK(found != all_.end());
    return std::get<T>(found->second);
  }

  // Returns a copy of the attribute, or `otherwise` if there is none. Throws std::bad_variant_access if it does not
  // have the type T.
  template <class T>
  T get_or(std::string_view name, T otherwise) const {
    return all_.contains(name) ? get<T>(name) : std::move(otherwise);
  }

  const std::map<std::string, Attribute, std::less<>>& all() const { return all_; }

 private:
  std::map<std::string, Attribute, std::less<>> all_;
};

}  // namespace carrack::train

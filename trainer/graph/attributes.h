// Attributes: the attributes of a node, by their names in ONNX unless the operator's entry says otherwise.
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

  // Returns the attribute, valid as long as this object. It must exist, or a CHECK fails. Throws
  // std::bad_variant_access if it does not have the type T.
  template <class T>
  const T& get(std::string_view name) const {
    const auto found = all_.find(name);
    CHECK(found != all_.end());
    return std::get<T>(found->second);
  }

  // Returns a copy of the attribute, or `otherwise` if it does not exist.
  template <class T>
  T get_or(std::string_view name, T otherwise) const {
    return all_.contains(name) ? get<T>(name) : std::move(otherwise);
  }

  const std::map<std::string, Attribute, std::less<>>& all() const { return all_; }

 private:
  std::map<std::string, Attribute, std::less<>> all_;
};

}  // namespace carrack::train

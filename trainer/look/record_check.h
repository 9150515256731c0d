// Compares records with the features that a manifest names, in the words of its fields. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dataloader/records/example_walk.h"
#include "trainer/launch/config.h"

namespace carrack::train {

struct LookProblem {
  std::string field;  // path in the manifest, such as spec.data.features.x.size
  std::string text;   // what is wrong, where that was found, and what to do
  bool operator==(const LookProblem&) const = default;
};

class RecordCheck {
 public:
  // `features` must outlive this.
  explicit RecordCheck(const std::vector<Feature>& features) : features_(features), problems_(features.size()) {}

  // Compares a record with the features. `name` is "x.tfrecord: record 3". False if the record is no tf.Example.
  bool add(std::string_view name, std::span<const std::byte> record);

  // The first of each feature, in the order of the features. With OnDamage::skip, which leaves out records that lack
  // features, there are none if any record has them all.
  std::vector<LookProblem> problems(OnDamage on_damage = OnDamage::stop) const;

 private:
  const std::vector<Feature>& features_;
  std::vector<std::optional<LookProblem>> problems_;  // by feature
  bool has_good_record_ = false;
  data::ExampleWalker walker_;
};

}  // namespace carrack::train

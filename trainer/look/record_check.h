// Compares records with the features of a manifest. The problems name the fields of the manifest.
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
  std::string field;  // the path in the manifest, such as spec.data.features.x.size
  std::string text;   // what is wrong, in which record or file, and what to do
  bool operator==(const LookProblem&) const = default;
};

// Not thread-safe.
class RecordCheck {
 public:
  // `features` must outlive this object.
  explicit RecordCheck(const std::vector<Feature>& features) : features_(features), problems_(features.size()) {}

  // Compares a record with the features, and decodes its images. `name` names the record in the problems: "x.tfrecord:
  // record 3". Returns false if the record is not a tf.Example or tf.SequenceExample; problems() does not report this.
  // Does not refer to `record` afterwards.
  bool add(std::string_view name, std::span<const std::byte> record);

  // Returns the first problem of each feature, in the order of the features. With OnDamage::skip a job leaves out
  // records that it cannot use, so the result is empty if any record has no problem.
  std::vector<LookProblem> problems(OnDamage on_damage = OnDamage::stop) const;

 private:
  const std::vector<Feature>& features_;
  std::vector<std::optional<LookProblem>> problems_;  // the first problem of each feature; nullopt: none
  bool has_good_record_ = false;
  data::ExampleWalker walker_;
};

}  // namespace carrack::train

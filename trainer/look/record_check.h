// Compares records of data files with the features that the manifest declares (spec.data.features), to find wrong
// names, types and sizes before a job starts.
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

// A problem of a manifest, for a message such as "spec.data.features.x.size: is 8, but x.tfrecord: record 3 holds 9
// values; write size: 9".
struct LookProblem {
  std::string field;  // the path in the manifest, such as spec.data.features.x.size
  std::string text;   // what is wrong, in which record or file, and what to do
  bool operator==(const LookProblem&) const = default;
};

// Add records, then get the problems of all of them. Not thread-safe.
class RecordCheck {
 public:
  // `features` must outlive this object.
  explicit RecordCheck(const std::vector<Feature>& features) : features_(features), problems_(features.size()) {}

  // Compares a record, a serialized tf.Example, with the features, and decodes its images. `name` names the record in
  // problems: "x.tfrecord: record 3". Returns false if it is not a tf.Example or tf.SequenceExample; the caller must
  // report that, because problems() does not. Does not refer to `record` afterwards.
  bool add(std::string_view name, std::span<const std::byte> record);

  // Returns the first problem of each feature, in the order of the features; empty if there is none. With
  // OnDamage::skip the job leaves out records that it cannot use. The result is then empty, too, if any record had no
  // problem.
  std::vector<LookProblem> problems(OnDamage on_damage = OnDamage::stop) const;

 private:
  const std::vector<Feature>& features_;
  std::vector<std::optional<LookProblem>> problems_;  // the first problem of each feature; nullopt: none
  bool has_good_record_ = false;
  data::ExampleWalker walker_;
};

}  // namespace carrack::train

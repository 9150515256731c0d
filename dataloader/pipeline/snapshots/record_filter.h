// Which records stay: those of which all values of a feature lie within bounds. Pure; any bytes give an answer or a
// Mismatch.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "dataloader/records/example.h"
#include "dataloader/records/example_parser.h"

namespace carrack::data {

struct Within {
  Feature feature;                           // of numbers, as many in each record
  std::optional<double> min = {}, max = {};  // lie within; of float32 what is nearest to them there
};

// "label int64, from 0 to 9"
std::string in_words(const Within& bounds);

// One a thread.
class RecordFilter {
 public:
  explicit RecordFilter(const std::vector<Within>& all);

  // Whether it is within all bounds. Those behind one that it is not within are not asked.
  std::variant<bool, Mismatch> keeps(std::span<const std::byte> record);

 private:
  struct One {
    Within bounds;
    ExampleParser parser;
    std::vector<Column> columns;
  };

  std::vector<One> all_;
};

}  // namespace carrack::data

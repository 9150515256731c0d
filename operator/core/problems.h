// For the validation of a TrainingJob's spec (validate*.cc) and for `carrack convert`: Problems collects what is wrong,
// so that the user sees all problems at once, and the functions check a single field and add a problem if it is wrong.
#pragma once

#include <charconv>
#include <cstddef>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "operator/core/validate.h"

namespace carrack::control {

class Problems {
 public:
  // Adds the problem {field, text} if `holds` is false: expect(batch > 0, "spec.training.batch", "is 0; ...").
  void expect(bool holds, const std::string& field, const std::string& text) {
    if (!holds) found_.push_back({field, text});
  }
  void add(const std::vector<Problem>& problems) { found_.insert(found_.end(), problems.begin(), problems.end()); }
  // Returns the problems and empties this object.
  std::vector<Problem> found() { return std::move(found_); }

 private:
  std::vector<Problem> found_;
};

// Returns the shortest text from which the same number can be read: "0.1", "12".
std::string to_text(auto number) {
  char digits[40];
  return {digits, std::to_chars(std::begin(digits), std::end(digits), number).ptr};
}

// Adds "is 0; must be from 1 to 9" unless min <= value <= max. NaN is always a problem.
void expect_range(auto value, decltype(value) min, decltype(value) max, const std::string& field, Problems& problems) {
  problems.expect(value >= min && value <= max, field,
                  "is " + to_text(value) + "; must be from " + to_text(min) + " to " + to_text(max));
}

bool has_no_control_characters(const std::string& text);
// Returns the number of characters (code points), not bytes.
std::size_t count_characters(const std::string& utf8);
// Adds problems unless `url` is a path or a file:// or gs:// URL, has from 1 to 2,048 characters, and no control
// characters.
void check_url(const std::string& url, const std::string& field, Problems& problems);
// Adds a problem unless `text` is a quantity of memory such as 512Mi or 4Gi, which parse_quantity() accepts.
void check_memory(const std::string& text, const std::string& field, Problems& problems);

}  // namespace carrack::control

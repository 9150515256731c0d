// What is wrong with a spec, problem by problem, and what is asked of the texts of any of its fields.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "operator/core/validate.h"

namespace carrack::control {

class Problems {
 public:
  void expect(bool holds, const std::string& field, const std::string& text) {
    if (!holds) found_.push_back({field, text});
  }
  void add(const std::vector<Problem>& problems) { found_.insert(found_.end(), problems.begin(), problems.end()); }
  std::vector<Problem> found() { return std::move(found_); }

 private:
  std::vector<Problem> found_;
};

std::string number(auto value) {
  return std::to_string(value);
}

bool is_plain(const std::string& text);  // Holds no control characters.
std::size_t characters_in(const std::string& utf8);
void check_url(const std::string& url, const std::string& field, Problems& problems);
void check_memory(const std::string& text, const std::string& field, Problems& problems);

}  // namespace carrack::control

// The one exception of the dataloader: thrown where nothing here can continue, caught at boundaries alone.
// Outcomes a caller chooses on (an absent object, a corrupt record, a lost compare-and-set) are values, not Errors.
#pragma once

#include <stdexcept>
#include <string>

namespace carrack::data {

class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& text) : std::runtime_error(text) {}
};

// The request cannot succeed, however often it is repeated: a path that leads through a file, a name that is no URL, a
// missing permission. The caller has to request something else.
class Refused : public Error {
 public:
  using Error::Error;
};

}  // namespace carrack::data

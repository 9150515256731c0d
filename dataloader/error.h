// The exceptions of the dataloader, thrown when it cannot continue. what() is a message for the user; it may hold
// control characters of names, so pass it through printable() (text.h) to print it. An outcome that the caller decides
// on (an absent object, a corrupt record, a lost compare-and-set) is a return value instead.
#pragma once

#include <stdexcept>
#include <string>

namespace carrack::data {

class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& text) : std::runtime_error(text) {}
};

// Repeating the request cannot help: a folder of the path is a file, the name is not a URL, or a permission is missing.
// The user must change the request.
class Refused : public Error {
 public:
  using Error::Error;
};

}  // namespace carrack::data

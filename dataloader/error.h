// The exceptions of the dataloader, thrown when it cannot continue. what() is a message for the user; it may hold
// control characters of names, so pass it through printable() (text.h) to print it.
//
// Storages and readers of files return an outcome on which their caller decides (an absent object, a corrupt record, a
// lost compare-and-set). A Reading throws Damaged (pipeline/reading.h), a Refused, for a corrupt record that it must
// not skip.
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

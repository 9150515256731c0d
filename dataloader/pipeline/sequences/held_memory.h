// The memory that all shuffles in blocks of a pipeline have together for rows that they hold, in equal parts.
#pragma once

#include <cstdint>

namespace carrack::data {

class HeldMemory {
 public:
  explicit HeldMemory(std::uint64_t bytes) : bytes_(bytes) {}

  // For each of them, while the pipeline is opened.
  void share() { ++parts_; }
  // Once it is.
  std::uint64_t part() const { return bytes_ / parts_; }

 private:
  const std::uint64_t bytes_;
  std::uint64_t parts_ = 0;
};

}  // namespace carrack::data

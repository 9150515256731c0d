// The memory that the block shuffles of a pipeline may use for the rows they hold, shared equally.
#pragma once

#include <cstdint>

namespace carrack::data {

class HeldMemory {
 public:
  explicit HeldMemory(std::uint64_t bytes) : bytes_(bytes) {}

  // Call once for each user, while the pipeline is opened and by one thread.
  void add_user() { ++users_; }
  // Call once all users are added; there is at least one. Safe from any thread.
  std::uint64_t bytes_per_user() const { return bytes_ / users_; }

 private:
  const std::uint64_t bytes_;
  std::uint64_t users_ = 0;
};

}  // namespace carrack::data

// Where a pipeline goes on, in a few bytes: numbers and texts, in the order in which its stages write and read them.
// docs/formats/pipeline_state.md
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace carrack::data {

class StateWriter {
 public:
  void number(std::uint64_t number);
  void text(std::string_view text);
  // One that is made where somebody asks for the bytes: most states are followed by others before that.
  void text_later(std::function<std::string()> text);
  void append(const StateWriter& other);
  std::string bytes() const;

 private:
  struct Part {
    std::string bytes;
    std::function<std::string()> later;  // a text behind them
  };
  std::vector<Part> parts_{1};
};

// Throws an Error where the bytes end too early; any bytes give numbers or that.
class StateReader {
 public:
  explicit StateReader(std::string_view bytes) : left_(bytes) {}

  std::uint64_t number();
  std::string_view text();
  bool at_end() const { return left_.empty(); }

 private:
  std::string_view left_;
};

// The state of one pipeline, closed by its plan's fingerprint and a checksum.
std::string sealed(std::uint64_t plan, std::string_view state);
// Throws an Error for bytes that are no state, or that of another plan.
std::string_view unsealed(std::uint64_t plan, std::string_view bytes);

}  // namespace carrack::data

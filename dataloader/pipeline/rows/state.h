// The position of a pipeline in a few bytes: numbers and texts that its stages write in turn, and read in the same
// order. docs/formats/pipeline_state.md is the format.
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
  // A text that is computed only when bytes() is called: most states are replaced by later ones before that.
  void text_later(std::function<std::string()> text);
  void append(const StateWriter& other);
  std::string bytes() const;

 private:
  struct Part {
    std::string bytes;
    std::function<std::string()> later;  // a text that follows `bytes`
  };
  std::vector<Part> parts_{1};
};

// Accepts any bytes. Throws an Error if they end too early.
class StateReader {
 public:
  // The bytes must outlive it and the texts that it returns.
  explicit StateReader(std::string_view bytes) : left_(bytes) {}

  std::uint64_t number();
  std::string_view text();
  bool at_end() const { return left_.empty(); }

 private:
  std::string_view left_;
};

// The state of a pipeline with the fingerprint of the pipeline and its data in front, and a checksum behind.
std::string seal_state(std::uint64_t fingerprint, std::string_view state);

struct SealedState {
  // True for version 1 of the format, whose fingerprint is that of stages/legacy_identity.h; else of
  // stages/canonical.h.
  bool is_legacy = false;
  std::uint64_t fingerprint = 0;  // to be compared by the caller
  std::string_view state;         // points into the bytes
};
// Accepts any bytes. Throws an Error for those that are no state or are damaged.
SealedState unseal_state(std::string_view bytes);

}  // namespace carrack::data

// StateWriter and StateReader: how stages save and restore the position of a pipeline (Reading::state()), in a few
// bytes. The bytes have no names or types, so a stage must read numbers and texts in the order in which it wrote them.
// docs/formats/pipeline_state.md is the format.
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
  void text(std::string_view text);  // any bytes, which are copied
  // Appends a text that is computed only when bytes() is called. For long texts, such as the rows in a shuffle buffer,
  // since most states are replaced by later ones before they are needed. Each call of bytes() calls the function,
  // perhaps after the stage has read on: so it must own what it uses, and that must not change. It must not be empty.
  void text_later(std::function<std::string()> text);
  void append(const StateWriter& other);
  // Returns all that was written, in that order. seal_state() makes the complete state of it.
  std::string bytes() const;

 private:
  struct Part {
    std::string bytes;
    std::function<std::string()> later;  // a text that follows `bytes`; empty: none
  };
  std::vector<Part> parts_{1};
};

// Reads what a StateWriter wrote. Accepts any bytes. number() and text() throw an Error if the bytes end too early or a
// number is malformed; do not read on after that.
class StateReader {
 public:
  // `bytes` must outlive this object and the texts that it returns, which are views into them.
  explicit StateReader(std::string_view bytes) : left_(bytes) {}

  std::uint64_t number();
  std::string_view text();
  bool at_end() const { return left_.empty(); }

 private:
  std::string_view left_;
};

// Returns the bytes that users save: a version, the fingerprint of the pipeline and its data, `state`, and a checksum.
std::string seal_state(std::uint64_t fingerprint, std::string_view state);

struct SealedState {
  // True for version 1 of the format, whose fingerprint is made from legacy_identity() (stages/legacy_identity.h). In
  // version 2 it is made from canonical() (stages/plan.h).
  bool is_legacy = false;
  std::uint64_t fingerprint = 0;  // not checked: the caller must compare it
  std::string_view state;         // points into the bytes that were passed to unseal_state()
};
// Accepts any bytes. Throws an Error if they are not a sealed state or are damaged.
SealedState unseal_state(std::string_view bytes);

}  // namespace carrack::data

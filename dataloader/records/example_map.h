// Finds the entries with requested names in a map of a tf.Example: Features or FeatureLists. The entries of a file have
// nearly always the same order and encoding, so each entry is first compared with the one that followed the last time,
// and parsed only if it differs. Not thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace carrack::data {

class ExampleMap {
 public:
  using View = std::span<const std::byte>;
  struct Found {
    View value;  // a Feature or FeatureList; data() is nullptr if the record has none
    View only;   // if the value is one list of the expected kind with one field: the content of that field
  };

  // If `keeps_empty`, an entry with an empty value is found; else it counts as absent, and an earlier entry of its name
  // is found.
  explicit ExampleMap(bool keeps_empty) : keeps_empty_(keeps_empty) {}

  // Requests a name and returns its place for at(), the same for each request of the name. `kind` is the expected field
  // number of its list; that of the first request counts.
  std::size_t request(const std::string& name, std::uint32_t kind);
  bool has_requests() const { return !found_.empty(); }

  void begin_record();
  // Adds the entries of this message to those of the record; the last one of a name counts. Returns the first bad byte
  // if the message is malformed, else nullptr.
  const std::byte* read(View message);
  const Found& at(std::size_t place) const { return found_[place]; }

 private:
  static constexpr std::size_t head_most = 16;
  static constexpr std::size_t start = 0;  // in known_: stands for the beginning of a record
  struct Known {
    std::string name;
    std::optional<std::size_t> place;
    std::size_t next = start;
    // The bytes of a usual entry behind its length: the field of the name and the tag of the value; `mask` covers them.
    std::array<std::uint64_t, 2> head = {};
    std::array<std::uint64_t, 2> mask = {};
    std::size_t head_size = 0;  // 0 if it is longer than `head`
    std::byte list_tag = {};
  };
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };

  void take_expected(View& message);
  std::size_t size_if_usual(View message, const Known& known);
  void take(std::string_view name, View value);
  std::size_t learn(std::string_view name, std::optional<std::size_t> place, std::uint32_t kind);

  bool keeps_empty_;
  std::vector<Known> known_ = std::vector<Known>(1);
  std::unordered_map<std::string, std::size_t, Hash, std::equal_to<>> numbers_;  // name to index in known_
  std::size_t last_ = start;
  std::vector<Found> found_;
};

}  // namespace carrack::data

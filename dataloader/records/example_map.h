// The entries of a map in a tf.Example, of Features or of FeatureLists, whose names are asked for. Files have nearly
// the same order of names throughout, and nearly all entries one shape: each is first held against what followed the
// entry before it the last time, and only one that is different is taken apart.
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
    View value;  // A Feature or FeatureList; without data where the record has none.
    View only;   // Where the value is one list of the expected kind with one field: that field's content.
  };

  // An entry whose value is empty is there, or else is as good as absent, and an earlier one of its name counts.
  explicit ExampleMap(bool keeps_empty) : keeps_empty_(keeps_empty) {}

  // Where a name is found, the same each time that it is asked for. The kind of its list is that of the first time.
  std::size_t ask(const std::string& name, std::uint32_t kind);
  bool asks_for_any() const { return !found_.empty(); }

  void begin_record();
  // Adds the entries of this message to those of the record; the last one of a name counts. Where the message is no
  // map, the byte at fault.
  const std::byte* read(View message);
  const Found& at(std::size_t place) const { return found_[place]; }

 private:
  static constexpr std::size_t head_most = 16;
  static constexpr std::size_t start = 0;  // The number of no name, but of what the first one follows.
  struct Known {
    std::string name;
    std::optional<std::size_t> place;
    std::size_t next = start;
    // How a usual entry goes on behind its length: its name's field and the tag of its value. What the mask does not
    // have is not the head's.
    std::array<std::uint64_t, 2> head = {};
    std::array<std::uint64_t, 2> mask = {};
    std::size_t head_size = 0;  // 0 where it is longer than can be compared at once
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
  std::unordered_map<std::string, std::size_t, Hash, std::equal_to<>> numbers_;  // in known_
  std::size_t last_ = start;
  std::vector<Found> found_;
};

}  // namespace carrack::data

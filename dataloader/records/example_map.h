// ExampleMap finds the features with requested names in a serialized tf.Example, without parsing the others. It is a
// part of ExampleParser, which has one for the Features map and one for the FeatureLists map. Not thread-safe.
//   const std::size_t label = map.request("label", 3);       // once: 3 is int64_list
//   map.begin_record(); map.read(bytes_of_the_features_map); // for each record
//   map.at(label).value                                      // the serialized tf.Feature
// It is fast because nearly all records of a file have their entries in the same order and encoding. Each entry is
// first compared with the entry that followed its predecessor in an earlier record, and is parsed only if it differs or
// is long.
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
    // The encoded Feature or FeatureList; data() is nullptr if the record does not have it. Both views point into the
    // message that was passed to read().
    View value;
    // A shortcut: the packed numbers, or the one string, in `value`. If data() is not nullptr, the caller may use this
    // and need not parse `value`. data() is nullptr if the entry was not read in the fast way, as in the first record
    // or for long entries; that is no error, and the caller must then parse `value`.
    View only;
  };

  // `keeps_empty` says what becomes of an entry with an empty value. If true, at() returns it. If false, it counts as
  // absent, and at() returns an earlier entry of the same name if the record has one.
  explicit ExampleMap(bool keeps_empty) : keeps_empty_(keeps_empty) {}

  // Requests a name and returns its index for at(). `kind` is the expected type of list in tf.Feature: 1 bytes_list, 2
  // float_list, 3 int64_list. A list of another type is found, too, but without Found::only. A second request of a name
  // returns the same index and ignores `kind`. Call it before the first read().
  std::size_t request(const std::string& name, std::uint32_t kind);
  bool has_requests() const { return !found_.empty(); }

  // Call this first for each record. Forgets the entries of the previous record.
  void begin_record();
  // Adds the entries of an encoded map to the entries of the record, which may have several such maps. The last entry
  // of a name counts. Returns nullptr, or the beginning of the bad field if the message is malformed.
  const std::byte* read(View message);
  // Returns what the current record has for a result of request().
  const Found& at(std::size_t place) const { return found_[place]; }

 private:
  static constexpr std::size_t head_most = 16;
  static constexpr std::size_t start = 0;  // the index in known_ that means the beginning of a record
  struct Known {
    std::string name;
    std::optional<std::size_t> place;  // in found_; nullopt if the name is not requested
    std::size_t next = start;          // index in known_ of the entry that last followed this one
    // The bytes after the length of an entry in the usual encoding: the field of the name and the tag of the value.
    // `mask` has ones for these bytes, and zeros for the rest of `head`.
    std::array<std::uint64_t, 2> head = {};
    std::array<std::uint64_t, 2> mask = {};
    std::size_t head_size = 0;  // 0 if these bytes do not fit in `head`
    std::byte list_tag = {};    // the tag of a list of the requested kind
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
  std::size_t last_ = start;  // index in known_ of the last entry that was read
  std::vector<Found> found_;
};

}  // namespace carrack::data

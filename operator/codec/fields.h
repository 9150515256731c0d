// Reads and writes structs through one list of their fields, so that decoding and encoding cannot drift apart:
//   template <class Fields> void fields_of(Fields& fields, Training& t) { fields.required("batch", t.batch); ... }
// Reading collects every problem, with the path of its field and, from YAML, its line; unknown fields are problems too.
#pragma once

#include <algorithm>
#include <concepts>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "operator/codec/node.h"
#include "operator/core/job.h"
#include "trainer/launch/spellings.h"

namespace carrack::control {

// Where a value stands, and where its problems go.
struct Place {
  std::string path;
  std::vector<Problem>* problems;

  Place below(std::string_view name) const {
    return {path.empty() ? std::string(name) : path + "." + std::string(name), problems};
  }
  Place at(std::size_t index) const { return {path + "[" + std::to_string(index) + "]", problems}; }
  void complain(const Node& node, const std::string& text) const;
};

// "text", "a list", ... for messages.
std::string_view shape_of(const Node& node);
std::string nearest(std::string_view name, const std::vector<std::string>& known);  // a hint, or all the names

void read(const Node& node, const Place& place, bool& value);
void read(const Node& node, const Place& place, double& value);
void read(const Node& node, const Place& place, std::string& value);
void read(const Node& node, const Place& place, seconds& value);
void read(const Node& node, const Place& place, Time& value);  // RFC 3339, in UTC
inline void read(const Node& node, const Place&, Node& value) {
  value = node;
}
std::optional<std::int64_t> read_whole(const Node& node, const Place& place, std::int64_t least, std::int64_t most);

void write(Node& node, bool value);
void write(Node& node, double value);
void write(Node& node, const std::string& value);
void write(Node& node, seconds value);
void write(Node& node, Time value);

template <class Number>
concept Whole = std::integral<Number> && !std::same_as<Number, bool>;
template <class Enum>
concept Spelled = std::is_enum_v<Enum>;

template <Whole Number>
void read(const Node& node, const Place& place, Number& value) {
  using Limits = std::numeric_limits<Number>;
  if (const auto whole = read_whole(node, place, Limits::min(), Limits::max())) value = static_cast<Number>(*whole);
}

template <Whole Number>
void write(Node& node, Number value) {
  node.value = static_cast<std::int64_t>(value);
}

template <Spelled Enum>
void read(const Node& node, const Place& place, Enum& value) {
  std::string text;
  read(node, place, text);
  std::vector<std::string> known;
  for (const auto& spelling : train::spellings<Enum>) {
    known.emplace_back(spelling.text);
    if (spelling.text == text) value = spelling.value;
  }
  if (!text.empty() && train::spelled(value) != text)
    place.complain(node, "'" + text + "' is unknown; " + nearest(text, known));
}

template <Spelled Enum>
void write(Node& node, Enum value) {
  node.value = std::string(train::spelled(value));
}

class FieldReader {
 public:
  static constexpr bool reads = true;

  FieldReader(const Node& node, Place place);

  bool has(std::string_view name) const { return find(name) != nullptr; }

  // Keeps the value it has where the field is left out.
  template <class Value>
  void optional(std::string_view name, Value& value) {
    if (std::find(known_.begin(), known_.end(), name) == known_.end()) known_.emplace_back(name);
    if (const Node* node = find(name)) read(*node, place_.below(name), value);
  }

  template <class Value>
  void required(std::string_view name, Value& value) {
    if (is_map_ && !has(name)) place_.below(name).complain(*node_, "is missing");
    optional(name, value);
  }

  // Of the fields that are called as the words of `kind` are, exactly one is there. `what` they are, for messages.
  template <Spelled Enum>
  void one_of(std::string_view what, Enum& kind) {
    std::vector<std::string> words;
    std::size_t found = 0;
    for (const auto& [value, word] : train::spellings<Enum>) {
      words.emplace_back(word);
      known_.emplace_back(word);
      if (!has(word)) continue;
      kind = value;
      ++found;
    }
    complain_unless_one(what, found, words);
  }

  // Fields that lie in an object of their own in the manifest, but not in the struct.
  template <class Listing>
  void group(std::string_view name, Listing listing) {
    static const Node empty{Node::Map(), 0};
    known_.emplace_back(name);
    const Node* node = find(name);
    FieldReader inner(node ? *node : empty, place_.below(name));
    listing(inner);
    inner.end();
  }

  void end() const;  // complains of fields that nobody asked for

 private:
  const Node* find(std::string_view name) const;
  void complain_unless_one(std::string_view what, std::size_t found, const std::vector<std::string>& words) const;

  const Node* node_;
  Place place_;
  bool is_map_;
  std::vector<std::string> known_;
};

class FieldWriter {
 public:
  static constexpr bool reads = false;

  template <class Value>
  void optional(std::string_view name, const Value& value) {
    write(map_.emplace_back(Entry{std::string(name), {}}).node, value);
  }

  template <class Value>
  void optional(std::string_view name, const std::optional<Value>& value) {
    if (value) optional(name, *value);
  }

  template <class Value>
  void required(std::string_view name, const Value& value) {
    optional(name, value);
  }

  template <Spelled Enum>
  void one_of(std::string_view, Enum&) {}

  template <class Listing>
  void group(std::string_view name, Listing listing) {
    FieldWriter inner;
    listing(inner);
    map_.push_back({std::string(name), std::move(inner).node()});
  }

  Node node() && { return {std::move(map_), 0}; }

 private:
  Node::Map map_;
};

template <class Struct>
concept Listed = requires(FieldReader& fields, Struct& value) {
  fields_of(fields, value);
};

template <Listed Struct>
void read(const Node& node, const Place& place, Struct& value) {
  FieldReader fields(node, place);
  fields_of(fields, value);
  fields.end();
}

template <Listed Struct>
void write(Node& node, const Struct& value) {
  FieldWriter fields;
  Struct copy = value;
  fields_of(fields, copy);
  node = std::move(fields).node();
}

template <class Value>
void read(const Node& node, const Place& place, std::optional<Value>& value) {
  read(node, place, value.emplace());
}

template <class Value>
void read(const Node& node, const Place& place, std::vector<Value>& values) {
  const auto* list = std::get_if<Node::List>(&node.value);
  if (!list) return place.complain(node, "is " + std::string(shape_of(node)) + "; must be a list");
  values.clear();
  for (std::size_t at = 0; at < list->size(); ++at) read((*list)[at], place.at(at), values.emplace_back());
}

template <class Value>
void write(Node& node, const std::vector<Value>& values) {
  Node::List list;
  for (const Value& value : values) write(list.emplace_back(), value);
  node.value = std::move(list);
}

}  // namespace carrack::control

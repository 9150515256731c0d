// Decodes structs from YAML or JSON (a Node) and encodes them. Decoding and encoding use the same list of the struct's
// fields, fields_of(), so that they cannot drift apart:
//   template <class Fields> void fields_of(Fields& fields, Training& t) { fields.required("batch", t.batch); ... }
// read(node, path, training) calls it with a FieldReader, and write(node, training) with a FieldWriter. spec_fields.h
// and status_fields.h have the lists of a TrainingJob. Reading reports every problem, with the path of its field and,
// from YAML, its line. Unknown fields are problems too, except in objects that an API server has stored
// (FieldPath::ignores_unknown).
#pragma once

#include <algorithm>
#include <concepts>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "operator/codec/node.h"
#include "operator/core/job.h"
#include "trainer/launch/layers.h"
#include "trainer/launch/spellings.h"

namespace carrack::control {

// The path of a value in its document, such as `spec.training.batch`, and the list to which problems of the value are
// added. The list must outlive this.
struct FieldPath {
  std::string path;
  std::vector<Problem>* problems;
  bool ignores_unknown = false;  // no problems for fields, members, roles and conditions that are not known

  // Return the path of a field of this object, and of an element of this list.
  FieldPath below(std::string_view name) const {
    return {path.empty() ? std::string(name) : path + "." + std::string(name), problems, ignores_unknown};
  }
  FieldPath at(std::size_t index) const {
    return {path + "[" + std::to_string(index) + "]", problems, ignores_unknown};
  }
  // Adds a problem with this path: `text` and place_of(node), such as " (line 3)".
  void report(const Node& node, const std::string& text) const;
};

// Returns the time in a text like 2026-01-31T23:59:58Z; nullopt for any other form.
std::optional<Time> parse_time(const std::string& text);

// Returns a list of the known names for messages: "there are Single, ParameterServer".
std::string list_known(const std::vector<std::string>& known);
// Returns a hint about the unknown name `name` for an error message: "did you mean 'Single'?" if one of the known names
// is close to it, else list_known().
std::string suggestion(std::string_view name, const std::vector<std::string>& known);

// These functions read one value. If the node has another type (null is a type of its own) or is out of range, they
// report a problem and do not change `value`. Only a Choice becomes unknown then.
void read(const Node& node, const FieldPath& path, bool& value);
void read(const Node& node, const FieldPath& path, double& value);  // also from a whole number
void read(const Node& node, const FieldPath& path, std::string& value);
void read(const Node& node, const FieldPath& path, train::Choice& value);  // an unknown word makes `value` unknown
void read(const Node& node, const FieldPath& path, seconds& value);        // a whole number from 0 to 100 years
void read(const Node& node, const FieldPath& path, Time& value);           // in the form of parse_time()
inline void read(const Node& node, const FieldPath&, Node& value) {
  value = node;
}
// Returns the whole number in `node`; nullopt for anything else. As in Kubernetes, 1e3 and 64.0 are whole numbers, but
// a number with a point or an exponent must be below 2^53.
std::optional<std::int64_t> whole_number(const Node& node);
// Returns the whole_number() in `node`. If there is none, or it is outside [min, max], reports a problem and returns
// nullopt.
std::optional<std::int64_t> read_whole(const Node& node, const FieldPath& path, std::int64_t min, std::int64_t max);
// Reports `text` as an unknown word, with the known words and the one that was probably meant.
void report_unknown_word(const Node& node, const FieldPath& path, const std::string& text,
                         const std::vector<std::string>& known);

// These functions set node.value to the encoded value.
inline void write(Node& node, const Node& value) {
  node = value;
}
void write(Node& node, bool value);
void write(Node& node, double value);
void write(Node& node, const std::string& value);
void write(Node& node, const train::Choice& value);
void write(Node& node, seconds value);
void write(Node& node, Time value);

// Types of whole numbers whose values all fit into int64, as a Node stores them.
template <class Number>
concept Whole = std::integral<Number> && !std::same_as<Number, bool> &&
                (std::signed_integral<Number> || sizeof(Number) < sizeof(std::int64_t));
// Enums that a document has as words, which train::spellings lists.
template <class Enum>
concept Spelled = std::is_enum_v<Enum>;

template <Whole Number>
void read(const Node& node, const FieldPath& path, Number& value) {
  using Limits = std::numeric_limits<Number>;
  if (const auto whole = read_whole(node, path, Limits::min(), Limits::max())) value = static_cast<Number>(*whole);
}

template <Whole Number>
void write(Node& node, Number value) {
  node.value = static_cast<std::int64_t>(value);
}

template <Spelled Enum>
void read(const Node& node, const FieldPath& path, Enum& value) {
  std::string text;
  read(node, path, text);
  std::vector<std::string> known;
  for (const auto& spelling : train::spellings<Enum>) {
    known.emplace_back(spelling.text);
    if (spelling.text == text) value = spelling.value;
  }
  const bool is_text = std::holds_alternative<std::string>(node.value);  // If not, read() has reported a problem.
  if (is_text && train::spelled(value) != text) report_unknown_word(node, path, text, known);
}

template <Spelled Enum>
void write(Node& node, Enum value) {
  node.value = std::string(train::spelled(value));
}

// Reads the fields of one object. A fields_of() calls it for each field, in any order.
class FieldReader {
 public:
  static constexpr bool reads = true;  // in a fields_of() template: it reads, and does not write

  // `node` must outlive this. Reports a problem if it is not an object.
  FieldReader(const Node& node, FieldPath path);

  bool has(std::string_view name) const { return find(name) != nullptr; }

  // Reads the field into `value`. If the field is missing, `value` keeps its default; a field that is null is not
  // missing. After a problem `value` may be anything, so check that no problem was reported before you use it.
  template <class Value>
  void optional(std::string_view name, Value& value) {
    if (std::find(known_.begin(), known_.end(), name) == known_.end()) known_.emplace_back(name);
    if (const Node* node = find(name)) read(*node, path_.below(name), value);
  }

  // Reads the field into `value` like optional(), but reports a missing field.
  template <class Value>
  void required(std::string_view name, Value& value) {
    if (is_map_ && !has(name)) path_.below(name).report(*node_, "is missing");
    optional(name, value);
  }

  // Requires that the object has exactly one of the fields whose names are the words of Enum, and sets `kind` to the
  // value of that word. `what` is the name of such a field in messages, such as "stage".
  template <Spelled Enum>
  void exactly_one(std::string_view what, Enum& kind) {
    std::vector<std::string> words;
    std::size_t found = 0;
    for (const auto& [value, word] : train::spellings<Enum>) {
      words.emplace_back(word);
      known_.emplace_back(word);
      if (!has(word)) continue;
      kind = value;
      ++found;
    }
    require_one(what, found, words);
  }

  // Reads the field `name`, an object of the manifest for which there is no struct of its own: listing(inner) lists its
  // fields and reads them into the outer struct. A missing object is read as an empty one.
  template <class Listing>
  void group(std::string_view name, Listing listing) {
    static const Node empty{Node::Map(), 0};
    known_.emplace_back(name);
    const Node* node = find(name);
    FieldReader inner(node ? *node : empty, path_.below(name));
    listing(inner);
    inner.end();
  }

  // Makes end() report `text`, and not "is unknown", if the field exists. The field is not suggested for misspelled
  // names.
  void refused(std::string_view name, const std::string& text) { refused_.emplace_back(name, text); }
  // Makes end() report a field that has moved to the path `to`.
  void moved(std::string_view name, const std::string& to) { refused(name, "is now " + to); }

  // Reports `text` immediately if the field exists.
  void report(std::string_view name, const std::string& text) const;
  // Reports the field if it is an empty list.
  void refuse_empty_list(std::string_view name) const;

  // Accepts all other fields: for an object of an unknown kind, which was reported already.
  void skip_rest();

  // Reports the fields of the object that were not listed, as unknown or with the text of refused(). Call it after all
  // others. It reports nothing with ignores_unknown.
  void end() const;

 private:
  const Node* find(std::string_view name) const;
  void require_one(std::string_view what, std::size_t found, const std::vector<std::string>& words) const;

  const Node* node_;
  FieldPath path_;
  bool is_map_;
  std::vector<std::string> known_;
  std::vector<std::pair<std::string, std::string>> refused_;
};

// Writes an object: has the members of FieldReader that a fields_of() calls, except has() and report(), which must be
// within `if constexpr (Fields::reads)`. Leaves out fields whose std::optional is nullopt.
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

  void refused(std::string_view, const std::string&) {}
  void moved(std::string_view, const std::string&) {}
  void refuse_empty_list(std::string_view) const {}
  void skip_rest() {}

  // Writes nothing: the listing writes the field of the chosen kind itself.
  template <Spelled Enum>
  void exactly_one(std::string_view, Enum&) {}

  template <class Listing>
  void group(std::string_view name, Listing listing) {
    FieldWriter inner;
    listing(inner);
    map_.push_back({std::string(name), std::move(inner).node()});
  }

  // Returns the object that was written.
  Node node() && { return {std::move(map_), 0}; }

 private:
  Node::Map map_;
};

// A struct with a function fields_of(Fields&, Struct&), which works with both FieldReader and FieldWriter.
template <class Struct>
concept Listed = requires(FieldReader& fields, Struct& value) {
  fields_of(fields, value);
};

// Reports every problem, also unknown fields. After a problem `value` may be anything.
template <Listed Struct>
void read(const Node& node, const FieldPath& path, Struct& value) {
  FieldReader fields(node, path);
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
void read(const Node& node, const FieldPath& path, std::optional<Value>& value) {
  read(node, path, value.emplace());
}

template <class Value>
void read(const Node& node, const FieldPath& path, std::vector<Value>& values) {
  const auto* list = std::get_if<Node::List>(&node.value);
  if (!list) return path.report(node, "is " + std::string(describe_type(node)) + "; must be a list");
  values.clear();
  for (std::size_t at = 0; at < list->size(); ++at) read((*list)[at], path.at(at), values.emplace_back());
}

template <class Value>
void write(Node& node, const std::vector<Value>& values) {
  Node::List list;
  for (const Value& value : values) write(list.emplace_back(), value);
  node.value = std::move(list);
}

}  // namespace carrack::control

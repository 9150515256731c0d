// The API server and the decoder know the same fields: of each its type, its words, its default and whether it may be
// left out. Both sides are walked, none is listed here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "operator/codec/spec_fields.h"
#include "operator/codec/status_fields.h"

namespace carrack::control {
namespace {

struct Field {
  std::string type;
  std::vector<std::string> words;
  std::string standard;  // What holds where it is left out, as JSON.
  bool required = false;
};

bool is_scalar(const Node& node) {
  return !std::holds_alternative<Node::List>(node.value) && !std::holds_alternative<Node::Map>(node.value);
}

using Fields = std::map<std::string, Field>;  // By path; `[]` stands for all elements, `*` for all names.

// Some fields are there only beside some values of others: one alternative after the other is walked.
class Choices {
 public:
  std::size_t pick(std::size_t of) {
    if (at_ == picks_.size()) picks_.push_back({0, of});
    return picks_[at_++].value;
  }

  bool next() {
    at_ = 0;
    while (!picks_.empty() && picks_.back().value + 1 == picks_.back().of) picks_.pop_back();
    if (picks_.empty()) return false;
    ++picks_.back().value;
    return true;
  }

 private:
  struct Pick {
    std::size_t value;
    std::size_t of;
  };
  std::vector<Pick> picks_;
  std::size_t at_ = 0;
};

class FieldLister;

template <class Struct>
concept Walked = requires(FieldLister& lister, Struct& value) {
  fields_of(lister, value);
};

template <class Struct>
Fields fields_below(const std::string& path);

// Stands where FieldReader does.
class FieldLister {
 public:
  static constexpr bool reads = true;

  FieldLister(Choices& choices, std::string path, Fields& found) : choices_(choices), path_(path), found_(found) {}

  bool has(std::string_view) { return choices_.pick(2) == 1; }

  template <class Value>
  void optional(std::string_view name, Value& value) {
    found_[below(name)].standard = standard_of(value);
    describe(below(name), value);
  }

  template <class Value>
  void required(std::string_view name, Value& value) {
    found_[below(name)].required = true;
    describe(below(name), value);
  }

  template <Spelled Enum>
  void exactly_one(std::string_view, Enum& kind) {
    kind = train::spellings<Enum>[choices_.pick(std::size(train::spellings<Enum>))].value;
  }

  void refused(std::string_view, const std::string&) {}
  void moved(std::string_view, const std::string&) {}
  void skip_rest() {}
  void refuse_empty_list(std::string_view) {}
  void report(std::string_view, const std::string&) {}

  // Must be there where something in it must.
  template <class Listing>
  void group(std::string_view name, Listing listing) {
    Fields inner;
    FieldLister lister(choices_, below(name), inner);
    listing(lister);
    const bool required =
        std::any_of(inner.begin(), inner.end(), [](const auto& field) { return field.second.required; });
    found_[below(name)] = {"object", {}, "", required};
    found_.merge(inner);
  }

 private:
  std::string below(std::string_view name) const { return path_ + "." + std::string(name); }

  template <class Value>
  static std::string standard_of(const Value& value) {
    FieldWriter writer;
    writer.optional("it", value);
    const Node written = std::move(writer).node();
    const Node::Map& map = std::get<Node::Map>(written.value);
    const bool is_told = !map.empty() && is_scalar(map[0].node) && map[0].node.value != Node{std::string()}.value;
    return is_told ? to_json(map[0].node) : "";
  }

  void describe(const std::string& path, bool&) { found_[path].type = "boolean"; }
  void describe(const std::string& path, double&) { found_[path].type = "number"; }
  void describe(const std::string& path, std::string&) { found_[path].type = "string"; }
  void describe(const std::string& path, seconds&) { found_[path].type = "integer"; }
  void describe(const std::string& path, Node&) { found_[path].type = "object"; }
  void describe(const std::string& path, Quantities&) {
    found_[path].type = "object";
    found_[path + ".*"].type = "int-or-string";
  }
  void describe(const std::string& path, Time&) { found_[path].type = "date-time"; }
  void describe(const std::string& path, Whole auto&) { found_[path].type = "integer"; }

  template <Spelled Enum>
  void describe(const std::string& path, Enum& value) {
    Field& field = found_[path];
    field.type = "string";
    for (const auto& spelling : train::spellings<Enum>) field.words.emplace_back(spelling.text);
    value = train::spellings<Enum>[choices_.pick(field.words.size())].value;
  }

  void describe(const std::string& path, train::Choice& value) {
    Field& field = found_[path];
    field.type = "string";
    field.words.assign(value.words().begin(), value.words().end());
    value.choose(field.words[choices_.pick(field.words.size())]);
  }

  template <Walked Struct>
  void describe(const std::string& path, Struct&) {
    found_[path].type = "object";
    found_.merge(fields_below<Struct>(path));
  }

  template <class Value>
  void describe(const std::string& path, std::optional<Value>& value) {
    describe(path, value.emplace());
  }

  template <class Value>
  void describe(const std::string& path, std::vector<Value>&) {
    found_[path].type = "array";
    Value element;
    describe(path + "[]", element);
  }

  void describe(const std::string& path, std::vector<train::Feature>&) { describe_names<train::Feature>(path); }

  template <class Key, class Value>
  void describe(const std::string& path, std::map<Key, Value>&) {
    describe_names<Value>(path);
  }

  template <class Value>
  void describe_names(const std::string& path) {
    found_[path].type = "object";
    Value element;
    describe(path + ".*", element);
  }

  Choices& choices_;
  std::string path_;
  Fields& found_;
};

// What every alternative has in common holds; a field of some alternatives is there, without a default. What lies in an
// object that only some have is as it is there.
void join(Fields& all, const Fields& alternative, const std::string& below) {
  const auto may_be_in = [&](const Fields& fields, const std::string& path) {
    const std::string parent = path.substr(0, path.rfind('.'));
    return parent == below || fields.contains(parent);
  };
  Fields added;
  for (const auto& [path, field] : alternative) {
    if (!all.contains(path)) added[path] = may_be_in(all, path) ? Field{field.type, field.words, "", false} : field;
  }
  for (auto& [path, field] : all) {
    const auto other = alternative.find(path);
    if (other == alternative.end() && !may_be_in(alternative, path)) continue;
    if (other == alternative.end() || other->second.standard != field.standard) field.standard.clear();
    field.required = field.required && other != alternative.end() && other->second.required;
  }
  all.merge(added);
}

template <class Struct>
Fields fields_below(const std::string& path) {
  Choices choices;
  std::optional<Fields> all;
  do {
    Struct value;
    Fields alternative;
    FieldLister lister(choices, path, alternative);
    fields_of(lister, value);
    if (all) {
      join(*all, alternative, path);
    } else {
      all = alternative;
    }
  } while (choices.next());
  return *all;
}

std::string text_at(const Node& node, std::string_view name) {
  const Node* found = child(node, name);
  return found ? std::get<std::string>(found->value) : "";
}

std::vector<std::string> texts_at(const Node& node, std::string_view name) {
  std::vector<std::string> texts;
  if (const Node* list = child(node, name)) {
    for (const Node& text : std::get<Node::List>(list->value)) texts.push_back(std::get<std::string>(text.value));
  }
  return texts;
}

// All fields below one schema, and those that nothing explains.
void walk(const Node& schema, const std::string& path, Fields& found, std::vector<std::string>& unexplained) {
  Field& field = found[path];
  field.type = text_at(schema, "format") == "date-time" ? "date-time" : text_at(schema, "type");
  if (child(schema, "x-kubernetes-int-or-string")) field.type = "int-or-string";
  field.words = texts_at(schema, "enum");
  if (const Node* standard = child(schema, "default"); standard && is_scalar(*standard)) {
    field.standard = to_json(*standard);
  }
  if (const Node* properties = child(schema, "properties")) {
    for (const auto& [name, below] : std::get<Node::Map>(properties->value)) {
      walk(below, path + "." + name, found, unexplained);
      if (text_at(below, "description").empty()) unexplained.push_back(path + "." + name);
    }
    for (const std::string& name : texts_at(schema, "required")) found[path + "." + name].required = true;
  }
  if (const Node* items = child(schema, "items")) walk(*items, path + "[]", found, unexplained);
  if (const Node* others = child(schema, "additionalProperties")) walk(*others, path + ".*", found, unexplained);
}

struct Schema {
  Fields fields;
  std::vector<std::string> unexplained;
};

Schema schema_of(const std::string& part) {
  std::stringstream text;
  text << std::ifstream(CARRACK_CRD).rdbuf();
  const Node definition = std::get<Node>(parse_yaml(text.str()));
  const Node& version = std::get<Node::List>(child(*child(definition, "spec"), "versions")->value)[0];
  const Node& object = *child(*child(version, "schema"), "openAPIV3Schema");
  Schema schema;
  walk(*child(*child(object, "properties"), part), part, schema.fields, schema.unexplained);
  schema.fields.erase(part);
  return schema;
}

// One line a field, which a difference shows whole.
std::vector<std::string> lines_of(const Fields& fields) {
  std::vector<std::string> lines;
  for (const auto& [path, field] : fields) {
    std::string line = path + ": " + field.type;
    for (const std::string& word : field.words) line += " " + word;
    if (!field.standard.empty()) line += ", else " + field.standard;
    lines.push_back(line + (field.required ? ", required" : ""));
  }
  return lines;
}

TEST(Schema, KnowsTheFieldsOfSpecAsTheDecoderDoes) {
  Fields decoded = fields_below<JobSpec>("spec");
  // `carrack run` has a folder of its own for it. What jobs of the trainer must have is a rule, as it depends on
  // strategy.
  decoded.at("spec.checkpoint.folder").required = true;
  // Files or a mix; that it is one of them is a rule.
  decoded.at("spec.data.train").required = true;
  EXPECT_THAT(lines_of(schema_of("spec").fields), testing::ElementsAreArray(lines_of(decoded)));
}

TEST(Schema, KnowsTheFieldsOfStatusAsTheDecoderDoes) {
  Fields decoded = fields_below<JobStatus>("status");
  // What the operator did not write stays away.
  for (auto& [path, field] : decoded) field.standard.clear();
  // A newer operator may write others, also before the API is upgraded.
  decoded.at("status.conditions[].type").words.clear();
  EXPECT_THAT(lines_of(schema_of("status").fields), testing::ElementsAreArray(lines_of(decoded)));
}

TEST(Schema, ExplainsEveryField) {
  EXPECT_THAT(schema_of("spec").unexplained, testing::IsEmpty());
  EXPECT_THAT(schema_of("status").unexplained, testing::IsEmpty());
}

}  // namespace
}  // namespace carrack::control

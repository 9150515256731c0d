#include <nlohmann/json.hpp>

#include "operator/codec/node.h"

namespace carrack::control {
namespace {

using nlohmann::json;

// Builds a Node from the events of the parser, which stops when a function returns false. The values that are not yet
// complete are in open_ and not on the call stack, so a deeply nested text cannot overflow the stack.
class Builder : public json::json_sax_t {
 public:
  bool null() override { return add(std::monostate()); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(std::int64_t value) override { return add(value); }
  bool number_unsigned(std::uint64_t value) override {
    if (value <= INT64_MAX) return add(static_cast<std::int64_t>(value));
    return add(static_cast<double>(value));
  }
  bool number_float(double value, const std::string&) override { return add(value); }
  bool string(std::string& value) override { return add(std::move(value)); }
  bool binary(json::binary_t&) override { return fail("holds binary data"); }
  bool start_object(std::size_t) override { return open(Node::Map()); }
  bool start_array(std::size_t) override { return open(Node::List()); }
  bool end_object() override {
    if (const auto name = duplicate_name(std::get<Node::Map>(open_.back()->value))) {
      return fail("'" + *name + "' appears twice in one object");
    }
    return close();
  }
  bool end_array() override { return close(); }

  bool key(std::string& name) override {
    auto& map = std::get<Node::Map>(open_.back()->value);
    map.push_back(Entry{std::move(name), {}});
    return true;
  }

  bool parse_error(std::size_t position, const std::string&, const json::exception&) override {
    return fail("is not valid JSON after " + std::to_string(position) + " bytes");
  }

  Parsed result() && {
    if (!problem_.empty()) return Problem{"manifest", problem_};
    return std::move(root_);
  }

 private:
  bool fail(const std::string& text) {
    problem_ = text;
    return false;
  }

  template <class Value>
  Node* append(Value value) {
    if (++count_ > max_values) return nullptr;
    Node* node = &root_;
    if (!open_.empty()) {
      if (auto* list = std::get_if<Node::List>(&open_.back()->value)) {
        node = &list->emplace_back();
      } else {
        node = &std::get<Node::Map>(open_.back()->value).back().node;
      }
    }
    node->value = std::move(value);
    return node;
  }

  template <class Value>
  bool add(Value value) {
    return append(std::move(value)) || fail("holds more than " + std::to_string(max_values) + " values");
  }

  template <class Value>
  bool open(Value value) {
    if (open_.size() >= max_depth) return fail("is nested deeper than " + std::to_string(max_depth) + " levels");
    Node* node = append(std::move(value));
    if (!node) return fail("holds more than " + std::to_string(max_values) + " values");
    open_.push_back(node);
    return true;
  }

  bool close() {
    open_.pop_back();
    return true;
  }

  Node root_;
  // The lists and objects that are not complete, outermost first. A list grows only while none of its elements is in
  // here, so these pointers remain valid.
  std::vector<Node*> open_;
  int count_ = 0;
  std::string problem_;
};

json json_of(const Node& node) {
  return std::visit(
      [](const auto& value) -> json {
        using Value = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<Value, std::monostate>) {
          return nullptr;
        } else if constexpr (std::is_same_v<Value, Node::List>) {
          json list = json::array();
          for (const Node& element : value) list.push_back(json_of(element));
          return list;
        } else if constexpr (std::is_same_v<Value, Node::Map>) {
          json map = json::object();
          for (const Entry& entry : value) map[entry.name] = json_of(entry.node);
          return map;
        } else {
          return value;
        }
      },
      node.value);
}

}  // namespace

Parsed parse_json(std::string_view text) {
  if (text.size() > max_document_bytes)
    return Problem{"manifest", "has more than " + std::to_string(max_document_bytes) + " bytes"};
  Builder builder;
  json::sax_parse(text.begin(), text.end(), &builder);
  return std::move(builder).result();
}

// A status may quote what a process printed. If that is not valid UTF-8, dump() replaces the invalid bytes: otherwise
// it would throw, and the status could not be written.
std::string to_json(const Node& node) {
  return json_of(node).dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace carrack::control

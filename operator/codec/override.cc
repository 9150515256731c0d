#include "operator/codec/override.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "operator/codec/fields.h"

namespace carrack::control {
namespace {

constexpr std::string_view end_of_name = ".[";

// Notes in this node, and in all nodes below it, that its value comes from an option such as "--set spec.run" and from
// no line of the manifest. Messages about the value then name the option.
void set_origin(Node& node, const std::string& option) {
  node.line = 0;
  node.option = option;
  if (auto* list = std::get_if<Node::List>(&node.value)) {
    for (Node& element : *list) set_origin(element, option);
  }
  if (auto* map = std::get_if<Node::Map>(&node.value)) {
    for (Entry& entry : *map) set_origin(entry.node, option);
  }
}

// The index of a list element in a path, written as "[0]" or "0".
struct Index {
  std::size_t value;
  std::size_t length;  // of its text, in bytes
};

// Returns the index at the beginning of `rest`; nullopt if there is none.
std::optional<Index> index_in(std::string_view rest) {
  const bool is_bracketed = rest.starts_with('[');
  const char* begin = rest.data() + (is_bracketed ? 1 : 0);
  Index index{};
  const auto [end, error] = std::from_chars(begin, rest.data() + rest.size(), index.value);
  index.length = static_cast<std::size_t>(end - rest.data());
  if (error != std::errc() || (is_bracketed && !rest.substr(index.length).starts_with(']'))) return std::nullopt;
  if (is_bracketed) ++index.length;
  const std::string_view after = rest.substr(index.length);
  return after.empty() || end_of_name.find(after.front()) != after.npos ? std::optional(index) : std::nullopt;
}

// Removes "line 1: " from the beginning of a message of the YAML parser. A value of --set is always one line.
std::string_view without_line(std::string_view text) {
  constexpr std::string_view line = "line 1: ";
  return text.starts_with(line) ? text.substr(line.size()) : text;
}

// Follows the path of an option --set from node to node, and creates the nodes that are missing.
class Walk {
 public:
  Walk(Node& document, std::string_view path, std::string option)
      : node_(&document), path_(path), rest_(path), option_(std::move(option)) {}

  bool is_at_end() const { return rest_.empty(); }
  Node& node() { return *node_; }

  // Goes to the next node of the path. Returns a problem if there can be none.
  std::optional<Problem> step() {
    if (std::holds_alternative<std::monostate>(node_->value)) {
      const std::optional<Index> index = index_in(rest_);
      *node_ = index && index->value == 0 ? Node{Node::List(), 0, option_} : Node{Node::Map(), 0, option_};
    }
    if (auto* list = std::get_if<Node::List>(&node_->value)) return step_into(*list);
    if (auto* map = std::get_if<Node::Map>(&node_->value)) return step_into(*map);
    return problem("is " + std::string(describe_type(*node_)) + ", which holds no '" + std::string(rest_) + "'");
  }

 private:
  std::optional<Problem> step_into(Node::List& list) {
    const std::optional<Index> index = index_in(rest_);
    const std::string known = list.empty() ? "0" : "0 to " + std::to_string(list.size());
    if (!index || index->value > list.size()) {
      return problem("is a list of " + std::to_string(list.size()) + "; '" + std::string(rest_) +
                     "' is not one of its places, " + known + "; the last one appends an element");
    }
    if (index->value == list.size()) list.push_back({{}, 0, option_});
    return advance(list[index->value], index->length);
  }

  std::optional<Problem> step_into(Node::Map& map) {
    if (const auto known = find_field_on_path(map, rest_)) return advance(map[*known].node, map[*known].name.size());
    const std::string name(rest_.substr(0, rest_.find_first_of(end_of_name)));
    if (name.empty()) return problem("is an object; '" + std::string(rest_) + "' is not the name of a field");
    map.push_back({name, {{}, 0, option_}});
    return advance(map.back().node, name.size());
  }

  std::optional<Problem> advance(Node& next, std::size_t length) {
    node_ = &next;
    rest_.remove_prefix(length);
    // A dot separates two names. A dot at the end stays, so that the next step reports it.
    if (rest_.starts_with('.') && rest_.size() > 1) rest_.remove_prefix(1);
    return std::nullopt;
  }

  Problem problem(const std::string& text) const {
    std::string_view done = path_.substr(0, path_.size() - rest_.size());
    if (done.ends_with('.')) done.remove_suffix(1);
    return {done.empty() ? "manifest" : std::string(done), text + " (" + option_ + ")"};
  }

  Node* node_;
  std::string_view path_, rest_;
  std::string option_;
};

}  // namespace

std::variant<Override, std::string> parse_override(std::string_view text) {
  const std::size_t equals = text.find('=');
  const std::string path(text.substr(0, equals));
  if (equals == text.npos || path.empty()) {
    return "is '" + std::string(text) + "'; write PATH=VALUE, as in spec.training.epochs=3";
  }
  const std::string_view value = text.substr(equals + 1);
  if (value.empty()) return path + " has no value; for an empty text write " + path + "=\"\"";
  Parsed parsed = parse_yaml(value);
  if (const auto* problem = std::get_if<Problem>(&parsed))
    return path + ": the value " + std::string(without_line(problem->text));
  Override result{path, std::get<Node>(std::move(parsed))};
  set_origin(result.value, "--set " + path);
  return result;
}

std::optional<Problem> apply(const Override& given, Node& document) {
  Walk walk(document, given.path, given.value.option);
  for (int depth = 0; !walk.is_at_end(); ++depth) {
    if (depth == max_depth)
      return Problem{given.path, "goes through more than " + std::to_string(max_depth) + " levels"};
    if (std::optional<Problem> problem = walk.step()) return problem;
  }
  walk.node() = given.value;
  return std::nullopt;
}

}  // namespace carrack::control

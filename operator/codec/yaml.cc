#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <sstream>

#include "operator/codec/node.h"

namespace carrack::control {
namespace {

// Thrown inside this file alone, where a text stops being readable.
struct Unreadable {
  int line;
  std::string text;
};

template <class Number>
std::optional<Number> number_in(std::string_view text) {
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::string in_small_letters(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

// kubectl reads YAML 1.1: there `y` is true and 010 is 8. What would be another value there is refused here, so that
// one manifest is one job.
std::string_view boolean_in_kubectl(const std::string& text) {
  const std::string small = in_small_letters(text);
  for (const std::string_view word : {"y", "yes", "on", "true"})
    if (small == word) return "true";
  for (const std::string_view word : {"n", "no", "off", "false"})
    if (small == word) return "false";
  return "";
}

bool differs_in_kubectl(const std::string& text) {
  if (const std::string_view boolean = boolean_in_kubectl(text); !boolean.empty()) return text != boolean;
  std::string small = in_small_letters(text);
  for (const std::string_view word : {"null", ".nan", ".inf", "+.inf", "-.inf"})
    if (small == word) return text != "null";
  if (small.starts_with('+') || small.starts_with('-')) small.erase(0, 1);
  if (small.empty() || !std::isdigit(static_cast<unsigned char>(small.front()))) return false;
  if (small.find_first_not_of("0123456789abcdefxo_.") != small.npos) return false;
  const bool other_base = small.size() > 1 && small[0] == '0' && small.find_first_of("0123456789xob", 1) == 1;
  return other_base || small.find('_') != small.npos;
}

// YAML's core schema, less what surprises: no octal, no hexadecimal, no infinity.
void read_plain(const std::string& text, Node& node) {
  const bool numeric = text.find_first_of("0123456789") <= 2 && text.find_first_not_of("0123456789+-.eE") == text.npos;
  if (text.empty() || text == "~" || text == "null") {
    node.value = std::monostate();
  } else if (text == "true" || text == "false") {
    node.value = text == "true";
  } else if (const auto whole = numeric ? number_in<std::int64_t>(text) : std::nullopt) {
    node.value = *whole;
  } else if (const auto real = numeric ? number_in<double>(text) : std::nullopt) {
    node.value = *real;
  } else {
    node.value = text;
  }
}

class Converter {
 public:
  Node convert(const YAML::Node& yaml, int depth) {
    Node node;
    node.line = yaml.Mark().line + 1;
    if (depth > most_depth)
      throw Unreadable{node.line, "is nested deeper than " + std::to_string(most_depth) + " levels"};
    if (++count_ > most_values)
      throw Unreadable{node.line, "holds more than " + std::to_string(most_values) + " values"};
    if (yaml.IsScalar() && yaml.Tag() == "?") {
      expect_the_same_in_kubectl(yaml);
      read_plain(yaml.Scalar(), node);
    } else if (yaml.IsScalar()) {
      node.value = yaml.Scalar();
    } else if (yaml.IsSequence()) {
      Node::List list;
      for (const YAML::Node& element : yaml) list.push_back(convert(element, depth + 1));
      node.value = std::move(list);
    } else if (yaml.IsMap()) {
      node.value = map_of(yaml, depth);
    }
    return node;
  }

 private:
  static void expect_the_same_in_kubectl(const YAML::Node& plain) {
    if (!differs_in_kubectl(plain.Scalar())) return;
    const std::string boolean(boolean_in_kubectl(plain.Scalar()));
    throw Unreadable{plain.Mark().line + 1,
                     "'" + plain.Scalar() + "' is " +
                         (boolean.empty() ? "another value to kubectl; write text in quotes"
                                          : boolean + " to kubectl; write " + boolean + ", or text in quotes")};
  }

  Node::Map map_of(const YAML::Node& yaml, int depth) {
    Node::Map map;
    for (const auto& entry : yaml) {
      const int line = entry.first.Mark().line + 1;
      if (!entry.first.IsScalar()) throw Unreadable{line, "a name is a list or an object; names are text"};
      if (entry.first.Tag() == "?") expect_the_same_in_kubectl(entry.first);
      map.push_back(Entry{entry.first.Scalar(), convert(entry.second, depth + 1)});
    }
    if (const auto name = name_twice(map)) {
      throw Unreadable{yaml.Mark().line + 1, "'" + *name + "' stands twice in one object"};
    }
    return map;
  }

  int count_ = 0;
};

// How many bytes the character at the front takes; 0 where it is none.
std::size_t character_at(std::string_view text) {
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(at < text.size() ? text[at] : 0); };
  const auto continues = [&](std::size_t at) { return (byte(at) & 0xc0) == 0x80; };
  if (byte(0) < 0x80) return 1;
  if (byte(0) >= 0xc2 && byte(0) < 0xe0) return continues(1) ? 2 : 0;
  if (byte(0) >= 0xe0 && byte(0) < 0xf0) {
    const bool overlong = byte(0) == 0xe0 && byte(1) < 0xa0;
    const bool surrogate = byte(0) == 0xed && byte(1) >= 0xa0;
    return continues(1) && continues(2) && !overlong && !surrogate ? 3 : 0;
  }
  const bool overlong = byte(0) == 0xf0 && byte(1) < 0x90;
  const bool beyond = byte(0) > 0xf4 || (byte(0) == 0xf4 && byte(1) >= 0x90);
  return byte(0) >= 0xf0 && continues(1) && continues(2) && continues(3) && !overlong && !beyond ? 4 : 0;
}

// yaml-cpp hands on whatever bytes it finds.
bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = character_at(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

struct Unheard : YAML::EventHandler {
  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t, const std::string&) override {}
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {}
  void OnMapEnd() override {}
};

// 0, 1, or 2 for more. YAML::LoadAll would not end where a text begins with a stray sign: yaml-cpp 0.7 then sees
// documents without end.
int documents_in(const std::string& text) {
  std::istringstream in(text);
  YAML::Parser parser(in);
  Unheard nothing;
  if (!parser.HandleNextDocument(nothing)) return 0;
  return parser.HandleNextDocument(nothing) ? 2 : 1;
}

Problem problem_at(int line, const std::string& text) {
  return {"manifest", (line > 0 ? "line " + std::to_string(line) + ": " : "") + text};
}

void emit(YAML::Emitter& out, const Node& node);

void emit_text(YAML::Emitter& out, const std::string& text) {
  Node as_plain;
  read_plain(text, as_plain);
  const bool would_change = !std::holds_alternative<std::string>(as_plain.value) || differs_in_kubectl(text) ||
                            std::any_of(text.begin(), text.end(), [](unsigned char c) { return c < ' ' || c == 127; });
  if (would_change) out << YAML::DoubleQuoted;
  out << text;
}

void emit_map(YAML::Emitter& out, const Node::Map& map) {
  out << YAML::BeginMap;
  for (const Entry& entry : map) {
    out << YAML::Key;
    emit_text(out, entry.name);
    out << YAML::Value;
    emit(out, entry.node);
  }
  out << YAML::EndMap;
}

void emit(YAML::Emitter& out, const Node& node) {
  if (const auto* map = std::get_if<Node::Map>(&node.value)) {
    emit_map(out, *map);
  } else if (const auto* list = std::get_if<Node::List>(&node.value)) {
    out << YAML::BeginSeq;
    for (const Node& element : *list) emit(out, element);
    out << YAML::EndSeq;
  } else if (const auto* text = std::get_if<std::string>(&node.value)) {
    emit_text(out, *text);
  } else {
    out << json_text(node);  // numbers, booleans and null are written alike
  }
}

}  // namespace

Read read_yaml(std::string_view text) {
  if (text.size() > most_bytes) return problem_at(0, "has more than " + std::to_string(most_bytes) + " bytes");
  if (!is_utf8(text)) return problem_at(0, "is no UTF-8 text");
  try {
    const std::string copy(text);
    const int documents = documents_in(copy);
    if (documents == 0) return problem_at(0, "is empty; give one object");
    if (documents > 1) return problem_at(0, "holds more than one document, or a stray sign; give one object");
    return Converter().convert(YAML::Load(copy), 0);
  } catch (const YAML::Exception& broken) {
    return problem_at(broken.mark.line + 1, "is no YAML: " + broken.msg);
  } catch (const Unreadable& broken) {
    return problem_at(broken.line, broken.text);
  }
}

std::string yaml_text(const Node& node) {
  YAML::Emitter out;
  emit(out, node);
  return std::string(out.c_str()) + "\n";
}

}  // namespace carrack::control

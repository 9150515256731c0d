#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <sstream>
#include <utility>

#include "operator/codec/node.h"

namespace carrack::control {
namespace {

// An error in the document. Converter throws it, and parse_yaml() turns it into a Problem.
struct Unreadable {
  int line;
  std::string text;
};

template <class Number>
std::optional<Number> parse_number(std::string_view text) {
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

// Returns the boolean that kubectl reads, as "true" or "false"; empty if the text is not a boolean to kubectl. kubectl
// reads YAML 1.1, in which `y` and `on` are true.
std::string_view boolean_in_kubectl(const std::string& text) {
  const std::string lower = lower_case(text);
  for (const std::string_view word : {"y", "yes", "on", "true"})
    if (lower == word) return "true";
  for (const std::string_view word : {"n", "no", "off", "false"})
    if (lower == word) return "false";
  return "";
}

// Returns true if kubectl, by YAML 1.1, reads another value from this text than read_plain() does. For example, 010 is
// 8 to kubectl. Such text is refused, so that a manifest means the same to kubectl and to `carrack run`.
bool differs_in_kubectl(const std::string& text) {
  if (const std::string_view boolean = boolean_in_kubectl(text); !boolean.empty()) return text != boolean;
  std::string lower = lower_case(text);
  for (const std::string_view word : {"null", ".nan", ".inf", "+.inf", "-.inf"})
    if (lower == word) return text != "null";
  if (lower.starts_with('+') || lower.starts_with('-')) lower.erase(0, 1);
  if (lower.empty() || !std::isdigit(static_cast<unsigned char>(lower.front()))) return false;
  if (lower.find_first_not_of("0123456789abcdefxo_.") != lower.npos) return false;
  const bool other_base = lower.size() > 1 && lower[0] == '0' && lower.find_first_of("0123456789xob", 1) == 1;
  return other_base || lower.find('_') != lower.npos;
}

// Reads a scalar without quotes by YAML's core schema. Octal and hexadecimal numbers and infinity remain text.
void read_plain(const std::string& text, Node& node) {
  const bool numeric = text.find_first_of("0123456789") <= 2 && text.find_first_not_of("0123456789+-.eE") == text.npos;
  if (text.empty() || text == "~" || text == "null") {
    node.value = std::monostate();
  } else if (text == "true" || text == "false") {
    node.value = text == "true";
  } else if (const auto whole = numeric ? parse_number<std::int64_t>(text) : std::nullopt) {
    node.value = *whole;
  } else if (const auto real = numeric ? parse_number<double>(text) : std::nullopt) {
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
    if (depth > max_depth)
      throw Unreadable{node.line, "is nested deeper than " + std::to_string(max_depth) + " levels"};
    if (++count_ > max_values) throw Unreadable{node.line, "holds more than " + std::to_string(max_values) + " values"};
    if (yaml.IsScalar() && yaml.Tag() == "?") {
      refuse_other_meaning_in_kubectl(yaml);
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
  static void refuse_other_meaning_in_kubectl(const YAML::Node& plain) {
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
      if (entry.first.Tag() == "?") refuse_other_meaning_in_kubectl(entry.first);
      map.push_back(Entry{entry.first.Scalar(), convert(entry.second, depth + 1)});
    }
    if (const auto name = duplicate_name(map)) {
      throw Unreadable{yaml.Mark().line + 1, "'" + *name + "' appears twice in one object"};
    }
    return map;
  }

  int count_ = 0;
};

// Returns the length in bytes of the UTF-8 character at the front; 0 if it is not well-formed.
std::size_t character_length(std::string_view text) {
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

// yaml-cpp does not check that its input is valid UTF-8, so parse_yaml() does, with this function.
bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = character_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

struct IgnoreEvents : YAML::EventHandler {
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

// Returns the number of documents, or 2 if there are more. YAML::LoadAll is not used, because yaml-cpp 0.7 finds
// documents without end in a text that begins with a stray character such as ','.
int count_documents(const std::string& text) {
  std::istringstream in(text);
  YAML::Parser parser(in);
  IgnoreEvents ignore;
  if (!parser.HandleNextDocument(ignore)) return 0;
  return parser.HandleNextDocument(ignore) ? 2 : 1;
}

Problem problem_at(int line, const std::string& text) {
  return {"manifest", (line > 0 ? "line " + std::to_string(line) + ": " : "") + text};
}

// Returns a text that says what to look for in the document, in place of a message of yaml-cpp, which names the
// parser's tokens. Returns other messages unchanged.
std::string syntax_hint(const std::string& message) {
  constexpr std::pair<std::string_view, std::string_view> hints[] = {
      {"end of sequence flow not found", "a list that begins with [ has no ]"},
      {"end of map flow not found", "an object that begins with { has no }"},
      {"end of sequence not found", "the indentation is not that of the list before"},
      {"end of map not found", "the indentation is not that of the fields before"},
      {"illegal map value", "a ':' is misplaced; check the indentation here and in the line above"},
      {"illegal map key", "a name is misplaced; check the indentation here and in the line above"},
      {"illegal block entry", "a '-' is misplaced; check the indentation here and in the line above"},
      {"illegal flow end", "a ] or } does not match the [ or { before it"},
      {"illegal EOF in scalar", "a quote that begins here or above has no end"},
  };
  const auto* hint = std::ranges::find(hints, message, &std::pair<std::string_view, std::string_view>::first);
  return hint == std::end(hints) ? message : std::string(hint->second);
}

// Describes an error of yaml-cpp. A tab in the indentation of a line causes various errors, in the same line or the
// next one. So this function first looks for a tab in the line of the error and in the line before it.
Problem syntax_problem(std::string_view text, const YAML::Exception& error) {
  const int line_of_error = error.mark.line + 1;
  for (int line = 1; line <= line_of_error && !text.empty(); ++line) {
    const std::string_view indentation = text.substr(0, text.find_first_not_of(" \t"));
    if (line + 1 >= line_of_error && indentation.find('\t') != indentation.npos)
      return problem_at(line, "is indented with a tab; YAML allows only blanks");
    text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  }
  return problem_at(line_of_error, "is not valid YAML: " + syntax_hint(error.msg));
}

void emit(YAML::Emitter& out, const Node& node);

// Writes the text with quotes if, without them, a reader would find another value or a different text.
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

// Returns true if the text can be written as lines after a `|`. A reader finds the same text only if it ends with
// exactly one line end and nothing has to be escaped.
bool fits_literal_block(const std::string& text) {
  const bool ends_once = text.size() > 1 && text.ends_with('\n') && !text.ends_with("\n\n");
  return ends_once && text.front() != ' ' && text.front() != '\n' &&
         std::none_of(text.begin(), text.end(), [](unsigned char c) { return (c < ' ' && c != '\n') || c == 127; });
}

bool is_number(const Node& node) {
  return std::holds_alternative<std::int64_t>(node.value) || std::holds_alternative<double>(node.value);
}

// Writes a list of numbers on one line.
void emit_list(YAML::Emitter& out, const Node::List& list) {
  if (std::all_of(list.begin(), list.end(), is_number)) out << YAML::Flow;
  out << YAML::BeginSeq;
  for (const Node& element : list) emit(out, element);
  out << YAML::EndSeq;
}

void emit(YAML::Emitter& out, const Node& node) {
  if (const auto* map = std::get_if<Node::Map>(&node.value)) {
    emit_map(out, *map);
  } else if (const auto* list = std::get_if<Node::List>(&node.value)) {
    emit_list(out, *list);
  } else if (const auto* text = std::get_if<std::string>(&node.value)) {
    if (fits_literal_block(*text)) {
      out << YAML::Literal << text->substr(0, text->size() - 1);  // yaml-cpp adds the last line end
    } else {
      emit_text(out, *text);
    }
  } else if (std::holds_alternative<std::monostate>(node.value)) {
    out << YAML::Null;  // If it were written as the text "null", yaml-cpp would add quotes.
  } else {
    out << to_json(node);  // numbers and booleans are written as in JSON
  }
}

// Returns a problem if the document names a YAML version other than 1.1, because kubectl refuses other versions.
std::optional<Problem> other_version(std::string_view text) {
  constexpr std::string_view directive = "%YAML ";
  if (!text.starts_with(directive) || text.substr(directive.size()).starts_with("1.1")) return std::nullopt;
  return problem_at(1, "kubectl reads YAML 1.1 only; leave this line out");
}

}  // namespace

Parsed parse_yaml(std::string_view text) {
  if (text.size() > max_document_bytes)
    return problem_at(0, "has more than " + std::to_string(max_document_bytes) + " bytes");
  if (!is_utf8(text)) return problem_at(0, "is not UTF-8 text");
  if (auto problem = other_version(text)) return *std::move(problem);
  try {
    const std::string copy(text);
    // If a quoted text is not closed, yaml-cpp accepts the last line end of the document in place of the quote. Without
    // line ends at the end of the document it reports the error.
    const int documents = count_documents(copy.substr(0, copy.find_last_not_of(" \n\r") + 1));
    if (documents == 0) return problem_at(0, "is empty; give one object");
    if (documents > 1) return problem_at(0, "holds more than one document, or a stray character; give one object");
    return Converter().convert(YAML::Load(copy), 0);
  } catch (const YAML::Exception& broken) {
    return syntax_problem(text, broken);
  } catch (const Unreadable& broken) {
    return problem_at(broken.line, broken.text);
  }
}

std::string to_yaml(const Node& node) {
  YAML::Emitter out;
  emit(out, node);
  return std::string(out.c_str()) + "\n";
}

}  // namespace carrack::control

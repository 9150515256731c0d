#include "trainer/launch.h"

#include <algorithm>
#include <charconv>
#include <concepts>
#include <optional>
#include <type_traits>
#include <utility>

namespace carrack::train {
namespace {

constexpr std::string_view contract_key = "carrack-launch";
constexpr std::string_view log_mark = "log: ";

[[noreturn]] void broken(const std::string& where, const std::string& what) {
  throw Error(Blame::bug, where + ": " + what);
}

std::string text_of(const std::string& value) {
  return value;
}
std::string text_of(bool value) {
  return value ? "true" : "false";
}

template <class Number>
requires((std::integral<Number> || std::floating_point<Number>)&&!std::same_as<Number, bool>) std::string
    text_of(Number value) {
  char digits[40];
  return {digits, std::to_chars(std::begin(digits), std::end(digits), value).ptr};
}

template <class Enum>
requires std::is_enum_v<Enum> std::string text_of(Enum value) {
  return std::string(spelled(value));
}

bool parse(std::string_view text, std::string& value) {
  value = text;
  return true;
}

bool parse(std::string_view text, bool& value) {
  value = text == "true";
  return value || text == "false";
}

template <class Number>
requires((std::integral<Number> ||
          std::floating_point<Number>)&&!std::same_as<Number, bool>) bool parse(std::string_view text, Number& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

template <class Enum>
requires std::is_enum_v<Enum>
bool parse(std::string_view text, Enum& value) {
  for (const auto& spelling : spellings<Enum>) {
    if (spelling.text == text) {
      value = spelling.value;
      return true;
    }
  }
  return false;
}

// Several values on one line; the last one may hold blanks.
template <class First, class... Rest>
bool parse_all(std::string_view text, First& first, Rest&... rest) {
  if constexpr (sizeof...(Rest) == 0) {
    return parse(text, first);
  } else {
    const std::size_t blank = text.find(' ');
    return blank != std::string_view::npos && parse(text.substr(0, blank), first) &&
           parse_all(text.substr(blank + 1), rest...);
  }
}

class Writer {
 public:
  template <class... Values>
  void line(std::string_view key, const Values&... values) {
    std::string text(key);
    ((text += ' ', text += text_of(values)), ...);
    if (text.find_first_of("\n\r") != std::string::npos) {
      throw Error(Blame::user, std::string(key) + ": holds a line break, which no process can be told");
    }
    text_ += text + '\n';
  }

  template <class Element, class Line>
  void each(std::string_view, std::vector<Element>& elements, Line line_of) {
    for (Element& element : elements) line_of(element);
  }

  std::string text() { return std::move(text_); }

 private:
  std::string text_;
};

class Reader {
 public:
  explicit Reader(std::string_view text) {
    for (int number = 1; !text.empty(); ++number) {
      const std::size_t end = text.find('\n');
      if (end == std::string_view::npos) broken(where(number), "does not end; the file is cut off");
      add(number, text.substr(0, end));
      text.remove_prefix(end + 1);
    }
  }

  template <class... Values>
  void line(std::string_view key, Values&... values) {
    const auto found = next_of(key);
    if (found == lines_.end()) broken("launch file", "has no '" + std::string(key) + "'");
    if (!parse_all(found->value, values...)) {
      broken(where(found->number), std::string(key) + ": cannot be '" + std::string(found->value) + "'");
    }
    lines_.erase(found);
  }

  template <class Element, class Line>
  void each(std::string_view key, std::vector<Element>& elements, Line line_of) {
    while (next_of(key) != lines_.end()) line_of(elements.emplace_back());
  }

  void end() const {
    if (lines_.empty()) return;
    const auto& line = lines_.front();
    broken(where(line.number), "'" + std::string(line.key) + "' is unknown to this trainer, or there twice");
  }

 private:
  struct Line {
    int number;
    std::string_view key;
    std::string_view value;
  };

  static std::string where(int number) { return "launch file, line " + std::to_string(number); }

  void add(int number, std::string_view line) {
    const std::size_t blank = line.find(' ');
    if (blank == std::string_view::npos) broken(where(number), "is no 'key value'");
    lines_.push_back({number, line.substr(0, blank), line.substr(blank + 1)});
  }

  std::vector<Line>::iterator next_of(std::string_view key) {
    return std::find_if(lines_.begin(), lines_.end(), [&](const Line& line) { return line.key == key; });
  }

  std::vector<Line> lines_;
};

// While reading, the kind chooses which alternative the lines after it fill.
template <class Variant, class Kind>
void become(Variant& variant, Kind kind) {
  const auto index = static_cast<std::size_t>(kind);
  if (variant.index() != index)
    variant = index == 0 ? Variant(std::in_place_index<0>) : Variant(std::in_place_index<1>);
}

template <class Lines>
void lines_of(Lines& lines, Model& model) {
  ModelKind kind = kind_of(model);
  lines.line("model.kind", kind);
  become(model, kind);
  if (auto* regression = std::get_if<LinearRegression>(&model)) {
    lines.line("model.input", regression->input);
    lines.line("model.target", regression->target);
  } else if (auto* tally = std::get_if<Tally>(&model)) {
    lines.line("model.record", tally->record);
    lines.line("model.records", tally->records);
  }
}

template <class Lines>
void lines_of(Lines& lines, Optimizer& optimizer) {
  OptimizerKind kind = kind_of(optimizer);
  lines.line("optimizer.kind", kind);
  become(optimizer, kind);
  if (auto* sgd = std::get_if<Sgd>(&optimizer)) {
    lines.line("optimizer.learningRate", sgd->learning_rate);
  } else if (auto* adam = std::get_if<Adam>(&optimizer)) {
    lines.line("optimizer.learningRate", adam->learning_rate);
    lines.line("optimizer.beta1", adam->beta1);
    lines.line("optimizer.beta2", adam->beta2);
    lines.line("optimizer.epsilon", adam->epsilon);
  }
}

// The one list of the file's lines: written and read by it, so that neither direction can forget one.
template <class Lines>
void lines_of(Lines& lines, Config& config) {
  lines.line("strategy", config.strategy);
  lines.line("replicas.ps", config.ps.min, config.ps.max);
  lines.line("replicas.worker", config.workers.min, config.workers.max);
  lines_of(lines, config.model);
  lines.each("data.file", config.data.files, [&](std::string& file) { lines.line("data.file", file); });
  lines.each("data.feature", config.data.features,
             [&](Feature& feature) { lines.line("data.feature", feature.type, feature.size, feature.name); });
  lines.line("training.batch", config.training.batch);
  lines.line("training.lanes", config.training.lanes);
  lines.line("training.epochs", config.training.epochs);
  lines_of(lines, config.training.optimizer);
  lines.line("training.seed", config.training.seed);
  lines.line("training.consistency", config.training.consistency);
  lines.line("training.reduction", config.training.reduction);
  lines.line("training.deterministic", config.training.deterministic);
  lines.line("checkpoint.folder", config.checkpoint.folder);
  lines.line("checkpoint.everySteps", config.checkpoint.every_steps);
  lines.line("checkpoint.resume", config.checkpoint.resume);
}

template <class Variables>
void variables_of(Variables& variables, Launch& launch) {
  variables("CARRACK_JOB", launch.job);
  variables("CARRACK_JOB_UID", launch.job_uid);
  variables("CARRACK_ROLE", launch.member.role);
  variables("CARRACK_INDEX", launch.member.index);
  variables("CARRACK_ATTEMPT", launch.fence.attempt);
  variables("CARRACK_INCARNATION", launch.fence.incarnation);
  variables("CARRACK_COORDINATOR", launch.places.coordinator);
  variables("CARRACK_LISTEN", launch.places.listen);
  variables("CARRACK_KEYS", launch.places.keys);
  variables("CARRACK_PROGRESS", launch.places.progress);
}

Config config_from(std::string_view text) {
  Reader lines(text);
  int version = 0;
  lines.line(contract_key, version);
  if (version != contract_version) {
    throw Error(Blame::user, "the operator speaks contract " + std::to_string(version) + ", this trainer speaks " +
                                 std::to_string(contract_version) +
                                 "; use the trainer image of the operator's release");
  }
  Config config;
  lines_of(lines, config);
  lines.end();
  return config;
}

}  // namespace

std::string log_line(std::string_view text) {
  std::string line = std::string(log_mark).append(text);
  std::replace(line.begin(), line.end(), '\n', ' ');
  return line;
}

std::string last_words_in(std::string_view printed) {
  std::string words;
  while (!printed.empty()) {
    const std::size_t end = std::min(printed.find('\n'), printed.size() - 1) + 1;
    if (!printed.starts_with(log_mark)) words += printed.substr(0, end);
    printed.remove_prefix(end);
  }
  return words.substr(0, words.find_last_not_of(" \r\n") + 1);
}

ModelKind kind_of(const Model& model) {
  return static_cast<ModelKind>(model.index());
}
OptimizerKind kind_of(const Optimizer& optimizer) {
  return static_cast<OptimizerKind>(optimizer.index());
}

Environment environment_of(const Launch& launch) {
  Environment environment;
  const auto write = [&](const char* name, const auto& value) { environment[name] = text_of(value); };
  Launch copy = launch;
  variables_of(write, copy);
  return environment;
}

std::string config_text(const Config& config) {
  Writer lines;
  lines.line(contract_key, contract_version);
  Config copy = config;
  lines_of(lines, copy);
  return lines.text();
}

Launch launch_from(const Environment& environment, std::string_view config_text) {
  Launch launch;
  launch.config = config_from(config_text);
  const auto read = [&](const char* name, auto& value) {
    const auto found = environment.find(name);
    if (found == environment.end()) broken(name, "is not set; processes of a job are started by Carrack");
    if (!parse(found->second, value)) broken(name, "cannot be '" + found->second + "'");
  };
  variables_of(read, launch);
  return launch;
}

}  // namespace carrack::train

#include "dataloader/cli/request.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <limits>
#include <system_error>

#include "dataloader/cli/usage.h"
#include "dataloader/error.h"
#include "dataloader/records/example_problems.h"
#include "dataloader/text.h"

namespace carrack::data::cli {
namespace {

constexpr std::array commands =
    std::to_array<std::string_view>({"inspect", "head", "verify", "index", "stats", "convert", "bench", "explain"});
static_assert(commands.size() == command_count);

constexpr unsigned bit(Command command) {
  return 1U << static_cast<unsigned>(command);
}
// `rows` are the commands that also read CSV, JSON lines, arrays and programs; `surveys` are those that report on
// TFRecords.
constexpr unsigned rows = bit(Command::convert) | bit(Command::bench) | bit(Command::explain);
constexpr unsigned surveys = bit(Command::inspect) | bit(Command::verify) | bit(Command::stats);

constexpr std::uint64_t unlimited = std::numeric_limits<std::int64_t>::max();

std::uint64_t parse_number(const std::string& text, std::uint64_t max) {
  const std::optional<std::uint64_t> number = number_in<std::uint64_t>(text);
  if (number > 0u && number <= max) return *number;
  throw Refused(
      (max == unlimited ? "expects a number, at least 1" : "expects a number from 1 to " + std::to_string(max)) +
      ", not '" + printable(text) + "'");
}

std::uint64_t parse_size(const std::string& text) {
  constexpr std::array<std::pair<std::string_view, double>, 7> units = {{{"B", 1},
                                                                         {"kB", 1e3},
                                                                         {"MB", 1e6},
                                                                         {"GB", 1e9},
                                                                         {"KiB", 1024},
                                                                         {"MiB", 1024. * 1024},
                                                                         {"GiB", 1024. * 1024 * 1024}}};
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view rest(end, text.data() + text.size());
  for (const auto& [name, bytes] : units) {
    const double size = number * bytes;
    if (error == std::errc() && rest == name && size >= 1 && size < 1e18) return static_cast<std::uint64_t>(size);
  }
  throw Refused("expects a size such as 150MB or 1.5GiB, not '" + printable(text) + "'");
}

Request::SkipLimit parse_skip_limit(const std::string& text) {
  if (const auto count = number_in<std::uint64_t>(text)) return {.typed = text, .count = count};
  const std::optional<double> percent =
      text.ends_with('%') ? number_in<double>(std::string_view(text).substr(0, text.size() - 1)) : std::nullopt;
  if (percent >= 0. && percent <= 100.) return {.typed = text, .share = *percent / 100};
  throw Refused("expects a number of rows, or a share such as 1%, not '" + printable(text) + "'");
}

using SetValue = std::function<void(Request&, const std::string& value)>;

std::vector<std::string> split_at_commas(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::vector<std::pair<std::string, Dtype>> parse_types(const std::string& text) {
  constexpr std::array known = {Dtype::bytes, Dtype::float32, Dtype::int64};
  std::vector<std::pair<std::string, Dtype>> types;
  for (const std::string& one : split_at_commas(text)) {
    const std::size_t equals = one.rfind('=');
    if (equals == 0 || equals == one.npos) throw Refused("expects NAME=TYPE,..., not '" + printable(one) + "'");
    const std::string name = one.substr(0, equals), typed = one.substr(equals + 1);
    const auto type = std::ranges::find_if(known, [&](Dtype dtype) { return typed == data::name_of(dtype); });
    if (type == known.end())
      throw Refused("expects the type bytes, float32 or int64 for '" + printable(name) + "', not '" + printable(typed) +
                    "'");
    types.emplace_back(name, *type);
  }
  return types;
}

// Adds the types to those of earlier --types; for a name that has a type already, the later type counts.
void add_types(Request& to, const std::string& text) {
  for (std::pair<std::string, Dtype>& one : parse_types(text)) {
    const auto earlier = std::ranges::find(to.types, one.first, &std::pair<std::string, Dtype>::first);
    if (earlier == to.types.end())
      to.types.push_back(std::move(one));
    else
      earlier->second = one.second;
  }
}

// --fill and --default mean the same. `option` is the one that the user typed, for error messages.
SetValue fills_by(const std::string& option) {
  return [option](Request& to, const std::string& text) {
    for (const std::string& one : split_at_commas(text)) {
      const std::size_t equals = one.find('=');
      if (equals == 0 || equals == one.npos) throw Refused("expects NAME=VALUE,..., not '" + printable(one) + "'");
      to.fills.push_back({option, one.substr(0, equals), one.substr(equals + 1)});
    }
  };
}

void add_missing(Request& to, const std::string& text) {
  for (std::string& one : split_at_commas(text)) {
    if (one.empty()) throw Refused("expects TEXT,..., not '" + printable(text) + "'; an empty field is missing anyway");
    to.missing.push_back(std::move(one));
  }
}

Request::Join parse_join(const std::string& text) {
  const std::size_t equals = std::min(text.find('='), text.size());
  Request::Join join{text.substr(0, equals), {}};
  if (equals + 1 < text.size()) join.columns = split_at_commas(text.substr(equals + 1));
  if (join.name.empty() || join.columns.empty() || std::ranges::count(join.columns, "") > 0)
    throw Refused("expects NAME=COLUMN,COLUMN,... or NAME=FIRST..LAST, not '" + printable(text) + "'");
  return join;
}

Shuffle parse_shuffle(const std::string& text) {
  if (text == "full") return {.kind = Shuffle::Kind::full};
  if (text == "block") return {.kind = Shuffle::Kind::block};
  constexpr std::string_view buffer = "buffer=";
  if (text.starts_with(buffer))
    return {.kind = Shuffle::Kind::buffer, .buffer = parse_number(text.substr(buffer.size()), 1'000'000'000)};
  throw Refused("expects full, block or buffer=N, not '" + printable(text) + "'");
}

OnDamage parse_on_damage(const std::string& text) {
  if (text == "stop") return OnDamage::stop;
  if (text == "skip") return OnDamage::skip;
  throw Refused("expects stop or skip, not '" + printable(text) + "'");
}

char parse_delimiter(const std::string& text) {
  if (text == "\\t") return '\t';
  if (text.size() == 1 && text != "\"" && text != "\n" && text != "\r") return text[0];
  throw Refused("expects one character, or \\t for a tab, not '" + printable(text) + "'");
}

// Returns a function that parses an option's value with `parse` and stores the result in a member of the Request.
template <typename Field, typename Parse>
SetValue parsed(Field Request::*field, Parse parse) {
  return [=](Request& to, const std::string& value) { to.*field = parse(value); };
}

// Returns a function that parses a whole number from 1 to `max`.
template <typename Number = std::uint64_t>
auto number_to(std::uint64_t max) {
  return [max](const std::string& text) { return static_cast<Number>(parse_number(text, max)); };
}

struct Option {
  std::string_view name;
  unsigned commands;                            // the bits of the commands that have the option
  std::variant<bool Request::*, SetValue> set;  // the flag to set, or a function of the option's value
};

const std::vector<Option>& options() {
  static const std::vector<Option> all = {
      {"--json", surveys | bit(Command::head) | bit(Command::bench), &Request::json},
      {"--all", bit(Command::inspect), &Request::all},
      {"--text", bit(Command::index), &Request::text},
      {"--check", bit(Command::index), &Request::check},
      {"--max-skipped", bit(Command::convert), parsed(&Request::max_skipped, parse_skip_limit)},
      {"--force", bit(Command::convert), &Request::force},
      {"--on-damage", bit(Command::head) | bit(Command::convert) | bit(Command::bench),
       parsed(&Request::on_damage, parse_on_damage)},
      {"--records", bit(Command::inspect) | bit(Command::head), parsed(&Request::records, number_to(unlimited))},
      {"--threads", surveys | bit(Command::index) | rows, parsed(&Request::threads, number_to<unsigned>(1000))},
      {"--feature", bit(Command::stats), parsed(&Request::feature, std::identity())},
      {"--out", bit(Command::index), parsed(&Request::out, std::identity())},
      {"--to", bit(Command::convert), parsed(&Request::to, std::identity())},
      {"--compression", bit(Command::convert), parsed(&Request::compression, compression_from)},
      {"--shards", bit(Command::convert), parsed(&Request::shards, number_to(99'999))},
      {"--shard-size", bit(Command::convert), parsed(&Request::shard_size, parse_size)},
      {"--types", rows, add_types},
      {"--missing", rows, add_missing},
      {"--fill", rows, fills_by("--fill")},
      {"--default", rows, fills_by("--default")},
      {"--join", rows, [](Request& to, const std::string& value) { to.joins.push_back(parse_join(value)); }},
      {"--delimiter", rows, parsed(&Request::delimiter, parse_delimiter)},
      {"--batch", bit(Command::bench) | bit(Command::explain), parsed(&Request::batch, number_to(100'000'000))},
      {"--shuffle", bit(Command::explain), parsed(&Request::shuffle, parse_shuffle)},
      {"--parse", bit(Command::explain), &Request::parse},
      {"--seconds", bit(Command::bench), parsed(&Request::seconds, number_to(86'400))},
      {"--timeline", bit(Command::bench), parsed(&Request::timeline, std::identity())},
  };
  return all;
}

class Parser {
 public:
  Parser(Command command, std::span<char* const> arguments) : arguments_(arguments) { request_.command = command; }

  std::variant<Request, ImmediateReply> parse() {
    bool options_ended = false;
    while (next_ < arguments_.size()) {
      const std::string argument = arguments_[next_++];
      if (!options_ended && (argument == "--help" || argument == "-h"))
        return ImmediateReply{0, std::string(usage(request_.command)), ""};
      if (!options_ended && argument == "--") {
        options_ended = true;
      } else if (options_ended || !argument.starts_with("-")) {
        add_input(argument, options_ended);
      } else if (std::string problem = parse_option(argument); !problem.empty()) {
        return usage_error(problem);
      }
    }
    if (request_.inputs.empty() && arguments_.empty())
      return ImmediateReply{2, "", std::string(usage(request_.command))};
    if (request_.inputs.empty()) return usage_error("names no file");
    if (request_.command == Command::convert && request_.to.empty())
      return usage_error("--to is missing: what is written");
    if (request_.shards && request_.shard_size) return usage_error("--shards and --shard-size exclude each other");
    if (request_.max_skipped && request_.on_damage != OnDamage::skip)
      return usage_error("--max-skipped limits what --on-damage skip leaves out, so give both");
    if (request_.all && request_.records) return usage_error("--all and --records exclude each other");
    return std::move(request_);
  }

 private:
  // An argument after `--` is always the name of a file, even if it begins with `exec:`, because a shell may have
  // expanded a pattern such as * to it. Only the first input can be a program; open_inputs() refuses further inputs.
  void add_input(const std::string& argument, bool is_file) {
    if (!is_file && request_.inputs.empty() && argument.starts_with("exec:"))
      request_.reads_program = (bit(request_.command) & rows) != 0;
    request_.inputs.push_back(argument);
  }

  // Parses an option and its value. Returns what is wrong with it, or an empty text.
  std::string parse_option(const std::string& argument) {
    const std::size_t equals = argument.find('=');
    std::string name = argument.substr(0, equals);
    if (name == "-n") name = "--records";
    std::vector<std::string_view> known;
    for (const Option& option : options()) {
      if ((option.commands & bit(request_.command)) == 0) continue;
      known.push_back(option.name);
      if (option.name == name) return set_option(option, argument, equals);
    }
    const bool has_on_damage = std::ranges::find(known, "--on-damage") != known.end();
    if (name == "--skip-corrupt" && has_on_damage) return name + " is called --on-damage skip";
    return "does not know '" + printable(name) + "'; " + did_you_mean(name, known);
  }

  std::string set_option(const Option& option, const std::string& argument, std::size_t equals) {
    const std::string name(option.name);
    if (const auto* flag = std::get_if<bool Request::*>(&option.set)) {
      if (equals != argument.npos) return name + " takes no value";
      request_.*(*flag) = true;
      return "";
    }
    std::string value;
    if (equals != argument.npos)
      value = argument.substr(equals + 1);
    else if (next_ < arguments_.size())
      value = arguments_[next_++];
    if (value.empty()) return name + " needs a value";
    try {
      std::get<SetValue>(option.set)(request_, value);
      return "";
    } catch (const Refused& refused) {
      return name + ": " + refused.what();
    }
  }

  ImmediateReply usage_error(const std::string& problem) const {
    const std::string command = "carrack data " + std::string(name_of(request_.command));
    return {2, "", command + ": " + problem + "; `" + command + " --help` lists what it does\n"};
  }

  Request request_;
  std::span<char* const> arguments_;
  std::size_t next_ = 0;
};

}  // namespace

std::string_view name_of(Command command) {
  return commands[static_cast<std::size_t>(command)];
}

std::optional<Dtype> type_override(const Request& request, const std::string& name) {
  const auto found = std::ranges::find(request.types, name, &std::pair<std::string, Dtype>::first);
  return found == request.types.end() ? std::nullopt : std::optional(found->second);
}

std::variant<Request, ImmediateReply> parse_request(std::span<char* const> arguments) {
  if (arguments.empty()) return ImmediateReply{2, "", std::string(usage())};
  const std::string_view first = arguments[0];
  if (first == "--help" || first == "-h" || first == "help") return ImmediateReply{0, std::string(usage()), ""};
  const auto found = std::find(commands.begin(), commands.end(), first);
  if (found == commands.end()) {
    return ImmediateReply{2, "",
                          "carrack data: does not know '" + printable(first) + "'; " + did_you_mean(first, commands) +
                              "; `carrack data --help` lists what it does\n"};
  }
  return Parser(static_cast<Command>(found - commands.begin()), arguments.subspan(1)).parse();
}

}  // namespace carrack::data::cli

// The command line of `carrack data`: the command, its files and its options. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "dataloader/pipeline/stages/order_stages.h"
#include "dataloader/records/compression.h"
#include "dataloader/records/corrupt.h"
#include "dataloader/records/example.h"

namespace carrack::data::cli {

enum class Command : std::uint8_t { inspect, head, verify, index, stats, convert, bench, explain };
constexpr std::size_t command_count = static_cast<std::size_t>(Command::explain) + 1;  // explain stays the last

// The option --a-b is the member a_b; usage.h says what each means. Options that a command does not have, or that were
// not typed, have the values below.
struct Request {
  Command command = Command::inspect;
  std::vector<std::string> inputs = {};  // FILES: at least one, as typed
  bool reads_program = false;            // The first input is 'exec:PROGRAM ARGUMENT...'.
  bool json = false;
  bool all = false;
  bool text = false;
  bool check = false;
  // --max-skipped: how much may be left out, as a number of rows or as a share of what is read.
  struct SkipLimit {
    std::string typed;
    std::optional<std::uint64_t> count = {};
    double share = 1;  // from 0 to 1; if there is no count
    bool operator==(const SkipLimit&) const = default;
  };
  std::optional<SkipLimit> max_skipped = {};
  bool force = false;
  std::optional<OnDamage> on_damage = {};     // by default what is usual for the command
  std::optional<std::uint64_t> records = {};  // also -n
  std::optional<unsigned> threads = {};
  std::string feature = {};  // of stats: `x` or `x[2]`; empty: all features
  std::string out = {};      // path or URL of a folder; empty: beside each file
  std::string to = {};
  std::optional<Compression> compression = {};
  std::optional<std::uint64_t> shards = {};
  std::optional<std::uint64_t> shard_size = {};           // in bytes
  std::vector<std::pair<std::string, Dtype>> types = {};  // of columns, in place of the inferred ones
  // --join: columns that become one feature. `columns` are as typed: `a..b` stands for all columns from a to b.
  struct Join {
    std::string name;
    std::vector<std::string> columns;
    bool operator==(const Join&) const = default;
  };
  std::vector<Join> joins = {};
  // --fill, which is also spelled --default: the value for rows that have none, or the word mean or median.
  struct Fill {
    std::string option;  // as spelled
    std::string column;
    std::string value;
    bool operator==(const Fill&) const = default;
  };
  std::vector<Fill> fills = {};
  std::vector<std::string> missing = {};  // texts that stand for no value
  std::optional<char> delimiter = {};
  std::uint64_t batch = 1024;
  bool parse = false;
  std::optional<Shuffle> shuffle = {};
  std::optional<std::uint64_t> seconds = {};
  std::string timeline = {};
  // Of the program whose output is read; each entry is NAME=VALUE. parse_request() leaves it empty.
  std::vector<std::string> environment = {};

  bool operator==(const Request&) const = default;
};

// What to print, and the exit code, if there is nothing to run: the help, or what is wrong with the arguments.
struct ImmediateReply {
  int exit_code = 0;
  std::string out = {};
  std::string err;
  bool operator==(const ImmediateReply&) const = default;
};

std::string_view name_of(Command command);
// The type that --types names for this column or feature.
std::optional<Dtype> type_override(const Request& request, const std::string& name);

// `arguments` are those after `carrack data`.
std::variant<Request, ImmediateReply> parse_request(std::span<char* const> arguments);

}  // namespace carrack::data::cli

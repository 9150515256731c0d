// Parses the command line of `carrack data`, such as `carrack data convert x.csv --to x.tfrecord`, into a Request.
// Pure.
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

// A parsed command line. The option --max-skipped is the member max_skipped, and so on; usage.cc has the texts of
// --help, which explain each option. An option that was not typed has the value below; nullopt then means the default
// of the command. Numbers are at least 1, except in SkipLimit.
struct Request {
  Command command = Command::inspect;
  std::vector<std::string> inputs = {};  // FILES: at least one, as typed
  // The first input is a program, 'exec:PROGRAM ARGUMENT...'. Always false for other commands than convert, bench and
  // explain, and for an input after `--`.
  bool reads_program = false;
  bool json = false;   // prints JSON instead of text
  bool all = false;    // option of inspect: reads every record
  bool text = false;   // option of index: writes the text index NAME.idx
  bool check = false;  // option of index: writes nothing
  // How much --on-damage skip may leave out before convert fails: a number of rows, or a share of the rows and bytes.
  struct SkipLimit {
    std::string typed;                        // the option's value
    std::optional<std::uint64_t> count = {};  // rows, or damaged spans of TFRecords; nullopt: `share` is the limit
    double share = 1;                         // from 0 to 1
    bool operator==(const SkipLimit&) const = default;
  };
  std::optional<SkipLimit> max_skipped = {};
  bool force = false;                         // convert replaces existing files
  std::optional<OnDamage> on_damage = {};     // whether damage ends the command, or is left out
  std::optional<std::uint64_t> records = {};  // how many records inspect or head reads; also set by -n
  std::optional<unsigned> threads = {};       // see thread_count() in survey_files.h
  std::string feature = {};                   // option of stats: `x` or `x[2]`; empty: all features
  std::string out = {};  // path or URL of the folder for indexes; empty: each index is written next to its file
  std::string to = {};   // path or URL of the file that convert writes
  std::optional<Compression> compression = {};            // nullopt: the ending of `to` decides
  std::optional<std::uint64_t> shards = {};               // the number of files that convert writes
  std::optional<std::uint64_t> shard_size = {};           // the size of each of them in bytes, before compression
  std::vector<std::pair<std::string, Dtype>> types = {};  // names of columns or joined features, and their types
  // Columns that --join joins into one feature. `columns` are as typed: `a..b` means all columns from a to b.
  struct Join {
    std::string name;
    std::vector<std::string> columns;
    bool operator==(const Join&) const = default;
  };
  std::vector<Join> joins = {};
  // The value for rows that have none in a column, from --fill or --default, which mean the same.
  struct Fill {
    std::string option;  // "--fill" or "--default", as typed
    std::string column;
    std::string value;  // the value as text, or "mean" or "median"
    bool operator==(const Fill&) const = default;
  };
  std::vector<Fill> fills = {};
  std::vector<std::string> missing = {};      // texts that mean that there is no value
  std::optional<char> delimiter = {};         // separates the fields of CSV
  std::uint64_t batch = 1024;                 // the number of rows in a batch
  bool parse = false;                         // option of explain: the pipeline parses all features
  std::optional<Shuffle> shuffle = {};        // nullopt: the rows are not shuffled
  std::optional<std::uint64_t> seconds = {};  // bench makes up to three measurements; each takes a third of this
  std::string timeline = {};                  // path or URL of the file that bench writes; empty: none
  // The environment of the program whose output is read; each entry is NAME=VALUE. parse_request() leaves it empty, so
  // the caller sets it.
  std::vector<std::string> environment = {};

  bool operator==(const Request&) const = default;
};

// The text to print instead of running a command: the help, or what is wrong with the arguments.
struct ImmediateReply {
  int exit_code = 0;     // 0 for help, 2 for wrong arguments
  std::string out = {};  // for standard output
  std::string err;       // for standard error
  bool operator==(const ImmediateReply&) const = default;
};

// Returns the name as users type it: "inspect".
std::string_view name_of(Command command);
// Returns the type that --types has for this column or joined feature; nullopt if it has none.
std::optional<Dtype> type_override(const Request& request, const std::string& name);

// Parses the arguments after `carrack data`. Returns an ImmediateReply for --help and for wrong arguments; does not
// throw. Does not look at the files, so it is unknown whether they exist.
std::variant<Request, ImmediateReply> parse_request(std::span<char* const> arguments);

}  // namespace carrack::data::cli

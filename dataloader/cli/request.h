// What a user asks of `carrack data`: the command, its files and its options, as they were typed. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "dataloader/pipeline/stages/stages.h"
#include "dataloader/records/compression.h"
#include "dataloader/records/example.h"

namespace carrack::data::cli {

enum class Command : std::uint8_t { inspect, head, verify, index, stats, convert, bench, explain };

struct Request {
  Command command = Command::inspect;
  std::vector<std::string> inputs = {};  // at least one
  bool json = false;
  bool all = false;
  bool text = false;
  bool check = false;
  bool skip_corrupt = false;
  bool force = false;
  std::optional<std::uint64_t> records = {};  // -n
  std::optional<unsigned> threads = {};
  std::string out = {};
  std::string to = {};
  std::optional<Compression> compression = {};
  std::optional<std::uint64_t> shards = {};
  std::optional<std::uint64_t> shard_size = {};
  std::vector<std::pair<std::string, Dtype>> types = {};  // of columns, in place of what they look like
  // Columns that become one feature: its name, and theirs as they were typed, where `a..b` are all from a to b.
  struct Join {
    std::string name;
    std::vector<std::string> columns;
    bool operator==(const Join&) const = default;
  };
  std::vector<Join> joins = {};
  std::optional<char> delimiter = {};
  std::uint64_t batch = 1024;
  bool parse = false;
  std::optional<Shuffle> shuffle = {};
  std::optional<std::uint64_t> seconds = {};
  std::string timeline = {};

  bool operator==(const Request&) const = default;
};

// What is answered instead: the help, or what is wrong.
struct Answer {
  int exit_code = 0;
  std::string out = {};
  std::string err;
  bool operator==(const Answer&) const = default;
};

std::string_view name_of(Command command);
// What --types says of the column or feature.
std::optional<Dtype> told_type(const Request& request, const std::string& name);

// The arguments behind `carrack data`.
std::variant<Request, Answer> request_from(std::span<char* const> arguments);

}  // namespace carrack::data::cli

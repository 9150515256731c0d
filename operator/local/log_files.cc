#include "operator/local/log_files.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <system_error>
#include <tuple>
#include <utility>

#include "operator/error.h"
#include "trainer/launch/log_line.h"
#include "trainer/launch/spellings.h"

namespace carrack::control {
namespace {

constexpr std::size_t line_bytes_max = std::size_t{1} << 20, block_bytes = std::size_t{1} << 16;
constexpr std::string_view suffix = ".log";

// Removes the last '-' and what follows it from `name`, and returns what follows. Takes all if there is no '-'.
std::string_view take_last_part(std::string_view& name) {
  const std::size_t dash = name.rfind('-');
  const std::string_view part = name.substr(dash == name.npos ? 0 : dash + 1);
  name = name.substr(0, dash == name.npos ? 0 : dash);
  return part;
}

std::optional<int> take_last_number(std::string_view& name) {
  const std::string_view part = take_last_part(name);
  int number = 0;
  const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), number);
  const bool is_number = error == std::errc() && end == part.data() + part.size() && number >= 0;
  return is_number ? std::optional(number) : std::nullopt;
}

// Logs are named JOB-HASH-ROLE-INDEX-ATTEMPT-INCARNATION.log. Returns nullopt for other names.
std::optional<LogFile> log_file_of(const std::filesystem::path& path) {
  const std::string file = path.filename();
  if (!file.ends_with(suffix)) return std::nullopt;
  const std::string process = file.substr(0, file.size() - suffix.size());
  std::string_view rest = process;
  const auto incarnation = take_last_number(rest);
  const auto attempt = take_last_number(rest);
  const auto index = take_last_number(rest);
  const std::string_view role = take_last_part(rest);
  if (!incarnation || !attempt || !index) return std::nullopt;
  for (const auto& spelling : train::spellings<train::Role>) {
    if (spelling.text == role) return LogFile{process, path, {spelling.value, *index}, {*attempt, *incarnation}};
  }
  return std::nullopt;
}

std::ifstream opened(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error(Blame::platform, path + ": cannot be read: " + std::strerror(errno));
  return file;
}

}  // namespace

std::vector<LogFile> log_files(const std::string& folder) {
  std::vector<LogFile> files;
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator(folder + "/logs", failed)) {
    if (std::optional<LogFile> file = log_file_of(entry.path())) files.push_back(std::move(*file));
  }
  std::ranges::sort(files, {}, [](const LogFile& file) { return std::pair(file.member, file.fence); });
  return files;
}

std::string last_words(const std::string& log) {
  constexpr std::streamoff size_max = train::termination_message_max;
  std::ifstream file(log, std::ios::binary | std::ios::ate);
  const std::streamoff size = file.tellg();
  file.seekg(std::max<std::streamoff>(0, size - size_max));
  return train::without_log_lines(std::string(std::istreambuf_iterator<char>(file), {}));
}

void GrowingFile::skip_to_last(int lines) {
  std::ifstream file = opened(path_);
  file.seekg(0, std::ios::end);
  std::int64_t at = file.tellg();
  offset_ = 0;
  std::array<char, block_bytes> block{};
  // A line break that ends the file begins no line, so it is not counted.
  int breaks = 0;
  for (const std::int64_t end = at; at > 0;) {
    const std::int64_t begin = std::max<std::int64_t>(0, at - std::ssize(block));
    file.seekg(begin);
    file.read(block.data(), at - begin);
    for (std::int64_t byte = at - 1; byte >= begin; --byte) {
      if (block[static_cast<std::size_t>(byte - begin)] != '\n' || byte == end - 1 || ++breaks < lines) continue;
      offset_ = byte + 1;
      return;
    }
    at = begin;
  }
}

void GrowingFile::read(const std::function<void(std::string_view)>& on_line) {
  std::ifstream file = opened(path_);
  file.seekg(offset_);
  std::array<char, block_bytes> block{};
  while (file.read(block.data(), std::ssize(block)) || file.gcount() > 0) {
    offset_ += file.gcount();
    std::string_view bytes(block.data(), static_cast<std::size_t>(file.gcount()));
    for (std::size_t end = bytes.find('\n'); end != bytes.npos; end = bytes.find('\n')) {
      partial_ += bytes.substr(0, end);
      on_line(std::exchange(partial_, ""));
      bytes.remove_prefix(end + 1);
    }
    partial_ += bytes;
    if (partial_.size() >= line_bytes_max) on_line(std::exchange(partial_, ""));
  }
}

void GrowingFile::finish(const std::function<void(std::string_view)>& on_line) {
  if (!partial_.empty()) on_line(std::exchange(partial_, ""));
}

}  // namespace carrack::control

#include "dataloader/storage/file/numbered_file.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "dataloader/error.h"
#include "dataloader/storage/file/temporary_file.h"
#include "dataloader/text.h"

namespace carrack::data {
namespace {

using Number = std::uint64_t;  // the n of a file NAME.<n>, from 1 on; 0 means that the object does not exist

std::string name_of(const std::string& path, Number number) {
  return path + "." + std::to_string(number);
}

// Returns nullopt for a text that std::to_string() would not write, such as "07": no writer makes a file of that name,
// so it must not count as version 7.
std::optional<Number> number_from(std::string_view text) {
  return text.starts_with('0') ? std::nullopt : number_in<Number>(text);
}

// The files in a folder that belong to one object.
struct Names {
  struct Temporary {
    Number target = 0;  // the number that its writer wants to give to the file
    std::string path;
  };
  std::vector<Number> numbers;
  std::vector<Temporary> temporaries;

  Number highest() const { return numbers.empty() ? 0 : *std::max_element(numbers.begin(), numbers.end()); }
};

// Returns the `unique_name` of a TemporaryFile. The file then has the name .carrack.TARGET.UNIQUE@NAME, so that prune()
// sees which number its writer wants.
std::string temporary_name(Number target, const std::string& unique_name, const std::string& name) {
  return std::to_string(target) + "." + unique_name + "@" + name;
}
// Returns TARGET if the entry is a temporary file of the object `name`.
std::optional<Number> target_of(std::string_view entry, const std::string& name) {
  if (!entry.starts_with(temporary_prefix)) return std::nullopt;
  entry.remove_prefix(temporary_prefix.size());
  const std::size_t dot = entry.find('.');
  const std::size_t mark = entry.find('@');
  if (mark == std::string_view::npos || dot > mark || entry.substr(mark + 1) != name) return std::nullopt;
  return number_from(entry.substr(0, dot));
}

Names names_in(const FilePath& path) {
  Names found;
  const std::string numbered = path.name + ".";
  for (const auto& entry : entries_in(path.folder)) {
    const std::string name = entry.path().filename().string();
    if (const auto target = target_of(name, path.name)) found.temporaries.push_back({*target, entry.path().string()});
    if (!name.starts_with(numbered)) continue;
    if (const auto number = number_from(name.substr(numbered.size()))) found.numbers.push_back(*number);
  }
  return found;
}

// Removes older files: first the temporary files whose writers want a number up to `committed`, then the files with
// lower numbers. So a writer that was paused before its link() finds that its number is in use, or that its temporary
// file is gone, but never that its number is free again.
void prune(const std::string& path, Number committed) {
  const Names found = names_in(split_path(path));
  for (const auto& [target, temporary] : found.temporaries) {
    if (target <= committed) unlink_file(temporary);
  }
  for (const Number number : found.numbers) {
    if (number < committed) unlink_file(name_of(path, number));
  }
}

Bytes read_small(const Descriptor& file, const std::string& path) {
  const auto size = static_cast<std::uint64_t>(status_of(file, path).st_size);
  require_small(path, size);
  Bytes bytes(size);
  bytes.resize(read_at(file, bytes, 0, path));
  return bytes;
}

}  // namespace

std::optional<Latest> latest_numbered(const std::string& path) {
  constexpr int tries = 1000;  // because the file may be replaced between the listing and open()
  for (int i = 0; i < tries; ++i) {
    const Number number = names_in(split_path(path)).highest();
    if (number == 0) return std::nullopt;
    const std::string name = name_of(path, number);
    const std::optional<Descriptor> file = open_file(name);
    if (file) return Latest{read_small(*file, name), {std::to_string(number)}};
  }
  throw Error(path + ": was replaced " + std::to_string(tries) + " times while being read; see who writes it");
}

std::optional<Version> replace_numbered(const std::string& path, const std::optional<Version>& expected,
                                        std::span<const std::byte> bytes, const std::string& unique_name) {
  require_small(path, bytes.size());
  const std::optional<Number> known = expected ? number_from(expected->text) : Number{0};
  if (!known) throw Error(path + ": \"" + expected->text + "\" is not a version of a file; take it from latest()");
  const FilePath parts = split_path(path);
  make_folder(parts.folder);
  const Number next = *known + 1;
  TemporaryFile written(parts.folder, temporary_name(next, unique_name, parts.name), path);
  write_all(written.file(), bytes, written.path());
  sync(written.file(), written.path());
  // This must be checked after the temporary file was made. From then on, a writer that removes the file with the
  // number `next` removes this temporary file first, so link_to() fails.
  if (names_in(parts).highest() != *known) return std::nullopt;
  if (written.link_to(name_of(path, next)) != TemporaryFile::LinkResult::linked) return std::nullopt;
  sync_folder(parts.folder);
  try {
    prune(path, next);
  } catch (const Error&) {  // This writer has succeeded nevertheless, and the next writer prunes again.
  }
  return Version{std::to_string(next)};
}

}  // namespace carrack::data

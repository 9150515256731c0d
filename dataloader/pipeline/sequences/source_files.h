// How the sources of a pipeline, such as CSV files, list their files by patterns and open them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "dataloader/error.h"
#include "dataloader/indexes/indexed_file.h"
#include "dataloader/records/corrupt.h"
#include "dataloader/storage/storages.h"

namespace carrack::data {

// Returns the files that match the patterns: those of the first pattern, sorted by URL, then those of the second, and
// so on. A file that two patterns match occurs twice. Throws an Error if a pattern matches no file, or if storage
// fails.
std::vector<Listed> source_files(const Storages& storages, const std::vector<std::string>& patterns);

// Returns the bytes of the file as it is stored, not inflated. Reading fails if the file has changed since it was
// listed. Reads nothing here. The storages must outlive the result.
std::unique_ptr<const ByteSource> source_of(const Storages& storages, const Listed& file);

// Unwraps the result of a function that returns damage as a value: returns the value, or throws an Error with the text
// of the Corrupt.
template <typename Found>
Found value_or_throw(std::variant<Found, Corrupt> found) {
  if (const Corrupt* corrupt = std::get_if<Corrupt>(&found)) throw Error(text(*corrupt));
  return std::get<Found>(std::move(found));
}

// Returns the sum of the files' sizes as they are stored.
std::uint64_t total_bytes(const std::vector<Listed>& files);

}  // namespace carrack::data

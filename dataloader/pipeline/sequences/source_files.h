// The files that a source reads, and what they have in common.
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

// The files of each pattern in turn, in the order of their names. Throws an Error if a pattern matches none.
std::vector<Listed> source_files(const Storages& storages, const std::vector<std::string>& patterns);

std::unique_ptr<const ByteSource> source_of(const Storages& storages, const Listed& file);

// Throws an Error that says what is corrupt if nothing was found in a file.
template <typename Found>
Found value_or_throw(std::variant<Found, Corrupt> found) {
  if (const Corrupt* corrupt = std::get_if<Corrupt>(&found)) throw Error(text(*corrupt));
  return std::get<Found>(std::move(found));
}

std::uint64_t total_bytes(const std::vector<Listed>& files);

}  // namespace carrack::data

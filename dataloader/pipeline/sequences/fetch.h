// Reads records of any files where their indexes say they are: neighbours in one piece, each file in one call, all into
// one memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "dataloader/indexes/indexed_file.h"
#include "dataloader/order/order.h"

namespace carrack::data {

struct RecordId {
  std::size_t file = 0;
  std::uint64_t record = 0;
  bool operator==(const RecordId&) const = default;
};

struct Wanted {
  RecordId id;
  std::size_t row = 0;                    // of the batch
  Index::Extent extent;                   // of its frame in the file
  std::span<const std::byte> frame = {};  // once it is fetched
};

struct Fetched {
  std::shared_ptr<std::byte[]> memory;
  const Wanted* changed = nullptr;  // A record whose file is no longer what it was: then not all are fetched.
};

// By files and offsets.
void sort(std::span<Wanted> wanted);

// Points each of `wanted`, which are sorted, to its bytes. As many bytes that nobody wants are read where that saves
// another read.
Fetched fetch(const std::vector<IndexedFile>& files, std::span<Wanted> wanted, std::uint64_t longest_gap);

}  // namespace carrack::data

// Records into files, one after the other, each a contiguous part of about the same size.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "dataloader/cli/output.h"
#include "dataloader/storage/storage.h"

namespace carrack::data::cli {

class Shards {
 public:
  struct Plan {
    std::vector<std::string> names;  // at least one
    std::uint64_t size = 0;          // of all frames that are to come, in bytes
    bool replaces = false;           // what is there under these names
    unsigned threads = 1;            // that write one
  };

  Shards(Storage& storage, Output output, Plan plan);

  // Throws Refused where a name is taken that may not be replaced.
  void write(std::span<const std::byte> record);
  // The last one, and all that got no record. Called once, last.
  void finish();
  // Removes what was written, so that no part of a set is taken for all of it.
  void take_back();

 private:
  void open();
  void commit();

  Storage& storage_;
  const Output output_;
  const Plan plan_;
  std::uint64_t written_ = 0;  // bytes of frames
  std::size_t committed_ = 0;
  std::unique_ptr<Sink> sink_;  // of names[committed_]
};

}  // namespace carrack::data::cli

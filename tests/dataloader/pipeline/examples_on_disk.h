// Files of tf.Examples in a folder of their own, each record with its number, counting through all files, as "id".
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include "dataloader/records/example_writer.h"
#include "dataloader/records/frame.h"
#include "dataloader/storage/storage.h"
#include "tests/dataloader/storage/temporary_folder.h"

namespace carrack::data {

class ExamplesOnDisk {
 public:
  ExamplesOnDisk(std::int64_t files, std::int64_t records) {
    for (std::int64_t file = 0; file < files; ++file) {
      Bytes bytes;
      offsets_.emplace_back();
      for (std::int64_t id = file * records; id < (file + 1) * records; ++id) {
        offsets_.back().push_back(bytes.size());
        const NamedValues values[] = {{"id", std::span<const std::int64_t>(&id, 1)}};
        frame::append(bytes, example_of(values));
      }
      std::ofstream(name(static_cast<std::size_t>(file)), std::ios::binary)
          .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    }
  }

  std::string name(std::size_t file) const { return folder_.path() + "/x-" + std::to_string(file) + ".tfrecord"; }
  std::string pattern() const { return folder_.path() + "/x-*.tfrecord"; }
  std::uint64_t offset(std::size_t file, std::size_t record) const { return offsets_[file][record]; }
  // In a record's data, or in another byte of its frame.
  void flip_bit(std::size_t file, std::size_t record, std::size_t byte_of_frame = frame::header_size) const {
    std::fstream stream(name(file), std::ios::in | std::ios::out | std::ios::binary);
    const auto at = static_cast<std::streamoff>(offset(file, record) + byte_of_frame);
    stream.seekg(at);
    const int byte = stream.get();
    stream.seekp(at);
    stream.put(static_cast<char>(byte ^ 1));
  }

 private:
  TemporaryFolder folder_;
  std::vector<std::vector<std::uint64_t>> offsets_;
};

}  // namespace carrack::data

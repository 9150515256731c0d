// Files of numpy.savez: several arrays in a ZIP archive.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "dataloader/records/byte_source.h"
#include "dataloader/records/corrupt.h"
#include "dataloader/sources/array_rows.h"
#include "dataloader/sources/zip_directory.h"

namespace carrack::data {

// The arrays of an .npz file. The file must outlive it and its arrays. Safe from any thread.
class Npz {
 public:
  static std::variant<Npz, Corrupt> open(const ByteSource& file);

  // The names given to numpy.savez, sorted.
  std::vector<std::string> names() const;
  // The memory that all deflated arrays take together.
  std::uint64_t inflated_bytes() const;
  // Reads the whole array to verify its checksum; a deflated array stays in memory. Throws an Error if there is no
  // array of this name, or not enough memory.
  std::variant<ArrayRows, Corrupt> array(const std::string& name) const;

 private:
  explicit Npz(const ByteSource& file) : file_(&file) {}

  const ByteSource* file_;
  std::map<std::string, ZipMember> arrays_;
};

}  // namespace carrack::data

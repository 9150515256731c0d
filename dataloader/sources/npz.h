// Reads files of numpy.savez: several arrays in a ZIP archive.
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

// The arrays of an .npz file. The file must outlive this object and its arrays. Thread-safe.
class Npz {
 public:
  // Reads only the directory of the archive. Ignores members whose names do not end with .npy. Throws Error if the
  // storage fails.
  static std::variant<Npz, Corrupt> open(const ByteSource& file);

  // The names of the arrays, as they were passed to numpy.savez (without .npy), sorted.
  std::vector<std::string> names() const;
  // The number of bytes of memory that all deflated arrays would take if all were opened.
  std::uint64_t inflated_bytes() const;
  // Opens an array. Reads all of it to verify its checksum. The result then has a deflated array in memory, and reads
  // any other array from the file. Throws Error if no array has this name, there is not enough memory, or the storage
  // fails.
  std::variant<ArrayRows, Corrupt> array(const std::string& name) const;

 private:
  explicit Npz(const ByteSource& file) : file_(&file) {}

  const ByteSource* file_;
  std::map<std::string, ZipMember> arrays_;
};

}  // namespace carrack::data

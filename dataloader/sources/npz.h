// Npz: opens the arrays in a .npz file, as numpy.savez() and savez_compressed() write it: a ZIP archive with a .npy
// file for each array.
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
  // Reads only the directory of the archive. Ignores members whose names do not end with .npy. Returns Corrupt if
  // read_zip_directory() does, or a name occurs twice. Throws Error if the storage fails.
  static std::variant<Npz, Corrupt> open(const ByteSource& file);

  // The names of the arrays, as they were passed to numpy.savez (without .npy), sorted.
  std::vector<std::string> names() const;
  // The number of bytes of memory that all compressed (deflated) arrays need if all are open at once. Arrays that are
  // not compressed need none, as they are read from the file.
  std::uint64_t inflated_bytes() const;
  // Opens an array, and reads all of it once to verify its checksum. A compressed array is then in the memory of the
  // result; any other array is read from the file. Returns Corrupt if the array is damaged or encrypted, or is none
  // that open_npy() can read. Throws Error if no array has this name, there is not enough memory, or the storage fails.
  std::variant<ArrayRows, Corrupt> array(const std::string& name) const;

 private:
  explicit Npz(const ByteSource& file) : file_(&file) {}

  const ByteSource* file_;
  std::map<std::string, ZipMember> arrays_;
};

}  // namespace carrack::data

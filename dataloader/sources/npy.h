// Arrays in numpy's own format, docs/formats/npy.md. Their headers are text that Python would evaluate; here it is held
// against a grammar, and nothing is ever unpickled.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "dataloader/records/byte_source.h"
#include "dataloader/records/corrupt.h"
#include "dataloader/sources/array_rows.h"
#include "dataloader/sources/zip.h"

namespace carrack::data {

struct NpyArray {
  ArrayType type;
  std::vector<std::uint64_t> shape;
  bool operator==(const NpyArray&) const = default;
};

// What the dictionary in a header says, or in words why it cannot be read.
std::variant<NpyArray, std::string> npy_array(std::string_view dictionary);

std::variant<ArrayRows, Corrupt> open_npy(std::unique_ptr<const ByteSource> file);

// The arrays in a file of numpy's that holds several, a ZIP archive, which must outlive them all.
class Npz {
 public:
  static std::variant<Npz, Corrupt> open(const ByteSource& file);

  // As numpy.savez was given them, sorted.
  std::vector<std::string> names() const;
  // That all that are deflated take in memory.
  std::uint64_t inflated_bytes() const;
  // Throws an Error where there is none of this name, or no memory for it. All of it is read, to check it; what is
  // deflated stays in memory.
  std::variant<ArrayRows, Corrupt> array(const std::string& name) const;

 private:
  explicit Npz(const ByteSource& file) : file_(&file) {}

  const ByteSource* file_;
  std::map<std::string, ZipMember> arrays_;
};

}  // namespace carrack::data

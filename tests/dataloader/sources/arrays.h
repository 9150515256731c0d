// Files of numpy's for tests, written down as what stands in them.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dataloader/records/compression.h"
#include "dataloader/records/little_endian.h"
#include "tests/dataloader/sources/rows.h"

namespace carrack::data {

// Of format 1.0, or another.
inline Bytes npy_of(const std::string& dictionary, const Bytes& array, std::uint8_t major = 1) {
  Bytes file = file_with("\x93NUMPY");
  file.push_back(static_cast<std::byte>(major));
  file.push_back(std::byte{0});
  if (major == 1)
    append_number(file, static_cast<std::uint16_t>(dictionary.size()));
  else
    append_number(file, static_cast<std::uint32_t>(dictionary.size()));
  return joined(joined(std::move(file), file_with(dictionary)), array);
}

inline std::string dictionary(const std::string& descr, const std::string& shape) {
  return "{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + ", }\n";
}

template <typename Numbers>
Bytes numbers(const Numbers& values) {
  const auto bytes = std::as_bytes(std::span(values));
  return {bytes.begin(), bytes.end()};
}

struct Zipped {
  std::string name;
  Bytes content;
  bool is_deflated = false;
  std::uint16_t flags = 0;
};

// Where an archive's directory is, and a comment.
inline void append_end(Bytes& file, std::uint64_t count, std::uint64_t size, std::uint64_t at, bool beyond) {
  if (beyond) {
    const std::uint64_t end64 = file.size();
    append_number(file, std::uint32_t{0x06064b50});
    append_number(file, std::uint64_t{44});
    append_number(file, std::uint32_t{0x002d002d});
    append_number(file, std::uint64_t{0});
    for (const std::uint64_t number : {count, count, size, at}) append_number(file, number);
    append_number(file, std::uint32_t{0x07064b50});
    append_number(file, std::uint32_t{0});
    append_number(file, end64);
    append_number(file, std::uint32_t{1});
  }
  append_number(file, std::uint32_t{0x06054b50});
  append_number(file, std::uint32_t{0});
  for (int i = 0; i < 2; ++i) append_number(file, static_cast<std::uint16_t>(beyond ? 0xffff : count));
  append_number(file, static_cast<std::uint32_t>(beyond ? 0xffffffff : size));
  append_number(file, static_cast<std::uint32_t>(beyond ? 0xffffffff : at));
  append_number(file, std::uint16_t{4});
  file = joined(std::move(file), file_with("PK\5\6"));
}

// An archive; its numbers have 64 bits where that is asked for.
inline Bytes zip_of(const std::vector<Zipped>& members, bool beyond = false) {
  Bytes file, directory;
  for (const Zipped& member : members) {
    Bytes packed = member.content;
    if (member.is_deflated) {  // A stream of zlib's without its ends.
      const Bytes stream = compressed(packed, Compression::zlib);
      packed.assign(stream.begin() + 2, stream.end() - 4);
    }
    const auto offset = file.size();
    const auto common = [&](Bytes& to, bool with_64_bits) {
      append_number(to, std::uint16_t{45});
      append_number(to, member.flags);
      append_number(to, static_cast<std::uint16_t>(member.is_deflated ? 8 : 0));
      append_number(to, std::uint32_t{0});
      append_number(to, crc32(member.content));
      append_number(to, with_64_bits ? 0xffffffffu : static_cast<std::uint32_t>(packed.size()));
      append_number(to, with_64_bits ? 0xffffffffu : static_cast<std::uint32_t>(member.content.size()));
      append_number(to, static_cast<std::uint16_t>(member.name.size()));
      append_number(to, static_cast<std::uint16_t>(with_64_bits ? 28 : 0));
    };
    append_number(file, std::uint32_t{0x04034b50});
    common(file, false);
    file = joined(joined(std::move(file), file_with(member.name)), packed);
    append_number(directory, std::uint32_t{0x02014b50});
    append_number(directory, std::uint16_t{45});
    common(directory, beyond);
    for (int i = 0; i < 5; ++i) append_number(directory, std::uint16_t{0});
    append_number(directory, beyond ? 0xffffffffu : static_cast<std::uint32_t>(offset));
    directory = joined(std::move(directory), file_with(member.name));
    if (!beyond) continue;
    append_number(directory, std::uint16_t{1});
    append_number(directory, std::uint16_t{24});
    for (const std::uint64_t number : {member.content.size(), packed.size(), offset}) append_number(directory, number);
  }
  const std::uint64_t at = file.size(), size = directory.size();
  file = joined(std::move(file), directory);
  append_end(file, members.size(), size, at, beyond);
  return file;
}

}  // namespace carrack::data

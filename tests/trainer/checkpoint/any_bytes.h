// Ways to give any bytes to the decoders, shared by the mutation test and the fuzzer: as they are, or wrapped in sound
// checksums so that what lies behind those is reached. Each says whether the bytes were taken for sound.
// What is taken for sound must also hold together: it is read, and its encoding decodes to the same.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <string_view>

#include "dataloader/crc32c.h"
#include "tests/fuzz/must.h"
#include "trainer/checkpoint/best.h"
#include "trainer/checkpoint/bundle.h"
#include "trainer/checkpoint/digest.h"
#include "trainer/checkpoint/head.h"
#include "trainer/checkpoint/integers.h"
#include "trainer/checkpoint/manifest.h"
#include "trainer/checkpoint/restore.h"
#include "trainer/checkpoint/safetensors.h"
#include "trainer/checkpoint/statistics.h"
#include "trainer/checkpoint/table.h"

namespace carrack::checkpoint::any_bytes {

inline bool as_index(std::string_view bytes) {
  const Decoded<Bundle> decoded = decode_index(bytes);
  const auto* bundle = std::get_if<Bundle>(&decoded);
  if (!bundle) return false;
  const Decoded<Bundle> again = decode_index(encode_index(*bundle));
  fuzz::must(std::holds_alternative<Bundle>(again) && std::get<Bundle>(again) == *bundle, "an index is read back");
  digest_lines(*bundle);
  // Shards of zeros that end after a megabyte.
  const ReadAt zeros = [](const std::string&, std::uint64_t offset, std::span<std::byte> into) -> std::size_t {
    constexpr std::uint64_t end = 1 << 20;
    return offset >= end ? 0 : std::min<std::uint64_t>(into.size(), end - offset);
  };
  const StoredBundle stored{"p", *bundle, zeros};
  for (const auto& [name, tensor] : bundle->tensors) {
    if (!element_size(tensor.dtype) || row_size(tensor.dtype, tensor.shape) > 1 << 20) continue;
    const Rows rows{row_count(tensor.shape) / 2, row_count(tensor.shape) > 0 ? 1 : 0};
    std::vector<std::byte> into(static_cast<std::size_t>(rows.count) * row_size(tensor.dtype, tensor.shape));
    (void)read_rows(stored, name, rows, into);
  }
  return true;
}

inline std::size_t first_block_size(std::string_view index) {
  Cursor footer(index.substr(index.size() - 48));
  return footer.varint() - 5;  // The block of metadata follows the only block of data.
}

// As the one block of a table.
inline bool as_block(std::string_view bytes) {
  const auto block = [](std::string content) {
    content.push_back(0);
    put_fixed32(content, data::masked_crc32c(std::as_bytes(std::span(content))));
    return content;
  };
  std::string handle;
  put_varint(handle, 0);
  put_varint(handle, bytes.size());
  std::string index;
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, handle.size()}) put_varint(index, size);
  index += "z" + handle;
  put_fixed32(index, 0);
  put_fixed32(index, 1);
  std::string footer(2, '\0');
  put_varint(footer, bytes.size() + 5);
  put_varint(footer, index.size());
  footer.resize(40);
  put_fixed64(footer, 0xdb4775248b80fb57);
  return as_index(block(std::string(bytes)) + block(index) + footer);
}

// As the keys and values of a sound table: each with its size before it.
inline bool as_rows(std::string_view bytes) {
  Table table;
  for (Cursor cursor(bytes); !cursor.at_end();) {
    const std::string_view key = cursor.take(cursor.varint());
    const std::string_view value = cursor.take(cursor.varint());
    if (!cursor.failed()) table[std::string(key)] = value;
  }
  return as_index(encode_table(table));
}

inline std::string rows_of(std::string_view index) {
  std::string bytes;
  const Table table = std::get<Table>(decode_table(index));
  for (const auto& [key, value] : table) {
    put_varint(bytes, key.size());
    bytes += key;
    put_varint(bytes, value.size());
    bytes += value;
  }
  return bytes;
}

inline bool as_manifest(std::string_view bytes) {
  const Decoded<Manifest> decoded = decode_manifest(bytes);
  const auto* manifest = std::get_if<Manifest>(&decoded);
  if (manifest) fuzz::must(encode_manifest(*manifest) == bytes, "a manifest has one text");
  return manifest;
}

inline bool as_head(std::string_view bytes) {
  const Decoded<Head> decoded = decode_head(bytes);
  const auto* head = std::get_if<Head>(&decoded);
  if (head) fuzz::must(encode_head(*head) == bytes, "a HEAD has one text");
  return head;
}

inline bool as_best(std::string_view bytes) {
  const Decoded<Best> decoded = decode_best(bytes);
  const auto* best = std::get_if<Best>(&decoded);
  if (best) fuzz::must(encode_best(*best) == bytes, "BEST has one text");
  return best;
}

inline bool as_statistics(std::string_view bytes) {
  const Decoded<Statistics> decoded = decode_statistics(bytes);
  const auto* statistics = std::get_if<Statistics>(&decoded);
  if (statistics) fuzz::must(encode_statistics(*statistics) == bytes, "statistics have one text");
  return statistics;
}

// As a whole safetensors file.
inline bool as_safetensors(std::string_view bytes) {
  const Decoded<std::uint64_t> size = safetensors_header_size(bytes.substr(0, safetensors_size_bytes), bytes.size());
  if (!std::holds_alternative<std::uint64_t>(size)) return false;
  const std::string header(bytes.substr(safetensors_size_bytes, std::get<std::uint64_t>(size)));
  const Decoded<SafeTensors> decoded = decode_safetensors(header, bytes.size());
  const auto* tensors = std::get_if<SafeTensors>(&decoded);
  if (!tensors) {
    fuzz::must(!std::get<Corrupt>(decoded).text.empty(), "a fault says what is wrong");
    return false;
  }
  std::uint64_t total = safetensors_size_bytes + header.size();
  for (const auto& [name, tensor] : *tensors) {
    fuzz::must(tensor.offset <= bytes.size() && tensor.size <= bytes.size() - tensor.offset, "a tensor is in the file");
    if (tensor.dtype) {
      const std::uint64_t row = row_size(*tensor.dtype, tensor.shape);
      fuzz::must(row * static_cast<std::uint64_t>(row_count(tensor.shape)) == tensor.size, "a tensor has its size");
    }
    total += tensor.size;
  }
  fuzz::must(total == bytes.size(), "each byte is of one tensor");
  return true;
}

// As the header of one, with so many bytes behind it.
inline bool as_safetensors_header(std::string_view header, std::size_t data_size) {
  std::string file;
  put_fixed64(file, header.size());
  return as_safetensors(file + std::string(header) + std::string(data_size, '\0'));
}

}  // namespace carrack::checkpoint::any_bytes

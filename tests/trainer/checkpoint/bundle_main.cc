// bundle-tool: writes and reads bundles for tests/interop.
//   write FOLDER SHARDS          the samples, as FOLDER/ours in so many shards; prints their digest
//   list PREFIX                  a line a tensor: name, type, shape, number of parts
//   read PREFIX NAME BEGIN ROWS  the bytes of those rows
//   digest PREFIX                the lines of the digest, and the digest
#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>

#include "dataloader/crc32c.h"
#include "tests/trainer/checkpoint/samples.h"
#include "trainer/checkpoint/digest.h"

namespace {

using namespace carrack::checkpoint;

template <class Value>
Value sound(Decoded<Value> decoded) {
  if (auto* value = std::get_if<Value>(&decoded)) return std::move(*value);
  std::cerr << std::get<Corrupt>(decoded).text << "\n";
  std::exit(1);
}

std::string content_of(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::size_t read_at(const std::string& file, std::uint64_t offset, std::span<std::byte> into) {
  std::ifstream in(file, std::ios::binary);
  in.seekg(static_cast<std::streamoff>(offset));
  in.read(reinterpret_cast<char*>(into.data()), static_cast<std::streamsize>(into.size()));
  return static_cast<std::size_t>(in.gcount());
}

void print_digest(const Bundle& bundle) {
  const std::string lines = sound(digest_lines(bundle));
  std::cout << lines << "digest " << carrack::data::crc32c_hex(digest_of(lines)) << "\n";
}

void write(const std::string& folder, const std::string& shards) {
  const std::string prefix = folder + "/ours";
  samples::Files files;
  const auto reports =
      samples::write_shards(files, samples::samples(), prefix, static_cast<std::uint32_t>(std::stoul(shards)));
  const Bundle bundle = sound(merge(reports));
  files[index_name(prefix)] = encode_index(bundle);
  for (const auto& [name, bytes] : files) std::ofstream(name, std::ios::binary) << bytes;
  print_digest(bundle);
}

void list(const Bundle& bundle) {
  for (const auto& [name, tensor] : bundle.tensors) {
    std::cout << name << " " << name_of(tensor.dtype) << " " << text_of(tensor.shape) << " " << tensor.parts.size()
              << "\n";
  }
}

void read(const std::string& prefix, Bundle bundle, const std::string& name, Rows rows) {
  const Tensor& tensor = bundle.tensors[name];
  std::vector<std::byte> into(row_size(tensor.dtype, tensor.shape) * static_cast<std::uint64_t>(rows.count));
  if (const auto corrupt = read_rows({prefix, std::move(bundle), read_at}, name, rows, into)) {
    std::cerr << corrupt->text << "\n";
    std::exit(1);
  }
  std::cout << samples::text(into);
}

}  // namespace

int main(int count, char** given) {
  const std::vector<std::string> words(given + 1, given + count);
  if (words.size() == 3 && words[0] == "write") {
    write(words[1], words[2]);
    return 0;
  }
  if (words.size() < 2) return 2;
  const Bundle bundle = sound(decode_index(content_of(index_name(words[1]))));
  if (words[0] == "list") list(bundle);
  if (words[0] == "digest") print_digest(bundle);
  if (words[0] == "read") read(words[1], bundle, words.at(2), {std::stoll(words.at(3)), std::stoll(words.at(4))});
}

#include "tests/contract/storage_objects.h"

#include <algorithm>
#include <random>

namespace carrack::data {

Bytes bytes_from(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

std::string text_from(const Bytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string noise(std::size_t size, unsigned seed) {
  std::mt19937 numbers(seed);
  std::string text(size, '\0');
  std::ranges::generate(text, [&] { return static_cast<char>(numbers()); });
  return text;
}

ObjectStat put(Storage& storage, const std::string& url, std::string_view content) {
  const auto writer = storage.create(url, {});
  writer->write(std::as_bytes(std::span(content)));
  return writer->commit().value();
}

std::string content_of(Storage& storage, const std::string& url) {
  return text_from(read_whole(storage, url).value());
}

}  // namespace carrack::data

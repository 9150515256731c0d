#include "dataloader/storage/storage.h"

#include "dataloader/error.h"

namespace carrack::data {

void require_small(const std::string& url, std::uint64_t size) {
  if (size <= small_object_limit) return;
  throw Error(url + ": has " + std::to_string(size) + " bytes, and what is changed by compare-and-set at most " +
              std::to_string(small_object_limit) + "; write it as an object of its own");
}

std::optional<Bytes> read_whole(Storage& storage, const std::string& url) {
  constexpr int tries = 10;  // Of reading one version, of an object that somebody keeps replacing.
  for (int i = 0; i < tries; ++i) {
    const std::optional<ObjectStat> found = storage.stat(url);
    if (!found) return std::nullopt;
    Bytes bytes(found->size);
    const Slice whole{0, bytes};
    if (storage.read(url, {&whole, 1}, found->version) == ReadResult::complete) return bytes;
  }
  throw Error(url + ": changed " + std::to_string(tries) + " times while being read; let its writer end first");
}

}  // namespace carrack::data

// Contents and objects for tests of storages, in a line each.
#pragma once

#include <string>
#include <string_view>

#include "dataloader/storage/storage.h"

namespace carrack::data {

Bytes bytes_from(std::string_view text);
std::string text_from(const Bytes& bytes);
// Pseudo-random, a function of the seed.
std::string noise(std::size_t size, unsigned seed);

ObjectStat put(Storage& storage, const std::string& url, std::string_view content);
// Of an object that must be there.
std::string content_of(Storage& storage, const std::string& url);

}  // namespace carrack::data

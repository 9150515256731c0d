#include "operator/runtime/new_key.h"

#include <sys/random.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>

#include "dataloader/text.h"
#include "operator/error.h"

namespace carrack::control {

std::string new_key() {
  std::array<std::uint8_t, 32> bytes{};
  // getrandom() returns a request of up to 256 bytes completely or not at all.
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    throw Error(Blame::platform, std::string("cannot draw a key: ") + std::strerror(errno));
  }
  return data::hexadecimal(bytes);
}

}  // namespace carrack::control

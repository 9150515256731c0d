// Fuzzes what reads safetensors files. The first byte is 0 before a whole file, else the number of bytes behind a
// header.
#include <cstddef>
#include <cstdint>

#include "tests/trainer/checkpoint/any_bytes.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace any_bytes = carrack::checkpoint::any_bytes;
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] == 0) {
    any_bytes::as_safetensors(bytes);
  } else {
    any_bytes::as_safetensors_header(bytes, data[0]);
  }
  return 0;
}

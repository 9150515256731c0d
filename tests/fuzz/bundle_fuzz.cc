// Fuzzes what reads checkpoints: indexes of bundles, manifests, HEADs, STATISTICS and BESTs. The first byte chooses the way in.
#include <cstddef>
#include <cstdint>

#include "tests/trainer/checkpoint/any_bytes.h"
#include "trainer/checkpoint/sealed_lines.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace any_bytes = carrack::checkpoint::any_bytes;
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 8) {
    case 0:
      any_bytes::as_index(bytes);
      break;
    case 1:
      any_bytes::as_block(bytes);
      break;
    case 2:
      any_bytes::as_rows(bytes);
      break;
    case 3:
      any_bytes::as_manifest(bytes);
      break;
    case 4:
      any_bytes::as_manifest(carrack::checkpoint::seal(std::string(bytes)));
      break;
    case 5:
      any_bytes::as_head(carrack::checkpoint::seal(std::string(bytes)));
      break;
    case 6:
      any_bytes::as_statistics(carrack::checkpoint::seal(std::string(bytes)));
      break;
    default:
      any_bytes::as_best(carrack::checkpoint::seal(std::string(bytes)));
  }
  return 0;
}

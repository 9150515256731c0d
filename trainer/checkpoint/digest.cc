#include "trainer/checkpoint/digest.h"

#include <span>

#include "dataloader/crc32c.h"

namespace carrack::checkpoint {

Decoded<std::string> digest_lines(const Bundle& bundle) {
  std::string lines;
  for (const auto& [name, tensor] : bundle.tensors) {
    if (!element_size(tensor.dtype)) continue;
    std::uint32_t crc = 0;
    for (const Part& part : tensor.parts) {
      if (!is_whole(part, tensor.shape) && !is_rows(part, tensor.shape)) {
        return Corrupt{"tensor " + name + " lies in slices that are not runs of rows, so it has no digest"};
      }
      crc = data::crc32c_combine(crc, part.crc32c, part.size);
    }
    lines += name + " " + name_of(tensor.dtype) + " " + text_of(tensor.shape) + " " + data::crc32c_hex(crc) + "\n";
  }
  return lines;
}

std::uint32_t digest_of(const std::string& lines) {
  return data::crc32c(std::as_bytes(std::span(lines)));
}

}  // namespace carrack::checkpoint

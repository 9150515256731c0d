#include "dataloader/images/image_reader.h"

#include <string>

#include "dataloader/text.h"

namespace carrack::data {

std::optional<Undecodable> check_claim(const ImageClaim& claim, std::uint64_t encoded_bytes,
                                       const ImageRequest& request) {
  const std::string subject = "it says that it is " + std::to_string(claim.size.height) + "x" +
                              std::to_string(claim.size.width) + " pixels (height x width), ";
  if (std::uint64_t{claim.size.width} * claim.size.height > request.pixels_max)
    return Undecodable{subject + "more than the " + std::to_string(request.pixels_max) + " that are allowed"};
  if (claim.encoded_min_bytes > encoded_bytes)
    return Undecodable{subject + "which its " + std::to_string(encoded_bytes) + " bytes cannot hold"};
  if (claim.memory_bytes > request.memory_max_bytes)
    return Undecodable{subject + "which takes " + format_bytes(claim.memory_bytes) + " of memory to decode; at most " +
                       format_bytes(request.memory_max_bytes) + " are allowed"};
  return {};
}

}  // namespace carrack::data

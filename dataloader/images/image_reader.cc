#include "dataloader/images/image_reader.h"

#include <string>

namespace carrack::data {

std::optional<Undecodable> problem_of_size(ImageSize size, std::uint64_t least, std::uint64_t bytes,
                                           std::uint64_t pixels_max) {
  const std::string words = "it says that it is " + std::to_string(size.height) + "x" + std::to_string(size.width) +
                            " pixels (height x width), ";
  if (std::uint64_t{size.width} * size.height > pixels_max)
    return Undecodable{words + "more than the " + std::to_string(pixels_max) + " that are allowed"};
  if (least > bytes) return Undecodable{words + "which its " + std::to_string(bytes) + " bytes cannot hold"};
  return {};
}

}  // namespace carrack::data

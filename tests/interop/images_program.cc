// interop_images: our decoding of images, for a test against TensorFlow's.
//   make FOLDER           writes images of all kinds, as our test's encoders make them
//   decode FOLDER INTO    writes INTO/NAME.WAY for each image NAME of the folder and each way in which it is asked for:
//   a line of
//                         height, width, channels and type and then the values, or a line that begins with `fault`
// What the ways are, images_tensorflow.py says to TensorFlow.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <string_view>

#include "dataloader/images/image_decoder.h"
#include "tests/dataloader/images/encoded.h"

namespace carrack::data {
namespace {

namespace fs = std::filesystem;

struct Asked {
  ImageRequest request;
  CropAndMirror cut = {};
  bool floats = true;
};

std::map<std::string, Asked> ways() {
  std::map<std::string, Asked> ways;
  for (const std::uint32_t channels : {0u, 1u, 3u, 4u})
    ways["channels" + std::to_string(channels)] = {{.channels = channels}, {}, false};
  ways["accurate"] = {{.dct = Dct::accurate}, {}, false};
  ways["repeated"] = {{.fancy_upsampling = false}, {}, false};
  ways["central"] = {{}, {CentralFraction{0.37}}, false};
  ways["box"] = {{}, {Box{3, 18, 9, 10}}, false};
  ways["smaller"] = {{.size = ImageSize{7, 9}}};
  ways["larger"] = {{.size = ImageSize{71, 83}}};
  ways["of_grey"] = {{.channels = 1, .size = ImageSize{20, 30}}};
  ways["nearest"] = {{.size = ImageSize{19, 40}, .interpolation = Interpolation::nearest}};
  ways["area"] = {{.size = ImageSize{13, 11}, .interpolation = Interpolation::area}};
  ways["area_larger"] = {{.size = ImageSize{71, 83}, .interpolation = Interpolation::area}};
  ways["mirrored"] = {{.size = ImageSize{16, 16}}, {WholeImage(), true}};
  ways["trained_on"] = {{.size = ImageSize{24, 24},
                         .layout = Layout::channels_first,
                         .scale = {1 / 127.5f, 1 / 100.0f, 1 / 255.0f},
                         .offset = {-1, 0.5f, 0}},
                        {CentralFraction{0.875}}};
  return ways;
}

Encoded bytes_in(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

void write(const fs::path& path, const Encoded& bytes) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

template <typename Value>
std::string decoded(ImageDecoder& decoder, const Encoded& image, const Asked& asked) {
  const auto info = decoder.info_of(image);
  if (const Undecodable* fault = std::get_if<Undecodable>(&info)) return "fault " + fault->message + "\n";
  const auto shape = decoder.shape_of(std::get<ImageInfo>(info), asked.cut.crop).value_or(ImageShape());
  std::vector<Value> values(shape.values());
  if (auto fault = decoder.decode(image, asked.cut, std::span(values))) return "fault " + fault->message + "\n";
  const std::string head = std::to_string(shape.height) + " " + std::to_string(shape.width) + " " +
                           std::to_string(shape.channels) + (sizeof(Value) == 1 ? " uint8\n" : " float32\n");
  return head + std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(Value));
}

void decode(const fs::path& folder, const fs::path& into) {
  for (const auto& [name, asked] : ways()) {
    ImageDecoder decoder(asked.request);
    for (const auto& file : fs::directory_iterator(folder)) {
      const Encoded image = bytes_in(file.path());
      std::ofstream(into / (file.path().filename().string() + "." + name), std::ios::binary)
          << (asked.floats ? decoded<float>(decoder, image, asked) : decoded<std::uint8_t>(decoder, image, asked));
    }
  }
}

constexpr std::uint32_t sizes[][2] = {{1, 1}, {3, 5}, {8, 8}, {17, 16}, {33, 31}, {50, 65}};

void make_jpegs(const fs::path& folder) {
  const auto add = [&](const std::string& name, const JpegMade& made) {
    write(folder / ("jpeg_" + name), jpeg_of(made));
  };
  for (const auto& [height, width] : sizes) {
    const std::string size = std::to_string(height) + "x" + std::to_string(width);
    for (const auto& [across, down] : {std::pair(1, 1), {2, 1}, {2, 2}, {1, 2}, {4, 1}})
      for (const int quality : {30, 75, 95}) {
        const std::string name =
            size + "_" + std::to_string(across) + std::to_string(down) + "_" + std::to_string(quality);
        JpegMade made = {.height = height, .width = width, .across = across, .down = down, .quality = quality};
        add(name, made);
        made.progressive = true;
        add(name + "_progressive", made);
      }
    for (const auto& [name, colours] : {std::pair("grey", JpegMade::Colours::grey),
                                        {"rgb", JpegMade::Colours::rgb},
                                        {"cmyk", JpegMade::Colours::cmyk},
                                        {"ycck", JpegMade::Colours::ycck},
                                        {"two", JpegMade::Colours::unknown}})
      add(size + "_" + name, {.height = height, .width = width, .colours = colours});
    add(size + "_cmyk_plain", {.height = height, .width = width, .colours = JpegMade::Colours::cmyk, .adobe = false});
    add(size + "_restarts", {.height = height, .width = width, .restart_rows = 1});
    add(size + "_arithmetic", {.height = height, .width = width, .arithmetic = true});
  }
}

void make_pngs(const fs::path& folder) {
  using Colours = PngMade::Colours;
  const std::pair<const char*, Colours> kinds[] = {{"grey", Colours::grey},
                                                   {"rgb", Colours::rgb},
                                                   {"palette", Colours::palette},
                                                   {"grey_opacity", Colours::grey_opacity},
                                                   {"rgb_opacity", Colours::rgb_opacity}};
  for (const auto& [height, width] : sizes)
    for (const auto& [name, colours] : kinds)
      for (const int bits : {1, 2, 4, 8, 16})
        for (const int way : {0, 1, 2, 4}) {
          const bool has_bits = bits == 8 || (bits == 16 ? colours != Colours::palette
                                                         : colours == Colours::grey || colours == Colours::palette);
          const bool may_be_transparent = colours < Colours::grey_opacity;
          if (!has_bits || (way == 2 && !may_be_transparent)) continue;
          const PngMade made = {.height = height,
                                .width = width,
                                .colours = colours,
                                .bits = bits,
                                .interlaced = way == 1,
                                .transparent = way == 2,
                                .gamma = way == 4 ? 0.45455 : 0};
          write(folder / ("png_" + std::to_string(height) + "x" + std::to_string(width) + "_" + name +
                          std::to_string(bits) + "_" + std::to_string(way)),
                png_of(made));
        }
}

}  // namespace
}  // namespace carrack::data

int main(int argc, char** argv) {
  using namespace carrack::data;
  const std::string_view what = argc > 2 ? argv[1] : "";
  if (what == "make" && argc == 3) {
    make_jpegs(argv[2]);
    make_pngs(argv[2]);
  } else if (what == "decode" && argc == 4) {
    decode(argv[2], argv[3]);
  } else {
    std::fputs("usage: interop_images make FOLDER | decode FOLDER INTO\n", stderr);
    return 2;
  }
  return 0;
}

#include "tests/dataloader/images/encoded.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

// Behind <cstdio>, whose names it takes for granted.
#include <jpeglib.h>
#include <png.h>

namespace carrack::data {
namespace {

constexpr J_COLOR_SPACE space_of(JpegMade::Colours colours) {
  switch (colours) {
    case JpegMade::Colours::grey:
      return JCS_GRAYSCALE;
    case JpegMade::Colours::ycc:
      return JCS_YCbCr;
    case JpegMade::Colours::rgb:
      return JCS_RGB;
    case JpegMade::Colours::cmyk:
      return JCS_CMYK;
    case JpegMade::Colours::ycck:
      return JCS_YCCK;
    case JpegMade::Colours::unknown:
      return JCS_UNKNOWN;
  }
  return JCS_UNKNOWN;
}

int channels_of(JpegMade::Colours colours) {
  switch (colours) {
    case JpegMade::Colours::grey:
      return 1;
    case JpegMade::Colours::unknown:
      return 2;
    case JpegMade::Colours::cmyk:
    case JpegMade::Colours::ycck:
      return 4;
    default:
      return 3;
  }
}

void choose(jpeg_compress_struct& image, const JpegMade& made) {
  const int channels = channels_of(made.colours);
  image.image_height = made.height;
  image.image_width = made.width;
  image.input_components = channels;
  image.in_color_space = channels == 4 ? JCS_CMYK : channels == 3 ? JCS_RGB : space_of(made.colours);
  jpeg_set_defaults(&image);
  jpeg_set_colorspace(&image, space_of(made.colours));
  jpeg_set_quality(&image, made.quality, TRUE);
  const bool luma = made.colours == JpegMade::Colours::ycc || made.colours == JpegMade::Colours::ycck;
  for (int i = 0; i < channels; ++i) {
    const bool whole = luma && (i == 0 || i == 3);
    image.comp_info[i].h_samp_factor = whole ? made.across : 1;
    image.comp_info[i].v_samp_factor = whole ? made.down : 1;
  }
  image.restart_in_rows = made.restart_rows;
  image.arith_code = made.arithmetic ? TRUE : FALSE;
  if (channels == 4) image.write_Adobe_marker = made.adobe ? TRUE : FALSE;
  if (made.progressive) jpeg_simple_progression(&image);
}

void require(bool holds) {
  if (!holds) std::abort();
}

std::vector<std::uint8_t> row_of(std::uint32_t row, std::uint32_t width, std::uint32_t channels) {
  std::vector<std::uint8_t> values;
  for (std::uint32_t column = 0; column < width; ++column)
    for (std::uint32_t channel = 0; channel < channels; ++channel) values.push_back(picture(row, column, channel));
  return values;
}

// What libpng takes as one row: numbers of any number of bits, the first in the highest ones.
std::vector<std::uint8_t> packed(const std::vector<std::uint8_t>& values, int bits) {
  if (bits == 8) return values;
  std::vector<std::uint8_t> bytes;
  if (bits == 16) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      bytes.push_back(values[i]);
      bytes.push_back(static_cast<std::uint8_t>(37 * i));
    }
    return bytes;
  }
  const auto in_a_byte = static_cast<std::size_t>(8 / bits);
  bytes.resize((values.size() + in_a_byte - 1) / in_a_byte);
  for (std::size_t i = 0; i < values.size(); ++i)
    bytes[i / in_a_byte] |= static_cast<std::uint8_t>(values[i] >> (8 - bits) << (8 - bits) >>
                                                      (i % in_a_byte * static_cast<std::size_t>(bits)));
  return bytes;
}

void describe(png_structp png, png_infop info, const PngMade& made) {
  const int interlacing = made.interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE;
  png_set_IHDR(png, info, made.width, made.height, made.bits, static_cast<int>(made.colours), interlacing,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  const int entries = 1 << std::min(made.bits, 8);
  if (made.colours == PngMade::Colours::palette) {
    png_color palette[256];
    png_byte opacity[256];
    for (std::uint32_t i = 0; i < 256; ++i) {
      palette[i] = {picture(i, 1, 0), picture(i, 1, 1), picture(i, 1, 2)};
      opacity[i] = picture(i, 2, 3);
    }
    png_set_PLTE(png, info, palette, entries);
    if (made.transparent) png_set_tRNS(png, info, opacity, entries / 2, nullptr);
  } else if (made.transparent) {
    const auto values = packed(row_of(0, 1, 3), made.bits);
    const auto value = [&](std::size_t channel) {
      if (made.bits < 8) return static_cast<png_uint_16>(values[0] >> (8 - made.bits));
      int bits = values[channel];
      if (made.bits == 16) bits = values[2 * channel] << 8 | values[2 * channel + 1];
      return static_cast<png_uint_16>(bits);
    };
    png_color_16 colour = {};
    colour.gray = value(0);
    if (made.colours == PngMade::Colours::rgb) colour = {0, value(0), value(1), value(2), 0};
    png_set_tRNS(png, info, nullptr, 0, &colour);
  }
  if (made.gamma != 0) png_set_gAMA(png, info, made.gamma);
}

}  // namespace

std::uint8_t picture(std::uint32_t row, std::uint32_t column, std::uint32_t channel) {
  std::uint32_t noise = (row * 2654435761u) ^ (column * 40503u * 65537u) ^ (channel * 97u);
  noise = (noise ^ noise >> 15) * 2246822519u;
  const double slope = 60 * std::sin(0.11 * row + 0.7 * channel) + 50 * std::cos(0.07 * column - 0.4 * channel);
  const double edge = (row / 7 + column / 11) % 3 == channel % 3 ? 40 : 0;
  return static_cast<std::uint8_t>(std::clamp(110 + slope + edge + static_cast<double>(noise >> 24) / 12, 0.0, 255.0));
}

Encoded jpeg_of(const JpegMade& made) {
  jpeg_compress_struct image{};
  jpeg_error_mgr errors{};
  image.err = jpeg_std_error(&errors);
  jpeg_create_compress(&image);
  unsigned char* bytes = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&image, &bytes, &size);
  choose(image, made);
  jpeg_start_compress(&image, TRUE);
  for (std::uint32_t row = 0; row < made.height; ++row) {
    auto values = row_of(row, made.width, static_cast<std::uint32_t>(image.input_components));
    JSAMPROW at = values.data();
    jpeg_write_scanlines(&image, &at, 1);
  }
  jpeg_finish_compress(&image);
  jpeg_destroy_compress(&image);
  const auto* begin = reinterpret_cast<const std::byte*>(bytes);
  Encoded made_of(begin, begin + size);
  std::free(bytes);
  return made_of;
}

Encoded png_of(const PngMade& made) {
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(png);
  require(setjmp(png_jmpbuf(png)) == 0);
  Encoded encoded;
  const auto write = [](png_structp to, png_bytep bytes, std::size_t size) {
    auto& into = *static_cast<Encoded*>(png_get_io_ptr(to));
    const auto* begin = reinterpret_cast<const std::byte*>(bytes);
    into.insert(into.end(), begin, begin + size);
  };
  png_set_write_fn(png, &encoded, write, [](png_structp) {});
  describe(png, info, made);
  png_write_info(png, info);
  std::vector<std::vector<std::uint8_t>> rows;
  std::vector<png_bytep> at;
  const std::uint32_t channels = png_get_channels(png, info);
  for (std::uint32_t row = 0; row < made.height; ++row)
    rows.push_back(packed(row_of(row, made.width, channels), made.bits));
  for (auto& row : rows) at.push_back(row.data());
  png_write_image(png, at.data());
  png_write_end(png, info);
  png_destroy_write_struct(&png, &info);
  return encoded;
}

}  // namespace carrack::data

#include "dataloader/images/image_header.h"

#include <gtest/gtest.h>

#include <string>

#include "dataloader/records/wire.h"

namespace carrack::data {
namespace {

using std::string_literals::operator""s;

std::string told(const std::string& bytes) {
  const auto image = image_header_in(wire::bytes_of(bytes));
  if (!image) return "none";
  return std::string(image->format) + " " + std::to_string(image->width) + "x" + std::to_string(image->height);
}

const std::string jpeg =
    "\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00"s   // a segment of 16 bytes
    "\xff\xff\xff\xc4\x00\x04\x00\x00"s                                       // fill bytes, then tables
    "\xff\xc0\x00\x11\x08\x01\x77\x01\xf4\x03\x01\x22\x00\x02\x11\x01\x03"s;  // the frame: 375 lines of 500

TEST(ImageHeader, HasFormatAndSize) {
  EXPECT_EQ(told(jpeg), "JPEG 500x375");
  EXPECT_EQ(told("\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR\x00\x00\x00\x1c\x00\x00\x00\x20"s), "PNG 28x32");
  EXPECT_EQ(told("GIF89a\x0a\x00\x14\x00"s), "GIF 10x20");
  EXPECT_EQ(told("BM\x46\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0\x02\0\0\0\xfe\xff\xff\xff"s), "BMP 2x2");
  EXPECT_EQ(told("RIFF\x24\0\0\0WEBPVP8 \x18\0\0\0\x30\x01\0\x9d\x01\x2a\x80\x02\xe0\x01"s), "WebP 640x480");
  EXPECT_EQ(told("RIFF\x24\0\0\0WEBPVP8L\x18\0\0\0\x2f\x7f\xc2\x77\0\0\0\0\0\0"s), "WebP 640x480");
  EXPECT_EQ(told("RIFF\x24\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0\x7f\x02\0\xdf\x01\0"s), "WebP 640x480");
}

TEST(ImageHeader, IsAbsentForOtherOrTooFewBytes) {
  EXPECT_EQ(told(""), "none");
  EXPECT_EQ(told("BM is how this text begins, and it goes on"), "none");
  EXPECT_EQ(told("RIFF\x24\0\0\0WAVEfmt and more that is behind it"s), "none");
  EXPECT_EQ(told("RIFF\x24\0\0\0WEBPVP9 \x18\0\0\0\x30\x01\0\x9d\x01\x2a\x80\x02\xe0\x01"s), "none");
  // Each beginning of an image is in memory of its own size, for the sanitizers to see what is read behind it.
  for (std::size_t size = 0; size < jpeg.size() - 8; ++size) EXPECT_EQ(told(jpeg.substr(0, size)), "none") << size;
  EXPECT_EQ(told("\xff\xd8\xff\xe0\xff\xff and nothing behind so long a segment"s), "none");
  EXPECT_EQ(told("\xff\xd8\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"s), "none");
}

}  // namespace
}  // namespace carrack::data

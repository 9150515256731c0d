#include "trainer/comm/transport/frame_codec.h"

#include <grpcpp/support/slice.h>
#include <gtest/gtest.h>

#include <bit>
#include <random>

namespace carrack::train {
namespace {

constexpr FrameLimits unlimited{~std::size_t{0}, ~std::size_t{0}};

std::string bytes_of(const grpc::ByteBuffer& buffer) {
  std::vector<grpc::Slice> slices;
  EXPECT_TRUE(buffer.Dump(&slices).ok());
  std::string bytes;
  for (const grpc::Slice& slice : slices) bytes.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
  return bytes;
}

// In pieces of these sizes, as a network may deliver them; the last takes the rest.
std::optional<Frame> decoded(std::string_view bytes, const std::vector<std::size_t>& pieces = {},
                             const FrameLimits& limits = unlimited) {
  std::vector<grpc::Slice> slices;
  for (const std::size_t piece : pieces) {
    const std::size_t size = std::min(piece, bytes.size());
    slices.emplace_back(bytes.data(), size);
    bytes.remove_prefix(size);
  }
  slices.emplace_back(bytes.data(), bytes.size());
  grpc::ByteBuffer buffer(slices.data(), slices.size());
  slices.clear();
  return decode(buffer, limits);
}

std::string sample() {
  wire::Message message;
  message.mutable_push()->set_timeline(4294967297);
  message.mutable_push()->set_batch(7);
  message.mutable_push()->set_first_lane(2);
  message.mutable_push()->set_lane_count(2);
  message.mutable_push()->set_records(3);
  const auto values = std::make_shared<const Floats>(Floats{-1, 0.5});
  return bytes_of(encode(message, {values, *values}));
}

// The worked bytes of docs/formats/wire.md.
TEST(Frame, HasTheBytesThatItsFormatTells) {
  const unsigned char expected[] = {0x10, 0,    0,    0,                                               // 16 bytes of it
                                    0x62, 0x0e, 0x08, 0x81, 0x80, 0x80, 0x80, 0x10, 0x10, 0x07, 0x18,  // Push
                                    0x02, 0x20, 0x02, 0x28, 0x03,                                      //
                                    0x00, 0x00, 0x80, 0xbf, 0x00, 0x00, 0x00, 0x3f};                   // -1, 0.5
  EXPECT_EQ(sample(), std::string(reinterpret_cast<const char*>(expected), sizeof expected));
}

TEST(Frame, ComesBackFromItsBytesInWhateverPieces) {
  const std::string bytes = sample();
  for (std::size_t first = 0; first <= bytes.size(); ++first) {
    for (std::size_t second = 0; second <= bytes.size() - first; ++second) {
      auto frame = decoded(bytes, {first, second});
      ASSERT_TRUE(frame);
      ASSERT_EQ(frame->message.push().batch(), 7u);
      ASSERT_EQ(std::move(frame->tail).take(), (Floats{-1, 0.5}));
    }
  }
}

TEST(Frame, SendsOnlyThePartOfTheOwnerThatItsTailNames) {
  const auto values = std::make_shared<const Floats>(Floats{1, 2, 3, 4});
  grpc::ByteBuffer buffer = encode({}, {values, std::span(*values).subspan(1, 2)});
  auto frame = decode(buffer, unlimited);
  ASSERT_TRUE(frame);
  EXPECT_EQ(std::move(frame->tail).take(), (Floats{2, 3}));
  EXPECT_EQ(values.use_count(), 1) << "what was sent is let go of";
}

// Its values are more than are copied at once, and its pieces end within values.
TEST(Frame, ComesBackFromManyPieces) {
  const auto values = std::make_shared<Floats>(100'000, 0.0f);
  for (std::size_t i = 0; i < values->size(); ++i) (*values)[i] = static_cast<float>(i);
  auto frame = decoded(bytes_of(encode({}, {values, *values})), std::vector<std::size_t>(397, 1001));
  ASSERT_TRUE(frame);
  EXPECT_EQ(std::move(frame->tail).take(), *values);
}

TEST(Frame, IsNothingWhenItsLengthsDoNotAddUp) {
  EXPECT_FALSE(decoded(""));
  EXPECT_FALSE(decoded(std::string_view("\0\0\0", 3)));
  EXPECT_TRUE(decoded(std::string_view("\0\0\0\0", 4))) << "no control part and no tail are a frame that says nothing";
  EXPECT_FALSE(decoded(std::string_view("\1\0\0\0", 4)));
  EXPECT_FALSE(
      decoded("\xff\xff\xff\xff"
              "abcdefgh"));
  EXPECT_FALSE(decoded(std::string_view("\0\0\0\0abc", 7))) << "three bytes are no floats";
  EXPECT_FALSE(decoded(std::string_view("\4\0\0\0abcd", 8))) << "not a message";
}

TEST(Frame, IsNothingWhenItIsLargerThanItsLimits) {
  const std::string bytes = sample();  // 16 bytes of control part, 8 of tail.
  EXPECT_TRUE(decoded(bytes, {}, {.control_bytes = 16, .tail_bytes = 8}));
  EXPECT_FALSE(decoded(bytes, {}, {.control_bytes = 15, .tail_bytes = 8}));
  EXPECT_FALSE(decoded(bytes, {}, {.control_bytes = 16, .tail_bytes = 7}));
  EXPECT_FALSE(decoded(bytes, {}, limits_before_hello)) << "a peer that has not said Hello sends no tail";
}

TEST(Frame, IsAValueOrNothingForAnyBytes) {
  std::mt19937 random(1);
  int sound = 0;
  for (int i = 0; i < 10'000; ++i) {
    std::string bytes = sample();
    for (auto changes = 1 + random() % 4; changes > 0 && !bytes.empty(); --changes) {
      const std::size_t at = random() % bytes.size();
      if (const auto what = random() % 4; what == 0) {
        bytes[at] = static_cast<char>(random());
      } else if (what == 1) {
        bytes[at] = static_cast<char>(bytes[at] ^ 1 << random() % 8);
      } else if (what == 2) {
        bytes.erase(at, 1 + random() % 8);
      } else {
        bytes.insert(at, bytes.substr(random() % bytes.size(), random() % 16));
      }
    }
    if (const auto frame = decoded(bytes, {random() % 8, random() % 32})) {
      ++sound;
      EXPECT_LE(frame->tail.values().size_bytes(), bytes.size());
    }
  }
  EXPECT_GT(sound, 100);
  EXPECT_LT(sound, 9'900);
}

}  // namespace
}  // namespace carrack::train

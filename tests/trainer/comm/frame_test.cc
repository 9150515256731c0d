#include "trainer/comm/transport/frame_codec.h"

#include <grpcpp/support/slice.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <random>
#include <span>

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
grpc::ByteBuffer buffer_of(std::string_view bytes, const std::vector<std::size_t>& pieces = {}) {
  std::vector<grpc::Slice> slices;
  for (const std::size_t piece : pieces) {
    const std::size_t size = std::min(piece, bytes.size());
    slices.emplace_back(bytes.data(), size);
    bytes.remove_prefix(size);
  }
  slices.emplace_back(bytes.data(), bytes.size());
  return {slices.data(), slices.size()};
}

// A frame with all of its tail.
struct Decoded {
  wire::Message message;
  Floats values;
};

// The frame of one message; nullopt if it is none, or is not complete.
std::optional<Decoded> decoded(std::string_view bytes, const std::vector<std::size_t>& pieces = {},
                               const FrameLimits& limits = unlimited) {
  grpc::ByteBuffer buffer = buffer_of(bytes, pieces);
  std::optional<FramePart> part = FrameReader().add(buffer, limits);
  EXPECT_EQ(buffer.Length(), 0u);
  if (!part || !part->piece.is_whole()) return std::nullopt;
  return Decoded{*part->message, std::move(part->piece).take_whole().take()};
}

// Of a frame that takes one message.
std::string bytes_of(std::vector<grpc::ByteBuffer> messages) {
  EXPECT_EQ(messages.size(), 1u);
  return bytes_of(messages.front());
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
  const unsigned char expected[] = {0x10, 0,    0,    0,                          // 16 bytes of it
                                    0x08, 0,    0,    0,    0,    0,    0,    0,  // 8 bytes of tail
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
      ASSERT_EQ(frame->values, (Floats{-1, 0.5}));
    }
  }
}

TEST(Frame, SendsOnlyThePartOfTheOwnerThatItsTailNames) {
  const auto values = std::make_shared<const Floats>(Floats{1, 2, 3, 4});
  const auto frame = decoded(bytes_of(encode({}, {values, std::span(*values).subspan(1, 2)})));
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->values, (Floats{2, 3}));
  EXPECT_EQ(values.use_count(), 1) << "what was sent is let go of";
}

// Its pieces end within values.
TEST(Frame, ComesBackFromManyPieces) {
  const auto values = std::make_shared<Floats>(100'000, 0.0f);
  for (std::size_t i = 0; i < values->size(); ++i) (*values)[i] = static_cast<float>(i);
  const auto frame = decoded(bytes_of(encode({}, {values, *values})), std::vector<std::size_t>(397, 1001));
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->values, *values);
}

wire::Message want(std::uint64_t version) {
  wire::Message message;
  message.mutable_want()->set_version(version);
  return message;
}

TEST(Frame, WithALongTailTakesSeveralMessages) {
  constexpr std::size_t piece = tail_piece_bytes / sizeof(float);
  for (const std::size_t size : {piece - 1, piece, piece + 1, 3 * piece, 3 * piece + 5}) {
    const auto values = std::make_shared<Floats>(size, 0.0f);
    for (std::size_t i = 0; i < size; ++i) (*values)[i] = static_cast<float>(i);
    FrameReader reader;
    for (const std::uint64_t version : {1u, 2u}) {  // Another frame follows it.
      std::vector<grpc::ByteBuffer> messages = encode(want(version), {values, *values});
      ASSERT_EQ(messages.size(), (size + piece - 1) / piece) << size;
      for (std::size_t i = 0; i < messages.size(); ++i) {
        EXPECT_LE(messages[i].Length(), message_bytes_max({.control_bytes = 10, .tail_bytes = size * sizeof(float)}));
        const std::optional<FramePart> part = reader.add(messages[i], unlimited);
        ASSERT_TRUE(part);
        EXPECT_EQ(part->message->want().version(), version);
        EXPECT_EQ(part->piece.total(), size);
        ASSERT_EQ(part->piece.begin(), i * piece);
        ASSERT_EQ(part->piece.end(), std::min((i + 1) * piece, size));
        EXPECT_EQ(part->piece.is_last(), i + 1 == messages.size());
        Floats arrived(part->piece.end() - part->piece.begin());
        part->piece.copy(part->piece.begin(), arrived);
        EXPECT_TRUE(std::ranges::equal(arrived, std::span(*values).subspan(i * piece, arrived.size())));
      }
    }
    EXPECT_EQ(values.use_count(), 1) << "what was sent is released";
  }
}

// What a part refers to is there as long as the part is.
TEST(Frame, OutlivesTheMessageThatItCameIn) {
  std::optional<FramePart> part;
  {
    grpc::ByteBuffer buffer = buffer_of(sample(), {20, 9, 2});
    FrameReader reader;
    part = reader.add(buffer, unlimited);
  }
  ASSERT_TRUE(part);
  EXPECT_EQ(std::move(part->piece).take_whole().take(), (Floats{-1, 0.5}));
}

TEST(Frame, IsNothingIfAPieceOfItsTailHasAnotherSize) {
  const auto values = std::make_shared<Floats>(tail_piece_bytes / sizeof(float) + 2, 0.0f);
  for (const std::size_t size : {0u, 4u, 7u, 12u, 4096u}) {  // The second piece has 8 bytes.
    FrameReader reader;
    std::vector<grpc::ByteBuffer> messages = encode({}, {values, *values});
    ASSERT_TRUE(reader.add(messages.front(), unlimited));
    grpc::ByteBuffer piece = buffer_of(std::string(size, '\0'));
    EXPECT_FALSE(reader.add(piece, unlimited)) << size;
  }
  std::string head = bytes_of(encode({}, {values, *values}).front());
  head.resize(head.size() - 4);
  EXPECT_FALSE(decoded(head)) << "the first piece is too short";
}

TEST(Frame, IsNothingWhenItsLengthsDoNotAddUp) {
  const std::string none(8, '\0');  // no tail
  EXPECT_FALSE(decoded(""));
  EXPECT_FALSE(decoded(std::string(11, '\0')));
  EXPECT_TRUE(decoded(std::string(4, '\0') + none)) << "no control part and no tail are a frame that says nothing";
  EXPECT_FALSE(decoded(std::string("\1\0\0\0", 4) + none));
  EXPECT_FALSE(decoded("\xff\xff\xff\xff" + none + "abcdefgh"));
  EXPECT_FALSE(decoded(std::string(4, '\0') + none + "abcd")) << "more than the tail";
  EXPECT_FALSE(decoded(std::string("\0\0\0\0\3\0\0\0\0\0\0\0abc", 15))) << "three bytes are no floats";
  EXPECT_FALSE(decoded(std::string("\0\0\0\0\4\0\0\0\0\0\0\0", 12))) << "a tail without bytes";
  EXPECT_FALSE(decoded(std::string(4, '\0') + std::string(8, '\xff') + "abcd"));
  EXPECT_FALSE(decoded(std::string("\4\0\0\0", 4) + none + "abcd")) << "not a message";
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
    if (const auto frame = decoded(bytes, {random() % 8, random() % 32}, {.control_bytes = 64, .tail_bytes = 64})) {
      ++sound;
      EXPECT_LE(frame->values.size() * sizeof(float), bytes.size());
    }
  }
  EXPECT_GT(sound, 100);
  EXPECT_LT(sound, 9'900);
}

}  // namespace
}  // namespace carrack::train

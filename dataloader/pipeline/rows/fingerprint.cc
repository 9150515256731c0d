#include "dataloader/pipeline/rows/fingerprint.h"

#include <bit>
#include <cstddef>
#include <span>
#include <utility>

#include "dataloader/records/little_endian.h"

namespace carrack::data {
namespace {

using Word = std::uint64_t;

// The constants of FarmHash, as in docs/formats/text_ids.md.
constexpr Word k0 = 0xc3a5c85c97cb3127, k1 = 0xb492b66fbe98f273, k2 = 0x9ae16a3b2f90404f;

template <typename Number>
Number number_in(std::string_view text, std::size_t at) {
  return number_at<Number>(std::as_bytes(std::span(text)).data() + at);
}

Word word(std::string_view text, std::size_t at) {
  return number_in<Word>(text, at);
}

Word word_from_end(std::string_view text, std::size_t from_end) {
  return word(text, text.size() - from_end);
}

Word folded(Word value) {
  return value ^ value >> 47;
}

Word mixed(Word first, Word second, Word factor) {
  const Word a = folded((first ^ second) * factor);
  return folded((second ^ a) * factor) * factor;
}

Word factor_of(std::string_view text) {
  return k2 + text.size() * 2;
}

// The hash of a text of 1 to 3 bytes. FarmHash has another function for each range of sizes: see those below.
Word up_to_3(std::string_view text) {
  const auto byte = [&](std::size_t at) { return static_cast<std::uint32_t>(static_cast<unsigned char>(text[at])); };
  const std::uint32_t ends = byte(0) + (byte(text.size() / 2) << 8);
  const std::uint32_t size = static_cast<std::uint32_t>(text.size()) + (byte(text.size() - 1) << 2);
  return folded(ends * k2 ^ size * k0) * k2;
}

Word up_to_7(std::string_view text) {
  const Word first = number_in<std::uint32_t>(text, 0), last = number_in<std::uint32_t>(text, text.size() - 4);
  return mixed(text.size() + (first << 3), last, factor_of(text));
}

Word up_to_16(std::string_view text) {
  const Word factor = factor_of(text);
  const Word a = word(text, 0) + k2, b = word_from_end(text, 8);
  return mixed(std::rotr(b, 37) * factor + a, (std::rotr(a, 25) + b) * factor, factor);
}

Word up_to_32(std::string_view text) {
  const Word factor = factor_of(text);
  const Word a = word(text, 0) * k1, b = word(text, 8);
  const Word c = word_from_end(text, 8) * factor, d = word_from_end(text, 16) * k2;
  return mixed(std::rotr(a + b, 43) + std::rotr(c, 30) + d, a + std::rotr(b + k2, 18) + c, factor);
}

Word up_to_64(std::string_view text) {
  const Word factor = factor_of(text);
  const Word a = word(text, 0) * k2, b = word(text, 8);
  const Word c = word_from_end(text, 8) * factor, d = word_from_end(text, 16) * k2;
  const Word y = std::rotr(a + b, 43) + std::rotr(c, 30) + d;
  const Word z = mixed(y, a + std::rotr(b + k2, 18) + c, factor);
  const Word e = word(text, 16) * factor, f = word(text, 24);
  const Word g = (y + word_from_end(text, 32)) * factor, h = (z + word_from_end(text, 24)) * factor;
  return mixed(std::rotr(e + f, 43) + std::rotr(g, 30) + h, e + std::rotr(f + a, 18) + g, factor);
}

struct Pair {
  Word first = 0, second = 0;
};

// Mixes the 32 bytes of the text that begin at byte `at` into the two numbers.
Pair four_words(std::string_view text, std::size_t at, Word first, Word second) {
  first += word(text, at);
  second = std::rotr(second + first + word(text, at + 24), 21);
  const Word before = first;
  first += word(text, at + 8) + word(text, at + 16);
  return {first + word(text, at + 24), second + std::rotr(first, 44) + before};
}

// The state of hashing a text of more than 64 bytes.
struct State {
  Word x = 81 * k2, y = 81 * k1 + 113, z = 0;
  Pair v = {}, w = {};

  // Adds the 64 bytes of the text that begin at byte `at`. FarmHash uses a `weight` of 9 for the last 64 bytes of the
  // text, and of 1 for all others.
  void take(std::string_view text, std::size_t at, Word factor, Word weight) {
    x = std::rotr(x + y + v.first + word(text, at + 8), 37) * factor;
    y = std::rotr(y + v.second + word(text, at + 48), 42) * factor;
    x ^= w.second * weight;
    y += v.first * weight + word(text, at + 40);
    z = std::rotr(z + w.first, 33) * factor;
    v = four_words(text, at, v.second * factor, x + w.first);
    w = four_words(text, at + 32, z + w.second, y + word(text, at + 16));
    std::swap(z, x);
  }
};

Word longer(std::string_view text) {
  State state;
  state.z = folded(state.y * k2 + 113) * k2;
  state.x += word(text, 0);
  // Adds blocks of 64 bytes. The last 64 bytes of the text are added below, and may overlap the last of these blocks.
  const std::size_t whole = (text.size() - 1) / 64 * 64;
  for (std::size_t at = 0; at < whole; at += 64) state.take(text, at, k1, 1);
  const Word factor = k1 + ((state.z & 0xff) << 1);
  state.w.first += (text.size() - 1) & 63;
  state.v.first += state.w.first;
  state.w.first += state.v.first;
  state.take(text, text.size() - 64, factor, 9);
  return mixed(mixed(state.v.first, state.w.first, factor) + folded(state.y) * k0 + state.z,
               mixed(state.v.second, state.w.second, factor) + state.x, factor);
}

}  // namespace

std::uint64_t fingerprint64(std::string_view text) {
  if (text.empty()) return k2;
  if (text.size() <= 3) return up_to_3(text);
  if (text.size() <= 7) return up_to_7(text);
  if (text.size() <= 16) return up_to_16(text);
  if (text.size() <= 32) return up_to_32(text);
  return text.size() <= 64 ? up_to_64(text) : longer(text);
}

}  // namespace carrack::data

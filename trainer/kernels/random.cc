#include "trainer/kernels/random.h"

namespace carrack::train {
namespace {

std::uint32_t low(std::uint64_t value) {
  return static_cast<std::uint32_t>(value);
}

std::uint32_t high(std::uint64_t value) {
  return static_cast<std::uint32_t>(value >> 32);
}

std::uint32_t fnv1a(std::string_view text) {
  std::uint32_t hash = 2166136261u;
  for (const char byte : text) hash = (hash ^ static_cast<unsigned char>(byte)) * 16777619u;
  return hash;
}

}  // namespace

std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t first = std::uint64_t{0xD2511F53} * counter[0];
    const std::uint64_t second = std::uint64_t{0xCD9E8D57} * counter[2];
    counter = {high(second) ^ counter[1] ^ key[0], low(second), high(first) ^ counter[3] ^ key[1], low(first)};
    key = {key[0] + 0x9E3779B9, key[1] + 0xBB67AE85};
  }
  return counter;
}

float uniform(std::uint64_t seed, Purpose purpose, std::string_view name, std::uint64_t element) {
  const std::array<std::uint32_t, 4> drawn =
      philox({low(element), high(element), fnv1a(name), static_cast<std::uint32_t>(purpose)}, {low(seed), high(seed)});
  return static_cast<float>(drawn[0] >> 8) * 0x1p-24f;
}

}  // namespace carrack::train

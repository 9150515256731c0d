#include "dataloader/records/raw_numbers.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "dataloader/records/little_endian.h"

namespace carrack::data {
namespace {

// A floating-point number of 16 bits (IEEE 754 binary16), for which C++20 has no type.
struct Float16 {
  std::uint16_t bits;
  explicit operator float() const {
    const int exponent = bits >> 10 & 31;
    const int fraction = bits & 0x3ff;
    const std::uint32_t sign = static_cast<std::uint32_t>(bits >> 15) << 31;
    if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000 | static_cast<std::uint32_t>(fraction) << 13);
    const float size = exponent == 0 ? std::ldexp(static_cast<float>(fraction), -24)
                                     : std::ldexp(static_cast<float>(fraction | 0x400), exponent - 25);
    return sign == 0 ? size : -size;
  }
};

// The upper 16 bits of a float.
struct Bfloat16 {
  std::uint16_t bits;
  explicit operator float() const { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16); }
};

// Calls `use` with a value of the C++ type that `raw` means, and with the name of that type. The value itself means
// nothing: it only tells `use` the type.
template <typename Use>
decltype(auto) with_type(Raw raw, const Use& use) {
  switch (raw) {
    case Raw::uint8:
      return use(std::uint8_t{}, "uint8");
    case Raw::int8:
      return use(std::int8_t{}, "int8");
    case Raw::uint16:
      return use(std::uint16_t{}, "uint16");
    case Raw::int16:
      return use(std::int16_t{}, "int16");
    case Raw::uint32:
      return use(std::uint32_t{}, "uint32");
    case Raw::int32:
      return use(std::int32_t{}, "int32");
    case Raw::int64:
      return use(std::int64_t{}, "int64");
    case Raw::float16:
      return use(Float16{}, "float16");
    case Raw::bfloat16:
      return use(Bfloat16{}, "bfloat16");
    case Raw::float32:
      return use(float{}, "float32");
    case Raw::float64:
      return use(double{}, "float64");
  }
  __builtin_unreachable();
}

template <typename Value>
void take(std::span<const std::byte> bytes, Raw raw, std::span<Value> into) {
  with_type(raw, [&]<typename Stored>(Stored, const char*) {
    if constexpr (std::is_same_v<Stored, Value>) {
      if (!into.empty()) std::memcpy(into.data(), bytes.data(), into.size_bytes());
    } else if constexpr (std::is_floating_point_v<Value> || std::is_integral_v<Stored>) {
      for (std::size_t i = 0; i < into.size(); ++i)
        into[i] = static_cast<Value>(number_at<Stored>(bytes.data() + i * sizeof(Stored)));
    }
  });
}

}  // namespace

const char* name_of(Raw raw) {
  return with_type(raw, [](auto, const char* name) { return name; });
}

std::size_t size_of(Raw raw) {
  return with_type(raw, [](auto stored, const char*) { return sizeof stored; });
}

bool is_whole(Raw raw) {
  return with_type(raw, []<typename Stored>(Stored, const char*) { return std::is_integral_v<Stored>; });
}

void decode_numbers(std::span<const std::byte> bytes, Raw raw, std::span<float> into) {
  take(bytes, raw, into);
}

void decode_numbers(std::span<const std::byte> bytes, Raw raw, std::span<std::int64_t> into) {
  take(bytes, raw, into);
}

}  // namespace carrack::data

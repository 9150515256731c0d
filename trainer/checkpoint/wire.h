// Integers as TensorFlow's files hold them, and the fields of protocol buffer messages made of them.
// Reading cannot run over: once something is missing the cursor has failed for good and gives zeros.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace carrack::checkpoint {

class Cursor {
 public:
  explicit Cursor(std::string_view bytes) : left_(bytes) {}

  std::uint64_t varint();
  std::uint32_t fixed32();
  std::uint64_t fixed64();
  std::string_view take(std::uint64_t size);

  bool at_end() const { return left_.empty(); }
  bool failed() const { return failed_; }

 private:
  std::uint64_t fixed(std::size_t size);
  void fail();

  std::string_view left_;
  bool failed_ = false;
};

enum class WireType { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };

// One field of a message: what it holds is in `value`, or for WireType::bytes in `bytes`.
struct Field {
  std::uint64_t number = 0;
  WireType type = WireType::varint;
  std::uint64_t value = 0;
  std::string_view bytes;

  bool is(std::uint64_t of_number, WireType of_type) const { return number == of_number && type == of_type; }
};

// The next field; none at the message's end, and none once the cursor has failed.
std::optional<Field> next_field(Cursor& message);

void put_varint(std::string& out, std::uint64_t value);
void put_fixed32(std::string& out, std::uint32_t value);
void put_fixed64(std::string& out, std::uint64_t value);

// As proto3 has it, a zero is not written.
void put_varint_field(std::string& out, std::uint32_t number, std::uint64_t value);
void put_fixed32_field(std::string& out, std::uint32_t number, std::uint32_t value);
// A message inside a message is written even when it is empty.
void put_bytes_field(std::string& out, std::uint32_t number, std::string_view bytes);

}  // namespace carrack::checkpoint

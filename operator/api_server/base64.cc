#include "operator/api_server/base64.h"

#include <openssl/evp.h>

#include <algorithm>
#include <utility>

namespace carrack::control {
namespace {

unsigned char* bytes_of(std::string& text) {
  return reinterpret_cast<unsigned char*>(text.data());
}

const unsigned char* bytes_of(const std::string& text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

}  // namespace

std::string to_base64(const std::string& bytes) {
  std::string text((bytes.size() + 2) / 3 * 4 + 1, '\0');  // one byte for the NUL that OpenSSL appends
  text.resize(
      static_cast<std::size_t>(EVP_EncodeBlock(bytes_of(text), bytes_of(bytes), static_cast<int>(bytes.size()))));
  return text;
}

std::optional<std::string> from_base64(std::string text) {
  std::erase_if(text, [](char c) { return c == '\n' || c == '\r'; });
  const std::size_t digits = text.find_last_not_of('=') + 1;
  const std::size_t padding = text.size() - digits;
  // OpenSSL would accept padding and blanks in wrong places, and would stop at a '-' as at the end of the text.
  const bool is_clean = text.find_first_of("= \t-") >= digits;
  if (text.size() % 4 != 0 || padding > 2 || !is_clean) return std::nullopt;
  std::string bytes(text.size() / 4 * 3, '\0');
  if (EVP_DecodeBlock(bytes_of(bytes), bytes_of(std::as_const(text)), static_cast<int>(text.size())) < 0) {
    return std::nullopt;
  }
  bytes.resize(bytes.size() - padding);
  return bytes;
}

}  // namespace carrack::control

#include "dataloader/indexes/index_name.h"

#include <openssl/evp.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <string_view>

#include "dataloader/error.h"
#include "dataloader/storage/url.h"

namespace carrack::data {
namespace {

constexpr std::string_view ending = ".index";
constexpr std::string_view text_ending = ".idx";
constexpr std::string_view columns_ending = ".columns";

std::string sha256(const std::string& text) {
  std::array<unsigned char, 32> digest{};
  if (EVP_Digest(text.data(), text.size(), digest.data(), nullptr, EVP_sha256(), nullptr) != 1)
    throw Error("OpenSSL computes no SHA-256; see which of its configurations is in use");
  std::string hex;
  for (const unsigned char byte : digest) {
    char two[3];
    std::snprintf(two, sizeof two, "%02x", byte);
    hex += two;
  }
  return hex;
}

}  // namespace

std::string canonical_url(const std::string& text) {
  const Url url = url_from(text);
  if (url.scheme != "file") return url.prefix + url.name;
  return "file://" + std::filesystem::absolute(url.name).lexically_normal().string();
}

std::string index_beside(const std::string& file) {
  return file + std::string(ending);
}

std::string index_name(const std::string& file) {
  return sha256(canonical_url(file)) + std::string(ending);
}

std::string columns_beside(const std::string& file) {
  return file + std::string(columns_ending);
}

std::string described_file_name(const std::string& name) {
  for (const std::string_view one : {ending, text_ending, columns_ending}) {
    if (name.ends_with(one)) return name.substr(0, name.size() - one.size());
  }
  return "";
}

}  // namespace carrack::data

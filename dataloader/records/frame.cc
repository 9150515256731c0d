#include "dataloader/records/frame.h"

#include "dataloader/crc32c.h"
#include "dataloader/records/little_endian.h"

namespace carrack::data::frame {

std::optional<std::uint64_t> length_in(Header header) {
  if (masked_crc32c(header.first<8>()) != number_at<std::uint32_t>(header.data() + 8)) return std::nullopt;
  return number_at<std::uint64_t>(header.data());
}

bool checksum_matches(std::span<const std::byte> data_and_footer) {
  const std::span<const std::byte> data = data_and_footer.first(data_and_footer.size() - footer_size);
  return masked_crc32c(data) == number_at<std::uint32_t>(data.data() + data.size());
}

std::optional<Fault> fault_in(std::span<const std::byte> bytes, bool ends_the_file, bool is_inflated) {
  if (bytes.size() < overhead) return ends_the_file ? Fault::truncated : Fault::bad_length;
  const std::optional<std::uint64_t> length = length_in(bytes.first<header_size>());
  if (!length) return Fault::bad_length;
  if (*length > record_bytes_max) return Fault::too_long;
  if (*length > bytes.size() - overhead && ends_the_file) return Fault::truncated;
  if (*length != bytes.size() - overhead) return is_inflated ? Fault::bad_length : Fault::changed;
  if (!checksum_matches(bytes.subspan(header_size))) return Fault::bad_data;
  return std::nullopt;
}

void append(std::vector<std::byte>& file, std::span<const std::byte> data) {
  const std::uint64_t length = data.size();
  append_number(file, length);
  append_number(file, masked_crc32c(std::as_bytes(std::span(&length, 1))));
  file.insert(file.end(), data.begin(), data.end());
  append_number(file, masked_crc32c(data));
}

}  // namespace carrack::data::frame

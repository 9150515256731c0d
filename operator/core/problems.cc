#include "operator/core/problems.h"

#include <algorithm>

#include "trainer/launch/quantity.h"

namespace carrack::control {
namespace {

constexpr std::size_t max_url = 2048;

}  // namespace

bool has_no_control_characters(const std::string& text) {
  return std::none_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 127; });
}

std::size_t count_characters(const std::string& utf8) {
  return static_cast<std::size_t>(
      std::count_if(utf8.begin(), utf8.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

void check_url(const std::string& url, const std::string& field, Problems& problems) {
  problems.expect(!url.empty(), field, "is empty; give a path, file:// or gs://");
  problems.expect(count_characters(url) <= max_url, field, "has more than " + to_text(max_url) + " characters");
  problems.expect(has_no_control_characters(url), field, "holds control characters");
  const std::size_t colon = url.find("://");
  if (colon == std::string::npos) return;
  const std::string scheme = url.substr(0, colon);
  problems.expect(scheme == "file" || scheme == "gs", field,
                  "'" + scheme + "://' cannot be read; there are file:// and gs://");
}

void check_memory(const std::string& text, const std::string& field, Problems& problems) {
  problems.expect(train::parse_quantity(text).has_value(), field,
                  "'" + text + "' is not a quantity of memory; write 512Mi or 4Gi");
}

}  // namespace carrack::control

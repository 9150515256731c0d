#include "operator/api_server/lines.h"

namespace carrack::control {

Lines::Fed Lines::feed(std::string_view bytes, const OnLine& on_line) {
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    const std::string_view part = bytes.substr(0, end);
    if (begun_.size() + part.size() > longest_) return Fed::too_long;
    if (end == std::string_view::npos) {
      begun_ += part;
      return Fed::on;
    }
    bool more = false;
    if (begun_.empty()) {
      more = on_line(part);  // as it lies there: most lines come whole
    } else {
      begun_ += part;
      more = on_line(begun_);
      begun_.clear();
    }
    if (!more) return Fed::ended;
    bytes.remove_prefix(end + 1);
  }
  return Fed::on;
}

}  // namespace carrack::control

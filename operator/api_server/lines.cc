#include "operator/api_server/lines.h"

#include "dataloader/check.h"

namespace carrack::control {

LineSplitter::Result LineSplitter::feed(std::string_view bytes, const OnLine& on_line) {
  CHECK_LE(partial_.size(), line_bytes_max_);
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    const std::string_view part = bytes.substr(0, end);
    if (partial_.size() + part.size() > line_bytes_max_) return Result::too_long;
    if (end == std::string_view::npos) {
      partial_ += part;
      return Result::more;
    }
    bool more = false;
    if (partial_.empty()) {
      more = on_line(part);  // not copied, as most lines arrive in one piece
    } else {
      partial_ += part;
      more = on_line(partial_);
      partial_.clear();
    }
    if (!more) return Result::ended;
    bytes.remove_prefix(end + 1);
  }
  return Result::more;
}

}  // namespace carrack::control

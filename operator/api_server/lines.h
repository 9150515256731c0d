// Cuts a stream of bytes at its newlines, however the bytes come; what waits for its newline is bounded.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace carrack::control {

// Takes a line without its newline; false: no more of them.
using OnLine = std::function<bool(std::string_view line)>;

class Lines {
 public:
  enum class Fed { on, ended, too_long };

  explicit Lines(std::size_t longest) : longest_(longest) {}

  // Hands on every line that these bytes complete. After `ended` or `too_long` there must be no more bytes.
  Fed feed(std::string_view bytes, const OnLine& on_line);

  // Whether a line has begun and not ended.
  bool in_a_line() const { return !begun_.empty(); }

 private:
  std::size_t longest_;
  std::string begun_;
};

}  // namespace carrack::control

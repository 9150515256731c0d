// Splits the bytes of a reply into lines as they arrive. Client::stream() uses it for watches (one JSON event a line)
// and logs of pods. It uses bounded memory, because lines have a maximum length.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace carrack::control {

// Called with each line, without its newline, on the thread that feeds or reads the stream. The view is valid until the
// call returns. Returns false to end the stream. May throw; must not be empty.
using OnLine = std::function<bool(std::string_view line)>;

class LineSplitter {
 public:
  enum class Result { more, ended, too_long };

  explicit LineSplitter(std::size_t line_bytes_max) : line_bytes_max_(line_bytes_max) {}

  // Calls on_line for every line that these bytes complete, and stores the bytes after the last newline for the next
  // call. Returns `ended` as soon as on_line returns false, and `too_long` at a line of more than line_bytes_max bytes,
  // not counting its newline; otherwise `more`. Do not call it again after `ended`, `too_long` or an exception of
  // on_line.
  Result feed(std::string_view bytes, const OnLine& on_line);

  // True if bytes were fed after the last newline: if the stream ends now, its last line is incomplete.
  bool has_partial_line() const { return !partial_.empty(); }

 private:
  const std::size_t line_bytes_max_;
  std::string partial_;
};

}  // namespace carrack::control

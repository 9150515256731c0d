// The text of HTTP/1.1 messages, without any connection: writes the head of a request, parses the head of a reply, and
// decodes a reply's body. HttpConnections sends and receives them; proxies.h uses them for CONNECT.
// https://www.rfc-editor.org/rfc/rfc9112. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "dataloader/http/request.h"

namespace carrack::data {

// Returns the request line and the headers, with the blank line before the body: "GET /x HTTP/1.1\r\nHost:
// ...\r\n\r\n". Adds the header Host, and Content-Length if the body is not empty or the method is POST or PUT. `host`
// is HOST[:PORT]. Does not check the target and headers of the request: they must have no line breaks.
std::string request_head(const HttpRequest& request, const std::string& host);

// Parses the status line and headers of a reply, up to and with the blank line; sets only `status` and `headers`.
// Returns nullopt if they are malformed. A header that continues on a second line, or contains a control character
// other than a tab, is malformed, because two parsers could read it differently.
std::optional<HttpReply> parse_reply_head(std::string_view head);

// True if the connection may serve another request after this complete reply: its header Connection is not `close`.
bool keeps_connection(const HttpReply& reply);

// Decodes the body of a reply, piece by piece as its bytes arrive: removes the lines of the chunked coding, and finds
// where the body ends. Not for replies to HEAD or CONNECT, whose head may announce a body that does not come.
class BodyDecoder {
 public:
  explicit BodyDecoder(const HttpReply& head);  // as parse_reply_head() returns it

  struct Step {
    std::size_t consumed = 0;            // number of bytes used, from the front of the input: at least one
    std::span<const std::byte> content;  // a view into the input; may be empty
  };
  // Call this repeatedly with the next bytes of the connection, at least one, while the body is neither over nor
  // broken. It may consume only a part of them; pass the others again.
  Step step(std::span<const std::byte> bytes);

  // Returns the number of bytes left of a body with a Content-Length; 0 for other bodies.
  std::uint64_t counted_bytes_left() const { return state_ == State::counted ? left_ : 0; }
  // Call this instead of step() after reading the next `bytes` bytes without this object: at most counted_bytes_left(),
  // which must not be 0.
  void consume(std::uint64_t bytes);

  // True once the whole body has been consumed, and from the start for a reply without a body, such as 204. If the
  // connection ends before this is true, the body was cut short, unless ends_with_connection().
  bool is_over() const { return state_ == State::over; }
  // True if the body cannot be read, which may already be known from the head; problem() says why.
  bool is_broken() const { return state_ == State::broken; }
  // A message that continues "the reply ...", such as "has a chunk without a size".
  const std::string& problem() const { return problem_; }
  // True if the body has no length and ends where the connection ends.
  bool ends_with_connection() const { return state_ == State::until_end; }

 private:
  enum class State {
    counted,    // has a Content-Length
    until_end,  // ends with the connection
    chunk_size,
    chunk_extension,
    chunk,      // within the content of a chunk
    chunk_end,  // at the line end after the content
    trailer,    // at the beginning of a line after the last chunk
    trailer_line,
    over,
    broken
  };

  State first_state(const HttpReply& head);
  State after_line_byte(char byte);
  State after_size_byte(char byte);
  State broken_by(std::string problem);

  State state_ = State::over;
  std::string problem_;
  std::uint64_t left_ = 0;     // bytes left of the counted body or of the chunk
  int size_digits_ = 0;        // digits of the chunk's size that were read
  std::size_t between_ = 0;    // bytes of sizes, extensions and trailers since the last content
  bool after_return_ = false;  // The last byte was a carriage return.
};

}  // namespace carrack::data

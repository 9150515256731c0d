// The text of HTTP/1.1 messages: https://www.rfc-editor.org/rfc/rfc9112. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "dataloader/http/request.h"

namespace carrack::data {

// Up to the body, which follows as it is. `host` is HOST[:PORT].
std::string head_of(const HttpRequest& request, const std::string& host);

// A reply up to and with its blank line; nothing if it is none. Headers that go on in a second line, and names or
// values with what no header may hold, are none: two who read them may read two things.
std::optional<HttpReply> reply_from(std::string_view head);

// Whether the same connection may serve another request.
bool keeps_connection(const HttpReply& reply);

// Finds the content of a reply in the bytes that follow its head, as they come.
class Body {
 public:
  explicit Body(const HttpReply& head);

  struct Step {
    std::size_t taken = 0;  // Of the bytes, from their front: at least one.
    std::span<const std::byte> content;
  };
  // Of bytes, at least one, while it is not over.
  Step step(std::span<const std::byte> bytes);

  // How much is to come where its length was told; 0 where it was not.
  std::uint64_t counted() const { return state_ == State::counted ? left_ : 0; }
  // So much of that was taken, at most as much as is to come.
  void take(std::uint64_t bytes);

  bool over() const { return state_ == State::over; }
  // What comes is no body: it must not be read on.
  bool broken() const { return state_ == State::broken; }
  // Why, in words.
  const std::string& flaw() const { return flaw_; }
  // Whether it is over when the connection is.
  bool ends_with_connection() const { return state_ == State::until_end; }

 private:
  enum class State {
    counted,
    until_end,
    chunk_size,
    chunk_rest,
    chunk,
    chunk_end,
    trailer,
    trailer_line,
    over,
    broken
  };

  State length_of(const HttpReply& head);
  State after_line_byte(char byte);
  State after_size_byte(char byte);
  State broken_by(std::string flaw);

  State state_ = State::over;
  std::string flaw_;
  std::uint64_t left_ = 0;   // Of what is counted.
  int digits_ = 0;           // Of the size of a chunk.
  std::size_t between_ = 0;  // Bytes since the last content.
  bool returned_ = false;    // The last one of them was a carriage return.
};

}  // namespace carrack::data

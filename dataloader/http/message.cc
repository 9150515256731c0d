#include "dataloader/http/message.h"

#include <algorithm>
#include <utility>

#include "dataloader/check.h"
#include "dataloader/text.h"

namespace carrack::data {
namespace {

constexpr std::string_view line_end = "\r\n";

std::optional<int> status_in(std::string_view line) {
  constexpr std::size_t status = std::string_view("HTTP/1.1 ").size();
  if (!line.starts_with("HTTP/1.1 ") && !line.starts_with("HTTP/1.0 ")) return std::nullopt;
  if (line.size() < status + 3) return std::nullopt;
  const std::optional<int> number = number_in<int>(line.substr(status, 3));
  const bool is_whole = line.size() == status + 3 || line[status + 3] == ' ';
  return is_whole && number >= 100 ? number : std::nullopt;
}

// True if the line contains no control character except tabs. Another parser, such as a proxy's, could see the end of
// the line in a control character, and so read the reply differently.
bool is_line(std::string_view line) {
  return std::ranges::all_of(line, [](char c) { return c == '\t' || static_cast<unsigned char>(c) >= ' '; }) &&
         line.find('\x7f') == line.npos;
}

bool is_name(std::string_view text) {
  constexpr std::string_view characters =
      "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&'*+-.^_`|~";
  return !text.empty() && text.find_first_not_of(characters) == text.npos;
}

std::string shortened(const std::string& value) {
  constexpr std::size_t shown_max = 60;
  return value.size() > shown_max ? value.substr(0, shown_max) + "..." : value;
}

// Returns -1 for a character that is not a hexadecimal digit.
int hexadecimal_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

}  // namespace

std::string request_head(const HttpRequest& request, const std::string& host) {
  std::string text = request.method + " " + request.target + " HTTP/1.1\r\nHost: " + host + "\r\n";
  for (const auto& [name, value] : request.headers) text += name + ": " + value + "\r\n";
  if (!request.body.empty() || request.method == "POST" || request.method == "PUT") {
    text += "Content-Length: " + std::to_string(request.body.size()) + "\r\n";
  }
  return text + "\r\n";
}

std::optional<HttpReply> parse_reply_head(std::string_view head) {
  const auto next_line = [&head]() -> std::optional<std::string_view> {
    const std::size_t end = head.find(line_end);
    if (end == head.npos || !is_line(head.substr(0, end))) return std::nullopt;
    const std::string_view line = head.substr(0, end);
    head.remove_prefix(end + line_end.size());
    return line;
  };
  const auto first = next_line();
  const auto status = first ? status_in(*first) : std::nullopt;
  if (!status) return std::nullopt;
  HttpReply reply{.status = *status};
  for (;;) {
    const auto line = next_line();
    if (!line) return std::nullopt;
    if (line->empty()) return reply;
    const std::size_t colon = line->find(':');
    if (colon == line->npos || !is_name(line->substr(0, colon))) return std::nullopt;
    reply.headers.emplace_back(line->substr(0, colon), trimmed(line->substr(colon + 1)));
  }
}

bool keeps_connection(const HttpReply& reply) {
  const auto connection = reply.header("Connection");
  return !connection || !equal_ignoring_case(*connection, "close");
}

BodyDecoder::BodyDecoder(const HttpReply& head) {
  const bool has_none = head.status < 200 || head.status == 204 || head.status == 304;
  if (!has_none) state_ = first_state(head);
}

BodyDecoder::State BodyDecoder::first_state(const HttpReply& head) {
  const auto coding = head.header("Transfer-Encoding");
  const auto length = head.header("Content-Length");
  if (coding && length) return broken_by("has both a Content-Length and a Transfer-Encoding");
  if (coding && !equal_ignoring_case(*coding, "chunked"))
    return broken_by("has the Transfer-Encoding " + shortened(*coding));
  if (coding) return State::chunk_size;
  if (!length) return State::until_end;
  const std::optional<std::uint64_t> bytes = number_in<std::uint64_t>(*length);
  if (!bytes) return broken_by("has the Content-Length " + shortened(*length));
  left_ = *bytes;
  return left_ == 0 ? State::over : State::counted;
}

BodyDecoder::State BodyDecoder::broken_by(std::string problem) {
  problem_ = std::move(problem);
  return State::broken;
}

void BodyDecoder::consume(std::uint64_t bytes) {
  CHECK(state_ == State::counted);
  CHECK_LE(bytes, left_);
  left_ -= bytes;
  if (left_ == 0) state_ = State::over;
}

BodyDecoder::Step BodyDecoder::step(std::span<const std::byte> bytes) {
  CHECK(!bytes.empty() && !is_over() && !is_broken());
  if (state_ == State::until_end) return {bytes.size(), bytes};
  if (state_ == State::counted || state_ == State::chunk) {
    const auto content = bytes.first(std::min<std::uint64_t>(bytes.size(), left_));
    left_ -= content.size();
    between_ = 0;
    if (left_ == 0) state_ = state_ == State::counted ? State::over : State::chunk_end;
    return {content.size(), content};
  }
  std::size_t consumed = 0;
  while (consumed < bytes.size() && state_ != State::chunk && state_ != State::over && state_ != State::broken) {
    state_ = after_line_byte(static_cast<char>(bytes[consumed++]));
  }
  return {consumed, {}};
}

// Returns the state after the next byte of a line: of the size of a chunk, of the line end after a chunk, or of the
// trailers. A line ends with a line feed; a carriage return before it is ignored.
BodyDecoder::State BodyDecoder::after_line_byte(char byte) {
  constexpr std::size_t between_max = std::size_t{16} << 10;  // bytes of chunk sizes, extensions and trailers
  const bool end = byte == '\n';
  if (++between_ > between_max) return broken_by("has more than 16 KiB between its chunks or after them");
  if (std::exchange(after_return_, byte == '\r') && !end) return broken_by("has a carriage return within a line");
  if (byte == '\r') return state_;
  switch (state_) {
    case State::chunk_size:
      return after_size_byte(byte);
    case State::chunk_extension:
      return !end ? State::chunk_extension : left_ > 0 ? State::chunk : State::trailer;
    case State::chunk_end:
      size_digits_ = 0;
      left_ = 0;
      return end ? State::chunk_size : broken_by("has a chunk that is longer than it says");
    case State::trailer:
      return end ? State::over : State::trailer_line;
    case State::trailer_line:
      return end ? State::trailer : State::trailer_line;
    default:
      return State::broken;
  }
}

BodyDecoder::State BodyDecoder::after_size_byte(char byte) {
  constexpr int size_digits_max = 15;  // With more digits left_ could overflow.
  const int digit = hexadecimal_digit(byte);
  if (digit < 0 && size_digits_ > 0) {
    if (byte == '\n') return left_ > 0 ? State::chunk : State::trailer;
    if (byte == ';' || byte == ' ' || byte == '\t') return State::chunk_extension;
  }
  if (digit < 0 || ++size_digits_ > size_digits_max) return broken_by("has a chunk without a size");
  left_ = left_ * 16 + static_cast<std::uint64_t>(digit);
  return State::chunk_size;
}

}  // namespace carrack::data

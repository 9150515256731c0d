#include "trainer/checkpoint/head.h"

#include "dataloader/crc32c.h"
#include "trainer/checkpoint/sealed_lines.h"
#include "trainer/error.h"

namespace carrack::checkpoint {
namespace {

constexpr std::string_view first_line = "carrack head 1";
// Trainers that do not know first passes refuse version 2.
constexpr std::string_view first_line_of_a_pass = "carrack head 2";

std::string line(const std::string& key, const Committed& committed) {
  return key + " " + committed.manifest + " " + data::crc32c_hex(committed.crc32c) + "\n";
}

Committed take(SealedLines& lines, std::string_view key) {
  const auto words = lines.words(key, 2);
  return {lines.as_name(words[0]), lines.as_crc(words[1])};
}

}  // namespace

std::string encode_head(const Head& head) {
  std::string text = std::string(head.first_pass ? first_line_of_a_pass : first_line) + "\n";
  text += "job " + head.job + "\n";
  text += "attempt " + std::to_string(head.attempt) + "\n";
  text += "incarnation " + std::to_string(head.incarnation) + "\n";
  text += "nonce " + head.nonce + "\n";
  if (head.first_pass) text += "pass first\n";
  if (head.resumed) text += line("resumed", *head.resumed);
  if (head.committed) text += line("manifest", *head.committed);
  text = seal(std::move(text));
  const Decoded<Head> decoded = decode_head(text);
  if (const auto* corrupt = std::get_if<Corrupt>(&decoded)) throw train::Error(train::Blame::bug, corrupt->text);
  return text;
}

Decoded<Head> decode_head(std::string_view text) {
  Head head;
  head.first_pass = text.starts_with(std::string(first_line_of_a_pass) + "\n");
  SealedLines lines(text, head.first_pass ? first_line_of_a_pass : first_line);
  head.job = lines.as_name(lines.rest("job"));
  head.attempt = lines.number("attempt");
  head.incarnation = lines.number("incarnation");
  head.nonce = lines.as_name(lines.rest("nonce"));
  if (head.first_pass && lines.rest("pass") != "first") lines.refuse("has a 'pass' that is not 'first'");
  if (lines.next_is("resumed")) {
    head.resumed = take(lines, "resumed");
  } else if (lines.next_is("manifest")) {
    head.committed = take(lines, "manifest");
  }
  if (auto corrupt = lines.problem()) return *corrupt;
  return head;
}

}  // namespace carrack::checkpoint

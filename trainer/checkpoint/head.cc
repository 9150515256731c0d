#include "trainer/checkpoint/head.h"

#include <algorithm>

#include "dataloader/crc32c.h"
#include "trainer/checkpoint/sealed_lines.h"
#include "trainer/error.h"

namespace carrack::checkpoint {
namespace {

constexpr std::string_view first_line = "carrack head 1";
// A first pass (an epoch before the data is indexed) uses records in another order. Trainers of releases that do not
// know first passes refuse version 2, rather than continue in the wrong order.
constexpr std::string_view first_line_of_a_pass = "carrack head 2";

// Trainers of releases that do not know that another job can take over a folder refuse version 3.
constexpr std::string_view first_line_if_taken_over = "carrack head 3";

std::string_view first_line_of(const Head& head) {
  if (head.taken_over) return first_line_if_taken_over;
  return head.first_pass ? first_line_of_a_pass : first_line;
}

std::string line(const std::string& key, const Committed& committed) {
  return key + " " + committed.manifest + " " + data::crc32c_hex(committed.crc32c) + "\n";
}

Committed take(SealedLines& lines, std::string_view key) {
  const auto words = lines.words(key, 2);
  return {lines.as_name(words[0]), lines.as_crc(words[1])};
}

std::string lines_of(const TakenOver& taken_over) {
  std::string text = "attempts " + std::to_string(taken_over.attempts) + "\n";
  text += "replaced " + std::to_string(taken_over.replaced_attempts) + "\n";
  for (const std::string& owner : taken_over.owners) text += "owner " + owner + "\n";
  if (taken_over.kept) text += line("kept", *taken_over.kept);
  return text;
}

TakenOver take_taken_over(SealedLines& lines) {
  TakenOver taken_over;
  taken_over.attempts = lines.number("attempts");
  taken_over.replaced_attempts = lines.number("replaced");
  do {
    taken_over.owners.push_back(lines.as_name(lines.rest("owner")));
  } while (lines.next_is("owner"));
  if (lines.next_is("kept")) taken_over.kept = take(lines, "kept");
  return taken_over;
}

void take_pass(SealedLines& lines) {
  if (lines.rest("pass") != "first") lines.refuse("has a 'pass' that is not 'first'");
}

}  // namespace

std::uint64_t attempt_in_names(const Head& head) {
  return (head.taken_over ? head.taken_over->attempts : 0) + head.attempt;
}

bool has_lost_folder(const Head& head, const std::string& job) {
  return head.job != job && head.taken_over && std::ranges::count(head.taken_over->owners, job) > 0;
}

std::string encode_head(const Head& head) {
  std::string text = std::string(first_line_of(head)) + "\n";
  text += "job " + head.job + "\n";
  text += "attempt " + std::to_string(head.attempt) + "\n";
  text += "incarnation " + std::to_string(head.incarnation) + "\n";
  text += "nonce " + head.nonce + "\n";
  if (head.first_pass) text += "pass first\n";
  if (head.taken_over) text += lines_of(*head.taken_over);
  if (head.resumed) text += line("resumed", *head.resumed);
  if (head.committed) text += line("manifest", *head.committed);
  text = seal(std::move(text));
  const Decoded<Head> decoded = decode_head(text);
  if (const auto* corrupt = std::get_if<Corrupt>(&decoded)) throw train::Error(train::Blame::bug, corrupt->text);
  return text;
}

Decoded<Head> decode_head(std::string_view text) {
  Head head;
  const auto begins_with = [&](std::string_view first) { return text.starts_with(std::string(first) + "\n"); };
  if (begins_with(first_line_if_taken_over)) head.taken_over.emplace();
  head.first_pass = begins_with(first_line_of_a_pass);
  SealedLines lines(text, first_line_of(head));
  head.job = lines.as_name(lines.rest("job"));
  head.attempt = lines.number("attempt");
  head.incarnation = lines.number("incarnation");
  head.nonce = lines.as_name(lines.rest("nonce"));
  if (head.taken_over) head.first_pass = lines.next_is("pass");
  if (head.first_pass) take_pass(lines);
  if (head.taken_over) head.taken_over = take_taken_over(lines);
  if (lines.next_is("resumed")) {
    head.resumed = take(lines, "resumed");
  } else if (lines.next_is("manifest")) {
    head.committed = take(lines, "manifest");
  }
  if (auto corrupt = lines.problem()) return *corrupt;
  return head;
}

}  // namespace carrack::checkpoint

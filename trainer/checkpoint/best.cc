#include "trainer/checkpoint/best.h"

#include <cmath>
#include <optional>

#include "dataloader/crc32c.h"
#include "dataloader/sources/number_text.h"
#include "dataloader/text.h"
#include "trainer/checkpoint/sealed_lines.h"
#include "trainer/error.h"

namespace carrack::checkpoint {
namespace {

constexpr std::string_view first_line = "carrack best 1";

double number_from(std::string_view text, SealedLines& lines) {
  const std::optional<double> number = data::number_in<double>(text);
  const bool is_number = number && std::isfinite(*number) && data::exact_text(*number) == text;
  if (!is_number) lines.refuse("has a 'loss' that is not a number");
  return number.value_or(0);
}

}  // namespace

std::string encode_best(const Best& best) {
  std::string text = std::string(first_line) + "\n";
  text += "manifest " + best.checkpoint.manifest + " " + data::crc32c_hex(best.checkpoint.crc32c) + "\n";
  text += "loss " + data::exact_text(best.loss) + "\n";
  text = seal(std::move(text));
  const Decoded<Best> decoded = decode_best(text);
  if (const auto* corrupt = std::get_if<Corrupt>(&decoded)) throw train::Error(train::Blame::bug, corrupt->text);
  return text;
}

Decoded<Best> decode_best(std::string_view text) {
  Best best;
  SealedLines lines(text, first_line);
  const auto words = lines.words("manifest", 2);
  best.checkpoint = {lines.as_name(words[0]), lines.as_crc(words[1])};
  best.loss = number_from(lines.rest("loss"), lines);
  if (auto corrupt = lines.problem()) return *corrupt;
  return best;
}

}  // namespace carrack::checkpoint

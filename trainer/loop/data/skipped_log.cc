#include "trainer/loop/data/skipped_log.h"

#include <cstddef>
#include <string_view>

#include "dataloader/text.h"

namespace carrack::train {
namespace {

constexpr std::size_t text_bytes_max = 512;
constexpr std::size_t places_max = 10;

}  // namespace

// Drops the beginning of a text that is too long, which is the path of the file. The end must stay, because it says
// where the record is in the file and what is wrong with it.
std::string damage_text(const data::Corrupt& damage) {
  std::string text = data::printable(data::text(damage));
  if (text.size() <= text_bytes_max) return text;
  constexpr std::string_view dots = "...";
  text.erase(0, text.size() - (text_bytes_max - dots.size()));
  while (!data::is_utf8(text)) text.erase(0, 1);
  return std::string(dots) + text;
}

void SkippedLog::add(std::span<const data::Lost> lost) {
  for (const data::Lost& one : lost) {
    if (logged_.size() == places_max || !logged_.emplace(one.why.file, one.why.record).second) continue;
    log_("left out: " + damage_text(one.why));
    if (logged_.size() == places_max) log_("more records that are left out are counted and not logged");
  }
}

}  // namespace carrack::train

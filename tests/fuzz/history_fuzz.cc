// Any bytes as metrics.jsonl: points or an error, in bounded memory; what is read can be written and read again, and
// every point is one whole record of an event file.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dataloader/records/frame.h"
#include "tests/fuzz/must.h"
#include "trainer/error.h"
#include "trainer/history/events.h"
#include "trainer/history/metrics_file.h"

namespace carrack::history {
namespace {

using fuzz::must;

void check(const std::vector<Point>& points) {
  std::string text;
  for (const Point& point : points) {
    text += line_of(point);
    const std::string record = event_of(point);
    must(data::frame::fault_in(std::as_bytes(std::span(record)), true) == std::nullopt, "an event is a record");
  }
  std::string again;
  for (const Point& point : points_in(text)) again += line_of(point);
  must(again == text, "what is read is written and read again");
  must(without_replaced(points).size() <= points.size(), "what holds is a part");
}

}  // namespace
}  // namespace carrack::history

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace history = carrack::history;
  try {
    history::check(history::points_in({reinterpret_cast<const char*>(data), size}));
  } catch (const carrack::train::Error&) {
    // The bytes are damaged lines.
  }
  return 0;
}

// Any bytes as a snapshot's manifest, as they are and with a good checksum behind them: words, or a manifest that is
// written as it came, whose columns any record gives or does not give.
#include "dataloader/pipeline/snapshots/snapshot_manifest.h"

#include <cstdio>
#include <span>
#include <string>

#include "dataloader/crc32c.h"
#include "dataloader/error.h"
#include "tests/fuzz/must.h"

namespace carrack::data {
namespace {

using fuzz::must;

void check(const std::string& text) {
  const auto found = parse_snapshot_manifest(text);
  if (const std::string* why = std::get_if<std::string>(&found)) {
    must(!why->empty(), "a problem says what is wrong");
    return;
  }
  const auto& manifest = std::get<SnapshotManifest>(found);
  must(to_text(manifest) == text, "a manifest is written as it came");
  must(difference(manifest.origin, {}).size() > 0, "a difference has words");
  Rows rows;
  rows.count = 1;
  rows.columns.push_back({"record", LargeVector<std::string_view>{text}});
  // Files that say that they are large enough for such items are not believed when they are opened.
  constexpr std::size_t most = std::size_t{1} << 16;
  for (const ColumnType& column : manifest.columns)
    if (NamedColumn{{}, {}, column.item, {}}.item_size() > most) return;
  try {
    check_writable(manifest.columns);
  } catch (const Error&) {
    return;
  }
  from_examples(manifest.columns)(rows);
  must(rows.count + rows.lost.size() == 1, "a row is there or lost");
}

}  // namespace
}  // namespace carrack::data

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace carrack::data;
  const std::string text(reinterpret_cast<const char*>(data), size);
  check(text);
  char seal[17];
  std::snprintf(seal, sizeof seal, "crc32c %08x\n", static_cast<unsigned>(crc32c(std::as_bytes(std::span(text)), 0)));
  check(text + seal);
  return 0;
}

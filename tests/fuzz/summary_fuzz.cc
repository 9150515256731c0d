// Any bytes as a record that a person looks at: what is said of it is JSON where it should be, and text that moves no
// cursor; a record adds the same to a summary whatever was added before.
#include <nlohmann/json.hpp>
#include <string>

#include "dataloader/cli/summary/file_format.h"
#include "dataloader/cli/summary/manifest_features.h"
#include "dataloader/cli/summary/problems.h"
#include "dataloader/cli/summary/record_json.h"
#include "dataloader/images/image_header.h"
#include "dataloader/text.h"
#include "tests/fuzz/must.h"

namespace carrack::data::cli {
namespace {

using fuzz::must;

void check_texts(std::span<const std::byte> record) {
  ExampleWalker walker;
  const std::string json = record_json(record, walker);
  must(nlohmann::json::accept(json) && is_text(json), "a record is JSON");
  must(json == record_json(record, walker), "what was seen before changes nothing");
  const std::string shown = "{" + record_text(record, walker) + "}";
  must(nlohmann::json::accept(shown) && is_text(shown), "what a person is shown is JSON");
  must(is_text(guess_format(record)), "what a file looks like is text");
  image_header_in(record);
}

void check_summary(std::span<const std::byte> record) {
  ExampleWalker walker;
  Summary one, two;
  one.add("x", 0, record, walker);
  two.add("x", 0, record, walker);
  two.add("x", 1, record, walker);
  must(one.records() == 1 && two.records() == 2 && two.bytes == 2 * record.size(), "records are counted");
  must(one.features.size() == two.features.size(), "a record has the same features again");
  must(one.examples() == 1 || one.features.empty(), "what is no Example has no features");
  one.merge(Summary(one));
  for (const auto& [key, feature] : two.features) {
    const auto found = one.features.find(key);
    must(found != one.features.end() && found->second.records == feature.records, "two parts are as the whole");
    must(found->second.values == feature.values && found->second.steps == feature.steps, "in what they hold, too");
  }
  must(is_text(manifest_features(two)), "what a manifest says is text");
  for (const std::string& problem : find_problems(two)) must(is_text(problem), "a problem is text");
}

}  // namespace
}  // namespace carrack::data::cli

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const auto record = std::as_bytes(std::span(data, size));
  carrack::data::cli::check_texts(record);
  carrack::data::cli::check_summary(record);
  return 0;
}

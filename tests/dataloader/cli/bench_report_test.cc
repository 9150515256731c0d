// The report of `carrack data bench` for people.
#include "dataloader/cli/bench_report.h"

#include <gtest/gtest.h>

namespace carrack::data::cli {
namespace {

TEST(BenchReport, HasALineForEachRunAndTheReportOfTheLastOne) {
  const BenchRun first{.name = "records, in order",
                       .open_seconds = 0.25,
                       .seconds = 2,
                       .rows = 3'000'000,
                       .bytes = 300'000'000,
                       .rows_in_files = 2'000'000,
                       .skipped_rows = 1};
  const BenchRun second{.name = "parsed, in turn", .seconds = 1, .rows = 5, .bytes = 10};
  const std::string report = format_report(Measured{});
  EXPECT_EQ(bench_text({first, second}),
            "                   rows/s     a second  times through  opened in\n"
            "records, in order  1,500,000  150.0 MB  1.5            0.2 s\n"
            "parsed, in turn    5          10 bytes                 0.0 s\n\n"
            "parsed, in turn:\n" +
                report);
  EXPECT_EQ(bench_text({first}),
            "                   rows/s     a second  times through  opened in\n"
            "records, in order  1,500,000  150.0 MB  1.5            0.2 s\n\n"
            "from the second time on, files that fit into memory are read from there\n\n"
            "left out: 1 row that cannot be used\n\n"
            "records, in order:\n" +
                report);
}

}  // namespace
}  // namespace carrack::data::cli

#include "dataloader/pipeline/report.h"

#include <gtest/gtest.h>

#include <chrono>
#include <latch>
#include <system_error>
#include <thread>

#include "dataloader/pipeline/execution/workers.h"
#include "tests/dataloader/pipeline/numbered_rows.h"
#include "tests/support/no_new_threads.h"

namespace carrack::data {
namespace {

constexpr std::uint64_t second = 1'000'000'000;

Measured read_bound() {
  return {.stages = {{"records", 100, 1'000'000, 100'000'000, 1 * second, 7 * second},
                     {"parse record: x", 100, 1'000'000, 0, second / 2, 0}},
          .workers = {8, 0.82, 100},
          .cpus = 2,
          .max_threads = 64,
          .passed_ns = 2 * second,
          .reader_waited_ns = second,
          .rows = 1'000'000,
          .files = 8,
          .file_bytes = 100'000'000};
}

TEST(Report, SaysWhichPartIsTheNarrowest) {
  Measured measured = read_bound();
  EXPECT_EQ(
      advice(measured),
      std::vector<std::string>{"storage is the narrowest: threads wait for it 82% of their time, and more of them do "
                               "not get more of it; bring the data nearer, or make its files larger"});
  measured.max_threads = 8;
  EXPECT_EQ(advice(measured),
            std::vector<std::string>{"storage is the narrowest: threads wait for it 82% of their time; 8 "
                                     "threads are the most that it may have: allow more"});
  measured.workers.waiting_share = 0.1;
  measured.stages[1].busy_ns = 3 * second;
  EXPECT_EQ(advice(measured),
            std::vector<std::string>{"the CPUs are the narrowest, and parse record: x takes 75% of their "
                                     "time; give it more CPUs than 2, or less to do"});
  measured.stages[0] = {"csv", 100, 1'000'000, 0, second * 3 / 2, second / 4, true};
  EXPECT_EQ(advice(measured), std::vector<std::string>{"csv is the narrowest: its rows come in turn, by one thread, "
                                                       "which computes 75% of the time and waits 13%"});
  measured.reader_waited_ns = second / 100;
  EXPECT_EQ(advice(measured),
            std::vector<std::string>{"who reads is the narrowest: batches were ready 100% of the time"});
  measured.files = 4812;
  measured.file_bytes = 4812 * 80'000ull;
  EXPECT_EQ(advice(measured).back(), "4812 files of 80.0 kB: merge them to about 2 of 150 MB");
  EXPECT_EQ(advice({}), std::vector<std::string>{"who reads is the narrowest: batches were ready 100% of the time"});
}

TEST(Report, IsATable) {
  EXPECT_EQ(format_report(read_bound()),
            "stage                              rows  rows/s of a CPU     CPU  waiting      read\n"
            "records                         1000000          1000000    1.00 s    7.00 s  100.0 MB\n"
            "parse record: x                 1000000          2000000    0.50 s    0.00 s\n"
            "1000000 rows in 2.00 s: 500000 rows/s, 50.0 MB/s of the files, inflated, with 8 threads on 2 CPUs\n"
            "storage is the narrowest: threads wait for it 82% of their time, and more of them do not get more of it; "
            "bring the data nearer, or make its files larger\n");
}

TEST(Report, WritesATimelineThatBrowsersRead) {
  EXPECT_EQ(chrome_trace({{"a \"b\"\n", 1}}, {{0, 3, 1500, 4000, 7}}),
            "{\"traceEvents\":[\n"
            "{\"ph\":\"X\",\"pid\":0,\"tid\":3,\"name\":\"a "
            "\\\"b\\\"\\n\",\"ts\":1.500,\"dur\":2.500,\"args\":{\"rows\":7}}\n"
            "]}\n");
}

TEST(Workers, AreAsManyAsKeepTheCpusBusy) {
  EXPECT_EQ(threads_wanted(2, 2, 64, second, 0), 2u);
  EXPECT_EQ(threads_wanted(2, 4, 64, second, second), 4u) << "half of the time is waited";
  EXPECT_EQ(threads_wanted(2, 8, 64, second, 0), 2u) << "no longer";
  EXPECT_EQ(threads_wanted(2, 2, 64, second, 9 * second), 4u) << "step by step";
  EXPECT_EQ(threads_wanted(2, 16, 64, second, 9 * second), 20u);
  EXPECT_EQ(threads_wanted(2, 60, 64, 0, second), 64u);
}

TEST(Workers, RunAllTasksOnTheThreadsThatTheSystemStarts) {
  std::latch done(2);
  Workers workers(2, 2);
  workers.run([&] { done.count_down(); });
  {
    const tests::NoNewThreads none;
    workers.run([&] { done.count_down(); });
  }
  done.wait();
}

TEST(Workers, DropATaskForWhichThereIsNoThread) {
  bool is_run = false;
  {
    std::latch done(1);
    Workers workers(1, 1);
    {
      const tests::NoNewThreads none;
      EXPECT_THROW(workers.run([&] { is_run = true; }), std::system_error);
    }
    workers.run([&] { done.count_down(); });
    done.wait();
  }
  EXPECT_FALSE(is_run);
}

TEST(Profile, SumsWhatEachStageTook) {
  const auto wait = [](Rows&) { std::this_thread::sleep_for(std::chrono::milliseconds(5)); };
  const auto compute = [](Rows&) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(5);
    while (std::chrono::steady_clock::now() < end) continue;
  };
  Reading reading(ids(0, 400).batch(20).map("waits", wait).map("computes", compute), storages,
                  {.cpus = 2, .timeline = 30});
  rest_of(reading);
  const Measured measured = reading.measured();
  ASSERT_EQ(measured.stages.size(), 2u);
  EXPECT_EQ(measured.stages[0].name, "map waits");
  EXPECT_EQ(measured.stages[0].rows, 400u);
  EXPECT_EQ(measured.stages[0].calls, 20u);
  EXPECT_GE(measured.stages[0].waited_ns, 20 * 4'000'000u);
  EXPECT_GE(measured.stages[1].busy_ns, 20 * 4'000'000u);
  EXPECT_EQ(measured.rows, 400u);
  const std::string timeline = reading.timeline();
  EXPECT_EQ(std::ranges::count(timeline, '\n'), 32);
  EXPECT_NE(timeline.find("\"name\":\"map computes\""), std::string::npos);
}

}  // namespace
}  // namespace carrack::data

#include "operator/web/metrics.h"

#include <gmock/gmock.h>

#include <thread>

namespace carrack::control {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;
using testing::Not;

const Moment started{milliseconds(1'790'000'000'125)};

TEST(Metrics, HaveTheNamesThatTheReferenceLists) {
  Metrics metrics("0.1.0", started);
  metrics.count_reconcile("done", milliseconds(3));
  metrics.count_api_request("create", "pods", 201, milliseconds(40));
  metrics.count_api_request("create", "pods", std::nullopt, milliseconds(60));
  metrics.count_watch_restart("pods", "expired");
  metrics.set_watch_ages({{"pods", "gone", std::chrono::seconds(1)}});
  metrics.set_watch_ages({{"pods", "team", milliseconds(1'500)}, {"pods", "", std::chrono::seconds(2)}});
  metrics.set_queue_depth(7);
  metrics.count_losses({.restarts = 2, .disruptions = 1, .steps = 70});
  metrics.count_losses({.restarts = 1, .disruptions = 0, .steps = 0});
  metrics.set_jobs({{"Running", 2}, {"Succeeded", 1}});
  const std::string text = metrics.text();
  for (const char* line : {
           "carrack_build_info{version=\"0.1.0\"} 1\n",
           "carrack_jobs{state=\"Running\"} 2\n",
           "carrack_jobs{state=\"Succeeded\"} 1\n",
           "carrack_queue_depth 7\n",
           "carrack_reconciles_total{result=\"done\"} 1\n",
           "carrack_reconcile_seconds_bucket{le=\"0.0025\"} 0\n",
           "carrack_reconcile_seconds_bucket{le=\"0.005\"} 1\n",
           "carrack_reconcile_seconds_count 1\n",
           "carrack_api_requests_total{verb=\"create\",resource=\"pods\",code=\"201\"} 1\n",
           "carrack_api_requests_total{verb=\"create\",resource=\"pods\",code=\"none\"} 1\n",
           "carrack_api_request_seconds_sum{verb=\"create\"} 0.1\n",
           "carrack_watch_restarts_total{resource=\"pods\",reason=\"expired\"} 1\n",
           "carrack_watch_age_seconds{resource=\"pods\",namespace=\"\"} 2\n",
           "carrack_watch_age_seconds{resource=\"pods\",namespace=\"team\"} 1.5\n",
           "carrack_job_restarts_total 3\n",
           "carrack_job_disruptions_total 1\n",
           "carrack_job_lost_steps_total 70\n",
           "process_start_time_seconds 1790000000.125\n",
           "# TYPE process_resident_memory_bytes gauge\nprocess_resident_memory_bytes ",
       }) {
    EXPECT_THAT(text, HasSubstr(line));
  }
}

TEST(Metrics, ShowWhatIsKnownBeforeAnythingHasHappened) {
  const std::string text = Metrics("0.1.0", started).text();
  EXPECT_THAT(text, HasSubstr("carrack_queue_depth 0\n"));
  EXPECT_THAT(text, Not(HasSubstr("carrack_jobs")));
}

TEST(Metrics, ForgetAStateThatNoJobIsInAnyMore) {
  Metrics metrics("0.1.0", started);
  metrics.set_jobs({{"Running", 2}});
  metrics.set_jobs({{"Failed", 2}});
  EXPECT_THAT(metrics.text(), Not(HasSubstr("Running")));
}

TEST(Metrics, LoseNothingThatThreadsCountAtOnce) {
  Metrics metrics("0.1.0", started);
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        for (int n = 0; n < 1000; ++n) {
          metrics.count_reconcile("done", milliseconds(1));
          if (n % 100 == 0) metrics.text();
        }
      });
    }
  }
  EXPECT_THAT(metrics.text(), HasSubstr("carrack_reconciles_total{result=\"done\"} 4000\n"));
}

TEST(ResidentMemory, IsReadFromTheKernelsTextOnAProcess) {
  EXPECT_EQ(resident_bytes_in("Name:\tcarrack\nVmHWM:\t 9000 kB\nVmRSS:\t    2048 kB\nThreads:\t1\n"), 2048 * 1024);
  EXPECT_EQ(resident_bytes_in("Name:\tcarrack\nVmRSS:\tmany\n"), std::nullopt);
  EXPECT_EQ(resident_bytes_in(""), std::nullopt);
}

}  // namespace
}  // namespace carrack::control

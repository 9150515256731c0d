// Work on many files, several at once, whose results are taken one at a time and in the order of the files, so that
// they do not depend on the number of threads. Few wait for their turn, however long one file takes.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <map>
#include <mutex>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace carrack::data::cli {

// Calls take(i, work(i)) for each i below `count`. What either throws is thrown here, and then the rest is left.
template <typename Work, typename Take>
void over_files(std::size_t count, unsigned threads, const Work& work, const Take& take) {
  const std::size_t most_ahead = 4 * std::size_t{threads};
  std::mutex mutex;  // of all that follows
  std::condition_variable taken_one;
  std::map<std::size_t, std::invoke_result_t<Work, std::size_t>> done;
  std::size_t next = 0, taken = 0;
  std::exception_ptr failure;
  const auto run = [&] {
    std::unique_lock lock(mutex);
    while (!failure && next < count) {
      if (next >= taken + most_ahead) {
        taken_one.wait(lock);
        continue;
      }
      const std::size_t mine = next++;
      lock.unlock();
      try {
        auto result = work(mine);
        lock.lock();
        done.emplace(mine, std::move(result));
        for (auto turn = done.find(taken); !failure && turn != done.end(); turn = done.find(taken)) {
          take(taken++, std::move(turn->second));
          done.erase(turn);
        }
      } catch (...) {
        if (!lock.owns_lock()) lock.lock();
        if (!failure) failure = std::current_exception();
      }
      taken_one.notify_all();
    }
  };
  {
    std::vector<std::jthread> running;
    for (std::size_t i = 0; i < std::min<std::size_t>(threads, count); ++i) running.emplace_back(run);
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace carrack::data::cli

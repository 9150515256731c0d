// interop_events SECONDS: reads the lines of a metrics.jsonl from standard input, and writes the event file of its
// points, as begun at that time, to standard output.
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <iterator>
#include <string>

#include "trainer/history/events.h"
#include "trainer/history/metrics_file.h"

int main(int argc, char** argv) {
  namespace history = carrack::history;
  if (argc != 2) return 2;
  const std::string lines(std::istreambuf_iterator<char>(std::cin), {});
  std::string file = history::event_file_start(std::strtod(argv[1], nullptr));
  for (const history::Point& point : history::points_in(lines)) file += history::event_of(point);
  return std::fwrite(file.data(), 1, file.size(), stdout) == file.size() ? 0 : 1;
}

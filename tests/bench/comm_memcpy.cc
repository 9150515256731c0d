// bench_comm_memcpy BYTES SECONDS: rounds that only copy memory, as a bound: one thread copies so many bytes, and then
// as many others. Nobody looks at them, and nobody has to be woken.
#include <cstring>

#include "tests/bench/rounds.h"

namespace carrack::bench {
namespace {

void measure(std::size_t bytes, double seconds) {
  const std::vector<char> gradient(bytes, 1), parameters(bytes, 2);
  std::vector<char> pushed(bytes), pulled(bytes);
  Rounds rounds(bytes, seconds, {});
  while (!rounds.enough()) {
    rounds.begin();
    std::memcpy(pushed.data(), gradient.data(), bytes);
    std::memcpy(pulled.data(), parameters.data(), bytes);
    asm volatile("" : : "r"(pushed.data()), "r"(pulled.data()) : "memory");  // The copies are not left out.
    rounds.end();
  }
  rounds.print();
}

}  // namespace
}  // namespace carrack::bench

int main(int argc, char** argv) {
  return carrack::bench::main_of("bench_comm_memcpy", argc, argv, carrack::bench::measure);
}

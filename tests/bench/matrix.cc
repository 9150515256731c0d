// bench_matrix PEER THREADS M N K TRANSPOSED LANES: our matrix product and a peer's, in turns in this process.
//   PEER        openblas or onednn, loaded when the program runs; fma: the machine's multiply-adds in registers alone
//   TRANSPOSED  the operands that are stored transposed: none, a, b or ab
//   LANES       into which our side cuts k; the peers have none
// Prints six lines `OURS PEER`, in floating-point operations a second.
#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "trainer/kernels/lanes.h"
#include "trainer/kernels/matrix.h"
#include "trainer/kernels/thread_pool.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace carrack::train {
namespace {

constexpr int lines = 6;
constexpr int turns = 9;  // Of each side in a line; the fastest counts, because other processes only slow down.
constexpr auto turn = std::chrono::milliseconds(4);
constexpr auto turn_of_threads = std::chrono::milliseconds(40);  // Until the system has spread them over the CPUs.
// The peers' threads go on spinning behind a product; with more than one, the other side waits for their end.
constexpr auto between_turns = std::chrono::milliseconds(100);

using Product = std::function<void()>;
using Clock = std::chrono::steady_clock;

[[noreturn]] void fail(const std::string& why) {
  std::fprintf(stderr, "bench_matrix: %s\n", why.c_str());
  std::exit(1);
}

template <class Function>
Function* function_of(void* library, const char* name) {
  void* const found = dlsym(library, name);
  if (!found) fail(dlerror());
  return reinterpret_cast<Function*>(found);
}

void* loaded(const char* file) {
  void* const library = dlopen(file, RTLD_NOW | RTLD_GLOBAL);
  if (!library) fail(dlerror());
  return library;
}

struct Operands {
  std::vector<float> a, b, c;
};

Product openblas(const GemmShape& shape, Operands& of, int threads) {
  void* const library = loaded("libopenblas.so.0");
  function_of<void(int)>(library, "openblas_set_num_threads")(threads);
  auto* sgemm =
      function_of<void(int, int, int, int, int, int, float, const float*, int, const float*, int, float, float*, int)>(
          library, "cblas_sgemm");
  constexpr int row_major = 101, as_stored = 111, transposed = 112;
  const int m = static_cast<int>(shape.m), n = static_cast<int>(shape.n), k = static_cast<int>(shape.k);
  return [=, &of, ta = shape.transpose_a, tb = shape.transpose_b] {
    sgemm(row_major, ta ? transposed : as_stored, tb ? transposed : as_stored, m, n, k, 1, of.a.data(), ta ? m : k,
          of.b.data(), tb ? k : n, 0, of.c.data(), n);
  };
}

Product onednn(const GemmShape& shape, Operands& of, int threads) {
  void* const library = loaded("libdnnl.so.2");
  function_of<void(int)>(loaded("libgomp.so.1"), "omp_set_num_threads")(threads);
  auto* sgemm = function_of<int(char, char, std::int64_t, std::int64_t, std::int64_t, float, const float*, std::int64_t,
                                const float*, std::int64_t, float, float*, std::int64_t)>(library, "dnnl_sgemm");
  return [=, &of] {
    const bool ta = shape.transpose_a, tb = shape.transpose_b;
    sgemm(ta ? 'T' : 'N', tb ? 'T' : 'N', shape.m, shape.n, shape.k, 1, of.a.data(), ta ? shape.m : shape.k,
          of.b.data(), tb ? shape.k : shape.n, 0, of.c.data(), shape.n);
  };
}

constexpr int fma_steps = 100'000;
constexpr int fma_chains = 16;

#if defined(__x86_64__)
__attribute__((target("avx512f"))) float fmas_avx512() {
  __m512 sums[fma_chains];
  for (__m512& sum : sums) sum = _mm512_setzero_ps();
  const __m512 factor = _mm512_set1_ps(0.5f), term = _mm512_set1_ps(1.0f);
  for (int step = 0; step < fma_steps; ++step) {
#pragma GCC unroll 16
    for (__m512& sum : sums) sum = _mm512_fmadd_ps(sum, factor, term);
  }
  for (const __m512& sum : sums) sums[0] = _mm512_add_ps(sums[0], sum);
  return _mm512_cvtss_f32(sums[0]);
}

__attribute__((target("avx2,fma"))) float fmas_avx2() {
  __m256 sums[12];
  for (__m256& sum : sums) sum = _mm256_setzero_ps();
  const __m256 factor = _mm256_set1_ps(0.5f), term = _mm256_set1_ps(1.0f);
  for (int step = 0; step < fma_steps; ++step) {
#pragma GCC unroll 16
    for (__m256& sum : sums) sum = _mm256_fmadd_ps(sum, factor, term);
  }
  for (const __m256& sum : sums) sums[0] = _mm256_add_ps(sums[0], sum);
  return _mm256_cvtss_f32(sums[0]);
}
#endif

volatile float unused;

// On one thread. Its operations in `operations`.
Product fmas(double& operations) {
#if defined(__x86_64__)
  if (cpu::has(cpu::GemmLevel::avx512)) {
    operations = 2.0 * 16 * fma_chains * fma_steps;
    return [] { unused = fmas_avx512(); };
  }
  if (cpu::has(cpu::GemmLevel::avx2)) {
    operations = 2.0 * 8 * 12 * fma_steps;
    return [] { unused = fmas_avx2(); };
  }
#endif
  (void)operations;
  fail("does not know how to measure this machine's multiply-adds");
}

// Runs one side for a turn.
double rate(const Product& product, double operations, std::chrono::milliseconds at_least) {
  product();  // Wakes the threads.
  const Clock::time_point start = Clock::now();
  std::chrono::duration<double> passed{};
  int times = 0;
  do {
    product();
    ++times;
    passed = Clock::now() - start;
  } while (passed < at_least);
  return operations * times / passed.count();
}

void measure(const GemmShape& shape, std::string_view peer, int threads, int lanes) {
  const auto floats = [](std::int64_t rows, std::int64_t columns) {
    std::vector<float> values(static_cast<std::size_t>(rows * columns));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 17) * 0.125f - 1.0f;
    return values;
  };
  Operands of{floats(shape.m, shape.k), floats(shape.k, shape.n), floats(shape.m, shape.n)};
  std::vector<std::int64_t> ends;
  for (int lane = 0; lanes > 1 && lane < lanes; ++lane) ends.push_back(equal_part(shape.k, lanes, lane).end);
  cpu::ThreadPool pool(threads);
  const Product ours = [&] {
    cpu::gemm(shape, of.a.data(), of.b.data(), of.c.data(),
              {.lane_ends = ends, .threads = threads > 1 ? &pool : nullptr});
  };
  const double operations =
      2.0 * static_cast<double>(shape.m) * static_cast<double>(shape.n) * static_cast<double>(shape.k);
  double peer_operations = operations;
  const Product theirs = peer == "openblas" ? openblas(shape, of, threads)
                         : peer == "onednn" ? onednn(shape, of, threads)
                                            : fmas(peer_operations);
  const auto length = threads > 1 ? turn_of_threads : turn;
  for (int line = 0; line < lines; ++line) {
    double our_rate = 0, their_rate = 0;
    for (int i = 0; i < turns; ++i) {
      our_rate = std::max(our_rate, rate(ours, operations, length));
      if (threads > 1) std::this_thread::sleep_for(between_turns);
      their_rate = std::max(their_rate, rate(theirs, peer_operations, length));
      if (threads > 1) std::this_thread::sleep_for(between_turns);
    }
    std::printf("%.0f %.0f\n", our_rate, their_rate);
  }
}

}  // namespace
}  // namespace carrack::train

int main(int argc, char** argv) {
  const std::string_view peer = argc == 8 ? argv[1] : "";
  if (peer != "openblas" && peer != "onednn" && peer != "fma") {
    std::fputs("usage: bench_matrix openblas|onednn|fma THREADS M N K none|a|b|ab LANES\n", stderr);
    return 2;
  }
  const std::string_view transposed = argv[6];
  const carrack::train::GemmShape shape{.transpose_a = transposed == "a" || transposed == "ab",
                                        .transpose_b = transposed == "b" || transposed == "ab",
                                        .m = std::atoll(argv[3]),
                                        .n = std::atoll(argv[4]),
                                        .k = std::atoll(argv[5])};
  carrack::train::measure(shape, peer, std::atoi(argv[2]), std::atoi(argv[7]));
  return 0;
}

// Losses and their gradients: their bits must be those of the CPU.
#include <limits>

#include "tests/gpu/bits.h"
#include "tests/gpu/cases.h"
#include "tests/trainer/kernels/naive.h"
#include "trainer/kernels/losses.h"

namespace carrack::gpu_test {
namespace {

using namespace train;

constexpr float infinity = std::numeric_limits<float>::infinity();

// Scores that differ little, so that no exponential hides the others.
std::vector<float> scores_of(std::size_t size, std::uint32_t seed) {
  std::vector<float> scores = naive::numbers(size, seed);
  for (float& score : scores) score /= 4096;
  return scores;
}

std::vector<std::int64_t> labels_of(std::int64_t classes, std::size_t rows) {
  std::vector<std::int64_t> labels(rows);
  for (std::size_t row = 0; row < rows; ++row) labels[row] = static_cast<std::int64_t>(7 * row) % classes;
  return labels;
}

void check_softmax(std::int64_t classes, const std::vector<float>& scores, const std::vector<std::int64_t>& labels) {
  cuda::Stream stream;
  const std::string of = std::to_string(labels.size()) + " rows of " + std::to_string(classes);
  std::vector<float> loss(labels.size()), log_softmax(scores.size()), of_scores(scores.size());
  const std::vector<float> of_loss = naive::numbers(labels.size(), 2);
  cpu::softmax_cross_entropy(classes, scores.data(), labels, loss.data(), log_softmax.data());
  cpu::softmax_cross_entropy_gradient(classes, of_loss.data(), log_softmax.data(), labels, of_scores.data());
  const cuda::Buffer device_scores(scores), device_of_loss(of_loss);
  const cuda::Array<std::int64_t> device_labels{std::span(labels)};
  cuda::Array<Refused> refused{std::vector<Refused>(1)};
  cuda::Buffer device_loss(loss.size()), device_log_softmax(scores.size()), device_of_scores(scores.size());
  cuda::softmax_cross_entropy(stream, classes, device_scores.data(), span_of(device_labels), device_loss.data(),
                              device_log_softmax.data(), refused.data());
  cuda::softmax_cross_entropy_gradient(stream, classes, device_of_loss.data(), device_log_softmax.data(),
                                       span_of(device_labels), device_of_scores.data(), refused.data());
  stream.wait();
  check_bits("the loss of softmax_cross_entropy", of, device_loss, loss);
  check_bits("the logarithms of softmax_cross_entropy", of, device_log_softmax, log_softmax);
  check_bits("softmax_cross_entropy_gradient", of, device_of_scores, of_scores);
  check(value_of(refused).found == 0, "softmax_cross_entropy refused a label of " + of);
}

void softmax_cross_entropy_gives_the_bits_of_the_cpu() {
  struct Scores {
    std::size_t rows;
    std::int64_t classes;
  };
  for (const auto& [rows, classes] :
       {Scores{0, 3}, Scores{1, 1}, Scores{3, 2}, Scores{7, 31}, Scores{9, 32}, Scores{20, 33}, Scores{2, 1000}}) {
    check_softmax(classes, scores_of(rows * static_cast<std::size_t>(classes), 1), labels_of(classes, rows));
  }
}

void softmax_cross_entropy_of_limits_gives_the_bits_of_the_cpu() {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  for (const float limit : {0.0f, -0.0f, 1e4f, -1e4f, infinity, -infinity, nan}) {
    for (const std::size_t place : {0, 1, 39}) {
      std::vector<float> scores = scores_of(40, 1);
      scores[place] = limit;
      check_softmax(40, scores, {3});
      check_softmax(40, scores, {static_cast<std::int64_t>(place)});
    }
  }
}

void labels_that_are_no_class_are_refused() {
  cuda::Stream stream;
  constexpr std::int64_t classes = 5;
  for (const std::int64_t bad : {std::int64_t{-1}, classes, std::int64_t{1} << 62, -(std::int64_t{1} << 62)}) {
    std::vector<std::int64_t> labels = labels_of(classes, 20);
    labels[7] = labels[19] = bad;
    const cuda::Array<std::int64_t> device_labels{std::span<const std::int64_t>(labels)};
    const cuda::Buffer scores(scores_of(100, 1)), of_loss(naive::numbers(20, 2));
    cuda::Array<Refused> by_loss{std::vector<Refused>(1)}, by_gradient{std::vector<Refused>(1)};
    cuda::Buffer loss(20), log_softmax(100), of_scores(100);
    cuda::softmax_cross_entropy(stream, classes, scores.data(), span_of(device_labels), loss.data(), log_softmax.data(),
                                by_loss.data());
    cuda::softmax_cross_entropy_gradient(stream, classes, of_loss.data(), log_softmax.data(), span_of(device_labels),
                                         of_scores.data(), by_gradient.data());
    stream.wait();
    for (const auto* refused : {&by_loss, &by_gradient}) {
      const Refused value = value_of(*refused);
      check(value.found != 0 && value.integer == bad, "the label " + std::to_string(bad) + " was taken");
    }
  }
}

constexpr std::size_t sizes[] = {0, 1, 255, 257, 10007};

// Of scores, with limits among them, and targets from 0 to 1.
struct Elements {
  std::vector<float> scores, targets;

  explicit Elements(std::size_t size) : scores(scores_of(size, 1)), targets(scores_of(size, 2)) {
    constexpr float limits[] = {0.0f, -0.0f, infinity, -infinity, 100.0f, -100.0f};
    for (std::size_t i = 0; i < std::size(limits) && 3 * i < size; ++i) scores[3 * i] = limits[i];
    for (float& target : targets) target = target < 0 ? 0 : target > 1 ? 1 : target;
  }
};

struct Loss {
  const char* name;
  void (*on_cpu)(std::span<const float>, std::span<const float>, std::span<float>);
  void (*on_device)(cuda::Stream&, std::span<const float>, std::span<const float>, std::span<float>, Refused*);
};

template <void (*function)(float, std::span<const float>, std::span<const float>, std::span<float>)>
void with_delta(std::span<const float> predictions, std::span<const float> targets, std::span<float> results) {
  function(0.3f, predictions, targets, results);
}

template <void (*function)(cuda::Stream&, float, std::span<const float>, std::span<const float>, std::span<float>)>
void with_delta(cuda::Stream& stream, std::span<const float> predictions, std::span<const float> targets,
                std::span<float> results, Refused*) {
  function(stream, 0.3f, predictions, targets, results);
}

void slope_on_device(cuda::Stream& stream, std::span<const float> scores, std::span<const float> targets,
                     std::span<float> slopes, Refused*) {
  cuda::sigmoid_cross_entropy_slope(stream, scores, targets, slopes);
}

void losses_of_elements_give_the_bits_of_the_cpu() {
  cuda::Stream stream;
  for (const Loss& loss : {Loss{"sigmoid_cross_entropy", cpu::sigmoid_cross_entropy, cuda::sigmoid_cross_entropy},
                           Loss{"sigmoid_cross_entropy_slope", cpu::sigmoid_cross_entropy_slope, slope_on_device},
                           Loss{"huber", with_delta<cpu::huber>, with_delta<cuda::huber>},
                           Loss{"huber_slope", with_delta<cpu::huber_slope>, with_delta<cuda::huber_slope>}}) {
    for (const std::size_t size : sizes) {
      const Elements elements(size);
      std::vector<float> expected(size);
      loss.on_cpu(elements.scores, elements.targets, expected);
      const cuda::Buffer scores(elements.scores), targets(elements.targets);
      cuda::Array<Refused> refused{std::vector<Refused>(1)};
      cuda::Buffer results(size);
      loss.on_device(stream, span_of(scores), span_of(targets), {results.data(), size}, refused.data());
      stream.wait();
      check_bits(loss.name, std::to_string(size) + " elements", results, expected);
      check(value_of(refused).found == 0, std::string(loss.name) + " refused a target");
    }
  }
}

void targets_of_sigmoid_cross_entropy_outside_of_0_to_1_are_refused() {
  cuda::Stream stream;
  for (const float bad : {-1e-20f, 1.0000001f, infinity, -infinity}) {
    Elements elements(300);
    elements.targets[260] = elements.targets[299] = bad;
    const cuda::Buffer scores(elements.scores), targets(elements.targets);
    cuda::Array<Refused> refused{std::vector<Refused>(1)};
    cuda::Buffer losses(300);
    cuda::sigmoid_cross_entropy(stream, span_of(scores), span_of(targets), {losses.data(), 300}, refused.data());
    stream.wait();
    const Refused value = value_of(refused);
    check(value.found != 0 && value.number == bad, "the target " + std::to_string(bad) + " was taken");
  }
}

}  // namespace

std::vector<Case> losses_cases() {
  return {
      {"softmax_cross_entropy_gives_the_bits_of_the_cpu", softmax_cross_entropy_gives_the_bits_of_the_cpu},
      {"softmax_cross_entropy_of_limits_gives_the_bits_of_the_cpu",
       softmax_cross_entropy_of_limits_gives_the_bits_of_the_cpu},
      {"labels_that_are_no_class_are_refused", labels_that_are_no_class_are_refused},
      {"losses_of_elements_give_the_bits_of_the_cpu", losses_of_elements_give_the_bits_of_the_cpu},
      {"targets_of_sigmoid_cross_entropy_outside_of_0_to_1_are_refused",
       targets_of_sigmoid_cross_entropy_outside_of_0_to_1_are_refused},
  };
}

}  // namespace carrack::gpu_test

// optimizer_steps NAME NUMBER...: reads lines of floats, the parameters first, then the
// gradient of each step, and prints the parameters after each step as hexadecimal floats, which lose nothing.
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "trainer/optimizer/optimizer.h"

namespace carrack::train {
namespace {

std::optional<Optimizer> optimizer_from(const std::vector<std::string>& arguments) {
  const auto number = [&](std::size_t i) { return std::strtod(arguments[i].c_str(), nullptr); };
  const auto are = [&](std::string_view name, std::size_t numbers) {
    return arguments.size() == numbers + 1 && arguments[0] == name;
  };
  if (are("sgd", 3)) return Sgd{number(1), number(2), number(3) != 0};
  if (are("rmsprop", 3)) return RmsProp{number(1), number(2), number(3)};
  if (are("adam", 4)) return Adam{number(1), number(2), number(3), number(4)};
  if (are("adamw", 5)) return AdamW{number(1), number(2), number(3), number(4), number(5)};
  if (are("adagrad", 3)) return Adagrad{number(1), number(2), number(3)};
  return std::nullopt;
}

std::vector<float> floats_from(const std::string& line) {
  std::vector<float> values;
  std::istringstream words(line);
  for (std::string word; words >> word;) values.push_back(std::strtof(word.c_str(), nullptr));
  return values;
}

int run(const Optimizer& optimizer) {
  std::string line;
  std::getline(std::cin, line);
  std::vector<float> parameters = floats_from(line);
  const std::vector<float> initial(parameters.size(), initial_state(optimizer));
  std::vector<std::vector<float>> state(state_names(optimizer).size(), initial);
  for (std::int64_t step = 1; std::getline(std::cin, line); ++step) {
    const std::vector<float> gradient = floats_from(line);
    train::apply(optimizer, {parameters, gradient, {}, step, {state.begin(), state.end()}, parameters});
    for (const float value : parameters) std::printf("%a ", static_cast<double>(value));
    std::printf("\n");
  }
  return 0;
}

}  // namespace
}  // namespace carrack::train

int main(int argc, char** argv) {
  const auto optimizer = carrack::train::optimizer_from({argv + 1, argv + argc});
  if (optimizer) return carrack::train::run(*optimizer);
  std::fputs(
      "usage: optimizer_steps sgd RATE MOMENTUM NESTEROV | rmsprop RATE RHO EPSILON | adam RATE BETA1 BETA2 EPSILON |\n"
      "                       adamw RATE BETA1 BETA2 EPSILON DECAY | adagrad RATE INITIAL EPSILON\n",
      stderr);
  return 2;
}

#include "trainer/graph/value.h"

#include "trainer/error.h"

namespace carrack::train {

std::int64_t size_of(Type type) {
  switch (type) {
    case Type::float32:
      return sizeof(float);
    case Type::int64:
      return sizeof(std::int64_t);
  }
  throw Error(Blame::bug, "a value without a type");
}

std::string_view name_of(Type type) {
  switch (type) {
    case Type::float32:
      return "float32";
    case Type::int64:
      return "int64";
  }
  throw Error(Blame::bug, "a value without a type");
}

Shape with_rows(const Dimensions& shape, std::int64_t rows) {
  Shape result;
  for (const Dimension& dimension : shape) result.push_back(dimension.with_rows(rows));
  return result;
}

std::string text(const Dimensions& shape) {
  std::string dimensions;
  for (const Dimension& dimension : shape) {
    const std::string count = std::to_string(dimension.count);
    dimensions += (dimensions.empty() ? "" : ", ");
    dimensions += dimension == batch_rows ? "rows" : dimension.of_rows ? count + " rows" : count;
  }
  return "[" + dimensions + "]";
}

std::string text(const Value& value) {
  return "`" + value.name + "` " + text(value.shape);
}

}  // namespace carrack::train

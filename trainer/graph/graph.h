// The static graph of a model: tensors, and the operators between them in the order in which they run. Names and
// meaning of operators are ONNX's. Shapes are inferred while the graph is built; shapes that do not fit throw an Error
// for the user, which begins with the path of the manifest that the graph was given, such as `spec.model`.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "trainer/kernels/matrix.h"
#include "trainer/kernels/shape.h"

namespace carrack::train {

// Stands for the number of rows of the batch in shapes; the first dimension of every input.
inline constexpr std::int64_t batch_rows = -1;

enum class Type { float32, int64 };

using ValueId = std::size_t;

struct Value {
  std::string name;
  Type type;
  Shape shape;
};

namespace op {

struct Constant {
  float value;
};
struct Gemm {  // Without C, alpha and beta. MatMul is a Gemm without transposition.
  GemmShape shape;
};
struct Add {};
struct Sub {};
struct Mul {};
struct Neg {};
struct Identity {};
struct ReduceSum {  // Over the axes [begin, end).
  std::size_t begin;
  std::size_t end;
};
struct Expand {  // Takes the input as having the shape `from`, and repeats it to the output's shape.
  Shape from;
};
struct Gather {};      // Inputs: data, indices. Along the first axis.
struct ScatterAdd {};  // Inputs: indices, updates. Adds to zeros.

}  // namespace op

using Operator = std::variant<op::Constant, op::Gemm, op::Add, op::Sub, op::Mul, op::Neg, op::Identity, op::ReduceSum,
                              op::Expand, op::Gather, op::ScatterAdd>;

struct Node {
  Operator op;
  std::vector<ValueId> inputs;
  ValueId output;
};

class Graph {
 public:
  explicit Graph(std::string path) : path_(std::move(path)) {}

  // `per_record` is the shape of one record's value; the shape of the input has `batch_rows` in front of it.
  ValueId input(std::string name, Type type, Shape per_record);
  ValueId parameter(std::string name, Shape shape);

  // Append an operator. `name` is the output's, for error messages.
  ValueId matmul(std::string name, ValueId a, ValueId b);  // [m, k] with [k, n] or [k].
  ValueId add(std::string name, ValueId a, ValueId b);
  ValueId sub(std::string name, ValueId a, ValueId b);
  ValueId mul(std::string name, ValueId a, ValueId b);
  ValueId neg(std::string name, ValueId a);
  ValueId reduce_sum(std::string name, ValueId a, std::size_t axis_begin, std::size_t axis_end);
  ValueId gather(std::string name, ValueId data, ValueId indices);

  // Appends a node whose output shape the caller has inferred, as gradients() does.
  ValueId append(Operator op, std::vector<ValueId> inputs, Value output);

  const Value& value(ValueId id) const { return values_[id]; }
  const std::vector<Value>& values() const { return values_; }
  const std::vector<Node>& nodes() const { return nodes_; }
  const std::vector<ValueId>& inputs() const { return inputs_; }
  const std::vector<ValueId>& parameters() const { return parameters_; }
  const std::string& path() const { return path_; }

 private:
  ValueId declare(Value tensor);
  ValueId elementwise(Operator op, std::string name, ValueId a, ValueId b);
  [[noreturn]] void refuse(const std::string& what) const;

  std::string path_;
  std::vector<Value> values_;
  std::vector<Node> nodes_;
  std::vector<ValueId> inputs_;
  std::vector<ValueId> parameters_;
};

// "`x` [rows, 3]"
std::string text(const Value& tensor);
// "[rows, 3]"
std::string text(const Shape& shape);
// "ReduceSum"
std::string name_of(const Operator& op);

// `shape` with `rows` instead of `batch_rows`.
Shape with_rows(Shape shape, std::int64_t rows);

}  // namespace carrack::train

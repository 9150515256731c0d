// The static graph of a model: tensors and the operators between them, in the order they run, named and meant as
// ONNX's. Shapes are inferred as the graph is built; what does not fit throws an Error for the user that opens with the
// path of the manifest given here, such as `spec.model`. Nothing is computed here.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "trainer/kernels/matrix.h"
#include "trainer/kernels/shape.h"

namespace carrack::train {

// The dimension that is as long as the batch at hand; the first one of every input.
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
struct Gemm {  // Without C, alpha and beta. MatMul is Gemm with nothing transposed.
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
struct Expand {  // The input, seen with this shape, is repeated into the output's.
  Shape seen;
};
struct Gather {};      // data, indices: along the first axis.
struct ScatterAdd {};  // indices, updates: into zeros.

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

  // `per_record` is the shape of one record's value; the input has the batch's rows in front.
  ValueId input(std::string name, Type type, Shape per_record);
  ValueId parameter(std::string name, Shape shape);

  // Each with the name of what it gives, for the text of errors.
  ValueId matmul(std::string name, ValueId a, ValueId b);  // [m, k] with [k, n] or [k].
  ValueId add(std::string name, ValueId a, ValueId b);
  ValueId sub(std::string name, ValueId a, ValueId b);
  ValueId mul(std::string name, ValueId a, ValueId b);
  ValueId neg(std::string name, ValueId a);
  ValueId reduce_sum(std::string name, ValueId a, std::size_t axis_begin, std::size_t axis_end);
  ValueId gather(std::string name, ValueId data, ValueId indices);

  // For what was checked already: gradients, above all.
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

// The shape with as many rows as the batch has.
Shape with_rows(Shape shape, std::int64_t rows);

}  // namespace carrack::train

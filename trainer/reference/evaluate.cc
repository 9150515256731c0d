#include "trainer/reference/evaluate.h"

#include "trainer/error.h"
#include "trainer/reference/functions.h"

namespace carrack::train::reference {
namespace {

// Stores the elements of the graph's parameters or inputs, which have these ids. Throws if a size is wrong.
void store(const Graph& graph, const std::vector<ValueId>& ids, const std::vector<Doubles>& elements, std::int64_t rows,
           std::vector<Doubles>& values) {
  if (elements.size() != ids.size())
    throw Error(Blame::bug, "evaluate: parameters or inputs are not those of the graph");
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const Value& value = graph.value(ids[i]);
    if (std::ssize(elements[i]) != element_count(with_rows(value.shape, rows))) {
      throw Error(Blame::bug, "evaluate: " + text(value) + " has elements of another size");
    }
    values[ids[i]] = elements[i];
  }
}

}  // namespace

const Function* find_function(std::string_view op) {
  for (const auto family : {attention_functions(), convolution_functions(), elementwise_functions(),
                            pooling_functions(), row_functions(), shape_functions(), recurrent_functions()}) {
    for (const Function& one : family) {
      if (one.op == op) return &one;
    }
  }
  return nullptr;
}

std::vector<Doubles> evaluate(const Graph& graph, const Arguments& arguments) {
  std::vector<Doubles> values(graph.values().size());
  store(graph, graph.parameters(), arguments.parameters, arguments.rows, values);
  store(graph, graph.inputs(), arguments.inputs, arguments.rows, values);
  for (const Node& node : graph.nodes()) {
    Call call{node, arguments.rows, arguments.draws, {}, {}, {}, {}};
    for (const ValueId input : node.inputs) {
      call.input_values.push_back(&graph.value(input));
      call.inputs.push_back(&values[input]);
    }
    for (const ValueId output : node.outputs) {
      const Shape shape = with_rows(graph.value(output).shape, arguments.rows);
      values[output].resize(static_cast<std::size_t>(element_count(shape)));
      call.output_values.push_back(&graph.value(output));
      call.outputs.push_back(&values[output]);
    }
    const Function* function = find_function(node.op->name);
    if (function == nullptr) throw Error(Blame::bug, "evaluate: no function for " + std::string(node.op->name));
    function->compute(call);
  }
  return values;
}

}  // namespace carrack::train::reference

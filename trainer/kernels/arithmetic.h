// Elementwise arithmetic with broadcasting as ONNX and numpy have it: along a dimension where an operand has extent 1
// and the result more, that one element stands for all. Each element is rounded once, whatever the machine's vectors.
#pragma once

#include "trainer/kernels/shape.h"

namespace carrack::train::cpu {

struct Operand {
  const float* data;
  Extents extents;
};

struct Result {
  float* data;
  Extents extents;
};

void add(Operand a, Operand b, Result sum);
void sub(Operand a, Operand b, Result difference);
void mul(Operand a, Operand b, Result product);
void neg(Operand a, Result negative);
// Copies; with extents of 1 in `a`, repeats.
void expand(Operand a, Result result);
void fill(float value, Result result);

}  // namespace carrack::train::cpu

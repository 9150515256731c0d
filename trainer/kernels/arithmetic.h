// Elementwise arithmetic with broadcasting as in ONNX and numpy. The executor calls it for operators such as Add. Along
// each dimension an operand has the extent of the result, or 1: then its one element is used for all elements of the
// result. So a bias {1, 1, 1, 10} can be added to values {1, 1, 64, 10}. That extents fit is not checked. Each element
// is rounded once, with the same bits on any device. A result may be the same elements as an operand, but must not
// overlap it otherwise.
#pragma once

#include "trainer/kernels/device.h"
#include "trainer/kernels/shape.h"

namespace carrack::train {

// Views of dense arrays; extents are those of shape.h.
struct Operand {
  const float* data;
  Extents extents;
};

struct Result {
  float* data;
  Extents extents;
};

namespace cpu {

void add(Operand a, Operand b, Result sum);
void sub(Operand a, Operand b, Result difference);
void mul(Operand a, Operand b, Result product);
void div(Operand a, Operand b, Result quotient);
void neg(Operand a, Result negative);
void abs(Operand a, Result absolute);
// 1 for positive numbers, -1 for negative ones; 0 and NaN stay as they are.
void sign(Operand a, Result signs);
void sqrt(Operand a, Result roots);
// Copies `a`, and repeats it along dimensions where its extent is 1.
void expand(Operand a, Result result);
void fill(float value, Result result);

}  // namespace cpu

// The same functions on a GPU. Operands are in its memory; see Stream in device.h.
namespace cuda {

void add(Stream& stream, Operand a, Operand b, Result sum);
void sub(Stream& stream, Operand a, Operand b, Result difference);
void mul(Stream& stream, Operand a, Operand b, Result product);
void div(Stream& stream, Operand a, Operand b, Result quotient);
void neg(Stream& stream, Operand a, Result negative);
void abs(Stream& stream, Operand a, Result absolute);
void sign(Stream& stream, Operand a, Result signs);
void sqrt(Stream& stream, Operand a, Result roots);
void expand(Stream& stream, Operand a, Result result);
void fill(Stream& stream, float value, Result result);

}  // namespace cuda
}  // namespace carrack::train

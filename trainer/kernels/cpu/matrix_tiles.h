// The functions of a Kernels table (matrix_kernels.h), written once as templates over a type of vectors. Included only
// by matrix_portable.cc, matrix_avx2.cc and matrix_avx512.cc. Each is compiled for its instruction set. Such a file
// defines the type Vector in a namespace of its own, so that no two files define the same function, and uses only
// VectorTiles<Vector>::table().
//
// A Vector has `width` floats, and tile_rows and strided_rows as in Kernels. It has zero() and all(float); load() and
// store(), each also with a `count` below `width`, for only the first `count` floats; fma(a, b, c) = a * b + c, rounded
// once; sum(a, b); and transpose(), which transposes `width` vectors in place.
//
// No function of the standard library may be used here: the linker could use its code, which is compiled for the
// instruction set of one file, in the whole program.
#pragma once

#include <cstdint>

#include "trainer/kernels/cpu/matrix_kernels.h"

namespace carrack::train::cpu {

template <class V>
struct VectorTiles {
  using Index = std::int64_t;
  static constexpr Index width = V::width;

  // Load and store the first `count` floats, but at most a vector; none if `count` is 0 or less.
  static V load_part(const float* from, Index count) {
    if (count >= width) return V::load(from);
    return count > 0 ? V::load(from, static_cast<int>(count)) : V::zero();
  }
  static void store_part(V value, float* to, Index count) {
    if (count >= width) return value.store(to);
    if (count > 0) value.store(to, static_cast<int>(count));
  }

  // The sums of a tile, in registers.
  template <int rows, int vectors>
  struct Sums {
    V at[rows][vectors];

    void clear() {
#pragma GCC unroll 16
      for (int i = 0; i < rows; ++i) {
#pragma GCC unroll 2
        for (int j = 0; j < vectors; ++j) at[i][j] = V::zero();
      }
    }
    void load(const float* from, Index stride, Index columns) {
#pragma GCC unroll 16
      for (int i = 0; i < rows; ++i) {
#pragma GCC unroll 2
        for (int j = 0; j < vectors; ++j) at[i][j] = load_part(from + i * stride + j * width, columns - j * width);
      }
    }
    void store(float* to, Index stride, Index columns) const {
#pragma GCC unroll 16
      for (int i = 0; i < rows; ++i) {
#pragma GCC unroll 2
        for (int j = 0; j < vectors; ++j) store_part(at[i][j], to + i * stride + j * width, columns - j * width);
      }
    }
    void add(const float* from, Index stride, Index columns) {
#pragma GCC unroll 16
      for (int i = 0; i < rows; ++i) {
#pragma GCC unroll 2
        for (int j = 0; j < vectors; ++j) {
          at[i][j] = sum(load_part(from + i * stride + j * width, columns - j * width), at[i][j]);
        }
      }
    }
  };

  // Kernels::tile, or Kernels::strided_tile if `strided` is true.
  template <int rows, int vectors, bool strided>
  static void tile(const Tile& tile) {
    constexpr Index row = vectors * width;
    constexpr Index slot = rows * row;
    Sums<rows, vectors> sums;
    if (tile.from == From::zero) {
      sums.clear();
    } else if (tile.from == From::c) {
      sums.load(tile.c, tile.c_row, tile.columns);
    } else {
      sums.load(tile.slots + tile.saved_slot * slot, row, row);
    }
    const float* a = tile.a;
    const float* b = tile.b;
    const Index a_step = strided ? 1 : tile.a_step, b_step = tile.b_step;
    for (const Segment *segment = tile.segments, *end = segment + tile.segment_count; segment != end; ++segment) {
      for (Index step = 0; step < segment->steps; ++step) {
        multiply<rows, vectors, strided>(sums, a, tile.a_row, b);
        a += a_step;
        b += b_step;
      }
      for (int level = 0; level < segment->joins; ++level) sums.add(tile.slots + level * slot, row, row);
      if (segment->level >= 0) {
        sums.store(tile.slots + segment->level * slot, row, row);
        sums.clear();
      }
    }
    if (tile.to == To::saved) return sums.store(tile.slots + tile.saved_slot * slot, row, row);
    if (tile.to == To::added_to_c) sums.add(tile.c, tile.c_row, tile.columns);
    sums.store(tile.c, tile.c_row, tile.columns);
  }

  // Multiplies one step along k.
  template <int rows, int vectors, bool strided>
  [[gnu::always_inline]] static void multiply(Sums<rows, vectors>& sums, const float* a, Index a_row, const float* b) {
    V columns[vectors];
#pragma GCC unroll 2
    for (int j = 0; j < vectors; ++j) columns[j] = V::load(b + j * width);
#pragma GCC unroll 16
    for (int i = 0; i < rows; ++i) {
      const V element = V::all(strided ? a[i * a_row] : a[i]);
#pragma GCC unroll 2
      for (int j = 0; j < vectors; ++j) sums.at[i][j] = fma(element, columns[j], sums.at[i][j]);
    }
  }

  // Kernels::copy. Loops over steps and not over panels, so that the source is read in the order of memory. The padding
  // of a panel gets elements of the next panel, or 0; callers must not use it.
  static void copy(const Packing& packing) {
    for (Index step = 0; step < packing.steps; ++step) {
      const float* from = packing.source + step * packing.stride;
      float* to = packing.panels + step * packing.padded;
      for (Index first = 0; first < packing.width; first += packing.panel_width) {
        const Index left = packing.width - first;
        for (Index at = 0; at < packing.padded; at += width) load_part(from + first + at, left - at).store(to + at);
        to += packing.steps * packing.padded;
      }
    }
  }

  // Loads `rows` rows of `count` floats, but at most `width` of both, transposed: at[k] has element k of each row, and
  // 0 for missing rows.
  [[gnu::always_inline]] static void load_transposed(V (&at)[width], const float* from, Index stride, Index rows,
                                                     Index count) {
    if (rows >= width && count >= width) {
#pragma GCC unroll 16
      for (int i = 0; i < width; ++i) at[i] = V::load(from + i * stride);
    } else {
#pragma GCC unroll 16
      for (int i = 0; i < width; ++i) at[i] = i < rows ? load_part(from + i * stride, count) : V::zero();
    }
    V::transpose(at);
  }

  // Kernels::transpose. The padding of a panel gets elements of the next panel, or 0; callers must not use it.
  static void transpose(const Packing& packing) {
    float* panel = packing.panels;
    for (Index first = 0; first < packing.width; first += packing.panel_width) {
      for (Index at = 0; at < packing.padded; at += width) {
        const float* from = packing.source + (first + at) * packing.stride;
        transpose_rows(from, packing.stride, packing.width - first - at, packing.steps, panel + at, packing.padded);
      }
      panel += packing.steps * packing.padded;
    }
  }

  // Transposes up to `width` rows of the source.
  static void transpose_rows(const float* from, Index stride, Index rows, Index steps, float* to, Index padded) {
    for (Index step = 0; step < steps; step += width) {
      V at[width];
      load_transposed(at, from + step, stride, rows, steps - step);
#pragma GCC unroll 16
      for (int i = 0; i < width; ++i) {
        if (i < steps - step) at[i].store(to + (step + i) * padded);
      }
    }
  }

  // Adds `rows` rows of the matrix, times their factors, to the sums in one pass, so that sums are read and written
  // less often. With `from_zero` the sums begin with 0.
  template <int rows>
  static void add_rows(const VectorProduct& product, Index step, bool from_zero) {
    V factors[rows];
#pragma GCC unroll 8
    for (int i = 0; i < rows; ++i) factors[i] = V::all(product.vector[step + i]);
    const float* matrix = product.matrix + step * product.stride;
    const Index whole = product.size - product.size % width;
    for (Index at = 0; at < whole; at += width) {
      V value = from_zero ? V::zero() : V::load(product.sums + at);
#pragma GCC unroll 8
      for (int i = 0; i < rows; ++i) value = fma(factors[i], V::load(matrix + i * product.stride + at), value);
      value.store(product.sums + at);
    }
    if (whole == product.size) return;
    const int rest = static_cast<int>(product.size - whole);
    V value = from_zero ? V::zero() : V::load(product.sums + whole, rest);
#pragma GCC unroll 8
    for (int i = 0; i < rows; ++i) value = fma(factors[i], V::load(matrix + i * product.stride + whole, rest), value);
    value.store(product.sums + whole, rest);
  }

  // Kernels::by_columns.
  static void by_columns(const VectorProduct& product) {
    Index step = 0;
    bool from_zero = !product.resume;
    for (; step + 8 <= product.steps; step += 8) {
      add_rows<8>(product, step, from_zero);
      from_zero = false;
    }
    for (; step < product.steps; ++step) {
      add_rows<1>(product, step, from_zero);
      from_zero = false;
    }
    if (from_zero) {
      for (Index at = 0; at < product.size; at += width) store_part(V::zero(), product.sums + at, product.size - at);
    }
  }

  // Computes the chains of `groups` vectors of rows in turns, because each step of a single chain would wait for the
  // step before it.
  template <int groups>
  static void chains(const VectorProduct& product, Index first) {
    const Index rows = product.size - first;
    const float* matrix = product.matrix + first * product.stride;
    float* to = product.sums + first;
    V value[groups];
#pragma GCC unroll 4
    for (int g = 0; g < groups; ++g) {
      value[g] = product.resume ? load_part(to + g * width, rows - g * width) : V::zero();
    }
    for (Index step = 0; step < product.steps; step += width) {
      const Index steps = product.steps - step;
#pragma GCC unroll 4
      for (int g = 0; g < groups; ++g) {
        V at[width];
        load_transposed(at, matrix + g * width * product.stride + step, product.stride, rows - g * width, steps);
        if (steps >= width) {
#pragma GCC unroll 16
          for (int i = 0; i < width; ++i) value[g] = fma(V::all(product.vector[step + i]), at[i], value[g]);
        } else {
#pragma GCC unroll 16
          for (int i = 0; i < width; ++i) {
            if (i < steps) value[g] = fma(V::all(product.vector[step + i]), at[i], value[g]);
          }
        }
      }
    }
#pragma GCC unroll 4
    for (int g = 0; g < groups; ++g) store_part(value[g], to + g * width, rows - g * width);
  }

  // Kernels::by_rows.
  static void by_rows(const VectorProduct& product) {
    Index first = 0;
    for (; first + 2 * width <= product.size; first += 2 * width) chains<2>(product, first);
    for (; first < product.size; first += width) chains<1>(product, first);
  }

  template <int rows>
  static constexpr void add_to(Kernels& kernels) {
    if constexpr (rows <= V::tile_rows) {
      kernels.tile[0][rows - 1] = tile<rows, 1, false>;
      kernels.tile[1][rows - 1] = tile<rows, 2, false>;
      if constexpr (rows <= V::strided_rows) {
        kernels.strided_tile[0][rows - 1] = tile<rows, 1, true>;
        kernels.strided_tile[1][rows - 1] = tile<rows, 2, true>;
      }
      add_to<rows + 1>(kernels);
    }
  }

  // Returns the table of these functions. Entries for larger tiles than the Vector allows are null.
  static constexpr Kernels table() {
    Kernels kernels{};
    kernels.vector = V::width;
    kernels.tile_rows = V::tile_rows;
    kernels.strided_rows = V::strided_rows;
    kernels.copy = copy;
    kernels.transpose = transpose;
    kernels.by_columns = by_columns;
    kernels.by_rows = by_rows;
    add_to<1>(kernels);
    return kernels;
  }
};

}  // namespace carrack::train::cpu

// x.index({...}) and x.index_put_({...}, value): against an implementation that walks over single
// elements, and against values of PyTorch.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/rng.h"
#include "core/ops/ops.h"

namespace oneagent {
namespace {

using indexing::Ellipsis;
using indexing::None;
using indexing::Slice;
using indexing::TensorIndex;
using ::testing::HasSubstr;
using Coordinates = std::vector<int64_t>;

std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

int64_t count_of(const Coordinates& sizes) {
  int64_t n = 1;
  for (const int64_t size : sizes) n *= size;
  return n;
}
Coordinates coordinates_of(int64_t flat, const Coordinates& sizes) {
  Coordinates out(sizes.size());
  for (size_t d = sizes.size(); d-- > 0; flat /= sizes[d]) out[d] = flat % sizes[d];
  return out;
}
int64_t flat_of(const Coordinates& at, const Coordinates& sizes) {
  int64_t flat = 0;
  for (size_t d = 0; d < sizes.size(); ++d) flat = flat * sizes[d] + at[d];
  return flat;
}

// What one index does, after masks have become coordinates and the ellipsis slices.
struct Axis {
  enum Kind { kSelect, kRange, kNew, kArray, kNewArray } kind;
  std::vector<int64_t> values;  // positions of a select or a range; elements of an array
  Coordinates sizes;            // of an array
};

// The elements that indices address, in row-major order of the result: their flat positions.
struct Slow {
  Coordinates sizes;
  std::vector<int64_t> positions;
};

std::vector<Axis> axes_of(const Coordinates& shape, const std::vector<TensorIndex>& indices) {
  std::vector<Axis> out;
  size_t used = 0, at = 0;
  for (const TensorIndex& index : indices)
    used += index.is_integer() || index.is_slice()                 ? 1
            : index.is_tensor() && index.tensor().dtype() == kBool ? index.tensor().sizes().size()
            : index.is_tensor()                                    ? 1
                                                                   : 0;
  const auto range = [&](int64_t size, int64_t start, int64_t stop, int64_t step) {
    const auto clamped = [&](int64_t i) {
      return std::clamp<int64_t>(i < 0 ? i + size : i, 0, size);
    };
    Axis axis{Axis::kRange, {}, {}};
    for (int64_t i = clamped(start); i < clamped(stop); i += step) axis.values.push_back(i);
    out.push_back(axis);
  };
  for (const TensorIndex& index : indices) {
    if (index.is_none()) {
      out.push_back({Axis::kNew, {}, {}});
    } else if (index.is_boolean()) {
      out.push_back(
          {Axis::kNewArray, std::vector<int64_t>(index.boolean() ? 1 : 0), {index.boolean()}});
    } else if (index.is_ellipsis()) {
      for (size_t i = used; i < shape.size(); ++i) range(shape[at++], 0, indexing::INDEX_MAX, 1);
    } else if (index.is_slice()) {
      range(shape[at++], index.slice().start(), index.slice().stop(), index.slice().step());
    } else if (index.is_integer()) {
      const int64_t i = index.integer(), size = shape[at++];
      out.push_back({Axis::kSelect, {i < 0 ? i + size : i}, {}});
    } else if (index.tensor().dtype() == kBool) {
      const Coordinates mask = index.tensor().sizes().vec();
      const auto values = to_vector<int64_t>(index.tensor());
      std::vector<Axis> columns(mask.size(), Axis{Axis::kArray, {}, {}});
      for (int64_t i = 0; i < count_of(mask); ++i) {
        if (values[static_cast<size_t>(i)] == 0) continue;
        const Coordinates where = coordinates_of(i, mask);
        for (size_t d = 0; d < mask.size(); ++d) columns[d].values.push_back(where[d]);
      }
      for (Axis& column : columns) {
        column.sizes = {static_cast<int64_t>(column.values.size())};
        out.push_back(column);
        ++at;
      }
    } else {
      Axis axis{index.tensor().dim() == 0 ? Axis::kSelect : Axis::kArray,
                to_vector<int64_t>(index.tensor()), index.tensor().sizes().vec()};
      for (int64_t& i : axis.values)
        if (i < 0) i += shape[at];
      ++at;
      out.push_back(axis);
    }
  }
  while (at < shape.size()) range(shape[at++], 0, indexing::INDEX_MAX, 1);
  return out;
}

bool is_array(const Axis& axis) {
  return axis.kind == Axis::kArray || axis.kind == Axis::kNewArray;
}

Slow slow_index(const Coordinates& shape, const std::vector<TensorIndex>& indices) {
  std::vector<Axis> axes = axes_of(shape, indices);
  Coordinates together;  // the shape of all arrays
  for (const Axis& axis : axes) {
    if (!is_array(axis)) continue;
    if (axis.sizes.size() > together.size())
      together.insert(together.begin(), axis.sizes.size() - together.size(), 1);
    for (size_t i = 0; i < axis.sizes.size(); ++i) {
      int64_t& size = together[together.size() - axis.sizes.size() + i];
      if (size == 1) size = axis.sizes[i];
    }
  }
  // Where the arrays stand: in the place of the first if no other dimension lies between them.
  size_t runs = 0, first = 0, passed = 0;
  bool inside = false, any = false;
  for (const Axis& axis : axes) {
    if (axis.kind == Axis::kSelect) continue;
    if (is_array(axis)) {
      if (!inside && runs++ == 0) first = passed;
      inside = any = true;
    } else {
      inside = false;
      ++passed;
    }
  }
  if (runs > 1) first = 0;
  Slow out;
  size_t plain = 0;
  const auto add_arrays = [&] {
    out.sizes.insert(out.sizes.end(), together.begin(), together.end());
  };
  for (const Axis& axis : axes) {
    if (axis.kind == Axis::kSelect || is_array(axis)) continue;
    if (any && plain == first) add_arrays();
    ++plain;
    out.sizes.push_back(axis.kind == Axis::kNew ? 1 : static_cast<int64_t>(axis.values.size()));
  }
  if (any && plain <= first) add_arrays();
  for (int64_t i = 0; i < count_of(out.sizes); ++i) {
    const Coordinates at = coordinates_of(i, out.sizes);
    const size_t begin = any ? first : 0, length = any ? together.size() : 0;
    Coordinates from;
    size_t next = 0;
    for (const Axis& axis : axes) {
      if (axis.kind == Axis::kSelect) {
        from.push_back(axis.values[0]);
        continue;
      }
      if (is_array(axis)) {
        Coordinates own;
        for (size_t d = 0; d < axis.sizes.size(); ++d)
          own.push_back(axis.sizes[d] == 1 ? 0 : at[begin + length - axis.sizes.size() + d]);
        if (axis.kind == Axis::kArray)
          from.push_back(axis.values[static_cast<size_t>(flat_of(own, axis.sizes))]);
        continue;
      }
      const int64_t own = at[next < begin ? next : next + length];
      ++next;
      if (axis.kind == Axis::kRange) from.push_back(axis.values[static_cast<size_t>(own)]);
    }
    out.positions.push_back(flat_of(from, shape));
  }
  return out;
}

// Random indices for a shape: one of every kind, arrays that broadcast against each other.
std::vector<TensorIndex> random_indices(Rng& rng, const Coordinates& shape) {
  const auto below = [&](int64_t n) {
    return static_cast<int64_t>(rng.below(static_cast<uint32_t>(n)));
  };
  std::vector<TensorIndex> out;
  const bool masks = below(4) == 0;
  bool ellipsis = false;
  const int64_t mask_count = 2;
  size_t at = 0;
  while (at < shape.size() && below(8) != 0) {
    const int64_t size = shape[at];
    switch (below(8)) {
      case 0:
        out.emplace_back(None);
        break;
      case 1:
        if (!ellipsis && below(2) == 0) {
          ellipsis = true;
          out.emplace_back(Ellipsis);
          return out;
        }
        [[fallthrough]];
      case 2:
        out.emplace_back(below(2 * size) - size);
        ++at;
        break;
      case 3:
      case 4: {
        const auto limit = [&]() -> std::optional<int64_t> {
          if (below(3) == 0) return std::nullopt;
          return below(2 * size + 2) - size - 1;
        };
        const std::optional<int64_t> start = limit(), stop = limit();
        out.emplace_back(Slice(start, stop, below(2) + 1));
        ++at;
        break;
      }
      case 5:
        if (masks) {
          Tensor mask = zeros({size}, kBool);
          for (int64_t k = 0; k < mask_count; ++k) mask.data_ptr<bool>()[k % size] = true;
          if (size >= mask_count) {
            out.emplace_back(mask);
            ++at;
          }
          break;
        }
        [[fallthrough]];
      default: {
        const Shape sizes[] = {{2}, {1}, {3, 1}, {3, 2}, {1, 2}, {}};
        const Shape chosen = masks ? Shape{2} : sizes[below(6)];
        const Tensor index = empty(chosen, kInt64);
        for (int64_t i = 0; i < index.numel(); ++i)
          index.data_ptr<int64_t>()[i] = below(2 * size) - size;
        out.emplace_back(index);
        ++at;
      }
    }
  }
  if (!ellipsis && below(6) == 0) out.emplace_back("...");
  if (below(10) == 0) out.emplace_back(true);
  if (out.empty()) out.emplace_back(Ellipsis);  // an empty list is refused
  return out;
}

Tensor counted(const Shape& sizes) { return arange(sizes.numel(), kFloat64).view(sizes); }

TEST(Indexing, ReadsWhatTheSlowOneReads) {
  Rng rng(7, 1);
  for (int i = 0; i < 3000; ++i) {
    Coordinates shape;
    for (uint32_t d = 0; d < 1 + rng.below(4); ++d) shape.push_back(1 + rng.below(4));
    const std::vector<TensorIndex> indices = random_indices(rng, shape);
    const Slow expected = slow_index(shape, indices);
    const Tensor actual = counted(Shape(shape)).index(indices);
    ASSERT_EQ(actual.sizes().vec(), expected.sizes) << Shape(shape) << " at " << indices;
    const std::vector<double> wanted(expected.positions.begin(), expected.positions.end());
    ASSERT_EQ(to_vector<double>(actual), wanted) << Shape(shape) << " at " << indices;
  }
}

TEST(Indexing, WritesWhatTheSlowOneWrites) {
  Rng rng(8, 1);
  for (int i = 0; i < 2000; ++i) {
    Coordinates shape;
    for (uint32_t d = 0; d < 1 + rng.below(4); ++d) shape.push_back(1 + rng.below(4));
    const std::vector<TensorIndex> indices = random_indices(rng, shape);
    const Slow places = slow_index(shape, indices);
    const bool number = rng.below(3) == 0;
    const Tensor values = counted(Shape(places.sizes)) + 100.0;
    Tensor actual = counted(Shape(shape)).transpose(0, -1).clone().transpose(0, -1);
    std::vector<double> expected = to_vector<double>(actual);
    for (size_t k = 0; k < places.positions.size(); ++k)
      expected[static_cast<size_t>(places.positions[k])] =
          number ? -1 : 100.0 + static_cast<double>(k);
    if (number)
      actual.index_put_(indices, -1);
    else
      actual.index_put_(indices, values);
    ASSERT_EQ(to_vector<double>(actual), expected) << Shape(shape) << " at " << indices;
  }
}

TEST(Indexing, AccumulatesValuesOfEqualIndices) {
  const Tensor x = zeros({3, 2});
  index_put_(x, std::vector<std::optional<Tensor>>{tensor({2, 0, 2}, kInt64)},
             tensor({1.0, 2.0, 3.0}).unsqueeze(1), true);
  EXPECT_EQ(to_vector<double>(x), (std::vector<double>{2, 2, 0, 0, 4, 4}));
}

// Values of PyTorch 1.13.
TEST(Indexing, KnownValues) {
  const Tensor x = counted({2, 3, 4});
  const Tensor i = tensor({0, 2}, kInt64), j = tensor({1, 3}, kInt64),
               first = tensor({1, 0}, kInt64);
  const auto check = [](const Tensor& actual, const Shape& sizes,
                        const std::vector<double>& values) {
    EXPECT_EQ(actual.sizes(), sizes);
    EXPECT_EQ(to_vector<double>(actual), values);
  };
  check(x.index({1, Ellipsis, 2}), {3}, {14, 18, 22});
  check(x.index({None, 0, Slice(1, None), Slice(None, None, 3)}), {1, 2, 2}, {4, 7, 8, 11});
  check(x.index({Slice(), i, j}), {2, 2}, {1, 11, 13, 23});
  check(x.index({first, Slice(), j}), {2, 3}, {13, 17, 21, 3, 7, 11});
  check(x.index({0, Slice(), j}), {3, 2}, {1, 3, 5, 7, 9, 11});
  check(x.index({Slice(), i.unsqueeze(1), j}), {2, 2, 2}, {1, 3, 9, 11, 13, 15, 21, 23});
  check(x.index({x.select(2, 0) > 3.0}), {5, 4},
        {4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23});
  check(x.index({x > 20.0}), {3}, {21, 22, 23});
  check(x.index({Slice(), tensor({1, 0, 1}).to(kBool), 0}), {2, 2}, {0, 8, 12, 20});
  check(x.index({true, 1, 2, 3}), {1}, {23});
  EXPECT_EQ(x.index({false}).sizes(), (Shape{0, 2, 3, 4}));
  EXPECT_EQ(x.index({first, None, i}).sizes(), (Shape{2, 1, 4}));
  EXPECT_EQ(x.index({0, None, i, j}).sizes(), (Shape{1, 2}));
}

TEST(Indexing, ViewsShareMemoryAndAssignmentsBroadcast) {
  const Tensor x = zeros({2, 3});
  x.index({Slice(), 1}).fill_(5);
  EXPECT_EQ(to_vector<double>(x), (std::vector<double>{0, 5, 0, 0, 5, 0}));
  x.index_put_({Slice(), Slice(None, None, 2)}, tensor({1, 2}).view({1, 1, 2}));
  EXPECT_EQ(to_vector<double>(x), (std::vector<double>{1, 5, 2, 1, 5, 2}));
  x.index_put_({x > 1.0}, 0);
  EXPECT_EQ(to_vector<double>(x), (std::vector<double>{1, 0, 0, 1, 0, 0}));
  EXPECT_FALSE(x.index({"..."}).is_same(x));
}

TEST(Indexing, HasGradientsOfReadsAndWrites) {
  const Tensor x = counted({3, 2}).requires_grad_();
  const Tensor twice = x.index({tensor({1, 1, 0}, kInt64), Slice(None, 1)});
  twice.sum().backward();
  EXPECT_EQ(to_vector<double>(x.grad()), (std::vector<double>{1, 0, 2, 0, 0, 0}));
  const Tensor values = ones({2}, kFloat64).requires_grad_();
  Tensor y = zeros({3}, kFloat64);
  y.index_put_({tensor({2, 0}, kInt64)}, values);
  (y * tensor({1, 2, 3}, kFloat64)).sum().backward();
  EXPECT_EQ(to_vector<double>(values.grad()), (std::vector<double>{3, 1}));
}

TEST(IndexingErrors, NameIndexDimensionAndSize) {
  const Tensor x = zeros({2, 3});
  const auto error = [&](const std::vector<TensorIndex>& indices) {
    return error_of([&] { x.index(indices); });
  };
  EXPECT_THAT(error({2}), HasSubstr("index 2 is out of bounds for dimension 0 with size 2"));
  EXPECT_THAT(error({}), HasSubstr("an empty list of indices is not valid"));
  EXPECT_THAT(error({0, 0, 0}), HasSubstr("too many indices for tensor of dimension 2"));
  EXPECT_THAT(error({Slice(None, None, -1)}), HasSubstr("step must be greater than zero"));
  EXPECT_THAT(error({tensor({5}, kInt64)}),
              HasSubstr("index 5 is out of bounds for dimension 0 with size 2"));
  EXPECT_THAT(error({tensor({0, 1, 0}).to(kBool)}),
              HasSubstr("The shape of the mask [3] at index 0"));
  EXPECT_THAT(error({tensor({0, 1}, kInt32)}),
              HasSubstr("tensors used as indices must be long, byte or bool"));
  EXPECT_THAT(error({tensor({0, 1}, kInt64), tensor({0, 1, 2}, kInt64)}),
              HasSubstr("shape mismatch: indexing tensors could not be broadcast"));
}

}  // namespace
}  // namespace oneagent

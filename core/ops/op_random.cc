#include "core/ops/op_random.h"

#include <limits>

#include "core/graph/context.h"
#include "core/kernels/copy.h"

namespace oneagent {

void check_random_range(const char* name, int64_t low, int64_t high, DType dtype) {
  if (is_complex(dtype)) return;
  double least = 0, most = 0;
  with_any(dtype, [&]<class T>(Type<T>) {
    least = static_cast<double>(std::numeric_limits<T>::lowest());
    most = static_cast<double>(std::numeric_limits<T>::max());
  });
  OA_REQUIRE(static_cast<double>(low) >= least && static_cast<double>(low) <= most, name,
             ": from is out of bounds for ", TypeMeta(dtype).name(), ", was ", low);
  OA_REQUIRE(static_cast<double>(high) >= least && static_cast<double>(high) <= most, name,
             ": to - 1 is out of bounds for ", TypeMeta(dtype).name(), ", was ", high);
}

void check_probabilities(const Tensor& p) {
  if (p.impl().storage->symbolic()) return;  // recorded: no values yet
  Stream& stream = context().stream;
  const Tensor wide = empty_on(stream, p.sizes(), DType::kFloat64);
  copy_into(stream, wide, p);
  for (const double value : wide.values<double>())
    OA_REQUIRE(value >= 0 && value <= 1,
               "bernoulli: Expected p_in >= 0 && p_in <= 1 to be true, one probability is ", value);
}

void check_deviations(const Tensor& std) {
  if (std.impl().storage->symbolic()) return;
  Stream& stream = context().stream;
  const Tensor wide = empty_on(stream, std.sizes(), DType::kFloat64);
  copy_into(stream, wide, std);
  for (const double value : wide.values<double>())
    OA_REQUIRE(!(value < 0), "normal: normal expects all elements of std >= 0.0, one is ", value);
}

}  // namespace oneagent

// Student's t distribution with df degrees of freedom, moved by loc and scaled by scale. The mean
// is NaN up to df 1, the variance infinite up to 2 and NaN up to 1.
#pragma once

#include "core/distributions/distribution.h"

namespace oneagent::distributions {

class StudentT final : public Distribution {
 public:
  explicit StudentT(const Param& df, const Param& loc = 0.0, const Param& scale = 1.0);
  const char* name() const override { return "student_t"; }
  Tensor df() const { return batch(df_); }
  Tensor loc() const { return batch(loc_); }
  Tensor scale() const { return batch(scale_); }

  bool has_rsample() const override { return true; }
  Tensor mean() const override;
  Tensor mode() const override { return loc(); }
  Tensor variance() const override;
  Tensor entropy() const override;
  Constraint support() const override { return Constraint::kReal; }

 protected:
  Tensor draw(const Shape& sample_shape, const MaybeGenerator& generator) const override;
  Tensor log_density(const Tensor& value) const override;

 private:
  StudentT(const Tensor& df, const Tensor& loc, const Tensor& scale, int);
  Tensor df_, loc_, scale_;
};

}  // namespace oneagent::distributions

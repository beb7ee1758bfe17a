// The one record of an op. Everything about it is said once, as a constinit Op in core/ops/<op>.cc:
//
//   shapes and dtypes   infer        eager allocation, tracing, planner
//   sharding            rule         signatures are generated from it
//   memory              alias_of, saves, random
//   cost                flops, bytes
//   gradient            vjp, in terms of other ops
//   code                kernels[device], each taking a Stream&
//   examples            samples      the conformance suite runs them
#pragma once

#include <iterator>

#include "absl/container/inlined_vector.h"
#include "core/graph/attrs.h"
#include "core/graph/rule.h"
#include "core/graph/sample.h"
#include "core/tensor/tensor.h"

namespace oneagent {

inline constexpr size_t kMaxInputs = 8;   // of ops with a fixed list; variadic ops may have more
inline constexpr size_t kMaxOutputs = 4;  // likewise

// The operands of one call; an absent optional input is an undefined tensor.
class Inputs {
 public:
  Inputs(std::initializer_list<const Tensor*> tensors)
      : data_(std::data(tensors)), size_(tensors.size()) {}
  Inputs(const Tensor* const* data, size_t size) : data_(data), size_(size) {}
  size_t size() const { return size_; }
  const Tensor& operator[](size_t i) const { return *data_[i]; }
  const TensorMeta& meta(size_t i) const { return data_[i]->impl().meta; }
  bool has(size_t i) const { return data_[i]->defined(); }
  const Tensor* const* data() const { return data_; }

 private:
  const Tensor* const* data_;
  size_t size_;
};

// What infer says: one description per result. New results need sizes and dtype only; views fill
// strides and offset too.
class Inferred {
 public:
  explicit Inferred(const char* op = "op") : op_(op) {}
  const char* op() const { return op_; }  // for errors
  TensorMeta& add() { return metas_.emplace_back(); }
  void add(const Shape& sizes, DType dtype) {
    TensorMeta& meta = add();
    meta.sizes = sizes;
    meta.dtype = dtype;
  }
  size_t size() const { return metas_.size(); }
  TensorMeta& operator[](size_t i) { return metas_[i]; }
  const TensorMeta& operator[](size_t i) const { return metas_[i]; }

 private:
  absl::InlinedVector<TensorMeta, kMaxOutputs> metas_;
  const char* op_;
};

// What a vjp sees: gradients of the results (undefined where nothing depends on one), what the op
// saves, shapes of all inputs.
class VjpCall {
 public:
  virtual const Attrs& attrs() const = 0;
  virtual size_t input_count() const = 0;
  virtual size_t output_count() const = 0;
  virtual const RefCounted* payload() const = 0;  // of a custom function
  virtual std::string title() const = 0;          // the node's name in errors
  virtual const Tensor& grad(size_t result = 0) const = 0;
  virtual Tensor input(size_t i) const = 0;       // only if saved
  virtual Tensor output(size_t i = 0) const = 0;  // only if saved
  virtual const Shape& input_sizes(size_t i) const = 0;
  virtual DType input_dtype(size_t i) const = 0;
  virtual bool needs(size_t i) const = 0;           // is the gradient of input i wanted
  virtual void set(size_t i, Tensor gradient) = 0;  // summed over broadcast dimensions when its
                                                    // shape is larger than the input's

 protected:
  ~VjpCall() = default;
};

// Bits of Op::saves: inputs from 0, results from 16.
constexpr uint32_t saves_input(int i) { return 1u << i; }
constexpr uint32_t saves_output(int i = 0) { return 1u << (16 + i); }
inline constexpr uint32_t kSavesAllInputs = 0xffff;

using Kernel = void (*)(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out);

struct Op {
  const char* name = "";
  std::span<const AttrSpec> attrs = {};
  void (*infer)(Metas in, const Attrs& attrs, Inferred& out) = nullptr;
  uint32_t absent = 0;  // the operands that may be undefined, as bits of saves_input; those behind
                        // the last bit go with it
  Rule rule = {};
  int alias_of = -1;    // the results are views of this input; no kernel runs
  uint32_t saves = 0;   // what vjp keeps
  bool random = false;  // draws from a counter given as attrs (seed, stream, offset); a shard adds
                        // its logical offset
  bool in_place = false;      // the kernel may write its result over input 0
  bool loop = false;          // the kernel is one run_loop() over its operands and nothing else
  bool keeps_layout = false;  // elementwise: the result's dimensions lie in memory in the order of
                              // the operands', any strides of it will do; loops do so, too
  bool half = false;          // the kernel takes 16-bit floating types; others get float32 copies
  bool complex = false;       // the kernel takes complex types; others are computed from real parts
                              // (core/graph/other_kind.h)
  double (*flops)(Metas in, const Attrs& attrs,
                  const Inferred& out) = nullptr;  // null: one per element of the results
  double (*bytes)(Metas in, const Attrs& attrs,
                  const Inferred& out) = nullptr;  // null: all operands and results once
  void (*vjp)(VjpCall& call) = nullptr;  // null: no gradient passes (integer results, comparisons)
  Kernel kernels[kDeviceTypeCount] = {};
  Samples (*samples)() = nullptr;
};

double flops_of(const Op& op, Metas in, const Attrs& attrs, const Inferred& out);
double bytes_of(const Op& op, Metas in, const Attrs& attrs, const Inferred& out);

// Error: operand i, which is undefined, is one that the op needs.
void require_absent(const Op& op, size_t i);

// "add([3, 4] float32, [4] float32)": for errors.
std::string describe_call(const Op& op, Inputs in, const Attrs& attrs);

}  // namespace oneagent

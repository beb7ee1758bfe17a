// What libtorch programs may ask for besides computing: types, macros, warnings, lists.
#include <gmock/gmock.h>

#include <unordered_map>

#include "core/torch/torch.h"

namespace {

using testing::HasSubstr;

template <class F>
std::string error_of(F&& f) {
  try {
    f();
  } catch (const std::exception& e) {
    return e.what();
  }
  return "no error";
}
template <class T>
std::string text(const T& value) {
  std::ostringstream out;
  out << value;
  return out.str();
}

TEST(Types, DefaultIsATypeMeta) {
  const caffe2::TypeMeta meta = torch::get_default_dtype();
  EXPECT_EQ(text(torch::get_default_dtype()), "float");
  EXPECT_EQ(c10::typeMetaToScalarType(meta), torch::kFloat);
  EXPECT_FALSE(c10::canCast(torch::kFloat, torch::kInt));
  std::unordered_map<torch::Device, int> places{{torch::kCPU, 1}};
  EXPECT_EQ(places.count(torch::Device("cpu")), 1);
}

TEST(Types, TensorsFromValues) {
  EXPECT_EQ(at::tensor({1, 2}).dtype(), torch::kInt);
  EXPECT_EQ(torch::tensor({1, 2}).dtype(), torch::kLong);
  EXPECT_EQ(at::tensor(std::vector<double>{1}).dtype(), torch::kDouble);
  EXPECT_EQ(at::tensor(5).dtype(), torch::kInt);
  EXPECT_EQ(at::tensor({1, 2}, at::kFloat).dtype(), torch::kFloat);
}

TEST(Macros, ChecksThrowTheirTypes) {
  EXPECT_THROW(TORCH_CHECK_TYPE(false, "no"), c10::TypeError);
  EXPECT_THROW(TORCH_CHECK_LINALG(false, "no"), c10::LinAlgError);
  EXPECT_THROW(TORCH_CHECK_NOT_IMPLEMENTED(false, "no"), c10::NotImplementedError);
  EXPECT_THROW(TORCH_CHECK_WITH(IndexError, 1 == 2), c10::IndexError);
  EXPECT_THROW(C10_THROW_ERROR(ValueError, "no"), c10::ValueError);
  EXPECT_THAT(error_of([] { TORCH_INTERNAL_ASSERT(1 == 2, "why"); }),
              HasSubstr("1 == 2 INTERNAL ASSERT FAILED"));
  EXPECT_THAT(error_of([] { TORCH_CHECK_ARG(false, 3, "why"); }), HasSubstr("invalid argument 3"));
}

TEST(Macros, DispatchToComplexTypes) {
  const auto size_of = [](torch::Dtype dtype) {
    return AT_DISPATCH_ALL_TYPES_AND_COMPLEX_AND2(torch::kHalf, torch::kBool, dtype, "size",
                                                  [] { return sizeof(scalar_t); });
  };
  EXPECT_EQ(size_of(torch::kComplexDouble), 16);
  EXPECT_EQ(size_of(torch::kHalf), 2);
  EXPECT_EQ(size_of(torch::kLong), 8);
  EXPECT_THAT(error_of([&] { size_of(torch::kBFloat16); }),
              HasSubstr("\"size\" not"
                        " implemented for 'BFloat16'"));
  EXPECT_EQ(AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES(torch::kComplexFloat, "size",
                                                   [] { return sizeof(scalar_t); }),
            8);
}

struct Heard : c10::WarningHandler {
  Heard() : before(c10::Warning::get_warning_handler()) { c10::Warning::set_warning_handler(this); }
  ~Heard() override { c10::Warning::set_warning_handler(before); }
  void process(const c10::SourceLocation&, const std::string& message, bool) override {
    said += message + ';';
  }
  c10::WarningHandler* before;
  std::string said;
};

TEST(Macros, WarningsReachTheHandler) {
  const Heard heard;
  for (int i = 0; i < 2; ++i) {
    TORCH_WARN("each ", i);
    TORCH_WARN_ONCE("once");
  }
  EXPECT_EQ(heard.said, "each 0;once;each 1;");
}

TEST(Lists, RangesAndProducts) {
  std::string seen;
  for (const auto i : c10::irange(3)) seen += std::to_string(i);
  for (const auto i : c10::irange(5, 7)) seen += std::to_string(i);
  for (const auto i : c10::irange(-2)) seen += std::to_string(i);
  EXPECT_EQ(seen, "01256");
  const auto x = torch::ones({2, 3});
  EXPECT_EQ(c10::multiply_integers(x.sizes()), 6);
  EXPECT_TRUE(x.sizes() == torch::IntArrayRef({2, 3}) && x.sizes() == std::vector<int64_t>({2, 3}));
}

}  // namespace

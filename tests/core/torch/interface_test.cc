// What libtorch programs may ask for besides computing: undefined tensors, types, devices, macros,
// errors, warnings, lists.
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

TEST(Undefined, AnswersWhatLibtorchAnswers) {
  const torch::Tensor none;
  EXPECT_EQ(none.numel(), 0);
  EXPECT_EQ(none.sizes(), torch::IntArrayRef({0}));
  EXPECT_EQ(none.dim(), 1);
  EXPECT_EQ(text(none.dtype()), "nullptr (uninitialized)");
  EXPECT_EQ(text(none.scalar_type()), "UNKNOWN_SCALAR");
  EXPECT_EQ(none._version(), 0);
  EXPECT_FALSE(none.requires_grad() || none.is_cpu() || none.is_sparse() || none.is_inference() ||
               none.is_floating_point() || none.contiguous().defined());
  EXPECT_EQ(text(none), "[ Tensor (undefined) ]");
  for (const auto& call : std::vector<std::function<void()>>{
           [&] { none.device(); }, [&] { none.strides(); }, [&] { none.item(); },
           [&] { none.is_leaf(); }, [&] { none.data_ptr(); }, [&] { none.cpu(); },
           [&] { none.view({1}); }, [&] { none.backward(); }, [&] { none.is_view(); }})
    EXPECT_THROW(call(), c10::Error);
}

TEST(Undefined, OperandsAreErrors) {
  const torch::Tensor none, x = torch::ones({2});
  EXPECT_THROW(x + none, c10::Error);
  EXPECT_THROW(torch::where(none, x, x), c10::Error);
  EXPECT_THROW(torch::linear(none, torch::ones({2, 2})), c10::Error);
  EXPECT_THROW(x.copy_(none), c10::Error);
  EXPECT_THROW(torch::cat({none, x}), c10::Error);
  EXPECT_THROW(torch::where(x > 0, x, none), c10::Error);
  EXPECT_THROW(torch::lerp(x, none, 0.5), c10::Error);
  EXPECT_THROW(torch::matmul(x, none), c10::Error);
  EXPECT_THROW(torch::gather(x, 0, none), c10::Error);
  EXPECT_THROW(torch::linear(x, none), c10::Error);
  EXPECT_THROW(torch::conv1d(torch::ones({1, 1, 3}), none), c10::Error);
  EXPECT_THROW(torch::embedding(none, torch::zeros({1}, torch::kLong)), c10::Error);
  EXPECT_THROW(torch::mse_loss(x, none), c10::Error);
  EXPECT_THROW(x.index_put_({torch::zeros({1}, torch::kLong)}, none), c10::Error);
  std::vector<torch::Tensor> saved = {x, none, x}, read;
  std::stringstream stream;
  torch::save(saved, stream);
  torch::load(read, stream);
  ASSERT_EQ(read.size(), 3u);
  EXPECT_TRUE(read[0].defined() && !read[1].defined() && torch::equal(read[2], x));
}

TEST(Types, DefaultIsATypeMeta) {
  const caffe2::TypeMeta meta = torch::get_default_dtype();
  EXPECT_EQ(text(torch::get_default_dtype()), "float");
  EXPECT_EQ(c10::typeMetaToScalarType(meta), torch::kFloat);
  EXPECT_EQ(caffe2::TypeMeta::fromScalarType(torch::kInt), caffe2::TypeMeta::Make<int>());
  EXPECT_EQ(text(torch::TensorOptions(torch::kInt).dtype_opt().value()), "int");
  EXPECT_FALSE(c10::canCast(torch::kFloat, torch::kInt));
  EXPECT_EQ(torch::ones({1}).type().toString(), "CPUFloatType");
}

TEST(Types, TensorsFromValues) {
  EXPECT_EQ(at::tensor({1, 2}).dtype(), torch::kInt);
  EXPECT_EQ(torch::tensor({1, 2}).dtype(), torch::kLong);
  EXPECT_EQ(at::tensor(std::vector<double>{1}).dtype(), torch::kDouble);
  EXPECT_EQ(torch::tensor(c10::complex<double>(1, 2)).dtype(), torch::kComplexDouble);
  EXPECT_THAT(error_of([] {
                torch::tensor({{{2, 3}, {4}}});
              }),
              HasSubstr("sizes: 2 (e.g. {2, 3}), but got sub-list {4} with sizes: 1"));
  EXPECT_THAT(error_of([] {
                torch::tensor({true, 2});
              }),
              HasSubstr("Bool, but got element of scalar type: Int"));
  EXPECT_THAT(error_of([] { torch::tensor({300}, torch::kByte); }),
              HasSubstr("uint8_t without overflow"));
  EXPECT_EQ(c10::str(torch::detail::TensorDataContainer({{1, 2}, {3, 4}})), "{{1, 2}, {3, 4}}");
}

TEST(Devices, NamesAndIndices) {
  EXPECT_EQ(text(torch::Device("hip:1")), "hip:1");
  EXPECT_EQ(torch::Device("meta").type(), at::kMeta);
  EXPECT_EQ(torch::TensorOptions().device("cuda:1").device_index(), 1);
  for (const char* bad : {"", "cud:1", "cuda:", "cpu::1", ":1", "3", "tpu:4", "cpu:01"})
    EXPECT_THROW(torch::Device{std::string(bad)}, c10::Error) << bad;
  EXPECT_EQ(torch::Device("cpu:1").index(), 1);  // a name is taken as in libtorch 1.13
  EXPECT_THROW(torch::Device(torch::kCPU, 1), c10::Error);
  EXPECT_THROW(torch::ones({1}, torch::kMeta), c10::NotImplementedError);
  std::unordered_map<torch::Device, int> places{{torch::kCPU, 1}};
  EXPECT_EQ(places.count(torch::Device("cpu")), 1);
  EXPECT_THAT(error_of([] { torch::arange(0, 1, 0); }), HasSubstr("step must be nonzero"));
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
  c10::Error error("first", "trace");
  error.add_context("where");
  EXPECT_STREQ(error.what(), "first (where)");
  EXPECT_EQ(error.msg() + error.backtrace(), "firsttrace");
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

TEST(Lists, TheLastOfNoDimensionsIsAnError) {
  EXPECT_THROW(torch::ones({}).sizes().back(), c10::Error);
  EXPECT_EQ(torch::arange(0, 10, 5).numel() + torch::arange(0, 0).numel(), 2);
  EXPECT_THROW(torch::arange(0, 10, 0), c10::Error);
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

TEST(Storages, AreSeenAndSet) {
  const auto x = torch::arange(6);
  EXPECT_EQ(x.storage().nbytes(), 48);
  EXPECT_EQ(x.storage().data_ptr().get(), x.data_ptr());
  EXPECT_TRUE(x.storage().is_alias_of(x[1].storage()));
  auto y = torch::empty({0}, torch::kLong);
  y.set_(x.storage(), 1, {2, 2}, {2, 1});
  EXPECT_TRUE(torch::equal(y, torch::tensor({{1, 2}, {3, 4}})));
  EXPECT_THROW(y.set_(x.storage(), 3, {2, 2}), c10::Error);
}

TEST(Generators, StateIsATensor) {
  auto generator = at::detail::createCPUGenerator(5);
  const auto state = generator.get_state();
  const auto first = torch::rand({3}, generator);
  generator.set_state(state);
  EXPECT_TRUE(torch::equal(first, torch::rand({3}, generator)));
  EXPECT_THROW(generator.set_state(torch::ones({3})), c10::Error);
}

TEST(Values, PrintAsInLibtorch) {
  const torch::IValue parts(std::make_tuple(1, 2.5, true, "text", std::vector<double>{1, 2}));
  EXPECT_EQ(text(parts), "(1, 2.5, True, text, [1., 2.])");
  EXPECT_EQ(parts.toTuple()->elements()[1].toDouble(), 2.5);
}

TEST(Printing, GoesToTheOutputByDefault) {
  testing::internal::CaptureStdout();
  torch::print(torch::ones({2}));
  at::print(torch::ones({1, 3}), 2);
  EXPECT_EQ(testing::internal::GetCapturedStdout(),
            " 1\n 1\n[ CPUFloatType{2} ]Columns 1 to 1 1\n\nColumns 2 to 2 1\n\nColumns 3 to 3 1\n"
            "[ CPUFloatType{1,3} ]");
}

TEST(Containers, AreHandlesThatBecomeValues) {
  c10::List<int64_t> list({1, 2, 3});
  const c10::List<int64_t> same = list;
  list.push_back(4);
  list[0] = 7;
  EXPECT_EQ(same.vec(), (std::vector<int64_t>{7, 2, 3, 4}));
  EXPECT_THROW(list.get(9), std::out_of_range);
  const torch::IValue value(list);
  EXPECT_EQ(value.toIntVector(), same.vec());

  c10::Dict<std::string, torch::Tensor> dict;
  EXPECT_TRUE(dict.insert("x", torch::ones({2})).second);
  EXPECT_FALSE(dict.insert("x", torch::zeros({2})).second);
  dict.insert_or_assign("y", torch::zeros({1}));
  EXPECT_EQ(dict.at("x").numel(), 2);
  const auto bytes = torch::pickle_save(dict);
  EXPECT_EQ(torch::pickle_load(bytes).toGenericDict().size(), 2u);
  EXPECT_EQ(dict.erase("x"), 1u);
  EXPECT_TRUE(dict.find("y") == dict.begin() && !dict.contains("x"));
  EXPECT_THROW(dict.at("x"), std::out_of_range);
}

TEST(Containers, TheWeightsOfAPickleAreReadByName) {
  c10::Dict<std::string, torch::Tensor> weights;
  weights.insert("bias", torch::ones({2}));
  const auto bytes = torch::pickle_save(weights);
  const c10::Dict<c10::IValue, c10::IValue> read = torch::pickle_load(bytes).toGenericDict();
  for (const auto& entry : read) {
    EXPECT_EQ(entry.key().toStringRef(), "bias");
    EXPECT_EQ(entry.value().toTensor().numel(), 2);
  }
  EXPECT_TRUE(read.contains("bias"));
  EXPECT_TRUE(torch::equal(read.at("bias").toTensor(), torch::ones({2})));
  EXPECT_THROW(read.at("weight"), std::out_of_range);
}

TEST(Containers, ValuesHoldTuplesListsAndDevices) {
  const c10::IValue pair = c10::ivalue::Tuple::create({c10::IValue(1), c10::IValue("two")});
  EXPECT_EQ(pair.toTuple()->elements()[1].toString()->string(), "two");
  const auto [number, text] = c10::ivalue::Tuple::create(1, "two")->elements().size() == 2
                                  ? pair.to<std::tuple<int64_t, std::string>>()
                                  : std::tuple<int64_t, std::string>();
  EXPECT_EQ(number, 1);
  EXPECT_EQ(text, "two");
  const c10::List<c10::IValue> parts = pair.toList();
  EXPECT_EQ(parts.size(), 2u);
  const c10::IValue device(torch::Device("cpu"));
  EXPECT_TRUE(device.isDevice());
  EXPECT_EQ(device.toDevice(), torch::kCPU);
  EXPECT_THROW(device.toTensor(), c10::Error);
}

TEST(Factories, TakeEachOptionByItself) {
  const torch::Tensor x = at::zeros({2, 3}, at::kDouble, at::kStrided, c10::nullopt, false);
  EXPECT_EQ(x.scalar_type(), torch::kDouble);
  EXPECT_EQ(at::arange(5, at::kInt, c10::nullopt, at::kCPU, c10::nullopt).dtype(), torch::kInt);
  EXPECT_EQ(at::ones_like(x, c10::nullopt, c10::nullopt, c10::nullopt, c10::nullopt, c10::nullopt)
                .scalar_type(),
            torch::kDouble);
}

TEST(OutForms, TakeWhatLibtorchTakes) {
  const torch::Tensor x = torch::arange(4, torch::kFloat);
  torch::Tensor out = torch::empty({0});
  EXPECT_TRUE(torch::equal(at::normal_out(out, x, 2.0, 0.0), torch::full({4}, 2.0f)));
  at::linear_outf(torch::ones({1, 4}), torch::ones({2, 4}), torch::ones({2}), out);
  EXPECT_TRUE(torch::equal(out, torch::full({1, 2}, 5.0f)));
  const torch::Tensor fixed = torch::empty({0}), spectrum = torch::empty({0}, at::kComplexFloat);
  const torch::Tensor& given = at::fft_ihfft2_out(spectrum, torch::ones({2, 4}));
  EXPECT_EQ(&given, &spectrum);
  EXPECT_EQ(spectrum.sizes(), torch::IntArrayRef({2, 3}));
  EXPECT_EQ(at::resize_out(fixed, x, {2}).sizes(), torch::IntArrayRef({2}));
  std::vector<torch::Tensor> parts{torch::empty({0}), torch::empty({0})};
  at::unsafe_split_out(parts, x, 2);
  EXPECT_TRUE(torch::equal(parts[1], x.slice(0, 2)));
  at::unsafe_split_with_sizes_outf(x, {1, 3}, 0, parts);
  EXPECT_TRUE(torch::equal(parts[1], x.slice(0, 1)));
  EXPECT_THROW(at::unsafe_split_out(parts, x, 1), c10::Error);
}

TEST(ViewCopies, HaveMemoryOfTheirOwn) {
  const torch::Tensor x = torch::arange(6, torch::kFloat).view({2, 3}).requires_grad_();
  const torch::Tensor turned = torch::t_copy(x);
  EXPECT_TRUE(torch::equal(turned, x.t()) && turned.is_contiguous() && !turned.is_alias_of(x));
  torch::select_copy(x, 1, 2).sum().backward();
  EXPECT_TRUE(torch::equal(x.grad(), torch::tensor({{0.f, 0.f, 1.f}, {0.f, 0.f, 1.f}})));
  EXPECT_FALSE(torch::detach_copy(x).requires_grad());
  EXPECT_EQ(torch::split_with_sizes_copy(x, {1, 2}, 1)[1].sizes(), torch::IntArrayRef({2, 2}));
  std::vector<torch::Tensor> rows{torch::empty({3}), torch::empty({3})};
  torch::NoGradGuard guard;
  torch::unbind_copy_out(rows, x);
  EXPECT_TRUE(torch::equal(rows[1], x[1]));
  EXPECT_THROW(torch::split_copy_out(rows, x, 2), c10::Error);
}

// Each matrix of a tensor of three dimensions stands one column to the right.
TEST(Printing, IndentsMatricesThatAreCutIntoColumns) {
  const std::string wide = text(torch::ones({1, 1, 40}));
  EXPECT_THAT(wide, HasSubstr("(1,.,.) = \n Columns 1 to "));
  EXPECT_THAT(wide, HasSubstr("\n\nColumns "));
}

// Sums of squares, from libtorch: the first channel stays in every later window.
TEST(CrossMapLRN2d, KeepsTheFirstChannelAsLibtorchDoes) {
  const torch::Tensor x = torch::tensor({1.f, 2.f, 3.f, 4.f}).view({1, 4, 1, 1});
  torch::nn::CrossMapLRN2d layer(torch::nn::CrossMapLRN2dOptions(3).alpha(3).beta(1).k(0));
  const torch::Tensor windows = (x / layer(x)).flatten();
  EXPECT_TRUE(torch::allclose(windows, torch::tensor({5.f, 14.f, 30.f, 26.f})));
}

}  // namespace

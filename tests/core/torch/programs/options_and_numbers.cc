// Options, devices, properties, accessors, numbers and dispatch over dtypes.
#ifdef ONEAGENT
#include <oneagent/torch.h>
#else
#include <torch/torch.h>
#endif
#include <functional>
#include <iostream>
#include <thread>

namespace {

// Runs one case under its number; what is thrown is named by its kind.
void check(const std::function<void()>& body) {
  static int number = 0;
  std::cout << "[" << ++number << "] ";
  try {
    body();
  } catch (const c10::IndexError&) {
    std::cout << "IndexError";
  } catch (const c10::Error&) {
    std::cout << "Error";
  } catch (const std::exception&) {
    std::cout << "exception";
  }
  std::cout << std::endl;
}

using std::cout;
static bool deleted = false;
void options() {
  check([&] { cout << torch::TensorOptions(); });
  check([&] { cout << torch::dtype(torch::kInt); });
  check([&] { cout << torch::device(torch::kCPU); });
  check([&] { cout << torch::device({torch::kCUDA, 1}); });
  check([&] { cout << torch::layout(torch::kStrided); });
  check([&] { cout << torch::requires_grad(); });
  check([&] { cout << torch::TensorOptions(torch::kHalf); });
  check([&] { cout << torch::TensorOptions(torch::Device("cpu")); });
  check([&] { cout << torch::TensorOptions("cpu"); });
  check([&] { cout << torch::TensorOptions({torch::kCUDA, 0}).device(); });
  check([&] { cout << torch::TensorOptions().memory_format(torch::MemoryFormat::ChannelsLast); });
  check([&] { cout << torch::TensorOptions().dtype<float>(); });
  check([&] { cout << torch::TensorOptions().dtype(torch::kInt8).dtype(); });
  check([&] {
    cout << torch::TensorOptions().has_dtype() << torch::TensorOptions().has_device()
         << torch::TensorOptions().dtype(torch::kInt).has_dtype();
  });
  check([&] { cout << torch::TensorOptions().dtype_opt().has_value(); });
  check([&] { cout << torch::TensorOptions().is_sparse(); });
  check([&] { cout << torch::TensorOptions().requires_grad_opt().has_value(); });
  check([&] { cout << torch::TensorOptions().requires_grad(); });
  check([&] { cout << torch::TensorOptions().device_index(); });
  check([&] {
    cout << torch::TensorOptions(torch::kInt).merge_in(torch::TensorOptions().requires_grad(true));
  });
  check([&] { cout << torch::ones({1}).options(); });
  check([&] { cout << torch::ones({1}, torch::requires_grad()).options(); });
  check([&] { cout << torch::ones({1}, torch::requires_grad()).options().requires_grad(); });
  check([&] { cout << torch::ones({1}, torch::kLong).options().dtype(); });
  check([&] { cout << (torch::typeMetaToScalarType(torch::ones({1}).dtype()) == torch::kFloat); });
  check([&] {
    cout << (torch::ones({1}).dtype() == torch::kFloat)
         << (torch::ones({1}).scalar_type() == torch::kFloat);
  });
  check([&] {
    cout << torch::ones({1}).scalar_type() << torch::ones({1}).dtype().name()
         << torch::ones({1}).dtype().itemsize();
  });
  check([&] { cout << torch::kCPU << torch::kCUDA << torch::kStrided; });
  check([&] {
    cout << torch::Device("cuda:1") << torch::Device(torch::kCPU) << torch::Device("cpu:0");
  });
  check([&] {
    cout << torch::Device("cuda:1").has_index() << torch::Device("cuda").has_index()
         << torch::Device("cpu").is_cpu() << torch::Device("cuda").is_cuda();
  });
  check([&] { cout << torch::Device("cuda:1").str(); });
  check([&] { cout << torch::Device("foo"); });
  check([&] { cout << torch::Device("cuda:"); });
  check([&] { cout << torch::Device("cuda:-1"); });
  check([&] { cout << torch::Device(""); });
  check([&] { cout << torch::Device("cpu:1:2"); });
  check([&] { cout << torch::Device("cpu:01"); });
  check([&] {
    cout << (torch::Device("cuda:1") == torch::Device(torch::kCUDA, 1))
         << (torch::Device("cuda") != torch::Device("cpu"));
  });
  check([&] {
    auto o = torch::TensorOptions()
                 .dtype(torch::kFloat32)
                 .layout(torch::kStrided)
                 .device(torch::kCPU)
                 .requires_grad(true);
    auto t = torch::full({3, 4}, 123, o);
    cout << t << t.requires_grad();
  });
  check([&] {
    cout << torch::ones({2}).to(torch::kInt).dtype()
         << torch::ones({2}).to(torch::dtype(torch::kDouble)).dtype()
         << torch::ones({2}).to(torch::kCPU, torch::kLong).dtype()
         << torch::ones({2}).to(torch::ones({1}, torch::kInt)).dtype()
         << torch::ones({2}).to(torch::Device("cpu"), torch::kBool, false, true).dtype();
  });
  check([&] {
    cout << torch::ones({2})
                .to(torch::TensorOptions(torch::kInt).device(torch::kCPU), /*non_blocking=*/true,
                    /*copy=*/true)
                .dtype();
  });
  check([&] { cout << torch::ones({2}).toType(torch::kInt).dtype(); });
  check([&] { cout << torch::ones({2}).type_as(torch::ones({2}, torch::kInt)).dtype(); });
  check([&] {
    cout << torch::ones({2}).is_floating_point() << torch::ones({2}).is_complex()
         << torch::ones({2}).is_signed() << torch::ones({2}).is_sparse()
         << torch::ones({2}).is_cuda() << torch::ones({2}).is_contiguous()
         << torch::ones({2}).is_quantized() << torch::ones({2}).is_nonzero();
  });
  check([&] { cout << torch::ones({1}).is_nonzero(); });
  check([&] {
    cout << torch::ones({2, 3}).numel() << torch::ones({2, 3}).dim()
         << torch::ones({2, 3}).ndimension() << torch::ones({2, 3}).nbytes()
         << torch::ones({2, 3}).itemsize() << torch::ones({2, 3}).element_size()
         << torch::ones({2, 3}).storage_offset() << torch::ones({2, 3}).use_count();
  });
  check([&] {
    cout << torch::ones({2, 3}).sizes() << torch::ones({2, 3}).strides()
         << torch::ones({2, 3}).size(-1) << torch::ones({2, 3}).stride(0);
  });
  check([&] { cout << torch::ones({2, 3}).size(2); });
  check([&] { cout << torch::ones({2, 3}).size(-3); });
  check([&] { cout << torch::Tensor().defined() << torch::Tensor(); });
  check([&] { cout << torch::Tensor().toString(); });
  check([&] { cout << torch::ones({2}).toString(); });
  check([&] { cout << torch::Tensor() + torch::ones({1}); });
}
void accessors() {
  check([&] {
    auto t = torch::arange(6, torch::kInt).reshape({2, 3});
    auto a = t.accessor<int, 2>();
    int s = 0;
    for (int i = 0; i < a.size(0); ++i)
      for (int j = 0; j < a.size(1); ++j) s += a[i][j];
    cout << s << a.stride(0) << a.sizes() << a.strides();
    a[0][0] = 7;
    cout << t;
  });
  check([&] {
    auto t = torch::ones({2, 3});
    auto a = t.accessor<double, 2>();
    cout << a[0][0];
  });
  check([&] {
    auto t = torch::ones({2, 3});
    auto a = t.accessor<float, 3>();
    cout << a.size(0);
  });
  check([&] {
    auto t = torch::ones({2, 3});
    cout << t.data_ptr<float>()[3] << *t.data_ptr<float>();
  });
  check([&] {
    auto t = torch::ones({2, 3});
    cout << t.data_ptr<int>();
  });
  check([&] {
    auto t = torch::ones({2, 3}, torch::kLong);
    cout << t.data_ptr<int64_t>()[0] << (t.data_ptr() == (void*)t.data_ptr<int64_t>());
  });
  check([&] {
    auto t = torch::arange(6).reshape({2, 3}).t();
    auto a = t.accessor<int64_t, 2>();
    cout << a[2][1] << a.data()[1];
  });
  check([&] {
    std::vector<float> v{1, 2, 3, 4};
    auto t = torch::from_blob(v.data(), {2, 2});
    v[0] = 9;
    cout << t;
  });
  check([&] {
    std::vector<double> v{1, 2, 3, 4};
    auto t = torch::from_blob(v.data(), {2, 2}, torch::kFloat64);
    t[0][0] = 5;
    cout << v[0] << t;
  });
  check([&] {
    std::vector<int> v{1, 2, 3, 4};
    auto t = torch::from_blob(v.data(), {2, 2}, {1, 2}, torch::kInt32);
    cout << t;
  });
  check([&] {
    {
      std::vector<int> v{1, 2, 3, 4};
      auto t = torch::from_blob(
          v.data(), {2, 2}, [](void*) { deleted = true; }, torch::kInt32);
      cout << t << deleted;
    }
    cout << deleted;
  });
  check([&] {
    {
      float* p = new float[4]{1, 2, 3, 4};
      auto t = torch::from_blob(p, {4}, {1}, [](void* q) {
        delete[](float*) q;
        cout << "freed";
      });
      cout << t;
    }
  });
  check([&] {
    int a[] = {1, 2, 3};
    auto t = torch::from_blob(a, {3}, torch::kInt).clone();
    a[0] = 100;
    cout << t;
  });
  check([&] {
    int a[] = {1, 2, 3};
    auto t = torch::from_blob(a, 3, torch::TensorOptions().dtype(torch::kInt).requires_grad(false));
    cout << t;
  });
  check([&] {
    float a[] = {1, 2, 3};
    auto t = torch::from_blob(a, 3, torch::requires_grad());
    cout << t.requires_grad();
  });
  check([&] {
    auto t = torch::ones({2});
    cout << t.item<float>();
  });
  check([&] {
    auto t = torch::ones({1});
    cout << t.item<int>() << t.item<double>() << t.item().toInt() << t.item().toFloat()
         << t.item().isFloatingPoint() << t.item() << t.item<bool>();
  });
  check([&] {
    auto t = torch::tensor(1.5);
    cout << t.item<int>() << t.item<int64_t>() << t.item().to<double>() << t.item().type();
  });
  check([&] {
    torch::Scalar s = 3;
    cout << s << s.isIntegral(false) << s.isIntegral(true) << s.isBoolean() << s.type()
         << s.toDouble() << s.to<int>() << s.equal(3);
  });
  check([&] {
    torch::Scalar s = 3.5;
    cout << s << s.type() << -s << s.toInt();
  });
  check([&] {
    torch::Scalar s = true;
    cout << s << s.type();
  });
  check([&] {
    torch::Scalar s(2.5f);
    cout << s << s.type();
  });
  check([&] {
    torch::Scalar s(int8_t(2));
    cout << s << s.type();
  });
  check([&] {
    torch::Scalar s;
    cout << s << s.type();
  });
  check(
      [&] { AT_DISPATCH_FLOATING_TYPES(torch::kDouble, "f", [&] { cout << sizeof(scalar_t); }); });
  check([&] { AT_DISPATCH_ALL_TYPES(torch::kShort, "f", [&] { cout << sizeof(scalar_t); }); });
  check([&] { AT_DISPATCH_INTEGRAL_TYPES(torch::kFloat, "f", [&] { cout << sizeof(scalar_t); }); });
  check([&] {
    AT_DISPATCH_FLOATING_TYPES_AND_HALF(torch::kHalf, "f", [&] { cout << sizeof(scalar_t); });
  });
  check([&] {
    AT_DISPATCH_ALL_TYPES_AND(torch::kBool, torch::ones({1}, torch::kBool).scalar_type(), "f",
                              [&] { cout << sizeof(scalar_t); });
  });
  check([&] {
    AT_DISPATCH_ALL_TYPES_AND2(torch::kHalf, torch::kBFloat16, torch::kBFloat16, "f",
                               [&] { cout << sizeof(scalar_t); });
  });
  check([&] {
    AT_DISPATCH_ALL_TYPES_AND3(torch::kHalf, torch::kBFloat16, torch::kBool, torch::kInt, "f",
                               [&] { cout << sizeof(scalar_t); });
  });
  check([&] {
    auto r = AT_DISPATCH_FLOATING_TYPES(torch::ones({1}).scalar_type(), "f", [&]() -> double {
      return torch::ones({1}).item<scalar_t>();
    });
    cout << r;
  });
  check([&] { AT_DISPATCH_INDEX_TYPES(torch::kLong, "f", [&] { cout << sizeof(index_t); }); });
  check([&] {
    AT_DISPATCH_FLOATING_TYPES_AND2(torch::kHalf, torch::kBFloat16, torch::kFloat, "f",
                                    [&] { cout << sizeof(scalar_t); });
  });
}
}  // namespace

int main() {
  options();
  accessors();
}

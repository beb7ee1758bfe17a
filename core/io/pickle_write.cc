// The pickle (protocol 2) of a value and its storages, in a zip archive.
#include <array>
#include <bit>

#include "core/graph/context.h"
#include "core/io/pickle.h"
#include "core/io/zip.h"
#include "core/kernels/copy.h"

namespace oneagent::io {
namespace {

const char* storage_class(DType dtype) {
  switch (dtype) {
    case DType::kFloat32:
      return "FloatStorage";
    case DType::kFloat64:
      return "DoubleStorage";
    case DType::kInt64:
      return "LongStorage";
    case DType::kInt32:
      return "IntStorage";
    case DType::kInt16:
      return "ShortStorage";
    case DType::kInt8:
      return "CharStorage";
    case DType::kUInt8:
      return "ByteStorage";
    case DType::kBool:
      return "BoolStorage";
    case DType::kFloat16:
      return "HalfStorage";
    case DType::kBFloat16:
      return "BFloat16Storage";
    case DType::kComplex64:
      return "ComplexFloatStorage";
    case DType::kComplex128:
      return "ComplexDoubleStorage";
    default:
      throw_error(str("pickle: tensors of type ", name_of(dtype), " cannot be saved"));
  }
}

class Pickler {
 public:
  std::vector<std::pair<std::string, std::string>> entries;  // one per tensor, behind the program

  std::string program(const IValue& value) {
    out_ = "\x80\x02";
    put(value);
    out_ += '.';
    return std::move(out_);
  }

 private:
  void raw(const void* bytes, size_t count) { out_.append(static_cast<const char*>(bytes), count); }
  void global(const char* module, const char* name) { out_ += str('c', module, '\n', name, '\n'); }
  void text(const std::string& value) {
    const auto size = static_cast<uint32_t>(value.size());
    out_ += 'X';
    raw(&size, 4);
    out_ += value;
  }
  void number(int64_t value) {
    out_ += "\x8a\x08";
    raw(&value, 8);
  }
  void number(double value) {
    std::array<char, 8> bytes = std::bit_cast<std::array<char, 8>>(value);
    out_ += 'G';
    for (size_t i = bytes.size(); i-- > 0;) out_ += bytes[i];
  }
  void truth(bool value) { out_ += value ? '\x88' : '\x89'; }
  template <class List, class Each>
  void list(const List& values, const Each& each) {
    out_ += "](";
    for (const auto& value : values) each(value);
    out_ += 'e';
  }
  // A list whose element type is kept: a call of the function that makes it.
  template <class List, class Each>
  void typed(const char* builder, const List& values, const Each& each) {
    global("torch.jit._pickle", builder);
    list(values, each);
    out_ += "\x85R";
  }
  void numbers(const Shape& values) {
    out_ += '(';
    for (const int64_t value : values) number(value);
    out_ += 't';
  }

  void put(const Tensor& tensor) {
    if (!tensor.defined()) {
      out_ += 'N';
      return;
    }
    OA_REQUIRE(!tensor.is_sparse(), "pickle: sparse tensors cannot be saved; use to_dense()");
    const Tensor values = contiguous_copy(context().stream, tensor.detach());
    const std::string key = std::to_string(entries.size());
    entries.emplace_back("archive/data/" + key,
                         std::string(static_cast<const char*>(values.data_ptr()), values.nbytes()));
    global("torch._utils", "_rebuild_tensor_v2");
    out_ += "((";
    text("storage");
    global("torch", storage_class(values.dtype()));
    text(key);
    text("cpu");
    number(values.numel());
    out_ += "tQ";
    number(int64_t{0});
    numbers(values.sizes());
    numbers(values.strides());
    truth(tensor.requires_grad());
    global("collections", "OrderedDict");
    out_ += ")RtR";
  }
  void put(const IValue& value) {
    const auto int_of = [&](int64_t entry) { number(entry); };
    if (value.isNone()) {
      out_ += 'N';
    } else if (value.isBool()) {
      truth(value.toBool());
    } else if (value.isInt()) {
      number(value.toInt());
    } else if (value.isDouble()) {
      number(value.toDouble());
    } else if (value.isString()) {
      text(value.toStringRef());
    } else if (value.isTensor()) {
      put(value.toTensor());
    } else if (value.isIntList()) {
      typed("build_intlist", value.toIntVector(), int_of);
    } else if (value.isDoubleList()) {
      typed("build_doublelist", value.toDoubleVector(), [&](double entry) { number(entry); });
    } else if (value.isTensorList()) {
      typed("build_tensorlist", value.toTensorVector(), [&](const Tensor& entry) { put(entry); });
    } else if (value.isList()) {
      list(value.toListRef(), [&](const IValue& entry) { put(entry); });
    } else if (value.isGenericDict()) {
      out_ += "}(";
      for (const auto& [key, entry] : value.entries()) {
        text(key);
        put(entry);
      }
      out_ += 'u';
    } else {
      throw_error(str("pickle: a ", value.tagKind(), " cannot be saved"));
    }
  }

  std::string out_;
};

}  // namespace

std::string write_pt(const IValue& value) {
  Pickler pickler;
  std::vector<std::pair<std::string, std::string>> entries;
  entries.emplace_back("archive/data.pkl", pickler.program(value));
  for (auto& entry : pickler.entries) entries.push_back(std::move(entry));
  entries.emplace_back("archive/version", "3\n");
  return write_zip(entries);
}

}  // namespace oneagent::io

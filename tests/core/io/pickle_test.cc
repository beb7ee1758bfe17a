// Files that Python's torch.save wrote, whole and broken.
#include "core/io/pickle.h"

#include <gtest/gtest.h>

#include <sstream>

#include "core/base/file.h"
#include "core/io/archive.h"
#include "core/ops/ops.h"

namespace oneagent::io {
namespace {

std::string file(const char* name) { return read_text(fs::path(OA_TEST_DATA) / "torch" / name); }

const IValue& at(const IValue& dict, const std::string& key) {
  for (const auto& [name, value] : dict.entries())
    if (name == key) return value;
  throw_error("no key " + key);
}

std::string message_of(const std::string& bytes) {
  try {
    read_pt(bytes, "file");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Pickle, ReadsValuesOfEveryKind) {
  const IValue all = read_pt(file("objects.pt"), "objects.pt");
  EXPECT_EQ(at(all, "epoch").toInt(), 7);
  EXPECT_EQ(at(all, "lr").toDouble(), 0.125);
  EXPECT_EQ(at(all, "name").toStringRef(), "run");
  EXPECT_TRUE(at(all, "flag").toBool());
  EXPECT_TRUE(at(all, "none").isNone());
  EXPECT_EQ(at(all, "big").toInt(), 12345678901);
  EXPECT_EQ(at(all, "neg").toInt(), -3);
  EXPECT_EQ(at(all, "3").toStringRef(), "three");
  EXPECT_EQ(at(all, "list").toListRef()[2].toInt(), 3);
  EXPECT_EQ(at(all, "pair").toListRef()[0].toDouble(), 1.5);
  const Tensor deep = at(at(at(all, "nested"), "a"), "b").toTensor();
  EXPECT_EQ(deep.scalar_type(), kInt32);
}

TEST(Pickle, ReadsTensorsOfAnyTypeAndLayout) {
  const IValue all = read_pt(file("objects.pt"), "objects.pt");
  const std::vector<IValue>& list = at(all, "tensors").toListRef();
  const Tensor x = arange(12, kFloat64).view({3, 4});
  EXPECT_TRUE(equal(list[0].toTensor(), x.t().contiguous()));
  EXPECT_TRUE(equal(list[1].toTensor(), tensor({{4.0, 6.0}, {8.0, 10.0}}, kFloat64)));
  EXPECT_EQ(list[2].toTensor().scalar_type(), kBool);
  EXPECT_EQ(list[3].toTensor().scalar_type(), kInt8);
  for (const size_t i : {4u, 5u})
    EXPECT_TRUE(equal(list[i].toTensor().to(kFloat32), tensor({0.5, -1.25})));
  EXPECT_EQ(list[6].toTensor().sizes(), Shape({0, 3}));
  EXPECT_EQ(list[7].toTensor().item<int64_t>(), 5);
}

TEST(Pickle, AStateDictBecomesABranchForEachModule) {
  serialize::InputArchive archive, norm;
  archive.load_from((fs::path(OA_TEST_DATA) / "torch/state_dict.pt").string());
  EXPECT_EQ(archive.keys(), (std::vector<std::string>{"fc1", "norm", "fc2"}));
  archive.read("norm", norm);
  Tensor steps;
  norm.read("num_batches_tracked", steps);
  EXPECT_EQ(steps.item<int64_t>(), 0);
  EXPECT_THROW(norm.read("wieght", steps), Error);
}

TEST(Pickle, NeverCallsAnything) {
  const std::string message = message_of(file("refused.pt"));
  EXPECT_NE(message.find("wants to call posix.system"), std::string::npos) << message;
  EXPECT_NE(message.find("state_dict()"), std::string::npos) << message;
}

// Every cut and every changed byte: an Error or a value, never more.
TEST(Pickle, BrokenFilesAreErrors) {
  const std::string whole = file("objects.pt");
  for (size_t size = 0; size < whole.size(); size += 7)
    EXPECT_NE(message_of(whole.substr(0, size)), "") << size;
  for (size_t i = 0; i < whole.size(); ++i) {
    std::string changed = whole;
    changed[i] = static_cast<char>(changed[i] ^ (1 << (i % 8)));
    message_of(changed);
    changed[i] = '\xff';
    message_of(changed);
  }
  EXPECT_NE(message_of("no zip").find("not a zip archive"), std::string::npos);
}

std::string word(uint64_t value, size_t size) {  // little endian
  std::string out;
  for (size_t i = 0; i < size; ++i) out += static_cast<char>(i < 8 ? value >> (8 * i) : 0);
  return out;
}

// A zip archive of stored entries.
std::string zip_of(const std::vector<std::pair<std::string, std::string>>& entries) {
  std::string out, directory;
  for (const auto& [name, data] : entries) {
    const std::string sizes = word(data.size(), 4) + word(data.size(), 4) + word(name.size(), 2);
    directory += "PK\1\2" + word(20, 16) + sizes + word(0, 12) + word(out.size(), 4) + name;
    out += "PK\3\4" + word(20, 14) + sizes + word(0, 2) + name + data;
  }
  return out + directory + "PK\5\6" + word(0, 6) + word(entries.size(), 2) +
         word(directory.size(), 4) + word(out.size(), 4) + word(0, 2);
}

std::string integers(const std::vector<int64_t>& values) {
  std::string out = "(";
  for (const int64_t value : values) out += "\x8a\x08" + word(static_cast<uint64_t>(value), 8);
  return out + 't';
}

// One tensor over the archive's storage of 16 bytes.
std::string tensor_program(const std::string& type, int64_t count, int64_t offset,
                           const std::vector<int64_t>& sizes, const std::vector<int64_t>& strides) {
  return "ctorch._utils\n_rebuild_tensor_v2\n((X" + word(7, 4) + "storagectorch\n" + type +
         "\nX\1" + word(0, 3) + "0N" + integers({count}).substr(1) + 'Q' +
         integers({offset}).substr(1, 10) + integers(sizes) + integers(strides) + "tR";
}

std::string message_of_program(const std::string& program) {
  return message_of(zip_of({{"a/data.pkl", program + '.'}, {"a/data/0", std::string(16, '\1')}}));
}

TEST(Pickle, NoTensorReachesBeyondItsStorage) {
  const std::string good = tensor_program("FloatStorage", 4, 0, {2, 2}, {2, 1});
  EXPECT_EQ(message_of_program(good), "");
  for (const std::string& broken :
       {"(" + good + tensor_program("DoubleStorage", 4, 0, {4}, {1}) + 't',
        tensor_program("FloatStorage", 4, INT64_MAX, {2}, {1}),
        tensor_program("FloatStorage", 4, 0, {int64_t{1} << 48, int64_t{1} << 48}, {0, 0})})
    EXPECT_NE(message_of_program(broken), "");
}

std::string archive_error(std::string header) {
  std::stringstream stream(word(header.size(), 8) + header);
  try {
    serialize::InputArchive().load_from(stream);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

// Level i holds level i - 1 twice; 2^40 values if each were a copy.
TEST(Pickle, SharedObjectsAreReadOnce) {
  std::string lists = "]q";
  lists += '\0';
  for (char i = 1; i <= 40; ++i)
    for (const char byte : {']', 'q', i, 'h', char(i - 1), 'a', 'h', char(i - 1), 'a'})
      lists += byte;
  const IValue list = read_pt(zip_of({{"a/data.pkl", lists + '.'}}), "lists");
  EXPECT_EQ(list.toListRef()[0].list(), list.toListRef()[1].list());
  std::string dicts = "}q";
  dicts += '\0';
  for (char i = 1; i <= 40; ++i) {
    for (const char byte : {'}', 'q', i}) dicts += byte;
    for (const char key : {'a', 'b'}) {
      dicts += "X\1" + word(0, 3) + key + 'h';
      dicts += char(i - 1);
      dicts += 's';
    }
  }
  std::stringstream stream(zip_of({{"a/data.pkl", dicts + '.'}}));
  serialize::InputArchive archive;
  EXPECT_THROW(archive.load_from(stream), Error);
}

TEST(Archive, ValuesOfAnUnknownFormAndDeepNamesAreErrors) {
  for (const char* value : {"1.5", "{}", "[\\\"x\\\"]", "{\\\"double\\\":[]}"})
    EXPECT_NE(archive_error(str(R"({"__metadata__":{"values":"{\"a\":)", value, "}\"}}")), "")
        << value;
  std::string name = "a";
  for (int i = 0; i < 200'000; ++i) name += ".a";
  const std::string entry = R"(":{"dtype":"F32","shape":[0],"data_offsets":[0,0]}})";
  EXPECT_NE(archive_error("{\"" + name + entry), "");
}

TEST(Archive, KeepsTensorsAndValues) {
  serialize::OutputArchive out, branch, empty_branch;
  branch.write("weight", full({2, 3}, 1.5));
  branch.write("half", full({2}, 0.25, kFloat16), /*is_buffer=*/true);
  out.write("layer", branch);
  out.write("nothing", empty_branch);
  out.write("epoch", IValue(7));
  out.write("rate", IValue(0.1));
  out.write("name", IValue("run"));
  out.write("sizes", IValue(std::vector<int64_t>{1, 2}));
  std::stringstream stream;
  out.save_to(stream);
  serialize::InputArchive in, layer, nothing;
  in.load_from(stream);
  in.read("layer", layer);
  in.read("nothing", nothing);
  Tensor weight, half;
  layer.read("weight", weight);
  layer.read("half", half);
  EXPECT_TRUE(equal(weight, full({2, 3}, 1.5)));
  EXPECT_EQ(half.scalar_type(), kFloat16);
  IValue value;
  in.read("rate", value);
  EXPECT_EQ(value.toDouble(), 0.1);
  in.read("sizes", value);
  EXPECT_EQ(value.toIntVector(), (std::vector<int64_t>{1, 2}));
  EXPECT_FALSE(in.try_read("absent", value));
  Tensor other = zeros({2, 3}, kInt64);
  EXPECT_THROW(layer.read("weight", other), Error);
}

TEST(Archive, DefinedTensorsBecomeWhatWasSaved) {
  const Tensor columns = arange(6).to(kFloat32).view({2, 3}).t();
  serialize::OutputArchive out;
  out.write("columns", columns);
  out.write("trained", ones({2}).requires_grad_());
  out.write("spread", ones({1, 2}).expand({3, 2}));
  std::stringstream stream;
  out.save_to(stream);
  serialize::InputArchive in;
  in.load_from(stream);
  Tensor read = zeros({1}), alias = read, trained, spread;
  in.read("columns", read);
  EXPECT_TRUE(equal(alias, columns));
  EXPECT_EQ(alias.strides(), columns.strides());
  Tensor wide = zeros({1}, kFloat64);
  in.read("columns", wide);
  EXPECT_TRUE(wide.scalar_type() == kFloat64 && equal(wide, columns.to(kFloat64)));
  in.read("trained", trained);
  EXPECT_TRUE(trained.requires_grad() && trained.is_leaf());
  in.read("spread", spread);
  EXPECT_EQ(spread.strides(), Shape({0, 1}));
  EXPECT_TRUE(equal(spread, ones({3, 2})));
}

TEST(Archive, TakesAnyNameAndTheLastOfTwoValuesOfOneKind) {
  serialize::OutputArchive out, inner;
  inner.write("%2E.x", IValue(1));
  out.write("a.b", ones({2}));
  out.write("", zeros({3}));
  out.write("50%", inner);
  out.write("i", IValue(4));
  out.write("i", IValue(5));
  out.write("a.b", full({2}, 7));
  EXPECT_THROW(out.write("i", ones({1})), Error);
  EXPECT_THROW(out.write("a.b", ones({2}), /*is_buffer=*/true), Error);
  EXPECT_THROW(out.write("50%", inner), Error);
  EXPECT_THROW(out.write("50%", ones({1})), Error);
  std::stringstream stream;
  out.save_to(stream);
  serialize::InputArchive in, nested;
  in.load_from(stream);
  EXPECT_EQ(in.keys().size(), 4u);
  Tensor x, none;
  IValue i;
  in.read("a.b", x);
  in.read("", none);
  in.read("i", i);
  EXPECT_TRUE(equal(x, full({2}, 7)) && none.numel() == 3);
  EXPECT_EQ(i.toInt(), 5);
  in.read("50%", nested);
  nested.read("%2E.x", i);
  EXPECT_EQ(i.toInt(), 1);
}

TEST(Pickle, WritesWhatItReads) {
  const auto through = [](const IValue& value) { return read_pt(write_pt(value), "memory"); };
  const Tensor x = arange(6).to(kBFloat16).view({2, 3}).t();
  EXPECT_TRUE(equal(through(x).toTensor(), x));
  EXPECT_EQ(through(2.5).toDouble(), 2.5);
  EXPECT_EQ(through(int64_t{-7}).toInt(), -7);
  EXPECT_EQ(through("text").toStringRef(), "text");
  EXPECT_TRUE(through(true).toBool());
  EXPECT_TRUE(through(IValue()).isNone());
  EXPECT_EQ(through(std::vector<int64_t>{3, 4}).toIntVector(), (std::vector<int64_t>{3, 4}));
  EXPECT_EQ(through(std::vector<Tensor>{x}).toTensorVector().size(), 1u);
  const IValue list = through(IValue(std::vector<IValue>{1, "two", ones({2})}));
  EXPECT_EQ(list.toListRef().size(), 3u);
  auto dict = std::make_shared<IValue::Dict>();
  dict->emplace_back("weights", x);
  EXPECT_TRUE(equal(at(through(IValue(dict)), "weights").toTensor(), x));
}

}  // namespace
}  // namespace oneagent::io

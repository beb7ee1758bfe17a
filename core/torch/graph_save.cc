#include <algorithm>

#include "core/base/file.h"
#include "core/base/hash.h"
#include "core/base/json.h"
#include "core/plan/saved_plan.h"
#include "core/torch/graph_compiled.h"

namespace oneagent::nn {
namespace {

Json json_of(const Tensor& tensor) {
  return {{"sizes", tensor.sizes().vec()},
          {"strides", tensor.strides().vec()},
          {"offset", tensor.storage_offset()},
          {"dtype", std::string(name_of(tensor.scalar_type()))}};
}

TensorMeta meta_of(const Json& json) {
  TensorMeta meta;
  meta.sizes = Shape(json.at("sizes").get<std::vector<int64_t>>());
  meta.strides = Shape(json.at("strides").get<std::vector<int64_t>>());
  meta.offset = json.at("offset").get<int64_t>();
  meta.dtype = parse_dtype(json.at("dtype").get<std::string>());
  return meta;
}

// What a plan takes for granted of a parameter or a buffer.
Json described(const Tensor& tensor) {
  Json json = json_of(tensor);
  json["requires_grad"] = tensor.requires_grad();
  return json;
}

struct Named {
  std::string name;
  Tensor tensor;
};

}  // namespace

std::string Graph::to_json() const { return oneagent::to_json(plan()).dump(); }

void Graph::save_plan(const std::string& path) const {
  OA_REQUIRE(!has_pipeline(),
             "graph: a plan of a pipeline cannot be saved; save that of a graph without parallel");
  const Plan& plan = this->plan();
  const Compiled& compiled = *plans_.front();
  const std::vector<Tensor> leaves = this->leaves();
  std::vector<Named> named;
  for (size_t i = 0; i < leaves.size(); ++i) named.push_back({str("parameter ", i), leaves[i]});
  for (size_t i = 0; i < buffers_.size(); ++i) named.push_back({str("buffer ", i), buffers_[i]});
  for (size_t i = 0; i < compiled.gradients.size(); ++i)
    named.push_back({str("gradient ", i), compiled.gradients[i].filled});
  named.push_back({"loss scale", scaler_.factor()});
  named.push_back({"inverse loss scale", scaler_.inverse()});
  Json json = saved(plan, [&](const Storage& storage) {
    const auto found = std::find_if(named.begin(), named.end(), [&](const Named& entry) {
      return entry.tensor.impl().storage.get() == &storage;
    });
    return found == named.end() ? std::string() : found->name;
  });
  const auto place_of = [&](const Tensor& leaf) {
    return std::find_if(leaves.begin(), leaves.end(),
                        [&](const Tensor& other) { return other.is_same(leaf); }) -
           leaves.begin();
  };
  Json& graph = json["graph"];
  for (const char* list : {"parameters", "buffers", "inputs", "gradients", "without_gradient"})
    graph[list] = Json::array();
  for (const Tensor& leaf : leaves) graph["parameters"].push_back(described(leaf));
  for (const Tensor& buffer : buffers_) graph["buffers"].push_back(described(buffer));
  const Signature& signature = compiled.signature;
  for (size_t i = 0; i < signature.sizes.size(); ++i)
    graph["inputs"].push_back({{"sizes", signature.sizes[i].vec()},
                               {"dtype", std::string(name_of(signature.dtypes[i]))},
                               {"requires_grad", bool{signature.requires_grad[i]}}});
  graph["grad_mode"] = signature.grad_mode;
  for (const Gradient& gradient : compiled.gradients) {
    Json entry = json_of(gradient.filled);
    entry["parameter"] = place_of(gradient.leaf);
    entry["bytes"] = gradient.filled.impl().storage->bytes();
    entry["adds"] = gradient.adds;
    graph["gradients"].push_back(std::move(entry));
  }
  for (const Tensor& leaf : compiled.without_gradient)
    graph["without_gradient"].push_back(place_of(leaf));
  json["sha256"] = sha256(json.dump());
  write_atomic(path, json.dump());
}

void Graph::load_plan(const std::string& path) {
  OA_REQUIRE(!has_pipeline(),
             "graph: a graph of a pipeline records its plan; leave load_plan() out");
  const std::string what = str("plan ", path), file = read_text(path);
  std::unique_ptr<Compiled> compiled;
  try {
    compiled = read_plan(file, what);
  } catch (const Error& error) {
    const std::string text = error.what();
    throw Error(text.starts_with(what) ? text : str(what, ": is damaged: ", text));
  } catch (const std::exception& error) {  // of the JSON, or too little memory for its numbers
    throw Error(str(what, ": is damaged: ", error.what()));
  }
  keep(std::move(compiled));
}

std::unique_ptr<Graph::Compiled> Graph::read_plan(const std::string& file,
                                                  const std::string& what) {
  Json json = Json::parse(file, nullptr, false);
  OA_REQUIRE(json.is_object() && json.contains("graph"), what, ": is no saved plan");
  const Json sum = json.value("sha256", Json());
  json.erase("sha256");
  const Json& graph = json.at("graph");
  const std::vector<Tensor> leaves = this->leaves();
  const auto check = [&](const char* list, const std::vector<Tensor>& tensors) {
    const Json& saved = graph.at(list);
    OA_REQUIRE(saved.size() == tensors.size(), what, ": was saved with ", saved.size(), " ", list,
               ", this graph has ", tensors.size());
    for (size_t i = 0; i < tensors.size(); ++i)
      OA_REQUIRE(saved[i] == described(tensors[i]), what, ": of ", list, " number ", i, " was ",
                 saved[i].dump(), ", here it is ", described(tensors[i]).dump());
  };
  check("parameters", leaves);
  check("buffers", buffers_);
  std::vector<Named> named;
  for (size_t i = 0; i < leaves.size(); ++i) named.push_back({str("parameter ", i), leaves[i]});
  for (size_t i = 0; i < buffers_.size(); ++i) named.push_back({str("buffer ", i), buffers_[i]});
  named.push_back({"loss scale", scaler_.factor()});
  named.push_back({"inverse loss scale", scaler_.inverse()});
  auto compiled = std::make_unique<Compiled>();
  const auto leaf_at = [&](const Json& place) -> const Tensor& {
    const auto i = place.get<size_t>();
    OA_REQUIRE(i < leaves.size(), what, ": names parameter ", i, " of ", leaves.size());
    return leaves[i];
  };
  for (const Json& entry : graph.at("gradients")) {
    auto memory = make_ref<Storage>(entry.at("bytes").get<size_t>(), context().stream);
    const Tensor filled(make_ref<TensorImpl>(meta_of(entry), std::move(memory)));
    named.push_back({str("gradient ", compiled->gradients.size()), filled});
    compiled->gradients.push_back(
        {leaf_at(entry.at("parameter")), filled, entry.at("adds").get<bool>()});
  }
  for (const Json& place : graph.at("without_gradient"))
    compiled->without_gradient.push_back(leaf_at(place));
  for (const Json& input : graph.at("inputs")) {
    compiled->signature.sizes.emplace_back(input.at("sizes").get<std::vector<int64_t>>());
    compiled->signature.dtypes.push_back(parse_dtype(input.at("dtype").get<std::string>()));
    compiled->signature.requires_grad.push_back(input.at("requires_grad").get<bool>());
  }
  compiled->signature.grad_mode = graph.at("grad_mode").get<bool>();
  auto plan = std::make_shared<const Plan>(loaded(json, what, [&](const std::string& name) {
    const auto found = std::find_if(named.begin(), named.end(),
                                    [&](const Named& entry) { return entry.name == name; });
    OA_REQUIRE(found != named.end(), what, ": needs ", name, ", which this graph has not");
    return found->tensor.impl().storage;
  }));
  OA_REQUIRE(sum == sha256(json.dump()), what,
             ": is damaged: its contents are not those that were saved; record the graph again");
  bind(*compiled, leaves);
  compiled->instance = std::make_unique<PlanInstance>(std::move(plan), generator_);
  return compiled;
}

}  // namespace oneagent::nn

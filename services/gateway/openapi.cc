#include "services/gateway/openapi.h"

#include "core/base/version.h"

namespace oneagent {
namespace {

Json parameters(const Route& route) {
  Json list = Json::array();
  for (const ApiParameter& parameter : route.parameters)
    list.push_back({{"name", parameter.name},
                    {"in", parameter.in_path ? "path" : "query"},
                    {"required", parameter.in_path},
                    {"description", parameter.meaning},
                    {"schema", {{"type", parameter.type}}}});
  return list;
}

Json answer(const Route& route) {
  Json schema = {{"type", route.mime == "application/json" ? "object" : "string"}};
  if (!route.answer_keys.empty()) schema["required"] = route.answer_keys;
  return {{"description", "the answer"},
          {"content", {{std::string(route.mime), {{"schema", schema}}}}}};
}

Json refusal(const char* when) {
  return {
      {"description", when},
      {"content", {{"application/json", {{"schema", {{"$ref", "#/components/schemas/Error"}}}}}}}};
}

Json operation(const Route& route) {
  Json responses = {{"200", answer(route)}};
  if (!route.open) responses["401"] = refusal("the token is missing or wrong");
  if (!route.parameters.empty()) {
    responses["400"] = refusal("a parameter is malformed");
    responses["404"] = refusal("there is no such run, file or path");
  }
  Json out = {
      {"summary", route.summary}, {"parameters", parameters(route)}, {"responses", responses}};
  if (route.open) out["security"] = Json::array();
  return out;
}

}  // namespace

Json openapi_document(const std::vector<Route>& routes) {
  Json paths = Json::object();
  for (const Route& route : routes) paths[std::string(route.path)] = {{"get", operation(route)}};
  const Json error = {{"type", "object"},
                      {"required", {"error"}},
                      {"properties", {{"error", {{"type", "string"}}}}}};
  return {{"openapi", "3.0.3"},
          {"info", {{"title", "OneAgent gateway"}, {"version", code_version()}}},
          {"paths", paths},
          {"security", Json::array({{{"token", Json::array()}}})},
          {"components",
           {{"schemas", {{"Error", error}}},
            {"securitySchemes", {{"token", {{"type", "http"}, {"scheme", "bearer"}}}}}}}};
}

}  // namespace oneagent

// Section [gateway] of the experiment file.
#pragma once

#include <cstdint>
#include <string>

#include "core/base/options.h"

namespace oneagent {

struct GatewayOptions {
  std::string address = "127.0.0.1:8080";
  std::string token;
  int tabs = 64;
  int refresh_ms = 500;

  static void options(OptionList<GatewayOptions>& list) {
    list.add("address", &GatewayOptions::address,
             "host:port that answers HTTP; port 0 takes a free one and prints it");
    list.add("token", &GatewayOptions::token,
             "bearer token that /api asks for; empty asks for none");
    list.add("tabs", &GatewayOptions::tabs,
             "live event streams (open dashboard tabs) served at once")
        .between(1, 1000);
    list.add("refresh_ms", &GatewayOptions::refresh_ms,
             "milliseconds between two looks at the store and the metric files")
        .between(50, 60000);
  }
};

}  // namespace oneagent

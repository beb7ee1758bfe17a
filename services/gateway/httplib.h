// cpp-httplib as Debian builds its library. Only .cc files of this folder include this.
#pragma once

// The library is built with OpenSSL, which adds a member to httplib::Request: without this define
// the layouts would differ.
#ifndef CPPHTTPLIB_OPENSSL_SUPPORT
#define CPPHTTPLIB_OPENSSL_SUPPORT
#endif
#include <httplib.h>

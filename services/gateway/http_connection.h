// One accepted HTTP connection: buffered reads with a deadline for the whole request, writes with a
// deadline each. Every wait ends at once when the server's stop descriptor becomes readable.
#pragma once

#include <string>

#include "core/base/clock.h"
#include "services/gateway/httplib.h"

namespace oneagent {

class HttpConnection final : public httplib::Stream {
 public:
  static constexpr int kRequestTimeoutMs = 3000;  // from accept to the last byte of the request
  static constexpr int kWriteTimeoutMs = 5000;    // for one write to a slow reader

  // Borrows both descriptors.
  HttpConnection(int socket, int stop_descriptor);

  bool is_readable() const override;
  bool is_writable() const override;
  ssize_t read(char* into, size_t size) override;          // -1: closed, late, or stopping
  ssize_t write(const char* bytes, size_t size) override;  // all of it, or -1
  void get_remote_ip_and_port(std::string& ip, int& port) const override;
  void get_local_ip_and_port(std::string& ip, int& port) const override;
  socket_t socket() const override { return socket_; }

 private:
  bool wait_for(short events, int64_t timeout_ms) const;

  int socket_;
  int stop_descriptor_;
  Deadline request_deadline_;
  std::string buffer_;
  size_t at_ = 0;
};

}  // namespace oneagent

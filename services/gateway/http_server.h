// An HTTP server of GET requests: one accept thread and a fixed pool of connection threads. One
// connection carries one request, so an idle browser holds no thread. cpp-httplib stays inside
// http_server.cc.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

namespace oneagent {

struct HttpRequest {
  std::string path;  // percent-decoded
  std::map<std::string, std::string> query;
  std::string bearer;         // of the Authorization header, or ""
  std::string if_none_match;  // or ""
};

struct HttpResponse {
  int status = 200;
  std::string mime = "application/json";
  std::string body;
  std::map<std::string, std::string> headers;
  // Set for an endless stream: called again and again on the connection's thread, returns the next
  // bytes ("" when there are none yet), or sets `end`. Dropped when the client goes away.
  std::function<std::string(bool& end)> stream;
};

// "host:port" or "[v6]:port".
struct HttpAddress {
  std::string host;
  int port = 0;
};
HttpAddress parse_http_address(const std::string& text);  // throws Error naming [gateway] address

// {"error": sentence} with a status of 400 or more.
HttpResponse http_error(int status, const std::string& sentence);

class HttpServer {
 public:
  using Answer =
      std::function<HttpResponse(const HttpRequest&)>;  // runs on `threads` threads at once

  // Binds and starts to answer. Throws Error when the address is malformed, in use or not of this
  // machine.
  HttpServer(const std::string& address, int threads, Answer answer);
  ~HttpServer();  // stop()
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  // "host:port" with the port that was bound.
  const std::string& address() const { return address_; }
  int port() const { return port_; }

  // Ends every connection and joins every thread; a handler that waits must have been woken by its
  // owner.
  void stop();

 private:
  struct Inside;
  std::unique_ptr<Inside> inside_;
  std::string address_;
  int port_ = 0;
};

}  // namespace oneagent

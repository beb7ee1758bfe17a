#include "services/gateway/http_server.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <exception>
#include <thread>

#include "core/base/check.h"
#include "core/base/json.h"
#include "core/base/log.h"
#include "services/gateway/http_connection.h"
#include "services/gateway/httplib.h"

namespace oneagent {
namespace {

constexpr size_t kMaxRequestBody = 65536;

// httplib's server with our connection: deadlines per request, and a stop that no idle client can
// hold up.
class StoppableServer final : public httplib::Server {
 public:
  StoppableServer() : stop_descriptor_(::eventfd(0, EFD_CLOEXEC)) {
    OA_CHECK(stop_descriptor_ >= 0, "gateway: eventfd failed: ", std::strerror(errno));
  }
  ~StoppableServer() override { ::close(stop_descriptor_); }

  // httplib listens with room for 5 connections that wait to be accepted: a burst of tabs needs
  // more.
  void widen_backlog() { ::listen(svr_sock_, SOMAXCONN); }

  void wake_all() {
    const uint64_t one = 1;
    OA_CHECK(::write(stop_descriptor_, &one, sizeof one) == sizeof one,
             "gateway: eventfd write failed");
  }

 private:
  bool process_and_close_socket(socket_t socket) override {
    HttpConnection connection(socket, stop_descriptor_);
    bool closed = false;
    const bool done = process_request(connection, true, closed, [](httplib::Request&) {});
    ::shutdown(socket, SHUT_RDWR);
    ::close(socket);
    return done;
  }

  int stop_descriptor_;
};

HttpRequest to_request(const httplib::Request& from) {
  HttpRequest request;
  request.path = from.path;
  for (const auto& [key, value] : from.params) request.query.emplace(key, value);
  const std::string authorization = from.get_header_value("Authorization");
  if (authorization.rfind("Bearer ", 0) == 0) request.bearer = authorization.substr(7);
  request.if_none_match = from.get_header_value("If-None-Match");
  return request;
}

void send(HttpResponse response, httplib::Response& into) {
  into.status = response.status;
  for (const auto& [key, value] : response.headers) into.set_header(key, value);
  if (!response.stream) {
    into.set_content(response.body, response.mime);
    return;
  }
  into.set_chunked_content_provider(
      response.mime, [stream = std::move(response.stream)](size_t, httplib::DataSink& sink) {
        bool end = false;
        const std::string bytes = stream(end);
        if (end) {
          sink.done();
          return true;
        }
        return bytes.empty() || sink.write(bytes.data(), bytes.size());
      });
}

void send_error(int status, const std::string& sentence, httplib::Response& into) {
  send(http_error(status, sentence), into);
}

// Status codes that httplib itself decides on, in words.
std::string sentence_for(const httplib::Request& request, int status) {
  switch (status) {
    case 404:
      return str(request.method, " ", request.path,
                 ": the gateway answers GET only, and knows no such path");
    case 413:
      return str("the request body is longer than ", kMaxRequestBody, " bytes");
    case 414:
      return "the address of the request is too long";
    case 416:
      return "the requested byte range does not exist";
    default:
      return "malformed HTTP request";
  }
}

std::string sentence_of(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const std::exception& error) {
    return error.what();
  }
}

void set_socket_options(socket_t socket) {
  // httplib's default is SO_REUSEPORT, with which a second gateway would share the port in silence.
  const int yes = 1;
  ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
}

}  // namespace

HttpResponse http_error(int status, const std::string& sentence) {
  HttpResponse response;
  response.status = status;
  response.body = Json{{"error", sentence}}.dump(-1, ' ', false, Json::error_handler_t::replace);
  return response;
}

HttpAddress parse_http_address(const std::string& text) {
  const size_t colon = text.rfind(':');
  const bool digits = colon != std::string::npos && colon + 1 < text.size() &&
                      text.size() - colon <= 6 &&
                      text.find_first_not_of("0123456789", colon + 1) == std::string::npos;
  const int port = digits ? std::stoi(text.substr(colon + 1)) : -1;
  OA_REQUIRE(digits && colon > 0 && port <= 65535, "[gateway] address: expected host:port, was \"",
             text, "\"");
  std::string host = text.substr(0, colon);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']')
    host = host.substr(1, host.size() - 2);
  return {host, port};
}

struct HttpServer::Inside {
  StoppableServer server;
  std::thread accepting;
};

HttpServer::HttpServer(const std::string& address, int threads, Answer answer)
    : inside_(std::make_unique<Inside>()) {
  const HttpAddress wanted = parse_http_address(address);
  StoppableServer& server = inside_->server;
  server.new_task_queue = [threads] {
    return new httplib::ThreadPool(static_cast<size_t>(threads));
  };
  server.set_socket_options(set_socket_options);
  server.set_payload_max_length(kMaxRequestBody);
  server.set_tcp_nodelay(true);
  server.Get(".*",
             [answer = std::move(answer)](const httplib::Request& from, httplib::Response& into) {
               send(answer(to_request(from)), into);
             });
  server.set_exception_handler(
      [](const httplib::Request& from, httplib::Response& into, std::exception_ptr thrown) {
        const std::string sentence = sentence_of(thrown);
        log_warning("gateway: GET ", from.path, " failed: ", sentence);
        send_error(500, sentence, into);
      });
  server.set_error_handler([](const httplib::Request& from, httplib::Response& into) {
    if (into.body.empty()) send_error(into.status, sentence_for(from, into.status), into);
  });
  errno = 0;
  port_ = wanted.port == 0 ? server.bind_to_any_port(wanted.host)
                           : (server.bind_to_port(wanted.host, wanted.port) ? wanted.port : -1);
  if (port_ <= 0) {
    const std::string reason = errno == EADDRINUSE ? "the port is in use by another program"
                               : errno != 0        ? std::strerror(errno)
                                                   : "no such host";
    throw_error(str("[gateway] address: cannot listen on ", address, ": ", reason,
                    "; choose another, for example --set gateway.address=", wanted.host,
                    ":0 for a free port"));
  }
  server.widen_backlog();
  const bool v6 = wanted.host.find(':') != std::string::npos;
  address_ = str(v6 ? "[" : "", wanted.host, v6 ? "]:" : ":", port_);
  inside_->accepting = std::thread([&server] { server.listen_after_bind(); });
  while (!server.is_running()) std::this_thread::yield();
}

HttpServer::~HttpServer() { stop(); }

void HttpServer::stop() {
  if (!inside_->accepting.joinable()) return;
  inside_->server.wake_all();
  inside_->server.stop();
  inside_->accepting.join();
}

}  // namespace oneagent

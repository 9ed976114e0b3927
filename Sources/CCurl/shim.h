// libcurl, with the calls that Swift cannot import: curl_easy_setopt and curl_easy_getinfo are variadic.
#ifndef RIBSERVER_CCURL_H
#define RIBSERVER_CCURL_H

#include <curl/curl.h>

static inline CURLcode ccurl_set_long(CURL *handle, CURLoption option, long value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode ccurl_set_string(CURL *handle, CURLoption option, const char *value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode ccurl_set_pointer(CURL *handle, CURLoption option, void *value) {
  return curl_easy_setopt(handle, option, value);
}

// What libcurl calls with a piece of the body or a line of the head: returns how many bytes it took.
typedef size_t (*ccurl_receiver)(char *bytes, size_t size, size_t count, void *target);

static inline CURLcode ccurl_set_receiver(CURL *handle, CURLoption option, ccurl_receiver receiver) {
  return curl_easy_setopt(handle, option, receiver);
}

// The only scheme that a URL may have; in libcurl before 7.85 it was a number.
static inline CURLcode ccurl_allow_only(CURL *handle, int is_tls) {
#if LIBCURL_VERSION_NUM >= 0x075500
  return curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, is_tls ? "https" : "http");
#else
  return curl_easy_setopt(handle, CURLOPT_PROTOCOLS, is_tls ? (long)CURLPROTO_HTTPS : (long)CURLPROTO_HTTP);
#endif
}

static inline CURLcode ccurl_status(CURL *handle, long *status) {
  return curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, status);
}

static inline CURLcode ccurl_active_socket(CURL *handle, curl_socket_t *socket) {
  return curl_easy_getinfo(handle, CURLINFO_ACTIVESOCKET, socket);
}

#endif

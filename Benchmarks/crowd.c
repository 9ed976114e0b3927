// A crowd of clients of the counter in one thread: each acts, resumes its session when it is cut off, and keeps account of what it was told.
//
//   clang -O2 -o crowd crowd.c
//   crowd CLIENTS PORT...            a session each, over the ports in turn
//   crowd --shared SESSIONS PORT...  each with two clients: the one at the first port only looks on, the other one at the last port acts
//
// It is driven by commands on standard input, a line each:
//   act RATE    act RATE times a second, all clients together, at fixed times; "act closed": each as soon as it was answered; "act none"
//   move RATE   each client leaves, RATE a second, and resumes at the next port; "move alone": one after the other
//   mark        count from now on
//   status      print, as a line of JSON, how many clients are connected ("live"), are not answered since they were cut off ("out"),
//               and have an action without an answer ("waiting")
//   report      print what was counted as well; times are milliseconds
//
// A client has one action on its way at most: at the time of the next one it is left out ("skipped"). A time at which it could not act counts from
// there. Who was cut off acts as soon as it is welcomed, or sends again what was not answered; "again" is when it is answered then, counted from the
// mark, and "pause" the same from the cut. The count that a view shows has to be the number of the client's actions ("wrong").
#define _GNU_SOURCE
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { inflight = 64, shortest = 50, longest = 30000, later = 1000 };
static const uint64_t millisecond = 1000000, second = 1000000000;

typedef enum { APART, WAITING, CONNECTING, UPGRADING, GREETING, LIVE } State;

typedef struct Client {
  State state;
  int fd, port;
  struct Client *partner; // Of the client that looks on: the one that acts, which joins by its share; NULL for a client alone.
  bool looks, leaves;
  char sid[64], token[128], share[256], epoch[64];
  long cid, attempt, revision, number, answered;
  uint64_t due;     // Of the action on its way; 0 for none.
  uint64_t cut;     // When it was cut off; 0 once it is answered again.
  uint64_t wake;    // When it connects, or leaves.
  uint64_t greeted; // When it said hello.
  unsigned ceiling;
  unsigned char *rest; // A part of a message.
  size_t length;
} Client;

typedef struct { double *values; size_t count, room; } Samples;

static Client *clients;
static int count, ports[16], port_count, poller, opening, to_open;
static uint64_t now, mark;
static Samples waits, agains, pauses, greetings;
static struct { long done, skipped, cuts, lost, taken_back, wrong, nacks; } counted;
static long refusals[5000]; // By HTTP status or close code; 0 for connections that were refused or closed without a word.
static double rate = -1;    // 0 for as soon as the client was answered, negative for none.
static double move_rate;    // 0 for one after the other.
static int moving = -1;     // The next client that leaves.
static uint64_t rate_start, rate_next, move_start, move_next;

static uint64_t time_now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * second + (uint64_t)time.tv_nsec;
}

static void add(Samples *samples, uint64_t nanoseconds) {
  if (samples->count == samples->room) samples->values = realloc(samples->values, sizeof(double) * (samples->room = samples->room * 2 + 1024));
  samples->values[samples->count++] = (double)nanoseconds / (double)millisecond;
}

static int ascending(const void *a, const void *b) { return (*(double *)a > *(double *)b) - (*(double *)a < *(double *)b); }

static void print_samples(const char *name, Samples *samples) {
  size_t n = samples->count;
  if (!n) return;
  qsort(samples->values, n, sizeof(double), ascending);
  printf(",\"%s\":{\"count\":%zu,\"p50\":%.3f,\"p99\":%.3f,\"max\":%.3f}", name, n, samples->values[n / 2], samples->values[(n - 1) * 99 / 100],
         samples->values[n - 1]);
}

// What the server says

static long number_of(const char *text, const char *key) {
  const char *found = strstr(text, key);
  return found ? atol(found + strlen(key)) : -1;
}

static void copy_text(char *to, size_t room, const char *text, const char *key) {
  const char *found = strstr(text, key), *value = found ? found + strlen(key) : text;
  size_t length = strcspn(value, "\"");
  if (found && length < room) memcpy(to, value, length), to[length] = 0;
}

static void send_frame(Client *client, int opcode, const char *text, size_t length) {
  unsigned char frame[1200] = {(unsigned char)(0x80 | opcode)};
  size_t head = length < 126 ? 2 : 4;
  frame[1] = (unsigned char)(0x80 | (length < 126 ? length : 126));
  if (head == 4) frame[2] = (unsigned char)(length >> 8), frame[3] = (unsigned char)length;
  // Masked with zeros, which changes nothing. What cannot be sent is noticed where the connection is read.
  memcpy(frame + head + 4, text, length);
  send(client->fd, frame, head + 4 + length, MSG_NOSIGNAL);
}

static void say(Client *client, const char *text) { send_frame(client, 1, text, strlen(text)); }

static void act(Client *client, uint64_t due) {
  char text[128];
  if (!client->due) client->number++, client->due = due;
  snprintf(text, sizeof text, "{\"t\":\"act\",\"n\":%ld,\"to\":1,\"a\":{\"increment\":{}}}", client->number);
  say(client, text);
}

static void hello(Client *client) {
  char text[1000];
  client->state = GREETING;
  client->greeted = now;
  if (client->token[0])
    snprintf(text, sizeof text, "{\"t\":\"hello\",\"resume\":{\"sid\":\"%s\",\"cid\":%ld,\"token\":\"%s\",\"try\":%ld,\"epoch\":\"%s\",\"rev\":%ld}}",
             client->sid, client->cid, client->token, ++client->attempt, client->epoch, client->revision);
  else if (client->share[0]) snprintf(text, sizeof text, "{\"t\":\"hello\",\"share\":\"%s\"}", client->share);
  else snprintf(text, sizeof text, "{\"t\":\"hello\",\"app\":\"counter\"}");
  say(client, text);
}

static void come_back(Client *client, unsigned least) {
  if (least && client->ceiling < 2 * later) client->ceiling = 2 * later;
  client->state = WAITING;
  client->wake = now + (least + (uint64_t)random() % (client->ceiling - least + 1)) * millisecond;
  client->ceiling = client->ceiling * 2 < longest ? client->ceiling * 2 : longest;
}

/// Ends the client's connection; why is a close code, an HTTP status or 0, and negative where the client leaves by itself.
static void end_connection(Client *client, int why) {
  if (client->state <= WAITING) return;
  close(client->fd);
  free(client->rest), client->rest = NULL, client->length = 0;
  if (client->state != LIVE) opening--;
  // Of those that are on their way back, each failed attempt is a refusal; of others, the first cut is none.
  if (client->state != LIVE || why >= 4100) refusals[why > 0 && why < 5000 ? why : 0]++;
  if (client->state == LIVE) {
    counted.cuts++;
    if (!client->cut) client->cut = now;
  }
  client->leaves = false;
  if (why >= 4200 && why < 5000) {
    counted.lost++;
    client->token[0] = client->share[0] = 0, client->attempt = client->number = client->answered = 0, client->due = 0;
  }
  if (why < 0) client->state = WAITING, client->wake = now;
  else come_back(client, why >= 4100 && why < 4200 ? later : 0);
}

static void answered(Client *client, long number) {
  if (number < client->number || !client->due) return;
  counted.done++;
  add(&waits, now - client->due);
  client->due = 0;
  if (client->cut) {
    add(&agains, now - mark), add(&pauses, now - client->cut);
    client->cut = 0;
    if (moving >= 0 && move_rate == 0) move_next = now;
  }
  if (rate == 0) act(client, now);
}

static void welcomed(Client *client, const char *text) {
  long number = number_of(text, "\"n\":");
  if (client->token[0]) add(&greetings, now - client->greeted);
  if (number < client->answered) counted.taken_back++;
  if (client->token[0] && strstr(text, "\"resumed\":false")) counted.lost++;
  client->cid = number_of(text, "\"cid\":");
  copy_text(client->sid, sizeof client->sid, text, "\"sid\":\"");
  copy_text(client->token, sizeof client->token, text, "\"token\":\"");
  client->state = LIVE, client->ceiling = shortest, opening--;
  if (client->looks) {
    client->cut = 0;
    if (!client->partner->token[0]) say(client, "{\"t\":\"share\",\"scope\":\"act\"}");
    return;
  }
  answered(client, number);
  if (client->due || client->cut || rate == 0) act(client, now);
}

static void read_message(Client *client, const char *text) {
  if (strstr(text, "\"t\":\"nack\"")) counted.nacks++;
  if (strstr(text, "\"t\":\"welcome\"")) return welcomed(client, text);
  if (strstr(text, "\"t\":\"share\"")) {
    copy_text(client->partner->share, sizeof client->partner->share, text, "\"token\":\"");
    client->partner->state = WAITING, client->partner->wake = now;
    return;
  }
  const char *within = strstr(text, "\"t\":\"drain\"");
  if (within && !client->leaves) client->leaves = true, client->wake = now + (uint64_t)random() % (number_of(within, "\"within\":") + 1) * millisecond;
  // Of several messages in one text the last one has the news.
  const char *news = NULL;
  for (const char *next = text; (next = strstr(next, "{\"t\":\"")); next++)
    if (!strncmp(next, "{\"t\":\"patch\"", 12) || !strncmp(next, "{\"t\":\"snap\"", 11)) news = next;
  if (!news) return;
  client->revision = number_of(news, "\"rev\":");
  if (!strncmp(news, "{\"t\":\"snap\"", 11)) copy_text(client->epoch, sizeof client->epoch, news, "\"epoch\":\"");
  if (client->looks) return;
  long number = number_of(news, "\"n\":"), shown = number_of(news, news[6] == 's' ? "\"count\":" : "\"value\":");
  if (shown >= 0 && shown != number) counted.wrong++;
  if (number < client->answered) counted.taken_back++;
  else client->answered = number;
  answered(client, number);
}

// Connections

static void open_connection(Client *client) {
  int yes = 1;
  client->fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  setsockopt(client->fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)ports[client->port]), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  struct epoll_event event = {.events = EPOLLIN | EPOLLOUT, .data.ptr = client};
  client->state = CONNECTING, opening++;
  if (client->fd < 0 || epoll_ctl(poller, EPOLL_CTL_ADD, client->fd, &event) < 0) perror("crowd"), exit(1);
  if (connect(client->fd, (struct sockaddr *)&address, sizeof address) < 0 && errno != EINPROGRESS) end_connection(client, 0);
}

static void upgrade(Client *client) {
  char request[600];
  epoll_ctl(poller, EPOLL_CTL_MOD, client->fd, &(struct epoll_event){.events = EPOLLIN, .data.ptr = client});
  client->state = UPGRADING;
  size_t sid = client->token[0] ? strlen(client->sid) : strcspn(client->share, ".");
  int length = snprintf(request, sizeof request,
                        "GET /v1/socket%s%.*s HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: riblet.v1.json\r\n\r\n",
                        sid ? "?sid=" : "", (int)sid, client->token[0] ? client->sid : client->share);
  send(client->fd, request, (size_t)length, MSG_NOSIGNAL);
}

/// Takes what is whole of the bytes, and returns how many that were.
static size_t take(Client *client, char *bytes, size_t length) {
  if (client->state == UPGRADING) {
    char *end = memmem(bytes, length, "\r\n\r\n", 4);
    if (!end) return 0;
    int status = atoi(bytes + strlen("HTTP/1.1 "));
    if (status != 101) return end_connection(client, status), 0;
    hello(client);
    return (size_t)(end + 4 - bytes);
  }
  if (length < 2) return 0;
  const unsigned char *frame = (unsigned char *)bytes;
  size_t head = 2, size = frame[1] & 0x7F;
  if (size == 126 && length < (head = 4)) return 0;
  if (size == 126) size = (size_t)frame[2] << 8 | frame[3];
  if (size == 127 || !(frame[0] & 0x80)) fputs("crowd: a message is too long, or in parts\n", stderr), exit(1);
  if (length < head + size) return 0;
  char *text = bytes + head, kept = text[size];
  text[size] = 0;
  switch (frame[0] & 0xF) {
  case 1: read_message(client, text); break;
  case 8: end_connection(client, size < 2 ? 0 : (unsigned char)text[0] << 8 | (unsigned char)text[1]); break;
  case 9: send_frame(client, 10, text, size);
  }
  text[size] = kept;
  return head + size;
}

static void receive(Client *client) {
  static char bytes[1 << 18];
  memcpy(bytes, client->rest, client->length);
  ssize_t more = recv(client->fd, bytes + client->length, sizeof bytes - client->length - 1, 0);
  if (more < 0 && errno == EAGAIN) return;
  if (more <= 0) return end_connection(client, 0);
  size_t length = client->length + (size_t)more, used = 0, part;
  while (used < length && client->state > CONNECTING && (part = take(client, bytes + used, length - used))) used += part;
  if (client->state <= CONNECTING) return;
  free(client->rest), client->rest = NULL;
  if ((client->length = length - used)) client->rest = memcpy(malloc(client->length), bytes + used, client->length);
}

static void leave(Client *client) {
  send_frame(client, 8, "\x03\xe9", 2);
  end_connection(client, -1);
}

// Commands

static void report(bool whole) {
  int live = 0, out = 0, waiting = 0;
  for (int i = 0; i < count; i++) live += clients[i].state == LIVE, out += clients[i].cut > 0, waiting += clients[i].due > 0;
  printf("{\"live\":%d,\"out\":%d,\"waiting\":%d", live, out, waiting);
  if (whole) {
    printf(",\"seconds\":%.3f,\"done\":%ld,\"skipped\":%ld,\"cuts\":%ld,\"lost\":%ld,\"taken_back\":%ld,\"wrong\":%ld,\"nacks\":%ld",
           (double)(now - mark) / (double)second, counted.done, counted.skipped, counted.cuts, counted.lost, counted.taken_back, counted.wrong, counted.nacks);
    print_samples("wait", &waits), print_samples("again", &agains), print_samples("pause", &pauses), print_samples("greeting", &greetings);
    printf(",\"refusals\":{");
    for (int code = 0, n = 0; code < 5000; code++)
      if (refusals[code]) printf("%s\"%d\":%ld", n++ ? "," : "", code, refusals[code]);
    printf("}");
  }
  puts("}");
  fflush(stdout);
}

static void command(char *line) {
  char *value = strchr(line, ' ');
  if (value) *value++ = 0;
  if (!strcmp(line, "mark")) {
    mark = now;
    memset(&counted, 0, sizeof counted), memset(refusals, 0, sizeof refusals);
    waits.count = agains.count = pauses.count = greetings.count = 0;
  } else if (!strcmp(line, "act") && value) {
    rate = !strcmp(value, "closed") ? 0 : strcmp(value, "none") ? atof(value) : -1;
    rate_start = now, rate_next = 0;
    for (int i = 0; i < count && rate == 0; i++)
      if (clients[i].state == LIVE && !clients[i].due && !clients[i].looks) act(&clients[i], now);
  } else if (!strcmp(line, "move") && value) {
    moving = 0, move_rate = strcmp(value, "alone") ? atof(value) : 0;
    move_start = move_next = now;
  } else report(!strcmp(line, "report"));
}

static void read_commands(void) {
  static char text[4096];
  static size_t length;
  ssize_t more = read(0, text + length, sizeof text - length - 1);
  if (more <= 0) exit(0);
  text[length += (size_t)more] = 0;
  char *line = text;
  for (char *end; (end = strchr(line, '\n')); line = end + 1) *end = 0, command(line);
  memmove(text, line, length -= (size_t)(line - text));
}

/// Does what is due, and returns when there is more.
static uint64_t do_due(void) {
  uint64_t next = now + 100 * millisecond;
  while (to_open < count && opening < inflight) {
    if (clients[to_open].share[0] || clients[to_open].looks || !clients[to_open].partner) open_connection(&clients[to_open]);
    to_open++;
  }
  while (rate > 0) {
    uint64_t due = rate_start + (uint64_t)((double)rate_next * (double)second / rate);
    if (due > now) { next = due < next ? due : next; break; }
    uint64_t turn = rate_next++;
    Client *client = &clients[clients->partner ? (turn * 2 + 1) % (uint64_t)count : turn % (uint64_t)count];
    if (client->state == LIVE && !client->due) act(client, due);
    else counted.skipped++;
  }
  while (moving >= 0 && moving < count && move_next <= now) {
    Client *client = &clients[moving++];
    client->port = (client->port + 1) % port_count;
    leave(client);
    move_next = move_rate > 0 ? move_start + (uint64_t)((double)moving * (double)second / move_rate) : UINT64_MAX;
  }
  if (moving >= 0 && moving < count && move_next < next) next = move_next;
  static uint64_t looked;
  if (now - looked >= millisecond) {
    looked = now;
    for (int i = 0; i < count; i++) {
      Client *client = &clients[i];
      if ((client->state != WAITING && !client->leaves) || client->wake > now) continue;
      if (client->state == WAITING) open_connection(client);
      else if (client->state == LIVE) leave(client);
    }
  }
  // Clients wait for times of their own: they are looked at each millisecond.
  return next < looked + millisecond ? next : looked + millisecond;
}

int main(int argc, char **argv) {
  bool shared = argc > 1 && !strcmp(argv[1], "--shared");
  argv += shared, argc -= shared;
  if (argc < 3 || argc > 18 || atoi(argv[1]) < 1) fputs("usage: crowd [--shared] SESSIONS PORT...\n", stderr), exit(2);
  for (int i = 2; i < argc; i++) ports[port_count++] = atoi(argv[i]);
  count = atoi(argv[1]) * (shared ? 2 : 1);
  clients = calloc((size_t)count, sizeof(Client));
  for (int i = 0; i < count; i++) {
    clients[i].port = !shared ? i % port_count : i % 2 ? port_count - 1 : 0;
    clients[i].ceiling = shortest;
    if (shared) clients[i].partner = &clients[i ^ 1], clients[i].looks = i % 2 == 0;
  }
  poller = epoll_create1(0);
  struct epoll_event events[512];
  epoll_ctl(poller, EPOLL_CTL_ADD, 0, &(struct epoll_event){.events = EPOLLIN, .data.ptr = NULL});
  while (true) {
    now = time_now();
    uint64_t next = do_due(), pause = next > now ? next - now : 0;
    struct timespec timeout = {(time_t)(pause / second), (long)(pause % second)};
    int ready = epoll_pwait2(poller, events, 512, &timeout, NULL);
    now = time_now();
    for (int i = 0; i < ready; i++) {
      Client *client = events[i].data.ptr;
      if (!client) read_commands();
      else if (client->state == CONNECTING && events[i].events & (EPOLLERR | EPOLLHUP)) end_connection(client, 0);
      else if (client->state == CONNECTING) upgrade(client);
      else if (client->state > CONNECTING) receive(client);
    }
  }
}

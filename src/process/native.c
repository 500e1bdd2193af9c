/*
 * What JavaScript cannot do, for the process that it is loaded into: start a process with posix_spawn, which copies no memory while Node forks,
 * learn how it ended, and set the soft limit of file locks, which is a stamp (marks.ts). And what is slower there: checksums and digests, which
 * take a millisecond of a short run in JavaScript that is not compiled yet, and more to load Node's own; and reading thousands of short files.
 * The few functions of Node's interface that are needed are declared here, so no headers are.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>

#include "start-program.h"

typedef void *value;
typedef int status;
typedef value (*function)(void *env, void *info);

extern status napi_get_cb_info(void *env, void *info, size_t *count, value *arguments, value *self, void **data);
extern status napi_get_value_bigint_uint64(void *env, value from, uint64_t *number, bool *is_whole);
extern status napi_get_typedarray_info(void *env, value from, int *type, size_t *length, void **data, value *buffer, size_t *offset);
extern status napi_get_value_int32(void *env, value from, int32_t *number);
extern status napi_get_value_string_utf8(void *env, value from, char *text, size_t room, size_t *length);
extern status napi_get_value_uint32(void *env, value from, uint32_t *number);
extern status napi_create_bigint_uint64(void *env, uint64_t number, value *made);
extern status napi_create_int32(void *env, int32_t number, value *made);
extern status napi_create_string_latin1(void *env, const char *text, size_t length, value *made);
extern status napi_create_string_utf8(void *env, const char *text, size_t length, value *made);
extern status napi_create_uint32(void *env, uint32_t number, value *made);
extern status napi_create_function(void *env, const char *name, size_t length, function call, void *data, value *made);
extern status napi_set_named_property(void *env, value object, const char *name, value property);

enum { STILL_RUNNING = -1, UNKNOWN = -2, SIGNAL_FACTOR = 256 };
/* Node's number of the type of a Uint8Array. */
enum { UINT8 = 1 };

static bool only_argument(void *env, void *info, value *argument) {
  size_t count = 1;
  return napi_get_cb_info(env, info, &count, argument, NULL, NULL) == 0 && count == 1;
}

static value number_of(void *env, int32_t number) {
  value made = NULL;
  napi_create_int32(env, number, &made);
  return made;
}

/* setStamp(stamp): the previous one, which children started meanwhile do not get. Undefined if it may not be set. */
static value set_stamp(void *env, void *info) {
  value argument, before = NULL;
  uint64_t stamp;
  bool is_whole;
  struct rlimit limit;
  if (!only_argument(env, info, &argument)) return NULL;
  if (napi_get_value_bigint_uint64(env, argument, &stamp, &is_whole) != 0 || !is_whole) return NULL;
  if (getrlimit(RLIMIT_LOCKS, &limit) != 0) return NULL;
  uint64_t old = limit.rlim_cur;
  limit.rlim_cur = stamp;
  if (setrlimit(RLIMIT_LOCKS, &limit) != 0) return NULL;
  napi_create_bigint_uint64(env, old, &before);
  return before;
}

/* A truncated message has empty fields at its end. */
static char *next_field(char **cursor, char *end) {
  char *field = *cursor;
  if (field < end) *cursor += strlen(field) + 1;
  return field;
}

/* The fields, NUL-terminated: folder, three descriptors, stamp, number of arguments, arguments, NAME=value… */
static int32_t start_from(char *cursor, char *end) {
  struct program program = {.argv = empty_list(), .env = empty_list()};
  int files[STREAMS];
  pid_t pid = 0;
  program.cwd = next_field(&cursor, end);
  for (int stream = 0; stream < STREAMS; stream++) files[stream] = atoi(next_field(&cursor, end));
  program.stamp = strtoull(next_field(&cursor, end), NULL, 10);
  size_t args = strtoul(next_field(&cursor, end), NULL, 10);
  for (size_t i = 0; i < args && cursor < end; i++) set_item(&program.argv, i, next_field(&cursor, end));
  while (cursor < end) set_item(&program.env, program.env.count, next_field(&cursor, end));
  int error = program.argv.count == 0 ? EINVAL : start_program(&pid, &program, files);
  free(program.argv.items);
  free(program.env.items);
  return error == 0 ? (int32_t)pid : -error;
}

/* start(fields): the pid, or a negative error number. */
static value start(void *env, void *info) {
  value argument;
  size_t length;
  if (!only_argument(env, info, &argument)) return NULL;
  if (napi_get_value_string_utf8(env, argument, NULL, 0, &length) != 0) return NULL;
  char *message = grown(NULL, length + 1);
  napi_get_value_string_utf8(env, argument, message, length + 1, &length);
  int32_t started = start_from(message, message + length);
  free(message);
  return number_of(env, started);
}

/* endOf(pid): its exit code, or 256 times the signal that ended it; negative while it runs, or if it is no child of this process. */
static value end_of(void *env, void *info) {
  value argument;
  int32_t pid;
  int status;
  if (!only_argument(env, info, &argument) || napi_get_value_int32(env, argument, &pid) != 0) return NULL;
  pid_t ended = waitpid(pid, &status, WNOHANG);
  if (ended == 0) return number_of(env, STILL_RUNNING);
  if (ended != pid) return number_of(env, UNKNOWN);
  return number_of(env, WIFSIGNALED(status) ? SIGNAL_FACTOR * WTERMSIG(status) : WEXITSTATUS(status));
}

static uint32_t crc_after(uint32_t before, const unsigned char *bytes, size_t length) {
  static const uint32_t table[16] = {
      0,          0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
      0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c, 0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c,
  };
  uint32_t crc = ~before;
  for (size_t at = 0; at < length; at++) {
    crc ^= bytes[at];
    crc = (crc >> 4) ^ table[crc & 15];
    crc = (crc >> 4) ^ table[crc & 15];
  }
  return ~crc;
}

/* crc32(text or bytes, before): as in crc32.ts. */
static value crc32(void *env, void *info) {
  value arguments[2], made = NULL;
  size_t count = 2, length;
  uint32_t before, crc;
  int type;
  void *bytes;
  if (napi_get_cb_info(env, info, &count, arguments, NULL, NULL) != 0 || count != 2) return NULL;
  if (napi_get_value_uint32(env, arguments[1], &before) != 0) return NULL;
  if (napi_get_value_string_utf8(env, arguments[0], NULL, 0, &length) == 0) {
    char *text = grown(NULL, length + 1);
    napi_get_value_string_utf8(env, arguments[0], text, length + 1, &length);
    crc = crc_after(before, (unsigned char *)text, length);
    free(text);
  } else {
    if (napi_get_typedarray_info(env, arguments[0], &type, &length, &bytes, NULL, NULL) != 0 || type != UINT8) return NULL;
    crc = crc_after(before, bytes, length);
  }
  napi_create_uint32(env, crc, &made);
  return made;
}

enum { BLOCK = 64, WORDS = 8, ROUNDS = 64 };

static uint32_t rotated(uint32_t word, int bits) {
  return (word >> bits) | (word << (32 - bits));
}

static void mix_block(uint32_t state[WORDS], const unsigned char *block) {
  static const uint32_t constants[ROUNDS] = {
      0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be,
      0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa,
      0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85,
      0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3,
      0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f,
      0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
  };
  uint32_t w[ROUNDS], s[WORDS];
  for (int i = 0; i < 16; i++)
    w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 | (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
  for (int i = 16; i < ROUNDS; i++) {
    uint32_t x = w[i - 15], y = w[i - 2];
    w[i] = w[i - 16] + (rotated(x, 7) ^ rotated(x, 18) ^ (x >> 3)) + w[i - 7] + (rotated(y, 17) ^ rotated(y, 19) ^ (y >> 10));
  }
  for (int i = 0; i < WORDS; i++) s[i] = state[i];
  for (int i = 0; i < ROUNDS; i++) {
    uint32_t a = s[0], e = s[4];
    uint32_t first = s[7] + (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)) + ((e & s[5]) ^ (~e & s[6])) + constants[i] + w[i];
    uint32_t second = (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) + ((a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]));
    for (int at = WORDS - 1; at > 0; at--) s[at] = s[at - 1];
    s[4] += first;
    s[0] = first + second;
  }
  for (int i = 0; i < WORDS; i++) state[i] += s[i];
}

/* sha256(bytes): in hex. */
static value sha256(void *env, void *info) {
  value argument, made = NULL;
  size_t length;
  int type;
  void *given;
  uint32_t state[WORDS] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  unsigned char last[2 * BLOCK] = {0};
  char hex[8 * WORDS];
  if (!only_argument(env, info, &argument)) return NULL;
  if (napi_get_typedarray_info(env, argument, &type, &length, &given, NULL, NULL) != 0 || type != UINT8) return NULL;
  const unsigned char *bytes = given;
  size_t whole = length - length % BLOCK, rest = length - whole, padded = rest + 9 <= BLOCK ? BLOCK : 2 * BLOCK;
  for (size_t at = 0; at < whole; at += BLOCK) mix_block(state, bytes + at);
  for (size_t i = 0; i < rest; i++) last[i] = bytes[whole + i];
  last[rest] = 0x80;
  for (int i = 0; i < 8; i++) last[padded - 1 - i] = (unsigned char)((uint64_t)length * 8 >> (8 * i));
  for (size_t at = 0; at < padded; at += BLOCK) mix_block(state, last + at);
  for (size_t i = 0; i < sizeof hex; i++) hex[i] = "0123456789abcdef"[state[i / 8] >> (28 - 4 * (i % 8)) & 15];
  napi_create_string_latin1(env, hex, sizeof hex, &made);
  return made;
}

enum { SHORT_FILE = 64 * 1024, LONGEST_PATH = 4096 };

/*
 * readShort(path): the text of a file; undefined if it is empty, too long for this, no regular file, behind a link or cannot be read. At a position,
 * pipes and the like refuse to be read, and a file gives less than was asked for only at its end.
 */
static value read_short(void *env, void *info) {
  value argument, made = NULL;
  char path[LONGEST_PATH], text[SHORT_FILE];
  size_t length;
  if (!only_argument(env, info, &argument)) return NULL;
  if (napi_get_value_string_utf8(env, argument, path, sizeof path, &length) != 0 || length == sizeof path - 1 || strlen(path) != length) return NULL;
  int file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return NULL;
  ssize_t got = pread(file, text, sizeof text, 0);
  close(file);
  if (got > 0 && got < SHORT_FILE) napi_create_string_utf8(env, text, (size_t)got, &made);
  return made;
}

static void add(void *env, value exports, const char *name, function call) {
  value made;
  if (napi_create_function(env, name, strlen(name), call, NULL, &made) == 0) napi_set_named_property(env, exports, name, made);
}

value napi_register_module_v1(void *env, value exports) {
  add(env, exports, "setStamp", set_stamp);
  add(env, exports, "start", start);
  add(env, exports, "endOf", end_of);
  add(env, exports, "crc32", crc32);
  add(env, exports, "sha256", sha256);
  add(env, exports, "readShort", read_short);
  return exports;
}

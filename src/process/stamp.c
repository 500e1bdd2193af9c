/*
 * Sets the soft limit of file locks of this process, which JavaScript cannot do, and returns the previous one; see marks.ts.
 * The few functions of Node's interface that are needed are declared here, so no headers are.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>

typedef void *value;
typedef int status;

extern status napi_get_cb_info(void *env, void *info, size_t *count, value *arguments, value *self, void **data);
extern status napi_get_value_bigint_uint64(void *env, value from, uint64_t *number, bool *is_whole);
extern status napi_create_bigint_uint64(void *env, uint64_t number, value *made);
extern status napi_create_function(void *env, const char *name, size_t length, value (*call)(void *, void *), void *data,
                                   value *made);

/* Undefined if there is no such limit, or if it may not be set. */
static value set_stamp(void *env, void *info) {
  value argument, before = NULL;
  size_t count = 1;
  uint64_t stamp;
  bool is_whole;
  struct rlimit limit;
  if (napi_get_cb_info(env, info, &count, &argument, NULL, NULL) != 0 || count != 1) return NULL;
  if (napi_get_value_bigint_uint64(env, argument, &stamp, &is_whole) != 0 || !is_whole) return NULL;
  if (getrlimit(RLIMIT_LOCKS, &limit) != 0) return NULL;
  uint64_t old = limit.rlim_cur;
  limit.rlim_cur = stamp;
  if (setrlimit(RLIMIT_LOCKS, &limit) != 0) return NULL;
  napi_create_bigint_uint64(env, old, &before);
  return before;
}

value napi_register_module_v1(void *env, value exports) {
  value function = exports;
  napi_create_function(env, "setStamp", sizeof "setStamp" - 1, set_stamp, NULL, &function);
  return function;
}

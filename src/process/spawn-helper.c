/*
 * The native spawn helper, built if there is a compiler (Linux). It does what spawn-helper.ts does, with posix_spawn, which
 * copies no memory, while Node forks. helper-protocol.ts describes both pipes. It ends when its parent's pipe
 * closes; its children continue, in sessions of their own, and are found by their marks.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LENGTH_DIGITS = 8, STREAMS = 3 };

/* A list of strings that ends with NULL, as execve needs it. */
struct list {
  char **items;
  size_t count, room;
};

struct start {
  const char *id, *cwd;
  const char *paths[STREAMS];
  rlim_t stamp;
  struct list argv, env;
};

struct child {
  pid_t pid;
  char id[24];
};

static struct list base;
static struct child *children;
static size_t child_count, child_room;

static void *grown(void *memory, size_t bytes) {
  void *made = realloc(memory, bytes);
  if (made == NULL) exit(1);
  return made;
}

static struct list empty_list(void) {
  struct list list = {.room = 64};
  list.items = grown(NULL, list.room * sizeof *list.items);
  list.items[0] = NULL;
  return list;
}

/* `at` may be the first free index. */
static void set_item(struct list *list, size_t at, char *item) {
  if (at + 2 > list->room) {
    list->room *= 2;
    list->items = grown(list->items, list->room * sizeof *list->items);
  }
  list->items[at] = item;
  if (at >= list->count) list->count = at + 1;
  list->items[list->count] = NULL;
}

/* One line for the parent, in one write. Without a parent there is nothing left to do. */
static void tell(const char *format, ...) {
  char line[256];
  va_list values;
  va_start(values, format);
  int length = vsnprintf(line, sizeof line, format, values);
  va_end(values);
  for (int written = 0; written < length;) {
    ssize_t count = write(STDOUT_FILENO, line + written, (size_t)(length - written));
    if (count < 0 && errno != EINTR) exit(0);
    if (count > 0) written += (int)count;
  }
}

/* The length of NAME in NAME=value, or of a bare NAME. */
static size_t name_length(const char *item) {
  return strcspn(item, "=");
}

static size_t find_name(const struct list *env, const char *item) {
  size_t length = name_length(item);
  size_t at = 0;
  while (at < env->count && !(strncmp(env->items[at], item, length) == 0 && env->items[at][length] == '=')) at++;
  return at;
}

static const char *value_of(const struct list *env, const char *name) {
  size_t at = find_name(env, name);
  return at == env->count ? NULL : env->items[at] + strlen(name) + 1;
}

static void remove_name(struct list *env, const char *name) {
  size_t at = find_name(env, name);
  if (at == env->count) return;
  env->items[at] = env->items[--env->count];
  env->items[env->count] = NULL;
}

/* The twenty-second field of /proc/PID/stat; the name in parentheses may itself contain spaces and parentheses. */
static void start_time(pid_t pid, char *found, size_t size) {
  char path[40], stat[1024];
  found[0] = '\0';
  snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  ssize_t length = read(file, stat, sizeof stat - 1);
  close(file);
  if (length <= 0) return;
  stat[length] = '\0';
  char *field = strrchr(stat, ')');
  for (int i = 0; i < 20 && field != NULL; i++) field = strchr(field + 1, ' ');
  if (field != NULL) snprintf(found, size, "%.*s", (int)strcspn(field + 1, " "), field + 1);
}

/* As execvp does with a script without a `#!` line. */
static int spawn_with_shell(pid_t *pid, const char *path, const struct list *argv, const posix_spawn_file_actions_t *actions,
                            const posix_spawnattr_t *attributes, char **env) {
  struct list shell = empty_list();
  set_item(&shell, 0, "/bin/sh");
  set_item(&shell, 1, (char *)path);
  for (size_t i = 1; i < argv->count; i++) set_item(&shell, i + 1, argv->items[i]);
  int error = posix_spawn(pid, "/bin/sh", actions, attributes, shell.items, env);
  free(shell.items);
  return error;
}

static int spawn_path(pid_t *pid, const char *path, const struct start *start, const posix_spawn_file_actions_t *actions,
                      const posix_spawnattr_t *attributes) {
  int error = posix_spawn(pid, path, actions, attributes, start->argv.items, start->env.items);
  if (error != ENOEXEC) return error;
  return spawn_with_shell(pid, path, &start->argv, actions, attributes, start->env.items);
}

/* Uses the child's PATH; relative entries start from the child's folder. */
static int spawn_program(pid_t *pid, const struct start *start, const posix_spawn_file_actions_t *actions,
                         const posix_spawnattr_t *attributes) {
  const char *program = start->argv.items[0];
  if (strchr(program, '/') != NULL) return spawn_path(pid, program, start, actions, attributes);
  const char *search = value_of(&start->env, "PATH");
  if (search == NULL) search = "/bin:/usr/bin";
  char *path = grown(NULL, strlen(search) + strlen(program) + 3);
  int error = ENOENT;
  for (;;) {
    int length = (int)strcspn(search, ":");
    if (length == 0) sprintf(path, "./%s", program);
    else sprintf(path, "%.*s/%s", length, search, program);
    if (path[0] != '/' || access(path, F_OK) == 0) {
      int refused = spawn_path(pid, path, start, actions, attributes);
      if (refused != ENOENT && refused != ENOTDIR && refused != EACCES) {
        free(path);
        return refused;
      }
      if (refused == EACCES) error = EACCES;
    }
    if (search[length] == '\0') break;
    search += length + 1;
  }
  free(path);
  return error;
}

static void remember(pid_t pid, const char *id) {
  if (child_count == child_room) {
    child_room = 2 * child_room + 16;
    children = grown(children, child_room * sizeof *children);
  }
  children[child_count].pid = pid;
  snprintf(children[child_count].id, sizeof children[child_count].id, "%s", id);
  child_count++;
}

/* Children inherit the soft limit of file locks: see marks.ts. Returns the previous one. */
static rlim_t stamped(rlim_t stamp) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_LOCKS, &limit) != 0) return stamp;
  rlim_t before = limit.rlim_cur;
  limit.rlim_cur = stamp;
  setrlimit(RLIMIT_LOCKS, &limit);
  return before;
}

static void spawn_with(const struct start *start, const int files[STREAMS]) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  sigset_t none;
  sigemptyset(&none);
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK);
  int error = posix_spawn_file_actions_addchdir_np(&actions, start->cwd);
  for (int stream = 0; stream < STREAMS && error == 0; stream++) {
    error = posix_spawn_file_actions_adddup2(&actions, files[stream], stream);
  }
  tell("starting %s\n", start->id);
  pid_t pid = 0;
  rlim_t own = stamped(start->stamp);
  if (error == 0) error = spawn_program(&pid, start, &actions, &attributes);
  stamped(own);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (error != 0) {
    tell("refused %s %d\n", start->id, error);
    return;
  }
  remember(pid, start->id);
  char time[32];
  start_time(pid, time, sizeof time);
  tell("started %s %d %s\n", start->id, (int)pid, time);
}

static void start_process(const struct start *start) {
  static const int flags[STREAMS] = {O_RDONLY, O_WRONLY | O_APPEND | O_NOFOLLOW,
                                      O_WRONLY | O_APPEND | O_NOFOLLOW};
  int files[STREAMS];
  int opened = 0;
  while (opened < STREAMS) {
    files[opened] = open(start->paths[opened], flags[opened] | O_CLOEXEC | O_NOCTTY);
    if (files[opened] < 0) {
      tell("refused %s %d %d\n", start->id, errno, opened);
      break;
    }
    opened++;
  }
  if (opened == STREAMS) spawn_with(start, files);
  while (opened > 0) close(files[--opened]);
}

/* The fields of a message, one after the other. A truncated message ends the helper. */
static char *next_field(char **cursor, char *end) {
  char *field = *cursor;
  char *stop = field < end ? memchr(field, '\0', (size_t)(end - field)) : NULL;
  if (stop == NULL) exit(1);
  *cursor = stop + 1;
  return field;
}

static void take_environment(char *cursor, char *end) {
  char *kept = grown(NULL, (size_t)(end - cursor) + 1);
  memcpy(kept, cursor, (size_t)(end - cursor));
  char *kept_end = kept + (end - cursor);
  base = empty_list();
  while (kept < kept_end) set_item(&base, base.count, next_field(&kept, kept_end));
}

static void take_start(char *cursor, char *end) {
  struct start start = {.argv = empty_list(), .env = empty_list()};
  start.id = next_field(&cursor, end);
  start.cwd = next_field(&cursor, end);
  for (int stream = 0; stream < STREAMS; stream++) start.paths[stream] = next_field(&cursor, end);
  start.stamp = strtoull(next_field(&cursor, end), NULL, 10);
  size_t args = strtoul(next_field(&cursor, end), NULL, 10);
  if (args == 0) exit(1);
  for (size_t i = 0; i < args; i++) set_item(&start.argv, i, next_field(&cursor, end));
  for (size_t i = 0; i < base.count; i++) set_item(&start.env, i, base.items[i]);
  while (cursor < end) {
    char *item = next_field(&cursor, end);
    if (item[name_length(item)] == '=') set_item(&start.env, find_name(&start.env, item), item);
    else remove_name(&start.env, item);
  }
  start_process(&start);
  free(start.argv.items);
  free(start.env.items);
}

static void take_message(char *message, size_t length) {
  char *cursor = message, *end = message + length;
  const char *type = next_field(&cursor, end);
  if (strcmp(type, "environment") == 0) take_environment(cursor, end);
  else if (strcmp(type, "start") == 0) take_start(cursor, end);
  else exit(1);
}

static void tell_exits(void) {
  int status;
  pid_t pid;
  while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
    for (size_t i = 0; i < child_count; i++) {
      if (children[i].pid != pid) continue;
      if (WIFSIGNALED(status)) tell("exited %s - %d\n", children[i].id, WTERMSIG(status));
      else tell("exited %s %d\n", children[i].id, WEXITSTATUS(status));
      children[i] = children[--child_count];
      break;
    }
  }
}

static void read_messages(void) {
  static char *buffer;
  static size_t filled, room;
  if (room - filled < 65536) {
    room = 2 * room + 65536;
    buffer = grown(buffer, room);
  }
  ssize_t count = read(STDIN_FILENO, buffer + filled, room - filled);
  if (count < 0 && errno == EINTR) return;
  if (count <= 0) exit(0);
  filled += (size_t)count;
  size_t taken = 0;
  while (filled - taken >= LENGTH_DIGITS) {
    char digits[LENGTH_DIGITS + 1] = {0};
    memcpy(digits, buffer + taken, LENGTH_DIGITS);
    size_t length = strtoul(digits, NULL, 16);
    if (filled - taken - LENGTH_DIGITS < length) break;
    take_message(buffer + taken + LENGTH_DIGITS, length);
    taken += LENGTH_DIGITS + length;
  }
  memmove(buffer, buffer + taken, filled - taken);
  filled -= taken;
}

int main(void) {
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGCHLD);
  sigprocmask(SIG_BLOCK, &ends, NULL);
  int signals = signalfd(-1, &ends, SFD_CLOEXEC | SFD_NONBLOCK);
  if (signals < 0) return 1;
  tell("ready\n");
  struct pollfd watched[] = {{.fd = STDIN_FILENO, .events = POLLIN}, {.fd = signals, .events = POLLIN}};
  for (;;) {
    if (poll(watched, 2, -1) < 0 && errno != EINTR) return 1;
    if (watched[1].revents != 0) {
      struct signalfd_siginfo seen;
      while (read(signals, &seen, sizeof seen) > 0) continue;
      tell_exits();
    }
    if (watched[0].revents != 0) read_messages();
  }
}

/*
 * The native spawn helper, built if there is a compiler (Linux). It does what spawn-helper.ts does, with posix_spawn, which
 * copies no memory, while Node forks. helper-protocol.ts describes both pipes. It ends when its parent's pipe
 * closes; its children continue, in sessions of their own, and are found by their marks.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <sys/signalfd.h>
#include <sys/wait.h>

#include "start-program.h"

enum { LENGTH_DIGITS = 8 };

struct start {
  const char *id;
  const char *paths[STREAMS];
  struct program program;
};

struct child {
  pid_t pid;
  char id[24];
};

static struct list base;
static struct child *children;
static size_t child_count, child_room;

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

static void remember(pid_t pid, const char *id) {
  if (child_count == child_room) {
    child_room = 2 * child_room + 16;
    children = grown(children, child_room * sizeof *children);
  }
  children[child_count].pid = pid;
  snprintf(children[child_count].id, sizeof children[child_count].id, "%s", id);
  child_count++;
}

static void spawn_with(const struct start *start, const int files[STREAMS]) {
  tell("starting %s\n", start->id);
  pid_t pid = 0;
  int error = start_program(&pid, &start->program, files);
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
  struct start start = {.program = {.argv = empty_list(), .env = empty_list()}};
  struct list *argv = &start.program.argv, *env = &start.program.env;
  start.id = next_field(&cursor, end);
  start.program.cwd = next_field(&cursor, end);
  for (int stream = 0; stream < STREAMS; stream++) start.paths[stream] = next_field(&cursor, end);
  start.program.stamp = strtoull(next_field(&cursor, end), NULL, 10);
  size_t args = strtoul(next_field(&cursor, end), NULL, 10);
  if (args == 0) exit(1);
  for (size_t i = 0; i < args; i++) set_item(argv, i, next_field(&cursor, end));
  for (size_t i = 0; i < base.count; i++) set_item(env, i, base.items[i]);
  while (cursor < end) {
    char *item = next_field(&cursor, end);
    if (item[name_length(item)] == '=') set_item(env, find_name(env, item), item);
    else remove_name(env, item);
  }
  start_process(&start);
  free(argv->items);
  free(env->items);
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

/*
 * How a process is started, shared by the native module and the spawn helper: posix_spawn, which copies no memory, in a session of its own,
 * without the signal settings of its parent, with a stamp (marks.ts).
 */
#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { STREAMS = 3 };

/* A list of strings that ends with NULL, as execve needs it. */
struct list {
  char **items;
  size_t count, room;
};

/* What to start. Relative entries of its PATH start from its folder. */
struct program {
  const char *cwd;
  rlim_t stamp;
  struct list argv, env;
};

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

static int spawn_path(pid_t *pid, const char *path, const struct program *start, const posix_spawn_file_actions_t *actions,
                      const posix_spawnattr_t *attributes) {
  int error = posix_spawn(pid, path, actions, attributes, start->argv.items, start->env.items);
  if (error != ENOEXEC) return error;
  return spawn_with_shell(pid, path, &start->argv, actions, attributes, start->env.items);
}

/* Uses the child's PATH; relative entries start from the child's folder. */
static int spawn_program(pid_t *pid, const struct program *start, const posix_spawn_file_actions_t *actions,
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

/* Children inherit the soft limit of file locks: see marks.ts. Returns the previous one. */
static rlim_t stamped(rlim_t stamp) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_LOCKS, &limit) != 0) return stamp;
  rlim_t before = limit.rlim_cur;
  limit.rlim_cur = stamp;
  setrlimit(RLIMIT_LOCKS, &limit);
  return before;
}

/* `files` become its standard streams. Returns an error number. */
static int start_program(pid_t *pid, const struct program *start, const int files[STREAMS]) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  int error = posix_spawn_file_actions_addchdir_np(&actions, start->cwd);
  for (int stream = 0; stream < STREAMS && error == 0; stream++) {
    error = posix_spawn_file_actions_adddup2(&actions, files[stream], stream);
  }
  rlim_t own = stamped(start->stamp);
  if (error == 0) error = spawn_program(pid, start, &actions, &attributes);
  stamped(own);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  return error;
}

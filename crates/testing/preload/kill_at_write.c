/* Preloaded into a program: it is killed before its write number KILL_AT to the file KILL_FILE, or to any file if that is "*".
   Changes of the file's length and syncs count as writes. If it is not killed, it says in the end how many there were. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static atomic_long writes;

static void count(int fd) {
    char link[64], path[4096];
    const char *file = getenv("KILL_FILE");
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = file ? readlink(link, path, sizeof path - 1) : -1;
    if (length < 0) return;
    path[length] = 0;
    int counts = strcmp(file, "*") ? strcmp(path, file) == 0 : fd > 2;
    if (counts && atomic_fetch_add(&writes, 1) + 1 == atol(getenv("KILL_AT"))) raise(SIGKILL);
}

__attribute__((destructor)) static void tell(void) {
    dprintf(2, "%ld writes\n", atomic_load(&writes));
}

ssize_t write(int fd, const void *buffer, size_t size) {
    ssize_t (*next)(int, const void *, size_t) = dlsym(RTLD_NEXT, "write");
    count(fd);
    return next(fd, buffer, size);
}

ssize_t pwrite64(int fd, const void *buffer, size_t size, off_t at) {
    ssize_t (*next)(int, const void *, size_t, off_t) = dlsym(RTLD_NEXT, "pwrite64");
    count(fd);
    return next(fd, buffer, size, at);
}

int ftruncate64(int fd, off_t length) {
    int (*next)(int, off_t) = dlsym(RTLD_NEXT, "ftruncate64");
    count(fd);
    return next(fd, length);
}

int fdatasync(int fd) {
    int (*next)(int) = dlsym(RTLD_NEXT, "fdatasync");
    count(fd);
    return next(fd);
}

int fsync(int fd) {
    int (*next)(int) = dlsym(RTLD_NEXT, "fsync");
    count(fd);
    return next(fd);
}

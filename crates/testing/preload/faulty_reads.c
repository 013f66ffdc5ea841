/* Preloaded into a program: reads of the file FAULTY_FILE come short, fail with EIO from the offset FAULTY_FROM on, and the
   file cannot be mapped. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

static int is_faulty(int fd) {
    char link[64], path[4096];
    const char *file = getenv("FAULTY_FILE");
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = fd < 0 || !file ? -1 : readlink(link, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return strcmp(path, file) == 0;
}

/* How many of `size` bytes a read at `at` gives; 0 if it fails. */
static size_t given(size_t size, off_t at) {
    off_t left = atoll(getenv("FAULTY_FROM")) - at;
    size_t most = 1 + at % 70000;
    if (left <= 0) return 0;
    if (size > most) size = most;
    return (off_t)size < left ? size : (size_t)left;
}

ssize_t pread64(int fd, void *buffer, size_t size, off_t at) {
    ssize_t (*next)(int, void *, size_t, off_t) = dlsym(RTLD_NEXT, "pread64");
    if (size && is_faulty(fd) && !(size = given(size, at))) {
        errno = EIO;
        return -1;
    }
    return next(fd, buffer, size, at);
}

ssize_t read(int fd, void *buffer, size_t size) {
    ssize_t (*next)(int, void *, size_t) = dlsym(RTLD_NEXT, "read");
    if (size && is_faulty(fd) && !(size = given(size, lseek(fd, 0, SEEK_CUR)))) {
        errno = EIO;
        return -1;
    }
    return next(fd, buffer, size);
}

void *mmap64(void *address, size_t length, int protection, int flags, int fd, off_t offset) {
    void *(*next)(void *, size_t, int, int, int, off_t) = dlsym(RTLD_NEXT, "mmap64");
    if (is_faulty(fd)) {
        errno = ENODEV;
        return MAP_FAILED;
    }
    return next(address, length, protection, flags, fd, offset);
}

void *mmap(void *address, size_t length, int protection, int flags, int fd, off_t offset) {
    return mmap64(address, length, protection, flags, fd, offset);
}

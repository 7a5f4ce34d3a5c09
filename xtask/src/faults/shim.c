/* Stands between a program and the C library (LD_PRELOAD), and has one call go otherwise than it should:
 *
 *   FAULTS_SHORT=pwrite64:3    the third call of that name does half of what was asked
 *   FAULTS_ALLOCATION=17       the 17th allocation finds no memory
 *   FAULTS_ALLOCATION=17+      neither do all after it
 *   FAULTS_LEAST=4096          allocations of fewer bytes are not counted
 *   FAULTS_LOG=FILE            gets a line when it has happened, and at the end how many allocations there were
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static void said(const char *words) {
    const char *log = getenv("FAULTS_LOG");
    if (!log) return;
    int saved = errno;
    long file = syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (file >= 0) {
        syscall(SYS_write, file, words, strlen(words));
        syscall(SYS_close, file);
    }
    errno = saved;
}

/* How many calls of the name that is to be cut short have been made. */
static atomic_ulong n_calls;

static size_t shortened(const char *name, size_t count) {
    const char *wanted = getenv("FAULTS_SHORT");
    size_t len = strlen(name);
    if (!wanted || strncmp(wanted, name, len) != 0 || wanted[len] != ':') return count;
    if (atomic_fetch_add(&n_calls, 1) + 1 != strtoul(wanted + len + 1, NULL, 10)) return count;
    if (count < 2) return count;
    said("short\n");
    return count / 2;
}

ssize_t read(int fd, void *to, size_t n) {
    return syscall(SYS_read, fd, to, shortened("read", n));
}
ssize_t write(int fd, const void *from, size_t n) {
    return syscall(SYS_write, fd, from, shortened("write", n));
}
ssize_t pread64(int fd, void *to, size_t n, off64_t at) {
    return syscall(SYS_pread64, fd, to, shortened("pread64", n), at);
}
ssize_t pwrite64(int fd, const void *from, size_t n, off64_t at) {
    return syscall(SYS_pwrite64, fd, from, shortened("pwrite64", n), at);
}
ssize_t copy_file_range(int from, off64_t *f, int to, off64_t *t, size_t n, unsigned flags) {
    return syscall(SYS_copy_file_range, from, f, to, t, shortened("copy_file_range", n), flags);
}
ssize_t sendfile64(int to, int from, off64_t *at, size_t n) {
    return syscall(SYS_sendfile, to, from, at, shortened("sendfile", n));
}
/* Of several parts a short count is the first part, or half of it. */
ssize_t writev(int fd, const struct iovec *parts, int n) {
    if (n > 0) {
        size_t len = shortened("writev", parts[0].iov_len);
        if (len != parts[0].iov_len) return syscall(SYS_write, fd, parts[0].iov_base, len);
    }
    return syscall(SYS_writev, fd, parts, n);
}

/* Allocations that have been asked for. */
static atomic_ulong n_allocations;
static unsigned long failed_at, least;
static int all_after, is_on;

__attribute__((constructor)) static void begin(void) {
    const char *wanted = getenv("FAULTS_ALLOCATION"), *of = getenv("FAULTS_LEAST");
    if (!wanted) return;
    char *end;
    failed_at = strtoul(wanted, &end, 10);
    all_after = *end == '+';
    least = of ? strtoul(of, NULL, 10) : 0;
    is_on = 1;
}

__attribute__((destructor)) static void end(void) {
    if (!is_on) return;
    char words[64];
    snprintf(words, sizeof words, "allocations %lu\n", atomic_load(&n_allocations));
    said(words);
}

static int fails(size_t n) {
    if (!is_on || n < least) return 0;
    unsigned long at = atomic_fetch_add(&n_allocations, 1) + 1;
    if (at != failed_at && !(all_after && failed_at && at > failed_at)) return 0;
    if (at == failed_at) said("failed\n");
    errno = ENOMEM;
    return 1;
}

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t),
    *__libc_memalign(size_t, size_t);

void *malloc(size_t n) { return fails(n) ? NULL : __libc_malloc(n); }
void *calloc(size_t n, size_t of) { return fails(n * of) ? NULL : __libc_calloc(n, of); }
void *realloc(void *old, size_t n) { return fails(n) ? NULL : __libc_realloc(old, n); }
void *memalign(size_t by, size_t n) { return fails(n) ? NULL : __libc_memalign(by, n); }
void *aligned_alloc(size_t by, size_t n) { return fails(n) ? NULL : __libc_memalign(by, n); }
int posix_memalign(void **to, size_t by, size_t n) {
    if (fails(n) || !(*to = __libc_memalign(by, n))) return ENOMEM;
    return 0;
}
void *mmap64(void *at, size_t n, int rights, int flags, int fd, off64_t from) {
    if (fails(n)) return MAP_FAILED;
    return (void *)syscall(SYS_mmap, at, n, rights, flags, fd, from);
}
void *mmap(void *at, size_t n, int rights, int flags, int fd, off_t from) {
    return mmap64(at, n, rights, flags, fd, from);
}

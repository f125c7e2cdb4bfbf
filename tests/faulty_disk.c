/* A disk that fails at one call: preloaded, it stands before the C library for every program part,
 * Python, Arrow, Qt and the rest. Only files below one folder are concerned. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#define FILES 65536
static char folder[PATH_MAX];
static int fatal, number, lasting, count;
static unsigned char ours[FILES];
static char last[64];

void faults_arm(const char *place, int nth, int error, int goes_on) {
    snprintf(folder, sizeof folder, "%s", place);
    fatal = nth; number = error; lasting = goes_on; count = 0; last[0] = 0;
}
int faults_disarm(void) { folder[0] = 0; return count; }
const char *faults_last(void) { return last; }

static int due(const char *call) {
    count++;
    if (lasting ? count >= fatal : count == fatal) {
        if (!last[0]) snprintf(last, sizeof last, "%s", call);
        errno = number;
        return 1;
    }
    return 0;
}
static int concerns(int at, const char *path) {
    char full[PATH_MAX + 64], base[PATH_MAX];
    if (!folder[0] || !path) return 0;
    if (path[0] == '/') return strncmp(path, folder, strlen(folder)) == 0;
    if (at == AT_FDCWD) {
        if (!getcwd(base, sizeof base)) return 0;
    } else {
        snprintf(full, sizeof full, "/proc/self/fd/%d", at);
        ssize_t length = readlink(full, base, sizeof base - 1);
        if (length < 0) return 0;
        base[length] = 0;
    }
    return strncmp(base, folder, strlen(folder)) == 0;
}
#define REAL(name) static __typeof__(&name) real; if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)
#define WRITES(flags) (((flags) & O_ACCMODE) != O_RDONLY || ((flags) & O_CREAT))

static int noted(int file, int is_ours) {
    if (file >= 0 && file < FILES) ours[file] = is_ours;
    return file;
}
#define OPEN(name, at, ...) { \
    mode_t mode = 0; \
    if (flags & (O_CREAT | O_TMPFILE)) { va_list rest; va_start(rest, flags); mode = va_arg(rest, mode_t); va_end(rest); } \
    REAL(name); \
    int is_ours = WRITES(flags) && concerns(at, path); \
    if (is_ours && due("open")) return -1; \
    return noted(real(__VA_ARGS__, mode), is_ours); }
int open(const char *path, int flags, ...) OPEN(open, AT_FDCWD, path, flags)
int open64(const char *path, int flags, ...) OPEN(open64, AT_FDCWD, path, flags)
int openat(int at, const char *path, int flags, ...) OPEN(openat, at, at, path, flags)
int openat64(int at, const char *path, int flags, ...) OPEN(openat64, at, at, path, flags)

#define FILE_CALL(kind, name, signature, ...) kind name signature { \
    REAL(name); \
    if (file >= 0 && file < FILES && ours[file] && folder[0] && due(#name)) return -1; \
    return real(__VA_ARGS__); }
FILE_CALL(ssize_t, write, (int file, const void *data, size_t size), file, data, size)
FILE_CALL(ssize_t, pwrite, (int file, const void *data, size_t size, off_t at), file, data, size, at)
FILE_CALL(ssize_t, pwrite64, (int file, const void *data, size_t size, off64_t at), file, data, size, at)
FILE_CALL(ssize_t, writev, (int file, const struct iovec *parts, int n), file, parts, n)
FILE_CALL(int, fsync, (int file), file)
FILE_CALL(int, fdatasync, (int file), file)
FILE_CALL(int, ftruncate, (int file, off_t size), file, size)
FILE_CALL(int, ftruncate64, (int file, off64_t size), file, size)
FILE_CALL(int, fchmod, (int file, mode_t mode), file, mode)

#define PATH_CALL(name, at, signature, ...) int name signature { \
    REAL(name); \
    if (concerns(at, path) && due(#name)) return -1; \
    return real(__VA_ARGS__); }
PATH_CALL(rename, AT_FDCWD, (const char *path, const char *to), path, to)
PATH_CALL(renameat, at, (int at, const char *path, int to_at, const char *to), at, path, to_at, to)
PATH_CALL(renameat2, at, (int at, const char *path, int to_at, const char *to, unsigned flags), at, path, to_at, to, flags)
PATH_CALL(link, AT_FDCWD, (const char *path, const char *to), path, to)
PATH_CALL(linkat, at, (int at, const char *path, int to_at, const char *to, int flags), at, path, to_at, to, flags)
PATH_CALL(unlink, AT_FDCWD, (const char *path), path)
PATH_CALL(unlinkat, at, (int at, const char *path, int flags), at, path, flags)
PATH_CALL(rmdir, AT_FDCWD, (const char *path), path)
PATH_CALL(mkdir, AT_FDCWD, (const char *path, mode_t mode), path, mode)
PATH_CALL(mkdirat, at, (int at, const char *path, mode_t mode), at, path, mode)
PATH_CALL(chmod, AT_FDCWD, (const char *path, mode_t mode), path, mode)
PATH_CALL(fchmodat, at, (int at, const char *path, mode_t mode, int flags), at, path, mode, flags)

int close(int file) {
    REAL(close);
    /* What was written may be refused here, as on a network drive; the number is free all the same. */
    int fails = file >= 0 && file < FILES && ours[file] && folder[0] && due("close");
    if (file >= 0 && file < FILES) ours[file] = 0;
    int result = real(file);
    if (fails) { errno = number; return -1; }
    return result;
}

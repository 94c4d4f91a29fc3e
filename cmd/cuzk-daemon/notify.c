#include "notify.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/log.h"

void notify_service_manager(const char *state) {
    const char *path = getenv("NOTIFY_SOCKET");
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (!path || (path[0] != '/' && path[0] != '@'))
        return;
    size_t length = strlen(path);
    if (length >= sizeof address.sun_path) {
        log_warn("NOTIFY_SOCKET: found a path of %zu bytes, expected at most %zu", length, sizeof address.sun_path - 1);
        return;
    }
    memcpy(address.sun_path, path, length);
    if (path[0] == '@')
        address.sun_path[0] = 0; /* the abstract namespace */
    int descriptor = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length);
    if (descriptor < 0 || sendto(descriptor, state, strlen(state), MSG_NOSIGNAL, (struct sockaddr *)&address, size) < 0)
        log_warn("NOTIFY_SOCKET %s: %s", path, strerror(errno));
    if (descriptor >= 0)
        close(descriptor);
}

/* systemd's readiness protocol: one datagram to the socket that NOTIFY_SOCKET names. Source: sd_notify(3). */
#ifndef CUZK_DAEMON_NOTIFY_H
#define CUZK_DAEMON_NOTIFY_H

/* Sends "READY=1\nSTATUS=..." or the like; does nothing where NOTIFY_SOCKET is not set. Failures are logged. */
void notify_service_manager(const char *state);

#endif

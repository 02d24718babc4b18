// libsystemd's D-Bus client.
#ifndef NHE_CSYSTEMD_SHIM_H
#define NHE_CSYSTEMD_SHIM_H

#include <systemd/sd-bus.h>

#endif

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * driver:pci/0000:01:00.0 is the driver that a device is bound to: its name, or
 * "none". Setting the one that it has binds it anew, which resets the device.
 * Files: /sys/bus/BUS/devices/DEVICE/driver, .../unbind and .../bind.
 *
 * driver:module/wilc1000 is a module: "none", "loaded [PARAMETER=VALUE...]" (by
 * modprobe(8)), or "/path/to/it.ko [PARAMETER=VALUE...]". See module.c.
 */
#include "base/buf.h"
#include "base/root.h"
#include "base/str.h"
#include "knobs/file.h"
#include "knobs/knob.h"
#include "knobs/module.h"

#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define MODULE "module/"
#define NONE "none"

struct place {
	char bus[64];
	char device[128];
};

static int split(const char *name, struct place *p, struct kd_diag *d)
{
	const char *slash = strchr(name, '/');
	size_t len = slash ? (size_t)(slash - name) : 0;

	if (!len || len >= sizeof(p->bus) || !slash[1] ||
	    strchr(slash + 1, '/') || strlen(slash + 1) >= sizeof(p->device) ||
	    name[0] == '.' || slash[1] == '.') {
		kd_fail(d, -EINVAL, "\"%.80s\" is no device and no module",
			name);
		kd_diag_hint(d, "write driver:BUS/DEVICE, such as driver:pci/0000:01:00.0, or driver:module/NAME");
		return -EINVAL;
	}
	snprintf(p->bus, sizeof(p->bus), "%.*s", (int)len, name);
	strcpy(p->device, slash + 1);
	return 0;
}

static int check(const char *name, struct kd_diag *d)
{
	struct place p;

	if (kd_str_has_prefix(name, MODULE))
		return kd_module_check(name + strlen(MODULE), d);
	return split(name, &p, d);
}

/* the name of the device's driver, "none", or -ENOENT */
static int read_driver(const struct kd_root *root, const struct place *p,
		       char out[256], struct kd_diag *d)
{
	char path[320], link[512];
	mode_t mode;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/sys/bus/%s/devices/%s", p->bus,
		 p->device);
	if (kd_knob_file_mode(root, path, &mode)) {
		kd_fail(d, -ENOENT, "there is no device %s on the bus %s: %s",
			p->device, p->bus, strerror(ENOENT));
		kd_diag_hint(d, "/sys/bus/%s/devices lists what there is",
			     p->bus);
		return -ENOENT;
	}
	strcat(path, "/driver");
	fd = kd_root_openat(root, path, O_PATH | O_NOFOLLOW);
	n = fd < 0 ? -1 : readlinkat(fd, "", link, sizeof(link) - 1);
	if (fd >= 0)
		close(fd);
	link[n < 0 ? 0 : n] = '\0';
	snprintf(out, 256, "%s", n < 0 ? NONE :
		 strrchr(link, '/') ? strrchr(link, '/') + 1 : link);
	return 0;
}

static int get(const struct kd_knob_env *env, const char *name,
	       struct kd_buf *out, struct kd_diag *d)
{
	struct place p;
	char driver[256];
	int r;

	if (kd_str_has_prefix(name, MODULE))
		return kd_module_get(env->root, name + strlen(MODULE), out, d);
	r = split(name, &p, d);
	if (!r)
		r = read_driver(env->root, &p, driver, d);
	return r ? r : kd_buf_puts(out, driver);
}

static int write_driver(const struct kd_root *root, const struct place *p,
			const char *driver, const char *file,
			struct kd_diag *d)
{
	char path[512];

	snprintf(path, sizeof(path), "/sys/bus/%s/drivers/%s/%s", p->bus,
		 driver, file);
	return kd_knob_file_set(root, path, p->device, d);
}

static int set(const struct kd_knob_env *env, const char *name,
	       const char *value, struct kd_diag *d)
{
	struct place p;
	char now[256], path[512];
	mode_t mode;
	int r;

	if (kd_str_has_prefix(name, MODULE))
		return kd_module_set(env->root, name + strlen(MODULE), value,
				     d);
	r = split(name, &p, d);
	if (!r && (!*value || strchr(value, '/') || *value == '.' ||
		   strlen(value) > 128))
		r = kd_fail(d, -EINVAL, "\"%.80s\" is no name of a driver",
			    value);
	if (!r)
		r = read_driver(env->root, &p, now, d);
	if (r)
		return r;
	/* before the old one is let go of */
	snprintf(path, sizeof(path), "/sys/bus/%s/drivers/%s/bind", p.bus,
		 value);
	if (strcmp(value, NONE) && kd_knob_file_mode(env->root, path, &mode)) {
		kd_fail(d, -ENOENT, "the bus %s has no driver %s: %s", p.bus,
			value, strerror(ENOENT));
		kd_diag_hint(d, "/sys/bus/%s/drivers lists what there is; its module may have to be loaded",
			     p.bus);
		return -ENOENT;
	}
	if (strcmp(now, NONE))
		r = write_driver(env->root, &p, now, "unbind", d);
	if (!r && strcmp(value, NONE))
		r = write_driver(env->root, &p, value, "bind", d);
	return r;
}

static enum kd_knob_match match(const char *wanted, const char *seen)
{
	return kd_module_is_value(wanted) ? kd_module_match(wanted, seen) :
					    kd_knob_match_text(wanted, seen);
}

/* modules that are loaded; devices are too many, and not all can be reset */
static int list(const struct kd_knob_env *env, const char *pattern,
		void (*found)(void *arg, const char *name, const char *value,
			      unsigned int flags),
		void *arg, struct kd_diag *d)
{
	char text[65536], *rest = text, *line;

	if (kd_root_read(env->root, "/proc/modules", text, sizeof(text)) < 0)
		return 0;
	while ((line = strsep(&rest, "\n"))) {
		struct kd_buf value = { 0 };
		char name[128];

		line[strcspn(line, " ")] = '\0';
		snprintf(name, sizeof(name), MODULE "%.100s", line);
		if (*line && (!pattern || !fnmatch(pattern, name, 0)) &&
		    !get(env, name, &value, NULL))
			found(arg, name, kd_buf_str(&value), KD_KNOB_RESETS);
		kd_buf_fini(&value);
	}
	return 0;
}

const struct kd_knob_ops kd_knob_driver_ops = {
	.name = "driver",
	.summary = "driver of a device, or a module, taken out and in: driver:pci/0000:01:00.0, driver:module/wilc1000 to \"loaded power=0\"",
	.flags = KD_KNOB_RESETS,
	.check = check,
	.list = list,
	.get = get,
	.set = set,
	.match = match,
};

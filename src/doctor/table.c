// SPDX-License-Identifier: GPL-2.0-or-later
#include "doctor/doctor.h"

const struct kd_doctor_check *const kd_doctor_groups[] = {
	kd_doctor_cpu,
	kd_doctor_heat,
	kd_doctor_host,
	kd_doctor_kernel,
	kd_doctor_memory,
	kd_doctor_link,
	0,
};

static const char *const names[KD_FIT_COUNT] = {
	[KD_FIT_ABSENT] = "absent",
	[KD_FIT_OK] = "ok",
	[KD_FIT_NOTE] = "note",
	[KD_FIT_WARN] = "warn",
	[KD_FIT_BAD] = "bad",
};

const char *kd_fitness_name(enum kd_fitness f)
{
	return (unsigned int)f < KD_FIT_COUNT ? names[f] : "absent";
}

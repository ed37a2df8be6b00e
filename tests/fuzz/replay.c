// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Without libFuzzer: feed every file of the folders named to the target, as one
 * TAP test a folder. A crash or a sanitizer's report ends the program.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay_file(const char *path)
{
	FILE *f = fopen(path, "rb");
	uint8_t *data = NULL;
	long size = -1;
	int r = -1;

	if (!f)
		return -1;
	if (!fseek(f, 0, SEEK_END))
		size = ftell(f);
	if (size >= 0 && !fseek(f, 0, SEEK_SET)) {
		/* the exact size, so that a sanitizer sees reads past it */
		data = malloc(size ? (size_t)size : 1);
		if (data && fread(data, 1, (size_t)size, f) == (size_t)size) {
			LLVMFuzzerTestOneInput(data, (size_t)size);
			r = 0;
		}
	}
	free(data);
	fclose(f);
	return r;
}

static int replay_folder(const char *folder, unsigned int *n)
{
	DIR *dir = opendir(folder);
	struct dirent *e;
	int r = 0;

	if (!dir)
		return -1;
	while ((e = readdir(dir))) {
		char path[4096];

		if (e->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", folder, e->d_name);
		if (replay_file(path)) {
			printf("# cannot read %s\n", path);
			r = -1;
		}
		++*n;
	}
	closedir(dir);
	return r;
}

int main(int argc, char **argv)
{
	int bad = 0;

	printf("1..%d\n", argc - 1);
	for (int i = 1; i < argc; i++) {
		unsigned int n = 0;
		int r = replay_folder(argv[i], &n);

		/* nothing read is nothing shown */
		if (!n)
			r = -1;
		printf("%sok %d - %u inputs of %s\n", r ? "not " : "", i, n,
		       argv[i]);
		bad |= r;
	}
	return bad != 0;
}

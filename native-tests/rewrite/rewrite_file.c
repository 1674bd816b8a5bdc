/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * rewrite_file [--probe CLASS] [--first-id N] [--kinds N] IN OUT: puts probes into every method of a
 * class file, or of all class files below a folder, so that they can be looked at with javap
 * and run. Ids are counted from N (1); kinds are a set as a number: 1 timed, 2 at the entry alone, 3 both.
 * What cannot be rewritten is copied.
 *
 * Exit: 0 done (a line on standard error for each class or method that stays as it is), 1 a
 * file could not be read or written, 2 usage.
 */
#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "agent/rewrite/rewrite.h"

static uint32_t next_id = 1;
static probe_set kinds = PROBE_TIMED;
static const char *in_root, *out_root;
static struct rewrite_request request;
static unsigned long classes, methods, untouched;

static struct rewrite_probes give_id(void *user, const struct rewrite_method *method)
{
	return (struct rewrite_probes){.kinds = kinds, .id = next_id++};
}

static void say_untouched(
	void *user, const struct rewrite_method *method, enum rewrite_reason why)
{
	untouched++;
	fprintf(stderr, "%s.%s%s: %s\n", method->class_name, method->name, method->descriptor,
		rewrite_reason_text(why));
}

static uint8_t *file_read(const char *path, size_t *size)
{
	FILE *file = fopen(path, "rb");
	uint8_t *bytes = NULL;
	struct stat status;

	if (file && fstat(fileno(file), &status) == 0) {
		*size = (size_t)status.st_size;
		bytes = malloc(*size + 1);
		if (bytes && fread(bytes, 1, *size, file) != *size) {
			free(bytes);
			bytes = NULL;
		}
	}
	if (file)
		fclose(file);
	return bytes;
}

static int file_write(const char *path, const uint8_t *bytes, size_t size)
{
	FILE *file = fopen(path, "wb");
	int failed = !file || fwrite(bytes, 1, size, file) != size;

	if (file && fclose(file) != 0)
		failed = 1;
	return failed ? -1 : 0;
}

static int rewrite(const char *in, const char *out)
{
	struct rewrite_result result;
	enum rewrite_reason reason;
	size_t size = 0;
	uint8_t *bytes = file_read(in, &size);
	int done;

	if (!bytes) {
		fprintf(stderr, "cannot read '%s': %s\n", in, strerror(errno));
		return 1;
	}
	reason = rewrite_class(bytes, size, &request, &result);
	if (reason != REWRITE_OK) {
		untouched++;
		fprintf(stderr, "%s: %s\n", in, rewrite_reason_text(reason));
	}
	classes++;
	methods += result.methods;
	done = result.bytes ? file_write(out, result.bytes, result.size)
			    : file_write(out, bytes, size);
	if (done != 0)
		fprintf(stderr, "cannot write '%s': %s\n", out, strerror(errno));
	free(result.bytes);
	free(bytes);
	return done == 0 ? 0 : 1;
}

static int visit(const char *path, const struct stat *status, int type, struct FTW *at)
{
	const char *end = strrchr(path, '.');
	char out[4096];

	snprintf(out, sizeof(out), "%s%s", out_root, path + strlen(in_root));
	if (type == FTW_D)
		return mkdir(out, 0777) != 0 && errno != EEXIST;
	if (type != FTW_F || !end || strcmp(end, ".class") != 0)
		return 0;
	return rewrite(path, out);
}

int main(int argc, char **argv)
{
	int i = 1, failed;
	struct stat status;

	request = (struct rewrite_request){
		.probes = give_id, .untouched = say_untouched, .probe = "Probe"};
	for (; i + 1 < argc && strncmp(argv[i], "--", 2) == 0; i += 2) {
		if (strcmp(argv[i], "--probe") == 0)
			request.probe = argv[i + 1];
		else if (strcmp(argv[i], "--first-id") == 0)
			next_id = (uint32_t)strtoul(argv[i + 1], NULL, 0);
		else if (strcmp(argv[i], "--kinds") == 0)
			kinds = (probe_set)strtoul(argv[i + 1], NULL, 0);
		else
			break;
	}
	if (argc - i != 2) {
		fprintf(stderr, "usage: %s [--probe CLASS] [--first-id N] [--kinds N] IN OUT\n",
			*argv);
		return 2;
	}
	in_root = argv[i];
	out_root = argv[i + 1];
	if (stat(in_root, &status) == 0 && S_ISDIR(status.st_mode))
		failed = nftw(in_root, visit, 16, FTW_PHYS);
	else
		failed = rewrite(in_root, out_root);
	fprintf(stderr, "%lu classes, %lu methods, %lu not rewritten\n", classes, methods,
		untouched);
	return failed ? 1 : 0;
}

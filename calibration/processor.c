/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* processor: see processor.h. The file: proc(5), "/proc/cpuinfo". */
#include "calibration/processor.h"

#include <string.h>

enum field { MODEL, IMPLEMENTER, PART, FIELDS };

struct found {
	char value[FIELDS][128];
};

/* Keeps the line's value, if it is the first of a field. */
static void look(struct found *found, char *line)
{
	static const char *const names[FIELDS] = {"model name", "CPU implementer", "CPU part"};
	char *value = strstr(line, ": ");

	line[strcspn(line, "\n")] = '\0';
	for (int i = 0; i < FIELDS && value; i++)
		if (strncmp(line, names[i], strlen(names[i])) == 0 && !found->value[i][0])
			snprintf(found->value[i], sizeof(found->value[i]), "%s", value + 2);
}

bool processor_model_in(FILE *text, char *model, size_t size)
{
	struct found found = {0};
	char line[256];

	while (fgets(line, sizeof(line), text))
		look(&found, line);
	model[0] = '\0';
	if (found.value[MODEL][0])
		snprintf(model, size, "%s", found.value[MODEL]);
	else if (found.value[IMPLEMENTER][0] && found.value[PART][0])
		snprintf(model, size, "implementer %s part %s", found.value[IMPLEMENTER],
			found.value[PART]);
	return model[0] != '\0';
}

bool processor_model(char *model, size_t size)
{
	FILE *text = fopen("/proc/cpuinfo", "re");
	bool known;

	model[0] = '\0';
	if (!text)
		return false;
	known = processor_model_in(text, model, size);
	fclose(text);
	return known;
}

/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* verbs: what the control channel may ask of the agent (docs/control-protocol.md). */
#ifndef JPROF_AGENT_VERBS_H
#define JPROF_AGENT_VERBS_H

#include "agent/control/control.h"

/* Ends with a NULL name. */
extern const struct control_verb agent_verbs[];

#endif

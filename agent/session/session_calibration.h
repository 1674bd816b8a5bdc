/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * session_calibration: puts the calibration that fits a session into its profile, so that its
 * reader can take jprof's own cost out. What is recorded does not depend on it.
 */
#ifndef JPROF_SESSION_CALIBRATION_H
#define JPROF_SESSION_CALIBRATION_H

#include "agent/session/session.h"

/* By the option `calibration`: notes "calibration", the whole text; or, where one was asked for
 * that is not fit, "calibration.refused", the reason, which it says in the log. Behind all other
 * notes: what a calibration has to be for is among them. */
void session_calibrate(struct session *session);

#endif

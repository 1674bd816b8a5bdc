// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
//
// heartbeat: a served page asks for the status each second while it is seen: its server ends a minute after the last request. Browsers
// stop the timers of hidden pages: then it says so once. When it goes, it says that, too.

import { fetchStatus, leave, Refused, type Status } from './server';

const PERIOD = 1000; /* ms */
const PATIENCE = 5; /* questions without an answer, after which the server is taken for gone */

export interface Heartbeat {
	/** Asks now. */
	beat(): Promise<void>;
}

/** onRefused gets the server's words where it answers that there is no status now. */
export function startHeartbeat(
	onStatus: (status: Status) => void,
	onGone: () => void,
	onRefused: (why: string) => void = () => undefined,
): Heartbeat {
	let timer = 0;
	let unanswered = 0;

	const beat = async () => {
		window.clearTimeout(timer);
		try {
			onStatus(await fetchStatus(document.hidden));
			unanswered = 0;
		} catch (error) {
			if (error instanceof Refused) {
				unanswered = 0;
				onRefused(error.message);
			} else {
				unanswered++;
				if (unanswered === PATIENCE) onGone();
			}
		}
		window.clearTimeout(timer);
		if (!document.hidden && unanswered < PATIENCE) timer = window.setTimeout(() => void beat(), PERIOD);
	};

	document.addEventListener('visibilitychange', () => void beat());
	window.addEventListener('pagehide', leave);
	void beat();
	return { beat };
}

/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * rules: the table of rules, in the order of what is most often worth something. docs/findings.md has what the rows say
 * (a test compares).
 *
 * Shares below 5 % are left alone: who mends that gains no more than what runs differ by anyhow.
 */
#include "report/findings/search.h"

#define BUSY "processor time and I/O"
#define CPU  "processor time"

const struct finding_rule finding_rules[] = {
	{.name = "small-writes",
		.what = "many small writes: a stream without a buffer",
		.unit = "ns",
		.whole = BUSY,
		.least = 50 * MILLISECONDS,
		.share = 0.05,
		.count = 1000,
		.counted = "writes",
		.besides = "512 bytes on average or less, more than ten for each opening; "
			   "to sockets only where there are more than twice as many sends "
			   "as receives, no datagrams",
		.reason = "a write costs a system call and a crossing into native code, "
			  "about a microsecond, however small it is; buffered streams "
			  "write 8 KB at a time, sixteen times as much; a send that an "
			  "answer follows cannot wait, and a datagram is a message of its "
			  "own",
		.advice = "Write through a BufferedOutputStream or BufferedWriter (or into "
			  "a ByteBuffer), and flush where somebody waits for it.",
		.find = find_small_writes},
	{.name = "small-reads",
		.what = "many small reads: a stream without a buffer",
		.unit = "ns",
		.whole = BUSY,
		.least = 50 * MILLISECONDS,
		.share = 0.05,
		.count = 1000,
		.counted = "reads",
		.besides = "of files that are no archives, 512 bytes on average or less, "
			   "more than ten for each opening",
		.reason = "as with small writes; what is read of pipes and sockets waits "
			  "for somebody, and tells nothing",
		.advice = "Read through a BufferedInputStream or BufferedReader, or the "
			  "whole file at once (Files.readAllBytes).",
		.find = find_small_reads},
	{.name = "reopened-file",
		.what = "a file that is opened again and again",
		.unit = "ns",
		.whole = BUSY,
		.least = 50 * MILLISECONDS,
		.share = 0.05,
		.count = 100,
		.counted = "openings",
		.besides = "of one name; where 64 KB or less are read and written each "
			   "time all I/O with the file counts, else openings and closings",
		.reason = "a hundred openings of one file are no longer a matter of "
			  "several places that each need it once",
		.advice = "Open it once and keep it open, or keep what was read of it.",
		.find = find_reopened_file},
	{.name = "reopened-archive",
		.what = "an archive that is opened again and again",
		.unit = "ns",
		.whole = BUSY,
		.least = 50 * MILLISECONDS,
		.share = 0.05,
		.count = 20,
		.counted = "openings",
		.besides = "of one name, of which entries were read; what openings, "
			   "closings and reading the archive's directory took; or else the "
			   "same of processor time, in ZipFile's constructor and what that "
			   "calls (20 samples or more)",
		.reason = "each opening reads the archive's directory, so fewer of them "
			  "matter than of other files; making the JDK's tables of it comes "
			  "on top, as processor time",
		.advice = "Keep the ZipFile, JarFile or file system open; for resources of "
			  "class loaders keep URLConnection's caches on (setUseCaches).",
		.find = find_reopened_archive},
	{.name = "archive-entries",
		.what = "entries of an archive that are read one by one",
		.unit = "ns",
		.whole = BUSY,
		.least = 50 * MILLISECONDS,
		.share = 0.05,
		.count = 1000,
		.counted = "entries",
		.besides = "reads of 4 KB on average or less, more than ten for each "
			   "opening of the archive",
		.reason = "each entry costs two reads or more, of its header and of its "
			  "bytes, where one that goes through the archive reads 8 KB at a "
			  "time",
		.advice = "Go through the archive once (ZipInputStream on a "
			  "BufferedInputStream), unpack it before, or keep what was read.",
		.find = find_archive_entries},
	{.name = "sync-per-record",
		.what = "each record is forced to the disk by itself",
		.unit = "ns",
		.whole = BUSY,
		.least = 100 * MILLISECONDS,
		.share = 0.05,
		.count = 100,
		.counted = "syncs",
		.besides = "ten writes or fewer for each sync, to files that are synced at "
			   "all",
		.reason = "a sync waits for the device, from some 20 us to 10 ms; with "
			  "more writes to each it is done by group already",
		.advice = "Force several records together (group commit), or at the end; "
			  "check that each record needs to outlive a power failure.",
		.find = find_sync},
	{.name = "host-lookups",
		.what = "the name of a host that is looked up again and again",
		.unit = "ns",
		.whole = BUSY,
		.least = 50 * MILLISECONDS,
		.share = 0.05,
		.count = 100,
		.counted = "look-ups",
		.besides = "of one name",
		.reason = "the JDK keeps what it found for 30 s, and failures for 10 s: a "
			  "hundred look-ups that pass it by are meant otherwise, or made "
			  "without it",
		.advice = "Keep the InetAddress, or see networkaddress.cache.ttl and "
			  "networkaddress.cache.negative.ttl; getHostName of an address "
			  "asks the name server, too: getHostString does not.",
		.find = find_names},
	{.name = "exceptions",
		.what = "exceptions by the thousands: their stack traces",
		.unit = "ns",
		.whole = CPU,
		.least = 100 * MILLISECONDS,
		.share = 0.05,
		.besides = "in Throwable.fillInStackTrace, known by samples (20 or more) "
			   "or by timed calls",
		.reason = "that is spent on nothing but the making of exceptions: each "
			  "takes from half a microsecond on, more with each frame of the "
			  "stack",
		.advice = "Throw where something is wrong, not to tell a usual result; "
			  "where it must be, an exception without a stack trace (the "
			  "constructor with writableStackTrace) costs next to nothing.",
		.find = find_exceptions},
	{.name = "exceptional-exits",
		.what = "calls that end by an exception, where calls are timed",
		.unit = "exits",
		.whole = "timed calls",
		.least = 10000,
		.share = 0.05,
		.besides = "not where the rule 'exceptions' has found something",
		.reason = "an exception that is caught somewhere above ends each call on "
			  "its way: in twenty calls more than one is no exception any "
			  "more; what it took is not known, so this is no more than a hint",
		.advice = "See who throws: samples beside (--sample cpu:1ms) tell what "
			  "their stack traces take.",
		.find = find_exceptional_exits},
	{.name = "regex-compile",
		.what = "regular expressions that are compiled again and again",
		.unit = "ns",
		.whole = CPU,
		.least = 100 * MILLISECONDS,
		.share = 0.05,
		.besides = "in Pattern.compile and what it calls; 20 samples or more",
		.reason = "a pattern is compiled once, if it is kept: String.split, "
			  "replaceAll and matches compile theirs at each call",
		.advice = "Keep the Pattern in a static field; String.split with one plain "
			  "character, and String.replace, need none.",
		.find = find_pattern_compile},
	{.name = "format",
		.what = "String.format where much text is made",
		.unit = "ns",
		.whole = CPU,
		.least = 100 * MILLISECONDS,
		.share = 0.10,
		.besides = "in Formatter.format and what it calls; 20 samples or more",
		.reason = "it reads its format anew at each call, and takes ten times as "
			  "long as appending, or more; text has to be made somehow, hence "
			  "a larger share",
		.advice = "Append to a StringBuilder, or make the text only where it is "
			  "shown (a log level that is off).",
		.find = find_format},
	{.name = "format-objects",
		.what = "formats of dates and numbers that are made again and again",
		.unit = "ns",
		.whole = CPU,
		.least = 100 * MILLISECONDS,
		.share = 0.05,
		.besides = "in constructors of SimpleDateFormat and DecimalFormat, "
			   "getInstance and its like of NumberFormat and DateFormat, "
			   "DateTimeFormatter.ofPattern; 20 samples or more",
		.reason = "they read the data of a locale and compile their pattern; one "
			  "is enough for a thread",
		.advice = "Keep a DateTimeFormatter in a static field (it may be shared), "
			  "a SimpleDateFormat or DecimalFormat for each thread.",
		.find = find_date_format},
	{.name = "intern",
		.what = "strings that are interned",
		.unit = "ns",
		.whole = CPU,
		.least = 100 * MILLISECONDS,
		.share = 0.05,
		.besides = "in String.intern; 20 samples or more",
		.reason = "the JVM's table is shared by all threads and made for "
			  "constants; a map of the program's own is several times as fast",
		.advice = "Use a HashMap or ConcurrentHashMap of the program's own, or "
			  "none.",
		.find = find_intern},
	{.name = "called-often",
		.what = "a method that one place calls by the million",
		.unit = "ns",
		.whole = CPU,
		.least = 100 * MILLISECONDS,
		.share = 0.20,
		.count = 1000000,
		.counted = "calls",
		.besides = "not recursive; nine tenths of its time below one caller (and "
			   "of its calls, where they have callers), 1,000 calls or more "
			   "for each call of that, 2 us a call or less; what probes took "
			   "of it is left out",
		.reason = "a call that is that short takes so much only because of its "
			  "number: the loop around it is what to change; longer calls are "
			  "work of their own",
		.advice = "Call it less: another data structure, an index, a result that "
			  "is kept, a loop that ends earlier.",
		.find = find_called_often},
	{.name = "garbage-collection",
		.what = "collecting garbage takes much of the processors",
		.unit = "ns",
		.whole = "processor time of all threads",
		.least = 200 * MILLISECONDS,
		.share = 0.10,
		.besides = "by samples of processor time, which the collector's threads "
			   "have, too",
		.reason = "G1 aims at 8 % of the time or less, the parallel collector at 1 "
			  "%",
		.advice = "Allocate less in the place that is named, or give the JVM a "
			  "larger heap (-Xmx): with little room left it collects again and "
			  "again.",
		.find = find_collection},
	{.name = "allocation",
		.what = "most garbage is made in one place",
		.unit = "bytes",
		.whole = "bytes",
		.least = 1000000000,
		.share = 0.25,
		.count = 1000000000,
		.counted = "bytes in a second of processor time",
		.besides = "one method of the program has that share of all bytes",
		.reason = "allocating is cheap, but what is more than a gigabyte in each "
			  "second of processor time goes through the caches as well; it is "
			  "a part of the bytes, not of the time, so never more than a hint",
		.advice = "Look at what is made there at each call: boxes, copies, "
			  "strings, streams; --sample alloc:512k tells the classes.",
		.find = find_allocation},
	{.name = "locks",
		.what = "threads that wait for locks that others have",
		.unit = "ns",
		.whole = "time in which threads ran or so waited",
		.least = 500 * MILLISECONDS,
		.share = 0.10,
		.besides = "needs samples by the clock (wall:): within lock() of "
			   "java.util.concurrent; with samples of processor time beside "
			   "also in a Java method that is not native, less what the "
			   "collector used for each thread, and more of it where "
			   "processors are scarce",
		.reason = "what sleeps, or waits for input or a signal, does so in a "
			  "native method; what waits elsewhere wants to enter synchronized "
			  "code, or a collection has stopped it, which only samples of "
			  "processor time tell",
		.advice = "Hold the lock shorter, one lock for each part of the data, or a "
			  "structure of java.util.concurrent. For synchronized code record "
			  "with --sample wall:10ms+cpu:1ms.",
		.find = find_locks},
	{.name = "mostly-waits",
		.what = "the program is seldom on a processor",
		.unit = "ns",
		.whole = "the recording's length",
		.least = 2 * SECONDS,
		.share = 0.80,
		.besides = "of the whole process, of an interval (--snapshot) that of the "
			   "program's threads, without what threads waited for a "
			   "processor; not of chosen threads (--thread), nor where there "
			   "are samples by the clock",
		.reason = "then processor time, which all else here is about, is not what "
			  "the program is slow by, or there is nothing to do; which of "
			  "both the profile does not know",
		.advice = "If it should have been busy: 'jprof run --sample wall:10ms' "
			  "tells where threads wait, --view connections and --view files "
			  "tell of I/O.",
		.find = find_mostly_waits},
	{.name = "no-processor",
		.what = "threads that could run and had no processor",
		.unit = "ns",
		.whole = "that and processor time",
		.least = 500 * MILLISECONDS,
		.share = 0.20,
		.besides = "as the kernel counted it for each thread",
		.reason = "the JVM's compilers and its collector take some in passing",
		.advice = "Run it where nothing else runs, on more processors, or with "
			  "fewer threads than wait for one another; in a container see its "
			  "CPU limit.",
		.find = find_no_processor},
	{.name = "many-threads",
		.what = "threads by the thousands",
		.unit = "threads",
		.whole = CPU,
		.least = 1000,
		.share = 0.05,
		.besides = "that have ended; no virtual ones, none of the JVM's; each "
			   "taken as 60 us",
		.reason = "to start and to end a thread takes the JVM and the system 50 to "
			  "100 us of processor time",
		.advice = "Use a pool (Executors), or virtual threads from JDK 21 on.",
		.find = find_threads},
	{.name = "interpreted",
		.what = "a hot method that is not compiled",
		.unit = "ns",
		.whole = CPU,
		.least = 500 * MILLISECONDS,
		.share = 0.05,
		.count = 100000,
		.counted = "calls, where there are no samples",
		.besides = "nine tenths of its samples in Java code are interpreted (of "
			   "its calls, where there are none); or the JVM is in interpreted "
			   "mode",
		.reason = "what takes half a second is compiled long before, unless the "
			  "compilers refuse it: methods of more than 8,000 bytes of "
			  "bytecode, some odd loops, a full code cache",
		.advice = "Split the method (the JIT leaves those of more than 8,000 bytes "
			  "of bytecode alone: -XX:-DontCompileHugeMethods), or see "
			  "-XX:+PrintCompilation.",
		.find = find_interpreted},
	{.name = "compiling",
		.what = "the JVM's compilers take a large part: a short run",
		.unit = "ns",
		.whole = "processor time of all threads",
		.least = 500 * MILLISECONDS,
		.share = 0.30,
		.besides = "by samples of processor time, which the compilers' threads "
			   "have, too",
		.reason = "in a run of minutes it is a few percent",
		.advice = "For a program that is always short: class data sharing, "
			  "-XX:TieredStopAtLevel=1, an ahead-of-time cache. To learn of a "
			  "long-running one record it when it is warm ('jprof attach', "
			  "--snapshot).",
		.find = find_compiling},

	/* By traces. */
	{.name = "lock-contention",
		.what = "a lock that others had while threads waited for it",
		.unit = "ns",
		.whole = "the time that locks were traced",
		.least = 500 * MILLISECONDS,
		.share = 0.10,
		.besides = "traces=locks; waits of all threads for one lock together, those "
			   "that are "
			   "unfinished, too",
		.reason = "a tenth of the time is what one thread could gain; where it finds "
			  "something, the rule 'locks', which has it by samples, is left out",
		.advice = "Hold the lock shorter in the place that is named, one lock for each "
			  "part of the data, or a structure of java.util.concurrent.",
		.find = find_lock_contention},
	{.name = "gc-pauses",
		.what = "collections that stop the program",
		.unit = "ns",
		.whole = "the time that collections were traced",
		.least = 200 * MILLISECONDS,
		.share = 0.10,
		.besides = "traces=gc; or one pause of 200 ms or more, however short all are",
		.reason = "while they last nothing of the program runs; a fifth of a second is "
			  "what a user notices, and what G1 aims to stay below",
		.advice = "See the cause in --view gc; allocate less, give the heap more room "
			  "(-Xmx), or take a concurrent collector (-XX:+UseZGC).",
		.find = find_pauses},
	{.name = "heap-nearly-full",
		.what = "a heap that collections do not empty",
		.unit = "bytes",
		.whole = "the heap",
		.share = 0.85,
		.count = 10,
		.counted = "pauses, the last ones",
		.besides =
			"traces=gc; after each of them; and the heap has not grown meanwhile",
		.reason =
			"a heap that can grow still has room; one that is that full after ten "
			"pauses is about to be collected all the time",
		.advice = "Give it more (-Xmx), or see what stays: --traces objects, --view "
			  "alive.",
		.find = find_full_heap},
	{.name = "explicit-gc",
		.what = "collections that the program asks for",
		.unit = "ns",
		.whole = "the time that collections were traced",
		.least = 50 * MILLISECONDS,
		.count = 3,
		.counted = "collections",
		.besides = "traces=gc; pauses with the cause System.gc()",
		.reason = "one or two may be meant, at the begin or before a measurement; each "
			  "looks at the whole heap",
		.advice = "Take the call out, or see -XX:+ExplicitGCInvokesConcurrent and "
			  "-XX:+DisableExplicitGC.",
		.find = find_explicit_gc},
	{.name = "exceptions-thrown",
		.what = "exceptions that are thrown by the thousands",
		.unit = "exceptions",
		.whole = "processor time, as estimated",
		.least = 10000,
		.count = 1000,
		.counted = "in a second of tracing",
		.besides = "traces=exceptions; never more than medium",
		.reason =
			"a program that starts throws some thousands; so many in each second "
			"tell usual results. What they cost is estimated, 1 us each and 50 ns "
			"for each frame: what samples find is in the rule 'exceptions'",
		.advice = "Return a result where the exception is caught right away, or throw "
			  "one "
			  "without a stack trace (the constructor with writableStackTrace).",
		.find = find_thrown},
	{.name = "class-churn",
		.what = "classes that are loaded and unloaded all the time",
		.unit = "classes",
		.whole = "classes that were loaded while they were traced",
		.least = 500,
		.share = 0.50,
		.besides = "traces=classes; medium",
		.reason = "classes stay, as a rule; half of them gone again means loaders or "
			  "classes that are made in a loop, and each is parsed, linked and "
			  "compiled anew",
		.advice = "Keep the class loader, script engine or generated class, and use it "
			  "again.",
		.find = find_class_churn},
	{.name = "deoptimization-storm",
		.what = "compiled code that is left again and again in one place",
		.unit = "traps",
		.whole = "traps",
		.least = 200,
		.count = 1,
		.counted = "in a second of tracing",
		.besides = "traces=jit; low",
		.reason =
			"the JVM compiles a place anew without its assumption after some four "
			"traps there, and gives a method some hundred",
		.advice =
			"See the reason in --view deoptimizations: usually a type or a branch "
			"that changes; split the method where it is.",
		.find = find_deoptimizations},
	{.name = "slow-now-and-then",
		.what = "a method whose calls are seldom very slow",
		.unit = "ns",
		.whole = "the recording's length",
		.least = 100 * MILLISECONDS,
		.share = 0.05,
		.count = 1000,
		.counted = "calls",
		.besides = "of watched methods; the calls that took more than 20 times the "
			   "median, together; never more than medium",
		.reason = "averages hide such calls; below a twentieth of the time they matter "
			  "to none",
		.advice = "See what the slowest ones did, call by call: --view slowest.",
		.find = find_slow_calls},

	/* On the profile. */
	{.name = "outside",
		.is_note = true,
		.what = "processor time outside all included methods",
		.unit = "ns",
		.whole = CPU,
		.least = 100 * MILLISECONDS,
		.share = 0.20,
		.besides = "where calls have figures of their own, and no samples divide "
			   "them",
		.reason = "a fifth of the time that no method has changes the order of "
			  "what is left",
		.advice = "Include more (--include '+java.util.*'), or take samples beside "
			  "(--calls auto), which have all frames.",
		.find = find_outside},
	{.name = "few-samples",
		.is_note = true,
		.what = "too few samples",
		.unit = "samples",
		.whole = "the whole: what a share of 50 % may be off by",
		.count = 200,
		.counted = "samples, or fewer than that",
		.reason = "two standard errors of one half are 7 % with 200 samples",
		.advice = "Record for longer, or with a shorter period (--sample "
			  "cpu:200us).",
		.find = find_few_samples},
	{.name = "lost-samples",
		.is_note = true,
		.what = "samples that were lost",
		.unit = "samples",
		.whole = "samples of the condition",
		.least = 20,
		.share = 0.05,
		.reason = "they are not lost evenly: where much happens at once",
		.advice = "A longer period, or a larger max_memory.",
		.find = find_lost_samples},
	{.name = "uncertain",
		.is_note = true,
		.what = "figures that are adjusted by about as much as is left",
		.unit = "ns",
		.whole = "the figure",
		.share = 0.50,
		.besides = "of the method that used most itself; where a calibration was "
			   "applied",
		.reason = "what others used is less, and less certain",
		.advice = "Record for longer; with calls=instrument, calibrate on this "
			  "machine when it is idle ('jprof calibrate').",
		.find = find_uncertain},
	{.name = "lost-calls",
		.is_note = true,
		.what = "calls, threads or methods that are missing",
		.unit = "calls",
		.whole = "timed calls",
		.share = 0.001,
		.besides = "or any lost thread or method",
		.reason = "sums are too small by that",
		.advice = "A larger max_memory.",
		.find = find_lost_calls},
	{.name = "folded-paths",
		.is_note = true,
		.what = "call paths that were folded for want of memory",
		.unit = "calls",
		.whole = "calls that have a path",
		.share = 0.01,
		.reason = "totals of methods above them are too small by their part",
		.advice = "A larger max_memory, or fewer methods (--include, --exclude).",
		.find = find_folded},
	{.name = "own-cost",
		.is_note = true,
		.what = "jprof's own cost is large, and in the figures",
		.unit = "ns",
		.whole = CPU,
		.share = 0.25,
		.besides = "without what is taken out",
		.reason = "a quarter is more than most findings are about",
		.advice = "--calibration auto takes it out; --calls auto times what fits a "
			  "budget; --calls sample costs least.",
		.find = find_own_cost},
	{.name = "budget",
		.is_note = true,
		.what = "methods that were too dear to be timed",
		.unit = "methods",
		.whole = "methods that were to be timed",
		.least = 10,
		.share = 0.10,
		.besides = "with calls=auto",
		.reason = "a few are usual, and what samples are for",
		.advice = "--timed PATTERN times those whose callers matter; --budget "
			  "allows more.",
		.find = find_budget},
};

const size_t finding_rule_count = sizeof(finding_rules) / sizeof(finding_rules[0]);

/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * io_native_rows: a row for every native method of the JDK that opens, reads, writes,
 * transfers, closes, deletes, connects, accepts, sends or receives; of JDK 17 to 25 on Linux.
 * Included by io_natives.c alone, for the stand-ins and for the table of them. Rows that a JDK
 * does not have do no harm; the test agent.io-natives finds a native method that has no row.
 *
 *   VALUE(id, class, name, signature, when, type, parameters, arguments, descriptor, done)
 *   NOTHING(id, class, name, signature, when, parameters, arguments, descriptor, done)
 *
 * when:       RECORDING: nothing is done unless operations are recorded; ALWAYS: the holder has
 *             to know
 * parameters, arguments: behind the environment and `self`, the object or the class
 * descriptor: what the call is about; NONE: no descriptor; NOT_YET: it makes one
 * done:       what follows the call, with `call`, `result` and the parameters
 *
 * An operation is a call of the native method; docs/io.md tells which make several system
 * calls.
 */

/* ---- java.io: streams, RandomAccessFile, FileDescriptor ---- */
NOTHING(input_open, "java.io.FileInputStream", "open0", "(Ljava/lang/String;)V", ALWAYS,
	P(jstring path), A(path), NOT_YET, stream_opened(&call, self, INPUT, path))
VALUE(input_read, "java.io.FileInputStream", "read0", "()I", RECORDING, jint, P(), A(),
	OF_FIELD(self, INPUT), stream_read(&call, 1, result < 0 ? -1 : 1))
VALUE(input_bytes, "java.io.FileInputStream", "readBytes", "([BII)I", RECORDING, jint,
	P(jbyteArray to, jint offset, jint length), A(to, offset, length),
	OF_FIELD(self, INPUT), stream_read(&call, length, result))
NOTHING(output_open, "java.io.FileOutputStream", "open0", "(Ljava/lang/String;Z)V", ALWAYS,
	P(jstring path, jboolean append), A(path, append), NOT_YET,
	stream_opened(&call, self, OUTPUT, path))
NOTHING(output_write, "java.io.FileOutputStream", "write", "(IZ)V", RECORDING,
	P(jint byte, jboolean append), A(byte, append), OF_FIELD(self, OUTPUT),
	stream_written(&call, 1))
NOTHING(output_bytes, "java.io.FileOutputStream", "writeBytes", "([BIIZ)V", RECORDING,
	P(jbyteArray from, jint offset, jint length, jboolean append),
	A(from, offset, length, append), OF_FIELD(self, OUTPUT), stream_written(&call, length))
NOTHING(random_open, "java.io.RandomAccessFile", "open0", "(Ljava/lang/String;I)V", ALWAYS,
	P(jstring path, jint mode), A(path, mode), NOT_YET,
	stream_opened(&call, self, RANDOM, path))
VALUE(random_read, "java.io.RandomAccessFile", "read0", "()I", RECORDING, jint, P(), A(),
	OF_FIELD(self, RANDOM), stream_read(&call, 1, result < 0 ? -1 : 1))
VALUE(random_bytes_17, "java.io.RandomAccessFile", "readBytes", "([BII)I", RECORDING, jint,
	P(jbyteArray to, jint offset, jint length), A(to, offset, length),
	OF_FIELD(self, RANDOM), stream_read(&call, length, result))
VALUE(random_bytes_25, "java.io.RandomAccessFile", "readBytes0", "([BII)I", RECORDING, jint,
	P(jbyteArray to, jint offset, jint length), A(to, offset, length),
	OF_FIELD(self, RANDOM), stream_read(&call, length, result))
NOTHING(random_write, "java.io.RandomAccessFile", "write0", "(I)V", RECORDING, P(jint byte),
	A(byte), OF_FIELD(self, RANDOM), stream_written(&call, 1))
NOTHING(random_write_bytes_17, "java.io.RandomAccessFile", "writeBytes", "([BII)V", RECORDING,
	P(jbyteArray from, jint offset, jint length), A(from, offset, length),
	OF_FIELD(self, RANDOM), stream_written(&call, length))
NOTHING(random_write_bytes_25, "java.io.RandomAccessFile", "writeBytes0", "([BII)V", RECORDING,
	P(jbyteArray from, jint offset, jint length), A(from, offset, length),
	OF_FIELD(self, RANDOM), stream_written(&call, length))
NOTHING(descriptor_close, "java.io.FileDescriptor", "close0", "()V", ALWAYS, P(), A(), OF(self),
	closed(&call))
NOTHING(descriptor_cleanup, "java.io.FileCleanable", "cleanupClose0", "(IJ)V", ALWAYS,
	P(jint fd, jlong handle), A(fd, handle), fd, closed(&call))
NOTHING(descriptor_sync_17, "java.io.FileDescriptor", "sync", "()V", RECORDING, P(), A(),
	OF(self), io_call_end(&call, IO_SYNC, 0, thrown(&call)))
NOTHING(descriptor_sync_25, "java.io.FileDescriptor", "sync0", "()V", RECORDING, P(), A(),
	OF(self), io_call_end(&call, IO_SYNC, 0, thrown(&call)))
VALUE(file_create_17, "java.io.UnixFileSystem", "createFileExclusively",
	"(Ljava/lang/String;)Z", RECORDING, jboolean, P(jstring path), A(path), NONE,
	created(&call, path, result))
VALUE(file_create_25, "java.io.UnixFileSystem", "createFileExclusively0",
	"(Ljava/lang/String;)Z", RECORDING, jboolean, P(jstring path), A(path), NONE,
	created(&call, path, result))
VALUE(file_delete, "java.io.UnixFileSystem", "delete0", "(Ljava/io/File;)Z", RECORDING,
	jboolean, P(jobject file), A(file), NONE, file_done(&call, IO_DELETE, file, result))
VALUE(file_rename, "java.io.UnixFileSystem", "rename0", "(Ljava/io/File;Ljava/io/File;)Z",
	RECORDING, jboolean, P(jobject from, jobject to), A(from, to), NONE,
	file_done(&call, IO_MOVE, from, result))

/* ---- java.nio and sun.nio.ch: channels ---- */
#define BUFFERS(id, class, name, returns, type, op)                                            \
	VALUE(id, class, name, "(" FD "JI)" returns, RECORDING, type,                          \
		P(jobject fd, jlong address, jint count), A(fd, address, count), OF(fd),       \
		channel(&call, op, result))
#define DISPATCHER(id, class)                                                                  \
	BUFFERS(id##_read, class, "read0", "I", jint, IO_READ)                                 \
	BUFFERS(id##_write, class, "write0", "I", jint, IO_WRITE)                              \
	BUFFERS(id##_readv, class, "readv0", "J", jlong, IO_READ)                              \
	BUFFERS(id##_writev, class, "writev0", "J", jlong, IO_WRITE)
#define FILE_DISPATCHER(id, class)                                                             \
	DISPATCHER(id, class)                                                                  \
	VALUE(id##_pread, class, "pread0", "(" FD "JIJ)I", RECORDING, jint,                    \
		P(jobject fd, jlong address, jint length, jlong position),                     \
		A(fd, address, length, position), OF(fd),                                      \
		positional_read(&call, position, result))                                      \
	VALUE(id##_pwrite, class, "pwrite0", "(" FD "JIJ)I", RECORDING, jint,                  \
		P(jobject fd, jlong address, jint length, jlong position),                     \
		A(fd, address, length, position), OF(fd), channel(&call, IO_WRITE, result))    \
	VALUE(id##_force, class, "force0", "(" FD "Z)I", RECORDING, jint,                      \
		P(jobject fd, jboolean metadata), A(fd, metadata), OF(fd),                     \
		io_call_end(&call, IO_SYNC, 0, result < 0))                                    \
	NOTHING(id##_closeIntFD, class, "closeIntFD", "(I)V", ALWAYS, P(jint fd), A(fd), fd,   \
		closed(&call))
NOTHING(mapped_force, "java.nio.MappedMemoryUtils", "force0", "(" FD "JJ)V", RECORDING,
	P(jobject fd, jlong address, jlong length), A(fd, address, length), OF(fd),
	io_call_end(&call, IO_SYNC, 0, thrown(&call)))
DISPATCHER(socket, "sun.nio.ch.SocketDispatcher")
DISPATCHER(datagram, "sun.nio.ch.DatagramDispatcher")
FILE_DISPATCHER(file, "sun.nio.ch.FileDispatcherImpl")
FILE_DISPATCHER(unix_file, "sun.nio.ch.UnixFileDispatcherImpl")
NOTHING(file_close0, "sun.nio.ch.FileDispatcherImpl", "close0", "(" FD ")V", ALWAYS,
	P(jobject fd), A(fd), OF(fd), closed(&call))
NOTHING(unix_close0, "sun.nio.ch.UnixDispatcher", "close0", "(" FD ")V", ALWAYS, P(jobject fd),
	A(fd), OF(fd), closed(&call))
NOTHING(file_dup0, "sun.nio.ch.FileDispatcherImpl", "dup0", "(" FD FD ")V", ALWAYS,
	P(jobject fd, jobject to), A(fd, to), OF(fd), found(&call, number_after(jni, to)))
NOTHING(datagram_dup0, "sun.nio.ch.DatagramDispatcher", "dup0", "(" FD FD ")V", ALWAYS,
	P(jobject fd, jobject to), A(fd, to), OF(fd), found(&call, number_after(jni, to)))
VALUE(channel_transfer_to, "sun.nio.ch.FileChannelImpl", "transferTo0", "(" FD "JJ" FD ")J",
	RECORDING, jlong, P(jobject fd, jlong position, jlong count, jobject to),
	A(fd, position, count, to), OF(fd),
	transferred(&call, position, number_after(jni, to), result))
VALUE(file_transfer_to, "sun.nio.ch.FileDispatcherImpl", "transferTo0", "(" FD "JJ" FD "Z)J",
	RECORDING, jlong,
	P(jobject fd, jlong position, jlong count, jobject to, jboolean append),
	A(fd, position, count, to, append), OF(fd),
	transferred(&call, position, number_after(jni, to), result))
VALUE(file_transfer_from, "sun.nio.ch.FileDispatcherImpl", "transferFrom0", "(" FD FD "JJZ)J",
	RECORDING, jlong,
	P(jobject fd, jobject to, jlong position, jlong count, jboolean append),
	A(fd, to, position, count, append), OF(fd),
	transferred(&call, -1, number_after(jni, to), result))
VALUE(channel_map, "sun.nio.ch.FileChannelImpl", "map0", "(IJJZ)J", RECORDING, jlong,
	P(jint mode, jlong position, jlong length, jboolean sync),
	A(mode, position, length, sync), OF_FIELD(self, CHANNEL), mapped(&call, length))
VALUE(unix_map, "sun.nio.ch.UnixFileDispatcherImpl", "map0", "(" FD "IJJZ)J", RECORDING, jlong,
	P(jobject fd, jint mode, jlong position, jlong length, jboolean sync),
	A(fd, mode, position, length, sync), OF(fd), mapped(&call, length))

/* ---- sun.nio.ch: sockets ---- */
VALUE(net_socket, "sun.nio.ch.Net", "socket0", "(ZZZZ)I", ALWAYS, jint,
	P(jboolean v6, jboolean stream, jboolean reuse, jboolean loopback),
	A(v6, stream, reuse, loopback), NONE, opened(&call, result, stream ? IO_TCP : IO_UDP))
NOTHING(net_bind, "sun.nio.ch.Net", "bind0", "(" FD "ZZLjava/net/InetAddress;I)V", ALWAYS,
	P(jobject fd, jboolean v6, jboolean exclusive, jobject address, jint port),
	A(fd, v6, exclusive, address, port), OF(fd), bound(&call))
NOTHING(net_listen, "sun.nio.ch.Net", "listen", "(" FD "I)V", ALWAYS,
	P(jobject fd, jint backlog), A(fd, backlog), OF(fd), bound(&call))
VALUE(net_connect, "sun.nio.ch.Net", "connect0", "(Z" FD "Ljava/net/InetAddress;I)I", ALWAYS,
	jint, P(jboolean v6, jobject fd, jobject address, jint port), A(v6, fd, address, port),
	OF(fd), connected_to(&call, result, address, port))
VALUE(net_poll_connect, "sun.nio.ch.Net", "pollConnect", "(" FD "J)Z", ALWAYS, jboolean,
	P(jobject fd, jlong timeout), A(fd, timeout), OF(fd), waited(&call))
NOTHING(asynchronous_connect, "sun.nio.ch.UnixAsynchronousSocketChannelImpl", "checkConnect",
	"(I)V", ALWAYS, P(jint fd), A(fd), fd, waited(&call))
VALUE(net_accept, "sun.nio.ch.Net", "accept", "(" FD FD "[Ljava/net/InetSocketAddress;)I",
	ALWAYS, jint, P(jobject fd, jobject accepted, jobjectArray address),
	A(fd, accepted, address), OF(fd), accepted_one(&call, result, accepted, false))
VALUE(net_urgent, "sun.nio.ch.Net", "sendOOB", "(" FD "B)I", RECORDING, jint,
	P(jobject fd, jbyte data), A(fd, data), OF(fd), channel(&call, IO_WRITE, result))
VALUE(datagram_receive, "sun.nio.ch.DatagramChannelImpl", "receive0", "(" FD "JIJZ)I",
	RECORDING, jint,
	P(jobject fd, jlong to, jint length, jlong sender, jboolean is_connected),
	A(fd, to, length, sender, is_connected), OF(fd), channel(&call, IO_READ, result))
VALUE(datagram_send, "sun.nio.ch.DatagramChannelImpl", "send0", "(" FD "JIJI)I", RECORDING,
	jint, P(jobject fd, jlong from, jint length, jlong target, jint target_length),
	A(fd, from, length, target, target_length), OF(fd), channel(&call, IO_WRITE, result))
NOTHING(datagram_disconnect, "sun.nio.ch.DatagramChannelImpl", "disconnect0", "(" FD "Z)V",
	ALWAYS, P(jobject fd, jboolean v6), A(fd, v6), OF(fd), bound(&call))
VALUE(unix_socket, "sun.nio.ch.UnixDomainSockets", "socket0", "()I", ALWAYS, jint, P(), A(),
	NONE, opened(&call, result, IO_UNIX))
NOTHING(unix_bind, "sun.nio.ch.UnixDomainSockets", "bind0", "(" FD "[B)V", ALWAYS,
	P(jobject fd, jbyteArray path), A(fd, path), OF(fd), bound(&call))
VALUE(unix_connect, "sun.nio.ch.UnixDomainSockets", "connect0", "(" FD "[B)I", ALWAYS, jint,
	P(jobject fd, jbyteArray path), A(fd, path), OF(fd),
	connected_to_path(&call, result, path))
VALUE(unix_accept, "sun.nio.ch.UnixDomainSockets", "accept0", "(" FD FD "[Ljava/lang/Object;)I",
	ALWAYS, jint, P(jobject fd, jobject accepted, jobjectArray address),
	A(fd, accepted, address), OF(fd), accepted_one(&call, result, accepted, false))
VALUE(inherited_dup, "sun.nio.ch.InheritedChannel", "dup", "(I)I", ALWAYS, jint, P(jint fd),
	A(fd), fd, found(&call, result))
VALUE(inherited_open, "sun.nio.ch.InheritedChannel", "open0", "(Ljava/lang/String;I)I", ALWAYS,
	jint, P(jstring path, jint mode), A(path, mode), NONE, found(&call, result))
NOTHING(inherited_dup2, "sun.nio.ch.InheritedChannel", "dup2", "(II)V", ALWAYS,
	P(jint fd, jint to), A(fd, to), fd, found(&call, to))
NOTHING(inherited_close, "sun.nio.ch.InheritedChannel", "close0", "(I)V", ALWAYS, P(jint fd),
	A(fd), fd, closed(&call))

/* ---- sun.nio.ch: pipes, and what selectors wake up by ---- */
VALUE(pipe, "sun.nio.ch.IOUtil", "makePipe", "(Z)J", ALWAYS, jlong, P(jboolean blocking),
	A(blocking), NONE, piped(&call, result))
VALUE(pipe_write1, "sun.nio.ch.IOUtil", "write1", "(IB)I", RECORDING, jint,
	P(jint fd, jbyte byte), A(fd, byte), fd, channel(&call, IO_WRITE, result))
VALUE(pipe_drain, "sun.nio.ch.IOUtil", "drain", "(I)Z", RECORDING, jboolean, P(jint fd), A(fd),
	fd, io_call_end(&call, IO_READ, 0, thrown(&call)))
VALUE(pipe_drain1, "sun.nio.ch.IOUtil", "drain1", "(I)I", RECORDING, jint, P(jint fd), A(fd),
	fd, channel(&call, IO_READ, result))
VALUE(epoll, "sun.nio.ch.EPoll", "create", "()I", ALWAYS, jint, P(), A(), NONE,
	opened(&call, result, IO_OTHER))
VALUE(eventfd, "sun.nio.ch.EventFD", "eventfd0", "()I", ALWAYS, jint, P(), A(), NONE,
	opened(&call, result, IO_OTHER))
VALUE(eventfd_set, "sun.nio.ch.EventFD", "set0", "(I)I", RECORDING, jint, P(jint fd), A(fd), fd,
	channel(&call, IO_WRITE, result < 0 ? result : 8))
VALUE(inotify, "sun.nio.fs.LinuxWatchService", "inotifyInit", "()I", ALWAYS, jint, P(), A(),
	NONE, opened(&call, result, IO_OTHER))
NOTHING(watch_pair, "sun.nio.fs.LinuxWatchService", "socketpair", "([I)V", ALWAYS,
	P(jintArray pair), A(pair), NONE, array_opened(&call, pair, 2))

/* ---- sun.nio.fs: Files ---- */
VALUE(nio_open, "sun.nio.fs.UnixNativeDispatcher", "open0", "(JII)I", ALWAYS, jint,
	P(jlong path, jint flags, jint mode), A(path, flags, mode), NONE,
	path_opened(&call, result, path))
VALUE(nio_openat, "sun.nio.fs.UnixNativeDispatcher", "openat0", "(IJII)I", ALWAYS, jint,
	P(jint directory, jlong path, jint flags, jint mode), A(directory, path, flags, mode),
	directory, found_below(&call, result, path))
NOTHING(nio_close, "sun.nio.fs.UnixNativeDispatcher", "close0", "(I)V", ALWAYS, P(jint fd),
	A(fd), fd, closed(&call))
VALUE(nio_dup, "sun.nio.fs.UnixNativeDispatcher", "dup", "(I)I", ALWAYS, jint, P(jint fd),
	A(fd), fd, found(&call, result))
#define NIO_BYTES(id, name, op)                                                                \
	VALUE(id, "sun.nio.fs.UnixNativeDispatcher", name, "(IJI)I", RECORDING, jint,          \
		P(jint fd, jlong address, jint length), A(fd, address, length), fd,            \
		channel(&call, op, result))
NIO_BYTES(nio_read_17, "read", IO_READ)
NIO_BYTES(nio_read_25, "read0", IO_READ)
NIO_BYTES(nio_write_17, "write", IO_WRITE)
NIO_BYTES(nio_write_25, "write0", IO_WRITE)
VALUE(nio_opendir, "sun.nio.fs.UnixNativeDispatcher", "opendir0", "(J)J", ALWAYS, jlong,
	P(jlong path), A(path), NONE, path_opened(&call, result ? dirfd_of(result) : -1, path))
NOTHING(nio_closedir, "sun.nio.fs.UnixNativeDispatcher", "closedir", "(J)V", ALWAYS,
	P(jlong directory), A(directory), dirfd_of(directory), closed(&call))
NOTHING(nio_unlink, "sun.nio.fs.UnixNativeDispatcher", "unlink0", "(J)V", RECORDING,
	P(jlong path), A(path), NONE, path_done(&call, IO_DELETE, path))
NOTHING(nio_rmdir, "sun.nio.fs.UnixNativeDispatcher", "rmdir0", "(J)V", RECORDING,
	P(jlong path), A(path), NONE, path_done(&call, IO_DELETE, path))
NOTHING(nio_unlinkat, "sun.nio.fs.UnixNativeDispatcher", "unlinkat0", "(IJI)V", RECORDING,
	P(jint directory, jlong path, jint flags), A(directory, path, flags), directory,
	path_below_done(&call, IO_DELETE, path))
NOTHING(nio_rename, "sun.nio.fs.UnixNativeDispatcher", "rename0", "(JJ)V", RECORDING,
	P(jlong from, jlong to), A(from, to), NONE, path_done(&call, IO_MOVE, from))
NOTHING(nio_renameat, "sun.nio.fs.UnixNativeDispatcher", "renameat0", "(IJIJ)V", RECORDING,
	P(jint directory, jlong from, jint to_directory, jlong to),
	A(directory, from, to_directory, to), directory, path_below_done(&call, IO_MOVE, from))
VALUE(nio_direct_copy, "sun.nio.fs.LinuxNativeDispatcher", "directCopy0", "(IIJ)I", RECORDING,
	jint, P(jint to, jint fd, jlong cancel), A(to, fd, cancel), fd,
	copied_directly(&call, to, result))
NOTHING(nio_buffered_copy, "sun.nio.fs.UnixFileSystem", "bufferedCopy0", "(IIJIJ)V", RECORDING,
	P(jint to, jint fd, jlong buffer, jint size, jlong cancel),
	A(to, fd, buffer, size, cancel), fd, copied(&call, to, thrown(&call)))
NOTHING(nio_transfer, "sun.nio.fs.UnixCopyFile", "transfer", "(IIJ)V", RECORDING,
	P(jint to, jint fd, jlong cancel), A(to, fd, cancel), fd,
	copied(&call, to, thrown(&call)))

/* ---- processes and host names ---- */
VALUE(process, "java.lang.ProcessImpl", "forkAndExec", "(I[B[B[BI[BI[B[IZ)I", ALWAYS, jint,
	P(jint mode, jbyteArray helper, jbyteArray program, jbyteArray arguments,
		jint argument_count, jbyteArray environment, jint environment_count,
		jbyteArray directory, jintArray pipes, jboolean redirect),
	A(mode, helper, program, arguments, argument_count, environment, environment_count,
		directory, pipes, redirect),
	NONE, array_opened(&call, pipes, 3))
VALUE(host_v4, "java.net.Inet4AddressImpl", "lookupAllHostAddr",
	"(Ljava/lang/String;)[Ljava/net/InetAddress;", RECORDING, jobjectArray, P(jstring host),
	A(host), NONE, string_done(&call, IO_RESOLVE, IO_HOST, host, false))
VALUE(host_v6_17, "java.net.Inet6AddressImpl", "lookupAllHostAddr",
	"(Ljava/lang/String;)[Ljava/net/InetAddress;", RECORDING, jobjectArray, P(jstring host),
	A(host), NONE, string_done(&call, IO_RESOLVE, IO_HOST, host, false))
VALUE(host_v6_25, "java.net.Inet6AddressImpl", "lookupAllHostAddr",
	"(Ljava/lang/String;I)[Ljava/net/InetAddress;", RECORDING, jobjectArray,
	P(jstring host, jint characteristics), A(host, characteristics), NONE,
	string_done(&call, IO_RESOLVE, IO_HOST, host, false))
VALUE(address_v4, "java.net.Inet4AddressImpl", "getHostByAddr", "([B)Ljava/lang/String;",
	RECORDING, jstring, P(jbyteArray address), A(address), NONE,
	address_resolved(&call, address))
VALUE(address_v6, "java.net.Inet6AddressImpl", "getHostByAddr", "([B)Ljava/lang/String;",
	RECORDING, jstring, P(jbyteArray address), A(address), NONE,
	address_resolved(&call, address))

/* ---- java.net of JDK 17: sockets of before NIO, -Djdk.net.usePlainSocketImpl ---- */
NOTHING(plain_create, "java.net.PlainSocketImpl", "socketCreate", "(ZZ)V", ALWAYS,
	P(jboolean stream, jboolean server), A(stream, server), NONE,
	object_opened(&call, self, SOCKET, stream ? IO_TCP : IO_UDP))
NOTHING(plain_connect, "java.net.PlainSocketImpl", "socketConnect",
	"(Ljava/net/InetAddress;II)V", ALWAYS, P(jobject address, jint port, jint timeout),
	A(address, port, timeout), OF_FIELD(self, SOCKET),
	connected_to(&call, 1, address, port))
NOTHING(plain_bind, "java.net.PlainSocketImpl", "socketBind", "(Ljava/net/InetAddress;I)V",
	ALWAYS, P(jobject address, jint port), A(address, port), OF_FIELD(self, SOCKET),
	bound(&call))
NOTHING(plain_accept, "java.net.PlainSocketImpl", "socketAccept", "(Ljava/net/SocketImpl;)V",
	ALWAYS, P(jobject accepted), A(accepted), OF_FIELD(self, SOCKET),
	accepted_one(&call, 0, accepted, true))
NOTHING(plain_close, "java.net.PlainSocketImpl", "socketClose0", "(Z)V", ALWAYS,
	P(jboolean deferred), A(deferred), OF_FIELD(self, SOCKET),
	plain_closed(&call, deferred))
NOTHING(plain_urgent, "java.net.PlainSocketImpl", "socketSendUrgentData", "(I)V", RECORDING,
	P(jint data), A(data), OF_FIELD(self, SOCKET), stream_written(&call, 1))
VALUE(plain_read, "java.net.SocketInputStream", "socketRead0", "(" FD "[BIII)I", RECORDING,
	jint, P(jobject fd, jbyteArray to, jint offset, jint length, jint timeout),
	A(fd, to, offset, length, timeout), OF(fd), stream_read(&call, length, result))
NOTHING(plain_write, "java.net.SocketOutputStream", "socketWrite0", "(" FD "[BII)V", RECORDING,
	P(jobject fd, jbyteArray from, jint offset, jint length), A(fd, from, offset, length),
	OF(fd), stream_written(&call, length))
NOTHING(plain_cleanup, "java.net.SocketCleanable", "cleanupClose0", "(I)V", ALWAYS, P(jint fd),
	A(fd), fd, closed(&call))
NOTHING(plain_datagram_create, "java.net.PlainDatagramSocketImpl", "datagramSocketCreate",
	"()V", ALWAYS, P(), A(), NONE, object_opened(&call, self, DATAGRAM, IO_UDP))
NOTHING(plain_datagram_bind, "java.net.PlainDatagramSocketImpl", "bind0",
	"(ILjava/net/InetAddress;)V", ALWAYS, P(jint port, jobject address), A(port, address),
	OF_FIELD(self, DATAGRAM), bound(&call))
NOTHING(plain_datagram_connect, "java.net.PlainDatagramSocketImpl", "connect0",
	"(Ljava/net/InetAddress;I)V", ALWAYS, P(jobject address, jint port), A(address, port),
	OF_FIELD(self, DATAGRAM), connected_to(&call, 1, address, port))
NOTHING(plain_datagram_disconnect, "java.net.PlainDatagramSocketImpl", "disconnect0", "(I)V",
	ALWAYS, P(jint family), A(family), OF_FIELD(self, DATAGRAM), bound(&call))
NOTHING(plain_datagram_send, "java.net.PlainDatagramSocketImpl", "send0",
	"(Ljava/net/DatagramPacket;)V", RECORDING, P(jobject packet), A(packet),
	OF_FIELD(self, DATAGRAM), packet_done(&call, IO_WRITE, packet))
NOTHING(plain_datagram_receive, "java.net.PlainDatagramSocketImpl", "receive0",
	"(Ljava/net/DatagramPacket;)V", RECORDING, P(jobject packet), A(packet),
	OF_FIELD(self, DATAGRAM), packet_done(&call, IO_READ, packet))
NOTHING(plain_datagram_close, "java.net.PlainDatagramSocketImpl", "datagramSocketClose", "()V",
	ALWAYS, P(), A(), OF_FIELD(self, DATAGRAM), closed(&call))

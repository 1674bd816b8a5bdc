// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors

import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.net.URI;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * How many bytes of class files ASM takes a second, putting in the calls that the agent's rewriter
 * puts in: the classes of java.base, in memory, on one thread.
 *
 * <pre>
 *   AsmSpeed write FILE     writes the classes, each behind its size, for bench_rewrite
 *   AsmSpeed                bytes in, bytes out, methods, and the median of the rounds in MB/s
 * </pre>
 */
final class AsmSpeed {
	private static final int WARM_UP = 10;
	private static final int ROUNDS = 15;
	private static final String PROBE = "java/lang/JprofProbe";

	private static int methods;

	private AsmSpeed() {
	}

	/** Calls at the entry, before returns, in handlers, and a handler for everything else. */
	private static final class Probes extends MethodVisitor {
		private final int id;
		private final boolean constructor;
		private final Label start = new Label();
		private final Set<Label> handlers = new HashSet<>();
		private boolean started; // of what is under the handler
		private boolean atHandler;
		private int fresh; // objects made, but not initialised

		Probes(MethodVisitor next, int id, boolean constructor) {
			super(Opcodes.ASM9, next);
			this.id = id;
			this.constructor = constructor;
		}

		private void call(String name) {
			if (id <= Short.MAX_VALUE)
				super.visitIntInsn(Opcodes.SIPUSH, id);
			else
				super.visitLdcInsn(id);
			super.visitMethodInsn(Opcodes.INVOKESTATIC, PROBE, name, "(I)V", false);
		}

		private void start() {
			started = true;
			super.visitLabel(start);
		}

		@Override
		public void visitCode() {
			super.visitCode();
			call("enter");
			if (!constructor)
				start();
		}

		@Override
		public void visitTryCatchBlock(Label from, Label to, Label handler, String type) {
			handlers.add(handler);
			super.visitTryCatchBlock(from, to, handler, type);
		}

		@Override
		public void visitLabel(Label label) {
			super.visitLabel(label);
			atHandler |= handlers.contains(label);
		}

		@Override
		public void visitFrame(int type, int locals, Object[] local, int depth,
				Object[] stack) {
			super.visitFrame(type, locals, local, depth, stack);
			if (atHandler)
				call("caught");
			atHandler = false;
		}

		@Override
		public void visitTypeInsn(int opcode, String type) {
			if (opcode == Opcodes.NEW)
				fresh++;
			super.visitTypeInsn(opcode, type);
		}

		@Override
		public void visitMethodInsn(int opcode, String owner, String name, String descriptor,
				boolean isInterface) {
			super.visitMethodInsn(opcode, owner, name, descriptor, isInterface);
			if (constructor && !started && opcode == Opcodes.INVOKESPECIAL
					&& name.equals("<init>") && fresh-- == 0)
				start();
		}

		@Override
		public void visitInsn(int opcode) {
			if (opcode >= Opcodes.IRETURN && opcode <= Opcodes.RETURN)
				call("exit");
			super.visitInsn(opcode);
		}

		@Override
		public void visitMaxs(int maxStack, int maxLocals) {
			if (started) {
				Label handler = new Label();

				super.visitTryCatchBlock(start, handler, handler, null);
				super.visitLabel(handler);
				super.visitFrame(Opcodes.F_FULL, 0, null, 1,
						new Object[] {"java/lang/Throwable"});
				call("unwind");
				super.visitInsn(Opcodes.ATHROW);
			}
			super.visitMaxs(maxStack, maxLocals);
		}
	}

	private static final class AllMethods extends ClassVisitor {
		AllMethods(ClassVisitor next) {
			super(Opcodes.ASM9, next);
		}

		@Override
		public MethodVisitor visitMethod(int access, String name, String descriptor,
				String signature, String[] exceptions) {
			MethodVisitor next =
					super.visitMethod(access, name, descriptor, signature, exceptions);

			if ((access & (Opcodes.ACC_ABSTRACT | Opcodes.ACC_NATIVE)) != 0)
				return next;
			return new Probes(next, ++methods, name.equals("<init>"));
		}
	}

	private static byte[] rewrite(byte[] bytes) {
		ClassReader reader = new ClassReader(bytes);
		ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);

		reader.accept(new AllMethods(writer), 0);
		return writer.toByteArray();
	}

	/** ASM knows versions up to some: later classes are labelled so. */
	private static byte[] labelled(byte[] bytes) {
		bytes[7] = (byte) Math.min(bytes[7], Opcodes.V19);
		return bytes;
	}

	private static List<byte[]> classes() throws IOException {
		Path base = FileSystems.getFileSystem(URI.create("jrt:/")).getPath("/modules/java.base");
		List<byte[]> classes = new ArrayList<>();

		try (Stream<Path> files = Files.walk(base)) {
			for (Path file : (Iterable<Path>) files.sorted()::iterator)
				if (file.toString().endsWith(".class")
						&& !file.endsWith("module-info.class"))
					classes.add(labelled(Files.readAllBytes(file)));
		}
		return classes;
	}

	private static void write(Path path) throws IOException {
		try (DataOutputStream out = new DataOutputStream(
				new java.io.BufferedOutputStream(Files.newOutputStream(path)))) {
			for (byte[] bytes : classes()) {
				out.writeInt(bytes.length);
				out.write(bytes);
			}
		}
	}

	public static void main(String[] args) throws IOException {
		ThreadMXBean threads = ManagementFactory.getThreadMXBean();
		double[] speed = new double[ROUNDS];
		long in = 0;
		long out = 0;

		if (args.length == 2) {
			write(Path.of(args[1]));
			return;
		}
		List<byte[]> classes = classes();
		for (int round = -WARM_UP; round < ROUNDS; round++) {
			long start = threads.getCurrentThreadCpuTime();

			methods = 0;
			in = 0;
			out = 0;
			for (byte[] bytes : classes) {
				in += bytes.length;
				out += rewrite(bytes).length;
			}
			if (round >= 0)
				speed[round] = in * 1e3 / (threads.getCurrentThreadCpuTime() - start);
		}
		Arrays.sort(speed);
		System.out.printf("%d %d %d %.1f%n", in, out, methods, speed[ROUNDS / 2]);
	}
}

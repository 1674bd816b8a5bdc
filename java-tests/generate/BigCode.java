// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
package generate;

import java.io.IOException;
import java.nio.file.Path;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** Methods and classes at the limits of the class file (JVM specification, 4.11). */
final class BigCode implements Opcodes {
	static final int CODE = 65535, STACK = 65535, CONSTANTS = 65535, PARAMETERS = 255;
	/* What at most the probes of a method with one return take: three calls with their ids, and
	 * athrow. */
	static final int PROBES = 3 * 6 + 1;

	private BigCode() {
	}

	static void write(Path directory) throws IOException {
		ClassFile big = new ClassFile("BigCode", V17);

		big.method("locals", "(I)I", BigCode::locals);
		big.method("large", "(I)I", code -> adds(code, CODE - PROBES));
		big.method("full", "(I)I", code -> adds(code, CODE));
		big.method("parameters", "(" + "I".repeat(PARAMETERS) + ")I", BigCode::lastParameter);
		big.method("pass", "()I", BigCode::pass);
		big.save(directory);
		deep(directory);
		fullPool(directory);
	}

	/** 258 slots, the last two of them a long: the sum of 0 to 255 and of n. */
	private static void locals(MethodVisitor code) {
		code.visitVarInsn(ILOAD, 0);
		code.visitInsn(I2L);
		code.visitVarInsn(LSTORE, 256);
		for (int i = 0; i < 256; i++) {
			ClassFile.push(code, i);
			code.visitVarInsn(ISTORE, i);
		}
		code.visitVarInsn(LLOAD, 256);
		code.visitInsn(L2I);
		for (int i = 0; i < 256; i++) {
			code.visitVarInsn(ILOAD, i);
			code.visitInsn(IADD);
		}
		code.visitInsn(IRETURN);
	}

	/** A body of exactly so many bytes: n + the increments, after a call of step. */
	private static void adds(MethodVisitor code, int size) {
		int increments = (size - 5) / 3;

		ClassFile.call(code, "BigMethods", "step", "()V"); /* 3 bytes */
		ClassFile.nops(code, size - 5 - 3 * increments);
		ClassFile.increments(code, 0, increments);
		code.visitVarInsn(ILOAD, 0);
		code.visitInsn(IRETURN);
	}

	private static void lastParameter(MethodVisitor code) {
		code.visitVarInsn(ILOAD, PARAMETERS - 1);
		code.visitInsn(IRETURN);
	}

	private static void pass(MethodVisitor code) {
		for (int i = 0; i < PARAMETERS; i++)
			ClassFile.push(code, i);
		ClassFile.call(code, "BigCode", "parameters", "(" + "I".repeat(PARAMETERS) + ")I");
		code.visitInsn(IRETURN);
	}

	/** A method that asks for the deepest operand stack there is: no probe fits on it. */
	private static void deep(Path directory) throws IOException {
		ClassWriter writer = new ClassWriter(0);
		MethodVisitor code;

		writer.visit(V17, ACC_FINAL | ACC_SUPER, "cases/DeepCode", null, "java/lang/Object", null);
		code = writer.visitMethod(ACC_STATIC, "deep", "(I)I", null, null);
		code.visitCode();
		code.visitVarInsn(ILOAD, 0);
		code.visitInsn(IRETURN);
		code.visitMaxs(STACK, 1);
		code.visitEnd();
		writer.visitEnd();
		ClassFile.write(directory, "cases/DeepCode", writer.toByteArray());
	}

	/** No room for the constants of a probe. */
	private static void fullPool(Path directory) throws IOException {
		ClassFile full = new ClassFile("FullPool", V17);
		int last = 0;

		full.method("call", "(I)I", code -> {
			code.visitVarInsn(ILOAD, 0);
			code.visitInsn(IRETURN);
		});
		full.writer.newUTF8("Code");
		for (int i = 1_000_000; last < CONSTANTS - 1; i++)
			last = full.writer.newConst(i);
		full.save(directory);
	}
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
package generate;

import java.io.IOException;
import java.nio.file.Path;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * Subroutines (jsr and ret), which class files had until version 50: `finally` as it was compiled
 * then, and what compilers did not do.
 */
final class OldCode implements Opcodes {
	static final int[] VERSIONS = {V1_1, V1_2, V1_3, V1_4, V1_5};
	static final int NEAR = 4, FAR = 400; /* locals for return addresses */

	private OldCode() {
	}

	static void write(Path directory) throws IOException {
		for (int version : VERSIONS) {
			ClassFile old = new ClassFile("OldCode" + (version & 0xffff), version);

			old.method("last", "(I)I", code -> last(code, NEAR));
			old.method("wideRet", "(I)I", code -> last(code, FAR));
			old.method("returning", "(I)I", OldCode::returning);
			old.method("nested", "(I)I", OldCode::nested);
			old.method("loop", "(I)I", OldCode::loop);
			old.method("leaving", "(I)I", OldCode::leaving);
			old.method("farther", "(I)I", OldCode::farther);
			old.save(directory);
		}
	}

	private static void step(MethodVisitor code) {
		ClassFile.call(code, "OldClasses", "step", "()V");
	}

	/** Throws if the int on the stack is odd; leaves it on the stack if not. */
	private static void work(MethodVisitor code) {
		ClassFile.call(code, "OldClasses", "work", "(I)I");
	}

	private static void subroutine(MethodVisitor code, Label start, int address) {
		code.visitLabel(start);
		code.visitVarInsn(ASTORE, address);
		step(code);
		code.visitVarInsn(RET, address);
	}

	/** `try { r = work(n); } finally { step(); } return r;` */
	private static void last(MethodVisitor code, int address) {
		Label body = new Label(), handler = new Label(), end = new Label(), last = new Label();

		code.visitTryCatchBlock(body, handler, handler, null);
		code.visitLabel(body);
		code.visitVarInsn(ILOAD, 0);
		work(code);
		code.visitVarInsn(ISTORE, 1);
		code.visitJumpInsn(JSR, last);
		code.visitJumpInsn(GOTO, end);
		code.visitLabel(handler);
		code.visitVarInsn(ASTORE, 2);
		code.visitJumpInsn(JSR, last);
		code.visitVarInsn(ALOAD, 2);
		code.visitInsn(ATHROW);
		subroutine(code, last, address);
		code.visitLabel(end);
		code.visitVarInsn(ILOAD, 1);
		code.visitInsn(IRETURN);
	}

	/** `try { return work(n); } finally { step(); }`, the subroutine first in the code. */
	private static void returning(MethodVisitor code) {
		Label body = new Label(), handler = new Label(), last = new Label();

		code.visitTryCatchBlock(body, handler, handler, null);
		code.visitJumpInsn(GOTO, body);
		subroutine(code, last, NEAR);
		code.visitLabel(body);
		code.visitVarInsn(ILOAD, 0);
		work(code);
		code.visitVarInsn(ISTORE, 1);
		code.visitJumpInsn(JSR, last);
		code.visitVarInsn(ILOAD, 1);
		code.visitInsn(IRETURN);
		code.visitLabel(handler);
		code.visitVarInsn(ASTORE, 2);
		code.visitJumpInsn(JSR, last);
		code.visitVarInsn(ALOAD, 2);
		code.visitInsn(ATHROW);
	}

	/** A subroutine that calls another, twice each: 6 steps, and n. */
	private static void nested(MethodVisitor code) {
		Label outer = new Label(), inner = new Label();

		code.visitJumpInsn(JSR, outer);
		code.visitJumpInsn(JSR, outer);
		code.visitVarInsn(ILOAD, 0);
		code.visitInsn(IRETURN);
		code.visitLabel(outer);
		code.visitVarInsn(ASTORE, NEAR);
		step(code);
		code.visitJumpInsn(JSR, inner);
		code.visitJumpInsn(JSR, inner);
		code.visitVarInsn(RET, NEAR);
		subroutine(code, inner, NEAR + 1);
	}

	/** n rounds of two calls of one subroutine; 2 n. */
	private static void loop(MethodVisitor code) {
		Label again = new Label(), end = new Label(), count = new Label();

		ClassFile.push(code, 0);
		code.visitVarInsn(ISTORE, 1);
		code.visitLabel(again);
		code.visitVarInsn(ILOAD, 0);
		code.visitJumpInsn(IFLE, end);
		code.visitJumpInsn(JSR, count);
		code.visitJumpInsn(JSR, count);
		code.visitIincInsn(0, -1);
		code.visitJumpInsn(GOTO, again);
		code.visitLabel(count);
		code.visitVarInsn(ASTORE, NEAR);
		code.visitIincInsn(1, 1);
		step(code);
		code.visitVarInsn(RET, NEAR);
		code.visitLabel(end);
		code.visitVarInsn(ILOAD, 1);
		code.visitInsn(IRETURN);
	}

	/** A subroutine that returns from the method, as of `finally { return -n; }`. */
	private static void leaving(MethodVisitor code) {
		Label body = new Label(), handler = new Label(), last = new Label();

		code.visitTryCatchBlock(body, handler, handler, null);
		code.visitLabel(body);
		code.visitVarInsn(ILOAD, 0);
		work(code);
		code.visitInsn(POP);
		code.visitJumpInsn(JSR, last);
		ClassFile.push(code, 77);
		code.visitInsn(IRETURN);
		code.visitLabel(handler);
		code.visitInsn(POP);
		code.visitJumpInsn(JSR, last);
		ClassFile.push(code, 78);
		code.visitInsn(IRETURN);
		code.visitLabel(last);
		code.visitVarInsn(ASTORE, NEAR);
		step(code);
		code.visitVarInsn(ILOAD, 0);
		code.visitInsn(INEG);
		code.visitInsn(IRETURN);
	}

	/** jsr_w, forwards and backwards: 2 steps, and n + 11,000. */
	private static void farther(MethodVisitor code) {
		Label near = new Label(), body = new Label(), end = new Label();

		code.visitJumpInsn(GOTO, body);
		subroutine(code, near, NEAR);
		code.visitLabel(body);
		code.visitJumpInsn(JSR, end);
		ClassFile.increments(code, 0, 11_000);
		code.visitJumpInsn(JSR, near);
		code.visitVarInsn(ILOAD, 0);
		code.visitInsn(IRETURN);
		subroutine(code, end, NEAR);
	}
}

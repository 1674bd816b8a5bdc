// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
package generate;

import java.io.IOException;
import java.nio.file.Path;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** Constructors that class files may hold, and the Java language may not. */
final class ConstructorCode implements Opcodes {
	static final String PARENT = "cases/ConstructorBranches$Parent";

	private ConstructorCode() {
	}

	static void write(Path directory) throws IOException {
		write(directory, new ClassFile("OldConstructors", V1_4, PARENT));
		write(directory, new ClassFile("NoMapsConstructors", V1_6, PARENT, false));
		write(directory, new ClassFile("NewConstructors", V17, PARENT));
	}

	private static void write(Path directory, ClassFile file) throws IOException {
		file.writer.visitField(0, "early", "I", null, null).visitEnd();
		file.method(0, "<init>", "(I)V", code -> branches(code, file.name));
		file.method(0, "<init>", "(J)V", code -> loop(code, file.name));
		file.method(0, "<init>", "(F)V", ConstructorCode::caughtBefore);
		file.method(0, "<init>", "(D)V", code -> same(code, file.name));
		file.method(0, "<init>", "(Ljava/lang/Object;)V", ConstructorCode::never);
		file.save(directory);
	}

	/** Calls super in the one branch, this in the other, throws in a third. */
	private static void branches(MethodVisitor code, String name) {
		Label other = new Label(), raise = new Label(), end = new Label();

		code.visitVarInsn(ILOAD, 1);
		code.visitJumpInsn(IFLT, raise);
		code.visitVarInsn(ILOAD, 1);
		code.visitJumpInsn(IFNE, other);
		code.visitVarInsn(ALOAD, 0);
		ClassFile.push(code, 1);
		parent(code);
		code.visitJumpInsn(GOTO, end);
		code.visitLabel(other);
		code.visitVarInsn(ALOAD, 0);
		code.visitVarInsn(ILOAD, 1);
		code.visitInsn(I2L);
		code.visitMethodInsn(INVOKESPECIAL, name, "<init>", "(J)V", false);
		code.visitLabel(end);
		code.visitInsn(RETURN);
		code.visitLabel(raise);
		fail(code);
		code.visitInsn(ACONST_NULL);
		code.visitInsn(ATHROW);
	}

	/** A field set, a loop, then super(n); throws before it if n is 13, super does if n is 0. */
	private static void loop(MethodVisitor code, String name) {
		Label again = new Label(), end = new Label(), good = new Label();

		code.visitVarInsn(ALOAD, 0);
		code.visitVarInsn(LLOAD, 1);
		code.visitInsn(L2I);
		code.visitFieldInsn(PUTFIELD, name, "early", "I");
		code.visitVarInsn(LLOAD, 1);
		code.visitInsn(L2I);
		code.visitVarInsn(ISTORE, 3);
		code.visitLabel(again);
		code.visitVarInsn(ILOAD, 3);
		code.visitJumpInsn(IFLE, end);
		code.visitIincInsn(3, -1);
		code.visitJumpInsn(GOTO, again);
		code.visitLabel(end);
		code.visitVarInsn(LLOAD, 1);
		code.visitInsn(L2I);
		ClassFile.push(code, 13);
		code.visitJumpInsn(IF_ICMPNE, good);
		fail(code);
		code.visitLabel(good);
		code.visitVarInsn(ALOAD, 0);
		code.visitVarInsn(LLOAD, 1);
		code.visitInsn(L2I);
		parent(code);
		code.visitInsn(RETURN);
	}

	/** `try { fail(); } catch (IllegalStateException e) { }`, and only then super. */
	private static void caughtBefore(MethodVisitor code) {
		Label start = new Label(), handler = new Label(), next = new Label();

		code.visitTryCatchBlock(start, handler, handler, "java/lang/IllegalStateException");
		code.visitLabel(start);
		fail(code);
		code.visitJumpInsn(GOTO, next);
		code.visitLabel(handler);
		code.visitInsn(POP);
		code.visitLabel(next);
		code.visitVarInsn(ALOAD, 0);
		code.visitVarInsn(FLOAD, 1);
		code.visitInsn(F2I);
		parent(code);
		code.visitInsn(RETURN);
	}

	/** Two uninitialised objects of the same class on the stack, of which one is `this`, in
	 * both branches: only if d >= 1 one of them is made from d - 1. */
	private static void same(MethodVisitor code, String name) {
		Label none = new Label(), end = new Label();

		code.visitVarInsn(ALOAD, 0);
		code.visitVarInsn(DLOAD, 1);
		code.visitInsn(DCONST_1);
		code.visitInsn(DCMPL);
		code.visitJumpInsn(IFLT, none);
		code.visitTypeInsn(NEW, name);
		code.visitInsn(DUP);
		code.visitVarInsn(DLOAD, 1);
		code.visitInsn(DCONST_1);
		code.visitInsn(DSUB);
		code.visitMethodInsn(INVOKESPECIAL, name, "<init>", "(D)V", false);
		code.visitMethodInsn(INVOKEVIRTUAL, PARENT, "value", "()I", false);
		code.visitJumpInsn(GOTO, end);
		code.visitLabel(none);
		ClassFile.push(code, 5);
		code.visitLabel(end);
		parent(code);
		code.visitInsn(RETURN);
	}

	/** Throws, and calls no other constructor at all. */
	private static void never(MethodVisitor code) {
		fail(code);
		code.visitTypeInsn(NEW, "java/lang/IllegalStateException");
		code.visitInsn(DUP);
		code.visitMethodInsn(INVOKESPECIAL, "java/lang/IllegalStateException", "<init>", "()V", false);
		code.visitInsn(ATHROW);
	}

	private static void parent(MethodVisitor code) {
		code.visitMethodInsn(INVOKESPECIAL, PARENT, "<init>", "(I)V", false);
	}

	private static void fail(MethodVisitor code) {
		ClassFile.call(code, "ConstructorBranches", "fail", "()V");
	}
}

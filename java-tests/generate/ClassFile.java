// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
package generate;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** A class file in the making, method after method. It is of the cases' package. */
final class ClassFile implements Opcodes {
	static final String PACKAGE = "cases/";

	interface Body {
		void write(MethodVisitor code);
	}

	final String name; /* internal */
	final ClassWriter writer;

	/** Class files before version 50 have no stack maps. */
	ClassFile(String simpleName, int version) {
		this(simpleName, version, "java/lang/Object");
	}

	ClassFile(String simpleName, int version, String parent) {
		this(simpleName, version, parent, (version & 0xffff) >= V1_6);
	}

	/** Those of version 50 need not have them. */
	ClassFile(String simpleName, int version, String parent, boolean maps) {
		name = PACKAGE + simpleName;
		writer = new ClassWriter(maps ? ClassWriter.COMPUTE_FRAMES : ClassWriter.COMPUTE_MAXS);
		writer.visit(version, ACC_FINAL | ACC_SUPER, name, null, parent, null);
	}

	/** A static method. */
	void method(String method, String descriptor, Body body) {
		method(ACC_STATIC, method, descriptor, body);
	}

	void method(int access, String method, String descriptor, Body body) {
		MethodVisitor code = writer.visitMethod(access, method, descriptor, null, null);

		code.visitCode();
		body.write(code);
		code.visitMaxs(0, 0);
		code.visitEnd();
	}

	byte[] bytes() {
		writer.visitEnd();
		return writer.toByteArray();
	}

	void save(Path directory) throws IOException {
		write(directory, name, bytes());
	}

	static void write(Path directory, String name, byte[] bytes) throws IOException {
		Path file = directory.resolve(name + ".class");

		Files.createDirectories(file.getParent());
		Files.write(file, bytes);
	}

	/* --- the vocabulary of bodies --- */

	static void push(MethodVisitor code, int value) {
		if (value >= -1 && value <= 5)
			code.visitInsn(ICONST_0 + value);
		else if (value == (byte) value)
			code.visitIntInsn(BIPUSH, value);
		else if (value == (short) value)
			code.visitIntInsn(SIPUSH, value);
		else
			code.visitLdcInsn(value);
	}

	/** One byte each. */
	static void nops(MethodVisitor code, int count) {
		for (int i = 0; i < count; i++)
			code.visitInsn(NOP);
	}

	/** Adds 1 to an int so many times, in three bytes each. */
	static void increments(MethodVisitor code, int local, int count) {
		for (int i = 0; i < count; i++)
			code.visitIincInsn(local, 1);
	}

	static void call(MethodVisitor code, String owner, String method, String descriptor) {
		code.visitMethodInsn(INVOKESTATIC, PACKAGE + owner, method, descriptor, false);
	}

	static Label here(MethodVisitor code) {
		Label label = new Label();

		code.visitLabel(label);
		return label;
	}
}

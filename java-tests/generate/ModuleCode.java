// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
package generate;

import java.io.IOException;
import java.nio.file.Path;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.ModuleVisitor;
import org.objectweb.asm.Opcodes;

/** Two named modules, of which neither knows more than java.base and the other. */
final class ModuleCode implements Opcodes {
	private ModuleCode() {
	}

	static void write(Path directory) throws IOException {
		Path modules = directory.resolveSibling("modules");

		module(modules.resolve("lower"), "lower", null);
		entry(modules.resolve("lower"), "lower/Entry", null);
		module(modules.resolve("upper"), "upper", "lower");
		entry(modules.resolve("upper"), "upper/Entry", "lower/Entry");
	}

	private static void module(Path directory, String name, String reads) throws IOException {
		ClassWriter writer = new ClassWriter(0);
		ModuleVisitor module;

		writer.visit(V17, ACC_MODULE, "module-info", null, null, null);
		module = writer.visitModule(name, 0, null);
		module.visitRequire("java.base", ACC_MANDATED, null);
		if (reads != null)
			module.visitRequire(reads, 0, null);
		module.visitExport(name, 0);
		module.visitEnd();
		writer.visitEnd();
		ClassFile.write(directory, "module-info", writer.toByteArray());
	}

	/** `public static int call(int n)`: n, or what the next module's says of n + 1. */
	private static void entry(Path directory, String name, String next) throws IOException {
		ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_MAXS);
		MethodVisitor code;

		writer.visit(V17, ACC_PUBLIC | ACC_FINAL | ACC_SUPER, name, null, "java/lang/Object", null);
		code = writer.visitMethod(ACC_PUBLIC | ACC_STATIC, "call", "(I)I", null, null);
		code.visitCode();
		code.visitIincInsn(0, 1);
		code.visitVarInsn(ILOAD, 0);
		if (next != null)
			code.visitMethodInsn(INVOKESTATIC, next, "call", "(I)I", false);
		code.visitInsn(IRETURN);
		code.visitMaxs(0, 0);
		code.visitEnd();
		writer.visitEnd();
		ClassFile.write(directory, name, writer.toByteArray());
	}
}

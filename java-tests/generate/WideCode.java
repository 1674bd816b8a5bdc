// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
package generate;

import java.io.IOException;
import java.nio.file.Path;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** Wide instructions, and branches as far as they go. */
final class WideCode implements Opcodes {
	static final int FAR = 32767; /* a branch with two bytes of offset goes no further */
	static final int RETURNS = 20;

	/* Two ints and two objects. */
	static final String OPERANDS = "(IILjava/lang/Object;Ljava/lang/Object;)I";

	/** The locals are compared: 0 and 1 are the ints, 2 and 3 the objects. */
	record Branch(String name, int opcode, int... locals) {
	}

	static final Branch[] BRANCHES = {new Branch("ifeq", IFEQ, 0), new Branch("ifne", IFNE, 0),
			new Branch("iflt", IFLT, 0), new Branch("ifge", IFGE, 0),
			new Branch("ifgt", IFGT, 0), new Branch("ifle", IFLE, 0),
			new Branch("if_icmpeq", IF_ICMPEQ, 0, 1), new Branch("if_icmpne", IF_ICMPNE, 0, 1),
			new Branch("if_icmplt", IF_ICMPLT, 0, 1), new Branch("if_icmpge", IF_ICMPGE, 0, 1),
			new Branch("if_icmpgt", IF_ICMPGT, 0, 1), new Branch("if_icmple", IF_ICMPLE, 0, 1),
			new Branch("if_acmpeq", IF_ACMPEQ, 2, 3), new Branch("if_acmpne", IF_ACMPNE, 2, 3),
			new Branch("ifnull", IFNULL, 2), new Branch("ifnonnull", IFNONNULL, 2)};

	private WideCode() {
	}

	static void write(Path directory) throws IOException {
		ClassFile wide = new ClassFile("WideCode", V17);

		wide.method("locals", "(I)Ljava/lang/String;", WideCode::locals);
		wide.method("ahead", "(I)I", WideCode::ahead);
		wide.method("back", "(I)I", WideCode::back);
		wide.method("backEdge", "(I)I", WideCode::backEdge);
		wide.save(directory);
		ClassFile edges = new ClassFile("EdgeCode", V17);
		for (Branch branch : BRANCHES)
			edges.method(branch.name(), OPERANDS, code -> edge(code, branch));
		edges.method("jump", OPERANDS, WideCode::jump);
		edges.save(directory);
	}

	private static void append(MethodVisitor code, String type) {
		code.visitMethodInsn(INVOKEVIRTUAL, "java/lang/StringBuilder", "append",
				"(" + type + ")Ljava/lang/StringBuilder;", false);
	}

	/** Locals above 255 of every type, and iinc by more than a byte holds. */
	private static void locals(MethodVisitor code) {
		code.visitVarInsn(ILOAD, 0);
		code.visitVarInsn(ISTORE, 300);
		code.visitIincInsn(300, 1000);
		code.visitIincInsn(300, -3);
		code.visitIincInsn(0, -32768);
		code.visitLdcInsn(5_000_000_000L);
		code.visitVarInsn(LSTORE, 301);
		code.visitLdcInsn(1.5f);
		code.visitVarInsn(FSTORE, 303);
		code.visitLdcInsn(2.5);
		code.visitVarInsn(DSTORE, 304);
		code.visitLdcInsn("text");
		code.visitVarInsn(ASTORE, 306);
		code.visitTypeInsn(NEW, "java/lang/StringBuilder");
		code.visitInsn(DUP);
		code.visitMethodInsn(INVOKESPECIAL, "java/lang/StringBuilder", "<init>", "()V", false);
		code.visitVarInsn(ILOAD, 300);
		append(code, "I");
		code.visitVarInsn(ILOAD, 0);
		append(code, "I");
		code.visitVarInsn(LLOAD, 301);
		append(code, "J");
		code.visitVarInsn(FLOAD, 303);
		append(code, "F");
		code.visitVarInsn(DLOAD, 304);
		append(code, "D");
		code.visitVarInsn(ALOAD, 306);
		append(code, "Ljava/lang/String;");
		code.visitMethodInsn(INVOKEVIRTUAL, "java/lang/StringBuilder", "toString",
				"()Ljava/lang/String;", false);
		code.visitInsn(ARETURN);
	}

	/** `if (n == 0) return 7`, with 33,000 bytes between, that make it n + 11,000. */
	private static void ahead(MethodVisitor code) {
		Label zero = new Label();

		code.visitVarInsn(ILOAD, 0);
		code.visitJumpInsn(IFEQ, zero);
		ClassFile.increments(code, 0, 11_000);
		code.visitVarInsn(ILOAD, 0);
		code.visitInsn(IRETURN);
		code.visitLabel(zero);
		ClassFile.push(code, 7);
		code.visitInsn(IRETURN);
	}

	/** A loop of n rounds, each of 33,000 bytes, that return 11,000 n. */
	private static void back(MethodVisitor code) {
		Label loop = new Label(), end = new Label();

		ClassFile.push(code, 0);
		code.visitVarInsn(ISTORE, 1);
		code.visitLabel(loop);
		code.visitVarInsn(ILOAD, 0);
		code.visitJumpInsn(IFEQ, end);
		ClassFile.increments(code, 1, 11_000);
		code.visitIincInsn(0, -1);
		code.visitJumpInsn(GOTO, loop);
		code.visitLabel(end);
		code.visitVarInsn(ILOAD, 1);
		code.visitInsn(IRETURN);
	}

	/** Returns i for an n of 100 + i, so many times; 9 bytes each. */
	private static void returns(MethodVisitor code) {
		for (int i = 0; i < RETURNS; i++) {
			Label next = new Label();

			code.visitVarInsn(ILOAD, 0); /* 1 byte */
			code.visitIntInsn(BIPUSH, 100 + i); /* 2 */
			code.visitJumpInsn(IF_ICMPNE, next); /* 3 */
			code.visitIntInsn(BIPUSH, i); /* 2 */
			code.visitInsn(IRETURN); /* 1 */
			code.visitLabel(next);
		}
	}

	/**
	 * A branch that just reaches its target, with returns between: any byte more in there is too
	 * much. Returns 1 if it was taken; else 2, or what the returns say.
	 */
	private static void edge(MethodVisitor code, Branch branch) {
		for (int local : branch.locals())
			code.visitVarInsn(local < 2 ? ILOAD : ALOAD, local);
		far(code, branch.opcode(), new Label());
	}

	/** The same for a jump without a condition: it is taken if local 0 is 0. */
	private static void jump(MethodVisitor code) {
		Label over = new Label();

		code.visitVarInsn(ILOAD, 0);
		code.visitJumpInsn(IFNE, over);
		far(code, GOTO, over);
	}

	private static void far(MethodVisitor code, int opcode, Label over) {
		Label source = ClassFile.here(code), target = new Label();

		code.visitJumpInsn(opcode, target); /* 3 bytes */
		code.visitLabel(over);
		returns(code);
		ClassFile.nops(code, FAR - 3 - 9 * RETURNS - 2);
		ClassFile.push(code, 2);
		code.visitInsn(IRETURN);
		code.visitLabel(target);
		ClassFile.push(code, 1);
		code.visitInsn(IRETURN);
		check(target.getOffset() - source.getOffset() == FAR);
	}

	/** The same backwards, where it goes one further: n rounds, 3 added in each. */
	private static void backEdge(MethodVisitor code) {
		Label loop, source;

		ClassFile.push(code, 0);
		code.visitVarInsn(ISTORE, 1);
		loop = ClassFile.here(code);
		code.visitIincInsn(1, 3); /* 3 bytes */
		returns(code);
		code.visitIincInsn(0, -1); /* 3 */
		ClassFile.nops(code, FAR + 1 - 3 - 9 * RETURNS - 3 - 1);
		code.visitVarInsn(ILOAD, 0); /* 1 */
		source = ClassFile.here(code);
		code.visitJumpInsn(IFGT, loop);
		code.visitVarInsn(ILOAD, 1);
		code.visitInsn(IRETURN);
		check(source.getOffset() - loop.getOffset() == FAR + 1);
	}

	private static void check(boolean right) {
		if (!right)
			throw new AssertionError("the branch is not as far as it can be");
	}
}

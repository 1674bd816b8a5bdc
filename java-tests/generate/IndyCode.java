// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
package generate;

import java.io.IOException;
import java.nio.file.Path;
import org.objectweb.asm.ConstantDynamic;
import org.objectweb.asm.Handle;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** invokedynamic and dynamic constants with bootstrap methods of the application's own. */
final class IndyCode implements Opcodes {
	private static final String LOOKUP =
			"Ljava/lang/invoke/MethodHandles$Lookup;Ljava/lang/String;";

	private IndyCode() {
	}

	private static Handle bootstrap(String method, String rest) {
		return new Handle(H_INVOKESTATIC, "cases/Indy", method, "(" + LOOKUP + rest, false);
	}

	static void write(Path directory) throws IOException {
		ClassFile indy = new ClassFile("IndyCode", V17);
		Handle constant = bootstrap("constant", "Ljava/lang/Class;)Ljava/lang/Object;");
		Handle link = bootstrap("link",
				"Ljava/lang/invoke/MethodType;Ljava/lang/Object;)Ljava/lang/invoke/CallSite;");
		ConstantDynamic text = new ConstantDynamic("text", "Ljava/lang/Object;", constant);
		ConstantDynamic number = new ConstantDynamic("number", "J",
				bootstrap("number", "Ljava/lang/Class;)J"));

		indy.method("constant", "()Ljava/lang/Object;", code -> {
			code.visitLdcInsn(text);
			code.visitInsn(ARETURN);
		});
		indy.method("wideConstant", "()J", code -> {
			code.visitLdcInsn(number);
			code.visitInsn(LRETURN);
		});
		indy.method("linked", "(I)I", code -> linked(code, link, "argument"));
		indy.method("linkedWithConstant", "(I)I", code -> linked(code, link, text));
		indy.method("failing", "(I)I",
				code -> linked(code, bootstrap("fail", "Ljava/lang/invoke/MethodType;"
						+ "Ljava/lang/Object;)Ljava/lang/invoke/CallSite;"), "argument"));
		indy.save(directory);
	}

	private static void linked(MethodVisitor code, Handle link, Object argument) {
		code.visitVarInsn(ILOAD, 0);
		code.visitInvokeDynamicInsn("twice", "(I)I", link, argument);
		code.visitInsn(IRETURN);
	}
}

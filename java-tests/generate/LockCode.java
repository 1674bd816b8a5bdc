// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
package generate;

import java.io.IOException;
import java.nio.file.Path;
import org.objectweb.asm.Opcodes;

/** Methods that do not give back the locks they took (JVM specification, 2.11.10). */
final class LockCode implements Opcodes {
	private LockCode() {
	}

	static void write(Path directory) throws IOException {
		ClassFile locks = new ClassFile("LockCode", V17);

		/* The return throws an IllegalMonitorStateException. */
		locks.method("kept", "(Ljava/lang/Object;)I", code -> {
			code.visitVarInsn(ALOAD, 0);
			code.visitInsn(MONITORENTER);
			ClassFile.push(code, 1);
			code.visitInsn(IRETURN);
		});
		/* monitorexit throws it. */
		locks.method("givenTwice", "(Ljava/lang/Object;)I", code -> {
			code.visitVarInsn(ALOAD, 0);
			code.visitInsn(MONITOREXIT);
			ClassFile.push(code, 1);
			code.visitInsn(IRETURN);
		});
		locks.save(directory);
	}
}

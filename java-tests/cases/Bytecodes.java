// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
// run: plain -Xverify:all -- exclude=org.objectweb.asm.*+generated.without.*
// stderr: ^OpenJDK 64-Bit Server VM warning: Options -Xverify:all
package cases;

import static org.objectweb.asm.Opcodes.*;

import java.lang.invoke.MethodHandles;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.ObjIntConsumer;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Handle;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Type;

/**
 * A generated class for each bytecode, and for shapes that compilers do not make: each is made
 * twice, in a package that gets probes and in one that does not, and must return the same.
 */
public final class Bytecodes {
	private static final String RUN = "run()I";
	private static final Map<String, Integer> sizes = new HashMap<>();
	private static int made;

	/** What a class's run method does; leaves an int on the stack. */
	private record Snippet(String name, int version, Consumer<MethodVisitor> code) {
	}

	private static final class Loader extends ClassLoader {
		Loader() {
			super(Bytecodes.class.getClassLoader());
		}

		Class<?> define(String name, byte[] bytes) {
			return defineClass(name, bytes, 0, bytes.length);
		}
	}

	private static final List<Snippet> snippets = new ArrayList<>();

	private static void add(String name, int version, Consumer<MethodVisitor> code) {
		snippets.add(new Snippet(name, version, code));
	}

	private static void each(String name, int first, int last, ObjIntConsumer<MethodVisitor> code) {
		for (int opcode = first; opcode <= last; opcode++) {
			int it = opcode;
			add(name + opcode, V1_8, m -> code.accept(m, it));
		}
	}

	/** Pushes something of the type (I, J, F, D or A) and number. */
	private static void push(MethodVisitor m, char type, int number) {
		switch (type) {
		case 'I' -> m.visitIntInsn(SIPUSH, number);
		case 'J' -> m.visitLdcInsn((long) number << 33);
		case 'F' -> m.visitLdcInsn(number + 0.5f);
		case 'D' -> m.visitLdcInsn(number * 1e100);
		default -> m.visitLdcInsn("text " + number);
		}
	}

	/** Makes an int of what is on the stack. */
	private static void toInt(MethodVisitor m, char type) {
		String owner = switch (type) {
		case 'J' -> "java/lang/Long";
		case 'F' -> "java/lang/Float";
		case 'D' -> "java/lang/Double";
		default -> "java/util/Objects";
		};
		String of = type == 'A' ? "Ljava/lang/Object;" : String.valueOf(type);

		if (type != 'I')
			m.visitMethodInsn(INVOKESTATIC, owner, "hashCode", "(" + of + ")I", false);
	}

	private static final char[] TYPES = {'I', 'J', 'F', 'D', 'A'};

	private static void constants() {
		add("nop", V1_8, m -> {
			m.visitInsn(NOP);
			m.visitInsn(ICONST_5);
		});
		each("const", ACONST_NULL, ACONST_NULL, (m, op) -> {
			m.visitInsn(op);
			toInt(m, 'A');
		});
		each("const", ICONST_M1, ICONST_5, (m, op) -> m.visitInsn(op));
		each("const", LCONST_0, LCONST_1, (m, op) -> {
			m.visitInsn(op);
			toInt(m, 'J');
		});
		each("const", FCONST_0, FCONST_2, (m, op) -> {
			m.visitInsn(op);
			toInt(m, 'F');
		});
		each("const", DCONST_0, DCONST_1, (m, op) -> {
			m.visitInsn(op);
			toInt(m, 'D');
		});
		add("bipush", V1_8, m -> m.visitIntInsn(BIPUSH, -100));
		add("sipush", V1_8, m -> m.visitIntInsn(SIPUSH, -30000));
		add("ldc_w", V1_8, m -> {
			for (int i = 0; i < 400; i++) {
				m.visitLdcInsn("constant " + i);
				m.visitInsn(POP);
			}
			m.visitLdcInsn(123456789);
		});
		add("ldc_class", V1_8, m -> {
			m.visitLdcInsn(Type.getType("Ljava/lang/String;"));
			m.visitMethodInsn(INVOKEVIRTUAL, "java/lang/Class", "getName",
					"()Ljava/lang/String;", false);
			toInt(m, 'A');
		});
	}

	private static void locals() {
		int[] variables = {0, 1, 2, 3, 4, 200, 300};

		for (int t = 0; t < TYPES.length; t++) {
			char type = TYPES[t];
			int load = ILOAD + t, store = ISTORE + t;
			for (int variable : variables)
				add("local_" + type + variable, V1_8, m -> {
					push(m, type, 7);
					m.visitVarInsn(store, variable);
					m.visitVarInsn(load, variable);
					toInt(m, type);
				});
		}
		for (int variable : variables)
			add("iinc" + variable, V1_8, m -> {
				m.visitInsn(ICONST_3);
				m.visitVarInsn(ISTORE, variable);
				m.visitIincInsn(variable, 5);
				m.visitIincInsn(variable, -1000);
				m.visitVarInsn(ILOAD, variable);
			});
		/* 258 locals: arguments fill them. */
		add("locals258", V1_8, m -> {
			for (int i = 0; i < 129; i++) {
				m.visitLdcInsn((long) i << 31);
				m.visitVarInsn(LSTORE, 2 * i);
			}
			m.visitInsn(ICONST_0);
			for (int i = 0; i < 129; i++) {
				m.visitVarInsn(LLOAD, 2 * i);
				toInt(m, 'J');
				m.visitInsn(IXOR);
			}
		});
	}

	private static void arrays() {
		/* newarray codes, JVM specification, newarray */
		int[] element = {T_INT, T_LONG, T_FLOAT, T_DOUBLE, 0, T_BYTE, T_CHAR, T_SHORT};
		char[] type = {'I', 'J', 'F', 'D', 'A', 'I', 'I', 'I'};

		for (int i = 0; i < element.length; i++) {
			int k = i;
			add("array" + i, V1_8, m -> {
				m.visitInsn(ICONST_5);
				if (element[k] == 0)
					m.visitTypeInsn(ANEWARRAY, "java/lang/Object");
				else
					m.visitIntInsn(NEWARRAY, element[k]);
				m.visitInsn(DUP);
				m.visitInsn(ICONST_3);
				push(m, type[k], 99);
				m.visitInsn(IASTORE + k);
				m.visitInsn(DUP);
				m.visitInsn(ICONST_3);
				m.visitInsn(IALOAD + k);
				toInt(m, type[k]);
				m.visitInsn(SWAP);
				m.visitInsn(ARRAYLENGTH);
				m.visitInsn(IADD);
			});
		}
		add("multianewarray", V1_8, m -> {
			m.visitInsn(ICONST_3);
			m.visitInsn(ICONST_4);
			m.visitMultiANewArrayInsn("[[I", 2);
			m.visitInsn(ICONST_1);
			m.visitInsn(AALOAD);
			m.visitInsn(ARRAYLENGTH);
		});
	}

	private static void stack() {
		each("stack", POP, SWAP, (m, op) -> {
			for (int i = 1; i <= 4; i++)
				m.visitIntInsn(BIPUSH, i * 10);
			m.visitInsn(op);
			/* Fold what there is: 2 to 6 ints. */
			int depth = switch (op) {
			case POP -> 3;
			case POP2 -> 2;
			case DUP, DUP_X1, DUP_X2 -> 5;
			case DUP2, DUP2_X1, DUP2_X2 -> 6;
			default -> 4;
			};
			for (int i = 1; i < depth; i++) {
				m.visitIntInsn(BIPUSH, 3);
				m.visitInsn(IMUL);
				m.visitInsn(IADD);
			}
		});
	}

	private static void arithmetic() {
		for (int t = 0; t < 4; t++) {
			char type = TYPES[t];
			for (int op = IADD + t; op <= IREM + t; op += 4) {
				int it = op;
				add("binary" + op, V1_8, m -> {
					push(m, type, 1000);
					push(m, type, 7);
					m.visitInsn(it);
					toInt(m, type);
				});
			}
			int negate = INEG + t;
			add("unary" + negate, V1_8, m -> {
				push(m, type, 1000);
				m.visitInsn(negate);
				toInt(m, type);
			});
		}
		for (int t = 0; t < 2; t++) {
			char type = TYPES[t];
			for (int op = ISHL + t; op <= LXOR; op += 2) {
				int it = op;
				add("bits" + op, V1_8, m -> {
					push(m, type, 1234);
					push(m, it >= IAND ? type : 'I', 5);
					m.visitInsn(it);
					toInt(m, type);
				});
			}
		}
		String from = "IIIJJJFFFDDDIII", to = "JFDIFDIJDIJFIII";
		for (int i = 0; i < from.length(); i++) {
			int k = i;
			add("convert" + (I2L + i), V1_8, m -> {
				push(m, from.charAt(k), 300);
				m.visitInsn(I2L + k);
				toInt(m, to.charAt(k));
			});
		}
		String compared = "JFFDD";
		for (int i = 0; i < compared.length(); i++) {
			int k = i;
			add("compare" + (LCMP + i), V1_8, m -> {
				push(m, compared.charAt(k), 3);
				push(m, compared.charAt(k), 4);
				m.visitInsn(LCMP + k);
			});
		}
	}

	/** 1 if the branch is taken, 2 if not. */
	private static void branch(MethodVisitor m, int opcode) {
		Label taken = new Label(), end = new Label();

		m.visitJumpInsn(opcode, taken);
		m.visitInsn(ICONST_2);
		m.visitJumpInsn(GOTO, end);
		m.visitLabel(taken);
		m.visitInsn(ICONST_1);
		m.visitLabel(end);
	}

	private static void branches() {
		for (int value = -1; value <= 1; value++) {
			int it = value;
			for (int op = IFEQ; op <= IFLE; op++) {
				int opcode = op;
				add("if" + op + "_" + (value + 1), V1_8, m -> {
					m.visitInsn(ICONST_0 + it);
					branch(m, opcode);
				});
			}
			for (int op = IF_ICMPEQ; op <= IF_ICMPLE; op++) {
				int opcode = op;
				add("if" + op + "_" + (value + 1), V1_8, m -> {
					m.visitInsn(ICONST_0 + it);
					m.visitInsn(ICONST_0);
					branch(m, opcode);
				});
			}
		}
		for (int op : new int[] {IF_ACMPEQ, IF_ACMPNE})
			add("if" + op, V1_8, m -> {
				push(m, 'A', 1);
				push(m, 'A', 2);
				branch(m, op);
			});
		for (int op : new int[] {IFNULL, IFNONNULL})
			add("if" + op, V1_8, m -> {
				push(m, 'A', 1);
				branch(m, op);
			});
		/* A loop back to the very first instruction: entered once, exited once. */
		add("loop_to_0", V1_8, m -> {
			Label begin = new Label();
			m.visitLabel(begin);
			m.visitFieldInsn(GETSTATIC, "cases/Bytecodes", "counter", "I");
			m.visitInsn(ICONST_1);
			m.visitInsn(IADD);
			m.visitInsn(DUP);
			m.visitFieldInsn(PUTSTATIC, "cases/Bytecodes", "counter", "I");
			m.visitIntInsn(BIPUSH, 10);
			m.visitInsn(IREM);
			m.visitJumpInsn(IFNE, begin);
			m.visitInsn(ICONST_4);
		});
		for (int far : new int[] {REACH, 16000})
			for (int op : new int[] {IFEQ, IFNE})
				add("far_" + far + "_" + op, V1_8, m -> far(m, op, far));
	}

	/** For the generated classes. */
	public static int counter;

	/** So many increments are just within a branch's reach, and not if there are probes in them. */
	private static final int REACH = 10900;

	/** A branch over 3 * increments bytes with some returns in them, forward and back. */
	private static void far(MethodVisitor m, int opcode, int increments) {
		Label forward = new Label(), back = new Label(), go = new Label();

		m.visitInsn(ICONST_0);
		m.visitVarInsn(ISTORE, 0);
		m.visitJumpInsn(GOTO, go);
		m.visitLabel(back);
		m.visitVarInsn(ILOAD, 0);
		m.visitInsn(IRETURN);
		m.visitLabel(go);
		m.visitVarInsn(ILOAD, 0);
		m.visitJumpInsn(opcode, forward);
		for (int i = 0; i < increments; i++) {
			m.visitIincInsn(0, 1);
			if (i % 1000 == 999) {
				Label on = new Label();
				m.visitVarInsn(ILOAD, 0);
				m.visitJumpInsn(IFGE, on);
				m.visitInsn(ICONST_M1);
				m.visitInsn(IRETURN);
				m.visitLabel(on);
			}
		}
		m.visitLabel(forward);
		m.visitIincInsn(0, 7);
		m.visitVarInsn(ILOAD, 0);
		m.visitJumpInsn(IFNE, back);
		m.visitInsn(ICONST_M1);
	}

	private static void switches() {
		for (int before = 0; before < 4; before++)
			for (int value = -1; value < 4; value++) {
				int nops = before, key = value;
				add("tableswitch" + before + "_" + (value + 1), V1_8, m -> {
					Label[] labels = {new Label(), new Label(), new Label()};
					Label other = new Label(), end = new Label();
					nops(m, nops, key);
					m.visitTableSwitchInsn(0, 2, other, labels);
					targets(m, labels, other, end);
				});
				add("lookupswitch" + before + "_" + (value + 1), V1_8, m -> {
					Label[] labels = {new Label(), new Label(), new Label()};
					Label other = new Label(), end = new Label();
					nops(m, nops, key);
					m.visitLookupSwitchInsn(other, new int[] {-1, 0, 3}, labels);
					targets(m, labels, other, end);
				});
			}
	}

	private static void nops(MethodVisitor m, int count, int key) {
		for (int i = 0; i < count; i++)
			m.visitInsn(NOP);
		m.visitInsn(ICONST_0 + key);
	}

	/** One target returns: there is an exit probe in front of it. */
	private static void targets(MethodVisitor m, Label[] labels, Label other, Label end) {
		for (int i = 0; i < labels.length; i++) {
			m.visitLabel(labels[i]);
			m.visitIntInsn(BIPUSH, 20 + i);
			if (i == 1)
				m.visitInsn(IRETURN);
			else
				m.visitJumpInsn(GOTO, end);
		}
		m.visitLabel(other);
		m.visitIntInsn(BIPUSH, 50);
		m.visitLabel(end);
	}

	private static void objects() {
		add("field", V1_8, m -> {
			m.visitTypeInsn(NEW, "java/awt/Point");
			m.visitInsn(DUP);
			m.visitInsn(ICONST_3);
			m.visitInsn(ICONST_4);
			m.visitMethodInsn(INVOKESPECIAL, "java/awt/Point", "<init>", "(II)V", false);
			m.visitInsn(DUP);
			m.visitIntInsn(BIPUSH, 9);
			m.visitFieldInsn(PUTFIELD, "java/awt/Point", "x", "I");
			m.visitFieldInsn(GETFIELD, "java/awt/Point", "x", "I");
		});
		add("interface", V1_8, m -> {
			push(m, 'A', 12);
			m.visitTypeInsn(CHECKCAST, "java/lang/CharSequence");
			m.visitMethodInsn(INVOKEINTERFACE, "java/lang/CharSequence", "length", "()I", true);
		});
		add("instanceof", V1_8, m -> {
			push(m, 'A', 12);
			m.visitTypeInsn(INSTANCEOF, "java/lang/Integer");
		});
		add("indy", V1_8, m -> {
			m.visitIntInsn(BIPUSH, 33);
			m.visitInvokeDynamicInsn("join", "(I)Ljava/lang/String;",
					new Handle(H_INVOKESTATIC, "java/lang/invoke/StringConcatFactory",
							"makeConcatWithConstants",
							"(Ljava/lang/invoke/MethodHandles$Lookup;Ljava/lang/String;"
									+ "Ljava/lang/invoke/MethodType;Ljava/lang/String;"
									+ "[Ljava/lang/Object;)Ljava/lang/invoke/CallSite;",
							false),
					"<\1>");
			toInt(m, 'A');
		});
		add("monitors", V1_8, m -> {
			Label begin = new Label(), end = new Label(), handler = new Label(), out = new Label();
			m.visitTryCatchBlock(begin, end, handler, null);
			push(m, 'A', 1);
			m.visitInsn(DUP);
			m.visitVarInsn(ASTORE, 0);
			m.visitInsn(MONITORENTER);
			m.visitLabel(begin);
			push(m, 'A', 2);
			m.visitInsn(DUP);
			m.visitInsn(MONITORENTER);
			m.visitInsn(MONITOREXIT);
			m.visitVarInsn(ALOAD, 0);
			m.visitInsn(MONITOREXIT);
			m.visitLabel(end);
			m.visitJumpInsn(GOTO, out);
			m.visitLabel(handler);
			m.visitInsn(ATHROW);
			m.visitLabel(out);
			m.visitInsn(ICONST_2);
		});
		add("athrow", V1_8, m -> {
			Label begin = new Label(), end = new Label(), handler = new Label();
			m.visitTryCatchBlock(begin, end, handler, "java/lang/RuntimeException");
			m.visitLabel(begin);
			m.visitTypeInsn(NEW, "java/lang/IllegalStateException");
			m.visitInsn(DUP);
			m.visitMethodInsn(INVOKESPECIAL, "java/lang/IllegalStateException", "<init>", "()V",
					false);
			m.visitInsn(ATHROW);
			m.visitLabel(end);
			m.visitLabel(handler);
			m.visitInsn(POP);
			m.visitInsn(ICONST_5);
		});
		/* The handler begins with new: the frames that follow name its place. */
		add("new_in_handler", V1_8, m -> {
			Label begin = new Label(), end = new Label(), handler = new Label();
			Label one = new Label(), two = new Label();
			m.visitTryCatchBlock(begin, end, handler, "java/lang/ArithmeticException");
			m.visitLabel(begin);
			m.visitInsn(ICONST_1);
			m.visitInsn(ICONST_0);
			m.visitInsn(IDIV);
			m.visitInsn(IRETURN);
			m.visitLabel(end);
			m.visitLabel(handler);
			m.visitTypeInsn(NEW, "java/lang/Integer");
			m.visitInsn(DUP);
			m.visitFieldInsn(GETSTATIC, "cases/Bytecodes", "counter", "I");
			m.visitJumpInsn(IFLT, one);
			m.visitIntInsn(BIPUSH, 44);
			m.visitJumpInsn(GOTO, two);
			m.visitLabel(one);
			m.visitIntInsn(BIPUSH, 45);
			m.visitLabel(two);
			m.visitMethodInsn(INVOKESPECIAL, "java/lang/Integer", "<init>", "(I)V", false);
			m.visitMethodInsn(INVOKEVIRTUAL, "java/lang/Integer", "intValue", "()I", false);
		});
	}

	private static void oldOnes() {
		for (int version : new int[] {V1_1, V1_2, V1_3, V1_4, V1_5}) {
			add("jsr_" + (version & 255), version, m -> {
				Label subroutine = new Label(), inner = new Label(), end = new Label();
				m.visitInsn(ICONST_0);
				m.visitVarInsn(ISTORE, 0);
				m.visitJumpInsn(JSR, subroutine);
				m.visitJumpInsn(JSR, subroutine);
				m.visitJumpInsn(GOTO, end);
				m.visitLabel(subroutine);
				m.visitVarInsn(ASTORE, 1);
				m.visitIincInsn(0, 3);
				m.visitJumpInsn(JSR, inner);
				m.visitVarInsn(RET, 1);
				m.visitLabel(inner);
				m.visitVarInsn(ASTORE, 300);
				m.visitIincInsn(0, 100);
				m.visitVarInsn(RET, 300);
				m.visitLabel(end);
				m.visitVarInsn(ILOAD, 0);
			});
			/* finally by a subroutine, with an exception that passes through it. */
			add("finally_" + (version & 255), version, m -> {
				Label begin = new Label(), end = new Label(), handler = new Label();
				Label subroutine = new Label();
				m.visitTryCatchBlock(begin, end, handler, null);
				m.visitInsn(ICONST_0);
				m.visitVarInsn(ISTORE, 0);
				m.visitLabel(begin);
				m.visitInsn(ICONST_1);
				m.visitInsn(ICONST_0);
				m.visitInsn(IDIV);
				m.visitInsn(POP);
				m.visitJumpInsn(JSR, subroutine);
				m.visitInsn(ICONST_M1);
				m.visitInsn(IRETURN);
				m.visitLabel(end);
				m.visitLabel(handler);
				m.visitInsn(POP);
				m.visitJumpInsn(JSR, subroutine);
				m.visitVarInsn(ILOAD, 0);
				m.visitInsn(IRETURN);
				m.visitLabel(subroutine);
				m.visitVarInsn(ASTORE, 1);
				m.visitIincInsn(0, 41);
				m.visitVarInsn(RET, 1);
			});
		}
		add("far_jsr", V1_4, m -> {
			Label subroutine = new Label(), begin = new Label();
			m.visitInsn(ICONST_0);
			m.visitVarInsn(ISTORE, 0);
			m.visitJumpInsn(JSR, subroutine);
			m.visitLabel(begin);
			for (int i = 0; i < 10920; i++)
				m.visitIincInsn(0, 1);
			m.visitVarInsn(ILOAD, 0);
			m.visitInsn(IRETURN);
			m.visitLabel(subroutine);
			m.visitVarInsn(ASTORE, 1);
			m.visitIincInsn(0, 5);
			m.visitVarInsn(RET, 1);
		});
	}

	/** Code of so many bytes, the return included. */
	private static void sized(MethodVisitor m, int bytes) {
		m.visitInsn(ICONST_0);
		m.visitVarInsn(ISTORE, 0);
		for (int left = bytes - 4; left > 0; left--)
			m.visitInsn(NOP);
		m.visitVarInsn(ILOAD, 0);
	}

	private static byte[] generate(String name, Snippet snippet) {
		boolean frames = snippet.version() >= V1_6 && (snippet.version() & 255) >= 50;
		ClassWriter writer = new ClassWriter(
				frames ? ClassWriter.COMPUTE_FRAMES : ClassWriter.COMPUTE_MAXS);
		writer.visit(snippet.version(), ACC_PUBLIC | ACC_SUPER, name, null, "java/lang/Object",
				null);
		MethodVisitor m = writer.visitMethod(ACC_PUBLIC | ACC_STATIC, "run", "()I", null, null);
		m.visitCode();
		snippet.code().accept(m);
		m.visitInsn(IRETURN);
		m.visitMaxs(0, 0);
		m.visitEnd();
		writer.visitEnd();
		return writer.toByteArray();
	}

	/** Which opcodes there are in a class, to know that none was forgotten. */
	private static void collect(byte[] bytes, Set<Integer> opcodes) {
		new ClassReader(bytes).accept(new ClassVisitor(ASM9) {
			@Override
			public MethodVisitor visitMethod(int access, String name, String descriptor,
					String signature, String[] exceptions) {
				return new MethodVisitor(ASM9) {
					@Override
					public void visitInsn(int opcode) {
						opcodes.add(opcode);
					}

					@Override
					public void visitIntInsn(int opcode, int operand) {
						opcodes.add(opcode);
					}

					@Override
					public void visitVarInsn(int opcode, int variable) {
						opcodes.add(opcode);
					}

					@Override
					public void visitTypeInsn(int opcode, String type) {
						opcodes.add(opcode);
					}

					@Override
					public void visitFieldInsn(int opcode, String owner, String field,
							String type) {
						opcodes.add(opcode);
					}

					@Override
					public void visitMethodInsn(int opcode, String owner, String method,
							String type, boolean isInterface) {
						opcodes.add(opcode);
					}

					@Override
					public void visitInvokeDynamicInsn(String method, String type,
							Handle bootstrap, Object... arguments) {
						opcodes.add(INVOKEDYNAMIC);
					}

					@Override
					public void visitJumpInsn(int opcode, Label label) {
						opcodes.add(opcode);
					}

					@Override
					public void visitLdcInsn(Object value) {
						opcodes.add(LDC);
					}

					@Override
					public void visitIincInsn(int variable, int increment) {
						opcodes.add(IINC);
					}

					@Override
					public void visitTableSwitchInsn(int min, int max, Label other,
							Label... labels) {
						opcodes.add(TABLESWITCH);
					}

					@Override
					public void visitLookupSwitchInsn(Label other, int[] keys, Label[] labels) {
						opcodes.add(LOOKUPSWITCH);
					}

					@Override
					public void visitMultiANewArrayInsn(String type, int dimensions) {
						opcodes.add(MULTIANEWARRAY);
					}
				};
			}
		}, 0);
	}

	/** Those that ASM gives a number and run() can have, but the returns of other types. */
	private static void expectAll(Set<Integer> opcodes) {
		Set<Integer> absent = new HashSet<>(Set.of(LRETURN, FRETURN, DRETURN, ARETURN, RETURN,
				INVOKESPECIAL, INVOKEVIRTUAL, PUTSTATIC));

		for (int opcode = NOP; opcode <= IFNONNULL; opcode++) {
			boolean named = (opcode < 0x1a || opcode > 0x2d) && (opcode < 0x3b || opcode > 0x4e)
					&& opcode != 0x13 && opcode != 0x14 && opcode != 0xc4;
			if (named && !opcodes.contains(opcode) && !absent.contains(opcode)
					&& opcode != BALOAD && opcode != BASTORE)
				Truth.expect(false, "no class has opcode " + opcode);
		}
	}

	private static Object result(Loader loader, String name, byte[] bytes) {
		try {
			return MethodHandles.publicLookup().findStatic(loader.define(name, bytes), "run",
					java.lang.invoke.MethodType.methodType(int.class)).invoke();
		} catch (Throwable e) {
			return e.toString();
		}
	}

	public static void main(String[] args) {
		Set<Integer> opcodes = new HashSet<>();
		Loader loader = new Loader();

		constants();
		locals();
		arrays();
		stack();
		arithmetic();
		branches();
		switches();
		objects();
		oldOnes();
		for (int bytes : new int[] {65_000, 65_500, 65_516, 65_517, 65_530, 65_535})
			add("sized" + bytes, V1_8, m -> sized(m, bytes));
		for (Snippet snippet : snippets) {
			String with = "generated.with." + snippet.name();
			byte[] bytes = generate(with.replace('.', '/'), snippet);
			byte[] same = generate(("generated.without." + snippet.name()).replace('.', '/'),
					snippet);
			collect(bytes, opcodes);
			Object right = result(loader, "generated.without." + snippet.name(), same);
			Object found = result(loader, with, bytes);
			Truth.expect(right.equals(found) && right instanceof Integer,
					snippet.name() + ": " + found + ", not " + right);
			made++;
			/* What is too long for probes runs, and is not seen. To be counted takes least. */
			String kind = snippet.name();
			String reason = null;
			boolean counted = Truth.counted();
			int most = counted ? 65_529 : 65_516;
			if (!counted && (kind.equals("far_jsr") || kind.startsWith("far_" + REACH)))
				reason = "a branch would be longer than 32,767 bytes";
			else if (kind.startsWith("sized") && Integer.parseInt(kind.substring(5)) > most)
				reason = "the code would be longer than 65,535 bytes";
			if (reason == null || Truth.way().equals("events"))
				Truth.calls(with, RUN, 1);
			else
				Truth.untouched(with + ".run", reason);
		}
		expectAll(opcodes);
		Truth.expect(made > 240, "only " + made + " classes");
		Truth.loose("cases.Bytecodes");
		Truth.write();
	}
}
